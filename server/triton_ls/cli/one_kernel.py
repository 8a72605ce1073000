"""``triton-ls explain``, ``ir``, ``resources``: one kernel, named as FILE:KERNEL; ``FILE:`` lists those of a file."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from typing import TypeVar

from kernel_analysis.files import NOTEBOOK
from kernel_analysis.report import KernelReport, stages
from kernel_analysis.wire import ConfigList, Entry, Printed
from triton_ls import config_table, describe
from triton_ls.agents.agent_process import AgentError
from triton_ls.agents.launch import Environment, patient
from triton_ls.cli.collect import import_roots, python_files
from triton_ls.cli.gather import analyze, usable
from triton_ls.cli.terminal import complain, say
from triton_ls.cli.user_error import UserError
from triton_ls.file_facts import place
from triton_ls.markdown import plain, text
from triton_ls.scheduler import Scheduler
from triton_ls.settings import Settings, find_pyproject, merge, read_pyproject

_Answer = TypeVar("_Answer")
_PATIENCE = 60.0
"""Seconds for LLVM and ptxas, which take longer over a large kernel than the front end does."""


def explain(options: argparse.Namespace) -> int:
    """Exit code 1: there is such a function, but nothing could be found out about it."""
    file, name, settings = question(options)
    environment = patient(settings, import_roots([file]), [file])
    analysis = asyncio.run(analyze([file], environment, lambda file: settings, {}, lambda count, file: None))
    (result,) = analysis.results
    if not name:
        say(
            "\n".join(
                f"{file}:{entry.qualname} ({entry.role}, line {entry.name_span.line})" for entry in result.kernels
            )
        )
        return int(not result.kernels)
    entry = _find(result.kernels, name, file)
    report = result.reports.get(place(entry.name_span))
    if report is None:
        messages = [finding.message for finding in result.findings]
        raise UserError(f"{file}:{name}: {' '.join(messages) or 'its text does not parse.'}")
    say(plain(_everything(report)))
    return int(report.status == "failed")


def _everything(report: KernelReport) -> str:
    parts = [describe.kernel(report), *(describe.parameter(report, parameter) for parameter in report.parameters)]
    findings = [f"line {f.span.line}: {f.severity} {f.code}: {text(f.message)}" for f in report.findings]
    return "\n\n".join([*parts, "\n".join(findings)])


def ir(options: argparse.Namespace) -> int:
    file, name, settings = question(options)
    if not name:
        return explain(options)
    known = stages(settings.target)
    if options.stage not in known:
        raise UserError(f"There is no stage {options.stage} for {settings.target}; there are {', '.join(known)}.")
    environment = patient(settings, import_roots([file]), [file])
    say(asyncio.run(_stage(file, name, options.stage, settings, environment)))
    return 0


def resources(options: argparse.Namespace) -> int:
    """Exit code 1: no config of the kernel can be launched."""
    file, name, settings = question(options)
    if not name:
        return explain(options)
    limit = max(settings.timeout, _PATIENCE)

    def table(scheduler: Scheduler) -> Awaitable[config_table.ConfigTable]:
        return config_table.find(
            name,
            settings.target,
            lambda: scheduler.ask(file, ConfigList, {"qualname": name}, limit),
            lambda config: scheduler.stage(file, name, "resources", limit, config),
            lambda message: None,
        )

    found = asyncio.run(_asked(patient(settings, import_roots([file]), [file]), table))
    say(json.dumps(found.data(), indent=2) if options.format == "json" else found.text().rstrip("\n"))
    return int(not found.fits)


async def _stage(file: str, name: str, stage: str, settings: Settings, environment: Environment) -> str:
    async def printed(scheduler: Scheduler) -> Printed:
        if stage == "ttir":
            return await scheduler.ask(file, Printed, {"qualname": name}, settings.timeout)
        return (await scheduler.stage(file, name, stage, max(settings.timeout, _PATIENCE))).stage

    return (await _asked(environment, printed)).text


async def _asked(environment: Environment, question: Callable[[Scheduler], Awaitable[_Answer]]) -> _Answer:
    messages: list[str] = []
    scheduler = Scheduler(environment, size=1, reserve=0, texts=dict[str, str], tell=messages.append)
    answer = asyncio.ensure_future(question(scheduler))
    try:
        await asyncio.sleep(0)  # it has been asked then
        await usable(scheduler, messages)
        return await answer
    except AgentError as error:
        raise UserError(str(error)) from error
    finally:
        answer.cancel()  # where no agent can be had nobody waits for it
        await asyncio.gather(answer, return_exceptions=True)
        await scheduler.close()


def question(options: argparse.Namespace) -> tuple[str, str, Settings]:
    from triton_ls.cli import client_settings

    path, _, name = str(options.kernel).rpartition(":")
    if not path:
        raise UserError(f"{options.kernel}: write FILE:KERNEL, like attention.py:forward; FILE: lists its kernels.")
    if os.path.isdir(path):
        raise UserError(f"{path} is a directory; name the file that the kernel is in.")
    if path.endswith(NOTEBOOK):
        raise UserError(f"{path} is a notebook: only check looks into its cells. Move the kernel to a Python file.")
    (file,) = python_files([path], complain)
    project, complaints = read_pyproject(find_pyproject(os.path.dirname(file)))
    for complaint in complaints:
        complain(complaint)
    return file, name, merge(client_settings(options), project)


def _find(entries: tuple[Entry, ...], name: str, file: str) -> Entry:
    found = [entry for entry in entries if name in (entry.qualname, entry.name)]
    exact = [entry for entry in found if entry.qualname == name] or found
    if len(exact) == 1:
        return exact[0]
    if exact:
        raise UserError(f"{file} has several functions {name}: {', '.join(entry.qualname for entry in exact)}.")
    names = ", ".join(entry.qualname for entry in entries)
    raise UserError(f"{file} has no jit function {name}. " + (f"It has {names}." if names else "It has none at all."))
