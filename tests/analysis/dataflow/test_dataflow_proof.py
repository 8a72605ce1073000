"""NO where text and compiles agree; UNKNOWN for pointers that reach what no signature compiled, where another could."""

from __future__ import annotations

from pathlib import Path

import pytest
from dataflow_helpers import facts_of, named, verdicts

from kernel_analysis.facts import Facts
from kernel_analysis.host.changes.replaced import language_changed


def test_a_flag_that_varies(tmp_path: Path) -> None:
    text = """
@triton.jit
def kernel(a, b, c, FLAG: tl.constexpr):
    x = tl.load(a)
    if FLAG:
        y = b + 1
        tl.store(y, x)
    tl.store(c, x)
"""
    types = {"a": "*fp32", "b": "*fp32", "c": "*fp32"}
    assert verdicts(facts_of(tmp_path, text, {"FLAG": False}, **types)) == {"a": "r", "b": "?w", "c": "w", "FLAG": ""}
    assert verdicts(facts_of(tmp_path, text, {"FLAG": False}, {"FLAG": True}, **types))["b"] == "w"


def test_a_flag_that_a_call_fixes_is_dead_for_good(tmp_path: Path) -> None:
    text = """
@triton.jit
def put(p, x, WRITE: tl.constexpr):
    if WRITE:
        tl.store(p, x)
    return x

@triton.jit
def kernel(a, b):
    tl.store(b, put(a, tl.load(b), False))
"""
    assert verdicts(facts_of(tmp_path, text, a="*fp32", b="*fp32")) == {"a": "", "b": "rw"}


def test_a_flag_that_is_handed_on(tmp_path: Path) -> None:
    text = """
@triton.jit
def put(p, x, WRITE: tl.constexpr):
    if WRITE:
        tl.store(p, x)

@triton.jit
def kernel(a, b, c, FLAG: tl.constexpr):
    put(a, tl.load(c), WRITE=FLAG)
    tl.store(b, 1.0)
"""
    types = {"a": "*fp32", "b": "*fp32", "c": "*fp32"}
    got = facts_of(tmp_path, text, {"FLAG": False}, **types)
    assert verdicts(got) == {"a": "?w", "b": "w", "c": "r", "FLAG": ""}
    assert "`WRITE`" in got.parameters[0].write.unknowns[0].reason


@pytest.mark.parametrize(
    "branch",
    [
        "for i in tl.static_range(N):\n        tl.store(a + i, 1.0)",
        "x = tl.load(a) if N > 0 else 1.0\n    tl.atomic_xchg(a, x) if N > 0 else x",
        "if N == 0:\n        return\n    tl.store(a, 1.0)",
        "tl.atomic_add(a, 1.0) if N > 0 else 0",
        "if N > 3:\n        pass\n    elif N > 2:\n        tl.store(a, 1.0)",
    ],
)
def test_other_ways_not_to_reach(tmp_path: Path, branch: str) -> None:
    text = f"@triton.jit\ndef kernel(a, b, N: tl.constexpr):\n    tl.store(b, 1.0)\n    {branch}\n"
    got = verdicts(facts_of(tmp_path, text, {"N": 0}, a="*fp32", b="*fp32"))
    assert "?w" in got["a"]
    assert got["b"] == "w"


def test_what_a_loaded_value_or_a_dtype_came_from_does_not_reach(tmp_path: Path) -> None:
    text = """
@triton.jit
def put(p, x):
    tl.store(p, x)

@triton.jit
def kernel(a, b, c, FLAG: tl.constexpr):
    x = tl.load(a)
    if FLAG:
        put(b, x.to(c.dtype.element_ty))
    tl.store(c, x)
"""
    types = {"a": "*fp32", "b": "*fp32", "c": "*fp32"}
    assert verdicts(facts_of(tmp_path, text, {"FLAG": False}, **types)) == {"a": "r", "b": "?w", "c": "w", "FLAG": ""}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if n > 0:\n        return\n    tl.store(a, 1.0)", "w"),
        ("if n > 0:\n        if N == 0:\n            return\n    tl.store(a, 1.0)", "w"),
        ("if n > 0:\n        if N == 0:\n            return\n        tl.store(a, 1.0)", "?w"),
        ("if n > 0:\n        if N == 0:\n            return\n    else:\n        return\n    tl.store(a, 1.0)", "?w"),
        ("if n > 0:\n        tl.store(b, 1.0)\n    else:\n        return\n    tl.store(a, 1.0)", "w"),
        ("if N == 0:\n        return\n    for i in range(n):\n        tl.store(a, 1.0)", "?w"),
    ],
)
def test_returns_at_run_time_and_at_compile_time(tmp_path: Path, body: str, expected: str) -> None:
    text = f"@triton.jit\ndef kernel(a, b, n, N: tl.constexpr):\n    {body}\n"
    assert verdicts(facts_of(tmp_path, text, {"N": 0}, a="*fp32", b="*fp32", n="i32"))["a"] == expected


