"""Ways that no launch goes, as the compiler refuses what stands there whatever is passed: ``tl.make_block_ptr`` where
this Triton has none. What it refuses was seen in a compile that failed; which statements it is met with is read off the
text. Compiles nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from kernel_analysis.dataflow.text.paths.path_tests import Note
from kernel_analysis.ir import At
from kernel_analysis.source.slice import FunctionRef, Namespace, Slice, SliceFunction, TritonObject
from kernel_analysis.source.tree.forms import chain
from kernel_analysis.source.tree.syntax import annotated_constants, descend

_LEAVES = (ast.Return, ast.Break, ast.Continue)
_PLAIN = (ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.cmpop, ast.boolop, ast.unaryop)
_DEEPEST = 8


class Refused:
    """Of one slice. A block is compiled from its first statement to its last, or to one that leaves it: one that has a
    refused statement before is never got into, neither behind a test that it runs nor behind one that the compiler
    decides."""

    def __init__(self, slice_: Slice, missing: Iterable[At] = ()) -> None:
        self._slice = slice_
        self._nodes: dict[int, set[int]] = {}
        self.count = 0
        """How many places are known."""
        for at in missing:
            self.add(at)

    def add(self, at: At) -> None:
        """A place where something failed that Triton itself refuses, whatever it is given."""
        if at.function < 0:
            return
        function = self._slice.functions[at.function]
        known = self._nodes.setdefault(at.function, set())
        node = function.nodes[at.node]
        of_syntax = isinstance(node, (ast.NamedExpr, ast.Raise))  # taken by a Triton, or not, wherever it stands
        if at.node not in known and (of_syntax or isinstance(node, ast.expr) and _is_triton_s(function, node)):
            known.add(at.node)
            self.count += 1

    def add_alike(self, at: At) -> None:
        """Such a place, and all others that call the same function of Triton's."""
        self.add(at)
        function = self._slice.functions[at.function] if self.count else None
        node = function.nodes[at.node] if function is not None else None
        called = function.path(node.func) if function is not None and isinstance(node, ast.Call) else None
        for index, other in enumerate(self._slice.functions) if called is not None else ():
            for ordinal, part in enumerate(other.nodes):
                if isinstance(part, ast.Call) and other.path(part.func) == called:
                    self.add(At(index, ordinal))

    def always(self, index: int) -> bool:
        """Whether each compile of a function comes to such a place, whatever it is given."""
        return self._block(index, self._slice.functions[index].node.body, 0)

    def rules_out(self, trail: Iterable[Note]) -> bool:
        """Whether one of the tests of a way leads into such a block."""
        return bool(self._nodes) and any(isinstance(note.way, bool) and self._leads(note) for note in trail)

    def _leads(self, note: Note) -> bool:
        function = self._slice.functions[note.at.function]
        node = function.nodes[note.at.node]
        if not isinstance(node, (ast.If, ast.IfExp)):
            return False
        if any(self._met(note.at.function, part, 0) for part in _tested(node.test, bool(note.way))):
            return True
        if isinstance(node, ast.IfExp):
            return self._met(note.at.function, node.body if note.way else node.orelse, 0)
        index, arm = note.at.function, node.body if note.way else node.orelse
        others = _as_decided(function, node)
        arms = [arm, *(one.body if note.way is alike else one.orelse for one, alike in others)]
        return any(self._block(index, body, 0) for body in arms) or self._after(index, node, arm)

    def _after(self, index: int, node: ast.If, arm: list[ast.stmt]) -> bool:
        """Whether something refused comes behind a statement of which this arm is taken, and nothing leaves before."""
        for body, place in reversed(list(_around(self._slice.functions[index].node.body, node))):
            taken = arm if body[place] is node else [body[place]]
            if any(isinstance(inner, _LEAVES) for one in taken for inner in descend(one)):
                return False
            if self._block(index, body[place + 1 :], 0):
                return True
        return False

    def _block(self, index: int, body: list[ast.stmt], depth: int) -> bool:
        for statement in body:
            if self._statement(index, statement, depth):
                return True
            if any(isinstance(inner, _LEAVES) for inner in descend(statement)):
                return False
        return False

    def _statement(self, index: int, statement: ast.stmt, depth: int) -> bool:
        if isinstance(statement, ast.Raise):
            return any(statement is self._slice.functions[index].nodes[n] for n in self._nodes.get(index, ()))
        if isinstance(statement, ast.If):
            arms = [statement.body, statement.orelse]
            both = all(self._block(index, arm, depth) for arm in arms)
            return both or self._met(index, statement.test, depth)
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)):
            return statement.value is not None and self._met(index, statement.value, depth)
        if isinstance(statement, (ast.While, ast.Assert)):
            return self._met(index, statement.test, depth)
        return isinstance(statement, ast.For) and self._met(index, statement.iter, depth)

    def _met(self, index: int, node: ast.expr, depth: int) -> bool:
        """Whether something refused is evaluated wherever the expression is."""
        function = self._slice.functions[index]
        refused = [function.nodes[ordinal] for ordinal in self._nodes.get(index, ())]
        for part in _evaluated(node, function):
            if any(part is one for one in refused):
                return True
            callee = part.func if isinstance(part, ast.Call) else None
            if isinstance(callee, ast.Name) and callee.id not in function.varies and depth < _DEEPEST:
                found = function.bindings.get(callee.id)
                inner = self._slice.functions[found.index] if isinstance(found, FunctionRef) else None
                if isinstance(found, FunctionRef) and inner is not None and inner.kind == "jit":
                    if self._block(found.index, inner.node.body, depth + 1):
                        return True
        return False


