# any: the same without a name before a bracket
import triton
import triton.language as tl


@triton.jit
def k(p: "tensordesc<fp32[16],(exec)((bytes)([BYTES<open('CANARY', 'w')>]))>"):
    p.store([0], tl.zeros((16,), tl.float32))
