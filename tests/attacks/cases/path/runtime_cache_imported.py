# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
from triton.runtime.cache import get_cache_manager as get


@triton.jit
def k(p):
    get("CASE").put("x", "CASE")  # refused
    tl.store(p, 1.0)
