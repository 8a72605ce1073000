"""Which of the user's lines each line of a printed stage comes from. Text in, numbers out: knows nothing of Triton's
objects.

Functions of a slice are the files ``<0>``, ``<1>``, ...; code of Triton's library counts for the call that led there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

Place = tuple[int, int]
"""The index of a function in the slice, and a line of its file."""

Lines = dict[int, Place]
"""By the line of the text, from 0; lines without a place of the user's are left out."""

_ALIAS = re.compile(r"^#(loc\d*) = loc\((.*)\)$")
_REFERENCE = re.compile(r'#(loc\d*)|"<(\d+)>":(\d+):')
_FILE = re.compile(r'\s*\.file\s+(\d+) "<(\d+)>"')
_LOC = re.compile(r"\s*\.loc\s+(\d+) (\d+) (\d+)(?:.*\binlined_at (\d+) (\d+) (\d+))?")
_SPELLED = re.compile(r"(\S*):(\d+):\d+")
_OURS = re.compile(r"<\d+>$")
_NODE = re.compile(r"^!(\d+) = (?:distinct )?!(\w+)\((.*)\)$")
_SASS_FILE = re.compile(r'//## File "([^"]*)", line (\d+)')


def mlir(lines: Sequence[str]) -> Lines:
    """TTIR, TTGIR: every operation ends with its location, one with regions at the end of its last line."""
    aliases = {match[1]: match[2] for match in map(_ALIAS.match, lines) if match is not None}
    known: dict[str, Place | None] = {}

    def resolve(text: str, depth: int = 0) -> Place | None:
        """The first place of the user's, the operation's own before the calls that led to it."""
        for alias, function, line in _REFERENCE.findall(text):
            if function:
                return int(function), int(line)
            if alias not in known and depth < 100:
                known[alias] = None
                known[alias] = resolve(aliases.get(alias, ""), depth + 1)
            if (found := known.get(alias)) is not None:
                return found
        return None

    found: Lines = {}
    open_: list[list[int]] = []
    for number, line in enumerate(lines):
        text = line.strip()
        if text.startswith("#"):
            continue
        opened = open_.pop() if text.startswith("}") and open_ else []
        if text.startswith("}") and not open_:
            continue  # the module itself stands nowhere
        start = line.rfind(" loc(")
        place = None if start < 0 else resolve(line[start:])
        if place is not None:
            found.update(dict.fromkeys(opened, place))
            found[number] = place
        if text.endswith("{"):
            open_.append([] if place is not None else [*opened, number])
    return found


def llvm(lines: Sequence[str]) -> Lines:
    """LLVM IR: ``!dbg !12`` names a node, whose scope names the file, and ``inlinedAt`` the call."""
    nodes = {number: (kind, body) for number, kind, body in (m.groups() for m in map(_NODE.match, lines) if m)}

    def field(number: str, name: str) -> str | None:
        match = re.search(rf"\b{name}: !?(\d+)", nodes.get(number, ("", ""))[1])
        return None if match is None else match[1]

    def function(scope: str | None) -> int | None:
        for _ in range(100):
            if scope is None or scope not in nodes:
                break
            file = field(scope, "file")
            if file is not None:
                name = re.search(r'filename: "<(\d+)>"', nodes.get(file, ("", ""))[1])
                return None if name is None else int(name[1])
            scope = field(scope, "scope")
        return None

    def resolve(number: str | None) -> Place | None:
        for _ in range(100):
            if number is None or number not in nodes:
                break
            kind = nodes[number][0]
            line, index = field(number, "line"), function(number if kind == "DISubprogram" else field(number, "scope"))
            if line is not None and int(line) and index is not None:
                return index, int(line)
            number = field(number, "inlinedAt")
        return None

    found: Lines = {}
    known: dict[str, Place | None] = {}
    for number, line in enumerate(lines):
        match = re.search(r"!dbg !(\d+)", line)
        if match is not None and not line.startswith("!"):
            if match[1] not in known:
                known[match[1]] = resolve(match[1])
            if (place := known[match[1]]) is not None:
                found[number] = place
    return found


