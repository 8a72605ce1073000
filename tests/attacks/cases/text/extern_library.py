# any: a library's path in a launch and in a kernel
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = tl.core.extern_elementwise("x", "VICTIM_FILE", [tl.load(p)], {(tl.float32,): ("__nv_sinf", tl.float32)}, is_pure=True)
    tl.store(p, x)


k[(1,)](1.0, extern_libs={"x": "VICTIM_FILE"})
