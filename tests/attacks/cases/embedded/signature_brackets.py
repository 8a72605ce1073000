# any: the same with no name before a bracket
k = load('''
import triton
import triton.language as tl


@pointwise(triton_meta={'signature': {'p': "tensordesc<fp32[16],(exec)((bytes)([BYTES<open('CANARY', 'w')>]))>"}})
@triton.jit
def k(p):
    tl.static_print(p)
''')
