"""An attack: the files of its workspace as text, with placeholders for what it would do harm to, and the answer that it
must get. Reads the case files; tries nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

CASES = Path(__file__).parent / "cases"
KERNEL = "kernel.py"

Answer = Literal["refused", "analyzed", "any"]

_HEADER = re.compile(r"# (\w+)(?: (\w+))?: (.+)")
_FILE = re.compile(r"^# ---- (\S+)\n", re.MULTILINE)
_PLACEHOLDER = re.compile(
    r"(CANARY|VICTIM_FILE|CASE)((?:_\d+)?)(?![A-Za-z])|(?:SECRET_FILE|SECRET_NAME|VICTIM_PID|PORT|FOLDER|MARKER)\b"
)


_BYTES = re.compile(r"BYTES<(.*?)>(?=\])")


@dataclass(frozen=True, slots=True)
class Case:
    """``answer``: what all functions get whose name begins with ``k``. ``files``: by their paths in the workspace.
    ``at_root``: they lie at the workspace's root, where Python would look for modules first, and not in a folder of
    their own."""

    name: str
    answer: Answer
    files: Mapping[str, str]
    at_root: bool = False

    def marked(self) -> list[tuple[str, int]]:
        """Where the reason must stand: file and line."""
        return [
            (name, number)
            for name, text in self.files.items()
            for number, line in enumerate(text.split("\n"), 1)
            if line.endswith("# refused")
        ]

    def filled(self, values: Mapping[str, str]) -> dict[str, str]:
        """The files with a path or number in place of each placeholder. ``CANARY_3`` is the canary's path and ``_3``;
        ``BYTES<text>`` the text's bytes as numbers, for where a quote or a dot may not stand."""

        def value(match: re.Match[str]) -> str:
            return values[match[1]] + match[2] if match[1] else values[match[0]]

        def numbers(match: re.Match[str]) -> str:
            return ", ".join(str(byte) for byte in match[1].encode())

        return {
            _PLACEHOLDER.sub(value, name): _BYTES.sub(numbers, _PLACEHOLDER.sub(value, text))
            for name, text in self.files.items()
        }


def read(file: Path) -> Case:
    """A case file: a header that says what answer is right and what the attack is, the kernel's file, and after lines
    ``# ---- name`` its neighbours."""
    text = file.read_text(encoding="utf-8")
    head = _HEADER.match(text)
    if head is None or head[1] not in get_args(Answer) or head[2] not in (None, "root"):
        raise ValueError(f"{file.name} begins with no `# refused: ...`, `# analyzed: ...` or `# any: ...`")
    first, *rest = _FILE.split(text)
    files = {KERNEL: first}
    files.update(zip(rest[::2], rest[1::2], strict=True))
    name = f"{file.parent.name}-{file.stem}"
    return Case(name, head[1], files, at_root=head[2] == "root")  # pyright: ignore[reportArgumentType]


def handwritten() -> list[Case]:
    return [read(file) for file in sorted(CASES.glob("*/*.py"))]
