"""The command line as a user calls it: real processes, real agent, exit codes, no tracebacks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import puppet
import pytest
from connection import INTERPRETER, KERNELS, SOURCES

EXAMPLE = f"{KERNELS}\n\n@triton.jit\ndef broken(:\n"


def run(
    directory: Path, *arguments: str, python: str = INTERPRETER, before: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """``before``: a folder of modules that stand before all that is installed."""
    folders = [*([before] if before is not None else []), SOURCES / "analysis", SOURCES / "server"]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, folders)),
        "XDG_CACHE_HOME": str(directory / ".cache"),
    }
    options = ["--python", python] if arguments[0] in ("check", "explain", "ttir", "doctor") else []
    command = [sys.executable, "-m", "triton_ls", *arguments, *options]
    done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "plain.py").write_text("print('no kernel here')\n")
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "hidden.py").write_text(KERNELS)
    return tmp_path


def test_check_as_text(project: Path) -> None:
    done = run(project, "check", ".")
    assert done.returncode == 1
    first, last = done.stdout.splitlines()[0], done.stdout.splitlines()[-1]
    assert first.startswith("kernels.py:14:20: warning mutated-parameter `in_ptr` is mutated")
    assert last.startswith("1 finding. 2 jit functions in 2 files: 2 analyzed, 0 partial, 0 failed, in ")
    assert done.stderr == ""


def test_no_file_of_the_folder_takes_the_place_of_a_module(project: Path) -> None:
    """`python -m` looks there first."""
    for name in ("argparse", "json", "asyncio", "sqlite3", "ast", "hashlib", "kernel_analysis", "triton", "torch"):
        (project / f"{name}.py").write_text("open('ran', 'w')\nraise SystemExit('ran')\n")
    done = run(project, "check", "kernels.py")
    assert "2 jit functions in 1 file: 2 analyzed" in done.stdout, done.stderr
    assert not (project / "ran").exists()


def test_check_finds_kernels_where_a_package_names_decorator_and_language(tmp_path: Path) -> None:
    """Neither Triton nor `jit` stands in the file."""
    (tmp_path / "compat.py").write_text("from triton import jit as kernel\nimport triton.language as tl\nl = tl\n")
    (tmp_path / "one.py").write_text("from compat import kernel, tl\n@kernel\ndef a(x):\n    tl.store(x, 1)\n")
    text = "from compat import kernel, l\n@kernel\ndef b(x):\n    l.store(x, l.program_id(0))\n"
    (tmp_path / "two.py").write_text(text)
    done = run(tmp_path, "check", ".")
    assert " 2 jit functions in 3 files: 2 analyzed, " in done.stdout


def test_check_finds_ops_and_what_torch_compiles_in_files_that_do_not_speak_of_triton(tmp_path: Path) -> None:
    kernel = (
        "import triton\nimport triton.language as tl\n\n\n@triton.heuristics({'N': lambda args: 16})\n@triton.jit\n"
    )
    kernel += "def ones(x, N: tl.constexpr):\n    tl.store(x + tl.arange(0, N), 1.0)\n\n\n"
    (tmp_path / "kernels.py").write_text(f"{kernel}def run(x):\n    ones[(1,)](x)\n\n\ndef zero(x):\n    x.zero_()\n")
    (tmp_path / "model.py").write_text("import torch\nfrom kernels import run\n\nfast = torch.compile(run)\n")
    (tmp_path / "names.py").write_text("from torch.library import capture_triton\n")
    schema = 'lib = torch.library.Library("mine", "DEF")\nlib.define("zero(Tensor x) -> ()")\n'
    (tmp_path / "schema.py").write_text(f'import torch\nfrom kernels import zero\n\n{schema}lib.impl("zero", zero)\n')
    hands_on = "    infer_schema(op_func, mutates_args=mutates_args)\n"
    wrapper = "from torch.library import infer_schema\n\n\ndef register_my_op(op_name, op_func, mutates_args):\n"
    (tmp_path / "util.py").write_text(wrapper + hands_on)
    # What gives back the function makes no op, whatever it is called.
    (tmp_path / "off.py").write_text(wrapper + "    # infer_schema(op_func, mutates_args)\n    return op_func\n")
    own = "import torch\nfrom util import register_my_op\n\n\ndef op(x: torch.Tensor) -> None:\n    x.zero_()\n\n\n"
    (tmp_path / "own.py").write_text(f'{own}register_my_op(op_name="op", op_func=op, mutates_args=[])\n')
    (tmp_path / "no_op.py").write_text((tmp_path / "own.py").read_text().replace("util", "off"))
    done = run(tmp_path, "check", ".")
    said = {line.partition(":")[0] for line in done.stdout.splitlines() if ": warning " in line}
    assert said == {"model.py", "names.py", "schema.py", "own.py"}, done.stdout


def test_check_with_hints_and_kernels(project: Path) -> None:
    done = run(project, "check", ".", "--hints", "--verbose")
    assert "kernels.py:6:25: hint mutated-parameter `out_ptr`" in done.stdout
    assert "kernels.py:6: kernel copy_kernel: writes out_ptr; reads in_ptr" in done.stdout


def test_what_is_wrong_with_a_project_s_settings_is_said_once(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.triton-ls]\ntiemout = 1\n")
    for name in ("one", "two"):
        (project / name).mkdir()
        (project / name / "kernels.py").write_text(KERNELS)
    done = run(project, "check", ".")
    assert done.stderr.count("triton-ls has no setting 'tiemout'") == 1


def test_check_without_findings(project: Path) -> None:
    done = run(project, "check", "kernels.py", "--severity", "mutated-parameter=off")
    assert done.returncode == 0
    assert done.stdout.startswith("No findings. 2 jit functions in 1 file")


def test_check_as_table(project: Path) -> None:
    rows = [line.split() for line in run(project, "check", ".", "--format", "table").stdout.splitlines()]
    assert rows[0] == ["FILE:LINE", "KERNEL", "READS", "WRITES", "UNKNOWN", "STATUS"]
    assert rows[1] == ["kernels.py:6", "copy_kernel", "in_ptr", "out_ptr", "-", "analyzed"]


def test_check_as_json(project: Path) -> None:
    (project / "kernels.py").write_text(EXAMPLE)
    done = run(project, "check", ".", "--format", "json")
    assert done.returncode == 1
    document: dict[str, Any] = json.loads(done.stdout)
    assert {key: type(value).__name__ for key, value in document.items()} == {
        "schema": "int",
        "triton": "str",
        "target": "str",
        "kernels": "list",
        "diagnostics": "list",
        "summary": "dict",
    }
    assert (document["schema"], document["target"]) == (1, "cuda:90")
    copy = document["kernels"][0]
    expected = [
        "file",
        "name",
        "qualname",
        "line",
        "role",
        "status",
        "problems",
        "signatures",
        "guessed",
        "parameters",
        "recursion",
    ]
    assert list(copy) == expected
    assert copy["file"] == str(project / "kernels.py")
    assert (copy["name"], copy["line"], copy["role"], copy["status"]) == ("copy_kernel", 6, "kernel", "analyzed")
    keys = ["types", "constants", "launch_options", "target", "compile_ms", "analysis_ms", "cached"]
    assert list(copy["signatures"][0]) == keys
    assert copy["signatures"][0]["constants"] == {"BLOCK": 1024}
    source, destination, *_ = copy["parameters"]
    assert (source["read"], source["written"], destination["read"], destination["written"]) == (
        "yes",
        "no",
        "no",
        "yes",
    )
    site = destination["write_sites"][0]
    place = {"file": copy["file"], "line": 10, "column": 5}
    assert site == {**place, "op": "tt.store", "through_table": False, "condition": None, "path": []}
    warning = next(d for d in document["diagnostics"] if d["severity"] == "warning")
    keys = ["file", "line", "column", "end_line", "end_column", "code", "severity", "message"]
    assert list(warning) == keys
    assert [warning[key] for key in keys[1:5]] == [14, 20, 14, 26]
    assert document["summary"]["files"] == 2
    assert document["summary"]["kernels"] == len(document["kernels"])


def test_after_a_change_of_comments_and_blanks_nothing_is_compiled(project: Path) -> None:
    run(project, "check", ".")
    (project / "kernels.py").write_text(KERNELS.replace("    mask =", "\n    # a comment, an empty line\n    mask  ="))
    document = json.loads(run(project, "check", ".", "--format", "json").stdout)
    assert all(signature["cached"] for kernel in document["kernels"] for signature in kernel["signatures"])
    document = json.loads(run(project, "check", ".", "--format", "json", "--no-cache").stdout)
    assert not any(signature["cached"] for kernel in document["kernels"] for signature in kernel["signatures"])


def test_a_file_is_what_it_is_in_its_project(tmp_path: Path) -> None:
    launch = "import torch\nfrom kern.k import scale\n\n\ndef run(x):\n    scale[(1,)](x.to(torch.bfloat16))\n"
    kernel = "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef scale(p):\n    tl.store(p, 1.0)\n"
    for name, text in {"pyproject.toml": "", "kern/k.py": kernel, "ops/o.py": launch}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    alone, whole = (
        json.loads(run(tmp_path, "check", "--format", "json", path).stdout)["kernels"] for path in ("kern/k.py", ".")
    )
    assert [k["signatures"][0]["types"] for k in alone] == [k["signatures"][0]["types"] for k in whole]
    assert alone[0]["signatures"][0]["types"] == {"p": "*bf16"}


def test_what_stands_beside_a_project_is_none_of_it(tmp_path: Path) -> None:
    """Also where the project's own folder is a package."""
    kernel = "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef scale(p):\n    tl.store(p, 1.0)\n"
    launch = "import torch\nfrom mine.k import scale\n\n\ndef run(x):\n    scale[(1,)](x.to(torch.bfloat16))\n"
    near = launch.replace("mine.k", "..k").replace("bfloat16", "float16")
    files = {"mine/pyproject.toml": "", "mine/__init__.py": "", "mine/k.py": kernel, "other/o.py": launch}
    for name, text in {**files, "mine/ops/__init__.py": "", "mine/ops/o.py": near}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for path in ("mine/k.py", "mine"):
        (found,) = json.loads(run(tmp_path, "check", "--format", "json", path).stdout)["kernels"]
        assert found["signatures"][0]["types"] == {"p": "*fp16"}
        assert len(found["signatures"]) == 1


