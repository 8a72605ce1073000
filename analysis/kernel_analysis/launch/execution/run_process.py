"""The process that runs a kernel. A line of JSON in says which device; a line out says what it is; then a launch comes
in, and progress and a result go out. It is killed from outside when it takes too long. Imports torch and Triton."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import traceback
from typing import Any

from kernel_analysis.launch.execution.device import Unusable, find
from kernel_analysis.launch.launch_model import launch_from_json


class WorkerChannel:
    """Lines of JSON; what anything prints goes to standard error."""

    def __init__(self) -> None:
        self._out = os.fdopen(os.dup(1), "w")
        os.dup2(2, 1)

    def send(self, **message: Any) -> None:
        self._out.write(json.dumps(message) + "\n")
        self._out.flush()

    def receive(self) -> dict[str, Any] | None:
        line = sys.stdin.readline()
        return json.loads(line) if line else None


def main() -> None:
    """Serves one run."""
    channel = WorkerChannel()
    asked = channel.receive() or {}
    try:
        device, processors, told = find(asked.get("device"))
    except Unusable as error:
        channel.send(event="error", kind=error.kind, message=str(error))
        return
    channel.send(
        event="device", processors=processors, told=told,
        device={"kind": device.kind, "name": device.name, "target": device.target, "memory": device.memory},
    )  # fmt: skip
    order = channel.receive()
    if order is None:
        return
    folder = tempfile.mkdtemp(prefix="triton-ls-run-", dir=order.get("folder"))
    try:
        from kernel_analysis.launch.execution.execute import Execution
        from kernel_analysis.launch.execution.failures import Failure, explained

        execution = Execution(
            launch_from_json(order["launch"]),
            device,
            folder,
            lambda text: channel.send(event="progress", message=text),
            order.get("seconds", 120.0),
        )
        try:
            result = execution.run()
        except Failure as failure:
            channel.send(event="error", kind=failure.kind, message=str(failure), places=failure.places)
        except BaseException as error:  # noqa: BLE001 - whatever a kernel raises is the answer
            traceback.print_exc()
            failure = explained(error, told["pair"])
            channel.send(event="error", kind=failure.kind, message=str(failure), places=failure.places)
        else:
            if told["pair"] is not None:
                result["warnings"].append(told["pair"])
            channel.send(
                event="result",
                result={
                    **result,
                    "device": {**told, "kind": device.kind, "name": device.name, "target": device.target},
                },
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    sys.stderr.flush()
    os._exit(0)  # a device that a kernel has left in a bad state is not asked to clean up
