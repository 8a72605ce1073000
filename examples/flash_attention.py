"""Attention, forward: one pass over the keys with a running maximum and sum; the score matrix never reaches memory."""

import torch
import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)


@triton.jit
def attend(
    accumulator,
    row_sum,
    row_max,
    q,
    k_ptr,
    v_ptr,
    stride_n,
    stride_d,
    start,
    end,
    rows,
    n_keys,
    HEAD_DIM: tl.constexpr,
    BLOCK_N: tl.constexpr,
    DIAGONAL: tl.constexpr,
):
    """Takes the keys from ``start`` to ``end`` into the running softmax; on the diagonal a row sees no later key."""
    dims = tl.arange(0, HEAD_DIM)
    for first in tl.range(start, end, BLOCK_N):
        keys = first + tl.arange(0, BLOCK_N)
        inside = keys < n_keys
        k = tl.load(k_ptr + keys[None, :] * stride_n + dims[:, None] * stride_d, mask=inside[None, :], other=0.0)
        scores = tl.dot(q, k)
        visible = inside[None, :]
        if DIAGONAL:
            visible = visible & (rows[:, None] >= keys[None, :])
        scores = tl.where(visible, scores, -1.0e6)

        new_max = tl.maximum(row_max, tl.max(scores, axis=1))
        weights = tl.exp2(scores - new_max[:, None])
        rescale = tl.exp2(row_max - new_max)
        row_sum = row_sum * rescale + tl.sum(weights, axis=1)
        v = tl.load(v_ptr + keys[:, None] * stride_n + dims[None, :] * stride_d, mask=inside[:, None], other=0.0)
        accumulator = tl.dot(weights.to(v.dtype), v, accumulator * rescale[:, None])
        row_max = new_max
    return accumulator, row_sum, row_max


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 64}, num_warps=8, num_stages=3),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 64}, num_warps=4, num_stages=3),
    ],
    key=["n_queries", "HEAD_DIM"],
)
@triton.jit
def attention_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    lse_ptr,
    scale,
    stride_b,
    stride_h,
    stride_n,
    stride_d,
    n_heads,
    n_queries,
    HEAD_DIM: tl.constexpr,
    CAUSAL: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    first_row = tl.program_id(0) * BLOCK_M
    batch, head = tl.program_id(1) // n_heads, tl.program_id(1) % n_heads
    base = batch.to(tl.int64) * stride_b + head.to(tl.int64) * stride_h
    rows = first_row + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, HEAD_DIM)
    block = base + rows[:, None] * stride_n + dims[None, :] * stride_d
    inside = rows < n_queries

    # exp2 is the hardware's own; the change of base goes into the scale.
    q = tl.load(q_ptr + block, mask=inside[:, None], other=0.0)
    q = (q * (scale * LOG2E)).to(q.dtype)
    accumulator = tl.zeros((BLOCK_M, HEAD_DIM), dtype=tl.float32)
    row_sum = tl.zeros((BLOCK_M,), dtype=tl.float32)
    row_max = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)

    # Keys before the diagonal need no comparison with the rows; with CAUSAL those on it come in a second pass.
    whole = first_row if CAUSAL else n_queries
    accumulator, row_sum, row_max = attend(
        accumulator, row_sum, row_max, q, k_ptr + base, v_ptr + base, stride_n, stride_d,
        0, whole, rows, n_queries, HEAD_DIM, BLOCK_N, False,
    )  # fmt: skip
    if CAUSAL:
        accumulator, row_sum, row_max = attend(
            accumulator, row_sum, row_max, q, k_ptr + base, v_ptr + base, stride_n, stride_d,
            first_row, tl.minimum(first_row + BLOCK_M, n_queries), rows, n_queries, HEAD_DIM, BLOCK_N, True,
        )  # fmt: skip

    tl.store(out_ptr + block, accumulator / row_sum[:, None], mask=inside[:, None])
    tl.store(lse_ptr + tl.program_id(1) * n_queries + rows, row_max + tl.log2(row_sum), mask=inside)


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    batch, heads, n_queries, head_dim = q.shape
    out = torch.empty_like(q)
    lse = torch.empty((batch, heads, n_queries), device=q.device, dtype=torch.float32)

    def grid(meta: dict[str, int]) -> tuple[int, int]:
        return triton.cdiv(n_queries, meta["BLOCK_M"]), batch * heads

    attention_kernel[grid](
        q, k, v, out, lse, head_dim**-0.5, *q.stride(), heads, n_queries, HEAD_DIM=head_dim, CAUSAL=causal
    )
    return out


if __name__ == "__main__":  # autotuning measures, so this needs a GPU
    q, k, v = torch.randn(3, 1, 2, 200, 64, device="cuda", dtype=torch.float16)
    for causal in (False, True):
        expected = torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=causal)
        torch.testing.assert_close(attention(q, k, v, causal).float(), expected, atol=1e-2, rtol=1e-2)
    print("flash_attention: as torch")
