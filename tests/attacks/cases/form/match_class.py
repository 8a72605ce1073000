# refused: a form of the language that evaluates what stands in it
import triton
import triton.language as tl


@triton.jit
def k(p):
    match p:  # refused
        case tl.tensor(handle=x):
            eval("1")
    tl.store(p, 1.0)
