"""Safe evaluation: what ordinary constants come to, and that nothing hangs, grows or runs."""

from __future__ import annotations

import math
import time
from pathlib import Path

import pytest
import torch

from analysis.small_projects import HEAD, sliced, value, write
from kernel_analysis.source.dtypes import DTYPES, TORCH
from kernel_analysis.source.slice import Constant, TorchDtype, TritonObject, Unresolved


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("X = 42", 42),
        ("X = (tl.float32 != 'fp32', tl.float32 == tl.float32, tl.float32 is not None)", (True, True, True)),
        ("X: int = -3", -3),
        ("Y = 3\nX = 2 * Y ** 2 + (1 << 4) - 7 // 2", 31),
        ("X = 1.4426950408889634", 1.4426950408889634),
        ("X = float('inf')", math.inf),
        ("X = -float('inf')", -math.inf),
        ("import math\nX = 1 / math.log(2)", 1 / math.log(2)),
        ("from math import pi as p\nX = p", math.pi),
        ("import numpy as np\nX = np.sqrt(4)", 2.0),
        (
            "X = 'a' + 'b' * 2 + f'{1 + 1}-{2.5:.1f}' + '%d' % 3 + '{}'.format(4) + ','.join(['x', 'y'])",
            "abb2-2.534x,y",
        ),
        ("X = 'tf32' if 1 < 2 <= 2 else 'ieee'", "tf32"),
        ("X = not (True and False or None)", True),
        ("X = (1, 'a', None, (2.0,))", (1, "a", None, (2.0,))),
        ("X = [1, 2, 3][-1] + {'k': 5}['k'] + (7, 8)[0]", 15),
        ("A, (B, X) = 1, (2, 3)", 3),
        ("X = 1\nX += 2\nX = X * 10", 30),
        ("X = min(3, 1) + max([2, 4]) + abs(-1) + int('7') + len('abc') + round(2.6) + sum((1, 2))", 22),
        ("X = triton.next_power_of_2(65) + triton.cdiv(10, 4)", 131),
        ("import os\nX = os.environ.get('HOME', 'default')", "default"),
        ("import os\nX = int(os.getenv('NUM', '8'))", 8),
        ("import os\nX = os.environ.get('DEBUG')", None),
        ("X = [n * n for n in range(4) if n % 2][1]", 9),
        ("X = dict(a=1, b=2)['b']", 2),
        ("import torch\nX = torch.finfo(torch.float8_e4m3fn).max", 448.0),
        ("import torch\nX = torch.finfo(torch.float16).tiny", 6.103515625e-05),
        ("import torch\nX = torch.iinfo(torch.int16).min", -32768),
        ("import torch\nX = torch.iinfo(torch.int8).min", -128),
        ("from packaging import version\nX = version.parse(triton.__version__) >= version.parse('3.2.0')", True),
        ("from packaging.version import Version as V\nX = V('2.10') > V('2.9.1')", True),
        ("from not_installed.utils import Version\nX = Version('2.10') > Version('2.9.1')", True),
        ("X = tuple(map(int, triton.__version__.split('.')[:2])) >= (3, 10)", False),
        ("X = hasattr(tl, 'load') and not hasattr(tl, 'nothing')", True),
        ("def size(n, k=2):\n    m = n * k\n    if m > 4:\n        return m\n    return 0\nX = size(3)", 6),
        ("import functools\n@functools.lru_cache\ndef size():\n    return 5\nX = size()", 5),
        ("X = (lambda a: a + 1)(2)", 3),
        ("class C:\n    A = 2\n    B = A + 1\nX = C.B", 3),
        ("X = True\nif X:\n    X = 2\nelse:\n    X = 3", 2),
        ("X = globals_like if False else 1", 1),
    ],
)
def test_values(folder: Path, code: str, expected: object) -> None:
    found = value(folder, code)
    assert isinstance(found, Constant), found
    assert found.value == expected
    assert type(found.value) is type(expected)
    assert not found.constexpr


def test_constexpr_and_places(folder: Path) -> None:
    project = write(
        folder,
        work__k=HEAD + "from c import D\nA: tl.constexpr = 1\nB = tl.constexpr(2)\nC = tl.constexpr(B.value + 1)\n"
        "@triton.jit\ndef kernel(p):\n    tl.store(p, A + B + C + D)\n",
        work__c="import triton.language as tl\n\nD = tl.constexpr(tl.float32)\n",
    )
    bindings = sliced(project, folder / "work/k.py", "kernel").functions[0].bindings
    found = {n: b for n, b in bindings.items() if isinstance(b, Constant)}
    assert {n: (b.value, b.constexpr) for n, b in found.items()} == {
        "A": (1, False), "B": (2, True), "C": (3, True), "D": (TritonObject("triton.language.float32"), True),
    }  # fmt: skip
    assert (found["D"].span.file, found["D"].span.line) == (str(folder / "work/c.py"), 3)
    assert (found["A"].span.line, found["A"].span.column, found["A"].span.end_column) == (4, 1, 20)


