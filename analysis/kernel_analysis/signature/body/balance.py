"""Makes guessed extents fit together: what is added elementwise has one shape, what is reshaped keeps its number of
elements."""

from __future__ import annotations

import re
from math import prod

from kernel_analysis.signature.body.walk import Walk
from kernel_analysis.signature.evident_values import Dim, Shape
from kernel_analysis.signature.parameter_evidence import Choice
from kernel_analysis.signature.signature_model import Evidence


def balance(seen: Walk, choices: dict[str, Choice]) -> None:
    """Change guessed compile-time values so that the equations which the walk found hold, and blocks so that they
    can be reshaped."""
    for _ in range(2):
        for left, right in seen.equations:
            if not _solve(left, right, choices):
                _solve(right, left, choices)
    for origins, shape in seen.reshaped:
        if shape is None or len(origins) != 1 or origins[0].depth or not origins[0].addend:
            continue
        size = _size(shape, choices)
        choice = choices.get(origins[0].path)
        if (
            size is None
            or choice is None
            or not isinstance(choice.type, str)
            or "[" not in choice.type
            or choice.evidence.fixed
        ):
            continue
        head, _, block = choice.type.partition("[")
        if head.startswith("tensordesc"):
            continue
        numbers = [int(n) for n in re.findall(r"\d+", block)]
        rest = prod(numbers[:-1])
        if size % rest:
            numbers, rest = [1] * len(numbers), 1
        choice.type = f"{head}{[*numbers[:-1], size // rest]}"


def _number(dim: Dim, choices: dict[str, Choice]) -> int | None:
    if isinstance(dim, str):
        choice = choices.get(dim)
        value = choice.constants.get(dim) if choice is not None else None
        return value if type(value) is int and value > 0 else None
    return dim


def _size(shape: Shape, choices: dict[str, Choice]) -> int | None:
    numbers = [_number(d, choices) for d in shape]
    return None if None in numbers else prod(n for n in numbers if n is not None)


def _solve(left: Shape, right: Shape, choices: dict[str, Choice]) -> bool:
    """Make ``left`` equal ``right`` by guessed parameters on the left; whether they are equal now."""
    here, there = _size(left, choices), _size(right, choices)
    if here is None or there is None:
        return False
    if here == there:
        return True
    free = [
        dim
        for dim in left
        if isinstance(dim, str) and not choices[dim].evidence.fixed and left.count(dim) == 1 and dim not in right
    ]
    # One of them, or else all.
    for dims in (*([dim] for dim in free), free):
        rest = here // prod(_number(dim, choices) or 1 for dim in dims)
        wanted = there // rest
        if dims and wanted * rest == there and wanted > 0 and wanted & (wanted - 1) == 0:
            for dim, share in zip(dims, _shares(wanted, len(dims)), strict=True):
                choices[dim].constants[dim] = share
                choices[dim].evidence = Evidence("use", "other extents demand it", False, choices[dim].evidence.line)
            return True
    return False


def _shares(size: int, count: int) -> list[int]:
    """A power of two as a product of so many that are as alike as can be, the largest first."""
    each, more = divmod(size.bit_length() - 1, count)
    return [1 << (each + (at < more)) for at in range(count)]
