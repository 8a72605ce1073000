"""docs/agent.md, sentence by sentence."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agent.kernels import ADD, HEAD, HELPER
from agent.process import AGENT, PYTHON, Agent


def test_initialize_says_who_it_is(agent: Agent) -> None:
    assert agent.identity["python"].startswith("3.")
    assert Path(agent.identity["executable"]).exists()
    assert agent.identity["triton"].startswith("3.")
    assert agent.identity["triton_error"] is None


def test_analyze_reports_every_function_after_an_index(agent: Agent, root: Path) -> None:
    answer = agent.show(root / "helper.py", HELPER)
    # What is outdated are the files of other tests.
    methods = [n["method"] for n in answer.notifications if n["method"] not in ("turn", "outdated")]
    assert methods[0] == "index"
    turns = [turn["qualname"] for turn in answer.of("turn")]
    assert turns == ["put", "fill", "fill", "put"]  # cut in the order of the text; helpers come after their kernels
    assert methods.count("kernel") == 2
    index = answer.of("index")[0]
    assert [(k["name"], k["role"], k["stale"]) for k in index["kernels"]] == [
        ("put", "helper", False),
        ("fill", "kernel", False),
    ]
    assert {k["key"] for k in index["kernels"]} == {r["key"] for r in answer.reports.values()}
    assert answer.result["digest"] == hashlib.sha256(HELPER.encode()).hexdigest()
    assert str(root / "helper.py") in answer.result["depends"]


def test_facts_of_a_kernel(agent: Agent, root: Path) -> None:
    report = agent.show(root / "add.py", ADD).reports["add"]
    assert report["status"] == "analyzed"
    verdicts = {p["name"]: (p["read"], p["written"]) for p in report["parameters"]}
    assert verdicts == {
        "x_ptr": ("yes", "no"),
        "y_ptr": ("yes", "no"),
        "out_ptr": ("no", "yes"),
        "n": ("no", "no"),
        "BLOCK": ("no", "no"),
    }
    out = next(p for p in report["parameters"] if p["name"] == "out_ptr")
    assert [site["span"]["line"] for site in out["write_sites"]] == [11]
    assert out["span"]["line"] == 6
    assert ADD.splitlines()[5][out["span"]["column"] - 1 : out["span"]["end_column"] - 1] == "out_ptr"
    values = {v["name"]: v for v in report["values"]}
    assert values["offs"]["type"].startswith("int32[")
    assert (values["offs"]["span"]["line"], values["offs"]["span"]["column"]) == (7, 5)
    assert values["offs"]["span"]["end_column"] == 9


def test_a_helper_takes_its_types_from_the_kernels_that_call_it(agent: Agent, root: Path) -> None:
    answer = agent.show(root / "helper2.py", HELPER.replace("1.0", "2.0"))
    put = answer.reports["put"]
    assert put["status"] == "analyzed"
    assert {p["name"]: p["written"] for p in put["parameters"]} == {"p": "yes", "offs": "no", "value": "no"}
    assert put["signatures"][0]["evidence"]["p"] == ["call", "called by `fill`", True]
    fill = answer.reports["fill"]
    site = fill["parameters"][0]["write_sites"][0]
    assert (site["span"]["line"], [(s["span"]["line"], s["function"]) for s in site["path"]]) == (7, [(12, "put")])
    assert answer.result["compiles"] == 1


def test_the_edited_function_comes_first(agent: Agent, root: Path) -> None:
    text = ADD + "\n\n" + ADD.replace(HEAD, "").replace("def add", "def second")
    file = root / "two.py"
    file.write_text(text)
    order = [n["report"]["name"] for n in agent.analyze(file, first_line=16).of("kernel")]
    assert order == ["second", "add"]


def test_an_edited_helper_comes_right_after_the_kernels_that_call_it(agent: Agent, root: Path) -> None:
    file = root / "edited_helper.py"
    file.write_text(ADD + "\n\n" + HELPER.replace(HEAD, ""))
    order = [n["report"]["name"] for n in agent.analyze(file, first_line=15).of("kernel")]
    assert order == ["fill", "put", "add"]


def test_skipped_functions_are_not_compiled(agent: Agent, root: Path) -> None:
    file = root / "skip.py"
    text = ADD.replace("x + y", "x * y * 3.5")
    agent.notify("document", {"file": str(file), "text": text})
    key: str = agent.analyze(file).of("index")[0]["kernels"][0]["key"]
    answer = agent.analyze(file, skip={key: "the compiler was ended after 10 s"})
    report = answer.reports["add"]
    assert answer.result["compiles"] == 0
    assert report["status"] == "failed"
    assert [(p["code"], p["message"]) for p in report["problems"]] == [
        ("not-analyzed", "the compiler was ended after 10 s")
    ]
    assert [f["code"] for f in report["findings"]] == ["not-analyzed"]
    assert {p["name"]: p["written"] for p in report["parameters"]}["out_ptr"] == "unknown"


def test_severities(agent: Agent, root: Path) -> None:
    file = root / "severity.py"
    file.write_text(ADD)
    assert [(f["code"], f["severity"]) for f in agent.analyze(file).findings] == [("mutated-parameter", "hint")]
    changed = agent.analyze(file, severity={"mutated-parameter": "warning"})
    assert [f["severity"] for f in changed.findings] == ["warning"]
    assert agent.analyze(file, severity={"mutated-parameter": "off"}).findings == []


def test_ttir_has_the_users_places(agent: Agent, root: Path) -> None:
    file = root / "ttir.py"
    file.write_text(ADD)
    result = agent.request("ir", {"file": str(file), "qualname": "add"}).result
    assert "tt.store" in result["text"]
    assert f'"{file}":11' in result["text"]
    head = "// add for cuda:90: x_ptr: *fp32, y_ptr: *fp32, out_ptr: *fp32, n: i32, BLOCK: constexpr = "
    assert result["text"].startswith(head)
    lines = result["text"].split("\n")
    stores = [(source, line) for number, source, line in result["map"] if "tt.store" in lines[number]]
    assert stores == [(str(file), 11)]


@pytest.mark.parametrize(
    ("method", "params", "words"),
    [
        ("ir", {"file": "/nowhere.py", "qualname": "k"}, "nowhere.py has no jit function `k`"),
        ("compile", {}, "no method `compile`"),
        ("analyze", {"file": "/x.py"}, "generation"),
    ],
)
def test_errors_are_answers(agent: Agent, method: str, params: dict[str, object], words: str) -> None:
    error = agent.request(method, dict(params)).error
    assert error is not None
    assert words in error["message"]


def test_a_line_that_is_no_message_is_answered_and_survived(agent: Agent) -> None:
    agent.send(b"{nonsense")
    error = agent.answer(None).error
    assert error is not None
    assert error["code"] == -32700
    assert agent.request("compile", {}).error is not None


CANCEL = b'{"jsonrpc":"2.0","method":"cancel","params":{"generation":%b}}'


@pytest.mark.parametrize(
    "line",
    [
        *(
            CANCEL % number
            for number in (b"", b"x", b"-1", b"1.5", b"null", b"9" * 5000, b"1}", b"\xff", b"{}", b"[1]")
        ),
        CANCEL[:-4],
        (CANCEL % b"1")[:-1],
        b'{"jsonrpc":"2.0","method":"cancel","params":[1]}',
        b'{"jsonrpc":"2.0","method":"document","params":[1]}',
        b'{"jsonrpc":"2.0","method":"document","params":{}}',
        b'{"jsonrpc":"2.0","method":["analyze"],"params":{}}',
        b'{"jsonrpc":"2.0","method":"changed","params":{"files":3}}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"[1]",
        b"null",
        b"\xff\xfe",
        b" ",
    ],
    ids=lambda line: line[:70].decode(errors="replace"),
)
def test_no_line_leaves_the_agent_deaf(agent: Agent, line: bytes) -> None:
    """Neither to the next request nor, which another thread reads, to the next word that nobody waits."""
    agent.send(line)
    agent.send(b'{"jsonrpc":"2.0","id":-7,"method":"nothing"}')
    assert agent.process.stdout is not None
    while (answer := json.loads(agent.process.stdout.readline()))["id"] != -7:
        assert answer["id"] is None
        assert answer["error"]["code"] == -32700
    assert "no method `nothing`" in answer["error"]["message"]


def test_after_all_that_a_cancel_is_heard(agent: Agent, root: Path) -> None:
    generation = agent._generation + 1
    agent.send(CANCEL % str(generation).encode())
    cancelled = agent.show(root / "cancelled.py", ADD)
    assert not cancelled.reports
    assert cancelled.result["final"] is False
    assert agent.show(root / "cancelled.py", ADD).reports["add"]["status"] == "analyzed"


@pytest.mark.parametrize("seconds", [0.0, 0.001, 60.0])
def test_what_the_budget_has_run_out_for_is_left_over(root: Path, seconds: float) -> None:
    """The cache costs nothing."""
    text = "\n\n".join([ADD, *(ADD.replace(HEAD, "").replace("def add", f"def add_{n}") for n in range(3))])
    file = root / "many.py"
    file.write_text(text)
    with Agent(root) as fresh:
        budget = {"seconds": seconds, "share": 0.0, "reason": "no time"}
        first = fresh.analyze(file, first_line=1, budget=budget)
        done = [name for name, report in first.reports.items() if report["status"] == "analyzed"]
        assert done == {0.0: [], 0.001: ["add"], 60.0: ["add", "add_0", "add_1", "add_2"]}[seconds]
        assert first.result["final"] is (len(done) == 4)
        for name in first.reports.keys() - set(done):
            (problem,) = first.reports[name]["problems"]
            assert (problem["code"], problem["message"]) == ("not-analyzed", "no time")
        again = fresh.analyze(file, budget={**budget, "seconds": 0.0})
        assert [name for name, report in again.reports.items() if report["status"] == "analyzed"] == done
        assert all(report["status"] == "analyzed" for report in fresh.analyze(file).reports.values())


def test_the_index_is_sent_before_triton_is_imported(root: Path) -> None:
    with Agent(root) as fresh:
        file = root / "fresh.py"
        file.write_text(ADD)
        methods = [n["method"] for n in fresh.analyze(file).notifications]
        assert methods == ["turn", "index", "turn", "sealed", "started", "kernel"]


def test_exit_and_end_of_input_end_the_process(root: Path) -> None:
    with Agent(root) as told:
        told.notify("exit", {})
        assert told.process.wait(10) == 0
    with Agent(root) as left:
        assert left.process.stdin is not None
        left.process.stdin.close()
        assert left.process.wait(10) == 0


def test_static_print_does_not_reach_the_wire(agent: Agent, root: Path) -> None:
    text = ADD.replace("    offs =", '    tl.static_print("no JSON", BLOCK)\n    offs =')
    assert agent.show(root / "printing.py", text).reports["add"]["status"] == "analyzed"


def test_a_bare_python_says_that_triton_is_missing(root: Path, tmp_path: Path) -> None:
    venv = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    with Agent(root, python=str(venv / "bin" / "python")) as bare:
        assert bare.identity["triton"] is None
        assert "not installed" in bare.identity["triton_error"]
        answer = bare.show(root / "bare.py", HELPER)
        assert [k["name"] for k in answer.of("index")[0]["kernels"]] == ["put", "fill"]
        assert {r["status"] for r in answer.reports.values()} == {"failed"}
        assert all("Triton can't be imported" in r["problems"][0]["message"] for r in answer.reports.values())
        assert [f["code"] for f in answer.findings] == ["not-analyzed"], "said once a file"
        error = bare.request("ir", {"file": str(root / "bare.py"), "qualname": "fill"}).error
        assert error is not None
        assert "Triton can't be imported" in error["message"]


def test_a_bad_target_is_said(root: Path) -> None:
    with Agent(root, target="abacus:1") as wrong:
        report = wrong.show(root / "target.py", ADD).reports["add"]
        assert report["status"] == "failed"
        assert "abacus" in report["problems"][0]["message"]


def test_importing_the_package_imports_no_triton() -> None:
    code = (
        "import sys, kernel_analysis.agent.service, kernel_analysis.rules\n"
        "sys.exit('triton' in sys.modules or 'torch' in sys.modules)"
    )
    package = str(AGENT.parents[2])
    subprocess.run([PYTHON, "-c", f"import sys; sys.path.insert(0, {package!r})\n{code}"], check=True)


def test_what_was_cancelled_ends_with_its_index_and_a_reply(agent: Agent, root: Path) -> None:
    file = root / "cancelled.py"
    number: int = agent.show(file, ADD).result["generation"]
    agent.send(b'{"jsonrpc":"2.0","method":"cancel","params":{"generation":%d}}' % (number + 1))
    old = agent.analyze(file)
    assert old.result["generation"] == number + 1
    assert [n["method"] for n in old.notifications] == ["turn", "index"]
    assert [n["method"] for n in agent.analyze(file).notifications] == ["turn", "index", "turn", "kernel"]


CALLERS = """import triton
import triton.language as tl


@triton.jit
def put(p, x):
    tl.store(p, x)


@triton.jit
def first(p: "*fp32"):
    put(p, tl.load(p))


@triton.jit
def second(p: "*i64"):
    put(p, tl.load(p + 1))


@triton.jit
def third(p: "*fp32"):
    put(p, tl.load(p + 2))
"""


def test_what_is_said_of_a_helper_does_not_depend_on_where_the_cursor_is(agent: Agent, root: Path) -> None:
    """It is that of its callers as they stand in the file, whichever is looked at first."""
    file = root / "callers.py"
    file.write_text(CALLERS)
    found: list[Any] = []
    for line in (None, *range(1, 22)):
        report = agent.analyze(file, first_line=line).reports["put"]
        found.append([(s["types"], s["evidence"]) for s in report["signatures"]] + report["parameters"])
    assert [types for types, _ in found[0][:2]] == [{"p": "*fp32", "x": "fp32"}, {"p": "*i64", "x": "i64"}]
    assert found == [found[0]] * len(found)
    assert found[0][0][1]["p"][1] == "called by `first`"
