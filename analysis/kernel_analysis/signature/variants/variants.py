"""Further signatures of a function, so that what only other flags compile is compiled too: first whatever may access
memory, then the other branches.

Changes guesses, and where nothing else leads there also what the launches in sight pass; always as a guess.
"""

from __future__ import annotations

import ast
from typing import Any, Final

from kernel_analysis import paths
from kernel_analysis.signature import spelling
from kernel_analysis.signature.body import coverage
from kernel_analysis.signature.body.coverage import PRESENT, Other
from kernel_analysis.signature.body.walk import Walk
from kernel_analysis.signature.constant_items import is_item, of_items, set_constant
from kernel_analysis.signature.fitting import fit
from kernel_analysis.signature.notes import Guard
from kernel_analysis.signature.parameter_evidence import EXTENT, Choice, same
from kernel_analysis.signature.signature_model import Evidence, ParameterType, Signature
from kernel_analysis.signature.variants import by_class, by_dtype
from kernel_analysis.signature.variants.by_branch import ByBranch
from kernel_analysis.signature.variants.heuristics import demanded
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.slice import AggregateRef, Slice

_MOST: Final = 8
"""Signatures for one function: each costs a compile."""
_MOST_FOR_BRANCHES: Final = 4
"""Signatures when all that may access memory is reached already."""
_WALKS: Final = 16
_ROUNDS: Final = 4
TO_REACH: Final = "to reach another branch"
"""Why a further signature has a value of its own."""

Demand = dict[str, Any]


class Variants:
    """``seen`` is the walk over all branches, ``walk`` the one under the likeliest choices."""

    def __init__(self, slice: Slice, function: JitFunction, choices: dict[str, Choice], seen: Walk, walk: Walk) -> None:
        self._slice = slice
        self._function = function
        self._choices = choices
        self._seen = seen
        self._by_branch = ByBranch(slice, seen)
        self._walked: dict[tuple[tuple[str, str], ...], tuple[Signature, Walk]] = {}
        self._found: list[tuple[Signature, Walk]] = []
        self._outcomes: set[coverage.Outcome] = set()
        self._missing = {node: ways for node, ways in seen.accesses.items() if node not in walk.accesses}
        self._accept(signature(choices), walk)

    def signatures(self) -> list[Signature]:
        """At least one, the likeliest first."""
        # Few flags at once first: the more are turned, the likelier is it that they do not go together.
        for loose in (False, True):
            self._reach_accesses(loose)
        together = self._together(self._wanted(self._found[0][1]))
        if together and len(self._found) < _MOST_FOR_BRANCHES:
            self._try(together)
        for _, walk in self._found:
            for demand in self._wanted(walk):
                if len(self._found) >= _MOST_FOR_BRANCHES:
                    break
                self._try(demand)
        self._try_arms()
        found = [found for found, _ in self._found]
        found += by_dtype.variants(self._slice, self._seen.branches, self._choices, found[0])
        return found + list(by_class.variants(self._choices, found))

    def _try_arms(self) -> None:
        """Every arm of `if KIND == 0: ... elif KIND == 1: ...`: no flag turned says what is in the others."""
        for branch in self._seen.branches:
            for way in (True, False):
                new = coverage.is_equality(branch.test, way) and (branch.test, way) not in self._outcomes
                if new and len(self._found) < _MOST:
                    demand = self._possible(coverage.demands(self._slice, branch, way), loose=False)
                    if demand:
                        self._try(demand)

    def _accept(self, found: Signature, walk: Walk) -> None:
        self._found.append((found, walk))
        self._outcomes |= coverage.outcomes(walk)
        self._missing = {node: ways for node, ways in self._missing.items() if node not in walk.accesses}

    def _walk(self, demand: Demand) -> tuple[Signature, Walk] | None:
        """The signature that a demand makes, walked; None where there were too many already."""
        key = tuple(sorted((path, repr(value)) for path, value in demand.items()))
        if key not in self._walked and len(self._walked) < _WALKS:
            self._walked[key] = self._made(demand)
        return self._walked.get(key)

    def _made(self, demand: Demand) -> tuple[Signature, Walk]:
        demand = demanded(self._slice, self._function, self._choices, demand)
        made = signature(self._choices, demand)
        walk = concrete(self._slice, made)
        # What is used as an address there is no longer None.
        lacking = [path for path in walk.addressed if self._lacks(made, path)]
        if lacking:
            made = signature(self._choices, {**demand, **dict.fromkeys(lacking, PRESENT)})
        return self._by_branch.fitted(made), walk

    def _lacks(self, made: Signature, path: str) -> bool:
        """Whether a parameter is None that other launches pass."""
        choice = self._choice(path)
        return choice is not None and choice.present is not None and made.constants.get(path, 0) is None

    def _try(self, demand: Demand) -> None:
        """Keep what a demand makes when it reaches something new."""
        tried = self._walk(demand)
        if tried is not None and (coverage.outcomes(tried[1]) - self._outcomes or self._gains(tried[1])):
            self._accept(*tried)

    def _gains(self, walk: Walk) -> bool:
        return any(node in walk.accesses for node in self._missing)

    def _wanted(self, walk: Walk) -> list[Demand]:
        """What would turn each of the tests that the walk passed, of those whose other way was never taken."""
        wanted: list[Demand] = []
        for branch, way in coverage.missed(walk):
            if (branch.test, way) in self._outcomes:
                continue
            demand = self._possible(coverage.demands(self._slice, branch, way), loose=False)
            if demand:
                wanted.append(demand)
        return wanted

    def _possible(self, demand: Demand, loose: bool) -> Demand:
        return {path: value for path, value in demand.items() if _may_be(self._choice(path), path, value, loose)}

    def _choice(self, path: str) -> Choice | None:
        choice = self._choices.get(paths.owner(path))
        return None if choice is None else choice.at(path)

    @staticmethod
    def _together(wanted: list[Demand]) -> Demand:
        """All demands that do not contradict each other."""
        together: Demand = {}
        for demand in wanted:
            if all(same(together.get(n, v), v) for n, v in demand.items()):
                together.update(demand)
        return together

    def _reach_accesses(self, loose: bool) -> None:
        """Try to reach every call that may access memory and was not reached, as many as possible at once."""
        for node in list(self._missing):
            if node not in self._missing:
                continue
            for guards in self._missing[node]:
                if len(self._found) >= _MOST:
                    return
                alone = self._solved(guards, loose)
                others = [self._solved(ways[0], loose) for n, ways in self._missing.items() if n is not node and ways]
                tried = self._reached(node, guards, self._together([alone, *others]), loose)
                if others and (tried is None or node not in tried[1].accesses):
                    tried = self._reached(node, guards, alone, loose) or tried
                if tried is not None:
                    self._accept(*tried)
                    break

    def _solved(self, guards: tuple[Guard, ...], loose: bool) -> Demand:
        """Values under which the tests go their ways, as far as each says by itself; the innermost counts most."""
        demand: Demand = {}
        for branch, way in guards:
            demand.update(self._possible(coverage.demands(self._slice, branch, way), loose))
        for branch, way in guards:
            # Equalities leave no choice.
            if coverage.is_equality(branch.test, way):
                demand.update(self._possible(coverage.demands(self._slice, branch, way), loose))
        return demand

    def _reached(
        self, node: ast.Call, guards: tuple[Guard, ...], demand: Demand, loose: bool
    ) -> tuple[Signature, Walk] | None:
        """A signature that reaches the call, or else others that nothing reached: mend the demand as long as a test on
        the way goes wrong."""
        found: tuple[Signature, Walk] | None = None
        for _ in range(_ROUNDS):
            tried = self._walk(demand)
            if tried is not None and node in tried[1].accesses:
                return tried
            if tried is None:
                break
            found = found or (tried if self._gains(tried[1]) else None)
            wanted = {(branch.test, way) for branch, way in guards}
            wrong = next(
                (b for b in tried[1].branches if b.taken is not None and (b.test, not b.taken) in wanted), None
            )
            if wrong is None:
                break
            more = self._possible(coverage.demands(self._slice, wrong, not wrong.taken), loose)
            if not more or all(path in demand and same(demand[path], value) for path, value in more.items()):
                break
            demand = {**demand, **more}
        return found


