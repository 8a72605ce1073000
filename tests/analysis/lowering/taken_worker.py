"""Runs in any Python with a Triton: small kernels of every operator and function over every pair of kinds of values,
compiled by Triton's own front end, which has no gate, and by ours. Prints as JSON those that only Triton's takes.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import io
import itertools
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3] / "analysis"))

from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend

from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.lowering import Compiler, compat
from kernel_analysis.lowering.front import quick_types
from kernel_analysis.lowering.front.frontend import WatchedGenerator
from kernel_analysis.signature.infer import infer

VALUES = ("3", "2.5", "'ab'", "None", "(1, 2)", "(n, n)", "tl.float32", "p", "n", "x", "C", "made()")
OPERATORS = ("+", "*", "//", "%", "**", "==", "!=", "<", "and", "is", "in")
OF_TWO = (*(f"a {operator} b" for operator in OPERATORS), "a[b]", "min(a, b)")
OF_ONE = (
    *("-a", "~a", "not a", "f'{a}'", "len(a)", "str(a)", "bool(a)", "int(a)", "float(a)", "abs(a)", "tuple(a)"),
    *("list(a)", "sum(a)", "any(a)", "range(a)", "sorted(a)", "round(a)", "a.value", "a.dtype", "[i for i in a]"),
    *("a.index(1)", "a.count(1)", "a.shape", "a.type", "a.to(tl.float32)", "a if True else None", "a[0]", "a[-1]"),
    *("a[0:1]", "a.T", "a.primitive_bitwidth", "a.upper()", "a.startswith('a')", "a == a", "tl.cdiv(a, 2)"),
    *("tl.constexpr(a)", "isinstance(a, tl.constexpr)", "isinstance(a, tl.tensor)", "a.values", "a.is_floating()"),
)
MEANT = re.compile("`%` formatting|whether two equal values are one object")
"""What the gate refuses although Triton takes it: it would have no bounds, or another answer in another run."""

HEAD = """import triton
import triton.language as tl
C = tl.constexpr(5)
@triton.constexpr_function
def made():
    return [1, 2]
"""
KERNEL = """@triton.jit
def {name}(p, n):
    x = tl.arange(0, 4)
    {assignments}
    tl.store(p, 1)
"""
_A_TIME = 60


def kernels() -> Iterator[tuple[str, str]]:
    """What is in it, and the text of a kernel, with ``{name}`` for its name."""
    pairs = itertools.product(VALUES, VALUES)
    cases = [*((e, a, b) for a, b in pairs for e in OF_TWO), *((e, a, "0") for a in VALUES for e in OF_ONE)]
    for expression, a, b in cases:
        for annotation in ("", ": tl.constexpr"):
            lines = f"a{annotation} = {a}\n    b{annotation} = {b}\n    c{annotation} = {expression}"
            yield f"{expression}, a{annotation} = {a}, b = {b}", lines


TARGET = GPUTarget("cuda", 90, 32)
BACKEND: Any = make_backend(TARGET)
OPTIONS = BACKEND.parse_options({})
IMPLEMENTATIONS, MODULES = BACKEND.get_codegen_implementation(OPTIONS), BACKEND.get_module_map()
OWN = next(base for base in WatchedGenerator.__mro__ if base.__module__.startswith("triton."))
TYPES = {"p": "*i32", "n": "i32"}


def triton_takes(function: Any) -> bool:
    generators: Any = compat.code_generator
    generators.CodeGenerator = OWN
    quick_types.remember(wanted=False)
    context = ir.context()
    ir.load_dialects(context)
    BACKEND.load_dialects(context)
    try:
        ASTSource(function, TYPES, {}, {}).make_ir(TARGET, OPTIONS, IMPLEMENTATIONS, MODULES, context)
    except Exception:  # noqa: BLE001  whatever it is: Triton does not take it
        return False
    else:
        return True
    finally:
        generators.CodeGenerator = WatchedGenerator
        quick_types.remember()


def main() -> None:
    engine = Compiler("cuda:90")
    taken, lost = 0, []
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory).resolve()
        waiting = [(says, lines) for says, lines in kernels() if _is_python(lines)]
        for start in range(0, len(waiting), _A_TIME):
            part = {f"k{start + i}": kernel for i, kernel in enumerate(waiting[start : start + _A_TIME])}
            file = folder / f"part{start}.py"
            file.write_text(HEAD + "".join(KERNEL.format(name=n, assignments=k[1]) for n, k in part.items()))
            spec = importlib.util.spec_from_file_location(file.stem, file)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            project = Project([str(folder)], [], "cuda:90")
            for function in project.module(str(file)).functions:
                if function.name not in part:
                    continue
                with contextlib.redirect_stdout(io.StringIO()):
                    takes = triton_takes(getattr(module, function.name))
                if takes:
                    taken += 1
                    slice_ = cut(project, function)
                    signature = replace(next(iter(infer(project, function, slice_))), types=TYPES, constants={})
                    lowered = engine.lower(slice_, signature)
                    if lowered.problem and not MEANT.search(lowered.problem.message):
                        lost.append(f"{part[function.name][0]}: {lowered.problem.message}")
            file.unlink()
    print(json.dumps({"taken": taken, "lost": lost}))


def _is_python(lines: str) -> bool:
    try:
        ast.parse(lines.replace("\n    ", "\n"))
    except SyntaxError:
        return False
    return True


main()
