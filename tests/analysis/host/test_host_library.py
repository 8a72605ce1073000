"""Each row of the library's table, held against the real function: torch on the CPU, Triton on the host, Python."""

from __future__ import annotations

import builtins
import importlib
import io
import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest

from kernel_analysis.host.evaluate import argument
from kernel_analysis.host.names.guards import LETS_THROUGH
from kernel_analysis.host.tensors import gives
from kernel_analysis.host.tensors.library import (
    AUTOCAST,
    FUNCTIONS,
    IN_PLACE,
    MAY_SHARE,
    METHODS,
    PARTS,
    REDUCES,
    SAYS,
    VIEWS,
    LibraryRow,
)
from kernel_analysis.source import dtypes
from kernel_analysis.source.dtypes import TRITON

torch = pytest.importorskip("torch")
triton = pytest.importorskip("triton")

X = torch.arange(6, dtype=torch.float16).reshape(2, 3)
N = torch.arange(6, dtype=torch.int32)
Y = X.float()
OF_FUNCTIONAL: dict[str, tuple[Any, ...]] = {
    "dropout1d": (Y,), "dropout3d": (Y.reshape(1, 1, 1, 2, 3),), "gaussian_nll_loss": (Y, Y, Y + 1),
    "gumbel_softmax": (Y,), "local_response_norm": (Y[None], 2), "multilabel_soft_margin_loss": (Y, Y),
    "linear_cross_entropy": (Y, torch.ones(4, 3), torch.tensor([0, 1])), "normalize": (Y,), "softsign": (Y,),
    "tanhshrink": (Y,), "max_unpool1d": (Y[None, :, :2], torch.tensor([[[0, 2], [1, 3]]]), 2),
}  # fmt: skip
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    **{f"torch.nn.functional.{name}": arguments for name, arguments in OF_FUNCTIONAL.items()},
    "torch.empty_strided": ((2, 3), (3, 1)), "torch.linspace": (0, 1, 4), "torch.randint": (0, 5, (4,)),
    "torch.randperm": (5,), "torch.full": ((2,), 1.5), "torch.arange": (5,), "torch.tensor": ([1, 2],),
    "torch.as_tensor": ([1.0],), "torch.cat": ([X, X],), "torch.stack": ([X, X],), "torch.where": (X > 1, X, X),
    "torch.cumsum": (X, 0), "torch.matmul": (X.float(), X.float().t()), "torch.einsum": ("ij->i", X.float()),
    "torch.bincount": (N,), "torch.full_like": (X, 1), "torch.equal": (X, X), "torch.allclose": (X, X),
    "torch.is_grad_enabled": (), "triton.cdiv": (7, 2), "triton.next_power_of_2": (5,), "math.pow": (2, 3),
    "math.gcd": (4, 6), "math.isqrt": (9,), "math.prod": ([2, 3],), "builtins.min": (1, 2), "builtins.max": (1, 2),
    "builtins.len": ([1],), "builtins.ord": ("a",), "builtins.isinstance": (1, int), "builtins.issubclass": (int, int),
    "builtins.hasattr": (1, "real"), "builtins.any": ([1],), "builtins.all": ([1],), "builtins.sum": ([1],),
}  # fmt: skip
OF_METHODS: dict[str, tuple[Any, ...]] = {
    "view": (3, 2), "reshape": (3, 2), "unsqueeze": (0,), "transpose": (0, 1), "permute": (1, 0), "expand": (2, 3),
    "expand_as": (X,), "view_as": (X,), "flip": (0,), "unflatten": (1, (3, 1)), "narrow": (0, 0, 1), "select": (0, 1),
    "repeat": (2, 1), "fill_": (1,), "chunk": (2,), "to": ("cpu",), "new_empty": (2,), "new_zeros": (2,),
    "new_ones": (2,), "new_full": ((2,), 1), "new_tensor": ([1.0],), "where": (X > 1, X), "stride": (0,), "size": (0,),
    "copy_": (torch.zeros(2, 3, dtype=torch.float16),), "type_as": (N,), "new_empty_strided": ((2, 3), (3, 1)),
}  # fmt: skip
CHANGING = {name for name in METHODS if name.endswith("_")} - VIEWS
OTHER_SPARSE = {"resize_as_", "resize_as_sparse_", "set_", "sparse_resize_", "sparse_resize_and_clear_"}
"""What takes the memory of another tensor, or is for sparse ones."""
INDEX = torch.tensor([0, 1])
TAKEN_IN_PLACE: list[Callable[[Any], tuple[Any, ...]]] = [
    lambda x: (), lambda x: (1,), lambda x: (x,), lambda x: (0, 1), lambda x: (x, x), lambda x: (0, INDEX, x),
    lambda x: (0, INDEX, 1), lambda x: ((INDEX,), x[0]), lambda x: (x > 0, 1), lambda x: (x > 0, x),
    lambda x: (x[0], x[0]), lambda x: (x, x[0]), lambda x: (x[None], x[None]), lambda x: (INDEX, x[0]),
    lambda x: (0, torch.zeros(2, 2, dtype=torch.int64), x), lambda x: (lambda v: v,), lambda x: (x, lambda v, w: v),
    lambda x: (x, x, lambda v, w, u: v), lambda x: (0, INDEX, x, "prod"), lambda x: (0.5,), lambda x: (x, 0.5),
    lambda x: (0, torch.zeros(2, 2, dtype=torch.int64), x, "sum"), lambda x: (2, 0, 1), lambda x: ((2, 2), (2, 1)),
    lambda x: (torch.ones(2, 2, dtype=x.dtype), x), lambda x: (torch.stack([x, x]), torch.stack([x, x])),
]  # fmt: skip
"""What one of them takes."""
ELSEWHERE = {"torch.cuda.current_device", "cuda"}
"""Rows that need a GPU."""


