"""What the parameters of a constexpr function stand for: what Python binds, or the TypeError that it raises."""

from __future__ import annotations

import ast
import inspect
from itertools import product
from typing import Any

import pytest

from kernel_analysis.lowering.front.call_binding import bound

_HEADS = (
    *("", "a", "a, b", "a, b=7", "a, /", "a, /, b", "a, /, b=7", "*args", "a, *args", "a, *, b", "a, *, b=7"),
    *("**more", "a, **more", "a, /, **more", "a, /, b=7, **more", "*args, b, **more", "a, *args, b=7, **more"),
)
_POSITIONAL = ((), (1,), (1, 2), (1, 2, 3))
_NAMED = ({}, {"a": 4}, {"b": 5}, {"a": 4, "b": 5}, {"c": 6}, {"b": 5, "c": 6}, {"args": 8}, {"more": 9})


@pytest.mark.parametrize("head", _HEADS)
def test_a_call_binds_what_python_binds(head: str) -> None:
    text = f"def f({head}):\n    return dict(locals())\n"
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef)
    names: dict[str, Any] = {}
    exec(text, names)
    parameters = inspect.signature(names["f"]).parameters.values()
    defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
    raised = 0
    for args, given in product(_POSITIONAL, _NAMED):
        try:
            expected = names["f"](*args, **given)
        except TypeError:
            raised += 1
            with pytest.raises(TypeError):
                bound(node, defaults, args, dict(given))
        else:
            assert bound(node, defaults, args, dict(given)) == expected, (args, given)
    assert raised
