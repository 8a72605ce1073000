"""Sentences about code for the user. Pure text."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from difflib import get_close_matches

from kernel_analysis.host.evaluate.values import Unknown
from kernel_analysis.source.tree.syntax import kept_with_trees


def unknown(node: ast.AST) -> Unknown:
    """The reason for an expression that only running it could tell."""
    return Unknown(f"`{describe(node)}` is computed when the code runs, and can't be known without running it.")


@kept_with_trees(1024)
def describe(node: ast.AST) -> str:
    """The code of a node, short enough for a sentence. Most are asked for at every key, and are the same nodes."""
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and node.value is not None:
        node = node.value
    try:
        text = ast.unparse(node)
    except (ValueError, RecursionError):
        return "..."
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."


def computed(node: ast.Call, why: Unknown | None = None) -> Unknown:
    """A call that can't be followed."""
    text = describe(node)
    missing, broken = (False, False) if why is None else (why.missing, why.broken)
    cause = f" ({why.reason.rstrip('.')})" if why is not None and len(why.reason) < 150 else ""
    said = f"`{text}` is computed when the code runs, and can't be known without running it{cause}."
    return Unknown(said, missing, broken=broken)


def meant(name: str, names: Iterable[str]) -> str | None:
    """The one of the names that somebody most likely meant, whatever the case of its letters."""
    small = {n.lower(): n for n in names}
    found = get_close_matches(name.lower(), small, 1, 0.6)
    return small[found[0]] if found else None


def raised(node: ast.expr, error: Exception) -> Unknown:
    """An evaluation that ends so."""
    return Unknown(f"`{describe(node)}` raises {type(error).__name__} when it is evaluated.")
