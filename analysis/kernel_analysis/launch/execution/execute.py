"""Executes a launch: inputs, the kernel, what it did to each buffer, held against what the analysis claims. Imports
torch and Triton; runs the kernel's own code and its helpers', nothing else of the user's."""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
import triton

from kernel_analysis.launch.execution import measure
from kernel_analysis.launch.execution.buffers import Buffer, UnknownType, all_of, statistics
from kernel_analysis.launch.execution.failures import MODULE, Failure
from kernel_analysis.launch.launch_model import Device, ExecutableLaunch, LaunchArgument
from kernel_analysis.run_wire import Compared, ConfigRow, Measured, Output, Passed, Ran, Time

_GUARD = 4096
_GUARD_GPU = 1 << 16
_COMPILING = 0.4  # of a run's time, for the configs of an autotuned kernel


class Execution:
    """One launch on one device. ``folder``: where the kernel's text is put for Triton to read. ``seconds``: after which
    the run will be ended from outside."""

    def __init__(
        self, launch: ExecutableLaunch, device: Device, folder: str, tell: Callable[[str], None], seconds: float = 120.0
    ) -> None:
        self._launch, self._device, self._tell = launch, device, tell
        self._folder, self._seconds = folder, seconds
        self._late: set[int] = set()
        self._where = "cpu" if device.interpreted else device.kind
        self._buffers: dict[str, Buffer] = {}

    def run(self) -> Ran:
        """The result, without what is told of the device."""
        launch, started = self._launch, time.perf_counter()
        torch.set_num_threads(1)
        trace = self._trace()
        module = self._load()
        kernel = getattr(module, launch.entry)
        self._tell("making the inputs")
        guard = _GUARD if self._device.interpreted else _GUARD_GPU
        try:
            for argument in all_of(launch.arguments):
                self._buffers[argument.name] = Buffer(argument, self._where, guard)
        except UnknownType as error:
            raise Failure("refused", str(error)) from error
        if not self._device.interpreted and hasattr(triton, "set_allocator"):
            triton.set_allocator(
                lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device=self._where)
            )
        written: dict[str, bool] = dict.fromkeys(self._buffers, False)
        read: dict[str, bool | None] = dict.fromkeys(self._buffers, None)
        outputs: list[Output] = []
        warnings: list[str] = []
        chosen, compiled = self._first_that_runs(kernel, module)
        for round_ in range(1 if trace is not None else 2):
            self._tell("running the kernel")
            self._fill(round_)
            for buffer in self._buffers.values():
                buffer.remember()
            if trace is not None:
                trace.watch(list(self._buffers.values()))
            compiled = self._start(kernel, module, chosen)
            self._wait()
            for name, buffer in self._buffers.items():
                buffer.compare()
                outside = buffer.outside()
                if outside is not None:
                    size = buffer.argument.size - buffer.argument.before
                    message = f"Out of bounds: the kernel writes element {outside} of {name}, which has {size}"
                    raise Failure("out-of-bounds", message)
                if trace is not None:
                    seen_read, seen_written = trace.of(buffer)
                    read[name], written[name] = bool(seen_read.any()), bool(seen_written.any()) or buffer.written
                    if not round_ and written[name]:
                        outputs.append(self._output(buffer, torch.from_numpy(seen_written)))
                else:
                    written[name] = written[name] or buffer.written
                    if not round_ and buffer.written:
                        outputs.append(self._output(buffer, None))
                buffer.forget()
        result: Ran = {
            "kernel": launch.kernel,
            "label": launch.label,
            "grid": list(launch.grid_of[chosen] if launch.grid_of else launch.grid),
            "arguments": [_told(argument) for argument in launch.arguments],
            "assumed": launch.assumed,
            "outputs": outputs,
            "checks": [_checked(buffer.argument, read[name], written[name]) for name, buffer in self._buffers.items()],
            "warnings": warnings,
            "time_ms": None,
        }
        if not self._device.interpreted:
            if launch.timed:  # compiling takes long, and the others need not wait for it
                self._compile(kernel, module)
            self._tell("waiting for other runs on this device")
            with measure.alone(f"{self._device.kind}:{getattr(torch, self._device.kind).current_device()}"):
                result["time_ms"], measured = self._measured(kernel, module, compiled, written, warnings)
            result = {**result, **measured}
            if "winner" in measured:
                result["grid"] = list(launch.grid_of[measured["winner"]])
        result["seconds"] = round(time.perf_counter() - started, 3)
        return result

    def _load(self) -> Any:
        path = os.path.join(self._folder, MODULE)
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._launch.source)
        spec = importlib.util.spec_from_file_location("triton_ls_kernel", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["triton_ls_kernel"] = module
        spec.loader.exec_module(module)
        return module

    def _trace(self) -> Any:
        if not self._device.interpreted:
            return None
        from kernel_analysis.launch.execution import interpreter_gaps, trace

        interpreter_gaps.install(self._device.target)
        return trace.install()

    def _fill(self, round_: int) -> None:
        for position, buffer in enumerate(self._buffers.values()):
            if buffer.argument.kind == "table":
                target = self._buffers[f"*{buffer.argument.name}"]
                buffer.whole.fill_(0)
                buffer.values.fill_(target.view.data_ptr())
            buffer.fill(round_, 1000 * round_ + position) if buffer.argument.kind != "table" else None

    def _given(self, argument: LaunchArgument, constants: dict[str, Any]) -> Any:
        if argument.kind == "tuple":
            return tuple(self._given(item, constants) for item in argument.items)
        if argument.kind in ("constexpr", "none"):
            return constants.get(argument.name)
        if argument.kind == "scalar":
            if self._device.interpreted and isinstance(argument.value, float):
                from kernel_analysis.launch.execution.interpreter_gaps import number

                return number(argument.value, argument.type)
            return argument.value
        buffer = self._buffers[argument.name]
        if argument.kind == "descriptor":
            from triton.tools.tensor_descriptor import TensorDescriptor

            return TensorDescriptor.from_tensor(buffer.view.reshape(argument.shape), list(argument.block))
        return buffer.view

    def _start(self, kernel: Any, module: Any, config: int) -> Any:
        launch = self._launch
        constants = module.CONSTANTS[config]
        options = launch.configs[config]["options"] if launch.configs else launch.options
        grid = tuple(launch.grid_of[config]) if launch.grid_of else launch.grid
        given = {argument.name: self._given(argument, constants) for argument in launch.arguments}
        return kernel[grid](**given, **{name: value for name, value in options.items() if name not in given})

    def _first_that_runs(self, kernel: Any, module: Any) -> tuple[int, Any]:
        """The first config that the device has room for."""
        if self._device.interpreted or len(self._launch.configs) < 2:
            return 0, None
        for config in range(len(self._launch.configs)):
            self._fill(0)
            try:
                compiled = self._start(kernel, module, config)
                self._wait()
                return config, compiled
            except Exception as error:
                if type(error).__name__ != "OutOfResources" or config + 1 == len(self._launch.configs):
                    raise
        return 0, None

    def _compile(self, kernel: Any, module: Any) -> None:
        """Every config, so that they only have to be launched; those for which there is no time are not timed."""
        count, until = len(self._launch.configs), time.monotonic() + _COMPILING * self._seconds
        for config in range(count if count > 1 else 0):
            if config and time.monotonic() > until:
                self._late.add(config)
                continue
            self._tell(f"compiling config {config + 1} of {count}")
            self._fill(0)
            try:
                self._start(kernel, module, config)
                self._wait()
            except Exception as error:
                if type(error).__name__ != "OutOfResources":
                    raise

    def _wait(self) -> None:
        if not self._device.interpreted:
            getattr(torch, self._device.kind).synchronize()

    def _output(self, buffer: Buffer, touched: torch.Tensor | None) -> Output:
        which = buffer.changed() if touched is None else touched.view(-1, buffer.type.itemsize).any(dim=1)
        return statistics(buffer, None if bool(which.all()) else which)

    def _measured(
        self, kernel: Any, module: Any, compiled: Any, written: dict[str, bool], warnings: list[str]
    ) -> tuple[Time | None, Measured]:
        launch = self._launch
        out: Measured = {"resources": measure.resources(compiled, self._device.kind)}
        if not launch.timed:
            warnings.append(
                "No times were taken: the kernel changes the integers that it reads, so that launches would differ."
            )
            return None, out
        rows: list[ConfigRow] = []
        many = len(launch.configs) > 1
        for config in range(max(1, len(launch.configs))):
            self._tell(f"timing config {config + 1} of {len(launch.configs)}" if many else "timing the kernel")
            self._fill(0)
            row: ConfigRow = {}
            if launch.configs:
                row["constants"], row["options"] = (
                    launch.configs[config]["constants"],
                    launch.configs[config]["options"],
                )
            if config in self._late:
                row["error"] = "not timed: compiling all configs takes too long for the time limit"
                rows.append(row)
                continue
            try:
                made = self._start(kernel, module, config)
                row["time_ms"] = measure.time_of(lambda c=config: self._start(kernel, module, c), len(launch.configs))
                row["resources"] = measure.resources(made, self._device.kind)
            except Exception as error:
                if not many or type(error).__name__ != "OutOfResources":
                    raise
                row["error"] = str(error).splitlines()[0]
            rows.append(row)
        timed = [(position, row["time_ms"]) for position, row in enumerate(rows) if "time_ms" in row]
        winner, found = min(timed, key=lambda each: each[1]["median"])
        out["resources"] = rows[winner].get("resources")
        if many:
            out["configs"], out["winner"] = rows, winner
        moved = sum(_moved(buffer.argument, buffer.bytes, written[name]) for name, buffer in self._buffers.items())
        seconds = found["median"] / 1000
        self._tell("measuring the copy bandwidth")
        copy = measure.copy_bandwidth(self._where)
        rate = moved / seconds / 1e9
        out |= {"bytes": None, "gbps": None, "copy_gbps": copy, "percent_of_copy": None}
        # Faster than the memory is: it did not touch all that its buffers hold, and how much it did is not known.
        if rate <= 1.1 * copy:
            out |= {"bytes": moved, "gbps": rate, "percent_of_copy": 100 * rate / copy}
        if launch.flops:
            out["flops"], out["tflops"] = launch.flops, launch.flops / seconds / 1e12
        return found, out


def _moved(argument: LaunchArgument, size: int, written: bool) -> int:
    """Bytes that have to move at least once."""
    if argument.touched is not None:
        size = min(size, argument.touched * (size // max(1, argument.size)))
    return size * ((argument.read != "no") + bool(written))


def _told(argument: LaunchArgument) -> Passed:
    """An argument for the reader."""
    out: Passed = {"name": argument.name, "kind": argument.kind}
    if argument.kind in ("tensor", "descriptor", "table"):
        out["type"], out["elements"], out["fill"] = argument.type, argument.size, argument.fill
        out["low"], out["high"] = argument.low, argument.high
        if argument.shape:
            out["shape"] = list(argument.shape)
        if argument.before:
            out["before"] = argument.before
    elif argument.kind == "tuple":
        out["items"] = [_told(item) for item in argument.items]
    else:
        out["value"] = argument.value
    return out


def _checked(argument: LaunchArgument, read: bool | None, written: bool) -> Compared:
    """What was claimed of a buffer and what was observed. ``read`` is only known in the interpreter."""
    wrong = (written and argument.written == "no") or (read is True and argument.read == "no")
    unseen = (argument.written == "yes" and not written) or (argument.read == "yes" and read is False)
    open_ = (argument.written == "unknown") or (argument.read == "unknown")
    return {
        "name": argument.name,
        "claimed": {"read": argument.read, "written": argument.written},
        "observed": {"read": read, "written": written},
        "reason": argument.reason,
        "verdict": "contradiction" if wrong else "not seen" if unseen else "unknown" if open_ else "agree",
    }
