"""``aliased-arguments``, asked of the kernels to which a launch passes one tensor twice: where these access memory is
looked for only then, once for each text of a kernel. Bounded by what the compiler takes for one signature."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from kernel_analysis.agent.kept.cache import cache_key
from kernel_analysis.attempt.compile import Work
from kernel_analysis.dataflow.twice.addresses import Address, addresses
from kernel_analysis.host.tensors.launches.aliases import aliases
from kernel_analysis.lowering import Compiler
from kernel_analysis.report import Finding
from kernel_analysis.rules import aliased_arguments
from kernel_analysis.rules.subject import FileSubject, Subject
from kernel_analysis.signature.signature_model import Signature

_MOST: Final = 512


@dataclass(slots=True)
class Aliased:
    """``compiler`` is there: the kernel was compiled."""

    compiler: Callable[[], Compiler]
    _known: OrderedDict[str, list[Address]] = field(default_factory=OrderedDict[str, "list[Address]"])

    def findings(self, file: FileSubject, subject: Subject, signatures: list[Signature]) -> list[Finding]:
        """About the launches of the kernel in its file."""
        twice = [launch for launch in file.launches_of(subject.function.node) if aliases(launch)]
        if not twice or not subject.report.signatures:
            return []
        key = cache_key(subject.slice.hash, signatures[:1], "", "")
        if key not in self._known:
            _, lowered = Work(self.compiler(), subject.slice).first(signatures)
            self._known[key] = (addresses(lowered.ir) if lowered.ir is not None else None) or []
            if len(self._known) > _MOST:
                self._known.popitem(last=False)
        return list(aliased_arguments.check(subject, twice, self._known[key]))
