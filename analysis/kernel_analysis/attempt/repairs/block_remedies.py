"""What to change where a helper's block has another rank or other extents than were made up, likeliest first."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from math import prod

from kernel_analysis.attempt.repairs.diagnosis import Change, Doctor
from kernel_analysis.signature import spelling
from kernel_analysis.signature.body.walk import Walk
from kernel_analysis.signature.compile_time import is_extent
from kernel_analysis.signature.evident_values import Clue, Shape
from kernel_analysis.signature.parameter_evidence import EXTENT
from kernel_analysis.signature.signature_model import ParameterType
from kernel_analysis.source.tree.syntax import descend


def block(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """A scalar stands where a block must, or a block of another rank."""
    for name in suspects:
        kind = doctor.type(name)
        if isinstance(kind, str) and kind != "constexpr" and not kind.startswith("tensordesc"):
            head, _, block = kind.partition("[")
            rank = block.count(",") + 1 if block else 0
            for other in (1, 2, 0, 3):
                if other != rank:
                    yield {name: (head + (f"[{', '.join([str(EXTENT)] * other)}]" if other else ""), None)}
    blocks = [
        n
        for n in suspects
        if isinstance(k := doctor.type(n), str) and k != "constexpr" and not k.startswith("tensordesc")
    ]
    for shape in (f"[{EXTENT}]", f"[{EXTENT}, {EXTENT}]"):
        yield {n: (str(doctor.type(n)).partition("[")[0] + shape, None) for n in blocks}


def described(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """A block goes from one place to another that has another shape: what a descriptor's block is was made up, and is
    that of what it meets. First where nothing else in the kernel says of which shape it is."""
    node = next(doctor.nodes(), None)
    values = [v for part in (descend(node) if node is not None else ()) for v in (walk.trace or {}).get(part, ())]
    shapes = dict.fromkeys(s for v in values for s in (v.block, v.shape) if s and all(type(n) is int for n in s))
    mine: list[tuple[bool, str, str]] = []
    for name in suspects:
        kind = doctor.type(name)
        if isinstance(kind, str) and kind.startswith("tensordesc"):
            told = any(map(_is_whole, seen.clues.get(name, Clue()).blocks))
            mine.append((told or doctor.evidence(name).kind == "assumed", name, kind))
    for _, name, kind in sorted(mine):
        for shape in shapes:
            made = re.sub(r"\[[\d, ]+\]", f"[{', '.join(map(str, shape))}]", kind)
            if made != kind and made.count(",") == kind.count(","):
                yield {name: (made, None)}


def _is_whole(shape: Shape) -> bool:
    return all(type(extent) is int for extent in shape)


def scalar(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """A block stands where a scalar must."""
    for group in (suspects, doctor.everyone()):
        blocks = [n for n in group if "[" in (kind := str(doctor.type(n))) and not kind.startswith("tensordesc")]
        yield {name: (str(doctor.type(name)).partition("[")[0], None) for name in blocks}


def reshaped(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """A helper's block has not as many elements as what is made of it is reshaped to: it may just have that shape, or,
    where there are more of them (``tl.join``), that much less of it; two that become one have the same."""
    call = next(doctor.nodes(), None)
    if not isinstance(call, ast.Call):
        return
    written = [n for a in call.args for n in (a.elts if isinstance(a, (ast.Tuple, ast.List)) else [a])]
    values = [next(iter((walk.trace or {}).get(node, ())), None) for node in written]
    sizes = [v.const for v in values if v is not None and type(v.const) is int]
    given, wanted = prod(doctor.problem.kind.numbers), prod(sizes)
    blocks = {n: extents for n in suspects if (extents := _block(doctor.type(n))) is not None}
    # Those of one shape mostly keep one.
    shapes = dict.fromkeys(sorted(blocks.values(), key=len, reverse=True))
    groups = [*([n for n in blocks if blocks[n] == shape] for shape in shapes), *([name] for name in blocks)]
    for names in groups if sizes and given and wanted else ():
        each, rest = divmod(given, prod(blocks[names[0]]))
        ranks = {len(blocks[name]) for name in names if str(doctor.type(name)).startswith("tensordesc")}
        for shape in (sizes, [sizes[0], prod(sizes[1:])]):
            if each and not rest and shape[-1] % each == 0 and not ranks - {len(shape)}:
                change: Change = {n: _of_shape(doctor, n, (*shape[:-1], shape[-1] // each)) for n in names}
                # What meets another on the way has the shape of both.
                if wanted in (_count(doctor, _walked(doctor, change)), None):
                    yield change
    if 0 in sizes:
        # What is divided is too small.
        yield from resized(doctor, suspects, (512, 256))
    # Or a size that was made up is too small, or too large, by what is lacking. (What is divided is the first argument,
    # or has the method.)
    if given and wanted and given != wanted and len(sizes) >= len(written) - 1:
        numbers = dict.fromkeys(doctor.numbers([*suspects, *doctor.everyone()]))
        for name in sorted(numbers, key=lambda name: not is_extent(seen.clues.get(name, Clue()))):
            size = doctor.constant(name)
            if isinstance(size, int) and size * wanted % given == 0:
                yield {name: ("constexpr", size * wanted // given)}


def _count(doctor: Doctor, walk: Walk) -> int | None:
    """How many elements what is reshaped has, if the walk can tell."""
    call = next(doctor.nodes(), None)
    assert isinstance(call, ast.Call)
    method = isinstance(call.func, ast.Attribute) and (walk.trace or {}).get(call.func.value, ())
    values = method or (walk.trace or {}).get(call.args[0], ()) if call.args else ()
    extents = next((v.shape for v in values if v.shape is not None), (None,))
    return prod(n for n in extents if type(n) is int) if all(type(n) is int for n in extents) else None


def _block(kind: ParameterType) -> tuple[int, ...] | None:
    """The extents of a block, of a descriptor's too, none of a scalar; None for what is neither."""
    if not isinstance(kind, str) or kind.startswith(("constexpr", "*")):
        return None
    return tuple(int(extent) for extent in re.findall(r"\d+(?=[,\]])", kind))


