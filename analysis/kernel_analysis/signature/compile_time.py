"""Chooses the value of a compile-time parameter, and the other values that it may have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, cast

from kernel_analysis import paths
from kernel_analysis.host.evaluate.argument import HostArgument, supposed
from kernel_analysis.signature.body import layouts_asked
from kernel_analysis.signature.evidence import name_table
from kernel_analysis.signature.evident_values import UNKNOWN, Clue
from kernel_analysis.signature.parameter_evidence import EXTENT, FLOAT32, Choice, Known, same, spelled
from kernel_analysis.signature.signature_model import Evidence
from kernel_analysis.source.slice import AggregateRef, FunctionRef, MadeOfTriton, NamedTupleValue, TritonObject

_OPTIONS: Final = {"num_warps": 4, "NUM_WARPS": 4}
"""What a launch has where nobody says another."""
_SAID: Final = (int, float, str, tuple, FunctionRef, AggregateRef, MadeOfTriton, TritonObject)
_CALLED: Final = {0: "extra.cuda.globaltimer", 1: "abs", 2: "maximum", 3: "fma"}
"""A function of Triton's by the number of arguments that it takes."""


def static(known: Known, launch: HostArgument | None) -> Choice:
    """The value of a compile-time parameter, and the other values that it may have."""
    values: list[tuple[Any, Evidence]] = []
    for argument in known.arguments:
        if (
            argument is not None
            and argument.value is not UNKNOWN
            and argument.kind != "unknown"
            or argument is not None
            and argument.kind == "none"
        ):
            value = None if argument.kind == "none" else argument.value
            values.append(
                (
                    value,
                    Evidence(
                        "launch",
                        f"a launch passes {spelled(value)}",
                        argument.sure and not argument.varies,
                        said=not argument.varies,
                    ),
                )
            )
    # A config fixes a value before a launch does; a launch that leaves it out leaves the default.
    values[:0] = known.fixed
    guesses = [(value, Evidence(kind, detail, False, known.line)) for value, kind, detail in guess(known, launch)]
    if known.has_default and known.default is not UNKNOWN and (launch is None or not values):
        certain = launch is None and not known.default_varies
        at = Evidence("default", f"its default is {spelled(known.default)}", certain, known.line)
        values.append((known.default, at))
    values += _likely(known)
    values += guesses
    first, evidence = values[0]
    others: list[Any] = []
    for value, _ in values[1:]:
        if not same(value, first) and not any(same(value, o) for o in others):
            others.append(value)
    if known.clue.weight("none") and first is not None and not any(o is None for o in others):
        others.append(None)
    return Choice("constexpr", evidence, {known.name: first}, others)


def _likely(known: Known) -> list[tuple[Any, Evidence]]:
    """What host code passes where nobody says another, as the default of a parameter of its own. The extents of blocks
    must go together, as guesses do: they are taken where one launch says all of them. Not what switches off a thing
    that is to be seen."""
    counted = known.clue.weight("static")
    found: list[tuple[Any, Evidence]] = []
    for argument in known.arguments:
        value: Any = UNKNOWN if argument is None or argument.value is not UNKNOWN else argument.likely
        apart = is_extent(known.clue) and argument is not known.whole
        if isinstance(value, bool) or not value or isinstance(value, int) and (apart or counted and value < 0):
            continue
        if isinstance(value, _SAID):
            found.append(
                (cast("object", value), Evidence("launch", f"host code passes {spelled(value)} by default", False))
            )
    return found


def is_extent(clue: Clue) -> bool:
    """Whether it is the extent of a block, or a factor of one."""
    return clue.weight("dim") + clue.weight("factor") > 0


def extents_of_one_launch(found: dict[str, Known]) -> None:
    """Notes of which launch the extents go together: the first that says something of each, and passes descriptors
    whose block shapes, or layouts, are known, which they must fit."""
    extents = [known for known in found.values() if is_extent(known.clue) and not known.fixed]
    for place, passed in enumerate(zip(*(known.arguments for known in extents), strict=False)):
        given = [known.arguments[place] for known in found.values()]
        blocks = [a.block or () for a in given if a is not None and a.kind == "descriptor"]
        fit = blocks and all(block and all(type(size) is int for size in block) for block in blocks)
        fit = fit or any(a is not None and isinstance(supposed(a), MadeOfTriton) for a in given)
        if fit and all(argument is not None and isinstance(supposed(argument), int) for argument in passed):
            for known, argument in zip(extents, passed, strict=True):
                known.whole = argument
            return


