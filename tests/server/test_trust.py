"""A workspace that the user does not trust: what is started for it, and what it may leave behind."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from connection import connect
from lsprotocol import types
from pygls.exceptions import JsonRpcException

KERNELS = (
    "import triton\nimport triton.language as tl\n\n\n"
    "@triton.jit\ndef fill(out_ptr):\n    tl.store(out_ptr + tl.arange(0, 64), 1)\n"
)


@pytest.mark.slow("two sessions, each with two agents that import Triton")
async def test_no_program_of_it_is_started(tmp_path: Path) -> None:
    for trusted, name in ((False, "linked"), (False, "linked folder"), (True, "linked")):
        root = tmp_path / f"{name} {trusted}"
        root.mkdir()
        (root / "linked").symlink_to(sys.executable)
        (root / "linked folder").symlink_to(Path(sys.executable).parent)
        python = root / "linked" if name == "linked" else root / "linked folder" / Path(sys.executable).name
        options = {"status": True, "trusted": trusted}
        async with connect(root, settings={"interpreter": str(python)}, options=options) as connection:
            seen: list[Any] = []
            connection.client.feature("triton-ls/status")(lambda params, seen=seen: seen.append(params))
            connection.open("kernels.py", KERNELS)
            await connection.until(lambda seen=seen: seen and seen[-1].state == "degraded", "degraded")
            refused = f"is in {root}, which you have not said to trust: it is not started" in seen[-1].message
            # A link alone is no environment that Triton is installed in; that is told by who started it.
            assert refused != ("Triton is not installed in" in seen[-1].message)
            assert refused != trusted


@pytest.mark.slow("two sessions, each with two agents that import Triton")
async def test_its_facts_are_kept_apart(tmp_path: Path) -> None:
    for trusted, file in ((False, "facts-untrusted.sqlite"), (True, "facts.sqlite")):
        root = tmp_path / str(trusted)
        root.mkdir()
        cache = tmp_path / f"cache {trusted}"
        async with connect(root, settings={"cache": str(cache)}, options={"trusted": trusted}) as connection:
            uri = connection.open("kernels.py", KERNELS)
            await connection.until_shown(uri, 6, "mutated-parameter")
            await connection.until(lambda cache=cache, file=file: (cache / file).exists(), "the cache")
        assert {path.name.partition(".sqlite")[0] + ".sqlite" for path in cache.iterdir()} == {file}


@pytest.mark.slow("a session, with agents that import Triton")
async def test_whoever_asks_for_a_launch_starts_nothing_of_it(tmp_path: Path) -> None:
    """What is told to be its Python lies in the workspace, and so does what any Python would run when it starts."""
    root, started = tmp_path / "root", tmp_path / "started"
    root.mkdir()
    (root / "sitecustomize.py").write_text(f"open({str(started)!r}, 'w')\n")
    program = root / "python"
    program.write_text(f'#!/bin/sh\ntouch {started}\nexec {sys.executable} "$@"\n')
    program.chmod(0o755)
    async with connect(root, settings={"interpreter": str(program)}, options={"trusted": False}) as connection:
        uri = connection.open("kernels.py", KERNELS)
        for name in ("run", "runScript", "pinLaunch"):
            params = types.ExecuteCommandParams(f"triton-ls.{name}", [uri, "fill"])
            with pytest.raises(JsonRpcException, match="in trusted workspaces only"):
                await connection.client.workspace_execute_command_async(params)
        place = types.Range(types.Position(5, 5), types.Position(5, 5))
        asked = types.CodeActionParams(types.TextDocumentIdentifier(uri), place, types.CodeActionContext([]))
        offered = await connection.client.text_document_code_action_async(asked) or []
        commands = {one.command for one in offered if isinstance(one, types.Command)}
        assert not commands & {"triton-ls.run", "triton-ls.runScript", "triton-ls.pinLaunch"}
    assert not started.exists()
