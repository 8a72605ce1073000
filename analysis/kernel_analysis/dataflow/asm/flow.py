"""Which register carries what, instruction by instruction, along the branches: a worklist over a finite lattice.

A register's value is a set of tags; joins are unions. It knows how values move, not what memory is touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, TypeAlias

from kernel_analysis.dataflow.asm.constraints import Layout
from kernel_analysis.dataflow.asm.instructions import Row, row_of, spaces_of
from kernel_analysis.dataflow.asm.ptx import OWN, Operand, Program, Statement, place_key, place_of


class Tag(NamedTuple):
    """``operand``: computed from that operand. ``loaded``: read from memory through it. ``maybe``: has to do with it,
    in a way that ``why`` hides. ``anywhere``: from a place (``why``) that leads to no operand. ``own``: an address in
    shared or local memory."""

    kind: Literal["operand", "loaded", "maybe", "anywhere", "own"]
    operand: int = -1
    why: str = ""


Tags: TypeAlias = frozenset[Tag]
State: TypeAlias = dict[str, Tags]
Visit: TypeAlias = Callable[[Statement, "Row | None", "Flow"], None]

NOTHING: Tags = frozenset()
OWN_MEMORY: Tags = frozenset({Tag("own")})

MANY_BLOCKS = 64

# What the assembly itself put into shared or local memory, and may load again.
_CELL = "[own memory]"


class Flow:
    """One walk over a program. ``state`` is the state before the statement that is being visited."""

    def __init__(self, program: Program, layout: Layout) -> None:
        self.program = program
        self.layout = layout
        self.state: State = {}
        self.unordered = False
        self.ambiguous = "the constraint string does not fit the operands, so it can't be told which operand this is"
        self.known = [row if statement.readable else None for statement, row in _rows(program)]

    # Values -----------------------------------------------------------------------------------------------------------

    def read(self, name: str) -> Tags:
        number = place_of(name)
        if number is not None:
            number = self.layout.alias.get(number, number)
            name = place_key(number)
        if (tags := self.state.get(name)) is not None:
            return tags
        if name == OWN:
            return OWN_MEMORY
        if number is not None:
            carries = self.layout.carries.get(number, frozenset())
            if len(carries) == 1:
                return frozenset(Tag("operand", i) for i in carries)
            return frozenset(Tag("maybe", i, self.ambiguous) for i in carries)
        if name.startswith("?"):
            return frozenset({Tag("anywhere", why=f"`{name[1:]}` is not declared in the assembly")})
        return NOTHING

    def read_all(self, names: tuple[str, ...]) -> Tags:
        return NOTHING.union(*(self.read(name) for name in names))

    def address(self, operand: Operand) -> Tags:
        return self._base([self.read(name) for name in operand.names])

    def reaching(self, statement: Statement) -> Tags:
        """Everything that an instruction sees: its registers and what the assembly has put into memory before it."""
        names = [name for operand in statement.operands for name in (*operand.names, *operand.coordinates)]
        return self.read_all((*names, _CELL))

    def sources(self, statement: Statement, row: Row) -> Tags:
        """The values that an instruction takes, addresses not counted."""
        defined = self.defined(statement, row)
        return NOTHING.union(*(self.read_all(o.names) for o in statement.operands if not o.memory and o not in defined))

    def defined(self, statement: Statement, row: Row) -> list[Operand]:
        leading: list[Operand] = []
        for operand in statement.operands[: row.defines]:
            if operand.memory:
                break
            leading.append(operand)
        return leading

    def _base(self, tags: list[Tags]) -> Tags:
        """The address in a sum: where some terms come from pointers, the others are offsets."""
        everything = NOTHING.union(*tags)
        pointers = frozenset(tag for tag in everything if tag.kind != "loaded" and tag.operand in self.layout.pointers)
        return pointers if any(tag.kind == "operand" for tag in pointers) else everything

    # Steps ------------------------------------------------------------------------------------------------------------

    def step(self, statement: Statement, row: Row | None) -> None:
        """``state`` before the statement -> after it."""
        if row is None:
            # Any of its registers may be a destination.
            tags = self.through_unknown(statement)
            for operand in statement.operands:
                if not operand.memory:
                    self.write(operand.names, tags, keep=True)
            return
        if any("write" in touch for touch in row.touches) and self.keeps(statement):
            self.write((_CELL,), self.sources(statement, row), keep=True)
        if defined := self.defined(statement, row):
            result = self.result(statement, row)
            for operand in defined:
                self.write(operand.names, result, keep=statement.predicated)

    def through_unknown(self, statement: Statement) -> Tags:
        """What an instruction that is not understood may leave behind. The first reason is kept, or reasons would
        pile up."""
        why = f"it comes out of `{statement.text}`, which is not understood"
        reaching = self.reaching(statement)
        kept = frozenset(tag for tag in reaching if tag.kind in ("maybe", "anywhere"))
        explained = {tag.operand for tag in kept}
        return kept | {
            Tag("maybe" if operand >= 0 else "anywhere", operand, why)
            for operand in {-1, *(tag.operand for tag in reaching)} - explained
        }

    def keeps(self, statement: Statement) -> bool:
        """Does it write memory that is the assembly's own, or shared?"""
        return not {"shared", "local", "param"}.isdisjoint(spaces_of(statement.parts)) or any(
            Tag("own") in self.address(operand) for operand in statement.operands if operand.memory
        )

    def write(self, names: tuple[str, ...], tags: Tags, keep: bool) -> None:
        for name in names:
            if name == OWN:
                continue
            if (number := place_of(name)) is not None:
                name = place_key(self.layout.alias.get(number, number))
            self.state[name] = tags | self.read(name) if keep or self.unordered else tags

    def result(self, statement: Statement, row: Row) -> Tags:
        values = [self.read_all(operand.names) for operand in statement.operands[len(self.defined(statement, row)) :]]
        everything = NOTHING.union(*values)
        if row.flow == "none":
            return NOTHING
        if row.flow == "own":
            return OWN_MEMORY
        if row.flow == "arith":
            return self._base(values)
        if row.flow == "mad":
            # A product is no address, unless nothing else can be one.
            base = self._base(values)
            return base if base != everything or not (values and values[-1]) else values[-1]
        if row.flow == "select":
            return NOTHING.union(*values[:-1])
        if row.flow == "first":
            return values[0] if values else NOTHING
        if row.flow == "load":
            return self.loaded(statement, row)
        return everything

    def loaded(self, statement: Statement, row: Row) -> Tags:
        memory = [operand for operand in statement.operands if operand.memory]
        tags = NOTHING.union(*(self.address(operand) for operand in memory))
        spaces = spaces_of(statement.parts)
        private = spaces[:1] in (["shared"], ["local"], ["param"], ["const"]) or "own" in row.touches
        why = f"it was loaded by `{statement.text}`"
        found: set[Tag] = set()
        if private or Tag("own") in tags:
            found |= self.state.get(_CELL, NOTHING)
            if spaces[:1] != ["local"]:
                found.add(Tag("anywhere", why=why))
        if not private:
            found |= {Tag("loaded", tag.operand) for tag in tags if tag.kind in ("operand", "loaded")}
            found |= {tag for tag in tags if tag.kind in ("maybe", "anywhere")}
            if not tags:
                found.add(Tag("anywhere", why=why))
        return frozenset(found)

    # The walk ---------------------------------------------------------------------------------------------------------

    def run(self, visit: Visit) -> State:
        """Visits every reachable statement once, with its final state; returns the state at the end."""
        blocks = _Blocks(self.program)
        if len(blocks.starts) > MANY_BLOCKS:
            return self._run_unordered(visit)
        entry: dict[int, State] = {0: {}}
        work = [0]
        while work:
            block = work.pop()
            self.state = dict(entry[block])
            for index in blocks.statements(block):
                self.step(self.program.statements[index], self.known[index])
            work += [successor for successor in blocks.successors(block) if self._join(entry, successor)]
        for block in sorted(entry):
            self.state = dict(entry[block])
            for index in blocks.statements(block):
                visit(self.program.statements[index], self.known[index], self)
                self.step(self.program.statements[index], self.known[index])
        return entry.get(len(self.program.statements), {})

    def _run_unordered(self, visit: Visit) -> State:
        """One state for the whole program, for a program with so many branches that a state for each block costs too
        much."""
        self.unordered = True
        pairs = list(zip(self.program.statements, self.known, strict=True))
        before: State | None = None
        while before != self.state:
            before = dict(self.state)
            for statement, row in pairs:
                self.step(statement, row)
        for statement, row in pairs:
            visit(statement, row, self)
        return self.state

    def _join(self, entry: dict[int, State], block: int) -> bool:
        """``state`` flows into a block: did that change what is known at its start?"""
        old = entry.get(block)
        if old is None:
            entry[block] = dict(self.state)
            return True
        mine = self.state
        changed = False
        for name in {**old, **mine}:
            self.state = mine
            here = self.read(name)
            self.state = old
            before = self.read(name)
            if not here <= before:
                old[name] = before | here
                changed = True
        self.state = mine
        return changed


