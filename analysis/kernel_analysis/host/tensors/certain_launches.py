"""A launch as Triton sees it: which kernel for sure, with what on it, over which grid, and which argument goes to which
parameter. Where one of these is not known there is no answer: the rules that ask accuse.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.changes.uses import occurrences
from kernel_analysis.host.decorators.layers import Stack, stack
from kernel_analysis.host.evaluate.values import Definition, Jit
from kernel_analysis.host.tensors import attributes
from kernel_analysis.host.tensors.certain import display, hides, library, only, spelled
from kernel_analysis.host.tensors.placing import Place, place
from kernel_analysis.record import record
from kernel_analysis.source.kernel import JitFunction, Launch, Parameter
from kernel_analysis.source.scopes import Event, FunctionNode
from kernel_analysis.source.slice import TritonObject
from kernel_analysis.source.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.host.names.resolve import Resolver
    from kernel_analysis.source.module import Module

_ALIASES = 3
WRAPS: Final = frozenset({"torch.library.wrap_triton", "torch.library.capture_triton"})


@record
class Certain:
    """``positional``: the arguments up to the first star; ``named``: those by name. ``starred``: more may follow by
    position; ``spread``: by name."""

    launch: Launch
    at: Place
    stack: Stack
    positional: tuple[ast.expr, ...]
    named: Mapping[str, ast.keyword]
    starred: bool
    spread: bool

    @property
    def function(self) -> JitFunction:
        return self.stack.function

    @property
    def happens(self) -> bool:
        """Whether it may run at all, and is not there to fail. Costs more than most questions: for the accused."""
        return not self.at.expects_failure and self.at.undecided is not None

    @property
    def by_position(self) -> list[Parameter]:
        """The parameters that arguments by position go to."""
        return [p for p in self.function.parameters if p.kind == "positional"]

    def given(self) -> Iterator[tuple[Parameter, ast.expr]]:
        """Each parameter that gets an argument in sight, with that."""
        yield from zip(self.by_position, self.positional, strict=False)
        for parameter in self.function.parameters:
            if parameter.name in self.named:
                yield parameter, self.named[parameter.name].value


def certain(
    resolver: Resolver,
    module: Module,
    found: list[tuple[JitFunction, Launch]],
    stacks: dict[int, Stack | None] | None = None,
) -> list[Certain]:
    """The launches of a file of which it is known what they launch. ``stacks``: what is known to stand on functions, by
    the identity of their trees; what is found out goes in."""
    stacks = {} if stacks is None else stacks
    made: list[Certain] = []
    of: dict[int, list[tuple[JitFunction, Launch]]] = {}
    for function, launch in found:
        of.setdefault(id(launch.call), []).append((function, launch))
    for group in of.values():
        launch = group[0][1]
        at = place(resolver, module, launch.call) if launch.via is None and launch.file == module.file else None
        target = _target(at, launch.call) if at is not None else None
        if at is None or target is None:
            continue
        alone = len(group) == 1
        for function, launch in group:
            if not (alone and launches(*target) is function.node or _in_turn(*target, function)):
                continue
            if id(function.node) not in stacks:
                stacks[id(function.node)] = stack(resolver, function)
            known = stacks[id(function.node)]
            if known is not None:
                made.append(_read(launch, at, known))
    return made


def _read(launch: Launch, at: Place, known: Stack) -> Certain:
    call = launch.call
    positional: list[ast.expr] = []
    starred = spread = False
    for argument in call.args:
        inside = display(at, argument.value) if isinstance(argument, ast.Starred) else [argument]
        if inside is None:
            starred = True
            break
        positional += inside
    named: dict[str, ast.keyword] = {}
    for keyword in call.keywords:
        inside = spelled(at, keyword.value) if keyword.arg is None else [keyword]
        spread |= inside is None
        named.update({k.arg: k for k in inside or () if k.arg is not None})
    return Certain(launch, at, known, tuple(positional), named, starred, spread)


def _target(at: Place, call: ast.Call) -> tuple[Place, ast.expr] | None:
    """What a call launches, and where that is to be read."""
    if isinstance(call.func, ast.Name):
        # `launch = kernel[grid]`, and later `launch(...)`.
        bound = only(at, call.func)
        made = bound[0].value if bound is not None and bound[0].how == "assign" else None
        if bound is None or not isinstance(made, ast.Subscript):
            return None
        return replace(at, scope=bound[1], order=bound[0].order, hidden=frozenset()), made.value
    return (at, call.func.value) if isinstance(call.func, (ast.Subscript, ast.Attribute)) else None


def _in_turn(at: Place, node: ast.expr, function: JitFunction) -> bool:
    """Whether the expression is the variable of a loop that launches the function, and others after or before it."""
    bound = only(at, node) if isinstance(node, ast.Name) else None
    loop = bound[0].node if bound is not None else None
    if bound is None or not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name) or _leaves(loop):
        return False
    before = replace(at, scope=bound[1], order=bound[0].order, hidden=frozenset())
    return any(launches(before, one) is function.node for one in display(before, loop.iter) or ())


def _leaves(loop: ast.For) -> bool:
    """Whether some turns may launch nothing: what they launch may be chosen for its arguments."""
    return any(isinstance(n, (ast.Break, ast.Continue, ast.If, ast.Try, ast.IfExp)) for n in descend(loop))


def launches(at: Place, target: ast.expr) -> ast.FunctionDef | None:
    """The one function that the expression stands for, with what decorates it where it is defined and nothing else."""
    with at.resolver.noting() as notes:
        node = _defined(at, target, 0)
    return node if not notes else None


def _defined(at: Place, node: ast.expr, depth: int) -> ast.FunctionDef | None:
    resolver = at.resolver
    definition: Definition | None = None
    if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords and depth < _ALIASES:
        # What torch wraps for its tracer is launched as what it is.
        return _defined(at, node.args[0], depth + 1) if library(at, node.func) in WRAPS else None
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
    if definition is None or definition.others != () or not isinstance(definition.value, Jit):
        return None
    found = definition.value.function.node
    return found if definition.node is found else None


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


def speaks_triton(resolver: Resolver, module: Module, function: FunctionNode) -> bool:
    """Whether a function calls something of Triton's language: it may be a kernel's, whatever makes it one."""
    scope = resolver.scope(module)
    for node in descend(function):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            events = scope.table.events.get(node.value.id, [])
            value = resolver.evaluator.evaluate(node.value, scope) if any(map(_imports, events)) else None
            if isinstance(value, TritonObject) and value.path.rpartition(".")[2] == "language":
                return True
    return False


def _imports(event: Event) -> bool:
    return event.how in ("import", "from")
