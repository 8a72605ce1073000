"""What the server and the two processes of a run say to each other: one that plans a launch, one that executes it.

Typed dictionaries: what a run comes to is what ``run --format json`` prints, as it is. The server holds each message
against them (``typed``). May import nothing of ours.
"""

from __future__ import annotations

from typing import Any, Final, TypedDict


class DeviceData(TypedDict):
    kind: str
    name: str
    target: str
    memory: int


class Plan(TypedDict):
    """To the one that plans. ``wanted``: ``launch``, ``script`` or ``pin``; ``label``: which of several pinned ones;
    ``smaller``: how many steps smaller than the first choice."""

    file: str
    kernel: str
    roots: list[str]
    wanted: str
    documents: dict[str, str]
    device: DeviceData
    processors: int
    label: str | None
    smaller: int


class PlannedLaunch(TypedDict):
    """What the server reads of a launch; the rest is for the one that executes it. ``places``: for stretches of the
    module's lines (the first, how many) the file and line that they are from."""

    pragma: str
    places: list[list[Any]]


class Planned(TypedDict):
    launch: PlannedLaunch
    smaller: int | None


class Script(TypedDict):
    script: str


class PinAnswer(TypedDict):
    """The line to write above, and the text."""

    pin: list[Any]


class Refusal(TypedDict):
    refused: str
    missing: list[str]
    place: list[Any] | None
    kind: str


class DeviceWanted(TypedDict):
    """To the one that executes, first: which device."""

    device: str | None


class Order(TypedDict):
    """To the one that executes, then: ``launch`` as it was planned."""

    launch: PlannedLaunch
    folder: str
    seconds: float


class Versions(TypedDict):
    """``pair``: what is wrong with these two together."""

    triton: str
    torch: str
    python: str
    pair: str | None


class RanOn(Versions):
    kind: str
    name: str
    target: str


class Found(TypedDict):
    event: str
    device: DeviceData
    processors: int
    told: Versions


class Doing(TypedDict):
    event: str
    message: str


class _Failed(TypedDict):
    event: str
    kind: str
    message: str


class Failed(_Failed, total=False):
    """``places``: lines of the executed module."""

    places: list[int]


class Time(TypedDict):
    median: float
    low: float
    high: float


class _Resources(TypedDict):
    registers: int
    spills: int
    shared_bytes: int
    warps: int
    stages: int | None


class Resources(_Resources, total=False):
    """What a compiled kernel takes of a GPU. ``occupancy``: the share of a multiprocessor's warps that can be resident
    at once."""

    occupancy: float | None


class ConfigRow(TypedDict, total=False):
    constants: dict[str, Any]
    options: dict[str, Any]
    time_ms: Time
    resources: Resources | None
    error: str


class _Passed(TypedDict):
    name: str
    kind: str


class Passed(_Passed, total=False):
    """An argument as it was passed."""

    type: str
    elements: int
    fill: str
    low: float
    high: float
    shape: list[int]
    before: int
    items: list[Any]
    value: Any


class Claimed(TypedDict):
    read: str
    written: str


class Observed(TypedDict):
    """``read``: None where only writes can be seen."""

    read: bool | None
    written: bool


class Compared(TypedDict):
    name: str
    claimed: Claimed
    observed: Observed
    reason: str | None
    verdict: str


class _Output(TypedDict):
    name: str
    written: int
    size: int


class Output(_Output, total=False):
    """What was written into a buffer."""

    type: str
    elements: int
    nan: int
    inf: int
    min: float
    max: float
    mean: float
    first: list[Any]


class _Ran(TypedDict):
    kernel: str
    label: str
    grid: list[int]
    arguments: list[Passed]
    assumed: list[str]
    outputs: list[Output]
    checks: list[Compared]
    warnings: list[str]
    time_ms: Time | None


class Measured(TypedDict, total=False):
    """What is measured on a GPU only. ``bytes``, ``gbps``, ``percent_of_copy``: None where how much it moved is not
    known."""

    resources: Resources | None
    configs: list[ConfigRow]
    winner: int
    bytes: int | None
    gbps: float | None
    copy_gbps: float
    percent_of_copy: float | None
    flops: float
    tflops: float


class Ran(_Ran, Measured, total=False):
    """What a launch came to: what depends on the kernel and the device may not be there."""

    seconds: float


class _On(TypedDict):
    device: RanOn


class RunResult(Ran, _On, total=False):
    """What a run came to, with where that was, and the launch as it can be pinned."""

    pragma: str


class Finished(TypedDict):
    event: str
    result: RunResult


EVENTS: Final[dict[str, type]] = {"device": Found, "progress": Doing, "error": Failed, "result": Finished}
"""What the one that executes says."""

ANSWERS: Final[dict[str, type]] = {"launch": Planned, "script": Script, "pin": PinAnswer, "refused": Refusal}
"""What the one that plans says, by what is in it."""
