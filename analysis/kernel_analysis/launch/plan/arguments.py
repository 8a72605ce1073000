"""What a launch passes for each parameter, its buffers as large as the addresses demand. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from kernel_analysis import paths
from kernel_analysis.facts import ParameterFacts
from kernel_analysis.launch import choices
from kernel_analysis.launch.bounds.touched import Touch
from kernel_analysis.launch.launch_model import LaunchArgument
from kernel_analysis.launch.plan import descriptor_shapes
from kernel_analysis.launch.plan.case import Case
from kernel_analysis.launch.plan.known_arguments import Given, plain
from kernel_analysis.signature.signature_model import ParameterType
from kernel_analysis.source.dtypes import bytes_of


def arguments(cases: Sequence[Case], given: Given, sizes: choices.Sizes) -> tuple[list[LaunchArgument], list[str]]:
    """For a launch that all cases share, and what is assumed with it: the buffers suffice for each of them."""
    first, last = cases[0], cases[-1]
    by_name = {parameter.name: parameter for parameter in first.version.facts.parameters}
    buffers = _Buffers(cases, given, sizes)

    def make(name: str, kind: ParameterType) -> LaunchArgument:
        if isinstance(kind, tuple):
            return LaunchArgument(
                name, "tuple", items=[make(paths.element(name, i), inner) for i, inner in enumerate(kind)]
            )
        why = last.why.get(name, "")
        if kind.startswith("constexpr"):
            value = first.signature.constants.get(name)
            return LaunchArgument(name, "none" if value is None else "constexpr", value=shown(value), why=why)
        if kind.startswith("tensordesc"):
            return buffers.descriptor(name, kind, by_name.get(name))
        if kind.startswith("*"):
            return buffers.pointer(name, kind[1:].removeprefix("k"), by_name.get(name))
        return LaunchArgument(name, "scalar", kind, last.scalars[name], why=why)

    return [make(name, kind) for name, kind in first.signature.types.items()], buffers.assumed


def shown(value: Any) -> Any:
    """A constexpr value for the reader."""
    return value if plain(value) else str(value)


def size(argument: LaunchArgument) -> int:
    """The bytes of its buffers."""
    inner = sum(map(size, argument.items)) + (size(argument.target) if argument.target else 0)
    return inner + argument.size * bytes_of(argument.type)


class _Buffers:
    """``assumed`` gets a sentence for each of which the bounds don't say all."""

    def __init__(self, cases: Sequence[Case], given: Given, sizes: choices.Sizes) -> None:
        self._given, self._sizes, self._why = given, sizes, cases[-1].why
        self._touches: dict[str, list[Touch]] = {}
        for case in cases:
            for touch in case.touched.touches:
                self._touches.setdefault(touch.base, []).append(touch)
        self.assumed: list[str] = []

    def descriptor(self, name: str, kind: str, facts: ParameterFacts | None) -> LaunchArgument:
        """A tensor descriptor: the hardware keeps to its shape."""
        read, written, reason = _claims(facts)
        type_ = kind[kind.index("<") + 1 : kind.index("[")]
        shape = descriptor_shapes.described(name, kind, self._given, self._sizes)
        how = choices.fill(type_, read, written)
        return LaunchArgument(
            name,
            "descriptor",
            type_,
            None,
            math.prod(shape),
            0,
            *how,
            shape,
            descriptor_shapes.block(kind),
            read,
            written,
            reason,
        )

    def pointer(self, name: str, type_: str, facts: ParameterFacts | None) -> LaunchArgument:
        """The tensor, or table of addresses, behind a pointer."""
        if self._touches.get(f"*{name}"):
            return self._table(name, type_, facts)
        touches = self._touches.get(name, [])
        bounded = [t for t in touches if math.isfinite(t.low) and math.isfinite(t.high)]
        needed, before = _extent(bounded, bytes_of(type_))
        read, written, reason = _claims(facts)
        made = self._given.made.get(name)
        if made is not None:
            if needed - before > made.numel or before or len(bounded) < len(touches):
                self.assumed.append(
                    f"{name} has {made.numel} elements, as pinned; that no access goes beyond them is not proven"
                )
            return LaunchArgument(
                name, "tensor", type_, None, made.numel, 0, made.fill, made.low, made.high, made.shape, (), read,
                written, reason, "pinned",
            )  # fmt: skip
        shape, elements = self._shape(name, needed, before)
        return LaunchArgument(
            name, "tensor", type_, None, max(1, elements), before, *choices.fill(type_, read, written), shape, (), read,
            written, reason, self._why.get(name, ""), touched=needed,
        )  # fmt: skip

    def _shape(self, name: str, needed: int, before: int) -> tuple[tuple[int, ...], int]:
        """The shape that the launch in the code gives a tensor, where its elements suffice; and the elements."""
        shape = self._given.shapes.get(name, ())
        elements = math.prod(shape)
        if name in self._given.guessed:
            return (shape if elements == needed and not before else ()), needed
        if shape and elements >= needed and not before:
            return shape, elements
        if shape:
            self.assumed.append(
                f"{name} has {needed} elements, and the tensor at the launch {elements}: nothing shows that the "
                "kernel stays within those"
            )
        return (), needed

    def _table(self, name: str, type_: str, facts: ParameterFacts | None) -> LaunchArgument:
        """A buffer of addresses, all of one other buffer."""
        entries, before = _extent(self._touches.get(name, []), 8)
        elements, _ = _extent(self._touches[f"*{name}"], 1)
        read = facts.table_read.verdict if facts else "unknown"
        written = facts.table_write.verdict if facts else "unknown"
        target = LaunchArgument(f"*{name}", "tensor", "u8", None, elements, 0, "zeros", 0, 0, (), (), read, written)
        own_read, own_written, _ = _claims(facts)
        return LaunchArgument(
            name, "table", type_, None, max(1, entries), before, "", 0, 0, (), (), own_read, own_written, target=target
        )


def _claims(facts: ParameterFacts | None) -> tuple[str, str, str | None]:
    """Whether it is read, whether it is written, and why one of them is not known."""
    if facts is None:
        return "unknown", "unknown", None
    notes = [*facts.write.unknowns, *facts.read.unknowns]
    return facts.read.verdict, facts.write.verdict, notes[0].reason if notes else None


def _extent(touches: list[Touch], item: int) -> tuple[int, int]:
    """The elements that a buffer needs, and how many of them lie before its start."""
    low = min((touch.low for touch in touches), default=0)
    high = max((touch.high for touch in touches), default=0)
    before = -(int(low) // item) if low < 0 else 0
    return before + max(0, -(-int(high) // item)), before
