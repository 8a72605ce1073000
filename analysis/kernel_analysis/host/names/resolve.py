"""What a name means: scopes, imports, re-exports, branches. Looks at files and syntax only; never imports or runs
anything."""

from __future__ import annotations

import ast
import builtins
from contextlib import nullcontext
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.replaced.libraries import Libraries
from kernel_analysis.host.changes.touches import Touches
from kernel_analysis.host.evaluate.answer_notes import AnswerNotes
from kernel_analysis.host.evaluate.constants import Evaluator
from kernel_analysis.host.evaluate.machine.machine_answers import doubt
from kernel_analysis.host.evaluate.values import (
    Definition,
    External,
    Items,
    ModuleValue,
    Record,
    Scope,
    Unknown,
    Value,
)
from kernel_analysis.host.evaluate.wording import describe
from kernel_analysis.host.names import alternatives, members, passed_in, set_later, truths
from kernel_analysis.host.names.imports import circles, search_path, stars, while_imported
from kernel_analysis.host.names.imports.packages import HANDED_ON, opaque, triton_has
from kernel_analysis.host.names.module_scopes import ModuleScopes
from kernel_analysis.host.tensors.altered import AlteredTorch
from kernel_analysis.source.module_search import is_standard_library
from kernel_analysis.source.slice import TritonObject
from kernel_analysis.source.tree.forms import augmented
from kernel_analysis.source.tree.scopes import Event, ScopeNode

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ProjectView
    from kernel_analysis.source.module import Module

_BUILTINS = frozenset(dir(builtins))
_TRITON = (TritonObject("triton"), TritonObject("triton.language"))


