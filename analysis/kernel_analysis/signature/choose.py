"""Chooses the type or compile-time value of one parameter from all that is known of it, strongest evidence first."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from kernel_analysis.signature import annotations, names
from kernel_analysis.signature.host import Argument
from kernel_analysis.signature.model import Evidence, ParameterType
from kernel_analysis.signature.values import UNKNOWN, Clue, Shape
from kernel_analysis.source.slice import TritonObject

EXTENT: Final = 64
"""A block's extent when nothing says another: a power of two that ``tl.dot`` takes and three of which fit in a block."""
FLOAT32: Final = TritonObject("triton.language.float32")


@dataclass(slots=True)
class Known:
    """All that is known about a parameter. ``arguments``: what each launch passes, None where it leaves it out.

    ``block``: the block shape that an autotuner's hook gives a descriptor. ``fixed``: values from autotune configs, heuristics; with the kind of evidence. ``elements``: clues of a tuple's elements."""

    name: str
    annotation: ast.expr | None
    line: int | None
    default: Any = UNKNOWN
    has_default: bool = False
    clue: Clue = field(default_factory=Clue)
    arguments: list[Argument | None] = field(default_factory=list["Argument | None"])
    fixed: list[tuple[Any, Evidence]] = field(default_factory=list[tuple[Any, Evidence]])
    elements: dict[str, Clue] = field(default_factory=dict[str, Clue])
    helper: bool = False
    block: Shape = ()

    @property
    def launch(self) -> Argument | None:
        """What the launches pass, the first that says most leading; None when every launch leaves it out."""
        passed = [a for a in self.arguments if a is not None]
        if not passed:
            return None
        best = next((a for a in passed if a.kind not in ("unknown", "none")), passed[0])
        if any(a.kind == "none" or a.optional for a in passed) and best.kind not in ("none",):
            best = replace(best, optional=True)
        if best.kind == "tensor" and best.dtype is None:
            best = replace(best, dtype=next((a.dtype for a in passed if a.kind == "tensor" and a.dtype), None))
        return best if best.kind != "none" or all(a.kind == "none" for a in passed) else replace(passed[0], kind="unknown", value=UNKNOWN, optional=True)


@dataclass(slots=True)
class Choice:
    """``constants`` by path (``name``, ``name[1]``). ``others``: further values that a compile-time parameter takes, likeliest first.

    ``optional``: it may also be None."""

    type: ParameterType
    evidence: Evidence
    constants: dict[str, Any] = field(default_factory=dict[str, Any])
    others: list[Any] = field(default_factory=list[Any])
    optional: bool = False


def choose(known: Known) -> Choice:
    """The likeliest type or value."""
    launch = known.launch
    if annotations.is_constexpr(known.annotation):
        return static(known, launch)
    written = annotations.type_of(known.annotation)
    none = Choice("constexpr", Evidence("launch", "every launch passes None", True), {known.name: None})
    if launch is not None and launch.kind == "none":
        return none
    if launch is None and known.arguments and known.has_default and known.default is not UNKNOWN:
        detail = f"no launch passes it, and its default is {known.default!r}"
        if known.default is None or isinstance(known.default, (str, bool)):
            return Choice("constexpr", Evidence("default", detail, True), {known.name: known.default}, [True, False] if isinstance(known.default, bool) else [])
        return Choice("fp32" if isinstance(known.default, float) else "i32", Evidence("default", detail, True))
    if written is not None:
        evidence = Evidence("annotation", f"annotated {annotations.text(known.annotation)}", True, known.line)
        return Choice(written, evidence, optional=known.default is None and known.has_default)
    if known.fixed:
        return static(known, launch)
    const = annotations.is_pointer(known.annotation) and annotations.text(known.annotation).endswith("const")
    chosen = _by_launch(known, launch) or _by_use(known)
    if const and isinstance(chosen.type, str) and chosen.type.startswith("*"):
        chosen.type = "*k" + chosen.type[1:]
    if known.has_default and known.default is None or launch is not None and launch.optional or known.clue.weight("none") >= 1:
        chosen.optional = True
    return chosen