def test_after_a_return_nothing_is_missed(tmp_path: Path) -> None:
    text = """
@triton.jit
def kernel(a, b):
    tl.store(b, 1.0)
    return
    tl.store(a, 1.0)
"""
    assert verdicts(facts_of(tmp_path, text, a="*fp32", b="*fp32")) == {"a": "", "b": "w"}


def test_none_for_a_pointer(tmp_path: Path) -> None:
    text = """
@triton.jit
def kernel(a, b):
    tl.store(b, 1.0)
    if a is not None:
        tl.store(a, 1.0)
"""
    assert verdicts(facts_of(tmp_path, text, {"a": None}, b="*fp32"))["a"] == "?w"


CHOSEN = {
    "an assignment": "p = b\n    if F:\n        p = a\n    tl.store(p, 1.0)",
    "both branches": "if F:\n        p = a\n    else:\n        p = b\n    tl.store(p, 1.0)",
    "a conditional expression": "p = a if F else b\n    tl.store(p, 1.0)",
    "one in the call": "tl.store(a if F else b, 1.0)",
    "an element": "t = (b, a)\n    tl.store(t[F], 1.0)",
    "a loop": "p = b\n    for i in tl.static_range(F):\n        p = a\n    tl.store(p, 1.0)",
    "a helper's result": "tl.store(pick(a, b, F), 1.0)",
    "a name of Triton's by itself": "if F:\n        store(a, 1.0)\n    tl.store(b, 1.0)",
}


@pytest.mark.parametrize("body", CHOSEN.values(), ids=CHOSEN)
def test_an_address_that_a_flag_chooses(tmp_path: Path, body: str) -> None:
    text = f"""
from triton.language import store

@triton.jit
def pick(x, y, F: tl.constexpr):
    if F:
        return x
    else:
        return y

@triton.jit
def kernel(a, b, c, F: tl.constexpr):
    {body}
    tl.store(c, 1.0)
"""
    types = {"a": "*fp32", "b": "*fp32", "c": "*fp32"}
    one = verdicts(facts_of(tmp_path, text, {"F": 0}, **types))
    assert "?w" in one["a"]
    assert one["b"].endswith("w")
    assert one["c"] == "w"
    both = verdicts(facts_of(tmp_path, text, {"F": 0}, {"F": 1}, **types))
    assert both["a"].endswith("w")
    assert "?w" not in both["a"] + both["b"]


def test_a_loaded_value_that_a_flag_chooses_blames_nobody_for_the_store(tmp_path: Path) -> None:
    text = """
@triton.jit
def kernel(a, b, c, F: tl.constexpr):
    tl.store(c, tl.load(a if F else b))
"""
    types = {"a": "*fp32", "b": "*fp32", "c": "*fp32"}
    assert verdicts(facts_of(tmp_path, text, {"F": 0}, **types)) == {"a": "?r", "b": "r", "c": "w", "F": ""}


def test_a_branch_that_only_another_call_reached(tmp_path: Path) -> None:
    text = """
@triton.jit
def put(p, x, WRITE: tl.constexpr):
    if WRITE:
        tl.store(p, x)

@triton.jit
def twice(p, x, WRITE: tl.constexpr):
    put(p, x, WRITE)

@triton.jit
def kernel(a, b, c, FLAG: tl.constexpr):
    twice(a, 1.0, FLAG)
    twice(b, 1.0, True)
    twice(c, 1.0, False)
"""
    types = {"a": "*fp32", "b": "*fp32", "c": "*fp32"}
    got = facts_of(tmp_path, text, {"FLAG": False}, **types)
    assert verdicts(got) == {"a": "?w", "b": "w", "c": "", "FLAG": ""}
    reason = got.parameters[0].write.unknowns[0]
    assert "`WRITE`" in reason.reason
    assert "`FLAG`" in reason.reason
    assert len(reason.path) == 2
    assert verdicts(facts_of(tmp_path, text, {"FLAG": False}, {"FLAG": True}, **types))["a"] == "w"


