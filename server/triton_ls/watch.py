"""Files that change on disk without the editor: helper modules, a git checkout, pyproject.toml.

Says which of the files it was given changed, gathered over a moment. May not know what they mean.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterable

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from kernel_analysis.files import PYTHON_ENDINGS

logger = logging.getLogger(__name__)

QUIET = 0.2
_CONTENT_EVENTS = frozenset({"created", "modified", "deleted", "moved"})


class Watcher(FileSystemEventHandler):
    """Watches the directories of the files, never whole trees. ``changed`` is called in the event loop, with the names
    that the files were given under: what happens is told of real paths, also where they lead through links."""

    def __init__(self, changed: Callable[[set[str]], None], tell: Callable[[str], None]) -> None:
        self._changed, self._tell = changed, tell
        self._loop = asyncio.get_running_loop()
        self._observer = Observer()
        self._observer.start()
        self._files: frozenset[str] = frozenset()
        self._names: dict[str, set[str]] = {}
        """By real path, those of directories that are watched, and of files that are links."""
        self._watched: set[str] = set()
        self._gathered: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._full = False

    def watch(self, files: Iterable[str]) -> frozenset[str]:
        """Watch these too; those that were not watched before. Directories stay watched: there are few, and files come
        and go with every edit."""
        new = frozenset(files) - self._files
        self._files |= new
        for directory in {_existing_directory(file) for file in self._files}:
            self._add(directory, directory)
        for file in filter(os.path.islink, self._files):
            self._add(file, os.path.dirname(os.path.realpath(file)))
        return new

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._observer.stop()

    def _add(self, name: str, directory: str) -> None:
        """Watch the directory for what has the name."""
        self._names.setdefault(os.path.realpath(name), set()).add(name)
        directory = os.path.realpath(directory)
        if directory in self._watched or self._full:
            return
        self._watched.add(directory)
        try:
            self._observer.schedule(self, directory, recursive=False)
        except OSError as error:
            self._full = True
            self._tell(
                f"triton-ls cannot watch {directory} for changes ({error.strerror or error}): what changes on disk "
                f"outside the editor is seen when the file that uses it is edited or saved."
            )

    def on_any_event(self, event: FileSystemEvent) -> None:
        # A directory is "modified" by whatever happens to any file in it, and those events come by themselves.
        ours = event.event_type in _CONTENT_EVENTS and not (event.is_directory and event.event_type == "modified")
        if ours and not self._loop.is_closed():
            paths = {os.fsdecode(path) for path in (event.src_path, event.dest_path) if path}
            self._loop.call_soon_threadsafe(self._gather, paths)

    def _gather(self, real: set[str]) -> None:
        paths = {name for path in real for name in self._named(path)}
        # A directory that comes or goes takes the files below it along.
        self._gathered |= {file for file in self._files for path in paths if file == path or _below(file, path)}
        # Another file may launch a kernel, or set what it uses.
        self._gathered |= {path for path in paths if path.endswith(PYTHON_ENDINGS)}
        if self._gathered:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self._loop.call_later(QUIET, self._report)

    def _named(self, real: str) -> set[str]:
        """The names of what has changed."""
        directory, base = os.path.split(real)
        inside = {os.path.join(name, base) for name in self._names.get(directory, ())}
        return (inside | self._names.get(real, set())) or {real}

    def _report(self) -> None:
        self._timer = None
        gathered, self._gathered = self._gathered, set()
        self.watch(())
        self._changed(gathered)


def _existing_directory(file: str) -> str:
    directory = os.path.dirname(file)
    while not os.path.isdir(directory) and os.path.dirname(directory) != directory:
        directory = os.path.dirname(directory)
    return directory


def _below(file: str, path: str) -> bool:
    return file.startswith(path + os.sep)
