"""What a file makes itself: a module (``m = types.ModuleType("stub")``), where all that the file does with it is in
sight and none of it gives it another's name; an object of a class. What is set there is set in nothing else.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.made.local_holders import ALL_NAMES
from kernel_analysis.host.changes.uses import Occurrence, occurrences
from kernel_analysis.host.evaluate.values import External
from kernel_analysis.host.names.naming import Bound, binding, meaning
from kernel_analysis.source.text_search.looked_up import MAIN

if TYPE_CHECKING:
    from kernel_analysis.host.evaluate.values import Scope
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_DEEPEST = 4
_LEAVES = frozenset({
    "dataclasses.dataclass", "enum.unique", "functools.total_ordering", "typing.final", "typing.runtime_checkable",
})  # fmt: skip
"""Decorators that leave the attributes of a class as its body says: any other may make of them what it likes."""
_DECIDING = frozenset({"__new__", "__setattr__", "__init_subclass__", "__class__"})
"""By these a class decides what a call of it gives, and what is set where."""


def is_new_module(resolver: ResolverView, scope: Scope, name: str, module: Module) -> bool:
    """Whether that name of a scope is such a module, and none that anybody takes for ``module``."""
    where, events = binding(scope, name) or (scope, [])
    if len(events) != 1 or not _is_new(resolver, where, events[0].value) or name in where.module.reassigned:
        return False
    if isinstance(where.node, ast.Module) and {*resolver.project.elsewhere.wording(where.module, name)} - {
        where.module.file
    }:
        return False  # another file may take it
    for at in occurrences(where.module, name):
        node, above = (*at.chain, at.statement)[:2]
        if not isinstance(node, ast.Name):
            if isinstance(node, ast.Constant) and node.value == name and _has_by_text(where):
                return False
            continue
        inside = resolver.scope(where.module, at.around)
        if (binding(inside, name) or (None,))[0] is not where or isinstance(node.ctx, ast.Store):
            continue
        if isinstance(above, ast.Attribute):
            continue
        keys = _put_as(resolver, inside, at)
        if not keys or not all(key is not None and _is_another_s(resolver, inside, key, module) for key in keys):
            return False
    return True


def _put_as(resolver: ResolverView, scope: Scope, at: Occurrence) -> list[ast.expr | None]:
    """As what the module that stands there is put into ``sys.modules``, where that is all that is done with it:
    ``sys.modules["name"] = m``, ``sys.modules.setdefault("name", m)``, ``patch.dict(sys.modules, {"name": m})``."""
    node, above, call = (*at.chain, at.statement, None, None)[:3]

    def loaded(owner: ast.expr) -> bool:
        table = meaning(resolver, scope, owner)
        return isinstance(table, External) and table.path == "sys.modules"

    if isinstance(above, ast.Assign):
        return [t.slice if isinstance(t, ast.Subscript) and loaded(t.value) else None for t in above.targets]
    if isinstance(above, ast.Call) and isinstance(above.func, ast.Attribute):
        method, args = above.func, above.args
        if method.attr == "setdefault" and len(args) == 2 and args[1] is node and loaded(method.value):
            return [args[0]] if isinstance(call, ast.Expr) else []
        of_pytest = method.attr == "setitem" and getattr(method.value, "id", "") == "monkeypatch"
        return [args[1]] if of_pytest and len(args) == 3 and args[2] is node and loaded(args[0]) else []
    if not isinstance(above, ast.Dict) or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return []
    known = meaning(resolver, scope, call.func)
    patches = isinstance(known, External) and known.path == "unittest.mock.patch.dict"
    if call.args != [call.args[0], above] if patches else call.args != [above] or call.func.attr != "update":
        return []
    keys = [key for key, value in zip(above.keys, above.values, strict=True) if value is node]
    return keys if loaded(call.args[0] if patches else call.func.value) else []


def _has_by_text(scope: Scope) -> bool:
    """Whether something may have what a name stands for by a text: of a function's variables what has all of them."""
    return isinstance(scope.node, ast.Module) or any(
        scope.node in at.around for word in (*ALL_NAMES, "f_locals") for at in occurrences(scope.module, word)
    )