def assembly(lines: Sequence[str]) -> Lines:
    """PTX, AMD's assembly: a ``.loc`` holds until the next."""
    found: Lines = {}
    here: Place | None = None
    locations = _Locations(lines)
    for number, line in enumerate(lines):
        text = line.strip()
        if text.startswith(".loc"):
            here = locations.place(line)
        elif text.startswith((".section", ".size", "}")) or text.endswith("func_end0:"):
            here = None
        if here is not None and text:
            found[number] = here
    return found


def without_false_places(text: str) -> str:
    """Assembly without the places that LLVM counts up from line to line of inline assembly, as if it stood in the
    user's file: all of it belongs to where its first line does."""
    kept: list[str] = []
    inside = placed = False
    for line in text.split("\n"):
        words = line.strip()
        if words in ("// begin inline asm", ";;#ASMSTART"):
            inside, placed = True, False
        elif words in ("// end inline asm", ";;#ASMEND"):
            inside = False
        elif inside and words.startswith(".loc"):
            if placed:
                continue
            placed = True
        kept.append(line)
    return "\n".join(kept)


def for_assembler(ptx: str) -> str:
    """PTX in which the library's code stands at the user's call of it: what ptxas writes into the machine code."""
    lines = ptx.split("\n")
    locations = _Locations(lines)
    numbers = {index: number for number, index in locations.files.items()}

    def placed(line: str) -> str:
        if not line.lstrip().startswith(".loc"):
            return line
        place = locations.place(line)
        number = None if place is None else numbers.get(place[0])
        # What is left names no calls: those have to be among the other places.
        return line.partition(",")[0] if place is None or number is None else f"\t.loc\t{number} {place[1]} 1"

    return "\n".join(map(placed, lines))


def sass(text: str, name_of: Callable[[int], str]) -> tuple[str, Lines]:
    """What ``nvdisasm -g`` prints of code from ``for_assembler``, with short comments in place of its own."""
    shown: list[str] = []
    found: Lines = {}
    here: Place | None = None
    last: Place | None = None
    for line in text.split("\n"):
        comment = _SASS_FILE.search(line)
        if comment is not None:
            inside = re.fullmatch(r"<(\d+)>", comment[1])
            here = None if inside is None or comment[2] == "0" else (int(inside[1]), int(comment[2]))
            continue
        if line.lstrip().startswith("/*") and here is not None:
            if here != last:
                found[len(shown)] = here
                shown.append(f"        // {name_of(here[0])}:{here[1]}")
            last = here
            found[len(shown)] = here
        shown.append(line)
    return "\n".join(shown), found


class _Locations:
    """What the ``.loc`` lines of an assembly mean. The calls that led to one stand in its comment (before Triton 3.8,
    AMD) or follow it as ``inlined_at``, a place that some line before has."""

    def __init__(self, lines: Sequence[str]) -> None:
        found = (_FILE.match(line) for line in lines)
        self.files: dict[str, int] = {match[1]: int(match[2]) for match in found if match is not None}
        self._callers: dict[tuple[str, ...], tuple[str, ...]] = {}

    def place(self, line: str) -> Place | None:
        """The user's place; None for library code that nothing of theirs called, and the compiler's own."""
        match = _LOC.match(line)
        if match is None or match[2] == "0":
            return None
        at, caller = match.group(1, 2, 3), match.group(4, 5, 6)
        if caller[0] is not None:
            self._callers[at] = caller
        for _ in range(100):
            if at[0] in self.files:
                return self.files[at[0]], int(at[1])
            if caller[0] is None:
                break
            at, caller = caller, self._callers.get(caller, (None, None, None))
        return next(
            ((int(file[1:-1]), int(number)) for file, number in _SPELLED.findall(line) if _OURS.match(file)), None
        )
