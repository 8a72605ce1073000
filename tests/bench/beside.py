"""``make beside``: how quick we are beside ruff, ty and basedpyright, on the same file in one run, as a Markdown table.

Takes the directory that their programs are in. Times say what a client waits for, whatever a server does meanwhile; a
key is answered by the first diagnostics for its text or a later one.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from processes import OURS, REPOSITORY, SECONDS, Agent, Bare, Server
from tables import table

EDITS, KEYS = 21, 36
FILE = REPOSITORY / "examples" / "layer_norm.py"
KERNEL = "layer_norm_kernel"


def published(server: Server, file: Path, version: int, sent: float) -> float:
    """Milliseconds until the first diagnostics for this version."""
    found = server.diagnostics(file, version, SECONDS)
    if found is None:
        raise RuntimeError(f"nothing was published for {file.name}")
    return (found[0] - sent) * 1e3


def measure(name: str, command: tuple[str, ...]) -> list[object]:
    """A row of the table."""
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory).resolve()
        file = root / FILE.name
        lines = FILE.read_text(encoding="utf-8").splitlines()
        head = next(n for n, line in enumerate(lines) if line.startswith(f"def {KERNEL}"))
        line = next(n for n in range(head, len(lines)) if lines[n].endswith(":")) + 1
        lines.insert(line, "    edit = 0")
        text = "\n".join(lines) + "\n"
        file.write_text(text, encoding="utf-8")
        (root / "pyproject.toml").write_text("[tool.triton-ls]\ncache = false\n", encoding="utf-8")
        server = Server(root, command)
        try:
            sent = time.perf_counter()
            server.open(file, text)
            first = published(server, file, 0, sent)
            time.sleep(3)
            edits: list[float] = []
            for version in range(1, EDITS + 1):
                # Every second edit is an error, so that each has something new to say.
                sent = server.change_line(file, version, line, f"    edit = {version if version % 2 else 'nowhere'}")
                edits.append(published(server, file, version, sent))
                time.sleep(0.5)
            before = server.processor_ms()
            burst: list[float] = []
            began = time.perf_counter()
            for key in range(1, KEYS + 1):
                version = EDITS + key
                sent = server.change_line(file, version, line, f"    edit = {10**6 + key}")
                time.sleep(max(0.0, began + key / 12 - time.perf_counter()))
                burst.append(sent)
            seen = server.publications(file, 1.0)
            answers = [
                (sent, [moment for moment, version in seen if version is None or version >= number])
                for number, sent in enumerate(burst, EDITS + 1)
            ]
            waits = [(min(moments) - sent) * 1e3 for sent, moments in answers if moments]
            spent = server.processor_ms() - before
        finally:
            server.close()
    answered = f"{len(seen)} for {KEYS}"
    typed = median(waits) if waits else 0.0
    return [
        name, server.initialized_ms, server.initialized_cpu_ms, first, median(edits), max(edits), typed, answered, spent
    ]  # fmt: skip


def main() -> None:
    programs = Path(sys.argv[1])
    servers = {
        "triton-ls": OURS,
        "ruff": (str(programs / "ruff"), "server"),
        "ty": (str(programs / "ty"), "server"),
        "basedpyright": (str(programs / "basedpyright-langserver"), "--stdio"),
    }
    head = ["server", "initialize ms", "its CPU ms", "open to first ms", "edit ms", "slowest", "12 keys/s ms"]
    rows = [measure(*each) for each in servers.items()]
    print(table([*head, "answers", "CPU ms of 3 s"], rows))
    print(f"\n`make_ir` alone takes {compiler_alone():.1f} ms for the kernel that is edited, over all its signatures.")


def compiler_alone() -> float:
    """The median, in milliseconds."""
    with tempfile.TemporaryDirectory() as directory:
        bare, agent = Bare(), Agent(Path(directory).resolve())
        try:
            _, reports = agent.analyze(FILE, FILE.read_text(encoding="utf-8"))
            signatures = reports[KERNEL]["signatures"]
            return median(sum(bare.compile(FILE, KERNEL, signatures)["ms"]) for _ in range(EDITS))
        finally:
            bare.close()
            agent.close()


if __name__ == "__main__":
    main()
