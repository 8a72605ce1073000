# any: a parameter's annotation is a type in a text
import triton
import triton.language as tl


@triton.jit
def k(p: "tensordesc<fp32[16],__import__('os').system('touch CANARY')>"):
    p.store([0], tl.zeros((16,), tl.float32))
