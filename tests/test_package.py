"""The distribution: what a wheel and an sdist hold, that both ways to install work, and what importing pulls in.

Builds with the build backend of the tests' own environment; nothing is downloaded.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
FIND = "import kernel_analysis, triton_ls.cli as cli; print(kernel_analysis.__file__); print(cli.__file__)"


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, f"{command} ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(*PIP, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, REPOSITORY, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


def modules(root: str, package: str) -> set[str]:
    """The Python files of a package in the repository, as paths from its source root."""
    folder = REPOSITORY / root
    return {str(path.relative_to(folder)) for path in (folder / package).rglob("*.py")}


def test_the_wheel_holds_both_packages_and_nothing_else(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert {name for name in names if name.endswith(".py")} == modules("analysis", "kernel_analysis") | modules(
        "server", "triton_ls"
    )
    assert {name.split("/")[0] for name in names} == {"kernel_analysis", "triton_ls"}


def installed(environment: Path, *what: str | Path) -> list[Path]:
    """Where both packages are found once ``what`` is installed into a fresh environment.

    The dependencies are those of the tests' own environment; only our package is new."""
    venv.create(environment, with_pip=False)
    (site,) = environment.glob("lib/python*/site-packages")
    run(*PIP, "install", "--no-deps", "--no-build-isolation", "--target", site, *what, cwd=environment)
    own = next(path for path in sys.path if path.endswith("site-packages"))
    (site / "dependencies.pth").write_text(own + "\n", encoding="utf-8")
    return [Path(line) for line in run(environment / "bin" / "python", "-c", FIND, cwd=environment).splitlines()]


def test_the_wheel_works_where_it_is_installed(wheel: Path, tmp_path: Path) -> None:
    found = installed(tmp_path / "environment", wheel)
    assert len(found) == 2
    assert all(path.is_relative_to(tmp_path) for path in found)


def test_an_editable_install_reads_the_working_tree(tmp_path: Path) -> None:
    analysis, server = installed(tmp_path / "environment", "--editable", REPOSITORY)
    assert analysis.is_relative_to(REPOSITORY / "analysis")
    assert server.is_relative_to(REPOSITORY / "server")


def test_the_wheel_names_its_command_and_its_licence(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    metadata = {name.rsplit("/", 1)[-1]: archive.read(name).decode() for name in archive.namelist()}
    assert "triton-ls = triton_ls.cli:main" in metadata["entry_points.txt"]
    assert "License-Expression: Apache-2.0" in metadata["METADATA"]
    assert "Apache License" in metadata["LICENSE"]


@pytest.mark.slow("builds an sdist and two wheels")
def test_an_sdist_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    code = "import hatchling.build, sys; print(hatchling.build.build_sdist(sys.argv[1]))"
    name = run(sys.executable, "-c", code, tmp_path, cwd=REPOSITORY).split()[-1]
    with tarfile.open(tmp_path / name) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    (source,) = (tmp_path / "unpacked").iterdir()
    assert {"analysis", "server", "docs", "examples", "tests", "Makefile", "README.md"} <= {
        p.name for p in source.iterdir()
    }
    assert not [path for path in source.rglob("*") if "node_modules" in path.parts or path.name == ".venv"]
    run(*PIP, "wheel", "--no-deps", "--no-build-isolation", "-w", tmp_path / "again", source, cwd=tmp_path)
    (again,) = (tmp_path / "again").glob("*.whl")
    assert set(zipfile.ZipFile(again).namelist()) == set(zipfile.ZipFile(wheel).namelist())


@pytest.mark.parametrize("module", ["triton_ls", "triton_ls.cli", "kernel_analysis"])
def test_importing_pulls_in_neither_triton_nor_torch(module: str, tmp_path: Path) -> None:
    code = f"import {module}, sys; print(*(name for name in ('triton', 'torch') if name in sys.modules))"
    assert run(sys.executable, "-c", code, cwd=tmp_path).strip() == ""


def test_the_analysis_needs_only_the_standard_library_to_be_imported(tmp_path: Path) -> None:
    """The agent runs in the user's Python, which has triton and perhaps nothing else."""
    code = f"import sys; sys.path.insert(0, {str(REPOSITORY / 'analysis')!r}); import kernel_analysis.agent"
    run(sys.executable, "-I", "-S", "-c", code, cwd=tmp_path)
