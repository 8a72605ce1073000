"""What the compiler makes of a kernel, on demand: its stages, which of the user's lines are whose, what it takes of a
GPU."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import puppet
import pytest
from connection import KERNELS, Connection, client_capabilities, connect
from lsprotocol import types
from pygls.exceptions import JsonRpcException

HELPED = """\
import triton
import triton.language as tl


@triton.jit
def put(ptr, value):
    tl.store(ptr, value)


@triton.jit
def total(in_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    value = tl.load(in_ptr + at)
    put(out_ptr, tl.sum(value))


def launch(x, y):
    total[(1,)](x, y, BLOCK=1024, num_warps=8)
"""

STORE = {
    "ttir": r"tt\.store",
    "ttgir": r"tt\.store",
    "llir": r"st\.global|store .*, ptr addrspace\(1\)",
    "ptx": r"st\.global",
    "sass": r"STG",
    "amdgcn": r"global_store",
}


async def execute(connection: Connection, command: str, *arguments: Any) -> Any:
    params = types.ExecuteCommandParams(f"triton-ls.{command}", list(arguments))
    return await connection.client.workspace_execute_command_async(params)


async def actions(connection: Connection, uri: str, line: int) -> dict[str, types.Command]:
    place = types.Range(types.Position(line, 0), types.Position(line, 0))
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), place, types.CodeActionContext([]))
    found = await connection.client.text_document_code_action_async(params)
    return {action.title: action for action in found or [] if isinstance(action, types.Command)}


@pytest.mark.parametrize("profile", ["visual-studio-code", "neovim@v0.7.0", "neovim", "emacs"])
async def test_as_a_file(tmp_path: Path, profile: str) -> None:
    async with connect(tmp_path, profile) as connection:
        uri = connection.open("kernels.py", KERNELS)
        await connection.until_shown(uri, 14, "mutated-parameter")
        command = (await actions(connection, uri, 7))["Show TTIR of copy_kernel"]
        params = types.ExecuteCommandParams(command.command, command.arguments)
        result: Any = await connection.client.workspace_execute_command_async(params)
        assert "tt.func public @copy_kernel" in result["text"]
        shown = Path(result["uri"].removeprefix("file://"))
        assert shown.read_text() == result["text"]
        assert shown.stat().st_mode & 0o222 == 0
        assert shown.name == "copy_kernel.ttir.mlir"
        window = client_capabilities(profile).window
        if window is not None and window.show_document is not None and window.show_document.support:
            await connection.until(lambda: connection.client.shown_documents, "a document is shown")
            assert connection.client.shown_documents[0].uri == result["uri"]
        with pytest.raises(JsonRpcException, match="no jit function `nothing`"):
            await execute(connection, "showIr", uri, "nothing")
    assert not shown.exists(), "a temporary file is left over"


@pytest.mark.parametrize("target", ["cuda:80", "cuda:90", "hip:gfx942"])
@pytest.mark.slow("a kernel through all of a back end")
async def test_every_stage_with_the_users_lines(tmp_path: Path, target: str) -> None:
    """The store stands in the helper; what ``tl.sum`` becomes counts for the line that calls it."""
    options = {"virtualDocuments": True}
    async with connect(tmp_path, options=options, settings={"target": target}) as connection:
        uri = connection.open("kernels.py", HELPED)
        stages = await execute(connection, "stages", uri)
        last = ["amdgcn"] if target.startswith("hip") else ["ptx", "sass"]
        assert stages == ["ttir", "ttgir", "llir", *last]
        for stage in stages:
            result = await execute(connection, "showIr", uri, "total", stage)
            assert result["uri"] == f"triton-ls-ir:/total.{stage}?{quote(uri, safe='')}"
            params = {"uri": result["uri"]}
            content = await connection.client.protocol.send_request_async("triton-ls/irContent", params)
            assert content.text == result["text"]
            lines = content.text.split("\n")
            assert all(source == uri for _, source, _ in content.map), stage
            stored = {line + 1 for number, _, line in content.map if re.search(STORE[stage], lines[number])}
            assert stored == {7}, stage
            mapped = {line + 1 for _, _, line in content.map}
            assert {13, 7} <= mapped, stage
            assert 14 in mapped, stage
            assert mapped <= {6, 7, 11, 12, 13, 14}, stage


@pytest.mark.slow("a kernel is compiled to the end: LLVM and ptxas")
async def test_a_helper_leads_to_the_kernels_that_call_it(tmp_path: Path) -> None:
    async with connect(tmp_path) as connection:
        asked: list[types.ShowMessageRequestParams] = []

        def chosen(params: types.ShowMessageRequestParams) -> types.MessageActionItem:
            asked.append(params)
            return (params.actions or [])[0]

        connection.client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)(chosen)
        uri = connection.open("kernels.py", HELPED)
        helper = re.search(r"def (\w+)", HELPED)
        assert helper is not None
        await connection.until(lambda: uri in connection.client.diagnostics, "diagnostics")
        result = await execute(connection, "showIr", uri, helper[1], "ptx")
        assert [action.title for action in asked[0].actions or []] == ["total"]
        assert ".entry total" in result["text"]


async def test_no_light_bulb_on_every_line(tmp_path: Path) -> None:
    async with connect(tmp_path) as connection:
        uri = connection.open("kernels.py", KERNELS)
        await connection.until_shown(uri, 14, "mutated-parameter")
        by_itself = types.CodeActionContext([], trigger_kind=types.CodeActionTriggerKind.Automatic)
        counts: list[int] = []
        for line in (5, 7):
            place = types.Range(types.Position(line, 0), types.Position(line, 0))
            params = types.CodeActionParams(types.TextDocumentIdentifier(uri), place, by_itself)
            counts.append(len(await connection.client.text_document_code_action_async(params) or []))
        assert counts[0] > 0
        assert counts[1] == 0
        assert await actions(connection, uri, 7), "whoever asks gets them"


async def test_what_there_is_not(tmp_path: Path) -> None:
    async with connect(tmp_path) as connection:
        uri = connection.open("kernels.py", KERNELS)
        with pytest.raises(JsonRpcException, match="There is no stage amdgcn for cuda:90"):
            await execute(connection, "showIr", uri, "copy_kernel", "amdgcn")
        await connection.until_shown(uri, 14, "mutated-parameter")
        broken = KERNELS.replace("tl.store(in_ptr + offsets, offsets)", "tl.store(in_ptr + offsets, nothing)")
        connection.replace(uri, broken)
        with pytest.raises(JsonRpcException, match="`clobber_kernel` could not be compiled: "):
            await execute(connection, "showIr", uri, "clobber_kernel", "ptx")


async def test_a_command_with_other_arguments_says_which(tmp_path: Path) -> None:
    async with connect(tmp_path) as connection:
        for given, what in (((), "uri"), (("file:///k.py", "f", "ttir", "more"), "too many")):
            with pytest.raises(JsonRpcException, match=f"triton-ls.showIr: .*{what}"):
                await execute(connection, "showIr", *given)
        with pytest.raises(JsonRpcException, match="untitled:Untitled-1 is no file"):
            await execute(connection, "showIr", "untitled:Untitled-1", "f")


async def test_the_kernel_at_a_place(tmp_path: Path) -> None:
    async with connect(tmp_path) as connection:
        uri = connection.open("kernels.py", HELPED)
        assert await execute(connection, "kernelAt", uri, 13, 4) == {"qualname": "total", "role": "kernel"}
        assert await execute(connection, "kernelAt", uri, 6, 0) == {"qualname": "put", "role": "helper"}
        assert await execute(connection, "kernelAt", uri, 1, 0) is None


async def test_another_target_until_the_server_ends(tmp_path: Path) -> None:
    async with connect(tmp_path, settings={"target": "cuda:80"}) as connection:
        uri = connection.open("kernels.py", HELPED)
        targets = await execute(connection, "targets", uri)
        assert targets["current"] == "cuda:80"
        assert {"cuda:90", "hip:gfx942"} <= set(targets["known"])
        assert await execute(connection, "setTarget", "hip:gfx942") == "hip:gfx942"
        assert "hip:gfx942" in (await execute(connection, "showIr", uri, "total"))["text"]
        with pytest.raises(JsonRpcException, match='is a text like "cuda:90"'):
            await execute(connection, "setTarget", "mine")
        await execute(connection, "setTarget", None)
        assert (await execute(connection, "targets", uri))["current"] == "cuda:80"


async def test_asking_for_a_target(tmp_path: Path) -> None:
    async with connect(tmp_path) as connection:
        asked: list[types.ShowMessageRequestParams] = []

        async def choose(params: types.ShowMessageRequestParams) -> types.MessageActionItem:
            asked.append(params)
            return types.MessageActionItem("cuda:80")

        connection.client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)(choose)
        uri = connection.open("kernels.py", HELPED)
        assert await execute(connection, "setTarget") == "cuda:80"
        assert "cuda:80" in [action.title for action in asked[0].actions or []]
        assert (await execute(connection, "targets", uri))["current"] == "cuda:80"


@pytest.mark.slow("a kernel is compiled to the end: LLVM and ptxas")
async def test_resources_are_shown_until_the_kernel_changes(tmp_path: Path) -> None:
    async with connect(tmp_path) as connection:
        uri = connection.open("kernels.py", HELPED)
        await connection.until(lambda: uri in connection.client.diagnostics, "diagnostics")

        async def hover(text: str) -> str:
            return await connection.hover_on(uri, text, r"def (total)", 1) or ""

        async def until_hover(text: str, words: str) -> str:
            found = ""
            for _ in range(300):
                found = await hover(text)
                if words in found:
                    return found
                await asyncio.sleep(0.1)
            raise AssertionError(found)

        assert "operations of TTIR" in await until_hover(HELPED, "operations of TTIR")
        assert "registers" not in await hover(HELPED)
        assert "Show registers and shared memory of total" in await actions(connection, uri, 11)
        assert "Show registers and shared memory of put" not in await actions(connection, uri, 6)
        found = await execute(connection, "resources", uri, "total")
        assert found["target"] == "cuda:90"
        assert found["num_warps"] == 8
        assert found["registers"] > 8
        assert found["spills"] == 0
        assert found["shared_bytes"] >= 4 * 8, "each of eight warps hands over its part of the sum"
        assert f"**{found['registers']} registers** a thread" in await hover(HELPED)
        assert "num_warps=8" in await hover(HELPED)

        # A comment changes nothing; other warps, and other code, do.
        commented = HELPED.replace("    value =", "    # a comment\n    value =")
        connection.replace(uri, commented)
        await until_hover(commented, "registers")
        warps = commented.replace("num_warps=8", "num_warps=4")
        connection.replace(uri, warps)
        for _ in range(100):
            if "registers" not in await hover(warps):
                break
            await asyncio.sleep(0.1)
        assert "registers" not in await hover(warps)
        assert "operations of TTIR" in await until_hover(warps, "operations of TTIR")


TUNED = """\
import triton
import triton.language as tl


@triton.autotune(
    [
        triton.Config({"ROWS": 16, "INNER": 16}, num_warps=2),
        triton.Config({"ROWS": 256, "INNER": 256}, num_warps=8),
        triton.Config({"ROWS": 48, "INNER": 16}),
    ],
    key=["n"],
)
@triton.jit
def product(a_ptr, b_ptr, out_ptr, n, ROWS: tl.constexpr, INNER: tl.constexpr):
    rows = tl.arange(0, ROWS)
    inner = tl.arange(0, INNER)
    total = tl.zeros((ROWS, ROWS), tl.float32)
    for first in range(0, n, INNER):
        a = tl.load(a_ptr + rows[:, None] * n + first + inner[None, :])
        b = tl.load(b_ptr + (first + inner)[:, None] * ROWS + rows[None, :])
        total = tl.dot(a, b, total)
    tl.store(out_ptr + rows[:, None] * ROWS + rows[None, :], total)


@triton.jit
def plain(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at))
"""


@pytest.mark.slow("a kernel is compiled to the end four times: LLVM and ptxas")
async def test_what_every_config_takes_is_a_table(tmp_path: Path) -> None:
    async with connect(tmp_path) as connection:
        uri = connection.open("kernels.py", TUNED)
        await connection.until(lambda: uri in connection.client.diagnostics, "diagnostics")
        action = (await actions(connection, uri, 15))["Show resources of all configs of product"]
        params = types.ExecuteCommandParams(action.command, action.arguments)
        found: Any = await connection.client.workspace_execute_command_async(params)
        assert found["shared_limit"] == 232448
        small, large, refused = found["configs"]
        assert small["config"] == "ROWS=16, INNER=16, num_warps=2"
        assert small["spills"] == 0
        assert small["over_limit"] is False
        assert large["shared_bytes"] > 232448
        assert large["over_limit"] is True
        assert refused["error"] is not None
        assert "power of 2" in refused["error"], "the front end's own words"
        text = found["text"].split("\n")
        assert text[0] == "product for cuda:90, where a program can have 232,448 bytes of shared memory"
        assert "over the limit by" in next(line for line in text if line.startswith("ROWS=256"))
        assert Path(found["uri"].removeprefix("file://")).read_text(encoding="utf-8") == found["text"]

        alone: Any = await execute(connection, "configResources", uri, "plain")
        assert len(alone["configs"]) == 1
        assert "no autotuner" in alone["note"]
        with pytest.raises(JsonRpcException, match="no jit function `nothing`"):
            await execute(connection, "configResources", uri, "nothing")


async def test_a_question_does_not_hold_up_what_is_typed(tmp_path: Path) -> None:
    """One agent answers it, however many questions there are; the other is there for edits."""
    settings = {"interpreter": puppet.interpreter(tmp_path), "timeout": 60}
    async with connect(tmp_path, settings=settings) as connection:
        uri = connection.open("kernels.py", "def good(x):\n")
        await connection.until(lambda: uri in connection.client.diagnostics, "diagnostics")
        asked = [asyncio.ensure_future(execute(connection, "showIr", uri, f"hang_{n}")) for n in range(3)]
        await connection.until(lambda: any(entry[1] == "ir" for entry in puppet.log(tmp_path)), "an agent is asked")
        connection.replace(uri, "def good(x):\ndef better(y):\n")
        for _ in range(100):
            if "better" in (await connection.hover(uri, 1, 5) or ""):
                break
            await asyncio.sleep(0.1)
        assert "touches no memory" in (await connection.hover(uri, 1, 5) or "")
        assert not any(question.done() for question in asked)
        await execute(connection, "restart")
        answers = await asyncio.gather(*asked, return_exceptions=True)
        assert all("restarted meanwhile; ask again" in str(answer) for answer in answers)


async def test_clients_are_told_what_they_asked_to_be_told(tmp_path: Path) -> None:
    options = {"virtualDocuments": True, "status": True}
    async with connect(tmp_path, options=options) as connection:
        seen: list[Any] = []
        changed: list[str] = []
        connection.client.feature("triton-ls/status")(lambda params: seen.append(params))
        connection.client.feature("triton-ls/irChanged")(lambda params: changed.append(params.uri))
        uri = connection.open("kernels.py", KERNELS)
        await connection.until(lambda: seen and seen[-1].state == "ready" and seen[-1].triton, "ready")
        assert [status.state for status in seen if status.state == "compiling"]
        assert max(status.kernels for status in seen) >= 1
        assert seen[-1].target == "cuda:90"
        assert changed == [uri]
        connection.insert(uri, 8, 0, "    pass\n")
        await connection.until(lambda: len(changed) == 2, "the IR changed")
        text = (await execute(connection, "debugInformation"))["text"]
        assert f"Triton {seen[-1].triton}" in text
        assert "process" in text


async def test_status_says_why_nothing_works(tmp_path: Path) -> None:
    settings = {"interpreter": "/nowhere/python"}
    async with connect(tmp_path, settings=settings, options={"status": True}) as connection:
        seen: list[Any] = []
        connection.client.feature("triton-ls/status")(lambda params: seen.append(params))
        connection.open("kernels.py", KERNELS)
        await connection.until(lambda: seen and seen[-1].state == "degraded", "degraded")
        assert "/nowhere/python does not exist" in seen[-1].message
