"""What is said of a kernel does not depend on which kernels were looked at before, however they were written: each
honest file is asked for in an agent that has seen all that tries to leave something, and in a fresh one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.kernels import HEAD
from agent.process import Agent

ENUM = HEAD + "import enum\n\n\nclass E(enum.IntEnum):\n    A = 1\n    B = 2\n    C = 64\n\n\n"
CLASS = """from triton.language.core import _aggregate as aggregate


@aggregate
class A:
    b: tl.constexpr

    @triton.constexpr_function
    def __init__(self, b):
        self.b = tl.constexpr(b)

    @triton.constexpr_function
    def __add__(self, other):
        return RESULT


@triton.jit
def kernel(p, q):
    n: tl.constexpr = tl.cdiv(A(1), 2)
    if n == 5:
        tl.store(p, 1)
    else:
        tl.store(q, 1)
"""
SHAPED = """@triton.constexpr_function
def shaped(sizes):
    block = tl.tensor(None, tl.block_type(tl.int32, sizes))
    return 1


@triton.jit
def planting(p):
    SIZES
    tl.store(p, 1)
"""
SIZES = ("[E.A]", "[E.B]", "[E.C]", "[True]", "[True, 2]", "[2, True]", "[E.A, E.B]")
OWN = """@triton.jit
def cdiv(x, y):
    return x * 3


@triton.jit
def zeros(shape: tl.constexpr, dtype: tl.constexpr):
    return tl.full(shape, 7, dtype)


@triton.jit
def kernel(p, n):
    tl.store(p + cdiv(n, 2) + tl.sum(zeros((16,), tl.int32)), 1)
"""

PLANTS = {
    "shapes.py": ENUM
    + SHAPED.replace("SIZES", "\n    ".join(f"x{i}: tl.constexpr = shaped({s})" for i, s in enumerate(SIZES))),
    "class/made.py": HEAD + CLASS.replace("RESULT", "10"),
    "plain.py": HEAD
    + "@triton.jit\ndef kernel(p, n):\n    tl.store(p + tl.cdiv(n, 2) + tl.sum(tl.zeros((16,), tl.int32)), 1)\n",
}
HONEST = {
    "sizes.py": HEAD
    + "".join(
        f"@triton.jit\ndef k{size}(p, q):\n    x = tl.load(p + tl.arange(0, {size}))\n"
        f'    if f"{{x.shape[0]}}" == "{size}":\n        tl.store(p, 1)\n    else:\n        tl.store(q, 1)\n\n\n'
        for size in (1, 2, 64)
    ),
    "other/made.py": HEAD + CLASS.replace("RESULT", "20"),
    "triton/language/standard.py": HEAD + OWN,
}


def said(agent: Agent, file: Path, text: str) -> dict[str, Any]:
    """Of each kernel, but for how long it took and where it was known from."""
    reports = agent.show(file, text).reports
    return {
        name: {part: report[part] for part in ("status", "problems", "parameters")} for name, report in reports.items()
    }


def compiled(name: str, reports: dict[str, Any]) -> bool:
    """Whether the file is one that tries something: older Tritons give their own functions no object with operators."""
    return bool(reports) and (name.endswith("made.py") or all(r["status"] != "failed" for r in reports.values()))


@pytest.fixture(scope="module")
def agents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Agent, Agent]]:
    """One that has seen what is planted, and one that has not."""
    root = tmp_path_factory.mktemp("order")
    for name in (*PLANTS, *HONEST):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
    for folder in ("triton", "triton/language"):
        (root / folder / "__init__.py").touch()
    with Agent(root) as later, Agent(root) as fresh:
        for name, text in PLANTS.items():
            assert compiled(name, said(later, root / name, text))
        yield root, later, fresh


@pytest.mark.parametrize("name", HONEST)
def test_nothing_is_left_to_the_next_kernel(name: str, agents: tuple[Path, Agent, Agent]) -> None:
    root, later, fresh = agents
    first = said(fresh, root / name, HONEST[name])
    assert said(later, root / name, HONEST[name]) == first
    assert compiled(name, first)


HELPERS = (
    HEAD
    + """@triton.jit
def inner(value, factor: tl.constexpr = 2):
    doubled = value * 2.0
    if factor > 2:
        doubled = doubled / factor
    return doubled


@triton.jit
def outer(value):
    return middle(value, tl.program_id(0))


@triton.jit
def middle(value, other):
    return inner(other + 1.0, factor=4)


@triton.jit
def alone(value):
    return outer(value)
"""
)


@pytest.mark.slow("two agents, so that neither knows what the other found out")
def test_what_is_said_of_a_helper_does_not_hang_on_where_the_cursor_is(tmp_path: Path) -> None:
    """What it is compiled with are the types that its callers pass, wherever they stand."""
    file = tmp_path / "helpers.py"
    file.write_text(HELPERS)
    said: list[dict[str, object]] = []
    for line in (None, HELPERS[: HELPERS.index("def middle")].count("\n") + 1):
        with Agent(tmp_path) as agent:
            reports = agent.analyze(file, first_line=line).reports
        said.append(
            {name: [(s["types"], s["constants"]) for s in report["signatures"]] for name, report in reports.items()}
        )
    assert len(said[0]) == 4
    assert said[0] == said[1]
    assert said[0]["inner"] == [({"value": "fp32"}, {})], "what `middle` passes"
