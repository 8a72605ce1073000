"""Hints in the text: shapes and types of what is assigned, written parameters, and nothing on a text that they were not
computed from."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from connection import KERNELS, Connection, client_capabilities, connect
from lsprotocol import types
from pygls.exceptions import JsonRpcException

TEXT = '''\
import triton
import triton.language as tl


@triton.jit
def put(ptr, value):
    tl.store(ptr, value)


@triton.jit
def kernel(in_ptr, out_ptr, n, BLOCK: tl.constexpr = 64):
    """x is a docstring."""
    pid = tl.program_id(0)
    HALF: tl.constexpr = BLOCK // 2
    size = BLOCK * 2
    at = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(in_ptr + at); first = tl.load(in_ptr)
    x = x * 2
    low: tl.tensor = x
    é, x = x, x.to(tl.float16)
    for i in range(n):
        x += 1
    put(out_ptr + at, x)
'''


async def shown(connection: Connection, uri: str, first: int = 0, last: int = 999) -> dict[int, list[tuple[int, str]]]:
    """(character, label) of the hints, by line from 1."""
    place = types.Range(types.Position(first, 0), types.Position(last, 0))
    params = types.InlayHintParams(types.TextDocumentIdentifier(uri), place)
    found: dict[int, list[tuple[int, str]]] = {}
    for hint in await connection.client.text_document_inlay_hint_async(params) or []:
        assert isinstance(hint.label, str)
        found.setdefault(hint.position.line + 1, []).append((hint.position.character, hint.label))
    return {line: sorted(hints) for line, hints in sorted(found.items())}


async def until_shown(connection: Connection, uri: str, line: int) -> dict[int, list[tuple[int, str]]]:
    found: dict[int, list[tuple[int, str]]] = {}
    for _ in range(300):
        found = await shown(connection, uri)
        if line in found:
            return found
        await asyncio.sleep(0.1)
    raise AssertionError(f"no hint on line {line}: {found}")


@pytest.mark.parametrize("profile", ["visual-studio-code", "neovim@v0.7.0", "neovim", "emacs"])
@pytest.mark.slow("a session of its own: two agents that import Triton")
async def test_what_is_worth_a_hint(tmp_path: Path, profile: str) -> None:
    async with connect(tmp_path, profile) as connection:
        uri = connection.open("kernels.py", TEXT)
        found = await until_shown(connection, uri, 16)
        wide = 1 if profile == "neovim" else 0  # it counts in UTF-8
        assert found == {
            11: [(26, "written")],
            16: [(6, ": int32[64]")],
            17: [(5, ": fp32[64]"), (35, ": fp32")],
            20: [(5 + wide, ": fp32[64]"), (8 + wide, ": fp16[64]")],
        }
        assert await shown(connection, uri, 15, 16) == {16: found[16], 17: found[17]}


OBJECT = """\
import triton
import triton.language as tl
from triton.language.core import _aggregate as aggregate


@aggregate
class State:
    buf: tl.tensor

    @triton.constexpr_function
    def __init__(self, buf):
        self.buf = buf


@triton.jit
def kernel(ptr):
    state = State(ptr)
    at = tl.arange(0, 16)
    tl.store(state.buf + at, 1)
