"""Positions that Triton prints or holds -> ``At``: which function of the slice, which node of its tree."""

from __future__ import annotations

import ast
from collections.abc import Callable

from kernel_analysis.ir import NOWHERE, At
from kernel_analysis.source.slice import Slice


class Places:
    """Looks up nodes of a slice by position or identity; tables are made on first use, per function."""

    def __init__(self, slice: Slice, column_of: Callable[[int], int]) -> None:
        self._slice = slice
        self._column_of = column_of
        self._by_position: dict[int, dict[tuple[int, int], int]] = {}
        self._calls: dict[int, dict[int, int]] = {}
        self._ordinals: dict[int, dict[ast.AST, int]] = {}

    def find(self, function: int, line: int, column: int) -> At:
        """The outermost node that starts at a printed position; the function's head where none does."""
        if not 0 <= function < len(self._slice.functions):
            return NOWHERE
        return At(function, self._table(function).get((line, self._column_of(column)), 0))

    def call(self, at: At) -> At:
        """The call that starts where ``at`` does, if any: in ``tl.load(p) + 1`` what loads is not the whole sum."""
        if at.function < 0:
            return at
        self._table(at.function)
        return At(at.function, self._calls[at.function].get(at.node, at.node))

    def node(self, function: int, node: ast.AST) -> At:
        """The place of a node that Triton holds: it made some itself, with the positions of the user's."""
        if not 0 <= function < len(self._slice.functions):
            return NOWHERE
        ordinals = self._ordinals.get(function)
        if ordinals is None:
            nodes = self._slice.functions[function].nodes
            ordinals = self._ordinals[function] = {candidate: ordinal for ordinal, candidate in enumerate(nodes)}
        ordinal = ordinals.get(node)
        if ordinal is None:
            position = (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
            ordinal = self._table(function).get(position, 0)
        return At(function, ordinal)

    def _table(self, function: int) -> dict[tuple[int, int], int]:
        table = self._by_position.get(function)
        if table is None:
            table = {}
            calls: dict[int, int] = {}
            for ordinal, node in enumerate(self._slice.functions[function].nodes):
                outermost = table.setdefault((node.lineno, node.col_offset), ordinal)  # type: ignore[attr-defined]
                if isinstance(node, ast.Call):
                    calls.setdefault(outermost, ordinal)
            self._by_position[function], self._calls[function] = table, calls
        return table
