# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
import torch


@triton.jit
def k(p):
    x = torch.finfo("float16").__class__  # refused
    tl.store(p, 1.0)
