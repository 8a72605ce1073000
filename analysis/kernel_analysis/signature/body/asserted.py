"""Values for which ``tl.static_assert`` holds: of the compile-time integers that were guessed, those that a kernel's
asserts have in common are chosen together. Changes guesses only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import combinations, product
from math import lcm
from typing import Any, Final

from kernel_analysis import paths
from kernel_analysis.signature.body import coverage, element_types
from kernel_analysis.signature.body.operators import truth
from kernel_analysis.signature.body.walk import Walk
from kernel_analysis.signature.constant_items import set_constant
from kernel_analysis.signature.evident_values import UNKNOWN, constant
from kernel_analysis.signature.notes import Branch
from kernel_analysis.signature.parameter_evidence import Choice, Known
from kernel_analysis.signature.signature_model import Evidence
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.slice import Slice
from kernel_analysis.source.tree.syntax import descend

_ELEMENT: Final = re.compile(r"(\*k?|tensordesc<|)((?:fp|bf|i|u)\d\w*)")
"""What is before the element type of a pointer, a descriptor, a block or a number, and the element type."""
_USUAL: Final = (64, 128, 256, 512, 1024, 32, 16, 8, 4, 2, 1)
_LARGEST: Final = 1 << 16
_MOST_VALUES: Final = 24
_MOST_TRIED: Final = 400
_DEMANDED: Final = "tl.static_assert demands it"


def satisfy(
    slice: Slice, function: JitFunction, walk: Walk, known: dict[str, Known], choices: dict[str, Choice]
) -> bool:
    """Change guessed values so that ``tl.static_assert`` holds; whether any was changed."""
    demanded: dict[str, tuple[Any, Evidence]] = {}
    of_items = False
    for failing in walk.asserts:
        if failing.taken is True:
            continue
        for name, value in coverage.demands(slice, failing, True).items():
            choice = choices.get(paths.owner(name))
            if choice is None or isinstance(value, coverage.Other):
                continue
            if name not in choices:
                if failing.taken is False and choice.type == "constexpr" and not choice.evidence.fixed:
                    of_items = True
                    set_constant({paths.owner(name): choice.type}, choice.constants, name, value)
            elif failing.taken is None and value == 1:
                evidence = _one(function, known[name], choice, failing.test.lineno)
                if evidence is not None:
                    demanded[name] = value, evidence
            elif failing.taken is False and choice.type == "constexpr" and not choice.evidence.fixed:
                demanded[name] = value, Evidence("use", _DEMANDED, False, failing.test.lineno)
    changed = _pointing(slice, walk.asserts, choices)
    free = [name for name, choice in choices.items() if _is_free(choice, name)]
    together = _together(slice, [*walk.asserts, *walk.sizes], free) or _together(slice, walk.asserts, free)
    for name, (value, line) in together.items():
        demanded[name] = value, Evidence("use", _DEMANDED, False, line)
    for name, (value, evidence) in demanded.items():
        choice = choices[name]
        choice.type, choice.evidence = "constexpr", evidence
        choice.constants[name] = value
    return bool(demanded) or changed or of_items


def _pointing(slice: Slice, asserts: list[Branch], choices: dict[str, Choice]) -> bool:
    """Change guessed element types to those that the asserts take; whether any was changed."""
    changed = False
    for name, (dtypes, line) in element_types.demanded(slice, asserts).items():
        choice = choices.get(name)
        if choice is None or choice.evidence.fixed or choice.evidence.kind == "annotation" or not dtypes:
            continue
        parts = _ELEMENT.match(choice.type) if isinstance(choice.type, str) else None
        if parts is None or parts[2] in dtypes:
            continue
        choice.type = f"{parts[1]}{dtypes[0]}{choice.type[parts.end() :]}"
        # Who passes it is known all the same.
        detail, kind = _DEMANDED, choice.evidence.kind
        choice.evidence = Evidence(kind if kind == "launch" else "use", detail, False, line, choice.evidence.place)
        changed = True
    return changed


def _is_free(choice: Choice, name: str) -> bool:
    return choice.type == "constexpr" and not choice.evidence.fixed and type(choice.constants.get(name)) is int


def _one(function: JitFunction, known: Known, choice: Choice, line: int) -> Evidence | None:
    """Why a number that is passed at run time may be 1, which Triton compiles as a constant; None if it can't be."""
    fixed = choice.evidence.kind in ("annotation", "pragma") or "do_not_specialize" in function.options
    if choice.type not in ("i32", "i64") or fixed:
        return None
    values = [a.value for a in known.arguments if a is not None and a.value is not UNKNOWN]
    if 1 in values:
        return Evidence("launch", "a launch passes 1", True, place=known.place)
    return None if values else Evidence("use", _DEMANDED, False, line)