"""


async def test_an_object_is_what_its_class_says(tmp_path: Path) -> None:
    async with connect(tmp_path) as connection:
        uri = connection.open("kernels.py", OBJECT)
        found = await until_shown(connection, uri, 18)
        said = await connection.hover(uri, 16, 6)
    assert found == {16: [(14, "written")], 18: [(6, ": int32[16]")]}
    assert said is not None
    assert "state: State(buf: *fp32)" in said


async def test_a_pointer_that_moves_on_is_what_it_was(tmp_path: Path) -> None:
    async with connect(tmp_path) as connection:
        text = TEXT.replace("    x = tl.load(in_ptr + at)", "    in_ptr += pid\n    x = tl.load(in_ptr + at)")
        uri = connection.open("kernels.py", text)
        assert 17 not in await until_shown(connection, uri, 18)


@pytest.mark.slow("three servers")
async def test_each_kind_can_be_switched_off(tmp_path: Path) -> None:
    async with connect(tmp_path, settings={"inlayHints": {"types": False}}) as connection:
        uri = connection.open("kernels.py", TEXT)
        assert await until_shown(connection, uri, 11) == {11: [(26, "written")]}
    (tmp_path / "pyproject.toml").write_text("[tool.triton-ls.inlay-hints]\ntypes = true\nwritten = false\n")
    async with connect(tmp_path) as connection:
        uri = connection.open("kernels.py", TEXT)
        assert 11 not in await until_shown(connection, uri, 16)
    async with connect(tmp_path, settings={"inlayHints": {"tpyes": False}}) as connection:
        await connection.until_message("is a table from types and written to true or false")


async def test_what_is_shown_after_an_edit_is_marked_or_withheld(tmp_path: Path) -> None:
    async with connect(tmp_path, settings={"debounce": 60_000}) as connection:
        uri = connection.open("kernels.py", KERNELS)
        found = await until_shown(connection, uri, 15)
        assert {6, 7, 8, 9, 14, 15} == set(found)
        connection.insert(uri, 8, 0, "\n")
        marked = await shown(connection, uri)
        assert set(marked) == {6, 7, 8, 10, 15, 16}, "they move along with their lines"
        labels = {line: [label for _, label in hints] for line, hints in marked.items()}
        assert labels[6] == ["~written"], "the edited kernel's say that they are of before"
        assert labels[7] == ["~ int32[1024]"]
        assert (labels[15], labels[16]) == (["written"], [": int32[64]"])
        connection.insert(uri, 6, 0, " ")
        assert 7 not in await shown(connection, uri), "nothing on a line that was edited"
        connection.change(
            uri,
            types.TextDocumentContentChangePartial(
                range=types.Range(types.Position(6, 0), types.Position(6, 1)), text=""
            ),
        )
        document = types.TextDocumentIdentifier(uri)
        connection.client.text_document_did_save(types.DidSaveTextDocumentParams(document))
        assert {6, 7, 8, 10, 15, 16} == set(await until_shown(connection, uri, 7))


async def test_up_to_an_error_each_line_means_what_it_means(tmp_path: Path) -> None:
    async with connect(tmp_path) as connection:
        uri = connection.open("kernels.py", TEXT.replace("    x = x * 2\n", "    x = tl.dot(x, x)\n"))
        await connection.until_shown(uri, 18, "compile-error", "")
        found = await shown(connection, uri)
        assert found == {16: [(6, ": int32[64]")], 17: [(5, ": fp32[64]"), (35, ": fp32")]}
        assert await connection.hover(uri, 17, 4) == "```python\nx: fp32[64]\n```"


async def test_what_is_known_up_to_an_error_is_no_more_of_before(tmp_path: Path) -> None:
    """Also on the line that is typed in, where the error is on another one."""
    async with connect(tmp_path) as connection:
        uri = connection.open("kernels.py", TEXT)
        compiled = await until_shown(connection, uri, 16)
        await connection.until(lambda: uri in connection.client.diagnostics, "it is all known")
        connection.replace(
            uri, TEXT.replace("    x = x * 2\n", "    x = tl.dot(x, x)\n").replace("pid * BLOCK +", "pid +")
        )
        await connection.until_shown(uri, 18, "compile-error", "")
        found = await shown(connection, uri)
        assert (found[16], found[17]) == (compiled[16], compiled[17]) == (
            [(6, ": int32[64]")], [(5, ": fp32[64]"), (35, ": fp32")]
        )  # fmt: skip
        below = [label for line, hints in found.items() for _, label in hints if line > 18]
        assert below
        assert all(label.startswith("~") for label in below), "what is below is of the last state that compiled"
        assert await connection.hover(uri, 15, 4) == "```python\nat: int32[64]\n```"
        assert "before the last edits" in (await connection.hover(uri, 19, 4) or "")


async def test_a_client_is_told_to_ask_again(tmp_path: Path) -> None:
    capabilities = client_capabilities("visual-studio-code")
    assert capabilities.workspace is not None
    capabilities.workspace.inlay_hint = types.InlayHintWorkspaceClientCapabilities(refresh_support=True)
    async with connect(tmp_path, capabilities) as connection:
        asked: list[None] = []
        connection.client.feature(types.WORKSPACE_INLAY_HINT_REFRESH)(lambda params: asked.append(params))
        uri = connection.open("kernels.py", KERNELS)
        await connection.until(lambda: asked, "a refresh")
        await until_shown(connection, uri, 15)


@pytest.mark.parametrize("label", [True, False])
async def test_a_written_parameter_has_a_label_or_dots(tmp_path: Path, label: bool) -> None:
    """Where the editor knows inlay hints; an input that is written is a warning either way."""
    text = TEXT.replace("    x = x * 2\n", "    tl.store(in_ptr + at, x)\n")
    async with connect(tmp_path, "emacs", settings={"inlayHints": {"written": label}}) as connection:
        uri = connection.open("kernels.py", text)
        await connection.until_shown(uri, 11, "mutated-parameter", "`in_ptr` is mutated")
        labels = (await until_shown(connection, uri, 16)).get(11, [])
        assert [text for _, text in labels] == ["written", "written"] * label
        hints = [words for _, code, words in connection.shown(uri) if code == "mutated-parameter"]
        assert any("`out_ptr` is mutated" in words for words in hints) != label
        place = types.Range(types.Position(10, 20), types.Position(10, 20))
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), place, types.CodeActionContext([]))
        offered = await connection.client.text_document_code_action_async(params)
        assert any("Ignore" in action.title for action in offered or []) != label


async def until_hint(connection: Connection, uri: str, line: int, label: str) -> None:
    found: dict[int, list[tuple[int, str]]] = {}
    for _ in range(300):
        found = await shown(connection, uri)
        if label in [one for _, one in found.get(line, [])]:
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"no hint {label!r} on line {line}: {found}")


TUNED = """\
import triton
import triton.language as tl


