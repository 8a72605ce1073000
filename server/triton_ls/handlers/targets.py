"""``workspace/executeCommand``: ``triton-ls.targets`` and ``triton-ls.stages`` (document's URI) say what is compiled
for; ``triton-ls.setTarget`` (target or null) changes it until the server ends."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from kernel_analysis import report
from triton_ls.server import TritonServer

KNOWN = (
    "cuda:80", "cuda:86", "cuda:89", "cuda:90", "cuda:100", "cuda:120",
    "hip:gfx90a", "hip:gfx942", "hip:gfx950", "hip:gfx1100", "hip:gfx1201", "hip:gfx1250",
)  # fmt: skip
_BACK = "As the settings say"


def register(server: TritonServer) -> None:
    server.command("triton-ls.targets")(_targets)
    server.command("triton-ls.stages")(_stages)
    server.command("triton-ls.setTarget")(_set_target)


async def _targets(ls: TritonServer, uri: str) -> dict[str, Any]:
    await ls.session.ready()
    current = ls.session.settings(ls.file_of(uri) or "").target
    return {"current": current, "known": list(dict.fromkeys([current, *KNOWN]))}


async def _stages(ls: TritonServer, uri: str) -> list[str]:
    await ls.session.ready()
    return list(report.stages(ls.session.settings(ls.file_of(uri) or "").target))


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
