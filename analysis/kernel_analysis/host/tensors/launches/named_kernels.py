"""Which kernel an expression of host code stands for, for sure, and what calls have put on it since it was defined:
``tuned = triton.autotune(...)(kernel)``. Calls nothing; where one of these is not known there is no answer."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.changes.uses import occurrences
from kernel_analysis.host.decorators.layers import Layer, Stack, decorators, put_on, stack
from kernel_analysis.host.evaluate.values import Definition, Jit, UserFunction
from kernel_analysis.host.tensors.certain import hides, library, only
from kernel_analysis.host.tensors.launches import attributes
from kernel_analysis.host.tensors.placing import Place, place
from kernel_analysis.record import record
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.text_search.words import places

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_ALIASES = 3
_WRAP: Final = ("wrap_triton", "capture_triton")
WRAPS: Final = frozenset(
    f"torch.{module}.{name}" for module in ("library", "_library", "_library.triton") for name in _WRAP
)
_WORDS = ("jit", "autotune", "heuristics")


@record
class Named:
    """``put_on``: by calls, innermost first; their arguments are read at ``at``. ``bare``: the function itself is under
    no decorator."""

    function: JitFunction
    at: Place
    put_on: tuple[Layer, ...] = ()
    bare: bool = False

    def stack(self) -> Stack | None:
        """What stands on it; None where that is not known for sure."""
        resolver = self.at.resolver
        if not self.put_on:
            return stack(resolver, self.function)
        below: tuple[Layer, ...] = ()
        if not self.bare:
            module = resolver.project.load(self.function.file)
            scope = resolver.scope(module, self.function.scope)
            order = scope.table.orders.get(id(self.function.node))
            found = decorators(resolver, scope, order, self.function.node)
            if found is None or self.function.stale or self.function.wrappers:
                return None
            below = tuple(map(_elsewhere, found))
        layers = (*below, *self.put_on)
        return Stack(resolver, self.function, self.at.scope, self.at.order, layers) if layers[0].kind == "jit" else None


def _elsewhere(layer: Layer) -> Layer:
    """One of another statement, whose arguments are not to be read here."""
    return replace(layer, arguments=None) if layer.arguments else layer


def put_on_by_calls(resolver: ResolverView, module: Module) -> list[Stack]:
    """What calls in a file put on kernels: of each the outermost alone."""
    made: dict[int, Stack] = {}
    inner: set[int] = set()
    for word in _WORDS:
        if not any(_called(module, at) for at in places(module.text, word)):
            continue
        for one in occurrences(module, word):
            calls = [node for node in one.chain if isinstance(node, ast.Call)]
            at = place(resolver, module, calls[0]) if calls else None
            if at is None or isinstance(one.statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            with resolver.noting() as notes:
                found = [(call, _defined(at, call, 0)) for call in calls[:2]]
            for call, named in found if not notes else ():
                known = named.stack() if named is not None and named.put_on else None
                if known is not None:
                    made[id(call)] = known
                    inner |= {id(node) for node in ast.walk(call) if node is not call}
    return [known for call, known in made.items() if call not in inner]


def _called(module: Module, at: int) -> bool:
    """Whether the word that stands there is called, and decorates nothing."""
    text = module.text
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip()
    return not line.startswith(("@", "#", "from ", "import "))


def launched(at: Place, target: ast.expr) -> Named | None:
    """The one kernel that the expression stands for, and what is on it."""
    with at.resolver.noting() as notes:
        found = _defined(at, target, 0)
    return found if found is not None and not notes and (found.put_on or not found.bare) else None


def launches(at: Place, target: ast.expr) -> ast.FunctionDef | None:
    """The function of that kernel."""
    found = launched(at, target)
    return found.function.node if found is not None else None


def _defined(at: Place, node: ast.expr, depth: int) -> Named | None:
    resolver = at.resolver
    definition: Definition | None = None
    if isinstance(node, ast.Call):
        if depth == _ALIASES:
            return None
        if len(node.args) == 1 and not node.keywords and library(at, node.func) in WRAPS:
            # What torch wraps for its tracer is launched as what it is.
            return _defined(at, node.args[0], depth + 1)
        return _made(at, node, depth)
    if isinstance(node, ast.Name) and node.id not in at.hidden:
        bound = only(at, node)
        if bound is not None and bound[0].how == "assign":
            # `launch = kernel`: the same object under another name.
            value = bound[0].value
            if depth == _ALIASES or not isinstance(value, (ast.Name, ast.Attribute, ast.Call)):
                return None
            return _defined(replace(at, scope=bound[1], order=bound[0].order, hidden=frozenset()), value, depth + 1)
        definition = resolver.lookup(at.scope, node.id, at.order)
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and depth < _ALIASES:
        held = _entry(at, node.value, node.slice)
        return _defined(held[0], held[1], depth + 1) if held is not None else None
    elif isinstance(node, ast.Attribute) and node.attr != "fn" and not hides(at, node):
        # `kernel.fn` is the function below the outermost decorator.
        held = attributes.only(at, node)
        if held is not None and depth < _ALIASES:
            return _defined(held[0], held[1], depth + 1)
        owner = attributes.defined(at, node) or resolver.evaluator.evaluate(node.value, at.scope, at.order)
        definition = resolver.member(owner, node.attr, at.scope.module, node)
    value = definition.value if definition is not None and definition.others == () else None
    if definition is None or not isinstance(definition.node, ast.FunctionDef):
        return None
    if isinstance(value, Jit):
        return Named(value.function, at) if definition.node is value.function.node else None
    if not isinstance(value, UserFunction) or definition.node.decorator_list:
        return None
    function = value.scope.module.jit.get(id(definition.node))
    return Named(function, at, bare=True) if function is not None and definition.node is value.node else None


def _made(at: Place, call: ast.Call, depth: int) -> Named | None:
    """What a call of one of Triton's decorators makes of a kernel, or of the function that it makes one of."""
    resolver = at.resolver
    found = put_on(resolver, at.scope, at.order, call)
    inner = _defined(at, found[1], depth + 1) if found is not None else None
    if found is None or inner is None:
        return None
    if (found[0].kind == "jit") != (inner.bare and not inner.put_on):
        return None
    below = inner.put_on if inner.at is at else tuple(map(_elsewhere, inner.put_on))
    return Named(inner.function, at, (*below, found[0]), inner.bare)


def _entry(at: Place, name: ast.Name, key: ast.expr) -> tuple[Place, ast.expr] | None:
    """What stands under a key of a dict that is written out, and of which only entries are ever read."""
    bound = only(at, name)
    made = bound[0].value if bound is not None and bound[0].how == "assign" else None
    if bound is None or not isinstance(made, ast.Dict) or not isinstance(key, ast.Constant):
        return None
    for one in occurrences(at.scope.module, name.id):
        used, around = one.chain[0], one.chain[1] if len(one.chain) > 1 else None
        reads = isinstance(around, ast.Subscript) and around.value is used and isinstance(around.ctx, ast.Load)
        if used is not name and not reads and not isinstance(around, ast.Assign):
            return None
    keys = [k.value if isinstance(k, ast.Constant) else None for k in made.keys]
    if None in keys or keys.count(key.value) != 1:
        return None
    where = replace(at, scope=bound[1], order=bound[0].order, hidden=frozenset())
    return where, made.values[keys.index(key.value)]
