"""NO is only said when it is proven: what a branch that no signature compiled could read or write becomes UNKNOWN.

Works on the syntax trees of the slice; claims nothing about branches that were compiled.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from kernel_analysis.facts import Access, Facts, ParameterFacts, Unknown
from kernel_analysis.ir import At
from kernel_analysis.source.slice import Binding, FunctionRef, Namespace, Slice, SliceFunction

_WRITES = {"store", "scatter", "async_store", "tensormap_create"}
_READS = {"load", "gather"}


@dataclass(frozen=True, slots=True)
class _Call:
    """A call that was not compiled: in what branch it stands, whether it may read or write, and the expressions with the addresses."""

    node: ast.Call
    test: ast.expr | None
    reads: bool
    writes: bool
    addresses: tuple[ast.expr, ...]


def withhold_unreached(facts: Facts, slice: Slice) -> None:
    """Add an UNKNOWN to every parameter of the function that an uncompiled call could access, unless it is a YES already."""
    reached = set(facts.reached)
    compiled = {at.function for at in reached} | {0}
    for index in sorted(compiled):
        if not 0 <= index < len(slice.functions) or slice.functions[index].kind != "jit":
            continue
        function = slice.functions[index]
        ordinals = {node: ordinal for ordinal, node in enumerate(function.nodes)}
        missed = [
            call for call in _calls(function) if At(index, ordinals[call.node]) not in reached
        ]  # fmt: skip
        flows = _flows(function) if missed else {}
        for call in missed:
            at = At(index, ordinals[call.node])
            condition = f"`{ast.unparse(call.test)}`" if call.test is not None else "other `tl.constexpr` values"
            note = Unknown(f"a branch that needs {condition} was compiled under none of the signatures tried", at)
            names = _reaching(call.addresses, flows)
            own = facts.parameters if index == 0 else facts.helpers.get(index, [])
            for fact in own:
                if fact.name.split("[")[0] in names and _may_be_pointer(fact, function):
                    _add(fact, call, note)
            if index != 0:
                for fact in facts.parameters:
                    if _may_be_pointer(fact, slice.functions[0]):
                        _add(fact, call, note)


def _may_be_pointer(fact: ParameterFacts, function: SliceFunction) -> bool:
    """Whether a parameter can hold an address: a pointer, a descriptor, a ``None`` that others pass a pointer for, or an integer where some are cast."""
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


def _add(fact: ParameterFacts, call: _Call, note: Unknown) -> None:
    for access, does in ((fact.read, call.reads), (fact.write, call.writes)):
        if does and not access.sites:
            _note(access, note)


def _note(access: Access, note: Unknown) -> None:
    if note not in access.unknowns:
        access.unknowns.append(note)


def _calls(function: SliceFunction) -> Iterator[_Call]:
    """The calls of a function that may access memory, with the condition of the innermost branch; dead code left out."""
    parameters = {a.arg for a in ast.walk(function.node.args) if isinstance(a, ast.arg)}
    local = parameters | {
        node.id for node in function.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }

    def statements(body: list[ast.stmt], test: ast.expr | None) -> Iterator[_Call]:
        for statement in body:
            if isinstance(statement, ast.If):
                yield from expressions(statement.test, test)
                # A test without parameters and locals gives the same for every signature: its other branch is dead for good.
                fixed = not any(isinstance(n, ast.Name) and n.id in local for n in ast.walk(statement.test))
                if not fixed:
                    yield from statements(statement.body, statement.test)
                    yield from statements(statement.orelse, statement.test)
            elif isinstance(statement, ast.For | ast.While):
                yield from statements(statement.body, test)
            elif isinstance(statement, ast.With):
                yield from statements(statement.body, test)
            else:
                yield from expressions(statement, test)
                if isinstance(statement, ast.Return):
                    return

    def expressions(node: ast.AST, test: ast.expr | None) -> Iterator[_Call]:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call):
                call = _classify(inner, test, function)
                if call is not None:
                    yield call

    yield from statements(function.node.body, None)


def _classify(node: ast.Call, test: ast.expr | None, function: SliceFunction) -> _Call | None:
    arguments = (*node.args, *(keyword.value for keyword in node.keywords))
    if isinstance(_resolve(node.func, function), FunctionRef):
        return _Call(node, test, True, True, arguments)
    if not isinstance(node.func, ast.Attribute):
        return None
    name = node.func.attr
    addresses = (*node.args[:1], node.func.value)
    if name == "inline_asm_elementwise":
        return _Call(node, test, True, True, arguments)
    if name in _WRITES or name.startswith("atomic_") or "store" in name or "scatter" in name:
        return _Call(
            node,
            test,
            name.startswith("atomic_"),
            True,
            (*arguments, node.func.value) if name not in _WRITES else addresses,
        )
    if name in _READS or "load" in name:
        return _Call(node, test, True, False, addresses)
    return None


def _resolve(node: ast.expr, function: SliceFunction) -> Binding | None:
    if isinstance(node, ast.Name):
        return function.bindings.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = _resolve(node.value, function)
        return owner.members.get(node.attr) if isinstance(owner, Namespace) else None
    return None


def _flows(function: SliceFunction) -> dict[str, set[str]]:
    """For every local name the names that its values are computed from, wherever it is assigned; loads cut the flow of addresses."""
    flows: dict[str, set[str]] = {}
    for node in function.nodes:
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = set[str]() if node.value is None else _names(node.value)
            for target in targets:
                for inner in ast.walk(target):
                    if isinstance(inner, ast.Name):
                        flows.setdefault(inner.id, set()).update(names)
    return flows


def _names(node: ast.expr) -> set[str]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "load":
        return set()
    found: set[str] = {node.id} if isinstance(node, ast.Name) else set()
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.expr):
            found |= _names(inner)
        elif isinstance(inner, ast.keyword):
            found |= _names(inner.value)
    return found


def _reaching(addresses: tuple[ast.expr, ...], flows: dict[str, set[str]]) -> set[str]:
    names: set[str] = set()
    queue = [name for address in addresses for name in _names(address)]
    while queue:
        name = queue.pop()
        if name not in names:
            names.add(name)
            queue.extend(flows.get(name, ()))
    return names
