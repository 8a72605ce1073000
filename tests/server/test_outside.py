"""Files outside of the workspace: what is beside them is read for them, and for nobody else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from connection import Connection, connect
from lsprotocol import types
from test_cli import run

HELPERS = "import triton.language as tl\n\nWIDTH = tl.constexpr(64)\n"
CALLER = (
    "import triton\nimport triton.language as tl\n\nfrom values import WIDTH\n\n\n"
    "@triton.jit\ndef fill(out_ptr):\n    tl.store(out_ptr + tl.arange(0, WIDTH), 1)\n"
)


def test_a_link_that_is_checked_is_followed(tmp_path: Path) -> None:
    real, workspace = tmp_path / "real", tmp_path / "workspace"
    real.mkdir()
    workspace.mkdir()
    (real / "kernel.py").write_text(CALLER.replace("from values import WIDTH\n", "WIDTH = tl.constexpr(64)\n"))
    (workspace / "linked.py").symlink_to(real / "kernel.py")
    for path in (".", "linked.py"):
        done = run(workspace, "check", "--verbose", path, "--no-cache")
        assert "linked.py:8: kernel fill: writes out_ptr" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow("two places, each with two agents that import Triton")
async def test_what_is_beside_a_file_outside_is_read_for_it(tmp_path: Path) -> None:
    workspace, other = tmp_path / "workspace", tmp_path / "other"
    for folder in (workspace, other):
        folder.mkdir()
        (folder / "values.py").write_text(HELPERS)
    async with connect(workspace) as connection:
        inside = connection.open("caller.py", CALLER)
        await connection.until_shown(inside, 8, "mutated-parameter")
        assert len(await agents(connection)) == 2
        # An agent that was there before may not read it; one of its own may, also what is written there later.
        outside = connection.open(str(other / "caller.py"), CALLER)
        await connection.until_shown(outside, 8, "mutated-parameter")
        assert len(await agents(connection)) == 4
        (other / "values.py").write_text(HELPERS.replace("64", "63"))
        connection.replace(outside, CALLER + "\n")
        await connection.until_shown(outside, 9, "compile-error", "power of 2")
        params = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(outside))
        connection.client.text_document_did_close(params)
        assert len(await agents(connection)) == 2
        lines = await agents(connection)
        assert any("audit hook" in line for line in lines), lines


async def agents(connection: Connection) -> list[str]:
    """What the server says of each."""
    params = types.ExecuteCommandParams("triton-ls.debugInformation", [])
    answer: Any = await connection.client.workspace_execute_command_async(params)
    return [line for line in answer["text"].splitlines() if line.startswith("- agent of ")]
