"""Settings: where they come from, which wins, what is said of those that make no sense."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from connection import KERNELS, client_capabilities, connect
from lsprotocol import types

from triton_ls.settings import Settings, default_cache_directory, find_pyproject, merge, parse, read_pyproject


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
