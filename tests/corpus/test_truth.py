"""Every claim that Triton's interpreter can check is checked by running the kernel on poisoned buffers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from corpus.expected import parse
from corpus.pages import HERE, Case, read_all
from corpus.truth import NoTruth, Worker, contradictions

CASES = [case for case in read_all() if case.runs]


@pytest.fixture(scope="module")
def worker_for(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[bool], Worker]]:
    """One worker for blocks of the newest Triton and one for those of an older one."""
    workers: dict[bool, Worker] = {}

    def get(older: bool) -> Worker:
        if older not in workers:
            try:
                workers[older] = Worker(tmp_path_factory.mktemp("log") / "worker.log", older)
            except NoTruth as error:
                pytest.skip(f"kernels can't be run here: {error}")
        return workers[older]

    yield get
    for worker in workers.values():
        worker.close()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
@pytest.mark.slow("the first that needs it imports torch")
def test_execution(case: Case, worker_for: Callable[[bool], Worker], tmp_path: Path) -> None:
    worker = worker_for(not case.holds_for("3.9.0"))
    for name, text in {**case.files, f"{case.name}.py": case.source}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert case.run is not None
    page = str(HERE / f"{case.page}.md")
    launches = worker.run(tmp_path / f"{case.name}.py", case.run, page, case.run_line)
    assert launches, f"{page}:{case.run_line}: this run block runs nothing"
    wrong = contradictions(parse(case.source), launches)
    assert not wrong, f"{page}, block at line {case.line}:\n  " + "\n  ".join(wrong)
