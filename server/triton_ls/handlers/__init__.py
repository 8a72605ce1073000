"""One LSP method a file: take the facts as they are, answer, done. No handler waits for the compiler, but for the TTIR
that it is asked for."""

from __future__ import annotations

from triton_ls.handlers import (
    code_action,
    did_change,
    did_change_configuration,
    did_change_workspace_folders,
    did_close,
    did_open,
    did_save,
    document_symbol,
    hover,
    initialize,
    initialized,
    restart,
    show_ttir,
    shutdown,
    ttir_content,
)
from triton_ls.server import TritonServer

_ALWAYS = (
    code_action,
    did_change,
    did_change_configuration,
    did_change_workspace_folders,
    did_close,
    did_open,
    did_save,
    document_symbol,
    hover,
    initialize,
    initialized,
    restart,
    show_ttir,
    shutdown,
    ttir_content,
)


def register(server: TritonServer) -> None:
    """All but pull diagnostics, which ``initialize`` adds for clients that pull."""
    for handler in _ALWAYS:
        handler.register(server)
