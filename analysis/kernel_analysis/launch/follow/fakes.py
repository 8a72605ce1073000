"""Stand-ins for what the code around a launch works with: tensors that are only a shape, and torch's functions on them.

No torch here: a shape is all that a launch needs to know of a tensor.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from kernel_analysis.record import record
from kernel_analysis.source import arithmetic


class Unknown:
    """Not known without running the code."""

    def __repr__(self) -> str:
        return "?"


UNKNOWN = Unknown()
_MOST_AXES = 64
_LARGEST = 1 << 62


@record
class Dotted:
    """Something of a module, by its path: ``torch.float32``, ``triton.cdiv``."""

    path: str


@record
class File:
    """A module of the user's."""

    path: str


@record
class Tensor:
    """A tensor of which the shape is known, laid out one row after the other unless ``strides`` says otherwise.
    ``guessed``: nothing says how many dimensions it has."""

    shape: tuple[int, ...]
    strides: tuple[int, ...] = ()
    guessed: bool = False

    def stride(self) -> tuple[int, ...]:
        return self.strides or contiguous(self.shape)

    @property
    def numel(self) -> int:
        return math.prod(self.shape)


def contiguous(shape: Sequence[int]) -> tuple[int, ...]:
    out: list[int] = []
    step = 1
    for extent in reversed(shape):
        out.insert(0, step)
        step *= max(1, extent)
    return tuple(out)


def _sizes(values: Sequence[Any]) -> tuple[int, ...] | None:
    flat = list(values[0]) if len(values) == 1 and isinstance(values[0], tuple) else list(values)
    small = len(flat) <= _MOST_AXES and all(type(v) is int and abs(v) < _LARGEST for v in flat)
    return tuple(flat) if flat and small else None


