"""Each function is summed up once, and its summary serves all its callers."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from dataflow_helpers import facts_of, named, verdicts

from kernel_analysis.dataflow.memory.origin import Fields, bits


def test_a_million_call_paths(tmp_path: Path) -> None:
    """Twenty helpers that each call the next one twice: a path is not followed again and again."""
    steps = "".join(
        f"""
@triton.jit
def step{i}(p, q):
    step{i + 1}(q, p)
    step{i + 1}(p, q)
"""
        for i in range(20)
    )
    text = f"""
@triton.jit
def step20(p, q):
    tl.store(p, tl.load(q))
{steps}
@triton.jit
def kernel(a, b, c):
    step0(a, b)
    tl.store(c, 1.0)
"""
    started = time.process_time()
    got = facts_of(tmp_path, text, a="*fp32", b="*fp32", c="*fp32")
    assert time.process_time() - started < 20
    assert verdicts(got) == {"a": "rw", "b": "rw", "c": "w"}
    assert all(len(p.write.sites) <= 100 for p in got.parameters)
    assert len(named(got.parameters, "a").write.sites[0].path) == 21


def test_each_call_has_its_own_arguments(tmp_path: Path) -> None:
    text = """
@triton.jit
def copy(source, target, n):
    tl.store(target + n, tl.load(source + n))
    return target

@triton.jit
def kernel(a, b, c, d, n):
    tl.store(copy(a, b, n), 1.0)
    copy(c, d, n)
"""
    got = facts_of(tmp_path, text, a="*fp32", b="*fp32", c="*fp32", d="*fp32", n="i32")
    assert verdicts(got) == {"a": "r", "b": "w", "c": "r", "d": "w", "n": ""}
    assert [len(p.write.sites) for p in got.parameters] == [0, 2, 0, 1, 0]
    (index,) = got.helpers
    assert [(p.name, p.read.verdict, p.write.verdict) for p in got.helpers[index]][:2] == [
        ("source", "yes", "no"),
        ("target", "no", "yes"),
    ]
    assert len(got.calls) == 2


@pytest.mark.parametrize("width", [1, 3, 40])
def test_substitution(width: int) -> None:
    """A callee's origins in the caller's terms, field by field."""
    fields = Fields(width)
    last = width - 1
    arguments = [fields.part(0)] * last + [fields.base(0)]
    assert fields.substitute(fields.base(last), arguments) == fields.base(0)
    assert fields.substitute(fields.reason(2), arguments) == fields.reason(2)
    table = fields.loaded(fields.base(last), pointer=True, integer=False)
    assert list(bits(fields.tables(fields.substitute(table, arguments)))) == [0]
    assert list(bits(fields.unclear(fields.substitute(fields.as_number(fields.base(last)), arguments)))) == [0]
    number = fields.loaded(fields.base(last), pointer=False, integer=True)
    assert list(bits(fields.unclear_tables(fields.substitute(number, arguments)))) == [0]
    integer = fields.substitute(fields.integer(last), [fields.part(0)] * last + [fields.integer(0)])
    assert fields.bases(fields.address_of_integer(integer)) == 1
    assert fields.is_empty(fields.loaded(fields.loose, pointer=True, integer=True))


SOURCES = {
    "a pointer": lambda fields, i: fields.base(i),
    "an integer": lambda fields, i: fields.integer(i),
    "a part": lambda fields, i: fields.part(i),
    "a loaded pointer": lambda fields, i: fields.loaded(fields.base(i), pointer=True, integer=False),
    "a loaded integer": lambda fields, i: fields.loaded(fields.base(i), pointer=False, integer=True),
    "a loaded part": lambda fields, i: fields.loaded(fields.base(i), pointer=False, integer=False),
    "a number": lambda fields, i: fields.as_number(fields.base(i)),
}
PROVEN = {"a pointer", "a loaded pointer"}


@pytest.mark.parametrize("one", SOURCES)
@pytest.mark.parametrize("other", SOURCES)
def test_arithmetic_drops_nothing(one: str, other: str) -> None:
    """All that goes in is there; what is set aside at a pointer comes back where it is taken away or was none."""
    fields = Fields(3)
    a, b, null = SOURCES[one](fields, 0), SOURCES[other](fields, 1), fields.loose

    def seen(origin: int) -> int:
        """What an access through the address says."""
        origin = fields.address_of_integer(origin)
        return fields.bases(origin) | fields.tables(origin) | fields.unclear(origin) | fields.unclear_tables(origin)

    total = fields.total(a, b)
    assert fields.anything(total) == 0b11
    assert seen(fields.loosened(a | b)) == seen(fields.as_number(a | b)) == 0b11
    assert seen(fields.loosened(total)) == 0b11
    assert seen(fields.total(total, a, subtract=True)) & 0b10 or one not in PROVEN
    assert seen(fields.advanced(null, b)) == 0b10
    assert seen(fields.advanced(fields.address_of_integer(fields.as_number(a)), b)) == 0b11
    if one not in PROVEN and not fields.is_pointer(fields.total(a, b)):
        assert seen(total) == 0b11 or fields.integers(a) or fields.integers(b) or "loaded integer" in one + other
    # A callee to which both are handed: its pointer may be none.
    callee = fields.advanced(fields.base(0), fields.integer(1))
    assert fields.substitute(callee, [null, b]) & fields.loose
    assert seen(fields.substitute(callee, [null, b])) == 0b10


def test_join_takes_the_stronger_verdict(tmp_path: Path) -> None:
    text = """