def _by_launch(known: Known, launch: Argument | None) -> Choice | None:
    """By the kind of what a launch passes."""
    if launch is None or launch.kind == "unknown":
        return None
    line = None
    if launch.kind == "tensor":
        dtype = launch.dtype
        if dtype is not None:
            return Choice(f"*{dtype}", Evidence("launch", f"a launch passes a tensor of {dtype}", True, line))
        return Choice(f"*{element(known.name, known.clue, 1)}", Evidence("launch", "a launch passes a tensor", False, line))
    if known.clue.weight("pointer") >= 4 and launch.kind in ("float", "bool", "int"):
        # The text around the launch was misread: what the body does with it counts.
        return None
    if launch.kind == "float":
        return Choice("fp32", Evidence("launch", "a launch passes a float", True, line))
    if launch.kind == "bool":
        return Choice("i1", Evidence("launch", "a launch passes a bool", True, line))
    if launch.kind == "int":
        if known.clue.weight("static"):
            return None
        return Choice("i32", Evidence("launch", "a launch passes an integer", known.clue.weight("float") == 0, line))
    if launch.kind == "descriptor":
        chosen = descriptor(known, launch)
        return Choice(chosen, Evidence("launch", "a launch passes a tensor descriptor", False, line))
    if launch.kind in ("str", "dtype"):
        return static(known, launch)
    if launch.kind == "tuple" and launch.items is not None:
        parts: list[ParameterType] = []
        constants: dict[str, Any] = {}
        for i, item in enumerate(launch.items):
            path = f"{known.name}[{i}]"
            part = choose(Known(path, None, known.line, clue=known.elements.get(path, Clue()), arguments=[item]))
            parts.append(part.type)
            constants.update(part.constants)
        return Choice(tuple(parts), Evidence("launch", f"a launch passes a tuple of {len(parts)}", False, line), constants)
    return None


def descriptor(known: Known, launch: Argument | None, constants: Mapping[str, Any] | None = None) -> str:
    """The type of a tensor descriptor. ``constants``: the values of the parameters that its block shape is made of."""
    written: tuple[Any, ...] = launch.block if launch is not None and launch.block is not None else ()
    rank = len(written) or max((len(b) for b in known.clue.blocks), default=2)
    if all(not isinstance(d, int) or d <= 1 for d in written):
        # Nothing, or the dummy that an autotuner's hook fills in.
        written = known.block
    candidates: list[Shape] = [written, *(b for b in known.clue.blocks if len(b) == rank)]
    best = max((c for c in candidates if c), key=lambda b: sum(d is not None and d is not UNKNOWN for d in b), default=(None,) * rank)
    shape: list[int] = []
    for dim in best:
        value = (constants or {}).get(dim) if isinstance(dim, str) else dim
        shape.append(value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else EXTENT)
    dtype = (launch.dtype if launch is not None else None) or element(known.name, known.clue, 1)
    return f"tensordesc<{'fp16' if dtype == 'fp32' and known.clue.weight('dot', 1) else dtype}{shape}>"


def element(name: str, clue: Clue, depth: int) -> str:
    """The dtype of what a pointer points to."""
    if clue.weight("i64", depth):
        return "i64"
    if clue.weight("pointer", depth) and depth < 3:
        return "*" + element(name, clue, depth + 1)
    for bits in (8, 16):
        if clue.weight(f"bits{bits}", depth):
            return f"i{bits}"
    integer, floating, boolean = (clue.weight(role, depth) for role in ("int", "float", "bool"))
    if names.is_integers(name):
        integer += 1.1
    elif names.is_mask(name):
        boolean += 1.1
    if clue.weight("dot", depth):
        floating += 2
    if integer > floating and integer >= boolean:
        return "i32"
    return "i1" if boolean > floating and boolean > 0 else "fp32"


