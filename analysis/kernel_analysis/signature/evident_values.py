"""What is known about a value while a jit function's syntax is walked: its type as far as that is evident, and which
parameters it comes from. Plain data and the lattice's joins; it may know nothing of syntax or of Triton's functions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias, cast

from kernel_analysis import paths
from kernel_analysis.host.evaluate.argument import UNKNOWN
from kernel_analysis.source.dtypes import LANGUAGE, TRITON, is_float
from kernel_analysis.source.slice import (
    AggregateRef,
    FunctionRef,
    NamedTupleClass,
    NamedTupleValue,
    Namespace,
    TorchDtype,
    TritonObject,
)
from kernel_analysis.span import Span

Dim: TypeAlias = "int | str | None"
"""A block's extent: a number, the constexpr parameter that gives it, or unknown."""

Shape: TypeAlias = tuple[Dim, ...]


class Origin(NamedTuple):
    """That a value comes from a parameter: ``depth`` loads away; ``addend``: by additions alone, so that it may be
    its address."""

    path: str
    depth: int
    addend: bool


def global_origin(place: Span) -> Origin:
    """Of a global that is bound there, which has the names of several functions, or of none."""
    return Origin(f"{place.file}:{place.line}:{place.column}", 0, True)


@dataclass(slots=True)
class EvidentValue:
    """A value as far as it is evident.

    ``static``: a compile-time value, ``const`` when known. ``levels``: how many times it can be dereferenced (None:
    unknown). ``dtype``: of the number at the end of that, ``int`` and ``float`` when only the class is known.
    ``shape``: () is a scalar. ``block``: the block shape of a descriptor or block pointer; ``image``: how many
    dimensions has what it describes, of a descriptor that takes its block out of an image. ``callee`` and ``self``:
    what a call of it does. ``made``: the aggregate that it is one of.
    """

    const: Any = UNKNOWN
    static: bool = False
    levels: int | None = None
    dtype: str | None = None
    shape: Shape | None = None
    origins: tuple[Origin, ...] = ()
    items: list[EvidentValue] | None = None
    block: Shape | None = None
    callee: str | FunctionRef | AggregateRef | Namespace | NamedTupleClass | None = None
    self: EvidentValue | None = None
    names: tuple[str, ...] = ()
    made: AggregateRef | None = None
    image: int | None = None


NOTHING: Final = EvidentValue()

NAMES: Final = {short: name for name, short in LANGUAGE.items()}
"""``LANGUAGE`` the other way round."""

SCALED_FORMATS: Final = {"e4m3": "fp8e4nv", "e5m2": "fp8e5", "e2m1": "u8"}
"""What an element of a ``tl.dot_scaled`` operand is; two e2m1 numbers share a byte."""


def width(dtype: str) -> int:
    """The bits of a dtype as a signature spells it."""
    return 8 if dtype.startswith("fp8") else int("".join(c for c in dtype if c.isdigit()) or 32)


def dtype_of(path: str) -> str | None:
    """The signature's spelling of a dtype object of Triton's, None for any other object."""
    head, _, name = path.rpartition(".")
    return LANGUAGE.get(name) if head.endswith(("language", "core")) else None


def direct(value: EvidentValue) -> EvidentValue:
    """The value as coming only from what it is itself, or the sum of, and not from what it was computed from."""
    return EvidentValue(origins=tuple(o for o in value.origins if o.addend))


def constant(value: Any, origins: tuple[Origin, ...] = ()) -> EvidentValue:
    """A compile-time value that is known."""
    if isinstance(value, tuple):
        parts = cast("tuple[Any, ...]", value)
        return EvidentValue(parts, True, items=_items(parts, origins), origins=origins)
    if isinstance(value, NamedTupleValue):
        return EvidentValue(value, True, items=_items(value.values, origins), names=value.fields, origins=origins)
    if isinstance(value, (FunctionRef, AggregateRef)):
        return EvidentValue(value, True, callee=value, origins=origins)
    if isinstance(value, TritonObject):
        return EvidentValue(value, True, callee=value.path, origins=origins)
    dtype = _PYTHON.get(value.__class__)
    if dtype is None:
        return EvidentValue(value, True, origins=origins)
    return EvidentValue(value, True, 0, dtype, (), origins)


def _items(parts: tuple[Any, ...], origins: tuple[Origin, ...]) -> list[EvidentValue]:
    """What is in a constant; of one that a parameter is, the items are elements of it."""
    whole = origins[0] if len(origins) == 1 and origins[0].depth == 0 and origins[0].addend else None
    return [
        constant(part, () if whole is None else (Origin(paths.element(whole.path, index), 0, True),))
        for index, part in enumerate(parts)
    ]


_PYTHON: Final[dict[type, str]] = {bool: "i1", int: "int", float: "float"}


def named_tuple(callee: NamedTupleClass, args: list[EvidentValue], keywords: dict[str, EvidentValue]) -> EvidentValue:
    """An instance: each field has what it is given, or else its default."""
    defaults = dict(zip(reversed(callee.fields), map(constant, reversed(callee.defaults)), strict=False))
    given = {**defaults, **dict(zip(callee.fields, args, strict=False)), **keywords}
    items = [given.get(name, NOTHING) for name in callee.fields]
    made: Any = UNKNOWN
    if all(item.const is not UNKNOWN for item in items):
        made = NamedTupleValue(callee.name, callee.fields, tuple(item.const for item in items))
    return EvidentValue(made, all(i.static for i in items), items=items, names=callee.fields)


def scalar(dtype: str | None, origins: tuple[Origin, ...] = ()) -> EvidentValue:
    """A number of a known dtype."""
    return EvidentValue(levels=0, dtype=dtype, shape=(), origins=origins)


