"""The real neovim, headless, with nothing but its own LSP client and our server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from driven import found, session


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    script = Path(__file__).with_name("session.lua")
    command = [found("nvim"), "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", f"luafile {script}"]
    return session(command, tmp_path_factory.mktemp("neovim"))


@pytest.mark.slow("the first of them drives a whole session in the editor")
def test_every_step_was_reached(seen: dict[str, Any]) -> None:
    assert "failed" not in seen, seen
    assert seen["steps"] == ["diagnostics", "hover", "the code action", "diagnostics change", "the server ends"]


def test_diagnostics_are_where_they_belong(seen: dict[str, Any]) -> None:
    (clobbered,) = [item for item in seen["before"] if "`in_ptr` is mutated" in item["message"]]
    assert clobbered["line"] == 13
    assert clobbered["source"] == "triton-ls"
    assert clobbered["severity"] == 2


def test_hover(seen: dict[str, Any]) -> None:
    assert "(parameter) in_ptr: *" in seen["hover"]
    assert "**written** at line 15" in seen["hover"]


def test_a_hover_reads_well_in_a_window(seen: dict[str, Any]) -> None:
    text = "\n".join(seen["float"])
    assert "(parameter) in_ptr: *i32" in text
    assert "at line 15" in text
    assert "|" not in text, "tables are shown as they are written"
    assert "```" not in text


def test_code_actions_and_commands(seen: dict[str, Any]) -> None:
    wanted = {"Show TTIR of clobber_kernel", "Show registers and shared memory of clobber_kernel"}
    assert wanted <= set(seen["actions"])
    assert any("tt.func public @clobber_kernel" in line for line in seen["ttir"])
    assert seen["resources"]["registers"] > 0


def test_an_edit_takes_the_diagnostic_away_and_leaves_the_others(seen: dict[str, Any]) -> None:
    assert [item["line"] for item in seen["after"] if "out_ptr" in item["message"]] == [6]
