"""Whether a kernel compiles with what each config and each launch in sight sets. Each distinct set is compiled once,
while nobody waits; a check of files as they are waits for it.

Says nothing of a set that was not compiled. Reads no files; may not touch the wire.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from kernel_analysis.agent.choices.set_signatures import compiled_with, led_by_a_guess, power, with_value
from kernel_analysis.agent.kept.cache import Cache, cache_key
from kernel_analysis.agent.not_shown.other_targets import another_compiler
from kernel_analysis.agent.protocol.requests import NoCompiler
from kernel_analysis.attempt.compile import Work
from kernel_analysis.attempt.outcome import Outcome
from kernel_analysis.attempt.signature_text import signature_report
from kernel_analysis.facts import Problem
from kernel_analysis.kernels.kept.kept_by_function import KeptByFunction
from kernel_analysis.kernels.project import Project
from kernel_analysis.lowering import Compiler
from kernel_analysis.record import record
from kernel_analysis.report import Finding
from kernel_analysis.rules import config_compile_error
from kernel_analysis.rules.subject import FileSubject
from kernel_analysis.signature.signature_model import Evidence, Signature
from kernel_analysis.signature.variants import set_by_config
from kernel_analysis.signature.variants.set_by_config import ValueSet
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.slice import Slice

MOST: Final = 32
"""Sets of one kernel that are compiled."""
_MOST_KNOWN: Final = 4096
_MOST_LOOKED: Final = 1024
_SECONDS: Final = 0.5
"""For one of them, of the processor's time."""
_EXTENTS: Final = (64, 16, 128, 32)


@record
class SetVerdict:
    """``text`` None: it compiles, or nothing is certain. ``problem``: where the compiler stops; None where it refuses
    the options. ``names``: the values to blame; ``instead``: what compiles in place of one."""

    text: str | None = None
    problem: Problem | None = None
    names: tuple[str, ...] = ()
    instead: tuple[tuple[str, int], ...] = ()


_FINE: Final = SetVerdict()


@record
class AskedKernel:
    """A kernel, the file whose configs and launches are in question, and what is known of the kernel."""

    subject: FileSubject
    function: JitFunction
    slice: Slice
    signatures: list[Signature]
    outcome: Outcome


@record
class _Distinct:
    """A set that no signature has shown to be fine. ``compiles``: one has shown that its values are, so that only its
    options are left to be asked about. ``compiled``: the key of what is compiled for it, which has no options in it."""

    key: str
    compiled: str
    given: ValueSet
    compiles: bool


@record
class _Open:
    file: str
    slice: Slice
    one: _Distinct


