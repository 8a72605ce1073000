"""What to change where a helper's block has another rank or other extents than were made up, likeliest first."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from math import prod

from kernel_analysis.attempt.diagnosis import Change, Doctor
from kernel_analysis.signature.body.walk import Walk
from kernel_analysis.signature.evident_values import Clue, Shape
from kernel_analysis.signature.parameter_evidence import EXTENT
from kernel_analysis.source.syntax import descend


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
    """A helper's block has not as many elements as it is reshaped to: it may just have that shape."""
    call = next(doctor.nodes(), None)
    if not isinstance(call, ast.Call):
        return
    written = [n for a in call.args for n in (a.elts if isinstance(a, (ast.Tuple, ast.List)) else [a])]
    values = [next(iter((walk.trace or {}).get(node, ())), None) for node in written]
    extents = [str(v.const) for v in values if v is not None and type(v.const) is int]
    for name in suspects:
        if isinstance(k := doctor.type(name), str) and "[" in k and not k.startswith("tensordesc"):
            yield {name: (f"{k.partition('[')[0]}[{', '.join(extents)}]", None)}
    # Or a size that was made up is too small, or too large, by what is lacking.
    given, wanted = prod(doctor.problem.kind.numbers), prod(map(int, extents))
    if given and wanted and given != wanted and len(extents) == len(written) - 1:
        for name in dict.fromkeys(doctor.numbers([*suspects, *doctor.everyone()])):
            size = doctor.constant(name)
            if isinstance(size, int) and size * wanted % given == 0:
                yield {name: ("constexpr", size * wanted // given)}


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
