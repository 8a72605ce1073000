"""What an agent really holds when it is started as the server starts it: its environment, its files, what it says."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agent.kernels import ADD, HEAD
from agent.process import PYTHON, Agent
from triton_ls.agents import agent_process
from triton_ls.agents.launch import Environment

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="seccomp and Landlock are Linux's")

CALLER = (
    HEAD
    + "from helpers.values import WIDTH\n\n\n"
    + "@triton.jit\ndef k(p):\n    tl.store(p + tl.arange(0, WIDTH), 1)\n"
)


def test_it_says_what_it_gave_up_once_and_before_it_compiles(tmp_path: Path) -> None:
    with Agent(tmp_path) as agent:
        told = agent.show(tmp_path / "add.py", ADD)
        (sealed,) = told.of("sealed")
        assert (sealed["audit"], sealed["seccomp"]) == (True, True)
        assert bool(sealed["landlock"]) == (sealed["missing"] == [])
        methods = [notification["method"] for notification in told.notifications]
        assert methods.index("sealed") < methods.index("started")
        assert agent.show(tmp_path / "add.py", ADD + "\n\n").of("sealed") == []


def test_nothing_but_its_own_pipes_is_open_for_writing(tmp_path: Path) -> None:
    with Agent(tmp_path, cache=str(tmp_path / "facts.sqlite")) as agent:
        assert agent.show(tmp_path / "add.py", ADD).reports["add"]["status"] == "analyzed"
        folder = Path(f"/proc/{agent.process.pid}/fd")
        written: list[str] = []
        for descriptor in folder.iterdir():
            flags = (
                Path(f"/proc/{agent.process.pid}/fdinfo/{descriptor.name}").read_text().split("flags:")[1].split()[0]
            )
            if int(flags, 8) & (os.O_WRONLY | os.O_RDWR):
                written.append(os.readlink(descriptor))
    files = [name for name in written if not name.startswith(("pipe:", "socket:", "anon_inode:"))]
    assert len(files) == 1, "the file that MLIR's messages are caught in"
    assert "(deleted)" in files[0]


def test_a_file_elsewhere_is_read_only_if_that_was_said(tmp_path: Path) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    (other / "helpers").mkdir(parents=True)
    root.mkdir()
    (other / "helpers" / "__init__.py").write_text("")
    (other / "helpers" / "values.py").write_text("import triton.language as tl\n\nWIDTH = tl.constexpr(64)\n")
    for places, status in (([str(other)], "analyzed"), ([], "failed")):
        with Agent(root, readable=places) as agent:
            (sealed,) = agent.show(root / "add.py", ADD).of("sealed")
            if not sealed["landlock"]:
                pytest.skip(sealed["missing"][0])
            report = agent.show(other / "caller.py", CALLER).reports["k"]
            assert report["status"] == status
    assert "WIDTH" in report["problems"][0]["message"]


LINKED = (
    HEAD
    + "import installed\n\ntry:\n    from triton.language.standard import zeros_like\n"
    + "except ImportError:\n    zeros_like = None\n\n\n"
    + "@triton.jit\ndef k(p):\n    x = p + tl.arange(0, 64)\n"
    + "    tl.store(x, zeros_like(tl.load(x)) + installed.ONE)\n"
)


@pytest.mark.parametrize("each", [False, True], ids=["to a package", "to each file of it"])
def test_an_installer_may_have_left_links(each: bool, tmp_path: Path) -> None:
    """As some do in environments, to what they keep once for all of them."""
    kept, root, environment = tmp_path / "kept", tmp_path / "root", tmp_path / "environment"
    for folder in (kept / "installed", root):
        folder.mkdir(parents=True)
    (kept / "installed" / "__init__.py").write_text("import triton.language as tl\n\nONE = tl.constexpr(1)\n")
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", environment], check=True)
    (there,) = environment.glob("lib/python*/site-packages")
    find = "import os, triton; print(os.path.dirname(os.path.realpath(triton.__file__)))"
    home = subprocess.run([PYTHON, "-c", find], capture_output=True, text=True, check=True).stdout.strip()
    (described,) = Path(home).parent.glob("triton-*.dist-info")  # names its back ends
    for package in (home, str(described), str(kept / "installed")):
        link = there / os.path.basename(package)
        if not each:
            link.symlink_to(package)
            continue
        for folder, _, names in os.walk(package):
            made = link / os.path.relpath(folder, package)
            made.mkdir()
            for name in names:
                (made / name).symlink_to(os.path.join(folder, name))
    with Agent(root, str(environment / "bin" / "python")) as agent:
        assert len(agent.show(root / "add.py", ADD).of("sealed")) == 1, "and nothing is read before"
        report = agent.show(root / "linked.py", LINKED).reports["k"]
    assert (report["problems"], report["status"]) == ([], "analyzed")


def test_another_workspace_needs_another_agent(tmp_path: Path) -> None:
    with Agent(tmp_path) as agent:
        assert agent.show(tmp_path / "add.py", ADD).reports["add"]["status"] == "analyzed"
        assert agent.initialize(tmp_path).error is None
        assert agent.show(tmp_path / "add.py", ADD).result["compiles"] == 1, "what it knew is forgotten"
        error = agent.initialize(tmp_path.parent).error
        assert error is not None
        assert "start another one" in error["message"]


def test_what_is_imported_late_needs_no_bytecode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As right after an installation: nothing of what questions on demand import has been compiled before.
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path / "bytecode"))
    work = tmp_path / "work"
    work.mkdir()
    with Agent(work) as agent:
        assert agent.show(work / "add.py", ADD).reports["add"]["status"] == "analyzed"
        before = sorted((tmp_path / "bytecode").rglob("*"))
        params = {"file": str(work / "add.py"), "qualname": "add"}
        assert "@triton_op" in str(agent.request("customOp", params).result)
        assert "tt.func" in str(agent.request("ir", params).result)
        assert sorted((tmp_path / "bytecode").rglob("*")) == before != []


async def test_its_environment_is_a_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    monkeypatch.setenv("TRITON_SECRET", "hunter2")
    monkeypatch.setenv("PYTHONSTARTUP", "/nowhere")
    agent = await agent_process.Agent.start(Environment(PYTHON, "cuda:90", None, 4096, (str(tmp_path),)))
    try:
        held = Path(f"/proc/{agent.pid}/environ").read_bytes().split(b"\0")
        names = {variable.partition(b"=")[0] for variable in held}
        assert not {b"SECRET_TOKEN", b"TRITON_SECRET", b"PYTHONSTARTUP"} & names
        assert b"PATH" in names
        protection = await asyncio.wait_for(agent.protection, 60)
        assert protection.audit
        assert "audit hook" in protection.text
    finally:
        await agent.close()
