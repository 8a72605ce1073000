"""What sets parts of a function: ``f.__code__ = g.__code__``, ``f.__defaults__ = (1,)``, in any file of the workspace;
and the text that a jit function is compiled from.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kernel_analysis.host.changes import callees
from kernel_analysis.host.changes.made.new_by_parameter import makes_new
from kernel_analysis.host.changes.made.new_objects import is_object
from kernel_analysis.host.changes.objects import handed_objects
from kernel_analysis.host.changes.objects.handed_objects import (
    ATTRIBUTES_OF_JIT,
    ATTRIBUTES_OF_PYTHON,
    PARTS_OF_JIT,
    Shared,
)
from kernel_analysis.host.changes.replaced import triton_replaced
from kernel_analysis.host.changes.stands_for.module_values import from_many, looked_up
from kernel_analysis.host.changes.uses import Occurrence, occurrences, sets_by_text, use
from kernel_analysis.host.evaluate.values import External, Scope, TritonObject, UserFunction
from kernel_analysis.host.names.naming import Bound, binding, meanings
from kernel_analysis.source.tree import nodes, parameters
from kernel_analysis.source.tree.forms import last_name
from kernel_analysis.source.tree.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView, TouchesView
    from kernel_analysis.source.kernel import JitFunction
    from kernel_analysis.source.module import Module

_CELL = "cell_contents"
_PARTS = ("__code__", "__defaults__", "__kwdefaults__", _CELL)
OF_DEFAULTS = ("__defaults__", "__kwdefaults__", "default", "defaults", "kwonlydefaults")
"""What has them: the function itself, and what ``inspect`` says of it."""
OF_CELLS = (_CELL, "nonlocals")
_DEFAULTS = ("__defaults__", "__kwdefaults__", "__signature__")
"""By these Triton gives a helper what a call leaves out; before 3.9 as they are when it is compiled."""
_DEEPEST = 4
_UPDATES = "_unsafe_update_src"
_CONFIGS = "configs"
_CHOOSING = (_CONFIGS, "early_config_prune", "perf_model", "configs_top_k", "prune_configs")
"""What an autotuner has its configs by, and chooses those that are tried."""
READ_WHEN_MADE = ("__code__", "__annotations__", "__signature__", "__wrapped__")
"""By these ``inspect.getsourcelines`` and ``inspect.signature`` tell Triton's ``JITFunction`` what it is made of."""
_HELD = ("__kwdefaults__", "__annotations__", _CONFIGS)
"""Parts that are changed themselves, too: of a function no other can be."""
_PARTS_OF_LAUNCHER = ("run", "fn")
"""Of these a launch is made, where they are set on a kernel."""


class _Matched:
    """The first line on which a ``case`` of a module takes an attribute of each name; kept with it, for all of its
    functions are asked about."""

    def __init__(self) -> None:
        self._lines: dict[str, int] | None = None

    def lines_of(self, module: Module) -> dict[str, int]:
        if self._lines is None:
            matches = [statement for statement, _ in nodes.statements(module) if isinstance(statement, ast.Match)]
            patterns = (node for match in matches for case in match.cases for node in descend(case.pattern))
            found = [(p.lineno, word) for p in patterns if isinstance(p, ast.MatchClass) for word in p.kwd_attrs]
            self._lines = {word: line for line, word in sorted(found, reverse=True)}
        return self._lines

    def forget(self) -> None:
        """Nothing: all of it is of the module's own text."""


def changed(resolver: ResolverView, function: UserFunction) -> str | None:
    """Why a function may do something else than it says, in words."""
    return part_set(resolver, function.scope.module, function.node, _PARTS)


def contents_changed(resolver: ResolverView, function: UserFunction, parts: Sequence[str]) -> str | None:
    """Why what is in such parts of a function, a list that is a default or that a cell holds, may be changed by who
    comes by it there."""
    return part_set(resolver, function.scope.module, function.node, parts, held=parts)


def jit_changed(touches: TouchesView, module: Module, function: JitFunction) -> str | None:
    """The same of a jit function of the module. (What code that it is handed to may set of it by no name is not asked:
    kernels go about as values in every program that times, registers or dispatches them.)"""
    shared = Shared(touches.resolver.scope(module, function.scope), function.name, function.node)
    return (
        part_set(touches.resolver, module, function.node, PARTS_OF_JIT)
        or handed_objects.spelled(touches, shared, ATTRIBUTES_OF_JIT)
        or handed_objects.parts_set(touches, shared)
    )


def python_changed(touches: TouchesView, function: UserFunction) -> str | None:
    """The same of one that Python runs while a kernel is compiled, which a ``constexpr_function`` holds."""
    shared = Shared(function.scope, getattr(function.node, "name", ""), function.node)
    why = part_set(touches.resolver, function.scope.module, function.node, (*_PARTS, "fn"))
    return why or handed_objects.spelled(touches, shared, ATTRIBUTES_OF_PYTHON)


