"""What is installed in a Python from a workspace's folder, and what a workspace holds for that Python's start: real
Pythons, each an environment of its own, started by the agent as by the extension for VS Code."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from agent.process import PYTHON, REPOSITORY
from agent.process import Agent as BareAgent

KERNEL = (
    "import triton\nimport triton.language as tl\n\n\n"
    "@triton.jit\ndef fill(out_ptr):\n    tl.store(out_ptr + tl.arange(0, 64), 1)\n"
)
PLANTED = ("sitecustomize", "usercustomize", "triton", "numpy", "planted", "extra", "re", "types", "encodings")
"""Modules of the workspace. ``extra`` is what the lines of ``.pth`` files import."""


@dataclass(frozen=True)
class Place:
    """``site``: what is installed in ``python``. ``root``: the workspace. Whatever of it runs writes into ``ran``."""

    python: Path
    site: Path
    root: Path
    ran: Path

    def pth(self, *lines: str, name: str = "a") -> None:
        (self.site / f"{name}.pth").write_text("".join(line + "\n" for line in lines))


@cache
def base(of: str) -> tuple[str, str, str]:
    """The interpreter that an environment was made of, its version, and where its Triton is."""
    code = (
        "import os, sys, importlib.util as u; spec = u.find_spec('triton'); print(sys._base_executable);"
        "print('python%d.%d' % sys.version_info[:2]); print(spec and os.path.dirname(os.path.dirname(spec.origin)))"
    )
    found = subprocess.run([of, "-c", code], capture_output=True, text=True, check=True).stdout.split("\n")
    return found[0], found[1], found[2]


def make(tmp_path: Path, of: str = PYTHON) -> Place:
    interpreter, version, triton = base(of)
    python, site = tmp_path / "venv" / "bin" / "python", tmp_path / "venv" / "lib" / version / "site-packages"
    python.parent.mkdir(parents=True)
    site.mkdir(parents=True)
    python.symlink_to(interpreter)
    (tmp_path / "venv" / "pyvenv.cfg").write_text(f"home = {os.path.dirname(interpreter)}\n")
    place = Place(python, site, tmp_path / "work" / "triton", tmp_path / "ran")
    text = f"import os\nos.close(os.open({str(place.ran)!r}, os.O_CREAT | os.O_WRONLY))\n"
    for folder in (place.root, place.root / "src", place.root / "linked to"):
        folder.mkdir(parents=True)
        for name in PLANTED:
            (folder / f"{name}.py").write_text(text)
    (place.root / "__init__.py").write_text((place.root / "extra.py").read_text())
    (tmp_path / "link").symlink_to(place.root / "linked to")
    # The Triton of the tests, as a folder beside it on the path: behind all that the workspace offers.
    place.pth(triton, name="z")
    return place


def by_path(place: Place) -> None:
    place.pth(str(place.root / "src"))


def by_path_of_the_parent(place: Place) -> None:
    """The workspace's own folder is a module there."""
    place.pth(str(place.root.parent))


def by_path_through_a_link(place: Place) -> None:
    place.pth(str(place.root.parent.parent / "link"))


def by_path_and_a_line(place: Place) -> None:
    place.pth(str(place.root / "src"), "import extra")


def by_a_line_that_executes(place: Place) -> None:
    place.pth(f"import sys; exec(open({str(place.root / 'extra.py')!r}).read())")


def by_a_line_that_loads(place: Place) -> None:
    load = "s = importlib.util.spec_from_file_location('extra', {!r}); m = importlib.util.module_from_spec(s); "
    place.pth("import importlib.util; " + load.format(str(place.root / "extra.py")) + "s.loader.exec_module(m)")


def by_a_line_that_starts(place: Place) -> None:
    program = place.root / "program"
    program.write_text(f"#!/bin/sh\ntouch {place.ran}\n")
    program.chmod(0o755)
    place.pth(f"import subprocess; subprocess.run([{str(program)!r}])")


