"""One LSP method a file: take the facts as they are, answer, done. No handler waits for the compiler, but for what
is compiled on demand."""

from __future__ import annotations

from triton_ls.handlers import (
    code_action,
    code_lens,
    custom_op,
    debug_information,
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
    inlay_hint,
    ir_content,
    kernel_at,
    resources,
    restart,
    run,
    show_ir,
    shutdown,
    targets,
)
from triton_ls.server import TritonServer

_ALWAYS = (
    code_action,
    code_lens,
    custom_op,
    debug_information,
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
    inlay_hint,
    ir_content,
    kernel_at,
    resources,
    restart,
    run,
    show_ir,
    shutdown,
    targets,
)


def register(server: TritonServer) -> None:
    """All but pull diagnostics, which ``initialize`` adds for clients that pull."""
    for handler in _ALWAYS:
        handler.register(server)
