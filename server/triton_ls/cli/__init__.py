"""The ``triton-ls`` command: arguments in, exit code out. What the commands do is in the modules beside this one."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from typing import Any

from triton_ls import __version__
from triton_ls.cli.terminal import complain, harmless
from triton_ls.cli.user_error import UserError
from triton_ls.settings import CODES, LEVELS, parse

_KERNEL = "FILE: alone lists the kernels of a file"
_LOG = "how much is logged on standard error; default: error"
USAGE_ERROR, INTERRUPTED, BROKEN_PIPE = 2, 130, 141
_FORMATS = ("text", "table", "json", "sarif", "github")


def main(arguments: Sequence[str] | None = None) -> int:
    """0: nothing to report, 1: findings, 2: the question could not be answered."""
    options = _parser().parse_args(arguments)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=options.log_level.upper(), handlers=[handler])
    if options.log_level != "debug":
        logging.getLogger("pygls").setLevel(logging.WARNING)  # it logs every message in full
    try:
        code = int(options.run(options))
        sys.stdout.flush()
    except UserError as error:
        complain(str(error))
        return USAGE_ERROR
    except KeyboardInterrupt:
        complain("interrupted.")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has enough; nothing more may be written, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    return code


class _Formatter(logging.Formatter):
    """The log of an agent holds what users' kernels print while they are compiled."""

    def format(self, record: logging.LogRecord) -> str:
        return harmless(super().format(record))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="triton-ls",
        description="What the Triton compiler makes of your GPU kernels: which pointers they read and write.",
    )
    parser.add_argument("--version", action="version", version=f"triton-ls {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    command = _command(commands, "check", "check the kernels of files and directories", _check)
    command.add_argument("paths", nargs="+", metavar="PATH")
    command.add_argument("--format", choices=_FORMATS, default="text", help="default: text")
    command.add_argument("--hints", action="store_true", help="show findings of severity hint in the text, too")
    command.add_argument("--verbose", "-v", action="store_true", help="one line for each kernel, too")
    command.add_argument("--select", action="append", metavar="CODE,...", help="only findings of these rules")
    command.add_argument("--ignore", action="append", metavar="CODE,...", help="no findings of these rules")
    command.add_argument(
        "--diff", metavar="BASE", help="only findings on lines that changed since the branch left this git commit"
    )
    command.add_argument("--exit-zero", action="store_true", help="findings do not make the exit code 1")
    command.add_argument(
        "--severity",
        action="append",
        default=[],
        metavar="CODE=LEVEL",
        help=f"LEVEL is one of {', '.join(LEVELS)}; CODE of {', '.join(CODES)}",
    )
    _analysis_options(command)

    command = _command(commands, "explain", "everything known of one kernel", _explain)
    command.add_argument("kernel", metavar="FILE:KERNEL", help=_KERNEL)
    _analysis_options(command)

    command = _command(commands, "ir", "what the compiler makes of one kernel, at one of its stages", _ir)
    command.add_argument("kernel", metavar="FILE:KERNEL", help=_KERNEL)
    command.add_argument(
        "--stage",
        choices=("ttir", "ttgir", "llir", "ptx", "sass", "amdgcn"),
        default="ttir",
        help="ptx and sass for cuda, amdgcn for hip; default: ttir",
    )
    _analysis_options(command)

    command = _command(commands, "ttir", "the same as ir --stage ttir", _ir)
    command.add_argument("kernel", metavar="FILE:KERNEL", help=_KERNEL)
    command.set_defaults(stage="ttir")
    _analysis_options(command)

    command = _command(
        commands,
        "resources",
        "registers, spills and shared memory of one kernel, under each autotune config",
        _resources,
    )
    command.add_argument("kernel", metavar="FILE:KERNEL", help=_KERNEL)
    command.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    _analysis_options(command)

    command = _command(commands, "run", "run one kernel on the GPU, or without one in Triton's interpreter", _run)
    command.add_argument("kernel", metavar="FILE:KERNEL", help=_KERNEL)
    command.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    command.add_argument(
        "--device", metavar="NAME", help='"interpreter", "cuda" or "cuda:1"; default: a GPU if there is one'
    )
    command.add_argument("--label", metavar="NAME", help="which of several launches that are pinned above the kernel")
    command.add_argument("--time-limit", type=float, metavar="SECONDS", help="for the whole run; default 120")
    command.add_argument(
        "--script", action="store_true", help="write a stand-alone script that does the same, and run nothing"
    )
    _analysis_options(command)

    command = _command(commands, "doctor", "what works here, and what doesn't", _doctor)
    _analysis_options(command)

    command = _command(commands, "serve", "run the language server on standard input and output", _serve)
    command.set_defaults(log_level="info")
    command.add_argument("--stdio", action="store_true", help="the default and only way; for clients that say so")
    return parser


def _command(commands: Any, name: str, help_text: str, run: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=help_text, description=f"{help_text[0].upper()}{help_text[1:]}."
    )
    parser.add_argument("--log-level", choices=("debug", "info", "warning", "error"), default="error", help=_LOG)
    parser.set_defaults(run=run)
    return parser


def _analysis_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--target", help='compile for this, like "hip:gfx942"; default: cuda:90')
    parser.add_argument(
        "--python", metavar="PATH", help="the Python that has your triton; default: the one that runs this"
    )
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="for one kernel in the compiler; default 10")
    parser.add_argument("--no-cache", action="store_true", help="neither read nor keep results on disk")


def client_settings(options: argparse.Namespace) -> dict[str, Any]:
    """What the arguments say, in the settings' own words."""
    severity: dict[str, str] = {}
    for pair in getattr(options, "severity", []):
        code, equals, level = str(pair).partition("=")
        if not equals:
            raise UserError(f"--severity {pair}: write CODE=LEVEL, like inline-asm=off.")
        severity[code] = level
    given: dict[str, Any] = {
        "target": options.target,
        "interpreter": options.python,
        "timeout": options.timeout,
        "run-timeout": getattr(options, "time_limit", None),
        "cache": False if options.no_cache else None,
        "severity": severity,
    }
    values, complaints = parse(given, "command line")
    if complaints:
        raise UserError(" ".join(complaints))
    return values


# Each command imports what it needs itself: nobody should wait for what another one needs.


def _check(options: argparse.Namespace) -> int:
    from triton_ls.cli.check import check

    return check(options)


def _explain(options: argparse.Namespace) -> int:
    from triton_ls.cli.one_kernel import explain

    return explain(options)


def _ir(options: argparse.Namespace) -> int:
    from triton_ls.cli.one_kernel import ir

    return ir(options)


def _resources(options: argparse.Namespace) -> int:
    from triton_ls.cli.one_kernel import resources

    return resources(options)


def _run(options: argparse.Namespace) -> int:
    from triton_ls.cli.run import run_command

    return run_command(options)


def _doctor(options: argparse.Namespace) -> int:
    from triton_ls.cli.doctor import doctor

    return doctor(options)


def _serve(options: argparse.Namespace) -> int:
    from triton_ls.serve import serve

    return serve()