def _viewed(tensor: Tensor, values: Sequence[Any]) -> Any:
    sizes = _sizes(values)
    if sizes is None:
        return tensor if len(values) == 1 and isinstance(values[0], Dotted) else UNKNOWN
    if sizes.count(-1) == 1:
        rest = math.prod(v for v in sizes if v != -1)
        sizes = tuple(tensor.numel // max(1, rest) if v == -1 else v for v in sizes)
    return Tensor(sizes) if all(v >= 0 for v in sizes) else UNKNOWN


def _permuted(tensor: Tensor, order: Sequence[Any]) -> Any:
    sizes = _sizes(order)
    if sizes is None or sorted(v % len(tensor.shape) for v in sizes) != list(range(len(tensor.shape))):
        return UNKNOWN
    strides = tensor.stride()
    return Tensor(tuple(tensor.shape[v] for v in sizes), tuple(strides[v] for v in sizes))


def _swapped(tensor: Tensor, one: Any, other: Any) -> Any:
    rank = len(tensor.shape)
    if type(one) is not int or type(other) is not int or not (-rank <= one < rank and -rank <= other < rank):
        return UNKNOWN
    order = list(range(rank))
    order[one], order[other] = order[other], order[one]
    return _permuted(tensor, order)


def _wider(tensor: Tensor, axis: Any) -> Any:
    if type(axis) is not int:
        return UNKNOWN
    at = axis % (len(tensor.shape) + 1)
    strides = tensor.stride()
    return Tensor((*tensor.shape[:at], 1, *tensor.shape[at:]), (*strides[:at], 1, *strides[at:]))


def _picked(values: tuple[int, ...], index: Sequence[Any]) -> Any:
    if not index:
        return values
    one = index[0]
    return values[one] if type(one) is int and -len(values) <= one < len(values) else UNKNOWN


_SAME = {
    "to", "float", "half", "bfloat16", "clone", "detach", "cuda", "cpu", "type", "double", "int", "long",
    "requires_grad_", "zero_", "fill_", "copy_", "abs", "exp", "log", "sqrt", "neg", "type_as", "new_empty_like",
}  # fmt: skip
_METHODS: dict[str, Callable[..., Any]] = {
    "contiguous": lambda t: Tensor(t.shape, (), t.guessed),
    "size": lambda t, *i: _picked(t.shape, i),
    "stride": lambda t, *i: _picked(t.stride(), i),
    "numel": lambda t: t.numel,
    "nelement": lambda t: t.numel,
    "dim": lambda t: len(t.shape),
    "ndimension": lambda t: len(t.shape),
    "view": lambda t, *v: _viewed(t, v),
    "reshape": lambda t, *v: _viewed(t, v),
    "flatten": lambda t, *_: Tensor((t.numel,)),
    "permute": lambda t, *v: _permuted(t, v),
    "transpose": lambda t, a, b: _swapped(t, a, b),
    "t": lambda t: _swapped(t, 0, -1),
    "unsqueeze": _wider,
    "squeeze": lambda t, *_: Tensor(tuple(v for v in t.shape if v != 1)),
    "is_contiguous": lambda t, *_: t.stride() == contiguous(t.shape),
    "new_empty": lambda _, *v: _made(v),
    "new_zeros": lambda _, *v: _made(v),
    "new_ones": lambda _, *v: _made(v),
    "expand": lambda t, *v: _made(v),
    "element_size": lambda _: 4,
    "is_floating_point": lambda _: True,
    "__len__": lambda t: t.shape[0],
}


def _made(values: Sequence[Any]) -> Any:
    sizes = _sizes(values)
    return Tensor(sizes) if sizes is not None and min(sizes) >= 0 else UNKNOWN


def method(tensor: Tensor, name: str, arguments: Sequence[Any], keywords: dict[str, Any]) -> Any:
    """What a method of a tensor gives."""
    if name in _SAME:
        return tensor
    if "dim" in keywords and not arguments:
        arguments = [keywords["dim"]]
    try:
        return _METHODS[name](tensor, *arguments) if name in _METHODS else UNKNOWN
    except (TypeError, IndexError):
        return UNKNOWN


def attribute(tensor: Tensor, name: str) -> Any:
    """What an attribute of a tensor gives."""
    if name == "shape":
        return tensor.shape
    if name == "ndim":
        return len(tensor.shape)
    if name in ("T", "mT"):
        return _swapped(tensor, -2, -1) if len(tensor.shape) > 1 else tensor
    if name in ("data", "grad"):
        return tensor
    if name in ("is_cuda", "requires_grad"):
        return True
    return UNKNOWN


_NEW = {"empty", "zeros", "ones", "rand", "randn", "full", "randint"}


def called(path: str, arguments: Sequence[Any], keywords: dict[str, Any], processors: int) -> Any:
    """What a function of torch, triton, math or Python's own gives."""
    name = path.rpartition(".")[2]
    numbers = all(isinstance(v, int | float) for v in arguments)
    try:
        if name in arithmetic.FUNCTIONS or path.startswith("math."):
            return arithmetic.called(path, arguments)
        if name == "sum" and path.startswith("builtins"):
            return sum(arguments[0]) if all(isinstance(v, int | float) for v in arguments[0]) else UNKNOWN
        if name == "len":
            return arguments[0].shape[0] if isinstance(arguments[0], Tensor) else len(arguments[0])
        if path.startswith("torch."):
            if name.endswith("_like") and isinstance(arguments[0], Tensor):
                return arguments[0]
            if name == "numel" and isinstance(arguments[0], Tensor):
                return arguments[0].numel
            if name in _NEW:
                given = keywords.get("size", arguments)
                if name == "full":
                    given = arguments[:1]
                elif name == "randint":
                    given = arguments[-1:]
                return _made(given if isinstance(given, Sequence) else [given])
            if name == "empty_strided":
                shape, strides = (_sizes([given]) for given in arguments[:2])
                return UNKNOWN if shape is None or strides is None else Tensor(shape, strides)
            if name == "arange" and numbers:
                return Tensor((int(arguments[-1] if len(arguments) == 1 else arguments[1] - arguments[0]),))
            if name in ("zeros", "is_tensor", "is_available"):
                return True
        if name == "num_sms" or name == "get_num_sms":
            return processors
    except (AttributeError, *arithmetic.FAILS):
        return UNKNOWN
    return UNKNOWN
