# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
import torch
D = torch.float16


@triton.jit
def k(p):
    x = D.__class__.__init__.__globals__
    tl.store(p, 1.0)
