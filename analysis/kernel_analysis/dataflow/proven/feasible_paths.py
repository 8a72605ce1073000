"""Whether tests of what a launch decides can go the ways that a path through a kernel's text needs, all at once.

Says that they can't only where no values pass them all: of constants compared with what is written down, no number that
is none, no text, no empty tuple; of anything else only where the same is asked twice and can't have two answers. Runs
nothing.
"""

from __future__ import annotations

import ast
import builtins
import math
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any, Final, TypeAlias

from kernel_analysis.record import record
from kernel_analysis.source.slice import SliceFunction, TritonObject
from kernel_analysis.source.tree import parameters
from kernel_analysis.source.tree.forms import parts_of_test
from kernel_analysis.source.tree.syntax import annotated_constants, descend, is_constexpr, kept_with_trees

Wanted = tuple[ast.expr, bool]
_Variable: TypeAlias = tuple[str, str]
"""The value of a constant, what a test comes to wherever it stands, or what one comes to at one place."""

_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip
_LOOPS: Final = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp)
_ORDERED: Final = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_EQUALITY: Final = (ast.Eq, ast.NotEq)
_IDENTITY: Final = (ast.Is, ast.IsNot)
_NEGATIVE: Final = (ast.NotEq, ast.IsNot)
_VARYING: Final = (ast.Call, ast.Attribute, ast.NamedExpr)
_PLAIN = (bool, int, float, str, type(None))
_NUMBERS = (int, float, Fraction)
_OTHERS: Final = (True, False, None, "", (), object(), math.nan, math.inf, -math.inf)
"""Values that numbers and texts are not told apart from: nothing, an empty tuple, an object that equals nothing, a
number that is neither less than another nor more."""
_PYTHON: Final = frozenset(dir(builtins))
_MOST_STEPS: Final = 4_000
"""Tests that are tried with values: what takes more may be possible."""


@record
class Constancy:
    """What stays the same in a kernel. ``constants``: parameters that are constants, and nothing assigns; ``locals``:
    constants of its own that are assigned once, in no loop; ``passed``: other parameters that nothing assigns, of which
    only whether they are there is known when a kernel is compiled, and of those that are ``pointers``, whatever is
    passed, the type; ``tuples``: of which it is known of what is in them, too. ``globals``: names that mean the same of
    Triton's in all functions."""

    constants: frozenset[str]
    locals: frozenset[str] = frozenset()
    passed: frozenset[str] = frozenset()
    pointers: frozenset[str] = frozenset()
    tuples: frozenset[str] = frozenset()
    globals: frozenset[str] = frozenset()


def possible(wanted: Iterable[Wanted], fixed: Constancy) -> bool:
    """Whether there may be values for which all tests go their ways."""
    parts = dict.fromkeys(part for one in wanted for part in _parts(*one, fixed))
    # Those that ask different things don't get in each other's way.
    while parts:
        first = next(iter(parts))
        together, names = [first], set(first.variables)
        del parts[first]
        while more := [part for part in parts if names & part.variables]:
            for part in more:
                del parts[part]
                names |= part.variables
            together += more
        # The last test says most: few values pass it, and what it names does if anything.
        if not _Search(together[::-1]).found():
            return False
    return True


@record(eq=False)
class _Part:
    """One test that must go a way by itself; ``written``: by variable, what constants are compared with in it.
    ``place``: tells what it asks that may be something else elsewhere."""

    test: ast.expr
    way: bool
    variables: frozenset[_Variable]
    written: Mapping[_Variable, tuple[Any, ...]]
    fixed: Constancy
    place: str


@kept_with_trees(2048)
def _parts(test: ast.expr, way: bool, fixed: Constancy) -> tuple[_Part, ...]:
    """What must hold for a test, each by itself."""
    found: list[_Part] = []
    for part, goes in parts_of_test(test, way):
        written: dict[_Variable, tuple[Any, ...]] = {}
        place = f"{id(test)} {way}"
        for variable, values in _asked(part, fixed, place):
            written[variable] = (*written.get(variable, ()), *values)
        found.append(_Part(part, goes, frozenset(written), written, fixed, place))
    return tuple(found)


