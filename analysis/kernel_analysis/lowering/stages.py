"""A kernel taken further than the front end by the backend's own passes and tools: TTGIR, LLVM IR, assembly, machine
code, and what it takes of a GPU. Needs none; only ever runs when somebody asks for it, in a process that never sees the
user's Python."""

# pyright: basic
from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kernel_analysis import report
from kernel_analysis.lowering import compat
from kernel_analysis.lowering.printed import lines

BINARY = "cubin"
"""No text, but ptxas says what the kernel takes when it makes it."""


class CannotMake(Exception):
    """This stage can't be made; the message is a sentence for the user."""


@dataclass(frozen=True)
class MadeStage:
    """A stage as text, with the user's place of each of its lines. ``log``: what the tools wrote; ``metadata``:
    Triton's own about the kernel."""

    text: str
    lines: lines.Lines
    metadata: dict[str, Any]
    log: str


def front_end(module: str) -> MadeStage:
    """What the front end made, as it is."""
    return MadeStage(module, lines.mlir(module.split("\n")), {}, "")


def parsed(module: str, context: Any) -> Any:
    """The module of its text."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir", encoding="utf-8") as file:
        file.write(module)
        file.flush()
        made = compat.mlir.parse_mlir_module(file.name, context)
    made.context = context
    return made


def make(
    stage: str,
    module: Any,
    backend: Any,
    options: Any,
    target: Any,
    gluon: bool,
    name_of: Callable[[int], str],
    log: Callable[[], str],
) -> MadeStage:
    """The stage of a module that the front end made under ``options``; it is changed on the way. ``log()``: what was
    written to standard output so far. Raises CannotMake, and whatever the backend raises."""
    known = report.stages(target.backend)
    if stage not in (*known, BINARY):
        raise CannotMake(f"There is no stage `{stage}` for {target.backend}; there are {', '.join(known)}.")
    metadata: dict[str, Any] = {"target": target, **options.__dict__}
    wanted = "cubin" if stage == "sass" else stage
    value: Any = module
    with compat.tools_talk():
        for name, step in compat.stages(backend, options, gluon).items():
            value = step(lines.for_assembler(value) if name == "cubin" else value, metadata)
            if isinstance(value, str):
                value = lines.without_false_places(value)
            if name == wanted:
                break
        else:
            raise CannotMake(f"Triton {compat.triton_version} makes no `{wanted}` for {target.backend}.")
    if stage == BINARY:
        text, places = "", {}
    elif stage == "sass":
        text, places = lines.sass(_disassembled(value), name_of)
    else:
        text = str(value)
        read = {"llir": lines.llvm, "ptx": lines.assembly, "amdgcn": lines.assembly}.get(stage, lines.mlir)
        places = read(text.split("\n"))
    return MadeStage(text, places, metadata, log())


def resources(made: MadeStage, backend: str) -> dict[str, Any]:
    """What one program takes: per thread ``registers`` and ``spills`` (registers kept in memory), ``shared_bytes`` for
    all of it."""
    found: dict[str, Any] = {"shared_bytes": made.metadata.get("shared") or 0}
    if backend == "hip":
        counts = dict(re.findall(r"^    \.(\w+_(?:count|size)):\s+(\d+)$", made.text, re.MULTILINE))
        found["registers"] = int(counts.get("vgpr_count", 0))
        found["scalar_registers"] = int(counts.get("sgpr_count", 0))
        found["spills"] = int(counts.get("vgpr_spill_count", 0)) + int(counts.get("sgpr_spill_count", 0))
        found["stack_bytes"] = int(counts.get("private_segment_fixed_size", 0))
        return found
    used = re.search(r"Used (\d+) registers", made.log)
    spilled = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", made.log)
    if used is None or spilled is None:
        raise CannotMake("ptxas did not say how many registers it used.")
    stack, stores, loads = map(int, spilled.groups())
    return {
        **found, "registers": int(used[1]), "spills": stores // 4, "stack_bytes": stack,
        "spill_store_bytes": stores, "spill_load_bytes": loads,
    }  # fmt: skip


def explained(error: Exception, said: str) -> str:
    """Why a stage could not be made, in one sentence: the tools' own words are among what they printed."""
    if isinstance(error, CannotMake):
        return str(error)
    text = f"{said}\n{error}"
    for pattern in (r"ptxas [^\n]*?error *: *([^\n]*)", r"ptxas fatal *: *([^\n]*)", r"error: ([^\n]*)"):
        found = re.search(pattern, text)
        if found is not None:
            return f"The compiler's later passes do not take this kernel: {found[1].strip().rstrip('.')}."
    first = str(error).strip().partition("\n")[0] or type(error).__name__
    return f"The compiler's later passes do not take this kernel: {first.rstrip('.')}."


def _disassembled(cubin: bytes) -> str:
    program = compat.disassembler()
    if program is None:
        raise CannotMake(f"SASS is read with nvdisasm, which Triton {compat.triton_version} did not bring here.")
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        done = subprocess.run(
            [program, "-g", "-c", file.name], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
    if done.returncode:
        raise CannotMake(f"nvdisasm could not read what ptxas made: {done.stderr.strip() or done.returncode}.")
    return done.stdout
