"""Layer normalization with its statistics kept for the backward pass, which helpers load and store.

The kernel itself has no ``tl.store``: what it writes, it writes through ``store_row`` and ``store_statistics``.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def load_row(row_ptr, columns, n_columns):
    return tl.load(row_ptr + columns, mask=columns < n_columns, other=0.0).to(tl.float32)


@triton.jit
def store_row(row_ptr, columns, n_columns, values):
    tl.store(row_ptr + columns, values, mask=columns < n_columns)


@triton.jit
def store_statistics(mean_ptr, rstd_ptr, row, mean, rstd):
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)


@triton.jit
def layer_norm_kernel(
    x_ptr, out_ptr, weight_ptr, bias_ptr, mean_ptr, rstd_ptr, row_stride, n_columns, eps, BLOCK_SIZE: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK_SIZE)
    x = load_row(x_ptr + row * row_stride, columns, n_columns)

    mean = tl.sum(x, axis=0) / n_columns
    centered = tl.where(columns < n_columns, x - mean, 0.0)
    rstd = tl.rsqrt(tl.sum(centered * centered, axis=0) / n_columns + eps)

    weight = load_row(weight_ptr, columns, n_columns)
    bias = load_row(bias_ptr, columns, n_columns)
    store_row(out_ptr + row * row_stride, columns, n_columns, centered * rstd * weight + bias)
    store_statistics(mean_ptr, rstd_ptr, row, mean, rstd)


def layer_norm(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    n_rows, n_columns = x.shape
    out = torch.empty_like(x)
    mean = torch.empty(n_rows, dtype=torch.float32, device=x.device)
    rstd = torch.empty_like(mean)
    layer_norm_kernel[(n_rows,)](
        x,
        out,
        weight,
        bias,
        mean,
        rstd,
        x.stride(0),
        n_columns,
        eps,
        BLOCK_SIZE=triton.next_power_of_2(n_columns),
    )
    return out, mean, rstd


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"  # on the CPU, set TRITON_INTERPRET=1
    x = torch.randn(64, 500, device=device)
    weight, bias = torch.randn(2, 500, device=device)
    out, mean, _ = layer_norm(x, weight, bias)
    torch.testing.assert_close(out, torch.nn.functional.layer_norm(x, (500,), weight, bias))
    torch.testing.assert_close(mean, x.mean(dim=1))
    print("layer_norm: as torch")
