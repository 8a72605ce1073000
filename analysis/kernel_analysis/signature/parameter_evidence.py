"""All that is known about a parameter, and what was chosen for it. Plain data."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

from kernel_analysis import paths
from kernel_analysis.host.evaluate.argument import HostArgument, Split
from kernel_analysis.signature.evidence.pinned import Pin
from kernel_analysis.signature.evident_values import UNKNOWN, Clue, Shape
from kernel_analysis.signature.signature_model import Evidence, Extents, ParameterType
from kernel_analysis.source.slice import AggregateRef, FunctionRef, NamedTupleValue, TritonObject

EXTENT: Final = 64
"""A block's extent when nothing says another: a power of two that ``tl.dot`` takes; three of them make no block too
large."""
FLOAT32: Final = TritonObject("triton.language.float32")


@dataclass(slots=True)
class Known:
    """All that is known about a parameter. ``arguments``: what each launch passes, None where it leaves it out;
    ``places``: where each is.

    ``default_varies``: its default may be another where the file runs, or who has the kernel may pass another.
    ``block``: the block shape that an autotuner's hook gives a descriptor. ``fixed``: values from autotune configs,
    heuristics; with the kind of evidence.
    ``elements``: clues of a tuple's elements.
    ``declared``: the type that a code generator's decorator gives it. ``pin``: what a comment above the kernel says.
    ``whole``: what the launch passes that says of every extent of the kernel what it is likely to be."""

    name: str
    annotation: ast.expr | None
    line: int | None
    default: Any = UNKNOWN
    has_default: bool = False
    default_varies: bool = False
    clue: Clue = field(default_factory=Clue)
    arguments: list[HostArgument | None] = field(default_factory=list["HostArgument | None"])
    fixed: list[tuple[Any, Evidence]] = field(default_factory=list[tuple[Any, Evidence]])
    elements: dict[str, Clue] = field(default_factory=dict[str, Clue])
    helper: bool = False
    block: Shape = ()
    declared: tuple[str, Evidence] | None = None
    places: list[str] = field(default_factory=list[str])
    pin: Pin | None = None
    whole: HostArgument | None = None

    @property
    def names(self) -> list[str]:
        """What it is called, here and where it is launched."""
        return [self.name, *(a.name for a in self.arguments if a is not None and a.name is not None)]

    @property
    def place(self) -> str | None:
        """Where the launch is that says most."""
        passed = [(a, place) for a, place in zip(self.arguments, self.places, strict=False) if a is not None]
        telling = [(a, place) for a, place in passed if a.kind not in ("unknown", "none")]
        typed = [(a, place) for a, place in telling if a.dtype is not None or a.kind != "tensor"]
        return next((place for _, place in typed or telling or passed), None)

    @property
    def launch(self) -> HostArgument | None:
        """What the launches pass, the first that says most leading; None when every launch leaves it out."""
        passed = [a for a in self.arguments if a is not None]
        if not passed:
            return None
        best = next((a for a in passed if a.kind not in ("unknown", "none")), passed[0])
        if any(a.kind == "none" or a.optional for a in passed) and best.kind not in ("none",):
            best = replace(best, optional=True)
        if best.kind == "tensor" and best.dtype is None:
            dtype = next((a.dtype for a in passed if a.kind == "tensor" and a.dtype), None)
            best = replace(best, dtype=dtype, sure=False)
        return (
            best
            if best.kind != "none" or all(a.kind == "none" for a in passed)
            else replace(passed[0], kind="unknown", value=UNKNOWN, optional=True)
        )


@dataclass(slots=True)
class Choice:
    """``constants`` by path (``name``, ``name[1]``). ``others``: further values that a compile-time parameter
    takes, likeliest first.

    ``optional``: it may also be None. ``present``: of a parameter that is None, the type that it has otherwise.
    ``parts``: of a tuple, the choices for its elements, by path. ``names``: of the fields of it and its elements, by
    path, where they are named tuples or objects; ``made``: the class of each object, by path. ``extents``: what a
    descriptor's block shape is made of, and ``split`` how it is divided among thread blocks."""

    type: ParameterType
    evidence: Evidence
    constants: dict[str, Any] = field(default_factory=dict[str, Any])
    others: list[Any] = field(default_factory=list[Any])
    optional: bool = False
    present: ParameterType | None = None
    parts: dict[str, Choice] = field(default_factory=dict[str, "Choice"])
    names: dict[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    made: dict[str, AggregateRef] = field(default_factory=dict[str, AggregateRef])
    extents: Extents = ()
    split: Split | None = None

    def at(self, path: str) -> Choice:
        """The choice for the parameter, or for the element of it that the path names."""
        around = next((p for p in self.parts if path == p or paths.is_inside(path, p)), None)
        return self if around is None else self.parts[around].at(path)


def same(a: Any, b: Any) -> bool:
    """Whether two compile-time values are one: ``True`` is not ``1`` here."""
    return type(a) is type(b) and a == b


def integer_type(value: Any) -> str:
    """The type that Triton gives an integer; of one that is not known, that of most."""
    if type(value) is not int or -(1 << 31) <= value < 1 << 31:
        return "i32"
    return "i64" if value < 1 << 63 else "u64"


def of_integers(evidence: Evidence, path: str, values: Sequence[Any]) -> Evidence:
    """With what is known of an integer, a parameter or an element of one, by the values that launches pass."""
    one = [type(value) is int and value == 1 for value in values]
    return replace(
        evidence,
        ones=(path,) if any(one) else (),
        others=() if all(one) else (path,),
        any_size=(path,) if UNKNOWN in values else (),
    )


def spelled(value: Any) -> str:
    """A value for people."""
    if isinstance(value, AggregateRef):
        return "an aggregate"
    if isinstance(value, FunctionRef):
        return "a jit function"
    if isinstance(value, NamedTupleValue):
        return spelled(value.values)
    if isinstance(value, tuple):
        parts: list[str] = [spelled(part) for part in cast("tuple[Any, ...]", value)]
        return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
    return value.path.rpartition(".")[2] if isinstance(value, TritonObject) else repr(value)
