"""Where the modules of a project are that its files import: beside them, in the workspace, among what is installed.
Looks at folders, reads no file."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cached_property

from kernel_analysis.files import NESTED, PYTHON_ENDINGS, import_root
from kernel_analysis.source.module_search import (
    SOURCES,
    Located,
    Rivals,
    expand,
    linked,
    locate,
    mapped,
    of_copied,
    starts,
    starts_of,
)


class ModulePlaces:
    """``roots``: the workspace's folders; ``search_path``: ``sys.path`` of the user's Python; ``exists``: whether there
    is such a file, on disk or in the editor."""

    def __init__(self, roots: Sequence[str], search_path: Sequence[str], exists: Callable[[str], bool]) -> None:
        self._roots, self._search_path, self._is_file = roots, list(search_path), exists
        self._located: dict[tuple[str, str], Located | None] = {}
        self._missed: dict[tuple[str, str], tuple[str, ...]] = {}
        self._starts: dict[str, list[str]] | None = None
        self._around: dict[str, list[str]] = {}
        self._asked: dict[str, bool] = {}

    def forget(self) -> None:
        """Files have come or gone."""
        self._located.clear()
        self._missed.clear()
        self._asked.clear()
        self._starts = None
        self._around.clear()

    @cached_property
    def _path(self) -> tuple[list[str], dict[str, str]]:
        return expand(self._search_path)

    @property
    def search_path(self) -> list[str]:
        """Where installed packages are, with what ``.pth`` files add."""
        return self._path[0]

    @property
    def installed(self) -> list[str]:
        """Everything that an import of an installed package may lead to."""
        folders, mapping = self._path
        targets = (path for target in mapping.values() for path in (target, f"{target}.py"))
        return [*folders, *targets, *(path for folder in folders for path in linked(folder))]

    def locate(self, dotted_name: str, importer_file: str) -> Located | None:
        """Where a module is; a namespace package has no file."""
        key = (dotted_name, os.path.dirname(importer_file))
        if key not in self._located:
            self._located[key], missed = self._locate(dotted_name, importer_file)
            self._missed[key] = tuple(missed)
        return self._located[key]

    def looked_for(self, dotted_name: str, importer_file: str) -> tuple[str, ...]:
        """The files whose appearance would change what ``locate`` answered."""
        self.locate(dotted_name, importer_file)
        return self._missed[dotted_name, os.path.dirname(importer_file)]

    def locate_installed(self, parts: Sequence[str]) -> Located | None:
        """A module among the installed packages alone."""
        return locate(parts, self.search_path, self._exists)[0]

    def _locate(self, dotted: str, importer: str) -> tuple[Located | None, list[str]]:
        name = dotted.lstrip(".")
        level = len(dotted) - len(name)
        parts = name.split(".") if name else []
        folder = os.path.dirname(importer)
        if level:
            for _ in range(level - 1):
                folder = os.path.dirname(folder)
            if parts:
                return locate(parts, [folder], self._exists)
            package = os.path.join(folder, "__init__.py")
            return Located(package if self._exists(package) else None, (folder,)), []
        workspace = list(
            dict.fromkeys(
                [*self._above(folder), *(os.path.join(r, s) if s else r for r in self._roots for s in ("", *SOURCES))]
            )
        )
        installed, mapping = self._path
        found, missed = locate(parts, [*workspace, *installed], self._exists)
        if found is None:
            found = mapped(parts, mapping, self._exists)
        if found is None and self._inside(folder):
            found, more = of_copied(parts, folder, self._exists)
            missed += more
        if found is None:
            found = self._only(parts)
        # What is installed stays as it is; a workspace may stand in one of its folders.
        outside = tuple(installed)
        return found, [m for m in missed if self._inside(m) or not m.startswith(outside)] if found else missed

    def _only(self, parts: Sequence[str]) -> Located | None:
        """A module that nothing installed has, and one place of the workspace alone: there a path leads that is set
        where it runs."""
        places = [locate(parts, [base], self._exists)[0] for base in self._starting(parts[0])]
        files = {found.file: found for found in places if found is not None and found.file is not None}
        return next(iter(files.values())) if len(files) == 1 else None

    def rivals(self, name: str, importer: str, taken: str | None) -> Rivals:
        """The modules of the workspace that have the top-level name, but the one that ``taken`` is, or is in."""
        own = next(iter(self._above(os.path.dirname(importer))), None)
        others: dict[str, bool] = {}
        for base in self._starting(name):
            found = locate([name], [base], self._exists)[0]
            if found is not None and found.file is not None and not _is_in(taken, found):
                others[found.file] = base == own
        return Rivals(tuple(others), any(others.values()))

    def is_outdated(self, file: str) -> bool:
        """Whether a file came or went since an answer was found with it. A directory is none, nor is a pipe."""
        known = self._asked.get(file)
        return known is not None and known != self._is_file(file)

    def is_start(self, file: str) -> bool:
        """Whether imports may start at a file that was not there when the folders were looked through."""
        if self._starts is None or not file.endswith(PYTHON_ENDINGS) or not self._inside(os.path.dirname(file)):
            return False
        every = starts_of(file, import_root(os.path.dirname(file)))
        return any(start not in self._starts.get(name, ()) for name, start in every)

    def _starting(self, name: str) -> list[str]:
        if self._starts is None:
            self._starts = starts(self._roots)
        return self._starts.get(name, [])

    def _above(self, folder: str) -> list[str]:
        """The directories that imports may start in, by where the importing file stands: the one around its package,
        and further out in the workspace those that packages stand in; a directory without ``__init__.py`` may itself be
        part of a package."""
        if folder not in self._around:
            self._around[folder] = self._find_above(folder)
        return self._around[folder]

    def _find_above(self, folder: str) -> list[str]:
        found: list[str] = []
        package = True
        while True:
            is_package = self._is_package(folder)
            if not is_package and (package or self._inside(folder)):
                found.append(folder)
            package = is_package
            outer = os.path.dirname(folder)
            if outer == folder or not (is_package or self._inside(outer) or self._in_package(outer)):
                return found
            folder = outer

    def _inside(self, folder: str) -> bool:
        """Whether it is one of the roots, or within one."""
        return any(folder == root or folder.startswith(root.rstrip(os.sep) + os.sep) for root in self._roots)

    def _in_package(self, folder: str) -> bool:
        """Whether the directory, or one of the next above it, is a package."""
        for _ in range(NESTED):
            if self._is_package(folder):
                return True
            folder = os.path.dirname(folder)
        return False

    def _is_package(self, folder: str) -> bool:
        return self._exists(os.path.join(folder, "__init__.py"))

    def _exists(self, file: str) -> bool:
        known = self._asked.get(file)
        if known is None:
            known = self._asked[file] = self._is_file(file)
        return known


def _is_in(file: str | None, located: Located) -> bool:
    """Whether a file is a module, or one of the modules in it."""
    return file is not None and (
        file == located.file or any(file.startswith(folder + os.sep) for folder in located.folders)
    )
