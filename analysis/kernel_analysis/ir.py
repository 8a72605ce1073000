"""What Triton's front end made of a slice (TTIR), as our own plain data.

Nothing of Triton leaks past this: ``lowering`` fills it, ``dataflow`` reads it. It may not import
anything but the standard library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class At:
    """A syntax node of a slice: ``node`` is the ordinal of the node in ``slice.functions[function].nodes``.

    Ordinals survive comments, blank lines and reformatting, so cached facts stay true; the slice that the
    editor shows now turns them into a ``Span``. ``function`` is -1 for code that is not the user's
    (Triton's own library), which has no place in the user's files.
    """

    function: int
    node: int


NOWHERE = At(-1, 0)


_NO_ATTRIBUTES: Mapping[str, str] = MappingProxyType({})


@dataclass(slots=True)
class Value:
    """An SSA value. ``type`` is MLIR's spelling (``tensor<128x!tt.ptr<f32>>``), empty for what surely is a float or
    a truth value: nothing asks for those, and spelling them out is a good part of reading a module."""

    id: int
    type: str


@dataclass(slots=True)
class Block:
    """A basic block: its arguments, and its operations in order; the last one is the terminator."""

    arguments: list[Value] = field(default_factory=list["Value"])
    ops: list[Op] = field(default_factory=list["Op"])


@dataclass(slots=True, init=False)
class Op:
    """One operation.

    ``successors`` holds, for a branch, the index of each target block in the enclosing region and the values
    passed to it. ``attributes`` holds what the facts need, as text: ``callee``, ``asm_string``, ``constraints``,
    ``pure``, ...
    """

    name: str
    operands: list[int]
    results: Sequence[Value]
    at: At
    regions: Sequence[list[Block]]
    successors: Sequence[tuple[int, list[int]]]
    attributes: Mapping[str, str]

    def __init__(
        self, name: str, operands: list[int], results: Sequence[Value], at: At, regions: Sequence[list[Block]] = ()
    ) -> None:
        # Written out because most operations share the empty defaults, and a module has thousands of them.
        self.name, self.operands, self.results, self.at, self.regions = name, operands, results, at, regions
        self.successors = ()
        self.attributes = _NO_ATTRIBUTES


@dataclass(slots=True)
class Function:
    """A ``tt.func``: ``at.function`` says which jit function of the slice it is a specialization of (-1: Triton's
    library).

    ``parameters`` names, for every argument of the first block, the Python parameter (or element, ``pair[1]``) behind
    it; a tensor
    descriptor's 1 + 2 * rank arguments all carry its name."""

    name: str
    at: At
    blocks: list[Block]
    parameters: list[str]


@dataclass(slots=True)
class Ir:
    """A lowered slice.

    ``names``: the operations that occur anywhere.
    ``reached``: the calls, assignments and returns that the front end visited; the others lie in branches that the
    constexpr values rule out.
    ``assigned``: what each assignment gave a name, as (statement, name, type as people write it).
    """

    entry: str
    functions: dict[str, Function]
    names: set[str] = field(default_factory=set[str])
    reached: set[At] = field(default_factory=set[At])
    assigned: list[tuple[At, str, str]] = field(default_factory=list[tuple[At, str, str]])
