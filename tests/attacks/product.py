"""Every source with every effect, every way to get it called with every effect, every source with every way; outside of
``make nightly`` with some of the effects.

Text only: a source is an expression for Python's ``eval``, an effect is what it is given, a way is how a kernel gets
it called, in its body, in a ``constexpr_function`` or in a default.
"""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Iterable, Mapping

from attacks.case import KERNEL, Case
from attacks.sources import OTHER, SOURCES
from attacks.ways import WAYS

HEAD = "import triton\nimport triton.language as tl\n"

EFFECTS = {
    "shell": "__import__('os').system('touch CANARY')",
    "popen": "__import__('subprocess').Popen(['MARKER', 'CASE'])",
    "popen-by-name": "__import__('subprocess').Popen(['attack-marker', 'CASE'], start_new_session=True)",
    "posix-spawn": "__import__('os').posix_spawn('MARKER', ['MARKER', 'CASE'], {})",
    "fork": "__import__('os').fork() or (__import__('os').closerange(0, 99), __import__('time').sleep(4711))",
    "exec": "__import__('os').execv('MARKER', ['MARKER', 'CASE'])",
    "write": "open('CANARY', 'w')",
    "open": "__import__('os').open('CANARY', 65, 0o600)",
    "mkdir": "__import__('os').mkdir('CANARY')",
    "mkfifo": "__import__('os').mkfifo('CANARY')",
    "symlink": "__import__('os').symlink('/', 'CANARY')",
    "link": "__import__('os').link('VICTIM_FILE', 'CANARY')",
    "remove": "__import__('os').remove('VICTIM_FILE')",
    "rename": "__import__('os').rename('VICTIM_FILE', 'CANARY')",
    "chmod": "__import__('os').chmod('VICTIM_FILE', 0)",
    "truncate": "__import__('os').truncate('VICTIM_FILE', 0)",
    "utime": "__import__('os').utime('VICTIM_FILE', (1, 1))",
    "xattr": "__import__('os').setxattr('VICTIM_FILE', 'user.attack', b'1')",
    "connect": "__import__('socket').create_connection(('127.0.0.1', PORT)).sendall(b'CASE')",
    "send": "__import__('socket').socket(2, 2).sendto(b'CASE', ('127.0.0.1', PORT))",
    "unix-socket": "__import__('socket').socket(1).bind('CANARY')",
    "ctypes": "__import__('ctypes').CDLL(None).creat(b'CANARY', 0o600)",
    "ctypes-shell": "__import__('ctypes').CDLL(None).system(b'touch CANARY')",
    "cache": "__import__('pathlib').Path.home().joinpath('CASE').touch()",
    "kill": "__import__('os').kill(VICTIM_PID, 9)",
    "import": "__import__('sys').path.append('FOLDER') or __import__('attack_CASE')",
    "run-file": "exec(open('FOLDER/attack_CASE.py').read())",
    "environment": "int(__import__('os').environ['SECRET_NAME'])",
    "environment-of-the-parent": "int(open('/proc/%d/environ' % __import__('os').getppid()).read())",
    "secret-file": "int(open('SECRET_FILE').read())",
}
"""What an operating system can hold, too."""

INSIDE = {
    "forge": '__import__(\'os\').write(1, b\'{"jsonrpc":"2.0","method":"outdated","params":{"files":["FORGED"]}}\\n\')',
    "change-triton": "setattr(__import__('triton').language, 'store', 1)",
    "change-builtins": "setattr(__import__('builtins'), 'len', 1)",
    "exit": "__import__('os')._exit(3)",
}
"""What stays in the process: only the gate can hold these."""

IMPORTED = "open('CANARY', 'w').close()\n"
"""The module of the workspace that ``import`` and ``run-file`` get at."""


EVERY = os.environ.get("TRITON_LS_ATTACKS") == "all"
"""Whether what two parts of us hold alike is tried through both of them with every source, and every source with every
effect: ``make nightly``."""
PARTS = 1 if EVERY else 4
"""Into as many parts the effects are dealt, the next to each source: to the gate an effect is a text like
any other."""


def cases(effects: Mapping[str, str], sources: Iterable[str] = SOURCES, parts: int = PARTS) -> list[Case]:
    """A file a source: called directly with three of the effects, and with each effect of its part in the next of the
    ways. And files with every way."""
    found: list[Case] = []
    ways = list(WAYS)
    turn = itertools.cycle(way for way in ways if way != "call")
    for number, source in enumerate(sources):
        kernels = [("call", effect) for effect in ("shell", "write", "environment")]
        kernels += [(next(turn), effect) for effect in list(effects)[number % parts :: parts]]
        found.append(_file(f"source-{source}", source, kernels))
    for part in range(0, len(ways), 40):
        kernels = [(way, "write") for way in ways[part : part + 40]]
        found.append(_file(f"ways-{part}", "another-name", kernels))
    return found


def _file(name: str, source: str, kernels: list[tuple[str, str]]) -> Case:
    lines, expression = SOURCES[source]
    files = {"other.py": OTHER}
    parts = [f"{HEAD}{lines}\n"]
    for number, (way, effect) in enumerate(kernels):
        payload = {**EFFECTS, **INSIDE}[effect]
        payload = re.sub(r"(CANARY|VICTIM_FILE|CASE)\b", rf"\1_{number}", payload)
        if effect in ("import", "run-file"):
            files[f"attack_CASE_{number}.py"] = IMPORTED.replace("CANARY", f"CANARY_{number}")
        top, body = WAYS[way]
        text = f"{top}\n\n@triton.jit\ndef k_N(p):\n    {body}\n    tl.store(p, 1.0)\n"
        text = _fill(text, {"F": expression, "T": json.dumps(payload)})
        parts.append(re.sub(r"_N\b", f"_{number}", text))
    return Case(name, "refused", {KERNEL: "\n".join(parts), **files})


def _fill(text: str, values: Mapping[str, str]) -> str:
    return re.sub(r"\b[FT]\b", lambda match: values[match[0]], text)
