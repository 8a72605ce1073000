"""What a code generator says of its kernel in a decorator: ``triton_meta={"signature": {"in_ptr0": "*fp32"}, ...}``.

Reads literals only; what else stands there is left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from kernel_analysis.record import record
from kernel_analysis.source.tree import parameters

Literal: TypeAlias = "int | float | bool | str | None"
_Place: TypeAlias = "tuple[Literal, int]"


@record
class Declared:
    """By parameter. ``types``: as Triton spells them, ``constexpr`` included; with the line that says so, as all of
    these. ``constants``: values that are compiled in. ``configs``: each value that an autotune config may give.
    ``sizes``: by the prefix of a range (``x``, ``r0_``) about how many elements it has. ``mutated``: the parameters
    that are said to be written and are no plain outputs; None where nothing is said."""

    types: Mapping[str, tuple[str, int]]
    constants: Mapping[str, _Place]
    configs: Mapping[str, tuple[_Place, ...]]
    sizes: Mapping[str, tuple[int, int]]
    mutated: tuple[str, ...] | None


def declared(function: ast.FunctionDef) -> Declared | None:
    """What the decorators of a kernel declare; None where none of them has a ``triton_meta`` with a signature."""
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call):
            given = {keyword.arg: keyword.value for keyword in decorator.keywords if keyword.arg}
            signature = _item(given.get("triton_meta"), "signature")
            if isinstance(signature, ast.Dict):
                return _read(function, given, signature)
    return None


def _read(function: ast.FunctionDef, given: Mapping[str, ast.expr], signature: ast.Dict) -> Declared:
    names = [argument.arg for argument in parameters.single(function.args)]
    configs: dict[str, tuple[_Place, ...]] = {}
    several = given.get("configs")
    alternatives = several.elts if isinstance(several, (ast.List, ast.Tuple)) else []
    for config in (given.get("config"), *alternatives):
        for name, place in _constants(config, names):
            configs[name] = (*configs.get(name, ()), place)
    return Declared(
        {n: (value, line) for n, (value, line) in _constants(signature, names) if isinstance(value, str)},
        dict(_constants(_item(given.get("triton_meta"), "constants"), names)),
        configs,
        {n: (v, line) for n, (v, line) in _constants(given.get("size_hints")) if type(v) is int and v > 0},
        _names(_item(given.get("inductor_meta"), "mutated_arg_names")),
    )


def _item(node: ast.expr | None, key: str) -> ast.expr | None:
    """The value of a dict display under a key."""
    if isinstance(node, ast.Dict):
        for k, value in zip(node.keys, node.values, strict=True):
            if isinstance(k, ast.Constant) and k.value == key:
                return value
    return None


def _constants(node: ast.expr | None, parameters: list[str] | None = None) -> Iterator[tuple[str, _Place]]:
    """The literals of a dict display, by name. With ``parameters`` a key may also be a parameter's position, ``0`` or
    ``(0,)``, and those of others are left out."""
    if not isinstance(node, ast.Dict):
        return
    for key, value in zip(node.keys, node.values, strict=True):
        if isinstance(key, ast.Tuple) and len(key.elts) == 1:
            key = key.elts[0]
        name = key.value if isinstance(key, ast.Constant) else None
        if parameters is not None and type(name) is int and 0 <= name < len(parameters):
            name = parameters[name]
        found = _literal(value)
        if isinstance(name, str) and found and (parameters is None or name in parameters):
            yield name, (found[0], value.lineno)


def _literal(node: ast.expr) -> tuple[Literal] | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _literal(node.operand)
        return (-inner[0],) if inner and isinstance(inner[0], (int, float)) else None
    if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, (int, float, str))):
        return (node.value,)
    return None


def _names(node: ast.expr | None) -> tuple[str, ...] | None:
    """The strings of a list display; None if it is none, or holds anything else."""
    if not isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return None
    names = tuple(e.value for e in node.elts if isinstance(e, ast.Constant) and isinstance(e.value, str))
    return names if len(names) == len(node.elts) else None
