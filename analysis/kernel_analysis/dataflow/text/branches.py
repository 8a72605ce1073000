"""What an ``if`` leaves of the names that its arms bind.

Where the test is made when the kernel runs, Triton compiles both arms and then goes back to what was there before: a
name is what the arms gave it only where all of them came to the end and gave it something, each in a way that counts.
"""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import Any

from kernel_analysis.dataflow.text.out_of_order import Env, OutOfOrder
from kernel_analysis.dataflow.text.value import TextValue, depends, join, with_dep
from kernel_analysis.source.tree.forms import chain
from kernel_analysis.source.tree.parameters import every
from kernel_analysis.source.tree.syntax import all_of, descend, kept_with_trees


class Branches(OutOfOrder):
    """Follows both arms."""

    told: int
    nested: int = 0
    """How many conditions and loops are around."""
    _ended: int = 0
    """How many ``return`` were met."""

    @abstractmethod
    def enter(self, gate: Any) -> Any:
        """What follows happens behind a gate; gives what ``leave`` needs."""

    @abstractmethod
    def leave(self, before: Any) -> Any:
        """The end of what is behind the gate; gives how far one gets there."""

    @abstractmethod
    def through(self, value: TextValue, end: Any) -> TextValue:
        """The value where one gets to it by that end."""

    @abstractmethod
    def reunite(self, ends: Sequence[Any]) -> None:
        """What follows is reached from any of these ends."""

    @abstractmethod
    def both_ways(self, node: ast.AST, dep: int) -> Any:
        """The gate of a test both ways of which are compiled; None where nothing varies."""

    @abstractmethod
    def block(self, body: list[ast.stmt]) -> bool:
        """Whether the end of the statements may be reached."""

    def branch(self, node: ast.If) -> bool:
        """An ``if``; whether what follows it may be reached."""
        levels: list[tuple[ast.If, Env, bool, Env, Any, Any, TextValue]] = []
        told, ended = self.told, self._ended
        self.nested += 1
        while True:  # an `elif` after the other: there may be hundreds
            test = self.expr(node.test)
            decided = self.decided(test)
            if decided is not None:
                rest = node.body if decided else node.orelse
                break
            ways = self.ways(node, test)
            one, two = ways if ways is not None else (None, None)
            before = self.env
            self.told |= self.telling(self.digits(test))
            self.env, outside = dict(before), self.enter(one)
            first = self.block(node.body)
            taken, end = self.env, self.leave(outside)
            self.env, outside = before, self.enter(two)
            levels.append((node, before, first, taken, end, outside, test))
            rest = node.orelse
            if len(rest) != 1 or not isinstance(rest[0], ast.If):
                self.env = dict(before)
                break
            node = rest[0]
        self.nested -= not levels
        second = self.block(rest)
        for node, before, first, taken, end, outside, test in reversed(levels):
            left, other = self.env, self.leave(outside)
            ends = [e for e, alive in ((end, first), (other, second)) if alive]
            self.reunite(ends)
            if first and second:
                self.env = self._merged(taken, left, ends, test)
                self._behind(node, test, before, _not_taken_along(self.function.node))
            else:
                # Where one arm has ended the function, what follows is behind the other.
                self.env = taken if first else left
                self._behind(node, test, before, None)
            second = first or second
        self.nested -= bool(levels)
        if self._ended == ended:
            self.told = told
        return second

    def _merged(self, one: Env, two: Env, ends: Sequence[Any], test: TextValue) -> Env:
        if one.keys() == two.keys():
            changed = [name for name, value in one.items() if two[name] is not value]
        else:
            changed = [n for n in dict.fromkeys((*one, *two)) if n not in one or n not in two or one[n] is not two[n]]
        made, dep = one, depends(test)
        for name in changed:
            a, b = one.get(name), two.get(name)
            a = self.before(name) if a is None else a
            b = self.before(name) if b is None else b
            a = None if a is None else self.through(a, ends[0])
            b = None if b is None else self.through(b, ends[1])
            both = join(a, b) if a is not None and b is not None else a or b
            assert both is not None
            made[name] = self.digit(with_dep(both, dep), self.digits(test))
        return made

    def _behind(self, node: ast.If, test: TextValue, before: Env, names: tuple[str, ...] | None) -> None:
        """What the names (None: all that the arms gave something) may still be that they were before a test of run
        time: of an arm that has ended the function Triton knows none, of what the arms gave as a constant it takes
        nothing along, and of an object that differs in its constants alone, neither."""
        bound = self.env if names is None else [name for name in names if name in self.env]
        values = [(name, self.env[name], before.get(name)) for name in bound]
        changed = [(name, value, old) for name, value, old in values if value is not old]
        if not changed:
            return
        dep = depends(test)
        gate = self.both_ways(node, dep)
        for name, value, old in changed:
            if old is not None and old.pointer and old.const is not None:
                continue  # an address was one before, and is one behind: Triton takes that along
            was = self.before(name) if old is None else old
            if was is not None:
                self.env[name] = with_dep(join(value, self.gated(was, gate)), dep)

    def announced(self, name: str) -> int:
        """Why it may differ from launch to launch whether what is assigned to a name is a constant: a name may be said
        to be one (``name: tl.constexpr``) long before it is given something, and the first assignment to come takes
        that."""
        said = _announced(self.function.node).get(name)
        if said is None or said and not self.varies(said):
            return 0
        return self.option(f"whether `{name}` is a constant")


