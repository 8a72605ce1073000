"""Shows a program to an agent with some of its launches in sight, and holds what it says against the truth."""

from __future__ import annotations

import itertools
import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from corpus.agent_client import AgentError, Agents
from enumerated.program import Assignment, Program
from enumerated.truth import FACTS, Truth

Claims = dict[tuple[str, str], str]
_NO_SYNTAX = "unsupported AST node type"
"""What is said of syntax that this Triton has not, also where no launch gets there, and of a launch that does."""


@dataclass(frozen=True, slots=True)
class View:
    """A program with something in sight: ``nothing``, ``one`` launch, ``several``, ``defaults``."""

    name: str
    text: str


@dataclass(slots=True)
class Difference:
    """Something that is said and not so. ``kind``: ``wrong no``, ``wrong yes``, ``wrong error`` (``leaf`` is its line:
    what has a launch that compiles is no error), ``unknown`` (needless: the enumeration decides it). ``by``: an
    assignment that does what is denied."""

    kind: str
    view: View
    leaf: str
    fact: str
    reason: str = ""
    by: Assignment | None = None

    def __str__(self) -> str:
        by = f"; {self.by} does it" if self.by else ""
        reason = f" ({self.reason})" if self.reason else ""
        return f"{self.kind} with {self.view.name} in sight: {self.leaf} {self.fact}{reason}{by}"


@dataclass(slots=True)
class Tally:
    """Counts verdicts and what was wrong with them."""

    decided: int = 0
    unknown: list[str] = field(default_factory=list[str])

    @property
    def share(self) -> float:
        """Of what the enumeration decides, what is called unknown."""
        return len(self.unknown) / max(1, self.decided)


def views(program: Program, truth: Truth, seed: int) -> Iterator[View]:
    """The four, launches chosen by ``seed``."""
    chosen = random.Random(seed)
    yield View("one", program.shown([chosen.choice(truth.valid)]))
    several = chosen.sample(truth.valid, min(len(truth.valid), chosen.randint(2, 3)))
    yield View("several", program.shown(several))
    defaults = program.with_defaults(chosen.choice(truth.valid))
    if defaults is not None:
        yield View("defaults", defaults)
    yield View("nothing", program.shown([]))


def every_view(program: Program, truth: Truth, most: int) -> Iterator[View]:
    """Launches alone (``most`` of them, the first and the last included), neighbours of these in pairs, one
    assignment's defaults, nothing."""
    last = len(truth.valid) - 1
    launches = [truth.valid[index] for index in sorted({last * turn // (most - 1) for turn in range(most)})]
    for launch in launches:
        yield View("one", program.shown([launch]))
    for pair in itertools.pairwise(launches):
        yield View("several", program.shown(list(pair)))
    defaults = program.with_defaults(launches[0])
    if defaults is not None:
        yield View("defaults", defaults)
    yield View("nothing", program.shown([]))


class Product:
    """What the agent says of files, each in a folder of its own that is gone afterwards."""

    def __init__(self, root: Path, logs: Path) -> None:
        self._agents = Agents(root, logs)
        self._count = 0

    def claims(self, program: Program, view: View) -> tuple[Claims, dict[str, str], list[Difference]]:
        """The verdicts on the kernel and (``helper.p``) its helpers, the reasons of what is unknown, by leaf, and
        what is said to be an error.

        Raises AgentError."""
        self._count += 1
        folder = self._agents.root / f"p{self._count}"
        folder.mkdir()
        files = [folder / name for name in (*program.files, "program.py")]
        agent = self._agents.get()
        try:
            for name, text in {**program.files, "program.py": view.text}.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text, encoding="utf-8")
            agent.changed(files)  # as an editor would
            analysis = agent.analyze(folder / "program.py")
        finally:
            shutil.rmtree(folder)
        agent.changed(files)
        reports = analysis.reports
        if not any(report["name"] == program.kernel for report in reports):
            raise AgentError(f"no report on {program.kernel}")
        claims: Claims = {}
        positions = program.positions
        reasons: dict[str, str] = {}
        for report in reports:
            own = "" if report["name"] == program.kernel else f"{report['name']}."
            problems = "; ".join(problem["message"] for problem in report["problems"])
            for parameter in report["parameters"]:
                name: str = parameter["name"]
                leaf = own + name if own else positions.get(name, name)
                reasons[leaf] = problems if report["status"] == "failed" else parameter["reason"] or ""
                claims.update({(leaf, fact): parameter[fact] for fact in FACTS})
        errors = [
            Difference("wrong error", view, f"line {found['span']['line']}", found["code"], found["message"])
            for found in analysis.findings
            if found["severity"] == "error" and _NO_SYNTAX not in found["message"]
        ]
        return claims, reasons, errors

    def close(self) -> None:
        """Ends the agent."""
        self._agents.close()


def differences(program: Program, truth: Truth, view: View, product: Product, tally: Tally) -> list[Difference]:
    """What is wrong with the verdicts on one view; counts what the enumeration decides."""
    claims, reasons, errors = product.claims(program, view)
    found = errors if view.name != "nothing" or _compiles_by_default(program, truth) else []
    for (leaf, fact), claim in claims.items():
        if "." in leaf:  # what else a helper may do, other callers decide
            by = truth.helped.get((leaf, fact))
            found += [Difference("wrong no", view, leaf, fact, by=by)] if claim == "no" and by is not None else []
            continue
        by = truth.possible.get((leaf, fact))
        never = (leaf, fact) not in truth.conceivable
        reason = reasons.get(leaf, "")
        if by is None and not never:
            continue  # the enumeration doesn't know either
        tally.decided += 1
        if claim == "no" and by is not None:
            found.append(Difference("wrong no", view, leaf, fact, by=by))
        elif claim == "yes" and never:
            found.append(Difference("wrong yes", view, leaf, fact))
        elif claim == "unknown":
            found.append(Difference("unknown", view, leaf, fact, reason))
            tally.unknown.append(reason)
    return found


def _compiles_by_default(program: Program, truth: Truth) -> bool:
    """Whether some launch compiles that leaves out what it need not pass: where none does, the defaults are wrong."""
    names = [knob.name for knob in program.knobs if "default" in knob.ways]
    return any(all(launch[name] == "default" for name in names) for launch in truth.valid)
