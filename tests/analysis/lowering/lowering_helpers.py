"""Jit functions written as text, through the real source room and the real compiler, under types that tests name."""

from __future__ import annotations

import atexit
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from kernel_analysis.facts import Problem
from kernel_analysis.ir import At, Ir, Op
from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.lowering import Compiler, Lowered
from kernel_analysis.signature.signature_model import Evidence, Signature
from kernel_analysis.source.slice import ConstantValue, Slice

HEAD = "import triton\nimport triton.language as tl\n\n"
NO_CONSTANTS: Mapping[str, ConstantValue] = {}
NO_FILES: Mapping[str, str] = {}
Type = str | tuple[str, ...]


@lru_cache(maxsize=4)
def compiler(target: str) -> Compiler:
    return Compiler(target)


# Before the interpreter ends: Triton's bindings report what outlives them.
atexit.register(compiler.cache_clear)


@dataclass
class Case:
    """One lowering of one function."""

    slice: Slice
    lowered: Lowered

    @property
    def ir(self) -> Ir:
        assert self.lowered.ir is not None, self.lowered.problem
        return self.lowered.ir

    @property
    def problem(self) -> Problem:
        assert self.lowered.problem is not None
        return self.lowered.problem

    def text(self, at: At) -> str:
        """What stands at a place of the user's files."""
        span = self.slice.span(at)
        if span is None:
            return "(nowhere)"
        lines = Path(span.file).read_text(encoding="utf-8").splitlines()[span.line - 1 : span.end_line]
        lines[-1] = lines[-1][: span.end_column - 1]
        lines[0] = lines[0][span.column - 1 :]
        return " ".join(line.strip() for line in lines)

    def where(self) -> str:
        """What stands at the problem."""
        return self.text(self.problem.at)

    def chain(self) -> list[str]:
        return [self.text(at) for at in self.problem.chain]

    def ops(self) -> Iterator[Op]:
        stack = [op for function in self.ir.functions.values() for block in function.blocks for op in block.ops]
        while stack:
            op = stack.pop()
            yield op
            stack.extend(inner for region in op.regions for block in region for inner in block.ops)

    def placed(self, name: str) -> list[str]:
        """What stands at the operations of this name."""
        return sorted(self.text(op.at) for op in self.ops() if op.name == name)

    def assigned(self, name: str) -> list[str]:
        return [made.type for made in self.ir.assigned if made.name == name]


def lower(
    folder: Path,
    text: str,
    name: str = "kernel",
    constants: Mapping[str, ConstantValue] = NO_CONSTANTS,
    files: Mapping[str, str] = NO_FILES,  # text by name, without `.py`
    target: str = "cuda:90",
    **types: Type,
) -> Case:
    """``name`` of a file with the text. ``types`` in the order of the parameters; what only ``constants`` has is a
    constexpr after them."""
    for stem, content in {**files, "kernels": text}.items():
        (folder / f"{stem}.py").write_text(HEAD + textwrap.dedent(content), encoding="utf-8")
    project = Project([str(folder)], [str(folder)])
    function = next(f for f in project.module(str(folder / "kernels.py")).functions if f.name == name)
    slice = cut(project, function)
    given = {p.name: types.get(p.name, "constexpr") for p in function.parameters}
    evidence = {p: Evidence("annotation", "", True) for p in given}
    return Case(slice, compiler(target).lower(slice, Signature(dict(given), dict(constants), evidence)))
