"""Reads the pages in ``cases/``: each block of Python is a program, with what varies in its ``#:`` lines.

What all blocks begin with is left out there, and so are the types that follow from names: ``*_ptr`` and names in
capitals that are no constexpr are ``*fp32``, ``n`` and ``*_n`` are ``i32``. After ```` ```python ```` may
stand ``gluon`` and ``triton>=3.8``. Knows nothing of the analysis.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from enumerated.program import Knob, Program, parse

HERE = Path(__file__).parent / "cases"
HEADS = {
    "triton": "import triton\nimport triton.language as tl\n\n",
    "gluon": "from triton.experimental import gluon\nfrom triton.experimental.gluon import language as gl\n\n",
}
_BLOCK = re.compile(
    r"^## (?P<title>.+?)\n(?:(?!^## ).*\n)*?```(?P<info>python.*)\n(?P<text>(?:.*\n)*?)```$", re.MULTILINE
)


@dataclass(slots=True)
class Case:
    """One block of a page."""

    page: str
    title: str
    program: Program
    at_least: tuple[int, int] = (0, 0)

    def holds_for(self, triton: str) -> bool:
        major, minor = triton.split(".")[:2]
        return self.at_least <= (int(major), int(minor))

    @property
    def id(self) -> str:
        return f"{self.page}: {self.title}"


def read_all() -> list[Case]:
    """Every block of every page. Raises ValueError on one that is not understood."""
    found: list[Case] = []
    for path in sorted(HERE.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        blocks = list(_BLOCK.finditer(text))
        if len(blocks) != text.count("\n## ") or len(blocks) * 2 != text.count("\n```"):
            raise ValueError(f"{path.name}: a title without a block, or a block without a title")
        for block in blocks:
            words = block["info"].split()[1:]
            head = HEADS["gluon" if "gluon" in words else "triton"]
            made = parse(_with_head(block["text"], head))
            made.knobs[:0] = _types(made)
            versions = [word.removeprefix("triton>=").split(".") for word in words if word != "gluon"]
            case = Case(path.stem, block["title"], made)
            for major, minor in versions:
                case.at_least = (int(major), int(minor))
            found.append(case)
    return found


def _with_head(text: str, head: str) -> str:
    """``#:`` lines first."""
    knobs = [line for line in text.splitlines(keepends=True) if line.startswith("#:")]
    return "".join(knobs) + head + text.removeprefix("".join(knobs))


def _types(made: Program) -> list[Knob]:
    """Those that follow from names."""
    said = {knob.name for knob in made.knobs}
    (kernel,) = [n for n in ast.parse(made.text).body if isinstance(n, ast.FunctionDef) and n.name == made.kernel]
    found: list[Knob] = []
    for argument in kernel.args.args:
        name = argument.arg
        if name in said or argument.annotation is not None:
            continue
        if name == "n" or name.endswith("_n") or name in ("k", "tiles"):
            found.append(Knob(name, "type", ("i32",)))
        elif name.endswith("_ptr") or name.isupper():
            found.append(Knob(name, "type", ("*fp32",)))
        else:
            raise ValueError(f"nothing says what {name} is in\n{made.text}")
    return found
