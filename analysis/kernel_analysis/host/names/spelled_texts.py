"""Whether a text that is computed is made of whole words that stand in its file as such: it can be no other word.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from kernel_analysis.host.changes import callees
from kernel_analysis.host.changes.uses import occurrences, use
from kernel_analysis.host.evaluate.values import External, Scope
from kernel_analysis.host.names import set_later
from kernel_analysis.host.names.naming import binding, meaning
from kernel_analysis.record import record
from kernel_analysis.source.tree.scopes import Event
from kernel_analysis.source.tree.syntax import descend, kept_with_trees

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
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

    is_one: Callable[[ResolverView, Scope, ast.expr, int], bool]
    defined: bool
    set_elsewhere: Callable[[ResolverView, Module, str, bool], bool]


def spelled(resolver: ResolverView, scope: Scope, node: ast.expr, depth: int = 0, splits: bool = True) -> bool:
    """Whether a text, or all texts that are in a container, are such. ``splits``: they may be parts of what stands
    there."""
    if depth > _DEEPEST:
        return False

    def all_spelled(*nodes: ast.expr | None) -> bool:
        return all(part is None or spelled(resolver, scope, part, depth + 1, splits) for part in nodes)

    if isinstance(node, (ast.Constant, ast.Lambda)):
        return True
    if isinstance(node, ast.JoinedStr):
        plain = all(v.format_spec is None for v in node.values if isinstance(v, ast.FormattedValue))
        return (
            plain and _apart(node) and all_spelled(*(v.value for v in node.values if isinstance(v, ast.FormattedValue)))
        )
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


def whole(resolver: ResolverView, scope: Scope, node: ast.expr, depth: int = 0) -> bool:
    """Whether they are such, and none is a part of one that is split."""
    return spelled(resolver, scope, node, depth, splits=False)


def texts(resolver: ResolverView, scope: Scope, node: ast.expr) -> frozenset[str]:
    """All that a text may be that is whole; none: that is not known. (A loop through a text, or an index, gives a
    letter of it.)"""
    if isinstance(node, ast.Constant):
        return frozenset([node.value] if isinstance(node.value, str) else ())
    if not whole(resolver, scope, node):
        return frozenset()
    return _spelled_in(scope.module.tree)


def exactly(resolver: ResolverView, scope: Scope, node: ast.expr, depth: int = 0) -> frozenset[str] | None:
    """All that a text may be, where each of it stands there by itself: ``name`` in ``for name in ("a", "b"):``."""
    if isinstance(node, ast.Constant):
        return frozenset((str(node.value),))
    if isinstance(node, ast.IfExp):
        return _together(exactly(resolver, scope, part, depth + 1) for part in (node.body, node.orelse))
    found = binding(scope, node.id) if isinstance(node, ast.Name) and depth <= _DEEPEST else None
    if not isinstance(node, ast.Name) or found is None or not found[1] or set_later.declared(found[0], node.id):
        return None
    where, events = found
    if _augments(where, node.id):
        return None
    every: list[ast.expr] = []
    for event in events:
        loop = event.node if event.how in ("opaque", "element") else None
        parts = _column(resolver, where, loop, event.path, _WHOLE) if isinstance(loop, ast.For) else None
        if event.how == "assign" and event.value is not None and not isinstance(event.node, ast.For):
            parts = [event.value]
        if not parts:
            return None
        every += parts
    at_top = isinstance(where.node, ast.Module)
    if at_top and set(resolver.project.elsewhere.storing(where.module, node.id, False)) - {where.module.file}:
        return None
    return _together(exactly(resolver, where, part, depth + 1) for part in every)


def _together(found: Iterable[frozenset[str] | None]) -> frozenset[str] | None:
    every = list(found)
    return None if None in every else frozenset(text for one in every if one is not None for text in one)


@kept_with_trees(512)
def _spelled_in(tree: ast.Module) -> frozenset[str]:
    """The names that the texts of a file spell, and their letters."""
    said = [part.value for part in descend(tree) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    letters = {letter for text in said for letter in text}
    return frozenset(name for name in {*said, *letters} if name.isidentifier())


def _set_elsewhere(_resolver: ResolverView, _module: Module, _name: str, _container: bool) -> bool:
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


def all_of(resolver: ResolverView, scope: Scope, name: str, depth: int, asked: Asked) -> bool:
    """Whether it is so of all that the name stands for."""
    found = binding(scope, name)
    if found is None or not found[1] or set_later.declared(found[0], name):
        return False
    where, events = found
    # (What is put behind a text makes another word of it.)
    more = _augments(where, name)
    if more and (all(map(_is_text, events)) or not all(asked.is_one(resolver, where, v, depth + 1) for v in more)):
        return False
    return all(_event(resolver, where, name, event, depth, asked) for event in events) and not _changed(
        resolver, where, name, events, asked
    )


def _augments(scope: Scope, name: str) -> list[ast.expr]:
    """What is put behind what a name has, by ``+=``."""
    events = scope.table.events.get(name, ())
    return [event.value for event in events if event.how == "augment" and event.value is not None]


def _event(resolver: ResolverView, scope: Scope, name: str, event: Event, depth: int, asked: Asked) -> bool:
    if event.how in ("define", "class"):
        return asked.defined
    if event.how in ("assign", "element") and event.value is not None:
        return asked.is_one(resolver, scope, event.value, depth + 1)
    if event.how == "opaque":
        source = event.node
        value = source.iter if isinstance(source, (ast.For, ast.AsyncFor)) else getattr(source, "value", None)
        plain = isinstance(source, (ast.For, ast.AsyncFor, ast.Assign)) and isinstance(value, ast.expr)
        if isinstance(source, ast.For) and (column := _column(resolver, scope, source, event.path, asked)):
            return all(asked.is_one(resolver, scope, part, depth + 1) for part in column)
        return plain and isinstance(value, ast.expr) and asked.is_one(resolver, scope, value, depth + 1)
    return event.how == "parameter" and _passed(resolver, scope, name, depth, asked)


def _column(
    resolver: ResolverView, scope: Scope, loop: ast.For, path: tuple[int, ...], asked: Asked
) -> list[ast.expr] | None:
    """What a loop goes through, or takes out of its rows, where that is written down: ``for name in ("A", "B"):``,
    ``for module, name in ((a, "A"), (b, "B")):``."""
    rows, of_items = loop.iter, False
    if isinstance(rows, ast.Call) and isinstance(rows.func, ast.Attribute) and rows.func.attr == "items":
        rows, of_items = rows.func.value, True
    if isinstance(rows, ast.Name):
        where, events = binding(scope, rows.id) or (scope, [])
        written = events[0].value if len(events) == 1 and events[0].how == "assign" else None
        if written is None or where is not scope or rows.id in scope.module.reassigned:
            return None
        if _changed(resolver, where, rows.id, events, asked):
            return None
        rows = written
    targets = loop.target.elts if isinstance(loop.target, (ast.Tuple, ast.List)) else []
    if not path and not of_items and isinstance(rows, (ast.Tuple, ast.List, ast.Set)):
        return None if any(isinstance(item, ast.Starred) for item in rows.elts) else rows.elts
    if len(path) != 1 or any(isinstance(target, ast.Starred) for target in targets):
        return None
    if of_items:
        parts = (rows.keys if path[0] == 0 else rows.values) if isinstance(rows, ast.Dict) else [None]
        return None if None in parts or path[0] > 1 else [part for part in parts if part is not None]
    found: list[ast.expr] = []
    for row in rows.elts if isinstance(rows, (ast.Tuple, ast.List)) else [rows]:
        items = row.elts if isinstance(row, (ast.Tuple, ast.List)) else []
        if len(items) <= path[0] or any(isinstance(item, ast.Starred) for item in items):
            return None
        found.append(items[path[0]])
    return found


def _passed(resolver: ResolverView, scope: Scope, name: str, depth: int, asked: Asked) -> bool:
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


def _changed(resolver: ResolverView, scope: Scope, name: str, events: list[Event], asked: Asked) -> bool:
    """Whether something may change what is in it."""
    module = scope.module
    container = not all(_is_text(event) or _goes_through_texts(resolver, scope, event, asked) for event in events)
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


def _goes_through_texts(resolver: ResolverView, scope: Scope, event: Event, asked: Asked) -> bool:
    loop = event.node
    column = _column(resolver, scope, loop, event.path, asked) if isinstance(loop, ast.For) else None
    return bool(column) and all(isinstance(part, (ast.Constant, ast.JoinedStr)) for part in column)


def _is_text(event: Event) -> bool:
    """Whether what is bound is no container, in which something else might be put: a text, a part of one."""
    value = event.value
    while isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
        value = value.value
    split = isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in SPLITS
    return value is None or isinstance(value, (ast.Constant, ast.JoinedStr)) or split and bool(event.path)
