"""How many dimensions an expression has whatever is passed: by the text alone, in a kernel that is launched, which is
passed no blocks. Errs towards not knowing."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Final

from kernel_analysis.attempt.fault.known_blocks import KnownBlocks
from kernel_analysis.source.tree.device_loops import range_of
from kernel_analysis.source.tree.forms import is_none, last_name

_SAME: Final = frozenset({"abs", "exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sigmoid"})
_WIDEST: Final = frozenset({"maximum", "minimum", "where"})
_SCALARS: Final = frozenset({"program_id", "num_programs"})
_SHAPED: Final = frozenset({"zeros", "full"})
_NUMBERS: Final = frozenset({"float", "int", "bool"})
REDUCTIONS: Final = frozenset({"sum", "max", "min", "argmax", "argmin"})
_TO_ONE: Final = frozenset({"sum", "max", "min"})
"""Those that may be asked for no axis: then one number is left."""
_DEEPEST: Final = 60
_NOT_YET: Final = -1
"""Of a name that is made of itself, while it is found out what it has otherwise."""
_Assumed = Mapping[tuple[str, int], int]
_NOTHING: Final[_Assumed] = {}


def rank(
    node: ast.expr, place: ast.AST, known: KnownBlocks, depth: int = 0, assumed: _Assumed = _NOTHING
) -> int | None:
    """The rank of an expression that is computed at a place; None where it may be another. ``assumed``: those of names
    at places, while it is found out whether what is given them anew has the same."""
    if depth > _DEEPEST:
        return None
    if isinstance(node, ast.Constant):
        return 0 if isinstance(node.value, int | float) else None
    if isinstance(node, ast.UnaryOp):
        return rank(node.operand, place, known, depth + 1, assumed)
    if isinstance(node, ast.BinOp):
        return _widest([node.left, node.right], place, known, depth, assumed)
    if isinstance(node, ast.IfExp):
        either = {rank(side, place, known, depth + 1, assumed) for side in (node.body, node.orelse)} - {_NOT_YET}
        return either.pop() if len(either) == 1 else None
    if isinstance(node, ast.Compare):
        return _widest([node.left, *node.comparators], place, known, depth, assumed)
    if isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        added = [part for part in parts if is_none(part)]
        kept = dimensions_kept(node)
        whole = rank(node.value, place, known, depth + 1, assumed) in (kept, _NOT_YET)
        return len(parts) if whole and kept + len(added) == len(parts) else None
    if isinstance(node, ast.Call):
        return _called(node, place, known, depth, assumed)
    return _named(node.id, place, known, depth, assumed) if isinstance(node, ast.Name) else None


def dimensions_kept(node: ast.Subscript) -> int:
    """How many dimensions a subscript takes as they are: ``:``."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return sum(isinstance(part, ast.Slice) and part.lower is part.upper is part.step is None for part in parts)


def _named(name: str, place: ast.AST, known: KnownBlocks, depth: int, assumed: _Assumed) -> int | None:
    """What a name has that is given the same rank wherever it is given something; what is made of itself, as in a
    loop, has that rank if it has it where the name does."""
    key = name, id(place)
    if key in assumed:
        known.supposed.add(key)
        return assumed[key]
    if key in known.ranks:
        return known.ranks[key]
    outer, known.supposed = known.supposed, set()
    found = _of_all(known.given(name, place), key, known, depth, assumed)
    known.supposed.discard(key)
    if not known.supposed:
        known.ranks[key] = found
    known.supposed |= outer
    return found


def _of_all(
    values: list[tuple[ast.expr | None, ast.AST]],
    key: tuple[str, int],
    known: KnownBlocks,
    depth: int,
    assumed: _Assumed,
) -> int | None:
    """The one rank of all that a name is given: that which it has by those that are not made of itself, if it has it
    then by all."""
    found = {_given(value, at, known, depth, {**assumed, key: _NOT_YET}) for value, at in values} - {_NOT_YET}
    supposed = found.pop() if len(found) == 1 else None
    if supposed is None or key not in known.supposed:
        return supposed
    again = {_given(value, at, known, depth, {**assumed, key: supposed}) for value, at in values} - {_NOT_YET}
    return supposed if again == {supposed} else None


