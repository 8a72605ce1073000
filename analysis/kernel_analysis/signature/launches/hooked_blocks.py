"""The block shapes that an autotuner's hook gives descriptors, by syntax: what a hook sets is likely, no more."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.tree import parameters
from kernel_analysis.source.tree.forms import spreads
from kernel_analysis.source.tree.syntax import descend, kept_with_trees

if TYPE_CHECKING:
    from kernel_analysis.kernels.project import Project

_Block: TypeAlias = "tuple[int | str | None, ...]"
_Names: TypeAlias = "dict[str, str | _Block]"
"""What the names of a hook stand for: an extent, a descriptor's name, a shape."""
_DEPTH = 3


def hooked_block(project: Project, function: JitFunction, name: str) -> _Block:
    """The block shape that a hook of the autotuner gives a descriptor: ``nargs["a_desc"].block_shape =
    [nargs["BLOCK_M"], 64]``, also through names, loops and functions of its own."""
    module = project.load(function.file)
    if ".block_shape" not in module.text:
        return ()
    mine = {p.name for p in function.parameters}
    best: dict[str, _Block] = {}
    for shapes in _hooks(module.tree):
        # Of several kernels' hooks, the one that fits this kernel's parameters best.
        if name in shapes and len(shapes.keys() & mine) - len(shapes.keys() - mine) > len(best.keys() & mine) - len(
            best.keys() - mine
        ):
            best = shapes
    return best.get(name, ())


@kept_with_trees(64)
def _hooks(tree: ast.Module) -> list[dict[str, _Block]]:
    """The block shapes that each function of a file sets; asked for once per descriptor."""
    functions = {node.name: node for node in descend(tree) if isinstance(node, ast.FunctionDef)}
    return [shapes for node in descend(tree) if isinstance(node, ast.FunctionDef) and (shapes := _set(node, functions))]


def _set(hook: ast.FunctionDef, functions: Mapping[str, ast.FunctionDef]) -> dict[str, _Block]:
    reader = _Reader(functions)
    reader.read(hook.body, {}, 0)
    return reader.found


class _Reader:
    """Reads a hook; ``found``: the block shapes that it sets, by the descriptor's name. Of several for one that none of
    the kernel's constants decides the last, as where a flag is not set."""

    def __init__(self, functions: Mapping[str, ast.FunctionDef]) -> None:
        self._functions = functions
        self.found: dict[str, _Block] = {}

    def read(self, body: list[ast.stmt], names: _Names, depth: int) -> None:
        for statement in body:
            match statement:
                case ast.Assign(targets=[target, *_], value=value):
                    self._assign(target, value, names)
                case ast.Expr(value=ast.Call(func=ast.Name(id=called)) as call) if called in self._functions:
                    if depth < _DEPTH:
                        function = self._functions[called]
                        self.read(function.body, _passed(call, function, names), depth + 1)
                case ast.For(target=target, iter=ast.Tuple(elts=items) | ast.List(elts=items)):
                    for item in items:
                        self._assign(target, item, names)
                        self.read(statement.body, names, depth)
                case ast.If(test=test, body=body, orelse=orelse) if (flag := _extent(test, names)) is not None:
                    before = dict(self.found)
                    self.read(body, names, depth)
                    where_set, self.found = self.found, before
                    self.read(orelse, names, depth)
                    for key, block in where_set.items():
                        self.found[key] = _either(flag, block, self.found.get(key, block))
                case _:
                    for block in ("body", "orelse", "finalbody"):
                        self.read(getattr(statement, block, []), names, depth)

    def _assign(self, target: ast.expr, value: ast.expr, names: _Names) -> None:
        for one, given in _pairs(target, value):
            held = _held(given, names)
            if isinstance(one, ast.Name) and held is not None:
                names[one.id] = held
            elif isinstance(one, ast.Attribute) and one.attr == "block_shape" and isinstance(held, tuple):
                owner = one.value
                key = names.get(owner.id) if isinstance(owner, ast.Name) else _key(owner, names)
                if isinstance(key, str):
                    self.found[key] = held


def _passed(call: ast.Call, function: ast.FunctionDef, names: _Names) -> _Names:
    """What a call hands to a function, as names of that."""
    if spreads(call):
        return {}
    given = dict(zip(parameters.positional(function.args), call.args, strict=False))
    given.update({k.arg: k.value for k in call.keywords if k.arg is not None})
    return {name: held for name, node in given.items() if (held := _held(node, names)) is not None}


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """What an assignment gives what: ``a, b = c, d`` is two."""
    if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)):
        if len(target.elts) == len(value.elts):
            return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]


def _held(node: ast.expr, names: _Names) -> str | _Block | None:
    """What a name stands for that is given this."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return tuple(_extent(part, names) for part in node.elts)
    if isinstance(node, ast.Name) and isinstance(names.get(node.id), tuple):
        return names[node.id]
    if isinstance(node, ast.IfExp):
        flag, ways = _extent(node.test, names), [_held(way, names) for way in (node.body, node.orelse)]
        where_set, otherwise = (way if isinstance(way, tuple) else () for way in ways)
        return _either(flag, where_set, otherwise) or ways[1]
    extent = node.value if isinstance(node, ast.Constant) else _extent(node, names)
    return str(extent) if isinstance(extent, str | int) else None


def _either(flag: int | str | None, where_set: _Block, otherwise: _Block) -> _Block:
    """The one or the other shape, as a constant of the kernel's says."""
    if where_set == otherwise or not isinstance(flag, str) or len(where_set) != len(otherwise):
        return otherwise
    sizes = zip(where_set, otherwise, strict=True)
    return tuple([one if one == other else f"({one} if {flag} else {other})" for one, other in sizes])


def _key(node: ast.expr, names: _Names) -> str | None:
    """``"X"`` of ``nargs["X"]`` and ``nargs.get("X", ...)``."""
    key: ast.expr | None = None
    if isinstance(node, ast.Subscript):
        key = node.slice
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
        key = node.args[0]
    value = key.value if isinstance(key, ast.Constant) else names.get(key.id) if isinstance(key, ast.Name) else None
    return value if isinstance(value, str) else None


def _extent(node: ast.expr, names: _Names) -> int | str | None:
    """A number, or what it is computed as from the kernel's constants: ``BLOCK_N``, ``(BLOCK_N // 2)``."""
    if isinstance(node, ast.Name):
        held = names.get(node.id, node.id)
        return held if isinstance(held, str) else None
    if isinstance(node, ast.BinOp):
        sides = [_extent(side, names) for side in (node.left, node.right)]
        made = ast.BinOp(ast.Name(str(sides[0])), node.op, ast.Name(str(sides[1])))
        return None if None in sides else f"({ast.unparse(made)})"
    return _key(node, names) or (node.value if isinstance(node, ast.Constant) and isinstance(node.value, int) else None)
