"""Where a text has a class by what it is to another, or to an object: ``Sub.__mro__[1]``, ``type(x)``. It may be any.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.uses import Occurrence, occurrences

if TYPE_CHECKING:
    from kernel_analysis.source.module import Module

_ATTRIBUTES = (
    "__class__", "__mro__", "__bases__", "__base__", "__subclasses__", "__orig_bases__", "__thisclass__",
    "__self_class__", "__objclass__", "mro",
)  # fmt: skip
_FUNCTIONS = ("type", "getmro", "getclasstree", "get_original_bases", "walktree")
WORDS = (*_ATTRIBUTES, *_FUNCTIONS)


def relations(module: Module) -> Iterator[Occurrence]:
    """Each with what gives the class, or several, as what stands there."""
    for word in WORDS:
        for at in occurrences(module, word):
            if isinstance(at.statement, (ast.Import, ast.ImportFrom)) or (found := _related(at)) is None:
                continue
            if len(found.chain) > 1 and isinstance(found.chain[1], (ast.Compare, ast.ExceptHandler)):
                continue  # whether it is another
            yield found


def _related(at: Occurrence) -> Occurrence | None:
    node, above = (*at.chain, None)[:2]
    called = isinstance(above, ast.Call) and above.func is node
    if isinstance(node, ast.Constant):
        taken = isinstance(above, ast.Call) and node.value in _ATTRIBUTES  # `getattr(x, "__class__")`
        return Occurrence(at.chain[1:], at.statement, at.around) if taken else None
    word = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    if word in _FUNCTIONS:
        if word == "type" and isinstance(node, ast.Attribute) and getattr(node.value, "id", "") != "builtins":
            return None  # of a tensor
        if isinstance(above, ast.Call) and called:
            # With more it makes a class.
            return Occurrence(at.chain[1:], at.statement, at.around) if len(above.args) == 1 else None
        return at if isinstance(above, ast.Call) else None
    if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
        return None
    return Occurrence(at.chain[1:], at.statement, at.around) if called else at


def goes_through(at: Occurrence) -> str | None:
    """The name that a loop gives to each of the classes that stand there."""
    place = 0
    while place + 1 < len(at.chain) and isinstance(at.chain[place + 1], ast.Subscript):
        place += 1
    above = at.chain[place + 1] if place + 1 < len(at.chain) else None
    if not isinstance(above, (ast.For, ast.comprehension)) or above.iter is not at.chain[place]:
        return None
    return above.target.id if isinstance(above.target, ast.Name) else None
