"""What the server and an agent say to each other (docs/agent.md), as the one writes it and the other reads it.

What an agent is sent are typed dictionaries, because they cost no conversion at either end; its ``parameters`` holds
what came against them. What it says is plain data, which the server's ``reports`` reads back. May import plain data
only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final, Literal, TypeAlias, TypedDict

from kernel_analysis.files import FileStamp
from kernel_analysis.record import record
from kernel_analysis.report import Finding, KernelReport, ValueReport
from kernel_analysis.span import Span

Level: TypeAlias = Literal["off", "hint", "information", "warning", "error"]


class SettingsSent(TypedDict, total=False):
    target: str
    cache: bool
    memory_limit_mb: int
    patient: bool
    readable: list[str]
    directory: str | None


class Initialize(TypedDict, total=False):
    roots: list[str]
    settings: SettingsSent


class Budget(TypedDict):
    seconds: float
    share: float
    reason: str


class _File(TypedDict):
    file: str


class _Generation(TypedDict):
    generation: int


class _Text(TypedDict):
    text: str | None


class Analyze(_File, _Generation, total=False):
    first_line: int | None
    skip: dict[str, str]
    severity: dict[str, Level]
    budget: Budget | None


class Document(_File, _Text):
    """The editor's text stands in for the file's."""


class Changed(TypedDict):
    files: list[str]


class Cancel(_Generation):
    """Read apart from all others, to the letter: see the agent's channel."""


class FunctionAsked(_File):
    """What is made of one function on demand."""

    qualname: str


class Lower(FunctionAsked, total=False):
    """``config``: which of those that ``configs`` lists; else as the kernel is launched."""

    config: int


class Shapes(FunctionAsked):
    """``choice``: one of those that were offered; None to ask which there are."""

    choice: str | None


class StageAsked(TypedDict):
    """Of what ``lower`` answered, and how far to take it."""

    module: str
    gluon: bool
    options: dict[str, Any]
    files: list[str]
    head: str
    qualname: str
    stage: str


REQUESTS: Final[Mapping[str, type]] = {
    "initialize": Initialize,
    "analyze": Analyze,
    "ir": FunctionAsked,
    "configs": FunctionAsked,
    "lower": Lower,
    "customOp": FunctionAsked,
    "shapes": Shapes,
    "stage": StageAsked,
}

NOTIFICATIONS: Final[Mapping[str, type]] = {"document": Document, "changed": Changed, "cancel": Cancel}
"""To the agent, beside ``exit``, which has nothing to say."""


@record
class Identity:
    """Who the agent is: its Python, and its Triton or why there is none. ``packages``: the directories of what is
    installed there, that of Triton itself first where there is one."""

    python: str
    executable: str
    triton: str | None = None
    triton_error: str | None = None
    packages: tuple[str, ...] = ()


@record
class Reply:
    """The end of an ``analyze`` request. ``final``: the same question would be answered the same. ``depends``: the
    files that it was read from, each with the stamp of what was read, None where that was not on disk."""

    file: str
    digest: str
    depends: dict[str, FileStamp | None] = field(default_factory=dict[str, "FileStamp | None"])
    compiles: int = 0
    final: bool = False
    generation: int = 0


@record
class Printed:
    """A module of the compiler's to read: ``map`` has [line of the text from 0, file, line] for each that comes from
    one of the user's."""

    text: str
    map: list[tuple[int, str, int]]


@record
class LateStage(Printed):
    """One behind the front end. ``options``: those of a launch that it was compiled with; ``resources``: what the
    finished kernel takes of a GPU, where that was asked for."""

    options: dict[str, Any]
    resources: dict[str, int]


@record
class ConfigList:
    """The autotune configs of a kernel in words; ``vary`` says why there may be others."""

    configs: list[str]
    vary: str | None


@record
class CompiledFor:
    """What is true of what was compiled: of the function with this ``key`` under these types, constants and launch
    options only."""

    key: str
    target: str
    types: dict[str, Any]
    constants: dict[str, Any]
    launch_options: dict[str, int]


@record
class FrontEnd:
    """A module as the front end makes it for a launch, for ``stage``, and a ``head`` for people."""

    module: str
    gluon: bool
    options: dict[str, Any]
    files: list[str]
    head: str
    about: CompiledFor


@record
class ShapeChoices:
    """The configs and launches of which the shapes in a kernel can be shown alone, and the types for the one that was
    asked for; of the content with this ``key``."""

    key: str
    choices: list[str]
    values: list[ValueReport] | None = None


@record
class Insertion:
    """Whole lines that go before a line of the file, counted from 1."""

    line: int
    text: str


@record
class Insertions:
    """For a torch custom op around a kernel."""

    insertions: tuple[Insertion, ...]


REPLIES: Final[Mapping[str, type]] = {
    "initialize": Identity,
    "analyze": Reply,
    "ir": Printed,
    "configs": ConfigList,
    "lower": FrontEnd,
    "customOp": Insertions,
    "shapes": ShapeChoices,
    "stage": LateStage,
}
"""What each request is answered with."""

ASKED: Final[Mapping[type, str]] = {kind: method for method, kind in REPLIES.items()}


@record
class Entry:
    """A jit function of the file as the agent's ``index`` lists it; ``stale``: its text does not parse at present."""

    key: str
    name: str
    qualname: str
    role: Literal["kernel", "helper"]
    span: Span
    name_span: Span
    stale: bool = False


@record
class Index:
    """What is known of a file before anything is compiled."""

    kernels: tuple[Entry, ...]
    findings: tuple[Finding, ...]
    file: str = ""
    generation: int = 0


@record
class Turn:
    """All that is done until the next notification is about this function."""

    file: str
    generation: int
    key: str
    qualname: str


@record
class Started(Turn):
    """The compiler is about to run for it."""


@record
class Reported:
    """All that is known of a function."""

    file: str
    generation: int
    report: KernelReport


@record
class Early(Reported):
    """What is known of it so far."""


@record
class About:
    """More about the file as a whole: what it does with kernels of other files."""

    file: str
    generation: int
    findings: tuple[Finding, ...]


@record
class Reading:
    """Files of the workspace are read, which may be many."""

    file: str
    generation: int


@record
class Outdated:
    """Other launches are known now for kernels in these files."""

    files: list[str]


@record
class Keep:
    """To be stored, under keys, in base64."""

    entries: list[tuple[str, str]]


@record
class Recall:
    """Asks for what is stored under these keys."""

    keys: list[str]


@record
class Protection:
    """What a process gave up before it looked at the first kernel (docs/security.md): ``landlock`` is its version, 0
    for none. ``missing``: sentences on what this system does not do, and what could happen for want of it."""

    audit: bool
    seccomp: bool
    landlock: int
    missing: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """One line."""
        held = [
            *(["Python's audit hook"] if self.audit else []),
            *(["seccomp"] if self.seccomp else []),
            *([f"Landlock {self.landlock}"] if self.landlock else []),
        ]
        return " ".join([f"{', '.join(held) or 'nothing'} below the gate.", *self.missing])


Said: TypeAlias = Index | Turn | Started | Reported | Early | About | Reading | Outdated | Keep | Protection

SAID: Final[Mapping[str, type[Said]]] = {
    "index": Index,
    "turn": Turn,
    "started": Started,
    "kernel": Reported,
    "early": Early,
    "about": About,
    "reading": Reading,
    "outdated": Outdated,
    "keep": Keep,
    "sealed": Protection,
}
"""The notifications from the agent."""

METHODS: Final[Mapping[type[Said], str]] = {kind: method for method, kind in SAID.items()}
