# refused: what a dotted path or an import gets at
import triton
import triton.language as tl


@triton.jit
def k(p):
    triton.tools.build_extern.LibDevice("VICTIM_FILE").parse_symbols("VICTIM_FILE")  # refused
    tl.store(p, 1.0)
