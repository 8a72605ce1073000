"""Launches in other files of the workspace, from the agent's side of docs/agent.md."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

from agent.kernels import ADD
from agent.process import Agent

USE = """import torch
from ops.add import add


def run(x, y):
    out = torch.empty(8, dtype=torch.{dtype})
    add[(1,)](x.{cast}(), y, out, x.numel(), BLOCK=256)
"""


def workspace(folder: Path, dtype: str = "float16", cast: str = "half") -> tuple[Path, Path]:
    (folder / "ops").mkdir()
    kernel, use = folder / "ops/add.py", folder / "use.py"
    kernel.write_text(ADD)
    use.write_text(USE.format(dtype=dtype, cast=cast))
    return kernel, use


def first(agent: Agent, file: Path) -> dict[str, Any]:
    return agent.analyze(file).reports["add"]["signatures"][0]


def outdated(agent: Agent) -> list[str]:
    """The next notification that nobody asked for."""
    assert agent.process.stdout is not None
    timer = threading.Timer(30, agent.process.kill)
    timer.start()
    message = json.loads(agent.process.stdout.readline())
    timer.cancel()
    assert message["method"] == "outdated"
    return message["params"]["files"]


def test_evidence_from_another_file_names_the_place(tmp_path: Path) -> None:
    kernel, use = workspace(tmp_path)
    with Agent(tmp_path, patient=True) as agent:
        answer = agent.analyze(kernel)
        signature = answer.reports["add"]["signatures"][0]
        assert signature["types"]["x_ptr"] == "*fp16"
        assert signature["constants"]["BLOCK"] == 256
        assert signature["evidence"]["out_ptr"] == ["launch", "a launch passes a tensor of fp16 at use.py:7", True]
        assert str(use) in answer.result["depends"]
        assert str(kernel) in answer.result["depends"]


def test_an_edit_of_the_launching_file_changes_the_types(tmp_path: Path) -> None:
    kernel, use = workspace(tmp_path)
    with Agent(tmp_path, patient=True) as agent:
        assert first(agent, kernel)["types"]["out_ptr"] == "*fp16"
        agent.notify("document", {"file": str(use), "text": USE.format(dtype="int32", cast="double")})
        assert first(agent, kernel)["types"]["out_ptr"] == "*i32"
        assert first(agent, kernel)["types"]["x_ptr"] == "*fp64"
        agent.notify("document", {"file": str(use), "text": None})
        assert first(agent, kernel)["types"]["out_ptr"] == "*fp16"
        use.write_text("import torch\n")
        agent.notify("changed", {"files": [str(use)]})
        answer = agent.analyze(kernel)
        assert answer.reports["add"]["signatures"][0]["types"]["out_ptr"] == "*fp32"
        assert str(use) not in answer.result["depends"]


def test_a_launch_that_only_moved_costs_no_compile(tmp_path: Path) -> None:
    kernel, use = workspace(tmp_path)
    with Agent(tmp_path, patient=True) as agent:
        assert agent.analyze(kernel).result["compiles"] == 1
        agent.notify("document", {"file": str(use), "text": "\n\n" + USE.format(dtype="float16", cast="half")})
        answer = agent.analyze(kernel)
        assert answer.result["compiles"] == 0
        assert answer.reports["add"]["signatures"][0]["evidence"]["out_ptr"][1].endswith("at use.py:9")


def test_the_answer_is_the_same_every_time(tmp_path: Path) -> None:
    kernel, _ = workspace(tmp_path)
    for name in ("b", "a", "ops/c"):
        (tmp_path / f"{name}.py").write_text(USE.format(dtype="int32", cast="half"))
    signatures: list[dict[str, Any]] = []
    for _ in range(2):
        with Agent(tmp_path, patient=True) as agent:
            signatures.append(first(agent, kernel))
    assert [s["evidence"] for s in signatures] == [signatures[0]["evidence"]] * 2
    assert signatures[0]["evidence"]["out_ptr"][1] == "a launch passes a tensor of i32 at ops/c.py:7"


def test_what_is_found_in_the_background_is_told(tmp_path: Path) -> None:
    kernel, use = workspace(tmp_path)
    with Agent(tmp_path) as agent:
        assert first(agent, kernel)["types"]["out_ptr"] == "*fp32"
        assert outdated(agent) == [str(kernel)]
        assert first(agent, kernel)["types"]["out_ptr"] == "*fp16"
        agent.notify("document", {"file": str(use), "text": "import torch\n"})
        assert outdated(agent) == [str(kernel)]
        assert first(agent, kernel)["types"]["out_ptr"] == "*fp32"
        agent.notify("document", {"file": str(use), "text": None})
        assert outdated(agent) == [str(kernel)]
        assert first(agent, kernel)["types"]["out_ptr"] == "*fp16"


def test_looking_at_the_launching_file_does_not_run_it(tmp_path: Path) -> None:
    kernel, use = workspace(tmp_path)
    trap = f"open({str(tmp_path / 'ran')!r}, 'w').close()\n"
    use.write_text(trap + use.read_text())
    with Agent(tmp_path, patient=True) as agent:
        assert first(agent, kernel)["types"]["out_ptr"] == "*fp16"
    assert not (tmp_path / "ran").exists()


HELPER = """from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def halves(values, out_ptr, offs):
    gl.store(out_ptr + offs, gl.expand_dims(values, 0) * 0.5)
