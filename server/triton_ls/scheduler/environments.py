"""The schedulers, one for each environment: which one a file has, and which no file needs any more.

Knows files by name only: what they say and what is set for them it is told.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import replace
from typing import Any

from triton_ls.agents.agent_process import Start
from triton_ls.agents.launch import Environment, beside, usual
from triton_ls.scheduler.scheduler import Scheduler
from triton_ls.settings import Settings

AGENTS = 2


class Schedulers:
    """``start``: an agent; ``settings`` of a file; ``texts``: what the editor shows, by file; ``stale`` and ``tell``:
    who hears what a ``Scheduler`` has to say; ``in_background``: has what nobody waits for done. ``roots``: of the
    workspace."""

    def __init__(
        self,
        start: Start,
        trusted: bool,
        *,
        settings: Callable[[str], Settings],
        texts: Callable[[], Mapping[str, str]],
        stale: Callable[[Iterable[str]], None],
        tell: Callable[[str], None],
        in_background: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        self.roots: tuple[str, ...] = ()
        self._start, self._trusted = start, trusted
        self._settings, self._texts, self._stale, self._tell = settings, texts, stale, tell
        self._in_background = in_background
        self._all: dict[Environment, Scheduler] = {}

    def of(self, file: str) -> Scheduler:
        environment = self._environment(file)
        if environment not in self._all:
            self._all[environment] = Scheduler(
                environment,
                start=self._start,
                size=AGENTS,
                reserve=1,
                texts=self._texts,
                tell=self._tell,
                stale=self._stale,
            )
        return self._all[environment]

    def begun(self, file: str) -> Scheduler | None:
        """That of a file, if there is one yet."""
        return self._all.get(self._environment(file))

    def keep(self, files: Iterable[str], *, shared: bool) -> None:
        """Close those that none of the files needs. ``shared``: those of the workspace stay, whoever needs them."""
        asked = [environment for environment in self._all if environment.readable or not shared]
        wanted = {self._environment(file) for file in files} if asked else set[Environment]()
        for environment in (each for each in asked if each not in wanted):
            self._in_background(self._all.pop(environment).close())

    @property
    def outstanding(self) -> list[str]:
        """Files that are being analysed or wait for it."""
        return [file for scheduler in self._all.values() for file in scheduler.outstanding]

    def describe(self) -> list[str]:
        """A line about each agent."""
        return [line for scheduler in self._all.values() for line in scheduler.describe()]

    def outdate(self, file: str) -> None:
        for scheduler in self._all.values():
            scheduler.outdate(file)

    def changed(self, files: set[str]) -> None:
        for scheduler in self._all.values():
            scheduler.changed(files)

    async def close(self) -> None:
        await asyncio.gather(*(scheduler.close() for scheduler in self._all.values()))
        self._all.clear()

    def _environment(self, file: str) -> Environment:
        """A file outside of the workspace, and of what is installed, has agents of its own: they may read what is
        beside it, and nobody else's may."""
        within = usual(self._settings(file), self.roots, self._trusted)
        scheduler = self._all.get(within)
        known = scheduler is not None and scheduler.identity.done()
        packages = scheduler.identity.result().packages if scheduler is not None and known else ()
        return replace(within, readable=beside(file, (*self.roots, *packages)))
