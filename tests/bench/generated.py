"""Kernels whose size is a number: address arithmetic that is shared over and over, and plain long ones."""

from __future__ import annotations

OFFSETS = '''"""Offsets that are each the sum of the one before with itself: {n} operations, 2 ** {n} paths."""
import triton
import triton.language as tl


@triton.jit
def generated_kernel(in_ptr: "*fp32", out_ptr: "*fp32"):
    tag = {tag}
    offsets = tl.arange(0, 16)
    for _ in tl.static_range({n}):
        offsets = offsets + offsets
    tl.store(out_ptr + offsets, tl.load(in_ptr + offsets))
'''

POINTERS = '''"""Two pointers, mixed {n} times, so that each has 2 ** {n} ways to come from either parameter."""
import triton
import triton.language as tl


@triton.jit
def generated_kernel(a_ptr: "*fp32", b_ptr: "*fp32", n: "i32"):
    tag = {tag}
    a = a_ptr + tl.arange(0, 16)
    b = b_ptr + tl.arange(0, 16)
    for _ in tl.static_range({n}):
        a, b = tl.where(n > 0, a + n, b), tl.where(n > 1, b + n, a)
    tl.store(a, tl.load(b))
'''

LONG = '''"""A long kernel, as unrolled loops make them: {n} times a load, some arithmetic and a store."""
import triton
import triton.language as tl


@triton.jit
def generated_kernel(in_ptr: "*fp32", out_ptr: "*fp32", n: "i32"):
    tag = {tag}
    offsets = tl.program_id(0) * 128 + tl.arange(0, 128)
    for i in tl.static_range({n}):
        at = offsets + i * n
        inside = at < n
        tl.store(out_ptr + at, tl.load(in_ptr + at, mask=inside) * 2.0 + 1.0, mask=inside)
'''
