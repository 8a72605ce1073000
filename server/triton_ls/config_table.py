"""What a kernel takes of the GPU under each of its autotune configs, one after the other, and that as a table.

May not know LSP, nor where the table is shown.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kernel_analysis.wire import ConfigList
from triton_ls.agents.agent_process import AgentError
from triton_ls.markdown import plain
from triton_ls.reports import Compiled

_SHARED: Final = {
    "cuda:70": 98304, "cuda:75": 65536, "cuda:80": 166912, "cuda:86": 101376, "cuda:87": 166912, "cuda:89": 101376,
    "cuda:90": 232448, "cuda:100": 232448, "cuda:103": 232448, "cuda:120": 101376, "cuda:121": 101376,
    "hip:gfx90a": 65536, "hip:gfx942": 65536, "hip:gfx950": 163840, "hip:gfx1100": 65536, "hip:gfx1200": 65536,
    "hip:gfx1201": 65536, "hip:gfx1250": 327680,
}  # fmt: skip
"""What one program can have of it, in bytes."""
_HEAD: Final = ("CONFIG", "REGISTERS", "SPILLS", "STACK", "SHARED", "")
_MOST: Final = 64
"""Configs that are compiled: one takes seconds."""

Ask = Callable[[], Awaitable[ConfigList]]
Make = Callable[[int | None], Awaitable[Compiled]]


@dataclass(frozen=True, slots=True)
class TableRow:
    """``resources`` empty: it could not be made, ``error`` says why. ``over``: too much shared memory to be launched;
    None where it is not known how much there is."""

    config: str
    resources: dict[str, int]
    over: bool | None = None
    error: str | None = None

    def data(self) -> dict[str, Any]:
        return {"config": self.config, **self.resources, "over_limit": self.over, "error": self.error}


@dataclass(frozen=True, slots=True)
class ConfigTable:
    """``types``: what the parameters were taken for (a launch may pass others). ``note``: what the table lacks."""

    qualname: str
    target: str
    rows: tuple[TableRow, ...]
    types: str
    note: str | None = None

    @property
    def fits(self) -> bool:
        """Whether there is a config that may be launched."""
        return any(row.resources and not row.over for row in self.rows)

    def data(self) -> dict[str, Any]:
        rows = [row.data() for row in self.rows]
        return {
            "target": self.target,
            "shared_limit": most_shared(self.target),
            "types": self.types,
            "configs": rows,
            "note": self.note,
        }

    def text(self) -> str:
        most = most_shared(self.target)
        head = f"{self.qualname} for {self.target}"
        head += f", where a program can have {most:,} bytes of shared memory" if most is not None else ""
        lines = _aligned([_HEAD, *(_cells(row, most) for row in self.rows)])
        assumed = [f"compiled with {self.types}, pointers to aligned memory"] if self.types else []
        return "\n".join([head, *assumed, "", *lines, *(["", self.note] if self.note else []), ""])


def most_shared(target: str) -> int | None:
    """The bytes of shared memory that one program can have; None where that is not known."""
    return _SHARED.get(target)


async def find(qualname: str, target: str, ask: Ask, make: Make, tell: Callable[[str], None]) -> ConfigTable:
    """``ask`` lists the configs, ``make(n)`` compiles the kernel with one to the end, with None as it is launched;
    ``tell`` hears how far it is. ``AgentError`` where nothing can be said at all."""
    known = await ask()
    names = known.configs
    if not names:
        made = await make(None)
        spelled = ", ".join(f"{name}={value}" for name, value in made.about.launch_options.items())
        note = f"{qualname} has no autotuner: this is what it takes as it is launched."
        row = _row(spelled or "(as launched)", target, made.stage.resources)
        return ConfigTable(qualname, target, (row,), _types(made), note)
    rows: list[TableRow] = []
    first: Compiled | None = None
    for number, name in enumerate(names[:_MOST]):
        tell(f"{number + 1} of {len(names)}: {name}")
        try:
            made = await make(number)
        except AgentError as error:
            rows.append(TableRow(name, {}, error=plain(str(error))))
            continue
        first = first or made
        if made.about.key != first.about.key:
            raise AgentError(f"{qualname} was changed while its configs were compiled: ask again.")
        rows.append(_row(name, target, made.stage.resources))
    notes = [f"The first {_MOST} of {len(names)} configs."] if len(names) > _MOST else []
    if known.vary is not None:
        notes.append(f"There may be other configs: {known.vary.rstrip('.')}.")
    return ConfigTable(qualname, target, tuple(rows), _types(first), " ".join(notes) or None)


def _types(made: Compiled | None) -> str:
    types = made.about.types if made is not None else {}
    return ", ".join(f"{name}: {kind}" for name, kind in types.items() if kind != "constexpr")


def _row(config: str, target: str, found: dict[str, int]) -> TableRow:
    most = most_shared(target)
    return TableRow(config, found, None if most is None else found["shared_bytes"] > most)


def _cells(row: TableRow, most: int | None) -> tuple[str, ...]:
    if row.error is not None:
        return (row.config, "-", "-", "-", "-", row.error)
    found = row.resources
    numbers = [f"{found.get(name, 0):,}" for name in ("registers", "spills", "stack_bytes", "shared_bytes")]
    told = f"over the limit by {found['shared_bytes'] - most:,} bytes" if row.over and most is not None else ""
    return (row.config, *numbers, told)


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Numbers to the right, and the last cell as it is: it may be a sentence."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD) - 1)]
    return [
        "  ".join(
            (row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:-1], widths[1:], strict=True)), row[-1])
        ).rstrip()
        for row in rows
    ]
