"""The jit functions that an expression of host code may stand for: every branch of it, whichever is taken when it runs.

Where code that is not followed has made something of one, that is said.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.decorators.wrappers import launches_as_given
from kernel_analysis.host.evaluate.values import Dict, External, Items, Jit, Scope, UserFunction, Value
from kernel_analysis.host.tensors.certain import hides, only
from kernel_analysis.host.tensors.launches import attributes
from kernel_analysis.host.tensors.launches.named_kernels import WRAPS, launches
from kernel_analysis.host.tensors.placing import place as _place
from kernel_analysis.record import record
from kernel_analysis.source.tree import parameters, parametrized, scopes
from kernel_analysis.source.tree.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ProjectView, ResolverView
    from kernel_analysis.source.kernel import JitFunction, Launch
    from kernel_analysis.source.module import Module

_DEPTH = 5
_MOST = 16


@record
class _Made:
    """What code that is not followed has made of a value."""

    value: Value


_Possible = Value | _Made


def targets(resolver: ResolverView, scope: Scope, node: ast.expr) -> list[tuple[Jit, bool]]:
    """Each once, in the order of the text, and whether something unseen has been made of it."""
    found: list[tuple[Jit, bool]] = []
    for possible in _possible(resolver, scope, node, 0):
        value = possible.value if isinstance(possible, _Made) else possible
        if isinstance(value, Jit) and not any(value.function.node is known.function.node for known, _ in found):
            found.append((value, isinstance(possible, _Made)))
    return found[:_MOST]


def may_be_another(project: ProjectView, function: JitFunction, launch: Launch) -> bool:
    """Whether a launch may be one of something else, so that this function may never be given what it passes."""
    resolver, module = project.resolver, project.load((launch.via or launch).file)
    at = _place(resolver, module, launch.call) if launch.via is None else None
    if at is not None and isinstance(launch.call.func, ast.Name) and only(at, launch.call.func) is None:
        return True  # `launch = kernel[grid]`, and another as well
    if launch.via is not None and _binds(launch.scope[-1], launch.call):
        return True
    return launch.target is not None and not _is_no_other(resolver, module, launch.target, function)


def _binds(launcher: ast.AST, call: ast.Call) -> bool:
    """Whether a function that launches what it is given binds the name of that anew."""
    names = {n.id for n in descend(call.func) if isinstance(n, ast.Name)}
    nodes = [*descend(launcher)]
    bound = {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    bound |= {a.arg for n in nodes if isinstance(n, ast.Lambda) for a in parameters.every(n.args)}
    return not names.isdisjoint(bound)


def _is_no_other(resolver: ResolverView, module: Module, node: ast.expr, function: JitFunction) -> bool:
    """Whether an expression of the file stands for the function in every run that comes to it."""
    if module.embedded_at(node.lineno) is not None:
        return True  # of a string nobody else is asked
    at = _place(resolver, module, node)
    if at is None or hides(at, node):
        return False
    if isinstance(node, ast.Name):
        found = resolver.lookup(at.scope, node.id, at.order)
        if isinstance(found.value, Jit) and found.value.function.node is function.node and found.others == ():
            return True
    with resolver.noting() as notes:
        value = resolver.evaluator.evaluate(node, at.scope, at.order)
    if isinstance(value, Jit) and value.function.node is function.node and not notes:
        return True
    return launches(at, node) is function.node


def _possible(resolver: ResolverView, scope: Scope, node: ast.expr, depth: int) -> list[_Possible]:
    """Jit functions, and containers that may hold some."""
    if depth > _DEPTH:
        return []
    if isinstance(node, ast.IfExp):
        return [v for part in (node.body, node.orelse) for v in _possible(resolver, scope, part, depth + 1)]
    if isinstance(node, ast.BoolOp):
        return [v for part in node.values for v in _possible(resolver, scope, part, depth + 1)]
    if isinstance(node, (ast.Dict, ast.Tuple, ast.List)):
        parts = node.values if isinstance(node, ast.Dict) else node.elts
        return [v for part in parts for v in _possible(resolver, scope, part, depth + 1)]
    if not isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
        return []
    value = resolver.evaluator.evaluate(node, scope)
    if isinstance(value, (Jit, Dict, Items)):
        return [value]
    if isinstance(node, ast.Subscript):
        return [v for held in _possible(resolver, scope, node.value, depth + 1) for v in _members(held)]
    if isinstance(node, ast.Name):
        return [*_loaded(resolver, scope, node.id)] or _bound(resolver, scope, node.id, depth)
    if isinstance(node, ast.Attribute):
        owner = attributes.owner(scope, node)
        method = resolver.evaluator.attribute(owner, node.attr) if owner is not None else None
        if isinstance(method, Jit):
            return [method]
        held = attributes.set_in_class(resolver, scope, node)
        return [v for where, part in held for v in _possible(resolver, where, part, depth + 1)]
    return _called(resolver, scope, node, depth)


def _members(value: _Possible) -> list[_Possible]:
    """What a subscript that is not known may take out of a container."""
    if isinstance(value, _Made):
        return [held if isinstance(held, _Made) else _Made(held) for held in _members(value.value)]
    if isinstance(value, Dict):
        return [held for _, held in value.pairs]
    if isinstance(value, Items):
        return list(value.values)
    # An element of a display that was not evaluated as a whole.
    return [value]


def _loaded(resolver: ResolverView, scope: Scope, name: str) -> list[Jit]:
    """The kernel in a string that ``name`` stands for, ``name = load("kernel", "...")``: the one that the call speaks
    of, or the only one in the string."""
    module = scope.module
    definition = resolver.lookup(scope, name) if module.embedded else None
    call = getattr(definition.node, "value", None) if definition and definition.module is module else None
    if not isinstance(call, ast.Call):
        return []
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    trees = [embedded.tree for embedded in module.embedded if any(embedded.literal is a for a in arguments)]
    inside = [f for f in module.jit.values() if f.scope and any(f.scope[0] is tree for tree in trees)]
    words = [a.value for a in arguments if isinstance(a, ast.Constant)]
    named = [f for f in inside if f.name in words] or inside
    return [Jit(f) for f in named] if len(named) == 1 else []


def _bound(resolver: ResolverView, scope: Scope, name: str, depth: int) -> list[_Possible]:
    """What any of the statements that bind the name may bind it to."""
    around: Scope | None = scope
    while around is not None and (isinstance(around.node, ast.ClassDef) or name not in around.table.events):
        around = around.parent
    found: list[_Possible] = []
    for event in around.table.events[name] if around is not None else []:
        if event.how == "assign" and event.value is not None and around is not None:
            found += _possible(resolver, around, event.value, depth + 1)
        elif isinstance(event.node, ast.For) and _is_variable(event.node.target, name) and around is not None:
            held = _possible(resolver, around, event.node.iter, depth + 1)
            found += [v for one in held for v in ([one] if isinstance(one, Jit) else _members(one))]
        elif event.how == "from" and around is not None:
            found += _imported(resolver, around, event, depth)
        elif event.how == "parameter" and around is not None:
            found += _by_cases(resolver, around, name, depth)
    return found


def _by_cases(resolver: ResolverView, scope: Scope, name: str, depth: int) -> list[_Possible]:
    """What the cases of a test give one of its parameters."""
    node, outside = scope.node, scope.parent
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or outside is None:
        return []
    found = [v for case in parametrized.values(node, name) for v in _possible(resolver, outside, case, depth + 1)]
    for cases, index in parametrized.made(node, name):
        for held in _possible(resolver, outside, cases, depth + 1):
            for case in [held] if isinstance(held, Jit) else _members(held):
                if index is None:
                    found.append(case)
                elif isinstance(case, Items) and index < len(case.values):
                    found.append(case.values[index])
    return found


def _is_variable(target: ast.expr, name: str) -> bool:
    return isinstance(target, ast.Name) and target.id == name


def _imported(resolver: ResolverView, scope: Scope, event: scopes.Event, depth: int) -> list[_Possible]:
    """A name of another module that is itself one of several."""
    node, alias = event.node, event.alias
    assert isinstance(node, ast.ImportFrom)
    assert alias is not None
    file = resolver.project.find_module("." * node.level + (node.module or ""), scope.module.file)
    if file is None or file == scope.module.file:
        return []
    return _bound(resolver, resolver.scope(resolver.project.load(file)), alias.name, depth + 1)


def _called(resolver: ResolverView, scope: Scope, node: ast.Call, depth: int) -> list[_Possible]:
    """What a function that picks a kernel may return; anything else is taken to make something of its first
    argument."""
    function = resolver.evaluator.evaluate(node.func, scope)
    found: list[_Possible] = []
    if isinstance(function, UserFunction) and not isinstance(function.node, ast.Lambda):
        inner = resolver.inner(function.scope, function.node)
        for statement in _returns(function.node):
            found += _possible(resolver, inner, statement, depth + 1)
    if not found and node.args:
        found = _possible(resolver, scope, node.args[0], depth + 1)
        same = isinstance(function, External) and function.path in WRAPS
        if found and not same and not launches_as_given(resolver.evaluator, node.func, scope):
            return [value if isinstance(value, _Made) else _Made(value) for value in found]
    return found


def _returns(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.expr]:
    found: list[ast.expr] = []
    todo: list[ast.AST] = list(node.body)
    while todo:
        current = todo.pop(0)
        if isinstance(current, ast.Return) and current.value is not None:
            found.append(current.value)
        elif not isinstance(current, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            todo += ast.iter_child_nodes(current)
    return found
