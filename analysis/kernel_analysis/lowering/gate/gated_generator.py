"""Triton's code generator behind the gate: every value that an expression of a kernel's text comes to is looked at
before anything is done with it.

The one place where the gate meets the visitor. Triton's own jit functions pass freely: their text is Triton's.
"""

# pyright: basic
from __future__ import annotations

import ast
from typing import Any

from kernel_analysis.lowering import compat
from kernel_analysis.lowering.gate import enum_members, evaluation, gate
from kernel_analysis.lowering.gate.allowlist import context_managers, kinds
from kernel_analysis.lowering.gate.gate import OutOfReach
from kernel_analysis.lowering.gate.harmless import joined, refuse_huge
from kernel_analysis.lowering.gate.one_object import identical
from kernel_analysis.lowering.gate.stand_ins import refuse_to_compare

_LONGEST = 60  # characters of the text that a message repeats

_constexpr = compat.tl.constexpr
_CONTAINERS = (dict, list, set)


def unwrapped(value: Any) -> Any:
    """What a constant holds."""
    return value.value if isinstance(value, _constexpr) else value


def _plain(value: Any) -> Any:
    """What Python would compute with: a constant's value, a tuple's items."""
    return value.values if isinstance(value, compat.tl.tuple) else unwrapped(value)


class GatedGenerator(compat.code_generator.CodeGenerator):
    """Base of the generator that stands in for Triton's. ``gated``: it compiles a user's text. ``globals``: those of
    the function that have been looked at."""

    gated = True

    def __init__(self, context, prototype, gscope, function_name, jit_fn, **options):
        self.gated = not gate.is_own_function(jit_fn)
        if self.gated:
            self.builtin_namespace = _BUILTINS
        super().__init__(context, prototype, gscope, function_name, jit_fn, **options)
        self.globals = self.gscope if not self.gated else {n: v for n, v in self.gscope.items() if gate.is_known(v)}

    def visit(self, node):
        return self.admitted(node, super().visit(node))

    def admitted(self, node, value):
        """The value of an expression, or our version of it, if it may be had at all."""
        kind = type(value)
        if kind in kinds or kind is _constexpr and type(value.value) in kinds or not self.gated:
            return value
        if not isinstance(node, ast.expr):
            return value  # what a statement, an argument or a name to assign to comes to is Triton's own business
        try:
            return gate.passes(value)
        except OutOfReach as refused:
            self._refuse(node, refused.about(_spelled(node)))

    def _refuse(self, node, why: OutOfReach):
        raise compat.CompilationError(self.jit_fn.src, node, None) from why

    def set_value(self, name, value):
        # A loop, a comprehension or `with` gives a name what no expression has shown.
        if type(value) not in kinds and self.gated:
            value = gate.passes(value)
        super().set_value(name, value)

    _declared = False  # what was last taken of a value: the user's own text names it there

    def get_Attribute(self, lhs, attr):
        self._declared = gate.declares(unwrapped(lhs), attr)
        if self.gated:
            gate.refuse_asking(unwrapped(lhs), attr)
        return super().get_Attribute(lhs, attr)

    def visit_Attribute(self, node):
        value = super().visit_Attribute(node)
        if self.gated and node.attr.startswith("_") and not self._declared:
            owner = getattr(value, "__self__", None)
            operator = node.attr in compat.OPERATORS and isinstance(owner, compat.tl.tensor)
            if not operator and not gate.is_shared(value):
                self._refuse(node, OutOfReach(f"`.{node.attr}` is private, and out of a kernel's reach"))
        if self.gated and type(value) in _CONTAINERS and not self._declared:
            try:
                return gate.of_triton(value)
            except OutOfReach as refused:
                self._refuse(node, refused.about(_spelled(node)))
        return value

    def visit_Compare(self, node):
        by_identity = any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops)
        if not by_identity or not self.gated:
            return super().visit_Compare(node)
        if len(node.ops) > 1:
            self._refuse(node, OutOfReach("`is` in a chain of comparisons is not evaluated"))
        found = [self.visit(node.left), self.visit(node.comparators[0])]
        one, other = map(compat.tl.core._unwrap_if_constexpr, found)
        refuse_to_compare(one, other)
        # Of a list or a tuple that takes a new one.
        anew = any(isinstance(value, list | tuple | compat.tl.tuple) for value in found)
        same = one is other if anew else identical(one, other)
        return _constexpr(same == isinstance(node.ops[0], ast.Is))

    def visit_With(self, node):
        for item in node.items if self.gated else ():
            manager = item.context_expr
            called = self.visit(manager.func) if isinstance(manager, ast.Call) and _is_path(manager.func) else None
            if id(called) not in context_managers:
                said = f"`with {_spelled(manager)}` is none of Triton's, and out of a kernel's reach"
                self._refuse(manager, OutOfReach(said))
        super().visit_With(node)

    def visit_JoinedStr(self, node):
        # Triton writes each part out, whatever its size.
        with enum_members.written_out():
            return joined([super().visit_JoinedStr(node)])

    def _apply_binary_method(self, node, operator, lhs, rhs):
        # Triton computes with constants in Python, and Python has no bounds.
        refuse_huge(getattr(node, "op", node), _plain(lhs), _plain(rhs))
        refuse_to_compare(unwrapped(lhs), unwrapped(rhs))
        return super()._apply_binary_method(node, operator, lhs, rhs)

    def call_Function(self, node, fn, args, kws):
        if self.gated:
            if not gate.may_call(fn):
                self._refuse(node, OutOfReach(f"what is called here {gate.refusal(fn)}"))
            fn = gate.called(fn)
        return super().call_Function(node, fn, args, kws)


def _print(generator: Any, node: ast.Call) -> Any:
    """``tl.static_print`` prints for nobody here."""
    for part in (*node.args, *node.keywords):
        generator.visit(part)
    return _constexpr(None)


def _called(builtin: Any) -> Any:
    def call(generator: Any, node: ast.Call) -> Any:
        named = {name: unwrapped(value) for name, value in (generator.visit(keyword) for keyword in node.keywords)}
        return _constexpr(gate.called(builtin)(*(unwrapped(generator.visit(arg)) for arg in node.args), **named))

    return call


_static: dict[object, Any] = {
    **compat.code_generator.CodeGenerator.statically_implemented_functions,
    **dict.fromkeys(compat.STATIC_PRINTS, _print),
    **{builtin: _called(builtin) for builtin in (int, len)},
}
"""What Triton calls with the call's text, before anything of it is evaluated."""
GatedGenerator.statically_implemented_functions = _static

evaluation.EVALUATING.extend(evaluation.methods(GatedGenerator, compat.code_generator.CodeGenerator))

_BUILTINS = {
    name: found if compat.tl.core.is_builtin(found) else gate.BUILTINS[name]
    for name, found in compat.code_generator.CodeGenerator.builtin_namespace.items()
    if compat.tl.core.is_builtin(found) or name in gate.BUILTINS
}
"""What Triton lets kernels name of Python: its own functions (``min``), and our versions."""


def _is_path(node: ast.expr) -> bool:
    """Whether it is names and attributes alone, which nothing is done for when they are visited."""
    return isinstance(node, ast.Name) or isinstance(node, ast.Attribute) and _is_path(node.value)


def _spelled(node: ast.AST) -> str:
    text = ast.unparse(node).split("\n")[0]
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
