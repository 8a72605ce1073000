"""NO is only said where two witnesses agree: no compile did it, and the text could not, or each of its ways there was
gone by a compile that shows that nothing comes of it. What is left open becomes UNKNOWN.

``docs/how-no-is-proven.md`` has the argument. Adds UNKNOWN to facts, and takes nothing away from them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Literal

from kernel_analysis import paths
from kernel_analysis.dataflow.proven.asserted_paths import asserted
from kernel_analysis.dataflow.proven.call_conditions import CallConditions
from kernel_analysis.dataflow.proven.conditions import negated, spelled
from kernel_analysis.dataflow.proven.feasible_paths import Constancy, Wanted, fixed_names, possible, same_of_texts
from kernel_analysis.dataflow.proven.refused import Refused
from kernel_analysis.dataflow.proven.starts import guesses_a_number, leaves, of_helper, of_kernel, unsure
from kernel_analysis.dataflow.text import aggregate_fields
from kernel_analysis.dataflow.text.language_calls import Access as Kind
from kernel_analysis.dataflow.text.may_summary import MaySummary
from kernel_analysis.dataflow.text.paths.access_paths import Open, Paths, Start, parameter_sorts, sure_pointers
from kernel_analysis.dataflow.text.paths.decision_traces import CompileTrace
from kernel_analysis.dataflow.text.paths.path_tests import Note
from kernel_analysis.dataflow.text.summaries import TextSummaries
from kernel_analysis.facts import Access, CallFact, Facts, ParameterFacts, Problem, UnknownVerdict, Verdict
from kernel_analysis.ir import At
from kernel_analysis.record import record
from kernel_analysis.signature.signature_model import Signature
from kernel_analysis.source.slice import FunctionRef, Slice
from kernel_analysis.source.tree.forms import chain
from kernel_analysis.source.tree.syntax import annotated_constants

Slot = Literal["write", "read", "table_write", "table_read"]
_SLOTS: tuple[tuple[Slot, Kind, bool], ...] = (
    ("write", "write", False), ("read", "read", False), ("table_write", "write", True), ("table_read", "read", True),
)  # fmt: skip
_TABLES = ("*i64", "*u64", "**", "*ki64", "*ku64", "*k*")
Way = tuple[Wanted, ...]
"""What must be so for the compiler to go a way: tests in the kernel's names, and how each goes."""
_POINTERS_TO_POINTERS = ("**", "*k*")
_NAMED = 3


@record
class Compile:
    """A signature that compiled, and what was decided then."""

    signature: Signature
    trace: CompileTrace


@record
class OpenNo:
    """A NO of the compiles that the text does not bear out. ``function``: whose parameter. ``opened``: the ways that no
    compile went; none: the text is too involved, for the reason ``given_up`` where that is no limit. ``unsure``: it may
    not be the number that it was compiled as."""

    function: int
    name: str
    slot: Slot
    opened: tuple[Open, ...]
    reasons: tuple[str, ...]
    unsure: bool = False
    given_up: str = ""


