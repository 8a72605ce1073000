"""What Triton demands of the sizes of blocks, as conditions: more than nothing, and a power of two."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, Final

_RANGE: Final = "arange"
_SHAPED: Final = {"zeros": 0, "full": 0, "reshape": 1, "view": 1, "broadcast_to": 1}
"""Which argument the shape is."""
_EACH: Final = {"reshape", "view", "broadcast_to"}
"""Those that take the sizes one by one, too."""


def demanded(node: ast.Call, name: str, bound: bool) -> Iterator[ast.expr]:
    """The sizes in a call of a function of Triton's that are names or computed. ``bound``: it is a block's method."""
    if name == _RANGE:
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        given.update(zip(("start", "end"), node.args, strict=False))
        if "start" in given and "end" in given:
            start, end = given["start"], given["end"]
            nothing = isinstance(start, ast.Constant) and start.value == 0
            yield from _open([end if nothing else ast.copy_location(ast.BinOp(end, ast.Sub(), start), end)])
    elif name in _SHAPED:
        first = _SHAPED[name] - bound
        shape = node.args[max(first, 0) :]
        if shape and isinstance(shape[0], (ast.Tuple, ast.List)):
            shape = shape[0].elts
        elif first < 0 or name not in _EACH:
            return
        yield from _open(shape)


def _open(sizes: list[ast.expr]) -> Iterator[ast.expr]:
    return (size for size in sizes if isinstance(size, (ast.BinOp, ast.Name)))


def fits(size: ast.expr) -> ast.expr:
    """The test that a size holds."""
    at: Any = {"lineno": size.lineno, "col_offset": size.col_offset}
    at |= {"end_lineno": size.end_lineno, "end_col_offset": size.end_col_offset}
    less = ast.BinOp(size, ast.Sub(), ast.Constant(1, **at), **at)
    both = ast.BinOp(size, ast.BitAnd(), less, **at)
    several = ast.Compare(both, [ast.Eq()], [ast.Constant(0, **at)], **at)
    some = ast.Compare(size, [ast.GtE()], [ast.Constant(1, **at)], **at)
    return ast.BoolOp(ast.And(), [some, several], **at)