def _asked(node: ast.expr, fixed: Constancy, place: str) -> Iterator[tuple[_Variable, tuple[Any, ...]]]:
    """The variables of a test, each with values that it is compared with."""
    if isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _asked(value, fixed, place)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _asked(node.operand, fixed, place)
    elif isinstance(node, ast.Name) and node.id in fixed.constants:
        yield ("value", node.id), ()
    elif (sides := _sides(node, fixed)) is not None:
        written = tuple([side.value for side in sides if isinstance(side, ast.Constant)])
        for side, other in (sides, sides[::-1]):
            if isinstance(side, ast.Name):
                yield ("value", side.id), written if isinstance(other, ast.Constant) else (True, False)
            elif not isinstance(side, ast.Constant):
                yield from _asked(side, fixed, place)
    elif not isinstance(node, ast.Constant):
        yield _free(node, fixed, place)[0], ()


def _sides(node: ast.expr, fixed: Constancy) -> tuple[ast.expr, ast.expr] | None:
    """What a comparison compares, where both are a constant parameter, written down or a test; None for another, and
    for one of two parameters: objects may be equal and not equal."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1 or type(node.ops[0]) not in _COMPARE:
        return None
    sides = (node.left, node.comparators[0])
    named = [isinstance(side, ast.Name) and side.id in fixed.constants for side in sides]
    plain = [isinstance(side, ast.Constant) and type(side.value) in _PLAIN for side in sides]
    if all(one or other for one, other in zip(named, plain, strict=True)):
        nothing = any(isinstance(side, ast.Constant) and side.value is None for side in sides)
        return sides if not all(named) and (nothing or not isinstance(node.ops[0], _IDENTITY)) else None
    if not isinstance(node.ops[0], _EQUALITY):
        return None
    known = [one or other for one, other in zip(named, plain, strict=True)]
    return sides if all(k or _is_test(side, fixed) for side, k in zip(sides, known, strict=True)) else None


def _is_test(node: ast.expr, fixed: Constancy) -> bool:
    """Whether it is true or false when a kernel is compiled, and nothing else."""
    if isinstance(node, ast.BoolOp):
        return all(_is_test(value, fixed) for value in node.values)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return (
            _is_test(node.operand, fixed) or isinstance(node.operand, ast.Name) and node.operand.id in fixed.constants
        )
    return _sides(node, fixed) is not None or _free(node, fixed, "")[0][0] in ("is nothing", "is type")


def _free(node: ast.expr, fixed: Constancy, place: str) -> tuple[_Variable, bool]:
    """What stands for a test of which only this is known: whether the same is asked elsewhere; and whether it is true
    where that is. What calls and attributes say may be something else each time, but not the type of an address; so may
    what is told when the kernel runs, of which both ways are compiled."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], _IDENTITY + _EQUALITY):
        left, right = node.left, node.comparators[0]
        way = not isinstance(node.ops[0], _NEGATIVE)
        if isinstance(node.ops[0], _IDENTITY):
            of_nothing = isinstance(right, ast.Constant) and right.value is None
            whole = isinstance(left, ast.Name) and left.id in fixed.constants | fixed.locals | fixed.passed
            if of_nothing and (whole or _is_item(left, fixed.tuples)):
                return ("is nothing", ast.dump(left)), way
        elif _root(left, ("dtype", "element_ty")) in fixed.pointers and _root(right) in fixed.globals:
            return ("is type", f"{ast.unparse(left)} {ast.unparse(right)}"), way
    inner = list(ast.walk(node))
    names = {part.id for part in inner if isinstance(part, ast.Name)}
    if not names <= fixed.constants | fixed.locals or any(isinstance(part, _VARYING) for part in inner):
        return ("once", f"{place} {id(node)}"), True
    return ("test", ast.dump(node)), True


def _is_item(node: ast.expr, names: frozenset[str]) -> bool:
    """Whether it is one of these, or an item of one."""
    while isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        node = node.value
    return isinstance(node, ast.Name) and node.id in names


def _root(node: ast.expr, attributes: Sequence[str] = ()) -> str | None:
    """The name that something is an attribute of, be it of these or of whatever name."""
    if not isinstance(node, ast.Attribute):
        return None
    while isinstance(node, ast.Attribute) and (not attributes or node.attr in attributes):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


@dataclass(slots=True)
class _Search:
    """Values for which some tests go their ways, looked for one variable after the other."""

    parts: list[_Part]
    _left: int = _MOST_STEPS
    _values: dict[_Variable, Any] = field(default_factory=dict[_Variable, Any])

    def found(self) -> bool:
        """Whether there are any, or may be."""
        variables = list(dict.fromkeys(v for part in self.parts for v in sorted(part.variables)))
        return self._from(variables, self.parts)

    def _from(self, variables: list[_Variable], parts: list[_Part]) -> bool:
        known = self._values.keys()
        waiting: list[_Part] = []
        for part in parts:
            if not part.variables <= known:
                waiting.append(part)
                continue
            self._left -= 1
            if self._left < 0:
                return True
            if _holds(part.test, part, self._values) is not part.way:
                return False
        if not waiting:
            return True
        first, *rest = variables
        for value in self._candidates(first):
            self._values[first] = value
            if self._from(rest, waiting):
                return True
        self._values.pop(first, None)
        return False

    def _candidates(self, variable: _Variable) -> Sequence[Any]:
        if variable[0] != "value":
            return (True, False)
        return _candidates([value for part in self.parts for value in part.written.get(variable, ())])