def test_a_file_in_a_folder_without_init_is_part_of_the_package_around(tmp_path: Path) -> None:
    kernel = "import triton\nfrom pkg.words.stores import put\n\n\n@triton.jit\ndef scale(p):\n    put(p)\n"
    put = "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef put(p):\n    tl.store(p, 1.0)\n"
    files = {"pkg/__init__.py": "", "pkg/kern/k.py": kernel, "pkg/words/__init__.py": "", "pkg/words/stores.py": put}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    kernels = json.loads(run(tmp_path, "check", "--format", "json", "pkg/kern/k.py").stdout)["kernels"]
    assert [(k["status"], [p["written"] for p in k["parameters"]]) for k in kernels] == [("analyzed", ["yes"])]


def test_explain(project: Path) -> None:
    done = run(project, "explain", "kernels.py:copy_kernel")
    assert done.returncode == 0
    assert "(parameter) out_ptr: *" in done.stdout
    assert "written at line 10" in done.stdout
    assert "**" not in done.stdout


def test_explain_of_what_was_not_analyzed_or_has_memory_of_its_own(tmp_path: Path) -> None:
    """Of no parameter there is anything to say: of the first nothing is known, the second has an address."""
    head = "import triton\nimport triton.language as tl\n\n"
    failed = "@triton.jit\ndef failed():\n    tl.store(missing(), 1)\n\n"
    address = "    tl.store(tl.cast(1 << 40, tl.pointer_type(tl.float32)), 1.0)\n"
    (tmp_path / "k.py").write_text(f"{head}{failed}@triton.jit\ndef fixed(n):\n{address}")
    assert "- what memory it touches is not known\n" in run(tmp_path, "explain", "k.py:failed").stdout
    assert "- touches no memory through its parameters\n" in run(tmp_path, "explain", "k.py:fixed").stdout


