# any: the same for a descriptor of the other kind
import triton
import triton.language as tl


# triton-ls: p: tensordesc_im2col<fp32[16,16],input_rank=4,(exec)((bytes)([BYTES<open('CANARY', 'w')>]))>
@triton.jit
def k(p):
    tl.static_print(p)
