"""What a host function is connected with in its file: the calls of it, what it calls, and the ``forward`` that saved
what its ``backward`` takes.

Reads syntax only.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.values import (
    ConstexprFunction,
    External,
    Items,
    Jit,
    Record,
    RecordClass,
    Scope,
    UserClass,
    Value,
    plain,
)
from kernel_analysis.host.names import guards
from kernel_analysis.host.names.naming import Bound, meaning
from kernel_analysis.record import record
from kernel_analysis.signature.launches.argument import NOT_KNOWN, Argument, literal
from kernel_analysis.signature.launches.host import Host
from kernel_analysis.signature.launches.passing import Entry
from kernel_analysis.signature.values import DTYPES, UNKNOWN
from kernel_analysis.source import nodes, scopes
from kernel_analysis.source.dtypes import TRITON
from kernel_analysis.source.slice import TorchDtype, TritonObject
from kernel_analysis.source.syntax import descend, kept_with_trees

if TYPE_CHECKING:
    from kernel_analysis.kernels.project import Project

_MOST_CALLS = 4
_MOST_LEVELS = 2


def host(project: Project, file: str, scope: tuple[scopes.FunctionNode, ...], line: int) -> Host:
    """What expressions at a line of a file give."""
    return Host(scope, project.load(file).table_at(line), line, file=Surroundings(project, file, _MOST_LEVELS))


@record
class Surroundings:
    """Of the functions in a file. ``levels``: of calls to follow, up or down."""

    project: Project
    file: str
    levels: int

    def library(self, function: ast.expr, inside: tuple[scopes.FunctionNode, ...]) -> str | None:
        """The path of what a dotted name means in a library, to code inside these functions; None where it means the
        user's, or nothing that is known."""
        scope = self.project.resolver.scope(self.project.load(self.file), inside)
        found = meaning(self.project.resolver, scope, function)
        return found.path if isinstance(found, (External, TritonObject)) else None

    def callee(self, function: ast.expr) -> tuple[Surroundings, scopes.FunctionNode] | None:
        """The function of the user's that a dotted name means, in whatever file, and what is around it."""
        found = meaning(self.project.resolver, self._module_scope(), function)
        if not isinstance(found, Bound) or not isinstance(found.scope.node, ast.Module):
            return None
        node = found.event.node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or node.decorator_list:
            return None
        file = found.scope.module.file
        return self if file == self.file else Surroundings(self.project, file, self.levels), node

    def value(self, node: ast.expr) -> Argument | None:
        """What an expression of the module's own names comes to, as far as that is known; where it may be another, as
        what is likely."""
        resolver = self.project.resolver
        with resolver.aside(notes := set()):
            found = plain(resolver.evaluator.evaluate(node, self._module_scope()))
        return None if (made := _argument(found)) is None else _likely(made) if notes else made

    def imported(self, name: ast.Name) -> Argument | None:
        """What a name comes to that the file has of another; as what is likely: that file may be made for another
        target than the kernel is compiled for."""
        events = self.project.load(self.file).table.events.get(name.id, ())
        if not events or any(event.how != "from" for event in events):
            return None
        found = self.value(name)
        return None if found is None or found.kind == "none" else _likely(found)

    def named_tuple(self, host: Host, node: ast.Call) -> Argument | None:
        """What a call of a named tuple's class makes; None where it is none."""
        resolver = self.project.resolver
        with resolver.aside(set()):
            cls = resolver.evaluator.evaluate(node.func, self._module_scope())
        if not isinstance(cls, RecordClass) or any(isinstance(a, ast.Starred) for a in node.args):
            return None
        defaults = {name: _argument(plain(value)) for name, value in zip(cls.fields[::-1], cls.defaults[::-1])}  # noqa: B905
        given = dict(zip(cls.fields, node.args)) | {k.arg: k.value for k in node.keywords if k.arg}  # noqa: B905
        items = [host.argument(given[f]) if f in given else defaults.get(f) or NOT_KNOWN for f in cls.fields]
        return Argument("tuple", items=tuple(items), names=cls.fields)

    def _module_scope(self) -> Scope:
        return self.project.resolver.scope(self.project.load(self.file))

    def callers(self, host: Host, function: scopes.FunctionNode) -> list[Entry]:
        """The calls of a function by its name."""
        module = self.project.load(self.file)
        if not self.levels or not _is_in(module.table_at(function.lineno), function):
            return []
        calls = [(call, nodes.functions_of(around)) for call, around in nodes.calls_of(module, function.name)]
        others = [(call, scope) for call, scope in calls if function not in scope][:_MOST_CALLS]
        return [(self._at(host, scope, call.lineno), call, function) for call, scope in others]

    def results(self, host: Host, function: scopes.FunctionNode, call: ast.Call) -> list[tuple[Host, ast.expr]]:
        """What a function returns when it is called by ``call``, each where it is returned."""
        if not self.levels:
            return []
        found: list[tuple[Host, ast.expr]] = []
        for node in _own(function.body):
            if isinstance(node, ast.Return) and node.value is not None:
                inside = self._at(host, (function,), node.lineno)
                inside.entry = (host, call, function)
                found.append((inside, node.value))
        return found

    def saved(self, host: Host, function: scopes.FunctionNode) -> tuple[Host, list[ast.expr]] | None:
        """What ``ctx.saved_tensors`` has in a function: the arguments of ``ctx.save_for_backward`` in its class, and
        where they are; None where there is not one call of it."""
        if not self.levels:
            return None
        module = self.project.load(self.file)
        group = next(
            (n for n, _ in nodes.statements(module) if isinstance(n, ast.ClassDef) and function in n.body), None
        )
        found: list[tuple[Host, list[ast.expr]]] = []
        for method in group.body if group is not None else ():
            if isinstance(method, ast.FunctionDef) and method is not function:
                found += [(self._at(host, (method,), call.lineno), call.args) for call in _saving(method)]
        return found[0] if len(found) == 1 else None

    def happening(
        self, host: Host, events: list[scopes.Event], function: scopes.FunctionNode | None
    ) -> list[scopes.Event]:
        """The bindings that the target and the installed packages do not rule out."""
        module, resolver = self.project.load(self.file), self.project.resolver
        scope = resolver.scope(module)
        for outer in host.scope if function is not None else ():
            scope = resolver.inner(scope, outer)
            if outer is function:
                break
        return [event for event in events if guards.happens(resolver, scope, event)[0] is not False]

    def function(self, host: Host, node: ast.Name | ast.Attribute | ast.Call) -> Argument:
        """The function or aggregate that a dotted name stands for: Triton's, ``tl.maximum``, or the user's; or the one
        that a call of such a name picks."""
        base: ast.expr = node.func if isinstance(node, ast.Call) else node
        while isinstance(base, ast.Attribute):
            base = base.value
        if not isinstance(base, ast.Name) or host.binding(base.id)[1] is not None:
            return NOT_KNOWN
        resolver = self.project.resolver
        value = resolver.evaluator.evaluate(node, resolver.scope(self.project.load(self.file)))
        callable_ = isinstance(value, TritonObject) and value.path.startswith("triton.language.")
        own = isinstance(value, (Jit, ConstexprFunction)) or isinstance(value, UserClass) and value.aggregate
        return Argument("function", value) if callable_ or own else NOT_KNOWN

    def _at(self, host: Host, scope: tuple[scopes.FunctionNode, ...], line: int) -> Host:
        table = self.project.load(self.file).table_at(line)
        return Host(scope, table, line, file=Surroundings(self.project, self.file, self.levels - 1), budget=host.budget)


