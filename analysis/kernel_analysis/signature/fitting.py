"""Block shapes of tensor descriptors that follow the kernel's constants: a descriptor of ``[BLOCK_M, 64]`` has
another type wherever `BLOCK_M` is another. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping
from typing import Any, Final

from kernel_analysis.signature.body.operators import fold
from kernel_analysis.signature.evident_values import UNKNOWN
from kernel_analysis.signature.signature_model import Extents, ParameterType

_DESCRIPTOR: Final = re.compile(r"(?P<head>tensordesc\w*<[^\[]*)\[(?P<shape>[\d, ]+)\](?P<tail>.*>)")


def in_constants(extents: Extents, names: Mapping[str, str]) -> Extents:
    """What is written around a launch in the kernel's own words. ``names``: the parameter for which each expression is
    passed."""
    return tuple([_renamed(ast.parse(text, mode="eval").body, names) or "" for text in extents])


def _renamed(node: ast.expr, names: Mapping[str, str]) -> str | None:
    """None where it is nothing that is passed; a number alone speaks of nothing that is passed, either."""
    if (name := names.get(ast.unparse(node))) is not None and not isinstance(node, ast.Constant):
        return name
    if not isinstance(node, ast.BinOp):
        return None
    sides = [
        side.value if isinstance(side, ast.Constant) else _renamed(side, names) for side in (node.left, node.right)
    ]
    if None in sides or all(not isinstance(side, str) for side in sides):
        return None
    made = ast.BinOp(ast.Name(f"({sides[0]})"), node.op, ast.Name(f"({sides[1]})"))
    return ast.unparse(made)


def computed(text: str, constants: Mapping[str, Any]) -> Any:
    """What an expression of a kernel's constants comes to, ``(BLOCK_N // 2)``; UNKNOWN where that is not known. A flag
    that is not known is not set."""

    def value(node: ast.expr) -> Any:
        if isinstance(node, ast.BinOp):
            left, right = value(node.left), value(node.right)
            return UNKNOWN if left is UNKNOWN or right is UNKNOWN else fold(node.op, left, right)
        if isinstance(node, ast.IfExp):
            test = value(node.test)
            return value(node.orelse if test is UNKNOWN or not test else node.body)
        return node.value if isinstance(node, ast.Constant) else constants.get(ast.unparse(node), UNKNOWN)

    return value(ast.parse(text, mode="eval").body)


def fit(
    types: dict[str, ParameterType],
    constants: Mapping[str, Any],
    extents: Mapping[str, Extents],
    changed: Collection[str],
) -> None:
    """Makes the types of descriptors follow the constants that changed; not of those that changed themselves."""
    for name, parts in extents.items():
        type = types.get(name)
        known = _DESCRIPTOR.fullmatch(type) if isinstance(type, str) and name not in changed else None
        if known is None or not any(_names(part) & set(changed) for part in parts):
            continue
        sizes: list[Any] = [int(size) for size in known["shape"].split(",")]
        for place, part in enumerate(parts[: len(sizes)]):
            made = computed(part, constants) if part else UNKNOWN
            if isinstance(made, int) and not isinstance(made, bool) and made > 0:
                sizes[place] = made
        types[name] = f"{known['head']}{sizes}{known['tail']}"


def _names(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)} if text else set()
