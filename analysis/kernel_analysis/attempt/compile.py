"""One function -> its Outcome: signatures, the compiler, other signatures where one fails, facts joined over all that
compiled.

Bounded in compiles and time. Knows nothing of files, reports or the wire.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from kernel_analysis.attempt import integer_values
from kernel_analysis.attempt.fault.blame import Blame
from kernel_analysis.attempt.fault.fails_for_all_types import fails_for_every, same_failure
from kernel_analysis.attempt.fault.known_extents import KnownExtents
from kernel_analysis.attempt.fault.passed_together import is_passed
from kernel_analysis.attempt.fault.recursion_cycle import cycle_of
from kernel_analysis.attempt.first_facts import early
from kernel_analysis.attempt.outcome import GIVEN_UP, Outcome, problems_of, stopped
from kernel_analysis.attempt.repairs.bound_otherwise import bound, otherwise
from kernel_analysis.attempt.repairs.repair import Repair, carried, repaired
from kernel_analysis.attempt.signature_text import signature_report
from kernel_analysis.dataflow import Compile, CompileTrace, OpenNo, Proof, Way, analyze, join
from kernel_analysis.facts import Facts, Problem
from kernel_analysis.ir import Assigned, Ir
from kernel_analysis.lowering import Compiler, Lowered
from kernel_analysis.report import SignatureReport
from kernel_analysis.signature.launches.launch_options import matters, of_target, others, targeted, targets_alike
from kernel_analysis.signature.signature_model import Signature
from kernel_analysis.signature.variants.passed import same_compile
from kernel_analysis.signature.variants.reaching import Reaching
from kernel_analysis.signature.variants.variants import TO_REACH
from kernel_analysis.source.slice import Slice

# For one function; the server's own limit (10 s) kills the agent, these end well before it with what is known by then.
_MOST_COMPILES = 24
_MOST_SECONDS = 4.0
_MOST_FURTHER = 6
# What comes later than this is late for somebody who looks.
_MOMENT_MS = 100.0


@dataclass(slots=True)
class Work:
    """The state of compiling one function."""

    compiler: Compiler
    slice: Slice
    # Told of what the first signature says, where the others will take a while.
    early: Callable[[Outcome], None] | None = None
    started: float = field(default_factory=time.process_time)
    compiles: int = 0
    # Ended by the clock: on a less busy machine there is more to find.
    cut_short: bool = False
    further: int = 0
    _tried: set[object] = field(default_factory=set[object])
    _later: list[Signature] = field(default_factory=list[Signature])
    _together: list[Signature] = field(default_factory=list[Signature])
    _repairs: list[Repair] = field(default_factory=list[Repair])
    _bound: dict[object, Slice] = field(default_factory=dict[object, Slice])
    # What did not compile with names of the host's code as they are likely to be, and did otherwise.
    _unlikely: list[tuple[Signature, Problem]] = field(default_factory=list[tuple[Signature, Problem]])
    # A signature that was made to reach something, and what it compiled as.
    _mended: tuple[Signature, Signature] | None = None
    # The signature under another target, where what the usual one lacks is not what goes wrong.
    _nearest: tuple[Signature, Problem] | None = None
    _lowered: list[Ir] = field(default_factory=list[Ir])
    blame: Blame = field(init=False)
    proof: Proof = field(init=False)
    _reaching: Reaching = field(init=False)

    def __post_init__(self) -> None:
        self._reaching = Reaching(self.slice)
        self.blame = Blame(self.slice)
        self.proof = Proof(self.slice, self.compiler.missing(self.slice))

    def outcome(self, signatures: list[Signature]) -> Outcome:
        """What comes out under all of them; ends the work."""
        facts: list[Facts] = []
        compiles: list[Compile] = []
        reports: list[SignatureReport] = []
        failures: list[tuple[Signature, Problem]] = []
        left = 0
        until_then: tuple[list[Assigned], Signature | None] = [], None
        self._later = [signature for signature in signatures if signature.later]
        self._together = integer_values.as_launched(self.slice, [s for s in signatures if s.launches])
        signatures = [signature for signature in signatures if not signature.later]
        first: Signature | None = None
        for number, signature in enumerate(signatures):
            if number and self._spent():
                left = len(signatures) - number
                break
            if first is not None:
                signature = carried(signature, signatures[0], first)
            used, lowered = self._lower(signature)
            if not number and lowered.ir is not None:
                first = used
            if lowered.ir is None:
                assert lowered.problem is not None
                failures.append((used, lowered.problem))
                until_then = until_then if until_then[0] else (lowered.assigned, used)
                if lowered.problem.code == "recursion" and self._is_certain(lowered.problem, used):
                    break
                if not facts and number + 1 == len(signatures):
                    # Perhaps no launch is like the likeliest: those that are in sight, as they stand.
                    signatures += self._later
                    self._later = []
                continue
            before = time.perf_counter()
            facts.append(analyze(lowered.ir, self.slice, used))
            compiles.append(Compile(used, CompileTrace.of(lowered.ir)))
            spent = (time.perf_counter() - before) * 1000 + lowered.read_ms
            reports.append(signature_report(used, self.slice, lowered.compile_ms, spent, lowered.ir.operations))
            rest = (len(signatures) - number - 1) * (lowered.compile_ms + spent)
            if self.early is not None and len(facts) == 1 and rest > _MOMENT_MS:
                self.early(Outcome(early(facts[0], self.proof, compiles), list(reports), dict(signatures[0].types)))
        # Up to where the first signature failed, each line means what it means.
        joined = join(facts) if facts else Facts(values=until_then[0])
        if facts:
            before = time.perf_counter()
            questions = self.proof.withhold(joined, compiles)
            while questions:
                learnt = self.proof.learnt
                if (more := self._further(questions, compiles)) is not None:
                    reports[-1] = reports[-1].longer((time.perf_counter() - before - more[3]) * 1000)
                    facts.append(more[0])
                    compiles.append(more[1])
                    reports.append(more[2])
                    before = time.perf_counter()
                elif self.proof.learnt == learnt:
                    break
                joined = join(facts)
                questions = self.proof.withhold(joined, compiles)
            # What is proven of all signatures is part of what the last of them costs.
            reports[-1] = reports[-1].longer((time.perf_counter() - before) * 1000)
        if joined.recursion is None:
            certain = [problem for used, problem in failures if self._is_certain(problem, used)]
            joined.recursion = next(filter(None, (cycle_of(problem, self.slice) for problem in certain)), None)
        if failures and not facts:
            failures[0] = failures[0][0], self._of_every(*failures[0])
        joined.problems += problems_of(failures, joined, bool(facts), self.blame, self._is_passed)
        joined.problems += problems_of(self._unlikely, joined, False, self.blame, self._is_passed)
        if left:
            joined.problems.append(stopped(left))
        for function in (function for ir in self._lowered for function in ir.functions.values()):
            function.let_go()
        failed = None if facts or until_then[1] is None else signature_report(until_then[1], self.slice, 0.0, 0.0, 0)
        return Outcome(joined, reports, dict(signatures[0].types) if signatures else {}, failed)

    def _further(
        self, questions: list[OpenNo], compiles: list[Compile]
    ) -> tuple[Facts, Compile, SignatureReport, float] | None:
        """Compile what no signature has shown yet and the text could do, with the seconds that this took; None when
        there is nothing more to try."""
        known = [compile.signature for compile in compiles]
        while self._later and not self._spent():
            # What launches in sight pass together, before what nobody is known to pass.
            signature = self._later.pop(0)
            if (more := self._shown(signature, known)) is not None:
                return more
        for question in questions:
            for wanted in self.proof.ways(question):
                key = tuple(wanted)
                if key in self._tried:
                    continue
                if self._spent() or self.further >= _MOST_FURTHER:
                    return None
                self._tried.add(key)
                before = self.compiles
                signature = self._reaching.signature(known, wanted)
                more = None if signature is None else self._shown(signature, known, key)
                self.further += self.compiles - before
                if more is not None:
                    return more
        return None

    def _shown(
        self, signature: Signature, known: list[Signature], wanted: Way = ()
    ) -> tuple[Facts, Compile, SignatureReport, float] | None:
        """What a signature shows; None where it does not compile, or was compiled. ``wanted``: the way that it was made
        for; it is mended with other guesses, where it does not compile."""
        if wanted and self._mended is not None:
            signature = carried(signature, *self._mended)
        if any(same_compile(signature, other) for other in known):
            return None
        started = time.perf_counter()
        lowered = self._once(signature)
        if wanted:
            signature, lowered = self._mend(signature, lowered, known)
        if lowered.ir is None:
            if wanted and lowered.problem is not None:
                self.proof.failed[wanted] = self.blame.fair(lowered.problem, signature, True)
            return None
        before = time.perf_counter()
        facts = analyze(lowered.ir, self.slice, signature)
        spent = (time.perf_counter() - before) * 1000 + lowered.read_ms
        report = signature_report(signature, self.slice, lowered.compile_ms, spent, lowered.ir.operations)
        return facts, Compile(signature, CompileTrace.of(lowered.ir)), report, time.perf_counter() - started

    def _mend(self, signature: Signature, failed: Lowered, known: list[Signature]) -> tuple[Signature, Lowered]:
        """With other guesses than those that a signature was made for, as long as there are compiles left for that."""
        problem = failed.problem
        if problem is None or self.blame.is_certain(problem, signature):
            return signature, failed
        # (What those that it was made of were made for is none of it.)
        before = {id(evidence) for other in known for evidence in other.evidence.values()}
        wanted = [n for n, e in signature.evidence.items() if e.detail == TO_REACH and id(e) not in before]
        most = self.compiles + _MOST_FURTHER - self.further - 1

        def again(other: Signature) -> tuple[Signature, Lowered] | Problem:
            if self._spent() or self.compiles >= most:
                return GIVEN_UP
            if any(other.evidence[name] is not signature.evidence[name] for name in wanted):
                return problem
            attempt = self._once(other)
            return attempt.problem or (other, attempt)

        found = repaired(self.slice, signature, problem, again)
        if found is None:
            return signature, failed
        self._mended = signature, found[0]
        return found

    def problem(self, signature: Signature) -> Problem | None:
        """What goes wrong under a signature as it is; the end of the time is no way to know that nothing does."""
        return GIVEN_UP if self._spent() else self._passed(signature)[1].problem

    def certain_error(self, signature: Signature) -> Problem | None:
        """What goes wrong under a signature as it is, if that is the fault of what the user wrote."""
        problem = self.problem(signature)
        if problem is None or problem.code != "compile-error" or self.blame.chosen(problem, signature):
            return None
        if self.blame.is_certain(problem, signature):
            return problem
        return found if (found := self._of_every(signature, problem)) is not problem else None

    def first(self, signatures: list[Signature]) -> tuple[Signature, Lowered]:
        """The first signature that compiles; the first failure when none does."""
        failed: tuple[Signature, Lowered] | None = None
        for signature in signatures:
            attempt = self._lower(signature)
            if attempt[1].ir is not None:
                return attempt
            failed = failed or attempt
        assert failed is not None
        return failed

    def _lower(self, signature: Signature) -> tuple[Signature, Lowered]:
        """Under ``signature``, or under the first repair of its guesses that compiles; the first failure when none
        does. A certain error that only another guess led to is the user's after all."""
        self._nearest = None
        signature, lowered = self._passed(signature)
        if lowered.problem is not None:
            signature = self.blame.opened(lowered.problem, signature)
        if lowered.problem is None or self.blame.is_certain(lowered.problem, signature):
            return signature, lowered
        if matters(lowered.problem, signature, self.slice):
            signature, lowered = self._otherwise(signature, lowered, lowered.problem)
            if lowered.problem is None or self.blame.is_certain(lowered.problem, signature):
                return signature, lowered
        blamed: list[tuple[Signature, Lowered]] = []
        # What is amended under a target that has what the usual one lacks is the rest; nobody is blamed for that.
        nearest = self._nearest if "target" in lowered.problem.kind.topics else None

        def again(other: Signature) -> tuple[Signature, Lowered] | Problem:
            if self._spent():
                return GIVEN_UP
            attempt = self._once(other)
            wrong = attempt.problem
            if wrong is not None and "target" in wrong.kind.topics and of_target(wrong, other, self.slice):
                # Only of what the target lacks: each of the others costs a compile.
                other, attempt = self._targeted(other, attempt, wrong)
            if attempt.problem is None:
                return other, attempt
            if nearest is None and self.blame.is_certain(attempt.problem, other):
                blamed.append((other, attempt))
            return attempt.problem

        wrong = nearest or (signature, lowered.problem)
        found = repaired(self.slice, *wrong, again, self._repairs) or next(iter(blamed), None)
        return found or self._bound_otherwise(signature, lowered.problem) or (signature, lowered)

    def _bound_otherwise(self, signature: Signature, problem: Problem) -> tuple[Signature, Lowered] | None:
        """With names that the problem depends on as something else than they are likely to be, where that compiles."""
        for other in otherwise(self.slice, signature, self.blame.varying(problem)):
            found = self._lower(other) if not self._spent() else None
            if found is not None and found[1].problem is None:
                self._unlikely.append((signature, problem))
                return found
        return None

    def _otherwise(self, signature: Signature, failed: Lowered, problem: Problem) -> tuple[Signature, Lowered]:
        """Launched in another way, where that goes further."""
        if of_target(problem, signature, self.slice):
            signature, failed = self._targeted(signature, failed, problem)
            if not signature.launch.any_target:
                return signature, failed
        for other in others(problem, signature, self.slice, self.compiler.target):
            if self._spent():
                break
            attempt = self._once(other)
            if attempt.problem is None or attempt.problem.message != problem.message:
                return other, attempt
        return signature, failed

    def _targeted(self, signature: Signature, failed: Lowered, problem: Problem) -> tuple[Signature, Lowered]:
        """For the target that it is written for; where it fails alike for all, that is not why."""
        alike = True
        for other in targeted(signature, self.compiler.target):
            if self._spent():
                return signature, failed
            attempt = self._once(other)
            if attempt.problem is None:
                return other, attempt
            alike = alike and (attempt.problem.message, attempt.problem.at) == (problem.message, problem.at)
            same_kind = targets_alike(other.launch.target, self.compiler.target)
            if self._nearest is None and same_kind and "target" not in attempt.problem.kind.topics:
                self._nearest = other, attempt.problem
        if alike:
            signature = replace(signature, launch=replace(signature.launch, any_target=True))
        return signature, failed

    def _passed(self, signature: Signature) -> tuple[Signature, Lowered]:
        """Under a signature; where that fails, with its integers as Triton compiles them for what is passed, or may."""
        lowered = self._once(signature)
        ones = integer_values.as_constants(self.slice, signature) if lowered.problem is not None else None
        attempt = lowered if ones is None else self._once(ones)
        if ones is not None and (attempt.problem is None or integer_values.are_all_ones(signature, ones)):
            signature, lowered = ones, attempt
        if lowered.problem is None:
            return signature, lowered
        guesses = self.blame.guesses_behind(lowered.problem, signature)
        sizes = integer_values.of_any_size(signature, guesses)
        if not {*guesses} <= integer_values.owners(sizes) or not sizes or lowered.problem.certain:
            return signature, lowered
        stands = "static-assertion" not in lowered.problem.kind.topics or len(sizes) <= integer_values.MOST_ALONE
        for other in integer_values.otherwise(self.slice, signature, sizes):
            if self._spent():
                return signature, lowered
            attempt = self._once(other)
            if attempt.problem is None and "compile-time" not in lowered.problem.kind.topics:
                return integer_values.said(other, sizes), attempt
            # (What must be a constant, and is one where a launch happens to pass 1, is hardly meant so.)
            stands = stands and self._stands(lowered.problem, attempt.problem, other)
        return (integer_values.settled(signature, sizes) if stands else signature), lowered

    def _stands(self, problem: Problem, wrong: Problem | None, signature: Signature) -> bool:
        """Whether what passes something else fails in the same way, or is the user's fault, too."""
        if wrong is None or integer_values.is_of_bools(signature):
            return wrong is not None
        return same_failure(wrong, problem) or self.blame.is_certain(wrong, signature)

    def _once(self, signature: Signature) -> Lowered:
        self.compiles += 1
        if signature.bound not in self._bound:
            self._bound[signature.bound] = bound(self.slice, signature)
        lowered = self.compiler.lower(self._bound[signature.bound], signature)
        if lowered.ir is not None:
            self._lowered.append(lowered.ir)
        if lowered.problem is not None:
            if "removed" in lowered.problem.kind.topics:
                self.proof.refused.add(lowered.problem.at)
            lowered.problem = self.blame.understood(lowered.problem, signature)
        return lowered

    def _is_certain(self, problem: Problem, signature: Signature) -> bool:
        """Whether the problem is the user's: no other signature could make it go away, and launches pass this one."""
        return self.blame.is_certain(problem, signature) and self._is_passed(problem, signature)

    def _is_passed(self, problem: Problem, signature: Signature) -> bool:
        met = self.blame.is_always_met(problem)
        return met or is_passed(problem, signature, self._together, self.blame, self.slice, self._wrong)

    def _spent(self) -> bool:
        # Processor time: how much of a kernel is analysed should not depend on what else the machine does.
        late = time.process_time() - self.started > _MOST_SECONDS
        self.cut_short = self.cut_short or late
        return late or self.compiles >= _MOST_COMPILES

    def _of_every(self, signature: Signature, problem: Problem) -> Problem:
        """The problem; a certain one, where it is there whatever a launch passes."""
        blame = self.blame
        if blame.is_certain(problem, signature) or blame.chosen(problem, signature) or blame.varying(problem):
            return problem
        guesses, tests = blame.guesses_behind(problem, signature), blame.deciding(problem)
        sizes = integer_values.of_any_size(signature, guesses)
        guesses = [name for name in guesses if name not in sizes and not signature.evidence[name].certain]
        of_block, is_extent = blame.lacks_of_block(problem), KnownExtents(self.slice, signature).only
        certain = fails_for_every(problem, signature, guesses, tests, of_block, is_extent, self._wrong) and all(
            self._stands(problem, self._wrong(other), other)
            for other in integer_values.otherwise(self.slice, signature, sizes)
        )
        return replace(problem, certain=True, tried=blame.of_blocks(problem)) if certain else problem

    def _wrong(self, signature: Signature) -> Problem | None:
        """What goes wrong under a signature, as long as there is time: what fails, fails soon."""
        return GIVEN_UP if time.process_time() - self.started > _MOST_SECONDS else self._once(signature).problem
