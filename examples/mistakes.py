"""One kernel for each thing that triton-ls reports. The mistakes are meant: open this file in an editor to see them."""

import triton
import triton.language as tl


@triton.jit
def scale_kernel(in_ptr, out_ptr, factor, n_elements, BLOCK_SIZE: tl.constexpr):
    """``mutated-parameter``: a slip of the pen, the result goes back into the input and nothing into the output."""
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(in_ptr + offsets, mask=mask)
    tl.store(in_ptr + offsets, x * factor, mask=mask)


@triton.jit
def zero_with_pure_asm(ptr, BLOCK_SIZE: tl.constexpr):
    """``inline-asm-impure``: assembly declared pure stores, so the compiler is free to drop it."""
    pointers = ptr + tl.arange(0, BLOCK_SIZE)
    tl.inline_asm_elementwise(
        "{ st.global.b32 [$1], 0; mov.u32 $0, 0; }", "=r,l", args=[pointers], dtype=tl.int32, is_pure=True, pack=1
    )


@triton.jit
def ask_unknown_asm(flag_ptr, out_ptr):
    """``inline-asm``: an unknown instruction, so what happens to ``flag_ptr`` stays open; ``out_ptr`` does not."""
    answer = tl.inline_asm_elementwise(
        "frobnicate.u32 $0, [$1];", "=r,l", args=[flag_ptr], dtype=tl.int32, is_pure=False, pack=1
    )
    tl.store(out_ptr, answer)


@triton.jit
def factorial(n):
    """``recursion``: a jit function cannot call itself at run time."""
    if n <= 1:
        return 1
    return n * factorial(n - 1)


@triton.jit
def factorial_kernel(n_ptr, out_ptr):
    tl.store(out_ptr, factorial(tl.load(n_ptr)))


@triton.jit
def add_rows_kernel(x_ptr: "*fp32", y_ptr: "*fp32", out_ptr: "*fp32"):
    """``compile-error``: blocks of 128 and of 64 elements cannot be added."""
    x = tl.load(x_ptr + tl.arange(0, 128))
    y = tl.load(y_ptr + tl.arange(0, 64))
    tl.store(out_ptr + tl.arange(0, 128), x + y)