def _by_use(known: Known) -> Choice:
    """By what the body does with it, else by its name."""
    clue, name = known.clue, known.name
    roles = ("pointer", "descriptor", "static", "tuple", "call", "string", "dtype")
    weights = {role: clue.weight(role) for role in roles}
    weights["static"] += clue.weight("dim") + clue.weight("factor")
    if annotations.is_pointer(known.annotation):
        weights["pointer"] += 3
    if annotations.is_descriptor(known.annotation):
        weights["descriptor"] += 6
    if any(isinstance(c, (str, TritonObject)) for c in clue.compared):
        weights["string"] += 3
    role = max(weights, key=lambda r: weights[r])
    if weights[role] > 0:
        vote = clue.votes.get((0, role))
        evidence = Evidence("use", vote.detail if vote else "its use", False, vote.line if vote else known.line)
        if role == "pointer":
            return Choice(f"*{element(name, clue, 1)}", evidence)
        if role == "descriptor":
            return Choice(descriptor(known, None), evidence)
        if role == "tuple":
            return _tuple(known, evidence)
        return static(known, None)
    if known.has_default and known.default is not UNKNOWN and not known.arguments:
        if isinstance(known.default, (bool, str, TritonObject)):
            return Choice("constexpr", Evidence("default", f"its default is {known.default!r}", False, known.line), {name: known.default}, [True, False] if isinstance(known.default, bool) else [])
        if isinstance(known.default, float):
            return Choice("fp32", Evidence("default", "its default is a float", False, known.line))
    if role == "pointer" and names.is_pointer(name) == 2:
        return Choice(f"*{element(name, clue, 1)}", Evidence("name", "its name", False, known.line))
    if known.helper and clue.rank:
        block = f"[{', '.join([str(EXTENT)] * clue.rank)}]"
        return Choice(element(name, clue, 0) + block, Evidence("use", f"it is used as a block of rank {clue.rank}", False, known.line))
    integer, floating, boolean = (clue.weight(r) for r in ("int", "float", "bool"))
    used = bool(clue.votes)
    if floating + 1.5 * names.is_float(name) > integer and (floating or names.is_float(name)):
        kind = "use" if floating else "name"
        return Choice("fp32", Evidence(kind, "it is computed with like a float" if floating else "its name", False, known.line))
    if boolean > integer:
        return Choice("i1", Evidence("use", "it is used as a condition", False, known.line))
    if integer:
        vote = clue.votes[0, "int"]
        return Choice("i32", Evidence("use", vote.detail, False, vote.line))
    if not used and not known.helper and names.is_pointer(name) > 0:
        return Choice("*fp32", Evidence("name", "its name", False, known.line))
    if known.helper and names.is_pointer(name) >= 0 and not names.is_flag(name):
        return Choice("fp32", Evidence("assumed", "nothing says otherwise", False, known.line))
    return Choice("i32", Evidence("assumed", "nothing says otherwise", False, known.line))


def _tuple(known: Known, evidence: Evidence) -> Choice:
    parts: list[ParameterType] = []
    constants: dict[str, Any] = {}
    indexed = [int(p.rpartition("[")[2][:-1]) for p in known.elements]
    for i in range(max([known.clue.arity, *(n + 1 for n in indexed)], default=1) or 1):
        path = f"{known.name}[{i}]"
        part = choose(Known(path, None, known.line, clue=known.elements.get(path, Clue()), helper=known.helper))
        parts.append(part.type)
        constants.update(part.constants)
    return Choice(tuple(parts), evidence, constants)


def static(known: Known, launch: Argument | None) -> Choice:
    """The value of a compile-time parameter, and the other values that it may have."""
    values: list[tuple[Any, Evidence]] = []
    for argument in known.arguments:
        if argument is not None and argument.value is not UNKNOWN and argument.kind != "unknown" or argument is not None and argument.kind == "none":
            value = None if argument.kind == "none" else argument.value
            values.append((value, Evidence("launch", f"a launch passes {spelled(value)}", True)))
    # A config fixes a value before a launch does; a launch that leaves it out leaves the default.
    values[:0] = known.fixed
    guesses = [(value, Evidence(kind, detail, False, known.line)) for value, kind, detail in guess(known, launch)]
    if known.has_default and known.default is not UNKNOWN and (launch is None or not values):
        certain = launch is None
        at = Evidence("default", f"its default is {spelled(known.default)}", certain, known.line)
        values.append((known.default, at))
    values += guesses
    first, evidence = values[0]
    others: list[Any] = []
    for value, _ in values[1:]:
        if not same(value, first) and not any(same(value, o) for o in others):
            others.append(value)
    if known.clue.weight("none") and first is not None and not any(o is None for o in others):
        others.append(None)
    return Choice("constexpr", evidence, {known.name: first}, others)