@dataclass(slots=True)
class Sets:
    """``compiler`` raises NoCompiler; ``options`` names what else a verdict depends on. ``patient``: whoever asks
    waits."""

    project: Project
    cache: Cache
    compiler: Callable[[], Compiler]
    options: str
    patient: bool
    _known: OrderedDict[str, SetVerdict] = field(default_factory=OrderedDict[str, SetVerdict])
    _asked: dict[tuple[str, str], Callable[[], AskedKernel | None]] = field(
        default_factory=dict[tuple[str, str], "Callable[[], AskedKernel | None]"]
    )
    _open: dict[str, _Open] = field(default_factory=dict[str, _Open])
    _wrong: OrderedDict[str, None] = field(default_factory=OrderedDict[str, None])
    _doubted: set[str] = field(default_factory=set[str])
    _found: set[str] = field(default_factory=set[str])
    _looked: KeptByFunction[tuple[Slice, Outcome, list[_Distinct]]] = field(
        default_factory=lambda: KeptByFunction[tuple[Slice, Outcome, list[_Distinct]]](_MOST_LOOKED)
    )

    @property
    def busy(self) -> bool:
        """Whether ``work`` has something to do."""
        return bool(self._open or self._asked)

    def work(self, stop: Callable[[], bool]) -> set[str]:
        """One compile, ended as soon as somebody asks for something. The files of which more is known now."""
        try:
            if self._open:
                self._next(stop)
            else:
                self._look(self._asked.pop(next(iter(self._asked)))())
        except NoCompiler:
            self._open.clear()
            self._asked.clear()
        waiting: set[str] = {one.file for one in self._open.values()} | {file for file, _ in self._asked}
        done = self._found - waiting
        self._found -= done
        return done

    def _next(self, stop: Callable[[], bool]) -> None:
        key, open_ = next(iter(self._open.items()))
        verdict = self._noted(key) or self._verdict(open_.slice, open_.one, stop)
        if stop():
            return
        del self._open[key]
        self._keep(key, verdict)
        if verdict.text is not None:
            self._is_wrong(open_.file, open_.slice)

    def ask(self, file: str, qualname: str, asked: Callable[[], AskedKernel | None]) -> None:
        """Have a look at a kernel when nobody waits."""
        self._asked[file, qualname] = asked

    def ask_about(self, asked: AskedKernel) -> None:
        """The same, of one that is known."""
        self.ask(asked.subject.module.file, asked.function.qualname, lambda: asked)

    def doubts(self, file: str) -> bool:
        """Whether a launch in the file is known to be wrong about a kernel of another."""
        return file in self._doubted

    def is_fine(self, slice_: Slice) -> bool:
        """Whether nothing is wrong that is known of what configs and launches give a kernel."""
        return slice_.hash not in self._wrong

    def of_guest(self, asked: AskedKernel) -> list[Finding]:
        """About the launches in a file of a kernel that another file defines."""
        findings: list[Finding] = []
        every = sets_of(self.project, asked.subject, asked.function, asked.slice, asked.signatures[0])
        for one in self._distinct(every, asked.slice, asked.outcome)[:MOST]:
            verdict = self._known.get(one.key) or self._noted(one.key)
            if verdict is None and self.patient:
                verdict = self._verdict(asked.slice, one, lambda: False)
                self._keep(one.key, verdict)
            elif verdict is None:
                self._open[one.key] = _Open(asked.subject.module.file, asked.slice, one)
            if verdict is not None and verdict.text is not None:
                findings.append(_finding(self.project, asked.subject, asked.function, asked.slice, one.given, verdict))
        return findings

    def _look(self, asked: AskedKernel | None) -> None:
        """What is to be compiled for a kernel."""
        if asked is None:
            return
        whose = asked.function.file, asked.function.qualname, asked.subject.module.file
        key = id(asked.slice), id(asked.outcome), self.project.host_changes
        known = self._looked.get(whose, key)
        if known is None:
            base = compiled_with(asked.signatures[0], asked.outcome)
            every = sets_of(self.project, asked.subject, asked.function, asked.slice, base)
            known = asked.slice, asked.outcome, self._distinct(every, asked.slice, asked.outcome)[:MOST]
            self._looked.keep(whose, key, known)
        for one in known[2]:
            verdict = self._known.get(one.key)
            if verdict is None:
                self._open[one.key] = _Open(asked.subject.module.file, asked.slice, one)
            elif verdict.text is not None and asked.slice.hash not in self._wrong:
                # Else the analysis that asked has said so.
                self._is_wrong(asked.subject.module.file, asked.slice)

    def _is_wrong(self, file: str, slice_: Slice) -> None:
        """The next analysis of the file is to say so."""
        self._found.add(file)
        if all(function.file != file for function in slice_.functions[:1]):
            self._doubted.add(file)
        self._wrong[slice_.hash] = None
        if len(self._wrong) > _MOST_KNOWN:
            self._wrong.popitem(last=False)

    def forget(self, file: str) -> None:
        """What is still open of a file, of which there is another text now."""
        self._open = {key: one for key, one in self._open.items() if one.file != file}
        self._asked = {key: one for key, one in self._asked.items() if key[0] != file}

    def judged(
        self, subject: FileSubject, function: JitFunction, slice_: Slice, signatures: list[Signature], outcome: Outcome
    ) -> tuple[Outcome, list[Finding]]:
        """The outcome without the errors that are a config's or a launch's, and the findings about these."""
        failed = [p for p in outcome.facts.problems if p.code == "compile-error"]
        if not outcome.signatures and not failed:
            return outcome, []
        at_once = self.patient or bool(failed)
        if not at_once:
            asked = AskedKernel(subject, function, slice_, signatures, outcome)
            self.ask_about(asked)
            if slice_.hash not in self._wrong:
                # An edit does not even wait for what there is to be compiled.
                return outcome, []
        base = compiled_with(signatures[0], outcome)
        made: list[tuple[ValueSet, SetVerdict]] = []
        every = [*sets_of(self.project, subject, function, slice_, base)]
        # What launches in other files lead to is said there, and by itself no error of the kernel either.
        every += _elsewhere(self.project, subject, function, slice_, base) if failed else []
        for one in self._distinct(every, slice_, outcome)[:MOST]:
            verdict = self._known.get(one.key)
            if verdict is None and at_once:
                verdict = self._noted(one.key) or self._verdict(slice_, one, lambda: False)
                self._keep(one.key, verdict)
            if verdict is not None and verdict.text is not None:
                made.append((one.given, verdict))
        if failed:
            outcome, made = self._moved(slice_, base, outcome, made)
        own = [(given, v) for given, v in made if given.kind == "config" or given.file == subject.module.file]
        return outcome, [_finding(self.project, subject, function, slice_, given, verdict) for given, verdict in own]

    def _moved(
        self, slice_: Slice, base: Signature, outcome: Outcome, made: list[tuple[ValueSet, SetVerdict]]
    ) -> tuple[Outcome, list[tuple[ValueSet, SetVerdict]]]:
        """An error of the kernel that only what a set gives leads to is not the kernel's."""
        told = {_place(v.problem) for _, v in made if v.problem is not None}
        facts = outcome.facts
        if outcome.signatures:
            rest = [p for p in facts.problems if _place(p) not in told]
            return replace(outcome, facts=replace(facts, problems=rest)), made
        blamed = {name for _, v in made for name in v.names if type(base.constants.get(name)) is int}
        for extent in _EXTENTS if blamed else ():
            constants = {n: extent if n in blamed else value for n, value in base.constants.items()}
            guess = Evidence("use", "what is passed does not compile", False)
            evidence = {n: guess if n in blamed else e for n, e in base.evidence.items()}
            other = replace(base, constants=constants, evidence=evidence)
            found = Work(self.compiler(), slice_).outcome([other])
            if found.signatures:
                return found, made
        return outcome, [(given, v) for given, v in made if v.problem is None]

    def _distinct(self, given: Iterable[ValueSet], slice_: Slice, outcome: Outcome) -> list[_Distinct]:
        """Those that no signature has shown to compile; the same values may stand at several places."""
        shown = [_content(r.types, r.constants) for r in outcome.signatures]
        found: list[_Distinct] = []
        for one in given:
            report = signature_report(one.signature, slice_, 0.0, 0.0, 0)
            fine = _content(report.types, report.constants) in shown and not one.signature.launch.given
            if fine and not one.options:
                continue
            key = cache_key(slice_.hash, [one.signature], self.compiler().triton_version, self.options)
            compiled = f"{key}{one.kind}"
            options = "" if fine else "compile "
            options += repr(sorted(one.options.items()))
            found.append(_Distinct(hashlib.sha256(f"{compiled}{options}".encode()).hexdigest(), compiled, one, fine))
        return found

    def _verdict(self, slice_: Slice, one: _Distinct, stop: Callable[[], bool]) -> SetVerdict:
        compiler, given = self.compiler(), one.given
        told = compiler.refuses(given.options)
        if told is not None:
            names = [name for name in given.options if compiler.refuses({name: given.options[name]}) is not None]
            instead = [(n, number) for n in names if (number := power(given.options[n])) is not None]
            fine = [(n, number) for n, number in instead if compiler.refuses({n: number}) is None]
            return SetVerdict(told, None, tuple(names or given.options), tuple(fine))
        if one.compiles:
            return _FINE
        verdict = self._known.get(one.compiled)
        if verdict is None:
            verdict = self._compiled(slice_, given, stop)
            if not stop():
                self._remember(one.compiled, verdict)
        return verdict

    def _compiled(self, slice_: Slice, given: ValueSet, stop: Callable[[], bool]) -> SetVerdict:
        compiler = self.compiler()
        work = Work(compiler, slice_)
        with compiler.hurried(_SECONDS, stop):
            problem = work.certain_error(given.signature)
            if problem is None or given.kind == "config" and "static-assertion" in problem.kind.topics:
                # An autotuner passes over a config that an assertion is against.
                return _FINE
            if led_by_a_guess(work.blame.deciding(problem), given.signature):
                # What the text alone makes an error is one wherever it is reached; by this launch, perhaps it is not.
                return _FINE
            names = sorted(work.blame.behind(problem) & given.values.keys())
            if not names:
                return _FINE
            instead: list[tuple[str, int]] = []
            for name in names:
                number = power(given.values[name])
                if number is not None and work.problem(with_value(given.signature, name, number)) is None:
                    instead.append((name, number))
        return SetVerdict(problem.message, problem, tuple(names), tuple(instead))

    def _remember(self, key: str, verdict: SetVerdict) -> None:
        self._known[key] = verdict
        if len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)

    def _keep(self, key: str, verdict: SetVerdict) -> None:
        self._remember(key, verdict)
        if verdict.text is None:
            self.cache.note(key, "fine")

    def _noted(self, key: str) -> SetVerdict | None:
        """That it compiles, which another has found out."""
        if self.cache.noted(key) != "fine":
            return None
        self._remember(key, _FINE)
        return _FINE


