"""What a starred argument of unknown length gives each parameter, and what it moves: where one constant writes through
a pointer, no other proves that none does."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from dataflow_helpers import facts_of, named

_HEADS = {
    "*ts": ("ts[0]", "ts[-1]", "ts[1]", "ts[len(ts) - 2]"),
    "p, *ts": ("p", "ts[-1]"),
    "p, q=None, *ts": ("q", "ts[0]"),
    "p, q=None, r=None": ("p", "q"),
    "p, *ts, q=None": ("q", "ts[-1]"),
}
_STARRED = ("(a_ptr,) * (1 - F)", "(a_ptr, c_ptr)[F:]", "((a_ptr,) if F else (a_ptr, c_ptr))")
_CALLS = ("t_ptr, *{}", "*{}, t_ptr", "c_ptr, *{}, t_ptr", "t_ptr, *{0}, *{0}", "t_ptr, *{}, q=c_ptr")
_KERNEL = """
@triton.jit
def chosen({head}):
    return {use}


@triton.jit
def kernel(a_ptr, t_ptr, c_ptr, F: tl.constexpr):
    p = chosen({call})
    if p is not None:
        tl.store(p, 1.0)
"""


@pytest.mark.parametrize(("head", "use"), [(head, use) for head, uses in _HEADS.items() for use in uses])
def test_no_constant_proves_what_another_refutes(head: str, use: str, tmp_path: Path) -> None:
    compiled = 0
    for starred, call in product(_STARRED, _CALLS):
        if "q=" in call and "q=" not in head:
            continue
        text = _KERNEL.format(head=head, use=use, call=call.format(f"({starred})"))
        seen: dict[str, set[str]] = {"a_ptr": set(), "t_ptr": set(), "c_ptr": set()}
        for constant in (0, 1):
            try:
                facts = facts_of(tmp_path, text, {"F": constant}, a_ptr="*fp32", t_ptr="*fp32", c_ptr="*fp32")
            except AssertionError:
                continue  # no launch has it
            compiled += 1
            for name, verdicts in seen.items():
                verdicts.add(named(facts.parameters, name).write.verdict)
        for name, verdicts in seen.items():
            assert not {"yes", "no"} <= verdicts, f"{name}: {text}"
    assert compiled > 8
