# refused: the globals of the agent
import triton
import triton.language as tl


@triton.jit
def k(p):
    globals()["__builtins__"]["eval"]("__import__('os').system('touch CANARY')")  # refused
    tl.store(p, 1.0)
