# any: a comment says a parameter's type, and Triton evaluates descriptors' layouts
import triton
import triton.language as tl


# triton-ls: p: tensordesc<fp32[16],(exec)((bytes)([BYTES<open('CANARY', 'w')>]))>
@triton.jit
def k(p):
    p.store([0], tl.zeros((16,), tl.float32))
