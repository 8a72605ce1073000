"""Every quick fix that is offered for a block of the rules' pages and of the corpus, done: the text parses, what it is
offered for is gone, and nothing else is wrong that was not before. Some for each rule; all, and other people's
packages, in a night (``make nightly``)."""

from __future__ import annotations

import ast
import shutil
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.process import Agent
from analysis.rules.test_pages import blocks
from corpus.pages import read_all
from kernel_analysis.codes import SAYS
from kernel_analysis.source.parsing.parse import line_starts
from products import EVERY

Found = dict[str, Any]
EACH = 2
"""Blocks for each rule, where not all are tried."""
CACHE = Path(__file__).parents[2] / ".cache"
PACKAGES = {name: CACHE / name for name in ("liger-kernel-0.8.5", "conch-triton-kernels-1.3")}
BLOCKS = {f"{code}_{number}".replace("-", "_"): text for code, number, text in blocks()}
BLOCKS.update(
    {f"{c.page}_{c.line}".replace("-", "_"): c.source for c in read_all() if not c.files and c.target == "cuda:90"}
)


def some() -> list[str]:
    """By what is to be found in them."""
    if EVERY:
        return [*BLOCKS]
    in_order = sorted(BLOCKS, key=lambda name: zlib.crc32(name.encode()))
    chosen: set[str] = set()
    for code in SAYS:
        chosen.update([name for name in in_order if f"# {code}: " in BLOCKS[name]][:EACH])
    return [name for name in BLOCKS if name in chosen]


def done(text: str, fix: Found, file: Path) -> str:
    """The text with a fix's edits, none of which is in another file."""
    starts = line_starts(text)
    for edit in sorted(fix["edits"], key=lambda edit: (edit["span"]["line"], edit["span"]["column"]), reverse=True):
        span = edit["span"]
        assert span["file"] == str(file)
        start = starts[span["line"] - 1] + span["column"] - 1
        end = starts[span["end_line"] - 1] + span["end_column"] - 1
        text = text[:start] + edit["text"] + text[end:]
    return text


def parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def said(found: list[Found]) -> Counter[tuple[str, str]]:
    return Counter((one["code"], one["message"]) for one in found if one["severity"] in ("error", "warning"))


def wrong_in(agent: Agent, file: Path, text: str, tried: Counter[str]) -> Iterator[str]:
    """What is wrong with the fixes that are offered for a file, which is left as it was."""
    before = agent.analyze(file).findings
    for one in before:
        for fix in one["fixes"]:
            tried[one["code"]] += 1
            mended = done(text, fix, file)
            file.write_text(mended, encoding="utf-8")
            after = agent.analyze(file).findings
            which = f"{file.name}: {fix['title']}"
            if parses(text) and not parses(mended):
                yield f"{which}: does not parse"
                continue
            key = one["code"], one["message"]
            left, had = (Counter((f["code"], f["message"]) for f in found)[key] for found in (after, before))
            if left >= had:
                yield f"{which}: {key} is still there"
            new = said(after) - said(before)
            # A comment says what was guessed, for the author to put right.
            if new and not fix["title"].startswith("Say what"):
                yield f"{which}: {sorted(new)}"
    file.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def fix_agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Agent, Path]]:
    root = tmp_path_factory.mktemp("fixes")
    with Agent(root, patient=True) as agent:
        yield agent, root


@pytest.mark.slow("blocks of all pages are analysed, and each again with each of its fixes")
def test_a_fix_mends_what_it_is_offered_for(fix_agent: tuple[Agent, Path]) -> None:
    agent, root = fix_agent
    wrong: list[str] = []
    tried: Counter[str] = Counter()
    for name in some():
        file = root / f"{name}.py"
        file.write_text(BLOCKS[name], encoding="utf-8")
        wrong += wrong_in(agent, file, BLOCKS[name], tried)
        file.unlink()
    assert not wrong, "\n".join(wrong)
    assert tried.keys() == SAYS.keys() - {"syntax-error"}