def by_a_line_that_starts_there(place: Place) -> None:
    (place.root / "Makefile").write_text(f"all:\n\ttouch {place.ran}\n")
    place.pth(f"import subprocess; subprocess.run(['make'], cwd={str(place.root)!r})")


def by_a_finder(place: Place) -> None:
    """As setuptools writes one for an editable install."""
    names = {name: str(place.root / "src" / f"{name}.py") for name in PLANTED}
    (place.site / "__editable___x_finder.py").write_text(
        "import sys\nfrom importlib.util import spec_from_file_location\n\n\n"
        f"MAPPING = {names!r}\n\n\n"
        "class Finder:\n    @classmethod\n    def find_spec(cls, name, path=None, target=None):\n"
        "        return spec_from_file_location(name, MAPPING[name]) if name in MAPPING else None\n\n\n"
        "def install():\n    sys.meta_path.append(Finder)\n"
    )
    place.pth("import __editable___x_finder; __editable___x_finder.install()")


def by_a_finder_of_bytecode(place: Place) -> None:
    files = [str(place.root / "src" / f"{name}.py") for name in PLANTED]
    code = f"import py_compile\nfor file in {files!r}: py_compile.compile(file, file + 'c')"
    subprocess.run([place.python, "-I", "-c", code], check=True)
    by_a_finder(place)
    finder = place.site / "__editable___x_finder.py"
    finder.write_text(finder.read_text().replace(".py'", ".pyc'"))


def by_a_link(place: Place) -> None:
    for name in PLANTED:
        (place.site / f"{name}.py").symlink_to(place.root / "src" / f"{name}.py")


def by_a_namespace(place: Place) -> None:
    """A package without ``__init__`` that lies in both."""
    for folder in (place.site, place.root / "src"):
        (folder / "shared").mkdir()
    (place.root / "src" / "shared" / "extra.py").write_text((place.root / "extra.py").read_text())
    place.pth(str(place.root / "src"), "import shared.extra")


def by_an_archive(place: Place) -> None:
    import zipfile

    with zipfile.ZipFile(place.root / "egg.zip", "w") as archive:
        for name in PLANTED:
            archive.write(place.root / f"{name}.py", f"{name}.py")
    place.pth(str(place.root / "egg.zip"), "import extra")


def by_the_customization(place: Place) -> None:
    (place.site / "sitecustomize.py").write_text("import extra\n")
    place.pth(str(place.root / "src"))
    (place.root / "src" / "sitecustomize.py").unlink()


def asked(place: Place) -> dict[str, str | None]:
    """What the extension for VS Code makes out of a Python, as it asks."""
    bundled = place.root.parent.parent / "bundled"
    bundled.mkdir(exist_ok=True)
    shutil.copy(REPOSITORY / "vscode-client" / "python" / "probe.py", bundled)
    (bundled / "kernel_analysis").symlink_to(REPOSITORY / "analysis" / "kernel_analysis")
    command = [place.python, "-S", bundled / "probe.py", place.root]
    done = subprocess.run(command, cwd=place.root, capture_output=True, text=True, check=False)
    return json.loads(done.stdout.strip().split("\n")[-1])


