"""What of a launch's grid Triton can't use: a number, a float in it, a function that gives such a thing or asks for an
argument that there is not. Only what is certain; nothing is called."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from kernel_analysis.host.evaluate.values import Partial, UserFunction
from kernel_analysis.host.evaluate.wording import meant
from kernel_analysis.host.tensors.certain import display, kind
from kernel_analysis.host.tensors.launches.certain_launches import Certain
from kernel_analysis.host.tensors.placing import Place
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.tree.asked_always import keys
from kernel_analysis.source.tree.syntax import descend

_MOST_AXES = 3


def refused(launch: Certain, grid: ast.expr) -> str | None:
    """What is wrong with a grid, in words."""
    at = launch.at
    given = kind(at, grid)
    if given in ("int", "float"):
        return f"the grid is a number; Triton takes a tuple, `({ast.unparse(grid)},)`" if _short(grid) else (
            "the grid is a number; Triton takes a tuple of up to three numbers"
        )  # fmt: skip
    if given in ("none", "dict", "set", "tensor", "dtype", "str"):
        what = "None" if given == "none" else "a text" if given == "str" else f"a {given}"
        return f"the grid is {what}; Triton takes a tuple of up to three numbers, or a function that returns one"
    if given == "function" or isinstance(grid, ast.Call):
        return _function(launch, grid)
    return _tuple(at, grid)


def _short(grid: ast.expr) -> bool:
    return isinstance(grid, (ast.Name, ast.Constant))


def _tuple(at: Place, node: ast.expr) -> str | None:
    found = display(at, node)
    if found is None:
        return None
    axes, at = found
    if not axes:
        return "the grid is empty; Triton takes one to three numbers"
    if len(axes) > _MOST_AXES and not all(isinstance(a, ast.Constant) and a.value == 1 for a in axes[_MOST_AXES:]):
        return f"the grid has {len(axes)} axes; Triton launches the first three and ignores the rest"
    for axis in axes:
        given = kind(at, axis)
        if given == "float":
            hint = ": use `//` or `triton.cdiv`" if any(isinstance(n, ast.Div) for n in ast.walk(axis)) else ""
            return f"`{ast.unparse(axis)}` in the grid is a float; Triton takes integers{hint}"
        if given in ("none", "str", "list", "dict", "set", "tuple", "function"):
            return f"`{ast.unparse(axis)}` in the grid is no number"
    return None


def _numbers(launch: Certain) -> frozenset[str]:
    """The arguments that are whole numbers by the time that the grid is asked for: of the launch, and of every config.
    Heuristics may make others of them."""
    filled, configs = launch.stack.heuristics(), launch.stack.chosen()
    if filled is None or configs is None:
        return frozenset()
    found = {parameter.name for parameter, node in launch.given() if kind(launch.at, node) == "int"}
    sets = [{name: _is_whole(value) for name, value in config.values.items()} for config in configs]
    every = set[str].intersection(*map(set[str], sets)) if sets else set[str]()
    found |= {name for name in every if all(one[name] for one in sets)}
    others = {name for one in sets for name, whole in one.items() if not whole}
    return frozenset(found - others - filled.keys())


def _lacking(at: Place, kernel: JitFunction, grid: ast.Lambda | ast.FunctionDef) -> Iterator[str]:
    """What a grid function always asks for, and the kernel has no parameter of that name."""
    names = [parameter.name for parameter in kernel.parameters]
    if kernel.node.args.vararg is not None or kernel.node.args.kwarg is not None or at.known is None:
        return
    for key in keys(grid, at.known[0].arg):
        if key.value not in names:
            close = meant(str(key.value), names)
            hint = f"; did you mean `{close}`?" if close else ""
            yield f"the grid function asks for `{key.value}`, which is no parameter of the kernel{hint}"


def _is_whole(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


def _function(launch: Certain, node: ast.expr) -> str | None:
    at = launch.at
    value = at.resolver.evaluator.evaluate(node, at.scope, at.order)
    bound = 0
    if isinstance(value, Partial):
        bound, value = len(value.args), value.function
    if not isinstance(value, UserFunction) or isinstance(value.node, ast.AsyncFunctionDef):
        return None
    args = value.node.args
    positional = [*args.posonlyargs, *args.args]
    if not bound and args.vararg is None and not len(positional) - len(args.defaults) <= 1 <= len(positional):
        return f"Triton calls the grid with one argument, the kernel's arguments by name; this takes {len(positional)}"
    inside = at.inside(value)
    if not bound and positional:
        inside = replace(inside, known=(positional[0], _numbers(launch)))
    if isinstance(value.node, ast.Lambda):
        results = [value.node.body]
    else:
        if value.node.decorator_list or any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in descend(value.node)):
            return None
        results = [n.value for n in descend(value.node) if isinstance(n, ast.Return) and n.value is not None]
    strange = next(_lacking(inside, launch.function, value.node), None) if inside.known is not None else None
    if strange is not None:
        return strange
    if results and all(kind(inside, r) in ("int", "float") for r in results):
        return "the grid function returns a number; Triton takes a tuple, so write `(...,)`"
    found = [_tuple(inside, r) for r in results]
    return next(iter(found), None) if all(found) else None