def _together(slice: Slice, asserts: list[Branch], free: list[str]) -> dict[str, tuple[int, int]]:
    """For the integers in asserts that fail, and in those that share them, values for which all hold, with the line of
    the assert; empty where there are none to be found."""
    parts = [part for found in asserts for part in _parts(slice, found, free)]
    found: dict[str, tuple[int, int]] = {}
    tried = 0
    while failing := [part for part in parts if not part.holds({name: value for name, (value, _) in found.items()})]:
        now = {name: value for name, (value, _) in found.items()}
        best: dict[str, int] = {}
        least = len(failing)
        for names in _groups(failing, parts):
            for values in product(*(_values(name, parts) for name in names)):
                tried += 1
                if tried > _MOST_TRIED:
                    return {}
                changed = dict(zip(names, values, strict=True))
                left = sum(not part.holds({**now, **changed}) for part in parts)
                if left < least:
                    best, least = changed, left
                    break
            if best:
                break
        if not best:
            return {}
        found.update({name: (value, failing[0].line) for name, value in best.items()})
    return found


class _Part:
    """One of the conditions that an assert joins with ``and``. ``names``: the guessed integers in it."""

    def __init__(self, slice: Slice, branch: Branch, test: ast.expr, names: list[str]) -> None:
        self._slice = slice
        self._branch = Branch(branch.function, test, None, branch.env)
        self.names = names
        self.line = test.lineno
        self.numbers = {
            n.value for n in descend(test) if isinstance(n, ast.Constant) and type(n.value) is int and n.value > 1
        } | {v.const for v in branch.env.values() if type(v.const) is int and v.const > 1 and _named(v, names)}

    def holds(self, values: dict[str, int]) -> bool:
        """Whether it does with these values; what can't be told counts as if it did."""
        env = dict(self._branch.env)
        branch = Branch(self._branch.function, self._branch.test, None, env)
        for local, value in self._branch.env.items():
            path = coverage.parameter(value)
            if path in values and type(value.const) is int:
                env[local] = constant(values[path], value.origins)
        for local, written in coverage.assigned(self._slice.functions[branch.function].node).items():
            before = env.get(local)
            if written is not None and before is not None and {o.path for o in before.origins} & values.keys():
                env[local] = coverage.value(self._slice, branch, written)
        return truth(coverage.value(self._slice, branch, branch.test)) is not False


def _named(value: Any, names: list[str]) -> bool:
    return coverage.parameter(value) in names


def _parts(slice: Slice, found: Branch, free: list[str]) -> Iterator[_Part]:
    tests = [found.test]
    while tests:
        test = tests.pop()
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            tests.extend(test.values)
            continue
        branch = Branch(found.function, test, found.taken, found.env)
        names = [name for name in coverage.parameters(slice, branch) if name in free]
        if names:
            yield _Part(slice, branch, test, names)


def _groups(failing: list[_Part], parts: list[_Part]) -> Iterator[tuple[str, ...]]:
    """The integers to change at once: each of a condition that fails, then two that a condition has in common."""
    alone = dict.fromkeys(name for part in failing for name in part.names)
    yield from ((name,) for name in alone)
    near = dict.fromkeys(name for part in parts for name in part.names if alone.keys() & set(part.names))
    yield from combinations(near, 2)


def _values(name: str, parts: list[_Part]) -> list[int]:
    """What the integer may be: a power of two, as a rule; else what goes with the numbers that it meets."""
    met = sorted({number for part in parts if name in part.names for number in part.numbers})[:6]
    multiples = {lcm(*chosen) for count in (1, 2, 3) for chosen in combinations(met, count)}
    wide = {number * factor for number in multiples for factor in (1, 2, 64)}
    usual = [v for v in _USUAL if not met or any(v % number == 0 or number % v == 0 for number in met)]
    return list(dict.fromkeys([*usual, *sorted(n for n in wide if n <= _LARGEST)]))[:_MOST_VALUES]
