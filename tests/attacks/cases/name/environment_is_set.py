# refused: Triton's own settings set the environment
import triton
import triton.language as tl


@triton.jit
def k(p):
    triton.knobs.setenv("PATH", "FOLDER")  # refused
    tl.store(p, 1.0)
