# any: a file without a kernel
open('CANARY', 'w')
jit = eval
