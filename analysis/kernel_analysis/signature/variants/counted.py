"""What a test asks for that is no value of a parameter: with how many warps the kernel is launched, how many elements a
tuple has, and in which turn of an unrolled loop it is. Makes signatures with other numbers of them, always as a guess,
and the tests say the number.

Reads syntax only.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product
from typing import Final, TypeAlias

from kernel_analysis import paths
from kernel_analysis.signature.signature_model import Evidence, Signature
from kernel_analysis.signature.variants.variants import TO_REACH
from kernel_analysis.source.slice import SliceFunction
from kernel_analysis.source.tree.device_loops import range_of
from kernel_analysis.source.tree.forms import last_name
from kernel_analysis.source.tree.syntax import descend

_USUAL: Final = {"num_warps": (4, 8, 2, 1, 16), "num_ctas": (1, 2, 4)}
"""The options that a kernel may ask for, the default first."""
_LONGEST: Final = 8
_MOST: Final = 8

Wanted = tuple[ast.expr, bool]
_Asked: TypeAlias = str
"""An option, ``len(pair)``, or the variable of an unrolled loop."""


class Counted:
    """Of one kernel; each test in which a number stands for what is asked is made once."""

    def __init__(self, function: SliceFunction) -> None:
        self._turns = _turns(function)
        self._said: dict[tuple[ast.expr, tuple[tuple[_Asked, int], ...]], ast.expr] = {}
        self._asked: dict[ast.expr, tuple[_Asked, ...]] = {}

    def signatures(self, base: Signature, wanted: Sequence[Wanted]) -> Iterator[tuple[Signature, list[Wanted]]]:
        """The signature with other numbers of what the tests ask for, and the tests with these, and that loops come so
        far; none where they ask for nothing of the kind."""
        asked = list(dict.fromkeys(a for test, _ in wanted for a in self._of(test)))
        turns = {one: self._turns[one] for one in asked if one in self._turns}
        asked = [one for one in asked if one in turns or _now(base, one)]
        if not asked:
            return
        tests = [*wanted, *((test, True) for loop in turns.values() for test in loop)]
        written = {n.value for test, _ in tests for n in descend(test) if isinstance(n, ast.Constant)}
        numbers = sorted({near for n in written if type(n) is int for near in (n, n + 1, n - 1)})
        ways = product(*(_turn(numbers) if one in turns else _candidates(base, one, numbers) for one in asked))
        for chosen in islice(ways, _MOST):
            counts = dict(zip(asked, chosen, strict=True))
            made = base
            for one, number in counts.items():
                made = made if one in turns else _with(made, one, number)
            yield made, [(self._with_numbers(test, counts), way) for test, way in tests]

    def _of(self, test: ast.expr) -> tuple[_Asked, ...]:
        if test not in self._asked:
            named = (n.id for n in descend(test) if isinstance(n, ast.Name) and n.id in self._turns)
            self._asked[test] = tuple(dict.fromkeys([*filter(None, map(_question, descend(test))), *named]))
        return self._asked[test]

    def _with_numbers(self, test: ast.expr, counts: Mapping[_Asked, int]) -> ast.expr:
        key = test, tuple(counts.items())
        if key not in self._said:
            self._said[key] = _Said(counts).visit(copy.deepcopy(test)) if self._of(test) else test
        return self._said[key]


class _Said(ast.NodeTransformer):
    def __init__(self, counts: Mapping[_Asked, int]) -> None:
        self._counts = counts

    def visit_Call(self, node: ast.Call) -> ast.expr:
        number = self._counts.get(_question(node) or "")
        self.generic_visit(node)
        return node if number is None else ast.Constant(number)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        number = self._counts.get(node.id)
        return node if number is None else ast.Constant(number)


def _turns(function: SliceFunction) -> dict[str, list[ast.expr]]:
    """What holds of a name that is the variable of unrolled loops and of nothing else: that it is not before their
    first turn, nor behind the last."""
    bound = Counter(n.id for n in function.nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
    found: dict[str, list[ast.expr]] = {}
    for loop in function.nodes:
        if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name):
            continue
        bounds = loop.iter.args if isinstance(loop.iter, ast.Call) and not loop.iter.keywords else []
        if len(bounds) in (1, 2) and range_of(loop.iter, function).endswith(".static_range"):
            turn = ast.Name(loop.target.id, ast.Load())
            bound[turn.id] -= 1
            tests = found.setdefault(turn.id, [])
            tests.append(ast.Compare(bounds[-1], [ast.Gt()], [turn]))
            tests.extend(ast.Compare(first, [ast.LtE()], [turn]) for first in bounds[:-1])
    return {name: tests for name, tests in found.items() if not bound[name]}


def _turn(numbers: Sequence[int]) -> list[int]:
    return [n for n in sorted({0, 1, *numbers}) if 0 <= n <= _LONGEST]


def _question(node: ast.AST) -> _Asked | None:
    """What a call asks."""
    if not isinstance(node, ast.Call) or node.keywords:
        return None
    name = last_name(node.func)
    if not node.args:
        return name if name in _USUAL else None
    of_tuple = isinstance(node.func, ast.Name) and name == "len" and isinstance(node.args[0], ast.Name)
    return ast.unparse(node) if of_tuple and len(node.args) == 1 else None


def _tuple(one: _Asked) -> str:
    return one[len("len(") : -1]


def _now(signature: Signature, one: _Asked) -> int | None:
    """How many there are under a signature; None where that can't be told, or can't be another."""
    if one in _USUAL:
        return signature.launch.given.get(one, _USUAL[one][0])
    name = _tuple(one)
    kind = signature.types.get(name)
    if not isinstance(kind, tuple) or name in signature.names or name in signature.made:
        return None
    if signature.evidence[name].kind in ("launch", "pragma"):
        return None  # nothing is said of elements that nobody passes
    constant = any(paths.is_inside(path, name) for path in signature.constants)
    return None if constant or not kind else len(kind)


def _candidates(signature: Signature, one: _Asked, numbers: Sequence[int]) -> list[int]:
    """Numbers that make a difference, the present one first."""
    now = _now(signature, one) or 0
    found = _USUAL[one] if one in _USUAL else [n for n in numbers if 0 < n <= _LONGEST]
    telling = [n for n in found if n in numbers] or list(found)
    return list(dict.fromkeys([now, *telling]))


def _with(signature: Signature, one: _Asked, number: int) -> Signature:
    if number == _now(signature, one):
        return signature
    if one in _USUAL:
        return replace(signature, launch=replace(signature.launch, given={**signature.launch.given, one: number}))
    name = _tuple(one)
    kind = signature.types[name]
    made = (*kind[:number], *kind[-1:] * (number - len(kind)))
    evidence = {**signature.evidence, name: Evidence("use", TO_REACH, False, signature.evidence[name].line)}
    return replace(signature, types={**signature.types, name: made}, evidence=evidence)
