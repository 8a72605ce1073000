"""``triton-ls check``: analyse files and directories, print what was found, say with the exit code how bad it is."""

from __future__ import annotations

import argparse
import functools
import gc
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from kernel_analysis.report import Finding
from triton_ls.agents.launch import Environment, patient
from triton_ls.cli import output_json, output_table, output_text
from triton_ls.cli.collect import import_roots, python_files
from triton_ls.cli.remembered import Remembered
from triton_ls.cli.result import CheckResult, FileResult
from triton_ls.reports import Identity
from triton_ls.settings import Settings, find_pyproject, merge, read_pyproject

_BAD = ("warning", "error")


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
    identity, results = _answer(relevant, patient(settings, import_roots(options.paths)), for_file)
    result = CheckResult(
        identity.triton or "", settings.target, len(files), results, _findings(results), time.monotonic() - start
    )
    if options.format == "json":
        output_json.write(result)
    elif options.format == "table":
        output_table.write(result)
    else:
        output_text.write(result, hints=options.hints, verbose=options.verbose)
    if len(readable) < len(files):
        return 2
    return int(any(finding.severity in _BAD for finding in result.findings))


def _answer(
    files: list[str], environment: Environment, settings_for: Callable[[str], Settings]
) -> tuple[Identity, list[FileResult]]:
    remembered = Remembered(files, environment, settings_for)
    known = remembered.find()
    if known is not None:
        return known
    # Only now: all that it takes to run agents takes longer to import than an answer that is at hand takes.
    import asyncio

    from triton_ls.cli.analysis import analyze

    analysis = asyncio.run(analyze(files, environment, settings_for, _progress(len(files))))
    remembered.keep(analysis)
    return analysis.identity, analysis.results


def _findings(results: list[FileResult]) -> list[Finding]:
    """All, by place; the same one under several kernels counts once."""
    found = {
        (finding.span, finding.code, finding.message): finding
        for result in results
        for finding in (*result.findings, *(f for report in result.reports.values() for f in report.findings))
    }
    return sorted(found.values(), key=lambda f: (f.span.file, f.span.line, f.span.column, f.code, f.message))


def _readable(file: str) -> bool:
    if os.access(file, os.R_OK):
        return True
    print(f"triton-ls: {file} cannot be read: permission denied.", file=sys.stderr)
    return False


def _may_have_kernels(file: str) -> bool:
    """A decorator that makes a kernel has "jit" in its name, or was imported from something that has."""
    with open(file, "rb") as stream:
        return b"jit" in stream.read()


def _progress(total: int):
    """A line on the terminal that is rewritten; nothing when nobody watches."""
    shown = sys.stderr.isatty()

    def done(count: int, file: str) -> None:
        if shown:
            line = f"[{count}/{total}] {os.path.basename(file)}"[:79] if count < total else ""
            print(f"\r{line:<79}" + ("" if line else "\r"), end="", file=sys.stderr, flush=True)

    return done
