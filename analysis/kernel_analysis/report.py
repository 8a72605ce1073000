"""What leaves the analysis for a reader: facts at spans of the text that was analysed, as JSON-able plain data.

The server, the command line and every editor read these and nothing else. ``dataclasses.asdict`` gives the JSON.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from kernel_analysis.facts import Verdict
from kernel_analysis.record import record
from kernel_analysis.span import Span

_LAST_STAGES = {"cuda": ("ptx", "sass"), "hip": ("amdgcn",)}


def stages(target: str) -> tuple[str, ...]:
    """What a kernel is compiled to for a target (``cuda:90``), in the order in which it is made."""
    return ("ttir", "ttgir", "llir", *_LAST_STAGES.get(target.partition(":")[0], ()))


Severity = Literal["error", "warning", "information", "hint"]


@record
class Related:
    """A place that explains a finding."""

    span: Span
    message: str


@record
class Edit:
    """Replace the text at ``span`` (empty: insert)."""

    span: Span
    text: str


@record
class Fix:
    """A quick fix: a title in the imperative and the edits that do it."""

    title: str
    edits: tuple[Edit, ...]


@record
class Finding:
    """One diagnostic. ``code`` names its page ``docs/rules/<code>.md``."""

    code: str
    severity: Severity
    message: str
    span: Span
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()


@record
class Step:
    """A call on the way to a site: where it stands and the function that it calls."""

    span: Span
    function: str


@record
class SiteReport:
    """``facts.Site`` at a span; ``path`` outermost call first. ``condition``: the compile-time tests of the branches
    that it, and the calls that lead there, stand in, as an expression in the kernel's names; ``put.STORE`` is a name of
    the helper `put`. None where it is always compiled."""

    span: Span
    op: str
    masked: bool
    path: tuple[Step, ...] = ()
    condition: str | None = None


@dataclass(slots=True)
class ParameterReport:
    """``facts.ParameterFacts`` with spans. ``span`` is the parameter in the function's head. ``reason`` explains an
    unknown, at ``reason_span``.

    ``type`` is the Triton type of the first signature. ``table_written``: through pointers loaded from it."""

    name: str
    type: str
    span: Span
    read: Verdict
    written: Verdict
    table_read: Verdict
    table_written: Verdict
    reason: str | None = None
    reason_span: Span | None = None
    read_sites: list[SiteReport] = field(default_factory=list[SiteReport])
    write_sites: list[SiteReport] = field(default_factory=list[SiteReport])
    table_read_sites: list[SiteReport] = field(default_factory=list[SiteReport])
    table_write_sites: list[SiteReport] = field(default_factory=list[SiteReport])
    first: Literal["read", "write"] | None = None
    masked_only: bool = False
    uniform_write: bool = False


@record
class ValueReport:
    """The type of a variable where it is assigned: ``int32[1024]``; ``symbolic``: with the names of what is assumed,
    ``int32[BLOCK]``."""

    name: str
    type: str
    span: Span
    symbolic: str | None = None


@record
class CallReport:
    """A call of a jit helper: ``parameters`` are (name in the callee, read, written)."""

    span: Span
    callee: str
    callee_span: Span
    parameters: tuple[tuple[str, Verdict, Verdict], ...]


@record
class ProblemReport:
    """``facts.Problem`` at a span; ``hint`` is advice in plain words; ``chain`` the calls that led there; ``needed``
    what a comment above the function should say, as guessed."""

    code: str
    message: str
    span: Span
    hint: str | None = None
    chain: tuple[Step, ...] = ()
    needed: tuple[str, ...] = ()


@record
class SignatureReport:
    """A signature that was compiled. ``evidence``: per parameter (kind, detail, certain). Times in milliseconds;
    ``cached``: no compile happened for this reply. ``operations``: of TTIR, those of the functions it calls included;
    0 where the function was compiled as part of another. ``launch_options``: ``num_warps`` and the like, where a launch
    with it is written with them. ``target``: what the kernel is written for, where that is not what was asked for.
    ``bound``: what names of the host's code were compiled as that are likely to be something else, and why they may be
    this as well."""

    types: dict[str, Any]
    constants: dict[str, Any]
    evidence: dict[str, tuple[str, str, bool]]
    compile_ms: float
    analysis_ms: float
    cached: bool
    operations: int = 0
    launch_options: dict[str, int] = field(default_factory=dict[str, int])
    target: str | None = None
    bound: dict[str, tuple[Any, str]] = field(default_factory=dict[str, "tuple[Any, str]"])

    def longer(self, milliseconds: float) -> SignatureReport:
        """The same, whose analysis took so much longer."""
        return replace(self, analysis_ms=round(self.analysis_ms + milliseconds, 3))


@dataclass(slots=True)
class KernelReport:
    """Everything to show about one jit function. ``key`` identifies its content (slice hash): same key, same facts.

    ``status``: ``analyzed`` lowered with at least one signature, every parameter decided; ``partial`` lowered,
    something unknown or
    unreached; ``failed`` not lowered. ``recursion``: ``{"cycle": [names], "line": int}`` or None.
    ``launch_options``: ``num_warps`` and the like, where a launch with the first signature is written with them.
    ``specializes``: for which change of which arguments Triton compiles it again; ``variants``: how many times the
    launches in sight have it compiled, at least. ``guessed``: of constants of host code that nobody can know, the value
    that was compiled, and why it is not known."""

    key: str
    file: str
    name: str
    qualname: str
    role: Literal["kernel", "helper"]
    status: Literal["analyzed", "partial", "failed"]
    span: Span
    name_span: Span
    signatures: list[SignatureReport] = field(default_factory=list[SignatureReport])
    parameters: list[ParameterReport] = field(default_factory=list[ParameterReport])
    values: list[ValueReport] = field(default_factory=list[ValueReport])
    calls: list[CallReport] = field(default_factory=list[CallReport])
    problems: list[ProblemReport] = field(default_factory=list[ProblemReport])
    recursion: dict[str, Any] | None = None
    findings: list[Finding] = field(default_factory=list[Finding])
    launch_options: dict[str, int] = field(default_factory=dict[str, int])
    specializes: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    variants: int = 0
    guessed: dict[str, tuple[Any, str]] = field(default_factory=dict[str, "tuple[Any, str]"])
