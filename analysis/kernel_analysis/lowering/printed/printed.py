"""A printed module as functions, blocks and operations (``kernel_analysis.ir``), read as far as somebody asks.

The text is all there is: the bindings give no location of an operation without results and no targets of a branch,
and asking them for each operation takes several times as long. A test compares every operation with the bindings.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from kernel_analysis import paths
from kernel_analysis.dataflow.memory.operations import OPERATIONS
from kernel_analysis.ir import Argument, Assigned, At, Decisions, Op, is_address
from kernel_analysis.lowering.printed import notation, structure
from kernel_analysis.lowering.printed.locations import Locations
from kernel_analysis.lowering.printed.structure import NotAsPrinted

_LINE = re.compile(r"^ *(?:(%[\w.$:, %-]*) = )?([^\s(]+)(.*)$", re.MULTILINE)

_OPAQUE = {name for name, row in OPERATIONS.items() if row.result in ("asm", "extern")}
"""What they make of their operands only they know."""
_CALLED = {name for name, row in OPERATIONS.items() if row.reads or row.writes or row.result == "call"} | _OPAQUE
"""Made by a call in the user's text, never by an operator."""

_PARTITIONED = "ttg.warp_specialize"
"""Stands at the head of the function that it is in, whatever the text says."""

_CASTS = {"tt.ptr_to_int", "tt.int_to_ptr"}

_ENDS = {"tt.return", "scf.yield"}
"""Without operands, these say nothing."""


class PrintedOp:
    """See ``ir.Op``. What it is asked for is read once."""

    __slots__ = (
        "_function", "_line", "at", "attributes", "name", "operands", "regions", "results", "successors", "types"
    )  # fmt: skip

    def __init__(self, function: PrintedFunction, line: int) -> None:
        self._function, self._line = function, line
        _, name, text = function.lines[line]
        if name[0] == '"':
            name = name[1:-1]
        self.name: str = name
        text = text[: text.rfind(" loc(")] if text[-1] == ")" else text
        plain = '"' not in text and name[:4] != "scf."
        operands = notation.plain_operands(text) if plain else notation.operands(name, text)
        renamed = function.structure.renamed
        self.operands: list[str] = notation.renamed(operands, renamed[line]) if line in renamed else operands

    def __getattr__(self, field: str) -> Any:
        # Called for a slot that is still empty.
        value = _READ[field](self, self._function, self._line)
        setattr(self, field, value)
        return value

    def _results(self, function: PrintedFunction, line: int) -> list[str]:
        results = function.lines[line][0]
        if not results:
            return []
        values = structure.values(results)
        renamed = function.structure.renamed
        return notation.renamed(values, renamed[line]) if line in renamed else values

    def _types(self, function: PrintedFunction, line: int) -> list[str]:
        if not self.results:
            return []
        end = function.structure.closers.get(line)
        # An operation in generic notation has its types behind its regions.
        text = function.text(line if end is None or not function.lines[end][2].startswith(" : ") else end)
        types = notation.result_types(self.name, text, len(self.results))
        if len(types) != len(self.results):
            raise NotAsPrinted(f"`{self.name}` has {len(self.results)} results and the types {types}")
        return types

    def _attributes(self, function: PrintedFunction, line: int) -> Mapping[str, str]:
        if self.name == "tt.call":
            return {"callee": function.called[line]}
        return notation.attributes(self.name, function.text(line))

    def _regions(self, function: PrintedFunction, line: int) -> Sequence[list[PrintedBlock]]:
        inner = function.structure.regions.get(line, ())
        return [[PrintedBlock(function, block) for block in blocks] for blocks in inner]

    def _successors(self, function: PrintedFunction, line: int) -> list[tuple[int, Sequence[str]]]:
        numbers = function.structure.labels.get(line)
        if numbers is None:
            return []
        branch = notation.successors(function.text(line))
        passed = list(self.operands[len(self.operands) - sum(count for _, count in branch) :])
        out: list[tuple[int, Sequence[str]]] = []
        for label, count in branch:
            out.append((numbers[label], passed[:count]))
            del passed[:count]
        return out

    def _at(self, function: PrintedFunction, line: int) -> At:
        rest = function.lines[function.structure.closers.get(line, line)][2]
        at = function.locations.resolve(rest[rest.rindex(" loc(") + 5 : -1], self.name in _CALLED)
        if self.name == _PARTITIONED and at.node == 0:
            return function.partitioned(line) or at
        around = function.structure.combining.get(line) if at.node == 0 else None
        return at if around is None else function.op(around).at


