# any: a jit of somebody else's
import numba


@numba.jit
def k(p):
    open('CANARY', 'w')


k(1)
