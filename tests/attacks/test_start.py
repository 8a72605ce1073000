"""What a workspace holds for a process that starts in it or imports: modules and plugins in places where Python and the
loader look. Real agents, whose interpreter was told of all such places in a workspace.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from agent.process import PYTHON
from agent.process import Agent as BareAgent
from triton_ls.agents.agent_process import Agent
from triton_ls.agents.launch import LEADS_TO_CODE, Environment, find_program, guarded_variables
from triton_ls.cli.changed_lines import Base, changed, find_base
from triton_ls.cli.user_error import UserError

KERNEL = (
    "import triton\nimport triton.language as tl\n\n\n"
    "@triton.jit\ndef fill(out_ptr):\n    tl.store(out_ptr + tl.arange(0, 64), 1)\n"
)
INSIDE = (".", "src", "deeply/in/it", "build/lib", "linked")
"""Of the workspace. The last one is a link beside it that leads there."""
PLANTED = ("sitecustomize.py", "usercustomize.py", "triton/__init__.py", "triton/_C/__init__.py", "planted/__init__.py",
           "planted/compiler.py", "encodings/__init__.py", "re.py", "numpy.py")  # fmt: skip


def plant(tmp_path: Path) -> tuple[Path, Path, list[Path]]:
    """A workspace, the file that whatever of it runs makes, and the places in it."""
    root, marker = tmp_path / "workspace", tmp_path / "marker"
    places = [tmp_path / name if name == "linked" else root / name for name in INSIDE]
    for place in [*places[:-1], target := root / "led to"]:
        for name in PLANTED:
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(f"open({str(marker)!r}, 'a').write({str(place / name)!r} + '\\n')\n")
        declared = place / "planted-1.0.dist-info"
        declared.mkdir()
        (declared / "METADATA").write_text("Metadata-Version: 2.1\nName: planted\nVersion: 1.0\n")
        (declared / "entry_points.txt").write_text("[triton.backends]\nplanted = planted\n")
    places[-1].symlink_to(target)
    return root, marker, places


def test_what_is_on_the_path_of_an_installed_workspace_is_not_imported(tmp_path: Path) -> None:
    """As with ``pip install -e .``, whose ``.pth`` file names a folder of the workspace."""
    root, marker, places = plant(tmp_path)
    python = tmp_path / "python"
    # Late, as what a .pth file adds comes late: the interpreter's own start is another matter.
    late = tmp_path / "late"
    late.mkdir()
    lines = "; ".join(f"sys.path.insert(0, {str(place)!r})" for place in places)
    (late / "sitecustomize.py").write_text(f"import sys; {lines}\n")
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{late}" exec "{PYTHON}" "$@"\n')
    python.chmod(0o755)
    with BareAgent(root, str(python)) as agent:
        assert agent.show(root / "kernels.py", KERNEL).reports["fill"]["status"] == "analyzed"
    assert not marker.exists(), marker.read_text()


def test_an_agent_starts_without_what_is_where_it_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, marker, places = plant(tmp_path)
    monkeypatch.chdir(root)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", "src", *map(str, places), str(tmp_path / "nowhere")]))
    environment = Environment(PYTHON, "cuda:90", None, 4096, (str(root),))

    async def started() -> str | None:
        agent = await Agent.start(environment)
        await agent.close()
        return agent.identity.triton

    assert asyncio.run(started()) is not None
    assert not marker.exists(), marker.read_text()


@pytest.mark.parametrize("name", ["LD_LIBRARY_PATH", "LD_PRELOAD", "DYLD_LIBRARY_PATH", "PATH"])
def test_no_entry_leads_into_the_workspace(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each entry that leads there, before, behind and between others: what is left are the others."""
    root, _, places = plant(tmp_path)
    monkeypatch.chdir(root)
    environment = Environment(sys.executable, "cuda:90", None, 4096, (str(root),))
    away = [str(tmp_path / "one"), str(tmp_path / "workspace beside") if name != "LD_PRELOAD" else "/two"]
    bad = ["", ".", "..", "src", "./src", *([] if name == "PATH" else map(str, places))]
    for entry, at in itertools.product(bad, range(3)):
        entries = [*away[:at], entry, *away[at:]]
        monkeypatch.setenv(name, os.pathsep.join(entries))
        left = guarded_variables(environment).get(name, "").split(os.pathsep)
        kept = [entry] if name == "LD_PRELOAD" and entry and os.sep not in entry else []
        assert left == [*away[:at], *kept, *away[at:]], entry


def test_what_an_interpreter_in_the_workspace_brings_is_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "workspace"
    python = root / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    own = root / ".venv" / "lib" / "python3" / "site-packages" / "nvidia"
    own.mkdir(parents=True)
    environment = Environment(str(python), "cuda:90", None, 4096, (str(root),))
    for entry, kept in ((own, True), (root / ".venv", False), (root / "lib", False)):
        monkeypatch.setenv("LD_LIBRARY_PATH", str(entry))
        assert ("LD_LIBRARY_PATH" in guarded_variables(environment)) == kept, entry


def test_a_home_that_is_opened_is_no_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LD_LIBRARY_PATH", os.pathsep.join([str(tmp_path), str(tmp_path / "packages")]))
    environment = Environment(sys.executable, "cuda:90", None, 4096, (str(tmp_path),))
    assert guarded_variables(environment)["LD_LIBRARY_PATH"] == str(tmp_path / "packages")


