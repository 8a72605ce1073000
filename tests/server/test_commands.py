"""What the extension for VS Code calls and offers, and what the pages list, is what the server has."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

from connection import SOURCES

from triton_ls import handlers
from triton_ls.handlers import register
from triton_ls.server import TritonServer
from triton_ls.settings import Settings

CLIENT = SOURCES / "vscode-client"
MANIFEST = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))["contributes"]
SCRIPTS = "\n".join(path.read_text(encoding="utf-8") for path in sorted((CLIENT / "src").glob("*.ts")))


def commands() -> set[str]:
    server = TritonServer()
    register(server)
    return {*server.protocol.fm.commands}


def test_the_extension_calls_what_there_is() -> None:
    called = {*re.findall(r'(?:execute(?:<[^(]*>)?|forKernel)\((?:server\(\), )?\s*"(triton-ls\.\w+)"', SCRIPTS)}
    assert {"triton-ls.run", "triton-ls.targets", "triton-ls.pinLaunch"} <= called
    assert called <= commands()


def test_the_extension_registers_what_its_manifest_offers() -> None:
    offered = {command["command"] for command in MANIFEST["commands"]}
    table = SCRIPTS.partition("const commands: Record<string, (...args: unknown[]) => unknown> = {")[2].partition(
        "\n  };"
    )[0]
    assert offered == {f"tritonKernels.{name}" for name in re.findall(r"^    (\w+):", table, re.MULTILINE)}
    shown = {entry["command"] for entries in MANIFEST["menus"].values() for entry in entries}
    assert shown <= offered


def test_the_pages_list_all_commands() -> None:
    pages = "".join((SOURCES / "docs" / name).read_text(encoding="utf-8") for name in ("editors.md", "running.md"))
    assert {*re.findall(r"^\| `(triton-ls\.\w+)` \|", pages, re.MULTILINE)} == commands()


def test_each_handler_is_registered() -> None:
    there = {path.stem for path in Path(str(handlers.__file__)).parent.glob("*.py")} - {"__init__"}
    assert there - {"diagnostic"} == {*handlers.ALWAYS}


def test_the_page_on_editors_has_what_is_asked_of_a_document() -> None:
    server = TritonServer()
    register(server)
    asked = {name for name in server.protocol.fm.features if re.match(r"textDocument/(?!did)", name)}
    page = (SOURCES / "docs" / "editors.md").read_text(encoding="utf-8")
    rows = {*re.findall(r"^\| `(textDocument/\w+)` \|", page, re.MULTILINE)}
    assert rows == asked | {"textDocument/publishDiagnostics", "textDocument/diagnostic"}


def test_defaults_are_the_servers() -> None:
    settings = Settings()
    described = MANIFEST["configuration"]["properties"]
    assert described["triton-ls.target"]["default"] == settings.target
    assert described["triton-ls.severity"]["default"] == settings.severity == {}
    assert described["triton-ls.cache"]["default"] is (settings.cache is not None)
    for switch, value in dataclasses.asdict(settings.inlay_hints).items():
        assert described[f"triton-ls.inlayHints.{switch}"]["default"] is value
    # What has no value of its own is not set: the server decides.
    for name in ("interpreter", "device"):
        assert not described[f"triton-ls.{name}"].get("default")