def _candidates(written: list[Any]) -> list[Any]:
    """A value of each kind that the tests can tell apart: those that are written down, and one from between each two of
    them. A fraction is between any two numbers, however near or far, and stands for whatever else is there."""
    of_numbers = {value for value in written if isinstance(value, _NUMBERS) and abs(value) != math.inf}
    numbers = [Fraction(value) for value in sorted(of_numbers | {0, 1})]
    texts = sorted({value for value in written if isinstance(value, str)})
    found: list[Any] = [*written, *_OTHERS, 0, 1, numbers[0] - 1, numbers[-1] + 1]
    found += [(a + b) / 2 for a, b in pairwise(numbers)]
    # Nothing is between a text and the same with the least character behind it.
    return [*found, "\0", *[text + "\0" for text in texts]]


def _holds(node: ast.expr, part: _Part, values: Mapping[_Variable, Any]) -> bool | None:
    """What the test comes to; None where it fails."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = _holds(node.operand, part, values)
        return None if inner is None else not inner
    if isinstance(node, ast.BoolOp):
        stop = isinstance(node.op, ast.Or)
        for value in node.values:
            inner = _holds(value, part, values)
            if inner is None or inner is stop:
                return inner
        return not stop
    if isinstance(node, ast.Constant):
        return bool(node.value)
    if isinstance(node, ast.Name) and node.id in part.fixed.constants:
        return bool(values["value", node.id])
    sides = _sides(node, part.fixed)
    if sides is None:
        variable, way = _free(node, part.fixed, part.place)
        return values[variable] is way
    assert isinstance(node, ast.Compare)
    left, right = (_side(side, part, values) for side in sides)
    op = node.ops[0]
    failed = any(
        value is None and not isinstance(side, ast.Constant | ast.Name)
        for side, value in zip(sides, (left, right), strict=True)
    )
    known = any(isinstance(left, kind) and isinstance(right, kind) for kind in (_NUMBERS, str))
    return None if failed or isinstance(op, _ORDERED) and not known else bool(_COMPARE[type(op)](left, right))


def _side(node: ast.expr, part: _Part, values: Mapping[_Variable, Any]) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    return values["value", node.id] if isinstance(node, ast.Name) else _holds(node, part, values)


def same_of_texts(test: ast.expr) -> bool:
    """Whether a test comes to the same whichever text stands for another: it compares with no text, and nothing that
    may be one with another that may be."""
    for node in ast.walk(test):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return False
        sides = (node.left, *node.comparators) if isinstance(node, ast.Compare) else ()
        if len(sides) > 2 or sides and not any(isinstance(side, ast.Constant | ast.Attribute) for side in sides):
            return False
    return True


def fixed_names(functions: Sequence[SliceFunction]) -> Constancy:
    """What stays the same in a kernel, the first of these; without its pointers."""
    kernel = functions[0]
    stored = Counter(n.id for n in kernel.nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
    constants = annotated_constants(kernel.node)
    given = {argument.arg for argument in parameters.every(kernel.node.args)}
    in_loops = {inner for n in kernel.nodes if isinstance(n, _LOOPS) for inner in descend(n)}
    assigned = [n for n in kernel.nodes if isinstance(n, ast.AnnAssign) and is_constexpr(n.annotation)]
    once = {n.target.id for n in assigned if isinstance(n.target, ast.Name) and n not in in_loops}
    outside = kernel.bindings.keys() | _PYTHON
    meant = {n: bound for f in functions for n, bound in f.bindings.items() if n not in given and not stored[n]}
    other = {n for n, bound in meant.items() for f in functions if n in f.varies or f.bindings.get(n, bound) != bound}
    return Constancy(
        constants=frozenset(constants - stored.keys()),
        # (Where it is assigned in a branch of run time, the name is behind that what it is outside.)
        locals=frozenset({name for name in once - given - outside if stored[name] == 1}),
        passed=frozenset(given - constants - stored.keys()),
        globals=frozenset({n for n, bound in meant.items() if isinstance(bound, TritonObject)} - other),
    )
