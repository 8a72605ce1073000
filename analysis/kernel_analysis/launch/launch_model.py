"""A launch as plain data: what the plan decides, and what the worker and the script need to know. JSON-able."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from kernel_analysis.record import record

Kind = Literal["tensor", "scalar", "constexpr", "none", "descriptor", "table", "tuple"]


class LaunchRefused(Exception):
    """No safe launch can be made; the message says why, ``missing`` which parameters a pragma would have to give,
    ``place`` the file and line that it is about. ``kind`` for programs."""

    def __init__(
        self,
        message: str,
        missing: tuple[str, ...] = (),
        place: tuple[str, int] | None = None,
        kind: str = "refused",
    ) -> None:
        super().__init__(message)
        self.missing, self.place, self.kind = missing, place, kind


@record
class Device:
    """``kind``: ``interpreter`` (CPU) or torch's word for a GPU (``cuda``, ``xpu``)."""

    kind: str
    name: str
    target: str
    memory: int

    @property
    def interpreted(self) -> bool:
        return self.kind == "interpreter"


@dataclass(slots=True)
class LaunchArgument:
    """What a launch passes for one parameter (or element of a tuple, which ``items`` has).

    ``type`` as signatures write it (``fp32`` for a tensor of it). ``size``: the elements of a buffer; ``before``: those
    that lie before the one that the kernel is given. ``fill``: ``randn``, ``randint`` (``low`` to ``high``), ``zeros``,
    ``ones``, ``arange``, ``full`` (``low``) or ``poison``. ``touched``: the elements
    that the kernel may touch, where not all of them. ``shape``: what is shown. ``read`` and ``written``:
    what the analysis claims."""

    name: str
    kind: Kind
    type: str = ""
    value: Any = None
    size: int = 0
    before: int = 0
    fill: str = ""
    low: float = 0
    high: float = 0
    shape: tuple[int, ...] = ()
    block: tuple[int, ...] = ()
    read: str = "no"
    written: str = "no"
    reason: str | None = None
    why: str = ""
    touched: int | None = None
    items: list[LaunchArgument] = field(default_factory=list["LaunchArgument"])
    target: LaunchArgument | None = None


@dataclass(slots=True)
class ExecutableLaunch:
    """``source``: the module that is executed; its ``CONSTANTS`` has the constexpr values. ``configs``: those of an
    autotuned kernel, each with its constants and options. ``assumed``: sentences. ``flops``: of all ``tl.dot``.
    ``places``: for stretches of the source's lines (the first, how many) the file and line that they are from.
    ``pragma``: the comment that pins this launch. ``scale``: which of the sizes to choose from it has;
    ``pinned``: whether a comment gives them."""

    kernel: str
    entry: str
    source: str
    grid: tuple[int, int, int]
    arguments: list[LaunchArgument]
    label: str = ""
    pragma: str = ""
    configs: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    grid_of: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    options: dict[str, int] = field(default_factory=dict[str, int])
    assumed: list[str] = field(default_factory=list[str])
    flops: float | None = None
    timed: bool = True
    scale: int = 0
    pinned: bool = False
    places: list[tuple[int, int, str, int]] = field(default_factory=list[tuple[int, int, str, int]])

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def launch_from_json(data: dict[str, Any]) -> ExecutableLaunch:
    """What ``to_json`` gave."""
    given: dict[str, Any] = {
        **data,
        "arguments": [_argument(item) for item in data["arguments"]],
        "grid": tuple(data["grid"]),
    }
    return ExecutableLaunch(**given)


def _argument(data: dict[str, Any]) -> LaunchArgument:
    made = LaunchArgument(**data)
    made.items = [_argument(item) for item in data["items"]]
    made.target = None if data["target"] is None else _argument(data["target"])
    made.shape, made.block = tuple(data["shape"]), tuple(data["block"])
    return made
