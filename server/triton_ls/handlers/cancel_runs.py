"""``workspace/executeCommand``: ``triton-ls.cancelRuns`` ends what runs, for clients whose progress has no button."""

from __future__ import annotations

from triton_ls.server import TritonServer


def register(server: TritonServer) -> None:
    server.command("triton-ls.cancelRuns")(_cancel)


def _cancel(ls: TritonServer) -> None:
    for cancel in list(ls.cancel_runs):
        cancel()
