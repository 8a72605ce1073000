"""Where an address comes from, as one integer: a bit set over the arguments of a function. Knows no IR.

Five fields of ``WIDTH`` bits: the value is (based on) the argument's own address; an address loaded through it; a
64-bit integer argument
that may be an address; a 64-bit integer loaded through it; or a number that the argument's address went into in a way
that no longer is one.
Above them, one bit for each reason why the value may be based on something unknown.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

Origin = int
NOTHING: Origin = 0


class Arguments(Protocol):
    """The origins of what a call passes, by position."""

    def __getitem__(self, index: int, /) -> Origin: ...


class Fields:
    """The layout for functions of at most ``width`` arguments."""

    def __init__(self, width: int) -> None:
        self.width = max(width, 1)
        self.every = (1 << self.width) - 1

    def base(self, argument: int) -> Origin:
        """The argument's own address."""
        return 1 << argument

    def integer(self, argument: int) -> Origin:
        """A 64-bit integer argument."""
        return 1 << (2 * self.width + argument)

    def reason(self, index: int) -> Origin:
        """Something unknown, for the reason of this number."""
        return 1 << (5 * self.width + index)

    def bases(self, origin: Origin) -> int:
        """Arguments whose address it is."""
        return origin & self.every

    def tables(self, origin: Origin) -> int:
        """Arguments through which the address was loaded."""
        return origin >> self.width & self.every

    def integers(self, origin: Origin) -> int:
        """Integer arguments that may be the address."""
        return origin >> 2 * self.width & self.every

    def loaded_integers(self, origin: Origin) -> int:
        """Arguments through which an integer was loaded that may be the address."""
        return origin >> 3 * self.width & self.every

    def numbers(self, origin: Origin) -> int:
        """Arguments whose address was turned into a number on the way."""
        return origin >> 4 * self.width & self.every

    def reasons(self, origin: Origin) -> int:
        """Reasons why the origin is not known."""
        return origin >> 5 * self.width

    def anything(self, origin: Origin) -> int:
        """Arguments that reach the value in any way."""
        return (
            self.bases(origin)
            | self.tables(origin)
            | self.integers(origin)
            | self.loaded_integers(origin)
            | self.numbers(origin)
        )

    def as_number(self, origin: Origin) -> Origin:
        """The value after arithmetic that makes no address of an address."""
        held = self.bases(origin) | self.numbers(origin)
        return held << 4 * self.width

    def loaded(self, origin: Origin, pointer: bool, integer: bool) -> Origin:
        """What a load through this address gives: an address, an integer that may be one, or neither."""
        through = self.bases(origin) | self.tables(origin)
        reasons = self.reasons(origin) << 5 * self.width
        if pointer:
            return through << self.width | reasons
        return through << 3 * self.width | reasons if integer else NOTHING

    def address_of_integer(self, origin: Origin) -> tuple[Origin, int]:
        """An integer turned into a pointer: (the pointer's origin, arguments between which the base can't be told)."""
        kept = origin & (self.every | self.every << self.width) | self.reasons(origin) << 5 * self.width
        if kept & ((1 << 2 * self.width) - 1):
            return kept | self.numbers(origin) << 4 * self.width, 0
        soft, loaded = self.integers(origin), self.loaded_integers(origin)
        if loaded:
            # An address read from memory plus integers: the integers are offsets.
            return kept | loaded << self.width, 0
        if soft and not soft & (soft - 1):
            return kept | soft, 0
        return kept | (soft | self.numbers(origin)) << 4 * self.width, soft | self.numbers(origin)

    def substitute(self, origin: Origin, arguments: Arguments) -> Origin:
        """A callee's origin in the caller's terms: ``arguments[i]`` is the origin of what the caller passes as
        argument i; those that reach the callee's origin are asked for."""
        if not origin >> self.width:  # nearly always: nothing, or the addresses of some arguments
            made = NOTHING
            for argument in bits(origin):
                made |= arguments[argument]
            return made
        out = self.reasons(origin) << 5 * self.width
        for argument in bits(self.bases(origin)):
            out |= arguments[argument]
        for argument in bits(self.integers(origin)):
            out |= arguments[argument]
        for argument in bits(self.tables(origin)):
            out |= self.loaded(arguments[argument], pointer=True, integer=False)
        for argument in bits(self.loaded_integers(origin)):
            out |= self.loaded(arguments[argument], pointer=False, integer=True)
        for argument in bits(self.numbers(origin)):
            out |= self.as_number(arguments[argument])
        return out


@lru_cache(maxsize=4096)
def bits(mask: int) -> tuple[int, ...]:
    """The positions of the bits that are set."""
    out: list[int] = []
    while mask:
        low = mask & -mask
        out.append(low.bit_length() - 1)
        mask ^= low
    return tuple(out)
