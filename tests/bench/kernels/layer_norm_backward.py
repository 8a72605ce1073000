"""Backward of layer normalization: the gradient of the input, and those of weight and bias added up under a lock."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_under_lock(lock_ptr, count_ptr, weight_ptr, bias_ptr, weight_part, bias_part, mask):
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    if tl.load(count_ptr) == 0:
        tl.atomic_xchg(count_ptr, 1)
    else:
        weight_part += tl.load(weight_ptr, mask=mask)
        bias_part += tl.load(bias_ptr, mask=mask)
    tl.store(weight_ptr, weight_part, mask=mask)
    tl.store(bias_ptr, bias_part, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def layer_norm_backward_kernel(
    grad_x_ptr,
    grad_out_ptr,
    weight_parts_ptr,
    bias_parts_ptr,
    x_ptr,
    weight_ptr,
    mean_ptr,
    rstd_ptr,
    locks_ptr,
    row_stride,
    n_columns,
    GROUPS: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK_SIZE)
    mask = columns < n_columns
    offsets = row.to(tl.int64) * row_stride + columns
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    grad_out = tl.load(grad_out_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    weight = tl.load(weight_ptr + columns, mask=mask, other=0.0).to(tl.float32)
    mean = tl.load(mean_ptr + row)
    rstd = tl.load(rstd_ptr + row)

    normal = tl.where(mask, (x - mean) * rstd, 0.0)
    scaled = tl.where(mask, weight * grad_out, 0.0)
    along = tl.sum(normal * scaled, axis=0) / n_columns
    level = tl.sum(scaled, axis=0) / n_columns
    tl.store(grad_x_ptr + offsets, (scaled - (normal * along + level)) * rstd, mask=mask)

    group = row % GROUPS
    part = group * n_columns + columns
    add_under_lock(
        locks_ptr + group,
        locks_ptr + GROUPS + group,
        weight_parts_ptr + part,
        bias_parts_ptr + part,
        (grad_out * normal).to(weight_parts_ptr.dtype.element_ty),
        grad_out.to(bias_parts_ptr.dtype.element_ty),
        mask,
    )


def layer_norm_backward(
    grad_out: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor, rstd: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    n_rows, n_columns = x.shape
    locks = torch.zeros(2 * 64, dtype=torch.int32, device=x.device)
    weight_parts, bias_parts = torch.zeros(2, 64, n_columns, dtype=x.dtype, device=x.device)
    grad_x = torch.empty_like(x)
    layer_norm_backward_kernel[(n_rows,)](
        grad_x, grad_out, weight_parts, bias_parts, x, weight, mean, rstd, locks, x.stride(0), n_columns,
        GROUPS=64, BLOCK_SIZE=triton.next_power_of_2(n_columns),
    )  # fmt: skip
    return grad_x, weight_parts.sum(0), bias_parts.sum(0)
