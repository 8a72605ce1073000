"""What the parameters of a function stand for in a call, as Python binds them."""

# pyright: basic
from __future__ import annotations

import ast
from typing import Any


def bound(
    node: ast.FunctionDef, defaults: dict[str, Any], args: tuple[Any, ...], given: dict[str, Any]
) -> dict[str, Any]:
    """The value of each parameter. Raises TypeError where Python does."""
    arguments = node.args
    positional = [a.arg for a in arguments.posonlyargs + arguments.args]
    named = {a.arg for a in arguments.args + arguments.kwonlyargs}
    if len(args) > len(positional) and not arguments.vararg:
        raise TypeError(f"{node.name}() takes {len(positional)} positional arguments but {len(args)} were given")
    local = {**defaults, **dict(zip(positional, args, strict=False))}
    if arguments.vararg:
        local[arguments.vararg.arg] = args[len(positional) :]
    more: dict[str, Any] = {}
    for name, value in given.items():
        if name in named and name in positional[: len(args)]:
            raise TypeError(f"{node.name}() got multiple values for argument '{name}'")
        if name not in named and not arguments.kwarg:
            raise TypeError(f"{node.name}() got an unexpected keyword argument '{name}'")
        (local if name in named else more)[name] = value
    if arguments.kwarg:
        local[arguments.kwarg.arg] = more
    for name in positional + [a.arg for a in arguments.kwonlyargs]:
        if name not in local:
            raise TypeError(f"{node.name}() missing the argument '{name}'")
    return local
