"""What Triton's front end made of a slice (TTIR), as our own data.

Nothing of Triton leaks past this: ``lowering`` makes it of a printed module, ``dataflow`` reads it. An Ir is read as
far as somebody asks: most of a kernel is arithmetic that no fact needs. May not import anything but the standard
library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from kernel_analysis.record import record


class At(NamedTuple):
    """A syntax node of a slice: ``node`` is the ordinal of the node in ``slice.functions[function].nodes``.

    Ordinals survive comments, blank lines and reformatting, so cached facts stay true; the slice that the
    editor shows now turns them into a ``Span``. ``function`` is -1 for code that is not the user's
    (Triton's own library), which has no place in the user's files.
    """

    function: int
    node: int


NOWHERE = At(-1, 0)
LIBRARY: Final = -1
HANDED: Final = -2
"""The user's, but of another slice: handed to a function as a parameter."""


def is_address(types: str) -> bool:
    """Whether one of MLIR's types is that of a pointer, a tensor descriptor or a block of them."""
    return "!tt." in types or "!ttng.tensordesc" in types


class Assigned(NamedTuple):
    """The block shape and dtype of what an assignment gave a name: ``type`` as people write it, ``int32[1024]``,
    ``*fp32[128]``, ``fp32``."""

    name: str
    at: At
    type: str


BOTH: Final = "both"
"""The outcome of a test that is made when the kernel runs: both ways are compiled."""

Turns: TypeAlias = tuple[tuple[int, int], ...]
"""Of the unrolled loops around a place, outermost first: the ordinal of the loop and which turn it is."""


@record
class Decisions:
    """What the front end decided in one function, by the turns around it and the ordinal of the node.

    ``taken``: of a test True, False or ``BOTH``, of an index the number; several where one node was visited several
    times. ``turns``: how often a loop was unrolled, and how often
    before a turn of it ended the function. ``calls``: the names of the functions that a call led to."""

    taken: Mapping[tuple[Turns, int], AbstractSet[object]] = field(default_factory=dict[Any, Any])
    turns: Mapping[tuple[Turns, int], tuple[int, int]] = field(default_factory=dict[Any, Any])
    calls: Mapping[tuple[Turns, int], Sequence[str]] = field(default_factory=dict[Any, Any])


class Op(Protocol):
    """One operation. Values are names, unique in their function: ``%x``, ``%pair#1``.

    ``types`` are MLIR's spellings of the results' types (``tensor<128x!tt.ptr<f32>>``). ``regions`` are those in
    braces after it, each a list of blocks. ``successors`` holds, for a branch, the index of each target block in the
    enclosing region and the values passed to it. ``attributes`` holds what the facts need, as text: ``callee``,
    ``asm_string``, ``constraints``, ``pure``, ``packed_element``, ``symbol``, ``value`` (``real``,
    ``truth``), ``reordered``."""

    @property
    def name(self) -> str: ...
    @property
    def operands(self) -> Sequence[str]: ...
    @property
    def results(self) -> Sequence[str]: ...
    @property
    def types(self) -> Sequence[str]: ...
    @property
    def at(self) -> At: ...
    @property
    def regions(self) -> Sequence[Sequence[Block]]: ...
    @property
    def successors(self) -> Sequence[tuple[int, Sequence[str]]]: ...
    @property
    def attributes(self) -> Mapping[str, str]: ...


class Block(Protocol):
    """A basic block: its arguments and its operations in order; a terminator without operands may be left out."""

    @property
    def arguments(self) -> Sequence[str]: ...
    @property
    def ops(self) -> Sequence[Op]: ...
    @property
    def last(self) -> Op | None:
        """The last operation; may be left out as in ``ops`` where it is a terminator without operands."""
        ...

    def select(self, wanted: Mapping[str, bool]) -> Sequence[Op]:
        """The operations whose names are ``wanted``, which costs less than making all."""
        ...


@record
class Argument:
    """What defines a block argument: of which operation's region (None: the function's own) and block, and the
    index."""

    owner: Op | None
    region: int
    block: int
    index: int


class Body(Protocol):
    """What runs when a function runs, and where its values come from.

    ``parameters`` names, for every argument, the Python parameter (or element, ``pair[1]``) behind it; a tensor
    descriptor's 1 + 2 * rank arguments all carry its name. ``definitions``: what defines a value, an operation's result
    or a block argument."""

    @property
    def parameters(self) -> Sequence[str]: ...
    @property
    def arguments(self) -> Sequence[str]: ...
    @property
    def blocks(self) -> Sequence[Block]: ...
    @property
    def definitions(self) -> Mapping[str, tuple[Op, int] | Argument]: ...
    def follow(self, value: str, names: AbstractSet[str]) -> Sequence[str]:
        """The value, the first operand of what defines it if that is an operation of these names, and so on."""
        ...


class Function(Body, Protocol):
    """A ``tt.func``: ``index`` says which jit function of the slice it is a specialization of (-1: Triton's library).

    ``names``: the operations that occur in it. ``callees``: the functions that it calls. ``types``: of any value.
    ``decisions``: of the front end. ``memory``: for whoever computes something of it, as the same object stands in the
    next Ir where nothing about it has changed."""

    @property
    def name(self) -> str: ...
    @property
    def index(self) -> int: ...
    @property
    def argument_types(self) -> Sequence[str]: ...
    @property
    def size(self) -> int:
        """How many operations it has."""
        ...

    @property
    def names(self) -> AbstractSet[str]: ...
    @property
    def callees(self) -> Sequence[str]: ...
    @property
    def memory(self) -> dict[object, Any]: ...
    @property
    def decisions(self) -> Decisions: ...
    @property
    def types(self) -> Mapping[str, str]: ...
    def inputs(self, value: str) -> tuple[str, Sequence[str]] | None:
        """The name and the operands of the operation that defines a value, where it has neither regions nor text: then
        it need not be made."""
        ...

    def may_hold_address(self, value: str) -> bool:
        """Whether a value's type has room for an address: a pointer, a descriptor or a 64-bit integer."""
        ...

    def let_go(self) -> None:
        """Nobody asks about it any more, unless another Ir may have it: it and its operations refer to each other, and
        would stay until cycles are looked for."""
        ...


@dataclass(slots=True)
class Ir:
    """A lowered slice.

    ``addresses_as_numbers``: whether a pointer is turned into a number anywhere, or a number into a pointer.
    ``reached``: the calls, assignments and returns that the front end visited (ordinals, by function); the others lie
    in branches that the constexpr values rule out.
    ``assigned``: what the assignments gave names.
    """

    entry: str
    functions: Mapping[str, Function]
    addresses_as_numbers: bool
    reached: Mapping[int, set[int]] = field(default_factory=dict[int, set[int]])
    assigned: list[Assigned] = field(default_factory=list[Assigned])

    @property
    def operations(self) -> int:
        """How many there are in all of its functions."""
        return sum(function.size for function in self.functions.values())
