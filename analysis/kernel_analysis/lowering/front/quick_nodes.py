"""The tree of a function is visited without the ceremony that Triton holds for every node of it: names, constants,
slices and ``tl.load`` get no new place for operations, of which they make none; places get no names; operators between
blocks are called without looking for who may take them.

Whatever goes wrong is left to Triton itself, so that no message and, but for the names of places, no module is another.
"""

# pyright: basic
from __future__ import annotations

import ast
import contextlib
from types import ModuleType

from kernel_analysis.lowering import compat, door
from kernel_analysis.lowering.gate.gated_generator import GatedGenerator


class LeafGenerator(GatedGenerator):
    """Visits nodes, and calls operators, the short way. ``named``: values get the names that they have in the text,
    which only people read."""

    named = False

    def visit(self, node):
        kind = type(node)
        leaf = _LEAVES.get(kind)
        # The first expression of an assignment, and of an arm in it, gives the place the name of what is assigned.
        if leaf is not None and not (self.named and isinstance(self.cur_node, ast.stmt | ast.IfExp)):
            return leaf(self, node)
        line = getattr(node, "lineno", None)  # some nodes Triton makes itself
        if line is None or self.named or not _SHORT:
            return super().visit(node)
        builder = self.builder
        node_before, place_before = self.cur_node, builder.get_loc()
        self.cur_node = node
        column = self.begin_col + node.col_offset
        builder.set_loc(builder.create_loc(self.file_name, self.begin_line + line, column))
        try:
            made = getattr(self, f"visit_{kind.__name__}", self.generic_visit)(node)
        except compat.CompilationError:
            raise
        except Exception as error:  # noqa: BLE001  as Triton does
            raise compat.CompilationError(self.jit_fn.src, self.cur_node, repr(error)) from None
        if place_before:
            self.cur_node = node_before
            builder.set_loc(place_before)
        kind = type(made)
        return made if kind is _tensor or kind is _none else self.admitted(node, made)

    def _name_loc_prefix(self, prefix):
        return super()._name_loc_prefix(prefix) if self.named else _NOTHING

    def _maybe_set_loc_to_name(self, val, name):
        # The parameters are told by their names.
        if self.named or isinstance(self.cur_node, ast.FunctionDef):
            super()._maybe_set_loc_to_name(val, name)

    def _constant(self, node):
        return self.visit_Constant(node)

    def _name(self, node):
        name = node.id
        if type(node.ctx) is ast.Store:
            return name
        # Of plain globals Triton would say that they are none of its business: not here, compat allows them.
        if name in self.lscope:
            return self.lscope[name]  # it has been looked at
        for scope in (self.globals, self.builtin_namespace):
            if name in scope:
                return scope[name]
        return super().visit(node)

    def _keyword(self, node):
        return self.visit_keyword(node)

    def _slice(self, node):
        return self.visit_Slice(node)

    def _attribute(self, node):
        owner = node.value
        if type(owner) is ast.Name and type(self.lscope.get(owner.id, self.gscope.get(owner.id))) is ModuleType:
            try:
                return self.admitted(node, self.visit_Attribute(node))
            except Exception:  # noqa: BLE001  the long way says the same, and where
                return super().visit(node)
        return super().visit(node)

    def _apply_binary_method(self, node, operator, lhs, rhs):
        block = type(lhs) is _tensor
        # Up to 3.8 the operator is the name of a method, and Triton does the same.
        if type(operator) is tuple and (block or type(rhs) is _tensor) and {type(lhs), type(rhs)} <= _OPERANDS:
            owner, other, name = (lhs, rhs, operator[0]) if block else (rhs, lhs, operator[1])
            try:
                result = getattr(owner, name)(other, _semantic=self.semantic)
            except Exception:  # noqa: BLE001  the long way says the same, and where
                result = None
            if type(result) is _tensor:
                return result
        return super()._apply_binary_method(node, operator, lhs, rhs)


_SHORT = not compat.LOSES_PLACE and door.has(
    *(f"CodeGenerator.{name}" for name in ("visit_Constant", "visit_keyword", "visit_Slice")),
    *(f"CodeGenerator.{name}" for name in ("_name_loc_prefix", "_maybe_set_loc_to_name")),
)
_NOTHING = contextlib.nullcontext()
_tensor = compat.tl.tensor
_none = type(None)
_OPERANDS = {_tensor, compat.tl.constexpr}
_LEAVES = (
    {}
    if not _SHORT  # there the leaves are what gives an operation its place
    else {
        ast.Constant: LeafGenerator._constant,
        ast.Name: LeafGenerator._name,
        ast.keyword: LeafGenerator._keyword,
        ast.Slice: LeafGenerator._slice,
        ast.Attribute: LeafGenerator._attribute,
    }
)
