"""What a ``check`` remembers where a part of its answer may come out otherwise. Plain data. Apart from what an answer
is remembered in: a check that has its answer imports nothing of this."""

from __future__ import annotations

from typing import NamedTuple

from triton_ls.cli.check_cache import Basis
from triton_ls.cli.result import FileResult


class Settled(NamedTuple):
    """``results``: of the files of which the same would be found again."""

    basis: Basis
    results: list[FileResult]
