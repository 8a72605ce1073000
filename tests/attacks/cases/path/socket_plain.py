# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
import socket


@triton.jit
def k(p):
    socket.create_connection(("127.0.0.1", PORT)).sendall(b"CASE")  # refused
    tl.store(p, 1.0)
