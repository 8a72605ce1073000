"""Every call that the workspace has of a host function, where all that may call it is plain to see.

Goes by names: whatever has the function's name, in any file, is a use of it unless the text shows that it is another
thing's. Finds places in syntax; evaluates nothing.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, TypeAlias

from kernel_analysis.host.changes.uses import Occurrence, occurrences, own_instance
from kernel_analysis.host.decorators.wrappers import TRANSPARENT
from kernel_analysis.host.evaluate.values import External, Scope, TritonObject
from kernel_analysis.host.names.naming import Bound, meaning
from kernel_analysis.source.tree.forms import spreads
from kernel_analysis.source.tree.scopes import FunctionNode

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

Use: TypeAlias = "tuple[Module, Occurrence, ast.Call]"

_MOST_FILES: Final = 32
READ: Final = frozenset({"__name__", "__qualname__", "__module__", "__doc__"})
"""What is taken of a function and can't call it."""
_OTHER_SCOPES: Final = (
    ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.stmt
)  # fmt: skip
"""What binds names of its own between a call and its statement; a statement is one of a text that is run."""


class Unseen(Exception):
    """The function may be called where that is not in sight."""


def every_use(resolver: ResolverView, module: Module, function: FunctionNode) -> Iterator[Use]:
    """Its calls. Raises Unseen, at last, where there may be others, or there are too many files to look into."""
    elsewhere = resolver.project.elsewhere
    if not _is_plain(resolver, module, function) or elsewhere.left_out() is not None or elsewhere.reaching(module):
        raise Unseen
    files = list(dict.fromkeys([module.file, *elsewhere.wording(module, function.name)]))
    if len(files) > _MOST_FILES:
        raise Unseen
    resolver.read(tuple(files))
    words = [function.name, *(word for word in elsewhere.called(function.name) if word != function.name)]
    for file in files:
        other = resolver.project.load(file)
        if other.broken or other.embedded:
            raise Unseen
        for at in (at for word in words if word in other.named for at in occurrences(other, word)):
            call = _call(resolver, other, at, function)
            if call is not None:
                yield other, at, call


def _is_plain(resolver: ResolverView, module: Module, function: FunctionNode) -> bool:
    """Whether nobody calls it but by its name: it stands at the top of a file, nothing that is put on it hands it on,
    and it is none that pytest or Python calls by itself."""
    name = function.name
    events = module.table.events.get(name, ())
    if name.startswith(("test", "__")) or not any(event.node is function for event in events):
        return False
    scope = resolver.scope(module)
    for decorator in function.decorator_list:
        known = meaning(resolver, scope, decorator.func if isinstance(decorator, ast.Call) else decorator)
        if not isinstance(known, External) or known.path not in TRANSPARENT:
            return False
    return True


def _call(resolver: ResolverView, other: Module, at: Occurrence, function: FunctionNode) -> ast.Call | None:
    """The call that has the word there; None: it is none of the function. Raises Unseen where the function itself goes
    on, or what is passed is not in sight."""
    node, above = at.chain[0], at.chain[1] if len(at.chain) > 1 else None
    if isinstance(node, ast.Constant):
        if only_says(at):
            return None
        raise Unseen
    if not isinstance(node, (ast.Name, ast.Attribute)):
        raise Unseen
    if not isinstance(node.ctx, ast.Load) or is_another(resolver, resolver.scope(other, at.around), at, function):
        return None
    if isinstance(above, ast.Attribute) and above.attr in READ and isinstance(above.ctx, ast.Load):
        return None
    if not isinstance(above, ast.Call) or above.func is not node or spreads(above):
        raise Unseen
    inside = any(isinstance(n, _OTHER_SCOPES) and n is not at.statement for n in at.chain)
    if inside or at.around and not isinstance(at.around[-1], (ast.FunctionDef, ast.AsyncFunctionDef)):
        raise Unseen
    return above


def is_another(resolver: ResolverView, scope: Scope, at: Occurrence, function: FunctionNode) -> bool:
    """Whether what has the name is another thing: a library's, or what a statement binds that is not the function's
    (where that gives it the function, the function has been used as a value)."""
    node = at.chain[0]
    assert isinstance(node, (ast.Name, ast.Attribute))
    if isinstance(node, ast.Attribute) and own_instance(node.value, at):
        return True
    found = meaning(resolver, scope, node)
    if isinstance(found, TritonObject):
        return True
    if isinstance(found, External):
        root = found.path.partition(".")[0]
        known = root in sys.stdlib_module_names or root == "builtins"
        return known or resolver.project.locate_installed([root]) is not None
    return isinstance(found, Bound) and found.event.node is not function


def only_says(at: Occurrence) -> bool:
    """Whether a text that names something is a statement of its own, or what a module says of its names for
    ``from module import *``."""
    return isinstance(at.chain[1], ast.Expr) or _exports(at.statement)


def _exports(statement: ast.stmt) -> bool:
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return all(isinstance(target, ast.Name) and target.id == "__all__" for target in targets)
