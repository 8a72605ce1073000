"""Kernels that ``run_all.py`` times beside torch's own operators, and three that must fail without harm."""

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64, "GROUP": 8}, num_warps=8, num_stages=3),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP": 8}, num_warps=4, num_stages=4),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP": 8}, num_warps=8, num_stages=3),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP": 8}, num_warps=4, num_stages=4),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32, "GROUP": 8}, num_warps=4, num_stages=3),
    ],
    key=["M", "N", "K"],
)
@triton.jit
def matmul_kernel(
    a_ptr: "*fp16", b_ptr: "*fp16", c_ptr: "*fp16", M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    group = program // (GROUP * tiles_n)
    rows = min(tiles_m - group * GROUP, GROUP)
    tile_m = group * GROUP + (program % (GROUP * tiles_n)) % rows
    tile_n = (program % (GROUP * tiles_n)) // rows
    m = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (m % M)[:, None] * stride_am + k[None, :] * stride_ak
    b_ptrs = b_ptr + k[:, None] * stride_bk + (n % N)[None, :] * stride_bn
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=k[None, :] < K - step * BLOCK_K, other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < K - step * BLOCK_K, other=0.0)
        sums = tl.dot(a, b, sums)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    c_ptrs = c_ptr + m[:, None] * stride_cm + n[None, :] * stride_cn
    tl.store(c_ptrs, sums.to(tl.float16), mask=(m[:, None] < M) & (n[None, :] < N))


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    M, K = a.shape
    K, N = b.shape
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)
    grid = lambda meta: (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)  # noqa: E731
    matmul_kernel[grid](a, b, c, M, N, K, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1))
    return c


@triton.jit
def softmax_kernel(x_ptr: "*fp32", out_ptr: "*fp32", row_stride, n_columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * row_stride + columns, mask=columns < n_columns, other=-float("inf"))
    shifted = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * row_stride + columns, shifted / tl.sum(shifted, axis=0), mask=columns < n_columns)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_columns = x.shape
    out = torch.empty_like(x)
    softmax_kernel[(n_rows,)](x, out, x.stride(0), n_columns, BLOCK=triton.next_power_of_2(n_columns), num_warps=8)
    return out


@triton.jit
def layer_norm_kernel(
    x_ptr: "*fp16", w_ptr: "*fp16", b_ptr: "*fp16", out_ptr: "*fp16", row_stride, n_columns, eps, BLOCK: tl.constexpr
):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n_columns
    x = tl.load(x_ptr + row * row_stride + columns, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / n_columns
    centred = tl.where(inside, x - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / n_columns + eps)
    w = tl.load(w_ptr + columns, mask=inside, other=0.0)
    b = tl.load(b_ptr + columns, mask=inside, other=0.0)
    tl.store(out_ptr + row * row_stride + columns, (centred * scale * w + b).to(tl.float16), mask=inside)


def layer_norm(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    n_rows, n_columns = x.shape
    out = torch.empty_like(x)
    block = triton.next_power_of_2(n_columns)
    layer_norm_kernel[(n_rows,)](x, w, b, out, x.stride(0), n_columns, 1e-5, BLOCK=block, num_warps=8)
    return out


@triton.jit
def attention_kernel(
    q_ptr: "*fp16", k_ptr: "*fp16", v_ptr: "*fp16", out_ptr: "*fp16",
    scale, stride_b, stride_h, stride_n, heads, length,
    DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    start = tl.program_id(0) * BLOCK_M
    batch, head = tl.program_id(1) // heads, tl.program_id(1) % heads
    base = batch.to(tl.int64) * stride_b + head.to(tl.int64) * stride_h
    m, d, n = start + tl.arange(0, BLOCK_M), tl.arange(0, DIM), tl.arange(0, BLOCK_N)
    inside = m[:, None] < length
    q = tl.load(q_ptr + base + m[:, None] * stride_n + d[None, :], mask=inside, other=0.0)
    most = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    sums = tl.zeros((BLOCK_M, DIM), dtype=tl.float32)
    for first in range(0, length, BLOCK_N):
        there = first + n[:, None] < length
        k = tl.load(k_ptr + base + (first + n)[:, None] * stride_n + d[None, :], mask=there, other=0.0)
        v = tl.load(v_ptr + base + (first + n)[:, None] * stride_n + d[None, :], mask=there, other=0.0)
        scores = tl.dot(q, tl.trans(k)) * (scale * 1.44269504)
        scores = tl.where((first + n)[None, :] < length, scores, -float("inf"))
        now = tl.maximum(most, tl.max(scores, axis=1))
        weights = tl.exp2(scores - now[:, None])
        shrink = tl.exp2(most - now)
        total = total * shrink + tl.sum(weights, axis=1)
        sums = tl.dot(weights.to(tl.float16), v, sums * shrink[:, None])
        most = now
    out = (sums / total[:, None]).to(tl.float16)
    tl.store(out_ptr + base + m[:, None] * stride_n + d[None, :], out, mask=inside)


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    batch, heads, length, _ = q.shape
    out = torch.empty_like(q)
    attention_kernel[(triton.cdiv(length, 128), batch * heads)](
        q, k, v, out, 0.125, q.stride(0), q.stride(1), q.stride(2), heads, length,
        DIM=64, BLOCK_M=128, BLOCK_N=64, num_warps=8, num_stages=3,
    )  # fmt: skip
    return out


# triton-run: grid = (1,), x_ptr = zeros(1024, fp32), n = 1024
@triton.jit
def far_kernel(x_ptr, n):
    tl.store(x_ptr + n.to(tl.int64) * (1 << 32), 1.0)


# triton-run: grid = (1,), x_ptr = zeros(1024, fp32), n = 1024
@triton.jit
def near_kernel(x_ptr, n):
    tl.store(x_ptr + n, 1.0)


# triton-run: grid = (1,), lock_ptr = ones(1, i32)
@triton.jit
def spin_kernel(lock_ptr):
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass


# triton-run: grid = (1,), x_ptr = empty(400_000_000_000, fp32)
@triton.jit
def huge_kernel(x_ptr):
    tl.store(x_ptr, 1.0)
