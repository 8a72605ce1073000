"""Which parameters of a slice's functions are given nothing but what its calls have written down: there no launch has
another text get in. Looks at calls alone, and follows no value."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from kernel_analysis.source.slice import (
    AggregateRef,
    Binding,
    Constant,
    FunctionRef,
    NamedTupleClass,
    Namespace,
    Slice,
    SliceFunction,
    TritonObject,
    contents,
)
from kernel_analysis.source.tree import parameters

_NO_HELPERS = (TritonObject, NamedTupleClass, AggregateRef)


def is_signed(text: str) -> bool:
    """Whether a text has a sign that Triton does not tell from others in the name of a function."""
    return any(sign in text for sign in "_[]")


class HandedTexts:
    """Of one slice; found out when it is asked."""

    def __init__(self, slice_: Slice) -> None:
        self._slice = slice_
        self._others: set[tuple[int, str]] | None = None
        self._any = False
        self._told: str | None = None

    def others(self, index: int, name: str) -> bool:
        """Whether some call may give this parameter of a function what is not written down there."""
        return (index, name) in self._found() or self._any

    def told(self) -> str:
        """What it says, where that matters."""
        if self._told is None:
            functions = self._slice.functions
            nodes = (n.value for function in functions for n in function.nodes if isinstance(n, ast.Constant))
            bound = (part for function in functions for b in function.bindings.values() for part in contents(b))
            signed = any(isinstance(text, str) and is_signed(text) for text in (*nodes, *bound))
            self._told = f"{sorted(self._found())}{self._any}" if signed else ""
        return self._told

    def _found(self) -> set[tuple[int, str]]:
        if self._others is None:
            self._others = set()
            for function in self._slice.functions:
                own = {n.id for n in function.nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
                own.update(argument.arg for argument in parameters.every(function.node.args))
                for node in function.nodes:
                    if isinstance(node, ast.Call):
                        self._others.update(self._given(function, own, node))
        return self._others

    def _given(self, function: SliceFunction, own: set[str], node: ast.Call) -> Iterator[tuple[int, str]]:
        if isinstance(node.func, ast.Name) and node.func.id not in function.bindings and node.func.id not in own:
            self._any = self._any or not hasattr(builtins, node.func.id)
            return
        callee = self._bound(function, own, node.func)
        if not isinstance(callee, FunctionRef):
            self._any = self._any or not isinstance(callee, _NO_HELPERS)
            return
        for index in self._slice.alike(callee.index):
            spec = self._slice.functions[index].node.args
            names = parameters.positional(spec)
            loose = any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords)
            if loose or len(node.args) > len(names):
                yield from ((index, argument.arg) for argument in parameters.every(spec))
            pairs = [*zip(names, node.args, strict=False), *((k.arg or "", k.value) for k in node.keywords)]
            for name, value in pairs:
                if not self._written(function, own, value):
                    yield index, name

    def _bound(self, function: SliceFunction, own: set[str], node: ast.expr) -> Binding | None:
        if isinstance(node, ast.Name):
            return None if node.id in own or node.id in function.varies else function.bindings.get(node.id)
        if isinstance(node, ast.Attribute):
            owner = self._bound(function, own, node.value)
            if isinstance(owner, TritonObject):
                return owner
            return owner.members.get(node.attr) if isinstance(owner, Namespace) else None
        return None

    def _written(self, function: SliceFunction, own: set[str], node: ast.expr) -> bool:
        if isinstance(node, ast.Tuple | ast.List):
            return all(self._written(function, own, item) for item in node.elts)
        return isinstance(node, ast.Constant) or isinstance(self._bound(function, own, node), Constant | FunctionRef)
