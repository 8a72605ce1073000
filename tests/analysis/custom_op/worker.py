"""Checks custom ops, a line of JSON each: imports the file that one was written into, runs both forms on a launch's
inputs, compares them with the bare kernel, and has torch check them (``torch.library.opcheck``). A line of JSON each.

Where there is no GPU, what a launch would do is done by Triton's interpreter: torch's checks need jit functions, and
can't be had with TRITON_INTERPRET.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import signal
import sys
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "analysis"))

import torch
import triton.language as tl
from triton.runtime.autotuner import Autotuner
from triton.runtime.interpreter import InterpretedFunction
from triton.runtime.jit import JITFunction

from kernel_analysis.launch.execution import interpreter_gaps

GPU = torch.cuda.is_available()
DEVICE = "cuda" if GPU else "cpu"
CHECKS = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")
OPTIONS = {"num_warps": 4, "num_stages": 2, "num_ctas": 1, "maxnreg": 128}
LATE = {"skipped": "it takes too long here"}
_interpreted: dict[int, Any] = {}


def interpret() -> None:
    """Launches of jit functions, and their calls of each other, go to the interpreter."""

    def interpreted(function: Any) -> Any:
        return _interpreted.setdefault(id(function), InterpretedFunction(function.fn))

    def launch(self: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        given = {**dict(zip(self.arg_names, args, strict=False)), **kwargs}
        for parameter in self.params:
            value = given.get(parameter.name)
            if isinstance(value, float) and not parameter.is_constexpr:
                given[parameter.name] = interpreter_gaps.number(value, "fp32")
        return interpreted(self).run(grid=grid, warmup=warmup, **given)

    def first_config(self: Any, *args: Any, **kwargs: Any) -> Any:
        return self.fn.run(*args, **kwargs, **self.configs[0].kwargs)

    interpreter_gaps.install("cuda:90")
    JITFunction.run = launch
    JITFunction.__call__ = lambda self, *args, **kwargs: interpreted(self)(*args, **kwargs)
    Autotuner.run = first_config


def load_checks() -> None:
    """What torch's checks import when they are first used, once for all forks: that takes longer than most checks."""

    @torch.library.custom_op("triton_ls_worker::nothing", mutates_args=("x",))
    def nothing(x: torch.Tensor) -> None:
        x.add_(1)

    for one in CHECKS:
        torch.library.opcheck(nothing, (torch.zeros(1),), test_utils=one)


