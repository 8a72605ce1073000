"""Which constants of a kernel are extents of blocks and nothing else: by the text alone. What holds under some extents
holds under others, too; a number that the compiler computes with may decide anything. Errs towards not knowing."""

from __future__ import annotations

import ast
from typing import Final

from kernel_analysis.attempt.fault.known_blocks import KnownBlocks
from kernel_analysis.attempt.fault.known_ranks import argument
from kernel_analysis.signature.signature_model import Signature
from kernel_analysis.source.slice import FunctionRef, Slice
from kernel_analysis.source.tree import parameters
from kernel_analysis.source.tree.forms import spreads

_SHAPED: Final = frozenset({
    "arange", "zeros", "full", "reshape", "view", "broadcast_to", "make_block_ptr", "make_tensor_descriptor",
})  # fmt: skip
"""Functions that make blocks of what they are given as extents."""
_BESIDE: Final = frozenset({"range", "cdiv", "minimum", "maximum", "where", "multiple_of", "max_contiguous"})
"""Functions that compute at run time where one operand is known only then."""
_ASKED: Final = frozenset({"static_assert", "device_assert", "static_print", "device_print", "assume"})
"""Functions out of which nothing comes."""
_EXTENT: Final[list[tuple[int, str]]] = []
"""What a use as an extent passes on."""
_MOST: Final = 16
"""Functions that are looked at."""


class KnownExtents:
    """Of one slice, under a signature: what is no constant there is known at run time only."""

    def __init__(self, slice_: Slice, signature: Signature) -> None:
        self._slice, self._types = slice_, signature.types
        self._known: dict[int, KnownBlocks] = {}

    def only(self, name: str) -> bool:
        """Whether the parameter of the slice's own function is an extent, and nothing else is made of it at compile
        time. What is an extent nowhere may be a flag as well: beside a block that is another type."""
        seen, todo, is_extent = set[tuple[int, str]](), [(0, name)], False
        while todo:
            place = todo.pop()
            if place in seen:
                continue
            seen.add(place)
            index, own = place
            function = self._slice.functions[index]
            if len(seen) > _MOST or index in self._slice.methods():
                return False
            for node in function.nodes:
                if not isinstance(node, ast.Name) or node.id != own:
                    continue
                passed = self._use(index, node)
                if passed is None:
                    return False
                is_extent |= passed is _EXTENT
                todo += passed
        return is_extent

    def _use(self, index: int, name: ast.Name) -> list[tuple[int, str]] | None:
        """The parameters of helpers that a use passes it for; None where something may be computed of it."""
        if not isinstance(name.ctx, ast.Load):
            return None
        known = self._blocks(index)
        node: ast.expr = name
        for outer in list(known.around(name))[1:]:
            if isinstance(outer, ast.BinOp | ast.Compare):
                sides = (outer.left, outer.right) if isinstance(outer, ast.BinOp) else (outer.left, *outer.comparators)
                if any(self._at_run_time(index, side) for side in sides if side is not node):
                    return []
                if self._is_asked(index, name):
                    return []
                return None
            if isinstance(outer, ast.Call):
                return self._passed(index, outer, node, node is name)
            if not isinstance(outer, ast.keyword | ast.Tuple | ast.List):
                return [] if self._is_asked(index, name) else None
            node = outer if isinstance(outer, ast.expr) else node
        return None

    def _passed(self, index: int, call: ast.Call, node: ast.expr, bare: bool) -> list[tuple[int, str]] | None:
        known, function = self._blocks(index), self._slice.functions[index]
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        if node not in given or spreads(call):
            return None
        language = known.of_language(call.func)
        if isinstance(call.func, ast.Name) and call.func.id == "range" and "range" not in function.bindings:
            language = "range"
        if language in _SHAPED and not (language == "full" and node is argument(call, "value", 1)):
            return _EXTENT
        if language in _SHAPED or self._is_asked(index, node):
            return []
        if language in _BESIDE:
            return [] if any(self._at_run_time(index, one) for one in given if one is not node) else None
        callee = function.bindings.get(call.func.id) if isinstance(call.func, ast.Name) else None
        if not bare or not isinstance(callee, FunctionRef):
            return None
        args = self._slice.functions[callee.index].node.args
        if args.vararg or args.kwarg:
            return None
        named = [*zip(parameters.positional(args), call.args, strict=False)]
        named += [(keyword.arg or "", keyword.value) for keyword in call.keywords]
        return [(callee.index, parameter) for parameter, value in named if value is node]

    def _is_asked(self, index: int, node: ast.AST) -> bool:
        """Whether it only goes into what asks or shows it."""
        known = self._blocks(index)
        calls = (outer for outer in known.around(node) if isinstance(outer, ast.Call))
        return any(known.of_language(call.func) in _ASKED for call in calls)

    def _at_run_time(self, index: int, node: ast.expr, depth: int = 0) -> bool:
        """Whether an expression has no value before the kernel runs."""
        if isinstance(node, ast.Name) and index == 0 and isinstance(type := self._types.get(node.id), str):
            return type != "constexpr"
        if isinstance(node, ast.BinOp) and depth < 8:
            return any(self._at_run_time(index, side, depth + 1) for side in (node.left, node.right))
        if isinstance(node, ast.Call) and self._blocks(index).of_language(node.func) == "cdiv" and depth < 8:
            return any(self._at_run_time(index, one, depth + 1) for one in node.args)
        return self._blocks(index).is_block(node, node)

    def _blocks(self, index: int) -> KnownBlocks:
        if index not in self._known:
            self._known[index] = KnownBlocks(self._slice.functions[index], launched=index == 0)
        return self._known[index]
