"""Which lines of a printed function are its blocks and regions, and which line defines each value.

Looks at a line only as far as its first word and its end; what an operation means is not decided here.
"""

from __future__ import annotations

from itertools import compress

from kernel_analysis.lowering.printed import notation

Line = tuple[str, str, str]
"""The results, the name and the rest of a line."""

Defined = int | tuple["int | None", int, int, int]
"""What defines a value: the line of an operation; or the line of the operation around it (None: the function), the
region, the block and the index of an argument."""

_COMBINING = {'"tt.reduce"', '"tt.scan"', '"tt.map_elementwise"', "ttg.warp_specialize"}

_plain: set[str] = set()
"""Operations seen that never have a region or successors."""
_PLAIN_DIALECTS = ("arith.", "math.", "tt.", "ub.")


class NotAsPrinted(Exception):
    """The module is not printed as we expect it; the message says where."""


class Lines:
    """A block: its arguments, the text of its label (none for one that has none) and the lines of its operations."""

    __slots__ = ("arguments", "label", "lines")

    def __init__(self, arguments: list[str], label: str = "") -> None:
        self.arguments, self.label = arguments, label
        self.lines: list[int] = []


class Structure:
    """By the line of an operation: ``regions``; ``closers``, the line that ends the last of them; ``labels``, the
    number of each block that a branch may name; ``combining``, the operation in whose region it is, where that calls a
    function of the user's from code that has no place of its own; ``renamed``, the new names of values there, as
    regions beside each other may use the same ones for theirs. ``defined``: by value, ``#`` and number left out."""

    def __init__(self, blocks: list[Lines]) -> None:
        self.blocks = blocks
        self.regions: dict[int, list[list[Lines]]] = {}
        self.closers: dict[int, int] = {}
        self.labels: dict[int, dict[str, int]] = {}
        self.combining: dict[int, int] = {}
        self.renamed: dict[int, dict[str, str]] = {}
        self.defined: dict[str, Defined] = {}


def read(lines: list[Line], arguments: list[str]) -> Structure:
    """The structure of a function with these lines and arguments. Raises NotAsPrinted."""
    results = [line[0] for line in lines]
    names = [line[1] for line in lines]
    unsure = set(names) - _plain
    special = list(compress(range(len(lines)), map(unsure.__contains__, names)))
    if special == [len(lines) - 1] and names[-1] == "}":
        block = Lines(arguments)
        block.lines.extend(range(len(lines) - 1))
        structure = Structure([block])
    else:
        structure = _Reader(lines, arguments, special).structure
    if not _define(structure, results):
        structure.defined = {}
        _rename(structure, results, None, 0, structure.blocks, {})
    return structure


class _Reader:
    """One pass over the lines that are no plain operations. ``_block`` is the block at hand and ``_start`` its first
    line that it has not got yet; ``_around`` has the operations whose regions are open, innermost last, each with the
    block that it is in."""

    def __init__(self, lines: list[Line], arguments: list[str], special: list[int]) -> None:
        self._lines = lines
        self._region = [Lines(arguments)]
        self._block = self._region[0]
        self._start = 0
        self._numbers: dict[str, int] = {}
        self._around: list[tuple[int, list[Lines], Lines, dict[str, int]]] = []
        self.structure = Structure(self._region)
        for number in special:
            _, name, rest = lines[number]
            self._line(number, name, rest)
        if self._around:
            raise NotAsPrinted("a function ends within a region")

    def _line(self, number: int, name: str, rest: str) -> None:
        first = name[0]
        if number < self._start:
            return  # belongs to an operation of several lines
        if first == "}":
            self._close(number, rest)
        elif first == "^":
            self._label(number, name, rest)
        elif rest.endswith("{"):
            self._open(number, name, rest)
        elif rest.endswith("["):
            self._branch_of_many_lines(number)
        elif " loc(" not in rest:
            # The head of an operation whose regions have lines of their own: `default {`, `partition0(...) {`. The
            # operation's place stands behind the last of them.
            self._enter(number)
        elif name.startswith("cf."):
            self.structure.labels[number] = self._numbers
        elif name.startswith(_PLAIN_DIALECTS):
            _plain.add(name)

    def _take(self, end: int, following: int) -> None:
        self._block.lines.extend(range(self._start, end))
        self._start = following

    def _enter(self, number: int) -> None:
        """The operation of this line has regions."""
        self._take(number + 1, number + 1)
        self._around.append((number, self._region, self._block, self._numbers))
        self.structure.regions[number] = []

    def _open(self, number: int, name: str, rest: str) -> None:
        if "." in name:
            self._enter(number)
            self._begin(notation.inner_arguments(rest) if name.startswith("scf.") else [])
        else:
            if not self._around:
                raise NotAsPrinted(f"`{name}` belongs to no operation")
            self._start = number + 1
            self._begin([name for name, _, _ in notation.headed(rest)], rest)

    def _begin(self, arguments: list[str], label: str = "") -> None:
        self._region = [Lines(arguments, label)]
        self._block, self._numbers = self._region[0], {}
        self.structure.regions[self._around[-1][0]].append(self._region)

    def _close(self, number: int, rest: str) -> None:
        self._take(number, number + 1)
        if rest.endswith("{"):
            self._begin([])  # } else {
        elif rest and self._around:
            line, self._region, self._block, self._numbers = self._around.pop()
            self.structure.closers[line] = number
            if self._lines[line][1] in _COMBINING:
                self._place(line, self.structure.regions[line])

    def _place(self, owner: int, regions: list[list[Lines]]) -> None:
        for block in (block for region in regions for block in region):
            for line in block.lines:
                self.structure.combining.setdefault(line, owner)
                self._place(owner, self.structure.regions.get(line, []))

    def _label(self, number: int, name: str, rest: str) -> None:
        self._take(number, number + 1)
        if len(self._region) > 1 or self._block.lines or self._numbers:
            self._block = Lines([])
            self._region.append(self._block)
        self._numbers[name[1:].rstrip(":")] = len(self._region) - 1
        if rest:
            arguments = [name for name, _, _ in notation.headed(rest)]
            if arguments:
                self._block.label, self._block.arguments = rest, arguments

    def _branch_of_many_lines(self, number: int) -> None:
        end = next((end for end in range(number, len(self._lines)) if self._lines[end][1][0] == "]"), None)
        if end is None:
            raise NotAsPrinted(f"`{self._lines[number][1]}` does not end")
        results, name, rest = self._lines[number]
        inner = " ".join(name + rest for _, name, rest in self._lines[number + 1 : end])
        self._lines[number] = results, name, f"{rest}{inner}]{self._lines[end][2]}"
        self.structure.labels[number] = self._numbers
        self._take(number + 1, end + 1)


