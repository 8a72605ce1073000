"""What is wrong with a text in the syntax of a newer Python says so; what is wrong in any, does not."""

from __future__ import annotations

import sys

import pytest

from kernel_analysis.source.parsing.newer_strings import plain
from kernel_analysis.source.parsing.newer_syntax import elsewhere
from kernel_analysis.source.parsing.parse import attempt, parse

NEWER = [
    ("def f[T: int](x: T) -> T:\n    return x\n", (3, 12)),
    ("async def f[T](x: T) -> T:\n    return x\n", (3, 12)),
    ("class C[T]:\n    pass\n", (3, 12)),
    ("type Size = int | None\n", (3, 12)),
    ("type Pair[T] = tuple[T, T]\n", (3, 12)),
    ("try:\n    pass\nexcept ValueError, TypeError:\n    pass\n", (3, 14)),
]
WRONG = [
    "def f(:\n    pass\n",
    "x = (1\n",
    'x = f"{{{y}}}" 1\n',
    "f('${x}' 2)\n",
    "x = 1 2  # {% a %}\n",
    "type == 1 2\n",
    "class C(\n",
    "except ValueError:\n",
    'x = f"{1"\n',
]


@pytest.mark.parametrize(("text", "since"), NEWER)
def test_newer_syntax_names_the_python_that_takes_it(text: str, since: tuple[int, int]) -> None:
    tree, error = attempt(text)
    if sys.version_info >= since:
        assert tree is not None
        return
    assert error is not None
    assert error.elsewhere
    assert f"(Python {since[0]}.{since[1]} takes it; it is read with {sys.version_info[0]}.{sys.version_info[1]})" in (
        error.message
    )


@pytest.mark.parametrize("text", WRONG)
def test_what_no_python_takes_names_none(text: str) -> None:
    _, error = attempt(text)
    assert error is not None
    assert "takes it" not in error.message
    assert not error.elsewhere


def test_the_python_that_has_the_syntax_is_not_told_of() -> None:
    assert elsewhere("invalid syntax", "class C[T)", (3, 12)) is None


@pytest.mark.parametrize(
    "text",
    [
        "import {{ library }}\n",
        "def {{ name }}(x):\n    pass\n",
        "{% if fast %}\nx = 1\n{% endif %}\n",
        "x = ${size}\n",
    ],
)
def test_a_template_is_nobody_s_mistake(text: str) -> None:
    _, error = attempt(text)
    assert error is not None
    assert error.elsewhere
    assert "template" in error.message


STRINGS = [
    'x = f"{d["a"]}"\n',
    'x = f"{"\\n".join(y)}"\n',
    "x = f'{x!r:>{width}} {d['a']:{f'{w}'}}'\n",
    'x = f"""\n{"\\n".join(lines)}\n"""\n',
    'x = f"{\n1 + 2  # why\n}"\n',
    'x = rf"\\d{d["a"]}{{}}"\n',
    'x = f"{x = }{d["y"]=}{a!=b}"\n',
    'x = f"{(lambda q: q["a"])(1)}"\n',
    'x = f"\\N{EM DASH}{d["a"]}"\n',
    'x = f"{f"{f"{1}"}"}"\n',
    'def f():\n    return f"{d["a"]}" "b"\n',
    'x = f"{d["a"]:%H:%M}"\n',
    'x = (f"a" \'b\' f"{d["k"]}")\n',
]
BROKEN = [
    'x = f"{1"\n', 'x = f"{}{d["a"]}"\n', 'x = f"{1 +}{d["a"]}"\n', 'x = f"}{d["a"]}"\n', 'x = f"{d["a"}"\n',
    'x = f"{d[)]["a"]}"\n', 'x = f"{d["a"]}" +\n', 'x = f"{d["a"]\n', 'x = f"{# why}{d["a"]}"\n',
]  # fmt: skip


@pytest.mark.parametrize("text", STRINGS)
def test_an_f_string_of_a_newer_python_is_nobody_s_mistake(text: str) -> None:
    made = plain(text)
    assert made is not None
    assert attempt(made)[0] is not None
    assert made.count("\n") == text.count("\n")
    assert all(problem.elsewhere for problem in parse(text).problems)
    assert bool(parse(text).problems) == (sys.version_info < (3, 12))


@pytest.mark.parametrize("text", BROKEN)
def test_an_f_string_that_no_python_takes_is_an_error(text: str) -> None:
    assert attempt(plain(text) or text)[0] is None
    assert any(not problem.elsewhere for problem in parse(text).problems)


@pytest.mark.parametrize("text", STRINGS)
def test_what_is_wrong_beside_a_newer_f_string_is_told(text: str) -> None:
    lines = text.count("\n")
    problems = parse(f"{text}y = (1\nz = 3\n").problems
    assert {problem.line for problem in problems if not problem.elsewhere} == {lines + 1}


@pytest.mark.parametrize("text", ["x = f'{a}'\n", "x = f'{d[\"a\"]}'\n", 'x = "f\'{"\n', "# f'{\nx = 1\n"])
def test_what_an_older_python_reads_is_left_as_it_is(text: str) -> None:
    assert plain(text) is None
