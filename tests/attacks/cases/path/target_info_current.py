# any: what a dotted path or an import gets at
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = tl.target_info.current_target().backend
    tl.store(p, 1.0)
