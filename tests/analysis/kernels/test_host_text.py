"""What is kept while only a kernel's body is edited is found out again after every other edit."""

from dataclasses import replace
from pathlib import Path

import pytest

from analysis.small_projects import HEAD, find, sliced, write
from kernel_analysis.kernels.project import Project
from kernel_analysis.signature.launches import launched

BODY = """
import other

@triton.jit
def store(p, x):
    tl.store(p, x)

@triton.jit
def kernel(p, x, function: tl.constexpr):
    function(p, x)

def launch(p):
    kernel[(1,)](p, 1, 2)
"""
OTHER = "from mine import store\nSTORE = 3\n"


def made(folder: Path) -> tuple[Project, Path]:
    project = write(folder, work__m=HEAD + BODY, work__other=OTHER)
    return project, folder / "work/m.py"


def slice_names(project: Project, file: Path) -> list[str]:
    return [function.name for function in sliced(project, file, "kernel").functions]


@pytest.mark.parametrize(
    ("old", "new", "asks"),
    [
        ("function(p, x)", "function(p, x + 1)", False),
        ("function(p, x)", "function(p, x)  # why", False),
        ("kernel[(1,)](p, 1, 2)", "kernel[(1,)](p, 1, 2)  # why", False),
        ("kernel[(1,)](p, 1, 2)", "kernel[(1,)](p, 1, 3)", True),
        ("import other", "import other as o", True),
        ("def launch(p):", "\ndef launch(p):", True),
        ("@triton.jit\ndef store", "\n@triton.jit\ndef store", True),
    ],
)
def test_when_it_is_asked_again(folder: Path, old: str, new: str, asks: bool) -> None:
    project, file = made(folder)
    asked: list[None] = []

    def ask() -> None:
        project.elsewhere.catch_up(str(file))  # the index of the workspace looks at the text, too, as in an editor
        project.host_text.kept(find(project, file, "kernel"), "this", lambda: asked.append(None))

    ask()
    ask()
    assert len(asked) == 1
    text = HEAD + BODY
    assert old in text
    project.elsewhere.touched(str(file))
    project.set_text(str(file), text.replace(old, new))
    ask()
    assert len(asked) == (2 if asks else 1)


@pytest.mark.parametrize("string", ['"""\n# 64\n"""', "'''\n# 64\n'''", '"\\\n# 64"'])
def test_what_looks_like_a_comment_in_a_string_is_host_code(folder: Path, string: str) -> None:
    text = f"{HEAD}WIDE = int({string}.split()[1])\n{BODY}"
    project = write(folder, work__m=text, work__other=OTHER)
    file = str(folder / "work/m.py")
    before = project.host_text.of(project.module(file))
    project.set_text(file, text.replace("# 64", "# 32"))
    assert project.host_text.of(project.module(file)) != before


def test_the_files_it_was_read_from_are_told_again(folder: Path) -> None:
    project, file = made(folder)
    function = find(project, file, "kernel")
    for _ in range(2):
        with project.resolver.reading() as files:
            project.host_text.kept(function, "this", lambda: project.resolver.read(("a.py",)))
        assert files == {"a.py"}


def test_a_function_that_a_launch_comes_to_pass_joins_the_slice(folder: Path) -> None:
    project, file = made(folder)
    assert slice_names(project, file) == ["kernel"]
    project.set_text(str(file), (HEAD + BODY).replace("(p, 1, 2)", "(p, 1, store)"))
    assert slice_names(project, file) == ["kernel", "store"]
    project.set_text(str(file), (HEAD + BODY).replace("(p, 1, 2)", "(p, 1, other.STORE)"))
    assert slice_names(project, file) == ["kernel"]
    project.set_text(str(folder / "work/other.py"), OTHER.replace("STORE = 3", "STORE = store"))
    project.set_text(str(folder / "work/mine.py"), HEAD + "@triton.jit\ndef store(p, x):\n    tl.store(p, x)\n")
    assert slice_names(project, file) == ["kernel", "store"]


def test_a_function_of_before_its_launches_were_found_has_them_all_the_same(folder: Path) -> None:
    project, file = made(folder)
    kernel = find(project, file, "kernel")
    (launch,) = kernel.launches
    assert len(launched.in_sight(project, kernel)) == 1
    early = replace(kernel, launches=[])
    assert project.launches_of(early) == [launch]
    assert launched.in_sight(project, early) == launched.in_sight(project, kernel)
    assert launched.at(project, early, launch).keys() == {"p", "x", "function"}
