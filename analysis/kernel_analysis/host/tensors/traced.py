"""What of a file torch.compile is to compile, and what keeps it from compiling a kernel there: read from torch 2.13's
sources. Of what is known whole; imports no torch."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.decorators.layers import Stack
from kernel_analysis.host.tensors.called import asks_for_compiling
from kernel_analysis.host.tensors.certain import assigned, library
from kernel_analysis.host.tensors.placing import Place, place
from kernel_analysis.record import record
from kernel_analysis.source.tree import nodes
from kernel_analysis.source.tree.forms import is_none
from kernel_analysis.source.tree.scopes import FunctionNode

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_HOOKS = ("pre_hook", "post_hook")
_COMPILES: Final = frozenset({"torch.compile", "torch._dynamo.optimize"})
_SAYS: Final = nodes.words("compile", "optimize")
_MODELS: Final = frozenset({"torch.nn.Module", "torch.nn.modules.Module"})
_CALLED: Final = ("forward", "__call__")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_APART: Final = (*_FUNCTIONS, ast.ClassDef, ast.Lambda)
_KEEPS: Final = _COMPILES | {
    "torch.no_grad", "torch.inference_mode", "torch.enable_grad", "builtins.staticmethod", "builtins.classmethod",
}  # fmt: skip
"""Decorators beside or below which a function is compiled all the same: any other may keep it from that."""


@record
class CompiledByTorch:
    """``functions``: of the file, by the identities of their trees. ``others``: what is called there, or handed to
    `torch.compile`, and is none of them."""

    functions: Mapping[int, ast.AST]
    others: Sequence[ast.expr]


def compiled(resolver: ResolverView, module: Module) -> CompiledByTorch:
    """What torch compiles: functions under `torch.compile`, handed to it, and what these call by a name that nothing
    else binds."""
    places = nodes.lines_with(module, _SAYS)
    if not places:
        return CompiledByTorch({}, ())
    waiting: list[tuple[ast.AST, ast.ClassDef | None]] = []
    others: list[ast.expr] = []
    for call, _ in nodes.calls(module, places):
        at = place(resolver, module, call)
        if at is None:
            continue
        given = None
        if _switched_off(call):
            continue
        if library(at, call.func) in _COMPILES:
            given = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "model"), None)
        elif isinstance(call.func, ast.Attribute) and call.func.attr == "compile" and _is_model(at, call.func.value):
            given = call.func.value
        if given is not None:
            own = _stands_for(module, _made_as(at, given))
            waiting += own
            others += [] if own else [given]
    for node, around in nodes.statements_on(module, places):
        if isinstance(node, _FUNCTIONS) and _is_compiled(resolver, module, node):
            owner = around[-1] if around and isinstance(around[-1], ast.ClassDef) else None
            waiting.append((node, owner))
    found: dict[int, ast.AST] = {}
    while waiting:
        function, owner = waiting.pop()
        if id(function) in found or not isinstance(function, _FUNCTIONS) or _asks(module, function):
            continue
        found[id(function)] = function
        defined = Counter(node.name for node in _of_its_own(function) if isinstance(node, (*_FUNCTIONS, ast.ClassDef)))
        nested = [node for node in _of_its_own(function) if isinstance(node, _FUNCTIONS) and not node.decorator_list]
        for call in (node for node in _of_its_own(function) if isinstance(node, ast.Call)):
            name = call.func.id if isinstance(call.func, ast.Name) else None
            own = _stands_for(module, call.func) if name is not None and name not in defined else []
            own += [(node, owner) for node in nested if node.name == name and defined[node.name] == 1]
            waiting += own
            if not own:
                others.append(call.func)
            if owner is not None and isinstance(call.func, ast.Attribute) and _is_self(call.func.value):
                waiting += [(method, owner) for method in _methods(owner, (call.func.attr,))]
    return CompiledByTorch(found, others)


def _is_compiled(resolver: ResolverView, module: Module, node: FunctionNode) -> bool:
    """Whether a decorator has torch compile the function, and no other keeps it from that."""
    kinds: list[str | None] = []
    for decorator in node.decorator_list:
        at = place(resolver, module, decorator)
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        off = isinstance(decorator, ast.Call) and _switched_off(decorator)
        kinds.append(None if at is None or off else library(at, called))
    return not _COMPILES.isdisjoint(kinds) and _KEEPS.issuperset(kinds)


def _asks(module: Module, function: FunctionNode) -> bool:
    """Whether it, or a function of the file that it calls, asks whether torch compiles it: then it may do something
    else."""
    calls = (node.func for node in _of_its_own(function) if isinstance(node, ast.Call))
    called = (other for name in calls if isinstance(name, ast.Name) for other, _ in _stands_for(module, name))
    return any(isinstance(each, _FUNCTIONS) and asks_for_compiling(each) for each in (function, *called))


def _switched_off(call: ast.Call) -> bool:
    """Whether it may be a `torch.compile(..., disable=True)`."""
    said = [keyword for keyword in call.keywords if keyword.arg in ("disable", None)]
    return not all(isinstance(keyword.value, ast.Constant) and keyword.value.value is False for keyword in said)


def _of_its_own(function: FunctionNode) -> Iterator[ast.AST]:
    """What is in the body of a function and in none within it; those are among it."""
    todo: list[ast.AST] = [*function.body]
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, _APART):
            todo += ast.iter_child_nodes(node)


def _stands_for(module: Module, node: ast.expr) -> list[tuple[ast.AST, ast.ClassDef | None]]:
    """The plain function of the file that a name stands for; what is called of an object of a class of the file."""
    made = isinstance(node, ast.Call)
    name = node.func if isinstance(node, ast.Call) else node
    events = module.table.events.get(name.id, []) if isinstance(name, ast.Name) else []
    event = events[0] if len(events) == 1 and not events[0].guards else None
    if event is None:
        return []
    if isinstance(event.node, _FUNCTIONS) and not event.node.decorator_list and not made:
        return [(event.node, None)]
    if isinstance(event.node, ast.ClassDef) and made:
        return [(method, event.node) for method in _methods(event.node, _CALLED)]
    if event.how == "assign" and isinstance(event.value, ast.Call) and not made:
        return _stands_for(module, event.value)
    return []


def _made_as(at: Place, node: ast.expr) -> ast.expr:
    """The call that makes what a name stands for, where only that binds it."""
    made, _ = assigned(at, node) or (node, at)
    return made if isinstance(made, ast.Call) and isinstance(made.func, ast.Name) else node


def _is_model(at: Place, node: ast.expr) -> bool:
    """Whether it is an object of a class of the file that is a `torch.nn.Module` by its first base."""
    made = _made_as(at, node)
    name = made.func if isinstance(made, ast.Call) else None
    events = at.scope.module.table.events.get(name.id, []) if isinstance(name, ast.Name) else []
    owner = events[0].node if len(events) == 1 else None
    bases = owner.bases if isinstance(owner, ast.ClassDef) else []
    return bool(bases) and library(replace(at, scope=at.resolver.scope(at.scope.module)), bases[0]) in _MODELS


def _methods(owner: ast.ClassDef, names: tuple[str, ...]) -> list[ast.AST]:
    return [n for n in owner.body if isinstance(n, _FUNCTIONS) and n.name in names and not n.decorator_list]


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def obstacles(known: Stack) -> Iterator[tuple[str, ast.AST]]:
    """Each in words, with where it stands in the kernel's file."""
    if known.layers[-1].kind == "heuristics":
        yield "`@triton.heuristics` on top", known.layers[-1].node
    if len(known.tuners) > 1:
        yield "more than one `@triton.autotune`", known.tuners[-1].node
    for layer in known.tuners:
        arguments = layer.arguments or {}
        for name in _HOOKS:
            node = arguments.get(name)
            if node is not None and not is_none(node):
                yield f"a `{name}`", node
        most = _top_k(known, arguments.get("prune_configs_by"))
        if most is not None:
            yield "a `top_k` that is neither a share up to 1.0 nor a whole number", most
        graph = arguments.get("use_cuda_graph")
        if isinstance(graph, ast.Constant) and graph.value:
            yield "`use_cuda_graph`", graph
    for config in known.configs() or ():
        if config.hook is not None and not is_none(config.hook):
            yield (
                "a `pre_hook` in a config",
                config.hook if config.file == known.scope.module.file else known.tuners[0].node,
            )
            return


def _top_k(known: Stack, pruned: ast.expr | None) -> ast.expr | None:
    """A number of configs to keep that torch can't keep."""
    pairs = known.pairs(pruned) if pruned is not None else None
    node = pairs.get("top_k") if pairs and "perf_model" in pairs else None
    value = node.value if isinstance(node, ast.Constant) else None
    return node if isinstance(value, float) and value > 1.0 else None
