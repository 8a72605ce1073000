"""Which variables a loop carries, told from its text: to find out, Triton compiles the body once and drops it, before
it compiles it for good.

What was told is compared with what Triton would have found, for each loop; where they differ the compile is
``Mistold``, and to be made again without. So no kernel compiles to anything else (but for the names that places have).
"""

# pyright: basic
from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from kernel_analysis.lowering import compat, door
from kernel_analysis.lowering.gate.gated_generator import GatedGenerator
from kernel_analysis.source.arithmetic import ORDER
from kernel_analysis.source.tree.syntax import children

_UNKNOWN: Any = object()
_PLAIN = (bool, int, float, str)


class Mistold(Exception):
    """The loop carries something else. Never shown to anybody."""


@dataclass
class _Loop:
    """``before``: what the loop was given for its carried variables; ``start``: the same where the body begins."""

    body: list[ast.stmt]
    liveins: dict[str, Any]
    ignored: set[str]
    names: list[str]
    before: list[Any]
    start: list[Any] = field(default_factory=list)


@dataclass
class Telling:
    """``wanted``: in this lowering. ``told``: it happened."""

    wanted: bool
    told: bool = False


_SHORT = door.has(
    "CodeGenerator._find_carries", "CodeGenerator._verify_loop_carried_variable", "base_value._flatten_ir"
)
_telling = Telling(False)
"""Of the lowering that runs now: the front end makes its generators itself, so it can't be handed to them."""


def start(wanted: bool) -> Telling:
    """For the next lowering."""
    global _telling
    _telling = Telling(wanted and _SHORT)
    return _telling


class LoopGenerator(GatedGenerator):
    """Finds the carried variables of loops in the text, where that is wanted."""

    _loops: tuple[_Loop, ...] = ()

    def _find_carries(self, node, liveins, ignore=frozenset()):
        if not _telling.wanted or getattr(self, "pending_annotations", None):
            return super()._find_carries(node, liveins, ignore)
        _telling.told = True
        assigned = self._names_given(node.body)
        names, handles, types = [], [], []
        for name, value in liveins.items():
            if name in assigned and name not in ignore and compat.is_value(value):
                inside = compat.handles(value)
                if inside:
                    names.append(name)
                    handles.extend(inside)
                    types.append(value.type)
        self._loops = (*self._loops, _Loop(node.body, liveins, set(ignore), names, handles))
        self.lscope = liveins.copy()
        self.local_defs = {}
        return names, handles, types

    def visit_compound_statement(self, stmts):
        loop = self._loops[-1] if self._loops else None
        if loop is None or stmts is not loop.body:
            super().visit_compound_statement(stmts)
            return
        loop.start = [handle for name in loop.names for handle in compat.handles(self.lscope[name])]
        super().visit_compound_statement(stmts)
        self._loops = self._loops[:-1]
        self._compare(loop)

    def _compare(self, loop: _Loop) -> None:
        """What Triton does at the end of the body that it drops, in which nothing is carried yet."""
        for name, before in loop.liveins.items():
            if name in loop.ignored:
                continue
            if not compat.is_value(before):
                if name in self.local_defs:
                    raise Mistold
                continue
            after = self.lscope[name]
            self._verify_loop_carried_variable(name, after, before)
            handles = [self._dropped(handle, loop) for handle in compat.handles(after)]
            if (handles != compat.handles(before)) != (name in loop.names):
                raise Mistold

    @staticmethod
    def _dropped(handle: Any, loop: _Loop) -> Any:
        return next((b for b, s in zip(loop.before, loop.start, strict=True) if s == handle), handle)

    def _names_given(self, body: list[ast.stmt]) -> set[str]:
        """The names that the statements give a value, without those behind tests that these constexpr values fail."""
        stored = _stored(body)
        anywhere = stored.all()
        return stored.where(lambda test: self._truth(test, anywhere)) if stored.choices else anywhere

    def _truth(self, test: ast.expr, changing: set[str]) -> bool | None:
        """What a test comes to, of names that the loop does not change; None where that is not plain to see."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            truth = self._truth(test.operand, changing)
            return None if truth is None else not truth
        if isinstance(test, ast.BoolOp):
            decisive = isinstance(test.op, ast.Or)
            truths = [self._truth(value, changing) for value in test.values]
            return decisive if decisive in truths else None if None in truths else not decisive
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            one, other = self._value(test.left, changing), self._value(test.comparators[0], changing)
            if isinstance(test.ops[0], ast.Is | ast.IsNot) and one is not _UNKNOWN and other is None:
                return (one is None) == isinstance(test.ops[0], ast.Is)
            known = type(one) in _PLAIN and type(other) is type(one)
            return ORDER[type(test.ops[0])](one, other) if known and type(test.ops[0]) in ORDER else None
        value = self._value(test, changing)
        return bool(value) if type(value) in _PLAIN or value is None else None

    def _value(self, node: ast.expr, changing: set[str]) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if not isinstance(node, ast.Name) or node.id in changing:
            return _UNKNOWN
        value = self.lscope.get(node.id, self.gscope.get(node.id, _UNKNOWN))
        return value.value if isinstance(value, compat.tl.constexpr) else value


@dataclass(slots=True)
class _Stored:
    """The names that statements give a value: in any case, and in the arms of each ``if``."""

    names: set[str] = field(default_factory=set[str])
    choices: list[tuple[ast.expr, _Stored, _Stored]] = field(default_factory=list[Any])

    def all(self) -> set[str]:
        return self.where(lambda test: None)

    def where(self, truth: Callable[[ast.expr], bool | None]) -> set[str]:
        found = set(self.names)
        for test, body, orelse in self.choices:
            taken = truth(test)
            if taken is not False:
                found |= body.where(truth)
            if taken is not True:
                found |= orelse.where(truth)
        return found


_known: WeakKeyDictionary[ast.stmt, _Stored] = WeakKeyDictionary()


def _stored(body: list[ast.stmt]) -> _Stored:
    """Found once for each list of statements, which its first one stands for: a kernel is compiled under several
    signatures, and loops hold loops."""
    found = _known.get(body[0])
    if found is None:
        found = _known[body[0]] = _collected(body)
    return found


def _collected(body: list[ast.stmt]) -> _Stored:
    found = _Stored()
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.If):
            found.choices.append((node.test, _collected(node.body), _collected(node.orelse)))
        elif not isinstance(node, ast.Name):
            stack += children(node)
        elif isinstance(node.ctx, ast.Store):
            found.names.add(node.id)
    return found