def same(a: Any, b: Any) -> bool:
    """Whether two compile-time values are one: ``True`` is not ``1`` here."""
    return type(a) is type(b) and a == b


def spelled(value: Any) -> str:
    """A value for people."""
    return value.path.rpartition(".")[2] if isinstance(value, TritonObject) else repr(value)


def guess(known: Known, launch: Argument | None) -> list[tuple[Any, Any, str]]:
    """Values of a compile-time parameter by its use and name, likeliest first: (value, kind of evidence, detail)."""
    clue, name = known.clue, known.name
    kind = launch.kind if launch is not None else "unknown"
    compared = [(c, "use", f"it is compared with {spelled(c)}") for c in clue.compared if c is not None]
    extent = clue.weight("dim") + clue.weight("static") + clue.weight("factor")
    plain = not extent and kind == "unknown" and not any(not isinstance(c[0], TritonObject) for c in compared)
    if kind == "dtype" or clue.weight("dtype") or (names.is_dtype(name) and plain):
        dtypes = [c for c in compared if isinstance(c[0], TritonObject)]
        by = "launch" if kind == "dtype" else "use" if clue.weight("dtype") else "name"
        return [(FLOAT32, by, "it is a dtype"), *dtypes, (TritonObject("triton.language.float16"), by, "it is a dtype")]
    if clue.weight("tuple") >= 5:
        return [((8,) * max(clue.arity, 1), "use", "it is a tuple")]
    if clue.weight("call"):
        function = "triton.language.maximum" if clue.arity == 2 else "triton.language.abs"
        return [(TritonObject(function), "use", "it is called")]
    texts = [c for c in compared if isinstance(c[0], (str, TritonObject))]
    if texts or kind == "str":
        return texts or [("", "launch", "a launch passes text")]
    if clue.weight("string"):
        return [("ieee" if "prec" in name.lower() else "", "use", "it is text")]
    bools = [c for c in compared if isinstance(c[0], bool)]
    numbers = [c for c in compared if not isinstance(c[0], (bool, str))]
    if kind == "bool" or (not extent and not numbers and kind not in ("int", "float") and (bools or _is_flag(known))):
        by = "launch" if kind == "bool" else "use" if clue.weight("flag") or bools else "name"
        return [(True, by, "it is a flag"), (False, by, "it is a flag")]
    if names.is_bits(name) and not numbers or clue.weight("bits"):
        return [*numbers, (4, "name", "it is a number of bits"), (8, "name", "it is a number of bits")]
    if extent:
        small = names.is_small(name) and not clue.weight("dim")
        first = 2 if small else EXTENT
        return [(first, "use", "it is a block's extent"), *numbers]
    if numbers:
        number = numbers[0][0]
        other = [(number + 1, "use", "a value that it is not compared with")] if isinstance(number, int) else []
        return [*numbers, *other]
    fractional = clue.weight("float") >= 2 and names.is_pointer(name) >= 0 or names.is_float(name)
    if kind == "float" or (kind != "int" and fractional and clue.weight("float") >= clue.weight("int")):
        return [(0.5, "name" if kind != "float" else "launch", "it is a float")]
    if names.is_block(name):
        return [(EXTENT, "name", "it is a block's extent")]
    if clue.weight("small") or names.is_small(name):
        return [(2, "name", "it is a small number"), (1, "name", "it is a small number")]
    if clue.weight("none") and not clue.weight("number") and not clue.weight("int"):
        return [(EXTENT, "use", "it may be None"), (None, "use", "it may be None")]
    return [(EXTENT, "name" if names.is_extent(name) else "assumed", "an integer")]


def _is_flag(known: Known) -> bool:
    clue = known.clue
    if names.is_flag(known.name):
        return clue.weight("number") < 2 and not clue.weight("small")
    if clue.weight("number") or clue.weight("small"):
        return False
    return clue.weight("flag") > 0 and clue.weight("int") == 0
