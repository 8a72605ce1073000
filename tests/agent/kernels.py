"""The kernels that several tests need, as text."""

from __future__ import annotations

HEAD = "import triton\nimport triton.language as tl\n\n\n"

ADD = (
    HEAD
    + """@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x + y, mask=mask)
"""
)

HELPER = (
    HEAD
    + """@triton.jit
def put(p, offs, value):
    tl.store(p + offs, value)


@triton.jit
def fill(out_ptr, BLOCK: tl.constexpr):
    put(out_ptr, tl.arange(0, BLOCK), 1.0)
"""
)