class _Blocks:
    """Basic blocks by the index of their first statement; the end of the program is one too, and ``ANY`` stands for a
    branch whose target is not known: all labels."""

    ANY = -1

    def __init__(self, program: Program) -> None:
        self.program = program
        self.end = len(program.statements)
        self.labels = sorted(set(program.labels.values()))
        after = [index + 1 for index, statement in enumerate(program.statements) if self._branches(statement)]
        self.starts = sorted({0, self.end, *self.labels, *after})
        self.next = dict(zip(self.starts, self.starts[1:], strict=False))

    def statements(self, block: int) -> range:
        return range(block, self.next.get(block, block)) if block != self.ANY else range(0)

    def successors(self, block: int) -> Iterator[int]:
        if block == self.ANY:
            yield from self.labels
            yield self.end
            return
        following = self.next.get(block)
        if following is None:
            return
        last = self.program.statements[following - 1]
        jumps = self._branches(last)
        if jumps:
            yield self.ANY if last.target is None else self.program.labels[last.target]
        if not jumps or last.predicated:
            yield following

    @staticmethod
    def _branches(statement: Statement) -> bool:
        return statement.parts[:1] in (("bra",), ("brx",))


def _rows(program: Program) -> Iterator[tuple[Statement, Row | None]]:
    for statement in program.statements:
        row = row_of(statement.parts)
        if row is not None:
            memory = sum(operand.memory for operand in statement.operands)
            least = sum("read" in touch or "write" in touch for touch in row.touches)
            if memory < least or (memory > len(row.touches) and row.more is None):
                row = None  # fewer or more addresses than the instruction has
        yield statement, row
