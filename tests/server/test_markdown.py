"""What others wrote is shown as they wrote it; vscode-client/test has what VS Code makes of it."""

from __future__ import annotations

import re
from pathlib import Path

from connection import connect
from hypothesis import given
from hypothesis import strategies as st

from triton_ls.markdown import block, cell, code, message, plain, text

PIECES = [
    "`",
    "``",
    "```",
    "\\",
    "[",
    "](",
    "!",
    "<b>",
    "&amp;",
    "*",
    "**",
    "_",
    "|",
    "$",
    "~~",
    " ",
    "\n",
    "a",
    "x_y",
    "#",
    "-",
]
FOREIGN = st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join))


@given(FOREIGN)
def test_a_sentence_reads_as_it_was_written(foreign: str) -> None:
    line = " ".join(foreign.split())
    shown = text(foreign)
    assert "\n" not in shown
    if "`" not in line:
        assert plain(shown) == line
    # Spaces around what stands between backticks are the only thing that may get lost with them.
    assert re.sub("[ `]", "", plain(shown)) == re.sub("[ `]", "", line)


@given(FOREIGN)
def test_code_and_blocks_read_as_they_were_written(foreign: str) -> None:
    line = " ".join(foreign.split())
    assert plain(code(foreign)) == line or not line
    assert "\n" not in code(foreign)
    assert plain(f"before\n\n{block(foreign)}\n\nafter") == f"before\n\n{foreign}\n\nafter"


@given(FOREIGN)
def test_nothing_ends_a_cell(foreign: str) -> None:
    assert not re.search(r"(?<!\\)\|", cell(text(foreign)))


def test_ordinary_messages_keep_their_looks() -> None:
    for ordinary in (
        "`x_ptr` is written at line 3, through `helper`",
        "cannot convert int32[128] to fp32[64] in block_ptr",
        "the compiler needed more than 10 s",
        "a launch passes a tensor of fp16 at kernels.py:4",
    ):
        assert text(ordinary) == ordinary


def test_a_notification_has_no_links() -> None:
    assert message("[Fix](command:quit) x[1](2)") == "[Fix] (command:quit) x[1] (2)"


KERNEL = """\
import triton
import triton.language as tl


@triton.jit
def kernel(out_ptr):
    tl.static_assert(False, "[run](command:quit) ![seen](https://example.com/a.png) <img src=x>")
"""


async def test_a_message_of_a_kernel_in_a_hover(tmp_path: Path) -> None:
    async with connect(tmp_path) as connection:
        uri = connection.open("kernels.py", KERNEL)
        shown = await connection.until_shown(uri, 7, "compile-error")
        assert "[run](command:quit)" in shown, "a diagnostic is text"
        hover = await connection.hover_on(uri, KERNEL, "def (kernel)", 1)
        assert hover is not None
        assert r"[run]\(command:quit) ![seen]\(https\://example.com/a.png) \<img src=x>" in hover


async def test_a_setting_of_a_workspace_in_a_message(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.triton-ls]\ntimeout = '[Repair](command:quit)'\n")
    async with connect(tmp_path) as connection:
        connection.open("kernels.py", KERNEL)
        assert "[Repair] (command:quit)" in await connection.until_message("pyproject.toml")
