"""The element types that a kernel asks for: what of which parameter, and which of them a ``tl.static_assert`` takes."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Final

from kernel_analysis.signature.body import coverage
from kernel_analysis.signature.evident_values import EvidentValue
from kernel_analysis.signature.notes import Branch
from kernel_analysis.source.dtypes import LANGUAGE
from kernel_analysis.source.slice import Slice, TritonObject

_ASKED: Final = {"dtype", "type", "element_ty", "scalar"}
IS: Final = {
    "is_fp8": "fp8e5", "is_fp8e5": "fp8e5", "is_fp8e4nv": "fp8e4nv", "is_fp16": "fp16", "is_bf16": "bf16",
    "is_fp32": "fp32", "is_fp64": "fp64", "is_floating": "fp32", "is_int": "i32", "is_int8": "i8", "is_int16": "i16",
    "is_int32": "i32", "is_int64": "i64", "is_uint8": "u8",
}  # fmt: skip
"""What is asked of a dtype, and one of which it is true."""


def owner(slice: Slice, branch: Branch, asked: ast.expr) -> str | None:
    """The parameter whose element type is asked for: of the pointer itself, or of what was loaded through it."""
    inner = _written(slice, branch, asked)
    asked = inner
    while isinstance(inner, ast.Attribute) and inner.attr in _ASKED:
        inner = inner.value
    if inner is asked:
        return None
    value = coverage.value(slice, branch, inner)
    loaded = {origin.path for origin in value.origins if origin.depth == 1}
    own = {origin.path for origin in value.origins if origin.depth == 0 and origin.addend}
    found = loaded or own
    return found.pop() if len(found) == 1 else None


def named(slice: Slice, branch: Branch, node: ast.expr) -> list[str]:
    """The dtypes that an expression is, or that are in it."""
    value = coverage.value(slice, branch, node)
    return [dtype for part in value.items or [value] if (dtype := _spelling(part)) is not None]


def demanded(slice: Slice, asserts: Iterable[Branch]) -> dict[str, tuple[list[str], int]]:
    """What each parameter may point to for the asserts to hold, with the line of the first that says so; empty where
    nothing goes with all."""
    found: dict[str, tuple[list[str], int]] = {}
    for branch in asserts:
        for test in _conditions(branch.test):
            said = _taken(slice, branch, test)
            if said is None:
                continue
            path, dtypes = said
            before, line = found.get(path, (dtypes, test.lineno))
            found[path] = [dtype for dtype in before if dtype in dtypes], line
    return found


def _conditions(test: ast.expr) -> list[ast.expr]:
    """Those that a condition joins with ``and``."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [part for value in test.values for part in _conditions(value)]
    return [test]


def _taken(slice: Slice, branch: Branch, test: ast.expr) -> tuple[str, list[str]] | None:
    """The parameter that a condition is about, and the element types for which it holds; None where it is about
    something else, too."""
    test = _written(slice, branch, test)
    sides = _sides(test)
    if sides is not None:
        parts = [_taken(slice, branch, side) for side in sides]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts) or len({path for path, _ in known}) != 1:
            return None
        return known[0][0], list(dict.fromkeys(dtype for _, dtypes in known for dtype in dtypes))
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute) and test.func.attr in IS:
        asked, dtypes = test.func.value, [IS[test.func.attr]]
    elif isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Eq, ast.In)):
        asked, dtypes = test.left, named(slice, branch, test.comparators[0])
    else:
        return None
    path = owner(slice, branch, asked) if dtypes else None
    return None if path is None else (path, dtypes)


def _sides(test: ast.expr) -> list[ast.expr] | None:
    """What a condition joins with ``or``."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return test.values
    if isinstance(test, ast.BinOp) and isinstance(test.op, ast.BitOr):
        return [test.left, test.right]
    return None


def _written(slice: Slice, branch: Branch, node: ast.expr) -> ast.expr:
    """What a local that is assigned once stands for."""
    names: set[str] = set()
    while isinstance(node, ast.Name) and node.id not in names:
        names.add(node.id)
        written = coverage.assigned(slice.functions[branch.function].node).get(node.id)
        if written is None:
            break
        node = written
    return node


def _spelling(value: EvidentValue) -> str | None:
    if isinstance(value.const, TritonObject):
        return LANGUAGE.get(value.const.path.rpartition(".")[2])
    return None
