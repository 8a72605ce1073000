"""``check`` in CI: which findings are shown, in which form, and what the exit code makes of them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from connection import KERNELS, SOURCES
from test_cli import run

from kernel_analysis.rules import CODES
from triton_ls.convert import uri_of

WRONG = "import triton\n\n\n@triton.jit\ndef wrong():\n    nothing()\n"


def git(folder: Path, *arguments: str) -> None:
    names = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *names, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def branch(tmp_path: Path) -> Path:
    """A branch that left ``main`` before that went on."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "kernels.py").write_text(KERNELS)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "one")
    git(folder, "checkout", "-q", "-b", "branch")
    git(folder, "checkout", "-q", "main")
    (folder / "kernels.py").write_text("# Another beginning.\n" + KERNELS.replace("in_ptr", "source_ptr"))
    git(folder, "commit", "-q", "-a", "-m", "two")
    git(folder, "checkout", "-q", "branch")
    return folder


@pytest.mark.slow("six checks, each a process of its own")
def test_rules_are_chosen(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "wrong.py").write_text(WRONG)
    for options, codes in (
        ((), {"mutated-parameter", "compile-error"}),
        (("--select", "compile-error"), {"compile-error"}),
        (
            ("--select", "compile-error,recursion", "--select", "mutated-parameter"),
            {"mutated-parameter", "compile-error"},
        ),
        (("--ignore", "compile-error, recursion"), {"mutated-parameter"}),
        (("--select", "compile-error", "--ignore", "compile-error"), set[str]()),
    ):
        done = run(tmp_path, "check", ".", "--format", "json", *options)
        document = json.loads(done.stdout)
        assert {found["code"] for found in document["diagnostics"]} - {"not-analyzed"} == codes, options
        assert len(document["kernels"]) == 3
        assert done.returncode == bool(codes)
    assert run(tmp_path, "check", ".", "--exit-zero").returncode == 0
    nothing = run(tmp_path, "check", ".", "--select", "")
    assert (nothing.returncode, nothing.stdout) == (2, "")
    assert "--select names no rule" in nothing.stderr
    unknown = run(tmp_path, "check", ".", "--ignore", "recursoin")
    assert unknown.returncode == 2
    assert (
        "--ignore recursoin: there is no such rule. The rules are aliased-arguments, autotune-argument, "
        in unknown.stderr
    )


def test_github_shows_a_finding_at_its_line(tmp_path: Path) -> None:
    (tmp_path / "50%, a:b.py").write_text(WRONG)
    done = run(tmp_path, "check", ".", "--format", "github")
    command, last = done.stdout.splitlines()
    assert command == (
        "::error file=50%25%2C a%3Ab.py,line=6,endLine=6,col=5,endColumn=12,title=compile-error"
        "::`nothing` is not defined"
    )
    assert last.startswith("1 finding. 1 jit function in 1 file")
    assert done.returncode == 1


def test_no_text_begins_a_command_of_its_own(tmp_path: Path) -> None:
    evil = 'tl.static_assert(False, """\n::error::planted\r\n::set-output name=a::b%0A::error::c""")'
    (tmp_path / "evil.py").write_text(
        f"import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k():\n    {evil}\n"
    )
    commands = run(tmp_path, "check", ".", "--format", "github").stdout.splitlines()[:-1]
    assert commands
    assert all(command.startswith("::error file=evil.py,") for command in commands)
    assert "planted" in commands[0]
    assert "%250A" in commands[0]


COMMANDS = ("::error::x", "  ::set-output name=a::b", "a ##[set-output name=a]b", "##vso[task.setvariable variable=a]b")


@pytest.mark.parametrize("form", ["text", "table", "github"])
@pytest.mark.slow("a check each")
def test_no_text_is_a_command_for_the_service_that_keeps_the_log(form: str, tmp_path: Path) -> None:
    said = "\\n".join(COMMANDS)
    head = "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
    text = f'{head}def k(p):\n    tl.static_assert(False, "{said}")\n'
    (tmp_path / "kernels.py").write_text(text)
    (tmp_path / "a\n::error::y.py").symlink_to("/dev/zero")
    (tmp_path / "a\n::error::z").mkdir()
    (tmp_path / "a\n::error::z" / "pyproject.toml").write_text("[")
    (tmp_path / "a\n::error::z" / "kernels.py").write_text(text)
    done = run(tmp_path, "check", ".", "--verbose", "--format", form)
    assert "static_assert failed" in done.stdout
    assert "cannot be read" in done.stderr
    lines = [*done.stdout.splitlines(), *done.stderr.splitlines()]
    begin = [line for line in lines if line.lstrip().startswith("::")]
    assert all(form == "github" and line.startswith("::error file=") for line in begin)
    others = [line for line in lines if line not in begin]
    assert not any("##[" in line or "##vso[" in line for line in others)


