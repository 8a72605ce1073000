"""What a function does to memory, as plain data in terms of its own arguments, and what its origins mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from kernel_analysis.dataflow.memory.origin import Fields, Origin
from kernel_analysis.facts import AsmFact, Site, UnknownVerdict
from kernel_analysis.ir import At, Function, Op
from kernel_analysis.record import record

Kind = Literal["read", "write"]


@dataclass(slots=True)
class Effect:
    """One access. ``origin`` is that of the address; with ``unknown`` set it is all that reaches an operation which
    may access it.

    ``depends``: what address and mask depend on (arguments and the program), None where the access is conditional."""

    kind: Kind
    origin: Origin
    op: str
    at: At
    path: tuple[At, ...] = ()
    masked: bool = False
    sure: bool = False
    depends: int | None = None
    unknown: str | None = None

    def site(self) -> Site:
        """As the facts show it."""
        return Site(self.op, self.at, self.path, self.masked)


@record
class Escape:
    """What is put into memory, from where it may come back: ``origin`` of the value stored. ``kept``: into shared
    memory, where nothing else is. ``told``: the value is another, and this says whether or where it is put there."""

    origin: Origin
    at: At
    kept: bool = False
    told: bool = False


class Summary:
    """``result``: the origin of a result, by its index. ``calls``: the calls in the function itself."""

    __slots__ = ("assembly", "calls", "effects", "escapes", "function", "result", "uses_program")

    def __init__(self, function: Function, result: Callable[[int], Origin]) -> None:
        self.function, self.result = function, result
        self.effects: list[Effect] = []
        self.escapes: list[Escape] = []
        self.assembly: list[AsmFact] = []
        self.calls: list[Op] = []
        self.uses_program = False

    @property
    def quiet(self) -> bool:
        """Whether it does nothing to memory, for certain."""
        return bool(self.function.names) and not self.effects and not self.escapes and not self.assembly


class Numbering:
    """What origins mean, for functions that are kept from one Ir to the next: their layout, and the numbers of the
    ``reasons`` for ``Fields.reason``. ``of_memory``: see ``Fields``."""

    def __init__(self, width: int, offsets: bool, of_memory: bool) -> None:
        self.fields = Fields(width, of_memory)
        self.program_bit = 1 << width
        self.offsets = offsets
        self.reasons: list[UnknownVerdict] = []
        self._numbers: dict[tuple[str, At], int] = {}

    def reason(self, text: str, op: Op) -> int:
        """The number of a reason why an origin is unknown."""
        key = text, op.at
        if key not in self._numbers:
            self._numbers[key] = len(self.reasons)
            self.reasons.append(UnknownVerdict(text, op.at))
        return self._numbers[key]