def test_ttir(project: Path) -> None:
    done = run(project, "ttir", "kernels.py:clobber_kernel")
    assert done.returncode == 0
    assert "tt.func public @clobber_kernel" in done.stdout


def test_a_later_stage(project: Path) -> None:
    done = run(project, "ir", "kernels.py:clobber_kernel", "--stage", "ttgir")
    assert done.returncode == 0, done.stderr
    assert "#ttg." in done.stdout or "ttg." in done.stdout


@pytest.mark.slow("kernels are compiled to the end: LLVM and ptxas")
def test_resources(project: Path) -> None:
    done = run(project, "resources", "kernels.py:clobber_kernel")
    assert done.returncode == 0, done.stderr
    head, types, _, columns, row, *_ = done.stdout.splitlines()
    assert head.startswith("clobber_kernel for cuda:90")
    assert types.startswith("compiled with ")
    assert columns.split() == ["CONFIG", "REGISTERS", "SPILLS", "STACK", "SHARED"]
    assert row.startswith("(as launched)")
    (found,) = json.loads(run(project, "resources", "kernels.py:clobber_kernel", "--format", "json").stdout)["configs"]
    assert found["registers"] > 0


@pytest.mark.parametrize("command", ["explain", "ir", "resources", "run"])
def test_the_kernels_of_a_file(project: Path, command: str) -> None:
    done = run(project, command, "kernels.py:")
    assert done.returncode == 0
    first, second = done.stdout.splitlines()
    assert first.endswith("kernels.py:copy_kernel (kernel, line 6)")
    assert second.endswith("kernels.py:clobber_kernel (kernel, line 14)")


