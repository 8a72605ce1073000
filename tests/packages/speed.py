"""How long ``check`` takes for other people's kernels, the first time and again, against the bare compiler's own time.
By hand: ``make corpus``.

Prints Markdown. The bare calls are made one after the other in one process, with the very slices and signatures that
``check`` compiles, and nothing of the analysis in the front end.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from kernel_analysis.attempt.compile import Work
from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.lowering import Compiler
from kernel_analysis.lowering.compiler import Lowered
from kernel_analysis.lowering.front import quick_types
from kernel_analysis.lowering.front.frontend import WatchedGenerator, compat
from kernel_analysis.signature.infer import infer
from kernel_analysis.signature.signature_model import Signature
from kernel_analysis.source.slice import Slice

ROUNDS = 7


class Noting(Compiler):
    """Keeps what it was asked to compile."""

    def __init__(self, target: str) -> None:
        self.asked: list[tuple[Slice, Signature]] = []
        super().__init__(target)
        self.asked.clear()  # of what it proves itself sound with

    def lower(self, slice: Slice, signature: Signature) -> Lowered:
        self.asked.append((slice, signature))
        return super().lower(slice, signature)


def compiles(directory: Path) -> list[tuple[Slice, Signature]]:
    compiler = Noting("cuda:90")
    files = sorted(str(path) for path in directory.rglob("*.py") if b"jit" in path.read_bytes())
    project = Project([str(directory)], [str(directory), *filter(os.path.isdir, sys.path)], patient=True)
    for file in files:
        for function in project.module(file).functions:
            slice_ = cut(project, function)
            Work(compiler, slice_).outcome(infer(project, function, slice_))
    return compiler.asked


def bare(asked: list[tuple[Slice, Signature]]) -> float:
    """Seconds in ``make_ir``; a compile that fails counts until it does."""
    compiler: Any = Compiler("cuda:90")  # its inside: what is around the compiler must not count
    generators: Any = compat.code_generator
    generators.CodeGenerator = next(base for base in WatchedGenerator.__mro__ if base.__module__.startswith("triton."))
    quick_types.remember(wanted=False)
    seconds = 0.0
    try:
        for slice_, signature in asked:
            context = compiler._context(slice_.functions[0].gluon)
            compiler._built = compiler._build.Built(slice_)
            started = time.process_time()
            with compiler._output.caught(), suppress(Exception):
                compiler._make_ir(slice_, signature, context)
            seconds += time.process_time() - started
    finally:
        generators.CodeGenerator = WatchedGenerator
        quick_types.remember()
    return seconds


def check(directory: Path, cache: str, bytecode: str) -> tuple[float, float]:
    """Seconds of the command, and of processors in all of its processes, their start included; with bytecode kept, as
    where it was installed."""
    command = [sys.executable, "-m", "triton_ls", "check", "--format", "json", "."]
    environment = {**os.environ, "XDG_CACHE_HOME": cache, "PYTHONPYCACHEPREFIX": bytecode}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    if done.returncode > 1 or not done.stdout:
        raise RuntimeError(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    workers = len(os.sched_getaffinity(0))
    print(f"\n## Speed, {workers} workers\n")
    columns = "compiles | make_ir, s | cold, s | of processors | / make_ir | cold / (make_ir / workers) | warm, s"
    print(f"| package | {columns} | cold / warm |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for argument in sys.argv[1:]:
        directory = Path(argument).resolve()
        asked = compiles(directory)
        rounds: list[tuple[float, float, float, float]] = []
        with tempfile.TemporaryDirectory() as bytecode:
            check(directory, os.path.join(bytecode, "first"), bytecode)
            for _ in range(ROUNDS):
                with tempfile.TemporaryDirectory() as cache:
                    cold, processors = check(directory, cache, bytecode)
                    warm, _ = check(directory, cache, bytecode)
                rounds.append((bare(asked), cold, processors, warm))
        best = [min(values) for values in zip(*rounds, strict=True)]
        of_processors = spread(processors / alone for alone, _, processors, _ in rounds)
        of_time = spread(cold / (alone / workers) for alone, cold, _, _ in rounds)
        times = spread(cold / warm for _, cold, _, warm in rounds)
        print(
            f"| {directory.name} | {len(asked)} | {best[0]:.2f} | {best[1]:.2f} | {best[2]:.2f} "
            f"| {of_processors} | {of_time} | {best[3]:.2f} | {times} |"
        )
    print(
        f"\nTimes are the best of {ROUNDS} rounds, ratios the median of those within each round, with the least and "
        "the most. Where others use the machine, too, the processors' time says more than the clock's."
    )


def spread(ratios: Iterable[float]) -> str:
    values = sorted(ratios)
    return f"{statistics.median(values):.2f} ({values[0]:.2f} - {values[-1]:.2f})"


if __name__ == "__main__":
    main()
