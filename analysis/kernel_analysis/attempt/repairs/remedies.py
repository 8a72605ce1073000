"""What to change for which kind of problem, the likeliest change first."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from kernel_analysis.attempt.integer_values import of_any_size
from kernel_analysis.attempt.repairs import absent_remedies, block_remedies, branch_remedies, dtype_remedies
from kernel_analysis.attempt.repairs.diagnosis import EXTENTS, Change, Doctor
from kernel_analysis.facts import Topic
from kernel_analysis.signature.body import coverage
from kernel_analysis.signature.body.walk import Walk
from kernel_analysis.signature.evident_values import SCALED_FORMATS, Clue
from kernel_analysis.signature.parameter_evidence import EXTENT, FLOAT32
from kernel_analysis.signature.signature_model import ParameterType
from kernel_analysis.source.dtypes import LANGUAGE, is_float
from kernel_analysis.source.slice import TritonObject
from kernel_analysis.source.tree.syntax import descend

_OF_SIZE: Final = {1: "i1", 8: "u8", 16: "fp16", 32: "fp32", 64: "i64"}
_MOST_ELEMENTS: Final = 32
_FLOAT: Final = re.compile(r"\b[*k]*(?:fp|bf)\d")
_FLOAT_OF_SIZE: Final = {8: "float8e4nv", 16: "float16", 32: "float32", 64: "float64"}


def _retyped(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """A variable has two types: a dtype that is passed is the other one, or what was loaded has it."""
    if doctor.problem.kind.retyped is not None:
        yield from _passed_dtypes(doctor, suspects)
        yield from _loaded(doctor, walk, seen, doctor.problem.kind.dtypes)


def _passed_dtypes(doctor: Doctor, names: list[str]) -> Iterator[Change]:
    """A dtype that is passed is one of those that the problem names."""
    for name in names:
        if isinstance(doctor.signature.constants.get(name), TritonObject):
            for other in (n for n, dtype in LANGUAGE.items() if dtype in doctor.problem.kind.dtypes):
                yield {name: ("constexpr", TritonObject(f"triton.language.{other}"))}


def _of_bits(seen: Walk) -> set[str]:
    """What is computed with as integers are, and not as floats."""
    return {name for name, clue in seen.clues.items() if clue.weight("int", 1) > clue.weight("float", 1)}


def _loaded(doctor: Doctor, walk: Walk, seen: Walk, dtypes: Sequence[str]) -> Iterator[Change]:
    """What was just loaded has the dtype of what it meets, which was made on purpose; indices are no floats, nor is
    that of which bits are taken."""
    bits = _of_bits(seen)
    loaded = [
        (name, d)
        for name in doctor.operands(walk)
        for d in dtypes
        if d not in str(doctor.type(name)) and not (is_float(d) and name in bits)
    ]
    for name, dtype in sorted(loaded, key=lambda pair: is_float(pair[1])) if len(dtypes) == 2 else ():
        yield {name: doctor.with_dtype(name, dtype)}


def _dtypes(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """Two dtypes differ that must be one: give the guessed side the other's, then all floats one dtype."""
    kind = doctor.problem.kind
    wanted = list(kind.dtypes)
    pointers = doctor.pointers(suspects)
    if kind.bits is not None:
        # A bitcast keeps the number of bits.
        before, after = kind.bits
        wanted += [_OF_SIZE[size] for size in (after, before) if size in _OF_SIZE]
        for name in doctor.everyone():
            if isinstance(doctor.signature.constants.get(name), TritonObject) and after in _FLOAT_OF_SIZE:
                yield {name: ("constexpr", TritonObject(f"triton.language.{_FLOAT_OF_SIZE[after]}"))}
    yield from _loaded(doctor, walk, seen, wanted)
    if len(kind.dtypes) == 2 and "dtype" in kind.topics:
        # What meets the other has it. (What is converted to a dtype has no trace of that.)
        yield from _passed_dtypes(doctor, doctor.everyone())
    if "refused-dtype" in kind.topics:
        # What tl.dot refuses: another dtype, for the refused side first.
        refused = [n for n in pointers if any(dtype in str(doctor.type(n)) for dtype in wanted)] or pointers
        for dtype in ("fp32", "fp16"):
            yield {name: doctor.with_dtype(name, dtype) for name in refused}
            yield {name: doctor.with_dtype(name, dtype) for name in pointers}
    if "integer-to-fp8" in kind.topics:
        wanted = ["u8"]  # `other=0`: its bytes are loaded
    if kind.scaled is not None:
        # What goes into a scaled dot product.
        wanted = [SCALED_FORMATS[kind.scaled]]
    if kind.width in _OF_SIZE:
        wanted = [_OF_SIZE[kind.width]]
        # What is in memory of the kernel's own may come from any of them.
        pointers += [name for name in doctor.pointers(doctor.everyone()) if name not in pointers]
    if "i32" in wanted and any(seen.clues.get(n, Clue()).weight("dot", 1) for n in pointers):
        # The dot product of bytes is an int32.
        yield {n: doctor.with_dtype(n, "i8") for n in pointers if seen.clues.get(n, Clue()).weight("dot", 1)}
    bits = _of_bits(seen)
    for dtype in wanted:
        fitting = [name for name in pointers if not (is_float(dtype) and name in bits)]
        if kind.width is not None and len(fitting) > 2:
            # Of a product's operands and their scales: one by one they do not fit each other.
            yield {name: doctor.with_dtype(name, dtype) for name in fitting}
        for name in fitting:
            yield {name: doctor.with_dtype(name, dtype)}
        kin = [name for name in fitting if is_float(dtype) == bool(_FLOAT.search(str(doctor.type(name))))]
        if 1 < len(kin) < len(fitting):
            # What is computed of several is a float of that width once all of its floats are.
            yield {name: doctor.with_dtype(name, dtype) for name in kin}
        if len(fitting) > 1:
            yield {name: doctor.with_dtype(name, dtype) for name in fitting}
    floats = [n for n in doctor.pointers(doctor.everyone()) if re.search(r"fp32|fp16|bf16", str(doctor.type(n)))]
    for dtype in (*wanted, "fp16", "bf16"):
        if dtype in ("fp32", "fp16", "bf16"):
            yield {n: doctor.with_dtype(n, dtype) for n in floats}


