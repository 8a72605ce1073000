"""What Triton asks of the Python function behind a jit function when it compiles: its defaults (before 3.9), what it
closes over. Every part with every way to get at it and to set it, each run by real Python: what is another then is not
fixed in a kernel; where nothing is set, or something of another function, it must be.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from host_python import answers, show_sources
from small_projects import is_fixed

from products import product

HEAD = "import triton\nimport triton.language as tl\n\n\n"
FUNCTION = "@triton.jit\ndef {0}(p, {1}on: tl.constexpr = 0):\n    if on:\n        tl.store(p, 1)\n\n\n"
KERNEL = "@triton.jit\ndef kernel(p):\n    C(p)\n"
CLOSES = """\
def make():
    on = tl.constexpr(0)

    @triton.jit
    def kernel(p):
        if on:
            tl.store(p, 1)

    return kernel


C = make()
"""
BY_POSITION = HEAD + FUNCTION.format("C", "") + FUNCTION.format("D", "") + KERNEL
MAINS = {
    "__defaults__": BY_POSITION,
    "__kwdefaults__": HEAD + FUNCTION.format("C", "*, ") + FUNCTION.format("D", "*, ") + KERNEL,
    "__signature__": BY_POSITION,
    "cell_contents": HEAD + CLOSES,
}
"""By what of it is set."""
ASKED = {
    "__defaults__": "C.fn.__defaults__",
    "__kwdefaults__": "C.fn.__kwdefaults__",
    "__signature__": "getattr(C.fn, '__signature__', None)",
    "cell_contents": "C.get_capture_scope()['on'].value",
}
VALUES = {
    "__defaults__": "(1,)",
    "__kwdefaults__": "{'on': 1}",
    "__signature__": "inspect.signature(lambda p, on=1: 0)",
    "cell_contents": "tl.constexpr(1)",
}
GOT = {
    "attribute": "f = main.C.fn",
    "imported": "from main import C\nf = C.fn",
    "renamed": "from main import C as other\nf = other.fn",
    "by text": "f = getattr(main, 'C').fn",
    "its function by text": "f = getattr(main.C, 'fn')",
    "of several": "for j in (main.C,):\n    f = j.fn",
    "handed": "def of(j):\n    return j.fn\n\n\nf = of(main.C)",
    "in a list": "js = [main.C]\nf = js[0].fn",
}
SETS = {
    "attribute": "T.A = V",
    "setattr": "setattr(T, 'A', V)",
    "its class's": "type(T).__setattr__(T, 'A', V)",
    "in a function": "def on(g):\n    g.A = V\n\n\non(T)",
    "either": "T.A, _ = V, 0",
}
OTHERS = {
    "read": "print(f.__defaults__, f.__closure__)",
    "another's": "main.D.fn.A = V",
    "a function's": "def g(on=0):\n    return on\n\n\ng.A = V",
}


def _texts(part: str, got: str, body: str) -> dict[str, str]:
    target = "f.__closure__[0]" if part == "cell_contents" else "f"
    body = body.replace("V", VALUES[part]).replace("T.", f"{target}.").replace("(T", f"({target}").replace("A", part)
    return {
        "main": MAINS[part],
        "other": f"import inspect\nimport main\nimport triton.language as tl\n\n{got}\n{body}\n",
    }


def _asked(texts: dict[str, str], part: str) -> list[tuple[str, str]]:
    show_sources(texts)
    (seen,) = answers(texts, "main", [f"repr({ASKED[part]})"])
    return seen


@pytest.mark.parametrize(("part", "got", "body"), product(MAINS, GOT, SETS))
def test_what_is_set(part: str, got: str, body: str, tmp_path: Path) -> None:
    texts = _texts(part, GOT[got], SETS[body])
    seen = _asked(texts, part)
    assert any(value != seen[0] for value in seen), seen
    assert not is_fixed(tmp_path, texts)


@pytest.mark.parametrize(("part", "got", "body"), product(sorted({*MAINS} - {"cell_contents"}), GOT, OTHERS))
def test_what_is_not_set(part: str, got: str, body: str, tmp_path: Path) -> None:
    texts = _texts(part, GOT[got], OTHERS[body])
    assert len(set(_asked(texts, part))) == 1
    assert is_fixed(tmp_path, texts)
