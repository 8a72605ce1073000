"""What a launch passes that was taken out of something, or left behind by an operator: everything that can be gone
through with every way to take its parts, and every assigning operator with everything beside a tensor; each run with
torch. What is certain must be so.
"""

from __future__ import annotations

import itertools
import textwrap
from pathlib import Path
from typing import Any

import pytest
from host_launches import run, told, wrong

torch = pytest.importorskip("torch")
pytest.importorskip("numpy")

SOURCES = (
    "{1.5: 2, 2.5: 3}", "{1.5: x, 2.5: x}", "{'n': 1.5, 'm': 2.5}", "dict(n=1, m=2)", "{1.5: 2} | {2.5: 3}",
    "{1.5: 2, 2.5: 3}.keys()", "{1.5: 2, 2.5: 3}.values()", "{1.5: 2, 2.5: x}.items()", "{i: x for i in (1.5, 2.5)}",
    "(1, 2.5)", "[x, 2.5]", "range(2)", "'ab'", "zip((1, 2), (x, x))", "enumerate((x, 2))", "x.shape", "x.stride()",
    "x",
    "{1.5: 2, 2.5: 3} if c else {2.5: x, 1.5: 3}", "(1, 2.5) if c else (True, 3.5)",
    "{1.5: 2, 2.5: 3} if c else (1, 2)",
    "reversed([2.5, 1])", "sorted({2.5: 0, 1: 0})", "iter({1.5: 2, 2.5: 3})", "[*{1.5: 2}, 3]", "(1, x, 2)[:2]",
    "{**{1.5: 2}, 2.5: x}", "x.split(1)", "map(float, (1, 2))", "table()",
)  # fmt: skip
WAYS = (
    "n, m = {}", "[n, m] = {}", "n, *_ = {}", "*_, n = {}", "v = {}\nn, m = v", "(n, m), _ = {}, 0",
    "for n, m in [{}]: pass", "for n in {}: pass", "n, m = (v := {})", "def g(): return {}\nn, m = g()",
    "n, m = v = {}", "n = next(iter({}))", "n, m = list({})", "n, m = [v for v in {}]", "n = [*{}][0]",
    "n, m = (lambda v: v)({})",
)  # fmt: skip
_TABLE = "def table():\n    return {1.5: 2, 2.5: 3}\n\n\n"


@pytest.mark.parametrize("source", SOURCES)
def test_what_is_taken_out(source: str, tmp_path: Path) -> None:
    for way in WAYS:
        _held(tmp_path, f"x = torch.ones(2, 2)\nn = m = None\n{way.format(f'({source})')}\nk[(1,)](x, n)", way)


BESIDE = {
    "int": "1", "bool": "True", "float": "2.5", "itself": "x", "float32": "torch.ones(2, 2)",
    "float64": "torch.ones(2, 2, dtype=torch.float64)", "no axes": "torch.tensor(2.5, dtype=torch.float64)",
    "an array": "np.ones((2, 2))", "an array's number": "np.float64(2)", "what computes itself": "Other()",
}  # fmt: skip
OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>")
MODES = ("if True:", "with torch.autocast('cpu', dtype=torch.bfloat16):")
OTHER = """import numpy as np


class Other:
    def __radd__(self, other):
        return torch.ones(1, dtype=torch.int8)

    __rsub__ = __rmul__ = __rtruediv__ = __rmatmul__ = __rpow__ = __rand__ = __radd__


"""


@pytest.mark.parametrize("operator", OPERATORS)
def test_what_an_assigning_operator_leaves(operator: str, tmp_path: Path) -> None:
    certain = 0
    for dtype, beside, mode in itertools.product(("float32", "int32"), BESIDE, MODES):
        made = f"x = torch.ones(2, 2, dtype=torch.{dtype})\n{mode}\n    x {operator}= {BESIDE[beside]}\nk[(1,)](x, 1)"
        certain += _held(tmp_path, made, f"{beside}, {mode}")
    assert certain


@pytest.mark.parametrize("axes", ["", "0", "-1", "None", "dim=0", "dim=None", "*[]", "*[None]", "**{'dim': None}", "c"])
@pytest.mark.parametrize("method", ["size", "stride"])
def test_how_many_sizes_are_asked_for(method: str, axes: str, tmp_path: Path) -> None:
    _held(tmp_path, f"x = torch.ones(2, 2)\nk[(1,)](x, x.{method}({axes}))", axes)


def _held(folder: Path, body: str, where: str) -> bool:
    """Whether something is certain, and that it is so where it runs."""
    text = f"{OTHER if 'np.' in body or 'Other' in body else ''}{_TABLE if 'table()' in body else ''}"
    text += f"def run(c=0):\n{textwrap.indent(body, '    ')}\n\n\n"
    said = told(folder, text, {})
    real: list[tuple[Any, Any]] = []
    for call in ("run()", "run(1)"):
        try:
            real += run(text, call)
        except Exception:  # noqa: BLE001 - what raises launches nothing
            continue
    for passed in real:
        for one, value in zip(said, passed, strict=True):
            kept: Any = value.dtype if isinstance(value, torch.Tensor) else value
            kept = tuple(kept) if isinstance(value, tuple) else kept  # sizes are one
            assert not wrong(one, kept), f"{where}: {one} and {kept!r} in\n{body}"
    return any(one.sure and not one.varies for one in said)
