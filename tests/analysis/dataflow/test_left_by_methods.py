"""A method that Python runs and that changes what its object holds, called by any name and in any way: what is asked of
the object afterwards hangs on whether that was done."""

from __future__ import annotations

from pathlib import Path

import pytest
from dataflow_helpers import facts_of, named

_TEXT = """
from triton.language.core import _aggregate as aggregate


@aggregate
class Box:
    seen: tl.constexpr

    @triton.constexpr_function
    def __init__(self):
        self.seen = tl.constexpr([0])

    @triton.constexpr_function
    def {method}(self, i=0):
        self.seen.value.append(i)
        return i

    @triton.constexpr_function
    def count_of(self):
        return len(self.seen.value)


@triton.constexpr_function
def asked(b):
    return {call}


@triton.jit
def helper(b):
    {call}


@triton.jit
def kernel(a_ptr, F: tl.constexpr):
    b = Box()
    if F:
        {way}
    if b.count_of() == 2:
        tl.store(a_ptr, 1.0)
"""
_CALLS = {
    **{name: f"b.{name}(1)" for name in ("get", "index", "copy", "is_there", "added")},
    "__add__": "b + 1",
    "__getitem__": "b[1]",
    "__neg__": "-b",
    "__lt__": "b < 1",
}


@pytest.mark.parametrize("method", _CALLS)
def test_what_a_method_changes_is_not_overlooked(method: str, tmp_path: Path) -> None:
    compiled = 0
    for way in ("asked(b)", "helper(b)", _CALLS[method]):
        text = _TEXT.format(method=method, call=_CALLS[method], way=way)
        try:
            facts = facts_of(tmp_path, text, {"F": 0}, a_ptr="*fp32")
        except AssertionError:
            continue  # Triton does not take it so
        compiled += 1
        assert named(facts.parameters, "a_ptr").write.verdict != "no", text
    assert compiled
