"""Files that are being typed: what still parses is found, what does not is named, nothing raises."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from analysis.small_projects import HEAD, bound, why, write
from kernel_analysis.kernels.project import Project
from kernel_analysis.source.module import Module
from kernel_analysis.source.parsing.parse import parse

ONE = '''
@triton.jit
def one(p):
    """Doc."""
    tl.store(p, 1)

'''
TWO = """
@triton.jit
def two(p, N: tl.constexpr):
    x = tl.load(p)
    tl.store(p, x)

"""
THREE = """
class Holder:
    @triton.jit
    def three(p):
        tl.store(p, 3)

    @triton.jit
    def four(p):
        tl.store(p, 4)

"""


def module(folder: Path, text: str | bytes) -> Module:
    file = folder / "work/k.py"
    file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return Project([str(folder / "work")], [str(folder / "site")]).module(str(file))


def found(folder: Path, text: str | bytes) -> list[str]:
    return [f.name for f in module(folder, text).functions if not f.stale]


@pytest.mark.parametrize(
    ("broken", "line"),
    [
        ("x = (1,\n", 8),
        ("def broken(:\n    pass\n", 8),
        ('text = """never closed\n', 8),
        ("x = = 1\n", 8),
        ("foo(\n  [1, {\n", None),
        ("if x:\n", 8),
        ("x = 'open\n", 8),
        ("@triton.jit\ndef bad(p):\n    x = tl.load(p\n\n", 10),
        ("import\n", 8),
        ("\0\n", 8),
        ("for\n", 8),
    ],
)
def test_an_error_hides_nothing_else(folder: Path, broken: str, line: int | None) -> None:
    one = "@triton.jit\ndef one(p):\n    tl.store(p, 1)\n\n\n"
    text = HEAD + one + broken + TWO + THREE
    assert text.splitlines()[7].startswith(broken.splitlines()[0][:3])
    assert found(folder, text) == ["one", "two", "three", "four"]
    problems = module(folder, text).problems
    assert problems
    if line is not None:
        assert problems[0].span.line == line


def test_a_function_that_is_touched_is_broken_itself(folder: Path) -> None:
    assert found(folder, HEAD + ONE + "  indented = 1\n" + TWO) == ["two"]
    assert found(folder, HEAD + ONE + "@triton.\n" + TWO) == ["one"]


def test_several_errors(folder: Path) -> None:
    text = HEAD + "a = (\n" + ONE + "b = [\n" + TWO + "def c(:\n" + THREE + "d = '\n"
    assert found(folder, text) == ["one", "two", "three", "four"]
    assert len(module(folder, text).problems) == 4


def test_error_inside_a_class_or_block(folder: Path) -> None:
    text = (
        HEAD
        + THREE.replace("tl.store(p, 3)", "tl.store(p,")
        + "if x:\n    y = (\n"
        + ONE.replace("\n", "\n    ")
        + "\n"
    )
    assert found(folder, text) == ["four", "one"]
    text = HEAD + "def make():\n    n = (\n    @triton.jit\n    def inner(p):\n        pass\n    return inner\n" + TWO
    assert found(folder, text) == ["inner", "two"]


def test_unterminated_docstring(folder: Path) -> None:
    text = HEAD + '\n@triton.jit\ndef zero(p):\n    """\n    tl.store(p, 0)\n' + ONE + TWO
    assert found(folder, text)[-1:] == ["two"]
    assert "one" in found(folder, text)
    assert "zero" not in found(folder, text)


def test_strings_that_look_like_code_are_left_alone(folder: Path) -> None:
    text = HEAD + 'S = """\nimport os\nx = 1\n"""\n' + ONE + "broken = (\n" + TWO
    assert found(folder, text) == ["one", "two"]


def test_last_good_tree(folder: Path) -> None:
    project = write(folder, work__k=HEAD + ONE + TWO)
    file = str(folder / "work/k.py")
    assert [f.stale for f in project.module(file).functions] == [False, False]
    good = HEAD + ONE + "\n\n" + TWO
    project.set_text(file, good.replace("x = tl.load(p)", "x = tl.load(p"))
    one, two = project.module(file).functions
    assert (one.stale, two.stale, two.name) == (False, True, "two")
    assert two.name_span.line == good.splitlines().index("def two(p, N: tl.constexpr):") + 1
    # Still broken, otherwise; then the function goes away altogether.
    project.set_text(file, good.replace("x = tl.load(p)", "x = tl.load(p, "))
    assert [f.stale for f in project.module(file).functions] == [False, True]
    project.set_text(file, HEAD + ONE + "\n(")
    assert [f.name for f in project.module(file).functions] == ["one"]
    project.set_text(file, None)
    assert [f.stale for f in project.module(file).functions] == [False, False]


