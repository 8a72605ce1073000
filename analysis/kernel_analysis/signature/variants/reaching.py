"""A signature under which tests go the ways that are wanted, made of one that compiled: for what the text of a kernel
could do and no signature has shown.

Reads syntax only. Changes guesses, and where nothing else leads there also what the launches in sight pass; always as a
guess.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from kernel_analysis import paths
from kernel_analysis.signature import spelling
from kernel_analysis.signature.body import coverage
from kernel_analysis.signature.body.clues import uses
from kernel_analysis.signature.body.coverage import PRESENT, Other
from kernel_analysis.signature.body.operators import truth
from kernel_analysis.signature.choose import element
from kernel_analysis.signature.constant_items import constant_at, is_item, set_constant, type_at
from kernel_analysis.signature.evident_values import UNKNOWN, Clue, EvidentValue
from kernel_analysis.signature.notes import Branch
from kernel_analysis.signature.parameter_evidence import EXTENT, same
from kernel_analysis.signature.signature_model import Evidence, ParameterType, Signature
from kernel_analysis.signature.variants.by_branch import ByBranch
from kernel_analysis.signature.variants.counted import Counted
from kernel_analysis.signature.variants.variants import TO_REACH
from kernel_analysis.source.slice import Slice
from kernel_analysis.source.tree.forms import parts_of_test
from kernel_analysis.source.tree.syntax import annotated_constants, descend

_ROUNDS: Final = 4
"""Changes to what was changed, beyond one for each test."""
_REPLACED: Final = 16
"""Names of one test that what they stand for takes the place of."""

Wanted = tuple[ast.expr, bool]
"""A test in the kernel's names, and the way that it should go."""


class Reaching:
    """Of one kernel. A test is told by its identity: the same one should not come as a copy."""

    def __init__(self, slice_: Slice) -> None:
        self._slice = slice_
        self._by_branch = ByBranch(slice_)
        self._counted = Counted(slice_.functions[0])
        self._values: dict[object, EvidentValue] = {}
        self._names: dict[ast.expr, tuple[str, ...]] = {}
        self._told: dict[ast.expr, ast.expr] = {}
        self._asked: dict[object, tuple[bool, Mapping[str, Any]]] = {}

    def signature(self, known: Sequence[Signature], wanted: Sequence[Wanted]) -> Signature | None:
        """A signature under which all tests go their ways, as far as that is plain to see; ``known``: those that
        compiled. None where none is found."""
        parts = [part for test, way in wanted for part in parts_of_test(self._in_parameters(test), way)]
        ways = [(base, *other) for base in known for other in self._counted.signatures(base, parts)]
        for before, base, told in (*ways, *((base, base, parts) for base in known)):
            found = self._reached(base, before, known, told)
            if found is not None:
                return found
        return None

    def _in_parameters(self, test: ast.expr) -> ast.expr:
        """The test with what the kernel's names stand for in their places, where they are bound once."""
        told = self._told.get(test)
        if told is None:
            meant = coverage.assigned(self._slice.functions[0].node)
            told = test
            if any(isinstance(node, ast.Name) and meant.get(node.id) is not None for node in descend(test)):
                told = _Meant(meant).visit(copy.deepcopy(test))
            self._told[test] = told
        return told

    def _reached(
        self, base: Signature, before: Signature, known: Sequence[Signature], wanted: Sequence[Wanted]
    ) -> Signature | None:
        """``before``: what the signature was that is changed further."""
        demand: dict[str, Any] = {}
        for _ in range(len(wanted) + _ROUNDS):
            made = _changed(base, demand, known, self._pointer, self._constants)
            if made is None:
                return None
            if any(value == PRESENT for value in demand.values()):
                made = self._whole(made)
            env = self._arguments(made)
            wrong = False
            for test, way in wanted:
                goes, asked = self._demands(test, way, env)
                if goes:
                    continue
                more = {path: value for path, value in asked.items() if type_at(base.types, path) is not None}
                if not more:
                    return None
                if all(path in demand and same(demand[path], value) for path, value in more.items()):
                    return None  # what it asks for does not help
                demand.update(more)
                wrong = True
                break
            if not wrong:
                return self._by_branch.fitted(made) if demand or base is not before else None
        return None

    def _whole(self, signature: Signature) -> Signature:
        """With numbers and pointers in the place of what launches leave None and the kernel takes for granted: they
        come with what is there now."""
        types, constants, evidence = dict(signature.types), dict(signature.constants), dict(signature.evidence)
        for name, kind in signature.types.items():
            clue = self._clues.get(name)
            left_off = kind == "constexpr" and constants.get(name, UNKNOWN) is None
            if clue is None or not left_off or evidence[name].kind not in ("launch", "default"):
                continue
            if clue.weight("none") or clue.weight("flag"):
                continue  # the kernel asks whether it is there
            if not any(map(clue.weight, ("pointer", "int", "float", "number"))):
                continue  # what it is taken for may well be None: `cache_modifier=MODIFIER`
            types[name] = self._pointer(name) if clue.weight("pointer") else "i32"
            constants.pop(name)
            evidence[name] = Evidence("use", "it comes with another that is there", False, evidence[name].line)
        return replace(signature, types=types, constants=constants, evidence=evidence)

    def _pointer(self, name: str) -> str:
        """The type of a pointer of which no more is known than its use."""
        return f"*{element((name,), self._clues.get(name, Clue()), 1)}"

    @cached_property
    def _constants(self) -> frozenset[str]:
        return frozenset(annotated_constants(self._slice.functions[0].node))

    @cached_property
    def _clues(self) -> dict[str, Clue]:
        return uses(self._slice).clues

    def _arguments(self, signature: Signature) -> dict[str, EvidentValue]:
        """The parameters' values, the same object where the same is passed."""
        env: dict[str, EvidentValue] = {}
        for name, kind in signature.types.items():
            if isinstance(kind, tuple):
                env[name] = spelling.parameter(signature, name)
                continue
            constant = signature.constants.get(name, UNKNOWN)
            key = name, kind, type(constant), constant
            known = self._values.get(key)
            if known is None:
                known = self._values[key] = spelling.parameter(signature, name)
            env[name] = known
        return env

    def _demands(self, test: ast.expr, way: bool, env: dict[str, EvidentValue]) -> tuple[bool, Mapping[str, Any]]:
        """Whether the test goes the way, as one does that is decided when the kernel runs, and what is asked for if
        not."""
        names = self._names.get(test)
        if names is None:
            found = [node.id for node in descend(test) if isinstance(node, ast.Name)]
            names = self._names[test] = tuple(dict.fromkeys(found))
        values = [env[name] for name in names if name in env]
        # What else it looks at, or a tuple, is made anew each time.
        plain = len(values) == len(names) and all(value.items is None for value in values)
        key = (test, way, *map(id, values)) if plain else None
        known = None if key is None else self._asked.get(key)
        if known is None:
            branch = Branch(0, test, None, env)
            value = coverage.value(self._slice, branch, test)
            decided = truth(value)
            goes = decided is way or decided is None and not value.static
            known = goes, {} if goes else coverage.demands(self._slice, branch, way)
            if key is not None:
                self._asked[key] = known
        return known


