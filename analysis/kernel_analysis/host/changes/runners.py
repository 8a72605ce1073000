"""What runs a text that is not in sight, or sets what such a text names: ``timeit.timeit(text)``, ``patch(path)``.
(Code that stands in a string is found by ``quoted``.)

Follows what is spelled; evaluates nothing. What is not followed counts.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.computed_site import ComputedSite
from kernel_analysis.host.changes.uses import Occurrence, occurrences
from kernel_analysis.host.evaluate.values import External, ModuleValue
from kernel_analysis.host.names.naming import Bound, meaning
from kernel_analysis.host.names.spelled_texts import spelled
from kernel_analysis.source import nodes
from kernel_analysis.source.forms import last_name
from kernel_analysis.source.mentions import RUNNERS

if TYPE_CHECKING:
    from kernel_analysis.host.evaluate.values import Scope
    from kernel_analysis.host.names.resolve import Resolver
    from kernel_analysis.source.module import Module

_GIVES_FUNCTIONS = (ast.Lambda, ast.Constant)
_ASKS = frozenset(
    f"unittest.{part}{name}"
    for part in ("", "case.")
    for name in ("skip", "skipIf", "skipUnless", "expectedFailure", "SkipTest")
)
"""What is given a condition and a reason, and gives back what it is put on."""


def sites(resolver: Resolver, other: Module) -> Iterator[ComputedSite]:
    """Where a file does that by what it imports of the standard library's, or of torch's."""
    for name in sorted(_names(other)):
        for at in occurrences(other, name):
            if isinstance(at.chain[0], ast.Name) and isinstance(at.chain[0].ctx, ast.Load):
                scope = resolver.scope(other, at.around)
                if (worded := _given(resolver, scope, at.chain)) is not None:
                    yield ComputedSite(at.statement.lineno, worded)
                yield from _by_object(resolver, other, at)


def _by_object(resolver: Resolver, other: Module, at: Occurrence) -> Iterator[ComputedSite]:
    """The same by what it makes, where that gets a name."""
    targets = at.statement.targets if isinstance(at.statement, ast.Assign) else []
    bound = [at.statement.target] if isinstance(at.statement, ast.AnnAssign) else targets
    with_ = at.statement.items if isinstance(at.statement, (ast.With, ast.AsyncWith)) else []
    for target in (*bound, *(item.optional_vars for item in with_ if item.optional_vars is not None)):
        name = last_name(target)
        for one in occurrences(other, name) if name else ():
            worded = _given(resolver, resolver.scope(other, one.around), one.chain)
            if worded is not None and one.statement is not at.statement:
                yield ComputedSite(one.statement.lineno, worded)


def _names(other: Module) -> set[str]:
    """The names of a file that stand for one of these modules, or for something of it."""
    found: set[str] = set()
    for node, _ in nodes.statements(other):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if _runs(alias.name):
                    found.add(alias.asname or alias.name.partition(".")[0])
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module is not None:
            for alias in node.names:
                if _runs(node.module) or _runs(f"{node.module}.{alias.name}"):
                    found.add(alias.asname or alias.name)
    return found


def _runs(path: str) -> bool:
    return any(path == known or path.startswith(f"{known}.") for known in RUNNERS)


def _given(resolver: Resolver, scope: Scope, chain: tuple[ast.AST, ...]) -> bool | None:
    """Whether all texts that are given to what stands there, and to what that gives, are made of words of the file;
    None: it is given none but what stands there as such."""
    worded = None
    for node, above in itertools.pairwise(chain):
        if not isinstance(above, ast.Call) or above.func is not node:
            continue
        called = meaning(resolver, scope, above.func)
        if isinstance(called, External) and called.path in _ASKS:
            return None
        for argument in (*above.args, *(keyword.value for keyword in above.keywords)):
            if isinstance(argument, _GIVES_FUNCTIONS) or _is_no_text(resolver, scope, argument):
                continue
            worded = worded is not False and spelled(resolver, scope, argument)
    return worded


def _is_no_text(resolver: Resolver, scope: Scope, argument: ast.expr) -> bool:
    """Whether it is a function, a class, a module, or a display of values."""
    if isinstance(argument, ast.Call):
        return getattr(argument.func, "id", "") in ("globals", "locals", "vars", "dict", "list", "int", "float", "len")
    if isinstance(argument, (ast.Dict, ast.List, ast.Tuple, ast.Compare)):
        return True
    found = meaning(resolver, scope, argument)
    made = isinstance(found, Bound) and isinstance(found.event.node, (ast.FunctionDef, ast.ClassDef))
    return made or isinstance(found, ModuleValue)
