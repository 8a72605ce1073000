"""``heuristics-argument`` and a grid's ``launch-arguments``: every way for a function to come by an item of the dict
that it is given, with everything that may stand before it. Real Python calls the function; what does not fail there is
not accused, and what always asks first is."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from kernel_analysis.kernels.project import Project
from kernel_analysis.rules import heuristics_argument, launch_arguments
from kernel_analysis.rules.subject import FileSubject

HEAD = "import contextlib\nimport triton\nimport triton.language as tl\n\n\n"
KERNELS = """

@triton.heuristics({"E": choose})
@triton.jit
def k(x, n, s, B: tl.constexpr, E: tl.constexpr):
    tl.store(x + n, B)


@triton.jit
def j(x, n, s, B: tl.constexpr):
    tl.store(x + n, B)


def run(x):
    j[choose](x, 4, (1,), B=8)
"""
BEFORE = {
    "nothing": "",
    "a local": "n = args['n']",
    "an item": "args['zzz'] = 1",
    "a default": "args.setdefault('zzz', 2)",
    "an update": "args.update(zzz=1)",
    "an alias": "d = args\n    d['zzz'] = 1",
    "another dict": "args = dict(args, zzz=1)",
    "a walrus": "(args := {'zzz': 1})",
    "a helper": "fill(args)",
    "a lambda": "f = lambda: args.setdefault('zzz', 1)\n    f()",
    "an inner function": "def inner():\n        args['zzz'] = 1\n    inner()",
    "a loop": "for key in ('zzz',):\n        args[key] = 1",
    "an early return": "if args['n'] == 4:\n        return (1,)",
    "a return in a loop": "for n in range(args['n']):\n        return (n,)",
    "a return in a try": "try:\n        return (args['n'],)\n    finally:\n        pass",
    "a return in a with": "with contextlib.nullcontext():\n        return (1,)",
    "a match": "match args['n']:\n        case 4:\n            return (1,)",
    "something read": "m = args.get('m', 3) + len(args['s'])",
    "a test": "present = 'n' in args",
}
ASKS = {
    "itself": "return (args['zzz'],)",
    "computed": "return (1 + max(args['zzz'], 3),)",
    "a local": "value = args['zzz']\n    return (value,)",
    "first": "return (args['zzz'] or 1,)",
    "second of or": "return (1 or args['zzz'],)",
    "second of and": "return (0 and args['zzz'],)",
    "an arm": "return (1 if args['n'] else args['zzz'],)",
    "a test": "return (1 if args['zzz'] else 2,)",
    "a comparison": "return (args['n'] < args['zzz'],)",
    "a later comparison": "return (9 < args['n'] < args['zzz'],)",
    "each of none": "return (sum(args['zzz'] for _ in range(0)),)",
    "each of it": "return (sum([one for one in args['zzz']]),)",
    "a generator": "return (args.get('n', (one for one in args['zzz'])) and 1,)",
    "what is not called": "return (args.get('n', lambda: args['zzz']),)",
    "under a test": "if args['n'] > 9:\n        return (args['zzz'],)\n    return (1,)",
    "the test": "if args['zzz'] > 9:\n        return (2,)\n    return (1,)",
    "in a try": "try:\n        return (args['zzz'],)\n    except KeyError:\n        return (1,)",
    "suppressed": "with contextlib.suppress(KeyError):\n        return (args['zzz'],)\n    return (1,)",
    "looked for": "return (args['zzz'] if 'zzz' in args else 1,)",
    "looked for before": "has = 'zzz' in args\n    return (args['zzz'] if has else 1,)",
    "by the method": "return (args['zzz'] if args.__contains__('zzz') else 1,)",
    "a while": "while args['n'] > 9:\n        return (args['zzz'],)\n    return (1,)",
}
ALWAYS = {"itself", "computed", "a local", "first", "a test", "a comparison", "each of it", "the test"}
PLAIN = {"nothing", "a local", "something read", "a test"}


def function(before: str, asks: str) -> str:
    body = f"    {BEFORE[before]}\n" if BEFORE[before] else ""
    return f"def fill(d):\n    d['zzz'] = 1\n\n\ndef choose(args):\n{body}    {ASKS[asks]}\n"


def fails(text: str) -> bool:
    names: dict[str, Any] = {}
    exec(compile(HEAD.splitlines()[0] + "\n" + text, "main.py", "exec"), names)  # the test's own text
    try:
        names["choose"]({"n": 4, "B": 8, "s": (1,)})
    except KeyError:
        return True
    except TypeError:
        return False  # what comes of it is no matter here
    return False


def test_only_what_every_call_asks_for_is_missed(tmp_path: Path) -> None:
    texts = {(before, asks): function(before, asks) for before in BEFORE for asks in ASKS}
    files = {case: tmp_path / f"case{number}.py" for number, case in enumerate(texts)}
    for case, text in texts.items():
        files[case].write_text(HEAD + text + KERNELS, encoding="utf-8")
    project = Project([str(tmp_path)], sys.path, patient=True)
    wrong: list[object] = []
    for case, text in texts.items():
        subject = FileSubject(project, project.module(str(files[case])))
        heuristic = any("`zzz`" in one.message for one in heuristics_argument.check_file(subject))
        grid = any("`zzz`" in one.message for one in launch_arguments.check_file(subject))
        if not fails(text):
            wrong += [(*case, heuristic, grid)] if heuristic or grid else []
        elif case[0] in PLAIN and case[1] in ALWAYS and not (heuristic and grid):
            wrong.append((*case, "nothing is said"))
    assert wrong == []
