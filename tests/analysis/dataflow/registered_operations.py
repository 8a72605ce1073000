"""Run in a Python that has Triton: prints the operations that its dialects register, one a line. Takes names to ask
about from stdin.

The names that can be asked about are read from the compiled library; whether one is an operation, MLIR's own parser
tells. Each question is
put in a child process, because MLIR may abort on an operation without operands.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile

import triton._C.libtriton as library
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import make_backend

DIALECTS = rb"(?:tt|ttg|ttng|amdg|ub|cf|scf)"


def main() -> None:
    """Print the registered ones among the names on standard input and those in the library."""
    context = ir.context()
    ir.load_dialects(context)
    for target in (GPUTarget("cuda", 90, 32), GPUTarget("hip", "gfx942", 64)):
        make_backend(target).load_dialects(context)
    with open(str(library.__file__), "rb") as file:
        found = re.findall(DIALECTS + rb"\.[a-z][a-z0-9_.]*[a-z0-9]", file.read())
    names = {name.decode() for name in found} | set(sys.stdin.read().split())
    with tempfile.TemporaryDirectory() as folder:
        for name in sorted(names):
            if registered(name, context, folder):
                print(name)


def registered(name: str, context: object, folder: str) -> bool:
    """Whether MLIR knows the operation; an unknown one is refused by name."""
    source, errors = os.path.join(folder, "op.mlir"), os.path.join(folder, "errors")
    with open(source, "w") as file:
        file.write(f'"{name}"() : () -> ()\n')
    child = os.fork()
    if child == 0:
        os.dup2(os.open(errors, os.O_CREAT | os.O_TRUNC | os.O_WRONLY), 2)
        try:
            ir.parse_mlir_module(source, context)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    with open(errors) as file:
        text = file.read()
    return "unregistered operation" not in text and "registered dialect" not in text and "Dialect `" not in text


main()
