"""Launches that a program changes before it runs them: every way to come by a file's text with every way to run what
is made of it, and every way to hand on what it is found by. What is missing in such a launch is nobody's error; where
one of the three is not there, it is."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest

from kernel_analysis.kernels.project import Project
from kernel_analysis.rules import file_findings
from kernel_analysis.rules.subject import FileSubject

KERNELS = """\
import sys
import triton
import triton.language as tl
import tuning


@triton.jit
def fill(out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, 1.0, mask=offs < n)


def launch(out, n):
    fill[(4,)](out, n)


class Op:
    def forward(self, out, n):
        fill[(4,)](out, n)


"""
READS = {
    "source": "inspect.getsource(KNOWN[0])",
    "lines": "''.join(inspect.getsourcelines(KNOWN[0])[0])",
    "file": "open(inspect.getfile(KNOWN[0])).read()",
    "path": "pathlib.Path(KNOWN[0].__code__.co_filename).read_text()",
    "cache": "''.join(linecache.getlines(KNOWN[0]))",
    "kernel": "KNOWN[0].raw_src",
}
RUNS = {
    "exec": "exec(TEXT, {})",
    "compiled": "eval(compile(TEXT, 'made', 'exec'), {})",
    "handed": "list(map(exec, [TEXT]))",
    "cached": "PyCodeCache.load(TEXT)",
    "file": "runpy.run_path(write(TEXT))",
    "module": "spec.loader.exec_module(write(TEXT))",
    "loader": "SourceFileLoader('made', write(TEXT)).load_module()",
}
HANDS = {
    "launcher": "tuning.register(launch)",
    "kernel": "tuning.register(fill)",
    "among others": "tuning.register(*[launch, fill])",
    "by name": "tuning.register(call=launch)",
    "class": "tuning.register(Op)",
    "method": "tuning.register(Op().forward)",
    "module": "tuning.register(sys.modules[__name__])",
    "decorated": "@tuning.register\ndef other(out):\n    launch(out, 1)\n\n\ntuning.register(other)",
    "kept": "TUNED = {'fill': fill}",
}
NEITHER = "KNOWN = []\n\n\ndef register(*given, **named):\n    KNOWN.extend(given)\n\n\n"
TUNING = "import inspect, linecache, pathlib, runpy\n\n" + NEITHER


def severities(folder: Path, **files: str) -> set[str]:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    project = Project([str(folder)], sys.path, patient=True)
    found = file_findings(FileSubject(project, project.module(str(folder / "kernels.py"))), {})
    return {one.severity for one in found if one.code == "launch-arguments"}


def tunes(reads: str, runs: str) -> str:
    return f"def tune():\n    {runs.replace('TEXT', reads + '.replace(1, 2)')}\n"


@pytest.mark.parametrize(("reads", "runs", "hands"), [*itertools.product(READS, RUNS, HANDS)])
def test_a_launch_that_is_changed_before_it_is_run(tmp_path: Path, reads: str, runs: str, hands: str) -> None:
    tuning = TUNING + tunes(READS[reads], RUNS[runs])
    assert severities(tmp_path, kernels=KERNELS + HANDS[hands] + "\n", tuning=tuning) <= {"information"}


OBJECTS = {
    "function": "types.FunctionType(KNOWN[0].__code__, {**KNOWN[0].__globals__, 'fill': other})",
    "its class": "type(KNOWN[0])(getattr(KNOWN[0], '__code__'), {'fill': other})",
    "run": "exec(KNOWN[0].__code__, {'out': 1})",
    "held": "CODES.append(KNOWN[0].__code__)",
}


@pytest.mark.parametrize(("made", "hands"), [*itertools.product(OBJECTS, HANDS)])
def test_a_function_that_is_made_of_code(tmp_path: Path, made: str, hands: str) -> None:
    tuning = f"{TUNING}def tune():\n    return {OBJECTS[made]}\n"
    assert severities(tmp_path, kernels=KERNELS + HANDS[hands] + "\n", tuning=tuning) <= {"information"}


@pytest.mark.parametrize("made", ["KNOWN[0].__code__.co_name", "KNOWN[0].__code__ . co_filename is None"])
def test_what_code_says_of_itself_makes_no_function(tmp_path: Path, made: str) -> None:
    tuning = f"{NEITHER}def tune():\n    return {made}\n"
    assert severities(tmp_path, kernels=KERNELS + HANDS["launcher"] + "\n", tuning=tuning) == {"error"}


@pytest.mark.parametrize(("reads", "runs"), [*itertools.product(READS, RUNS)])
def test_by_two_files_and_handed_on_by_a_third(tmp_path: Path, reads: str, runs: str) -> None:
    tuning = NEITHER + f"def text():\n    return {READS[reads]}\n"
    running = f"import tuning\n\n\ndef run(made):\n    {RUNS[runs].replace('TEXT', 'made')}\n"
    third = "import kernels\nimport tuning\n\ntuning.register(kernels.launch)\n"
    files = {"kernels": KERNELS, "tuning": tuning, "running": running}
    assert severities(tmp_path, **files, third=third) == {"information"}
    called = "import kernels\n\nkernels.launch(1, 2)\n"
    assert severities(tmp_path, **files, third=called) == {"error"}


@pytest.mark.parametrize("missing", ["reads", "runs", "hands"])
def test_where_nothing_can_change_it_the_error_stands(tmp_path: Path, missing: str) -> None:
    reads = "TEXTS" if missing == "reads" else READS["source"]
    runs = "print(TEXT)" if missing == "runs" else RUNS["exec"]
    hands = "" if missing == "hands" else HANDS["launcher"] + "\n"
    head = NEITHER if missing == "reads" else TUNING.replace("runpy", "os")
    assert severities(tmp_path, kernels=KERNELS + hands, tuning=head + tunes(reads, runs)) == {"error"}


def test_who_opens_files_reads_no_code(tmp_path: Path) -> None:
    tuning = NEITHER + "def settings():\n    return open('settings.json').read()\n"
    running = "def run(spec, made):\n    spec.loader.exec_module(made)\n"
    kernels = KERNELS + HANDS["launcher"] + "\n"
    assert severities(tmp_path, kernels=kernels, tuning=tuning, running=running) == {"error"}