def _of_shape(doctor: Doctor, name: str, extents: tuple[int, ...]) -> tuple[ParameterType, None]:
    shape = f"[{', '.join(map(str, extents))}]"
    head, _, rest = str(doctor.type(name)).partition("[")
    return f"{head}{shape}{rest.partition(']')[2]}", None


def broadcast(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """Two blocks have not one shape: an extent that was made up of a helper's is the other's; or what an extent is
    divided by is larger, or smaller, by as much."""
    here, there = doctor.problem.kind.numbers[-2:] if len(doctor.problem.kind.numbers) > 1 else (0, 0)
    if not here or not there:
        return
    changes = chain(_other_extents(doctor, suspects, here, there), _other_divisors(doctor, seen, here, there))
    # What is reshaped on the way, or comes from elsewhere, has the same shape there whatever it is.
    before = _shapes(doctor, walk)
    felt = [(s, change) for change in changes if (s := _shapes(doctor, _walked(doctor, change))) != before]
    for _, change in sorted(felt, key=lambda each: len(set(each[0]))):
        yield change


def _other_extents(doctor: Doctor, suspects: list[str], here: int, there: int) -> Iterator[Change]:
    for name in suspects:
        extents = () if str(doctor.type(name)).startswith("tensordesc") else _block(doctor.type(name)) or ()
        for at, extent in enumerate(extents):
            if extent in (here, there):
                yield {name: _of_shape(doctor, name, (*extents[:at], here + there - extent, *extents[at + 1 :]))}


def _other_divisors(doctor: Doctor, seen: Walk, here: int, there: int) -> Iterator[Change]:
    for name in doctor.numbers(doctor.everyone()):
        divides, size = seen.clues.get(name, Clue()).weight("divisor"), doctor.constant(name)
        for more, less in ((here, there), (there, here)) if divides else ():
            if size * more % less == 0:
                yield {name: ("constexpr", size * more // less)}


def _walked(doctor: Doctor, change: Change) -> Walk:
    """The body, walked with what a change would make of the parameters."""
    kinds = {**doctor.signature.types, **{name: kind for name, (kind, _) in change.items()}}
    sizes = {name: value for name, (kind, value) in change.items() if kind == "constexpr"}
    constants = {**doctor.signature.constants, **sizes}
    walk = Walk(doctor.slice, trace=True)
    walk.run(spelling.arguments(replace(doctor.signature, types=kinds, constants=constants)))
    return walk


def _shapes(doctor: Doctor, walk: Walk) -> list[Shape | None]:
    """Of which shapes the values are where it fails."""
    node = next(doctor.nodes(), None)
    return [v.shape for part in (descend(node) if node is not None else ()) for v in (walk.trace or {}).get(part, ())]


def resized(doctor: Doctor, suspects: list[str], sizes: tuple[int, ...]) -> Iterator[Change]:
    """A helper's block whose extents were made up has others: all alike, or the last of them."""
    names = dict.fromkeys([*suspects, *doctor.everyone()])
    blocks = [n for n in names if isinstance(k := doctor.type(n), str) and re.fullmatch(r"[*\w]+\[[\d, ]+\]", k)]
    for extent in sizes:
        for name in blocks:
            head, _, written = str(doctor.type(name)).rstrip("]").partition("[")
            extents = written.split(", ")
            every = [str(extent)] * len(extents)
            for shape in (every, [*extents[:-1], str(extent)]) if len(extents) > 1 else (every,):
                yield {name: (f"{head}[{', '.join(shape)}]", None)}