def is_object(resolver: ResolverView, found: Bound, attribute: str) -> bool:
    """Whether a name stands for an object of a class of the user's, which is no class itself: ``d = Description()``;
    and what is set there as ``attribute`` is kept there."""
    value = found.event.value if found.event.how == "assign" else None
    made = meaning(resolver, found.scope, value.func) if isinstance(value, ast.Call) else None
    return isinstance(made, Bound) and _makes_objects(resolver, made, attribute, 0)


def _makes_objects(resolver: ResolverView, cls: Bound, attribute: str, depth: int) -> bool:
    """Whether a call of a class gives a plain object of it, which keeps what is set there to itself."""
    node = cls.event.node
    if not isinstance(node, ast.ClassDef) or node.keywords or depth > _DEEPEST:
        return False
    if not all(leaves(resolver, cls.scope, decorator) for decorator in node.decorator_list):
        return False
    own = resolver.inner(cls.scope, node).table.events
    if not _DECIDING.isdisjoint(own) or not all(isinstance(e.value, ast.Constant) for e in own.get(attribute, ())):
        return False
    for base in node.bases:
        found = meaning(resolver, cls.scope, base)
        if isinstance(found, External):
            if found.path == "builtins.type" or "Meta" in found.path:
                return False
        elif not isinstance(found, Bound) or not _makes_objects(resolver, found, attribute, depth + 1):
            return False
    return True


def leaves(resolver: ResolverView, scope: Scope, decorator: ast.expr) -> bool:
    """Whether a decorator of a class leaves the attributes that its body says. (With ``slots`` a field's default is
    the field's descriptor.)"""
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    found = meaning(resolver, scope, target)
    keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
    no_slots = all(
        k.arg not in (None, "slots") or isinstance(k.value, ast.Constant) and not k.value.value for k in keywords
    )
    return isinstance(found, External) and found.path in _LEAVES and no_slots


def _is_new(resolver: ResolverView, scope: Scope, value: ast.expr | None) -> bool:
    made = meaning(resolver, scope, value.func) if isinstance(value, ast.Call) else None
    if isinstance(made, External) and made.path == "typing.cast" and isinstance(value, ast.Call):
        return len(value.args) == 2 and _is_new(resolver, scope, value.args[1])
    return isinstance(made, External) and made.path == "types.ModuleType"


def _is_another_s(resolver: ResolverView, scope: Scope, key: ast.expr, module: Module) -> bool:
    """Whether a key of ``sys.modules`` is another module's name."""
    said = _text(resolver, scope, key, 0)
    return said is not None and is_another(module, said)


def is_another(module: Module, dotted: str) -> bool:
    """Whether what is imported by that name is no way to have the module, wherever its packages are imported from."""
    known, said = f".{module.name}", f".{dotted}"
    return dotted != MAIN and not (known.endswith(said) or said.endswith(known))


def _text(resolver: ResolverView, scope: Scope, node: ast.expr, depth: int) -> str | None:
    """The text that an expression is, by literals and names that stand for one."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        plain = [part.value if isinstance(part, ast.FormattedValue) else part for part in node.values]
        parts = [_text(resolver, scope, part, depth) for part in plain]
        return None if None in parts else "".join(part for part in parts if part is not None)
    if not isinstance(node, ast.Name) or depth > _DEEPEST:
        return None
    where, events = binding(scope, node.id) or (scope, [])
    if len(events) != 1 or events[0].how != "assign" or events[0].value is None:
        return None
    if node.id in where.module.reassigned or resolver.touches.stored(node.id, where.module):
        return None
    return _text(resolver, where, events[0].value, depth + 1)
