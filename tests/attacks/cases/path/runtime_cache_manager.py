# refused: what a dotted path or an import gets at
import triton
import triton.language as tl


@triton.jit
def k(p):
    triton.runtime.cache.get_cache_manager("CASE").put("x", "CASE")  # refused
    tl.store(p, 1.0)