WAYS: list[Callable[[Place], None]] = [
    by_path, by_path_of_the_parent, by_path_through_a_link, by_path_and_a_line, by_a_line_that_executes,
    by_a_line_that_loads, by_a_line_that_starts, by_a_line_that_starts_there, by_a_finder, by_a_finder_of_bytecode,
    by_a_link, by_a_namespace, by_an_archive, by_the_customization,
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_what_is_installed_from_a_workspace_is_not_run(way: Callable[[Place], None], tmp_path: Path) -> None:
    place = make(tmp_path)
    way(place)
    for name in ("extra", "triton"):
        subprocess.run([place.python, "-c", f"import {name}"], cwd=tmp_path, capture_output=True, check=False)
    assert place.ran.exists(), "the attack is none"
    place.ran.unlink()
    assert set(asked(place)) == {"version", "triton"}
    assert not place.ran.exists(), "a Python that is asked for its version"
    with BareAgent(place.root, str(place.python), cwd=tmp_path) as agent:
        report = agent.show(place.root / "kernels.py", KERNEL).reports["fill"]
        assert not place.ran.exists(), "\n".join(agent.log)
        assert report["status"] == "analyzed", (report["problems"], agent.log)


@pytest.mark.parametrize("by_finder", [False, True], ids=["by a folder", "by a finder"])
def test_a_checkout_of_triton_that_is_installed_is_used_and_nothing_beside_it(by_finder: bool, tmp_path: Path) -> None:
    place = make(tmp_path)
    (place.site / "z.pth").unlink()
    checkout = place.root / "src"
    (checkout / "triton.py").unlink()
    triton = Path(base(PYTHON)[2]) / "triton"
    shutil.copytree(triton, checkout / "triton", copy_function=os.symlink, ignore=shutil.ignore_patterns("__pycache__"))
    for described in triton.parent.glob("triton-*.dist-info"):
        shutil.copytree(described, place.site / described.name)
    place.pth(str(checkout))
    if by_finder:
        by_a_finder(place)
        finder = place.site / "__editable___x_finder.py"
        finder.write_text(finder.read_text().replace("triton.py'", "triton/__init__.py'"))
    assert asked(place)["triton"]
    with BareAgent(place.root, str(place.python), cwd=tmp_path) as agent:
        report = agent.show(place.root / "kernels.py", KERNEL).reports["fill"]
        assert report["status"] == "analyzed", (report["problems"], agent.log)
    assert not place.ran.exists()


DECLARED = {
    "it lies in the workspace": "extra",
    "a module of it does": "beside",
    "it is not there": "nowhere",
    "it lies in Triton's own folder": "triton.backends.extra",
    "it is no plugin": "json",
}


@pytest.mark.parametrize("package", DECLARED.values(), ids=DECLARED)
@pytest.mark.parametrize("way", [by_path, by_a_finder], ids=lambda way: way.__name__)
def test_a_plugin_of_triton_that_is_not_to_be_had_is_left_out(
    way: Callable[[Place], None], package: str, tmp_path: Path
) -> None:
    place = make(tmp_path)
    way(place)
    declared = place.site / "plugged-1.0.dist-info"
    declared.mkdir()
    (declared / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged\nVersion: 1.0\n")
    (declared / "entry_points.txt").write_text(f"[triton.backends]\nplugged = {package}\n")
    (place.site / "beside").mkdir()
    for name in ("__init__", "compiler", "driver"):
        (place.site / "beside" / f"{name}.py").write_text("import extra\n" if name == "driver" else "")
    with BareAgent(place.root, str(place.python), cwd=tmp_path) as agent:
        report = agent.show(place.root / "kernels.py", KERNEL).reports["fill"]
        assert report["status"] == "analyzed", (report["problems"], agent.log)
        assert any("plugin `plugged` is left out" in line for line in agent.log)
    assert not place.ran.exists()


_COMPILER = "from triton.backends.compiler import BaseBackend\n"
_NVIDIA = "from triton.backends.nvidia.{0} import *\n"
NO_PLUGIN = {
    "nothing in it": {"compiler": "", "driver": ""},
    "no driver": {"compiler": _NVIDIA.format("compiler"), "driver": ""},
    "no compiler": {"compiler": "", "driver": _NVIDIA.format("driver")},
    "the base alone": {"compiler": _COMPILER, "driver": _NVIDIA.format("driver")},
    "one that lacks a method": {
        "compiler": f"{_COMPILER}class B(BaseBackend):\n    pass\n",
        "driver": _NVIDIA.format("driver"),
    },
    "two of them": {
        "compiler": f"{_NVIDIA.format('compiler')}class B(CUDABackend):\n    pass\n",
        "driver": _NVIDIA.format("driver"),
    },
    "an attribute that raises": {
        "compiler": "def __dir__():\n    return ['x']\n",
        "driver": _NVIDIA.format("driver"),
    },
    "it ends the process": {"compiler": "raise SystemExit(3)\n", "driver": ""},
}


@pytest.mark.parametrize("texts", NO_PLUGIN.values(), ids=NO_PLUGIN)
def test_a_plugin_in_which_triton_finds_no_backend_is_left_out(texts: dict[str, str], tmp_path: Path) -> None:
    place = make(tmp_path)
    declared = place.site / "plugged-1.0.dist-info"
    declared.mkdir()
    (declared / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged\nVersion: 1.0\n")
    (declared / "entry_points.txt").write_text("[triton.backends]\nplugged = pluggedin\n")
    (place.site / "pluggedin").mkdir()
    for name, text in {"__init__": "", **texts}.items():
        (place.site / "pluggedin" / f"{name}.py").write_text(text)
    with BareAgent(place.root, str(place.python), cwd=tmp_path) as agent:
        report = agent.show(place.root / "kernels.py", KERNEL).reports["fill"]
        assert report["status"] == "analyzed", (report["problems"], agent.log)
        assert any("plugin `plugged` is left out" in line for line in agent.log)


SET_UPS: dict[str, dict[str, str]] = {
    "plain": {},
    "a path": {"PYTHONPATH": "PLACE/one:relative"},
    "the user's own": {"PYTHONUSERBASE": "PLACE/user"},
    "not the user's own": {"PYTHONUSERBASE": "PLACE/user", "PYTHONNOUSERSITE": "1"},
}


@pytest.mark.parametrize("python", ["an environment", "one over another", "itself"])
@pytest.mark.parametrize("variables", SET_UPS.values(), ids=SET_UPS)
def test_a_python_starts_as_ever(variables: dict[str, str], python: str, tmp_path: Path) -> None:
    """The same path, prefix and modules as without us, where nothing of it lies in the workspace."""
    place = make(tmp_path)
    interpreter, version, _ = base(PYTHON)
    user = tmp_path / "user" / "lib" / version / "site-packages"
    for folder in (tmp_path / "one", tmp_path / "two", user):
        folder.mkdir(parents=True)
    (user / "user.pth").write_text("../../..\nimport sys; sys.of_the_user = 1\n")
    (user / "usercustomize.py").write_text("import sys; sys.customized = 2\n")
    place.pth(str(tmp_path / "two"), str(tmp_path / "nowhere"), "import sys; sys.by_a_line = 3", "# one", name="b")
    (place.site / "sitecustomize.py").write_text("import sys; sys.path.insert(0, sys.prefix); sys.here = 4\n")
    if python == "one over another":
        with (tmp_path / "venv" / "pyvenv.cfg").open("a") as file:
            file.write("include-system-site-packages = true\n")
    program = interpreter if python == "itself" else str(place.python)
    names = {name: value.replace("PLACE", str(tmp_path)) for name, value in variables.items()}
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")} | {"PYTHONDONTWRITEBYTECODE": "1"}
    shown = (
        "print({**{n: getattr(sys, n, None) for n in ('prefix', 'exec_prefix', 'base_prefix', 'of_the_user',"
        " 'customized', 'by_a_line', 'here')}, 'path': [os.path.abspath(e) for e in path if e]})"
    )
    usual = [program, "-c", f"import os, sys; path = sys.path; {shown}"]
    ours = str(REPOSITORY / "analysis" / "kernel_analysis" / "agent" / "sandbox" / "python_start.py")
    load = f"s = u.spec_from_file_location('s', {ours!r}); m = u.module_from_spec(s); s.loader.exec_module(m)"
    guarded = [
        program,
        "-S",
        "-c",
        f"import os, sys, importlib.util as u; {load}; path = m.start_python(['/x']); {shown}",
    ]
    given = {("TRITON_LS_" + name if name == "PYTHONPATH" else name): value for name, value in names.items()}
    first = subprocess.run(usual, env={**clean, **names}, cwd=tmp_path, capture_output=True, text=True, check=True)
    second = subprocess.run(guarded, env={**clean, **given}, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert second.stdout == first.stdout
