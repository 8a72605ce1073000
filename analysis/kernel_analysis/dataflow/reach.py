"""NO is only said when it is proven: what a branch that no signature compiled could read or write becomes UNKNOWN.

Works on the syntax trees of the slice; claims nothing about branches that were compiled.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from kernel_analysis.dataflow.program import Program, resolve
from kernel_analysis.facts import Facts, ParameterFacts, Unknown
from kernel_analysis.ir import At
from kernel_analysis.source.slice import FunctionRef, Slice, SliceFunction

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


def withhold_unreached(facts: Facts, slice: Slice) -> None:
    """Add an UNKNOWN to every parameter of the function that an uncompiled call could access, unless it is a YES
    already."""
    reached = set(facts.reached)
    program = Program(slice)
    # A helper that was compiled with nothing in it was reached all the same.
    for index in sorted({at.function for at in reached} | {0} | set(facts.helpers)):
        if not 0 <= index < len(slice.functions) or slice.functions[index].kind != "jit":
            continue
        function = slice.functions[index]
        ordinals = {node: ordinal for ordinal, node in enumerate(function.nodes)}
        for call in _calls(function):
            at = At(index, ordinals[call.node])
            if at in reached or not any(program.varies(index, test) for test in call.tests):
                continue
            condition = f"`{ast.unparse(call.tests[-1])}`" if call.tests else "other `tl.constexpr` values"
            note = Unknown(f"a branch that needs {condition} was compiled under none of the signatures tried", at)
            names = program.reaching(index, call.addresses)
            if index:
                _withhold(facts.helpers.get(index, []), names, function, call, note)
                names = program.passed_to(index)
            _withhold(facts.parameters, names, slice.functions[0], call, note)


def _withhold(
    facts: list[ParameterFacts], names: set[str], function: SliceFunction, call: _Call, note: Unknown
) -> None:
    for fact in facts:
        if fact.name.split("[")[0] in names and _may_be_pointer(fact, function):
            for access, does in ((fact.read, call.reads), (fact.write, call.writes)):
                if does and not access.sites and note not in access.unknowns:
                    access.unknowns.append(note)


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
    annotation = annotations.get(fact.name.split("[")[0])
    return annotation is None or "constexpr" not in ast.unparse(annotation)


def _calls(function: SliceFunction) -> Iterator[_Call]:
    """The calls of a function that may access memory; what follows a ``return`` is left out."""

    def statements(body: list[ast.stmt], tests: tuple[ast.expr, ...]) -> Iterator[_Call]:
        for statement in body:
            if isinstance(statement, ast.If):
                yield from expressions(statement.test, tests)
                yield from statements(statement.body, (*tests, statement.test))
                yield from statements(statement.orelse, (*tests, statement.test))
            elif isinstance(statement, ast.For | ast.While | ast.With):
                yield from statements(statement.body, (*tests, *_loop_tests(statement)))
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
        for inner in ast.iter_child_nodes(node):
            yield from expressions(inner, tests)

    # An early `return` under a condition that holds at compile time hides the rest as a branch would.
    exits = tuple(
        node.test
        for node in function.nodes
        if isinstance(node, ast.If) and any(isinstance(n, ast.Return) for n in ast.walk(node))
    )
    yield from statements(function.node.body, exits)


def _loop_tests(node: ast.For | ast.While | ast.With) -> tuple[ast.expr, ...]:
    """``static_range`` runs its body at compile time, perhaps never."""
    if isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
        return tuple(node.iter.args)
    return ()


def _classify(node: ast.Call, tests: tuple[ast.expr, ...], function: SliceFunction) -> _Call | None:
    arguments = (*node.args, *(keyword.value for keyword in node.keywords))
    if isinstance(resolve(node.func, function), FunctionRef):
        return _Call(node, tests, True, True, arguments)
    if not isinstance(node.func, ast.Attribute):
        return None
    name = node.func.attr
    addresses = (*node.args[:1], node.func.value)
    if name == "inline_asm_elementwise":
        return _Call(node, tests, True, True, arguments)
    if name in _WRITES or name.startswith("atomic_") or "store" in name or "scatter" in name:
        return _Call(
            node,
            tests,
            name.startswith("atomic_"),
            True,
            (*arguments, node.func.value) if name not in _WRITES else addresses,
        )
    if name in _READS or "load" in name:
        return _Call(node, tests, True, False, addresses)
    return None
