"""Which functions of the launches in sight a slice has: those of a kernel that may call what it is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.small_projects import HEAD, sliced, write

TEXT = """
@triton.jit
def put(p, i):
    tl.store(p + i, i)

@triton.jit
def kernel(p, f: tl.constexpr):
    {body}

def launch(x):
    kernel[(1,)](x, put)
"""

OWN = """
@triton.jit
def {name}(f: tl.constexpr, p):
    f(p, 0)
"""


def handed(folder: Path, text: str) -> bool:
    found = sliced(write(folder, work__k=HEAD + text), folder / "work/k.py", "kernel")
    return "put" in [function.name for function in found.functions]


@pytest.mark.parametrize(
    "body",
    [
        "for i in range(0, f): tl.store(p, i)",
        "tl.store(p, max(f, 1))",
        "tl.store(p, rsqrt(f))",
        "tl.store(p, tl.exp(f))",
    ],
)
def test_what_calls_nothing_that_it_is_given(folder: Path, body: str) -> None:
    text = "from triton.language.extra.libdevice import rsqrt\n" + TEXT
    assert not handed(folder, text.format(body=body))


@pytest.mark.parametrize("body", ["f(p, 0)", "range(f, p)", "tl.reduce(p, 0, f)", "reduce(p, 0, f)", "unknown(p, f)"])
@pytest.mark.parametrize("own", ["function", "name", "other"])
def test_what_may_call_it(folder: Path, own: str, body: str) -> None:
    """Who has a ``range`` of the own has one that may; and whoever binds the name in the kernel."""
    text = "from triton.language import reduce\n" + TEXT
    if own == "name":
        body = f"range = {'tl.reduce' if 'range' not in body else 'run'}; {body}"
    before = {"function": OWN.format(name="range"), "name": OWN.format(name="run"), "other": "from other import *\n"}
    if own == "other" and "range" in body:
        write(folder, work__other=HEAD + OWN.format(name="range"))
    assert handed(folder, before[own] + text.format(body=body))
