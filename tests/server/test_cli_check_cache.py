"""A second ``check`` of the same answers without an agent; one of anything else does not."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from connection import INTERPRETER, KERNELS
from test_cli import run

from agent.bomb import bomb
from agent.poisoned import poison

CALLER = "from kernels import copy_kernel\n\n\ndef launch(x, y, n):\n    copy_kernel[(1,)](x, y, n, BLOCK=64)\n"


class Checks:
    """``check`` of a project, with an interpreter that leaves a line behind whenever an agent starts."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory / "project"
        self.directory.mkdir()
        self.started = directory / "started"
        self.interpreter = directory / "python"
        self.interpreter.write_text(
            f'#!/bin/sh\necho agent >> {shlex.quote(str(self.started))}\nexec {shlex.quote(INTERPRETER)} "$@"\n'
        )
        self.interpreter.chmod(0o755)
        self.write("kernels.py", KERNELS)

    def write(self, name: str, text: str) -> None:
        (self.directory / name).write_text(text)

    def run(self, *arguments: str) -> tuple[dict[str, Any], bool]:
        """What was said, without what differs from run to run, and whether an agent was needed."""
        self.started.write_text("")
        done = run(self.directory, "check", ".", "--format", "json", *arguments, python=str(self.interpreter))
        said = json.loads(done.stdout)
        del said["summary"]["seconds"]
        for kernel in said["kernels"]:
            for signature in kernel["signatures"]:
                for key in ("cached", "compile_ms", "analysis_ms"):
                    del signature[key]
        return said, bool(self.started.read_text())


@pytest.fixture
def checks(tmp_path: Path) -> Checks:
    return Checks(tmp_path)


def test_the_same_again(checks: Checks) -> None:
    first, agent = checks.run()
    assert agent
    again, agent = checks.run()
    assert not agent
    assert again == first
    assert again["summary"]["analyzed"] == 2


def edit(checks: Checks) -> None:
    checks.write("kernels.py", KERNELS.replace("in_ptr", "input_ptr"))


def edit_of_the_same_length_and_time(checks: Checks) -> None:
    file = checks.directory / "kernels.py"
    before = file.stat()
    file.write_text(KERNELS.replace("in_ptr", "an_ptr"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def launch_in_a_new_file(checks: Checks) -> None:
    checks.write("caller.py", CALLER)


def settings_of_the_project(checks: Checks) -> None:
    checks.write("pyproject.toml", "[tool.triton-ls.severity]\nmutated-parameter = 'off'\n")


@pytest.mark.parametrize(
    "change", [edit, edit_of_the_same_length_and_time, launch_in_a_new_file, settings_of_the_project]
)
def test_after_a_change_it_is_asked_again(checks: Checks, change: Callable[[Checks], None]) -> None:
    checks.run()
    change(checks)
    changed, agent = checks.run()
    assert agent
    again, agent = checks.run()
    assert not agent
    assert again == changed


def test_a_file_outside_of_the_workspace(checks: Checks, tmp_path: Path) -> None:
    """Imported from where packages are installed: only its times and its size are looked at."""
    packages = tmp_path / "packages"
    packages.mkdir()
    (packages / "sizes.py").write_text("WIDTH = 64\n")
    checks.interpreter.write_text(
        checks.interpreter.read_text().replace("exec", f"export PYTHONPATH={shlex.quote(str(packages))}\nexec")
    )
    checks.write(
        "kernels.py",
        "import triton\nimport triton.language as tl\nfrom sizes import WIDTH\n\n\n@triton.jit\n"
        "def fill(out_ptr, B: tl.constexpr = WIDTH):\n    tl.store(out_ptr + tl.arange(0, B), 0)\n",
    )
    first, agent = checks.run()
    assert agent
    assert not checks.run()[1]
    (packages / "sizes.py").write_text("WIDTH = 128\n")
    second, agent = checks.run()
    assert agent
    values = [said["kernels"][0]["signatures"][0]["constants"]["B"] for said in (first, second)]
    assert values == [64, 128]


def test_what_can_not_be_analysed_is_no_other_the_next_time(checks: Checks) -> None:
    """Its text says so, and another file that its text is read from."""
    patched = "import kernels\n\nkernels.copy_kernel._src = source\n"
    checks.write("patch.py", patched)
    first, agent = checks.run()
    assert agent
    assert first["summary"]["failed"] == 1, first["kernels"]
    again, agent = checks.run()
    assert not agent
    assert again == first
    checks.write("patch.py", patched.replace("_src", "_source"))
    other, agent = checks.run()
    assert agent
    assert other["summary"]["failed"] == 0, other["kernels"]


@pytest.mark.slow("a check for each argument")
def test_other_arguments_are_another_question(checks: Checks) -> None:
    checks.run()
    assert checks.run("--target", "cuda:80")[1]
    assert checks.run("--severity", "mutated-parameter=error")[1]
    assert not checks.run()[1]
    assert checks.run("--no-cache")[1]


@pytest.mark.slow("checks that are ended by their time limit")
def test_an_answer_that_may_come_out_otherwise_is_not_kept(checks: Checks) -> None:
    """The compiler gets less time than it needs to start: another time it may be enough."""
    unrolled = KERNELS.replace("tl.store", "for _ in tl.static_range(100000):\n        tl.store")
    checks.write("kernels.py", unrolled)
    said, _ = checks.run("--timeout", "1")
    assert said["summary"]["failed"] > 0, said["kernels"]
    assert checks.run("--timeout", "1")[1]


def test_of_the_other_files_it_is_kept(checks: Checks, tmp_path: Path) -> None:
    """Only those of which it may come out otherwise are asked about again."""
    asked = tmp_path / "asked"
    checks.write("slow.py", KERNELS.replace("tl.store", "for _ in tl.static_range(100000):\n        tl.store"))
    checks.interpreter.write_text(f'#!/bin/sh\ntee -a {shlex.quote(str(asked))} | {shlex.quote(INTERPRETER)} "$@"\n')
    asked.write_text("")
    first, _ = checks.run("--timeout", "1")
    assert "kernels.py" in asked.read_text()
    asked.write_text("")
    again, _ = checks.run("--timeout", "1")
    assert "slow.py" in asked.read_text()
    assert "kernels.py" not in asked.read_text()
    assert again == first
    # What may launch them is another.
    checks.write("caller.py", CALLER)
    asked.write_text("")
    checks.run("--timeout", "1")
    assert "kernels.py" in asked.read_text()


def test_a_record_that_unpacks_to_more_than_any_answer_is_computed_anew(checks: Checks) -> None:
    first, _ = checks.run()
    assert poison(checks.directory / ".cache" / "triton-ls" / "facts.sqlite", bomb(bytes(1), 256), "check:%") == 1
    again, agent = checks.run()
    assert agent
    assert again == first


def test_a_damaged_record_is_computed_anew(checks: Checks) -> None:
    first, _ = checks.run()
    file = checks.directory / ".cache" / "triton-ls" / "facts.sqlite"
    file.write_bytes(b"this is no database" * 100)
    again, agent = checks.run()
    assert agent
    assert again == first
