# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
E = triton.constexpr_function(tl.str_to_ty)


@triton.jit
def k(p):
    x: tl.constexpr = E("tensordesc<fp32[16],open('CANARY', 'w')>", None)
    tl.store(p, 1.0)
