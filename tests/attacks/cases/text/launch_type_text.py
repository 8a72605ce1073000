# any: a launch hands over a text where Triton takes a type
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    tl.store(p, n)


k[(1,)]("tensordesc<fp32[16],__import__('os').system('touch CANARY')>", "*fp32D")
k.warmup("tensordesc<fp32[16],__import__('os').system('touch CANARY')>", open('CANARY', 'w'), grid=(1,))
