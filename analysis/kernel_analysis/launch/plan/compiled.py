"""A kernel compiled under the values that it is to be launched with, each set of them once. Knows no launch."""

from __future__ import annotations

import ast
import math
from dataclasses import replace
from typing import Any

from kernel_analysis import paths
from kernel_analysis.attempt.compile import Work
from kernel_analysis.dataflow import analyze
from kernel_analysis.facts import Facts, Problem
from kernel_analysis.ir import Ir
from kernel_analysis.kernels.cut import NotCut, cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.launch.follow import UNKNOWN
from kernel_analysis.launch.launch_model import LaunchRefused
from kernel_analysis.launch.plan.known_arguments import plain
from kernel_analysis.launch.plan.machine_limits import TooBig
from kernel_analysis.lowering import Compiler
from kernel_analysis.record import record
from kernel_analysis.signature.infer import infer
from kernel_analysis.signature.signature_model import Evidence, Signature
from kernel_analysis.source.kernel import JitFunction

_SECONDS = 2.0
_TOO_BIG = {"too-many-elements", "too-long"}


@record
class CompiledVersion:
    """The kernel under one signature."""

    signature: Signature
    ir: Ir
    facts: Facts


class CompiledKernel:
    """One kernel of one project. ``base``: its version under the likeliest signature."""

    def __init__(self, project: Project, function: JitFunction, compiler: Compiler) -> None:
        try:
            self.project, self.function, self.slice = project, function, cut(project, function)
        except NotCut as why:
            raise LaunchRefused(f"`{function.qualname}` can't be cut out of its file: {why}.") from why
        self._work, self._compiler = Work(compiler, self.slice), compiler
        compiler.seconds = math.inf
        signatures = infer(project, function, self.slice)
        _refuse_helper(function, signatures[0])
        base = self._first(signatures)
        if isinstance(base, Problem):
            raise self._refused(base)
        self.base = base
        self._known: dict[str, CompiledVersion | None] = {}

    def under(self, constants: dict[str, Any], types: dict[str, str], strict: bool = False) -> CompiledVersion:
        """The kernel under other constexpr values or types. Where it can't be compiled with them: as it is, or Refused
        where that is ``strict``."""
        base = self.base.signature
        types = {name: kind for name, kind in types.items() if base.types.get(name) != kind}
        kinds = {**base.types, **types}
        mine = {name: v for name, v in constants.items() if kinds.get(name) == "constexpr" and plain(v)}
        if all(base.constants.get(name, UNKNOWN) == v for name, v in mine.items()) and not types:
            return self.base
        key = repr((sorted(mine.items()), sorted(types.items())))
        if key not in self._known:
            chosen = Evidence("launch", "chosen for the launch", True)
            kept = {n: v for n, v in base.constants.items() if n not in types}
            signature = replace(
                base,
                constants={**kept, **mine},
                types=kinds,
                evidence={**base.evidence, **dict.fromkeys([*mine, *types], chosen)},
            )
            self._compiler.seconds = math.inf if strict else _SECONDS
            found = self._first([signature])
            if isinstance(found, Problem) and strict:
                raise self._refused(found)
            if isinstance(found, Problem) and _TOO_BIG.intersection(found.kind.topics):
                raise TooBig("its blocks or unrolled loops are too large to be compiled") from self._refused(found)
            self._known[key] = None if isinstance(found, Problem) else found
        return self._known[key] or self.base

    def _first(self, signatures: list[Signature]) -> CompiledVersion | Problem:
        """Under the first of the signatures that compiles."""
        used, lowered = self._work.first(signatures)
        if lowered.ir is None:
            assert lowered.problem is not None
            return lowered.problem
        return CompiledVersion(used, lowered.ir, analyze(lowered.ir, self.slice, used))

    def _refused(self, problem: Problem) -> LaunchRefused:
        span = self.slice.span(problem.at)
        message = f"`{self.function.qualname}` does not compile: {problem.message}"
        return LaunchRefused(message, place=None if span is None else (span.file, span.line))


def _is_called(function: JitFunction, name: str) -> bool:
    """Whether a function calls its parameter of this name."""
    calls = (node.func for node in ast.walk(function.node) if isinstance(node, ast.Call))
    return any(isinstance(called, ast.Name) and called.id == name for called in calls)


def _refuse_helper(function: JitFunction, signature: Signature) -> None:
    """Raises Refused for a function that is only ever handed what no launch can pass, or what none of ours does."""
    for path in signature.names:
        said = f"`{function.qualname}` can't be launched here: its `{paths.owner(path)}` is a named tuple"
        raise LaunchRefused(
            f"{said}, a class of yours. Pass plain tuples or single parameters to run it.", kind="no-kernel"
        )
    for name, kind in signature.types.items():
        if isinstance(kind, str) and kind.startswith("tensordesc_im2col"):
            why = "takes blocks out of an image, and none like that is made for a launch"
            raise LaunchRefused(f"`{function.qualname}` can't be launched here: its `{name}` {why}.", kind="no-kernel")
        block = isinstance(kind, str) and kind.endswith("]") and not kind.startswith("tensordesc")
        called = signature.evidence[name].kind == "call" and _is_called(function, name)
        if block or called:
            what = f"a block (`{kind}`)" if block else "a jit function of the caller's"
            raise LaunchRefused(
                f"`{function.qualname}` can't be launched: its `{name}` is {what}, which only another jit function can "
                "pass. Run the kernel that calls it.",
                kind="no-kernel",
            )