def at_run_time(value: EvidentValue) -> EvidentValue:
    """What it is once it was assigned to a name that nobody annotates: a number is no longer one of compile time."""
    return scalar(value.dtype, value.origins) if isinstance(value.const, int | float) else value


def dtype_constant(value: EvidentValue) -> str | None:
    """The dtype that a compile-time value names, if it does."""
    if isinstance(value.const, TritonObject):
        return dtype_of(value.const.path)
    if isinstance(value.const, TorchDtype):
        return TRITON.get(value.const.name)
    return None


def join_origins(a: tuple[Origin, ...], b: tuple[Origin, ...], addend: bool) -> tuple[Origin, ...]:
    """The origins of what two values are combined into; ``addend``: by an addition, which keeps an address an
    address."""
    if not a or not b or a is b:
        a = a or b
        if addend or not any(o.addend for o in a):
            return a
        return tuple(dict.fromkeys([Origin(o.path, o.depth, False) if o.addend else o for o in a]))
    if addend:
        return tuple(dict.fromkeys(a + b))
    return tuple(dict.fromkeys([Origin(o.path, o.depth, False) if o.addend else o for o in a + b]))


def broadcast(a: Shape | None, b: Shape | None) -> Shape | None:
    """The shape of an elementwise result."""
    if a == b:
        return a
    if a is None or b is None:
        # A scalar on one side and something unknown on the other: unknown. A block on one side: at least its rank is
        # likely.
        return a or b or None
    if len(a) < len(b):
        a = (1,) * (len(b) - len(a)) + a
    elif len(b) < len(a):
        b = (1,) * (len(a) - len(b)) + b
    return tuple(y if x == 1 else x if y == 1 or x is not None else y for x, y in zip(a, b, strict=False))


_WIDTH: Final = {"fp64": 5, "fp32": 4, "bf16": 3, "fp16": 2}


def promote(a: str | None, b: str | None) -> str | None:
    """The dtype of an arithmetic result; a Python constant (``int``, ``float``) takes the other side's."""
    if a is None or b is None:
        known = a or b
        return "float" if known == "float" or is_float(known) else None
    if a == b:
        return a
    if a in ("int", "i1") or (a == "float" and is_float(b)):
        return b
    if b in ("int", "i1") or (b == "float" and is_float(a)):
        return a
    if a == "float" or b == "float":
        return "fp32"
    if is_float(a) != is_float(b):
        return a if is_float(a) else b
    if is_float(a):
        return max(a, b, key=lambda d: _WIDTH.get(d, 1)) if "bf16" not in (a, b) or "fp16" not in (a, b) else "fp32"
    return max(a, b, key=lambda d: int(d[1:]) * 2 + (d[0] == "u"))


def merge(a: EvidentValue, b: EvidentValue) -> EvidentValue:
    """Either of two values, as after an ``if``: what is known of one is taken for both, since only one type can be
    right."""
    if a is b:
        return a
    same = a.const is b.const or (type(a.const) is type(b.const) and a.const == b.const)
    return EvidentValue(
        a.const if same else UNKNOWN,
        a.static and b.static,
        b.levels if a.levels is None else a.levels,
        a.dtype or b.dtype,
        b.shape if not a.shape else a.shape,
        tuple(dict.fromkeys(a.origins + b.origins)),
        [merge(x, y) for x, y in zip(a.items, b.items, strict=False)] if a.items and b.items else a.items or b.items,
        a.block or b.block,
        a.callee or b.callee,
        a.self or b.self,
        a.names or b.names,
        a.made or b.made,
        a.image or b.image,
    )


@dataclass(slots=True)
class Vote:
    """How strongly uses speak for a role, and the first line that does."""

    weight: float = 0.0
    line: int | None = None
    detail: str = ""


@dataclass(slots=True)
class Clue:
    """What the uses of a parameter (or of an element of one) say about it.

    ``votes``: by loads away and role: ``pointer``, ``int``, ``float``, ``bool``, ``descriptor``, ``static``,
    ``flag``, ``dim``, ``dot``, ``dtype``, ``string``, ``call``, ``none``, ``tuple``, ``each`` (a tuple's elements are
    used alike) or a dtype. ``compared``:
    constants that it is compared with. ``blocks``: shapes seen for a descriptor; ``image``: how many dimensions that
    has of which one takes its block. ``rank``: least rank, of a helper's block. ``arity``: of a tuple, or of the calls
    of it. ``least``: what it is divided by. ``fields``: the attributes that neither tensors nor descriptors have;
    ``methods``: whether one of them is called; ``named``: they are guessed to be a named tuple's.
    """

    votes: dict[tuple[int, str], Vote] = field(default_factory=dict[tuple[int, str], Vote])
    compared: list[Any] = field(default_factory=list[Any])
    blocks: list[Shape] = field(default_factory=list[Shape])
    image: int | None = None
    rank: int = 0
    arity: int = 0
    least: int = 0
    fields: dict[str, None] = field(default_factory=dict[str, None])
    methods: bool = False
    named: tuple[str, ...] = ()

    def vote(self, depth: int, role: str, weight: float, line: int | None, detail: str) -> None:
        """Count a use."""
        entry = self.votes.get((depth, role))
        if entry is None:
            self.votes[depth, role] = Vote(weight, line, detail)
        else:
            entry.weight += weight

    def roles(self) -> set[str]:
        """All that uses speak for."""
        return {role for _, role in self.votes}

    def weight(self, role: str, depth: int = 0) -> float:
        """How strongly uses speak for the role."""
        entry = self.votes.get((depth, role))
        return entry.weight if entry else 0.0
