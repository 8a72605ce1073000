"""A module of Triton's -> ``Ir``: its functions, read from its printed text, and which Python parameter is behind each
argument."""

# pyright: basic
from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Mapping
from typing import Any

from kernel_analysis import paths
from kernel_analysis.ir import Assigned, Ir
from kernel_analysis.lowering import compat
from kernel_analysis.lowering.front.frontend import Recording
from kernel_analysis.lowering.printed.locations import Locations
from kernel_analysis.lowering.printed.printed import PrintedFunction
from kernel_analysis.lowering.printed.printed_places import Places, merged
from kernel_analysis.lowering.printed.structure import NotAsPrinted
from kernel_analysis.signature.signature_model import Signature
from kernel_analysis.source.slice import Slice

_MOST = 512
"""Functions of Triton's own, and helpers, that are kept."""


class Functions:
    """Reads modules, and keeps what it read of helpers: while somebody edits a kernel they stay what they are.

    A function's name in the module says under which types and constants it was compiled, and what the name does not
    say is kept with it. What it was compiled from is the same while the helpers of the slice are; Triton's own never
    change, where they were given nothing but numbers, blocks and scalar types."""

    def __init__(self) -> None:
        self._library: dict[str, PrintedFunction] = {}
        self._helpers: dict[str, PrintedFunction] = {}
        self._helpers_hash = ""

    def known(self, slice: Slice) -> Mapping[str, PrintedFunction]:
        """The helpers that need not be compiled again for a kernel with this slice, by their names in a module."""
        if self._helpers_hash != slice.helpers_hash:
            self._helpers, self._helpers_hash = {}, slice.helpers_hash
        if len(self._library) + len(self._helpers) > _MOST:
            self._library, self._helpers = {}, {}
        return ChainMap(self._helpers, self._library)

    def read(
        self,
        module: Any,
        recording: Recording,
        known: Mapping[str, PrintedFunction],
        signature: Signature,
        places: Places,
    ) -> Ir:
        """The Ir of a verified module, in which ``known`` functions are only declared. Raises NotAsPrinted."""
        compiled = recording.functions
        name = next(iter(compiled))
        if len(compiled) == 1:
            text = str(module.get_function(name))
            made = [_function(text[text.index("tt.func ") + 8 :], Locations("", places))]
        else:
            made = _read_all(str(module), places)
        functions = {function.name: function for function in made if function.name in compiled}
        if functions.keys() != compiled.keys():
            raise NotAsPrinted("the functions of the module are not those that were compiled")
        for function in functions.values():
            what = compiled[function.name]
            function.index, function.result, function.given = what.index, what.result, what.given
            if what.index >= 0:
                function.reached = places.nodes(what.index, what.visited)
                function.assigned = places.assigned(what.index, what.assigned)
                function.decisions = places.decisions(what.index, what.decided)
                function.partitions = [places.node(what.index, call) for call in what.partitions]
                if len(what.parameters) == len(function.arguments):
                    function.parameters = what.parameters
        if len(functions) > 1 and not recording.shared:  # else what calls which depends on what was called before
            self._keep(list(functions.values())[1:])
        entry = functions[name]
        entry.parameters = flatten_parameters(signature)
        if len(entry.arguments) != len(entry.parameters):
            raise NotAsPrinted(
                f"`{entry.name}` has {len(entry.arguments)} arguments and {len(entry.parameters)} names for them"
            )
        # What the kernel reaches, in an order that does not depend on what was known.
        reached: dict[str, PrintedFunction] = {}
        names = [name]
        for name in names:
            if name not in reached:
                reached[name] = functions.get(name) or known[name]
                names += reached[name].callees
        return _ir(entry, reached)

    def _keep(self, made: list[PrintedFunction]) -> None:
        # What leads back to the kernel itself is something else as soon as the kernel is; and what gives back an
        # aggregate gives one of classes that are made anew with the slice.
        edited = {function.name for function in made if function.index == 0 or compat.holds_class(function.result)}
        while more := [f for f in made if f.name not in edited and not edited.isdisjoint(f.callees)]:
            edited.update(function.name for function in more)
        made = [function for function in made if function.name not in edited]
        # What was given more than its name says may have called what it was given, a class's operator or a constexpr
        # function, while it was compiled: nothing of that is in its calls.
        ours = {function.name for function in made if function.index >= 0 or function.given is not None}
        while more := [
            f for f in made if f.name not in ours and any(c in ours or c in self._helpers for c in f.callees)
        ]:
            ours.update(function.name for function in more)  # Triton's own, but given a function of the user's to call
        for function in made:
            function.kept = True
            if function.name in ours:
                self._helpers[function.name] = function
            else:
                # It outlives the slice, which would hold the trees of all files that it was cut out of.
                function.locations = Locations("", None)
                self._library[function.name] = function


def _ir(entry: PrintedFunction, functions: dict[str, PrintedFunction]) -> Ir:
    reached: dict[int, set[int]] = {}
    assigned: list[Assigned] = []
    numbers, ours = False, 0
    for function in functions.values():
        numbers = numbers or function.casts
        if function.index >= 0:
            ours += 1
            known = reached.get(function.index)
            reached[function.index] = function.reached if known is None else known | function.reached
            assigned += function.assigned
    # A helper may have been compiled for several types.
    return Ir(entry.name, functions, numbers, reached, assigned if ours == 1 else merged(assigned))


def _read_all(text: str, places: Places) -> list[PrintedFunction]:
    start, end = text.find("\n  tt.func "), text.find("\n}")
    if start < 0 or end < start:
        raise NotAsPrinted("the module has no functions")
    locations = Locations(f"{text[:start]}\n{text[end:]}", places)
    return [_function(part, locations) for part in text[start:end].split("\n  tt.func ")[1:]]


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
                names[position] = paths.element(name, number)


def flatten_parameters(signature: Signature) -> list[str]:
    """The Python parameter (or element) behind each argument of the entry function."""
    out: list[str] = []
    for parameter, type in signature.types.items():
        leaves = ((parameter, type),) if isinstance(type, str) else paths.leaves(parameter, type, signature.names)
        for name, kind in leaves:
            if kind.startswith("tensordesc"):
                rank = re.search(r"input_rank=(\d+)", kind)
                dimensions = int(rank[1]) if rank else kind[kind.index("[") : kind.index("]")].count(",") + 1
                out.extend([name] * (1 + 2 * dimensions))
            elif not kind.startswith("constexpr"):
                out.append(name)
    return out