def values(results: str) -> list[str]:
    """``%a`` -> ``%a``; ``%a:2`` -> ``%a#0``, ``%a#1``; ``%a, %b`` -> ``%a``, ``%b``."""
    if ":" not in results and "," not in results:
        return [results]
    found: list[str] = []
    for part in results.split(", "):
        name, _, count = part.partition(":")
        found += [f"{name}#{number}" for number in range(int(count))] if count else [name]
    return found


def _define(structure: Structure, results: list[str]) -> bool:
    """Fill in ``defined``; False if two values have the same name."""
    defined: dict[str, Defined] = dict(zip(results, range(len(results)), strict=True))
    defined.pop("", None)
    count = len(results) - results.count("")
    several = "".join(defined)
    if ":" in several or "," in several:
        for names in [name for name in defined if ":" in name or "," in name]:
            number = defined.pop(names)
            for name in _names(names):
                defined[name] = number
            count += names.count(",")
    regions = [(None, 0, structure.blocks)]
    if structure.regions:
        regions += [(line, i, blocks) for line, inner in structure.regions.items() for i, blocks in enumerate(inner)]
    for line, region, blocks in regions:
        for number, block in enumerate(blocks):
            for index, name in enumerate(block.arguments):
                defined[name] = line, region, number, index
            count += len(block.arguments)
    structure.defined = defined
    return len(defined) == count


def _names(results: str) -> list[str]:
    """The values of a line, those that are one value of several parts under their common name."""
    if "," in results:
        return [part.partition(":")[0] for part in results.split(", ")]
    return [results.partition(":")[0]]


def _rename(
    structure: Structure,
    results: list[str],
    owner: int | None,
    region: int,
    blocks: list[Lines],
    outer: dict[str, str],
) -> None:
    """Fill in ``defined`` and give each value of a region that has another one's name a new one; ``outer`` has the new
    names of what is visible there."""
    defined, names = structure.defined, dict(outer)

    def define(name: str, place: Defined) -> None:
        new = name
        if name in defined:
            new = names[name] = f"{name}${len(defined)}"
            if new in defined:
                raise NotAsPrinted(f"two values of a function are named `{new}`")
        defined[new] = place

    for number, block in enumerate(blocks):
        for index, name in enumerate(block.arguments):
            define(name, (owner, region, number, index))
        for line in block.lines:
            if results[line]:
                for name in _names(results[line]):
                    define(name, line)
    for block in blocks:
        if names:
            block.arguments = [names.get(name, name) for name in block.arguments]
            structure.renamed.update(dict.fromkeys(block.lines, names))
        for line in block.lines:
            for number, inner in enumerate(structure.regions.get(line, ())):
                _rename(structure, results, line, number, inner, names)