class _Meant(ast.NodeTransformer):
    """``names``: what each stands for. What is long already stays as it is."""

    def __init__(self, names: Mapping[str, ast.expr | None]) -> None:
        self._names = names
        self._open: list[str] = []
        self._left = _REPLACED

    def visit_Name(self, node: ast.Name) -> ast.expr:
        meant = self._names.get(node.id)
        if meant is None or node.id in self._open or not self._left:
            return node
        self._left -= 1
        self._open.append(node.id)
        told = self.visit(copy.deepcopy(meant))
        self._open.pop()
        return told


def _changed(
    base: Signature,
    demand: dict[str, Any],
    known: Sequence[Signature],
    pointer: Callable[[str], str],
    annotated: Container[str],
) -> Signature | None:
    """The signature with other values; None where a parameter can't have the one that is asked for. ``pointer``: the
    type of one that nobody has told; ``annotated``: what is a constant whatever it is given."""
    types: dict[str, ParameterType] = dict(base.types)
    constants = dict(base.constants)
    evidence = dict(base.evidence)
    for name, value in demand.items():
        kind, owner = type_at(types, name), paths.owner(name)
        if isinstance(value, Other):
            if is_item(types, name) and value == PRESENT:
                value = EXTENT
            elif value != PRESENT:
                value = value.among([constant_at(s.types, s.constants, name) for s in known])
            elif kind == "constexpr" and (
                constants.get(name, UNKNOWN) is not None or _constant(name, known) or name in annotated
            ):
                value = constants.get(name) if constants.get(name) is not None else EXTENT
            else:
                seen = [type_at(s.types, name) for s in known]
                present = next((other for other in seen if other not in (None, "constexpr")), None)
                types[owner] = paths.with_type(types[owner], paths.indices(name), present or pointer(name))
                constants.pop(name, None)
                evidence[owner] = Evidence("use", TO_REACH, False, base.evidence[owner].line)
                continue
        if kind != "constexpr" and (value is not None or _is_annotated(evidence[owner])):
            return None  # a number that is passed as one is no constant
        types[owner] = paths.with_type(types[owner], paths.indices(name), "constexpr")
        set_constant(types, constants, name, value)
        evidence[owner] = Evidence("use", TO_REACH, False, base.evidence[owner].line)
    return replace(base, types=types, constants=constants, evidence=evidence)


def _is_annotated(evidence: Evidence) -> bool:
    """Whether a kernel's parameter has its type whatever is passed."""
    return evidence.kind == "annotation" and evidence.certain


def _constant(name: str, known: Sequence[Signature]) -> bool:
    """Whether a parameter is a constant, rather than a pointer that is None."""
    return any(type_at(s.types, name) == "constexpr" and s.constants.get(name) is not None for s in known)
