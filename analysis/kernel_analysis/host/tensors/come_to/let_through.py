"""Whether what is raised at a place of host code comes to whoever runs that code: all that stands around it is known to
let it through. What is wrong where that is not known may be there to fail, and is no error.

Reads text only, as far as names lead without evaluating anything.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from kernel_analysis.host.changes.uses import occurrences
from kernel_analysis.host.evaluate.values import External, Scope, TritonObject
from kernel_analysis.host.names.naming import Bound, meaning
from kernel_analysis.host.tensors.certain import library
from kernel_analysis.host.tensors.come_to.reached import LEAVES, around, only_where, takes_by_name
from kernel_analysis.host.tensors.placing import FUNCTIONS, SCOPES, Place
from kernel_analysis.source.tree import parameters
from kernel_analysis.source.tree.forms import chain
from kernel_analysis.source.tree.syntax import descend

_LIBRARIES = frozenset({
    "abc", "asyncio", "atexit", "builtins", "collections", "concurrent", "contextlib", "dataclasses", "enum",
    "functools", "hypothesis", "itertools", "multiprocessing", "numpy", "operator", "pytest", "threading", "time",
    "timeit", "torch", "triton", "typing", "typing_extensions", "unittest",
})  # fmt: skip
"""Whose functions, decorators and context managers pass on what is raised in what they are given, but those that say
by their names that they don't."""
_GENERATORS = ("contextlib.contextmanager", "contextlib.asynccontextmanager")
_DEEPEST = 4


def lets_through(at: Place) -> bool:
    """Whether some run of the code around shows what is raised there."""
    return _around(at) and not only_where(at, lambda there: not _around(there, named=True))


def _around(at: Place, named: bool = False) -> bool:
    """``named``: the place is the name of a function that may raise it when it is called."""
    scope = at.scope
    for inner, outer in pairwise([*reversed(at.path)]):
        if isinstance(inner, SCOPES) and inner is not at.path[-1]:
            scope = scope.parent or scope
        if isinstance(outer, SCOPES):
            # (A decorator sees the names around the function.)
            names = scope.parent or scope
            if inner in outer.body and not all(_passes(at, names, _function(d)) for d in outer.decorator_list):
                return False
        elif not _statement_passes(at, scope, outer, inner, 0):
            return False
    return all(_passes(at, at.scope, call.func) for call in _handed_to(at, named))


def _handed_to(at: Place, named: bool) -> Iterator[ast.Call]:
    """The calls that are given a function to call in which the place is, or which it names."""
    inside = named
    for node, part in reversed([*around(at)]):
        if isinstance(node, ast.Call) and inside:
            if part is node.func:
                inside = part is not at.node
            else:
                yield node
        inside |= isinstance(node, ast.Lambda)


def _statement_passes(at: Place, scope: Scope, node: ast.stmt, inner: ast.stmt, depth: int) -> bool:
    if isinstance(node, (ast.With, ast.AsyncWith)):
        managers = (_function(item.context_expr) for item in node.items)
        return inner not in node.body or all(_manager_passes(at, scope, manager, depth) for manager in managers)
    if isinstance(node, ast.Try):
        ends = any(isinstance(n, LEAVES) and not isinstance(n, ast.Raise) for n in node.finalbody)
        return inner not in node.body or not ends and all(isinstance(h.body[-1], ast.Raise) for h in node.handlers)
    return True


def _function(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node


def _manager_passes(at: Place, scope: Scope, manager: ast.expr, depth: int) -> bool:
    """The same of what a ``with`` stands on: a library's, a generator, or a class that says what its end does."""
    found = meaning(at.resolver, scope, manager) if library(replace(at, scope=scope), manager) is None else None
    node = found.event.node if isinstance(found, Bound) else None
    if isinstance(found, Bound) and isinstance(node, FUNCTIONS):
        made = [meaning(at.resolver, found.scope, d) for d in node.decorator_list]
        if not all(isinstance(m, External) and m.path in _GENERATORS for m in made) or not made:
            return False
    if isinstance(found, Bound) and isinstance(node, ast.ClassDef):
        ends = [n for n in node.body if isinstance(n, FUNCTIONS) and n.name in ("__exit__", "__aexit__")]
        given = [n.value for end in ends for n in descend(end) if isinstance(n, ast.Return) and n.value is not None]
        if not ends or any(not isinstance(value, ast.Constant) or bool(value.value) for value in given):
            return False
        if any(occurrences(found.scope.module, end.name) for end in ends):
            return False  # something sets it, or asks for another's
    return _passes(at, scope, manager, depth)


def _passes(at: Place, scope: Scope, function: ast.expr, depth: int = 0) -> bool:
    """Whether a function, a decorator or what a ``with`` stands on is known to pass on what is raised in what it is
    given."""
    if scope is at.scope and _root(function) in at.hidden:
        return False
    path = library(replace(at, scope=scope), function)
    found = External(path) if path is not None else meaning(at.resolver, scope, function)
    if isinstance(found, TritonObject):
        return True
    if isinstance(found, External):
        names = found.path.split(".")
        return names[0] in _LIBRARIES and not any(map(takes_by_name, names))
    if not isinstance(found, Bound) or depth >= _DEEPEST:
        return False
    node = found.event.node
    if not isinstance(node, SCOPES) or isinstance(node, ast.ClassDef) and node.keywords:
        return False
    inner = node.bases if isinstance(node, ast.ClassDef) else ()
    if not all(_passes(at, found.scope, _function(one), depth + 1) for one in (*node.decorator_list, *inner)):
        return False
    within = found.scope if isinstance(node, ast.ClassDef) else at.resolver.inner(found.scope, node)
    return _text_passes(at, within, node, depth + 1)


def _text_passes(at: Place, scope: Scope, own: ast.AST, depth: int) -> bool:
    """Whether no statement of a function or class takes what is raised, and it hands none of what it has by a name of
    its own, or makes, to anybody who may."""
    inner = [n for n in descend(own) if n is not own and isinstance(n, (*SCOPES, ast.Lambda))]
    functions = [n for n in (own, *inner) if isinstance(n, (*FUNCTIONS, ast.Lambda))]
    bound = {parameter.arg for function in functions for parameter in parameters.every(function.args)}
    bound |= {n.id for n in descend(own) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own_names = bound | {n.name for n in inner if isinstance(n, SCOPES)}
    for node in descend(own):
        if isinstance(node, (ast.With, ast.AsyncWith)):
            if any(_root(_function(item.context_expr)) in bound for item in node.items):
                return False
        if isinstance(node, (ast.With, ast.AsyncWith, ast.Try)):
            if not _statement_passes(at, scope, node, node.body[0], depth):
                return False
        if isinstance(node, ast.Call) and _hands_on(node, own_names):
            # (What is given to itself, as `f(x)` does, is its caller's.)
            if not isinstance(node.func, ast.Name) or node.func.id not in bound:
                if _root(node.func) in bound or not _passes(at, scope, node.func, depth):
                    return False
    return True


def _hands_on(call: ast.Call, names: set[str]) -> bool:
    """Whether what a call is given has a function in it, or something of one of the names."""
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    parts = (node for argument in arguments for node in ast.walk(argument))
    return any(isinstance(n, ast.Lambda) or isinstance(n, ast.Name) and n.id in names for n in parts)


def _root(node: ast.expr) -> str | None:
    root, _ = chain(node)
    return root.id if isinstance(root, ast.Name) else None
