"""Shapes of text that grow: files by name, for a number. Each is of about so many pieces, and none is anybody's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

Files: TypeAlias = "dict[str, str]"
Shape: TypeAlias = Callable[[int], Files]

SHAPES: Final[dict[str, tuple[Shape, int]]] = {}
"""With the smallest number that is tried: twice and four times as many follow."""

HEAD: Final = "import torch\nimport triton\nimport triton.language as tl\nimport config\n\n"
KERNEL: Final = """
@triton.jit
def kernel(p, q, n, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, 16)
    tl.store(q + at, tl.load(p + at, mask=at < n), mask=at < n)


def launch(x, y):
    kernel[(1,)](x, y, x.numel(), N=VALUE)
"""
CONFIG: Final = "BLOCK = 64\nOTHER = [1, 2]\n"


def host(smallest: int, rest: str = "VALUE = config.BLOCK\n") -> Callable[[Callable[[int], str]], None]:
    """Host code, from which comes what a launch passes."""

    def put(text: Callable[[int], str]) -> None:
        def files(number: int) -> Files:
            return {"main.py": HEAD + text(number) + rest + KERNEL, "config.py": CONFIG}

        SHAPES[text.__name__] = files, smallest

    return put


def kernel(smallest: int) -> Callable[[Callable[[int], str]], None]:
    """Lines of a kernel's body; or, where there are any before ``---``, of the file."""

    def put(text: Callable[[int], str]) -> None:
        def files(number: int) -> Files:
            before, _, body = text(number).rpartition("---\n")
            lines = "".join(f"    {line}\n" for line in body.splitlines())
            made = f"{before}\n@triton.jit\ndef kernel(p, q, n, N: tl.constexpr):\n    at = tl.arange(0, 16)\n{lines}"
            return {"main.py": f"{HEAD}{made}    tl.store(q + at, 1.0)\n", "config.py": CONFIG}

        SHAPES[f"kernel_{text.__name__}"] = files, smallest

    return put


def many(smallest: int) -> Callable[[Shape], None]:
    """Many files."""

    def put(files: Shape) -> None:
        SHAPES[f"files_{files.__name__}"] = (lambda number: {"config.py": CONFIG, **files(number)}), smallest

    return put


def lines(number: int, line: Callable[[int], str]) -> str:
    return "".join(f"{line(i)}\n" for i in range(number))


def nest(number: int, head: Callable[[int], str], inner: str) -> str:
    return "".join(f"{'    ' * i}{head(i)}\n" for i in range(number)) + f"{'    ' * number}{inner}\n"