_READ = {
    "results": PrintedOp._results, "types": PrintedOp._types, "at": PrintedOp._at, "regions": PrintedOp._regions,
    "attributes": PrintedOp._attributes, "successors": PrintedOp._successors,
}  # fmt: skip


class PrintedBlock:
    """See ``ir.Block``."""

    __slots__ = ("_block", "_function")

    def __init__(self, function: PrintedFunction, block: structure.Lines) -> None:
        self._function, self._block = function, block

    @property
    def arguments(self) -> list[str]:
        """The values of its arguments."""
        return self._block.arguments

    @property
    def ops(self) -> list[PrintedOp]:
        """All operations."""
        return [self._function.op(line) for line in self._block.lines]

    @property
    def last(self) -> PrintedOp | None:
        """See ``ir.Block``."""
        function, lines = self._function, self._block.lines
        if not lines:
            return None
        _, name, rest = function.lines[lines[-1]]
        return None if name in _ENDS and "%" not in rest else function.op(lines[-1])

    def select(self, wanted: Mapping[str, bool]) -> list[PrintedOp]:
        """See ``ir.Block``."""
        function, lines = self._function, self._function.lines
        return [function.op(line) for line in self._block.lines if wanted[lines[line][1]]]


class _Definitions(dict[str, "tuple[Op, int] | Argument"]):
    """Filled as it is asked."""

    def __init__(self, function: PrintedFunction) -> None:
        self._function = function

    def __missing__(self, value: str) -> tuple[Op, int] | Argument:
        function = self._function
        found = function.structure.defined.get(value)
        if found is None:
            found = function.defined(value)
        if isinstance(found, int):
            op = function.ops.get(found) or function.op(found)
            made = op, 0 if "#" not in value and "," not in function.lines[found][0] else op.results.index(value)
        else:
            owner, region, block, index = found
            made = Argument(None if owner is None else function.op(owner), region, block, index)
        self[value] = made
        return made


class _Types(dict[str, str]):
    """Filled as it is asked."""

    def __init__(self, function: PrintedFunction) -> None:
        self._function = function

    def __missing__(self, value: str) -> str:
        made = self[value] = self._function.type_of(value)
        return made


