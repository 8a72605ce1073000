"""Where PyTorch's ``identify_accessed_tensors`` and our claims differ on the corpus, and the table of that.

``python tests/differential/differences.py`` writes the table anew and keeps the reasons; new rows come without one,
and the test fails until somebody has written it. Knows nothing of the analysis: the claims are the corpus's, which
other tests hold against it and against execution.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from corpus.expected import Expected, parse
from corpus.pages import Case, read_all
from corpus.truth import OLDER, Worker

TABLE = Path(__file__).with_name("differences.md")
HEADER = "| kernel | PyTorch 2.13 | why triton-ls is right |\n| --- | --- | --- |\n"


@dataclass(frozen=True, slots=True)
class Difference:
    kernel: str
    what: str


def cases() -> list[Case]:
    """The blocks that PyTorch can be asked about: those with a launch, for NVIDIA, on the Triton that belongs to it."""
    return [case for case in read_all() if case.run and case.holds_for(OLDER) and case.target.startswith("cuda:90")]


def write_files(case: Case, folder: Path) -> Path:
    """Puts a case's files into a folder; its main file."""
    main = folder / f"{case.name}.py"
    for name, text in {**case.files, main.name: case.source}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return main


def ask(worker: Worker, case: Case, folder: Path) -> list[dict[str, Any]]:
    """What PyTorch says of each launch of a block."""
    assert case.run is not None
    return worker.run(write_files(case, folder), case.run, f"{case.page}.md", case.run_line)


def differ(case: Case, expected: Expected, launches: list[dict[str, Any]]) -> list[Difference]:
    """The differences on a block, a row a kernel. All launches count together, as our signatures do."""
    rows: list[Difference] = []
    for name in dict.fromkeys(launch["kernel"] for launch in launches):
        ours = [function for function in expected.functions if function.name == name][-1]
        answers = [launch for launch in launches if launch["kernel"] == name]
        parts = [f"gives up: {reason}" for reason in dict.fromkeys(a["gave_up"] for a in answers if a["gave_up"])]
        for fact, doing in (("written", "write"), ("read", "read")):
            theirs = {tensor for answer in answers for tensor in answer[fact]}
            known = {tensor for answer in answers for tensor in answer["tensors"]}
            claimed = {
                parameter for (parameter, kind), verdict in ours.facts.items() if kind == fact and verdict == "yes"
            }
            possible = {parameter for (parameter, kind) in ours.facts if kind == fact}
            missed, blamed = sorted(claimed - theirs), sorted((theirs & known) - possible)
            parts += [f"misses the {doing} of {', '.join(f'`{m}`' for m in missed)}"] if missed else []
            parts += [f"{doing} of {', '.join(f'`{b}`' for b in blamed)}, which isn't"] if blamed else []
        through = sorted({parameter for (parameter, kind) in ours.facts if kind == "table_written"})
        parts += [f"nothing of the write through {', '.join(f'`{t}`' for t in through)}"] if through else []
        if parts:
            rows.append(Difference(case.id if name == case.name else f"{case.id} ({name})", "; ".join(parts)))
    return rows


def collect(folder: Path) -> list[Difference]:
    """All differences, in the order of the pages."""
    worker = Worker(folder / "worker.log", older=True, script=Path(__file__).with_name("torch_worker.py"))
    try:
        rows: list[Difference] = []
        for number, case in enumerate(cases()):
            launches = ask(worker, case, folder / str(number))
            rows += differ(case, parse(case.source), launches)
        return rows
    finally:
        worker.close()


def stored() -> dict[Difference, str]:
    """The table in the repository: each difference and the reason given."""
    rows: dict[Difference, str] = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if line.startswith("| ") and len(cells) == 3 and cells[0] not in ("kernel", "---"):
            rows[Difference(cells[0], cells[1])] = cells[2]
    return rows


def main() -> None:
    """Writes the table anew."""
    text = TABLE.read_text(encoding="utf-8")
    reasons = {row.kernel: reason for row, reason in stored().items()}
    with tempfile.TemporaryDirectory() as folder:
        rows = collect(Path(folder))
    before = text[: text.index(HEADER)]
    body = "".join(f"| {row.kernel} | {row.what} | {reasons.get(row.kernel, '')} |\n" for row in rows)
    TABLE.write_text(before + HEADER + body, encoding="utf-8")
    print(f"{len(rows)} differences on {len(cases())} blocks", file=sys.stderr)


if __name__ == "__main__":
    main()