class Proof:
    """Of one slice. ``missing``: the places that no compile gets over, as far as that is known from the start."""

    def __init__(self, slice_: Slice, missing: Iterable[At] = ()) -> None:
        self._slice = slice_
        self._summaries = TextSummaries(slice_)
        self._proven: list[tuple[int, list[Start], bool, set[tuple[str, Slot]]]] = []
        self._tests: dict[Note, Wanted | None] = {}
        self._told_tests: dict[str, ast.expr] = {}
        self.refused = Refused(slice_, missing)
        self.failed: dict[Way, Problem] = {}
        """What went wrong where a signature was made for a way that no compile went."""

    @property
    def learnt(self) -> int:
        """How much is known of what can't be compiled."""
        return self.refused.count + len(self.failed)

    def withhold(self, facts: Facts, compiles: Sequence[Compile]) -> list[OpenNo]:
        """Make UNKNOWN what is not proven; the questions that stay open."""
        traces = [compile.trace for compile in compiles]
        signatures = [compile.signature for compile in compiles]
        # What a guess hands on is no surer than the guess.
        guessed = bool(facts.helpers) and any(map(guesses_a_number, signatures))
        opened: list[OpenNo] = []
        for index in (0, *facts.helpers):
            function = self._slice.functions[index]
            if function.kind != "jit":
                continue
            own = facts.helpers[index] if index else facts.parameters
            starts = of_helper(function, own) if index else of_kernel(function, signatures)
            if index and guessed:
                constants = annotated_constants(function.node)
                starts = [unsure(start, start.name in constants) for start in starts]
            first = starts[0] if index and self._slice.aggregates and starts else None
            if first is not None and first.kind == "pointer" and self._is_of_constants(index, first.name):
                starts[0] = replace(starts[0], kind="constant")
            known = {fact.name for fact in own}
            kinds = dict(leaves(starts))
            asked = [*own, *_unseen(kinds, known)]
            questions = self._asked(index, starts, kinds, asked, traces)
            if not questions:
                continue
            for question in questions:
                note = self._note(question)
                for number, fact in enumerate(asked):
                    if fact.name == question.name:
                        # Not in the fact itself: other facts may hold it too.
                        changed = _doubted(getattr(fact, question.slot), note)
                        asked[number] = replace(fact, **{question.slot: changed})
            changed = [fact for fact in asked if fact.name in known or fact.read.unknowns or fact.write.unknowns]
            if index:
                facts.helpers[index] = changed
            else:
                facts.parameters = changed
            opened += questions
        facts.calls = _carried(facts)
        return opened

    def _is_of_constants(self, index: int, name: str) -> bool:
        """Whether a method's own parameter is an object whose fields are all constants: the method takes fields of it,
        which nothing else has."""
        nodes = self._slice.functions[index].nodes
        owners = [(n.attr, n.value) for n in nodes if isinstance(n, ast.Attribute)]
        taken = {attribute for attribute, owner in owners if isinstance(owner, ast.Name) and owner.id == name}
        members = [self._slice.certain_members(number) for number in range(len(self._slice.aggregates))]
        mine = [fields for fields, methods in members if FunctionRef(index) in methods.values()]
        constant = aggregate_fields.constant
        return bool(mine) and all(taken & fields.keys() and all(map(constant, fields.values())) for fields in mine)

    def _called(self, at: At) -> str | None:
        """What is called there, if that is a value of the function's own, or something of one."""
        function = self._slice.functions[at.function]
        node = function.nodes[at.node]
        callee = node.func if isinstance(node, ast.Call) else None
        root = None if callee is None else chain(callee)[0]
        own = isinstance(root, ast.Name) and root.id not in function.bindings
        return ast.unparse(callee) if own and callee is not None else None

    def ways(self, question: OpenNo) -> list[list[Wanted]]:
        """What would have to be so for each of the ways that no compile went, as tests in the kernel's names. Without
        those that no test decides."""
        if question.function:
            return []
        found = [self._told(opened) for opened in question.opened if all(note.test for note in opened.trail)]
        return [tests for tests in found if tests]

    def _told(self, opened: Open) -> list[Wanted]:
        """The tests on a way, in the kernel's names as far as the calls say."""
        return [told for told in map(self._wanted, opened.trail) if told is not None]

    def _holding(self, opened: Open) -> list[Wanted]:
        """Those of them that hold of what the kernel is given, too: a helper may have been compiled for another
        text."""
        told = [(note, self._wanted(note)) for note in opened.trail]
        return [test for note, test in told if test is not None and (not note.at.function or same_of_texts(test[0]))]

    def _wanted(self, note: Note) -> Wanted | None:
        """The same of one note; a test that is asked for again is the same object."""
        if note not in self._tests:
            told = None
            if isinstance(note.test, ast.expr):
                test, way = note.test, note.way
                if not isinstance(way, bool):
                    test, way = _as_test(test, way), True
                test = self._conditions.told(test, note.at, note.calls)
                told = self._told_tests.setdefault(ast.dump(test), test), way
            self._tests[note] = told
        return self._tests[note]

    @cached_property
    def _conditions(self) -> CallConditions:
        return CallConditions(self._slice, annotated_constants(self._slice.functions[0].node))

    @cached_property
    def _fixed_names(self) -> Constancy:
        return fixed_names(self._slice.functions)

    @cached_property
    def _asserted(self) -> list[Wanted]:
        return asserted(self._slice.functions[0])

    def _fixed(self, kinds: Mapping[str, str]) -> Constancy:
        """``kinds``: of the kernel's parameters."""
        fixed = self._fixed_names
        pointers = [name for name, kind in kinds.items() if kind == "pointer" and name in fixed.passed]
        # (An object may have an operator of its own for that.)
        objects = self._slice.aggregates or self._slice.other_operators
        return replace(fixed, pointers=frozenset(pointers), tuples=frozenset() if objects else fixed.passed)

    def _asked(
        self, index: int, starts: list[Start], kinds: Mapping[str, str], facts: list[ParameterFacts],
        traces: Sequence[CompileTrace],
    ) -> list[OpenNo]:  # fmt: skip
        """``kinds``: of all leaves of the ``starts``."""
        tables = any(fact.type.startswith(_POINTERS_TO_POINTERS) for fact in facts)
        proven = self._known(index, starts, tables)
        summary: MaySummary | None = None
        made = False
        doubted: list[tuple[str, Slot, Kind, bool]] = []
        changed: list[OpenNo] = []
        for fact in facts:
            kind = kinds.get(fact.name, "number")
            if kind in ("constant", "float", "buffer"):
                continue
            owner, pointed = paths.owner(fact.name), fact.type.startswith(_TABLES)
            if summary is None:
                summary = self._summaries.of(index, parameter_sorts(starts), sure_pointers(starts))
                made = summary.made
            found = (fact.write, fact.read, fact.table_write, fact.table_read)
            # Only what holds 64 bits, or where addresses are made, may be accessed through.
            for (slot, access, table), known in zip(_SLOTS if pointed or made else _SLOTS[:2], found, strict=False):
                # What some compiles have proven, more of them prove, too.
                if known.sites or known.unknowns or (fact.name, slot) in proven:
                    continue
                if (why := self._slice.language_changed) is not None:
                    changed.append(OpenNo(index, fact.name, slot, (), (), given_up=why))
                    continue
                if summary.may(access, owner, kind, table, tables and (not table or pointed)):
                    doubted.append((fact.name, slot, access, table))
                else:
                    proven.add((fact.name, slot))
        if not doubted:
            return changed
        wanted = {name for name, *_ in doubted}
        tabled = frozenset([fact.name for fact in facts if fact.type.startswith(_TABLES)])
        direct = tabled if tables else None
        walk = Paths(self._slice, index, starts, wanted, traces, self._summaries, direct)
        pointers = {paths.owner(name) for name, kind in kinds.items() if kind in ("pointer", "unsure")}
        walk.keeps = summary is not None and summary.keeps(pointers)
        followed = walk.run()
        out: list[OpenNo] = []
        for name, slot, access, table in doubted:
            opened = walk.open.get((name, access, table), [])
            if table and name not in tabled and not walk.of_numbers:
                opened = []  # the first look did not know that a type is no pointer's
            opened = [one for one in opened if not self.refused.rules_out(one.trail)]
            if not index and opened:
                fixed = self._fixed(kinds)
                opened = [one for one in opened if possible([*self._holding(one), *self._asserted], fixed)]
            if not opened and followed:
                proven.add((name, slot))
            else:
                ways = tuple(opened) if followed else ()
                out.append(
                    OpenNo(index, name, slot, ways, tuple(walk.reasons), kinds.get(name) == "unsure", walk.given_up)
                )
        return out

    def _known(self, index: int, starts: list[Start], tables: bool) -> set[tuple[str, Slot]]:
        """What is proven of a function with such parameters, to be added to."""
        for number, others, of_tables, proven in self._proven:
            if number == index and of_tables == tables and others == starts:
                return proven
        proven = set[tuple[str, Slot]]()
        self._proven.append((index, starts, tables, proven))
        return proven

    def _note(self, question: OpenNo) -> UnknownVerdict:
        if not question.opened:
            reason = question.given_up or (
                "the text of the function is too involved to prove that nothing else happens to it"
            )
            return UnknownVerdict(reason, At(question.function, 0))
        opened = min(question.opened, key=lambda o: (any(n.test is None for n in o.trail), len(o.trail)))
        notes = opened.trail
        unrecorded = [note for note in notes if note.test is None]
        if unrecorded:
            note = unrecorded[0]
            why = _reasons(note.dep, question.reasons)
            called, write = self._called(note.at), "write" in question.slot
            does = f"it is {'written' if write else 'read'} here"
            if called is not None:
                does = f"`{called}` {'writes' if write else 'reads'} it"
            return UnknownVerdict(f"whether {does} depends on {why}, which a launch decides", note.at, note.calls)
        tests: list[ast.expr] = []
        dep = 0
        said: dict[tuple[int, str], object] = {}
        for note in reversed(notes):
            assert isinstance(note.test, ast.expr)
            dep |= note.dep
            # Of a function that calls itself, the innermost call says most; its names are others in each.
            if said.setdefault((note.at.function, ast.dump(note.test)), note.way) == note.way:
                tests.insert(0, _as_test(note.test, note.way))
        if not tests and question.unsure:
            reason = "nothing in sight says whether a launch passes a number or an address, and an address may get here"
            return UnknownVerdict(reason, opened.at, opened.calls)
        if not tests:
            return UnknownVerdict(
                "a way to it was compiled under none of the signatures tried", opened.at, opened.calls
            )
        condition = spelled(tests)
        reason = f"a branch that needs `{condition}` was compiled under none of the signatures tried"
        named = [name for name in _named(dep, question.reasons) if name.strip("`") not in (condition or "")]
        if named and question.function == 0:
            reason += f"; it follows from {', '.join(named[:_NAMED])}"
        if question.function:
            reason += "; as it is called here, nothing of the kind happens"
        elif (problem := self.failed.get(tuple(self._told(opened)))) is not None:
            reason += f": {problem.message}"
        return UnknownVerdict(reason, opened.at, opened.calls)