@triton.autotune([triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128, "FLAG": True}, num_warps=8)], key=[])
@triton.jit
def kernel(out_ptr, BLOCK: tl.constexpr, FLAG: tl.constexpr = False):
    at = tl.arange(0, BLOCK)
    if FLAG:
        once = at * 2.0
    tl.store(out_ptr + at, at)
"""


@pytest.mark.slow("a session of its own: two agents that import Triton, and each choice is compiled")
async def test_the_shapes_of_one_config_are_shown(tmp_path: Path) -> None:
    async with connect(tmp_path) as connection:
        uri = connection.open("kernels.py", TUNED)
        await until_hint(connection, uri, 10, ": fp32[64]")
        usual = await shown(connection, uri)

        async def command(name: str, *arguments: str | None) -> Any:
            params = types.ExecuteCommandParams(f"triton-ls.{name}", [uri, "kernel", *arguments])
            return await connection.client.workspace_execute_command_async(params)

        small, large = "BLOCK = 64, FLAG = False", "BLOCK = 128, FLAG = True"
        found = await command("shapes")
        assert found["chosen"] is None
        assert {small, large} <= {*found["choices"]}
        await command("showShapes", large)
        assert (await shown(connection, uri))[8] == [(6, ": int32[128]")]
        assert (await shown(connection, uri))[10] == [(12, ": fp32[128]")]
        assert await connection.hover(uri, 7, 5) == "```python\nat: int32[128]\n```"
        assert "Shapes are shown for `BLOCK = 128, FLAG = True`" in (await connection.hover(uri, 6, 5) or "")
        assert (await command("shapes"))["chosen"] == large
        await command("showShapes", small)
        one = await shown(connection, uri)
        assert one[8] == [(6, ": int32[64]")]
        assert 10 not in one, "the line is not reached there"

        # It is about the kernel: where that moves, and where it is another, too.
        await command("showShapes", large)
        connection.insert(uri, 0, 0, "# a comment\n")
        connection.insert(uri, 11, 0, "    wide = at[:, None]\n")
        await until_hint(connection, uri, 12, ": int32[128, 1]")
        assert (await shown(connection, uri))[9] == [(6, ": int32[128]")]
        await command("showShapes", None)
        assert (await shown(connection, uri))[9] == usual[8]

        # A config that is none any more.
        await command("showShapes", large)
        connection.replace(uri, TUNED.replace("128", "256"))
        await until_hint(connection, uri, 8, ": int32[64]")
        with pytest.raises(JsonRpcException, match="no longer launched or configured with BLOCK = 128"):
            await command("showShapes", large)
