"""What somebody puts into the file of the cache, who knows how entries are sealed."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from kernel_analysis.disk import seal


def poison(file: Path | str, data: object, keys: str = "%") -> int:
    """How many entries were changed: those whose keys are like this."""
    database = sqlite3.connect(file)
    database.create_function("seal", 2, lambda key, data: seal(key, data) if isinstance(data, bytes) else b"")
    with database:
        change = "UPDATE triton_ls_entry SET data = :data, seal = seal(key, :data) WHERE key LIKE :keys"
        count = database.execute(change, {"data": data, "keys": keys}).rowcount
    database.close()
    return count
