"""Signatures of kernels, remembered: inferring them takes as long as a compile, and most edits change nothing that
they depend on.

Decides nothing itself; what it remembers it gives only for the same slice in the same surroundings.
"""

from __future__ import annotations

from collections import OrderedDict

from kernel_analysis.agent.file.function_jobs import FunctionJob
from kernel_analysis.kernels.project import Project
from kernel_analysis.signature.infer import infer
from kernel_analysis.signature.signature_model import Signature
from kernel_analysis.source.comments import pragma_comment
from kernel_analysis.source.module import Module
from kernel_analysis.source.slice import Slice
from kernel_analysis.source.tree.triton_meta import declared

_ENTRIES = 1024


class Inference:
    def __init__(self, project: Project) -> None:
        self._project = project
        self._known: OrderedDict[tuple[str, ...], tuple[list[Signature], frozenset[str]]] = OrderedDict()

    def signatures(self, module: Module, job: FunctionJob, slice_: Slice) -> list[Signature]:
        if job.role == "helper":
            # Its types come from the kernels that call it, whose bodies are no part of the key.
            return infer(self._project, job.function, slice_)
        elsewhere = self._project.changes_beside(module.file)
        generated = repr(declared(job.function.node))
        pinned = repr([(item.name, item.sign, item.text) for item in pragma_comment.items(module, job.function)])
        launches = self._elsewhere(job)
        around = self._project.host_text.of(module)
        where = (module.file, job.function.qualname, str(job.function.node.lineno))  # there may be two with its name
        key = (*where, slice_.hash, generated, pinned, around, str(elsewhere), launches)
        found = self._known.get(key)
        if found is None:
            with self._project.resolver.reading() as files:
                signatures = infer(self._project, job.function, slice_)
            found = self._known[key] = (signatures, frozenset(files))
            if len(self._known) > _ENTRIES:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        self._project.resolver.read(found[1])
        return found[0]

    def _elsewhere(self, job: FunctionJob) -> str:
        """What says which launches in other files the signatures follow from."""
        launches = () if job.function.launches else self._project.launches_of(job.function)
        files = sorted({file for launch in launches for file in launch.files})
        return " ".join(f"{file}:{hash(self._project.load(file).text)}" for file in files)
