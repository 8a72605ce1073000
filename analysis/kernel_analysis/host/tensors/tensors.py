"""What torch makes of a tensor's shape and strides: its attributes, its methods, and functions that make one. Of
``library`` which functions keep a shape or are given one; here what the others do to it. Pure; imports no torch."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from kernel_analysis.host.evaluate.values import External, Items, Method, Tensor, TorchDtype, Unknown, Value, contiguous
from kernel_analysis.host.tensors.library import FUNCTIONS, METHODS
from kernel_analysis.source.arithmetic import FAILS

_MOST_AXES = 64
_LARGEST = 1 << 62
_UNKNOWN = Unknown("The shape of a tensor can't be known without running the code.")


def attribute(tensor: Tensor, name: str) -> Value:
    """``tensor.name``."""
    if name == "shape":
        return Items("tuple", tensor.shape)
    if name == "ndim":
        return len(tensor.shape)
    if name in ("T", "mT"):
        return _swapped(tensor, -2, -1) if len(tensor.shape) > 1 else tensor
    if name in ("data", "grad"):
        return tensor
    if name in ("is_cuda", "requires_grad"):
        return True
    return Method(tensor, name) if name in _METHODS or name in METHODS else _UNKNOWN


def item(tensor: Tensor, index: Value) -> Value:
    """``tensor[index]``."""
    if type(index) is int and len(tensor.shape) > 1:
        return Tensor(tensor.shape[1:], tensor.stride()[1:])
    return _UNKNOWN


def method(tensor: Tensor, name: str, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    """``tensor.name(...)``."""
    if "dim" in keywords and not arguments:
        arguments = [keywords["dim"]]
    row = METHODS.get(name)
    try:
        if name in _METHODS:
            return _METHODS[name](tensor, arguments)
        if row is not None and row.shape is not None:
            return _by_row(row.shape, [tensor, *arguments] if row.shape == "same" else arguments, keywords)
    except FAILS:
        return _UNKNOWN
    return _UNKNOWN


def called(path: str, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> tuple[Value] | None:
    """What a function gives, alone in a tuple; None where it has nothing to do with a tensor."""
    row = FUNCTIONS.get(path)
    first = arguments[0] if arguments else None
    try:
        if path in ("torch.numel", "builtins.len") and isinstance(first, Tensor):
            return (first.numel if path == "torch.numel" else first.shape[0],)
        if path in ("torch.is_tensor", "builtins.isinstance"):
            kinds = arguments[1:] or [External("torch.Tensor")]
            return (True,) if isinstance(first, Tensor) and kinds == [External("torch.Tensor")] else None
        if path == "torch.empty_strided" and len(arguments) > 1:
            shape, strides = (_sizes([given]) for given in arguments[:2])
            return (_UNKNOWN if shape is None or strides is None else Tensor(shape, strides),)
        if path == "torch.arange":
            bounds = [v for v in arguments if type(v) is int]
            return (Tensor((len(range(*bounds)),)),) if bounds and len(bounds) == len(arguments) else None
        if row is not None and row.shape is not None:
            return (_by_row(row.shape, arguments, keywords),)
    except FAILS:
        return (_UNKNOWN,)
    return None


def _by_row(shape: str, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    if shape == "same":
        return arguments[0] if arguments and isinstance(arguments[0], Tensor) else _UNKNOWN
    given = keywords.get("size")
    if given is not None:
        return _made([given])
    return _made(arguments[:1] if shape == "first" else arguments[-1:] if shape == "last" else arguments)


def _sizes(values: Sequence[Value]) -> tuple[int, ...] | None:
    flat = values[0].values if len(values) == 1 and isinstance(values[0], Items) else tuple(values)
    whole = tuple(v for v in flat if type(v) is int and abs(v) < _LARGEST)
    return whole if whole and len(whole) == len(flat) <= _MOST_AXES else None


def _made(values: Sequence[Value]) -> Value:
    sizes = _sizes(values)
    return Tensor(sizes) if sizes is not None and min(sizes) >= 0 else _UNKNOWN


def _viewed(tensor: Tensor, *values: Value) -> Value:
    sizes = _sizes(values)
    if sizes is None:
        return tensor if len(values) == 1 and isinstance(values[0], (TorchDtype, External)) else _UNKNOWN
    if sizes.count(-1) == 1:
        rest = math.prod(v for v in sizes if v != -1)
        sizes = tuple(tensor.numel // max(1, rest) if v == -1 else v for v in sizes)
    return _made(sizes)


def _expanded(tensor: Tensor, *values: Value) -> Value:
    sizes = _sizes(values)
    if sizes is None or len(sizes) < len(tensor.shape):
        return _UNKNOWN
    new = len(sizes) - len(tensor.shape)
    shape, strides = list(sizes), [0] * len(sizes)
    for axis, (extent, stride) in enumerate(zip(tensor.shape, tensor.stride(), strict=True), new):
        if shape[axis] in (-1, extent):
            shape[axis], strides[axis] = extent, stride
    return Tensor(tuple(shape), tuple(strides)) if min(shape) >= 0 else _UNKNOWN


def _permuted(tensor: Tensor, *order: Value) -> Value:
    sizes = _sizes(order)
    if sizes is None or sorted(v % len(tensor.shape) for v in sizes) != list(range(len(tensor.shape))):
        return _UNKNOWN
    strides = tensor.stride()
    return Tensor(tuple(tensor.shape[v] for v in sizes), tuple(strides[v] for v in sizes))


def _swapped(tensor: Tensor, one: Value, other: Value) -> Value:
    rank = len(tensor.shape)
    if type(one) is not int or type(other) is not int or not (-rank <= one < rank and -rank <= other < rank):
        return _UNKNOWN
    order = list(range(rank))
    order[one], order[other] = order[other], order[one]
    return _permuted(tensor, *order)


def _wider(tensor: Tensor, axis: Value) -> Value:
    if type(axis) is not int:
        return _UNKNOWN
    at = axis % (len(tensor.shape) + 1)
    strides = tensor.stride()
    return Tensor((*tensor.shape[:at], 1, *tensor.shape[at:]), (*strides[:at], 1, *strides[at:]))


def _squeezed(tensor: Tensor, *axes: Value) -> Value:
    rank = len(tensor.shape)
    one = {axis % rank for axis in axes if type(axis) is int and -rank <= axis < rank} if axes else set(range(rank))
    if axes and len(axes) != len([axis for axis in axes if type(axis) is int]):
        return _UNKNOWN
    kept = [axis for axis, extent in enumerate(tensor.shape) if extent != 1 or axis not in one]
    strides = tensor.stride()
    return Tensor(tuple(tensor.shape[axis] for axis in kept), tuple(strides[axis] for axis in kept))


def _picked(values: tuple[int, ...], index: Sequence[Value]) -> Value:
    if not index:
        return Items("tuple", values)
    return values[index[0]] if type(index[0]) is int else _UNKNOWN


def _is_contiguous(tensor: Tensor) -> bool:
    """The strides of an axis with one element are of no matter, nor are those of a tensor without any."""
    axes = zip(tensor.shape, tensor.stride(), contiguous(tensor.shape), strict=True)
    return not tensor.numel or all(one == other for extent, one, other in axes if extent > 1)


_METHODS: Final[Mapping[str, Callable[[Tensor, Sequence[Value]], Value]]] = {
    "contiguous": lambda t, _: Tensor(t.shape, (), t.guessed),
    "size": lambda t, index: _picked(t.shape, index),
    "stride": lambda t, index: _picked(t.stride(), index),
    **dict.fromkeys(("numel", "nelement"), lambda t, _: t.numel),
    **dict.fromkeys(("dim", "ndimension"), lambda t, _: len(t.shape)),
    **dict.fromkeys(("view", "reshape"), lambda t, sizes: _viewed(t, *sizes)),
    "flatten": lambda t, axes: Tensor((t.numel,)) if not axes else _UNKNOWN,
    "permute": lambda t, order: _permuted(t, *order),
    "transpose": lambda t, axes: _swapped(t, *axes),
    "t": lambda t, _: _swapped(t, 0, -1),
    "unsqueeze": lambda t, axes: _wider(t, *axes),
    "squeeze": lambda t, axes: _squeezed(t, *axes),
    "is_contiguous": lambda t, _: _is_contiguous(t),
    "expand": lambda t, sizes: _expanded(t, *sizes),
    "element_size": lambda _t, _: 4,
    "is_floating_point": lambda _t, _: True,
    "type": lambda t, dtype: t if dtype else _UNKNOWN,
    "cumsum": lambda t, _: Tensor(t.shape),
    **dict.fromkeys(("abs", "clamp"), lambda t, _: t),
}
"""Of a tensor of which nothing but the shape is known, the elements are taken for float32."""
