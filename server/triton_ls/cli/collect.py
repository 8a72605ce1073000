"""Which Python files a path stands for, and where imports in them start. Reads directories, no files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from kernel_analysis import files
from kernel_analysis.files import NOTEBOOK
from triton_ls.cli.user_error import UserError

_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")


def python_files(paths: Iterable[str], tell: Callable[[str], None]) -> list[str]:
    """With notebooks; absolute, sorted, each once. Directories are searched, and ``tell`` hears what in them can't be;
    a file that is named is taken, whatever it is."""
    found: set[str] = set()
    for path in paths:
        if os.path.isdir(path):
            found.update(files.python_files(os.path.abspath(path), tell, files.PYTHON_ENDINGS))
        elif not os.path.lexists(path):
            raise UserError(f"{path} does not exist.")
        elif not path.endswith((".py", ".pyi", NOTEBOOK)):
            raise UserError(f"{path} is not a Python file, nor a notebook.")
        else:
            found.add(os.path.abspath(path))
    return sorted(found)


def import_roots(paths: Iterable[str]) -> tuple[str, ...]:
    """For each path the project that it belongs to, as an editor has it open, and the directory that its top-level
    package is in, but where the project itself is such a package: what stands beside that are other projects."""
    roots: dict[str, None] = {}
    for path in paths:
        directory = os.path.abspath(path)
        if not os.path.isdir(directory):
            directory = os.path.dirname(directory)
        project, start = _project(directory), files.import_root(directory)
        if project is not None:
            roots[project] = None
        if project is None or not project.startswith(start.rstrip(os.sep) + os.sep):
            roots[start] = None
    return tuple(roots)


def _project(directory: str) -> str | None:
    """The nearest directory at or above this one that says that it is a project; never the user's home as a whole."""
    outside = {os.path.expanduser("~"), os.path.abspath(os.sep)}
    while directory not in outside and os.path.dirname(directory) != directory:
        if any(os.path.exists(os.path.join(directory, mark)) for mark in _MARKS):
            return directory
        directory = os.path.dirname(directory)
    return None
