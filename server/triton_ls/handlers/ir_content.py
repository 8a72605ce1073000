"""``triton-ls/irContent`` {"uri"}: the text of a ``triton-ls-ir:`` document and the user's line of each of its lines,
for clients that show virtual documents."""

from __future__ import annotations

from typing import Any

from triton_ls.ir_document import IrSubject, content
from triton_ls.server import TritonServer

METHOD = "triton-ls/irContent"


def register(server: TritonServer) -> None:
    @server.feature(METHOD)
    async def _(ls: TritonServer, params: Any) -> dict[str, Any]:
        made = await content(ls.session, ls.editor, IrSubject.of(str(params.uri)))
        return {"text": made.text, "map": [list(line) for line in made.lines]}