def _argument(value: Value) -> Argument | None:
    """A value of the host as what a launch passes; None for what no launch does."""
    if isinstance(value, (bool, int, float, str)) or value is None:
        return literal(value)
    if isinstance(value, TorchDtype):
        return Argument("dtype", value, TRITON.get(value.name))
    if isinstance(value, TritonObject) and value.path.startswith("triton.language."):
        dtype = DTYPES.get(value.path.rpartition(".")[2])
        return None if dtype is None else Argument("dtype", value, dtype)
    if isinstance(value, Items) and value.kind in ("tuple", "list"):
        return Argument("tuple", items=tuple(_argument(plain(item)) or NOT_KNOWN for item in value.values))
    if isinstance(value, Record):
        items = tuple(_argument(plain(item)) or NOT_KNOWN for item in value.values)
        return Argument("tuple", items=items, names=value.cls.fields)
    return None


def _likely(found: Argument) -> Argument:
    if found.items is not None:
        return replace(found, items=tuple(map(_likely, found.items)))
    return found if found.value is UNKNOWN else replace(found, value=UNKNOWN, likely=found.value)


@kept_with_trees(512)
def _saving(method: ast.FunctionDef) -> list[ast.Call]:
    """The calls of ``save_for_backward`` in a method."""
    calls = [node for node in descend(method) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    return [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "save_for_backward"]


def _is_in(table: scopes.Table, function: scopes.FunctionNode) -> bool:
    return any(event.node is function for event in table.events.get(function.name, ()))


def _own(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a function, not those of functions in it."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        yield node
        for name in ("body", "orelse", "finalbody"):
            yield from _own(getattr(node, name, None) or [])