def defaults_changed(resolver: ResolverView, module: Module, function: JitFunction) -> str | None:
    """Why a jit function of the module may be given something else than its text says where a call leaves it out."""
    node = function.node
    if not parameters.defaults(node.args):
        return None
    key = module.file, function.name, node.lineno, node.col_offset, *_DEFAULTS
    return resolver.touches.once(key, lambda: part_set(resolver, module, node, _DEFAULTS))


def cell_changed(resolver: ResolverView, scope: Scope, name: str) -> str | None:
    """Why a name that a function of this scope uses may be another than the text of the function around it says: of a
    cell that is set, no text says whose it is."""
    around = binding(scope, name)
    if around is None or isinstance(around[0].node, ast.Module):
        return None
    module = scope.module
    return resolver.touches.once((module.file, _CELL), lambda: part_set(resolver, module, module.tree, (_CELL,)))


def launcher_changed(resolver: ResolverView, function: JitFunction) -> str | None:
    """Why a launch of a jit function may be one of something else, or pass something else on."""
    module, node = resolver.project.load(function.file), function.node
    has = {"jit": True, "autotune": function.autotuned, "heuristics": bool(function.heuristics)}
    for kind in triton_replaced.DECORATORS:
        if has[kind] and (why := triton_replaced.replaced(resolver, module, kind)) is not None:
            return why
    key = module.file, function.name, node.lineno, node.col_offset, *_PARTS_OF_LAUNCHER
    return resolver.touches.once(key, lambda: part_set(resolver, module, node, _PARTS_OF_LAUNCHER))


def configs_changed(resolver: ResolverView, function: JitFunction) -> str | None:
    """Why the autotuner of a jit function may have other configs than are written there."""
    if function.configs_vary is not None or not function.autotuned:
        return function.configs_vary
    module, node = resolver.project.load(function.file), function.node
    for kind in triton_replaced.OF_CONFIGS:
        if (why := triton_replaced.replaced(resolver, module, kind)) is not None:
            return why
    key = module.file, function.name, node.lineno, node.col_offset, _CONFIGS
    return resolver.touches.once(key, lambda: part_set(resolver, module, node, _CHOOSING))


def part_set(
    resolver: ResolverView, module: Module, function: ast.AST, parts: Sequence[str], held: Sequence[str] = _HELD
) -> str | None:
    """Where one of these parts of the function may be set, in words. ``held``: those that are changed themselves, or
    in which something is that can be."""
    project = resolver.project
    for part in parts:
        own = [module.file] if part in module.named else []
        for file in (*own, *(f for f in _files(resolver, module, part, held) if f != module.file)):
            other = module if file == module.file else project.load(file)
            sites = (at for at in occurrences(other, part) if _sets(resolver, other, at, module, function, part, held))
            at = next(sites, None)
            line = getattr(at.chain[0], "lineno", at.statement.lineno) if at is not None else None
            if line is None and part in held:
                line = _matched(resolver, other, module, function, part)
            if line is not None:
                resolver.read((file,))
                return f"`{part}` of what may be that function is set by {project.place(file, line)}"
    where = resolver.touches.computed_names.of(f"{module.file}:{getattr(function, 'name', '')}", *parts)
    return f"parts of that function may be set by {where}" if where else None


def _matched(resolver: ResolverView, other: Module, module: Module, function: ast.AST, part: str) -> int | None:
    """The line on which a ``case`` takes that of what may be the function: ``case FunctionType(__defaults__=d)``."""
    line = other.keeps(_Matched).lines_of(other).get(part)
    name = getattr(function, "name", None)
    return line if line is None or name is None or _goes_round(resolver, module, name, other) else None


def _files(resolver: ResolverView, module: Module, part: str, held: Sequence[str]) -> list[str]:
    """The files that may set a part of a function, or change what is in it."""
    elsewhere, says = resolver.project.elsewhere, resolver.project.says
    found = elsewhere.storing(None, part, False)
    more = elsewhere.wording(module, part) if part in held else ()
    return sorted({*found, *(file for file in more if says(file, _has_part, part))})


def _has_part(text: str, part: str) -> bool:
    """Whether a text takes that of something else than ``self``."""
    return re.search(rf"(?<!\bself)\.{part}\b|attr\w*\([^()]*[\"']{part}[\"']|\b{part}\s*=", text) is not None


