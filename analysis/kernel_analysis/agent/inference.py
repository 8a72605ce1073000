"""Signatures of kernels, remembered: inferring them takes as long as a compile, and most edits change nothing that
they depend on.

Decides nothing itself; what it remembers it gives only for the same slice in the same surroundings.
"""

from __future__ import annotations

import hashlib
from collections import Counter, OrderedDict

from kernel_analysis.agent.jobs import Job
from kernel_analysis.kernels.project import Project
from kernel_analysis.signature.infer import infer
from kernel_analysis.signature.model import Signature
from kernel_analysis.source import pragma
from kernel_analysis.source.declared import declared
from kernel_analysis.source.module import Module
from kernel_analysis.source.slice import Slice

_ENTRIES = 512


class Inference:
    """``touched`` must be told of every file that changes."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._touches: Counter[str] = Counter()
        self._known: OrderedDict[tuple[str, ...], list[Signature]] = OrderedDict()
        self._surroundings: tuple[Module | None, str] = (None, "")

    def touched(self, file: str) -> None:
        self._touches[file] += 1

    def signatures(self, module: Module, job: Job, slice_: Slice) -> list[Signature]:
        if job.role == "helper":
            # Its types come from the kernels that call it, whose bodies are no part of the key.
            return infer(self._project, job.function, slice_)
        elsewhere = sum(self._touches.values()) - self._touches[module.file]
        generated = repr(declared(job.function.node))
        pinned = repr([(item.name, item.sign, item.text) for item in pragma.items(module, job.function)])
        launches = self._elsewhere(job)
        around = self._around(module)
        key = (module.file, job.function.qualname, slice_.hash, generated, pinned, around, str(elsewhere), launches)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = infer(self._project, job.function, slice_)
            if len(self._known) > _ENTRIES:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return found

    def _elsewhere(self, job: Job) -> str:
        """What says which launches in other files the signatures follow from."""
        launches = () if job.function.launches else self._project.launches_of(job.function)
        files = sorted({file for launch in launches for file in launch.files})
        return " ".join(f"{file}:{hash(self._project.load(file).text)}" for file in files)

    def _around(self, module: Module) -> str:
        """A hash of the file without the bodies of its jit functions, comments and blank lines: launches, host code,
        decorators."""
        if self._surroundings[0] is not module:
            lines = [_code(line) for line in module.lines]
            for function in module.functions:
                last = function.node.end_lineno or function.node.lineno
                lines[function.node.lineno - 1 : last] = [""] * (last - function.node.lineno + 1)
            text = "\n".join(line for line in lines if line)
            self._surroundings = (module, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
        return self._surroundings[1]


def _code(line: str) -> str:
    """The line without its comment, where that can be told without a tokenizer."""
    if "#" not in line:
        return line.rstrip()
    before = line.split("#", 1)[0]
    return line.rstrip() if "'" in before or '"' in before else before.rstrip()
