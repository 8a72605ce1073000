# any: a launch in another file
import triton
import triton.language as tl


@triton.jit
def k(p, N: tl.constexpr):
    tl.store(p, N)
# ---- launch.py
from kernel import k
open('CANARY', 'w')
k[(open('CANARY', 'w'),)](open('CANARY', 'w'), N=eval('open("CANARY", "w")'))
