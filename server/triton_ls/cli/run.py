"""``triton-ls run FILE:KERNEL``: launches one kernel, says what it did. The only command that executes user code, and
it does so in a process of its own."""

from __future__ import annotations

import argparse
import asyncio
import json

from triton_ls.cli.collect import import_roots
from triton_ls.cli.one_kernel import explain, question
from triton_ls.cli.terminal import complain, hand_over, say, show_progress
from triton_ls.cli.user_error import UserError
from triton_ls.runs import run_report
from triton_ls.runs.supervisor import RunFailed, RunQuestion, run, script


def run_command(options: argparse.Namespace) -> int:
    """Exit code 0: it ran and what the analysis claims was not contradicted; 1: it failed, or was; 2: no question."""
    file, name, settings = question(options)
    if not name:
        return explain(options)
    asked = RunQuestion(
        file,
        name,
        settings.interpreter,
        import_roots([file]),
        device=options.device if options.device is not None else settings.device,
        label=options.label,
        timeout=settings.run_timeout,
    )
    try:
        if options.script:
            hand_over(asyncio.run(script(asked)), end="")
            return 0
        result = asyncio.run(run(asked, show_progress))
    except RunFailed as failed:
        show_progress("")
        if failed.kind in ("no-torch", "no-numpy", "no-triton", "no-interpreter", "no-device", "no-kernel"):
            raise UserError(str(failed)) from failed
        if options.format == "json":
            hand_over(json.dumps(failed.to_json(), indent=2))
        place = f"{failed.place[0]}:{failed.place[1]}: " if failed.place is not None else ""
        complain(f"{place}{failed}")
        if failed.missing:
            complain(f"say it above the kernel: # triton-run: {' '.join(f'{m}=...' for m in failed.missing)}")
        return 1
    show_progress("")
    if options.format == "json":
        hand_over(json.dumps(result, indent=2))
    else:
        say(run_report.text(result))
    return int(any(check["verdict"] == "contradiction" for check in result["checks"]))
