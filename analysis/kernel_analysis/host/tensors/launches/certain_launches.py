"""A launch as Triton sees it: which kernel for sure, with what on it, over which grid, and which argument goes to which
parameter. Where one of these is not known there is no answer: the rules that ask accuse.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.functions.function_parts import launcher_changed
from kernel_analysis.host.decorators.layers import Stack, stack
from kernel_analysis.host.tensors.certain import assigned, display, means_the_same, only, spelled
from kernel_analysis.host.tensors.come_to import reached
from kernel_analysis.host.tensors.launches.named_kernels import launched, launches
from kernel_analysis.host.tensors.placing import Place, place
from kernel_analysis.record import record
from kernel_analysis.source.kernel import JitFunction, Launch, Parameter
from kernel_analysis.source.slice import TritonObject
from kernel_analysis.source.tree.scopes import Event, FunctionNode
from kernel_analysis.source.tree.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module


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
        return reached.happens(self.at)

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
    resolver: ResolverView,
    module: Module,
    found: list[tuple[JitFunction, Launch]],
    stacks: dict[int, Stack | None] | None = None,
) -> list[Certain]:
    """The launches of a file of which it is known what they launch. ``stacks``: what is known to stand on functions, by
    the identity of their trees; what is found out goes in."""
    stacks = {} if stacks is None else stacks
    return [one for group in by_call(found) for one in of_call(resolver, module, group, stacks)]


def by_call(found: list[tuple[JitFunction, Launch]]) -> Iterable[list[tuple[JitFunction, Launch]]]:
    """The launches that are one call: of which function, may not be known."""
    of: dict[int, list[tuple[JitFunction, Launch]]] = {}
    for function, launch in found:
        of.setdefault(id(launch.call), []).append((function, launch))
    return of.values()


def of_call(
    resolver: ResolverView,
    module: Module,
    group: list[tuple[JitFunction, Launch]],
    stacks: dict[int, Stack | None],
) -> list[Certain]:
    """What one call launches for sure. ``stacks``: as in ``certain``."""
    launch = group[0][1]
    at = place(resolver, module, launch.call) if launch.via is None and launch.file == module.file else None
    target = _target(at, launch.call) if at is not None else None
    if at is None or target is None:
        return []
    made: list[Certain] = []
    named = launched(*target) if len(group) == 1 else None
    for function, launch in group:
        one = named if named is not None and named.function.node is function.node else None
        if one is None and not _in_turn(*target, function):
            continue
        if one is not None and one.put_on:
            known = one.stack()
        else:
            if id(function.node) not in stacks:
                stacks[id(function.node)] = stack(resolver, function)
            known = stacks[id(function.node)]
        # (What a file puts in the place of its `run` passes on what it likes.)
        if known is not None and launcher_changed(resolver, function) is None:
            made.append(_read(launch, at, known))
    return made


def _read(launch: Launch, at: Place, known: Stack) -> Certain:
    call = launch.call
    positional: list[ast.expr] = []
    starred = spread = False
    for argument in call.args:
        inside = display(at, argument.value) if isinstance(argument, ast.Starred) else ([argument], at)
        if inside is None:
            starred = True
            break
        # What its names stand for where it is written is not what they stand for here: no more is known of it.
        positional += (part if means_the_same(part, at, inside[1]) else argument for part in inside[0])
    named: dict[str, ast.keyword] = {}
    for keyword in call.keywords:
        inside = spelled(at, keyword.value) if keyword.arg is None else ([keyword], at)
        if inside is None:
            spread = True
            continue
        parts = (part if means_the_same(part.value, at, inside[1]) else _of_which(part) for part in inside[0])
        named.update({part.arg: part for part in parts if part.arg is not None})
    return Certain(launch, at, known, tuple(positional), named, starred, spread)


def _of_which(keyword: ast.keyword) -> ast.keyword:
    """One of which nothing but the name is known."""
    value = ast.copy_location(ast.Starred(keyword.value, ast.Load()), keyword.value)
    return ast.copy_location(ast.keyword(keyword.arg, value), keyword)


def _target(at: Place, call: ast.Call) -> tuple[Place, ast.expr] | None:
    """What a call launches, and where that is to be read."""
    if isinstance(call.func, ast.Name):
        # `launch = kernel[grid]`, and later `launch(...)`.
        found = assigned(at, call.func)
        return (found[1], found[0].value) if found is not None and isinstance(found[0], ast.Subscript) else None
    return (at, call.func.value) if isinstance(call.func, (ast.Subscript, ast.Attribute)) else None


def _in_turn(at: Place, node: ast.expr, function: JitFunction) -> bool:
    """Whether the expression is the variable of a loop that launches the function, and others after or before it."""
    bound = only(at, node) if isinstance(node, ast.Name) else None
    loop = bound[0].node if bound is not None else None
    if bound is None or not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name) or _leaves(loop):
        return False
    before = replace(at, scope=bound[1], order=bound[0].order, hidden=frozenset())
    listed, there = display(before, loop.iter) or ((), before)
    return any(launches(there, one) is function.node for one in listed)


def _leaves(loop: ast.For) -> bool:
    """Whether some turns may launch nothing: what they launch may be chosen for its arguments."""
    return any(isinstance(n, (ast.Break, ast.Continue, ast.If, ast.Try, ast.IfExp)) for n in descend(loop))


def speaks_triton(resolver: ResolverView, module: Module, function: FunctionNode) -> bool:
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
