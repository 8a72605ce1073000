"""Which register carries what, instruction by instruction, along the branches: a worklist over a finite lattice.

It knows how values move, not what memory is touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import TypeAlias

from kernel_analysis.dataflow.asm import sums
from kernel_analysis.dataflow.asm.asm_model import CONSTANT, NEVER_SET, Term, Value, terms
from kernel_analysis.dataflow.asm.constraints import AMBIGUOUS, Layout
from kernel_analysis.dataflow.asm.instructions import InstructionRow, row_of, spaces_of
from kernel_analysis.dataflow.asm.ptx import OWN, Operand, Program, Statement, place_key, place_of

State: TypeAlias = dict[str, Value]
Visit: TypeAlias = Callable[[Statement, "InstructionRow | None", "Flow"], None]

UNSET: Value = frozenset()
OWN_MEMORY = sums.only(Term("own"))

MANY_BLOCKS = 64

# What the assembly itself put into shared or local memory, and may load again.
_CELL = "[own memory]"


class Flow:
    """One walk over a program. ``state`` is the state before the statement that is being visited. ``guards``: the
    predicates of all its branches. ``anywhere``: what can't be read may be a label or a branch, too."""

    def __init__(self, program: Program, layout: Layout) -> None:
        self.program = program
        self.layout = layout
        self.state: State = {}
        self.unordered = False
        # Registers that are set under one predicate so far, with that, and whether it must be false.
        self._half: dict[str, tuple[str, bool]] = {}
        self.known = [row if statement.readable else None for statement, row in _rows(program)]
        branches = [statement for statement in program.statements if statement.parts[:1] in (("bra",), ("brx",))]
        self.written = set(self._written())
        self.guards = tuple(dict.fromkeys(name for statement in branches for name in statement.guard))
        self.anywhere = any(not statement.readable or not statement.parts for statement in program.statements)

    def unset(self, name: str) -> bool:
        """Whether it is a register that no instruction sets, nor an operand: it may be one of the compiler's."""
        number = place_of(name)
        if number is None:
            return name != OWN and name not in self.written and not name.startswith("?")
        number = self.layout.alias.get(number, number)
        return place_key(number) not in self.written and number not in self.layout.carries

    def _written(self) -> Iterator[str]:
        """The registers that some instruction sets, or may."""
        for statement, row in zip(self.program.statements, self.known, strict=True):
            for operand in statement.operands if row is None else self.defined(statement, row):
                for name in operand.names:
                    number = place_of(name)
                    yield name if number is None else place_key(self.layout.alias.get(number, number))

    # Values -----------------------------------------------------------------------------------------------------------

    def read(self, name: str) -> Value:
        number = place_of(name)
        if number is not None:
            number = self.layout.alias.get(number, number)
            name = place_key(number)
        if (value := self.state.get(name)) is not None:
            return value
        if name == OWN:
            return OWN_MEMORY
        if name == _CELL:
            return UNSET
        if number is not None and number in self.layout.carries:
            carries = sorted(self.layout.carries[number])
            if len(carries) == 1:
                return sums.only(Term("operand", operand=carries[0]))
            lost = Term("lost", why=AMBIGUOUS)
            return frozenset({frozenset({Term("operand", "part", i), lost}) for i in carries})
        if name.startswith("?"):
            return sums.only(Term("lost", why=f"`{name[1:]}` is not declared in the assembly"))
        # Not on this way, as far as it is gone. (What nothing sets at all, ``unset`` says.)
        return NEVER_SET if name in self.written and not self.unordered else UNSET

    def of(self, operand: Operand) -> Value:
        """What an operand is: a register, a constant, or several registers packed into one."""
        held = [self.read(name) for name in operand.names]
        return held[0] if len(held) == 1 else sums.changed(held, "bits") if held else CONSTANT

    def address(self, operand: Operand) -> Value:
        """What is in brackets: a register and what is added to it."""
        return reduce(sums.total, (self.read(name) for name in operand.names), CONSTANT)

    def reaching(self, statement: Statement) -> Value:
        """Everything that an instruction sees: its registers and what the assembly has put into memory before it."""
        names = [name for operand in statement.operands for name in (*operand.names, *operand.coordinates)]
        first = statement.operands[0].names if statement.operands and not statement.operands[0].memory else ()
        held = [self.read(name) for name in names]
        # (What stands first and has nothing in it is what the instruction sets.)
        held = [value for name, value in zip(names, held, strict=True) if name not in first or value != NEVER_SET]
        return sums.joined([*held, self.state.get(_CELL, UNSET)])

    def sources(self, statement: Statement, row: InstructionRow) -> list[Value]:
        """The values that an instruction takes, addresses not counted."""
        return [self.of(o) for o in statement.operands[len(self.defined(statement, row)) :] if not o.memory]

    def defined(self, statement: Statement, row: InstructionRow) -> list[Operand]:
        leading: list[Operand] = []
        for operand in statement.operands[: row.defines]:
            if operand.memory:
                break
            leading.append(operand)
        return leading

    # Steps ------------------------------------------------------------------------------------------------------------

    def step(self, statement: Statement, row: InstructionRow | None) -> None:
        """``state`` before the statement -> after it."""
        if row is None:
            # Any of its registers may be a destination.
            value = self.through_unknown(statement)
            for number, operand in enumerate(statement.operands):
                for name in () if operand.memory else operand.names:
                    sets = not number and not statement.predicated and self.read(name) == NEVER_SET
                    self.write((name,), value, keep=not sets)
            return
        if any("write" in touch for touch in row.touches) and self.keeps(statement):
            self.write((_CELL,), sums.joined(self.sources(statement, row)), keep=True)
        if defined := self.defined(statement, row):
            result = self.result(statement, row)
            guards = (*statement.guard, *self.guards)
            if result == CONSTANT and guards:
                # Which constant it is, may be a digit of what was tested.
                result = sums.changed([CONSTANT, *map(self.read, guards)], "part")
            packed = sum(len(operand.names) for operand in defined) > 1 and row.flow not in ("load", "none", "own")
            for operand in defined:
                value = sums.changed([result], "bits") if packed else result
                self.write(operand.names, value, keep=statement.predicated, statement=statement)

    def through_unknown(self, statement: Statement) -> Value:
        """What an instruction that is not understood may leave behind. The first reason is kept, or reasons would
        pile up."""
        reaching = self.reaching(statement)
        if any(term.kind in ("open", "lost") for term in terms(reaching)):
            return sums.mixed([reaching])
        why = f"it comes out of `{statement.text}`, which is not understood"
        return sums.changed([reaching, sums.only(Term("open", why=why))], "part")

    def keeps(self, statement: Statement) -> bool:
        """Does it write memory that is the assembly's own, or shared?"""
        return not {"shared", "local", "param"}.isdisjoint(spaces_of(statement.parts)) or any(
            term.kind == "own" for o in statement.operands if o.memory for term in terms(self.address(o))
        )

    def write(self, names: tuple[str, ...], value: Value, keep: bool, statement: Statement | None = None) -> None:
        for name in names:
            if name == OWN:
                continue
            if (number := place_of(name)) is not None:
                name = place_key(self.layout.alias.get(number, number))
            before = self.read(name)
            if keep and statement is not None and self._other_half(name, statement, before):
                before -= NEVER_SET  # the one or the other has set it
            self._half = {n: half for n, half in self._half.items() if n != name and half[0] != name}
            if keep and statement is not None and before == NEVER_SET:
                self._half[name] = _half(statement)
            self.state[name] = sums.joined([value, before]) if keep or self.unordered else value

    def _other_half(self, name: str, statement: Statement, before: Value) -> bool:
        """Whether a register was set under the opposite of a statement's predicate, right before."""
        held, now = self._half.get(name), _half(statement)
        return held is not None and now[0] == held[0] != "" and now[1] != held[1]

    def result(self, statement: Statement, row: InstructionRow) -> Value:
        """What an instruction leaves in the registers that it sets: all of its sources, unless its row says
        otherwise."""
        sources = self.sources(statement, row)
        if row.flow == "none":
            return CONSTANT
        if row.flow == "own":
            return OWN_MEMORY
        if row.flow == "load":
            return self.loaded(statement, row)
        if not sources:
            return CONSTANT
        if row.flow == "sum":
            return reduce(sums.total, sources)
        if row.flow == "difference":
            return reduce(sums.difference, sources)
        if row.flow == "product and sum":
            return sums.total(sums.changed(sources[:-1], "part"), sources[-1])
        if row.flow == "either":
            return sums.joined(sources)
        if row.flow == "selected":
            made = sums.joined(sources[:-1] or sources)
            return sums.changed(sources, "part") if made == CONSTANT else made
        if row.flow in ("copy", "first"):
            return sources[0]
        return sums.changed(sources, "bits" if row.flow == "bits" else "part")

    def loaded(self, statement: Statement, row: InstructionRow) -> Value:
        memory = [operand for operand in statement.operands if operand.memory]
        address = sums.joined(map(self.address, memory))
        spaces = spaces_of(statement.parts)
        private = spaces[:1] in (["shared"], ["local"], ["param"], ["const"]) or "own" in row.touches
        found: list[Value] = []
        if private or any(term.kind == "own" for term in terms(address)):
            found.append(self.state.get(_CELL, UNSET))
            if spaces[:1] != ["local"]:
                found.append(sums.only(Term("open", why=f"it was loaded by `{statement.text}`")))
        if not private:
            found.append(sums.loaded(address))
            if address == CONSTANT:
                found.append(sums.only(Term("open", why=f"it was loaded by `{statement.text}`")))
        return sums.joined(found)

    # The walk ---------------------------------------------------------------------------------------------------------

    def run(self, visit: Visit) -> State:
        """Visits every reachable statement once, with its final state; returns the state at the end."""
        blocks = _Blocks(self.program)
        if len(blocks.starts) > MANY_BLOCKS or self.anywhere:
            return self._run_unordered(visit)
        entry: dict[int, State] = {0: {}}
        work = [0]
        while work:
            block = work.pop()
            self.state, self._half = dict(entry[block]), {}
            for index in blocks.statements(block):
                self.step(self.program.statements[index], self.known[index])
            work += [successor for successor in blocks.successors(block) if self._join(entry, successor)]
        for block in sorted(entry):
            self.state, self._half = dict(entry[block]), {}
            for index in blocks.statements(block):
                visit(self.program.statements[index], self.known[index], self)
                self.step(self.program.statements[index], self.known[index])
        return entry.get(len(self.program.statements), {})

    def _run_unordered(self, visit: Visit) -> State:
        """One state for the whole program, for one with so many branches that a state for each block costs too much,
        or whose branches are not all in sight."""
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
            both = sums.joined([before, here])
            if both != before:
                old[name] = both
                changed = True
        self.state = mine
        return changed


def _half(statement: Statement) -> tuple[str, bool]:
    """A statement's predicate, and whether it must be false."""
    guard = statement.guard[0] if len(statement.guard) == 1 else ""
    return guard, statement.text[1:].lstrip().startswith("!")


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


def _rows(program: Program) -> Iterator[tuple[Statement, InstructionRow | None]]:
    for statement in program.statements:
        row = row_of(statement.parts)
        if row is not None:
            memory = sum(operand.memory for operand in statement.operands)
            least = sum("read" in touch or "write" in touch for touch in row.touches)
            if memory < least or (memory > len(row.touches) and row.more is None):
                row = None  # fewer or more addresses than the instruction has
        yield statement, row
