"""What a loop calls each of what it goes through: ``for module in (config, other):``, ``for k in found[1:]:``,
``for module, name in ((config, "A"), (other, "B")):``.

Syntax only; evaluates nothing.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.made import local_holders
from kernel_analysis.host.changes.uses import Occurrence, occurrences

if TYPE_CHECKING:
    from kernel_analysis.source.module import Module

_DISPLAYS = (ast.Tuple, ast.List, ast.Set)
_LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)


def each(at: Occurrence) -> str | None:
    """The name that a loop, or a comprehension, has for what stands there: for that, in a display that nothing else
    has, or in a row of one; or for each of what it, or a part of it, holds."""
    place, item = _held(at.chain)
    return _name(at.chain[place:], isinstance(at.chain[place], ast.Dict), item)


def each_held(other: Module, at: Occurrence) -> list[str]:
    """The names that loops have for what stands there in a display which one variable of a function has, and loops
    alone go through; none where anything else is done with that."""
    place, item = _held(at.chain)
    bound = at.chain[place + 1] if place + 1 < len(at.chain) else None
    if not isinstance(at.chain[place], (*_DISPLAYS, ast.Dict)) or not isinstance(bound, ast.Assign):
        return []
    target = bound.targets[0] if len(bound.targets) == 1 else None
    function = at.around[-1] if at.around else None
    if not isinstance(target, ast.Name) or not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return []
    if not local_holders.is_own(function, target.id):
        return []
    names: list[str] = []
    for one in occurrences(other, target.id):
        if one.chain[0] is not target and function in one.around:
            if isinstance(at.chain[place], ast.Dict) and item == 0 and _method(one.chain) == "values":
                continue  # which has something else as a key
            same = one.around == at.around and isinstance(one.chain[0], ast.Name)
            name = _name(one.chain, isinstance(at.chain[place], ast.Dict), item) if same else None
            if name is None:
                return []
            names.append(name)
    return names


def _method(chain: tuple[ast.AST, ...]) -> str | None:
    """Which method of what the chain begins with is called there, with nothing."""
    method, call = (*chain[1:3], None, None)[:2]
    plain = isinstance(call, ast.Call) and call.func is method and not call.args
    return method.attr if plain and isinstance(method, ast.Attribute) else None


def _name(chain: tuple[ast.AST, ...], is_dict: bool, item: int | None) -> str | None:
    """What a loop calls that item, or each, of what the chain begins with."""
    place = 0
    if is_dict:
        if _method(chain) == "items":
            place = 2
        elif item == 0:
            item = None  # a loop through a dict has its keys
        else:
            return None
    loop = chain[place + 1] if place + 1 < len(chain) else None
    if not isinstance(loop, _LOOPS) or loop.iter is not chain[place]:
        return None
    target: ast.expr | None = loop.target
    if item is not None:
        items = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
        target = items[item] if item < len(items) and not any(isinstance(i, ast.Starred) for i in items) else None
    return target.id if isinstance(target, ast.Name) else None


def _held(chain: tuple[ast.AST, ...]) -> tuple[int, int | None]:
    """How far up the display stands that holds what is at the beginning, or the part of it that is gone through; and
    which item of its rows that is."""
    place = 0
    while place + 1 < len(chain) and isinstance(chain[place + 1], ast.Subscript):
        place += 1
    if place or len(chain) < 2:
        return place, None
    node, above = chain[0], chain[1]
    if isinstance(above, ast.Dict):
        return 1, 0 if node in above.keys else 1
    if not isinstance(above, _DISPLAYS):
        return 0, None
    row = chain[2] if len(chain) > 2 else None
    if not isinstance(row, _DISPLAYS):
        return 1, None
    before = above.elts[: above.elts.index(node)] if isinstance(node, ast.expr) else []
    return (2, len(before)) if not any(isinstance(e, ast.Starred) for e in before) else (0, None)
