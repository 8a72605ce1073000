"""Names, constants, slices and ``tl.load`` are looked up without the ceremony that Triton holds for every node of the
tree: a new place for operations, of which these make none. Operators between blocks are called without looking for who
may take them.

Whatever goes wrong is left to Triton itself, so that no message and no module is another.
"""

# pyright: basic
from __future__ import annotations

import ast
from types import ModuleType

from kernel_analysis.lowering import compat


class LeafGenerator(compat.code_generator.CodeGenerator):
    """Visits the leaves of the tree, and calls operators, the short way."""

    def visit(self, node):
        visitor = _LEAVES.get(type(node))
        # The first expression of an assignment, and of an arm in it, gives the place the name of what is assigned.
        if visitor is None or self.name_loc_as_prefix is not None and isinstance(self.cur_node, ast.stmt | ast.IfExp):
            return super().visit(node)
        return visitor(self, node)

    def _constant(self, node):
        return self.visit_Constant(node)

    def _name(self, node):
        name = node.id
        if type(node.ctx) is ast.Store:
            return name
        # Of plain globals Triton would say that they are none of its business: not here, compat allows them.
        for scope in (self.lscope, self.gscope, self.builtin_namespace):
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
                return self.visit_Attribute(node)
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


_tensor = compat.tl.tensor
_OPERANDS = {_tensor, compat.tl.constexpr}
_LEAVES = (
    {}
    if compat.LOSES_PLACE  # there the leaves are what gives an operation its place
    else {
        ast.Constant: LeafGenerator._constant,
        ast.Name: LeafGenerator._name,
        ast.keyword: LeafGenerator._keyword,
        ast.Slice: LeafGenerator._slice,
        ast.Attribute: LeafGenerator._attribute,
    }
)
