"""What is wrong with a text in the syntax of a newer Python says so; what is wrong in any, does not."""

from __future__ import annotations

import sys

import pytest

from kernel_analysis.source.newer_syntax import elsewhere
from kernel_analysis.source.parse import attempt

NEWER = [
    ("def f[T: int](x: T) -> T:\n    return x\n", (3, 12)),
    ("async def f[T](x: T) -> T:\n    return x\n", (3, 12)),
    ("class C[T]:\n    pass\n", (3, 12)),
    ("type Size = int | None\n", (3, 12)),
    ("type Pair[T] = tuple[T, T]\n", (3, 12)),
    ("x = f\"{'\\n'.join(y)}\"\n", (3, 12)),
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
