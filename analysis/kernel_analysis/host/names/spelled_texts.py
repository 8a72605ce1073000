"""Whether a text that is computed is made of whole words that stand in its file as such: it can be no other word.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from kernel_analysis.host.changes import callees
from kernel_analysis.host.changes.uses import occurrences, use
from kernel_analysis.host.evaluate.values import External, Scope
from kernel_analysis.host.names.naming import binding, meaning
from kernel_analysis.record import record
from kernel_analysis.source.scopes import Event

if TYPE_CHECKING:
    from kernel_analysis.host.names.resolve import Resolver
    from kernel_analysis.source.module import Module

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SPLITS = frozenset({"split", "rsplit", "partition", "rpartition"})
_GIVES_PARTS = frozenset({"items", "keys", "values", "copy", "get"}) | SPLITS
"""Methods of texts and of containers of them that give whole words, but where a text is split inside of one."""
_GIVES_SAME = frozenset(
    f"builtins.{name}" for name in ("list", "tuple", "set", "sorted", "reversed", "iter", "enumerate", "zip", "dict")
)
_CALLED_BY_OTHERS = ("test", "pytest_", "__")
_DEEPEST = 14


@record
class Asked:
    """What is asked of all that a name may stand for. ``is_one``: of an expression, with how deep it is. ``defined``:
    of functions and classes. ``set_elsewhere``: whether other files set the name in a module, or what is in it, where
    there are some that may."""

    is_one: Callable[[Resolver, Scope, ast.expr, int], bool]
    defined: bool
    set_elsewhere: Callable[[Resolver, Module, str, bool], bool]


def spelled(resolver: Resolver, scope: Scope, node: ast.expr, depth: int = 0, splits: bool = True) -> bool:
    """Whether a text, or all texts that are in a container, are such. ``splits``: they may be parts of what stands
    there."""
    if depth > _DEEPEST:
        return False

    def all_spelled(*nodes: ast.expr | None) -> bool:
        return all(part is None or spelled(resolver, scope, part, depth + 1, splits) for part in nodes)

    if isinstance(node, (ast.Constant, ast.Lambda)):
        return True
    if isinstance(node, ast.JoinedStr):
        return _apart(node) and all_spelled(*(v.value for v in node.values if isinstance(v, ast.FormattedValue)))
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return all_spelled(*node.elts)
    if isinstance(node, ast.Dict):
        return all_spelled(*node.keys, *node.values)
    if isinstance(node, ast.Subscript):
        return not isinstance(node.slice, ast.Slice) and all_spelled(node.value)
    if isinstance(node, ast.IfExp):
        return all_spelled(node.body, node.orelse)
    if isinstance(node, ast.BoolOp):
        return all_spelled(*node.values)
    if isinstance(node, ast.Starred):
        return all_spelled(node.value)
    if isinstance(node, ast.Call) and not node.keywords:
        if isinstance(node.func, ast.Attribute) and node.func.attr in _GIVES_PARTS:
            if not splits and node.func.attr in SPLITS:
                return False
            return (node.func.attr == "get" or all(map(_between, node.args))) and all_spelled(
                node.func.value, *node.args
            )
        found = meaning(resolver, scope, node.func)
        return isinstance(found, External) and found.path in _GIVES_SAME and all_spelled(*node.args)
    if not isinstance(node, ast.Name):
        return False
    return node.id == "__name__" or all_of(resolver, scope, node.id, depth, _SPELLED if splits else _WHOLE)


def whole(resolver: Resolver, scope: Scope, node: ast.expr, depth: int = 0) -> bool:
    """Whether they are such, and none is a part of one that is split."""
    return spelled(resolver, scope, node, depth, splits=False)


def _set_elsewhere(_resolver: Resolver, _module: Module, _name: str, _container: bool) -> bool:
    """(Any container may hold texts.)"""
    return True


_SPELLED = Asked(spelled, defined=True, set_elsewhere=_set_elsewhere)
_WHOLE = Asked(whole, defined=True, set_elsewhere=_set_elsewhere)


def _apart(node: ast.JoinedStr) -> bool:
    """Whether what is filled in stands between characters that are in no word."""
    for place, part in enumerate(node.values):
        if isinstance(part, ast.Constant):
            said = str(part.value)
            if (place and said[:1].isidentifier()) or (place + 1 < len(node.values) and f"a{said[-1:]}".isidentifier()):
                return False
            if place and said[:1].isdigit():
                return False
        elif place and not isinstance(node.values[place - 1], ast.Constant):
            return False
    return True


def _between(node: ast.expr) -> bool:
    """Whether a text is split between words by it."""
    said = node.value if isinstance(node, ast.Constant) else "a"
    return said is None or isinstance(said, int) or not any(c.isalnum() or c == "_" for c in str(said))


def all_of(resolver: Resolver, scope: Scope, name: str, depth: int, asked: Asked) -> bool:
    """Whether it is so of all that the name stands for."""
    found = binding(scope, name)
    if found is None or not found[1] or name in scope.module.reassigned:
        return False
    where, events = found
    return all(_event(resolver, where, name, event, depth, asked) for event in events) and not _changed(
        resolver, where, name, events, asked
    )


def _event(resolver: Resolver, scope: Scope, name: str, event: Event, depth: int, asked: Asked) -> bool:
    if event.how in ("define", "class"):
        return asked.defined
    if event.how in ("assign", "element") and event.value is not None:
        return asked.is_one(resolver, scope, event.value, depth + 1)
    if event.how == "opaque":
        source = event.node
        value = source.iter if isinstance(source, (ast.For, ast.AsyncFor)) else getattr(source, "value", None)
        plain = isinstance(source, (ast.For, ast.AsyncFor, ast.Assign)) and isinstance(value, ast.expr)
        return plain and isinstance(value, ast.expr) and asked.is_one(resolver, scope, value, depth + 1)
    return event.how == "parameter" and _passed(resolver, scope, name, depth, asked)


def _passed(resolver: Resolver, scope: Scope, name: str, depth: int, asked: Asked) -> bool:
    """Whether all that a function is given for a parameter is such: it is called in its own file alone, by its name;
    not by Python, nor by what runs tests."""
    node, module = scope.node, scope.module
    if not isinstance(node, _FUNCTIONS) or node.decorator_list or node not in module.tree.body:
        return False
    if node.name.startswith(_CALLED_BY_OTHERS):
        return False
    if set(resolver.project.elsewhere.storing(module, node.name, True)) - {module.file}:
        return False
    args = node.args
    positional = [a.arg for a in (*args.posonlyargs, *args.args)]
    if name not in positional:
        return False
    defaults = dict(zip(reversed(positional), reversed(args.defaults), strict=False))
    for at in occurrences(module, node.name):
        itself, call = (*at.chain, None)[:2]
        if not isinstance(itself, ast.Name) or not isinstance(call, ast.Call) or call.func is not itself:
            return False
        if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
            return False
        given = {**defaults, **dict(zip(positional, call.args, strict=False))}
        given |= {k.arg: k.value for k in call.keywords if k.arg is not None}
        argument = given.get(name)
        if argument is None or not asked.is_one(resolver, resolver.scope(module, at.around), argument, depth + 1):
            return False
    return True


def _changed(resolver: Resolver, scope: Scope, name: str, events: list[Event], asked: Asked) -> bool:
    """Whether something may change what is in it."""
    module = scope.module
    container = not all(map(_is_text, events))
    storing = resolver.project.elsewhere.storing(module, name, container) if isinstance(scope.node, ast.Module) else []
    if set(storing) - {module.file} and asked.set_elsewhere(resolver, module, name, container):
        return True
    for at in occurrences(module, name):
        node = at.chain[0]
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
            continue
        made = use(at, callees.judge(resolver, resolver.scope(module, at.around)))
        if made is None or made.kind == "part" or made.kind == "method" and made.word in _GIVES_PARTS:
            continue
        if container or made.kind != "held":
            return True
    return False


def _is_text(event: Event) -> bool:
    """Whether what is bound is no container, in which something else might be put: a text, a part of one."""
    value = event.value
    while isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
        value = value.value
    split = isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in SPLITS
    return value is None or isinstance(value, (ast.Constant, ast.JoinedStr)) or split and bool(event.path)