def titles(agent: Agent, file: Path, text: str, code: str) -> list[str]:
    """Of the fixes for what is found by a rule; all are tried."""
    file.write_text(text, encoding="utf-8")
    found = [one for one in agent.analyze(file).findings if one["code"] == code]
    assert found
    assert not [*wrong_in(agent, file, text, Counter())]
    file.unlink()
    return [fix["title"] for one in found for fix in one["fixes"]]


HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n"
SHIFTED = f"""{HEAD}@triton.jit
def shifted(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at - 1, mask=(at > 0) & (at < n)), mask=at < n)
    WRITES


def launch(x: torch.Tensor):
    n = x.numel()
    shifted[(triton.cdiv(n, 128),)](x, x, n, BLOCK=128)
"""
COPY, IGNORE = "Read from a copy", "Ignore `aliased-arguments` on this line"


@pytest.mark.parametrize(
    ("writes", "offered"), [("pass", [COPY, IGNORE]), ("tl.store(x + n + tl.program_id(0), 1.0)", [IGNORE])]
)
def test_what_a_kernel_writes_is_not_written_to_a_copy(
    fix_agent: tuple[Agent, Path], writes: str, offered: list[str]
) -> None:
    agent, root = fix_agent
    assert titles(agent, root / "shifted.py", SHIFTED.replace("WRITES", writes), "aliased-arguments") == offered


ASSEMBLY = '''{HEAD}@triton.jit
def tick(out):
    address = out.to(tl.int64, bitcast=True)
    FIRST
        frobnicate.global.u32 $0, [$1];
    """, "=r,l", [address], dtype=tl.int32, is_pure=False, pack=1)
    tl.static_assert(done.dtype == tl.int32)
'''


@pytest.mark.parametrize(
    ("first", "where"),
    [
        ('done = tl.inline_asm_elementwise("""', "its last line"),
        ('done = tl.inline_asm_elementwise(\n    """', "this line"),
        ('done = tl.inline_asm_elementwise( \\\n    """', "its last line"),
    ],
)
def test_a_comment_goes_to_the_last_line_where_the_first_has_no_room(
    fix_agent: tuple[Agent, Path], first: str, where: str
) -> None:
    agent, root = fix_agent
    text = ASSEMBLY.replace("{HEAD}", HEAD).replace("FIRST", first)
    assert titles(agent, root / "tick.py", text, "inline-asm") == [f"Ignore `inline-asm` on {where}"]


@pytest.mark.parametrize("line", ["s = 'never closed", '"""never closed', "tl.store(out, 1", "tl.store(out, 1))"])
def test_no_comment_is_written_into_what_does_not_parse(fix_agent: tuple[Agent, Path], line: str) -> None:
    agent, root = fix_agent
    text = f"{HEAD}@triton.jit\ndef put(out):\n    {line}\n\n\n@triton.jit\ndef other(out):\n    tl.store(out, 1)\n"
    assert titles(agent, root / "put.py", text, "syntax-error") == []


@pytest.mark.parametrize("name", PACKAGES)
@pytest.mark.skipif(not EVERY, reason="minutes: in a night")
@pytest.mark.slow("whole packages are analysed, and each file again with each of its fixes")
def test_a_fix_mends_other_peoples_files(name: str, tmp_path: Path) -> None:
    if not PACKAGES[name].exists():
        pytest.skip("other people's package is not on this machine: `make demo` gets it")
    shutil.copytree(PACKAGES[name], tmp_path / "all", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    wrong: list[str] = []
    tried: Counter[str] = Counter()
    with Agent(tmp_path / "all", patient=True) as agent:
        for file in sorted((tmp_path / "all").rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            if "triton" in text:
                wrong += wrong_in(agent, file, text, tried)
    assert tried
    assert not wrong, "\n".join(wrong)
