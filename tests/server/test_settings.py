"""Settings: where they come from, which wins, what is said of those that make no sense."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import re
import sys
import time
from pathlib import Path

import pytest
from connection import KERNELS, SOURCES, client_capabilities, connect
from lsprotocol import types
from test_cli import run

from kernel_analysis.rules import CODES as RULES
from triton_ls.settings import (
    CODES,
    LEVELS,
    NUMBERS,
    Settings,
    _key,
    default_cache_directory,
    find_pyproject,
    merge,
    parse,
    read_pyproject,
)


def test_editors_and_toml_may_spell_names_their_way() -> None:
    assert parse({"memoryLimit": 512}, "x") == parse({"memory-limit": 512}, "x") == ({"memory_limit": 512}, [])


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("timeout", "10", "is a number of seconds, at least 0.1, not '10'"),
        ("timeout", True, "is a number of seconds"),
        ("memoryLimit", 1, "is a number of megabytes, at least 256"),
        ("target", "cuda", 'is a text like "cuda:90"'),
        ("severity", {"inline-asm": "loud"}, "one of off, hint, information, warning, error"),
        ("severity", ["inline-asm"], "is a table"),
        ("cache", "relative/path", "is true, false or the full path"),
        ("interpreter", "", "is a text"),
        ("tiemout", 1, "triton-ls has no setting 'tiemout'; it has cache, debounce,"),
    ],
)
def test_what_makes_no_sense_is_named_and_ignored(name: str, value: object, expected: str) -> None:
    values, complaints = parse({name: value, "debounce": 5}, "here")
    assert values == {"debounce": 5}
    assert len(complaints) == 1
    assert complaints[0].startswith("here: ")
    assert expected in complaints[0]


NOT_NUMBERS = [math.nan, math.inf, -math.inf, -1, 1e300, 10**400, -(10**400), "1", True, [1], {}]


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", NOT_NUMBERS, ids=lambda value: str(value)[:10])
def test_what_is_no_number_to_wait_for_is_refused(name: str, value: object) -> None:
    values, complaints = parse({name: value}, "here")
    assert values == {}
    assert len(complaints) == 1
    assert len(complaints[0]) < 300


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", [1e8, 999_999_999])
def test_a_number_has_a_ceiling_wherever_it_comes_from(name: str, value: object, tmp_path: Path) -> None:
    number = NUMBERS[name]
    values, complaints = parse({name: value}, "here")
    assert values == {name: number.most}
    assert f"is at most {number.most:g} {number.unit}, which is used" in complaints[0]
    (tmp_path / "pyproject.toml").write_text(f"[tool.triton-ls]\n{name.replace('_', '-')} = {value}\n")
    values, complaints = read_pyproject(tmp_path / "pyproject.toml")
    assert values == {name: number.most}
    assert len(complaints) == 1
    (tmp_path / "pyproject.toml").write_text(f"[tool.triton-ls]\n{name.replace('_', '-')} = {number.least}\n")
    assert read_pyproject(tmp_path / "pyproject.toml") == ({name: number.least}, [])


def test_the_extension_for_vs_code_knows_the_same_settings_and_guards_the_limits() -> None:
    manifest = json.loads((SOURCES / "vscode-client" / "package.json").read_text(encoding="utf-8"))
    described = manifest["contributes"]["configuration"]["properties"]
    restricted = manifest["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    assert set(restricted) <= described.keys()
    assert {_key(name.removeprefix("triton-ls.").partition(".")[0]) for name in described} == {
        *(field.name for field in dataclasses.fields(Settings)),
        "trace",
    }
    numbers = {name: what for name, what in described.items() if what["type"] in ("number", "integer")}
    assert {_key(name.removeprefix("triton-ls.")) for name in numbers} == NUMBERS.keys()
    for name, what in numbers.items():
        number = NUMBERS[_key(name.removeprefix("triton-ls."))]
        assert name in restricted, f"an untrusted workspace may set {name}"
        # None of "application" or "machine": a workspace that is trusted may set its limits.
        assert what["scope"] == "resource"
        assert (what["minimum"], what["maximum"]) == (number.least, number.most)
        assert what["default"] == getattr(Settings(), _key(name.removeprefix("triton-ls.")))
        assert (what["type"] == "integer") == number.whole
    # Programs, devices and places to write belong to the machine.
    for name in ("interpreter", "cache", "device"):
        assert f"triton-ls.{name}" in restricted
        assert described[f"triton-ls.{name}"]["scope"] == "machine-overridable"


def test_the_page_on_settings_has_each_of_them_and_its_limits() -> None:
    page = (SOURCES / "docs" / "settings.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|", page, flags=re.MULTILINE)
    assert sorted(map(_key, rows)) == sorted(field.name for field in dataclasses.fields(Settings))
    for name, number in NUMBERS.items():
        (row,) = re.findall(rf"^.*\| `{name.replace('_', '-')}` \|.*$", page, flags=re.MULTILINE)
        assert f"| `{getattr(Settings(), name):g}` |" in row
        assert f"{number.least:g} to {number.most:g}. |" in row


def test_settings_that_are_no_table() -> None:
    assert parse(3, "here") == ({}, ["here: the settings of triton-ls are a table, not 3."])
    assert parse(None, "here") == ({}, [])


def test_the_client_wins_over_the_project_and_each_severity_counts_by_itself() -> None:
    project = {"timeout": 3.0, "target": "hip:gfx942", "severity": {"a": "error", "b": "off"}}
    settings = merge({"timeout": 7.0, "severity": {"a": "hint"}}, project)
    assert (settings.timeout, settings.target) == (7.0, "hip:gfx942")
    assert settings.severity == {"a": "hint", "b": "off"}
    assert settings.interpreter == sys.executable


def test_the_nearest_pyproject_counts(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.triton-ls]\ntarget = "cuda:80"\n')
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert read_pyproject(find_pyproject(str(inner))) == ({"target": "cuda:80"}, [])
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'a'\n")
    assert read_pyproject(find_pyproject(str(inner))) == ({}, [])


def test_a_project_does_not_choose_programs_or_places_to_write(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.triton-ls]\ninterpreter = "./evil"\ncache = "/elsewhere"\n')
    values, complaints = read_pyproject(find_pyproject(str(tmp_path)))
    assert values == {}
    assert len(complaints) == 2
    (tmp_path / "pyproject.toml").write_text("[tool.triton-ls]\ncache = false\n")
    assert read_pyproject(find_pyproject(str(tmp_path))) == ({"cache": None}, [])


def test_a_pyproject_that_does_not_parse(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool")
    values, complaints = read_pyproject(find_pyproject(str(tmp_path)))
    assert values == {}
    assert "cannot be read" in complaints[0]


def test_the_cache_is_below_the_users_cache_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache_directory() == str(tmp_path / "triton-ls")
    assert Settings().cache_file == str(tmp_path / "triton-ls" / "facts.sqlite")
    assert Settings(cache=None).cache_file is None


async def test_settings_from_the_editor_and_their_changes(tmp_path: Path) -> None:
    async with connect(tmp_path, settings={"severity": {"mutated-parameter": "error"}, "nonsense": 1}) as connection:
        uri = connection.open("kernels.py", KERNELS)
        await connection.until_shown(uri, 14, "mutated-parameter")
        assert connection.client.diagnostics[uri][0].severity == types.DiagnosticSeverity.Error
        assert "'nonsense'" in await connection.until_message("The editor's settings")
        connection.client.set_configuration({"mutated-parameter": "off"}, section="triton-ls.severity")
        params = types.DidChangeConfigurationParams(settings=None)
        connection.client.workspace_did_change_configuration(params)
        await connection.until_gone(uri, 14, "mutated-parameter")


async def test_settings_of_a_client_that_can_not_be_asked(tmp_path: Path) -> None:
    capabilities = client_capabilities("neovim@v0.7.0")
    async with connect(tmp_path, capabilities) as connection:
        uri = connection.open("kernels.py", KERNELS)
        settings = {"triton-ls": {"severity": {"mutated-parameter": "off"}}}
        params = types.DidChangeConfigurationParams(settings=settings)
        await connection.until_shown(uri, 14, "mutated-parameter")
        connection.client.workspace_did_change_configuration(params)
        await connection.until_gone(uri, 14, "mutated-parameter")


async def test_pyproject_counts_and_is_watched(tmp_path: Path) -> None:
    project = tmp_path / "pyproject.toml"
    project.write_text('[tool.triton-ls]\nseverity = {mutated-parameter = "off"}\n')
    async with connect(tmp_path) as connection:
        uri = connection.open("kernels.py", KERNELS)
        await connection.until(lambda: uri in connection.client.diagnostics, "diagnostics, though none")
        assert connection.shown(uri) == []
        project.write_text('[tool.triton-ls]\nseverity = {mutated-parameter = "warning"}\n')
        await connection.until_shown(uri, 14, "mutated-parameter")


async def test_each_root_has_its_own_settings(tmp_path: Path) -> None:
    roots = [tmp_path / "one", tmp_path / "two"]
    for root, level in zip(roots, ("off", "error"), strict=True):
        root.mkdir()
        (root / "pyproject.toml").write_text(f'[tool.triton-ls.severity]\nmutated-parameter = "{level}"\n')
    async with connect(tmp_path, roots=roots) as connection:
        one = connection.open("one/kernels.py", KERNELS)
        two = connection.open("two/kernels.py", KERNELS)
        await connection.until_shown(two, 14, "mutated-parameter")
        await connection.until(lambda: one in connection.client.diagnostics, "diagnostics of the other")
        assert connection.shown(one) == []


STRANGE: dict[str, tuple[bytes, str]] = {
    "brackets": (b"a = " + b"[" * 200_000, "its values are nested too deeply"),
    "tables": (b"a = " + b"{b = " * 150_000, "its values are nested too deeply"),
    "digits": (b"[tool.triton-ls]\ntimeout = " + b"9" * 5000, "cannot be read"),
    "more digits": (b"[tool.triton-ls]\ntimeout = 0x" + b"f" * 900_000, "'timeout' is a number of seconds"),
    "dots": (b".".join([b"a"] * 400_000) + b" = 1", "too many dots"),
    "encoding": (b"a = '\xff'", "can't decode byte 0xff"),
    "large": (b"#" * 1_000_001, "it is larger than 1 MB"),
    "no table": (b"tool = 3", ""),
    "not its table": (b"tool = {triton-ls = [[[]]]}", "are a table"),
    "tables of it": (b"[[tool.triton-ls]]\ntimeout = 3", "are a table"),
    "nested": (b"[tool.triton-ls]\ntarget = " + b"[" * 300 + b"]" * 300, "is a text like"),
    "long": (b"[tool.triton-ls]\ntarget = '" + b"x" * 500_000 + b"'", "is a text like"),
    "keys": (b"[tool.triton-ls]\n" + b"x" * 500_000 + b" = 1", "has no setting"),
    "nan": (b"[tool.triton-ls]\ntimeout = nan", "'timeout' is a number"),
    "infinite": (b"[tool.triton-ls]\nmemory-limit = inf", "'memory-limit' is a number"),
    "lists": (b"[tool.triton-ls]\nseverity = []\ninlay-hints = 3\ndebounce = 'x'\nrun-timeout = true", "is a table"),
}  # fmt: skip


@pytest.mark.parametrize("name", STRANGE)
def test_whatever_a_pyproject_holds_is_a_sentence(name: str, tmp_path: Path) -> None:
    content, expected = STRANGE[name]
    (tmp_path / "pyproject.toml").write_bytes(content)
    start = time.monotonic()
    values, complaints = read_pyproject(find_pyproject(str(tmp_path)))
    assert time.monotonic() - start < 5
    assert values == {}
    assert bool(complaints) == bool(expected)
    assert all(complaint.startswith(str(tmp_path)) and len(complaint) < 500 for complaint in complaints)
    assert any(expected in complaint for complaint in complaints) or not expected


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes in directories")
def test_a_pyproject_that_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pyproject.toml")
    ((complaint,),) = [read_pyproject(find_pyproject(str(tmp_path)))[1]]
    assert complaint.endswith("cannot be read, its settings are not used: it is a named pipe, not a regular file.")


@pytest.mark.parametrize("name", ["brackets", "large", "encoding", "long"])
async def test_a_strange_pyproject_costs_a_session_nothing(name: str, tmp_path: Path) -> None:
    content, expected = STRANGE[name]
    (tmp_path / "pyproject.toml").write_bytes(content)
    async with connect(tmp_path) as connection:
        uri = connection.open("kernels.py", KERNELS)
        assert len(await connection.until_message(expected)) < 500
        await connection.until_shown(uri, 14, "mutated-parameter")


@pytest.mark.parametrize("name", ["brackets", "large", "encoding", "lists"])
def test_a_strange_pyproject_costs_a_check_nothing(name: str, tmp_path: Path) -> None:
    content, expected = STRANGE[name]
    (tmp_path / "pyproject.toml").write_bytes(content)
    (tmp_path / "kernels.py").write_text(KERNELS)
    done = run(tmp_path, "check", ".")
    assert (done.returncode, "2 jit functions in 1 file: 2 analyzed" in done.stdout) == (1, True)
    assert expected in done.stderr


def test_the_rules_are_those_of_the_analysis_and_of_the_extension_for_vs_code() -> None:
    assert set(CODES) == RULES
    manifest = json.loads((SOURCES / "vscode-client" / "package.json").read_text(encoding="utf-8"))
    severity = manifest["contributes"]["configuration"]["properties"]["triton-ls.severity"]
    assert severity["properties"].keys() == RULES
    assert all(rule["enum"] == [*LEVELS] for rule in severity["properties"].values())
