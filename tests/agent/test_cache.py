"""Nothing is compiled twice, and a broken cache costs nothing but time."""

from __future__ import annotations

import os
import sqlite3
import zlib
from base64 import b64encode
from pathlib import Path

import pytest

from agent.bomb import bomb
from agent.kernels import ADD, HELPER
from agent.poisoned import poison
from agent.process import Agent
from triton_ls.agents.store import Store


def test_a_comment_a_blank_line_and_another_function_compile_nothing(agent: Agent, root: Path) -> None:
    file = root / "comment.py"
    text = ADD.replace("x + y", "x - y")
    assert agent.show(file, text).result["compiles"] == 1
    moved = "# a comment\n\n" + text.replace("    mask =", "    # why\n    mask =") + "\n\ndef unrelated():\n    pass\n"
    answer = agent.show(file, moved)
    assert answer.result["compiles"] == 0
    assert answer.of("started") == []
    report = answer.reports["add"]
    assert report["signatures"][0]["cached"]
    out = next(p for p in report["parameters"] if p["name"] == "out_ptr")
    assert [site["span"]["line"] for site in out["write_sites"]] == [14], "the facts are at the places of the new text"


def test_an_edit_compiles_what_depends_on_it_and_nothing_else(agent: Agent, root: Path) -> None:
    file = root / "edit.py"
    text = HELPER + "\n\n" + ADD.split("\n\n\n")[1].replace("x + y", "x * y + 2")
    assert agent.show(file, text).result["compiles"] == 2
    answer = agent.show(file, text.replace("value)", "value * 2)"))
    assert [s["qualname"] for s in answer.of("started")] == ["fill"]


def test_reopening_compiles_nothing(agent: Agent, root: Path) -> None:
    file = root / "reopen.py"
    file.write_text(ADD.replace("x + y", "x * 7 + y"))
    assert agent.analyze(file).result["compiles"] == 1
    agent.notify("document", {"file": str(file), "text": None})
    assert agent.analyze(file).result["compiles"] == 0


