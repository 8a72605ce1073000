"""Where a slice names what the installed Triton's language does not have, or has an expression or a statement that its
compiler does not take (``:=`` in 3.6, ``raise``): nothing that is passed makes that compile."""

from __future__ import annotations

import ast
from functools import lru_cache

from kernel_analysis.ir import At
from kernel_analysis.lowering import compat
from kernel_analysis.lowering.gate import gate
from kernel_analysis.source.slice import Slice

_LANGUAGE = "triton.language."


def places(slice: Slice) -> list[At]:
    """Of all functions of the slice. What is a backend's own is left out: another one may have it."""
    found: list[At] = []
    known = {"": False}
    for index, function in enumerate(slice.functions):
        for ordinal, node in enumerate(function.nodes):
            if isinstance(node, (ast.NamedExpr, ast.Raise)) and function.kind == "jit" and not _is_taken(type(node)):
                found.append(At(index, ordinal))
            path = function.path(node) or "" if isinstance(node, ast.Attribute) else ""
            if path not in known:
                known[path] = path.count(".") == 2 and path.startswith(_LANGUAGE) and _is_missing(path)
            if known[path]:
                found.append(At(index, ordinal))
    return found


@lru_cache(maxsize=64)
def _is_taken(kind: type[ast.AST]) -> bool:
    """Whether the compiler does anything with such a node but to refuse it."""
    return hasattr(compat.code_generator.CodeGenerator, f"visit_{kind.__name__}")


@lru_cache(maxsize=1024)
def _is_missing(path: str) -> bool:
    try:
        gate.resolve(path)
    except AttributeError:
        return True
    except gate.OutOfReach:
        return False
    return False
