"""What a module's own ``__getattr__`` gives for a name: packages import their parts when these are asked for. Evaluates
through the resolver alone."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.values import (
    ConstexprFunction,
    Jit,
    ModuleValue,
    Unknown,
    UserClass,
    UserFunction,
    Value,
)

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView

_DEFINED = (Jit, ConstexprFunction, UserFunction, UserClass, ModuleValue)


def given(resolver: ResolverView, owner: ModuleValue, name: str, node: ast.AST) -> Value:
    """A module or what a file defines, as far as that can be followed. (What else it computes may be another the next
    time.)"""
    assert owner.file is not None
    module = resolver.project.load(owner.file)
    makes = resolver.in_scope(resolver.scope(module), "__getattr__")
    if makes is not None and isinstance(makes.value, UserFunction) and not resolver.touches.stored(name, module):
        call = ast.Call(ast.Name("__getattr__", ast.Load()), [ast.Constant(name)], [])
        found = resolver.evaluator.called(makes.value, [name], {}, ast.copy_location(call, node))
        if isinstance(found, _DEFINED):
            return found
    return Unknown(f"`{owner.name}` makes `{name}` when it is asked for.")
