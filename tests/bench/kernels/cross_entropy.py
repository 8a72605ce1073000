"""Cross entropy with label smoothing, and its gradient over the logits, in passes over a row cut into blocks."""

import torch
import triton
import triton.language as tl


@triton.jit
def cross_entropy_kernel(
    logits_ptr,
    target_ptr,
    loss_ptr,
    lse_ptr,
    row_stride,
    n_classes,
    n_rows,
    ignored,
    smoothing,
    BLOCK_SIZE: tl.constexpr,
    SMOOTH: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    logits_ptr += row * row_stride
    target = tl.load(target_ptr + row)
    columns = tl.arange(0, BLOCK_SIZE)
    if target == ignored:
        for start in range(0, n_classes, BLOCK_SIZE):
            tl.store(logits_ptr + start + columns, 0.0, mask=start + columns < n_classes)
        return

    maximum = -float("inf")
    total = 0.0
    plain_sum = 0.0
    for start in range(0, n_classes, BLOCK_SIZE):
        inside = start + columns < n_classes
        block = tl.load(logits_ptr + start + columns, mask=inside, other=-float("inf")).to(tl.float32)
        if SMOOTH:
            plain_sum += tl.sum(tl.where(inside, block, 0.0))
        new_maximum = tl.maximum(maximum, tl.max(block))
        total = total * tl.exp(maximum - new_maximum) + tl.sum(tl.exp(block - new_maximum))
        maximum = new_maximum
    lse = maximum + tl.log(total)
    loss = lse - tl.load(logits_ptr + target).to(tl.float32)
    if SMOOTH:
        loss = (1 - smoothing) * loss + smoothing * (lse - plain_sum / n_classes)

    for start in range(0, n_classes, BLOCK_SIZE):
        inside = start + columns < n_classes
        block = tl.load(logits_ptr + start + columns, mask=inside, other=-float("inf")).to(tl.float32)
        gradient = tl.exp(block - lse)
        if SMOOTH:
            gradient -= smoothing / n_classes
            gradient = tl.where(start + columns == target, gradient - (1 - smoothing), gradient)
        else:
            gradient = tl.where(start + columns == target, gradient - 1, gradient)
        tl.store(logits_ptr + start + columns, gradient / n_rows, mask=inside)
    tl.store(loss_ptr + row, loss / n_rows)
    tl.store(lse_ptr + row, lse)


def cross_entropy(
    logits: torch.Tensor, target: torch.Tensor, ignored: int = -100, smoothing: float = 0.1
) -> torch.Tensor:
    n_rows, n_classes = logits.shape
    loss, lse = torch.zeros(2, n_rows, dtype=torch.float32, device=logits.device)
    cross_entropy_kernel[(n_rows,)](
        logits, target, loss, lse, logits.stride(0), n_classes, n_rows, ignored, smoothing, BLOCK_SIZE=4096, SMOOTH=True
    )
    return loss.sum()
