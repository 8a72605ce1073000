"""What is a block of Triton's, or a number, whatever is passed to the function: at one place, by the text alone."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Final

from kernel_analysis.source.dtypes import LANGUAGE
from kernel_analysis.source.slice import SliceFunction, TritonObject
from kernel_analysis.source.tree.syntax import children, descend

_MAKE_NUMBERS: Final = frozenset({
    "load", "arange", "zeros", "dot", "sum", "abs", "exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sigmoid", "softmax",
    "program_id", "num_programs",
})  # fmt: skip
"""Functions that give blocks of numbers, or one of them, and no pointers."""
MAKE_BLOCKS: Final = _MAKE_NUMBERS | {
    "full", "where", "max", "min", "maximum", "minimum", "expand_dims", "broadcast_to", "reshape", "trans",
}  # fmt: skip
"""Functions that give nothing else, and take nothing that makes them give something else."""
_DEEPEST: Final = 20
_MOST_STEPS: Final = 1000
_STEPS_TO_FIND: Final = 2
_BY_IDENTITY: Final = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
_LOOPS: Final = (ast.For, ast.While)
_Seen = frozenset[tuple[str, int]]


class KnownBlocks:
    """Of one function, for a few questions: of what takes too many steps nothing is known. ``launched``: it is passed
    no blocks."""

    def __init__(self, function: SliceFunction, launched: bool = False) -> None:
        self.function, self.launched = function, launched
        self._left = _MOST_STEPS
        self._known: dict[tuple[str, int], list[tuple[ast.expr | None, ast.AST]]] = {}
        self.ranks: dict[tuple[str, int], int | None] = {}
        """Of names at places, as far as ``known_ranks`` found them out; and which of them what it finds out now rests
        on that are only supposed."""
        self.supposed: set[tuple[str, int]] = set()
        self._parents: dict[int, ast.AST] = {}
        for node in descend(function.node):
            for child in children(node):
                self._parents[id(child)] = node

    def is_block(self, node: ast.expr, place: ast.AST, depth: int = 0, seen: _Seen = frozenset()) -> bool:
        """Whether an expression, computed at a place of the function, gives one, or does not compile. ``seen``: names
        at places, which are one if this is."""
        if depth > _DEEPEST:
            return False
        if isinstance(node, ast.BinOp):
            return any(self.is_block(side, place, depth + 1, seen) for side in (node.left, node.right))
        if isinstance(node, ast.Compare):
            sides = (node.left, *node.comparators)
            decided = any(isinstance(op, _BY_IDENTITY) for op in node.ops)
            return not decided and any(self.is_block(side, place, depth + 1, seen) for side in sides)
        if isinstance(node, ast.UnaryOp):
            return self.is_block(node.operand, place, depth + 1, seen)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of = node.func.value
            if isinstance(of, ast.Name) and not self._is_local(of.id) or self.of_language(node.func):
                return self.of_language(node.func) in MAKE_BLOCKS
            return self.is_block(of, place, depth + 1, seen)
        if not isinstance(node, ast.Name):
            return False
        return self._always(node.id, place, depth, seen, self.is_block)

    def is_number(self, node: ast.expr, place: ast.AST, depth: int = 0, seen: _Seen = frozenset()) -> bool:
        """Whether an expression gives a block or a number, and no pointers, or does not compile."""
        if depth > _DEEPEST:
            return False
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Add | ast.Sub):
                return all(self.is_number(side, place, depth + 1, seen) for side in (node.left, node.right))
            return self.is_block(node, place)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "to" and len(node.args) == 1 and self.of_language(node.args[0]) in LANGUAGE:
                return self.is_block(node.func.value, place)
            return self.of_language(node.func) in _MAKE_NUMBERS
        if not isinstance(node, ast.Name):
            return False
        return self._always(node.id, place, depth, seen, self.is_number)

    def is_float(self, node: ast.expr, place: ast.AST, depth: int = 0, seen: _Seen = frozenset()) -> bool:
        """Whether an expression gives floats, or does not compile."""
        if depth > _DEEPEST:
            return False
        if isinstance(node, ast.Constant):
            return isinstance(node.value, float)
        if isinstance(node, ast.BinOp):
            sides = (node.left, node.right) if isinstance(node.op, ast.Add | ast.Sub | ast.Mult) else ()
            return isinstance(node.op, ast.Div) or any(self.is_float(side, place, depth + 1, seen) for side in sides)
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, ast.USub) and self.is_float(node.operand, place, depth + 1, seen)
        if isinstance(node, ast.Call):
            cast = isinstance(node.func, ast.Attribute) and node.func.attr == "to" and len(node.args) == 1
            return cast and "float" in self.of_language(node.args[0])
        if not isinstance(node, ast.Name):
            return False
        return self._always(node.id, place, depth, seen, self.is_float)

    def _always(
        self, name: str, place: ast.AST, depth: int, seen: _Seen, holds: Callable[[ast.expr, ast.AST, int, _Seen], bool]
    ) -> bool:
        """Whether it holds of all that a name may have been given there."""
        key = name, id(place)
        if key in seen:
            return True
        values = self.given(name, place)
        known = seen | {key}
        return bool(values) and all(value is not None and holds(value, at, depth + 1, known) for value, at in values)

    def of_language(self, node: ast.expr) -> str:
        """The name in a module of Triton's that an expression is the path of, ``load`` of ``tl.load``, ``exp`` of
        ``tl.math.exp``; empty where it is something else."""
        root = node.value if isinstance(node, ast.Attribute) else node
        if isinstance(root, ast.Attribute) and root.attr == "math":
            root = root.value
        if not isinstance(root, ast.Name) or self._is_local(root.id):
            return ""
        bound = self.function.bindings.get(root.id)
        path = bound.path if isinstance(bound, TritonObject) else ""
        if isinstance(node, ast.Attribute):
            return node.attr if path.startswith("triton") else ""
        return path.rpartition(".")[2] if path.startswith("triton.language.") else ""

    def given(self, name: str, place: ast.AST) -> list[tuple[ast.expr | None, ast.AST]]:
        """All that a name of the function may have been given when a place of it is compiled for the first time, each
        with where it was; None: what is not seen, as the items of a loop are."""
        self._left -= 1  # names that are made of names that are made of names: each is asked for again
        if self._left < 0:
            return [(None, place)]
        key = name, id(place)
        if key not in self._known:
            self._left -= _STEPS_TO_FIND - 1
            before, around = self._last(name, place), {id(outer) for outer in self.around(place)}
            all_ = [before] if before is not None else self._all(name)
            self._known[key] = [one for one in all_ if before is not None or id(one[1]) not in around]
        return self._known[key]

    def around(self, place: ast.AST) -> Iterator[ast.AST]:
        """What a place is in, from the innermost, and itself first."""
        outer: ast.AST | None = place
        while outer is not None and outer is not self.function.node:
            yield outer
            outer = self._parents.get(id(outer))

    def _is_local(self, name: str) -> bool:
        return bool(self._all(name))

    def _last(self, name: str, place: ast.AST) -> tuple[ast.expr | None, ast.AST] | None:
        """The one assignment that the name has its value of, where nothing can have come between."""
        for inner in self.around(place):
            outer = self._parents.get(id(inner))
            for field in ("body", "orelse", "finalbody"):
                block: list[ast.AST] | ast.AST = getattr(outer, field, [])
                at = next((i for i, one in enumerate(block) if one is inner), 0) if isinstance(block, list) else 0
                for statement in reversed(block[:at] if isinstance(block, list) else []):
                    if isinstance(statement, ast.Assign) and [ast.dump(t) for t in statement.targets] == [
                        _stored(name)
                    ]:
                        return statement.value, statement
                    if _stores(statement, name):
                        return None
            if isinstance(outer, _LOOPS) and _stores(outer, name):
                return None
        return None

    def _all(self, name: str) -> list[tuple[ast.expr | None, ast.AST]]:
        """All that a name of the function is given. (What is added to a block gives a block.)"""
        found: list[tuple[ast.expr | None, ast.AST]] = [
            (None, a) for a in descend(self.function.node.args) if isinstance(a, ast.arg) and a.arg == name
        ]
        for node in self.function.nodes:
            if not isinstance(node, ast.Name) or node.id != name or isinstance(node.ctx, ast.Load):
                continue
            by = self._parents.get(id(node))
            if isinstance(by, ast.Assign | ast.AnnAssign):
                found.append((by.value, by))
            elif isinstance(by, ast.AugAssign):
                found.append((ast.BinOp(ast.Name(name, ast.Load()), by.op, by.value), by))
            else:
                found.append((None, node))
        return found


def _stored(name: str) -> str:
    return ast.dump(ast.Name(name, ast.Store()))


def _stores(node: ast.AST, name: str) -> bool:
    return any(
        isinstance(inner, ast.Name) and inner.id == name and not isinstance(inner.ctx, ast.Load)
        for inner in descend(node)
    )