def test_dtypes(folder: Path) -> None:
    found = value(folder, "import torch\nX = torch.bfloat16")
    assert isinstance(found, Constant)
    assert found.value == TorchDtype("bfloat16")
    assert value(folder, "X = tl.float32") == TritonObject("triton.language.float32")


@pytest.mark.parametrize("name", sorted(DTYPES.keys() & TORCH.values()))
def test_itemsize_of_dtypes(folder: Path, name: str) -> None:
    found = value(folder, f"import torch\nX = torch.{name}.itemsize")
    assert isinstance(found, Constant)
    assert found.value == getattr(torch, name).itemsize


@pytest.mark.parametrize(
    "bomb",
    [
        "9 ** 9 ** 9",
        "10 ** 10 ** 10",
        "1 << 10 ** 12",
        "'a' * 10 ** 12",
        "[0] * 10 ** 12",
        "(((1 << 4000) ** 2) ** 2)",
        "'%1000000000d' % 1",
        "f'{1:>1000000000}'",
        "'{:>1000000000}'.format(1)",
        "'{:{}}'.format(1, 1000000000)",
        "('x' * 9000).replace('x', 'y' * 9000)",
        "range(10 ** 12)",
        "sum(range(10 ** 9))",
        "[a for a in range(4000) for b in range(4000) for c in range(4000)]",
        "round(1, -10 ** 9)",
        "int('9' * 100000)",
        "(lambda f: f(f))(lambda f: f(f))",
        "forever(0)",
        "spin()",
        "'a'.zfill(10 ** 12)",
        "[[x] * 4000 for x in [[0] * 4000] * 4000]",
        "doubled(60)",
        "pow(3, 10 ** 10)",
        "1.5 ** 100000",
        "1 // 0",
        "{}['a']",
        "[][0]",
        "'a' + 1",
        "-'a'",
        "int('x')",
        "(-1) ** 0.5",
    ],
)
def test_bombs(folder: Path, bomb: str) -> None:
    code = f"""
def forever(n):
    return forever(n + 1)
def spin():
    n = 0
    for a in range(4000):
        for b in range(4000):
            n += 1
    return n
def doubled(n):
    return doubled(n - 1) + doubled(n - 1) if n else 1
X = {bomb}
"""
    start = time.process_time()
    found = value(folder, code)
    assert isinstance(found, Unresolved), found
    assert time.process_time() - start < 2


def test_nothing_runs(folder: Path) -> None:
    """A module that would write a file in every way that importing or evaluating it can."""
    trap = folder / "trap"
    touch = f"open({str(trap)!r}, 'w').close()"
    text = f"""
import triton, os
import triton.language as tl
from evil import VALUE, deco
{touch}
class Meta(type):
    def __getattr__(cls, name):
        {touch}
class C(metaclass=Meta):
    {touch}
def default():
    {touch}
    return 1
X = tl.constexpr(eval({touch!r}))
Y = [exec({touch!r}) for _ in range(2)]
Z = __import__('os').system('touch {trap}')
W = f"{{default()}}"
@deco(default())
@triton.jit(noinline=default())
def kernel(p, n: tl.constexpr = default(), m: default() = C.attribute):
    tl.store(p, X + Y + Z + W + VALUE + C.other)
"""
    project = write(
        folder,
        work__k=text,
        site__evil__init=touch + f"\nVALUE = {touch}\ndef deco(n):\n    {touch}\n    return lambda f: f\n",
    )
    found = sliced(project, folder / "work/k.py", "kernel")
    bindings = found.functions[0].bindings
    assert all(isinstance(bindings[name], Unresolved) for name in ("X", "Y", "Z", "VALUE"))
    assert not trap.exists()


def test_environment_is_never_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_BLOCK", "999")
    found = value(folder, "import os\nX = int(os.environ.get('MY_BLOCK', 64))")
    assert isinstance(found, Constant)
    assert found.value == 64
    assert isinstance(value(folder, "import os\nX = os.environ['MY_BLOCK']"), Unresolved)


@pytest.mark.parametrize("before", ["16", "None"])
def test_global_statement_leaves_a_value_that_may_be_another(folder: Path, before: str) -> None:
    text = f"cache = {before}\ndef get():\n    return cache\ndef fill():\n    global cache\n    cache = compute()\n"
    project = write(
        folder,
        work__lib=text,
        work__k=HEAD + "import lib\nX = lib.get()\n@triton.jit\ndef kernel(p):\n    tl.store(p, X)\n",
    )
    made = sliced(project, folder / "work/k.py", "kernel").functions[0]
    found = made.bindings["X"]
    if before == "None":  # which stands for nothing yet
        assert isinstance(found, Unresolved)
        assert "global" in found.reason
    else:
        assert isinstance(found, Constant)
        assert found.value == 16
        assert "global" in made.varies["X"]