def _given(value: ast.expr | None, at: ast.AST, known: KnownBlocks, depth: int, assumed: _Assumed) -> int | None:
    if value is not None:
        return rank(value, at, known, depth + 1, assumed)
    if isinstance(at, ast.arg):
        return 0 if at.annotation is None else None
    loop = next((outer for outer in known.around(at) if isinstance(outer, ast.For)), None)
    counts = loop is not None and loop.target is at and range_of(loop.iter, known.function).rpartition(".")[2]
    return 0 if counts in ("range", "static_range") else None


def _called(node: ast.Call, place: ast.AST, known: KnownBlocks, depth: int, assumed: _Assumed) -> int | None:
    name = known.of_language(node.func)
    if isinstance(node.func, ast.Attribute) and node.func.attr == "to" and not name:
        # Another dtype changes no shape.
        return rank(node.func.value, place, known, depth + 1, assumed)
    if isinstance(node.func, ast.Name) and node.func.id in _NUMBERS:
        builtin = node.func.id not in known.function.bindings and not known.given(node.func.id, node)
        return 0 if builtin else None
    if name in _SCALARS:
        return 0
    if name == "arange":
        return 1
    if name in _SHAPED and node.args and isinstance(node.args[0], ast.Tuple | ast.List):
        return None if any(isinstance(e, ast.Starred) for e in node.args[0].elts) else len(node.args[0].elts)
    if name == "load" and node.args and not isinstance(node.args[0], ast.Starred):
        beside = filter(None, [argument(node, "mask", 1)])
        return _widest([node.args[0], *beside], place, known, depth, assumed)
    if name in _SAME and node.args:
        return rank(node.args[0], place, known, depth + 1, assumed)
    if name in _WIDEST and not any(isinstance(a, ast.Starred) for a in node.args):
        return _widest(node.args, place, known, depth, assumed)
    if name in REDUCTIONS and node.args and not isinstance(node.args[0], ast.Starred):
        if name in _TO_ONE and len(node.args) == 1 and not node.keywords:
            return 0
        if len(node.args) + len(node.keywords) == 2 and type(axis(node)) is int:
            inner = rank(node.args[0], place, known, depth + 1, assumed)
            return inner if inner == _NOT_YET else inner - 1 if inner else None
    return None


def argument(call: ast.Call, name: str, position: int) -> ast.expr | None:
    """What a call passes for a parameter, by position or by name."""
    named = (keyword.value for keyword in call.keywords if keyword.arg == name)
    return next(iter((*call.args[position : position + 1], *named)), None)


def axis(call: ast.Call) -> int | None:
    """The axis that a reduction is asked for, where that is written down."""
    said = argument(call, "axis", 1)
    return said.value if isinstance(said, ast.Constant) and type(said.value) is int else None


def _widest(nodes: list[ast.expr], place: ast.AST, known: KnownBlocks, depth: int, assumed: _Assumed) -> int | None:
    """Of what is computed with together. A constant that is computed with a block or a number is a number."""
    counted = [node for node in nodes if not _is_constexpr(node, place, known)]
    ranks = [rank(node, place, known, depth + 1, assumed) for node in counted]
    return None if None in ranks or not ranks else max(one for one in ranks if one is not None)


def _is_constexpr(node: ast.expr, place: ast.AST, known: KnownBlocks) -> bool:
    """Whether it is a parameter for constants, or made of such."""
    if isinstance(node, ast.BinOp):
        return all(_is_constexpr(side, place, known) for side in (node.left, node.right))
    given = known.given(node.id, place) if isinstance(node, ast.Name) else []
    return bool(given) and all(
        isinstance(at, ast.arg) and at.annotation is not None and last_name(at.annotation) == "constexpr"
        for _, at in given
    )
