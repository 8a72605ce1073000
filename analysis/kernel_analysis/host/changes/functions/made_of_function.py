"""What a jit function reads of Python's function when it is made: its code, that of what it wraps, its annotations and
signature. Where code may have set these before, something else is compiled than stands there.

Follows what is spelled; of all else only decorators are evaluated.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.functions.function_parts import READ_WHEN_MADE, jit_changed, may_mean, part_set
from kernel_analysis.host.changes.text import rewritten
from kernel_analysis.host.changes.uses import Occurrence, occurrences, own_instance
from kernel_analysis.host.evaluate.values import (
    Decoration,
    External,
    Partial,
    Scope,
    TritonObject,
    UserClass,
    UserFunction,
)
from kernel_analysis.host.names.naming import meaning
from kernel_analysis.source.tree import decorator_text, parameters
from kernel_analysis.source.tree.forms import last_name

if TYPE_CHECKING:
    from kernel_analysis.host.evaluate.values import Value
    from kernel_analysis.host.interpreter_views import ResolverView, TouchesView
    from kernel_analysis.source.kernel import JitFunction
    from kernel_analysis.source.module import Module
    from kernel_analysis.source.tree.scopes import FunctionNode

_WRAPPING = ("wraps", "update_wrapper")
"""What sets ``__wrapped__``, of functools."""


def changed(touches: TouchesView, module: Module, function: JitFunction) -> str | None:
    """Why what is compiled may be something else than the function that stands there, in words."""
    resolver, node, found = touches.resolver, function.node, None
    if _had_before(resolver, resolver.scope(module, function.scope), node):
        found = part_set(resolver, module, node, READ_WHEN_MADE) or _wrapper(resolver, module, node)
    return found or _retold(resolver, module, node) or jit_changed(touches, module, function)


def _retold(resolver: ResolverView, module: Module, function: FunctionNode) -> str | None:
    """Where what decorates it, by itself or by what its file imports of the workspace, may give the jit function that
    it makes another text: ``j._unsafe_update_src(...)``, a class of its own of such functions."""
    for file in rewritten.of_decorators(resolver, module, function.decorator_list):
        if resolver.project.says(file, rewritten.sets_text):
            resolver.read((file,))
            return f"`{resolver.project.relative(file)}`, which decorates it, may give a jit function another text"
    return None


def _had_before(resolver: ResolverView, scope: Scope, function: FunctionNode) -> bool:
    """Whether code may have Python's function before the jit function is made of it: Triton's decorator does not stand
    on it itself."""
    if not function.decorator_list:
        return True
    maker = _maker(resolver, scope, function.decorator_list[-1])
    if isinstance(maker, UserFunction) and not isinstance(function.decorator_list[-1], ast.Call):
        inner = resolver.inner(maker.scope, maker.node)
        return not decorator_text.only_hands_on(maker.node, lambda to: _is_triton_s(_maker(resolver, inner, to)))
    return not _is_triton_s(maker)


def _is_triton_s(maker: Value) -> bool:
    return isinstance(maker.function if isinstance(maker, Partial) else maker, (TritonObject, Decoration))


def _maker(resolver: ResolverView, scope: Scope, decorator: ast.expr) -> Value:
    """What a decorator is. (That it may be another is heard where the kernel is found.)"""
    with resolver.unheard():
        return resolver.evaluator.evaluate(decorator.func if isinstance(decorator, ast.Call) else decorator, scope)


def _having(resolver: ResolverView, module: Module, function: FunctionNode) -> set[str]:
    """The files that may have Python's function and give it to others: its own, those that have its name, and those of
    its decorators."""
    scope = resolver.scope(module)
    makers = [_maker(resolver, scope, decorator) for decorator in function.decorator_list]
    made = {maker.scope.module.file for maker in makers if isinstance(maker, (UserFunction, UserClass))}
    return {module.file, *resolver.project.elsewhere.calling(module, function.name)} | made


def _wrapper(resolver: ResolverView, module: Module, function: FunctionNode) -> str | None:
    project, having = resolver.project, _having(resolver, module, function)
    for word in _WRAPPING:
        own = [module.file] if word in module.named else []
        for file in dict.fromkeys((*own, *project.elsewhere.wording(module, word))):
            other = project.load(file)
            for at in occurrences(other, word):
                if _wraps(resolver, other, at, module, function, having):
                    resolver.read((file,))
                    line = getattr(at.chain[0], "lineno", at.statement.lineno)
                    return f"it may be made the wrapper of another function by {project.place(file, line)}"
    return None


def _wraps(
    resolver: ResolverView, other: Module, at: Occurrence, module: Module, function: FunctionNode, having: set[str]
) -> bool:
    node, above, beyond = (*at.chain, None, None)[:3]
    if not isinstance(node, (ast.Name, ast.Attribute)) or not isinstance(node.ctx, ast.Load):
        return False
    if not isinstance(above, ast.Call) or above.func is not node:
        above = None
    statement = next((outer for outer in at.chain if isinstance(outer, ast.stmt)), at.statement)  # in a text, its own
    if above in getattr(statement, "decorator_list", ()) and last_name(node) == "wraps":
        # Be it that of functools, which changes what it decorates, or not: what else goes by that name is spelled, too.
        return statement is function
    scope = resolver.scope(other, at.around)
    found = meaning(resolver, scope, node)
    if not isinstance(found, External) or found.path not in {f"functools.{word}" for word in _WRAPPING}:
        return found is None
    if above is None:
        return True
    call: ast.AST | None = above
    if found.path == "functools.wraps":
        call = beyond if isinstance(beyond, ast.Call) and beyond.func is above else None
    if not isinstance(call, ast.Call) or not call.args or isinstance(call.args[0], ast.Starred):
        return True
    given = call.args[0]
    if own_instance(given, at) or not _may_be_given(resolver, other, at, given, having):
        return False
    return may_mean(resolver, scope, given, other, module, function, "__wrapped__")


def _may_be_given(resolver: ResolverView, other: Module, at: Occurrence, given: ast.expr, having: set[str]) -> bool:
    """Whether what stands there may come from one of these files: what is a parameter of a function comes from those
    who call that by its name."""
    names = [
        outer.name
        for outer in at.around
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef))
        and isinstance(given, ast.Name)
        and given.id in {argument.arg for argument in parameters.every(outer.args)}
    ]
    if not names or other.file in having:
        return True
    return any(resolver.project.says(file, _has_word, names[-1]) for file in having)


def _has_word(text: str, word: str) -> bool:
    return re.search(rf"\b{re.escape(word)}\b", text) is not None
