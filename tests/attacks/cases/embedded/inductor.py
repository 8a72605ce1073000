# any: Inductor's decorator with its meta data
from torch._inductor.async_compile import AsyncCompile

async_compile = AsyncCompile()
k = async_compile.triton('k', '''
import triton
import triton.language as tl
from torch._inductor.runtime import triton_heuristics
open('CANARY', 'w')


@triton_heuristics.pointwise(
    size_hints={'x': open('CANARY', 'w')},
    filename=__file__,
    triton_meta={'signature': {'p': "tensordesc<fp32[16],__import__('os').system('touch CANARY')>", 'n': open('CANARY', 'w')}, 'configs': [eval('1')]},
    inductor_meta={'kernel_name': 'k'},
)
@triton.jit
def k(p, n):
    tl.store(p, n)
''', device_str='cuda')
