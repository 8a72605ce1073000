# refused: what a dotted path or an import gets at
import triton
import triton.language as tl


@triton.jit
def k(p):
    triton.knobs.runtime.add_stages_inspection_hook = exit  # refused
    tl.store(p, 1.0)
