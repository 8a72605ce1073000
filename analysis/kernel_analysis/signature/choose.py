"""Chooses the type or compile-time value of one parameter from all that is known of it, strongest evidence first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any, Final

from kernel_analysis import paths
from kernel_analysis.host.evaluate.argument import HostArgument, constant
from kernel_analysis.signature import fitting, spelling
from kernel_analysis.signature.body.pointers import NARROW
from kernel_analysis.signature.compile_time import static
from kernel_analysis.signature.evidence import annotations, name_table
from kernel_analysis.signature.evidence.pinned import Pin
from kernel_analysis.signature.evident_values import UNKNOWN, Clue
from kernel_analysis.signature.parameter_evidence import EXTENT, Choice, Known, integer_type, of_integers, same
from kernel_analysis.signature.signature_model import Evidence, Extents, ParameterType
from kernel_analysis.source.dtypes import is_float
from kernel_analysis.source.slice import TritonObject

_NO_VALUE: Final = frozenset({"none", "flag", "test", "small", "call", "string", "dtype"})
"""What is done with a parameter that speaks of no value of the kernel's: it is compared, an axis, a function."""


def choose(known: Known) -> Choice:
    """The likeliest type or value."""
    launch = known.launch
    if known.pin is not None:
        return _pinned(known, known.pin)
    if annotations.is_constexpr(known.annotation):
        return static(known, launch)
    if known.declared is not None:
        type, evidence = known.declared
        return static(known, launch) if type == "constexpr" else Choice(type, evidence)
    written = annotations.type_of(known.annotation)
    if written is not None and not known.helper:
        # Triton gives it that type whatever is passed, None included (`create_function_from_signature` of its jit.py).
        return Choice(written, _annotated(known, True))
    if launch is not None and launch.kind == "none":
        sure = all(passed.sure and not passed.varies for passed in known.arguments if passed is not None)
        return Choice(
            "constexpr",
            Evidence("launch", "every launch passes None", sure, said=True),
            {known.name: None},
            present=_present(known, written),
        )
    if any(passed is not None and passed.wrapped for passed in known.arguments):
        return static(known, launch)
    left_out = bool(known.arguments) and all(passed is None or passed.spread for passed in known.arguments)
    if left_out and known.has_default and known.default is not UNKNOWN:
        passes = "passes" if launch is None else "is seen to pass"
        detail = f"no launch {passes} it, and its default is {known.default!r}"
        evidence = Evidence("default", detail, launch is None and not known.default_varies)
        if known.default is None or isinstance(known.default, str):
            present = _present(known, written) if known.default is None else None
            return Choice("constexpr", evidence, {known.name: known.default}, present=present)
        chosen = _by_launch(known, constant(known.default)) or Choice("i32", evidence)
        chosen.evidence = replace(chosen.evidence, kind="default", detail=detail, certain=evidence.certain, said=False)
        return chosen
    if written is not None and known.helper and "*" not in written and known.clue.weight("small"):
        # A helper gets what it is called with, whatever it is annotated.
        return static(known, launch)
    if written is not None:
        return Choice(written, _annotated(known, False), optional=known.default is None and known.has_default)
    if known.fixed:
        return _by_configs(known) or static(known, launch)
    if known.clue.weight("one"):
        # Triton compiles an argument that is 1 as a constant.
        return Choice(
            "constexpr", Evidence("use", known.clue.votes[0, "one"].detail, False, known.line), {known.name: 1}
        )
    if known.default is None and known.has_default and not known.arguments and known.clue.roles() <= _NO_VALUE:
        # Nothing in sight passes another, and nothing that is done with it says of what type that would be.
        return static(known, None)
    const = annotations.is_pointer(known.annotation) and annotations.text(known.annotation).endswith("const")
    chosen = _by_launch(known, launch) or _by_use(known)
    if const and isinstance(chosen.type, str) and chosen.type.startswith("*"):
        chosen.type = "*k" + chosen.type[1:]
    if (
        known.has_default
        and known.default is None
        or launch is not None
        and launch.optional
        or known.clue.weight("none") >= 1
    ):
        chosen.optional = True
    return chosen