def test_processes_share_the_file(root: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache" / "facts.sqlite3"
    file = root / "shared.py"
    file.write_text(HELPER)
    with Agent(root, cache=str(cache)) as first, Agent(root, cache=str(cache)) as second:
        before = first.analyze(file)
        after = second.analyze(file)
        assert (before.result["compiles"], after.result["compiles"]) == (1, 0)
        assert _without_times(before.reports) == _without_times(after.reports)
    with Agent(root, cache=str(cache)) as third:
        assert third.analyze(file).result["compiles"] == 0


@pytest.mark.slow("two agents that import Triton")
def test_what_a_text_says_is_found_out_by_one_process(root: Path, tmp_path: Path) -> None:
    """Of those that look at files as they are: an editor's does so when nobody waits."""
    cache = tmp_path / "facts.sqlite3"
    file = root / "indexed.py"
    file.write_text(ADD + "\nimport indexed_too\nindexed_too.BLOCK = 64\n")
    (root / "indexed_too.py").write_text(HELPER)
    with Agent(root, cache=str(cache), patient=True) as agent:
        first = agent.analyze(file)
    with sqlite3.connect(cache) as database:
        kept = {key for (key,) in database.execute("SELECT key FROM triton_ls_entry")}
    assert len(kept) >= 3, "an outcome, and two texts"
    with Agent(root, cache=str(cache), patient=True) as agent:
        second = agent.analyze(file)
    assert _without_times(first.reports) == _without_times(second.reports)
    with sqlite3.connect(cache) as database:
        assert {key for (key,) in database.execute("SELECT key FROM triton_ls_entry")} == kept


def test_another_target_is_another_entry(root: Path, tmp_path: Path) -> None:
    cache = tmp_path / "facts.sqlite3"
    file = root / "targets.py"
    file.write_text(ADD)
    for target in ("cuda:90", "cuda:80"):
        with Agent(root, cache=str(cache), target=target) as agent:
            assert agent.analyze(file).result["compiles"] == 1


@pytest.mark.parametrize("content", [b"", b"not a database at all, by any means" * 100])
def test_a_damaged_file_is_set_aside_and_made_anew(root: Path, tmp_path: Path, content: bytes) -> None:
    cache = tmp_path / "facts.sqlite3"
    cache.write_bytes(content)
    file = root / "damaged.py"
    file.write_text(ADD)
    with Agent(root, cache=str(cache)) as agent:
        assert agent.analyze(file).reports["add"]["status"] == "analyzed"
    with Agent(root, cache=str(cache)) as agent:
        assert agent.analyze(file).result["compiles"] == 0
    if content:
        assert (tmp_path / "facts.sqlite3.damaged").read_bytes() == content


def test_a_damaged_entry_is_computed_anew(root: Path, tmp_path: Path) -> None:
    cache = tmp_path / "facts.sqlite3"
    file = root / "entry.py"
    file.write_text(ADD)
    with Agent(root, cache=str(cache)) as agent:
        agent.analyze(file)
    assert poison(cache, bytes(1)) >= 3, "an outcome, what was compiled last, and what texts say"
    with Agent(root, cache=str(cache)) as agent:
        assert agent.analyze(file).result["compiles"] == 1
    assert any("damaged" in line for line in agent.log)  # which is read to its end only now


@pytest.mark.slow("four agents that import Triton")
def test_an_entry_that_unpacks_to_more_than_any_result_is_computed_anew(root: Path, tmp_path: Path) -> None:
    cache = tmp_path / "facts.sqlite3"
    file = root / "bomb.py"
    file.write_text(ADD)
    with Agent(root, cache=str(cache), memory_limit_mb=600) as agent:
        agent.analyze(file)
    wide = bomb(bytes(1), 1024)
    deep = zlib.compress(b"[" * 1_000_000, 9)
    for data in (wide, deep):
        poison(cache, data)
        with Agent(root, cache=str(cache), memory_limit_mb=600) as agent:
            assert agent.analyze(file).result["compiles"] == 1
        assert any("damaged" in line for line in agent.log)


def test_a_bomb_is_what_it_says() -> None:
    assert zlib.decompress(bomb(b"7", 16)) == b"7" * (16 << 20)


def test_the_server_stores_only_what_an_agent_may_find_out(tmp_path: Path) -> None:
    outcome, note = "0" * 64, "last:" + "1" * 64
    others = ("check:" + "0" * 64, "0" * 63, "last:", "../0", "")
    store = Store(str(tmp_path / "facts.sqlite3"), 1)
    store.keep([(key, b64encode(key.encode()).decode()) for key in (outcome, note, *others)])
    store.keep([("2" * 64, b64encode(bytes(1 << 20)).decode()), ("3" * 64, "no base64")])
    answers: list[dict[str, dict[str, str]]] = []
    store.recall([outcome, note, *others, "2" * 64, "3" * 64], answers.append)
    store.close()
    assert answers == [{"entries": {key: b64encode(key.encode()).decode() for key in (outcome, note)}}]


def test_a_place_that_can_not_be_written_means_memory_only(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    file = root / "memory.py"
    file.write_text(ADD)
    with Agent(root, cache=str(tmp_path / "file" / "facts.sqlite3")) as agent:
        assert agent.analyze(file).result["compiles"] == 1
        assert agent.analyze(file).result["compiles"] == 0
    assert "kept in memory only" in capsys.readouterr().err


def test_the_file_stays_under_its_cap(tmp_path: Path) -> None:
    from kernel_analysis.disk import Disk

    disk = Disk(str(tmp_path / "facts.sqlite3"), limit=100_000)
    for number in range(400):
        disk.put(f"key{number}", os.urandom(1000))
    assert disk.get("key0") is None, "the least recently used go first"
    assert disk.get("key399") is not None
    disk.put("huge", bytes(60_000))
    assert disk.get("huge") is None, "one entry may not push out all others"
    disk.close()
    with sqlite3.connect(tmp_path / "facts.sqlite3") as database:
        size = database.execute("SELECT SUM(size) FROM triton_ls_entry").fetchone()[0]
    assert size <= 100_000 + 16 * 1000


def _without_times(reports: dict[str, dict[str, object]]) -> dict[str, dict[str, object]]:
    return {name: {k: v for k, v in report.items() if k != "signatures"} for name, report in reports.items()}
