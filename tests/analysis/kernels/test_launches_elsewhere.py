"""Launches in other files of the workspace."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from analysis.small_projects import HEAD, find, sliced, write
from kernel_analysis.files import LARGEST, workspace_files
from kernel_analysis.kernels.files import launches_elsewhere
from kernel_analysis.kernels.files.launches_elsewhere import Elsewhere
from kernel_analysis.kernels.files.text_index import TextIndex
from kernel_analysis.kernels.project import Project
from kernel_analysis.source.text_search.mentions import mentions

KERNEL = HEAD + "\n@triton.jit\ndef kernel(p, N: tl.constexpr):\n    pass\n"


def patient(project: Project) -> Project:
    project.elsewhere = Elsewhere(project, TextIndex(None), patient=True)
    return project


def lines(folder: Path, project: Project, file: str = "k", name: str = "kernel") -> list[tuple[str, int]]:
    function = find(project, folder / f"work/{file}.py", name)
    found = [launch.place for launch in project.launches_of(function)]
    return [(str(Path(place).relative_to(folder / "work")), line) for place, line in found]


def settle(project: Project) -> set[str]:
    """Work until there is nothing to do, in steps; the files that were said to be out of date."""
    outdated: set[str] = set()
    end = time.monotonic() + 20
    while project.elsewhere.busy:
        assert time.monotonic() < end
        outdated |= project.elsewhere.work()
    return outdated


def test_launches_through_imports_aliases_and_re_exports(folder: Path) -> None:
    project = write(
        folder,
        work__pkg____init="from .k import kernel as public\n",
        work__pkg__k=KERNEL,
        work__pkg__again="from pkg import public\nrenamed = public\n",
        work__a="from pkg.k import kernel\ndef f(x):\n    kernel[(1,)](x, 2)\n",
        work__b="import pkg.k as m\ndef f(x):\n    m.kernel[(1,)](x, 2)\n",
        work__c="from pkg.again import (\n    renamed,  # (the same)\n)\ndef f(x):\n    renamed[(1,)](x, 2)\n",
        work__d="from pkg.k import *\ndef f(x):\n    kernel.run(x, 2, grid=(1,))\n",
        work__pkg__e="from . import public\ndef f(x, c):\n    k = public if c else None\n    k[(1,)](x, 2)\n",
    )
    expected = [("pkg/e.py", 4), ("a.py", 3), ("b.py", 3), ("c.py", 5), ("d.py", 3)]
    assert lines(folder, patient(project), "pkg/k") == expected


def test_a_kernel_of_the_same_name_is_another(folder: Path) -> None:
    project = write(
        folder,
        work__k=KERNEL,
        work__other__k=KERNEL,
        work__other__use="from .k import kernel\ndef f(x):\n    kernel[(1,)](x, 2)\n",
        work__unrelated="from somewhere import kernel\ndef f(x):\n    kernel[(1,)](x, 2)\n",
        work__text="'''from k import kernel'''\ndef f(x, kernel):\n    kernel[(1,)](x, 2)\n",
    )
    assert lines(folder, patient(project)) == []
    assert lines(folder, project, "other/k") == [("other/use.py", 3)]


def test_launches_in_the_own_file_are_stronger(folder: Path) -> None:
    project = write(
        folder,
        work__k=KERNEL + "def f(x):\n    kernel[(1,)](x, 2)\n",
        work__use="from k import kernel\ndef f(x):\n    kernel[(1,)](x, 2)\n",
    )
    assert lines(folder, patient(project)) == [("k.py", 8)]


def test_nobody_waits_for_what_is_found_out_in_the_background(folder: Path) -> None:
    use = "from k import kernel\n\ndef f(x):\n    kernel[(1,)](x, 2)\n"
    project = write(folder, work__k=KERNEL, work__use=use, work__more="import os\n")
    assert not lines(folder, project)
    assert settle(project) == {str(folder / "work/k.py")}
    assert lines(folder, project) == [("use.py", 4)]
    assert settle(project) == set()
    # An edit of the kernel's own file costs no look at the others.
    project.set_text(str(folder / "work/k.py"), KERNEL.replace("pass", "return"))
    project.elsewhere.touched(str(folder / "work/k.py"))
    assert lines(folder, project) == [("use.py", 4)]
    assert settle(project) == set()


def test_a_changed_launching_file_counts_at_once(folder: Path) -> None:
    use = "from k import kernel\n\ndef f(x):\n    kernel[(1,)](x, 2)\n"
    project = write(folder, work__k=KERNEL, work__use=use)
    lines(folder, project)
    settle(project)
    file = str(folder / "work/use.py")
    project.elsewhere.touched(file)
    project.set_text(file, "\n" + use)
    assert lines(folder, project) == [("use.py", 5)]
    project.elsewhere.touched(file)
    project.set_text(file, "import os\n")
    assert lines(folder, project) == []
    assert settle(project) == set()


NAMES = "import triton\nfrom k import kernel\n\n@triton.jit\ndef other(p):\n    pass\n"
EDITS = {
    "its head is broken": ("k", "def kernel(p", "def kernel((p"),
    "its decorator is broken": ("k", "@triton.jit", "@triton.jit("),
    "its body is broken": ("k", "    pass", "    x = (1,"),
    "a line goes on": ("k", "    pass", "    pass \\"),
    "a bracket above": ("k", "import triton\n", "import triton\n(\n"),
    "it has no name": ("k", "def kernel", "def"),
    "it has another name": ("k", "def kernel", "def kern"),
    "it is no kernel": ("k", "@triton.jit\n", ""),
    "it is no kernel of Triton's": ("k", "@triton.jit", "@triton.ji"),
    "it is inside another": ("k", "@triton.jit", "def f():\n  x\n@triton.jit"),
    "the import is broken": ("names", "import kernel", "import (kernel"),
    "the import has another name": ("names", "import kernel", "import kerne"),
    "the import is of elsewhere": ("names", "from k", "from m"),
    "the import is gone": ("names", "from k import kernel\n", ""),
}


@pytest.mark.parametrize(("name", "old", "new"), EDITS.values(), ids=EDITS)
def test_what_was_looked_for_while_a_file_was_another_is_looked_for_again(
    folder: Path, name: str, old: str, new: str
) -> None:
    """The launching file is edited while the kernel's own file, or the one that it is imported from, is not as it was:
    then it is again."""
    use = "from names import kernel\n\ndef f(x):\n    kernel[(1,)](x, 2)\n"
    project = write(folder, work__k=KERNEL, work__names=NAMES, work__use=use)

    def edit(name: str, text: str) -> None:
        file = str(folder / f"work/{name}.py")
        project.elsewhere.touched(file)
        project.set_text(file, text)
        for function in project.module(str(folder / "work/k.py")).functions:
            project.launches_of(function)
        settle(project)

    lines(folder, project)
    settle(project)
    whole = KERNEL if name == "k" else NAMES
    assert whole.count(old) == 1
    edit(name, whole.replace(old, new))
    edit("use", "\n" + use)
    edit(name, whole)
    assert lines(folder, project) == [("use.py", 5)]
    assert settle(project) == set()


def test_a_new_launching_file_is_told_of(folder: Path) -> None:
    project = write(folder, work__k=KERNEL)
    lines(folder, project)
    assert settle(project) == set()
    file = folder / "work/new.py"
    file.write_text("from k import kernel\ndef f(x):\n    kernel[(1,)](x, 2)\n")
    project.elsewhere.touched(str(file))
    project.changed([str(file)])
    assert settle(project) == {str(folder / "work/k.py")}
    assert lines(folder, project) == [("new.py", 3)]
    file.unlink()
    project.elsewhere.touched(str(file))
    project.changed([str(file)])
    assert settle(project) | {str(folder / "work/k.py")} == {str(folder / "work/k.py")}
    assert lines(folder, project) == []


def test_what_is_no_source_is_not_looked_at(folder: Path) -> None:
    use = "from k import kernel\ndef f(x):\n    kernel[(1,)](x, 2)\n"
    project = write(folder, work__k=KERNEL, work__node_modules__use=use, work__env__lib__use=use)
    (folder / "work/env/pyvenv.cfg").write_text("")
    (folder / "work/large.py").write_text(use + "#" * LARGEST)
    assert lines(folder, patient(project)) == []


def test_a_file_that_does_not_parse_costs_nothing(folder: Path) -> None:
    project = write(
        folder,
        work__k=KERNEL,
        work__bad="from k import kernel\ndef g(:\n    kernel[(1,)](\n",
        work__use="from k import kernel\ndef f(x):\n    kernel[(1,)](x, 2)\ndef g(:\n",
    )
    assert lines(folder, patient(project)) == [("use.py", 3)]


def test_mentions() -> None:
    text = "from a.b import (one, two as zwei)\nthree = two\nfour = wrap(one, 1)\nfive = x.one if y else m.six\n"
    assert mentions(text).names == frozenset()
    assert {n: set(r) for n, r in mentions(text).renamed.items()} == {
        "two": {"zwei", "three"},
        "wrap": {"four"},
        "one": {"four", "five"},
        "six": {"five"},
    }
    launching = mentions(text + "k.seven[grid](x)\nk.eight(x)\n")
    assert {"one", "two", "zwei", "seven"} <= launching.names
    assert "eight" not in launching.names


def test_a_store_of_another_file_is_told_of(folder: Path) -> None:
    kernel = HEAD + "from config import W\n\n@triton.jit\ndef kernel(p):\n    tl.store(p, W)\n"
    project = write(
        folder,
        work__config="W = 1\n",
        work__k=kernel,
        work__plugin="import config\nconfig.W = 2\n",
        work__else="X = 1\n",
    )
    assert not sliced(project, folder / "work/k.py", "kernel").functions[0].varies
    outdated = settle(project)
    assert {Path(file).name for file in outdated} == {"config.py", "k.py"}
    varies = sliced(project, folder / "work/k.py", "kernel").functions[0].varies
    assert "plugin.py:2" in varies["W"]
    (folder / "work/plugin.py").write_text("import config\n")
    project.changed([str(folder / "work/plugin.py")])
    project.elsewhere.touched(str(folder / "work/plugin.py"))
    assert settle(project)
    assert not sliced(project, folder / "work/k.py", "kernel").functions[0].varies


def test_who_waits_for_a_large_workspace_hears_that_it_goes_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launches_elsewhere, "_SIGN_SECONDS", 0.0)
    files = {f"work__f{number}": "import k\n" for number in range(20)}
    project = patient(
        write(folder, work__k=KERNEL, work__a="from k import kernel\n\ndef f(x):\n    kernel[(1,)](x, 2)\n", **files)
    )
    heard: list[int] = []
    project.elsewhere.heard = lambda: heard.append(1)
    assert lines(folder, project) == [("a.py", 4)]
    assert len(heard) > 20
    heard.clear()
    assert lines(folder, project) == [("a.py", 4)]
    assert not heard
    project.let_go()
    assert lines(folder, project) == [("a.py", 4)]
    assert heard, "files that were let go are read again, which may take as long"


def test_a_root_within_another_is_searched_once(tmp_path: Path) -> None:
    for name in ("a.py", "pkg/b.py", "pkg/in/c.py", "build/d.py", ".hidden/e.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    tmp_path.joinpath("link").symlink_to(tmp_path / "pkg")

    def found(*roots: str) -> list[str]:
        return [str(Path(file).relative_to(tmp_path)) for file in workspace_files(str(tmp_path / r) for r in roots)]

    whole = ["a.py", "pkg/b.py", "pkg/in/c.py"]
    assert found("", "pkg", "pkg/in", "") == whole
    # The search of what is around them does not come by these.
    assert found("", "build", ".hidden") == [*whole, "build/d.py", ".hidden/e.py"]
    assert found("", "link") == [*whole, "link/b.py", "link/in/c.py"]
    assert found("pkg/in", "pkg") == ["pkg/in/c.py", "pkg/b.py", "pkg/in/c.py"]
