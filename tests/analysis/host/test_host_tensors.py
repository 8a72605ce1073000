"""What is said of a tensor's shape and strides, held against torch on the CPU."""

from __future__ import annotations

from typing import Any

import pytest
from test_host_library import ARGUMENTS, ELSEWHERE, OF_METHODS

from kernel_analysis.host.evaluate.values import Items, Tensor, Unknown, Value
from kernel_analysis.host.tensors import tensors
from kernel_analysis.host.tensors.library import FUNCTIONS, IN_PLACE, METHODS

torch = pytest.importorskip("torch")


def value(real: Any) -> Value:
    if isinstance(real, torch.Tensor):
        return Tensor(tuple(real.shape), tuple(real.stride()))
    if isinstance(real, tuple | list):
        return Items("tuple", tuple(map(value, real)))
    return real


def agrees(said: Value, real: Any) -> bool:
    """What is said is so, or nothing is said. Strides of an axis with one element say nothing."""
    if isinstance(said, Unknown):
        return True
    if isinstance(said, Tensor):
        strides = zip(real.shape, said.stride(), real.stride(), strict=True)
        return said.shape == tuple(real.shape) and all(one == other for extent, one, other in strides if extent > 1)
    return said == value(real)


BASES = {"rows": (2, 3, 4), "one": (5, 1), "flat": (6,), "none": (0, 3)}
CALLS = [
    ("contiguous", ()), ("size", ()), ("size", (0,)), ("size", (-1,)), ("stride", ()), ("stride", (-1,)), ("numel", ()),
    ("dim", ()), ("view", (-1,)), ("view", ((-1,),)), ("reshape", (1, -1)), ("flatten", ()), ("flatten", (0, 1)),
    ("permute", (1, 0)), ("permute", ((2, 0, 1),)), ("transpose", (0, 1)), ("transpose", (-1, -2)), ("t", ()),
    ("unsqueeze", (0,)), ("unsqueeze", (-1,)), ("squeeze", ()), ("squeeze", (1,)), ("squeeze", (0,)),
    ("is_contiguous", ()), ("expand", (5, 7)), ("expand", (3, -1, -1, -1)), ("element_size", ()), ("abs", ()),
    ("new_empty", (2, 3)), ("new_empty", ((2, 3),)), ("new_zeros", (4,)), ("cumsum", (0,)), ("float", ()),
    ("clone", ()), ("type", (torch.float32,)), ("nelement", ()), ("sum", ()), ("split", (1,)),
]  # fmt: skip


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_a_method_gives_the_shape_that_torch_gives(base: str, name: str, arguments: tuple[Any, ...]) -> None:
    source = torch.zeros(BASES[base])
    for real in (source, source.transpose(0, -1)):
        try:
            made = getattr(real, name)(*arguments)
        except (RuntimeError, IndexError):
            continue
        tensor = value(real)
        assert isinstance(tensor, Tensor)
        given = [a if isinstance(a, torch.dtype) else value(a) for a in arguments]
        assert agrees(tensors.method(tensor, name, given, {}), made), (tuple(real.shape), tuple(real.stride()))


@pytest.mark.parametrize("name", ["shape", "ndim", "T", "mT", "data"])
def test_an_attribute_is_what_torch_has(name: str) -> None:
    real = torch.zeros(2, 3)
    tensor = value(real)
    assert isinstance(tensor, Tensor)
    said = tensors.attribute(tensor, name)
    assert not isinstance(said, Unknown)
    assert agrees(said, getattr(real, name))


@pytest.mark.parametrize("path", sorted(p for p, row in FUNCTIONS.items() if row.shape and p not in ELSEWHERE))
def test_a_row_says_how_a_functions_result_is_shaped(path: str) -> None:
    same = FUNCTIONS[path].shape == "same"
    for x in (torch.zeros(2, 3), torch.zeros(3, 2).t()):
        arguments = (x, *ARGUMENTS.get(path, ())[1:]) if same else ARGUMENTS.get(path, (2, 5))
        real = getattr(torch, path.rpartition(".")[2])(*arguments)
        said = tensors.called(path, [value(a) for a in arguments], {})
        assert said is not None
        assert isinstance(said[0], Tensor)
        assert agrees(said[0], real)


@pytest.mark.parametrize("name", sorted(n for n, row in METHODS.items() if row.shape and n not in ELSEWHERE))
def test_a_row_says_how_a_methods_result_is_shaped(name: str) -> None:
    arguments = OF_METHODS.get(name, ())
    for x in (torch.zeros(2, 3), torch.zeros(3, 2).t()):
        tensor = value(x)
        assert isinstance(tensor, Tensor)
        said = tensors.method(tensor, name, [value(a) for a in arguments], {})
        assert isinstance(said, Tensor)
        # `test_host_library` shows that what changes a tensor gives that tensor. (A view is not detached in place.)
        assert agrees(said, x if name in IN_PLACE | {"detach_"} else getattr(x, name)(*arguments))


def test_functions_that_are_like_no_other() -> None:
    for path, arguments in (
        ("torch.empty_strided", ((2, 3), (1, 2))), ("torch.arange", (5,)), ("torch.arange", (2, 9)),
        ("torch.arange", (2, 9, 3)), ("torch.numel", (torch.zeros(2, 3),)), ("builtins.len", (torch.zeros(2, 3),)),
    ):  # fmt: skip
        said = tensors.called(path, [value(a) for a in arguments], {})
        function: Any = len if path == "builtins.len" else getattr(torch, path.rpartition(".")[2])
        real = function(*arguments)
        assert said is not None
        assert not isinstance(said[0], Unknown)
        assert agrees(said[0], real), path
