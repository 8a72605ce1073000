"""Attention, backward: one program owns a block of keys for dK and dV, and a block of queries for dQ."""

import torch
import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)


@triton.jit
def load_rows(ptr, rows, dims, stride, n_rows):
    return tl.load(ptr + rows[:, None] * stride + dims[None, :], mask=rows[:, None] < n_rows, other=0.0)


@triton.jit
def store_rows(ptr, rows, dims, stride, n_rows, values):
    tl.store(ptr + rows[:, None] * stride + dims[None, :], values.to(ptr.dtype.element_ty), mask=rows[:, None] < n_rows)


@triton.jit
def probabilities(q, k, lse, scale, rows, keys, n_keys, CAUSAL: tl.constexpr):
    scores = tl.dot(q, tl.trans(k)) * (scale * LOG2E)
    visible = keys[None, :] < n_keys
    if CAUSAL:
        visible = visible & (rows[:, None] >= keys[None, :])
    return tl.where(visible, tl.exp2(scores - lse[:, None]), 0.0)


@triton.jit
def keys_pass(
    dk_ptr, dv_ptr, q_ptr, k_ptr, v_ptr, grad_ptr, lse_ptr, delta_ptr, keys, dims, stride, n, scale,
    BLOCK: tl.constexpr, HEAD_DIM: tl.constexpr, STEP: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    k = load_rows(k_ptr, keys, dims, stride, n)
    v = load_rows(v_ptr, keys, dims, stride, n)
    dk = tl.zeros((BLOCK, HEAD_DIM), dtype=tl.float32)
    dv = tl.zeros((BLOCK, HEAD_DIM), dtype=tl.float32)
    start = tl.min(keys) // STEP * STEP if CAUSAL else 0
    for first in tl.range(start, n, STEP):
        rows = first + tl.arange(0, STEP)
        q = load_rows(q_ptr, rows, dims, stride, n)
        grad = load_rows(grad_ptr, rows, dims, stride, n)
        lse = tl.load(lse_ptr + rows, mask=rows < n, other=0.0)
        delta = tl.load(delta_ptr + rows, mask=rows < n, other=0.0)
        p = probabilities(q, k, lse, scale, rows, keys, n, CAUSAL)
        dv = tl.dot(tl.trans(p).to(grad.dtype), grad, dv)
        ds = p * (tl.dot(grad, tl.trans(v)) - delta[:, None])
        dk = tl.dot(tl.trans(ds).to(q.dtype), q, dk)
    store_rows(dk_ptr, keys, dims, stride, n, dk * scale)
    store_rows(dv_ptr, keys, dims, stride, n, dv)


@triton.jit
def queries_pass(
    dq_ptr, q_ptr, k_ptr, v_ptr, grad_ptr, lse_ptr, delta_ptr, rows, dims, stride, n, scale,
    BLOCK: tl.constexpr, HEAD_DIM: tl.constexpr, STEP: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    q = load_rows(q_ptr, rows, dims, stride, n)
    grad = load_rows(grad_ptr, rows, dims, stride, n)
    lse = tl.load(lse_ptr + rows, mask=rows < n, other=0.0)
    delta = tl.load(delta_ptr + rows, mask=rows < n, other=0.0)
    dq = tl.zeros((BLOCK, HEAD_DIM), dtype=tl.float32)
    end = tl.minimum(tl.max(rows) + 1, n) if CAUSAL else n
    for first in tl.range(0, end, STEP):
        keys = first + tl.arange(0, STEP)
        k = load_rows(k_ptr, keys, dims, stride, n)
        v = load_rows(v_ptr, keys, dims, stride, n)
        p = probabilities(q, k, lse, scale, rows, keys, n, CAUSAL)
        ds = p * (tl.dot(grad, tl.trans(v)) - delta[:, None])
        dq = tl.dot(ds.to(k.dtype), k, dq)
    store_rows(dq_ptr, rows, dims, stride, n, dq * scale)


@triton.jit
def attention_backward_kernel(
    dq_ptr,
    dk_ptr,
    dv_ptr,
    q_ptr,
    k_ptr,
    v_ptr,
    grad_ptr,
    lse_ptr,
    delta_ptr,
    scale,
    stride_head,
    stride_row,
    n,
    BLOCK: tl.constexpr,
    STEP: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    head = tl.program_id(1).to(tl.int64)
    block = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    dims = tl.arange(0, HEAD_DIM)
    base = head * stride_head
    keys_pass(
        dk_ptr + base, dv_ptr + base, q_ptr + base, k_ptr + base, v_ptr + base, grad_ptr + base,
        lse_ptr + head * n, delta_ptr + head * n, block, dims, stride_row, n, scale, BLOCK, HEAD_DIM, STEP, CAUSAL,
    )  # fmt: skip
    queries_pass(
        dq_ptr + base, q_ptr + base, k_ptr + base, v_ptr + base, grad_ptr + base,
        lse_ptr + head * n, delta_ptr + head * n, block, dims, stride_row, n, scale, BLOCK, HEAD_DIM, STEP, CAUSAL,
    )  # fmt: skip


def attention_backward(
    grad: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, lse: torch.Tensor, delta: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    heads, n, head_dim = q.shape
    dq, dk, dv = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
    attention_backward_kernel[(triton.cdiv(n, 64), heads)](
        dq, dk, dv, q, k, v, grad, lse, delta, head_dim**-0.5, q.stride(0), q.stride(1), n,
        BLOCK=64, STEP=32, HEAD_DIM=64, CAUSAL=True,
    )  # fmt: skip
    return dq, dk, dv
