"""Whether what a condition asks is up to whoever calls the function that it stands in: what is passed, and what is made
of that by what asks nothing else. Which machine, version or package there is, is not. A list: what is not on it is not
known to be. Evaluates little.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Final

from kernel_analysis.host.changes.uses import occurrences
from kernel_analysis.host.evaluate.values import Scope
from kernel_analysis.host.tensors.called import called
from kernel_analysis.host.tensors.certain import library
from kernel_analysis.host.tensors.placing import FUNCTIONS, Place, place
from kernel_analysis.source.tree import parameters
from kernel_analysis.source.tree.scopes import FunctionNode
from kernel_analysis.source.tree.syntax import children

_DEEPEST: Final = 6
_MODES: Final = frozenset({
    "torch.is_autocast_enabled", "torch.is_grad_enabled", "torch.is_inference_mode_enabled",
    "torch.are_deterministic_algorithms_enabled", "torch.is_autocast_cpu_enabled", "torch.distributed.is_initialized",
    "torch.compiler.is_compiling", "torch.cuda.is_current_stream_capturing",
})  # fmt: skip
"""What whoever calls has set."""
_ASKED: Final = frozenset({"parse_args", "parse_known_args", "parse_args_into_dataclasses"})
"""Methods that tell what whoever runs the program has asked for."""
_PURE: Final = frozenset({"math", "operator", "numpy"})


def is_free(at: Place, node: ast.expr, depth: int = 0) -> bool:
    """Whether it may come out either way by what is passed."""
    return depth < _DEEPEST and _has_free(at, node, depth) and not _asks_else(at, node, depth)


def is_main(at: Place, node: ast.expr) -> bool:
    """Whether it asks if the file is the program that is run."""
    sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
    texts = [side.value for side in sides if isinstance(side, ast.Constant)]
    names = [side.id for side in sides if isinstance(side, ast.Name)]
    return texts == ["__main__"] and names == ["__name__"] and isinstance(node, ast.Compare)


def _has_free(at: Place, node: ast.AST, depth: int) -> bool:
    if isinstance(node, ast.Name):
        return _name(at, node, depth)
    if isinstance(node, ast.Attribute):
        return _attribute(at, node, depth)
    if isinstance(node, ast.Call):
        path = library(at, node.func)
        if path in _MODES or isinstance(node.func, ast.Attribute) and node.func.attr in _ASKED:
            return True
    return any(_has_free(at, inner, depth) for inner in children(node))


def _asks_else(at: Place, node: ast.AST, depth: int) -> bool:
    """Whether a part of it is a call of what may ask something else."""
    if isinstance(node, ast.Call) and not _is_plain(at, node, depth):
        return True
    return any(_asks_else(at, inner, depth) for inner in children(node))


def _is_plain(at: Place, call: ast.Call, depth: int) -> bool:
    path = library(at, call.func)
    if path is not None:
        root, _, name = path.partition(".")
        return root in ("builtins", *_PURE) or path in _MODES or root in ("torch", "triton") and "." not in name
    if isinstance(call.func, ast.Attribute):
        # A method of what is passed, or made of it.
        return call.func.attr in _ASKED or _has_free(at, call.func.value, depth)
    if not isinstance(call.func, ast.Name):
        return False
    return called(at, call.func) is not None


def _name(at: Place, node: ast.Name, depth: int) -> bool:
    if node.id in at.hidden or depth >= _DEEPEST:
        return False
    scope: Scope | None = at.scope
    while scope is not None and node.id not in scope.table.events:
        scope = scope.parent
    if scope is None or isinstance(scope.node, (ast.Module, ast.ClassDef)):
        return False
    for event in scope.table.events[node.id]:
        if event.how == "parameter" and isinstance(event.node, ast.arg):
            if not isinstance(scope.node, FUNCTIONS) or _is_passed(at, scope, scope.node, event.node, depth):
                return True
        made = event.value
        if made is None and isinstance(event.node, (ast.For, ast.AsyncFor)):
            made = event.node.iter
        there = replace(at, scope=scope, order=event.order, hidden=frozenset())
        if made is not None and is_free(there, made, depth + 1):
            return True
    return False


def _is_passed(at: Place, scope: Scope, function: FunctionNode, parameter: ast.arg, depth: int) -> bool:
    """Whether some call may pass what is up to others: not where all in sight pass what asks something else."""
    names = parameters.positional(function.args)
    number = names.index(parameter.arg) if parameter.arg in names else None
    own = parameter.arg in names[:1] and isinstance((scope.parent or scope).node, ast.ClassDef)
    uses = [one for one in occurrences(scope.module, function.name) if function not in one.around]
    for use in uses if not own and not function.decorator_list else ():
        named, call, *_ = (*use.chain, None)
        if not isinstance(call, ast.Call) or call.func is not named or not isinstance(named, ast.Name):
            return True
        if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
            return True
        given = next((k.value for k in call.keywords if k.arg == parameter.arg), None)
        if given is None and number is not None and number < len(call.args):
            given = call.args[number]
        there = place(at.resolver, scope.module, call)
        if given is None or there is None or not _asks_machine(there, given, depth + 1):
            return True
    return own or not uses or bool(function.decorator_list)


def _asks_machine(at: Place, node: ast.expr, depth: int) -> bool:
    """Whether what is passed is neither written there nor up to others."""
    if isinstance(node, ast.Constant) or is_free(at, node, depth):
        return False
    return any(isinstance(inner, (ast.Call, ast.Attribute, ast.Name)) for inner in ast.walk(node))


def _attribute(at: Place, node: ast.Attribute, depth: int) -> bool:
    """What an object that is passed has; where the file sets attributes of that name, by what it sets."""
    root: ast.AST = node.value
    if depth >= _DEEPEST or not _has_free(at, root, depth):
        return False
    stores = _stores(at, node.attr)
    if stores:
        return any(is_free(there, value, depth + 1) or isinstance(value, ast.Constant) for there, value in stores)
    # What an object has that no text in sight gives it is its class's; of `self`, who knows.
    return not (isinstance(root, ast.Name) and root.id in ("self", "cls"))


def _stores(at: Place, attribute: str) -> list[tuple[Place, ast.expr]]:
    found: list[tuple[Place, ast.expr]] = []
    for one in occurrences(at.scope.module, attribute):
        target, statement = one.chain[0], one.statement
        if isinstance(target, ast.Attribute) and isinstance(target.ctx, ast.Store):
            value = getattr(statement, "value", None)
            there = place(at.resolver, at.scope.module, value) if isinstance(value, ast.expr) else None
            if there is not None and isinstance(value, ast.expr):
                found.append((there, value))
    return found