@pytest.mark.parametrize("typed", ["@", "@t", "@triton", "@triton.", "@triton.ji", "@triton.jit(", "@triton.autotune"])
def test_a_kernel_stays_one_while_its_decorator_is_typed(folder: Path, typed: str) -> None:
    project = write(folder, work__k=HEAD + ONE + TWO)
    file = str(folder / "work/k.py")
    whole = HEAD + ONE + TWO
    assert [f.stale for f in project.module(file).functions] == [False, False]
    before, _, rest = whole.rpartition("@triton.jit")
    project.set_text(file, before + typed + rest)
    assert [(f.name, f.stale) for f in project.module(file).functions] == [("one", False), ("two", True)]
    # Another key in the other one's body, with the decorator as it is.
    project.set_text(file, (before + typed + rest).replace("tl.store(p, 1)", "tl.store(p, 2)"))
    assert [(f.name, f.stale) for f in project.module(file).functions] == [("one", False), ("two", True)]
    project.set_text(file, before)
    assert [f.name for f in project.module(file).functions] == ["one"]
    project.set_text(file, whole)
    assert [(f.name, f.stale) for f in project.module(file).functions] == [("one", False), ("two", False)]


@pytest.mark.parametrize("typed", ["@triton.", "@triton.jit(", "@triton.autotune("])
def test_a_kernel_is_listed_whose_decorator_was_never_whole(folder: Path, typed: str) -> None:
    before, _, rest = (HEAD + ONE + TWO).rpartition("@triton.jit")
    project = write(folder, work__k=before + typed + rest)
    functions = project.module(str(folder / "work/k.py")).functions
    assert [(f.name, f.stale) for f in functions] == [("one", False), ("two", True)]


def test_names_in_a_broken_part_say_so(folder: Path) -> None:
    text = (
        HEAD
        + "@triton.jit\ndef helper(x):\n    return (x\n\n"
        + "@triton.jit\ndef kernel(p):\n    tl.store(p, helper(SIZE))\nSIZE = (4 +\n"
    )
    project = write(
        folder, work__k=text, work__other=HEAD + "from k import helper\n@triton.jit\ndef kernel(p):\n    helper(p)\n"
    )
    assert "syntax error" in why(bound(project, folder / "work/k.py", "helper"))
    assert "syntax error" in why(bound(project, folder / "work/k.py", "SIZE"))
    assert "syntax error" in why(bound(project, folder / "work/other.py", "helper"))


@pytest.mark.parametrize(
    "text",
    [
        b"\xef\xbb\xbf" + (HEAD + ONE).encode(),
        ("# -*- coding: latin-1 -*-\nS = '\xe9'\n" + HEAD + ONE).encode("latin-1"),
        (HEAD + ONE).replace("\n", "\r\n").encode(),
        (HEAD + ONE).replace("\n", "\r").encode(),
        (HEAD + "\f\n" + ONE + "\x0c").encode(),
        (HEAD + ONE).replace("    ", "\t").encode(),
        (HEAD + "S = '\u2028\x1c'\n" + ONE).encode(),
    ],
)
def test_odd_but_valid_files(folder: Path, text: bytes) -> None:
    read = module(folder, text)
    assert [f.name for f in read.functions] == ["one"]
    assert read.problems == []
    span = read.functions[0].name_span
    assert read.lines[span.line - 1][span.column - 1 : span.end_column - 1] == "one"


@pytest.mark.parametrize("text", [b"\xff\xfe\n", b"# coding: no-such-thing\n", b"x = '\xe9'\n", b"\xed\xa0\x80"])
def test_undecodable_files(folder: Path, text: bytes) -> None:
    read = module(folder, text + b"\n" + (HEAD + ONE).encode())
    assert [f.name for f in read.functions] == ["one"]
    assert read.problems


def test_lone_surrogates_from_an_editor(folder: Path) -> None:
    project = write(folder, work__k="")
    file = str(folder / "work/k.py")
    project.set_text(file, "\ufeff" + HEAD + "S = '\ud800'\n" + ONE)
    assert [f.name for f in project.module(file).functions] == ["one"]


