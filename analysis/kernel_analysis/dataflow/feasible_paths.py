"""Whether tests of a kernel's constants can go the ways that a path through its text needs, all at once.

Says that they can't only of one parameter compared with what is written down: ``MODE == 2`` and ``MODE > 2``, or a test
and its opposite; and only where no value of any kind passes them: no number that is none, no text, no empty tuple.
Runs nothing.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

from kernel_analysis.record import record
from kernel_analysis.source.forms import parts_of_test

Wanted = tuple[ast.expr, bool]

_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip
_PLAIN = (bool, int, float, str, type(None))
_NUMBERS = (int, float, Fraction)
_OTHERS: Final = (True, False, None, "", (), object(), math.nan, math.inf, -math.inf)
"""Values that numbers and texts are not told apart from: nothing, an empty tuple, an object that equals nothing, a
number that is neither less than another nor more."""


def possible(wanted: Iterable[Wanted], constants: frozenset[str]) -> bool:
    """Whether there may be values of the parameters ``constants``, which nothing assigns, for which all tests go their
    ways."""
    seen: dict[str, bool] = {}
    by_name: dict[str, dict[Wanted, None]] = {}
    for one in wanted:
        for part in _plain_parts(*one):
            if not part.names <= constants:
                continue
            if seen.setdefault(part.text, part.way) is not part.way:
                return False
            if len(part.names) == 1:
                (name,) = part.names
                by_name.setdefault(name, {})[part.test, part.way] = None
    return all(
        _satisfiable(name, tuple(tests)) for name, tests in by_name.items() if len(tests) > 1 or _compared(tests)
    )


@record
class _Part:
    """One test that must go a way by itself. ``text``: the same for tests that are the same."""

    test: ast.expr
    way: bool
    names: frozenset[str]
    text: str


@lru_cache(maxsize=2048)
def _plain_parts(test: ast.expr, way: bool) -> tuple[_Part, ...]:
    """What must hold for a test, but for what calls and attributes say, which may be something else each time."""
    found: list[_Part] = []
    for part, goes in parts_of_test(test, way):
        inner = list(ast.walk(part))
        if not any(isinstance(node, ast.Call | ast.Attribute) for node in inner):
            names = frozenset([node.id for node in inner if isinstance(node, ast.Name)])
            found.append(_Part(part, goes, names, ast.dump(part)))
    return tuple(found)


def _compared(tests: Iterable[Wanted]) -> bool:
    return any(isinstance(test, ast.Compare) for test, _ in tests)


@lru_cache(maxsize=2048)
def _satisfiable(name: str, tests: tuple[Wanted, ...]) -> bool:
    written: list[Any] = []
    for test, _ in reversed(tests):
        if not _is_plain(test, name):
            return True
        written += _written(test)
    # The last test says most: few values pass it, and what it names does if anything.
    return any(all(_holds(test, name, value) is way for test, way in reversed(tests)) for value in _candidates(written))


def _written(test: ast.expr) -> list[Any]:
    return [node.value for node in ast.walk(test) if isinstance(node, ast.Constant)]


def _is_plain(test: ast.expr, name: str) -> bool:
    """Whether it is the parameter, or compares it with what is written down."""
    if isinstance(test, ast.Name):
        return True
    if isinstance(test, ast.BoolOp):
        return all(_is_plain(value, name) for value in test.values)
    if isinstance(test, ast.UnaryOp):
        return isinstance(test.op, ast.Not) and _is_plain(test.operand, name)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or type(test.ops[0]) not in _COMPARE:
        return False
    sides = (test.left, test.comparators[0])
    if isinstance(test.ops[0], ast.Is | ast.IsNot) and not any(
        isinstance(side, ast.Constant) and side.value is None for side in sides
    ):
        return False
    return all(
        isinstance(side, ast.Name) or isinstance(side, ast.Constant) and type(side.value) in _PLAIN for side in sides
    )


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


def _holds(test: ast.expr, name: str, value: Any) -> bool | None:
    """What the test comes to; None where it fails."""
    if isinstance(test, ast.Name):
        return bool(value)
    if isinstance(test, ast.UnaryOp):
        inner = _holds(test.operand, name, value)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        stop = isinstance(test.op, ast.Or)
        for part in test.values:
            inner = _holds(part, name, value)
            if inner is None or inner is stop:
                return inner
        return not stop
    assert isinstance(test, ast.Compare)
    left, right = (side.value if isinstance(side, ast.Constant) else value for side in (test.left, test.comparators[0]))
    op = test.ops[0]
    ordered = isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE)
    if ordered and not any(isinstance(left, kind) and isinstance(right, kind) for kind in (_NUMBERS, str)):
        return None
    return bool(_COMPARE[type(op)](left, right))
