"""``triton-ls.run`` and its companions from an editor: a real server, real runs on Triton's interpreter."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
from pathlib import Path
from typing import Any

import psutil
import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from server.connection import Connection, connect

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="running kernels needs torch"),
    pytest.mark.slow("each run starts a Python that imports torch"),
]

KERNELS = """\
import triton
import triton.language as tl


@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n) * 2, mask=offsets < n)


# triton-run: lock_ptr = ones(1, i32)
@triton.jit
def spin(lock_ptr):
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
"""
SETTINGS = {"device": "interpreter"}


async def _command(connection: Connection, name: str, *arguments: str) -> Any:
    params = types.ExecuteCommandParams(command=name, arguments=list(arguments))
    return await connection.client.workspace_execute_command_async(params)


def _planning(connection: Connection) -> bool:
    """Whether the process that makes a launch is there: the question was put with the text as it was."""
    children = psutil.Process(connection.pid).children()
    with contextlib.suppress(psutil.NoSuchProcess):
        return any("plan" in child.cmdline() for child in children)
    return False


async def _lenses(connection: Connection, uri: str) -> list[str]:
    params = types.CodeLensParams(types.TextDocumentIdentifier(uri))
    found = await connection.client.text_document_code_lens_async(params)
    return [lens.command.title for lens in found or [] if lens.command is not None]


async def _last_runs(connection: Connection, uri: str) -> list[tuple[int, int, str]]:
    """(line, character, text) of the hints that say what a run came to."""
    place = types.Range(types.Position(0, 0), types.Position(99, 0))
    params = types.InlayHintParams(types.TextDocumentIdentifier(uri), place)
    found = await connection.client.text_document_inlay_hint_async(params) or []
    hints = [(hint.position.line, hint.position.character, str(hint.label)) for hint in found]
    return [hint for hint in hints if hint[2].startswith("last run")]


async def test_a_run_is_shown_until_the_kernel_changes(tmp_path: Path) -> None:
    async with connect(tmp_path, settings=SETTINGS) as connection:
        # Only the editor has this text: what is run is what is shown.
        uri = connection.open("kernels.py", KERNELS.replace("* 2", "* 3"), save=False)
        await connection.until_shown(uri, 6, "mutated-parameter")
        assert await _lenses(connection, uri) == ["Run kernel", "Run kernel"]
        answer = await _command(connection, "triton-ls.run", uri, "double")
        lines = answer["markdown"].splitlines()
        assert lines[0] == "# `double`: interpreter, as analysed"
        assert lines[2].startswith("Ran on Triton's interpreter on the CPU, without a GPU")
        assert "| `out_ptr` | not read, written | not read, written | agrees |" in lines
        assert {check["verdict"] for check in answer["result"]["checks"]} == {"agree"}
        head = KERNELS.splitlines()[5]
        assert await _last_runs(connection, uri) == [(5, len(head), "last run: interpreter, as analysed")]
        connection.replace(uri, KERNELS)
        for _ in range(300):
            if await _last_runs(connection, uri) == []:
                break
            await asyncio.sleep(0.1)
        await connection.until_shown(uri, 6, "mutated-parameter")
        assert await _last_runs(connection, uri) == []


async def test_a_run_can_be_cancelled_and_the_next_one_works(tmp_path: Path) -> None:
    async with connect(tmp_path, settings=SETTINGS) as connection:
        uri = connection.open("kernels.py", KERNELS)
        run = asyncio.create_task(_command(connection, "triton-ls.run", uri, "spin"))
        reports = connection.client.progress_reports
        await connection.until(lambda: any("running" in str(r) for all in reports.values() for r in all), "it runs")
        (token,) = [token for token, all in reports.items() if any("Running spin" in str(r) for r in all)]
        connection.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token=token))
        with pytest.raises(JsonRpcException, match="The run was cancelled; its processes are gone"):
            await asyncio.wait_for(run, 20)
        answer = await _command(connection, "triton-ls.run", uri, "double")
        assert answer["result"]["kernel"] == "double"


async def test_runs_can_be_cancelled_without_a_button(tmp_path: Path) -> None:
    async with connect(tmp_path, settings=SETTINGS) as connection:
        uri = connection.open("kernels.py", KERNELS)
        run = asyncio.create_task(_command(connection, "triton-ls.run", uri, "spin"))
        reports = connection.client.progress_reports
        await connection.until(lambda: any("running" in str(r) for all in reports.values() for r in all), "it runs")
        await _command(connection, "triton-ls.cancelRuns")
        with pytest.raises(JsonRpcException, match="The run was cancelled; its processes are gone"):
            await asyncio.wait_for(run, 20)


async def test_nothing_runs_in_an_untrusted_workspace(tmp_path: Path) -> None:
    async with connect(tmp_path, settings=SETTINGS, options={"trusted": False}) as connection:
        uri = connection.open("kernels.py", KERNELS)
        await connection.until_shown(uri, 6, "mutated-parameter")
        assert await _lenses(connection, uri) == []
        with pytest.raises(JsonRpcException, match="trusted workspaces only"):
            await _command(connection, "triton-ls.run", uri, "double")


async def test_a_launch_can_be_pinned(tmp_path: Path) -> None:
    async with connect(tmp_path, settings=SETTINGS) as connection:
        edits: list[types.ApplyWorkspaceEditParams] = []

        def applied(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
            edits.append(params)
            return types.ApplyWorkspaceEditResult(applied=True)

        connection.client.feature(types.WORKSPACE_APPLY_EDIT)(applied)
        uri = connection.open("kernels.py", KERNELS)
        answer = await _command(connection, "triton-ls.pinLaunch", uri, "double")
        assert answer["text"].startswith("# triton-run: grid = (")
        (document,) = edits[0].edit.document_changes or []
        assert isinstance(document, types.TextDocumentEdit)
        assert document.text_document == types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=1)
        (edit,) = document.edits
        assert isinstance(edit, types.TextEdit)
        assert edit.range.start == types.Position(4, 0)
        connection.replace(uri, KERNELS.replace("@triton.jit\ndef double", f"{edit.new_text}@triton.jit\ndef double"))
        ran = await _command(connection, "triton-ls.run", uri, "double")
        assert ran["result"]["assumed"][0] == "pinned at line 5: # triton-run"


async def test_what_is_pinned_follows_what_is_typed_meanwhile(tmp_path: Path) -> None:
    async with connect(tmp_path, settings=SETTINGS) as connection:
        places: list[tuple[int, int | None]] = []

        def applied(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
            (document,) = params.edit.document_changes or []
            assert isinstance(document, types.TextDocumentEdit)
            (edit,) = document.edits
            assert isinstance(edit, types.TextEdit)
            places.append((edit.range.start.line, document.text_document.version))
            if len(places) == 1:  # typed while the edit was on its way: an editor refuses it then
                connection.insert(uri, 0, 0, "\n")
                return types.ApplyWorkspaceEditResult(applied=False)
            return types.ApplyWorkspaceEditResult(applied=True)

        connection.client.feature(types.WORKSPACE_APPLY_EDIT)(applied)
        uri = connection.open("kernels.py", KERNELS)
        asked = asyncio.create_task(_command(connection, "triton-ls.pinLaunch", uri, "double"))
        await connection.until(lambda: _planning(connection), "a launch is made")
        connection.insert(uri, 0, 0, "\n\n")
        await asked
        assert places == [(6, 2), (7, 3)]


async def test_nothing_is_pinned_where_the_text_is_another(tmp_path: Path) -> None:
    async with connect(tmp_path, settings=SETTINGS) as connection:
        uri = connection.open("kernels.py", KERNELS)
        asked = asyncio.create_task(_command(connection, "triton-ls.pinLaunch", uri, "double"))
        await connection.until(lambda: _planning(connection), "a launch is made")
        connection.insert(uri, 4, 0, "@another\n# ")
        with pytest.raises(JsonRpcException, match="edited meanwhile: nothing was written"):
            await asked
