"""Whether a tensor may have another's data by the time of a launch, and with it another dtype: ``x.data = x.double()``;
or another class or method, so that what is made of it has.

Reads syntax and the index of the workspace; evaluates nothing. Which tensor it is that a file does this with, nobody
follows.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.text.text_patterns import may_set
from kernel_analysis.host.evaluate.argument import UNKNOWN, HostArgument
from kernel_analysis.host.evaluate.values import External, Scope, TritonObject
from kernel_analysis.host.names.naming import Bound, meaning
from kernel_analysis.host.tensors.library import METHODS
from kernel_analysis.signature.launches.frame import Frame
from kernel_analysis.source.parsing.parse import whole
from kernel_analysis.source.text_search.mentions import ANY_NAME, SWAPS
from kernel_analysis.source.tree.forms import last_name
from kernel_analysis.source.tree.syntax import children, descend, kept_with_trees

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView

_SETTERS = ("setattr", "__setattr__")
_CLASS = "__class__"
_TELL = frozenset(name for name, row in METHODS.items() if row.gives not in ("same", "tensor"))
"""Methods of a tensor that give no tensor."""


def may_have(resolver: ResolverView, node: ast.expr, frame: Frame, found: HostArgument) -> bool:
    """Whether what an expression gives there may: the file itself sets ``data``, or it, or what it is made of, is given
    to functions that are not a library's where another file does. What is no tensor may be what one of another class,
    or another method of one, says."""
    text, elsewhere = frame.module.usual, resolver.project.elsewhere
    if not found.sure or found.value is not UNKNOWN:
        return False
    tensor = found.kind == "tensor"
    if not tensor and _by_other_methods(resolver, frame, node):
        return True
    if _sets_classes(text) or tensor and (may_set(text, "data") or any(word in text for word in SWAPS)):
        return True
    names = _sources(frame, set(_names(node))) if tensor else set[str]()
    if tensor and _set_unspelled(resolver, frame, names):
        return True
    others = {file for word in ("data", *SWAPS) if tensor for file in elsewhere.storing(None, word, False)}
    others.update(_setting_classes(resolver))
    if others <= {frame.module.file}:
        return False
    names = names or _sources(frame, set(_names(node)))
    return any(not names.isdisjoint(given) for given in _given_to_users(resolver, frame))


def method_set(resolver: ResolverView, name: str) -> str | None:
    """Where some file sets an attribute of that name, of what may be a tensor."""
    for file in resolver.project.elsewhere.storing(None, name, False):
        if resolver.project.says(file, may_set, name):
            resolver.read((file,))
            return resolver.project.relative(file)
    return None


def _by_other_methods(resolver: ResolverView, frame: Frame, node: ast.expr) -> bool:
    """Whether a number may be what another method of a tensor says: one that some file sets, of a tensor that is given
    to a function that is not a library's."""
    owners = {name for method, owner in _numbers_asked(frame, node) if method_set(resolver, method) for name in owner}
    owners = _spread(frame, owners) if owners else owners
    return any(not owners.isdisjoint(given) for given in _given_to_users(resolver, frame)) if owners else False


def _numbers_asked(frame: Frame, node: ast.expr) -> Iterator[tuple[str, set[str]]]:
    """The methods by which a tensor tells its sizes and the like that an expression, or what its names are bound to,
    calls, with the names of what has them."""
    todo: list[ast.AST] = [node]
    seen: set[str] = set()
    while todo:
        inner = todo.pop()
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr in _TELL:
            yield inner.func.attr, set(_names(inner.func.value))
            todo += inner.args
        elif isinstance(inner, ast.Name) and inner.id not in seen:
            seen.add(inner.id)
            todo += [v for around in _around(frame) for names, v, _ in _bound(around.node) if inner.id in names]
        else:
            todo += children(inner)


def _setting_classes(resolver: ResolverView) -> Iterator[str]:
    """The files that may make something one of another class."""
    project = resolver.project
    return (f for f in project.elsewhere.storing(None, _CLASS, False) if project.says(f, _sets_classes))


@lru_cache(maxsize=16)
def _sets_classes(text: str) -> bool:
    """Whether a text may do that with something that is no module. (It is asked of each argument of each launch.)"""
    if not may_set(text, _CLASS):
        return False
    tree = whole(text)
    if tree is None:
        return True
    nodes = [*descend(tree)]
    stores = [node for node in nodes if isinstance(node, ast.Attribute) and node.attr == _CLASS]
    stores = [node for node in stores if not isinstance(node.ctx, ast.Load)]
    by_text = any(isinstance(node, ast.Constant) and node.value == _CLASS for node in nodes)
    return by_text or not stores or not all(_is_module(nodes, store.value) for store in stores)


