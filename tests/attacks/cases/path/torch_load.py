# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
import torch


@triton.jit
def k(p):
    torch.load("VICTIM_FILE")  # refused
    tl.store(p, 1.0)
