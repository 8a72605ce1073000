"""What is kept while only a kernel's body is edited is found out again after every other edit."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.small_projects import HEAD, find, sliced, write
from kernel_analysis.kernels.project import Project
from kernel_analysis.signature.launches import launched
from kernel_analysis.signature.launches.frame import Frame
from kernel_analysis.source.kernel import Launch

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


TUNED = """
import random
import other

WIDTHS = [16, 32]

def half(n):
    return n // 2

@triton.autotune([triton.Config({"B": w, "C": half(w), "D": other.STORE}) for w in WIDTHS], key=["n"])
@triton.heuristics({"D": lambda args: 1})
@triton.jit
def kernel(p, n, B: tl.constexpr, C: tl.constexpr, D: tl.constexpr):
    tl.store(p + tl.arange(0, B), C + D)

def launch(p, n):
    kernel[(1,)](p, n)
"""
TUNED_EDITS = (
    ("m", "C + D", "C - D"),
    ("m", "C + D)\n", "C + D)  # why\n"),
    ("m", "C + D", "half(C)"),
    ("m", "[16, 32]", "[16, 64]"),
    ("m", "[16, 32]", "[16, 32]\nWIDTHS.append(8)"),
    ("m", "n // 2", "n // 4"),
    ("m", "half(w)", "random.random()"),
    ("m", '@triton.heuristics({"D": lambda args: 1})\n', ""),
    ("m", "D: tl.constexpr", "E: tl.constexpr"),
    ("m", "kernel[(1,)](p, n)", "half.__code__ = n"),
    ("other", "STORE = 3", "STORE = 5"),
    ("other", "STORE = 3", "import m\nSTORE = 3\nm.WIDTHS = [4]"),
)


@pytest.mark.parametrize("seed", range(4))
def test_what_configs_give_is_what_a_new_project_finds(folder: Path, seed: int) -> None:
    choice = random.Random(seed)
    texts = {"m": HEAD + TUNED, "other": OTHER}
    lived, done = write(folder, work__m=texts["m"], work__other=texts["other"]), set[int]()
    files = {name: folder / f"work/{name}.py" for name in texts}

    def given(project: Project) -> object:
        while project.elsewhere.busy:
            project.elsewhere.work()
        project.elsewhere.catch_up(str(files["m"]))
        kernel = find(project, files["m"], "kernel")
        return [repr(launched.configured(project, kernel)) for _ in range(2)]

    given(lived)
    for _ in range(8):
        done ^= {choice.randrange(len(TUNED_EDITS))}
        now = dict(texts)
        for name, old, new in (TUNED_EDITS[number] for number in sorted(done)):
            now[name] = now[name].replace(old, new)
        for name, file in files.items():
            file.write_text(now[name])
            lived.elsewhere.touched(str(file))
            lived.set_text(str(file), now[name])
        assert given(lived) == given(Project(lived.roots, lived.search_path)), sorted(done)


def test_what_configs_give_is_not_asked_again_for_a_key_in_the_body(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, file = write(folder, work__m=HEAD + TUNED, work__other=OTHER), folder / "work/m.py"
    asked: list[object] = []
    argument = Frame.argument
    monkeypatch.setattr(Frame, "argument", lambda self, node: asked.append(node) or argument(self, node))
    found = launched.configured(project, find(project, file, "kernel"))
    assert [config["B"].value for config in found] == [16, 32]
    assert len(asked) == 4  # of two configs `B` and `C`: `D` is a heuristic's
    for text in (TUNED, TUNED.replace("C + D", "C - D")):
        project.elsewhere.touched(str(file))
        project.set_text(str(file), HEAD + text)
        assert launched.configured(project, find(project, file, "kernel")) == found
    assert len(asked) == 4


def test_that_thousands_of_launches_of_a_body_ask_takes_no_longer_for_each(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each asks for what is kept of the kernel; where the launches stand is found out once."""
    project = write(folder, work__m=HEAD + BODY + "    kernel[(1,)](p, 1, 2)\n" * 100)
    function = find(project, folder / "work/m.py", "kernel")
    reads: list[None] = []
    where = Launch.at.fget
    assert where is not None

    def read(launch: Launch) -> tuple[str, int, int]:
        reads.append(None)
        return where(launch)

    monkeypatch.setattr(Launch, "at", property(read))
    for n in range(100):
        project.host_text.kept(function, n, lambda: None)
    assert len(reads) < 300
    function.launches = function.launches[:-1]
    asked: list[None] = []
    project.host_text.kept(function, 0, lambda: asked.append(None))
    assert asked, "one launch less"
