"""What somebody else wrote into the cache's file is computed anew, with a line in the log, whatever it is."""

from __future__ import annotations

import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from connection import INTERPRETER, KERNELS, SOURCES

from agent.bomb import bomb
from agent.poisoned import poison
from kernel_analysis.attempt.outcome import Outcome
from kernel_analysis.codec import pack, unpack
from kernel_analysis.disk import Disk
from kernel_analysis.zipped import unzipped, zipped


def check(directory: Path) -> tuple[str, str, int]:
    """What is printed without the seconds that it took, what is logged, the exit code."""
    environment = {
        **os.environ,
        "PYTHONPATH": f"{SOURCES / 'analysis'}{os.pathsep}{SOURCES / 'server'}",
        "XDG_CACHE_HOME": str(directory / "cache"),
    }
    command = [sys.executable, "-m", "triton_ls", "check", "kernels.py", "-v", "--log-level", "info"]
    done = subprocess.run(
        [*command, "--python", INTERPRETER], cwd=directory, env=environment, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    return re.sub(r"in [0-9.]+ s", "", done.stdout), done.stderr, done.returncode


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    directory = tmp_path_factory.mktemp("poisoned")
    (directory / "kernels.py").write_text(KERNELS)
    first, _, code = check(directory)
    assert code == 1
    return directory, first


def file_of(directory: Path) -> Path:
    return directory / "cache" / "triton-ls" / "facts.sqlite"


def rows(directory: Path) -> dict[str, Any]:
    with sqlite3.connect(file_of(directory)) as database:
        return dict(database.execute("SELECT key, data FROM triton_ls_entry").fetchall())


POISONS: dict[str, Callable[[], object]] = {
    "nothing": lambda: b"",
    "garbage": lambda: b"\xff" * 1000,
    "bomb": lambda: bomb(b" ", 1024),
    "cut off": lambda: zipped("[1, 2, 3]" * 1000)[:-5],
    "no UTF-8": lambda: zlib.compress(b"\xff\xfe"),
    "no JSON": lambda: zipped("hello"),
    "null": lambda: zipped("null"),
    "number": lambda: zipped("7"),
    "text of JSON": lambda: zipped('"abc"'),
    "object": lambda: zipped('{"a": 1}'),
    "empty": lambda: zipped("[]"),
    "short": lambda: zipped("[1]"),
    "long": lambda: zipped(json.dumps([1] * 100)),
    "numbers": lambda: zipped("[1, 2, 3]"),
    "not a number": lambda: zipped("[NaN, Infinity, -Infinity]"),
    "nested": lambda: zipped("[" * 100_000 + "]" * 100_000),
    "nested texts": lambda: zipped(json.dumps([[["x"] * 3] * 3] * 3)),
    "digits": lambda: zipped("[" + "9" * 10_000 + "]"),
    "an integer": lambda: 7,
    "a text": lambda: "hello",
    "large": lambda: sqlite3.Binary(bytes(100 << 20)),
}


@pytest.mark.parametrize("name", POISONS)
@pytest.mark.slow("two checks, each a process of its own, and entries of 100 MB")
def test_a_poisoned_entry_is_computed_anew(name: str, checked: tuple[Path, str]) -> None:
    directory, expected = checked
    poison(file_of(directory), POISONS[name]())
    start = time.monotonic()
    out, log, code = check(directory)
    assert time.monotonic() - start < 120, "even on a machine that is busy with other things"
    assert (out, code) == (expected, 1)
    assert "damaged" in log
    # And what replaced it is good.
    again = check(directory)
    assert (again[0], "damaged" in again[1]) == (expected, False)


def test_entries_of_which_parts_were_changed(checked: tuple[Path, str]) -> None:
    """Each is refused or has the right types in all its places, so that nobody who reads it falls over it."""
    directory, _ = checked
    random.seed(7)
    entries = [data for key, data in rows(directory).items() if len(key) == 64]
    assert entries
    kept = 0
    for data in entries:
        good = json.loads(unzipped(data))
        for _ in range(400):
            changed = json.loads(json.dumps(good))
            place, key = random.choice(list(places(changed)))
            place[key] = random.choice([None, 1, "x", [], {}, 1.5, True, [[]], -(10**30), [1, "x"]])
            try:
                found = unpack(Outcome, changed)
            except (ValueError, TypeError, IndexError):
                continue
            kept += 1
            assert pack(unpack(Outcome, pack(found))) == pack(found)
    assert kept < 400 * len(entries)


def places(data: Any) -> Any:
    for key, value in enumerate(data):
        yield data, key
        if isinstance(value, list):
            yield from places(value)


@pytest.mark.parametrize("kind", ["pipe", "directory", "endless", "loop", "socket"])
def test_a_cache_that_is_no_file_is_a_sentence(kind: str, checked: tuple[Path, str], tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)
    file = file_of(tmp_path)
    file.parent.mkdir(parents=True)
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "directory":
        file.mkdir()
    elif kind == "endless":
        file.symlink_to("/dev/zero")
    elif kind == "loop":
        file.symlink_to(file.name)
    else:
        os.mknod(file, 0o140600)
    out, log, code = check(tmp_path)
    assert (out, code) == (checked[1], 1)
    assert "can't be used" in log


MOVED = {
    "as it is": "UPDATE triton_ls_entry SET data = (SELECT data FROM triton_ls_entry WHERE key = 'b') WHERE key = 'a'",
    "with its seal": "UPDATE triton_ls_entry SET (data, seal) ="
    " (SELECT data, seal FROM triton_ls_entry WHERE key = 'b') WHERE key = 'a'",
    "a bit": "UPDATE triton_ls_entry SET data = x'60' WHERE key = 'a'",
    "a long seal": "UPDATE triton_ls_entry SET seal = zeroblob(100000000) WHERE key = 'a'",
    "a text": "UPDATE triton_ls_entry SET seal = 'x' WHERE key = 'a'",
}


@pytest.mark.parametrize("how", MOVED)
def test_an_entry_that_was_moved_or_changed_is_none(
    how: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "facts.sqlite"
    disk = Disk(str(file), 1 << 20)
    for key in ("a", "b"):
        disk.put(key, key.encode())
    assert (disk.get("a"), disk.get("b")) == (b"a", b"b")
    disk.close()
    database = sqlite3.connect(file)
    with database:
        database.execute(MOVED[how])
    database.close()
    disk = Disk(str(file), 1 << 20)
    assert (disk.get("a"), disk.get("b")) == (None, b"b")
    assert "damaged" in capfd.readouterr().err


_ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
TABLES = {
    "an endless view": (
        "ALTER TABLE triton_ls_entry RENAME TO other; CREATE VIEW triton_ls_entry AS "
        f"{_ENDLESS} SELECT 'k' || x AS key, 1.0 AS used, 1 AS size, x'00' AS data, x'00' AS seal FROM c"
    ),
    "an endless trigger": (
        "CREATE TRIGGER t BEFORE INSERT ON triton_ls_entry BEGIN INSERT INTO triton_ls_entry "
        f"SELECT 'a' || x, 1.0, 1, x'00', x'00' FROM ({_ENDLESS} SELECT x FROM c); END"
    ),
    "one that refuses": "CREATE TRIGGER t BEFORE INSERT ON triton_ls_entry BEGIN SELECT RAISE(ABORT, 'no'); END",
    "an index": "CREATE UNIQUE INDEX i ON triton_ls_entry (size)",
    "another column": "ALTER TABLE triton_ls_entry ADD COLUMN more",
    "other columns": "DROP TABLE triton_ls_entry; CREATE TABLE triton_ls_entry (key, used, size, data, seal)",
    "no table": "DROP TABLE triton_ls_entry",
    "one more": "CREATE TABLE more (x)",
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_that_are_not_ours_are_set_aside(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "facts.sqlite"
    disk = Disk(str(file), 1 << 20)
    disk.put("a", b"a")
    disk.close()
    database = sqlite3.connect(file)
    database.executescript(TABLES[name])
    database.close()
    disk = Disk(str(file), 1 << 20)
    assert "its tables are not those" in capfd.readouterr().err
    disk.put("a", b"b")
    assert disk.get("a") == b"b"
    disk.close()
    assert Path(f"{file}.damaged").exists()


def test_a_pipe_beside_the_cache_is_a_sentence(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "facts.sqlite-wal")
    disk = Disk(str(tmp_path / "facts.sqlite"), 1 << 20)
    disk.put("a", b"b")
    assert disk.get("a") is None
    assert "can't be used (it is a named pipe, not a regular file)" in capfd.readouterr().err