def _is_module(nodes: list[ast.AST], owner: ast.expr) -> bool:
    """Whether what stands there is looked up among Python's modules."""
    if isinstance(owner, ast.Name):
        bound = [n for n in nodes if isinstance(n, ast.Name) and n.id == owner.id and not isinstance(n.ctx, ast.Load)]
        made = [n for n in nodes if isinstance(n, ast.Assign) and n.targets[0] in bound]
        return 0 < len(bound) == len(made) and all(_is_module([], one.value) for one in made)
    if not isinstance(owner, ast.Subscript):
        return False
    table = owner.value
    of_sys = isinstance(table, ast.Attribute) and isinstance(table.value, ast.Name) and table.value.id == "sys"
    return of_sys and last_name(table) == "modules" or isinstance(table, ast.Name) and table.id == "modules"


def _sources(frame: Frame, names: set[str]) -> set[str]:
    """These names, those of what they are made of in the functions around, and further ones of the same."""
    return _spread(frame, set(names), made_of=True)


def _spread(frame: Frame, names: set[str], made_of: bool = False) -> set[str]:
    """These names, and further ones of the same; ``made_of``: and those of what they are made of."""
    pairs = [
        (targets, set(_names(value)), same) for around in _around(frame) for targets, value, same in _bound(around.node)
    ]
    while True:
        more = {s for targets, sources, same in pairs if targets & names and (same or made_of) for s in sources}
        more |= {target for targets, sources, same in pairs if same and sources & names for target in targets}
        if more <= names:
            return names
        names |= more


@kept_with_trees(64)
def _bound(node: ast.AST) -> list[tuple[set[str], ast.expr, bool]]:
    """The names that each statement of a function binds, what it binds them to, and whether that is not made there.
    (It is asked of each argument of each launch.)"""
    found: list[tuple[set[str], ast.expr, bool]] = []
    for inner in descend(node):
        pair: tuple[list[ast.expr], ast.expr | None] = ([], None)
        if isinstance(inner, ast.Assign):
            pair = inner.targets, inner.value
        elif isinstance(inner, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
            pair = [inner.target], inner.value
        elif isinstance(inner, ast.For | ast.AsyncFor | ast.comprehension):
            pair = [inner.target], inner.iter
        elif isinstance(inner, ast.withitem) and inner.optional_vars is not None:
            pair = [inner.optional_vars], inner.context_expr
        targets, value = pair
        if value is not None:
            same = not isinstance(value, ast.Call | ast.BinOp | ast.UnaryOp | ast.Compare)
            found.append((set(_names(*targets)), value, same))
    return found


@kept_with_trees(64)
def _calls_in(node: ast.AST) -> list[tuple[ast.Call, set[str]]]:
    """The calls in a function that are no launches, with the names in what they are given."""
    calls = [call for call in descend(node) if isinstance(call, ast.Call) and not isinstance(call.func, ast.Subscript)]
    return [(call, set(_names(*_given(call)))) for call in calls]


def _set_unspelled(resolver: ResolverView, frame: Frame, names: set[str]) -> bool:
    """Whether a function is given the tensor that sets what has a name that is not in sight: Python's, or one of a file
    that has such."""
    computing = resolver.project.elsewhere.storing(None, ANY_NAME, False)
    for around in _around(frame) if computing else ():
        for call, given in _calls_in(around.node):
            if names.isdisjoint(given):
                continue
            found = meaning(resolver, around.static, call.func)
            if last_name(call.func) in _SETTERS or isinstance(found, Bound) and found.scope.module.file in computing:
                return True
    return False


def _around(frame: Frame) -> Iterator[Frame]:
    """A host function and those around it."""
    around: Scope | None = frame
    while isinstance(around, Frame) and not isinstance(around.node, ast.Module):
        yield around
        around = around.parent


def _given_to_users(resolver: ResolverView, frame: Frame) -> Iterator[set[str]]:
    """The names in what the calls of a host function and of those around it are given that are neither a library's nor
    a launch."""
    for around in _around(frame):
        for call, given in _calls_in(around.node):
            if not isinstance(meaning(resolver, around.static, call.func), (External, TritonObject)):
                yield given


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _names(*nodes: ast.expr) -> Iterator[str]:
    return (inner.id for node in nodes for inner in descend(node) if isinstance(inner, ast.Name))
