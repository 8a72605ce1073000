"""What the index has of a text is the same from the store as found out anew, and what is damaged there is found out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import kernel_analysis
from analysis.small_projects import write
from kernel_analysis.host.changes.text.text_patterns import set_in_strings
from kernel_analysis.kernels.files.text_index import Indexed, TextIndex, indexed
from kernel_analysis.kernels.project import Project
from kernel_analysis.source.text_search.mentions import as_named

_OURS = sorted(Path(kernel_analysis.__file__).parent.rglob("*.py"))[::9]
_STRANGE = ["", "\ufeff", "x = '\ud800'\n", "import m\nm.ñame = 1\n", "exec('import m; m.X = 1')\n"]


class _Kept:
    def __init__(self) -> None:
        self.entries: dict[str, str] = {}
        self.asked = 0

    def recall_texts(self, keys: list[str]) -> Mapping[str, str]:
        self.asked += 1
        return {key: self.entries[key] for key in keys if key in self.entries}

    def keep_texts(self, entries: Mapping[str, str]) -> None:
        self.entries.update(entries)


def _same(one: Indexed, other: Indexed) -> bool:
    return (one.mentions, one.words, one.in_strings) == (other.mentions, other.words, other.in_strings)


def test_a_text_from_the_store_is_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = _STRANGE + [as_named(file.read_text(encoding="utf-8")) for file in _OURS]
    store = _Kept()
    first = TextIndex(store)
    expected = [first.of(text, keep=True) for text in texts]
    first.flush()
    assert len(store.entries) == len(set(texts))
    monkeypatch.setattr("kernel_analysis.kernels.files.text_index.indexed", pytest.fail)
    second = TextIndex(store)
    second.expect(texts)
    assert all(_same(second.of(text, keep=True), known) for text, known in zip(texts, expected, strict=True))
    assert any(known.in_strings for known in expected)
    assert any(known.mentions.renamed for known in expected)


def _cut(entry: str) -> str:
    return entry[:-1]


def _without_a_part(entry: str) -> str:
    return json.dumps(json.loads(entry)[1:])


def _another_kind(entry: str) -> str:
    return json.dumps([*json.loads(entry)[:5], 7])


def _other_bytes(entry: str) -> str:
    return json.dumps([*json.loads(entry)[:5], "AAA"])


def _odd_bytes(entry: str) -> str:
    return json.dumps([*json.loads(entry)[:5], "AAAA"])


def _deep(entry: str) -> str:
    return "[" * 100_000 + entry


@pytest.mark.parametrize("damage", [_cut, _without_a_part, _another_kind, _other_bytes, _odd_bytes, _deep])
def test_a_damaged_entry_is_found_out_anew(damage: Callable[[str], str], capsys: pytest.CaptureFixture[str]) -> None:
    text = "import m\nm.X = 1\n"
    store = _Kept()
    first = TextIndex(store)
    first.of(text, keep=True)
    first.flush()
    store.entries = {key: damage(entry) for key, entry in store.entries.items()}
    second = TextIndex(store)
    second.expect([text])
    assert _same(second.of(text, keep=True), indexed(text))
    assert "damaged" in capsys.readouterr().err


def test_what_an_editor_holds_is_not_kept(folder: Path) -> None:
    """Each key makes another text."""
    store = _Kept()
    project = write(folder, work__a="import b\n", work__b="X = 1\n")
    project = Project(project.roots, [], store=store)
    project.set_text(str(folder / "work" / "a.py"), "import b\nb.X = 2\n")
    while project.elsewhere.busy:
        project.elsewhere.work()
    assert len(store.entries) == 1
    assert project.says(str(folder / "work" / "a.py"), set_in_strings) == frozenset()
    again = Project(project.roots, [], store=store)
    while again.elsewhere.busy:
        again.elsewhere.work()
    assert store.asked >= 2
    assert len(store.entries) == 2, "and the file on disk, once it counts"
