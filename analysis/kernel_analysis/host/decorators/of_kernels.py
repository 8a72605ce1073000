"""Functions that do what only kernels do: ``tl.load``, ``tl.program_id``, ... Whatever hands one to ``jit``, a loop, a
metaclass, another file, it can be nothing else.

Reads syntax and resolves names; follows nobody who hands a function on."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.decorators import decorations
from kernel_analysis.host.evaluate.values import Decoration, Scope, UserFunction
from kernel_analysis.source.slice import TritonObject
from kernel_analysis.source.tree import nodes, parameters
from kernel_analysis.source.tree.forms import chain, last_name
from kernel_analysis.source.tree.syntax import children

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_DOES: Final = ("load", "store", "program_id", "arange", "dot", "atomic_add", "make_tensor_descriptor")
_CALLS: Final = nodes.words(*_DOES, behind=r"\s*\(")
_OF_LANGUAGE: Final = frozenset({"_semantic", "_builder", "_generator"})
"""What Triton passes to the functions of its language: those that take it are no kernels."""
_OTHERS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def language(resolver: ResolverView, inner: Scope, node: ast.FunctionDef) -> str | None:
    """The path of the language in whose words the function's own statements do what no host code does."""
    todo: list[ast.AST] = list(node.body)
    while todo:
        part = todo.pop()
        if isinstance(part, _OTHERS):
            continue
        if isinstance(part, ast.Call) and last_name(part.func) in _DOES and _from_outside(inner, part.func):
            meaning = resolver.evaluator.evaluate(part.func, inner)
            if isinstance(meaning, TritonObject) and ".language." in meaning.path:
                return meaning.path
        todo += children(part)
    return None


def _from_outside(inner: Scope, said: ast.expr) -> bool:
    """Whether what is said begins with a name that the function does not bind: what it does bind is a value in a
    kernel, and to find out what it is anywhere else may take the whole of another library."""
    root, _ = chain(said)
    return isinstance(root, ast.Name) and root.id not in inner.table.events


def is_of_language(node: ast.FunctionDef) -> bool:
    """Whether Triton passes it what it passes the functions of its language."""
    return not _OF_LANGUAGE.isdisjoint(argument.arg for argument in parameters.every(node.args))


def take(resolver: ResolverView, module: Module) -> None:
    """Notes those that nothing decorates as the jit functions that somebody makes of them."""
    lines = nodes.lines_with(module, _CALLS)
    for node, scope in _plain(resolver, module) if lines else ():
        first = bisect_left(lines, node.lineno)
        if first == len(lines) or lines[first] > (node.end_lineno or node.lineno):
            continue
        path = language(resolver, resolver.inner(scope, node), node)
        value = resolver.evaluator.decorated(scope, node, None) if path is not None else None
        if path is not None and isinstance(value, UserFunction) and value.node is node:
            gluon = path.startswith("triton.experimental.gluon")
            decorations.decorate(resolver.evaluator, Decoration("jit", gluon), value)


def _plain(resolver: ResolverView, module: Module) -> Iterator[tuple[ast.FunctionDef, Scope]]:
    """The functions that are not known as jit functions, nor stand in one."""
    known = {id(function.node) for function in module.jit.values()}
    for node, around in nodes.statements(module):
        if isinstance(node, ast.FunctionDef) and not known & {id(node), *map(id, around)} and module.is_whole(node):
            if not is_of_language(node):
                yield node, resolver.scope(module, around)