def guess(known: Known, launch: HostArgument | None) -> list[tuple[Any, Any, str]]:
    """Values of a compile-time parameter by its use and name, likeliest first: (value, kind of evidence, detail)."""
    clue, name = known.clue, known.name
    if name in _OPTIONS:
        return [(_OPTIONS[name], "name", "the usual number of warps")]
    kind = launch.kind if launch is not None else "unknown"
    layout = layouts_asked.guessed(clue)
    if layout is not None:
        return [(layout, "use", "it is a layout")]
    if clue.named:
        return [(_with_fields(known), "use", "its fields are used")]
    compared = [(c, "use", f"it is compared with {spelled(c)}") for c in clue.compared if c is not None]
    extent = clue.weight("dim") + clue.weight("static") + clue.weight("factor")
    plain = not extent and kind == "unknown" and not any(not isinstance(c[0], TritonObject) for c in compared)
    plain = plain and not clue.weight("call")
    if kind == "dtype" or clue.weight("dtype") or (name_table.suggests(name, "dtype") and plain):
        dtypes = [c for c in compared if isinstance(c[0], TritonObject)]
        by = "launch" if kind == "dtype" else "use" if clue.weight("dtype") else "name"
        return [(FLOAT32, by, "it is a dtype"), *dtypes, (TritonObject("triton.language.float16"), by, "it is a dtype")]
    for role, value in (("one", 1), ("axis", 0)):
        if clue.weight(role):
            return [(value, "use", clue.votes[0, role].detail)]
    if clue.weight("tuple") >= 5:
        parts = [known.elements.get(paths.element(name, i)) for i in range(max(clue.arity, 1))]
        return [(tuple([8 if part is None else _called(part) or 8 for part in parts]), "use", "it is a tuple")]
    function = _called(clue)
    if function is not None:
        return [(function, "use", "it is called")]
    texts = [c for c in compared if isinstance(c[0], (str, TritonObject))]
    if texts:
        return texts
    if kind == "str" or clue.weight("string"):
        precision = "prec" in name.lower()
        by, detail = ("launch", "a launch passes text") if kind == "str" else ("use", "it is text")
        return [("ieee" if precision else "", by, detail)]
    bools = [c for c in compared if isinstance(c[0], bool)]
    numbers = [c for c in compared if not isinstance(c[0], (bool, str))]
    if kind == "bool" or (not extent and not numbers and kind not in ("int", "float") and (bools or _is_flag(known))):
        used = clue.weight("flag") or clue.weight("bool") or bools
        by = "launch" if kind == "bool" else "use" if used else "name"
        return [(True, by, "it is a flag"), (False, by, "it is a flag")]
    if name_table.suggests(name, "bits") and not numbers or clue.weight("bits"):
        return [*numbers, (4, "name", "it is a number of bits"), (8, "name", "it is a number of bits")]
    if extent:
        part = name_table.suggests(name, "small") or clue.weight("unrolled") or clue.weight("divisor")
        small = part and not clue.weight("dim")
        first = max(2 if small else EXTENT, clue.least)
        return [(first, "use", "it is a block's extent"), *numbers]
    if name_table.suggests(name, "ignored label"):
        return [(name_table.IGNORED, "name", "it is a label that is left out"), *numbers]
    if numbers:
        number = numbers[0][0]
        other = [(number + 1, "use", "a value that it is not compared with")] if isinstance(number, int) else []
        return [*numbers, *other]
    fractional = clue.weight("float") >= 2 and name_table.is_pointer(name) >= 0 or name_table.suggests(name, "float")
    if kind == "float" or (kind != "int" and fractional and clue.weight("float") >= clue.weight("int")):
        return [(0.5, "name" if kind != "float" else "launch", "it is a float")]
    if name_table.is_block(name):
        return [(max(EXTENT, clue.least), "name", "it is a block's extent")]
    if clue.weight("small") or name_table.suggests(name, "small"):
        return [(2, "name", "it is a small number"), (1, "name", "it is a small number")]
    if clue.weight("none") and not clue.weight("number") and not clue.weight("int"):
        return [(EXTENT, "use", "it may be None"), (None, "use", "it may be None")]
    return [(max(EXTENT, clue.least), "name" if name_table.suggests(name, "extent") else "assumed", "an integer")]


def _with_fields(known: Known) -> NamedTupleValue:
    """A named tuple of what each of its fields may be."""
    names = known.clue.named
    clues = [known.elements.get(paths.element(known.name, index)) or Clue() for index in range(len(names))]
    parts = [guess(replace(known, name=n, clue=c), None)[0][0] for n, c in zip(names, clues, strict=True)]
    return NamedTupleValue("Fields", names, tuple(parts))


def _called(clue: Clue) -> TritonObject | None:
    """A function of Triton's for what is called; None for what is not."""
    if not clue.weight("call"):
        return None
    function = _CALLED.get(clue.arity, "maximum")
    if clue.weight("procedure") >= clue.weight("call"):
        function = "static_print"  # takes anything, does nothing and gives nothing
    return TritonObject(f"triton.language.{function}")


def _is_flag(known: Known) -> bool:
    clue = known.clue
    if name_table.suggests(known.name, "flag"):
        return clue.weight("number") < 2 and not clue.weight("small")
    if clue.weight("number") or clue.weight("small"):
        return False
    return clue.weight("flag") + clue.weight("bool") > 0 and clue.weight("int") == 0