def _by_configs(known: Known) -> Choice | None:
    """What is no ``tl.constexpr`` has a type where an autotuner gives it numbers, as where a launch does."""
    values: list[object] = [value for value, evidence in known.fixed if evidence.kind == "autotune"]
    alike = len({type(value) for value in values}) == 1 and type(values[0]) in (bool, int, float)
    if not alike or len(values) < len(known.fixed) or any(type(value) is int and value == 1 for value in values):
        return None
    if known.clue.weight("pointer") >= 4 or known.clue.weight("tuple") >= 5:
        return None
    found = replace(known.fixed[0][1], certain=all(evidence.certain for _, evidence in known.fixed))
    if type(values[0]) is int:
        return Choice(integer_type(values[0]), of_integers(found, known.name, values))
    return Choice("i1" if type(values[0]) is bool else "fp32", found)


def _annotated(known: Known, certain: bool) -> Evidence:
    return Evidence("annotation", f"annotated {annotations.text(known.annotation)}", certain, known.line)


def _pinned(known: Known, pin: Pin) -> Choice:
    """What a comment says; what it would be without is what it may be otherwise."""
    otherwise = choose(replace(known, pin=None))
    if pin.type != "constexpr":
        return Choice(pin.type, pin.evidence, optional=otherwise.optional)
    others = [*otherwise.constants.values(), *otherwise.others] if otherwise.type == "constexpr" else []
    present = otherwise.type if pin.value is None and otherwise.type != "constexpr" else None
    different = [value for value in others if not same(value, pin.value)]
    return Choice("constexpr", pin.evidence, {known.name: pin.value}, different, present=present)


def _present(known: Known, written: str | None) -> ParameterType | None:
    """The type of a parameter that these launches leave None and others will not; None if that can't be told."""
    type = written or _by_use(known).type
    return None if type == "constexpr" else type


def _by_launch(known: Known, launch: HostArgument | None) -> Choice | None:
    """By the kind of what a launch passes."""
    if launch is None or launch.kind == "unknown":
        return None
    sure = launch.sure and not launch.varies

    def evidence(detail: str, said: bool) -> Evidence:
        return Evidence("launch", detail, said and sure, said=said)

    if launch.kind == "tensor":
        dtype = launch.dtype
        if dtype is not None:
            # Where it is used as integers are, another tensor may have been taken for this one.
            used_as_int = known.clue.weight("int", 1) >= 3 and not known.clue.weight("float", 1)
            doubtful = not sure and is_float(dtype) and used_as_int
            said = not doubtful and not launch.varies
            found = evidence(f"a launch passes a tensor of {dtype}", said)
            return Choice(f"*{dtype}", replace(found, passed=not doubtful))
        return Choice(f"*{element(known.names, known.clue, 1)}", evidence("a launch passes a tensor", False))
    if launch.kind in ("float", "bool", "int", "dtype", "str") and (
        known.clue.weight("pointer") >= 4 or known.clue.weight("tuple") >= 5
    ):
        # The text around the launch was misread (`x.stride()` are several): what the body does with it counts.
        return None
    if launch.kind == "float":
        return Choice("fp32", evidence("a launch passes a float", True))
    if launch.kind == "bool":
        return Choice("i1", evidence("a launch passes a bool", True))
    if launch.kind == "int":
        if known.clue.weight("static") and known.helper:
            return None
        values = [a.value for a in known.arguments if a is not None and a.kind == "int"]
        values += [known.default] if None in known.arguments and type(known.default) is int else []
        found = evidence("a launch passes an integer", known.clue.weight("float") == 0)
        value = launch.likely if launch.value is UNKNOWN else launch.value
        return Choice(integer_type(value), of_integers(found, known.name, values))
    if launch.kind == "descriptor":
        chosen = descriptor(known, launch)
        found = evidence("a launch passes a tensor descriptor", False)
        return Choice(chosen, replace(found, passed=launch.dtype is not None))
    if launch.kind in ("str", "dtype", "function"):
        return static(known, launch)
    if launch.kind == "tuple" and launch.items is not None:
        parts: list[ParameterType] = []
        constants: dict[str, Any] = {}
        elements: dict[str, Choice] = {}
        for i, item in enumerate(launch.items):
            part = choose(replace(_element(known, i), arguments=[item]))
            elements[paths.element(known.name, i)] = part
            parts.append(part.type)
            constants.update(part.constants)
        certain = sure and all(part.evidence.certain for part in elements.values())
        passed = replace(
            evidence(f"a launch passes a tuple of {len(parts)}", certain),
            ones=tuple([path for part in elements.values() for path in part.evidence.ones]),
            others=tuple([path for part in elements.values() for path in part.evidence.others]),
            any_size=tuple([path for part in elements.values() for path in part.evidence.any_size]),
        )
        return Choice(tuple(parts), passed, constants, parts=elements)
    return None


