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


def arms(number: int, tag: int) -> str:
    """A chain of so many `elif`s that each choose a pointer, which is stored to in a way that can't be refuted."""
    chain = "".join(
        f"    {'elif' if arm else 'if'} MODE == {arm}:\n"
        f"        at = {'out_ptr' if arm % 2 else 'in_ptr'} + {arm}\n"
        f"        value = value * {arm + 2}\n"
        for arm in range(number)
    )
    return _TEXT.format(tag=tag, body=chain, depth="    ")


def nested(number: int, tag: int) -> str:
    """So many loops in each other that hand two pointers round."""
    heads = "".join(f"{'    ' * (level + 1)}for i{level} in range(n):\n" for level in range(number))
    inside = "    " * (number + 1)
    body = f"{heads}{inside}at, other = other, at + 1\n{inside}value += tl.load(at)\n"
    return _TEXT.format(tag=tag, body=body, depth="    ")


_TEXT = '''"""What the text could do, in a way that no compile shows."""
import triton
import triton.language as tl


@triton.jit
def generated_kernel(in_ptr: "*fp32", other_ptr: "*fp32", out_ptr: "*fp32", n: "i32", MODE: tl.constexpr = 1):
    tag = {tag}
    value = tl.load(other_ptr)
    at = in_ptr + 0
    other = other_ptr + 0
{body}{depth}tl.store(out_ptr, value + tl.load(at))
{depth}if MODE * MODE == -1:
{depth}    tl.store(at, 0.0)
'''
