"""NO is only said when it is proven: what a branch that no signature compiled could read or write becomes UNKNOWN.

Works on the syntax trees of the slice; claims nothing about branches that were compiled.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from kernel_analysis import paths
from kernel_analysis.dataflow.choices import choices, decided_at_run_time, loop_tests
from kernel_analysis.dataflow.program import Program, never_compiled, resolve
from kernel_analysis.facts import Access, Facts, ParameterFacts, Unknown
from kernel_analysis.ir import At
from kernel_analysis.source.slice import FunctionRef, Slice, SliceFunction, TritonObject
from kernel_analysis.source.syntax import descend, inside

_WRITES = {"store", "scatter", "async_store", "tensormap_create"}
_READS = {"load", "gather"}


@dataclass(frozen=True, slots=True)
class _Call:
    """A call: the conditions of the branches it stands in (outermost first), whether it may read or write, and the
    expressions with the addresses."""

    node: ast.Call
    tests: tuple[ast.expr, ...]
    reads: bool
    writes: bool
    addresses: tuple[ast.expr, ...]
    direct: bool = True
    """Whether it accesses memory itself, and not through another jit function."""


def withhold_unreached(facts: Facts, slice: Slice) -> None:
    """Add an UNKNOWN to every parameter of the function that an uncompiled call could access, unless it is a YES
    already."""
    reached = {At(index, ordinal) for index, ordinals in facts.reached.items() for ordinal in ordinals}
    # A parameter that was only ever None may be anything for another launch.
    kinds = frozenset(paths.owner(fact.name) for fact in facts.parameters if fact.type != "constexpr")
    program = Program(slice, kinds)
    # A helper that was compiled with nothing in it was reached all the same.
    for index in sorted(set(facts.reached) | {0} | set(facts.helpers)):
        if not 0 <= index < len(slice.functions) or slice.functions[index].kind != "jit":
            continue
        function = slice.functions[index]
        missed, chosen = _open_questions(function, facts.reached.get(index, ()))
        in_question = missed or chosen or index > 0 and len(program.starts(index)) > 1
        calls = list(_calls(function)) if in_question else []
        ordinals = _ordinals(function) if in_question else {}
        for call in calls if missed else ():
            at = At(index, ordinals[call.node])
            if at in reached or not any(program.varies(index, test) for test in call.tests):
                continue
            condition = f"`{ast.unparse(call.tests[-1])}`" if call.tests else "other `tl.constexpr` values"
            note = Unknown(f"a branch that needs {condition} was compiled under none of the signatures tried", at)
            names = program.reaching(index, call.addresses)
            if index:
                _withhold(facts.helpers.get(index, []), names, function, call, note)
                names = program.handed_down(index, names)
            _withhold(facts.parameters, names, slice.functions[0], call, note)
        if missed or chosen:
            _withhold_handed_on(facts, slice, program, index, reached, calls)
        if index:
            _withhold_other_ways(facts, slice, program, index, reached, calls)


_RECORDED = {ast.Call, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return}
"""What is in ``Facts.reached`` where it was compiled."""


def _open_questions(function: SliceFunction, compiled: Iterable[int]) -> tuple[bool, bool]:
    """Whether anything in a function was not compiled, and whether expressions choose in it: mostly neither, and then
    there is no need to look closer."""
    missed = chosen = False
    # What a loop goes over is not recorded.
    seen = {function.nodes[ordinal] for ordinal in compiled}
    seen.update(node.iter for node in function.nodes if isinstance(node, ast.For))
    for node in function.nodes:
        kind = type(node)
        if kind in _RECORDED:
            missed = missed or node not in seen
        elif kind is ast.IfExp:
            chosen = True
        elif isinstance(node, ast.Subscript):
            chosen = chosen or any(isinstance(inner, ast.Name) for inner in descend(node.slice))
    return missed, chosen


def _withhold_other_ways(
    facts: Facts, slice: Slice, program: Program, index: int, reached: set[At], calls: list[_Call]
) -> None:
    """A helper's branch that one of the kernel's calls reached may not have been reached from another."""
    starts = program.starts(index)
    if len(starts) < 2:
        return
    function = slice.functions[index]
    ordinals = _ordinals(function)
    gated = [
        call
        for call in calls
        if call.direct
        and At(index, ordinals[call.node]) in reached
        and any(program.varies(index, t) for t in call.tests)
    ]
    if not gated:
        return
    seen = {
        (_position(slice, place.at), _position(slice, place.path[0]))
        for fact in facts.parameters
        for access in (fact.read, fact.write, fact.table_read, fact.table_write)
        for place in (*access.sites, *access.unknowns)
        if place.path
    }
    kernel = _ordinals(slice.functions[0])
    for call in gated:
        place = _position(slice, At(index, ordinals[call.node]))
        for start in starts:
            varying = [test for test in call.tests if program.varies_from(index, test, start)]
            if varying and (place, (0, start.lineno, start.col_offset)) not in seen:
                condition = ast.unparse(varying[-1])
                note = Unknown(
                    f"the branch of `{function.name}` that needs `{condition}` was not compiled for this call",
                    At(0, kernel[start]),
                )
                names = program.handed_down(index, program.reaching(index, call.addresses), start)
                _withhold(facts.parameters, names, slice.functions[0], call, note)


def _ordinals(function: SliceFunction) -> dict[ast.AST, int]:
    return dict(zip(function.nodes, range(len(function.nodes)), strict=True))


def _position(slice: Slice, at: At) -> tuple[int, int, int]:
    """Nodes that start at one place count as one: an operation stands at the outermost of them."""
    if at.function < 0:
        return -1, 0, 0
    node = slice.functions[at.function].nodes[at.node]
    return at.function, getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _withhold_handed_on(
    facts: Facts, slice: Slice, program: Program, index: int, reached: set[At], calls: list[_Call]
) -> None:
    """A branch that was not compiled could also have put another address into a name, or returned it."""
    function = slice.functions[index]
    own = facts.helpers.get(index, []) if index else facts.parameters
    pointers = {paths.owner(fact.name) for fact in own if _may_be_pointer(fact, function)}
    ordinals = _ordinals(function)
    for choice in choices(function):
        at = At(index, ordinals[choice.node])
        if at in reached and choice.recorded:
            continue
        open_ = [test for test in choice.tests if not decided_at_run_time(test, function)]
        varying = [test for test in open_ if program.varies(index, test)]
        sources = program.reaching(index, (choice.value,)) & pointers if varying else set[str]()
        if not sources:
            continue
        condition = ast.unparse(varying[-1])
        note = Unknown(f"`{condition}` decides which address is used, and not every value of it was tried", at)
        effects = [
            call
            for call in calls
            if call.node in choice.around or choice.targets & program.reaching(index, call.addresses)
        ]
        if index and choice.returned:
            effects.append(_Call(ast.Call(choice.value, [], []), (), True, True, ()))
        for effect in effects:
            _withhold(own, sources, function, effect, note)
            if index:
                _withhold(facts.parameters, program.handed_down(index, sources), slice.functions[0], effect, note)


def _withhold(
    facts: list[ParameterFacts], names: set[str], function: SliceFunction, call: _Call, note: Unknown
) -> None:
    for number, fact in enumerate(facts):
        if paths.owner(fact.name) in names and _may_be_pointer(fact, function):
            read = _unless_known(fact.read, note) if call.reads else fact.read
            write = _unless_known(fact.write, note) if call.writes else fact.write
            # Not in the fact itself: other facts may hold it too.
            facts[number] = replace(fact, read=read, write=write)


def _unless_known(access: Access, note: Unknown) -> Access:
    if access.sites or note in access.unknowns:
        return access
    return Access((), (*access.unknowns, note))


def _may_be_pointer(fact: ParameterFacts, function: SliceFunction) -> bool:
    """Whether a parameter can hold an address: a pointer, a descriptor, a ``None`` that others pass a pointer for, or
    an integer where some are cast."""
    if fact.type.startswith(("*", "tensordesc")):
        return True
    if fact.type == "i64":
        return any(isinstance(node, ast.Attribute) and node.attr == "pointer_type" for node in function.nodes)
    if fact.type != "constexpr":
        return False
    arguments = function.node.args
    annotations = {a.arg: a.annotation for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    annotation = annotations.get(paths.owner(fact.name))
    return annotation is None or "constexpr" not in ast.unparse(annotation)


def _calls(function: SliceFunction) -> Iterator[_Call]:
    """The calls of a function that may access memory; what follows a ``return`` is left out."""

    def statements(body: list[ast.stmt], tests: tuple[ast.expr, ...]) -> Iterator[_Call]:
        for statement in body:
            if isinstance(statement, ast.If):
                yield from expressions(statement.test, tests)
                dead = never_compiled(statement, function)
                for arm in (statement.body, statement.orelse):
                    if arm is not dead:
                        yield from statements(arm, (*tests, statement.test))
            elif isinstance(statement, ast.For | ast.While | ast.With):
                yield from statements(statement.body, (*tests, *loop_tests(statement)))
            else:
                yield from expressions(statement, tests)
                if isinstance(statement, ast.Return):
                    return

    def expressions(node: ast.AST, tests: tuple[ast.expr, ...]) -> Iterator[_Call]:
        if isinstance(node, ast.IfExp):
            tests = (*tests, node.test)
        elif isinstance(node, ast.BoolOp):
            tests = (*tests, *node.values)
        if isinstance(node, ast.Call):
            call = _classify(node, tests, function)
            if call is not None:
                yield call
        for inner in inside(node):
            yield from expressions(inner, tests)

    # An early `return` under a condition that holds at compile time hides the rest as a branch would.
    exits = tuple(
        node.test
        for node in function.nodes
        if isinstance(node, ast.If) and any(isinstance(n, ast.Return) for n in descend(node))
    )
    yield from statements(function.node.body, exits)


def _classify(node: ast.Call, tests: tuple[ast.expr, ...], function: SliceFunction) -> _Call | None:
    arguments = (*node.args, *(keyword.value for keyword in node.keywords))
    target = resolve(node.func, function)
    if isinstance(target, FunctionRef):
        return _Call(node, tests, True, True, arguments, direct=False)
    if isinstance(node.func, ast.Attribute):
        name, owner = node.func.attr, (node.func.value,)
    elif isinstance(target, TritonObject):  # `from triton.language import store`
        name, owner = target.path.rpartition(".")[2], ()
    else:
        return None
    addresses = (*node.args[:1], *owner)
    if name == "inline_asm_elementwise":
        return _Call(node, tests, True, True, arguments)
    if name in _WRITES or name.startswith("atomic_") or "store" in name or "scatter" in name:
        return _Call(
            node,
            tests,
            name.startswith("atomic_"),
            True,
            (*arguments, *owner) if name not in _WRITES else addresses,
        )
    if name in _READS or "load" in name:
        return _Call(node, tests, True, False, addresses)
    return None