@kept_with_trees(512)
def _own(function: ast.FunctionDef) -> frozenset[str]:
    """The names that are a function's own."""
    bound = {name.id for name in all_of(function, ast.Name) if isinstance(name.ctx, ast.Store)}
    return frozenset(bound | {argument.arg for argument in every(function.args)})


@kept_with_trees(512)
def _not_taken_along(function: ast.FunctionDef) -> tuple[str, ...]:
    """The names that loops count with, or that are said to be of some type: a constant of Python's, which Triton does
    not take along from where both arms gave it something."""
    loops = [node.target for node in all_of(function, ast.For)]
    targets = [*loops, *(node.target for node in all_of(function, ast.AnnAssign))]
    return tuple(dict.fromkeys(target.id for target in targets if isinstance(target, ast.Name)))


@kept_with_trees(512)
def _announced(function: ast.FunctionDef) -> dict[str, str]:
    """The names that are said to be of a type and given nothing there. For one that is said so once, by a name from
    outside, and next assigned to, by statements that no other statement is around: that name."""
    binding: dict[str, list[tuple[ast.stmt, int]]] = {}
    again: set[str] = set()
    for statement in function.body:
        stored, said = Counter[str](), set[str]()
        for node in descend(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                stored[node.id] += 1
            elif name := _said(node):
                said.add(name)
        for name, count in stored.items():
            binding.setdefault(name, []).append((statement, count))
            if name in said and len(binding[name]) > 2:
                again.add(name)
    found: dict[str, str] = {}
    for node in all_of(function, ast.AnnAssign):
        if name := _said(node):
            fixed = name not in again and _next_assigned(node, binding[name])
            found[name] = _from_outside(function, node.annotation) if fixed else ""
    return found


def _from_outside(function: ast.FunctionDef, kind: ast.expr) -> str:
    """The name that a type is taken from; none, where it is made otherwise."""
    root, _ = chain(kind)
    return root.id if isinstance(root, ast.Name) and root.id not in _own(function) else ""


def _next_assigned(said: ast.AnnAssign, binding: list[tuple[ast.stmt, int]]) -> bool:
    """Whether the first statement of the function that binds a name says what it is, and the next gives it that.
    ``binding``: those that bind it, and how often each does."""
    if len(binding) < 2:
        return False
    (first, _), (second, times) = binding[:2]
    return first is said and isinstance(second, ast.Assign) and times == 1


def _said(node: ast.AST) -> str:
    """The name that a statement says the type of, and gives nothing; empty for any other node."""
    if isinstance(node, ast.AnnAssign) and node.value is None and isinstance(node.target, ast.Name):
        return node.target.id
    return ""
