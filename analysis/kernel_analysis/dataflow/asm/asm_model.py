"""What one inline assembly does to memory and where its results come from: plain data, counted in the operands
and results of the Triton operation (not in asm registers). It may not know PTX, nor anything of Triton.

A value is one of several sums of terms. Which term of a sum is the address, and which an offset, is not decided here:
whoever knows what the operands are decides it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from kernel_analysis.record import record

How: TypeAlias = Literal["whole", "bits", "part", "minus"]
"""What became of a term: nothing; its bits were changed, so that it may still be what it was; it went into arithmetic
that makes something else of it; it is taken away."""


class Term(NamedTuple):
    """``operand``: an operand's value. ``loaded``: what was read from memory at ``address``. ``own``: an address in
    shared or local memory. ``open``: something that may be any address, for the reason ``why``; ``lost``: something
    that comes from no operand. ``mixed`` marks a sum of more than can be told apart."""

    kind: Literal["operand", "loaded", "own", "open", "lost", "mixed"]
    how: How = "whole"
    operand: int = -1
    address: frozenset[Term] = frozenset()
    why: str = ""


Sum: TypeAlias = frozenset[Term]
Value: TypeAlias = frozenset[Sum]

CONSTANT: Value = frozenset({frozenset()})
NEVER_SET: Value = frozenset({frozenset({Term("open", why="nothing sets it in the assembly")})})
"""What a register gives back that no instruction sets, nor an operand: it is one of the compiler's, and may hold any
address that the kernel has."""


def never_set(value: Value) -> bool:
    """Whether something that no instruction sets, on some way at least, is in a value."""
    why = next(terms(NEVER_SET)).why
    return any(term.kind == "open" and term.why == why for term in terms(value))


def terms(value: Value) -> Iterator[Term]:
    """All terms of all that a value may be."""
    for one in value:
        yield from one


def operands(value: Value) -> tuple[int, ...]:
    """The operands that reach a value by themselves."""
    return tuple(sorted({term.operand for term in terms(value) if term.kind == "operand"}))


def behind(value: Value) -> tuple[int, ...]:
    """The operands through which something was loaded that reaches a value."""
    found: set[int] = set()
    inner = [term.address for term in terms(value) if term.kind == "loaded"]
    while inner:
        for term in inner.pop():
            if term.kind == "operand":
                found.add(term.operand)
            elif term.kind == "loaded":
                inner.append(term.address)
    return tuple(sorted(found))


@record
class AsmAccess:
    """Memory read and/or written at an address.

    ``predicated``: under ``@p``. ``instruction``: as written, on one line."""

    address: Value
    read: bool
    write: bool
    predicated: bool
    mnemonic: str
    instruction: str


@record
class AsmUnknown:
    """An instruction of which it can't be told what memory it reads or writes.

    ``reaching``: all that reaches it as an address or a value.
    ``anywhere``: its address comes from no operand (a constant, a symbol, shared memory), so that it may be any
    memory at all. ``reason`` is a sentence for the user and names the instruction."""

    instruction: str
    reason: str
    reads: bool
    writes: bool
    reaching: Value = frozenset()
    anywhere: bool = False

    @property
    def operands(self) -> tuple[int, ...]:
        """The operands that reach it."""
        return operands(self.reaching)

    @property
    def loaded(self) -> tuple[int, ...]:
        """Those through which something was loaded that reaches it."""
        return behind(self.reaching)


@record
class AsmEffects:
    """``results``: what each result may be. ``stores``: the first instruction that plainly writes memory (global or
    shared), which assembly declared pure must not do. ``stored``: what is put into memory, from where a later load may
    bring it back as an address. ``foreign``: why it may have any address of the kernel's."""

    accesses: tuple[AsmAccess, ...] = ()
    unknown: tuple[AsmUnknown, ...] = ()
    results: tuple[Value, ...] = ()
    stores: str | None = None
    stored: Value = frozenset()
    foreign: str | None = None