def _integers(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """A float stands where an integer must."""
    floats = [n for n in suspects if isinstance(k := doctor.type(n), str) and re.search(r"fp|bf", k)]
    pointers = [n for n in floats if str(doctor.type(n)).startswith("*")]
    numbers = [n for n in floats if n not in pointers]
    for dtype in ("i32", "i1", "i8"):
        for group in (numbers, pointers) if "pointer-type" in doctor.problem.kind.topics else (floats,):
            for name in group:
                yield {name: doctor.with_dtype(name, dtype)}
            if len(group) > 1:
                yield {name: doctor.with_dtype(name, dtype) for name in group}
    for name in suspects:
        if doctor.type(name) == "constexpr" and isinstance(doctor.signature.constants.get(name), float):
            yield {name: ("constexpr", 1)}
    for name in doctor.everyone():
        if doctor.signature.constants.get(name) == FLOAT32:
            yield {name: ("constexpr", TritonObject("triton.language.int32"))}


def _wider(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """A number does not fit: it may be one without a sign, or it needs more bits."""
    for size in (8, 16, 32):
        if any(1 << size - 1 <= number < 1 << size for number in doctor.problem.kind.numbers):
            signed = [n for n in suspects if re.search(rf"\bi{size}\b", str(doctor.type(n)))]
            pointers = doctor.pointers(signed)
            passed = [n for n in signed if n not in pointers]
            if doctor.signature.launched:
                # A launch passes no number without a sign, but such as are larger than all of 32 bits with one.
                every = of_any_size(doctor.signature, doctor.signature.types)
                yield {name: doctor.with_dtype(name, "i64") for name in dict.fromkeys([*passed, *every])}
                passed = []
            for group in (passed, pointers, [n for n in signed if n in pointers or n in passed]):
                yield {name: doctor.with_dtype(name, f"u{size}") for name in group}
    narrow = [n for n in suspects if isinstance(k := doctor.type(n), str) and "i32" in k]
    if narrow:
        yield {name: doctor.with_dtype(name, "i64") for name in narrow}


def _widths(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """An integer of 32 bits meets one of 64: large values are passed as such."""
    kind = doctor.problem.kind
    if "integer-wanted" in kind.topics and any(map(is_float, kind.dtypes)):
        return  # a float is among them
    narrow = of_any_size(doctor.signature, doctor.signature.types)
    groups = [narrow, *([name] for name in narrow)] if len(narrow) > 1 else [narrow] * len(narrow)
    wide: tuple[ParameterType, Any] = ("i64", None)
    for group in groups:
        change: Change = dict.fromkeys(group, wide)
        yield change


def _becomes_pointer(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """A number becomes an address: it has 64 bits, be it passed or loaded."""
    every = of_any_size(doctor.signature, doctor.signature.types)
    scalars = [n for n in suspects if re.match(r"i32|i1|fp", str(doctor.type(n)))]
    tables = [n for n in doctor.pointers(suspects) if str(doctor.type(n)).startswith("*")]
    for group in (tables, scalars, list(dict.fromkeys([*scalars, *every]))):
        if group:
            yield {name: doctor.with_dtype(name, "i64") for name in group}


def _alike(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """Pointers to two dtypes stand where one value is to come of them: they point to one."""
    dtypes = doctor.problem.kind.dtypes
    pointers = doctor.pointers(suspects)
    if "pointer-type" in doctor.problem.kind.topics and len(dtypes) == 2 and len(pointers) > 1:
        for dtype in sorted(dtypes, key=is_float, reverse=True):
            yield {name: doctor.with_dtype(name, dtype) for name in pointers}


def _no_pointer(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """A pointer stands where a number must: what was taken for one by its name is none."""
    for name in sorted(suspects, key=lambda name: doctor.evidence(name).kind != "name"):
        kind = doctor.type(name)
        if isinstance(kind, str) and kind.startswith("*") and not doctor.launched_tensor(name):
            weight = seen.clues.get(name, Clue()).weight("pointer")
            if weight < 5:
                yield {name: ("fp32" if doctor.evidence(name).kind == "name" else "i32", None)}


def _tables(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """A table of addresses is a tensor of int64: pointers to pointers are what Triton no longer has."""
    tables = [n for n, kind in doctor.signature.types.items() if isinstance(kind, str) and kind.startswith("**")]
    if tables:
        yield {name: ("*i64", None) for name in tables if doctor.free(name)}


def _floats(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """An integer stands where a float must."""
    integers = [n for n in suspects if isinstance(k := doctor.type(n), str) and re.search(r"\b[iu]\d", k)]
    for name in integers:
        yield {name: doctor.with_dtype(name, "fp32")}
    if len(integers) > 1:
        yield {name: doctor.with_dtype(name, "fp32") for name in integers}
    for name in doctor.numbers(suspects):
        yield {name: ("constexpr", 1.0)}


def _extents(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """A block's extents do not fit: make them all one, then other powers of two."""
    numbers = doctor.numbers(suspects)
    kind = doctor.problem.kind
    powers = [n for n in dict.fromkeys(kind.numbers) if n > 0 and n & (n - 1) == 0]
    if "element-count" in kind.topics and len(numbers) > 1:
        # Of a product only some factors are free: all alike fit soonest.
        for extent in (32, 16, 128):
            yield dict.fromkeys(numbers, ("constexpr", extent))
    larger = "block-too-small" in kind.topics
    for extent in (*powers, *((128, 512, 1024, 16, 1) if larger else EXTENTS)):
        if len(numbers) > 1 and larger:
            yield dict.fromkeys(numbers, ("constexpr", extent))
        for name in numbers:
            yield {name: ("constexpr", extent)}
        if len(numbers) > 1:
            yield dict.fromkeys(numbers, ("constexpr", extent))
    everyone = doctor.numbers(doctor.everyone())
    for extent in (*powers, 128, 16):
        yield dict.fromkeys(everyone, ("constexpr", extent))


def _scaled(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """As many elements as there are to a scale are none that ``tl.dot_scaled`` takes: what is as large takes one."""
    *wanted, given = doctor.problem.kind.numbers or (0,)
    for extent in sorted(wanted, reverse=True):
        for name in doctor.numbers(dict.fromkeys([*suspects, *doctor.everyone()])):
            if doctor.constant(name) == given:
                yield {name: ("constexpr", extent)}


def _smaller(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """A block is too large."""
    yield from block_remedies.resized(doctor, suspects, (16,))
    numbers = doctor.numbers(suspects) or doctor.numbers(doctor.everyone())
    for group, extents in ((numbers, (16, 32, 8, 2)), (doctor.numbers(doctor.everyone()), (16, 8))):
        for extent in extents:
            large = [n for n in group if doctor.constant(n) > extent]
            yield dict.fromkeys(large, ("constexpr", extent))


def _compile_time(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """A value must be known at compile time: of an expression all that is in it."""
    numbers = [n for n in suspects if isinstance(k := doctor.type(n), str) and re.fullmatch(r"i32|i64|fp32", k)]
    for name in numbers:
        yield {name: ("constexpr", EXTENT)}
    if len(numbers) > 1:
        yield dict.fromkeys(numbers, ("constexpr", EXTENT))


def _address(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """A number is used as an address."""
    for name in doctor.pointers(suspects):
        if (clue := seen.clues.get(name)) is not None and clue.weight("number") and not doctor.launched_tensor(name):
            yield {name: ("i32", None)}
    # Where there is an address already, another is not what is missing.
    for name in suspects if "operand-types" not in doctor.problem.kind.topics else ():
        clue = seen.clues.get(name, Clue())
        if (
            isinstance(k := doctor.type(name), str)
            and re.fullmatch(r"i32|i64|fp32", k)
            and not doctor.launched_tensor(name)
        ):
            if not clue.weight("number"):
                yield {name: ("*fp32", None)}


def _passed_as_number(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """What is computed with and used as an address, too, is one that is passed as a number. (What another remedy made
    a pointer was a number before.)"""
    for name in doctor.pointers(suspects):
        clue = seen.clues.get(name, Clue())
        number = clue.weight("int") + clue.weight("number")
        taken = str(doctor.type(name)).startswith("*") and doctor.evidence(name).kind != "assumed"
        if number and taken and not doctor.launched_tensor(name):
            yield {name: ("i64", None)}


def _ruled_out(doctor: Doctor) -> Iterator[ast.expr]:
    """What must fail for an assertion to be reached: the tests in whose ``else`` it is, from the first."""
    node = next(doctor.nodes(), None)
    for statement in doctor.slice.functions[max(doctor.problem.at.function, 0)].nodes:
        if isinstance(statement, ast.If) and any(n is node for other in statement.orelse for n in descend(other)):
            yield statement.test


def _asserted(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """A ``tl.static_assert`` fails, or holds something that is not known at compile time."""
    if "compile-time" in doctor.problem.kind.topics:
        yield from _compile_time(doctor, walk, seen, suspects)
    ruled_out = list(_ruled_out(doctor))
    for test in (next(doctor.nodes(), None), *ruled_out):
        yield from branch_remedies.compared_dtypes(doctor, walk, test)
    for failing in walk.asserts:
        if failing.taken is not True:
            wanted = coverage.demands(doctor.slice, failing, True)
            demand = {n: v for n, v in wanted.items() if doctor.free(n) and not isinstance(v, coverage.Other)}
            yield {n: ("constexpr", v) for n, v in demand.items() if v is None or doctor.type(n) == "constexpr"}
    said = (n for node in (*doctor.nodes(), *ruled_out) for n in descend(node))
    dtypes = [n.attr for n in said if isinstance(n, ast.Attribute)]
    for dtype in dict.fromkeys(LANGUAGE[name] for name in dtypes if name in LANGUAGE):
        for name in doctor.pointers(suspects):
            yield {name: doctor.with_dtype(name, dtype)}
    yield from block_remedies.resized(doctor, suspects, (512, 256))
    yield from _extents(doctor, walk, seen, suspects)


def _asked(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """A dtype that the kernel asks for is none of those that it knows."""
    asked = [n for n in doctor.pointers(suspects) if seen.clues.get(n, Clue()).weight("asked")]
    for name in asked[:2]:
        for dtype in ("fp8e4nv", "i8", "fp16"):
            yield {name: doctor.with_dtype(name, dtype)}


def _longer(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """A tuple of which nothing says how many elements it has has too few: one more, as many as some number that the
    kernel is given, or many more. The fewest come first: facts of elements that no launch passes help nobody."""
    counts = {n for n in doctor.signature.constants.values() if type(n) is int and n <= _MOST_ELEMENTS}
    for name in dict.fromkeys([*suspects, *doctor.everyone()]):
        kind = doctor.type(name)
        if isinstance(kind, tuple) and kind and "constexpr" not in kind:
            has = len(kind)
            turns = [n for n in doctor.numbers(doctor.everyone()) if seen.clues.get(n, Clue()).weight("unrolled")]
            if turns:
                # A loop over it has as many turns, which nothing says either.
                yield {name: (kind[:1] * 2, None), **dict.fromkeys(turns, ("constexpr", 2))}
            for count in (has + 1, *sorted(n for n in counts if n > has + 1), has * 4, has * 16):
                yield {name: ((*kind, *kind[-1:] * (count - has)), None)}


REMEDIES: Final[list[tuple[Topic, Callable[[Doctor, Walk, Walk, list[str]], Iterator[Change]]]]] = [
    ("none", absent_remedies.present),
    ("undefined", branch_remedies.undefined),
    ("defined-twice", branch_remedies.defined_twice),
    ("becomes-pointer", _becomes_pointer),
    ("number-too-wide", _wider),
    ("unsupported-dtype", branch_remedies.unsupported),
    ("two-dtypes", _retyped),
    ("integer-widths", _widths),
    ("dtype", _asked),
    ("assertion", block_remedies.described),
    ("assertion", _asserted),
    ("block-too-large", _smaller),
    ("two-dtypes", _dtypes),
    ("scalar-wanted", block_remedies.scalar),
    ("pointer-to-pointer", _tables),
    ("operand-types", _alike),
    ("pointer-type", _no_pointer),
    ("block-wanted", block_remedies.block),
    ("address", _address),
    ("pointer-type", _passed_as_number),
    ("integer-wanted", _integers),
    ("float-wanted", _floats),
    ("refused-integers", _floats),
    ("refused-floats", _integers),
    ("element-count", block_remedies.reshaped),
    ("extents", block_remedies.described),
    ("extents", block_remedies.broadcast),
    ("extents", dtype_remedies.asked_for),
    ("scale-factor", _scaled),
    ("extents", _extents),
    ("compile-time", _compile_time),
    ("too-few-elements", branch_remedies.filtered),
    ("too-few-elements", _longer),
    ("rank", block_remedies.block),
    ("dtype-wanted", dtype_remedies.wanted),
]
