"""Small kernels with a launch that passes a number, a pointer or None, by itself, in a tuple, a named one or as a
default: a product of what is passed, how, and what the kernel does with it. And what Triton makes of each: its own
binder says the types, its own front end whether it compiles. A process of its own; needs no GPU and no torch.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

VALUES: Final = {
    "one": "1", "two": "2", "sixteen": "16", "large": "1 << 40", "true": "True", "none": "None", "float": "1.0",
    "pointer": "x",
}  # fmt: skip
# What it is called in the kernel, the kernel's last parameter and what a launch passes for that.
WAYS: Final = {
    "whole": ("t", "t", "V"),
    "listed": ("t", "t", "V"),
    "other": ("t", "t, m", "V, 5"),
    "default": ("t", "t=V", ""),
    "tuple": ("t[1]", "t", "(x, V)"),
    "listed_tuple": ("t[0]", "t", "(V,)"),
    "nested": ("t[0][1]", "t", "((2, V), x)"),
    "named": ("t.b", "t", "Pair(x, V)"),
    "inner": ("t[0].b", "t", "(Pair(1, V), x)"),
    "default_tuple": ("t[0]", "t=(V, 2)", ""),
    "rest": ("t[0]", "*t", "V, 2"),
    "unpacked": ("v", "t", "(x, V)"),
}
LISTS: Final = {"listed": "(do_not_specialize=['t'])", "listed_tuple": "(do_not_specialize=['t'])"}
LISTS["other"] = "(do_not_specialize=['m'])"
USES: Final = {
    "arithmetic": "tl.store(x, V + 1.0)",
    "index": "tl.store((x, y)[V], 1.0)",
    "compared": "tl.store((x, y)[1 if V == 7 else 0], 1.0)",
    "if": "if V:\n    tl.store(x, 1.0)",
    "present": "if V is not None:\n    tl.store(x, V * 2.0)",
    "turns": "for i in tl.static_range(V):\n    tl.store(x + i, 1.0)",
    "extent": "tl.store(x + tl.arange(0, V), 1.0)",
    "constant": "v: tl.constexpr = V\ntl.store(x, v)",
    "asserted": "tl.static_assert(V == 1)\ntl.store(x, 1.0)",
    "loaded": "tl.store(x, tl.load(V))",
}
_TEXT = """
from collections import namedtuple
import triton
import triton.language as tl

Pair = namedtuple("Pair", ["a", "b"])

@triton.jit{options}
def kernel(x, y, {parameter}):
{body}

def launch():
    import torch
    x = torch.empty(64, dtype=torch.float32, device="cuda")
    y = torch.empty(64, dtype=torch.float32, device="cuda")
    kernel[(1,)](x, y, {passed})
"""


def rows() -> Iterator[tuple[str, str, str]]:
    """A name, the text of the file and what its launch passes."""
    for way, (path, parameter, passed) in WAYS.items():
        for named, value in VALUES.items():
            if "default" in way and value == "x":
                continue
            for use, body in USES.items():
                lines = ("_, v = t\n" if way == "unpacked" else "") + body.replace("V", path)
                given = passed.replace("V", value)
                text = _TEXT.format(
                    options=LISTS.get(way, ""),
                    parameter=parameter.replace("V", value),
                    body=textwrap.indent(lines, "    "),
                    passed=given,
                )
                yield f"{way}_{named}_{use}", text, f"x, y, {given}"


class _Pointer:
    """What Triton asks of a tensor."""

    dtype = "torch.float32"

    def data_ptr(self) -> int:
        return 1024


def main() -> None:
    """Prints for each row the types by Triton's binder, and what its front end refuses it with."""
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler.compiler import ASTSource, make_backend
    from triton.runtime.jit import create_function_from_signature

    target = GPUTarget("cuda", 90, 32)
    backend: Any = make_backend(target)
    answers: dict[str, tuple[dict[str, Any], str | None]] = {}
    folder = Path(tempfile.mkdtemp())
    for name, text, passed in rows():
        file = folder / f"{name}.py"
        file.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        kernel: Any = module.kernel
        pointer = _Pointer()
        scope = {**vars(module), "x": pointer, "y": pointer, "bind": None}
        types: dict[str, Any] = {}
        try:
            bind = create_function_from_signature(kernel.signature, kernel.params, backend)
            given, specialized, options = eval(f"bind({passed})", {**scope, "bind": bind})
            options, types, constants, attributes = kernel._pack_args(backend, {}, given, specialized, options)
            context = ir.context()
            ir.load_dialects(context)
            backend.load_dialects(context)
            source = ASTSource(kernel, types, constants, attributes)
            implementations, modules = backend.get_codegen_implementation(options), backend.get_module_map()
            source.make_ir(target, options, implementations, modules, context)
            answers[name] = types, None
        except Exception as error:  # noqa: BLE001 - whatever refuses it
            answers[name] = types, f"{type(error).__name__}: {error}"
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
