"""A function that makes an object of a class that it is given: ``f = jit_function_cls(f)``. Whether all that the
workspace gives it there makes new objects.

Follows what is spelled, as all that asks what is set of a jit function does; evaluates nothing.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.uses import Occurrence, occurrences
from kernel_analysis.host.names.naming import Bound, meaning, meanings
from kernel_analysis.source.slice import TritonObject
from kernel_analysis.source.tree import parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernel_analysis.host.evaluate.values import Scope
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_DECIDES = ("__new__", "metaclass")
"""By these a class gives for a call what may have been there before."""


def makes_new(resolver: ResolverView, made: Bound) -> bool:
    """Whether a parameter stands for nothing but classes of Triton's, and the type of some object."""
    function, name = made.scope.node, getattr(made.event.node, "arg", None)
    if made.event.how != "parameter" or name is None or not isinstance(function, ast.FunctionDef):
        return False
    outer = made.scope.parent
    if outer is None or not isinstance(outer.node, ast.Module) or function.decorator_list:
        return False
    module, elsewhere = made.scope.module, resolver.project.elsewhere
    if name not in {argument.arg for argument in parameters.single(function.args)}:
        return False
    default = parameters.defaults(function.args).get(name)
    given = [] if default is None else [(default, outer)]
    for word in elsewhere.called(function.name):
        for file in {module.file, *elsewhere.wording(module, function.name)}:
            resolver.read((file,))
            other = module if file == module.file else resolver.project.load(file)
            for at in occurrences(other, word):
                passed = list(_passed(resolver, other, at, function, name))
                if not passed:
                    return False
                given += [(value, resolver.scope(other, at.around)) for value in passed if value is not None]
    return all(_is_new(resolver, value, scope) for value, scope in given)


def _passed(
    resolver: ResolverView, other: Module, at: Occurrence, function: ast.FunctionDef, name: str
) -> Iterator[ast.expr | None]:
    """What is given there for the parameter, None for nothing; no answer where it is more than called."""
    node, above = (*at.chain, at.statement)[:2]
    call = at.chain[1] if len(at.chain) > 1 else None
    if isinstance(above, (ast.Import, ast.ImportFrom)) or isinstance(node, ast.alias):
        yield None
    elif isinstance(call, ast.Call) and call.func is node and not any(isinstance(a, ast.Starred) for a in call.args):
        names = parameters.positional(function.args)
        named = {keyword.arg: keyword.value for keyword in call.keywords}
        if name in names[: len(call.args)]:
            yield call.args[names.index(name)]
        elif name in named or None not in named:
            yield named.get(name)


def _is_new(resolver: ResolverView, value: ast.expr, scope: Scope) -> bool:
    if isinstance(value, ast.Call):
        asks = isinstance(value.func, ast.Name) and value.func.id == "type" and len(value.args) == 1
        found = meaning(resolver, scope, value.func) if asks and not value.keywords else None
        is_python_s = getattr(found, "path", "") == "builtins.type"
        words = [(word, scope.module) for word in _DECIDES]
        decided = any(
            word in module.named or resolver.project.elsewhere.wording(module, word) for word, module in words
        )
        return is_python_s and not decided
    found = meanings(resolver, scope, value)
    return bool(found) and all(isinstance(one, TritonObject) for one in found)
