"""A comment above a kernel is the strongest evidence; a quick fix writes it where a guess keeps the kernel from being
analyzed, and the corrected comment makes it analyzable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agent.kernels import HEAD
from agent.process import Agent

OPEN = (
    "@triton.jit\ndef k(x, out, N: tl.constexpr, M: tl.constexpr):\n"
    "    tl.static_assert(N == M * 3 + 7)\n    tl.static_assert(N * M == 248)\n"
    "    o = tl.arange(0, M)\n    tl.store(out + o, tl.load(x + o))\n"
)


def _fixed(text: str, finding: dict[str, Any]) -> str:
    """The text with the first quick fix of the finding applied."""
    (edit,) = finding["fixes"][0]["edits"]
    span = edit["span"]
    assert (span["line"], span["column"]) == (span["end_line"], span["end_column"])
    lines = text.splitlines(keepends=True)
    at = sum(map(len, lines[: span["line"] - 1])) + span["column"] - 1
    return text[:at] + edit["text"] + text[at:]


def _open_question(agent: Agent, file: Path, text: str) -> dict[str, Any]:
    answer = agent.show(file, text)
    assert answer.reports["k"]["status"] == "failed"
    (finding,) = [f for f in answer.findings if f["code"] == "not-analyzed"]
    return finding


def test_the_fix_writes_what_was_guessed_and_the_corrected_comment_is_believed(agent: Agent, root: Path) -> None:
    file = root / "pragma_open.py"
    finding = _open_question(agent, file, HEAD + OPEN)
    assert "Needed: the value of `N`, `M`." in finding["message"]
    assert finding["fixes"][0]["title"] == "Say what `N` and `M` are, in a comment"
    text = _fixed(HEAD + OPEN, finding)
    assert text == HEAD + "# triton-ls: N = 199, M = 64\n" + OPEN
    corrected = agent.show(file, text.replace("N = 199, M = 64", "N = 31, M = 8"))
    assert corrected.reports["k"]["status"] == "analyzed"
    (signature,) = corrected.reports["k"]["signatures"]
    assert signature["constants"] == {"N": 31, "M": 8}
    assert signature["evidence"]["N"] == ["pragma", "a comment above the function says 31", True]


def test_what_the_comment_says_is_compiled_again_when_it_changes(agent: Agent, root: Path) -> None:
    file = root / "pragma_changing.py"
    for dtype in ("fp16", "fp64", "u8"):
        report = agent.show(file, HEAD + f"# triton-ls: x: *{dtype}, N=31, M=8\n" + OPEN).reports["k"]
        assert report["parameters"][0]["type"] == f"*{dtype}"


def test_an_error_that_follows_from_the_comment_quotes_it(agent: Agent, root: Path) -> None:
    answer = agent.show(root / "pragma_wrong.py", HEAD + "# triton-ls: N = 30, M = 8\n" + OPEN)
    (problem,) = answer.reports["k"]["problems"]
    assert problem["code"] == "compile-error"
    assert problem["hint"] == "A comment above the function says `N = 30, M = 8`."


def test_the_fix_keeps_indentation_and_line_ends_and_stands_above_all_decorators(agent: Agent, root: Path) -> None:
    body = OPEN.replace("@triton.jit", "@triton.autotune(configs=[], key=[])\n@triton.jit")
    nested = HEAD + "def factory():\n" + "".join(f"    {line}\n" for line in body.splitlines()) + "    return k\n"
    text = nested.replace("\n", "\r\n")
    fixed = _fixed(text, _open_question(agent, root / "pragma_nested.py", text))
    wanted = "def factory():\r\n    # triton-ls: N = 199, M = 64\r\n    @triton.autotune"
    assert wanted in fixed
    answer = agent.show(root / "pragma_nested.py", fixed.replace("N = 199, M = 64", "N = 31, M = 8"))
    assert answer.reports["k"]["status"] == "analyzed"


def test_a_kernel_in_a_string_has_its_comment_in_the_string(agent: Agent, root: Path) -> None:
    text = f"load('k', '''\n{HEAD}{OPEN}''')\n"
    fixed = _fixed(text, _open_question(agent, root / "pragma_string.py", text))
    answer = agent.show(root / "pragma_string.py", fixed.replace("N = 199, M = 64", "N = 31, M = 8"))
    assert answer.reports["k"]["status"] == "analyzed"
    escaped = "load('k', " + repr(HEAD + OPEN) + ")\n"
    finding = _open_question(agent, root / "pragma_escaped.py", escaped)
    assert not [fix for fix in finding["fixes"] if "comment" in fix["title"]]


def test_nothing_in_a_comment_is_run(agent: Agent, root: Path) -> None:
    evil = "# triton-ls: N = __import__('os').system('touch ran'), M = (lambda: 8)()\n"
    answer = agent.show(root / "pragma_evil.py", HEAD + evil + OPEN)
    assert {f["code"] for f in answer.findings} == {"pragma", "not-analyzed"}
    assert not (root / "ran").exists()
