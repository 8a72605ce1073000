"""One LSP method a file. What answers a question is given a snapshot (``server.query``); what hears of an event or does
what the user asks for, the session and the editor (``server.event``, ``server.action``). No handler waits for the
compiler, but for what is compiled on demand."""

from __future__ import annotations

import importlib

from triton_ls.server import TritonServer

ALWAYS = (
    "cancel_runs",
    "code_action",
    "code_lens",
    "config_resources",
    "custom_op",
    "debug_information",
    "did_change",
    "did_change_configuration",
    "did_change_watched_files",
    "did_change_workspace_folders",
    "did_close",
    "did_open",
    "did_save",
    "document_symbol",
    "hover",
    "initialize",
    "initialized",
    "inlay_hint",
    "ir_content",
    "kernel_at",
    "pin_launch",
    "resources",
    "restart",
    "run",
    "run_script",
    "set_target",
    "show_ir",
    "show_shapes",
    "shutdown",
    "stages",
    "targets",
)
"""The modules here that every server has: all but pull diagnostics, which ``initialize`` adds for clients that pull."""

_MODULES = [importlib.import_module(f"{__name__}.{name}") for name in ALWAYS]


def register(server: TritonServer) -> None:
    for module in _MODULES:
        module.register(server)
