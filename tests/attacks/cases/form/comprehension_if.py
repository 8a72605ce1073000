# refused: a form of the language that evaluates what stands in it
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = [t for t in ("open('CANARY', 'w')",) if eval(t)]  # refused
    tl.store(p, 1.0)
