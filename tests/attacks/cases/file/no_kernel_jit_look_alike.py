# any: a decorator of the file's own that is named like Triton's
def jit(f):
    open('CANARY', 'w')
    return f


@jit
def k(p):
    open('CANARY', 'w')