@pytest.mark.slow("starts each process that it looks into")
def test_doctor(project: Path) -> None:
    done = run(project, "doctor")
    assert done.returncode == 0
    facts = {line[:16].strip(): line[16:].strip() for line in done.stdout.splitlines()}
    assert facts.keys() >= {"triton-ls", "interpreter", "triton", "torch", "GPU", "target", "cache", "analysis"}
    assert facts["analysis"] == "works"
    assert facts["protection"].startswith("Python's audit hook")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["check", "nothing.py"], "nothing.py does not exist."),
        (["check", "notes.txt"], "notes.txt is not a Python file, nor a notebook."),
        (["check", ".", "--severity", "inline-asm"], "write CODE=LEVEL"),
        (["check", ".", "--severity", "inline-asm=loud"], "one of off, hint"),
        (["check", ".", "--target", "cuda"], 'is a text like "cuda:90"'),
        (["check", ".", "--target", "cuda:9000"], 'is a text like "cuda:90"'),
        (["check", ".", "--target", "hip:90"], 'is a text like "cuda:90"'),
        (["check", ".", "--severity", "foo=off"], "a rule's code, one of aliased-arguments,"),
        (["ir", "kernels.py:copy_kernel", "--stage", "amdgcn"], "no stage amdgcn for cuda:90; there are ttir, ttgir"),
        (["explain", "kernels.py"], "write FILE:KERNEL"),
        (["explain", "kernels.py:nothing"], "has no jit function nothing. It has copy_kernel, clobber_kernel."),
        (["explain", "plain.py:nothing"], "It has none at all."),
        (["ttir", ".:kernel"], ". is a directory"),
        (["ttir", "kernels.py:nothing"], "no jit function `nothing`"),
    ],
)
def test_what_can_not_be_answered(project: Path, arguments: list[str], expected: str) -> None:
    (project / "notes.txt").write_text("")
    done = run(project, *arguments)
    assert done.returncode == 2
    assert expected in done.stderr
    assert done.stdout == ""


def test_an_interpreter_that_does_not_exist(project: Path) -> None:
    for command in (["check", "."], ["explain", "kernels.py:copy_kernel"], ["ttir", "kernels.py:copy_kernel"]):
        done = run(project, *command, python="/nowhere/python")
        assert done.returncode == 2
        assert done.stderr.startswith("triton-ls: The Python interpreter /nowhere/python does not exist. Set")
    assert run(project, "doctor", python="/nowhere/python").returncode == 1


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="nothing is forbidden to this user")
def test_a_file_that_may_not_be_read(project: Path) -> None:
    (project / "plain.py").chmod(0)
    done = run(project, "check", ".")
    assert done.returncode == 2
    assert "plain.py can't be read: permission denied." in done.stderr
    assert "2 jit functions" in done.stdout


def test_nothing_to_look_at(tmp_path: Path) -> None:
    done = run(tmp_path, "check", ".")
    assert done.returncode == 0
    assert done.stdout.startswith("No findings. 0 jit functions in 0 files")


def test_a_reader_that_has_enough(project: Path) -> None:
    text = "".join(KERNELS.replace("_kernel", f"_kernel{i}") for i in range(30))
    (project / "kernels.py").write_text(text)
    environment = {**os.environ, "PYTHONPATH": f"{SOURCES / 'analysis'}{os.pathsep}{SOURCES / 'server'}"}
    command = [sys.executable, "-m", "triton_ls", "check", ".", "--format", "json", "--python", INTERPRETER]
    process = subprocess.Popen(command, cwd=project, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(60) == 141
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_interrupted(project: Path) -> None:
    (project / "kernels.py").write_text("# jit\ndef hang(x):\n")
    environment = {**os.environ, "PYTHONPATH": f"{SOURCES / 'analysis'}{os.pathsep}{SOURCES / 'server'}"}
    command = [sys.executable, "-m", "triton_ls", "check", "kernels.py", "--python", puppet.interpreter(project)]
    process = subprocess.Popen(
        command,
        cwd=project,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A test run that was put in the background ignores interrupts, and its children with it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    while "analyze" not in str(puppet.log(project)):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=20)
    assert process.returncode == 130
    assert (out, error) == (b"", b"triton-ls: interrupted.\n")
