# refused: a form of the language that evaluates what stands in it
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = [f("open('CANARY', 'w')") for f in (eval, exec)]  # refused
    tl.store(p, 1.0)
