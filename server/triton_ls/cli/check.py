"""``triton-ls check``: analyse files and directories, print what was found, say with the exit code how bad it is.

What only an analysis needs is imported only for one: an answer that is at hand takes less time than that.
"""

from __future__ import annotations

import argparse
import functools
import gc
import os
import re
import time
from collections.abc import Callable
from pathlib import Path

from kernel_analysis.files import NOTEBOOK, Unreadable, read_file
from triton_ls.agents.launch import patient
from triton_ls.cli.check_cache import SECONDS, Remembered
from triton_ls.cli.collect import import_roots, python_files
from triton_ls.cli.selection import Wanted
from triton_ls.cli.terminal import complain, hand_over, one_line, say, width
from triton_ls.settings import Settings, find_pyproject, merge, read_pyproject

_LANGUAGE = re.compile(rb"\bt?t?[tg]l\.|triton\.language|\blanguage as\b|import[\s(]+language|gluon")
_LAUNCH = re.compile(rb"\]\s*\(")
_ALONE = (
    re.compile(rb"\[(?<=\w\[)grid\]\s*\("),
    re.compile(rb"custom_op\b(?<!\wcustom_op)"),
    re.compile(rb"tl\.(?:load|store|arange)\b"),
    re.compile(rb"\.program_id\("),
    re.compile(rb"\.constexpr\b"),
    re.compile(rb"triton_op\b|(?:wrap|capture)_triton\b"),
    re.compile(rb"mutates_args\b"),
    re.compile(rb"define\(\s*['\"]"),
    re.compile(rb"torch\.compile\b"),
)
"""What looks like a launch, may be a torch op around one or compiled by torch, or is a kernel's where a package hands
decorator and language on under names of its own: where nothing else says Triton. To search for what begins with a
literal takes a tenth."""


def check(options: argparse.Namespace) -> int:
    from triton_ls.cli import client_settings

    gc.disable()  # nothing that a check makes is of no use before its end
    client = client_settings(options)
    start = time.monotonic()
    left_out: list[str] = []
    files = python_files(options.paths, left_out.append)
    relevant = [file for file in files if _may_have_kernels(file, left_out.append)]
    for message in left_out:
        complain(message)

    @functools.cache
    def of_project(path: Path | None) -> Settings:
        project, complaints = read_pyproject(path)
        for complaint in complaints:
            complain(complaint)
        return merge(client, project)

    @functools.cache
    def for_directory(directory: str) -> Settings:
        return of_project(find_pyproject(directory))

    def for_file(file: str) -> Settings:
        return for_directory(os.path.dirname(file))

    # The project that the first path belongs to says what to compile for; severities and times are each file's own.
    first = os.path.abspath(options.paths[0])
    settings = for_directory(first if os.path.isdir(first) else os.path.dirname(first))
    environment = patient(settings, import_roots(options.paths), relevant)
    options.width = width() if options.format == "table" else 0
    wanted = Wanted.of(options)
    form = (options.format, options.hints, options.verbose, os.getcwd(), len(files), options.width, wanted)
    remembered = Remembered(relevant, environment, for_file, form)
    answer = remembered.find()
    if answer is None:
        from triton_ls.cli.answer import find_out

        answer = find_out(relevant, len(files), environment, for_file, options, wanted, remembered)
    before, mark, after = answer.text.rpartition(SECONDS)
    text = f"{before}{f'{time.monotonic() - start:.2f}' if mark else ''}{after}"
    if options.format in ("json", "sarif"):
        hand_over(text)
    else:
        say(text, commands=options.format == "github")
    code = 0 if options.exit_zero and answer.code == 1 else answer.code
    return 2 if left_out else code


_ITEM, _CALLED = re.compile(rb"\w\[\("), re.compile(rb"\)\]\s*\(")


def _launches(text: bytes) -> bool:
    """``kernel[(1, 2)](``, on one line up to the bracket. Looks at each part of a text once: nobody ends this process
    when it takes too long."""
    for found in _CALLED.finditer(text):
        begin = text.rfind(b"]", 0, found.start()) + 1
        begin = max(begin, text.rfind(b"\n", begin, found.start()) + 1)
        if _ITEM.search(text, begin, found.start()):
            return True
    return False


def _may_have_kernels(file: str, tell: Callable[[str], None]) -> bool:
    """Kernels are written in Triton's language, or their decorator has "jit" in its name; of launches there is
    something to say, too. To look for them where Triton is only mentioned takes as long as where they are."""
    try:
        text = read_file(file)
        triton = b"jit" in text or b"triton" in text and (_LANGUAGE.search(text) or _LAUNCH.search(text))
        if not triton and not _launches(text) and not any(alone.search(text) for alone in _ALONE):
            return False
        if file.endswith(NOTEBOOK):
            from kernel_analysis.source.parsing.notebook import read_notebook

            read_notebook(text)
        return True
    except Unreadable as why:
        tell(f"{one_line(file)} can't be read: {why}.")
        return False
