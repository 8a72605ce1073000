"""Runs blocks of the corpus on the GPU, several times each, and gathers what changed. Judges nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from corpus.pages import Case
from corpus.truth import Worker

HERE = Path(__file__).parent
ROUNDS = 3  # the first with the page's own poison, then with others
_LAUNCH = re.compile(r"^## (?P<case>\S+)\n\n```python\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_REASON = re.compile(r"^\| (?P<case>[\w-]+:\w+) \| (?P<reason>.*) \|$", re.MULTILINE)


@dataclass(slots=True)
class Observed:
    """What the launches of one block did: whether it changed, by (kernel, parameter, fact); or why there is no answer.

    The fact ``written`` speaks of a parameter's own buffer, ``table_written`` of those whose addresses are in it.
    """

    case: Case
    launches: int = 0
    changed: dict[tuple[str, str, str], bool] = field(default_factory=dict[tuple[str, str, str], bool])
    error: str | None = None


class Runner:
    """A worker that runs blocks. One that a kernel has failed in gives way to a new one."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "worker.log"
        self._worker: Worker | None = None
        text = (HERE / "launches.md").read_text(encoding="utf-8")
        self._launches = {found["case"]: found["text"] for found in _LAUNCH.finditer(text)}
        self.reasons = {found["case"]: found["reason"] for found in _REASON.finditer(text)}

    def can(self, case: Case) -> bool:
        """Whether there is something to run."""
        return case.run is not None or case.id in self._launches

    def run(self, case: Case, file: Path) -> Observed:
        """Runs a block whose text is in ``file``."""
        observed = Observed(case)
        text = self._launches.get(case.id, case.run)
        assert text is not None
        for seed in range(ROUNDS):
            if self._worker is None:
                self._worker = Worker(self._log, script=HERE / "gpu_worker.py")
            try:
                seeded = f"torch.manual_seed({seed})\n{text}"
                launches = self._worker.run(file, seeded, f"{case.page}.md", case.run_line - 1)
            except (AssertionError, BrokenPipeError) as error:
                observed.error = str(error)
                self.close()  # after a bad address nothing works any more in that process
                break
            for launch in launches:
                observed.launches += 1
                for name, changed in launch["buffers"].items():
                    fact = "table_written" if name.startswith("*") else "written"
                    key = (launch["kernel"], name.removeprefix("*").split("#")[0], fact)
                    observed.changed[key] = observed.changed.get(key, False) or changed
        return observed

    def close(self) -> None:
        """Ends the worker."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None
