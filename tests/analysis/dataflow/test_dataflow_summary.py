"""Each function is summed up once, and its summary serves all its callers."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from dataflow_helpers import facts_of, named, verdicts

from kernel_analysis.dataflow.origin import Fields, bits


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
    arguments = [0] * last + [fields.base(0)]
    assert fields.substitute(fields.base(last), arguments) == fields.base(0)
    assert fields.substitute(fields.reason(2), arguments) == fields.reason(2)
    table = fields.loaded(fields.base(last), pointer=True, integer=False)
    assert list(bits(fields.tables(fields.substitute(table, arguments)))) == [0]
    assert list(bits(fields.numbers(fields.substitute(fields.as_number(fields.base(last)), arguments)))) == [0]
    number = fields.loaded(fields.base(last), pointer=False, integer=True)
    assert list(bits(fields.loaded_integers(fields.substitute(number, arguments)))) == [0]
    integer = fields.substitute(fields.integer(last), [0] * last + [fields.integer(0)])
    assert fields.address_of_integer(integer) == (fields.base(0), 0)
    assert fields.loaded(0, pointer=True, integer=True) == 0


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


def test_tuples_are_told_apart(tmp_path: Path) -> None:
    text = """
@triton.jit
def kernel(pair, n):
    tl.store(pair[1] + n, tl.load(pair[0] + n))
"""
    got = facts_of(tmp_path, text, pair=("*fp32", "*fp32"), n="i32")
    assert verdicts(got) == {"pair[0]": "r", "pair[1]": "w", "n": ""}
