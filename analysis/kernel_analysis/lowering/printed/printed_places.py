"""Positions that Triton prints or holds -> ``At``: which function of the slice, which node of its tree."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from kernel_analysis.ir import NOWHERE, Assigned, At, Decisions, Turns
from kernel_analysis.source.slice import Slice

if TYPE_CHECKING:
    from kernel_analysis.lowering.front.decisions import Decided, Key


class Places:
    """Looks up nodes of a slice by position or identity; tables are made on first use, per function. ``column_base``:
    of the columns that are printed, those of ``ast`` begin at 0."""

    def __init__(self, slice: Slice, column_base: int) -> None:
        self._slice = slice
        self._column_base = column_base
        self._by_position: dict[int, dict[tuple[int, int], int]] = {}
        self._calls: dict[int, dict[tuple[int, int], int]] = {}
        self._ordinals: dict[int, dict[ast.AST, int]] = {}

    def find(self, function: int, line: int, column: int) -> At:
        """The outermost node that starts at a printed position; the function's head where none does."""
        if not 0 <= function < len(self._slice.functions):
            return NOWHERE
        return At(function, self._outermost(function).get((line, column - self._column_base), 0))

    def call(self, function: int, line: int, column: int) -> At:
        """The call that starts there, if any: in ``tl.load(p) + 1`` what loads is not the whole sum."""
        table = self._calls.get(function)
        if table is None:
            if not 0 <= function < len(self._slice.functions):
                return NOWHERE
            nodes = self._slice.functions[function].nodes
            call = ast.Call
            calls = [(node, number) for number, node in enumerate(nodes) if type(node) is call]
            table = self._calls[function] = {(node.lineno, node.col_offset): number for node, number in calls[::-1]}
        ordinal = table.get((line, column - self._column_base))
        return self.find(function, line, column) if ordinal is None else At(function, ordinal)

    def node(self, function: int, node: ast.AST) -> At:
        """The place of a node that Triton holds: it made some itself, with the positions of the user's."""
        if not 0 <= function < len(self._slice.functions):
            return NOWHERE
        ordinal = self._ordinals_of(function).get(node)
        if ordinal is None:
            position = (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
            ordinal = 0 if isinstance(node, ast.FunctionDef) else self._outermost(function).get(position, 0)
        return At(function, ordinal)

    def nodes(self, function: int, nodes: set[ast.AST]) -> set[int]:
        """The ordinals of nodes that Triton holds; of those that it made itself, there is none."""
        found: set[int | None] = set(map(self._ordinals_of(function).get, nodes))
        found.discard(None)
        return found  # pyright: ignore[reportReturnType]

    def decisions(self, function: int, decided: Decided) -> Decisions:
        """What was recorded of nodes, by their ordinals; Triton made none of these itself."""
        ordinals = self._ordinals_of(function)

        def key(found: Key) -> tuple[Turns, int]:
            turns, node = found
            return tuple([(ordinals.get(loop, -1), turn) for loop, turn in turns]), ordinals.get(node, -1)

        return Decisions(
            {key(found): frozenset(outcomes) for found, outcomes in decided.taken.items()},
            {key(found): count for found, count in decided.turns.items()},
            {key(found): tuple(names) for found, names in decided.calls.items()},
        )

    def assigned(self, function: int, recorded: Mapping[tuple[ast.AST, str], Iterable[str]]) -> list[Assigned]:
        """What was recorded of (statement, name): the types that it had."""
        ordinals = self._ordinals_of(function)
        head = At(function, 0)
        out: list[Assigned] = []
        sure = True
        for (node, name), kinds in recorded.items():
            ordinal = ordinals.get(node)
            if ordinal is not None:
                at = At(function, ordinal)
            elif isinstance(node, ast.FunctionDef):
                at = head
            else:
                at, sure = self.node(function, node), False
            out.append(Assigned(name, at, " | ".join(kinds)))
        return out if sure else merged(out)

    def _ordinals_of(self, function: int) -> dict[ast.AST, int]:
        ordinals = self._ordinals.get(function)
        if ordinals is None:
            nodes = self._slice.functions[function].nodes
            ordinals = self._ordinals[function] = dict(zip(nodes, range(len(nodes)), strict=True))
        return ordinals

    def _outermost(self, function: int) -> dict[tuple[int, int], int]:
        table = self._by_position.get(function)
        if table is None:
            nodes = self._slice.functions[function].nodes
            table = self._by_position[function] = {
                (node.lineno, node.col_offset): ordinal  # type: ignore[attr-defined]
                for ordinal, node in zip(range(len(nodes) - 1, -1, -1), reversed(nodes), strict=True)
            }
        return table


def merged(assigned: list[Assigned]) -> list[Assigned]:
    """With all types that one assignment gave a name."""
    types: dict[tuple[At, str], dict[str, None]] = {}
    for made in assigned:
        types.setdefault((made.at, made.name), {})[made.type] = None
    if len(types) == len(assigned):
        return assigned
    return [Assigned(name, at, " | ".join(many)) for (at, name), many in types.items()]
