"""Kernels written as text, through the real compiler, under the signatures that tests name: their facts."""

from __future__ import annotations

import atexit
import textwrap
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from kernel_analysis.dataflow import Compile, CompileTrace, Proof, analyze, join
from kernel_analysis.facts import Facts, ParameterFacts
from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.lowering import Compiler
from kernel_analysis.signature.signature_model import Evidence, Signature
from kernel_analysis.source.slice import ConstantValue

HEAD = "import triton\nimport triton.language as tl\n\n"
Type = str | tuple[str, ...]
Constants = Mapping[str, ConstantValue]


@lru_cache(maxsize=2)
def compiler(target: str = "cuda:90") -> Compiler:
    return Compiler(target)


# Before the interpreter ends: Triton's bindings report what outlives them.
atexit.register(compiler.cache_clear)


def facts_of(folder: Path, text: str, *signatures: Constants, target: str = "cuda:90", **types: Type) -> Facts:
    """The facts about ``kernel``, joined over the constants given; what has no type is a constexpr."""
    file = folder / "kernels.py"
    file.write_text(HEAD + textwrap.dedent(text), encoding="utf-8")
    project = Project([str(folder)], [str(folder)])
    function = next(f for f in project.module(str(file)).functions if f.name == "kernel")
    slice = cut(project, function)
    given = {p.name: types.get(p.name, "constexpr") for p in function.parameters}
    evidence = {name: Evidence("annotation", "", True) for name in given}
    many: list[Facts] = []
    compiles: list[Compile] = []
    for constants in signatures or ({},):
        signature = Signature(dict(given), dict(constants), evidence)
        lowered = compiler(target).lower(slice, signature)
        assert lowered.ir is not None, lowered.problem
        many.append(analyze(lowered.ir, slice, signature))
        compiles.append(Compile(signature, CompileTrace.of(lowered.ir)))
    joined = join(many)
    Proof(slice).withhold(joined, compiles)
    return joined


def named(parameters: Sequence[ParameterFacts], name: str) -> ParameterFacts:
    return next(p for p in parameters if p.name == name)


def verdicts(facts: Facts) -> dict[str, str]:
    """Per parameter what is read and written: ``r``, ``w``, ``?r`` and ``?w`` for unknown."""
    out: dict[str, str] = {}
    for fact in facts.parameters:
        marks = {"yes": "{}", "no": "", "unknown": "?{}"}
        out[fact.name] = marks[fact.read.verdict].format("r") + marks[fact.write.verdict].format("w")
    return out
