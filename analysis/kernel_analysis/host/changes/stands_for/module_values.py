"""Whose names an expression may give: that of a module, of a library's, of a function or a class.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.stands_for import made_objects
from kernel_analysis.host.changes.uses import occurrences
from kernel_analysis.host.evaluate.values import External, ModuleValue, TritonObject
from kernel_analysis.host.names.named_once import named_once
from kernel_analysis.host.names.naming import Bound, binding, meaning, meanings, not_followed
from kernel_analysis.source.text_search.mentions import ANY_MODULE

if TYPE_CHECKING:
    from kernel_analysis.host.evaluate.values import Scope
    from kernel_analysis.host.interpreter_views import ResolverView

_DEEPEST = 4
MAKES_MODULES = ("types.ModuleType", "importlib.util.module_from_spec")
"""What makes a module, whichever."""
_LOOKS_INTO = (
    "vars", "globals", "locals", "__dict__", "modules", "getmembers", "get_objects", "import_module", "__import__",
    "getmodule", "locate",
    "__globals__", "f_globals", "f_locals", "f_builtins", "get_capture_scope", "_triton_jit_function_registry",
)  # fmt: skip
"""What a loop goes through has modules in it where it has one of these."""


@dataclass(slots=True)
class _Owners:
    """What an expression may be, and the functions whose parameter it may be; ``any``: or what some call passes."""

    said: dict[str, None] = field(default_factory=dict[str, None])
    handed: list[Scope] = field(default_factory=list["Scope"])
    any: bool = False


def owners_of(resolver: ResolverView, scope: Scope, owner: ast.expr) -> Iterator[str]:
    """What something may be there: each as in ``ComputedSite.owners``. (Who has a module in sight is asked
    elsewhere.)"""
    here = _Owners()
    _look(resolver, scope, owner, here)
    yield from here.said
    todo, seen = here.handed, set[object]()
    for depth in range(_DEEPEST + 1):
        new = [one for one in todo if one.node not in seen]
        seen |= {one.node for one in new}
        given = [_given(resolver, one) for one in new]
        if depth == _DEEPEST and any(one.any for one in given):
            yield ANY_MODULE
            return
        for one in given:
            yield from one.said
        todo = [scope for one in given for scope in one.handed]


def _look(resolver: ResolverView, scope: Scope, owner: ast.expr, found: _Owners) -> None:
    if isinstance(owner, ast.Constant):
        return
    found.any = True
    if looked_up(owner):
        found.said[ANY_MODULE] = None
        return
    found.said.update(dict.fromkeys(held_in(resolver, scope, owner)))
    other = scope.module
    near = resolver.project.elsewhere.looking_near(other)
    for one in meanings(resolver, scope, owner):
        if isinstance(one, (External, TritonObject)):
            found.said[one.path] = None
        elif isinstance(one, Bound) and one.event.how in ("define", "class"):
            found.said[f"{one.scope.module.file}:{one.name}"] = None
        elif isinstance(one, ModuleValue) or isinstance(one, Bound) and _is_made(resolver, one):
            continue
        elif near or isinstance(one, Bound) and from_many(one):
            found.said[ANY_MODULE] = None
        elif isinstance(one, Bound) and one.event.how == "parameter":
            found.handed.append(one.scope)
        elif one is None and isinstance(owner, ast.Name) and not (bound := binding(scope, owner.id)):
            found.said[ANY_MODULE] = None  # a text that is run has it
        elif one is None and isinstance(owner, ast.Name) and (bound := binding(scope, owner.id)):
            many = any(from_many(Bound(bound[0], owner.id, event)) for event in bound[1])
            if many or not_followed(resolver, scope, owner.id):
                found.said[ANY_MODULE] = None


def held_in(resolver: ResolverView, scope: Scope, owner: ast.expr) -> Iterator[str]:
    """The modules that an expression has as values, any of which it may give: ``[config][0]``."""
    if isinstance(owner, (ast.Name, ast.Attribute)):
        return
    parts = [part for part in ast.walk(owner) if isinstance(part, (ast.Name, ast.Attribute, ast.Call))]
    inner = {id(part.func if isinstance(part, ast.Call) else getattr(part, "value", None)) for part in parts}
    for part in parts:
        if isinstance(part, ast.Call) or id(part) in inner:
            continue
        for one in meanings(resolver, scope, part):
            if isinstance(one, ModuleValue):
                yield ANY_MODULE
            elif isinstance(one, External):
                yield one.path


def _is_made(resolver: ResolverView, one: Bound) -> bool:
    """Whether it is an object of a class, or a module that is made there. (Who puts that in another's place is asked
    elsewhere.)"""
    value = one.event.value
    made = meaning(resolver, one.scope, value.func) if isinstance(value, ast.Call) else None
    if isinstance(made, External):
        return made.path in MAKES_MODULES and one.event.how == "assign" and not one.event.path
    return isinstance(value, ast.Call) and not one.event.path and made_objects.gives(resolver, one.scope, value)


def _given(resolver: ResolverView, function: Scope) -> _Owners:
    """What a function of the file is given, for whichever parameter, where the file calls it."""
    module, name = function.module, getattr(function.node, "name", None)

    def find() -> _Owners:
        found = _Owners()
        for at in occurrences(module, name) if name is not None else ():
            call = at.chain[1] if len(at.chain) > 1 else None
            for argument in (*call.args, *(k.value for k in call.keywords)) if isinstance(call, ast.Call) else ():
                _look(resolver, resolver.scope(module, at.around), argument, found)
        return _Owners(found.said, [*{one.node: one for one in found.handed}.values()], found.any)

    return named_once(resolver, resolver.scope(module), ("owners", name), find)


def from_many(found: Bound) -> bool:
    """Whether a name is bound by a loop through what has modules in it, or to what is looked up."""
    value = found.event.value or getattr(found.event.node, "iter", None)
    return isinstance(value, ast.expr) and looked_up(value)


def looked_up(node: ast.expr) -> bool:
    """Whether an expression takes something out of a place where modules are."""
    called = {id(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)}
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and part.attr == "modules" and id(part) in called:
            continue  # those of a network
        if isinstance(part, (ast.Name, ast.Attribute)) and (
            (part.id if isinstance(part, ast.Name) else part.attr) in _LOOKS_INTO
        ):
            return True
        if isinstance(part, ast.Call) and getattr(part.func, "id", "") == "getattr" and len(part.args) > 1:
            if not isinstance(part.args[1], ast.Constant):
                return True
    return False