def test_what_a_call_passes_for_the_address_alone_is_in_question(tmp_path: Path) -> None:
    text = """
@triton.jit
def put(p, q, other, LAST: tl.constexpr, LATE: tl.constexpr):
    to = p
    if LAST:
        to = q
    if LATE:
        tl.store(to, tl.load(other))

@triton.jit
def kernel(a, b, c, d, e, FIRST: tl.constexpr, LATE: tl.constexpr):
    if FIRST:
        put(a, b, e, False, LATE)
    else:
        put(c, d, e, True, LATE)
"""
    types = dict.fromkeys("abcde", "*fp32")
    got = facts_of(tmp_path, text, {"FIRST": True, "LATE": True}, {"FIRST": False, "LATE": False}, **types)
    assert verdicts(got) == {"a": "w", "b": "", "c": "", "d": "?w", "e": "r", "FIRST": "", "LATE": ""}


def test_through_a_helper_in_between(tmp_path: Path) -> None:
    text = """
@triton.jit
def put(p, q, LATE: tl.constexpr):
    x = tl.load(q)
    if LATE:
        tl.store(p, x)

@triton.jit
def between(one, two, *more):
    put(one, two, *more)

@triton.jit
def kernel(a, b, LATE: tl.constexpr):
    between(a, b, LATE)
    tl.store(b, 1.0)
"""
    got = verdicts(facts_of(tmp_path, text, {"LATE": False}, a="*fp32", b="*fp32"))
    assert got == {"a": "?w", "b": "rw", "LATE": ""}


def test_what_a_helper_makes_of_its_arguments(tmp_path: Path) -> None:
    """Numbers that were loaded are no addresses; a pointer that may come back is one, however often it is handed on."""
    text = """
@triton.jit
def bounds(table, i):
    return tl.load(table + i), tl.load(table + i + 1)

@triton.jit
def either(p, q, LAST: tl.constexpr):
    if LAST:
        p = q
    return p

@triton.jit
def handed(p, q, n, LAST: tl.constexpr):
    return either(p + n, q, LAST) + 1

@triton.jit
def kernel(table, a, b, c, LAST: tl.constexpr, FLAG: tl.constexpr):
    start, end = bounds(table, tl.program_id(0))
    if FLAG:
        to = handed(a, b, start, LAST) + end
    else:
        to = c + end
    tl.store(to, 1.0)
"""
    types = {"table": "*i32", "a": "*fp32", "b": "*fp32", "c": "*fp32"}
    got = verdicts(facts_of(tmp_path, text, {"FLAG": False, "LAST": False}, **types))
    assert got == {"table": "r", "a": "?w", "b": "?w", "c": "w", "LAST": "", "FLAG": ""}


def test_a_helper_that_returns_what_it_returned_itself(tmp_path: Path) -> None:
    text = """
@triton.jit
def ahead(p, N: tl.constexpr):
    if N == 0:
        return p
    else:
        return ahead(p + 1, N - 1)

@triton.jit
def kernel(a, b, FLAG: tl.constexpr):
    to = ahead(a, 3) if FLAG else b
    tl.store(to, 1.0)
"""
    got = verdicts(facts_of(tmp_path, text, {"FLAG": False}, a="*fp32", b="*fp32"))
    assert got == {"a": "?w", "b": "w", "FLAG": ""}


def test_arguments_that_are_left_over(tmp_path: Path) -> None:
    text = """
@triton.jit
def put(x, LATE: tl.constexpr, *more):
    if LATE:
        tl.store(more[0], x)
    if more[1]:
        tl.store(more[2], x)

@triton.jit
def kernel(a, b, c, LATE: tl.constexpr, FLAG: tl.constexpr):
    put(tl.load(b), LATE, a, FLAG, c)
"""
    types = dict.fromkeys("abc", "*fp32")
    got = verdicts(facts_of(tmp_path, text, {"LATE": False, "FLAG": False}, **types))
    # Which of `*more` an address is made of is not looked into.
    assert got == {"a": "?w", "b": "r", "c": "?w", "LATE": "", "FLAG": ""}


