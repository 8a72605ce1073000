"""Bytes by key in one sqlite3 file that several processes share, least recently used out first.

May not raise: a damaged file is made anew, one that can't be used is left alone, both with a log line. Believes no
file: its tables are those that are made here, and an entry is one that was put under its key.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import sys
import time
from functools import cache

from kernel_analysis.files import check_regular

_FORMAT = 2
_SCHEMA = """
    CREATE TABLE triton_ls_entry (
        key TEXT PRIMARY KEY, used REAL NOT NULL, size INTEGER NOT NULL, data BLOB NOT NULL,
        seal BLOB NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX triton_ls_by_use ON triton_ls_entry (used, size);
"""
# What is of another type or larger than ``put`` takes is none of ours.
_FIND = """
    SELECT CASE WHEN typeof(data) = 'blob' AND length(data) <= ? AND typeof(used) = 'real' THEN data END, used,
        CASE WHEN length(seal) = 16 THEN seal END
    FROM triton_ls_entry WHERE key = ?
"""
# ``used`` is renewed only when it is older than this, so that a hit is a read.
_RENEW_SECONDS = 3600.0
_PUTS_BETWEEN_EVICTIONS = 16


class Disk:
    """``limit`` in bytes of data. A file of another format is emptied."""

    def __init__(self, path: str, limit: int) -> None:
        self._path = path
        self._limit = limit
        self._puts = 0
        self._database: sqlite3.Connection | None = None
        self._open()

    def get(self, key: str) -> bytes | None:
        if self._database is None:
            return None
        try:
            row = self._database.execute(_FIND, (self._limit // 4, key)).fetchone()
            if row is None:
                return None
            if row[0] is None or row[2] != seal(key, row[0]):
                _log(f"an entry of the cache {self._path} is damaged and computed anew")
                self._database.execute("DELETE FROM triton_ls_entry WHERE key = ?", (key,))
                return None
            now = time.time()
            if now - row[1] > _RENEW_SECONDS:
                self._database.execute("UPDATE triton_ls_entry SET used = ? WHERE key = ?", (now, key))
            return row[0]
        except sqlite3.Error as error:
            self._failed(error)
            return None

    def put(self, key: str, data: bytes) -> None:
        if self._database is None or len(data) > self._limit // 4:
            return
        try:
            row = (key, time.time(), len(data), data, seal(key, data))
            self._database.execute("INSERT OR REPLACE INTO triton_ls_entry VALUES (?, ?, ?, ?, ?)", row)
            self._puts += 1
            if self._puts % _PUTS_BETWEEN_EVICTIONS == 1:
                _evict(self._database, self._limit)
        except sqlite3.Error as error:
            self._failed(error)

    def close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    def _open(self) -> None:
        try:
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
            for suffix in ("", "-wal", "-shm", "-journal"):
                check_regular(self._path + suffix)
            self._database = _connect(self._path)
        except (sqlite3.Error, OSError) as error:
            self._failed(error)

    def _failed(self, error: Exception) -> None:
        self.close()
        damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)
        if not damaged:
            # Locked, read-only, full, not a directory: not ours to mend.
            _log(f"the cache {self._path} can't be used ({error}); results are kept in memory only")
            return
        _log(f"the cache {self._path} is damaged ({error}); it is set aside and a new one made")
        try:
            _set_aside(self._path)
            self._database = _connect(self._path)
        except (sqlite3.Error, OSError) as second:
            _log(f"the cache {self._path} can't be made anew ({second}); results are kept in memory only")


def seal(key: str, data: bytes) -> bytes:
    """What an entry has beside it that was put under this key: tells one that was changed or moved. (It is no secret:
    who can write the file can do what its owner can.)"""
    return hashlib.blake2b(data, key=hashlib.blake2b(key.encode()).digest(), digest_size=16).digest()


@cache
def _tables() -> list[tuple[str, str, str | None]]:
    with sqlite3.connect(":memory:") as database:
        _make_tables(database)
        found = _tables_of(database)
    database.close()
    return found


def _make_tables(database: sqlite3.Connection) -> None:
    for statement in _SCHEMA.split(";"):
        database.execute(statement)


def _tables_of(database: sqlite3.Connection) -> list[tuple[str, str, str | None]]:
    return database.execute("SELECT type, name, sql FROM sqlite_master ORDER BY type, name").fetchall()


def _connect(path: str) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=2.0, isolation_level=None)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        # A crash of the machine may lose entries; each can be computed again.
        database.execute("PRAGMA synchronous = OFF")
        # The lock: of two processes that find a new file, one makes the table.
        database.execute("BEGIN IMMEDIATE")
        if database.execute("PRAGMA user_version").fetchone()[0] != _FORMAT:
            database.execute("DROP TABLE IF EXISTS triton_ls_entry")
            _make_tables(database)
            database.execute(f"PRAGMA user_version = {_FORMAT:d}")
        # A view or a trigger would have a statement of ours do what it says, for ever if it likes.
        if _tables_of(database) != _tables():
            raise sqlite3.DatabaseError("its tables are not those that are made here")
        database.execute("COMMIT")
    except sqlite3.Error:
        database.close()
        raise
    return database


def _evict(database: sqlite3.Connection, limit: int) -> None:
    """Down to three quarters, so that not every insertion evicts."""
    total = database.execute("SELECT COALESCE(SUM(size), 0) FROM triton_ls_entry").fetchone()[0]
    if total <= limit:
        return
    database.execute("BEGIN IMMEDIATE")
    for key, size in database.execute("SELECT key, size FROM triton_ls_entry ORDER BY used").fetchall():
        database.execute("DELETE FROM triton_ls_entry WHERE key = ?", (key,))
        total -= size
        if total <= limit * 3 // 4:
            break
    database.execute("COMMIT")


def _set_aside(path: str) -> None:
    """Not deleted: a mistaken setting may have named a file that is not ours."""
    os.replace(path, path + ".damaged")
    for suffix in ("-wal", "-shm"):
        if os.path.exists(path + suffix):
            os.remove(path + suffix)


def _log(message: str) -> None:
    print(f"triton-ls: {message}", file=sys.stderr)
