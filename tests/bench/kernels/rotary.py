"""Rotary position embedding of queries and keys, in place."""

import torch
import triton
import triton.language as tl


@triton.jit
def rotate(ptr, first, second, mask, cos, sin):
    a = tl.load(ptr + first, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(ptr + second, mask=mask, other=0.0).to(tl.float32)
    tl.store(ptr + first, a * cos - b * sin, mask=mask)
    tl.store(ptr + second, b * cos + a * sin, mask=mask)


@triton.jit
def rotary_kernel(
    q_ptr,
    k_ptr,
    cos_ptr,
    sin_ptr,
    stride_token_q,
    stride_token_k,
    n_heads_q,
    n_heads_k,
    HEADS: tl.constexpr,
    HALF: tl.constexpr,
    BACKWARD: tl.constexpr,
):
    token = tl.program_id(0).to(tl.int64)
    dims = tl.arange(0, HALF)
    cos = tl.load(cos_ptr + token * HALF + dims)[None, :]
    sin = tl.load(sin_ptr + token * HALF + dims)[None, :]
    if BACKWARD:
        sin = -sin
    heads = tl.arange(0, HEADS)[:, None]
    first = heads * (2 * HALF) + dims[None, :]
    rotate(q_ptr + token * stride_token_q, first, first + HALF, heads < n_heads_q, cos, sin)
    rotate(k_ptr + token * stride_token_k, first, first + HALF, heads < n_heads_k, cos, sin)


def rotary(q: torch.Tensor, k: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> None:
    tokens, heads, _ = q.shape
    rotary_kernel[(tokens,)](
        q, k, cos, sin, q.stride(0), k.stride(0), heads, k.shape[1], HEADS=32, HALF=64, BACKWARD=False
    )
