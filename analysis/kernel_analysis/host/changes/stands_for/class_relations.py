"""Where a text has a class by what it is to another, or to an object: ``Sub.__mro__[1]``, ``type(x)``. It may be any,
but those of which a class is made that stands in sight.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.uses import Occurrence, occurrences
from kernel_analysis.host.evaluate.values import External
from kernel_analysis.host.names.naming import Bound, meaning

if TYPE_CHECKING:
    from kernel_analysis.host.evaluate.values import Scope
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_ATTRIBUTES = (
    "__class__", "__mro__", "__bases__", "__base__", "__subclasses__", "__orig_bases__", "__thisclass__",
    "__self_class__", "__objclass__", "mro",
)  # fmt: skip
_OF_HEIRS = ("__mro__", "__bases__", "__base__", "__orig_bases__", "mro")
"""What a class has of itself and those that it derives from."""
HEIRS = ("__subclasses__", "getclasstree", "walktree")
"""What gives classes that derive from one."""
_FUNCTIONS = ("type", "getmro", "getclasstree", "get_original_bases", "walktree")
WORDS = (*_ATTRIBUTES, *_FUNCTIONS)


def relations(module: Module, words: Sequence[str]) -> Iterator[Occurrence]:
    """Each with what gives the class, or several, as what stands there."""
    for word in words:
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


def word_of(node: ast.AST) -> str | None:
    """By which word an expression has a class, or several."""
    node = _asked(node)
    if isinstance(node, ast.Attribute):
        return node.attr if node.attr in WORDS and node.attr != "type" else None
    return node.id if isinstance(node, ast.Name) and node.id in _FUNCTIONS else None


def _asked(node: ast.AST) -> ast.AST:
    """What is asked for the class, or the classes, of which an expression takes one."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.func if isinstance(node, ast.Call) else node


def heir(resolver: ResolverView, scope: Scope, node: ast.AST) -> Bound | None:
    """The class, by its statement in the body of a file, that is what stands there or derives from it."""
    node = _asked(node)
    if not isinstance(node, ast.Attribute) or node.attr not in _OF_HEIRS:
        return None
    found = meaning(resolver, scope, node.value)
    if not isinstance(found, Bound) or not isinstance(found.event.node, ast.ClassDef):
        return None
    return found if found.scope.parent is None else None


def of_objects(resolver: ResolverView, module: Module, at: Occurrence) -> bool:
    """Whether what stands there gives all classes that derive from no other: ``object.__subclasses__()``."""
    node = at.chain[0]
    asked = node.args if isinstance(node, ast.Call) else []
    function = node.func if isinstance(node, ast.Call) else node
    owners = [*asked[:1], *([function.value] if isinstance(function, ast.Attribute) else [])]
    scope = resolver.scope(module, at.around)
    return any(
        isinstance(found := meaning(resolver, scope, owner), External) and found.path == "builtins.object"
        for owner in owners
    )
