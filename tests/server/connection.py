"""A server under test and the client that drives it: real processes, real capabilities of real editors."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import sys
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest_lsp
from lsprotocol import types
from pygls.uris import from_fs_path
from pytest_lsp import LanguageClient, client_capabilities
from pytest_lsp.client import make_test_lsp_client

PATIENCE = 30
SOURCES = Path(__file__).parents[2]
INTERPRETER = os.environ.get("TRITON_LS_TEST_PYTHON", sys.executable)

KERNELS = """\
import triton
import triton.language as tl


@triton.jit
def copy_kernel(in_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    value = tl.load(in_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, value, mask=mask)


@triton.jit
def clobber_kernel(in_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(in_ptr + offsets, offsets)


def launch(x, y):
    copy_kernel[(1,)](x, y, 1024, BLOCK=1024)
    clobber_kernel[(1,)](x, BLOCK=64)
"""

Capabilities = types.ClientCapabilities


class Connection:
    """A client that waits for what it asks for."""

    def __init__(self, client: LanguageClient, directory: Path) -> None:
        self.client, self.directory = client, directory
        self.versions: dict[str, int] = {}
        self.refreshes = 0

    @property
    def pid(self) -> int:
        assert self.client._server is not None
        return self.client._server.pid

    def uri(self, name: str) -> str:
        return from_fs_path(str(self.directory / name)) or ""

    def open(self, name: str, text: str, *, save: bool = True) -> str:
        """Open a document; also write it to disk unless it is to exist in the editor only."""
        if save:
            (self.directory / name).write_text(text, encoding="utf-8", newline="")
        uri = self.uri(name)
        self.versions[uri] = 1
        item = types.TextDocumentItem(uri=uri, language_id="python", version=1, text=text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
        return uri

    def replace(self, uri: str, text: str) -> None:
        """Replace the whole text."""
        self.change(uri, types.TextDocumentContentChangeWholeDocument(text=text))

    def insert(self, uri: str, line: int, character: int, text: str) -> None:
        place = types.Position(line=line, character=character)
        self.change(uri, types.TextDocumentContentChangePartial(range=types.Range(place, place), text=text))

    def change(self, uri: str, change: types.TextDocumentContentChangeEvent) -> None:
        self.versions[uri] += 1
        document = types.VersionedTextDocumentIdentifier(uri=uri, version=self.versions[uri])
        params = types.DidChangeTextDocumentParams(text_document=document, content_changes=[change])
        self.client.text_document_did_change(params)

    def shown(self, uri: str) -> list[tuple[int, str, str]]:
        """The diagnostics that the client shows: (line from 1, code, message)."""
        found = self.client.diagnostics.get(uri, [])
        return [(item.range.start.line + 1, str(item.code), item.message) for item in found]

    async def until(self, condition: Callable[[], Any], what: str) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                messages = [message.message for message in self.client.messages]
                raise AssertionError(f"not within {PATIENCE} s: {what}; shown: {self.client.diagnostics}; {messages}")
            await asyncio.sleep(0.01)

    async def until_shown(self, uri: str, line: int, code: str, words: str = "") -> str:
        """Wait for a diagnostic and return its message."""

        def matching() -> list[str]:
            return [text for at, kind, text in self.shown(uri) if (at, kind) == (line, code) and words in text]

        await self.until(matching, f"{code} on line {line} with {words!r}")
        return matching()[0]

    async def until_gone(self, uri: str, line: int, code: str) -> None:
        await self.until(lambda: not any(item[:2] == (line, code) for item in self.shown(uri)), f"{line} no {code}")

    async def until_message(self, words: str) -> str:
        def matching() -> list[str]:
            return [message.message for message in self.client.messages if words in message.message]

        await self.until(matching, f"a message with {words!r}")
        return matching()[0]

    async def hover(self, uri: str, line: int, character: int) -> str | None:
        """The text at a place; lines from 0 as the client counts."""
        place = types.Position(line=line, character=character)
        params = types.HoverParams(text_document=types.TextDocumentIdentifier(uri), position=place)
        answer = await self.client.text_document_hover_async(params)
        if answer is None:
            return None
        assert isinstance(answer.contents, types.MarkupContent)
        return answer.contents.value

    async def hover_on(self, uri: str, text: str, pattern: str, group: int = 0) -> str | None:
        """The hover on the first match of ``pattern`` in ``text``."""
        match = re.search(pattern, text)
        assert match is not None
        before = text[: match.start(group)]
        return await self.hover(uri, before.count("\n"), len(before) - before.rfind("\n") - 1)


def vscode_that_pulls() -> Capabilities:
    """VS Code's profile here is older than pull diagnostics; newer ones add this."""
    capabilities = client_capabilities("visual-studio-code")
    assert capabilities.text_document is not None
    assert capabilities.workspace is not None
    capabilities.text_document.diagnostic = types.DiagnosticClientCapabilities(dynamic_registration=True)
    capabilities.workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    return capabilities


@contextlib.asynccontextmanager
async def connect(
    directory: Path,
    capabilities: Capabilities | str = "visual-studio-code",
    *,
    settings: Mapping[str, Any] | None = None,
    options: Any = None,
    roots: list[Path] | None = None,
    process_id: int | None = None,
    shut_down: bool = True,
) -> AsyncGenerator[Connection]:
    """A server that has been initialized. ``settings`` is what the editor answers to ``workspace/configuration``."""
    if isinstance(capabilities, str):
        capabilities = client_capabilities(capabilities)
    client = make_test_lsp_client()
    client.feature(types.CLIENT_REGISTER_CAPABILITY)(lambda params: None)
    client.set_configuration({"triton-ls": {"interpreter": INTERPRETER, **(settings or {})}})
    environment = {
        **os.environ,
        "PYTHONPATH": f"{SOURCES / 'analysis'}{os.pathsep}{SOURCES / 'server'}",
        "XDG_CACHE_HOME": str(directory / "cache"),
    }
    await client.start_io(sys.executable, "-m", "triton_ls", "serve", "--log-level", "warning", env=environment)
    connection = Connection(client, directory)
    folders = [
        types.WorkspaceFolder(uri=from_fs_path(str(root)) or "", name=root.name) for root in roots or [directory]
    ]
    try:
        await client.initialize_session(
            types.InitializeParams(
                capabilities=capabilities,
                workspace_folders=folders,
                initialization_options=options,
                process_id=process_id,
            )
        )
        yield connection
        if shut_down:
            await client.shutdown_session()
    finally:
        # pytest-lsp waits for a server that a failed test has not shut down, for ever.
        if client._server is not None and client._server.returncode is None:
            client._server.kill()
        await client.stop()


__all__ = ["INTERPRETER", "KERNELS", "Connection", "client_capabilities", "connect", "pytest_lsp", "vscode_that_pulls"]
