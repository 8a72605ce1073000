"""Which lines of a file are others than where a branch began, for ``check --diff BASE``.

Asks git for old contents only and compares them here: comparing with the working tree itself, git would start programs
that a repository's configuration names (filters, monitors).
"""

from __future__ import annotations

import functools
import os
import subprocess
from dataclasses import dataclass

from kernel_analysis.files import NOTEBOOK, Unreadable, read_file
from kernel_analysis.report import Finding
from triton_ls.agents.launch import find_program
from triton_ls.cli.new_lines import new_lines
from triton_ls.cli.user_error import UserError

_PATIENCE = 60  # seconds, for a repository on a slow disk


@dataclass(frozen=True)
class Base:
    """The commit where the branch began that is checked out in the repository ``root``."""

    root: str
    commit: str

    def touches(self, finding: Finding) -> bool:
        """Whether it stands on a line that was added or changed since."""
        lines = changed(self, finding.span.file)
        return lines is None or any(line in lines for line in range(finding.span.line, finding.span.end_line + 1))


def find_base(path: str, base: str) -> Base:
    """For what is at ``path``. Raises UserError where there is no such commit, no repository or no git."""
    directory = path if os.path.isdir(path) else os.path.dirname(os.path.abspath(path))
    root = _git(directory, "rev-parse", "--show-toplevel")
    if root is None:
        raise UserError(f"--diff {base}: {directory} is in no git repository.")
    commit = _git(directory, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{base}^{{commit}}")
    if commit is None:
        raise UserError(f"--diff {base}: there is no such commit here; fetch it, or name another one.")
    began = _git(directory, "merge-base", commit.decode().strip(), "HEAD")
    if began is None:
        raise UserError(f"--diff {base}: HEAD and it have no commit in common; fetch more of the history.")
    return Base(os.path.realpath(os.fsdecode(root.rstrip(b"\n"))), began.decode().strip())


@functools.cache
def changed(base: Base, file: str) -> frozenset[int] | None:
    """The numbers of its lines that are new; None for a file that was not there."""
    inside = os.path.relpath(os.path.realpath(file), base.root)
    old = None
    if not inside.startswith(os.pardir):
        old = _git(base.root, "cat-file", "blob", f"{base.commit}:{inside.replace(os.sep, '/')}")
    if old is None:
        return None
    now = read_file(file)
    if file.endswith(NOTEBOOK):
        from kernel_analysis.source.parsing.notebook import read_notebook

        try:
            old = read_notebook(old).text.encode()
        except Unreadable:
            return None
        now = read_notebook(now).text.encode()
    return new_lines(old.splitlines(), now.splitlines())


def _git(directory: str, *arguments: str) -> bytes | None:
    """What it prints; None where it finds nothing."""
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0"}
    environment["GIT_ALLOW_PROTOCOL"] = ""  # nothing is fetched, whatever the configuration has to say of it
    git = find_program("git")  # not one of the folder that this is started in
    if git is None:
        raise UserError("--diff needs git, and there is none on PATH.")
    command = [git, "-C", directory, "-c", "core.fsmonitor=false", *arguments]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, check=False, timeout=_PATIENCE)
    except subprocess.TimeoutExpired as error:
        raise UserError(f"--diff: git did not answer within {_PATIENCE} s in {directory}.") from error
    return done.stdout if done.returncode == 0 else None