class PrintedFunction:
    """See ``ir.Function``. ``text`` starts behind ``tt.func`` and ends with the function's last line. ``structure``:
    its blocks and regions."""

    structure: structure.Structure
    definitions: _Definitions
    types: _Types

    def __init__(self, text: str, locations: Locations) -> None:
        self._head, _, self._body = text.partition("\n")
        self.locations = locations
        self.index = -1  # until the recording of what was compiled says otherwise
        self.kept = False  # for other kernels that call it
        self.name = notation.symbol(self._head)
        headed = notation.headed(self._head)
        self.arguments: list[str]
        self.argument_types: list[str]
        self.parameters: list[str]
        self.arguments, self.argument_types, self.parameters = (
            map(list, zip(*headed, strict=True)) if headed else ([], [], [])
        )
        if "." in "".join(self.parameters):
            self.parameters = [_parameter(name) for name in self.parameters]
        # The results, the name and the rest of each line; none where the function has no body.
        self.lines: list[structure.Line] = _LINE.findall(self._body) if self._head.endswith("{") else []
        printed = {line[1] for line in self.lines}
        self.names = {name.strip('"') for name in printed if "." in name}
        # The function that each call is of, by line.
        self.called: dict[int, str] = {}
        if "tt.call" in self.names:
            calls = [(number, rest) for number, (_, name, rest) in enumerate(self.lines) if name == "tt.call"]
            self.called = {number: notation.symbol(rest) for number, rest in calls}
        self.callees = list(self.called.values())
        self.ops: dict[int, PrintedOp] = {}
        self.memory: dict[object, Any] = {}
        # What the front end recorded when it compiled the function: the type that it returns, what it was given,
        # ordinals, names' types.
        self.result: Any = None
        self.given: Hashable = None
        self.reached: set[int] = set()
        self.decisions = Decisions()
        self.partitions: list[At] = []  # the calls of warp_specialize
        self.assigned: list[Assigned] = []

    def let_go(self) -> None:
        """See ``ir.Function``."""
        if not self.kept:
            vars(self).clear()

    @property
    def size(self) -> int:
        """See ``ir.Function``."""
        return sum("." in name for _, name, _ in self.lines)

    @property
    def casts(self) -> bool:
        """Whether it turns a pointer into a number, or makes one of numbers."""
        if not self.names.isdisjoint(_CASTS):
            return True
        if self.names.isdisjoint(_OPAQUE):
            return False
        made = [rest.rpartition("->")[2] for _, name, rest in self.lines if name in _OPAQUE]
        return any(is_address(types) for types in made)

    def __getattr__(self, name: str) -> Any:
        # Nobody asks for these of most of Triton's own functions, which only compute.
        if name == "structure":
            made = structure.read(self.lines, self.arguments)
        elif name == "definitions":
            made = _Definitions(self)
        elif name == "types":
            made = _Types(self)
        else:
            raise AttributeError(name)
        setattr(self, name, made)
        return made

    @property
    def blocks(self) -> list[PrintedBlock]:
        """Those of the function's own region."""
        return [PrintedBlock(self, block) for block in self.structure.blocks] if self.lines else []

    def op(self, line: int) -> PrintedOp:
        """The operation of a line."""
        made = self.ops.get(line)
        if made is None:
            made = self.ops[line] = PrintedOp(self, line)
        return made

    def text(self, line: int) -> str:
        """What stands on a line behind the operation's name, without its location."""
        rest = self.lines[line][2]
        return rest if rest.endswith("{") else rest[: rest.rfind(" loc(")]

    def defined(self, value: str) -> structure.Defined:
        """Where a value is defined."""
        found = self.structure.defined.get(value.partition("#")[0])
        if found is None:
            raise NotAsPrinted(f"nothing defines `{value}` in `{self.name}`")
        return found

    def follow(self, value: str, names: AbstractSet[str]) -> list[str]:
        """See ``ir.Function``."""
        chain, defined, lines, renamed = [value], self.structure.defined, self.lines, self.structure.renamed
        while isinstance(line := defined.get(value), int) and lines[line][1] in names:
            operand = notation.plain_operand(lines[line][2])
            if operand is None:
                break
            value = notation.renamed([operand[0]], renamed[line])[0] if line in renamed else operand[0]
            chain.append(value)
        return chain

    def inputs(self, value: str) -> tuple[str, Sequence[str]] | None:
        """See ``ir.Function``."""
        line = self.structure.defined.get(value)
        if not isinstance(line, int):
            return None
        _, name, text = self.lines[line]
        if text[-1:] != ")":
            return None  # its regions follow
        end = text.rfind(" loc(")
        if text.find('"', 0, end) >= 0:
            return None
        operands = notation.plain_operands(text, 0, end)
        renamed = self.structure.renamed
        return name, notation.renamed(operands, renamed[line]) if line in renamed else operands

    def may_hold_address(self, value: str) -> bool:
        """See ``ir.Function``."""
        found = self.defined(value)
        if isinstance(found, int):
            _, name, rest = self.lines[found]
            if not is_address(rest) and "i64" not in rest and name not in notation.UNNAMED:
                if found not in self.structure.closers and (" : " in rest or name == "arith.constant"):
                    return False  # what is in a type is in the line that prints it
        kind = self.types[value]
        return not kind or is_address(kind) or "i64" in kind

    def partitioned(self, line: int) -> At | None:
        """The call that made an operation with partitions, of which there are as many as calls."""
        lines = [number for number, (_, name, _) in enumerate(self.lines) if name == _PARTITIONED]
        if len(lines) == len(self.partitions):
            return self.partitions[lines.index(line)]
        return self.partitions[0] if len(set(self.partitions)) == 1 else None

    def type_of(self, value: str) -> str:
        """The type of a value."""
        found = self.defined(value)
        if isinstance(found, int):
            op = self.op(found)
            return op.types[op.results.index(value)]
        owner, region, block, index = found
        if owner is None and block == 0:
            return self.argument_types[index]
        blocks = self.structure.blocks if owner is None else self.structure.regions[owner][region]
        if blocks[block].label:
            return notation.headed(blocks[block].label)[index][1]
        assert owner is not None
        return notation.loop_types(self.lines[owner][1], self.lines[owner][2])[index]


def _parameter(name: str) -> str:
    """``pair.0.1`` -> ``pair[0][1]``; ``d.shape.0`` -> ``d``: how the front end names the arguments that a parameter
    becomes."""
    head, *rest = name.split(".")
    if rest[:1] in (["shape"], ["stride"]):
        return head
    for part in rest:
        head = paths.element(head, int(part)) if part.isdigit() else paths.field(head, part)
    return head
