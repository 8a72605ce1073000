"""What the server and the command line do with a text themselves, where nobody ends them when it takes too long: each
takes a time that grows with the text, and no faster."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable

import pytest

from triton_ls import markdown, outline
from triton_ls.cli import check

HEAD = "import triton\nimport triton.language as tl\n"
SECONDS = 5.0
"""Of this process' own time, for two million characters. What grew with their square took minutes."""
SIZE = 2_000_000

OUTLINED = {
    "one import after the other": "import triton\nfrom triton " + "import " * (SIZE // 7),
    "many functions": HEAD + "".join(f"@triton.jit\ndef a{n}(p):\n  pass\n" for n in range(SIZE // 32)),
    "many names for Triton": "".join(f"import triton as {n}\n" for n in range(SIZE // 40)) + "@0.jit\n" * 200_000,
    "many decorators": HEAD + ("@triton.jit\n" * 300 + "def k(x):\n  pass\n") * (SIZE // 4000),
    "one long name": HEAD + f"@triton.jit\ndef {'k' * SIZE}(x):\n  pass\n",
    "blanks": HEAD + "@triton.jit\ndef k(x):\n  pass\n" + "k" + " " * SIZE,
    "signs": HEAD + "@triton.jit\ndef k(x):\n  pass\n" + "@k" * (SIZE // 2),
}
SHOWN = {
    "fences that do not end": "".join("`" * (3 + n % 60) + "x\n" for n in range(SIZE // 40)),
    "longer and longer fences": "".join("`" * n + "\n" for n in range(3, 1500)),
    "a row": "| " + "a | " * (SIZE // 4) + "a",
    "rows": ("| " + "a | " * 1000 + "a\n") * (SIZE // 4000),
}
LAUNCHING = {
    "brackets that do not end": b"x[(" * (SIZE // 3),
    "on many lines": b"x[(" * 1000 + b"\n" + b")] " * (SIZE // 3),
    "closed, and not called": b"x[()] " * (SIZE // 6),
    "closed, and called": b")](" * (SIZE // 3),
}


def _in_time(ask: Callable[[], object]) -> None:
    start = time.process_time()
    ask()
    assert time.process_time() - start < SECONDS


@pytest.mark.parametrize("text", OUTLINED.values(), ids=OUTLINED)
def test_the_outline_of_any_text(text: str) -> None:
    _in_time(lambda: outline.entries("a.py", text))


@pytest.mark.parametrize("text", SHOWN.values(), ids=SHOWN)
def test_any_text_without_marks(text: str) -> None:
    _in_time(lambda: markdown.plain(text))


@pytest.mark.parametrize("text", LAUNCHING.values(), ids=LAUNCHING)
def test_whether_any_text_launches(text: bytes) -> None:
    _in_time(lambda: check._launches(text))  # pyright: ignore[reportPrivateUsage]


def test_what_launches() -> None:
    said = re.compile(rb"\[(?<=\w\[)\([^\]\n]*\)\]\s*\(")
    dice = random.Random(1)
    for _ in range(30_000):
        text = "".join(dice.choices("x[()]\n ", k=dice.randrange(3, 16))).encode()
        assert check._launches(text) == bool(said.search(text)), text  # pyright: ignore[reportPrivateUsage]


def test_roles_of_an_outline() -> None:
    text = HEAD + (
        "from triton import other, jit\n\n"
        "@jit\ndef launched(x):\n    return 1\n\n"
        "@triton.jit\ndef called(x):\n    pass\n\n"
        "@triton.autotune([])\n@triton.jit\ndef tuned(x):\n    return 1\n\n"
        "@triton.jit\ndef gives(x):\n    return 1\n\n"
        "@other.jit\ndef none(x):\n    pass\n\n"
        "@triton.jit\ndef alone(x):\n    return\n\n"
        "def host():\n    launched [1](0)\n    called (1)\n"
    )
    found = {entry.name: entry.role for entry in outline.entries("a.py", text)}
    assert found == {
        "launched": "kernel", "called": "helper", "tuned": "kernel", "gives": "helper", "alone": "kernel",
    }  # fmt: skip