def check(row: LibraryRow, made: Any, source: Any, name: str) -> None:
    if row.gives in ("tensor", "same"):
        made = made[0] if isinstance(made, tuple | list) else made
        assert isinstance(made, torch.Tensor), name
        if row.dtype == "same":
            assert made.dtype == source.dtype, name
        elif row.dtype is not None:
            assert TRITON[str(made.dtype).removeprefix("torch.")] == row.dtype, name
        return
    expected = {"int": int, "float": float, "bool": bool, "str": str}.get(row.gives)
    assert type(made) is expected if expected is not None else isinstance(made, int | float), name


@pytest.mark.parametrize("path", sorted(FUNCTIONS.keys() - ELSEWHERE))
def test_function(path: str) -> None:
    row = FUNCTIONS[path]
    module, _, name = path.rpartition(".")
    owner: Any = {
        "torch": torch,
        "torch.cuda": torch.cuda,
        "torch.nn.functional": torch.nn.functional,
        "triton": triton,
        "math": math,
        "builtins": builtins,
    }[module]
    like = (
        row.dtype == "same" or name in ("argsort", "argmax", "argmin") or name.startswith("is_") and name != "is_grad"
    )
    number: tuple[Any, ...] = (2.5,) if module in ("math", "builtins") else (X,) if like else (3,)
    arguments = ARGUMENTS.get(path, () if module == "torch.cuda" else number)
    if path == "torch.from_numpy":
        arguments = (N.numpy(),)
    check(row, getattr(owner, name)(*arguments), X, path)
    if row.gives == "number":
        floats = ([1.5, 2],) if name == "prod" else (1.5,) if name == "abs" else (1.5, 0.5)
        assert isinstance(getattr(owner, name)(*floats), float)


@pytest.mark.parametrize("name", sorted(METHODS.keys() - ELSEWHERE - CHANGING))
def test_method(name: str) -> None:
    source = X.clone()
    if name == "bincount":
        source = N
    elif name == "matmul":
        source = X.float()
    arguments = OF_METHODS.get(name, (source.t(),) if name == "matmul" else ())
    check(METHODS[name], getattr(source, name)(*arguments), source, name)


def test_every_method_that_changes_a_tensor_gives_that_tensor() -> None:
    """All that torch has: each is called with what one of its kind takes."""
    names = {name for name in dir(torch.Tensor) if name.endswith("_") and not name.startswith("_")}
    assert names - VIEWS - OTHER_SPARSE <= CHANGING
    assert names >= CHANGING
    for name in sorted(CHANGING):
        kept = 0
        kinds = (torch.float32, torch.int32, torch.bool, torch.float64)
        for kind, shape, given in itertools.product(kinds, ((2, 2), (2,), (2, 2, 2)), TAKEN_IN_PLACE):
            source = torch.ones(shape, dtype=kind)
            try:
                made = getattr(source, name)(*given(source.clone()))
            except (TypeError, RuntimeError, IndexError, ValueError):
                continue
            assert made is source, name
            assert made.dtype == kind, name
            assert name not in IN_PLACE or made.shape == shape, name
            kept += 1
        assert kept, name


