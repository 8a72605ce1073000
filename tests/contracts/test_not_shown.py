"""Every way to keep a place of host code from being come to with everything that is wrong there: where real Python does
not come to it, nobody is accused; where whoever calls may have it come to, each is."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from agent.process import Agent
from kernel_analysis.agent.not_shown import come_to
from kernel_analysis.kernels.project import Project
from kernel_analysis.rules import file_findings
from kernel_analysis.rules.subject import FileSubject

HEAD = "import torch\nimport triton\nimport triton.language as tl\n"
KERNELS = """

@triton.jit
def k(x, n):
    tl.store(x, n)


@triton.autotune([triton.Config({"B": 4}), triton.Config({"B": 8})], key=["n"])
@triton.jit
def t(x, n, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), n)


"""
TESTS = {
    "match": "match 1:\n    case 1:\n        pass\n    case _:\n        {0}",
    "match, of texts": "match 'a':\n    case 'b':\n        {0}",
    "debug": "if not __debug__:\n    {0}",
    "type checking": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    {0}",
    "while": "while False:\n    {0}",
    "else": "try:\n    raise ValueError\nexcept ValueError:\n    pass\nelse:\n    {0}",
    "handler": "try:\n    pass\nexcept ValueError:\n    {0}",
    "handler of an import": "try:\n    import os\nexcept ImportError:\n    {0}",
    "version": "if triton.__version__ < '2':\n    {0}",
    "version, of numbers": "if tuple(map(int, triton.__version__.split('.')[:2])) < (2, 0):\n    {0}",
    "hip": "if torch.version.hip:\n    {0}",
    "target": "if triton.runtime.driver.active.get_current_target().backend == 'hip':\n    {0}",
    "a function": "def is_hip():\n    return torch.version.hip is not None\nif is_hip():\n    {0}",
    "platform": "import sys\nif sys.platform == 'a platform':\n    {0}",
    "another's": "import platform\nif platform.processor() == 'a processor':\n    {0}",
    "capability": "if torch.cuda.get_device_capability()[0] < 2:\n    {0}",
    "name": "if 'a name' in torch.cuda.get_device_name():\n    {0}",
    "kinds": "KIND = type('a')\nif isinstance(4, KIND):\n    {0}",
    "nothing": "for _ in filter(None, [0]):\n    {0}",
    "remembered": (
        "import functools\n@functools.lru_cache\ndef flag():\n    return triton.__version__ < '2'\nif flag():\n    {0}"
    ),
    "stopped": "def stop():\n    raise SystemExit\nstop()\n{0}",
    "asserted": "assert torch.version.hip\n{0}",
    "any": "if any([]):\n    {0}",
    "decorated": "import pytest\n@pytest.mark.skipif(True, reason='')\ndef test():\n    {0}",
    "decorated by what drops it": "def drops(f):\n    return None\n@drops\ndef f():\n    {0}",
    "not used": "def f():\n    {0}\nif torch.version.hip:\n    f()",
    "not used, far up": (
        "def f():\n    {0}\n"
        + "".join(f"def f{n}():\n    {f'f{n - 1}' if n else 'f'}()\n" for n in range(12))
        + "if torch.version.hip:\n    f11()"
    ),
    "stopped, far down": (
        "def f():\n    raise SystemExit\n"
        + "".join(f"def f{n}():\n    {f'f{n - 1}' if n else 'f'}()\n" for n in range(12))
        + "f11()\n{0}"
    ),
    "chosen, far down": (
        "def f(x):\n    return torch.version.hip\n"
        + "".join(f"def f{n}(x):\n    return {f'f{n - 1}' if n else 'f'}(x)\n" for n in range(12))
        + "def go(x):\n    if f11(x):\n        {0}\ngo(1)"
    ),
    "passed on": "def f(flag):\n    if flag:\n        {0}\nf(torch.version.hip)",
    "chosen by a function": "def ok(n):\n    return n > 3 and torch.version.hip\nif ok(4):\n    {0}",
}
"""Statements around a place that no run here comes to."""
OF_FUNCTIONS = {
    "returned": "while True:\n    return\n{0}",
    "returned, of a loop": "for _ in [1]:\n    return\n{0}",
    "returned, of a try": "try:\n    return\nexcept Exception:\n    pass\n{0}",
    "returned, of a match": "match 1:\n    case _:\n        return\n{0}",
}
"""The same, in a function."""
PASSED = {
    "flag": "if flag:\n    {0}",
    "a size": "if x.numel() > 4:\n    {0}",
    "kind": "if isinstance(flag, str):\n    {0}",
    "asserted": "assert x.is_contiguous()\n{0}",
    "match": "match flag:\n    case 7:\n        {0}",
    "a local": "n = x.shape[0]\nif n > 1024 and flag is not None:\n    {0}",
    "turns": "for _ in range(flag):\n    {0}",
    "returned": "if x is None:\n    return\n{0}",
    "raised": "if not x.is_cuda:\n    raise ValueError\n{0}",
    "chosen by a function": "if ok(x):\n    {0}",
    "gradient": "if torch.is_grad_enabled() or flag:\n    {0}",
}
"""What is up to whoever calls."""
LAUNCHES = {
    "surplus": "k[(1,)](x, 1, 2, 3)",
    "no grid": "k(x, 1)",
    "grid": "k[2.5](x, 1)",
    "missing": "k[(1,)](x)",
    "tuned": "t[(1,)](x, 1, B=4)",
}
DEFINITIONS = {
    "order": (
        "@triton.jit\n@triton.autotune([triton.Config({'B': 4})], key=['n'])\n"
        "def w(x, n, B: tl.constexpr):\n    tl.store(x + tl.arange(0, B), n)"
    ),
    "key": (
        "@triton.autotune([triton.Config({'C': 4})], key=['m'])\n@triton.jit\n"
        "def w(x, n, B: tl.constexpr):\n    tl.store(x + tl.arange(0, B), n)"
    ),
    "heuristic": (
        "@triton.heuristics({'B': lambda a: a['m']})\n@triton.jit\n"
        "def w(x, n, B: tl.constexpr):\n    tl.store(x + tl.arange(0, B), n)"
    ),
    "list": "@triton.jit(do_not_specialize=['m'])\ndef w(x, n):\n    tl.store(x, n)",
    "op": "@torch.library.triton_op('a::k', mutates_args=())\ndef op(x):\n    return x",
}


def within(form: str, code: str) -> str:
    line = next(line for line in form.split("\n") if "{0}" in line)
    indent = " " * (len(line) - len(line.lstrip()))
    return form.replace("{0}", code.replace("\n", "\n" + indent))


def comes(form: str) -> bool:
    """Whether real Python comes to it."""
    came: list[int] = []
    text = HEAD + within(form, "came.append(1)")
    names = {"came": came, "x": None}
    try:
        exec(compile(text, "main.py", "exec", dont_inherit=True), names)  # the tests' own text
    except (Exception, SystemExit):  # noqa: BLE001 - there is no GPU to ask
        return bool(came)
    return bool(came)


def accused(folder: Path, text: str) -> list[str]:
    ast.parse(text)
    (folder / "main.py").write_text(text, encoding="utf-8")
    project = Project([str(folder)], [], patient=True)
    module = project.module(str(folder / "main.py"))
    found = file_findings(FileSubject(project, module), {})
    found = come_to.of_file(project.resolver, module, found)
    return [one.message for one in found if one.severity in ("error", "warning")]


def in_function(form: str) -> str:
    return f"def go(x, flag):\n{textwrap.indent(form, '    ')}\n"


@pytest.mark.parametrize("how", [*TESTS, *OF_FUNCTIONS])
def test_what_no_run_comes_to_accuses_nobody(how: str, tmp_path: Path) -> None:
    forms = [TESTS[how], in_function(TESTS[how])] if how in TESTS else [in_function(OF_FUNCTIONS[how])]
    assert not any(comes(form + ("go(None, None)" if "def go" in form else "")) for form in forms)
    for number, form in enumerate(forms):
        for place, code in enumerate([*LAUNCHES.values(), *DEFINITIONS.values()]):
            folder = tmp_path / f"{number}_{place}"
            folder.mkdir()
            assert not accused(folder, HEAD + KERNELS + "x = None\n" + within(form, code)), code


@pytest.mark.parametrize("how", PASSED)
def test_what_whoever_calls_may_come_to_is_wrong(how: str, tmp_path: Path) -> None:
    helper = "def ok(x):\n    return x.dtype == torch.float16\n\n\n"
    for place, code in enumerate(LAUNCHES.values()):
        folder = tmp_path / str(place)
        folder.mkdir()
        assert accused(folder, HEAD + KERNELS + helper + in_function(within(PASSED[how], code))), code


BODIES = {
    "size": "def w(x):\n    tl.store(x + tl.arange(0, 3), 1)",
    "attribute": "def w(x):\n    tl.store(x, tl.nothing_there(1))",
    "recursion": "def w(x):\n    w(x)",
    "global": "def w(x):\n    tl.store(x, G)",
}
PASSING = {
    "size": "size[(1,)](x, 3)",
    "assertion": "asserts[(1,)](x, 3)",
    "list": "types[(1,)](x, [1])",
    "helper": "through[(1,)](x, 3)",
}
PASSED_TO = """

