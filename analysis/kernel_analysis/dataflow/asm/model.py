"""What one inline assembly does to memory and where its results come from: plain data, counted in the operands
and results of the Triton operation (not in asm registers). It may not know PTX, nor anything of Triton.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AsmAccess:
    """Memory read and/or written through an operand.

    ``loaded``: not at the operand's own address but through an address that was loaded through it (a pointer table,
    the tensor behind a tensor map). ``predicated``: under ``@p``. ``instruction``: as written, on one line."""

    operand: int
    read: bool
    write: bool
    loaded: bool
    predicated: bool
    mnemonic: str
    instruction: str


@dataclass(frozen=True, slots=True)
class AsmUnknown:
    """An instruction of which it can't be told what memory it reads or writes.

    ``operands`` reach it as an address or a value, ``loaded`` those through which a value was loaded that reaches it.
    ``anywhere``: its address comes from no operand (a constant, a symbol, shared memory), so that it may be any
    memory at all. ``reason`` is a sentence for the user and names the instruction."""

    instruction: str
    reason: str
    reads: bool
    writes: bool
    operands: tuple[int, ...] = ()
    loaded: tuple[int, ...] = ()
    anywhere: bool = False


@dataclass(frozen=True, slots=True)
class AsmResult:
    """Where a result's value may come from: computed from ``operands`` (so it may be their address), loaded from
    memory through ``loaded``. ``unknown``: why it may hold anything else too, where it may."""

    operands: tuple[int, ...] = ()
    loaded: tuple[int, ...] = ()
    unknown: str | None = None


@dataclass(frozen=True, slots=True)
class AsmEffects:
    """``stores``: the first instruction that plainly writes memory (global or shared), which assembly declared pure
    must not do. ``stored``: operands whose own value is put into memory, from where a later load may bring it back as
    an address."""

    accesses: tuple[AsmAccess, ...] = ()
    unknown: tuple[AsmUnknown, ...] = ()
    results: tuple[AsmResult, ...] = ()
    stores: str | None = None
    stored: tuple[int, ...] = ()
