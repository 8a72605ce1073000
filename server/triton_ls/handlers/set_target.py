"""``workspace/executeCommand``: ``triton-ls.setTarget`` (target or null) changes for which GPU kernels are compiled,
until the server ends; where none is named, it asks which."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from triton_ls.handlers.targets import KNOWN
from triton_ls.server import TritonServer

_BACK = "As the settings say"


def register(server: TritonServer) -> None:
    server.command("triton-ls.setTarget")(_set_target)


async def _set_target(ls: TritonServer, *arguments: Any) -> str | None:
    if not arguments:
        return await _ask(ls)
    target = arguments[0]
    ls.configuration.choose_target(target)
    ls.session.configured(ls.roots())
    ls.touch_status()
    return target


async def _ask(ls: TritonServer) -> str | None:
    titles = [*KNOWN, _BACK]
    answer = await ls.window_show_message_request_async(
        types.ShowMessageRequestParams(
            type=types.MessageType.Info,
            message="Which GPU should Triton kernels be compiled for?",
            actions=[types.MessageActionItem(title) for title in titles],
        )
    )
    if answer is None:
        return None
    return await _set_target(ls, None if answer.title == _BACK else answer.title)
