"""What the compiler alone needs: times Triton's ``make_ir`` on a kernel of a file, as asked on standard input.

A process of its own, because it imports the kernel's module. It has nothing of the analysis in it.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import time
from types import ModuleType
from typing import Any

from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend
from triton.runtime.jit import JITFunction

TARGET = GPUTarget("cuda", 90, 32)
BACKEND: Any = make_backend(TARGET)
OPTIONS = BACKEND.parse_options({})


def load(path: str, name: str) -> JITFunction:
    """The jit function ``name`` of the file, without the decorators around it."""
    spec = importlib.util.spec_from_file_location(f"bench_{time.monotonic_ns()}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function = getattr(module, name)
    while not isinstance(function, JITFunction):
        function = function.fn
    return function


def hashable(value: Any) -> Any:
    return tuple(hashable(item) for item in value) if isinstance(value, list) else value


def compile_once(function: JITFunction, types: dict[str, Any], constants: dict[str, Any]) -> tuple[float, int]:
    """Milliseconds of ``make_ir``, and the number of operations that it made."""
    context = ir.context()
    ir.load_dialects(context)
    BACKEND.load_dialects(context)
    signature = {name: hashable(spelling) for name, spelling in types.items()}
    values = {(function.arg_names.index(name),): hashable(value) for name, value in constants.items()}
    code_generation, modules = BACKEND.get_codegen_implementation(OPTIONS), BACKEND.get_module_map()
    start = time.perf_counter()
    module = ASTSource(function, signature, values, {}).make_ir(TARGET, OPTIONS, code_generation, modules, context)
    elapsed = (time.perf_counter() - start) * 1e3
    operations = 0

    def count(_: Any) -> None:
        nonlocal operations
        operations += 1

    module.walk(count)
    return elapsed, operations


def main() -> None:
    torch = ModuleType("torch")  # the kernels' launching code names it; nothing is launched here
    torch.__dict__["Tensor"] = object
    sys.modules["torch"] = torch
    for line in sys.stdin:
        job = json.loads(line)
        function = load(job["file"], job["name"])
        results = [
            compile_once(function, signature["types"], signature["constants"]) for signature in job["signatures"]
        ]
        print(json.dumps({"ms": [ms for ms, _ in results], "operations": [ops for _, ops in results]}), flush=True)


if __name__ == "__main__":
    main()
