"""What stands on a jit function: Triton's decorators, each with its arguments, innermost first.

Only whole answers: where something else stands there too, there is none. What a call makes of the function elsewhere,
``tuned = triton.autotune(...)(kernel)``, is another object with a stack of its own. Runs no decorator.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Literal

from kernel_analysis.host.changes.functions.function_parts import configs_changed
from kernel_analysis.host.changes.replaced.triton_replaced import replaced
from kernel_analysis.host.decorators import configs
from kernel_analysis.host.decorators.decorations import kind_of
from kernel_analysis.host.evaluate.values import (
    Config,
    External,
    Items,
    Partial,
    Scope,
    Unknown,
    Value,
    WrittenConfig,
    plain,
)
from kernel_analysis.record import record
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.slice import TritonObject
from kernel_analysis.source.tree.forms import spreads

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView


@record
class Layer:
    """``arguments`` as written, by parameter; None where a star hides some, or they are to be read elsewhere. ``node``:
    the decorator, or the call that has its arguments."""

    kind: Literal["jit", "autotune", "heuristics"]
    node: ast.expr
    arguments: Mapping[str, ast.expr] | None


@record
class Stack:
    """The decorators of a jit function, ``layers`` innermost first, and the place that their arguments are read at."""

    resolver: ResolverView
    function: JitFunction
    scope: Scope
    order: int | None
    layers: tuple[Layer, ...]
    _configs: list[list[Config] | None] = field(default_factory=list["list[Config] | None"])

    @property
    def tuners(self) -> list[Layer]:
        return [layer for layer in self.layers if layer.kind == "autotune"]

    def value(self, node: ast.expr) -> Value:
        """What an argument is, where nothing can make it another."""
        with self.resolver.noting() as notes:
            found = self.resolver.evaluator.evaluate(node, self.scope, self.order)
        return Unknown("It may be another where the file runs.") if notes else found

    def names(self, node: ast.expr | None) -> list[tuple[str, ast.expr]] | None:
        """The names in a list, each with where it is written; None where they are not all known."""
        if node is None or isinstance(node, ast.Constant) and node.value is None:
            return []
        value = self.value(node)
        if isinstance(value, str):
            # Triton goes through it letter by letter.
            return [(letter, node) for letter in value]
        if not isinstance(value, Items):
            return None
        names = [v for v in map(plain, value.values) if isinstance(v, str)]
        if len(names) != len(value.values):
            return None
        written = node.elts if isinstance(node, (ast.List, ast.Tuple, ast.Set)) else []
        exact = len(written) == len(names) and all(isinstance(e, ast.Constant) for e in written)
        return list(zip(names, written if exact else [node] * len(names), strict=True))

    def listed(self, node: ast.expr) -> list[str | int] | None:
        """The names and numbers in a list; None where they are not all known."""
        value = self.value(node)
        values = [plain(one) for one in value.values] if isinstance(value, Items) else None
        found = [one for one in values or () if isinstance(one, (str, int))]
        return found if values is not None and len(found) == len(values) else None

    def configs(self) -> list[WrittenConfig] | None:
        """What the autotuner chooses from as it is spelled, none without one; None where not every config is known
        whole."""
        chosen = self.chosen()
        return None if chosen is None else [config.written for config in chosen if config.written is not None]

    def chosen(self) -> list[Config] | None:
        """The same configs, with the values that they have."""
        if not self._configs:
            # Every rule asks, and working lists out costs more than all else.
            self._configs.append(self._listed())
        return self._configs[0]

    def _listed(self) -> list[Config] | None:
        if not self.tuners:
            return []
        if configs_changed(self.resolver, self.function) is not None:
            return None
        arguments = self.tuners[0].arguments if len(self.tuners) == 1 else None
        if not arguments or "configs" not in arguments:
            return None
        with self.resolver.noting() as notes:
            value = configs.listed(self.resolver.evaluator, arguments["configs"], self.scope, self.order)
        if notes or not isinstance(value, Items) or not all(isinstance(v, Config) for v in value.values):
            return None
        file = self.scope.module.file
        found = [configs.read_in(config, file) for config in value.values if isinstance(config, Config)]
        return found if all(config.written is not None for config in found) else None

    def heuristics(self) -> dict[str, ast.expr] | None:
        """The parameters that heuristics fill in, with what does so; None where not all are known."""
        found: dict[str, ast.expr] = {}
        for layer in self.layers:
            if layer.kind != "heuristics":
                continue
            node = layer.arguments.get("values") if layer.arguments is not None else None
            pairs = self.pairs(node) if node is not None else None
            if pairs is None:
                return None
            found.update(pairs)
        return found

    def pairs(self, node: ast.expr) -> dict[str, ast.expr] | None:
        """A dict of names, each with its value as written, or the whole where it is not written there."""
        return configs.pairs(self.resolver.evaluator, node, self.scope, self.order)


def stack(resolver: ResolverView, function: JitFunction) -> Stack | None:
    """What stands on a jit function; None where that is not known for sure."""
    module = resolver.project.load(function.file)
    if function.stale or function.wrappers or module.embedded_at(function.node.lineno):
        return None
    scope = resolver.scope(module, function.scope)
    order = scope.table.orders.get(id(function.node))
    layers = decorators(resolver, scope, order, function.node)
    # Another order than this makes no kernel, which is `decorator-order`'s.
    if layers is None or layers[0].kind != "jit":
        return None
    return Stack(resolver, function, scope, order, tuple(layers))


def decorators(resolver: ResolverView, scope: Scope, order: int | None, node: ast.FunctionDef) -> list[Layer] | None:
    """What decorates a function, innermost first; None where that is not all Triton's for sure."""
    layers: list[Layer] = []
    with resolver.noting() as notes:
        written = list(node.decorator_list)
        if len(written) > 1 and isinstance(scope.node, ast.ClassDef):
            first = resolver.evaluator.evaluate(written[0], scope, order)
            # A class hands out the function below it.
            written = written[isinstance(first, External) and first.path == "builtins.staticmethod" :]
        for decorator in reversed(written):
            layer = _layer(resolver, scope, order, decorator)
            if layer is None:
                return None
            layers.append(layer)
    return layers if layers and not notes else None


