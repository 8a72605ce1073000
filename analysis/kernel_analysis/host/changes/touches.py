"""Whether what a name stands for may have been changed by the time that it is asked for: the statements that build it
are followed, anything else that may change it is a reason why it may be another.

Evaluates no user code; never makes a value unknown, only uncertain.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, TypeAlias

from kernel_analysis.host.changes import callees
from kernel_analysis.host.changes.computed.computed_names import ComputedNames
from kernel_analysis.host.changes.containers import object_uses, of_functions, turns
from kernel_analysis.host.changes.containers.building import built
from kernel_analysis.host.changes.found_out import FoundOut
from kernel_analysis.host.changes.functions import function_parts, made_of_function
from kernel_analysis.host.changes.module_names import by_path, main_module, modules, other_files, reflection
from kernel_analysis.host.changes.module_names.handed_modules import Handed
from kernel_analysis.host.changes.objects import classes, constexpr_values
from kernel_analysis.host.changes.replaced import libraries
from kernel_analysis.host.changes.text import rewritten
from kernel_analysis.host.changes.uses import Occurrence, Use, holds_changeable, occurrences, told, use
from kernel_analysis.host.evaluate.properties import changeable
from kernel_analysis.host.evaluate.values import (
    Definition,
    External,
    RecordClass,
    Scope,
    TritonObject,
    Unknown,
    UserClass,
    UserFunction,
    Value,
    Wrapped,
)
from kernel_analysis.host.names.imports.packages import is_triton_module

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import Builder, ResolverView
    from kernel_analysis.source.kernel import JitFunction
    from kernel_analysis.source.module import Module

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"
_AMONG_OTHERS = "may be changed"


class Touches:
    """Notes with the resolver why a value may be another."""

    def __init__(self, resolver: ResolverView) -> None:
        self.resolver = resolver
        self._asked: set[tuple[int, str]] = set()
        self._known: dict[object, tuple[Definition, Value, frozenset[str], frozenset[str]]] = {}
        self._uses: dict[tuple[Scope, str], tuple[list[tuple[float, bool, Use]], frozenset[str]]] = {}
        self._stores: dict[tuple[Scope, str, int], tuple[Value, list[tuple[float, bool, str]], frozenset[str]]] = {}
        # What all files of the workspace do to something: of these there are far more than there can be trees of, and
        # what was found out outlives them.
        self._parts = FoundOut(resolver)
        self._unbound: dict[tuple[str | Scope, str], tuple[frozenset[str], frozenset[str]]] = {}
        self._replaced: dict[tuple[str | Scope, str], tuple[bool, frozenset[str]]] = {}
        self._others: dict[object, tuple[str | None, frozenset[str], frozenset[str]]] = {}
        self.changed_as: dict[str, tuple[bool, frozenset[str]]] = {}
        """Whether some file changes, or hands on, what something has as an attribute of that name."""
        self.by_dict: dict[tuple[str, str, str | None, bool], int | None] = {}
        """The line of a file that sets a name in some module's dict; a name that the file does not have is any."""
        self.handed = Handed(resolver)
        self.computed_names = ComputedNames(resolver)
        self._as_of = self._changes = -1

    def let_go(self) -> None:
        """Hold no trees."""
        for known in (self._known, self._uses, self._stores):
            known.clear()
        for known in (self._unbound, self._replaced):
            for key in [key for key in known if isinstance(key[0], Scope)]:
                del known[key]

    def applied(
        self, scope: Scope, name: str, found: Definition, before: int | None, by: Builder | None = None
    ) -> Definition:
        """What the name stands for ``before`` that statement of its scope; None: at any time. ``by``: who builds it."""
        contents = changeable(found.value)
        if isinstance(found.value, TritonObject) and is_triton_module(self.resolver, found.value.path):
            return found  # what takes the place of Triton's own modules has nothing that a kernel could use
        if not contents and self.resolver.value_alone:
            return found
        lasts = not contents and not isinstance(scope.node, ast.Module)
        if lasts or isinstance(found.value, Unknown) and found.value.missing:
            return found
        self._renew()
        alone = self.resolver.value_alone
        key = (scope, name, before, alone)
        known = self._known.get(key)
        if known is None or known[0] is not found:
            if (id(scope), name) in self._asked:
                self.resolver.circles.add((id(scope), name))
                if contents:
                    self.resolver.note(f"`{name}` is asked for while it is found out what changes it")
                return found
            noting = nullcontext(set[str]()) if alone else self.resolver.noting()
            with self.resolver.reading() as files, noting as notes:
                value = self._applied(scope, name, found, before, by)
            known = self._known[key] = (found, value, frozenset(files), frozenset(notes))
        else:
            self.resolver.read(known[2])
            self.resolver.note(*known[3])
        if not known[3] and not alone:
            return found if known[1] is found.value else replace(found, value=known[1])
        return replace(found, value=known[1], others=None)

    @property
    def supposed(self) -> int:
        """How often what is found out of all files was asked for while it was, and taken to have no reason."""
        return self._parts.supposed

    def _renew(self) -> None:
        project = self.resolver.project
        if self._as_of != project.epoch:
            self.let_go()
            self._as_of = project.epoch
        if self._changes != project.host_changes:
            for known in (self._parts, self._unbound, self._replaced, self._others, self.changed_as, self.by_dict):
                known.clear()
            self._changes = project.host_changes

    def _applied(self, scope: Scope, name: str, found: Definition, before: int | None, by: Builder | None) -> Value:
        contents = changeable(found.value)
        self._asked.add((id(scope), name))
        try:
            if isinstance(scope.node, ast.Module) and not self.resolver.value_alone:
                self._set_elsewhere(scope, name, found.value, before)
                if isinstance(found.value, Wrapped) and f"{name}.value" in scope.module.usual:
                    self._wrapped_set(scope, name)
            return self._changed(scope, name, found, before, by) if contents else found.value
        finally:
            self._asked.discard((id(scope), name))
            self.resolver.circles.discard((id(scope), name))

    def _set_elsewhere(self, scope: Scope, name: str, value: Value, before: int | None) -> None:
        """Notes what sets a global without its name: ``globals()``, and the stores of other files."""
        key = (scope, name, id(value))
        if key not in self._stores:
            with self.resolver.reading() as files:
                stores = reflection.stores(self, scope, name, changeable(value))
                if reason := self.by_others(scope, name, value):
                    stores.append((-1, False, reason))
            self._stores[key] = value, stores, frozenset(files)
        _, stores, files = self._stores[key]
        self.resolver.read(files)
        for order, deferred, reason in stores:
            if before is None or order < before or deferred and order <= before:
                self.resolver.note(reason)

    def by_others(self, scope: Scope, name: str, value: Value) -> str | None:
        """Why others make it another, asking no more of a value than what the key has of it."""
        kind = type(value), changeable(value), holds_changeable(value), object_uses.shape(value)
        key = (scope.module.file, name, kind, value.path if isinstance(value, External) else None)
        known = self._others.get(key) if scope.node is scope.module.tree else None
        if known is None:
            with self.resolver.reading() as files, self.resolver.noting() as notes:
                reason = self._set_by_others(scope, name, value) or modules.instead(self.resolver, scope, name, value)
            known = reason, frozenset(files), frozenset(notes)
            if scope.node is scope.module.tree:
                self._others[key] = known
        else:
            self.resolver.read(known[1])
            self.resolver.note(*known[2])
        return known[0]

    def _set_by_others(self, scope: Scope, name: str, value: Value) -> str | None:
        """Why it may be another where the file itself has it, whatever others take for the module."""
        resolver, module = self.resolver, scope.module
        return (
            other_files.changed(resolver, module, name, value)
            or self.handed.changed(module, name, changeable(value))
            or by_path.changed(resolver, module, name, value)
            or self.computed_names.changed(module, name, value)
            or main_module.changed(resolver, name)
        )

    def unbound(self, scope: Scope, name: str) -> None:
        """Notes what sets a global that no statement of the file binds."""
        self._renew()
        key = _of_file(scope, name)
        if key not in self._unbound:
            with self.resolver.reading() as files:
                stores = reflection.stores(self, scope, name, False)
                reason = other_files.changed(self.resolver, scope.module, name, External(f"builtins.{name}"))
                where = self.computed_names.of("builtins", name) or libraries.set_in_builtins(self.resolver)
                reason = reason or where and f"`{name}` may be another by {where}"
            reasons = [*(reason for _, _, reason in stores), *([reason] if reason else [])]
            self._unbound[key] = frozenset(reasons), frozenset(files)
        reasons, files = self._unbound[key]
        self.resolver.read(files)
        self.resolver.note(*reasons)

    def replaced(self, scope: Scope, name: str) -> bool:
        """Whether something sets a global of a file without its name, or a builtin that it has."""
        self._renew()
        key = _of_file(scope, name)
        if key not in self._replaced:
            self._replaced[key] = False, frozenset()
            node = next((event.node for event in scope.table.events.get(name, ())), None)
            value = UserFunction(scope, node) if isinstance(node, _FUNCTIONS) else External(f"builtins.{name}")
            with self.resolver.reading() as files, self.resolver.noting():
                stores = reflection.stores(self, scope, name, changeable(value))
                found = bool(stores) or self._set_by_others(scope, name, value) is not None
            self._replaced[key] = found, frozenset(files)
        self.resolver.read(self._replaced[key][1])
        return self._replaced[key][0]

    def stored(self, attribute: str, module: Module) -> bool:
        """Whether some file, or that one, sets an attribute of that name."""
        return f".{attribute}" in module.named or bool(self.resolver.project.elsewhere.storing(None, attribute, False))

    def _wrapped_set(self, scope: Scope, name: str) -> None:
        """Notes what sets the value that a ``constexpr`` holds."""
        for _, _, made in self.made(scope, name):
            if made.kind == "store" and made.first == "value":
                self.resolver.note(f"`{name}.value` is set")

    def made(self, scope: Scope, name: str) -> list[tuple[float, bool, Use]]:
        """What the file does with the name beyond reading it: the place in the scope, whether in a function, what."""
        key = (scope, name)
        if key not in self._uses:
            found: list[tuple[float, bool, Use]] = []
            with self.resolver.reading() as files:
                for at in occurrences(scope.module, name):
                    if not isinstance(at.chain[0], ast.Name) or not self.refers(at, name, scope):
                        continue
                    made = use(at, callees.judge(self.resolver, self.resolver.scope(scope.module, at.around)))
                    if made is not None:
                        found.append((*self.place(at, scope), made))
            self._uses[key] = found, frozenset(files)
        found, files = self._uses[key]
        self.resolver.read(files)
        return found

    def _changed(self, scope: Scope, name: str, found: Definition, before: int | None, by: Builder | None) -> Value:
        start = scope.table.orders.get(id(found.node), 0) if found.module is scope.module else 0
        uses: list[tuple[float, bool, Use]] = []
        counting = [one for one in self.made(scope, name) if object_uses.relevant(self.resolver, one[2], found.value)]
        for order, deferred, made in counting:
            if before is not None and not turns.earlier(made, name, found.value, order, before):
                if turns.before(scope, found, order, before):
                    self.resolver.note(f"a turn of the loop before may have changed `{name}`")
            elif order >= start or deferred:
                uses.append((order, deferred, made))
        statement = found.node
        if isinstance(statement, ast.Assign) and len(statement.targets) > 1:
            self.resolver.note(f"`{name}` has another name as well ({found.module.at(statement.lineno)})")
        if isinstance(scope.node, _FUNCTIONS) and (reason := of_functions.through_names(self, scope, name)) is not None:
            self.resolver.note(reason)
        if not uses:
            return found.value
        uses.sort(key=lambda item: item[0])
        value, why = built(by or (self.resolver.evaluator, scope), scope, name, found, uses, before)
        if why is not None:
            self.resolver.note(f"`{name}` {_AMONG_OTHERS} by {told(scope.module, why)}")
        return value

    def local(self, scope: Scope, name: str, value: Value) -> None:
        """Notes why a container of a call that is followed may be another than its own statements make it."""
        if self.resolver.value_alone:
            return
        node = scope.node
        if not isinstance(node, _FUNCTIONS) or not changeable(value):
            return
        if scope.parent is not None and scope.parent.node is node:
            return  # a container that is followed through the statements that build it, in ``building``
        reasons = scope.module.hidden
        key = (id(node), name, object_uses.shape(value))
        if key not in reasons:
            reasons[key] = None
            reasons[key] = of_functions.unfollowed(self, scope, node, name, value)
        if (reason := reasons[key]) is not None:
            self.resolver.note(reason)

    def default(self, function: UserFunction, name: str) -> None:
        """Notes that a default is one object for all calls, where a call may change it."""
        if self.resolver.value_alone:
            return
        if callees.of_parameter(self.resolver, function, name, 0) != "nothing":
            self.resolver.note(f"the default of `{name}` may be changed by a call")
        why = self.once(
            (function.scope.module.file, getattr(function.node, "name", ""), function.node.lineno, name, "default"),
            lambda: function_parts.contents_changed(self.resolver, function, function_parts.OF_DEFAULTS),
        )
        if why is not None:
            self.resolver.note(why)

    def called(self, function: UserFunction) -> None:
        """Notes why a function that is called may do something else than it says."""
        if self.resolver.value_alone:
            return
        module, node = function.scope.module, function.node
        why = self._part_set(module, node, False, lambda: function_parts.changed(self.resolver, function))
        if why is not None:
            self.resolver.note(why)

    def compiled(self, module: Module, function: JitFunction) -> str | None:
        """Why a jit function of the module may be compiled from another text than its own."""
        return self._part_set(module, function.node, True, lambda: made_of_function.changed(self, module, function))

    def run_by_python(self, function: UserFunction) -> str | None:
        """Why a function that Python runs while a kernel is compiled may do something else than it says."""
        module, node = function.scope.module, function.node
        key = "python", module.file, node.lineno, node.col_offset
        return self.once(key, lambda: function_parts.python_changed(self, function))

    def rewritten(self, module: Module) -> str | None:
        """Why a file may be run otherwise than it is written."""
        return self.once(module.file, lambda: rewritten.changed(self.resolver, module))

    def held(self, module: Module, name: str) -> str | None:
        """Why a ``constexpr`` of the module may hold another value than it is made with."""
        return self.once((module.file, name), lambda: constexpr_values.changed(self, module, name))

    def _part_set(self, module: Module, node: _Function, jit: bool, find: Callable[[], str | None]) -> str | None:
        return self.once((module.file, getattr(node, "name", ""), node.lineno, node.col_offset, jit), find)

    def once(self, key: object, find: Callable[[], str | None]) -> str | None:
        """What is found out of what all files do; kept until one does otherwise."""
        self._renew()
        why, files, notes = self._parts.ask(key, find)
        self.resolver.read(files)
        self.resolver.note(*notes)
        return why

    def attribute(self, cls: UserClass, name: str, value: Value) -> None:
        """Notes why ``Class.name`` may be another than the class says."""
        if self.resolver.value_alone:
            return
        key = (id(cls.node), name)
        if key in self._asked:
            self.resolver.circles.add(key)
            return
        self._asked.add(key)
        try:
            reason = classes.changed(self, cls, name, value)
        finally:
            self._asked.discard(key)
            self.resolver.circles.discard(key)
        if reason:
            self.resolver.note(reason)

    def field(self, cls: RecordClass, *names: str) -> None:
        """Notes why one of these attributes of a named tuple, or of its class, may be another."""
        if (reason := classes.record_changed(self.resolver, cls, names)) is not None:
            self.resolver.note(reason)

    def refers(self, at: Occurrence, name: str, scope: Scope) -> bool:
        """Whether a name that stands there means that of ``scope``."""
        if name in reflection.hidden(at):
            return False
        current: Scope | None = self.resolver.scope(scope.module, at.around)
        innermost = True
        while current is not None:
            visible = innermost or not isinstance(current.node, ast.ClassDef)
            if current.node is scope.node:  # a call that is followed has a scope of its own
                return visible
            if visible and name in current.table.events and name not in scope.module.reassigned:
                return False
            innermost = False
            current = current.parent
        return False

    def place(self, at: Occurrence, scope: Scope) -> tuple[float, bool]:
        """When what stands there happens: the place of its statement in the scope, and whether it is in a function,
        which is called then or later."""
        path = (*at.around, at.statement)
        start = next((i + 1 for i, node in enumerate(path) if node is scope.node), 0)
        deferred = any(isinstance(node, _FUNCTIONS) for node in path[start:-1])
        deferred |= any(isinstance(node, ast.Lambda) for node in at.chain)
        return scope.table.orders.get(id(path[start]), inf) if start < len(path) else inf, deferred


def _of_file(scope: Scope, name: str) -> tuple[str | Scope, str]:
    """What stands for a name of the scope also when the trees are let go, if that can be said."""
    return (scope.module.file if scope.node is scope.module.tree else scope), name