def sets_of(
    project: Project, subject: FileSubject, function: JitFunction, slice_: Slice, base: Signature
) -> Iterator[ValueSet]:
    """What the configs of a kernel and its launches in its file set."""
    for known in (known for known in subject.stacks if known.function.node is function.node and known.tuners):
        yield from set_by_config.of_configs(project, known, slice_, base)
    rewritten = project.resolver.touches.rewritten
    for launch in subject.launches_of(function.node):
        if rewritten(subject.module) is None:
            given = set_by_config.of_launch(project, launch, slice_, base)
            if given is not None and (given.kind == "config" or launch.happens):
                yield given


def _elsewhere(
    project: Project, subject: FileSubject, function: JitFunction, slice_: Slice, base: Signature
) -> list[ValueSet]:
    """What the launches in sight set that stand in other files."""
    others = {launch.file for launch in project.launches_of(function)} - {subject.module.file}
    found: list[ValueSet] = []
    for file in sorted(others):
        of_file = sets_of(project, FileSubject(project, project.module(file)), function, slice_, base)
        found += [given for given in of_file if given.kind == "launch"]
    return found


def _finding(
    project: Project, subject: FileSubject, function: JitFunction, slice_: Slice, given: ValueSet, verdict: SetVerdict
) -> Finding:
    text, names, instead = verdict.text or "", verdict.names, dict(verdict.instead)
    found = config_compile_error.refused(subject, function, slice_, given, verdict.problem, text, names, instead)
    why = another_compiler(project.resolver, project.load(given.file))
    why = why or another_compiler(project.resolver, project.load(function.file))
    if why is None:
        return found
    # True of the installed Triton, which never gets to see the code.
    return replace(found, severity="information", message=f"{found.message}; {why}", fixes=())


def _content(types: object, constants: object) -> str:
    return json.dumps([types, constants], default=str)


def _place(problem: Problem) -> tuple[object, ...]:
    return problem.message, problem.at, problem.chain
