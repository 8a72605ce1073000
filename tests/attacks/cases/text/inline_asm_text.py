# any: assembly is a text for the assembler, which nobody calls for a look
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = tl.inline_asm_elementwise(".include \"SECRET_FILE\"; .incbin \"SECRET_FILE\"; mov.u32 $0, $1;", "=r,r", [tl.arange(0, 16)], tl.int32, True, 1)
    tl.store(p + tl.arange(0, 16), x)
