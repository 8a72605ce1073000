"""Where an address comes from, as one integer: a bit set over the arguments of a function. Knows no IR.

All that flows into a value is in its origin, through whatever arithmetic. What is kept apart is how: as an address that
it may be based on, or as a part of something that may be one. Only an offset that is added to a pointer is set aside,
in fields of its own: it comes back where the pointer turns out to be none, or is taken away again.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

Origin = int
NOTHING: Origin = 0

# The fields, each as wide as there are arguments: the value is based on the argument's own address; on an address
# loaded through it; the argument's address went into it. Then, each for the argument itself and for what was loaded
# through it: it is an integer with room for an address; something without room for one went into it; an integer with
# room for one did.
_BASES, _TABLES, _NUMBERS, _INTEGERS, _LOADED, _PARTS, _PIECES, _WIDE, _WIDE_PIECES = range(9)
_OF_INTEGERS = 6
# The last six once more, of what was added to a pointer.
_ASIDE = 9
# Of numbers that a function is given: their digits may be told by it, if callers put some of an address into them. Of
# addresses: what was added to them may be.
_TOLD = _ASIDE + _OF_INTEGERS
_PLACED = _TOLD + 1
_FIELDS = _PLACED + 1
_GIVEN = (_INTEGERS, _PARTS, _WIDE, *(field + _ASIDE - _INTEGERS for field in (_INTEGERS, _PARTS, _WIDE)), _TOLD)


class Arguments(Protocol):
    """The origins of what a call passes, by position."""

    def __getitem__(self, index: int, /) -> Origin: ...


class Fields:
    """The layout for functions of at most ``width`` arguments. ``of_memory``: what comes out of memory may be a number
    that some of an address is in, and so tells of it as that does.

    ``loose``: the flag of a value that is not one of its sources as it was, but made of them, or of none.
    ``cast``: of a pointer that was made from a number. ``summed``: of one to which, as a number, another with room for
    an address went. Above the flags, one bit for each reason why something else may be in the value."""

    def __init__(self, width: int, of_memory: bool = False) -> None:
        self.width, self._of_memory = max(width, 1), of_memory
        self.every = (1 << self.width) - 1
        self.loose = 1 << _FIELDS * self.width
        self.cast = self.loose << 1
        self.summed = self.loose << 2
        self._reasons = _FIELDS * self.width + 3
        self._pointers = self._mask(_BASES, _TABLES)
        self._whole = self._mask(_INTEGERS, _LOADED)
        self._made = self._mask(_INTEGERS, _WIDE)
        self._telling = self._mask(_BASES, _TABLES, _NUMBERS, _INTEGERS, _LOADED, _WIDE, _WIDE_PIECES)
        self._held = (1 << _ASIDE * self.width) - 1
        self._integers = (1 << _OF_INTEGERS * self.width) - 1
        self._told = self._mask(_TOLD, _PLACED)

    def _mask(self, *fields: int) -> int:
        return sum(self.every << field * self.width for field in fields)

    # What is in an origin --------------------------------------------------------------------------------------------

    def _field(self, origin: Origin, field: int) -> int:
        return origin >> field * self.width & self.every

    def _any(self, origin: Origin, *fields: int) -> int:
        found = 0
        for field in fields:
            found |= origin >> field * self.width
        return found & self.every

    def bases(self, origin: Origin) -> int:
        """Arguments whose address it may be."""
        return origin & self.every

    def tables(self, origin: Origin) -> int:
        """Arguments through which an address was loaded that it may be."""
        return self._field(origin, _TABLES)

    def unclear(self, origin: Origin) -> int:
        """Arguments of which the address, or the number that they are, went into it."""
        return self._any(origin, _NUMBERS, _INTEGERS, _PARTS, _WIDE)

    def unclear_tables(self, origin: Origin) -> int:
        """Arguments through which something was loaded that went into it."""
        return self._any(origin, _LOADED, _PIECES, _WIDE_PIECES)

    def integers(self, origin: Origin) -> int:
        """Integer arguments with room for an address that it may be."""
        return self._field(origin, _INTEGERS)

    def escaping(self, origin: Origin) -> int:
        """Arguments whose address comes back, in part at least, where the value does."""
        return self._any(origin, _BASES, _NUMBERS, _INTEGERS)

    def reasons(self, origin: Origin) -> int:
        """Reasons why something else may be in it."""
        return origin >> self._reasons

    def anything(self, origin: Origin) -> int:
        """Arguments that reach the value in any way, offsets included."""
        found = 0
        held = origin & (self.loose - 1)
        while held:
            found |= held & self.every
            held >>= self.width
        return found

    def is_empty(self, origin: Origin) -> bool:
        """Whether nothing of any argument is in it: a constant, say."""
        return not origin & (self.loose - 1) and not self.reasons(origin)

    def of_pointers(self, origin: Origin) -> bool:
        """Whether an address of an argument, or one that was loaded, is in it, as it was or not."""
        return bool(origin & (self._pointers | self.every << _NUMBERS * self.width))

    def is_pointer(self, origin: Origin) -> bool:
        """Whether it is an address for certain, by its type or because it was cast from a whole number."""
        return bool(origin & self._pointers) and not origin & self.loose

    def is_proven(self, origin: Origin) -> bool:
        """Whether it is an address by its type, whatever a launch passes."""
        return self.is_pointer(origin) and not origin & self.cast

    def digits(self, origin: Origin, address: bool = False, handed: bool = False) -> Origin:
        """What of addresses is told by what is done or not done as a number says. ``address``: the value is one, and
        only what was added to it says where. ``handed``: it is of a function that is called, whose callers know what
        its numbers are."""
        numbers = self._field(origin, _NUMBERS) if address else self._any(origin, _BASES, _NUMBERS)
        made = numbers << _NUMBERS * self.width | self.loose if numbers else NOTHING
        if self._of_memory:
            added = (_PIECES, _WIDE_PIECES, *(field + _ASIDE - _INTEGERS for field in (_LOADED, _PIECES, _WIDE_PIECES)))
            pieces = self._any(origin, *added, *(() if address else (_TABLES, _LOADED)))
            made |= (pieces << _WIDE_PIECES * self.width | self.loose if pieces else NOTHING) | self._only_reasons(
                origin
            )
        if handed:
            made |= self._any(origin, *_GIVEN) << _TOLD * self.width
            made |= self._any(origin, _PLACED, *((_BASES,) if address else ())) << _PLACED * self.width
        return made

    def addresses(self, origin: Origin) -> Origin:
        """What of it has room for an address."""
        return origin & ~self._mask(_PARTS, _PIECES)

    # Sources ---------------------------------------------------------------------------------------------------------

    def base(self, argument: int) -> Origin:
        """The argument's own address."""
        return 1 << argument

    def integer(self, argument: int) -> Origin:
        """An integer argument with room for an address."""
        return 1 << _INTEGERS * self.width + argument

    def part(self, argument: int) -> Origin:
        """A number without room for one, that may be a part of one."""
        return 1 << _PARTS * self.width + argument | self.loose

    def reason(self, index: int) -> Origin:
        """Something unknown, for the reason of this number."""
        return 1 << self._reasons + index

    def loaded(self, origin: Origin, pointer: bool, integer: bool) -> Origin:
        """A value loaded through an address. ``integer``: it has room for an address."""
        through = self.bases(origin) | self.tables(origin)
        parts = self.unclear(origin) | self.unclear_tables(origin)
        field = _TABLES if pointer else _LOADED if integer else _PIECES
        made = through << field * self.width | parts << _PIECES * self.width | self._only_reasons(origin)
        return made if through and (pointer or integer) else made | self.loose

    # Arithmetic ------------------------------------------------------------------------------------------------------

    def as_number(self, origin: Origin) -> Origin:
        """The value after arithmetic that makes no address of an address, but may make a part of one."""
        width, aside = self.width, _ASIDE - _INTEGERS
        made = self._any(origin, _BASES, _NUMBERS) << _NUMBERS * width
        made |= self._any(origin, _PARTS, _PARTS + aside) << _PARTS * width
        made |= self._any(origin, _PIECES, _PIECES + aside) << _PIECES * width
        made |= self._any(origin, _INTEGERS, _WIDE, _INTEGERS + aside, _WIDE + aside) << _WIDE * width
        pieces = self._any(origin, _TABLES, _LOADED, _WIDE_PIECES, _LOADED + aside, _WIDE_PIECES + aside)
        return made | pieces << _WIDE_PIECES * width | origin & self._told | self.loose | self._only_reasons(origin)

    def loosened(self, origin: Origin) -> Origin:
        """The value after arithmetic on its bits: it may still be what it was."""
        held = origin & self._held
        return held | self.as_number(origin & ~held) | self.loose | origin & self.cast

    def advanced(self, pointer: Origin, offset: Origin, bytewise: bool = False) -> Origin:
        """A pointer and an offset to it. The offset counts where the pointer may be none: one that was made from
        numbers, or cast from a number that may as well be 0. ``bytewise``: the offset is added as it is. Where it is
        an address, too, that is as good a base as one that was loaded."""
        if pointer & self.loose:
            return self.loosened(pointer) | self.as_number(offset)
        made = pointer | self._set_aside(offset)
        if pointer & self.cast:
            telling = offset & (self._whole | self._made)
            made |= self.as_number(telling) & ~self.loose | self._only_reasons(offset)
        elif bytewise and not self.bases(pointer) and self.is_pointer(offset):
            made |= self.bases(offset) | offset & self.cast
        return made

    def total(self, one: Origin, other: Origin, subtract: bool = False) -> Origin:
        """The sum of two integers, or their difference. Both must be known."""
        if self.is_pointer(one):
            if subtract and other & (self._pointers | self.every << _NUMBERS * self.width):
                return self.as_number(one | other)  # the distance between two addresses
            if (subtract or not self.is_pointer(other)) and self._stays(one, other):
                return self.advanced(one, other) | (self.summed if other & self._telling else 0)
        elif not subtract and self.is_pointer(other) and self._stays(other, one):
            return self.advanced(other, one) | (self.summed if one & self._telling else 0)
        elif self._is_whole(one) and not other & self._telling:
            return one | self._set_aside(other)
        elif not subtract and self._is_whole(other) and not one & self._telling:
            return other | self._set_aside(one)
        return self.loosened(one) | (self.as_number(other) if subtract else self.loosened(other))

    def address_of_integer(self, origin: Origin) -> Origin:
        """An integer turned into a pointer. What was loaded as it is now is one as what a table of pointers has in it,
        for which a launch has no other way to pass pointers in memory."""
        width, told = self.width, origin & self._told
        if origin & ~told and not origin & ~told & ~(self.every << _LOADED * width):
            return (origin & ~told) >> _LOADED * width << _TABLES * width | told
        made = origin & ~self._whole | self.cast
        if not origin & self.loose:
            return made | self.integers(origin) | self._field(origin, _LOADED) << width
        made = self.loosened(made)
        integers, loaded = self.integers(origin), self._field(origin, _LOADED)
        if origin & self._pointers:
            return made | self.as_number(origin & self._whole)
        if loaded:
            return made | loaded << width | integers << _WIDE * width
        return made | (integers if not integers & (integers - 1) else integers << _WIDE * width)

    def substitute(self, origin: Origin, arguments: Arguments) -> Origin:
        """A callee's origin in the caller's terms: ``arguments[i]`` is the origin of what the caller passes as
        argument i; those that reach the callee's origin are asked for."""
        if not origin >> self.width:  # nearly always: nothing, or the addresses of some arguments
            made = NOTHING
            for argument in bits(origin):
                made |= arguments[argument]
            return made
        out = origin & (self.loose | self.cast | self.summed) | self._only_reasons(origin)
        for argument in bits(self.bases(origin)):
            given = arguments[argument]
            out |= self.address_of_integer(given) if origin & self.cast else given
            if origin & self.summed and self.tables(given):
                out |= self.loose
        for argument in bits(self.tables(origin) | self.unclear_tables(origin)):
            out |= self.digits(arguments[argument], address=True)
        for argument in bits(self.tables(origin)):
            out |= self.loaded(arguments[argument], pointer=True, integer=False)
        for argument in bits(self.integers(origin)):
            out |= arguments[argument]
        for argument in bits(self._field(origin, _LOADED)):
            out |= self.loaded(arguments[argument], pointer=False, integer=True)
        # An address that was added to a pointer has its own offsets set aside with those of the pointer.
        added = self._field(origin, _NUMBERS) if self.is_pointer(origin) else 0
        for argument in bits(added):
            out |= self._set_aside(arguments[argument])
        for argument in bits(self._any(origin, _PARTS, _WIDE) | self._field(origin, _NUMBERS) & ~added):
            out |= self.as_number(arguments[argument])
        for argument in bits(self._any(origin, _PIECES, _WIDE_PIECES)):
            out |= self.as_number(self.loaded(arguments[argument], pointer=False, integer=True))
        for argument in bits(self._field(origin, _TOLD)):
            out |= self.digits(arguments[argument], handed=True)
        for argument in bits(self._field(origin, _PLACED)):
            out |= self.digits(arguments[argument], address=True, handed=True)
        aside = origin >> _ASIDE * self.width & self._integers
        for position in bits(aside):
            kind, argument = divmod(position, self.width)
            given = arguments[argument]
            if kind % 2:
                given = self.loaded(given, pointer=False, integer=True)
            out = self.advanced(out, given if kind < 2 else self.as_number(given))
        return out

    # ------------------------------------------------------------------------------------------------------------------

    def _only_reasons(self, origin: Origin) -> Origin:
        return origin >> self._reasons << self._reasons

    def _stays(self, pointer: Origin, other: Origin) -> bool:
        """Whether an address is one after another number went to it: not where it was loaded, which may have been that
        number or its opposite."""
        return not self.tables(pointer) or not other & self._telling

    def _is_whole(self, origin: Origin) -> bool:
        return bool(origin & self._whole) and not origin & self.loose

    def _set_aside(self, offset: Origin) -> Origin:
        """What is kept of an offset: other pointers that went into it, and for later what else did."""
        width = self.width
        made = self._any(offset, _BASES, _NUMBERS) << _NUMBERS * width
        made |= self.tables(offset) << _WIDE_PIECES * width
        integers = offset >> _INTEGERS * width & self._integers
        return made | integers << _ASIDE * width | offset & (self._integers << _ASIDE * width | self._told)


@lru_cache(maxsize=4096)
def bits(mask: int) -> tuple[int, ...]:
    """The positions of the bits that are set."""
    out: list[int] = []
    while mask:
        low = mask & -mask
        out.append(low.bit_length() - 1)
        mask ^= low
    return tuple(out)