"""

CALLER = """from triton.experimental import gluon
from triton.experimental.gluon import language as gl

from ops import parts


@gluon.jit
def kernel(x_ptr, out_ptr):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [1, 4], [1, 0])
    offs = gl.arange(0, 128, layout=gl.SliceLayout(0, layout))
    parts.halves(gl.load(x_ptr + offs), out_ptr, gl.expand_dims(offs, 0))
"""


def test_a_helper_that_needs_its_callers_is_analysed_with_those_of_other_files(tmp_path: Path) -> None:
    (tmp_path / "ops").mkdir()
    helper, caller = tmp_path / "ops/parts.py", tmp_path / "use.py"
    helper.write_text(HELPER)
    caller.write_text(CALLER)
    with Agent(tmp_path, patient=True) as agent:
        answer = agent.analyze(helper)
        report = answer.reports["halves"]
        assert report["status"] == "analyzed"
        assert report["signatures"][0]["evidence"]["values"] == ["call", "called by `kernel`", True]
        assert str(caller) in answer.result["depends"]


def test_a_helper_is_analysed_anew_once_a_file_that_calls_it_is_known(tmp_path: Path) -> None:
    (tmp_path / "ops").mkdir()
    helper, caller = tmp_path / "ops/parts.py", tmp_path / "use.py"
    helper.write_text(HELPER)
    with Agent(tmp_path) as agent:
        assert agent.analyze(helper).reports["halves"]["status"] == "failed"
        caller.write_text(CALLER)
        agent.notify("changed", {"files": [str(caller)]})
        assert outdated(agent) == [str(helper)]
        assert agent.analyze(helper).reports["halves"]["status"] == "analyzed"


OWN = """import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 48})], key=["n"])
@triton.jit
def scale(x_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(x_ptr + offs, tl.load(x_ptr + offs, mask=offs < n) * n, mask=offs < n)


def run():
    scale[(1,)](torch.empty(8, dtype=torch.float16), 8)
"""


def test_a_kernel_is_the_same_whichever_file_came_to_it_first(tmp_path: Path) -> None:
    """One that launches it is looked at before its own, which was edited since: what was known by then of its launches,
    its decorators and its configs is no less."""
    own, use = tmp_path / "own.py", tmp_path / "use.py"
    own.write_text(OWN)
    use.write_text("from own import scale\n\n\ndef go(x):\n    scale[(1,)](x, 3)\n")

    def said(agent: Agent) -> object:
        answer = agent.analyze(own)
        (report,) = answer.reports.values()
        evidence = [(s["types"], s["constants"], s["evidence"]) for s in report["signatures"]]
        return evidence, report["specializes"], report["variants"], answer.findings

    with Agent(tmp_path) as agent:
        fresh = said(agent)
        for edited in (OWN.replace("tl.arange(0, ", "tl.arange(0, ("), OWN + "\n", OWN):
            agent.notify("document", {"file": str(own), "text": edited})
            if edited is not OWN:
                agent.analyze(own)
        agent.notify("document", {"file": str(use), "text": use.read_text() + "\n"})
        agent.analyze(use)
        assert said(agent) == fresh
    assert "launch" in str(fresh)
    assert "autotune-in-place" in str(fresh) or "config-compile-error" in str(fresh)


SWITCHED = """\
import os

import state
import torch
import triton
import triton.language as tl

if os.environ.get("SWITCH"):
    state.it = tl.constexpr(True)
FLAG = state.it


@triton.jit
def put(out_ptr):
    if FLAG:
        tl.store(out_ptr, 1)


put[(1,)](torch.empty(8))
"""


def test_what_a_file_sets_in_another_counts_in_the_first_answer(tmp_path: Path) -> None:
    """Before the workspace is looked through: the file itself, and what it imports, are read already."""
    (tmp_path / "state.py").write_text("import triton.language as tl\n\nit = tl.constexpr(False)\n")
    (tmp_path / "kernel.py").write_text(SWITCHED)
    with Agent(tmp_path) as agent:
        written = agent.analyze(tmp_path / "kernel.py").reports["put"]["parameters"][0]["written"]
    assert written != "no"


def test_what_a_file_that_nobody_reads_sets_counts_in_the_first_answer(tmp_path: Path) -> None:
    kernel = SWITCHED.replace("    state.it = tl.constexpr(True)\nFLAG", "    pass\nFLAG")
    assert kernel != SWITCHED
    (tmp_path / "state.py").write_text("import triton.language as tl\n\nit = tl.constexpr(False)\n")
    (tmp_path / "kernel.py").write_text(kernel)
    main = tmp_path / "main.py"
    for text, no in (("import state\n\nstate.it = True\nimport kernel\n", False), ("import kernel\n", True)):
        main.write_text(text)
        with Agent(tmp_path) as agent:
            written = agent.analyze(tmp_path / "kernel.py").reports["put"]["parameters"][0]["written"]
        assert (written == "no") == no, text


def test_what_an_edit_sets_in_another_file_counts_in_the_first_answer_after_it(tmp_path: Path) -> None:
    """Both ways round, by each way to set it, and of whichever file is asked about."""
    state = tmp_path / "state.py"
    state.write_text(
        "import triton\nimport triton.language as tl\n\nit = tl.constexpr(False)\n\n\n"
        "@triton.jit\ndef own(out_ptr):\n    if it:\n        tl.store(out_ptr, 1)\n"
    )
    sets = "    state.it = tl.constexpr(True)\nFLAG"
    assert sets in SWITCHED
    kernel = tmp_path / "kernel.py"
    calm = SWITCHED.replace(sets, "    pass\nFLAG").replace("FLAG = state.it", "FLAG = state.it  # and so it stays")
    kernel.write_text(calm)
    launch = "import torch\nfrom state import own\n\nown[(1,)](torch.empty(8, dtype=torch.float16))\n"
    (tmp_path / "launch.py").write_text(launch)
    with Agent(tmp_path) as agent:

        def written(file: Path, name: str) -> str:
            return agent.analyze(file).reports[name]["parameters"][0]["written"]

        assert written(state, "own") == written(kernel, "put") == "no"
        assert outdated(agent) == [str(state)]  # now the workspace has been looked through
        assert written(state, "own") == written(kernel, "put") == "no"
        for line in (
            "state.it = tl.constexpr(True)", "setattr(state, 'it', tl.constexpr(True))", "vars(state)['it'] = 1",
            "vars(state.it).update(value=True)", "__import__('state').it = 1",
        ):  # fmt: skip
            agent.notify("document", {"file": str(kernel), "text": calm.replace("    pass", f"    {line}")})
            assert written(kernel, "put") != "no", line
            assert written(state, "own") != "no", line
            agent.notify("document", {"file": str(kernel), "text": calm})
            assert written(kernel, "put") == "no", line
            assert written(state, "own") == "no", line
