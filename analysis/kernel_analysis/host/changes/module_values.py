"""Whose names an expression may give: that of a module, of a library's, of a function or a class.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kernel_analysis.host.changes import made_objects
from kernel_analysis.host.changes.uses import occurrences
from kernel_analysis.host.evaluate.values import External, ModuleValue, TritonObject
from kernel_analysis.host.names.naming import Bound, binding, meaning, meanings, not_followed
from kernel_analysis.source.mentions import ANY_MODULE

if TYPE_CHECKING:
    from kernel_analysis.host.evaluate.values import Scope
    from kernel_analysis.host.interpreter_views import ResolverView

_DEEPEST = 4
MAKES_MODULES = ("types.ModuleType", "importlib.util.module_from_spec")
"""What makes a module, whichever."""
_LOOKS_INTO = (
    "vars", "globals", "locals", "__dict__", "modules", "getmembers", "get_objects", "import_module", "__import__",
    "__globals__", "f_globals", "f_locals", "f_builtins", "get_capture_scope", "_triton_jit_function_registry",
)  # fmt: skip
"""What a loop goes through has modules in it where it has one of these."""


def owners_of(
    resolver: ResolverView, scope: Scope, owner: ast.expr, depth: int = 0, asked: dict[object, int] | None = None
) -> Iterator[str]:
    """What something may be there: each as in ``ComputedSite.owners``. (Who has a module in sight is asked
    elsewhere.) ``asked``: the functions whose calls were looked at by now, and from how deep."""
    asked = {} if asked is None else asked
    if isinstance(owner, ast.Constant):
        return
    if looked_up(owner) or depth > _DEEPEST:
        yield ANY_MODULE
        return
    yield from held_in(resolver, scope, owner)
    other = scope.module
    near = resolver.project.elsewhere.looking_near(other)
    for one in meanings(resolver, scope, owner):
        if isinstance(one, (External, TritonObject)):
            yield one.path
        elif isinstance(one, Bound) and one.event.how in ("define", "class"):
            yield f"{one.scope.module.file}:{one.name}"
        elif isinstance(one, ModuleValue) or isinstance(one, Bound) and _is_made(resolver, one):
            continue
        elif near or isinstance(one, Bound) and from_many(one):
            yield ANY_MODULE
        elif isinstance(one, Bound) and one.event.how == "parameter":
            yield from _given(resolver, one, depth, asked)
        elif one is None and isinstance(owner, ast.Name) and not (found := binding(scope, owner.id)):
            yield ANY_MODULE  # a text that is run has it
        elif one is None and isinstance(owner, ast.Name) and (found := binding(scope, owner.id)):
            many = any(from_many(Bound(found[0], owner.id, event)) for event in found[1])
            if many or not_followed(resolver, scope, owner.id):
                yield ANY_MODULE


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


def _given(resolver: ResolverView, found: Bound, depth: int, asked: dict[object, int]) -> Iterator[str]:
    """What a function of the file is given, for whichever parameter, where the file calls it: each function once, or
    again where it is come to sooner."""
    module, name = found.scope.module, getattr(found.scope.node, "name", None)
    key = module.file, name
    if asked.get(key, _DEEPEST + 1) <= depth:
        return
    asked[key] = depth
    for at in occurrences(module, name) if name is not None else ():
        call = at.chain[1] if len(at.chain) > 1 else None
        for argument in (*call.args, *(k.value for k in call.keywords)) if isinstance(call, ast.Call) else ():
            yield from owners_of(resolver, resolver.scope(module, at.around), argument, depth + 1, asked)


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