def _sets(
    resolver: ResolverView,
    other: Module,
    at: Occurrence,
    module: Module,
    function: ast.AST,
    part: str,
    held: Sequence[str],
) -> bool:
    node = at.chain[0]
    owner = sets_by_text(at)
    if owner is not None and getattr(node, "value", None) == _CELL:
        return True
    scope = resolver.scope(other, at.around)
    if isinstance(node, ast.Attribute):
        changes = node.attr in held and use(at, callees.judge(resolver, scope)) is not None
        changes = changes or node.attr == _UPDATES
        if node.attr == _CELL:
            return changes or not isinstance(node.ctx, ast.Load)  # whose it is, no text says
        owner = node.value if changes or not isinstance(node.ctx, ast.Load) else None
    asked = _asked_for(at)
    if asked is not None and part in held and last_name(asked.func) == "getattr":
        result = Occurrence(at.chain[1:], at.statement, at.around)
        owner = asked.args[0] if use(result, callees.judge(resolver, scope)) is not None else None
        if owner is not None and part == _CELL:
            return True
        asked = None if owner is not None else asked
    if part in (*_DEFAULTS, "__code__") and isinstance(owner, ast.Attribute) and owner.attr == "fn":
        owner = owner.value  # of a jit function, or a constexpr function, it is Python's
    name = getattr(function, "name", None)
    if owner is None:
        # `update_wrapper(f, g, assigned=("__code__",))`
        kept = asked is None or part in held and last_name(asked.func) == "attrgetter"
        handed = isinstance(node, ast.Constant) and node.value in _PARTS and kept
        return handed and (name is None or _goes_round(resolver, module, name, other))
    if isinstance(owner, str):
        return name is None or owner.rpartition(".")[2] == name
    return may_mean(resolver, scope, owner, other, module, function, part)


def may_mean(
    resolver: ResolverView, scope: Scope, owner: ast.expr, other: Module, module: Module, function: ast.AST, part: str
) -> bool:
    """Whether what another file's code has there, of which it sets a part, may be that function of the module."""
    name = getattr(function, "name", None)
    for found in meanings(resolver, scope, owner):
        if isinstance(found, Bound) and found.event.how in ("define", "class"):
            if found.event.node is function:
                return True
        elif isinstance(found, Bound) and isinstance(found.event.value, ast.Lambda):
            if found.event.value is function:
                return True
        elif isinstance(found, Bound) and (_is_new(resolver, found) or is_object(resolver, found, part)):
            continue
        elif found is None or isinstance(found, Bound):
            last = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", None)
            any_of_many = looked_up(owner) or isinstance(found, Bound) and from_many(found)
            if name is None or last == name or any_of_many or _goes_round(resolver, module, name, other):
                return True
    return False


def _asked_for(at: Occurrence) -> ast.Call | None:
    """The call that takes the attribute of that name: ``getattr(f, "__code__")``."""
    call = at.chain[1] if len(at.chain) > 1 and isinstance(at.chain[0], ast.Constant) else None
    return call if isinstance(call, ast.Call) and last_name(call.func) in ("getattr", "hasattr", "attrgetter") else None


def _is_new(resolver: ResolverView, found: Bound, depth: int = 0) -> bool:
    """Whether a name is bound to a function that is made there: ``f = JITFunction(g)``, also by a function in sight
    that gives back nothing else."""
    value = found.event.value
    return found.event.how == "assign" and isinstance(value, ast.Call) and _makes(resolver, found.scope, value, depth)


def _makes(resolver: ResolverView, scope: Scope, call: ast.Call, depth: int) -> bool:
    for maker in meanings(resolver, scope, call.func):
        if isinstance(maker, TritonObject) or isinstance(maker, External) and maker.path == "types.FunctionType":
            continue
        node = maker.event.node if isinstance(maker, Bound) else None
        if isinstance(maker, Bound) and makes_new(resolver, maker):
            continue
        if not isinstance(maker, Bound) or not isinstance(node, ast.FunctionDef) or depth > _DEEPEST:
            return False
        if node.decorator_list or any(isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in ast.walk(node)):
            return False
        inner = resolver.inner(maker.scope, node)
        for given in (n.value for n in ast.walk(node) if isinstance(n, ast.Return) and n.value is not None):
            if isinstance(given, ast.Call):
                if not _makes(resolver, inner, given, depth + 1):
                    return False
            elif not all(
                isinstance(m, Bound) and _is_new(resolver, m, depth + 1) for m in meanings(resolver, inner, given)
            ):
                return False
    return True


def _goes_round(resolver: ResolverView, module: Module, name: str, other: Module) -> bool:
    """Whether a function is given to code that may do more than call it, in its own file or in one that has the file,
    too, that sets parts of what it is given."""
    for at in occurrences(module, name):
        made = use(at, callees.judge(resolver, resolver.scope(module, at.around)))
        if isinstance(at.chain[0], ast.Name) and made is not None and made.kind in ("held", "part"):
            return True
    project = resolver.project
    return any(project.says(file, _takes, name) for file in project.elsewhere.having(module, other))


def _takes(text: str, name: str) -> bool:
    """Whether a text has the function without calling it."""
    return re.search(rf"{re.escape(name)}\b(?!\s*\()", text) is not None
