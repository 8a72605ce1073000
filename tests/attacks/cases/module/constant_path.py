# any: what stands at the top of the file
import triton
import triton.language as tl
import pathlib
X = tl.constexpr(pathlib.Path('SECRET_FILE').read_text())


@triton.jit
def k(p):
    tl.store(p, X)