@pytest.mark.parametrize(
    "where", ["x = 1\0\n", "x = '\0'\n", "# \0\n", '"""\0"""\n', "x = (\n  \0)\n", "x = 1  # \0\0\n"]
)
@pytest.mark.parametrize("before", ["", "y = '\x01'\n", "y = '\U0001f600'; "])
def test_a_null_byte_is_one_error_in_its_place(folder: Path, where: str, before: str) -> None:
    """Of the character itself: nothing is said of one that would stand in for it. What holds it is not whole."""
    inside = "".join(f"    {line}\n" for line in (before + where).splitlines())
    bad = f"@triton.jit\ndef bad(p):\n{inside}"
    for text in (HEAD + ONE + "z = 0\n" + before + where + TWO, HEAD + ONE + bad + TWO):
        until = text[: text.index("\0")]
        (problem,) = module(folder, text).problems
        assert problem.message == "source code cannot contain null bytes"
        assert (problem.span.line, problem.span.column) == (until.count("\n") + 1, len(until) - until.rfind("\n"))
        assert found(folder, text) == ["one", "two"]


@pytest.mark.parametrize(
    "deep",
    [
        "x = " + "(" * 1000 + ")" * 1000,
        "x = " + "-" * 50_000 + "1",
        "x = " + "+".join("1" for _ in range(20_000)),
        "x = a" + ".b" * 20_000,
        "".join("    " * n + "if x:\n" for n in range(150)) + "    " * 150 + "pass",
        "if a:\n    x = 1\n" + "elif b:\n    x = 2\n" * 2000,
        "x = " + "[" * 150 + "]" * 150,
        "x = " + "9" * 5000,
        "x = 0x" + "f" * 5000,
    ],
)
def test_deep_nesting(folder: Path, deep: str) -> None:
    text = HEAD + deep + "\n" + ONE + "\n@triton.jit\ndef kernel(p):\n    tl.store(p, x)\n"
    assert found(folder, text) == ["one", "kernel"]
    project = write(folder, work__k=text)
    bound(project, folder / "work/k.py", "x")


def test_missing_and_unreadable_files(folder: Path) -> None:
    project = write(folder, work__k=ONE)
    for file in (folder / "none.py", folder / "work", Path("/a\0b")):
        read = project.module(str(file))
        assert read.functions == []
        assert read.problems


def test_columns_count_code_points(folder: Path) -> None:
    text = HEAD + "@triton.jit\ndef größe(é, ptr𝒳: tl.constexpr):\n    tl.store(é, 'ß𝒳', ptr𝒳)\n"
    function = module(folder, text).functions[0]
    assert (function.name_span.column, function.name_span.end_column) == (5, 10)
    assert [(p.span.column, p.span.end_column) for p in function.parameters] == [(11, 12), (14, 32)]


def test_random_damage_never_raises(folder: Path) -> None:
    """Cut, doubled and shuffled text: parsing, finding and slicing go on, and the whole parts stay found."""
    source = HEAD + ONE + TWO + THREE
    chance = random.Random(7)
    pieces = ["(", ")", '"""', "'", "\\", "\n", "    ", "@", "def ", ":", "[", "}", "\0", "\t", "class X:", "f'{", "#"]
    project = write(folder, work__k=source)
    file = str(folder / "work/k.py")
    for _ in range(300):
        text = source
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(text))
            text = text[:at] + chance.choice(pieces) + text[at + chance.choice([0, 0, 1, 20]) :]
        project.set_text(file, text)
        read = project.module(file)
        for problem in read.problems:
            assert problem.span.line <= len(read.lines)
        for function in read.functions:
            assert function.span.end_line <= len(read.lines) or function.stale


def test_chunks_are_remembered() -> None:
    chunks: dict[tuple[int, str], object] = {}
    first = parse("def a():\n    pass\nx = (\n", chunks)  # type: ignore[arg-type]
    again = parse("def a():\n    pass\nx = ((\n", chunks)  # type: ignore[arg-type]
    assert first.tree.body[0] is again.tree.body[0]


@pytest.mark.parametrize(
    ("broken", "seen"),
    [
        ("size = tl.constexpr(\n", True),
        ("if x:\n    size = tl.constexpr(\n", True),
        ("def size(:\n    pass\n", True),
        ("def other():\n    global size\n    size = (\n", True),
        ("def other(size):\n    y = = size\n", False),
        ("@triton.jit\ndef other(\n    size,\n):\n    size = = 1\n\n    y = size\n", False),
        ("class Holder:\n    def other(self):\n        size = = 1\n", False),
        ("class Holder:\n    def other(self):\n        x = = 1\n    size = 1\n", False),
    ],
)
def test_a_name_that_is_typed_may_be_that_of_others_where_they_could_see_it(
    folder: Path, broken: str, seen: bool
) -> None:
    """Whoever types in one function takes no error from another that uses a name which nobody defines."""
    text = HEAD + broken + "\n@triton.jit\ndef kernel(p):\n    tl.store(p, size)\n"
    reason = why(bound(write(folder, work__k=text), folder / "work/k.py", "size"))
    assert ("syntax error" in reason) == seen
