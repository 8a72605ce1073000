"""``make test-gpu``: what the corpus's kernels write when they run on this machine's GPU, against what the pages claim
and what the analysis reports under the installed Triton.

Exit status: 1 where something changed that was said not to, or a block could not be run and ``launches.md`` doesn't say
why; 2 without a GPU. A write that is claimed and never changes anything is only listed: it may write what was there.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn, TypeAlias

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from corpus.agent_client import Agent, AgentError, Agents
from corpus.expected import parse
from corpus.pages import Case, read_all
from gpu.observed import Observed, Runner

Say: TypeAlias = Callable[[str, str, str], str]
"""(kernel, parameter, fact) -> yes, no or unknown; anything else says why there is no verdict."""


@dataclass(slots=True)
class Score:
    """How what somebody says compares with what ran. ``false``: it changed, and they say no."""

    who: str
    counts: Counter[tuple[str, bool]] = field(default_factory=Counter[tuple[str, bool]])
    false: list[str] = field(default_factory=list[str])
    unseen: list[str] = field(default_factory=list[str])
    silent: list[str] = field(default_factory=list[str])

    def add(self, observed: Observed, say: Say, reason: str) -> None:
        """Compares one block. ``reason``: why not all of its writes can be seen."""
        for (kernel, parameter, fact), changed in observed.changed.items():
            verdict = say(kernel, parameter, fact)
            self.counts[verdict, changed] += 1
            what = f"{observed.case.id}: {kernel}({parameter}){' through the table' * (fact == 'table_written')}"
            if verdict not in ("yes", "no", "unknown"):
                self.silent.append(f"{what}: {verdict}")
            elif changed and verdict == "no":
                self.false.append(what)
            elif verdict == "yes" and not changed:
                self.unseen.append(what + reason)

    def print(self) -> None:
        """Prints the figures and every difference."""
        count = self.counts
        print(f"\n{self.who}: {count['yes', True] + count['no', False]} of {count.total()} verdicts agree")
        print(f"  written, and it changed: {count['yes', True]}; not written, and it did not: {count['no', False]}")
        print(f"  unknown, and it changed: {count['unknown', True]}; or did not: {count['unknown', False]}")
        _print("it CHANGED and is said not to be written", self.false)
        _print("said to be written, and it never changed", self.unseen)
        _print("nothing is said", self.silent)


def _print(title: str, lines: list[str]) -> None:
    print(f"  {title}: {len(lines)}", *lines, sep="\n    ")


def _refuse(sentence: str) -> NoReturn:
    print(f"make test-gpu: {sentence} Nothing was tested.", file=sys.stderr)
    raise SystemExit(2)


def _gpu() -> str:
    """This machine's GPU as a target, like ``cuda:90``; ends with a sentence where there is none that will do."""
    for name in ("torch", "numpy", "triton"):
        if not find_spec(name):
            _refuse(f"kernels are run with PyTorch, numpy and Triton, and {sys.executable} has no {name}.")
    import torch  # only here: without it there is still a sentence to say

    if not torch.cuda.is_available():
        _refuse("this needs a GPU, and PyTorch sees none on this machine.")
    name = torch.cuda.get_device_name()
    major, minor = torch.cuda.get_device_capability()
    if torch.version.hip or major < 9:
        _refuse(f"the pages speak of NVIDIA GPUs of compute capability 9.0 and more, and {name} is none.")
    print(f"{name}, Triton {version('triton')}, PyTorch {torch.__version__}")
    return f"cuda:{major}{minor}"


def _page(case: Case) -> Say:
    claims = {function.name: function for function in parse(case.source).functions}

    def say(kernel: str, parameter: str, fact: str) -> str:
        return claims[kernel].verdict(parameter, fact) if kernel in claims else "the page claims nothing of this kernel"

    return say


def _tool(agent: Agent, file: Path) -> Say:
    try:
        reports = {report["name"]: report for report in agent.analyze(file).reports}
        failure = "not reported"
    except AgentError as error:
        reports, failure = {}, str(error).splitlines()[0]

    def say(kernel: str, parameter: str, fact: str) -> str:
        for reported in reports[kernel]["parameters"] if kernel in reports else ():
            if reported["name"] == parameter:
                return reported[fact]
        return failure

    return say


def main() -> int:
    """Runs everything, prints the figures; the exit status."""
    target = _gpu()
    triton = version("triton")
    pages, tool = Score("the pages"), Score(f"triton-ls under Triton {triton} for {target}")
    blocks = launches = 0
    kernels: set[tuple[str, str]] = set()
    skipped: Counter[str] = Counter()
    errors: list[str] = []
    refused: list[str] = []
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory).resolve()
        runner, agents = Runner(root), Agents(root / "blocks", root)
        try:
            for case in read_all():
                if not case.holds_for(triton):
                    skipped["not for this Triton"] += 1
                elif not case.target.startswith("cuda:9"):
                    skipped["for another target"] += 1
                elif not runner.can(case):
                    skipped["nothing to run"] += 1
                else:
                    # A directory of its own, so that no block sees the launches and helpers of another.
                    folder = root / "blocks" / case.id.replace(":", "-")
                    for name, text in {**case.files, f"{case.name}.py": case.source}.items():
                        (folder / name).parent.mkdir(parents=True, exist_ok=True)
                        (folder / name).write_text(text, encoding="utf-8")
                    observed = runner.run(case, folder / f"{case.name}.py")
                    reason = f" ({runner.reasons[case.id]})" if case.id in runner.reasons else ""
                    if observed.error is not None and reason:
                        refused.append(case.id + reason)
                        continue
                    if observed.error is not None:
                        errors.append(f"{case.id}: {observed.error.splitlines()[0]}")
                        print(f"\n{case.id} could not be run:\n{observed.error}", flush=True)
                        continue
                    blocks += 1
                    launches += observed.launches
                    kernels |= {(case.id, kernel) for kernel, _, _ in observed.changed}
                    pages.add(observed, _page(case), reason)
                    tool.add(observed, _tool(agents.get(target), folder / f"{case.name}.py"), reason)
        finally:
            runner.close()
            agents.close()
    print(f"\n{blocks} blocks, {len(kernels)} kernels, {launches} launches; ", end="")
    print("skipped:", ", ".join(f"{count} {reason}" for reason, count in skipped.items()) or "none")
    _print("refused by the compiler, as was known", refused)
    _print("could not be run", errors)
    pages.print()
    tool.print()
    return 1 if errors or pages.false or tool.false else 0


if __name__ == "__main__":
    sys.exit(main())