@triton.jit
def size(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1)


@triton.jit
def asserts(x, B: tl.constexpr):
    tl.static_assert(B == 4)


@triton.jit
def types(x, n):
    tl.store(x, n + 1)


@triton.jit
def through(x, B: tl.constexpr):
    size(x, B)


"""
ASKING = {
    "hasattr": "if hasattr(tl, 'nothing_there'):\n    {0}",
    "getattr": "if getattr(tl, 'nothing_there', None) is not None:\n    {0}",
}
"""What only an agent knows the answer to."""
COMPILED = ("handler", "hip", "another's", "name", "stopped", "match", "kinds", "version")


def test_kernels_that_are_defined_or_launched_there_accuse_nobody(tmp_path: Path) -> None:
    for how in ASKING:
        for name, code in (LAUNCHES | DEFINITIONS).items():
            text = HEAD + KERNELS + "x = None\n" + within(ASKING[how], code) + "\n"
            (tmp_path / f"{how}_{name.replace(' ', '_')}.py").write_text(text)
    for how in COMPILED:
        for name, body in BODIES.items():
            text = HEAD + "G = 4\n" + within(TESTS[how], f"@triton.jit\n{body}") + "\n"
            (tmp_path / f"{how}_{name}_defined.py").write_text(text)
        for name, launch in PASSING.items():
            text = HEAD + PASSED_TO + in_function(within(TESTS[how], launch))
            (tmp_path / f"{how}_{name}_launched.py").write_text(text)
    with Agent(tmp_path, patient=True) as agent:
        for file in sorted(tmp_path.iterdir()):
            found = agent.analyze(file).findings
            assert not [one for one in found if one["severity"] in ("error", "warning")], file.name


def test_what_no_launch_has_a_part_in_is_wrong_wherever_they_stand(tmp_path: Path) -> None:
    body = "    m = tl.float32(-float('inf'))\n    for start in range(0, n, B):\n        tl.store(x + start, -start)\n"
    text = HEAD + f"@triton.jit\ndef w(x, n, B: tl.constexpr):\n{body}\n\n"
    (tmp_path / "main.py").write_text(text + in_function(within(TESTS["hip"], "w[(1,)](x, 3, 4)")))
    with Agent(tmp_path) as agent:
        found = agent.analyze(tmp_path / "main.py").findings
    assert [(one["code"], one["severity"]) for one in found if "float32" in str(one)] == [("compile-error", "error")]
