"""What a test is parametrized with reaches the kernel: a shape, one of several dtypes, what is named after a dtype.
Also through methods that fill a tensor and give it."""

from __future__ import annotations

import pytest

from kernel_analysis.source.slice import TritonObject

TEXT = """
import pytest
import torch

@triton.jit
def kernel(x_ptr, y_ptr, DTYPE: tl.constexpr, N: tl.constexpr):
    offs = tl.arange(0, 16)
    tl.store(y_ptr + offs, tl.load(x_ptr + offs).to(DTYPE) * N)

def named(dtype):
    if dtype == torch.float8_e5m2:
        return tl.float8e5
    return getattr(tl, str(dtype).split(".")[1])

def run(x):
    y = torch.empty_like(x)
    kernel[(1,)](x, y, named(x.dtype), x.shape[-1])

@pytest.mark.parametrize("N", [3, 5])
@pytest.mark.parametrize("dtype", [torch.{dtype}, torch.float64])
def test_it(N, dtype):
    x = torch.empty((2, N), dtype=dtype, device="cuda"){filled}
    run(x)
"""


@pytest.mark.parametrize("filled", ["", ".normal_(mean=0.0, std=0.5).requires_grad_()", ".uniform_().clamp_(0, 1)"])
@pytest.mark.parametrize(("dtype", "kind"), [("float16", "fp16"), ("bfloat16", "bf16"), ("int32", "i32")])
def test_what_a_test_is_parametrized_with(case, dtype, kind, filled):
    first = case(TEXT.replace("{dtype}", dtype).replace("{filled}", filled)).first
    assert first.types["x_ptr"] == first.types["y_ptr"] == f"*{kind}"
    assert first.constants["DTYPE"] == TritonObject(f"triton.language.{dtype}")
    assert first.constants["N"] == 3
    assert not first.evidence["x_ptr"].certain


def test_a_descriptor_that_a_partition_uses(case):
    made = case("""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import tma

@gluon.jit
def put(desc, buffer, row):
    gl.store(row, 1.0)
    buffer.store(desc.load([0, 0]))

@gluon.jit
def nothing(buffer):
    pass

@gluon.jit
def kernel(desc, row, num_warps: gl.constexpr):
    buffer = gl.allocate_shared_memory(gl.float32, [64, 64], gl.SwizzledSharedLayout(1, 1, 1, order=[1, 0]))
    given = (desc, buffer, row)
    gl.warp_specialize([(put, given), (nothing, (buffer,))], [1], [24])
""")
    assert str(made.first.types["desc"]).startswith("tensordesc")
    assert made.first.types["row"] == "*fp32"
