"""What is seen of files that change on disk, under whatever names they are known."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

import pytest

from triton_ls.watch import Watcher


async def seen(files: Iterable[Path], what: Path) -> set[str]:
    """Which files are said to have changed when one is written."""
    told: asyncio.Future[set[str]] = asyncio.get_running_loop().create_future()
    watcher = Watcher(told.set_result, lambda message: None)
    try:
        watcher.watch(map(str, files))
        what.write_text("2")
        return await asyncio.wait_for(told, 10)
    finally:
        watcher.close()


@pytest.mark.parametrize("known", ["real/a.py", "folder/a.py", "link.py", "folder/none.py"])
@pytest.mark.parametrize("written", ["real/a.py", "folder/a.py"])
async def test_a_file_that_changes_is_told_by_the_name_that_it_is_known_by(
    tmp_path: Path, known: str, written: str
) -> None:
    """A workspace may be a link to a folder, or have links to files that are elsewhere."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.py").write_text("1")
    (tmp_path / "folder").symlink_to("real", target_is_directory=True)
    (tmp_path / "link.py").symlink_to(Path("folder", "a.py"))
    changed = await seen([tmp_path / known], tmp_path / written)
    # A file that nobody asked for may matter, too: it is told as beside those that somebody did.
    expected = tmp_path / (known if known != "folder/none.py" else "folder/a.py")
    assert str(expected) in changed


async def test_one_file_is_told_by_all_of_its_names(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.py").write_text("1")
    (tmp_path / "folder").symlink_to("real", target_is_directory=True)
    names = [tmp_path / "real" / "a.py", tmp_path / "folder" / "a.py"]
    assert await seen(names, names[0]) == set(map(str, names))
