"""Statements and what flows through their registers -> ``AsmEffects``, with sentences for what can't be told.

It may not parse text, nor decide what an instruction does: the table does.
"""

from __future__ import annotations

from collections.abc import Iterable

from kernel_analysis.dataflow.asm import amd, sums
from kernel_analysis.dataflow.asm.asm_model import (
    CONSTANT,
    NEVER_SET,
    AsmAccess,
    AsmEffects,
    AsmUnknown,
    Sum,
    Term,
    Value,
    never_set,
    operands,
    terms,
)
from kernel_analysis.dataflow.asm.constraints import Layout
from kernel_analysis.dataflow.asm.flow import UNSET, Flow
from kernel_analysis.dataflow.asm.instructions import InstructionRow, spaces_of
from kernel_analysis.dataflow.asm.ptx import Operand, Statement, parse, place_key, shown, unescape


def ptx_effects(asm: str, registers: Layout, results: int) -> AsmEffects:
    flow = Flow(parse(unescape(asm), registers.memory), registers)
    collected = _Collector()
    flow.state = flow.run(collected.visit)
    return collected.effects(_results(flow, registers, results))


def amd_effects(asm: str, registers: Layout, results: int) -> AsmEffects | None:
    """None: not AMD's. Registers that meet in an instruction are taken to be one, whatever the order."""
    text = unescape(asm)
    if not amd.is_amd(text):
        return None
    statements = list(amd.statements(text))
    groups = _Groups()
    for _, _, names in statements:
        groups.join(names)
    for number, target in registers.alias.items():
        groups.join((f"${number}", f"${target}"))
    holds: dict[str, set[int]] = {}
    for number, carried in registers.carries.items():
        # (It is there where no instruction names the register, too.)
        holds.setdefault(groups.of(f"${number}"), set()).update(carried)
    odd: dict[str, str] = {}
    for mnemonic, piece, names in statements:
        for name in names:
            number = int(name[1:]) if name.startswith("$") else -1
            carried = registers.carries.get(registers.alias.get(number, number), frozenset())
            holds.setdefault(groups.of(name), set()).update(carried)
            if mnemonic.startswith("ds_") or not amd.harmless(mnemonic) or name.endswith(amd.UNTOLD):
                odd[groups.of(name)] = shown(piece)
    unknown: list[AsmUnknown] = []
    for mnemonic, piece, names in statements:
        if not amd.harmless(mnemonic):
            reach = _all(set[int]().union(*(holds[groups.of(name)] for name in names)))
            reason = f"`{shown(piece)}` is AMD assembly, which is not analysed"
            unknown.append(AsmUnknown(shown(piece), reason, reads=True, writes=True, reaching=reach))
    outcome: list[Value] = []
    set_here = amd.first_registers(statements)
    unset = {n for n in registers.outputs if n not in registers.carries and f"${n}" not in set_here}
    for result in range(results):
        mine = [groups.of(f"${n}") for n, owners in registers.outputs.items() if result in owners]
        came = _all(set[int]().union(*(holds.get(group, set()) for group in mine)))
        why = next((odd[group] for group in mine if group in odd), None)
        opened = [] if why is None else [sums.only(Term("open", why=why))]
        opened += [NEVER_SET for n in unset if result in registers.outputs[n]]
        outcome.append(sums.joined([sums.changed([came], "bits"), *opened]))
    stores = next((shown(piece) for mnemonic, piece, _ in statements if amd.stores(mnemonic)), None)
    foreign = amd.foreign(statements, lambda name: bool(holds[groups.of(name)]))
    why = None if foreign is None else f"{shown(foreign)}: it may have any address that the kernel has"
    return AsmEffects(unknown=tuple(unknown), results=tuple(outcome), stores=stores, foreign=why)


def _all(operands: Iterable[int]) -> Value:
    return frozenset({frozenset({Term("operand", operand=operand) for operand in operands})})


class _Groups:
    """Union-find over register names."""

    def __init__(self) -> None:
        self.parent: dict[str, str] = {}

    def of(self, name: str) -> str:
        root = name
        while (up := self.parent.get(root, root)) != root:
            root = up
        while name != root:
            self.parent[name], name = root, self.parent.get(name, name)
        return root

    def join(self, names: tuple[str, ...]) -> None:
        for name in names[1:]:
            self.parent[self.of(name)] = self.of(names[0])


