"""Statements of host code, and what they bind in functions and modules. Each is followed once, a loop for one turn;
where a condition isn't known, the way is taken that leads on. Other files are read, never imported."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kernel_analysis.launch.follow import operators
from kernel_analysis.launch.follow.expressions import Expressions
from kernel_analysis.launch.follow.fakes import UNKNOWN, Dotted, Tensor
from kernel_analysis.launch.follow.scope import Function, Scope, Steps
from kernel_analysis.launch.follow.stand_ins import stand_in
from kernel_analysis.launch.follow.syntax import binding, contains

if TYPE_CHECKING:
    from kernel_analysis.source.project import Project


class Returned(Exception):
    """The function ends here."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class Reached(Exception):
    """At the launch: in ``scope``."""

    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self.scope = scope


class Statements:
    """``expressions`` evaluates what stands in them."""

    def __init__(self, project: Project, processors: int, steps: Steps) -> None:
        self._project, self._steps = project, steps
        self._modules: dict[str, Scope] = {}
        self.expressions = Expressions(self._name, self._returned, processors, steps)
        self._value = self.expressions.value

    def block(self, body: Sequence[ast.stmt], scope: Scope) -> None:
        """One statement after the other. Raises Returned, Reached (the scope's target) and GaveUp."""
        for statement in body:
            self._statement(statement, scope)

    def module(self, file: str) -> Scope:
        """The names of a file: those that were asked for."""
        if file not in self._modules:
            self._modules[file] = Scope(file)
        return self._modules[file]

    def _returned(self, body: Sequence[ast.stmt], scope: Scope) -> Any:
        try:
            self.block(body, scope)
        except Returned as returned:
            return returned.value
        return None

    # Statements -------------------------------------------------------------------------------------------------------

    def _statement(self, node: ast.stmt, scope: Scope) -> None:
        self._steps.take()
        if isinstance(node, ast.If):
            self._if(node, scope)
        elif isinstance(node, ast.For | ast.AsyncFor):
            values = self._value(node.iter, scope)
            self._bind(node.target, values[0] if isinstance(values, tuple) and values else UNKNOWN, scope)
            self.block(node.body, scope)
        elif isinstance(node, ast.While | ast.With | ast.AsyncWith):
            self.block(node.body, scope)
        elif isinstance(node, ast.Try):
            self.block([*node.body, *node.orelse, *node.finalbody], scope)
        elif isinstance(node, ast.FunctionDef):
            scope.names[node.name] = Function(node, scope)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node, scope)
        else:
            if scope.target is not None and contains(node, scope.target):
                raise Reached(scope)
            self._simple(node, scope)

    def _simple(self, node: ast.stmt, scope: Scope) -> None:
        """One that has no others in it. The effects of a mere call are of no matter."""
        if isinstance(node, ast.Return):
            raise Returned(self._value(node.value, scope) if node.value else None)
        if isinstance(node, ast.Raise):
            raise Returned(UNKNOWN)
        if isinstance(node, ast.Assign):
            value = self._value(node.value, scope)
            for target in node.targets:
                self._bind(target, value, scope)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self._bind(node.target, self._value(node.value, scope), scope)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            made = operators.binary(node.op, self._name(node.target.id, scope), self._value(node.value, scope))
            scope.names[node.target.id] = made

    def _if(self, node: ast.If, scope: Scope) -> None:
        test = self._value(node.test, scope)
        if scope.target is not None:
            for body, other in ((node.body, node.orelse), (node.orelse, node.body)):
                if other and any(contains(statement, scope.target) for statement in body):
                    return self.block(body, scope)
        if test is UNKNOWN or isinstance(test, Tensor):
            ends = isinstance(node.body[-1], ast.Raise | ast.Return)
            test = not ends
        return self.block(node.body if test else node.orelse, scope)

    def _bind(self, target: ast.expr, value: Any, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            scope.names[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            values = value if isinstance(value, tuple) and len(value) == len(target.elts) else ()
            for position, element in enumerate(target.elts):
                self._bind(element, values[position] if values else UNKNOWN, scope)
        elif isinstance(target, ast.Subscript):
            holder, key = self._value(target.value, scope), self._value(target.slice, scope)
            if isinstance(holder, dict) and isinstance(key, str):
                holder[key] = value

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            if isinstance(node, ast.Import):
                scope.names[name] = Dotted(alias.name if alias.asname else name)
                continue
            module = "." * node.level + (node.module or "")
            file = self._project.find_module(module, scope.file)
            found = self._in_module(file, alias.name) if file else UNKNOWN
            scope.names[name] = Dotted(f"{module}.{alias.name}") if found is UNKNOWN else found

    # Names ------------------------------------------------------------------------------------------------------------

    def _in_module(self, file: str, name: str) -> Any:
        scope = self.module(file)
        if name not in scope.names:
            scope.names[name] = UNKNOWN  # while it is looked for
            resolver = self._project.resolver
            module = self._project.load(file)
            found = stand_in(resolver.lookup(resolver.scope(module), name).value, self.module)
            if found is UNKNOWN:
                # What depends on the device, or on a stand-in for something that is made when the code runs.
                self._returned(binding(module.tree.body, name), scope)
                found = scope.names[name]
            scope.names[name] = found
        return scope.names[name]

    def _name(self, name: str, scope: Scope) -> Any:
        here = scope
        while True:
            if here.outer is None:
                return self._in_module(here.file, name)
            if name in here.names:
                return here.names[name]
            here = here.outer