def _call_verdicts(facts: Facts) -> dict[int, dict[str, str]]:
    """By the order of the calls of the kernel: what each does through the callee's parameters."""
    calls = sorted((call for call in facts.calls if call.at.function == 0), key=lambda call: call.at.node)
    signs = {"yes": "w", "no": "-", "unknown": "?"}
    return {n: {name: signs[written] for name, _, written in call.parameters} for n, call in enumerate(calls)}


def test_a_call_says_no_only_of_what_no_call_could(tmp_path: Path) -> None:
    text = """
@triton.jit
def put(p, q, x, WRITE: tl.constexpr):
    if WRITE:
        tl.store(p, x)
    return tl.load(q)

@triton.jit
def kernel(a, b, FLAG: tl.constexpr):
    x = put(a, b, 1.0, FLAG)
    put(b, a, x, True)
"""
    facts = facts_of(tmp_path, text, {"FLAG": False}, a="*fp32", b="*fp32")
    calls = _call_verdicts(facts)
    assert calls[0]["p"] == "?"
    assert calls[0]["q"] == "-"
    assert calls[1]["p"] == "w"
    both = facts_of(tmp_path, text, {"FLAG": False}, {"FLAG": True}, a="*fp32", b="*fp32")
    assert len(_call_verdicts(both)) == 2
    assert _call_verdicts(both)[0]["p"] == "w"


def test_a_call_in_an_unrolled_loop_says_what_any_turn_does(tmp_path: Path) -> None:
    text = """
@triton.jit
def put(p, x, WRITE: tl.constexpr):
    if WRITE:
        tl.store(p, x)

@triton.jit
def kernel(a, b):
    for i in tl.static_range(3):
        put(a, 1.0, i == 2)
"""
    facts = facts_of(tmp_path, text, a="*fp32", b="*fp32")
    assert _call_verdicts(facts)[0]["p"] == "w"


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        ("p.type.element_ty", "?w"),  # of a block of addresses: an address
        ("p.type.scalar", "?w"),
        ("p.dtype", "?w"),
        ("p.dtype.element_ty", ""),
        ("tl.load(p).dtype", ""),
        ("tl.load(p).type.element_ty", ""),
    ],
)
def test_types_that_may_be_a_pointers(tmp_path: Path, kind: str, written: str) -> None:
    text = f"""
@triton.jit
def kernel(a, n, W: tl.constexpr):
    p = a + tl.arange(0, 16)
    if W * W == -1:
        tl.store(n.to({kind}), 1.0)
    tl.load(p)
"""
    assert verdicts(facts_of(tmp_path, text, {"W": 1}, a="*fp32", n="i64"))["n"].replace("?r", "") == written


@pytest.mark.parametrize(("kind", "open"), [("tensordesc<fp32[16, 16]>", False), ("*fp32", True)])
def test_the_type_of_a_descriptors_elements_is_no_pointers(tmp_path: Path, kind: str, open: bool) -> None:
    text = """
@triton.jit
def kernel(a, d, n, W: tl.constexpr):
    if W * W == -1:
        tl.store((n + tl.load(a)).to(d.dtype), 1.0)
"""
    facts = facts_of(tmp_path, text, {"W": 1}, a="*fp32", d=kind, n="i64")
    assert ("?w" in verdicts(facts)["n"]) is open
    assert (named(facts.parameters, "a").table_write.verdict == "unknown") is open


COPIES = """
@triton.jit
def mine(x, values):
    return x

{sets}

@triton.jit
def kernel(a, b):
    x = tl.load(tl.max_contiguous(a + tl.arange(0, 16), 16))
    tl.store(b + tl.arange(0, 16), x)
"""
POINTERS = {"a": "*fp32", "b": "*fp32"}


def test_a_name_of_the_language_that_a_file_sets_may_be_any_function(tmp_path: Path) -> None:
    assert verdicts(facts_of(tmp_path, COPIES.format(sets=""), **POINTERS)) == {"a": "r", "b": "w"}
    facts = facts_of(tmp_path, COPIES.format(sets="tl.max_contiguous = mine"), **POINTERS)
    assert named(facts.parameters, "a").write.verdict == "unknown"


def test_where_triton_itself_is_changed_nothing_is_proven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language_changed, "anywhere", lambda *_: "Triton itself is changed by `a.py` on line 1")
    facts = facts_of(tmp_path, COPIES.format(sets=""), **POINTERS)
    (unknown,) = named(facts.parameters, "a").write.unknowns
    assert unknown.reason == "Triton itself is changed by `a.py` on line 1"
    assert named(facts.parameters, "b").read.verdict == "unknown"
