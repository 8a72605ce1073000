"""Inline PTX: a pure instruction on four packed bytes at a time, and an impure one that reads a clock, not memory."""

import torch
import triton
import triton.language as tl


@triton.jit
def absolute_difference_kernel(x_ptr, y_ptr, out_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    difference = tl.inline_asm_elementwise(
        asm="{ .reg .b32 zero; mov.b32 zero, 0; vabsdiff4.u32.u32.u32 $0, $1, $2, zero; }",
        constraints="=r,r,r",
        args=[x, y],
        dtype=tl.uint8,
        is_pure=True,
        pack=4,
    )
    tl.store(out_ptr + offsets, difference, mask=mask)


@triton.jit
def globaltimer():
    # Impure, or two readings would be merged into one.
    return tl.inline_asm_elementwise(
        asm="mov.u64 $0, %globaltimer;", constraints="=l", args=[], dtype=tl.int64, is_pure=False, pack=1
    )


@triton.jit
def timed_copy_kernel(in_ptr, out_ptr, nanoseconds_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    program = tl.program_id(0)
    start = globaltimer()
    offsets = program * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    tl.store(out_ptr + offsets, tl.load(in_ptr + offsets, mask=mask), mask=mask)
    tl.store(nanoseconds_ptr + program, globaltimer() - start)


def absolute_difference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    absolute_difference_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK_SIZE=1024)
    return out


def timed_copy(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    n_programs = triton.cdiv(x.numel(), 1024)
    out = torch.empty_like(x)
    nanoseconds = torch.empty(n_programs, dtype=torch.int64, device=x.device)
    timed_copy_kernel[(n_programs,)](x, out, nanoseconds, x.numel(), BLOCK_SIZE=1024)
    return out, nanoseconds


if __name__ == "__main__":  # PTX needs an NVIDIA GPU
    x, y = torch.randint(0, 256, (2, 5000), dtype=torch.uint8, device="cuda")
    torch.testing.assert_close(absolute_difference(x, y), (x.int() - y.int()).abs().to(torch.uint8))
    copy, nanoseconds = timed_copy(x)
    torch.testing.assert_close(copy, x)
    print(f"inline_asm: as torch; the copy took {nanoseconds.float().median():.0f} ns a program")
