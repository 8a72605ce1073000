"""What a hover says at each kind of place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from connection import KERNELS, connect

TEXT = '''\
import triton
import triton.language as tl


@triton.jit
def helper(ptr, v):
    tl.store(ptr, v)


@triton.jit
def kernel(in_ptr, out_ptr, n, BLOCK: tl.constexpr = 64):
    """x is a docstring."""
    x = tl.arange(0, BLOCK)  # x comment
    for i in range(n):
        y = x + i
    x = x.to(tl.float32)
    helper(out_ptr + x.to(tl.int32), x)
    helper(ptr=out_ptr, v=x.shape[0])
'''


async def test_every_kind_of_place(tmp_path: Path) -> None:
    expected = {
        r"    (x) = tl.arange": "x: int32[64]",
        r"y = (x) \+ i": "x: int32[64]",
        r"    (x) = x\.to": "x: fp32[64]",
        r"    x = (x)\.to": "x: int32[64]",
        r"\+ (x)\.to": "x: fp32[64]",
        r"(x) is a docstring": None,
        r"# (x) comment": None,
        r"(helper)\(out_ptr": "(helper) helper(ptr, v)\n- writes: ptr\nDefined at line 6.",
        r"helper\((ptr)=": None,
        r"\(ptr=(out_ptr)": "(parameter) out_ptr: *fp32",
        r"x\.(shape)": None,
        r"(BLOCK)\)  #": "(parameter) BLOCK: constexpr = 64\nCompiled with 64: its default is 64.",
        r"def kernel\(in_ptr, (out_ptr)": "- written at line 7 through helper, called at lines 17 and 18\n- not read",
        r"def (kernel)": "(kernel) kernel(in_ptr, out_ptr, n, BLOCK)\n- writes out_ptr",
        r"(import) triton": None,
    }
    async with connect(tmp_path, "visual-studio-code") as connection:
        uri = connection.open("kernels.py", TEXT)
        await connection.until_shown(uri, 11, "mutated-parameter", "out_ptr")
        found: dict[str, str | None] = {}
        for pattern in expected:
            hover = await connection.hover_on(uri, TEXT, pattern, 1)
            plain = None if hover is None else hover.replace("```python\n", "").replace("```", "").replace("`", "")
            found[pattern] = (
                None if plain is None else plain.replace("**", "").replace("\n\n", "\n").replace("\n\n", "\n")
            )
    wrong = {
        pattern: found[pattern]
        for pattern, words in expected.items()
        if (words is None) != (found[pattern] is None) or (words or "") not in (found[pattern] or "")
    }
    assert wrong == {}


@pytest.mark.slow("two servers and their agents are started")
async def test_an_edited_line_of_a_kernel_that_fails_says_what_it_says_to_who_opens_it_so(tmp_path: Path) -> None:
    line = "    value = tl.load(in_ptr + offsets, mask=mask)\n"
    other = "    value = tl.load(in_ptr + offsets + undefined, mask=mask)\n"
    below = "    tl.store(out_ptr + offsets, value, mask=mask)\n"
    text = KERNELS.replace(line, other).replace(below, below + "    tl.store(out_ptr + n, 0)\n")
    said: list[list[str | None]] = []
    for first in (KERNELS, text):
        async with connect(tmp_path) as connection:
            uri = connection.open("kernels.py", first)
            await connection.until_shown(uri, 14 + (first is text), "mutated-parameter")
            connection.replace(uri, text)
            await connection.until_shown(uri, 9, "compile-error", "")
            words = [(at, m.start()) for at in (8, 10) for m in re.finditer(r"\w+", text.split("\n")[at])]
            said.append([await connection.hover(uri, *word) for word in words])
    edited, opened = said
    assert edited == opened
    assert any(opened)