def concrete(slice: Slice, signature: Signature) -> Walk:
    """Walk under a signature, so that only what it reaches is seen."""
    walk = Walk(slice)
    walk.counting = False
    walk.run(spelling.arguments(signature))
    return walk


def signature(choices: dict[str, Choice], changed: Demand | None = None) -> Signature:
    """The signature of the choices; ``changed``: values in place of the chosen ones, by path."""
    kinds: dict[str, ParameterType] = {}
    constants: dict[str, Any] = {}
    evidence: dict[str, Evidence] = {}
    names: dict[str, tuple[str, ...]] = {}
    made: dict[str, AggregateRef] = {}
    for name, choice in choices.items():
        names.update(choice.names)
        made.update(choice.made)
        kinds[name] = choice.type
        constants.update(choice.constants)
        evidence[name] = choice.evidence
    for path, value in (changed or {}).items():
        name = paths.owner(path)
        choice = choices[name]
        type, value = _given(choice.at(path), path, value, is_item(kinds, path))
        kinds[name] = paths.with_type(kinds[name], paths.indices(path), type)
        constants.pop(path, None)
        if type == "constexpr":
            set_constant(kinds, constants, path, value)
        evidence[name] = Evidence("use", TO_REACH, False, choice.evidence.line)
    extents = {name: choice.extents for name, choice in choices.items() if any(choice.extents)}
    fit(kinds, constants, extents, (changed or {}).keys())
    splits = {name: choice.split for name, choice in choices.items() if choice.split}
    return Signature(kinds, constants, evidence, names=names, made=made, extents=extents, splits=splits)


def _given(choice: Choice, path: str, value: Any, item: bool) -> tuple[ParameterType, Any]:
    """The type and value that a demand gives a parameter; ``item``: an item of a constant."""
    if not isinstance(value, Other):
        return "constexpr", value
    if item:
        return "constexpr", EXTENT if value == PRESENT else value.among(())
    if value != PRESENT:
        return "constexpr", value.among([*choice.others, choice.constants.get(path)])
    if choice.type != "constexpr":
        return choice.type, None
    if choice.present is not None:
        return choice.present, None
    return "constexpr", next((v for v in choice.others if v is not None), EXTENT)


def _may_be(choice: Choice | None, path: str, value: Any, loose: bool) -> bool:
    """Whether a parameter can have the value. A flag that the launches in sight or the configs fix only ``loose``:
    other launches may pass another."""
    if choice is None:
        return False
    where = () if path in choice.constants else paths.indices(path)
    if value == PRESENT:
        return choice.present is not None or choice.type == "constexpr"
    if choice.type != "constexpr" or choice.present is not None:
        return value is None and (choice.optional or choice.present is not None)
    if choice.evidence.fixed and choice.evidence.kind in ("pragma", "launch", "autotune"):
        if loose:
            return True
        others = [of_items(other, where) for other in choice.others]
        return any(map(value.allows, others)) if isinstance(value, Other) else any(same(value, o) for o in others)
    return True