@pytest.mark.parametrize("name", LEADS_TO_CODE)
def test_no_variable_names_a_place_in_the_workspace(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, _, places = plant(tmp_path)
    monkeypatch.chdir(root)
    environment = Environment(sys.executable, "cuda:90", None, 4096, (str(root),))
    for place in ("src", "./src/file", *map(str, places)):
        monkeypatch.setenv(name, place)
        assert name not in guarded_variables(environment), place
    monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    assert guarded_variables(environment)[name] == str(tmp_path / "elsewhere")
    own = replace(environment, interpreter=str(root / "env" / "bin" / "python"))
    (root / "env" / "bin").mkdir(parents=True)
    (root / "env" / "bin" / "python").symlink_to(sys.executable)
    monkeypatch.setenv(name, str(root / "env" / "bin" / "ptxas"))
    assert name in guarded_variables(own), "what an environment brings is its own"


def test_a_python_is_given_no_path_before_it_is_guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder that a workspace lies in offers the workspace itself, if that has the name of a module."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["/one", "", "/two"]))
    given = guarded_variables(Environment(sys.executable, "cuda:90", None, 4096, ("/three/types",)))
    assert "PYTHONPATH" not in given
    assert given["TRITON_LS_PYTHONPATH"] == os.pathsep.join(["/one", os.getcwd(), "/two"])


def test_a_shim_finds_its_pythons_in_a_workspace_that_is_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYENV_ROOT", "/three/space/.pyenv")
    for trusted in (True, False):
        environment = Environment(sys.executable, "cuda:90", None, 4096, ("/three/space",), trusted=trusted)
        assert ("PYENV_ROOT" in guarded_variables(environment)) == trusted


@pytest.mark.parametrize("trusted", [True, False])
def test_a_shim_is_told_by_a_workspace_that_is_trusted_alone(
    trusted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``.tool-versions`` and the like, which a shim looks for in the folder that it is started in and above."""
    root, marker = tmp_path / "workspace", tmp_path / "marker"
    shim, planted = tmp_path / "shims" / "python", root / "planted"
    for program, text in (
        (shim, f'[ ! -f .tool-versions ] || exec "$(cat .tool-versions)" "$@"\nexec "{PYTHON}" "$@"\n'),
        (planted, f'touch "{marker}"\nexec "{PYTHON}" "$@"\n'),
    ):
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\n{text}")
        program.chmod(0o755)
    (root / ".tool-versions").write_text(str(planted))
    for started_in, named in ((root, str(shim)), (root, os.path.relpath(shim, root)), (root, "python")):
        monkeypatch.chdir(started_in)
        monkeypatch.setenv("PATH", os.pathsep.join([str(shim.parent), os.environ["PATH"]]))
        environment = Environment(named, "cuda:90", None, 4096, (str(root),), trusted=trusted)

        async def started(environment: Environment = environment) -> str | None:
            agent = await Agent.start(environment)
            await agent.close()
            return agent.identity.triton

        assert asyncio.run(started()) is not None
        assert marker.exists() == trusted, named


def test_a_name_is_not_looked_up_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "planted-python").symlink_to(sys.executable)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", "./", os.pardir + os.sep + tmp_path.name]))
    assert find_program("planted-python") is None
    assert find_program("./planted-python") == "./planted-python", "somebody said so"
    monkeypatch.setenv("PATH", os.pathsep.join([".", str(tmp_path)]))
    assert find_program("planted-python") == str(tmp_path / "planted-python")


def test_what_is_compared_with_is_not_asked_of_a_git_of_the_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "marker"
    (tmp_path / "git").write_text(f"#!/bin/sh\ntouch {marker}\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", os.environ["PATH"]]))
    with pytest.raises(UserError):
        find_base(str(tmp_path), "HEAD")
    assert not marker.exists()


def test_what_is_missing_of_a_repository_is_fetched_by_no_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A promise of the configuration that the rest is to be had from a program, and a git that knows nothing of
    ``GIT_NO_LAZY_FETCH``, as those before 2.45."""
    git = shutil.which("git")
    assert git is not None
    root, marker = tmp_path / "work", tmp_path / "marker"
    (root / "kernels.py").parent.mkdir()
    (root / "kernels.py").write_text(KERNEL)

    def call(*arguments: str) -> str:
        told = ["-c", "user.name=a", "-c", "user.email=a@b", "-C", str(root), *arguments]
        return subprocess.run([git, *told], capture_output=True, text=True, check=True).stdout.strip()

    call("init", "-q")
    call("add", ".")
    call("commit", "-qm", "one")
    commit, blob = call("rev-parse", "HEAD"), call("rev-parse", "HEAD:kernels.py")
    (root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    for name, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::sh -c touch% {marker}",
        "protocol.ext.allow": "always",
    }.items():
        call("config", name, value)
    older = tmp_path / "bin" / "git"
    older.parent.mkdir()
    older.write_text(f'#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nexec {git} "$@"\n')
    older.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(older.parent), os.environ["PATH"]]))
    assert changed(Base(str(root), commit), str(root / "kernels.py")) is None
    assert not marker.exists()
    subprocess.run([older, "-C", root, "cat-file", "blob", blob], capture_output=True, check=False)
    assert marker.exists(), "that it is an attack"
