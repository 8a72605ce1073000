"""What the compiler's words are about, read off what the compiler under test really says, whichever version it is; and
that nothing else reads them."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

TRITON_PYTHON = os.environ.get("TRITON_LS_TEST_PYTHON", sys.executable)
WORKER = Path(__file__).with_name("kinds_worker.py")
ROOT = Path(__file__).parents[3]

Case = tuple[str, dict[str, str], dict[str, object], dict[str, Any], set[str]]


def _case(
    body: str, types: dict[str, str], about: set[str], constants: dict[str, object] | None = None, **operands: Any
) -> Case:
    """A kernel of one line, and what its error is about; ``operands`` of the kind."""
    names = ", ".join(f"{name}: tl.constexpr" if kind == "constexpr" else name for name, kind in types.items())
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return f"@triton.jit\ndef kernel({names}):\n{lines}", types, constants or {}, operands, about


P32: Final = {"p": "*fp32"}
CASES: Final[dict[str, Case]] = {
    "nowhere": _case("tl.store(p, nowhere)", P32, {"undefined"}, undefined="nowhere", code="compile-error"),
    "in one branch": _case(
        "if F:\n    x = 1\ntl.store(p, x)", {**P32, "F": "constexpr"}, {"undefined"}, {"F": False}, undefined="x"
    ),
    "an assertion": _case(
        "tl.static_assert(B > 16)\ntl.store(p, 1)", {**P32, "B": "constexpr"},
        {"static-assertion", "assertion"}, {"B": 16},
    ),
    "widths": _case(
        "x = n\nfor i in range(3):\n    x = m\ntl.store(p, x)", {**P32, "n": "i32", "m": "i64"},
        {"integer-widths", "two-dtypes"}, retyped="x",
    ),
    "a value for every branch": _case(
        "x = n\nif n > 1:\n    x = 1.5\ntl.store(p, x)", {**P32, "n": "i32"}, {"two-dtypes"}, retyped="x"
    ),
    "too large": _case("tl.store(p, tl.sum(tl.zeros([B], tl.float32)))", {**P32, "B": "constexpr"},
                       {"too-many-elements", "block-too-large"}, {"B": 1 << 22}),
    "shapes": _case(
        "x = tl.arange(0, A) + tl.arange(0, B)\ntl.store(p + tl.arange(0, 16), x)",
        {**P32, "A": "constexpr", "B": "constexpr"}, {"extents"}, {"A": 16, "B": 32},
    ),
    "no power of two": _case("tl.store(p + tl.arange(0, B), 1)", {**P32, "B": "constexpr"},
                             {"extents"}, {"B": 24}),
    "a reshape": _case(
        "x = tl.reshape(tl.arange(0, 32), [4, B])\ntl.store(p, tl.sum(tl.sum(x, 0), 0))", {**P32, "B": "constexpr"},
        {"element-count", "extents"}, {"B": 4},
    ),
    "no address": _case("tl.store(n, 1)", {"n": "i32"}, {"address"}),
    "a single pointer": _case(
        "tl.store(p, tl.arange(0, 16))", P32, {"single-pointer", "address"}
    ),
    "floats for bits": _case("tl.store(p, x & 1)", {**P32, "x": "fp32"}, {"operand-types", "integer-wanted"}),
    "bits of another size": _case(
        "tl.store(p, x.to(tl.float32, bitcast=True))", {**P32, "x": "i64"}, {"two-dtypes"}, bits=[64, 32]
    ),
    "a dot product of two dtypes": _case(
        "x = tl.zeros([16, 16], tl.float16)\ny = tl.zeros([16, 16], tl.float32)\nz = tl.dot(x, y)\n"
        "tl.store(p, tl.sum(tl.sum(z, 0), 0))", P32, {"two-dtypes", "dtype"}, dtypes=["fp16", "fp32"],
    ),
    "not at compile time": _case("tl.store(p + tl.arange(0, n), 1)", {**P32, "n": "i32"}, {"compile-time"}),
    "none": _case("tl.store(p, q.dtype)", {**P32, "q": "constexpr"}, set(), {"q": None},
                  lacking="NoneType", attribute="dtype"),
    "a dtype called": _case("tl.store(p, tl.float32(1))", P32, {"dtype-called"}, lacking="dtype"),
    "too many indices": _case("x = n[:, None]\ntl.store(p, x)", {**P32, "n": "i32"}, set()),
    "a float of 8 bits": _case(
        "tl.store(p, x.to(tl.float8e4nv).to(tl.float32))", {**P32, "x": "i32"}, {"two-dtypes"}
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, Any] | None]:
    asked = json.dumps([case[:3] for case in CASES.values()])
    done = subprocess.run([TRITON_PYTHON, str(WORKER)], input=asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(zip(CASES, json.loads(done.stdout.splitlines()[-1]), strict=True))


@pytest.mark.parametrize("name", CASES)
def test_what_it_is_about(found: dict[str, dict[str, Any] | None], name: str) -> None:
    problem = found[name]
    _, _, _, operands, about = CASES[name]
    assert problem is not None
    assert about <= set(problem["topics"]), problem
    assert {key: problem[key] for key in operands} == operands, problem


READERS: Final = frozenset(
    ("search", "match", "fullmatch", "findall", "finditer", "sub", "startswith", "endswith", "find", "index", "count")
)


def _reads(tree: ast.AST) -> Iterator[int]:
    """Where a message is searched: in an operation on text of which it is a part."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
            # What is looked for in a set of messages is one of them, and not a part of its words.
            parts: list[ast.AST] = [*node.comparators]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in READERS:
            parts = [node.func.value, *node.args]
        else:
            continue
        if any(
            isinstance(inner, ast.Attribute) and inner.attr == "message" for part in parts for inner in ast.walk(part)
        ):
            yield node.lineno


def test_nothing_else_reads_messages() -> None:
    """A message is for people. Each Triton words it in its own way: its kind is what code goes by."""
    assert list(_reads(ast.parse("re.search('x', p.message)\n'x' in p.message\np.message.startswith('x')"))) == [
        1,
        2,
        3,
    ]
    own = ROOT / "analysis/kernel_analysis/lowering/message_kinds.py"
    wrong = [
        f"{file.relative_to(ROOT)}:{line}"
        for folder in ("analysis", "server")
        for file in sorted((ROOT / folder).rglob("*.py"))
        if file != own
        for line in _reads(ast.parse(file.read_text(encoding="utf-8")))
    ]
    assert wrong == []
