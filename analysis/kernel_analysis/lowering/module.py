"""A module of Triton's -> ``Ir``: its functions, read from its printed text, and which Python parameter is behind each
argument."""

# pyright: basic
from __future__ import annotations

import re
from typing import Any

from kernel_analysis.ir import Ir
from kernel_analysis.lowering.locations import Locations
from kernel_analysis.lowering.places import Places
from kernel_analysis.lowering.printed import PrintedFunction
from kernel_analysis.lowering.structure import Unreadable
from kernel_analysis.signature.model import ParameterType, Signature
from kernel_analysis.source.slice import Slice

_MOST = 512
"""Functions of Triton's own, and helpers, that are kept."""


class Functions:
    """Reads modules, and keeps what it read of helpers: while somebody edits a kernel they stay what they are.

    A function's name in the module says under which types and constants it was compiled. What it was compiled from is
    the same while the helpers of the slice are; Triton's own functions never change."""

    def __init__(self) -> None:
        self._library: dict[str, PrintedFunction] = {}
        self._helpers: dict[str, PrintedFunction] = {}
        self._helpers_hash = ""

    def read(
        self, module: Any, compiled: list[tuple[str, int]], slice: Slice, signature: Signature, places: Places
    ) -> Ir:
        """The Ir of a verified module; ``compiled`` are its functions, with their index in the slice. Raises
        Unreadable."""
        if self._helpers_hash != slice.helpers_hash:
            self._helpers, self._helpers_hash = {}, slice.helpers_hash
        names = [name for name, _ in compiled[1:]]
        known = {name: self._helpers.get(name) or self._library.get(name) for name in names}
        if None not in known.values():
            text = str(module.get_function(compiled[0][0]))
            entry = _function(text[text.index("tt.func ") + 8 :], Locations("", places))
            functions = {entry.name: entry, **known}
        else:
            functions = _read_all(str(module), places)
            entry = next(iter(functions.values()))
            if list(functions) == [name for name, _ in compiled]:
                functions = {entry.name: entry, **self._kept(functions, dict(compiled))}
        entry.parameters = flatten_parameters(signature)
        if len(entry.arguments) != len(entry.parameters):
            raise Unreadable(
                f"`{entry.name}` has {len(entry.arguments)} arguments and {len(entry.parameters)} names for them"
            )
        numbers = any("tt.ptr_to_int" in function.names for function in functions.values())
        return Ir(entry.name, functions, numbers)

    def _kept(self, functions: dict[str, PrintedFunction], indices: dict[str, int]) -> dict[str, PrintedFunction]:
        """The helpers of a module, those that are known already as they are known."""
        for kept in (self._library, self._helpers):
            if len(kept) > _MOST:
                kept.clear()
        ours = {name for name in functions if indices[name] >= 0}
        while more := {name for name in functions if name not in ours and not ours.isdisjoint(functions[name].callees)}:
            ours |= more  # Triton's own, but given a function of the user's to call
        for name in list(functions)[1:]:
            functions[name] = (self._helpers if name in ours else self._library).setdefault(name, functions[name])
        return functions


def _read_all(text: str, places: Places) -> dict[str, PrintedFunction]:
    start, end = text.find("\n  tt.func "), text.find("\n}")
    if start < 0 or end < start:
        raise Unreadable("the module has no functions")
    locations = Locations(f"{text[:start]}\n{text[end:]}", places)
    functions = [_function(part, locations) for part in text[start:end].split("\n  tt.func ")[1:]]
    return {function.name: function for function in functions}


def _function(text: str, locations: Locations) -> PrintedFunction:
    function = PrintedFunction(text, locations)
    _number_elements(function)
    return function


def _number_elements(function: PrintedFunction) -> None:
    """Before 3.8 all elements of a tuple carry its bare name: number them (a descriptor's arguments share theirs for
    good)."""
    names = function.parameters
    if len(set(names)) == len(names):
        return
    for name in {name for name in names if names.count(name) > 1}:
        positions = [position for position, other in enumerate(names) if other == name]
        if "tensordesc" not in function.types[function.arguments[positions[0]]]:
            for number, position in enumerate(positions):
                names[position] = f"{name}[{number}]"


def flatten_parameters(signature: Signature) -> list[str]:
    """The Python parameter (or element) behind each argument of the entry function."""
    out: list[str] = []

    def add(name: str, kind: ParameterType) -> None:
        if isinstance(kind, tuple):
            for position, inner in enumerate(kind):
                add(f"{name}[{position}]", inner)
        elif kind.startswith("tensordesc"):
            rank = re.search(r"input_rank=(\d+)", kind)
            dimensions = int(rank[1]) if rank else kind[kind.index("[") : kind.index("]")].count(",") + 1
            out.extend([name] * (1 + 2 * dimensions))
        elif not kind.startswith("constexpr"):
            out.append(name)

    for name, kind in signature.types.items():
        add(name, kind)
    return out
