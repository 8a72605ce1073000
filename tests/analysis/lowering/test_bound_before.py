"""What is said to be never bound where it is read is bound there under no constants: random kernels that read a
variable in one place, compiled under all of them."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import pytest
from lowering_helpers import compiler

from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.signature.signature_model import Evidence, ParameterType, Signature

HEAD = """
import triton
import triton.language as tl


@triton.jit
def kernel(p, q, n, F0: tl.constexpr, F1: tl.constexpr, N: tl.constexpr):
"""
TYPES: dict[str, ParameterType] = {
    "p": "*fp32",
    "q": "*fp32",
    "n": "i32",
    "F0": "constexpr",
    "F1": "constexpr",
    "N": "constexpr",
}
BIND = "x = tl.load(q)"
READ = "tl.store(p, x)"
AROUND = {
    "if": ("if {flag}:",),
    "if else": ("if {flag}:", "else:"),
    "elif": ("if {flag}:", "elif {other}:", "else:"),
    "run time": ("if n > 0:", "else:"),
    "unrolled": ("for i in tl.static_range(N):",),
    "on the device": ("for i in range(n):",),
    "later turns": ("for i in tl.static_range(N):\n    if i > {number}:",),
    "inner loop": ("for j in tl.static_range({number}, N):",),
    "while": ("while n > 0:",),
}


def block(rng: random.Random, depth: int) -> list[str]:
    lines: list[str] = []
    for _ in range(rng.choice((1, 2, 3))):
        kind = rng.choice(("bind", "read", "around", "around", "around")) if depth else rng.choice(("bind", "read"))
        if kind != "around":
            lines.append(BIND if kind == "bind" else READ)
            continue
        flags = rng.sample(("F0", "F1"), 2)
        for head in rng.choice(list(AROUND.values())):
            spelled = head.format(flag=flags[0], other=flags[1], number=rng.choice((0, 1))).split("\n")
            lines += spelled
            within = "    " * len(spelled)
            lines += [within + line for line in block(rng, depth - 1)]
    return lines


def program(seed: int) -> str:
    """With the variable read in one place, which is one of those that it was read in at first."""
    rng = random.Random(seed)
    while True:
        lines = block(rng, 2)
        reads = [number for number, line in enumerate(lines) if line.strip() == READ]
        if reads:
            break
    kept = rng.choice(reads)
    quiet = [line.replace(READ, "pass") if number != kept else line for number, line in enumerate(lines)]
    return HEAD + "".join(f"    {line}\n" for line in quiet)


@pytest.mark.parametrize("first", range(0, 100, 20))
def test_no_constants_bind_what_is_never_bound(first: int, tmp_path: Path) -> None:
    evidence = {name: Evidence("annotation", "", True) for name in TYPES}
    certain = 0
    for seed in range(first, first + 20):
        file = tmp_path / f"kernels_{seed}.py"
        file.write_text(program(seed), encoding="utf-8")
        project = Project([str(tmp_path)], [str(tmp_path)])
        slice_ = cut(project, project.module(str(file)).functions[0])
        blamed, read = False, False
        for f0, f1, n in product((False, True), (False, True), (0, 1, 2, 3)):
            lowered = compiler("cuda:90").lower(slice_, Signature(TYPES, {"F0": f0, "F1": f1, "N": n}, evidence))
            if lowered.ir is not None:
                read |= any("tt.store" in function.names for function in lowered.ir.functions.values())
            else:
                assert lowered.problem is not None
                blamed |= lowered.problem.certain and lowered.problem.message == "x is not defined"
        assert not (blamed and read), file.read_text(encoding="utf-8")
        certain += blamed
    assert certain
