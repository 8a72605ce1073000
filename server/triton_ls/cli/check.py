"""``triton-ls check``: analyse files and directories, print what was found, say with the exit code how bad it is.

What only an analysis needs is imported only for one: an answer that is at hand takes less time than that.
"""

from __future__ import annotations

import argparse
import functools
import gc
import os
import sys
import time
from pathlib import Path

from triton_ls.agents.launch import patient
from triton_ls.cli.collect import import_roots, python_files
from triton_ls.cli.remembered import SECONDS, Remembered
from triton_ls.settings import Settings, find_pyproject, merge, read_pyproject


def check(options: argparse.Namespace) -> int:
    from triton_ls.cli import client_settings

    gc.disable()  # nothing that a check makes is of no use before its end
    client = client_settings(options)
    start = time.monotonic()
    files = python_files(options.paths)
    readable = [file for file in files if _readable(file)]
    relevant = [file for file in readable if _may_have_kernels(file)]

    @functools.cache
    def of_project(path: Path | None) -> Settings:
        project, complaints = read_pyproject(path)
        for complaint in complaints:
            print(f"triton-ls: {complaint}", file=sys.stderr)
        return merge(client, project)

    @functools.cache
    def for_directory(directory: str) -> Settings:
        return of_project(find_pyproject(directory))

    def for_file(file: str) -> Settings:
        return for_directory(os.path.dirname(file))

    # The project that the first path belongs to says what to compile for; severities and times are each file's own.
    first = os.path.abspath(options.paths[0])
    settings = for_directory(first if os.path.isdir(first) else os.path.dirname(first))
    environment = patient(settings, import_roots(options.paths))
    form = (options.format, options.hints, options.verbose, os.getcwd(), len(files))
    remembered = Remembered(relevant, environment, for_file, form)
    answer = remembered.find()
    if answer is None:
        from triton_ls.cli.answer import find_out

        answer = find_out(relevant, len(files), environment, for_file, options, remembered)
    before, _, after = answer.text.rpartition(SECONDS)
    print(f"{before}{time.monotonic() - start:.2f}{after}")
    return 2 if len(readable) < len(files) else answer.code


def _readable(file: str) -> bool:
    if os.access(file, os.R_OK):
        return True
    print(f"triton-ls: {file} cannot be read: permission denied.", file=sys.stderr)
    return False


def _may_have_kernels(file: str) -> bool:
    """A decorator that makes a kernel has "jit" in its name, or was imported from something that has."""
    with open(file, "rb") as stream:
        return b"jit" in stream.read()