def test_a_name_of_bytes_that_are_no_text(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.py")
    (tmp_path / name).write_text(KERNELS)
    (run_of_sarif,) = json.loads(run(tmp_path, "check", ".", "--format", "sarif").stdout)["runs"]
    places = [found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for found in run_of_sarif["results"]]
    assert set(places) == {"caf%E9.py"}
    assert uri_of(f"/folder/{name}") == "file:///folder/caf%E9.py"


def test_sarif(tmp_path: Path) -> None:
    (tmp_path / "a b.py").write_text(KERNELS)
    done = run(tmp_path, "check", ".", "--format", "sarif")
    assert done.returncode == 1
    (one,) = json.loads(done.stdout)["runs"]
    rules = one["tool"]["driver"]["rules"]
    assert {rule["id"] for rule in rules} == CODES
    assert all(rule["shortDescription"]["text"].endswith(".") for rule in rules)
    (result,) = one["results"]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "mutated-parameter"
    assert (result["level"], one["columnKind"]) == ("warning", "unicodeCodePoints")
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "a%20b.py", "uriBaseId": "SRCROOT"}
    assert one["originalUriBaseIds"]["SRCROOT"]["uri"] == tmp_path.as_uri() + "/"
    assert place["region"] == {"startLine": 14, "startColumn": 20, "endLine": 14, "endColumn": 26}
    assert result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] > 14
    again = run(tmp_path, "check", ".", "--format", "sarif")
    assert again.stdout == done.stdout, "nothing in it depends on the time"
    hints = json.loads(run(tmp_path, "check", ".", "--format", "sarif", "--hints").stdout)
    assert {found["level"] for found in hints["runs"][0]["results"]} == {"warning", "note"}


@pytest.mark.slow("a git repository, and a check for each way to name what changed")
def test_only_lines_that_the_branch_changed(branch: Path) -> None:
    for text, found in (
        (KERNELS, 0),
        (f"# One more line above.\n{KERNELS}", 0),
        (KERNELS.replace("(in_ptr, ", "(in_ptr,  "), 1),
        (f"{KERNELS}\n\n{WRONG}", 1),
    ):
        (branch / "kernels.py").write_text(text)
        done = run(branch, "check", "--diff", "main", ".")
        assert done.stdout.splitlines()[-1].startswith(f"{found or 'No'} finding"), done.stdout
        assert done.returncode == bool(found)
    (branch / "new.py").write_text(KERNELS)
    assert "new.py:14:20: " in run(branch, "check", "--diff", "main", ".").stdout


def test_git_runs_nothing_of_the_repository(branch: Path) -> None:
    planted = branch / "planted"
    for name in ("core.fsmonitor", "diff.external", "filter.evil.clean", "filter.evil.smudge", "diff.evil.textconv"):
        git(branch, "config", name, f"sh -c 'echo {name} >> {planted}'")
    (branch / ".gitattributes").write_text("*.py filter=evil diff=evil\n")
    (branch / "kernels.py").write_text(f"{KERNELS}\n\n{WRONG}")
    done = run(branch, "check", "--diff", "main", ".")
    assert "is not defined" in done.stdout
    assert not planted.exists()


def test_what_can_not_be_compared_is_said(branch: Path, tmp_path: Path) -> None:
    done = run(branch, "check", "--diff", "mian", ".")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--diff mian: there is no such commit here" in done.stderr
    (tmp_path / "elsewhere").mkdir()
    done = run(tmp_path / "elsewhere", "check", "--diff", "main", ".")
    assert done.returncode == 2
    assert "is in no git repository" in done.stderr
    git(branch, "checkout", "-q", "--orphan", "other")
    git(branch, "commit", "-q", "-m", "other")
    assert "have no commit in common" in run(branch, "check", "--diff", "main", ".").stderr


def test_the_page_names_every_option() -> None:
    page = (SOURCES / "docs" / "ci.md").read_text(encoding="utf-8")
    for option in ("--format github", "--format sarif", "--select", "--ignore", "--diff", "--exit-zero", "--hints"):
        assert f"| `{option}" in page
