"""One request after the other, each answered, whatever went wrong. Knows no method of any."""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from kernel_analysis.agent.protocol import request_parameters
from kernel_analysis.agent.protocol.channel import Channel, Message

_MOST_NEW = 2_000_000
"""Objects made since cycles were last looked for among the new ones: to look in any case."""
_MOST_KEPT = 8
"""Looks among the new ones, at least, before all objects are looked through; then as many more as there are old ones:
what is looked through in all grows no faster than what is made."""


class BadRequest(Exception):
    """The request can't be answered; the message is for the user."""


class NoCompiler(Exception):
    """There is no compiler; the message is for the user."""


class Requests:
    """``answers`` has what answers each method, given parameters that are as ``wire`` says."""

    answers: Mapping[str, Callable[[Any], object]]

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self.looks = 0
        self._enough = _MOST_KEPT

    @property
    def patience(self) -> float | None:
        """Seconds without a request until ``idle``; None: it has nothing to do."""
        return None

    def idle(self) -> None:
        """Nobody waits."""

    def close(self) -> None:
        """It was told to exit."""

    def serve(self) -> None:
        """Until told to exit."""
        # Cycles are looked for while nobody waits: among all the syntax trees that are held, that takes longer than a
        # compile.
        gc.disable()
        while True:
            try:
                message = self._channel.receive(self.patience)
            except ValueError as error:
                text = f"This is no JSON-RPC message: {error}"
                self._channel.send({"id": None, "error": {"code": -32700, "message": text}})
                continue
            if message is None:
                self.idle()
            elif message.get("method") == "exit":
                self.close()
                # Not by unwinding: Triton's bindings report every object that the interpreter's end leaves behind.
                sys.stderr.flush()
                os._exit(0)
            else:
                self.handle(message)
                if self.much_is_new():
                    self._collect()

    def much_is_new(self) -> bool:
        """Whether to look for cycles among what is new."""
        return gc.get_count()[0] > _MOST_NEW

    def _collect(self) -> None:
        """Look for cycles among what is new, which is where a compile leaves them: the syntax trees that are held are
        far more, and have none. What died later goes when all is looked through."""
        self.looks += 1
        if self.looks < self._enough:
            gc.collect(0)
        else:
            self.collect_all()

    def collect_all(self) -> None:
        """Look for cycles among all objects."""
        gc.collect()
        self.looks, self._enough = 0, max(_MOST_KEPT, 2 * sys.getallocatedblocks() // _MOST_NEW)

    def handle(self, message: Message) -> None:
        method, identity = message.get("method"), message.get("id")
        try:
            answer = self.answers.get(method) if isinstance(method, str) else None
            if answer is None:
                raise BadRequest(f"The agent has no method `{method}`.")
            params: Any = message.get("params") or {}
            if (wrong := request_parameters.check(str(method), params)) is not None:
                raise BadRequest(f"`{method}` was called with parameters that it doesn't take: {wrong}.")
            result = answer(params)
        except (BadRequest, NoCompiler) as error:
            self._refuse(identity, -32602, str(error))
        except Exception as error:  # noqa: BLE001 - every request is answered, whatever went wrong
            traceback.print_exc(file=sys.stderr)
            said = f"`{method}` failed, which is a bug of triton-ls: {type(error).__name__}: {error}"
            self._refuse(identity, -32603, said)
        else:
            if identity is not None:
                self._channel.send({"id": identity, "result": result})

    def _refuse(self, identity: object, code: int, message: str) -> None:
        if identity is None:
            print(f"triton-ls: {message}", file=sys.stderr)
        else:
            self._channel.send({"id": identity, "error": {"code": code, "message": message}})
