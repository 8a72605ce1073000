"""Signature types as abstract values and back: ``*fp32``, ``i32``, ``fp32[64, 64]``, ``tensordesc<fp16[64, 64]>``,
tuples."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from kernel_analysis import paths
from kernel_analysis.signature.evident_values import UNKNOWN, EvidentValue, Origin, constant
from kernel_analysis.signature.signature_model import ParameterType, Signature
from kernel_analysis.source.slice import AggregateRef, ConstantValue

_DESCRIPTOR: Final = re.compile(r"tensordesc(?:_im2col)?<(\w+)\[([\d, ]+)\](?:,input_rank=(\d))?>")


def descriptor(dtype: str, block: Sequence[object], image: int | None) -> str:
    """The type of a tensor descriptor; ``image``: of one that takes its block out of an image, how many dimensions
    that has."""
    if image is None:
        return f"tensordesc<{dtype}[{', '.join(map(str, block))}]>"
    return f"tensordesc_im2col<{dtype}[{', '.join(map(str, block))}],input_rank={image}>"


def arguments(signature: Signature) -> dict[str, EvidentValue]:
    """The parameters' values under a signature."""
    return {name: parameter(signature, name) for name in signature.types}


def parameter(signature: Signature, name: str) -> EvidentValue:
    """A parameter's value under a signature."""
    return value_of(signature.types[name], name, signature.constants, signature.names, signature.made)


def value_of(
    type: ParameterType,
    path: str,
    constants: Mapping[str, ConstantValue],
    names: Mapping[str, tuple[str, ...]],
    made: Mapping[str, AggregateRef],
) -> EvidentValue:
    """The value of a parameter (or tuple element) of a type."""
    origins = (Origin(path, 0, True),)
    if isinstance(type, tuple):
        items = [value_of(t, paths.element(path, i), constants, names, made) for i, t in enumerate(type)]
        return EvidentValue(items=items, names=names.get(path, ()), made=made.get(path))
    if type == "constexpr":
        return constant(constants[path], origins) if path in constants else EvidentValue(static=True, origins=origins)
    if (made_of := _DESCRIPTOR.fullmatch(type)) is not None:
        dtype, block, image = made_of.groups()
        return EvidentValue(
            levels=1, dtype=dtype, origins=origins, block=_numbers(block), image=int(image) if image else None
        )
    head, _, block = type.partition("[")
    levels = len(head) - len(head.lstrip("*k"))
    dtype = head.lstrip("*k")
    return EvidentValue(
        levels=levels - ("k" in head), dtype=dtype, shape=_numbers(block) if block else (), origins=origins
    )


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.strip("]").split(",") if part.strip())


def type_of(value: EvidentValue) -> ParameterType | None:
    """The type of a value, when all of it is known. Compile-time values have the type ``constexpr``."""
    if value.const is not UNKNOWN:
        return "constexpr"
    if value.items is not None:
        parts = [type_of(item) for item in value.items]
        return tuple(p for p in parts if p is not None) if None not in parts else None
    if value.dtype is None or value.levels is None or value.static:
        return None
    dtype = {"int": "i32", "float": "fp32"}.get(value.dtype, value.dtype)
    if value.block is not None:
        return descriptor(dtype, value.block, value.image) if _whole(value.block) else None
    if value.shape is None:
        return None
    if not _whole(value.shape):
        return None
    return "*" * value.levels + dtype + (f"[{', '.join(map(str, value.shape))}]" if value.shape else "")


def _whole(shape: tuple[object, ...]) -> bool:
    """Whether it is known, and one that a block can have: sizes are powers of two. (Of what fails where a block is made
    nothing can be told; a type of such a shape would fail in the place of that.)"""
    return all(isinstance(d, int) and d > 0 and d & (d - 1) == 0 for d in shape)
