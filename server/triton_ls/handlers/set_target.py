"""``workspace/executeCommand``: ``triton-ls.setTarget`` (target or null) changes for which GPU kernels are compiled,
until the server ends; where none is named, it asks which."""

from __future__ import annotations

from triton_ls.editor import Editor
from triton_ls.handlers.targets import KNOWN
from triton_ls.server import TritonServer
from triton_ls.session import Session

_BACK = "As the settings say"


def register(server: TritonServer) -> None:
    server.action("triton-ls.setTarget")(_set_target)


async def _set_target(session: Session, editor: Editor, *arguments: str | None) -> str | None:
    if arguments:
        target = arguments[0]
    else:
        chosen = await editor.choose("Which GPU should Triton kernels be compiled for?", [*KNOWN, _BACK])
        if chosen is None:
            return None
        target = None if chosen == _BACK else chosen
    session.choose_target(target)
    return target
