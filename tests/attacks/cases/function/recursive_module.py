# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
import kernel as m
import os


@triton.jit
def k(p):
    x = m.m.m.os.system("touch CANARY")
    tl.store(p, 1.0)
