"""Signatures of kernels written as text: the real source room, and the real compiler where a test asks for it."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pytest

from kernel_analysis.facts import Problem
from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.lowering import Compiler, Lowered
from kernel_analysis.signature.infer import infer
from kernel_analysis.signature.signature_model import Signature
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.slice import Slice

HEAD = """import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor
"""


@lru_cache(maxsize=1)
def compiler() -> Compiler:
    return Compiler("cuda:90")


# Before the interpreter ends: Triton's bindings report what outlives them.
atexit.register(compiler.cache_clear)


@dataclass
class Case:
    """A jit function with its signatures."""

    project: Project
    function: JitFunction
    functions: list[JitFunction]
    slice: Slice
    signatures: list[Signature]

    @property
    def first(self) -> Signature:
        return self.signatures[0]

    def lower(self, signature: Signature) -> Lowered | Problem:
        lowered = compiler().lower(self.slice, signature)
        return lowered.problem or lowered

    def attempt(self, signature: Signature) -> tuple[Signature, Lowered] | Problem:
        lowered = self.lower(signature)
        return lowered if isinstance(lowered, Problem) else (signature, lowered)

    def compiles(self) -> bool:
        return all(isinstance(self.lower(s), Lowered) for s in self.signatures)


@pytest.fixture
def case(tmp_path: Path) -> Callable[..., Case]:
    """``case(text, name="kernel")``: the jit function of that name in a file with the text. ``other="..."``: beside a
    file of that name, which is looked at, too."""

    def make(text: str, name: str = "kernel", **others: str) -> Case:
        file = tmp_path / "kernels.py"
        file.write_text(HEAD + text)
        for other, content in others.items():
            (tmp_path / f"{other}.py").write_text(content)
        project = Project([str(tmp_path)], [str(tmp_path)], patient=bool(others))
        functions = project.module(str(file)).functions
        function = next(f for f in functions if f.name == name)
        slice = cut(project, function)
        return Case(project, function, functions, slice, infer(project, function, slice))

    return make
