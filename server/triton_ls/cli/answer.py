"""The answer to a ``check`` that is not at hand: has everything analysed and puts what was found into words."""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Callable

from kernel_analysis.report import Finding
from triton_ls.agents.launch import Environment
from triton_ls.cli import output_github, output_json, output_sarif, output_table, output_text
from triton_ls.cli.check_cache import Answer, Remembered
from triton_ls.cli.gather import Analysis, analyze
from triton_ls.cli.result import CheckResult, FileResult
from triton_ls.cli.selection import Wanted
from triton_ls.cli.terminal import show_progress
from triton_ls.settings import Settings

_BAD = ("warning", "error")


def find_out(
    files: list[str],
    searched: int,
    environment: Environment,
    settings_for: Callable[[str], Settings],
    options: argparse.Namespace,
    wanted: Wanted,
    remembered: Remembered,
) -> Answer:
    """``files`` are those of the ``searched`` that may have kernels. Has the answer ``remembered`` for the next time,
    if it would be the same, else what it says of those files of which it would."""
    settled = remembered.settled()
    work = analyze(files, environment, settings_for, settled, _progress(len(files) - len(settled)), remembered.look)
    analysis: Analysis = asyncio.run(work)
    identity, findings = analysis.identity, wanted.of_these(_findings(analysis.results))
    result = CheckResult(identity.triton or "", environment.target, searched, analysis.results, findings)
    text = _text(result, options)
    answer = Answer(text, int(any(finding.severity in _BAD for finding in findings)) if analysis.complete else 2)
    if not analysis.said:
        installed = [identity.executable, *identity.packages]
        if analysis.complete and len(analysis.final) == len(files):
            again = answer._replace(text=output_json.again(text)) if options.format == "json" else answer
            remembered.keep(again, installed, analysis.depends)
        else:
            final = [result for result in analysis.results if result.file in analysis.final]
            remembered.keep_settled(final, installed, analysis.depends)
    return answer


def _text(result: CheckResult, options: argparse.Namespace) -> str:
    if options.format == "json":
        return output_json.text(result)
    if options.format == "sarif":
        return output_sarif.text(result, hints=options.hints)
    if options.format == "github":
        return output_github.text(result, hints=options.hints)
    if options.format == "table":
        return output_table.text(result, options.width)
    return output_text.text(result, hints=options.hints, verbose=options.verbose)


def _findings(results: list[FileResult]) -> list[Finding]:
    """All, by place; the same one under several kernels counts once."""
    found = {
        (finding.span, finding.code, finding.message): finding
        for result in results
        for finding in (*result.findings, *(f for report in result.reports.values() for f in report.findings))
    }
    return sorted(found.values(), key=lambda f: (f.span.file, f.span.line, f.span.column, f.code, f.message))


def _progress(total: int) -> Callable[[int, str], None]:
    def done(count: int, file: str) -> None:
        show_progress(f"[{count}/{total}] {os.path.basename(file)}" if count < total else "")

    return done
