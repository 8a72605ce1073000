"""The parameters of a function as its ``def`` lists them. Syntax only: what a call passes for them is not looked at."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def positional(args: ast.arguments) -> list[str]:
    """Those that a call may fill by their place."""
    return [argument.arg for argument in (*args.posonlyargs, *args.args)]


def single(args: ast.arguments) -> list[ast.arg]:
    """Those that are one value each: all but ``*args`` and ``**keywords``."""
    return [*args.posonlyargs, *args.args, *args.kwonlyargs]


def every(args: ast.arguments) -> Iterator[ast.arg]:
    """All of them, in the order of the call."""
    yield from args.posonlyargs
    yield from args.args
    if args.vararg:
        yield args.vararg
    yield from args.kwonlyargs
    if args.kwarg:
        yield args.kwarg


def defaults(args: ast.arguments) -> dict[str, ast.expr]:
    """What they have where nothing is passed, by name."""
    places = positional(args)
    found = zip(places[len(places) - len(args.defaults) :], args.defaults, strict=False)
    named = zip((argument.arg for argument in args.kwonlyargs), args.kw_defaults, strict=True)
    return {name: default for name, default in [*found, *named] if default is not None}