def descriptor(known: Known, launch: HostArgument | None, constants: Mapping[str, Any] | None = None) -> str:
    """The type of a tensor descriptor. ``constants``: the values of the parameters that its block shape is made of."""
    parts = extents(known, launch, constants or {})
    written: tuple[Any, ...] = launch.block if launch is not None and launch.block is not None else ()
    if parts:
        given = written if len(written) == len(parts) else (UNKNOWN,) * len(parts)
        made = [fitting.computed(part, constants or {}) if part else UNKNOWN for part in parts]
        written = tuple([size if value is UNKNOWN else value for size, value in zip(given, made, strict=True)])
    rank = len(written) or max((len(b) for b in known.clue.blocks), default=2)
    used: list[tuple[Any, ...]] = [b for b in known.clue.blocks if len(b) == rank]
    best = max(used, key=lambda b: sum(map(_is_size, b)), default=(UNKNOWN,) * rank)
    # A block of five dimensions is of single rows, mostly, and would be too large otherwise.
    shape = [
        size if _is_size(size) else EXTENT if rank < 5 or at >= rank - 2 else 1
        for at, size in enumerate(_filled(written, best))
    ]
    dtype = (launch.dtype if launch is not None else None) or element(known.names, known.clue, 1)
    dtype = "fp16" if dtype == "fp32" and known.clue.weight("dot", 1) else dtype
    return spelling.descriptor(dtype, shape, known.clue.image)


def extents(known: Known, launch: HostArgument | None, constants: Mapping[str, Any]) -> Extents:
    """What its block shape is made of, by a launch or an autotuner's hook."""
    written = launch.block if launch is not None and launch.block is not None else ()
    hooked = tuple(["" if size is None or size is UNKNOWN else str(size) for size in known.block])
    if all(not isinstance(size, int) or size <= 1 for size in written) and hooked:
        return hooked  # nothing is written, or the dummy that the hook fills in
    passed = launch.extents if launch is not None else ()
    if len(hooked) != len(written) or len(passed) not in (0, len(written)):
        return passed
    # Where the hook is not used, what it would do says what the sizes are.
    same = [
        part if size == fitting.computed(part, constants) else "" for part, size in zip(hooked, written, strict=True)
    ]
    return tuple([a or b for a, b in zip(passed or same, same, strict=True)])


