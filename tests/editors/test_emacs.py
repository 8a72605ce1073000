"""The real emacs, without a screen, with eglot and our server."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from driven import found, session


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    emacs = found("emacs")
    asked = [emacs, "--batch", "--eval", "(progn (package-initialize) (require 'eglot))"]
    if subprocess.run(asked, capture_output=True, check=False).returncode:
        assert "CI" not in os.environ, "continuous integration must have eglot"
        pytest.skip("eglot, which is part of emacs from 29 on, is not installed on this machine")
    script = Path(__file__).with_name("session.el")
    return session([emacs, "--batch", "-l", str(script)], tmp_path_factory.mktemp("emacs"))


@pytest.mark.slow("the first of them drives a whole session in the editor")
def test_every_step_was_reached(seen: dict[str, Any]) -> None:
    assert "failed" not in seen, seen
    assert seen["steps"] == ["diagnostics", "the code action", "diagnostics change", "the server ends"]


def test_diagnostics_are_where_they_belong(seen: dict[str, Any]) -> None:
    (clobbered,) = [item for item in seen["before"] if "`in_ptr` is mutated" in item["message"]]
    assert clobbered["line"] == 13
    assert "line 15: written here" in clobbered["message"], "eglot can't show the place apart"


def test_a_hover_reads_well(seen: dict[str, Any]) -> None:
    lines = seen["hover"].splitlines()
    assert lines[0] == "(parameter) in_ptr: *i32"
    assert "- written at line 15" in lines
    assert "- not read" in lines


def test_code_actions_and_commands(seen: dict[str, Any]) -> None:
    wanted = {"Show TTIR of clobber_kernel", "Show registers and shared memory of clobber_kernel"}
    assert wanted <= set(seen["actions"])
    assert "tt.func public @clobber_kernel" in seen["ttir"]
    assert seen["resources"]["registers"] > 0


def test_an_edit_takes_the_diagnostic_away_and_leaves_the_others(seen: dict[str, Any]) -> None:
    assert [item["line"] for item in seen["after"]] == [6]