class Resolver(AnswerNotes):
    """Answers stand until a file changes; every answer knows the files it was read from."""

    def __init__(self, project: ProjectView) -> None:
        super().__init__()
        self.project = project
        self.evaluator = Evaluator(self)
        self.touches = Touches(self)
        self.libraries = Libraries(self)
        self.torch = AlteredTorch(self)
        self.imports = circles.Imports(project)

    def rests(self, row: str, asked: str = "") -> None:
        """To be told with each answer that is given in the place of the machine: which row of ``machine_answers`` says
        what it rests on; ``asked``: the question in words."""
        why = doubt(row, asked or f"`{row}`")
        if why is not None:
            self.note(why)

    def scope(self, module: Module, around: tuple[ast.AST, ...] = ()) -> Scope:
        """The scope inside the functions and classes ``around``, outermost first; a module that stands in a string of
        the file comes before them."""
        tree = module.tree
        if around and isinstance(around[0], ast.Module):
            tree, around = around[0], around[1:]
        scopes = module.keeps(ModuleScopes)
        scope = scopes.get(id(tree))
        if scope is None:
            scope = scopes[id(tree)] = Scope(module, tree, None)
        for node in around:
            assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
            scope = self.inner(scope, node)
        return scope

    def inner(self, scope: Scope, node: ScopeNode) -> Scope:
        """The scope of a function or class that stands in ``scope``."""
        if scope.locals is not None:
            return Scope(scope.module, node, scope)
        scopes = scope.module.keeps(ModuleScopes)
        if id(node) not in scopes:
            scopes[id(node)] = Scope(scope.module, node, scope)
        return scopes[id(node)]

    def lookup(self, scope: Scope, name: str, before: int | None = None) -> Definition:
        """What ``name`` means to code in ``scope``; ``before``: as of that statement of it."""
        current: Scope | None = scope
        while current is not None:
            if current is scope or not isinstance(current.node, ast.ClassDef):
                at = before if current is scope and before is not None else self.moment(current)
                found = self.in_scope(current, name, at)
                if found is not None:
                    if current is not scope:
                        while_imported.doubted(self, current, scope, name, found.value, at)
                    return found
                if isinstance(current.node, ast.Module) and name in _BUILTINS:
                    self.hidden(current, name)
            current = current.parent
        return Definition(self._nowhere(scope, name), scope.module, scope.module.tree)

    def supposed(self, scope: Scope, name: str, before: int | None) -> Definition:
        """The same, where the parameters of the functions around are what calls in sight pass for them."""
        with self.suppose():
            return self.lookup(scope, name, before)

    def hidden(self, scope: Scope, name: str) -> None:
        """Notes what may have set a global that hides a builtin, where no statement of the file binds one."""
        if self.value_alone:
            return
        if name in scope.module.reassigned:
            self.note(f"`{name}` is set by a function with a `global` statement")
        self.touches.unbound(scope, name)

    def assumed(self, scope: Scope, name: str) -> Definition | None:
        """The last binding of a name whose every binding is ruled out, for a kernel that stands under the same
        condition."""
        current: Scope | None = scope
        while current is not None:
            events = current.table.events.get(name)
            if events and not isinstance(current.node, ast.ClassDef):
                found = self.meaning(current, name, events[-1])
                if isinstance(found.value, TritonObject) and not triton_has(self, found.value.path):
                    return Definition(
                        Unknown(f"The installed Triton has no `{found.value.path}`."), found.module, found.node
                    )
                return found
            current = current.parent
        return None

    def _nowhere(self, scope: Scope, name: str) -> Value:
        module = scope.module
        if name in ("__name__", "__file__"):
            self.rests(name)
            return module.name if name == "__name__" else module.file
        if name in _BUILTINS:
            return External(f"builtins.{name}")
        if module.is_broken_name(name):
            return Unknown(f"`{name}` may be bound in a part of the file that has a syntax error.", broken=True)
        while scope.parent is not None:
            scope = scope.parent
        if any(text.tree is scope.node and text.executed for text in module.embedded):
            return Unknown(f"`{name}` is not defined in this string: what runs it may bring it along.", missing=True)
        with self.noting() as notes:
            self.hidden(scope, name)
        if notes:
            return Unknown(f"{min(notes)}, and no statement of the file binds it.")
        return Unknown(f"`{name}` is not defined.", missing=True, undefined=name)

    def in_scope(self, scope: Scope, name: str, before: int | None = None) -> Definition | None:
        """What the scope itself says ``name`` is; None if it says nothing."""
        if scope.locals is not None:
            if name in scope.locals:
                self.touches.local(scope, name, scope.locals[name])
                return Definition(scope.locals[name], scope.module, scope.node)
            return self._not_yet(scope, name)
        events = scope.table.events.get(name, [])
        if set_later.inside_of_itself(scope, name, events, before):
            self.note(f"`{name}` is set in the statement that reads it")
        limit = len(events) if before is None else sum(1 for e in events if e.order < before)
        brought = [e for e in scope.table.stars if before is None or e.order < before]
        if not limit and not brought:
            return None
        last = events[limit - 1].order if limit else 0
        if limit and (later := [e for e in brought if e.order > last]):
            found = stars.brought(self, scope, name, later)
        else:
            found = None
        found = found or self._in_table(scope, name, events[:limit], brought)
        return found and self.touches.applied(scope, name, found, before)

    def _not_yet(self, scope: Scope, name: str) -> Definition | None:
        """A name of a function that is followed, and that none of its statements has bound by then: whatever is called
        so outside of it is not meant."""
        builds = scope.parent is not None and scope.parent.node is scope.node
        if builds or isinstance(scope.node, ast.Lambda) or name in scope.module.reassigned:
            return None
        if name not in scope.table.events:
            return None
        return Definition(Unknown(f"`{name}` is not bound by then."), scope.module, scope.node)

    def starred(self, scope: Scope, name: str, events: list[Event]) -> Definition | None:
        """What ``import *`` brings in under the name before these bindings of it."""
        earlier = [star for star in scope.table.stars if star.order < events[-1].order]
        return stars.brought(self, scope, name, earlier)

    def _in_table(self, scope: Scope, name: str, events: list[Event], starred: list[Event]) -> Definition | None:
        scope.renew(self.project.epoch)
        asked = f"{name} as passed" if self.supposing else name
        if self.value_alone:
            asked += " alone"
        key = (asked, len(events) or -len(starred), self.outer_moment(scope))
        if key in scope.memo:
            known = scope.memo[key]
            if known is None:
                self.circles.add((scope, key))
                return Definition(
                    Unknown(f"`{name}` is defined in terms of itself.", missing=True), scope.module, scope.node
                )
            self.read(known[1])
            self.note(*known[2])
            return known[0]
        scope.memo[key] = None
        found: Definition | None = None
        try:
            noting = nullcontext(set[str]()) if self.value_alone else self.noting()
            with self.reading() as files, noting as notes:
                files.add(scope.module.file)
                found = self._bound(scope, name, events) if events else stars.brought(self, scope, name, starred)
        finally:
            self.circles.discard((scope, key))
            if found is None:
                del scope.memo[key]
        if found is not None:
            scope.memo[key] = (found, frozenset(files), frozenset(notes))
        return found

    def outer_moment(self, scope: Scope) -> int | None:
        """Which time of the module an answer about a function's own names belongs to."""
        outer = scope.parent
        while outer is not None:
            if isinstance(outer.node, ast.Module):
                return self.moment(outer)
            outer = outer.parent
        return None

    def _bound(self, scope: Scope, name: str, events: list[Event]) -> Definition:
        found = alternatives.pick(self, scope, name, events)
        if found.value is None or isinstance(found.value, Unknown):
            # A stand-in for Triton where a look for a GPU fails. But where there are kernels, there is Triton.
            for event in reversed(events):
                if event.how in ("import", "from"):
                    imported = self.imported(scope, event)
                    if imported.value in _TRITON:
                        return imported
        return found

    def meaning(self, scope: Scope, name: str, event: Event) -> Definition:
        """What one binding says. An import says what the imported name's own definition says."""
        module, node = scope.module, event.node
        how = event.how
        reassigned = set_later.declared(scope, name)
        if reassigned:
            self.note(f"`{name}` is set by a function with a `{reassigned}` statement")
        if how in ("import", "from"):
            found = self.imported(scope, event)
            return set_later.among(self, scope, name, found) if reassigned else found
        value: Value
        if how == "assign" and event.value is not None:
            value = self.evaluator.evaluate(event.value, scope, event.order)
        elif how == "element" and event.value is not None:
            value = self.evaluator.evaluate(event.value, scope, event.order)
            for index in event.path:
                value = _element(value, index) if _unpacks(value) else _unknown(scope.module, name, node)
        elif how == "augment" and isinstance(node, ast.AugAssign):
            both = augmented(node, ast.Name(name, ast.Load()))
            value = self.evaluator.evaluate(both, scope, event.order)
        elif how == "define" and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            value = self.evaluator.decorated(scope, node, event.order)
        elif how == "class" and isinstance(node, ast.ClassDef):
            value = self.evaluator.class_value(scope, node, event.order)
        elif how == "parameter":
            owner = getattr(scope.node, "name", "the lambda")
            passed = passed_in.given(self, scope, name) if self.supposing else None
            if passed is not None:
                self.note(f"`{name}` is what one call of `{owner}` passes")
            value = (
                passed
                if passed is not None
                else Unknown(f"`{name}` is a parameter of `{owner}`, known only when that is called.")
            )
        elif how == "delete":
            value = Unknown(f"`{name}` is deleted on {scope.module.at(getattr(node, 'lineno', 0))}.", missing=True)
        else:
            value = _unknown(scope.module, name, node)
        if self.supposing and isinstance(value, Unknown) and not value.missing:
            if (both := truths.either(self, scope, event)) is not None:
                self.note(value.reason.rstrip("."))
                return replace(both[0], others=(both[1],))
        made = Definition(value, module, node)
        return set_later.among(self, scope, name, made) if reassigned else made

    def imported(self, scope: Scope, event: Event) -> Definition:
        """What an import statement binds."""
        module, node, alias = scope.module, event.node, event.alias
        assert alias is not None
        if isinstance(node, ast.Import):
            dotted = alias.name if alias.asname else alias.name.split(".")[0]
            return Definition(self.import_module(dotted, module), module, node)
        assert isinstance(node, ast.ImportFrom)
        source = self.import_module("." * node.level + (node.module or ""), module)
        if isinstance(source, Unknown) and source.missing and alias.name == "Version":
            # Whoever exports it, it compares version numbers.
            return Definition(External("packaging.version.Version"), module, node)
        if isinstance(source, Unknown) and source.missing and not node.level and alias.name in HANDED_ON:
            return Definition(HANDED_ON[alias.name], module, node)
        return self.member(source, alias.name, module, node)

    def import_module(self, dotted: str, module: Module) -> Value:
        """The module that ``import dotted`` in ``module`` means."""
        top = dotted.split(".")[0]
        if top == "triton":
            return TritonObject(dotted)
        if top and (is_standard_library(top) or opaque(dotted)):
            search_path.note_doubt(self, dotted, module.file, None)
            return External(dotted)
        located = self.project.locate(dotted, module.file)
        self.read(self.project.looked_for(dotted, module.file))
        if located is None:
            where = "next to this file" if not top else "in the workspace or among the installed packages"
            return Unknown(f"The module `{dotted}` was not found {where}.", missing=True)
        if self.triton_home and located.file and located.file.startswith(self.triton_home):
            return TritonObject(self.project.dotted(located.file))
        search_path.note_doubt(self, dotted, module.file, located.file)
        return ModuleValue(dotted, located.file, module.file)

    @cached_property
    def triton_home(self) -> str:
        """The folder of the installed Triton, with a slash; empty if there is none."""
        located = self.project.locate_installed(["triton", "language", "core"])
        return located.file[: -len("language/core.py")] if located and located.file else ""

    def is_installed(self, dotted: str, module: Module | None) -> bool:
        """Whether importing the module would find it."""
        top = dotted.split(".")[0]
        if is_standard_library(top):
            return True
        if module is None:
            return self.project.locate_installed(dotted.split(".")) is not None
        self.read(self.project.looked_for(dotted, module.file))
        return self.project.locate(dotted, module.file) is not None

    def any_module(self) -> Module:
        """A module to ask from, for a lookup that does not depend on where it is asked."""
        return self.project.load(self.triton_home + "__init__.py")

    def member(self, owner: Value, name: str, module: Module, node: ast.AST) -> Definition:
        """``owner.name``, with the place that defines it where that is in a file."""
        return members.member(self, owner, name, module, node)


def _unpacks(value: Value) -> bool:
    return isinstance(value, Record) or isinstance(value, Items) and value.kind != "set"


def _element(value: Value, index: int) -> Value:
    assert isinstance(value, (Items, Record))
    return value.values[index] if index < len(value.values) else Unknown("There are not so many values to unpack.")


def _unknown(module: Module, name: str, node: ast.AST) -> Unknown:
    place = module.at(getattr(node, "lineno", 0))
    if isinstance(node, (ast.For, ast.While)):
        return Unknown(f"`{name}` is assigned in a loop ({place}).")
    return Unknown(f"`{name}` is computed by `{describe(node)}` ({place}), which can't be known without running it.")
