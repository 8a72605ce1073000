"""Random edits of workspaces whose files say something of each other's kernels, in the editor and on disk: what a
project says that has seen them all is what one says that never saw another text. Set ``TRITON_LS_HOST_MODULES`` for
more."""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from edited_workspaces import CONSTANTS, OBJECTS

from kernel_analysis.agent.file.function_jobs import jobs_of
from kernel_analysis.agent.file.inference import Inference
from kernel_analysis.attempt.signature_text import signature_report
from kernel_analysis.kernels.project import Project

pytest.importorskip("triton")

SESSIONS = int(os.environ.get("TRITON_LS_HOST_MODULES", "200")) // 4
EDITS = 8
_MOMENTS = itertools.count(1_700_000_000 * 10**9, 10**9)
WORKSPACES = {"constants": CONSTANTS, "objects": OBJECTS}


class Watched:
    """A project, told of edits as an agent is."""

    def __init__(self, root: Path) -> None:
        self.project = Project([str(root)], [])
        self.inference = Inference(self.project)

    def told(self, file: str, text: str | None, edited: bool) -> None:
        self.project.elsewhere.touched(file)
        if edited:
            self.project.set_text(file, text)
        self.project.changed([file])

    def settle(self) -> None:
        """As an agent does while nobody waits."""
        while self.project.elsewhere.busy:
            self.project.elsewhere.work()

    def says(self, files: Sequence[str]) -> dict[str, object]:
        """Of each function, what is compiled for it, with what, and why it may be something else."""
        found: dict[str, object] = {}
        for file in files:
            self.project.elsewhere.catch_up(file)
            module = self.project.module(file)
            self.project.functions(module)
            for job in jobs_of(self.project, module, patient=False):
                place = f"{file}:{job.function.qualname}:{job.function.node.lineno}"
                if job.slice is None:
                    found[place] = job.error
                    continue
                reports = [
                    signature_report(one, job.slice, 0.0, 0.0, 0)
                    for one in self.inference.signatures(module, job, job.slice)
                ]
                told = [(report.types, report.constants, report.evidence) for report in reports]
                varies = [one.varies for one in job.slice.functions]
                found[place] = (job.role, job.slice.hash, str(varies), str(told))
        return found


@pytest.mark.generated
@pytest.mark.parametrize("seed", range(SESSIONS))
@pytest.mark.parametrize("name", WORKSPACES)
def test_what_is_said_is_of_the_texts_as_they_are(name: str, seed: int, tmp_path: Path) -> None:
    chance, workspace = random.Random(f"{name} {seed}"), WORKSPACES[name]
    edited = {file for file in workspace if chance.random() < 0.5}
    texts = {
        file: every[0 if chance.random() < 0.5 else chance.randrange(len(every))] for file, every in workspace.items()
    }
    for file, text in texts.items():
        _write(tmp_path / file, text)
    watched, log = _told_of_all(tmp_path, texts, edited), list[str]()
    for _ in range(EDITS):
        here = [str(tmp_path / file) for file, text in texts.items() if text is not None]
        asked = chance.sample(here, len(here))
        if chance.random() < 0.8:
            fresh = _told_of_all(tmp_path, texts, edited)
            said, expected = [_settled(one, asked) for one in (watched, fresh)]
            assert said == expected, log
        file = chance.choice([*workspace])
        texts[file] = chance.choice(workspace[file])
        log.append(f"{file} becomes {texts[file]!r}")
        _write(tmp_path / file, texts[file])
        watched.told(str(tmp_path / file), texts[file], file in edited)
        if chance.random() < 0.5:
            watched.says(asked[:1])  # an answer that nobody waited for


def _told_of_all(root: Path, texts: dict[str, str | None], edited: set[str]) -> Watched:
    watched = Watched(root)
    for file in sorted(edited):
        if texts[file] is not None:
            watched.told(str(root / file), texts[file], edited=True)
    return watched


def _settled(watched: Watched, files: Sequence[str]) -> dict[str, object]:
    """At rest: launches in other files are looked for once a kernel was asked about."""
    watched.settle()
    watched.says(files)
    watched.settle()
    return watched.says(files)


def _write(path: Path, text: str | None) -> None:
    if text is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    # A file system may not tell two writes of one moment apart; people are slower.
    now = next(_MOMENTS)
    os.utime(path, ns=(now, now))
