# refused: a form of the language that evaluates what stands in it
import triton
import triton.language as tl
f = str.format


@triton.jit
def k(p):
    tl.static_assert(False, f("{0.core.builtins}", tl))  # refused
    tl.store(p, 1.0)
