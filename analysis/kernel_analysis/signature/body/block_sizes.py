"""What Triton demands of the sizes of blocks, as conditions: more than nothing, and a power of two."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

_RANGE: Final = "arange"
_SHAPED: Final = {"zeros": 0, "full": 0, "reshape": 1, "view": 1, "broadcast_to": 1}
"""Which argument the shape is."""
_EACH: Final = {"reshape", "view", "broadcast_to"}
"""Those that take the sizes one by one, too."""


def demanded(node: ast.Call, name: str, bound: bool) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The sizes in a call of a function of Triton's that are names or computed, each with what must hold of it.
    ``bound``: it is a block's method."""
    if name == _RANGE:
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        given.update(zip(("start", "end"), node.args, strict=False))
        if "start" in given and "end" in given:
            start, end = given["start"], given["end"]
            nothing = isinstance(start, ast.Constant) and start.value == 0
            yield from _fits(end if nothing else ast.BinOp(end, ast.Sub(), start))
    elif name in _SHAPED:
        first = _SHAPED[name] - bound
        shape = node.args[max(first, 0) :]
        if shape and isinstance(shape[0], (ast.Tuple, ast.List)):
            shape = shape[0].elts
        elif first < 0 or name not in _EACH:
            return
        for size in shape:
            yield from _fits(size)


def _fits(size: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(size, (ast.BinOp, ast.Name)):
        less = ast.BinOp(size, ast.Sub(), ast.Constant(1))
        several = ast.Compare(ast.BinOp(size, ast.BitAnd(), less), [ast.Eq()], [ast.Constant(0)])
        some = ast.Compare(size, [ast.GtE()], [ast.Constant(1)])
        made = ast.copy_location(ast.BoolOp(ast.And(), [some, several]), size)
        yield size, ast.fix_missing_locations(made)