def _is_triton_s(function: SliceFunction, node: ast.expr) -> bool:
    """Whether what stands there is named by a global that is Triton's for sure."""
    root, _ = chain(node.func if isinstance(node, ast.Call) else node)
    if not isinstance(root, ast.Name) or root.id in function.varies:
        return False
    return isinstance(function.bindings.get(root.id), (TritonObject, Namespace))


def _tested(test: ast.expr, way: bool) -> Iterator[ast.expr]:
    """The parts of a test that are evaluated where it goes that way."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is way:
        for value in test.values:
            yield from _tested(value, way)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _tested(test.operand, not way)
    else:
        yield test


def _evaluated(node: ast.AST, function: SliceFunction) -> Iterator[ast.AST]:
    """The parts of an expression that are evaluated wherever it is."""
    yield node
    if isinstance(node, ast.IfExp):
        inner: list[ast.AST] = [node.test]
    elif isinstance(node, ast.BoolOp):
        inner = [*node.values[:1]]
    elif isinstance(node, ast.Compare):
        inner = [node.left, *node.comparators[:1]]
    elif isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        inner = []
    elif isinstance(node, ast.Call):
        inner = [node.func, *_arguments(node, function)]
    else:
        inner = [part for part in ast.iter_child_nodes(node) if isinstance(part, (ast.expr, ast.keyword))]
    for part in inner:
        yield from _evaluated(part, function)


def _arguments(call: ast.Call, function: SliceFunction) -> list[ast.AST]:
    """The arguments that are evaluated whatever the function is: an assertion's message is so only where that fails,
    and what is called by a name that is not in sight may be an assertion."""
    root, name = call.func, ""
    while isinstance(root, ast.Attribute):
        root, name = root.value, name or root.attr
    found = function.bindings.get(root.id) if isinstance(root, ast.Name) and root.id not in function.varies else None
    if isinstance(found, TritonObject):
        name = name or found.path.rpartition(".")[2]
    if name == "static_assert" or not isinstance(found, (TritonObject, Namespace, FunctionRef)):
        return [*call.args[:1]] if name == "static_assert" else []
    return [*call.args, *call.keywords]


def _as_decided(function: SliceFunction, node: ast.If) -> Iterator[tuple[ast.If, bool]]:
    """The other ``if`` of a function that are compiled where this one is, and whether they go the same way, or always
    the other: they ask the same of constants that nothing assigns, or whether it is not so, and stand in a block around
    it."""
    stored = {n.id for n in function.nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    constants = annotated_constants(function.node) - stored
    said, way = _plainly(node.test)
    if any(n.id not in constants if isinstance(n, ast.Name) else not isinstance(n, _PLAIN) for n in descend(node.test)):
        return
    for body, place in _around(function.node.body, node):
        for number, other in enumerate(body):
            if not isinstance(other, ast.If) or number == place:
                continue
            asks, other_way = _plainly(other.test)
            if asks != said:
                continue
            between = body[place:number]
            if not any(isinstance(inner, _LEAVES) for one in between for inner in descend(one)):
                yield other, way is other_way


def _plainly(test: ast.expr) -> tuple[str, bool]:
    """A test without the ``not`` before it, and which way that goes where the test is true."""
    way = True
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, way = test.operand, not way
    return ast.dump(test), way


def _around(body: list[ast.stmt], node: ast.If) -> Iterator[tuple[list[ast.stmt], int]]:
    """The blocks around a statement, each with where it, or what has it in it, stands."""
    for number, statement in enumerate(body):
        if any(inner is node for inner in descend(statement)):
            yield body, number
            if statement is not node:
                for field in ("body", "orelse"):
                    yield from _around(getattr(statement, field, []), node)
            return