@pytest.mark.parametrize("name", sorted(REDUCES))
def test_reduction(name: str) -> None:
    arguments = (0,) if name == "cumsum" else (1,) if name == "clamp" else ()
    assert getattr(X, name)(*arguments).dtype == X.dtype
    if name in ("sum", "prod", "cumsum"):
        assert getattr(N, name)(*arguments).dtype == torch.int64


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.int32, torch.float64])
@pytest.mark.parametrize("name", sorted(REDUCES))
def test_reduction_under_autocast(name: str, dtype: Any) -> None:
    if name == "mean" and not dtype.is_floating_point:
        pytest.skip("torch has none")
    x = torch.ones(2, 3, dtype=dtype)
    arguments = (0,) if name == "cumsum" else (1,) if name == "clamp" else ()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        made = getattr(x, name)(*arguments).dtype
    said = gives.method(argument.HostArgument("tensor", dtype=TRITON[str(dtype)[6:]], sure=True), name, arguments, {})
    assert said is not None
    assert not said.sure or said.dtype == TRITON[str(made)[6:]]
    assert said.sure or name not in ("mean", "amax", "amin") and (name in AUTOCAST or arguments)


def test_autocast_has_these_in_float32() -> None:
    """https://pytorch.org/docs/stable/amp.html: CUDA ops that autocast to float32, which a CPU can't be asked about."""
    text = (
        "__pow__ __rdiv__ __rpow__ __rtruediv__ acos asin binary_cross_entropy_with_logits cosh cosine_embedding_loss "
        "cdist cosine_similarity cross_entropy cumprod cumsum dist erfinv exp expm1 group_norm hinge_embedding_loss "
        "kl_div l1_loss layer_norm log log10 log_softmax log1p log2 margin_ranking_loss mse_loss "
        "multilabel_margin_loss multi_margin_loss "
        "nll_loss norm normalize pdist poisson_nll_loss pow prod reciprocal rsqrt sinh "
        "smooth_l1_loss soft_margin_loss softmax softmin softplus sum renorm tan triplet_margin_loss"
    )
    assert {*text.split()} & REDUCES == AUTOCAST


def shares(made: Any) -> bool:
    return made.untyped_storage().data_ptr() == X.untyped_storage().data_ptr()


def test_what_shares_memory() -> None:
    for name in sorted(VIEWS):
        assert shares(getattr(X, name)(*OF_METHODS.get(name, ()))), name
    for name in sorted(METHODS.keys() - VIEWS - MAY_SHARE - ELSEWHERE - CHANGING - {"chunk", "bincount"}):
        made = getattr(X, name)(*OF_METHODS.get(name, (X.t(),) if name == "matmul" else ()))
        assert not isinstance(made, torch.Tensor) or not shares(made), name
    for name in sorted(PARTS):
        assert shares(getattr(X, name)), name
    for name in sorted(SAYS):
        assert not isinstance(getattr(X, name), torch.Tensor), name


def test_dtypes_are_torchs() -> None:
    for name, kind in dtypes.DTYPES.items():
        real = getattr(torch, name)
        assert kind is None or dtypes.bytes_of(kind) == real.itemsize, name
        asks = "finfo" if real.is_floating_point else "iinfo"
        for what in ("bits", "max", "min"):
            known = dtypes.info(f"torch.{asks}", name, what)
            assert known is None or known == getattr(getattr(torch, asks)(real), what), (name, what)
    for alias, name in dtypes.ALIASES.items():
        assert getattr(torch, alias) is getattr(torch, name)
    assert {name for name, value in vars(torch).items() if isinstance(value, torch.dtype)} >= dtypes.NAMES


OF_MANAGERS: dict[str, tuple[Any, ...]] = {
    "builtins.open": (__file__,), "contextlib.closing": (io.StringIO(),), "contextlib.redirect_stdout": (None,),
    "contextlib.redirect_stderr": (None,), "torch.autocast": ("cpu",), "torch.cuda.device": (-1,),
    "torch.cuda.device_of": (X,), "torch.cuda.stream": (None,), "torch.device": ("cpu",),
    "torch.profiler.record_function": ("a",), "torch.autograd.profiler.record_function": ("a",),
    "torch.set_grad_enabled": (True,),
}  # fmt: skip


@pytest.mark.parametrize("path", sorted(LETS_THROUGH))
def test_context_manager_lets_through(path: str) -> None:
    module, _, name = path.rpartition(".")
    manager = getattr(importlib.import_module(module), name)(*OF_MANAGERS.get(path, ()))
    with pytest.raises(KeyError), manager:
        raise KeyError
