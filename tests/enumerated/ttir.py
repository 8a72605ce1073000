"""Reads the text of a printed module into plain operations with their regions.

Shares nothing with the analysis, on purpose. Raises ``Unreadable`` on text that it doesn't understand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_FUNCTION = re.compile(
    r"^tt\.func (?:public |private )?@(?P<name>\"[^\"]*\"|[\w.$-]+)\((?P<arguments>.*?)\)(?P<rest>.*)\{$"
)
_ARGUMENT = re.compile(r"(%[\w.$-]+):")
_OPERATION = re.compile(
    r"^(?:(?P<results>%[\w.$:-]+(?:, %[\w.$:-]+)*) = )?\"?(?P<name>[a-z_]\w*\.[\w.]+)\"?(?P<rest>.*)$"
)
_VALUE = re.compile(r"%[\w.$-]+(?:#\d+)?")
_LABEL = re.compile(r"^\^(?P<name>\w+)(?:\((?P<arguments>.*)\))?:")
_TARGET = re.compile(r"\^(\w+)(?:\(([^()]*)\))?")
_PARTITION = re.compile(r"^partition\d+\((?P<arguments>.*?)\) num_warps\(\d+\) \{$")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


class Unreadable(Exception):
    """The text has something that this reader was not written for."""


@dataclass(slots=True)
class Op:
    """``text``: all after the name, strings blanked out, up to the first region; ``raw`` keeps the strings. ``tail``:
    what follows the last region. ``targets``: of a branch, with the values handed on."""

    name: str
    results: list[str]
    operands: list[str]
    text: str
    raw: str
    regions: list[Region] = field(default_factory=list["Region"])
    targets: list[tuple[str, list[str]]] = field(default_factory=list[tuple[str, list[str]]])
    tail: str = ""


@dataclass(slots=True)
class Block:
    """Operations in a row; ``arguments`` are the values that come in."""

    name: str
    arguments: list[str]
    ops: list[Op] = field(default_factory=list[Op])


@dataclass(slots=True)
class Region:
    """Blocks; the first is where it begins."""

    blocks: list[Block]

    @property
    def entry(self) -> Block:
        return self.blocks[0]


@dataclass(slots=True)
class Function:
    """One ``tt.func``; ``types`` are those of its arguments."""

    name: str
    public: bool
    arguments: list[str]
    types: list[str]
    body: Region


def read(text: str) -> dict[str, Function]:
    """The functions of a module, by name."""
    lines = [line.strip() for line in text.splitlines()]
    reader = _Lines([line for line in lines if line and not line.startswith(("#", "//"))])
    functions: dict[str, Function] = {}
    if not reader.next().startswith("module"):
        raise Unreadable("the text doesn't begin with a module")
    while (line := reader.next()) != "}":
        head = _FUNCTION.match(line)
        if head is None:
            raise Unreadable(f"not a function: {line}")
        arguments, types = _arguments(head["arguments"])
        body, _ = reader.region(arguments)
        name = head["name"].strip('"')
        functions[name] = Function(name, "public" in line.split("@")[0], arguments, types, body)
    return functions


def _arguments(text: str) -> tuple[list[str], list[str]]:
    """Names and types of ``%a: t {attributes}, %b: t``."""
    names = list(_ARGUMENT.finditer(text))
    ends = [found.start() for found in names[1:]] + [len(text)] if names else []
    types = [text[found.end() : end].strip().rstrip(",") for found, end in zip(names, ends, strict=True)]
    return [found[1] for found in names], [kind.split(" {")[0] for kind in types]


def _results(text: str | None) -> list[str]:
    """``%5:2`` gives two values."""
    found: list[str] = []
    for part in (text or "").split(", ") if text else []:
        name, _, count = part.partition(":")
        found += [f"{name}#{index}" for index in range(int(count))] if count else [name]
    return found


class _Lines:
    """The lines that are still to be read."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0

    def next(self) -> str:
        if self._at == len(self._lines):
            raise Unreadable("the text ends too early")
        self._at += 1
        return self._lines[self._at - 1]

    def region(self, arguments: list[str]) -> tuple[Region, str]:
        """Everything up to the closing brace, and that line."""
        region = Region([Block("entry", arguments)])
        while not (line := self.next()).startswith("}"):
            label = _LABEL.match(line)
            if label is None:
                region.blocks[-1].ops.append(self._operation(line))
                continue
            block = Block(label["name"], _arguments(label["arguments"] or "")[0])
            if len(region.blocks) == 1 and not region.entry.ops and not arguments:
                region.blocks = []  # the first block has a label of its own
            region.blocks.append(block)
        return region, line

    def _operation(self, line: str) -> Op:
        # The name may be quoted: what is in other quotes is no text of the module's.
        head = _OPERATION.match(line)
        if head is None:
            raise Unreadable(f"not an operation: {line}")
        rest = _STRING.sub('""', head["rest"])
        targets = [(name, _VALUE.findall(values)) for name, values in _TARGET.findall(rest)]
        op = Op(head["name"], _results(head["results"]), _VALUE.findall(_TARGET.sub("", rest)), rest, head["rest"])
        op.targets = targets
        if head["name"] == "ttg.warp_specialize":
            self._partitions(op)
        elif rest.endswith("{"):
            self._regions(op)
        return op

    def _regions(self, op: Op) -> None:
        arguments: list[str] = []
        if op.name == "scf.for":
            # `%i = %low to %high step %step iter_args(%x = %y, ...)`
            carried = re.findall(r"(%[\w.$-]+) = (%[\w.$#-]+)", op.text)
            bounds = re.match(r"\s*(?:unsigned )?%[\w.$-]+ = (\S+) to (\S+) step (\S+)", op.text)
            if bounds is None:
                raise Unreadable(f"not a loop: {op.text}")
            arguments = [name for name, _ in carried]
            op.operands = [*bounds.groups(), *(value for _, value in carried[1:])]
        elif op.name == "scf.while":
            carried = re.findall(r"(%[\w.$-]+) = (%[\w.$#-]+)", op.text)
            arguments, op.operands = [name for name, _ in carried], [value for _, value in carried]
        while True:
            region, closing = self.region(arguments)
            op.regions.append(region)
            arguments = []
            if not closing.endswith("{"):
                op.tail = closing
                return

    def _partitions(self, op: Op) -> None:
        line = self.next()
        if line != "default {":
            raise Unreadable(f"not the default partition: {line}")
        region, closing = self.region([])
        op.regions.append(region)
        while closing == "}" and (line := self.next()):
            partition = _PARTITION.match(line)
            if partition is None:
                raise Unreadable(f"not a partition: {line}")
            region, closing = self.region(_arguments(partition["arguments"])[0])
            op.regions.append(region)
        op.tail = closing
