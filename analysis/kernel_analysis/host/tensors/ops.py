"""The torch ops that a file defines around its functions, ``triton_op`` and ``custom_op``, as written. Resolves names
and plain lists; defines nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Literal

from kernel_analysis.host.evaluate.values import Dict, Items, UserFunction, plain
from kernel_analysis.host.tensors.certain import library
from kernel_analysis.host.tensors.placing import Place, place
from kernel_analysis.record import record
from kernel_analysis.source.tree import nodes, parameters
from kernel_analysis.source.tree.forms import last_name
from kernel_analysis.source.tree.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_PATHS: Final[dict[str, Literal["triton_op", "custom_op"]]] = {
    "torch.library.triton_op": "triton_op",
    "torch.library.custom_op": "custom_op",
    "torch._library.triton_op": "triton_op",
    "torch._library.custom_op": "custom_op",
    "torch._library.custom_ops.custom_op": "custom_op",
    "torch._library.triton.triton_op": "triton_op",
}


@record
class TorchOp:
    """``call``: the decorator; ``at``: what its arguments mean there. ``arguments``: by name, those by position
    included."""

    kind: Literal["triton_op", "custom_op"]
    function: ast.FunctionDef
    call: ast.Call
    at: Place
    arguments: dict[str, ast.expr]

    @property
    def mutates(self) -> frozenset[str] | Literal["unknown"] | None:
        """What it says that it writes; None where that can't be known."""
        node = self.arguments.get("mutates_args")
        if node is None:
            return None
        with self.at.resolver.noting() as notes:
            value = self.at.resolver.evaluator.evaluate(node, self.at.scope, self.at.order)
        if value == "unknown" and not notes:
            return "unknown"
        keys = [key for key, _ in value.pairs] if isinstance(value, Dict) else None
        values = list(value.values) if isinstance(value, Items) else keys
        names = [name for name in map(plain, values or ()) if isinstance(name, str)]
        return None if notes or values is None or len(names) != len(values) else frozenset(names)

    @property
    def name(self) -> str | None:
        """What it is called; None where that can't be known."""
        node = self.arguments.get("name")
        with self.at.resolver.noting() as notes:
            value = self.at.resolver.evaluator.evaluate(node, self.at.scope, self.at.order) if node else None
        return value if isinstance(value, str) and not notes else None

    @property
    def parameters(self) -> list[ast.arg]:
        return parameters.single(self.function.args)

    @property
    def tensors(self) -> list[str]:
        """The parameters that are annotated as a tensor, or as one or None."""
        found: list[str] = []
        for argument in self.parameters:
            text = ast.unparse(argument.annotation).strip("'\"") if argument.annotation is not None else ""
            text = text.removesuffix(" | None").replace("typing.", "").removeprefix("Optional[").removesuffix("]")
            found += [argument.arg] if text in ("torch.Tensor", "Tensor") else []
        return found


def ops(resolver: ResolverView, module: Module) -> Iterator[TorchOp]:
    """Those that a decorator defines, and those that a call does which is given a function of the file."""
    places = nodes.lines_with(module, _SAYS)
    for node, _ in nodes.statements_on(module, places):
        for decorator in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
            if isinstance(decorator, ast.Call) and isinstance(node, ast.FunctionDef):
                made = _op(resolver, module, decorator, node)
                if made is not None:
                    yield made
    for call, _ in nodes.calls(module, places):
        if isinstance(call.func, ast.Call) and len(call.args) == 1:
            # `custom_op(...)(function)`
            function = _function(module, call.args[0])
            made = _op(resolver, module, call.func, function) if function is not None else None
            if made is not None:
                yield made
            continue
        named = [keyword.value for keyword in call.keywords if keyword.arg in ("fn", "op_func")]
        function = (
            _function(module, node) if (node := next(iter([*named, *call.args[1:2]]), None)) is not None else None
        )
        made = _op(resolver, module, call, function) if function is not None else None
        if made is not None:
            yield made


_SAYS: Final = nodes.words("triton_op", "custom_op", "mutates_args")
_TAKES_MUTATES: Final = frozenset({"custom_op", "triton_op", "infer_schema"})
"""What of torch's takes ``mutates_args``."""


def _op(resolver: ResolverView, module: Module, call: ast.Call, function: ast.FunctionDef) -> TorchOp | None:
    keywords = {k.arg for k in call.keywords}
    at = place(resolver, module, call) if None not in keywords and "schema" not in keywords else None
    if at is None:
        return None
    kind = _PATHS.get(library(at, call.func) or "")
    if kind is None:
        # A project's own, which is seen to hand it on to torch: `direct_register_custom_op(..., mutates_args=[...])`.
        kind = "custom_op" if "mutates_args" in keywords and _hands_on(at, call.func) else None
    arguments: dict[str, ast.expr] = dict(zip(("name", "fn"), call.args, strict=False))
    arguments.update({k.arg: k.value for k in call.keywords if k.arg})
    return None if kind is None else TorchOp(kind, function, call, at, arguments)


def _hands_on(at: Place, node: ast.expr) -> bool:
    """Whether the text of a function of the project gives torch the ``mutates_args`` that it is given: whatever it is
    called, it may as well give back what it decorates."""
    function = at.resolver.evaluator.evaluate(node, at.scope, at.order)
    return isinstance(function, UserFunction) and any(
        isinstance(call, ast.Call)
        and last_name(call.func) in _TAKES_MUTATES
        and any(isinstance(n, ast.Name) and n.id == "mutates_args" for n in descend(call))
        for call in descend(function.node)
    )


def _function(module: Module, node: ast.expr) -> ast.FunctionDef | None:
    """The plain function of the file that a name stands for."""
    events = module.table.events.get(node.id, []) if isinstance(node, ast.Name) else []
    found = events[0].node if len(events) == 1 and not events[0].guards else None
    return found if isinstance(found, ast.FunctionDef) and not found.decorator_list else None
