"""What is handed to ``triton.jit`` where no jit function is seen to come of it: a lambda, a class, something of which
the file does not say what it is. Of such a kernel nothing is known, and that is said.

Resolves names; what only callers hand on (a wrapper's parameter, the variable of a loop) is theirs to say.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.decorators import decorations
from kernel_analysis.host.evaluate.values import Decoration, Jit, Partial, Scope, Unknown, UserFunction
from kernel_analysis.source.slice import TritonObject
from kernel_analysis.source.tree import nodes, parameters
from kernel_analysis.source.tree.forms import last_name
from kernel_analysis.source.tree.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_JIT: Final = ("jit", "JITFunction", "GluonJITFunction")
_NAMED: Final = re.compile(r"\bjit\s+as\s+(\w+)|^\s*(\w+)\s*=\s*[\w.]*\bjit\s*$")
"""Names that it is given."""
_DEFINITIONS: Final = (ast.AsyncFunctionDef, ast.ClassDef)
_LAMBDA: Final = "Triton takes a function with a `def`, whose text it reads, and no lambda."


def unmade(resolver: ResolverView, module: Module) -> Iterator[tuple[ast.expr, str]]:
    """Each place that makes a jit function of what is not known to be a function, and why."""
    lines = nodes.lines_with(module, nodes.words(*_JIT))
    found = (match for line in lines for match in _NAMED.finditer(module.lines[line - 1]))
    named = {name for match in found for name in match.groups() if name}
    if named:
        lines += nodes.lines_with(module, nodes.words(*map(re.escape, named)))
    names = named.union(_JIT)
    handed: dict[ast.AST, _HandedOn] = {}
    for node, around in nodes.statements_on(module, lines):
        if isinstance(node, _DEFINITIONS):
            kind = "class" if isinstance(node, ast.ClassDef) else "`async def`"
            for decorator in node.decorator_list:
                if _is_jit(resolver, decorator, resolver.scope(module, around)):
                    yield decorator, f"Triton compiles no {kind}."
        elif not isinstance(node, ast.FunctionDef):
            for call in [c for part in nodes.own(node) for c in descend(part) if isinstance(c, ast.Call)]:
                given = _given(call)
                if given is None or not any(last_name(part) in names for part in descend(call.func)):
                    continue
                scope = resolver.scope(module, around)
                if not _is_jit(resolver, call.func, scope):
                    continue
                if isinstance(resolver.evaluator.evaluate(call, scope), (Jit, Decoration)):
                    continue
                inside = nodes.functions_of(around)
                outer = inside[0] if inside else module.tree
                if outer not in handed:
                    handed[outer] = _HandedOn(outer)
                if not handed[outer].is_made_of(given, call) and (why := _why(resolver, given, scope)) is not None:
                    yield call, why


def _given(call: ast.Call) -> ast.expr | None:
    """What a call is handed first."""
    named = (keyword.value for keyword in call.keywords if keyword.arg in ("fn", None))
    given = next(iter((*call.args[:1], *named)), None)
    spread = given.value if isinstance(given, ast.Starred) else None
    return next(iter(spread.elts), None) if isinstance(spread, (ast.List, ast.Tuple)) else given


def _is_jit(resolver: ResolverView, said: ast.expr, scope: Scope) -> bool:
    value = resolver.evaluator.evaluate(said, scope)
    while isinstance(value, Partial):
        value = value.function
    if isinstance(value, TritonObject):
        value = decorations.kind_of(value.path)
    return isinstance(value, Decoration) and value.kind == "jit"


class _HandedOn:
    """What callers of a function, or of those in it, or turns of loops bind there, and what is made of it."""

    def __init__(self, outer: ast.AST) -> None:
        self._bound = set[str]()
        self._by_lambdas: dict[ast.AST, set[str]] = {}
        made: list[tuple[set[str], set[str]]] = []
        for part in ast.walk(outer):
            if isinstance(part, (ast.For, ast.AsyncFor, ast.comprehension)):
                self._bound |= _names(part.target)
            elif isinstance(part, ast.Lambda):
                for inner in (inner for inner in ast.walk(part.body) if isinstance(inner, ast.Call)):
                    self._by_lambdas.setdefault(inner, set()).update(_parameters(part))
            elif isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)) and not isinstance(outer, ast.Module):
                self._bound |= _parameters(part)
            elif isinstance(part, ast.Assign) and not isinstance(outer, ast.Module):
                made.append((set[str]().union(*map(_names, part.targets)), _names(part.value)))
        before = -1
        while before != len(self._bound):
            before = len(self._bound)
            self._bound |= {name for targets, of in made if not of.isdisjoint(self._bound) for name in targets}

    def is_made_of(self, given: ast.expr, call: ast.Call) -> bool:
        """Whether what a call is given is such."""
        names = _names(given)
        return not (self._bound.isdisjoint(names) and self._by_lambdas.get(call, set[str]()).isdisjoint(names))


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> set[str]:
    return {argument.arg for argument in parameters.every(function.args)}


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in descend(node) if isinstance(part, ast.Name)}


def _why(resolver: ResolverView, given: ast.expr, scope: Scope) -> str | None:
    """None for a function of the workspace: it is a kernel by what it does."""
    value = resolver.evaluator.evaluate(given, scope)
    if isinstance(value, UserFunction) and isinstance(value.node, ast.FunctionDef):
        return None
    if isinstance(given, ast.Lambda) or isinstance(value, UserFunction) and isinstance(value.node, ast.Lambda):
        return _LAMBDA
    return value.reason if isinstance(value, Unknown) else "It is no function whose text can be read."
