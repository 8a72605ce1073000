"""``triton-ls run`` as people call it: real processes, on Triton's interpreter."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest

from kernel_analysis.run_wire import Compared, Output, RanOn, Resources, RunResult, Time
from triton_ls.runs import run_report

REPOSITORY = Path(__file__).resolve().parents[3]
pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="running kernels needs torch"),
    pytest.mark.slow("each run starts a Python that imports torch"),
]

KERNELS = """\
import sys

import triton
import triton.language as tl

print("this module was imported", file=sys.stderr)


# triton-run: grid = (cdiv(n, BLOCK),), n = 1_000, x_ptr = randn(n, fp16) out_ptr = empty(n, fp16), BLOCK = 256
# triton-run[short]: grid = (4,), n = 1_000, x_ptr = randn(500, fp16), out_ptr = empty(n, fp16), BLOCK = 256
@triton.jit
def scale(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, x * 2, mask=i < n)


# triton-run: lock_ptr = ones(1, i32)
@triton.jit
def spin(lock_ptr):
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass


# triton-run: x_ptr = zeros(400_000_000_000, fp32)
@triton.jit
def huge(x_ptr):
    tl.store(x_ptr, 1.0)


@triton.jit
def assembly(x_ptr):
    x = tl.inline_asm_elementwise("mov.u32 $0, 1;", "=r", [], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(x_ptr, x)


@triton.jit
def put(p, v):
    tl.store(p, v)


@triton.jit
def apply(f, x_ptr, BLOCK: tl.constexpr):
    f(x_ptr + tl.arange(0, BLOCK), 1.0)


@triton.jit
def applied(x_ptr):
    apply(put, x_ptr, 16)


@triton.jit
def same(x_ptr: "*fp32"):
    tl.store(x_ptr, tl.load(x_ptr))
"""


MARK = f"triton-ls-test-{uuid.uuid4()}"


def test_each_item_is_on_the_page_and_said() -> None:
    page = (REPOSITORY / "docs" / "running.md").read_text(encoding="utf-8").partition("\n## JSON\n")[2]
    for shape in (RunResult, RanOn, Resources, Output, Compared, Time):
        missing = [item for item in shape.__required_keys__ | shape.__optional_keys__ if f"`{item}`" not in page]
        assert not missing, f"docs/running.md does not have {missing} of {shape.__name__}"
    said = set(re.findall(r"""[\[(]["'](\w+)["']""", Path(run_report.__file__).read_text(encoding="utf-8")))
    # How long it all took, and how to pin it, are for programs.
    assert (RunResult.__required_keys__ | RunResult.__optional_keys__) - said == {"seconds", "pragma"}


def _run(file: Path, kernel: str, *options: str, more: str = "") -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([*(str(REPOSITORY / part) for part in ("analysis", "server")), more])
    variables = {**os.environ, "PYTHONPATH": path, "TRITON_LS_TEST_MARK": MARK}
    command = [sys.executable, "-m", "triton_ls", "run", f"{file}:{kernel}", "--device", "interpreter", *options]
    return subprocess.run(command, capture_output=True, text=True, env=variables, timeout=100, check=False)


def _left() -> list[str]:
    """Processes of runs that are still there: all that inherited the mark."""
    found: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if MARK.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes().decode().replace("\0", " "))
        except OSError:  # it has just ended, or is not ours to look at
            continue
    return found


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("run") / "kernels.py"
    file.write_text(KERNELS)
    return file


def test_a_pinned_launch_says_where_it_ran_and_what_was_observed(kernels: Path) -> None:
    done = _run(kernels, "scale")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("Ran on Triton's interpreter on the CPU, without a GPU")
    assert "grid (4,)" in lines
    assert "  x_ptr  read, not written  read, not written  agrees" in lines
    assert any(line.startswith("out_ptr: wrote 1000 of 1000; min -") for line in lines)
    assert "this module was imported" not in done.stdout + done.stderr


def test_json_has_claims_and_observations(kernels: Path) -> None:
    result: dict[str, Any] = json.loads(_run(kernels, "same", "--format", "json").stdout)
    (check,) = result["checks"]
    assert check["claimed"] == {"read": "yes", "written": "yes"}
    assert check["observed"] == {"read": True, "written": True}  # though it writes what was there
    assert check["verdict"] == "agree"
    assert result["device"]["kind"] == "interpreter"
    assert result["pragma"] == "# triton-run: grid = (1,), x_ptr = randn(1, fp32)"


@pytest.mark.parametrize(
    ("kernel", "options", "said"),
    [
        (
            "scale",
            ["--label", "short"],
            ":14: Out of bounds: program (1, 0, 0) reads element 500 of x_ptr, which has 500",
        ),
        ("scale", ["--label", "long"], "No launch `long` is pinned above `scale`; there are: short."),
        ("huge", [], "The device has too little free memory for the inputs of this launch"),
        ("assembly", [], "Triton's interpreter can't run this kernel: inline_asm not supported"),
        ("spin", ["--time-limit", "12"], "The run did not end within 12 s and was ended while running the kernel."),
    ],
)
def test_a_failure_is_one_sentence_and_leaves_nothing_behind(
    kernels: Path, kernel: str, options: list[str], said: str
) -> None:
    done = _run(kernels, kernel, *options)
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert _left() == []


def test_what_can_t_be_asked_is_said(kernels: Path) -> None:
    done = _run(kernels, "nothing")
    assert done.returncode == 2
    assert (
        done.stderr == "triton-ls: kernels.py has no jit function nothing. "
        "It has scale, spin, huge, assembly, put, apply, applied, same.\n"
    )


def test_what_a_launch_passes_as_a_constexpr_is_passed_as_one(tmp_path: Path) -> None:
    file = tmp_path / "filled.py"
    kernel = "@triton.jit\ndef filled(out_ptr, n):\n    tl.store(out_ptr + tl.arange(0, n), 1.0)\n"
    launch = "def launch(x):\n    filled[(1,)](x, tl.constexpr(64))\n"
    file.write_text(f"import triton\nimport triton.language as tl\n\n\n{kernel}\n\n{launch}")
    done = _run(file, "filled")
    assert done.returncode == 0, done.stderr
    assert "  out_ptr  not read, written  not read, written  agrees" in done.stdout.splitlines()


def test_a_script_stands_alone(kernels: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(_run(kernels, "scale", "--script").stdout)
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=variables,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "out_ptr: written; the analysis says: written" in done.stdout
    assert "x_ptr: not written; the analysis says: not written" in done.stdout


def test_a_torch_that_was_made_for_another_triton_is_said(tmp_path: Path) -> None:
    """As an environment's metadata says it after `pip install --no-deps`."""
    described = tmp_path / "site" / "torch-0.0.0.dist-info"
    described.mkdir(parents=True)
    needs = 'Requires-Dist: triton==2.1.0; platform_system == "Linux"'
    (described / "METADATA").write_text(f"Metadata-Version: 2.1\nName: torch\nVersion: 0.0.0\n{needs}\n")
    file = tmp_path / "kernels.py"
    file.write_text(KERNELS)
    done = _run(file, "same", "--format", "json", more=str(tmp_path / "site"))
    (warning,) = json.loads(done.stdout)["warnings"]
    assert warning.startswith("this PyTorch was made for Triton 2.1.0, and 3.")
    assert json.loads(_run(file, "same", "--format", "json").stdout)["warnings"] == []


def test_helpers_that_no_launch_can_call_are_refused(kernels: Path) -> None:
    assert "its `p` is a block (`*fp32[16]`), which only another jit function can pass" in _run(kernels, "put").stderr
    assert "its `f` is a jit function of the caller's" in _run(kernels, "apply").stderr
    assert _run(kernels, "applied").returncode == 0