def _named(dep: int, reasons: Sequence[str]) -> list[str]:
    return [text for number, text in enumerate(reasons) if dep >> number & 1]


def _reasons(dep: int, reasons: Sequence[str]) -> str:
    named = _named(dep, reasons)
    return ", ".join(named[:_NAMED]) or "what is passed"


def _carried(facts: Facts) -> list[CallFact]:
    """The calls, each place and callee once: YES where any compile of it does it, and NO where no call of the callee
    could. A compile shows one way that a call may go; of another, nobody has said anything."""
    verdicts: dict[tuple[At, int], dict[str, tuple[Verdict, Verdict]]] = {}
    for call in facts.calls:
        known = facts.helpers.get(call.callee) if call.callee else facts.parameters
        own = {fact.name: fact for fact in known or ()}
        found = verdicts.setdefault((call.at, call.callee), {})
        for name, read, written in call.parameters:
            before = found.get(name, ("no", "no"))
            fact = own.get(name)
            could = ("unknown", "unknown") if fact is None else (fact.read.verdict, fact.write.verdict)
            found[name] = _either(before[0], read, could[0]), _either(before[1], written, could[1])
    return [
        CallFact(at, callee, tuple([(name, *both) for name, both in found.items()]))
        for (at, callee), found in verdicts.items()
    ]


def _either(before: Verdict, now: Verdict, could: Verdict) -> Verdict:
    if "yes" in (before, now):
        return "yes"
    return "no" if could == "no" else "unknown"


def _as_test(test: ast.expr, way: object) -> ast.expr:
    if isinstance(way, bool):
        return test if way else negated(test)
    return ast.Compare(test, [ast.Eq()], [ast.Constant(way)])  # pyright: ignore[reportArgumentType]


def _doubted(access: Access, note: UnknownVerdict) -> Access:
    return access if access.sites or note in access.unknowns else Access((), (*access.unknowns, note))


def _unseen(kinds: Mapping[str, str], known: set[str]) -> list[ParameterFacts]:
    """Parameters that no compile has an address for, and that another call may give one."""
    return [
        ParameterFacts(name, "constexpr") for name, kind in kinds.items() if name not in known and kind == "pointer"
    ]
