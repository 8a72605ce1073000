# any: an object of Triton's or Python's is taken apart
import triton
import triton.language as tl


@triton.jit
def k(p):
    x: tl.constexpr = triton.next_power_of_2(1 << 60000)
    tl.store(p, 1.0)