def _filled(written: Sequence[Any], used: Sequence[Any]) -> Sequence[Any]:
    """A block shape as it is written, and where that says nothing as it is used, if the two are of one size."""
    if not any(map(_is_size, written)):
        return used
    known = [size for size in written if _is_size(size)]
    if len(known) == len(written) - 1 and all(map(_is_size, used)) and not prod(used) % prod(known):
        return [size if _is_size(size) else prod(used) // prod(known) for size in written]
    agree = all(not _is_size(a) or not _is_size(b) or a == b for a, b in zip(written, used, strict=True))
    return [a if _is_size(a) or not agree else b for a, b in zip(written, used, strict=True)]


def _is_size(size: object) -> bool:
    return isinstance(size, int) and not isinstance(size, bool) and size > 0


def element(called: Sequence[str], clue: Clue, depth: int) -> str:
    """The dtype of what a pointer points to. ``called``: what it is called, here and where it is launched."""
    for exact in ("i32", "i64"):
        if clue.weight(exact, depth):
            return exact
    if clue.weight("pointer", depth) and depth < 3:
        return "*" + element(called, clue, depth + 1)
    for bits in (8, 16):
        if clue.weight(f"bits{bits}", depth):
            return f"i{bits}"
    narrow = max(NARROW, key=lambda dtype: clue.weight(dtype, depth))
    if clue.weight(narrow, depth):
        return narrow
    integer, floating, boolean = (clue.weight(role, depth) for role in ("int", "float", "bool"))
    if any(name_table.suggests(one, "integers") for one in called):
        integer += 1.1
    elif any(name_table.suggests(one, "mask") for one in called) and not integer:
        boolean += 1.1
    if clue.weight("dot", depth):
        floating += 2
    if integer > floating and integer >= boolean:
        return "i64" if any(map(name_table.is_long, called)) else "i32"
    return "i1" if boolean > floating and boolean > 0 else "fp32"


def _by_use(known: Known) -> Choice:
    """By what the body does with it, else by its name."""
    clue, name = known.clue, known.name
    roles = ("pointer", "descriptor", "static", "axis", "tuple", "call", "string", "dtype")
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
            return Choice(f"*{element(known.names, clue, 1)}", evidence)
        if role == "descriptor":
            return Choice(descriptor(known, None), evidence)
        if role == "tuple":
            return _tuple(known, evidence)
        if role not in ("static", "axis") or known.helper or not known.arguments:
            return static(known, None)
        # What a launch passes for it is a number when the kernel runs: used like a constant, it is none all the same.
    if known.has_default and known.default is not UNKNOWN and not known.arguments:
        if isinstance(known.default, (bool, str, TritonObject)):
            return Choice(
                "constexpr",
                Evidence("default", f"its default is {known.default!r}", False, known.line),
                {name: known.default},
                [True, False] if isinstance(known.default, bool) else [],
            )
        if isinstance(known.default, float):
            return Choice("fp32", Evidence("default", "its default is a float", False, known.line))
    if role == "pointer" and name_table.is_pointer(name) == 2:
        return Choice(f"*{element(known.names, clue, 1)}", Evidence("name", "its name", False, known.line))
    if known.helper and clue.rank:
        block = f"[{', '.join([str(EXTENT)] * clue.rank)}]"
        return Choice(
            element(known.names, clue, 0) + block,
            Evidence("use", f"it is used as a block of rank {clue.rank}", False, known.line),
        )
    integer, floating, boolean = (clue.weight(r) for r in ("int", "float", "bool"))
    used = bool(clue.votes)
    if floating + 1.5 * name_table.suggests(name, "float") > integer and (
        floating or name_table.suggests(name, "float")
    ):
        kind = "use" if floating else "name"
        return Choice(
            "fp32", Evidence(kind, "it is computed with like a float" if floating else "its name", False, known.line)
        )
    if boolean > integer:
        return Choice("i1", Evidence("use", "it is used as a condition", False, known.line))
    if integer:
        vote = clue.votes[0, "int"]
        return Choice("i32", Evidence("use", vote.detail, False, vote.line))
    if not used and not known.helper and name_table.is_pointer(name) > 0:
        return Choice("*fp32", Evidence("name", "its name", False, known.line))
    if known.helper and name_table.is_pointer(name) >= 0 and not name_table.suggests(name, "flag"):
        return Choice("fp32", Evidence("assumed", "nothing says otherwise", False, known.line))
    return Choice("i32", Evidence("assumed", "nothing says otherwise", False, known.line))


def _element(known: Known, index: int) -> Known:
    """What is known of an element of a tuple; of one whose elements are used alike, what is known of the first."""
    path = paths.element(known.name, index)
    if known.clue.weight("each") and path not in known.elements:
        first = paths.element(known.name, 0)
        alike = {path + name[len(first) :]: clue for name, clue in known.elements.items() if name.startswith(first)}
        known = replace(known, elements={**known.elements, **alike})
    inner = {name: clue for name, clue in known.elements.items() if paths.is_inside(name, path)}
    return Known(path, None, known.line, clue=known.elements.get(path, Clue()), elements=inner)


def _tuple(known: Known, evidence: Evidence) -> Choice:
    parts: list[ParameterType] = []
    constants: dict[str, Any] = {}
    chosen: dict[str, Choice] = {}
    for i in range(max(known.clue.arity, paths.length_of(known.elements, known.name), 1)):
        part = choose(replace(_element(known, i), helper=known.helper))
        chosen[paths.element(known.name, i)] = part
        parts.append(part.type)
        constants.update(part.constants)
    return Choice(tuple(parts), evidence, constants, parts=chosen)
