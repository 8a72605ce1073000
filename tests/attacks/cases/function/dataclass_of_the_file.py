# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
import dataclasses


@dataclasses.dataclass
class C:
    x: int = dataclasses.field(default_factory=lambda: open('CANARY', 'w'))


@triton.jit
def k(p):
    x = C(1)
    tl.store(p, 1.0)
