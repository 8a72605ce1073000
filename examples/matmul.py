"""Matrix multiplication with tensor descriptors made on the device, an autotuned tile, and an optional activation."""

import torch
import triton
import triton.language as tl


@triton.jit
def grouped_tile(program, n_tiles_m, n_tiles_n, GROUP_M: tl.constexpr):
    """Walks the tiles in groups of rows, so that programs which run together share their operands in the L2 cache."""
    programs_per_group = GROUP_M * n_tiles_n
    first = (program // programs_per_group) * GROUP_M
    rows = min(n_tiles_m - first, GROUP_M)
    return first + (program % programs_per_group) % rows, (program % programs_per_group) // rows


@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64, "GROUP_M": 8}, num_stages=3, num_warps=8),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP_M": 8}, num_stages=4, num_warps=4),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 32, "GROUP_M": 8}, num_stages=4, num_warps=4),
    ],
    key=["M", "N", "K"],
)
@triton.jit
def matmul_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    ACTIVATION: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    a = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    b = tl.make_tensor_descriptor(b_ptr, shape=[K, N], strides=[N, 1], block_shape=[BLOCK_K, BLOCK_N])
    c = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])

    tile_m, tile_n = grouped_tile(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP_M)
    row, column = tile_m * BLOCK_M, tile_n * BLOCK_N

    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        accumulator = tl.dot(a.load([row, k]), b.load([k, column]), accumulator)
    if ACTIVATION == "leaky_relu":
        accumulator = leaky_relu(accumulator)
    c.store([row, column], accumulator.to(c.dtype))


def matmul(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, device=a.device, dtype=torch.int8))

    def grid(meta: dict[str, int]) -> tuple[int]:
        return (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)

    matmul_kernel[grid](a, b, c, M, N, K, ACTIVATION=activation)
    return c


if __name__ == "__main__":  # autotuning measures, so this needs a GPU
    a, b = torch.randn(2, 512, 512, device="cuda", dtype=torch.float16)
    expected = torch.nn.functional.leaky_relu(a.float() @ b.float()).half()
    torch.testing.assert_close(matmul(a, b, "leaky_relu"), expected, atol=2e-2, rtol=2e-2)
    print("matmul: as torch")