@triton.jit
def kernel(a, b, KIND: tl.constexpr):
    if KIND == 0:
        x = tl.inline_asm_elementwise("made.up $0, $1;", "=l,l", [a], dtype=tl.int64, is_pure=False, pack=1)
    elif KIND == 1:
        tl.store(a, 1.0)
    else:
        tl.store(b, tl.load(a))
"""
    types = {"a": "*fp32", "b": "*fp32"}
    one = facts_of(tmp_path, text, {"KIND": 0}, **types)
    assert named(one.parameters, "a").write.verdict == "unknown"
    assert "made.up" in named(one.parameters, "a").write.unknowns[0].reason
    every = facts_of(tmp_path, text, {"KIND": 0}, {"KIND": 1}, {"KIND": 2}, **types)
    assert verdicts(every) == {"a": "rw", "b": "w", "KIND": ""}
    assert [f.unknown is not None for f in every.assembly] == [True]


ORDER = {
    "tl.store(p, tl.load(p) + 1)": ("read", False, True),
    "tl.store(p, 1.0)\n    x = tl.load(p)": ("write", False, True),
    "tl.store(p + tl.program_id(0), 1.0)": ("write", False, False),
    "tl.store(p + n, 1.0, mask=n > 0)": ("write", True, True),
    "tl.store(p, 1.0, mask=tl.program_id(0) == 0)": ("write", True, False),
    "tl.store(p, 1.0, mask=n > 0)\n    tl.store(p, 1.0)": ("write", False, True),
    "if n > 0:\n        x = tl.load(p)\n    tl.store(p, 1.0)": (None, False, True),
    "for i in range(n):\n        x = tl.load(p)\n    tl.store(p, 1.0)": (None, False, True),
}


@pytest.mark.parametrize("body", ORDER)
def test_order_masks_and_uniform_writes(tmp_path: Path, body: str) -> None:
    fact = facts_of(tmp_path, f"@triton.jit\ndef kernel(p, n):\n    {body}\n", p="*fp32", n="i32").parameters[0]
    assert (fact.first, fact.masked_only, fact.uniform_write) == ORDER[body]


# Each way of Triton to write where an address alone does not say it: the address, and what says the rest.
PLACES = {
    "store": ("d.store([{place}, 0], tl.zeros([64, 64], tl.float32))", "tensordesc<fp32[64, 64]>"),
    "made": (
        "tl.make_tensor_descriptor(d, [n, 64], [64, 1], [64, 64]).store([{place}, 0], tl.zeros([64, 64], tl.float32))",
        "*fp32",
    ),
    "second": ("d.store([0, {place}], tl.zeros([64, 64], tl.float32))", "tensordesc<fp32[64, 64]>"),
    "reduce": ("d.atomic_add([{place}, 0], tl.zeros([64, 64], tl.float32))", "tensordesc<fp32[64, 64]>"),
    "scatter": (
        "d.scatter(tl.zeros([64, 64], tl.float32), tl.arange(0, 64), {place})",
        "tensordesc<fp32[1, 64]>",
    ),
    "rows": (
        "d.scatter(tl.zeros([64, 64], tl.float32), tl.arange(0, 64) + {place}, 0)",
        "tensordesc<fp32[1, 64]>",
    ),
    "exchange": ("tl.atomic_xchg(d + {place}, 1.0)", "*fp32"),
    "compare": ("tl.atomic_cas(d + {place}, 0.0, 1.0)", "*fp32"),
    "helper": ("put(d, {place})", "tensordesc<fp32[64, 64]>"),
    "helper's own": ("put(d, {place} + at())", "tensordesc<fp32[64, 64]>"),
}
HELPERS = """
@triton.jit
def at():
    return 64

@triton.jit
def put(d, place):
    d.store([place, 0], tl.zeros([64, 64], tl.float32))
"""


@pytest.mark.parametrize("where", PLACES)
def test_what_says_where_is_written_is_all_that_a_write_is_given(tmp_path: Path, where: str) -> None:
    body, kind = PLACES[where]
    for place, uniform in (("n", True), ("tl.program_id(0)", False), ("(n + tl.program_id(0) * 64)", False)):
        kernel = f"{HELPERS}\n@triton.jit\ndef kernel(d, n):\n    {body.format(place=place)}\n"
        fact = named(facts_of(tmp_path, kernel, d=kind, n="i32").parameters, "d")
        assert (fact.write.verdict, fact.uniform_write) == ("yes", uniform), place
    at_program = HELPERS.replace("return 64", "return tl.program_id(0) * 64")
    kernel = f"{at_program}\n@triton.jit\ndef kernel(d, n):\n    {body.format(place='at()')}\n"
    assert not named(facts_of(tmp_path, kernel, d=kind, n="i32").parameters, "d").uniform_write
    if "zeros" in body:  # what is written may be another in each program
        value = body.replace("tl.float32)", "tl.float32) + tl.program_id(0)")
        kernel = f"{HELPERS}\n@triton.jit\ndef kernel(d, n):\n    {value.format(place='n')}\n"
        assert named(facts_of(tmp_path, kernel, d=kind, n="i32").parameters, "d").uniform_write


def test_tuples_are_told_apart(tmp_path: Path) -> None:
    text = """
@triton.jit
def kernel(pair, n):
    tl.store(pair[1] + n, tl.load(pair[0] + n))
"""
    got = facts_of(tmp_path, text, pair=("*fp32", "*fp32"), n="i32")
    assert verdicts(got) == {"pair[0]": "r", "pair[1]": "w", "n": ""}