def check(order: dict[str, Any]) -> dict[str, Any]:
    """``failed``: what went wrong; ``skipped``: why the inputs can't be had."""
    torch.manual_seed(0)
    spec = importlib.util.spec_from_file_location(order["module"], order["path"])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[order["module"]] = module
    spec.loader.exec_module(module)
    kernel = getattr(module, order["kernel"])
    given = {argument["name"]: _value(argument) for argument in order["arguments"]}
    inplace, functional = (getattr(module, name) for name in order["ops"])
    mutated = {argument.name for argument in inplace._opoverload._schema.arguments if argument.is_write}
    missing = [one.name for one in inplace._opoverload._schema.arguments if one.name not in {*given, "grid"}]
    numbers = [name for name in missing if name not in OPTIONS]
    given.update({name: OPTIONS[name] for name in missing if name in OPTIONS})
    # What the grid is made of, and the kernel does not take: likely the grid itself, which the comparison will tell.
    given.update(zip(numbers, order["grid"], strict=False))
    if len(numbers) > len(order["grid"]):
        return {"skipped": f"nothing says what {', '.join(numbers)} would be"}
    given["grid"] = list(order["grid"])
    passed = [argument["name"] for argument in order["arguments"] if argument["name"] not in order["tuned"]]
    options = {name: value for name, value in order["options"].items() if name not in passed}

    def bare(values: dict[str, Any]) -> dict[str, Any]:
        kernel[tuple(order["grid"])](**{name: values[name] for name in passed}, **options)
        return values

    try:
        expected, again = bare(_copied(given)), bare(_copied(given))
    except Exception as error:  # noqa: BLE001 - the kernel itself can't be run here
        return {"skipped": f"the bare kernel does not run: {type(error).__name__}: {error}"[:300]}
    if any(isinstance(value, torch.Tensor) and not _same(value, again[name]) for name, value in expected.items()):
        return {
            "skipped": "the bare kernel does another thing each time (these inputs overlap, or it looks at the clock)"
        }
    names = [argument.name for argument in inplace._opoverload._schema.arguments]
    if any(isinstance(v, torch.Tensor) and n not in names and not _same(v, given[n]) for n, v in expected.items()):
        return {"skipped": "the launch in the file passes one tensor for several parameters, and this one several"}
    actual = _copied({name: given[name] for name in names})
    try:
        inplace(**actual)
    except (IndexError, ValueError) as error:
        if order["flat"]:
            return {"skipped": f"the shape of {', '.join(order['flat'])} is not known ({error})"}
        raise
    for name, value in actual.items():
        if isinstance(value, torch.Tensor) and not _same(value, expected[name]):
            if numbers or order["flat"]:
                return {"skipped": f"nothing says what {', '.join([*numbers, *order['flat']])} would be"}
            return {"failed": f"{inplace._name}: {name} differs from what the bare kernel made of it"}
    wanted = [argument.name for argument in functional._opoverload._schema.arguments]
    results = functional(**{name: _copied(given)[name] for name in wanted})
    results = [results] if isinstance(results, torch.Tensor) else list(results)
    # What it makes itself is new, or zero.
    made = [name for name in names if name in mutated and name not in wanted]
    given.update({name: torch.zeros_like(given[name]) for name in made})
    expected = bare(_copied(given))
    for name, result in zip([name for name in names if name in mutated], results, strict=True):
        changed = expected[name] != given[name]
        if result.shape != given[name].shape or not _same(result[changed], expected[name][changed]):
            return {"failed": f"{functional._name}: {name} differs from what the bare kernel made of it"}
    for op, arguments in ((inplace, names), (functional, wanted)):
        for one in CHECKS:
            try:
                torch.library.opcheck(op, (), {n: _copied(given)[n] for n in arguments}, test_utils=one)
            except Exception as error:  # noqa: BLE001 - the answer
                if "_replacement" in str(error):
                    return {"skipped": "libdevice's functions have no machine code while numpy stands in for them"}
                return {"failed": f"{op._name}: {one}: {type(error).__name__}: {error}"[:600]}
    return {}


def _value(argument: dict[str, Any]) -> Any:
    if argument["kind"] == "scalar":
        return argument["value"]
    if argument["kind"] in ("constexpr", "none"):
        found = re.search(r"triton\.language\.(\w+)", str(argument["value"]))
        return getattr(tl, found[1]) if found else argument["value"]
    shape = argument["shape"] or [argument["size"]]
    dtype = getattr(torch, argument["dtype"])
    if argument["fill"] == "randint":
        made = torch.randint(int(argument["low"]), int(argument["high"]) + 1, shape)
    elif argument["fill"] in ("randn", "rand"):
        made = torch.rand(shape) + 0.5
    elif argument["fill"] == "ones":
        made = torch.ones(shape)
    else:
        made = torch.zeros(shape)
    return made.to(dtype).to(DEVICE)


def _copied(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value.clone() if isinstance(value, torch.Tensor) else value for name, value in values.items()}


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.shape == other.shape and torch.allclose(one.double(), other.double(), 1e-3, 1e-3, equal_nan=True)


def answer(order: dict[str, Any]) -> dict[str, Any]:
    """What came of one op, whatever that is."""
    signal.alarm(order["seconds"])
    sys.path[:0] = order["path_entries"]
    try:
        return check(order)
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the answer
        return {"failed": f"{type(error).__name__}: {error}"[:600]}


def main() -> None:
    """Each in a fork of its own, as op names can't be registered twice. A GPU can't be used in forks: there each op
    has a worker of its own."""
    warnings.simplefilter("ignore")
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if GPU:
        answers.write(json.dumps(answer(json.loads(sys.stdin.readline()))) + "\n")
        answers.flush()
        os._exit(0)
    interpret()
    load_checks()
    for line in sys.stdin:
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            with os.fdopen(writing, "w") as out:
                out.write(json.dumps(answer(json.loads(line))))
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as data:
            said = data.read()
        os.waitpid(child, 0)
        answers.write((said or json.dumps(LATE)) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