class _Collector:
    def __init__(self) -> None:
        self.accesses: list[AsmAccess] = []
        self.unknown: list[AsmUnknown] = []
        self.stored: Value = UNSET
        self.stores: str | None = None
        self.foreign: str | None = None

    def effects(self, results: tuple[Value, ...]) -> AsmEffects:
        return AsmEffects(
            tuple(dict.fromkeys(self.accesses)),
            tuple(dict.fromkeys(self.unknown)),
            results,
            self.stores,
            self.stored,
            self.foreign,
        )

    def visit(self, statement: Statement, row: InstructionRow | None, flow: Flow) -> None:
        if self.foreign is None and (why := _foreign(statement, row, flow)) is not None:
            self.foreign = f"`{statement.text}` {why}: it may have any address that the kernel has"
        if row is None:
            self._not_understood(statement, flow)
            return
        spaces, before = spaces_of(statement.parts), len(self.accesses)
        written = False
        for index, operand in enumerate(o for o in statement.operands if o.memory):
            touch = row.touches[index] if index < len(row.touches) else row.more
            space = spaces[index] if index < len(spaces) else None
            if touch is None or touch in ("own", "hint"):
                continue
            read, write = "read" in touch, "write" in touch
            written = written or write
            if space == "shared" and write:
                self._store(statement)
            if space in (None, "global"):
                through = touch.startswith("table") or (row.tensor and space == "global")
                self._access(statement, flow, operand, read, write, through, "table" not in touch)
        if written:
            copied = [sums.loaded(access.address) for access in self.accesses[before:] if access.read]
            self.stored = sums.joined([self.stored, *flow.sources(statement, row), *copied])

    def _access(
        self, statement: Statement, flow: Flow, operand: Operand, read: bool, write: bool, through: bool, handle: bool
    ) -> None:
        """``through``: the address is a handle or tensor map, and the access goes to what stands behind it;
        ``handle``: the map itself is read."""
        # (Of what is not set on every way ``foreign`` says that it may be anything.)
        left = next(terms(NEVER_SET))
        address = frozenset([each - {left, left._replace(how="part")} for each in flow.address(operand)])
        own = bool(address) and all(each == _OWN for each in address)
        if write and not own:
            self._store(statement)
        traced = frozenset({each for each in address if each and not _why(each) and each != _OWN})
        if traced:
            if through and handle:
                self._add(statement, traced, True, False)
            self._add(statement, sums.loaded(traced) if through else traced, read, write)
        whys = dict.fromkeys(why for each in sorted(map(sorted, address)) if (why := _why(each)))
        if not own and not traced and not whys:
            whys = {"it comes from no operand": None}
        for why in whys:
            reason = f"the address in `{statement.text}` can't be traced: {why}"
            mine = frozenset({each for each in address if _why(each) == why})
            anywhere = not operands(mine) or any(term.kind == "open" for term in terms(mine))
            self.unknown.append(AsmUnknown(statement.text, reason, read, write, mine, anywhere=anywhere))

    def _add(self, statement: Statement, address: Value, read: bool, write: bool) -> None:
        mnemonic = ".".join(statement.parts)
        self.accesses.append(AsmAccess(address, read, write, statement.predicated, mnemonic, statement.text))

    def _store(self, statement: Statement) -> None:
        self.stores = self.stores or statement.text

    def _not_understood(self, statement: Statement, flow: Flow) -> None:
        if statement.parts[:1] == ("call",):
            why = "calls a function that is not analysed"
        elif not statement.parts or not statement.readable:
            why = "can't be read as PTX"
        else:
            why = "is not an instruction that is known"
        reason = f"`{statement.text}` {why}"
        self.unknown.append(
            AsmUnknown(statement.text, reason, reads=True, writes=True, reaching=flow.reaching(statement))
        )


_OWN: Sum = frozenset({Term("own")})
_JUMPS = (("bra",), ("brx",), ("call",))
"""What names labels and functions."""


def _foreign(statement: Statement, row: InstructionRow | None, flow: Flow) -> str | None:
    """Why a statement may have what is neither the assembly's own nor an operand's: the compiler's registers, the
    kernel's parameters, what the compiler keeps in shared memory."""
    if not statement.parts or not statement.readable:
        return "can't be read as PTX"
    named = "?%" if statement.parts[:1] in _JUMPS else "?"
    if any(name.startswith(named) for o in statement.operands for name in (*o.names, *o.coordinates)):
        return "names what the assembly does not declare"
    if any(flow.unset(name) for o in statement.operands for name in (*o.names, *o.coordinates)):
        return "takes what nothing sets"
    addresses = [flow.address(operand) for operand in statement.operands if operand.memory]
    if any(map(never_set, addresses)) or row is None and never_set(flow.reaching(statement)):
        return "goes by what is not set on every way"
    if any(address == CONSTANT for address in addresses):
        return "goes to an address that comes from no operand"
    space = spaces_of(statement.parts)[:1]
    if not any(each != _OWN for address in addresses for each in address):
        return None
    if space in (["param"], ["const"]):
        return "has the kernel's parameters"
    # Wherever an operand says: there may be spilled addresses, and those that go from thread to thread.
    loads = row is not None and row.flow == "load"
    return "loads what the compiler keeps" if loads and space in (["local"], ["shared"]) else None


def _why(address: Iterable[Term]) -> str:
    """Why an address can't be traced; empty where it can."""
    return next((term.why for term in sorted(address) if term.kind in ("lost", "open")), "")


def _results(flow: Flow, registers: Layout, results: int) -> tuple[Value, ...]:
    outcome: list[Value] = []
    for result in range(results):
        outputs = [n for n, owners in registers.outputs.items() if result in owners]
        held = [NEVER_SET if flow.unset(place_key(n)) else flow.read(place_key(n)) for n in outputs]
        outcome.append(sums.joined(held) or CONSTANT)
    return tuple(outcome)
