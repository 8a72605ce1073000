"""A launch as a stand-alone Python file: the same inputs, launch, checks and times, with torch and triton alone."""

from __future__ import annotations

from kernel_analysis.launch.launch_model import ExecutableLaunch, LaunchArgument
from kernel_analysis.source.dtypes import TORCH

_HEAD = '''"""Runs `{kernel}` once, checks which buffers it writes, and times it. Written by triton-ls from {file}.

Needs torch and triton. Without a GPU it runs on Triton's interpreter, on the CPU.
"""

import os

import torch

GPU = torch.cuda.is_available() or (hasattr(torch, "xpu") and torch.xpu.is_available())
if not GPU:
    os.environ["TRITON_INTERPRET"] = "1"  # before triton is imported
DEVICE = "cpu" if not GPU else "cuda" if torch.cuda.is_available() else "xpu"
{needs}
'''
_NEEDS_GPU = """if not GPU:
    raise SystemExit("This kernel calls libdevice, which Triton's interpreter does not have: it needs a GPU.")
"""
_TAIL = '''

GUARD = 65536 if GPU else 4096  # bytes around each buffer that nobody may write


def buffer(count, dtype, fill, poison):
    """A tensor of `count` elements between two guard zones, and all the memory that it lies in."""
    size = count * dtype.itemsize
    whole = torch.full((size + 2 * GUARD,), 0xC3, dtype=torch.uint8, device=DEVICE)
    payload = whole[GUARD : GUARD + size]
    values = payload.view(dtype)
    if fill is None:  # an output: what is in it must not look like a result
        payload.fill_(poison if dtype is not torch.bool else poison & 1)
    else:
        values.copy_(fill(count).to(dtype))
    return whole, values


def launch(inputs, config):
    """One launch of the kernel."""
    return {entry}[config["grid"]]({call}, **config["options"])


def main():
    print("on", torch.cuda.get_device_name() if DEVICE == "cuda" else DEVICE, "with Triton", triton.__version__)
    if GPU and hasattr(triton, "set_allocator"):
        triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device=DEVICE))
    written, buffers = set(), {{}}
    for poison in (0xA5, 0x5B):
        torch.manual_seed(poison)
        buffers = {{name: buffer(*how, poison) for name, how in BUFFERS.items()}}
        before = {{name: whole.clone() for name, (whole, _) in buffers.items()}}
        inputs = {{name: values for name, (_, values) in buffers.items()}}
        launch(inputs, CONFIGS[0])
        if GPU:
            getattr(torch, DEVICE).synchronize()
        for name, (whole, _) in buffers.items():
            changed = whole != before[name]
            if bool(changed[:GUARD].any() or changed[len(whole) - GUARD :].any()):
                raise SystemExit(f"the kernel writes beside {{name}}")
            if bool(changed.any()):
                written.add(name)
    for name, claimed in CLAIMS.items():
        seen = "written" if name in written else "not written"
        print(f"{{name}}: {{seen}}; the analysis says: {{claimed}}")
    for name in sorted(written):
        values = buffers[name][1].to(torch.float64)
        nan = int(values.isnan().sum())
        print(f"{{name}}: min {{values.min():.6g}}, max {{values.max():.6g}}, mean {{values.mean():.6g}}, {{nan}} NaN")
        print(f"{{name}}: begins with {{values[:8].tolist()}}")
    if GPU and TIMED:
        inputs = {{name: values for name, (_, values) in buffers.items()}}
        for config in CONFIGS:
            time = triton.testing.do_bench(lambda c=config: launch(inputs, c), quantiles=[0.5, 0.2, 0.8])
            print(f"{{time[0]:.4f}} ms ({{time[1]:.4f}} to {{time[2]:.4f}}), {{config}}")


if __name__ == "__main__":
    main()
'''


def text(launch: ExecutableLaunch, file: str) -> str:
    """The whole file."""
    needs = _NEEDS_GPU if "libdevice" in launch.source else ""
    head = _HEAD.format(kernel=launch.kernel, file=file, needs=needs)
    source = launch.source.replace("from __future__ import annotations\n", "", 1).lstrip("\n")
    # The module may not be read before the interpreter is chosen, and a __future__ import must come first.
    head = head.replace('"""\n\nimport os', '"""\n\nfrom __future__ import annotations\n\nimport os', 1)
    buffers = [line for argument in _memory(launch.arguments) for line in [_buffer(argument)]]
    claims = [f'    "{a.name}": "{_claim(a)}",' for a in _memory(launch.arguments)]
    configs = [
        f'    {{"constants": CONSTANTS[{i}], "grid": {tuple(grid)}, "options": {c["options"]}}},'
        for i, (grid, c) in enumerate(zip(launch.grid_of, launch.configs, strict=True))
    ]
    assumed = [f"# Assumed: {sentence}." for sentence in launch.assumed]
    call = ", ".join(f"{a.name}={_value(a)}" for a in launch.arguments)
    lines = [
        *assumed,
        "BUFFERS = {", *buffers, "}",
        "CLAIMS = {", *claims, "}",
        "CONFIGS = [", *configs, "]",
        f"TIMED = {launch.timed}",
    ]  # fmt: skip
    return f"{head}{source}\n\n" + "\n".join(lines) + _TAIL.format(entry=launch.entry, call=call)


def _memory(arguments: list[LaunchArgument]) -> list[LaunchArgument]:
    out: list[LaunchArgument] = []
    for argument in arguments:
        if argument.kind in ("tensor", "descriptor", "table"):
            out.append(argument)
        if argument.target is not None:
            out.append(argument.target)
        out += _memory(argument.items)
    return out


def _buffer(argument: LaunchArgument) -> str:
    fills = {
        "poison": "None",
        "randn": "lambda n: torch.randn(n, device=DEVICE)",
        "rand": "lambda n: torch.rand(n, device=DEVICE)",
        "randint": f"lambda n: torch.randint({argument.low:g}, {argument.high + 1:g}, (n,), device=DEVICE)",
        "full": f"lambda n: torch.full((n,), {argument.low!r}, device=DEVICE)",
        "ones": "lambda n: torch.ones(n, device=DEVICE)",
        "arange": "lambda n: torch.arange(n, device=DEVICE)",
    }
    fill = fills.get(argument.fill, "lambda n: torch.zeros(n, device=DEVICE)")
    type_ = "int64" if argument.kind == "table" else TORCH[argument.type]
    return f'    "{argument.name}": ({argument.size}, torch.{type_}, {fill}),'


def _value(argument: LaunchArgument) -> str:
    if argument.kind == "tuple":
        return "(" + "".join(f"{_value(item)}, " for item in argument.items) + ")"
    if argument.kind in ("constexpr", "none"):
        return f'config["constants"]["{argument.name}"]'
    if argument.kind == "scalar":
        return repr(argument.value)
    given = f'inputs["{argument.name}"]'
    if argument.kind == "table":
        return f'{given}.fill_(inputs["*{argument.name}"].data_ptr())'
    if argument.kind == "descriptor":
        maker = "triton.tools.tensor_descriptor.TensorDescriptor.from_tensor"
        return f"{maker}({given}.reshape({argument.shape}), {list(argument.block)})"
    return given + (f"[{argument.before}:]" if argument.before else "")


def _claim(argument: LaunchArgument) -> str:
    return {"yes": "written", "no": "not written", "unknown": "not known"}[argument.written]
