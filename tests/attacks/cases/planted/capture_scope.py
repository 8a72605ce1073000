# refused: the globals of a helper of Triton's
import triton
import triton.language as tl


@triton.jit
def k1(p):
    tl.cdiv.get_capture_scope().setdefault("planted", eval)  # refused
    tl.store(p, 1.0)


@triton.jit
def k2(p):
    tl.cdiv.get_capture_scope().update(core=eval)  # refused
    tl.store(p, 1.0)