def put_on(resolver: ResolverView, scope: Scope, order: int | None, call: ast.Call) -> tuple[Layer, ast.expr] | None:
    """What a call puts on a function, and on which: ``triton.jit(function)``, ``triton.autotune(...)(kernel)``."""
    if spreads(call):
        return None
    if isinstance(call.func, ast.Call):
        layer = _layer(resolver, scope, order, call.func) if len(call.args) == 1 and not call.keywords else None
        return (layer, call.args[0]) if layer is not None else None
    value = resolver.evaluator.evaluate(call.func, scope, order)
    kind = kind_of(value.path) if isinstance(value, TritonObject) else None
    if replaced(resolver, scope.module, "jit") is not None:
        return None
    arguments = {k.arg: k.value for k in call.keywords if k.arg}
    target = call.args[0] if len(call.args) == 1 else arguments.pop("fn", None) if not call.args else None
    if kind is None or kind.kind != "jit" or target is None:
        return None
    return Layer("jit", call, arguments), target


_SIGNATURES = {
    "jit": ("fn", "version", "repr", "launch_metadata", "do_not_specialize"),
    "autotune": ("configs", "key", "prune_configs_by", "reset_to_zero", "restore_value", "pre_hook", "post_hook"),
    "heuristics": ("values",),
}
"""The parameters that arguments by position go to, in all versions."""


def _layer(resolver: ResolverView, scope: Scope, order: int | None, decorator: ast.expr) -> Layer | None:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    value = resolver.evaluator.evaluate(called, scope, order)
    kind = kind_of(value.path) if isinstance(value, TritonObject) else None
    # Which configs there are is asked where it counts.
    whole = resolver.evaluator.evaluate(decorator, scope, order) if kind is None or kind.kind != "autotune" else None
    if isinstance(whole, Partial) and isinstance(whole.function, TritonObject) and not whole.args:
        # `partial(triton.jit, debug=True)`; what `autotune` makes is no decorated function yet.
        kind = kind_of(whole.function.path)
        if replaced(resolver, scope.module, "jit") is not None:
            return None
        return Layer("jit", decorator, whole.keywords) if kind is not None and kind.kind == "jit" else None
    if kind is None or kind.kind == "constexpr" or replaced(resolver, scope.module, kind.kind) is not None:
        return None
    if not isinstance(decorator, ast.Call):
        return Layer(kind.kind, decorator, {})
    given = _SIGNATURES[kind.kind]
    if spreads(decorator) or len(decorator.args) > len(given):
        return Layer(kind.kind, decorator, None)
    positional = decorator.args if kind.kind != "jit" else []
    arguments = dict(zip(given, positional, strict=False))
    arguments.update({k.arg: k.value for k in decorator.keywords if k.arg})
    return Layer(kind.kind, decorator, arguments)
