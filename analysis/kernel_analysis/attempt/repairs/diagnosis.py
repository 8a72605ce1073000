"""Looks at one failed compile: which guessed parameters have a part in it, and what else each of them could be."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from kernel_analysis import paths
from kernel_analysis.facts import Problem
from kernel_analysis.ir import At
from kernel_analysis.signature import spelling
from kernel_analysis.signature.body import coverage
from kernel_analysis.signature.body.clues import with_values
from kernel_analysis.signature.body.walk import Walk
from kernel_analysis.signature.compile_time import guess
from kernel_analysis.signature.constant_items import constant_at, is_item, type_at
from kernel_analysis.signature.evident_values import Clue, EvidentValue
from kernel_analysis.signature.notes import Branch
from kernel_analysis.signature.parameter_evidence import EXTENT, Known, same
from kernel_analysis.signature.signature_model import Evidence, ParameterType, Signature
from kernel_analysis.source.slice import FunctionRef, NamedTupleValue, Slice, TritonObject
from kernel_analysis.source.tree import parameters
from kernel_analysis.source.tree.forms import parts_of_test
from kernel_analysis.source.tree.syntax import descend

Change: TypeAlias = dict[str, tuple[ParameterType, Any]]

_POINTEES: Final = ("i32", "fp32", "i64", "fp16", "i8", "u8", "bf16", "i1", "fp8e4nv")

_SMALL: Final = (0, 1, 2, 64, 16)
EXTENTS: Final = (64, 16, 128, 32, 256, 1, 8, 2, 1024)


@dataclass(slots=True)
class Doctor:
    """Proposes changes for one failure."""

    slice: Slice
    signature: Signature
    problem: Problem

    # Who

    def nodes(self) -> Iterator[ast.AST]:
        """The failing node, then the calls that led to it, innermost first."""
        for at in (self.problem.at, *reversed(self.problem.chain)):
            node = self.node(at)
            if node is not None:
                yield node

    def node(self, at: At) -> ast.AST | None:
        if 0 <= at.function < len(self.slice.functions) and at.node < len(self.slice.functions[at.function].nodes):
            return self.slice.functions[at.function].nodes[at.node]
        return None

    def free(self, path: str) -> bool:
        """Whether the parameter was guessed."""
        evidence = self.signature.evidence.get(paths.owner(path))
        return evidence is not None and not evidence.fixed

    def suspects(self, walk: Walk) -> list[str]:
        """The guessed parameters that have a part in what failed, the nearest first; without a place all of them."""
        found: dict[str, None] = {}
        for node in self.nodes():
            for part in _parts(node):
                for value in (walk.trace or {}).get(part, ()):
                    for path in _paths(value):
                        found[path] = None
        if not found:
            found = dict.fromkeys(a.arg for a in with_values(self.slice.functions[0].node))
        return [p for p in found if self.free(p)]

    def operands(self, walk: Walk) -> list[str]:
        """The guessed pointers that an argument of the failing call was loaded from, and not computed from; or the
        name that has two types."""
        node = next(self.nodes(), None)
        calls = [n for n in descend(node) if isinstance(n, ast.Call)] if node is not None else []
        expressions = list(calls[0].args) if calls else []
        if (named := self.problem.kind.retyped) is not None:
            expressions = [
                n.value
                for n in self.slice.functions[max(self.problem.at.function, 0)].nodes
                if isinstance(n, ast.Assign) and any(isinstance(t, ast.Name) and t.id == named for t in n.targets)
            ]
        values = [value for e in expressions for value in (walk.trace or {}).get(e, ())]
        paths = dict.fromkeys(o.path for value in values for o in value.origins if o.addend and o.depth == 1)
        return self.pointers(path for path in paths if self.free(path))

    def named(self, node: ast.expr) -> Iterator[str]:
        """The kernel's parameters that an expression of it names, or what stands for a name that is bound once."""
        if self.problem.at.function > 0:
            return
        meant = coverage.assigned(self.slice.functions[0].node)
        for part in descend(node):
            if isinstance(part, ast.Name):
                bound = meant.get(part.id)
                names = [n.id for n in descend(bound) if isinstance(n, ast.Name)] if bound is not None else [part.id]
                yield from (name for name in names if name in self.signature.types)

    def calls_made_up(self) -> list[tuple[str, int]]:
        """The parameters of the kernel for which a function was made up that is called where it fails, each with how
        many arguments it is given."""
        at = self.problem.chain[0] if self.problem.chain else self.problem.at
        node = self.node(at) if at.function == 0 else None
        found: list[tuple[str, int]] = []
        for call in _parts(node) if node is not None else ():
            name = call.func.id if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else ""
            if isinstance(call, ast.Call) and isinstance(self.signature.constants.get(name), TritonObject):
                found += [(name, len(call.args) + len(call.keywords))] if self.free(name) else []
        return found

    def type(self, path: str) -> ParameterType:
        """The present type of a parameter or element."""
        kind = type_at(self.signature.types, path)
        return "i32" if kind is None else kind

    def constant(self, path: str) -> Any:
        """The present value of a constant, or of an item of one; UNKNOWN where there is none."""
        return constant_at(self.signature.types, self.signature.constants, path)

    # What

    def evidence(self, path: str) -> Evidence:
        """What speaks for a parameter, or for the tuple that an element is in."""
        return self.signature.evidence[paths.owner(path)]

    def launched_tensor(self, path: str) -> bool:
        """A launch was seen to pass a tensor: only its dtype is a guess."""
        return self.evidence(path).kind in ("pragma", "launch", "annotation")

    def rotate(self, path: str, clue: Clue) -> Iterator[Change]:
        """The other types or values of one parameter."""
        now = self.type(path)
        if isinstance(now, tuple):
            return
        if now == "constexpr":
            for value in self.values(path, clue):
                yield {path: ("constexpr", value)}
        elif now.startswith("*"):
            for dtype in _POINTEES:
                yield {path: self.with_dtype(path, dtype)}
            if not self.launched_tensor(path):
                yield {path: ("i32", None)}
        elif now.startswith("tensordesc"):
            for dtype in ("fp16", "fp32", "bf16", "i8", "i32"):
                yield {path: (re.sub(r"<\w+", f"<{dtype}", now), None)}
            for extent in (16, 32, 128):
                yield {path: (re.sub(r"\d+(?=[,\]])", str(extent), now), None)}
        else:
            block = now[now.index("[") :] if "[" in now else ""
            head = now.partition("[")[0]
            for dtype in ("fp32", "i32", "fp16", "i64", "i1"):
                if dtype != head:
                    yield {path: (dtype + block, None)}
            if not self.launched_tensor(path):
                if not clue.weight("number"):
                    # Arithmetic on a pointer can crash the compiler.
                    yield {path: ("*fp32", None)}
                yield {path: ("constexpr", EXTENT)}

    def values(self, path: str, clue: Clue) -> Iterator[Any]:
        """Other values of a compile-time parameter."""
        now = self.signature.constants.get(path)
        if is_item(self.signature.types, path):
            now = self.constant(path)
            yield from (value for value in (*_SMALL, None) if not same(value, now)) if type(now) is int else ()
            yield from (not now,) if isinstance(now, bool) else ()
            return
        if isinstance(now, NamedTupleValue):
            return  # its fields are used: they may have other values
        if isinstance(now, bool):
            yield not now
        for value, _, _ in guess(Known(path, None, None, clue=clue), None):
            yield value
        if isinstance(now, int) and not isinstance(now, bool):
            yield from EXTENTS
        if isinstance(now, TritonObject) and clue.weight("call"):
            yield from self.functions(clue.arity)
        elif isinstance(now, TritonObject):
            for name in ("float16", "bfloat16", "int32", "float32"):
                yield TritonObject(f"triton.language.{name}")
        if now is not None and clue.weight("none"):
            yield None

    def functions(self, arity: int) -> Iterator[FunctionRef]:
        """The kernel's helpers that take so many arguments, and do nothing that is not in sight."""
        for index, function in enumerate(self.slice.functions):
            calls = any(isinstance(node, ast.Call) for node in descend(function.node))
            if index and function.kind == "jit" and not calls:
                names = parameters.positional(function.node.args)
                if len(names) - len(parameters.defaults(function.node.args)) <= arity <= len(names):
                    yield FunctionRef(index)

    def flags(self, walk: Walk) -> Iterator[Change]:
        """Turn the compile-time tests around the failing place, so that it is not reached."""
        inner = self.problem.at
        for at in (inner, *reversed(self.problem.chain)):
            node = self.node(at)
            if node is None:
                continue
            for branch in self.around(walk, node, at.function):
                yield from self.turned(branch)
            yield from self._partly(node, at.function)

    def loops(self, walk: Walk) -> Iterator[Change]:
        """Give the loops around the failing place no turns, so that it is not reached."""
        for at in (self.problem.at, *reversed(self.problem.chain)):
            node = self.node(at)
            if node is not None:
                yield from self._no_turns(walk, node, at.function)

    def _partly(self, node: ast.AST, function: int) -> Iterator[Change]:
        """Turn what is known when the kernel is compiled of the tests around a node that are made when it runs: ``if
        tl.load(p) > 0 and FLAG:``."""
        env = spelling.arguments(self.signature)
        for outer in self.slice.functions[0].nodes if not function else ():
            if isinstance(outer, ast.If) and isinstance(outer.test, ast.BoolOp):
                for arm, way in ((outer.body, True), (outer.orelse, False)):
                    if any(inner is node for statement in arm for inner in descend(statement)):
                        for part, goes in parts_of_test(outer.test, way):
                            if coverage.value(self.slice, Branch(0, part, goes, env), part).static:
                                yield from self.turned(Branch(0, part, goes, env))

    def _no_turns(self, walk: Walk, node: ast.AST, function: int) -> Iterator[Change]:
        """What is counted to by a loop around a node, so that it has no turns, the innermost first."""
        loops = [n for n in self.slice.functions[function].nodes if isinstance(n, ast.For) and n is not node]
        for loop in reversed([n for n in loops if any(inner is node for s in n.body for inner in descend(s))]):
            bounds = loop.iter.args if isinstance(loop.iter, ast.Call) else []
            end = bounds[1 if len(bounds) > 1 else 0] if bounds else loop.iter
            for value in (walk.trace or {}).get(end, ()):
                path = coverage.parameter(value)
                if path is not None and type(value.const) is int and self.free(path) and self.numbers([path]):
                    yield {path: ("constexpr", 0)}

    def around(self, walk: Walk, node: ast.AST, function: int) -> Iterator[Branch]:
        """The compile-time tests around a node, the innermost first."""
        for branch in reversed(walk.branches):
            if branch.function == function and branch.taken is not None:
                if _around(branch.test, node, self.slice, function):
                    yield branch

    def turned(self, branch: Branch) -> Iterator[Change]:
        """The guessed values under which a test goes the other way; what has its value already needs no other."""
        demanded = coverage.demands(self.slice, branch, not branch.taken).items()
        demand = {n: v for n, v in demanded if not same(self.constant(n), v)}
        if demand and all(self.free(n) and (self.type(n) == "constexpr" or v is None) for n, v in demand.items()):
            yield {n: _demanded(v) for n, v in demand.items()}

    def numbers(self, names: Iterable[str]) -> list[str]:
        """Those that are compile-time integers."""
        return [n for n in names if self.type(n) == "constexpr" and type(self.constant(n)) is int]

    def pointers(self, names: Iterable[str]) -> list[str]:
        """Those that are pointers or blocks of numbers."""
        return [
            n for n in names if isinstance(k := self.type(n), str) and (k.startswith(("*", "tensordesc")) or "[" in k)
        ]

    def with_dtype(self, path: str, dtype: str) -> tuple[ParameterType, Any]:
        """The type of a parameter with another dtype."""
        now = self.type(path)
        assert isinstance(now, str)
        if now.startswith("tensordesc"):
            return re.sub(r"<\w+", f"<{dtype}", now), None
        if now.startswith("*"):
            # What the user annotated as constant stays so.
            return f"*{'k' if now.startswith('*k') else ''}{dtype}{now[now.index('[') :] if '[' in now else ''}", None
        return re.sub(r"^\w+", dtype, now), None

    def everyone(self) -> list[str]:
        """Every guessed parameter."""
        return [n for n in self.signature.types if self.free(n)]


def _demanded(value: Any) -> tuple[ParameterType, Any]:
    if value == coverage.PRESENT:
        return "*fp32", None
    return "constexpr", value.among(()) if isinstance(value, coverage.Other) else value


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """The node's expressions; of a compound statement only its head."""
    if isinstance(node, (ast.For, ast.While, ast.If)):
        head = node.iter if isinstance(node, ast.For) else node.test
        yield from descend(head)
        if isinstance(node, (ast.For, ast.While)):
            for statement in node.body:
                yield from descend(statement)
    elif not isinstance(node, ast.FunctionDef):
        yield from descend(node)


def _paths(value: EvidentValue) -> Iterator[str]:
    for origin in value.origins:
        yield origin.path
    for item in value.items or ():
        yield from _paths(item)
    for dim in (*(value.shape or ()), *(value.block or ())):
        if isinstance(dim, str):
            yield dim


def _around(test: ast.expr, node: ast.AST, slice: Slice, function: int) -> bool:
    """Whether the test is one of an ``if`` around the node."""
    for statement in descend(slice.functions[function].node):
        if isinstance(statement, (ast.If, ast.IfExp)) and statement.test is test:
            return statement is node or any(n is node for n in descend(statement))
    return False
