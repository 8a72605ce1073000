"""An error is the user's only when no guess of ours could have caused it: false errors on working code are worst."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.kernels import HEAD
from agent.process import Agent

CERTAIN = {
    "undefined name": "@triton.jit\ndef k(p):\n    tl.store(p, nothing)\n",
    "no such member of tl": "@triton.jit\ndef k(p):\n    tl.store(p, tl.no_such_thing(1))\n",
    "assertion on a constant": "@triton.jit\ndef k(p):\n    tl.static_assert(1 + 1 == 3)\n    tl.store(p, 1)\n",
    "in a helper, with certain arguments": (
        "@triton.jit\ndef h(N: tl.constexpr):\n    tl.static_assert(N < 4)\n\n\n"
        "@triton.jit\ndef k(p):\n    h(8)\n    tl.store(p, 1)\n"
    ),
    "annotated": '@triton.jit\ndef k(p: "*fp32", n: "i32"):\n    tl.store(p, tl.arange(0, n))\n',
}
K = "@triton.jit\ndef k(p, N: tl.constexpr):\n"
GUESSED = {
    "a block's extent": K + "    tl.static_assert(N * N == -1)\n    tl.store(p, 1)\n",
    "through a local": K + "    m = N * 2\n    tl.static_assert(m * m == -1)\n    tl.store(p, 1)\n",
    "under a test of a guess": K + "    if N * N != -1:\n        tl.static_assert(False)\n    tl.store(p, 1)\n",
    "after an exit on a guess": K
    + "    if N * N == -1:\n        return\n    tl.static_assert(False)\n    tl.store(p, 1)\n",
    "in a helper, with a guess": (
        "@triton.jit\ndef h(N: tl.constexpr):\n    tl.static_assert(N * N == -1)\n\n\n"
        "@triton.jit\ndef k(p, M: tl.constexpr):\n    h(M)\n    tl.store(p, 1)\n"
    ),
}


@pytest.mark.parametrize("case", list(CERTAIN))
def test_certain_errors_are_errors(agent: Agent, root: Path, case: str) -> None:
    answer = agent.show(root / "certain.py", HEAD + CERTAIN[case])
    assert answer.reports["k"]["status"] == "failed"
    assert [p["code"] for p in answer.reports["k"]["problems"]] == ["compile-error"]
    assert {f["severity"] for f in answer.findings} <= {"error", "warning"}


@pytest.mark.parametrize("case", list(GUESSED))
def test_what_a_guess_may_have_caused_is_information(agent: Agent, root: Path, case: str) -> None:
    answer = agent.show(root / "guessed.py", HEAD + GUESSED[case])
    problem = answer.reports["k"]["problems"][0]
    assert problem["code"] == "not-analyzed"
    assert "guessed for" in problem["message"]
    assert {f["severity"] for f in answer.findings} == {"information"}


def test_an_optional_argument_tried_as_none_is_no_error(agent: Agent, root: Path) -> None:
    text = HEAD + (
        "@triton.jit\ndef k(x_ptr, bias_ptr, out_ptr, HAS_BIAS: tl.constexpr):\n"
        "    x = tl.load(x_ptr)\n    if HAS_BIAS:\n        x += tl.load(bias_ptr).to(bias_ptr.dtype.element_ty)\n"
        "    tl.store(out_ptr, x)\n\n\n"
        "def run(x, out):\n    k[(1,)](x, None, out, HAS_BIAS=False)\n"
    )
    answer = agent.show(root / "optional.py", text)
    assert "compile-error" not in {f["code"] for f in answer.findings}


@pytest.mark.parametrize(
    ("body", "code"),
    [("    climb(p, N + 1)\n", "recursion"), ("    if N * N != -1:\n        climb(p, N + 1)\n", "not-analyzed")],
)
def test_endless_compile_time_recursion(agent: Agent, root: Path, body: str, code: str) -> None:
    text = HEAD + f"@triton.jit\ndef climb(p, N: tl.constexpr):\n    tl.store(p, N)\n{body}"
    report = agent.show(root / "endless.py", text).reports["climb"]
    assert [p["code"] for p in report["problems"]] == [code]
    assert report["recursion"] == ({"cycle": ["climb"], "line": 8} if code == "recursion" else None)


NOT_TAKEN = {
    "for another target": (
        "def is_hip():\n    return triton.runtime.driver.active.get_current_target().backend == 'hip'\n\n\n"
        "if is_hip():\n    @triton.jit\n    def k(p):\n        tl.store(p, libdevice.fast_tanhf(tl.load(p)))\n"
    ),
    "for a setting": (
        "if os.environ.get('FAST', '0') == '1':\n    @triton.jit\n    def k(p):\n"
        "        tl.store(p, libdevice.fast_tanhf(tl.load(p)))\n"
        "else:\n    @triton.jit\n    def other(p):\n        tl.store(p, 1)\n"
    ),
    "for another version": (
        "if triton.__version__ < '2':\n    @triton.jit\n    def k(p, **meta):\n        tl.store(p, meta['N'])\n"
    ),
}


@pytest.mark.parametrize("case", list(NOT_TAKEN))
def test_a_branch_that_is_not_taken_is_no_error(agent: Agent, root: Path, case: str) -> None:
    text = f"import os\n{HEAD}from triton.language.extra import libdevice\n\n{NOT_TAKEN[case]}"
    answer = agent.show(root / "not_taken.py", text)
    problem = answer.reports["k"]["problems"][0]
    assert problem["code"] == "not-analyzed", problem
    assert "a branch that is not taken here" in problem["message"]
    assert {f["severity"] for f in answer.findings if f["code"] == "not-analyzed"} == {"information"}
    assert not any(f["severity"] == "error" for f in answer.findings)


def test_a_branch_of_two_that_may_not_be_taken_is_no_error(agent: Agent, root: Path) -> None:
    good, bad = (f"    @triton.jit\n    def k(p):\n        tl.store(p, {f}(1.0))\n" for f in ("tl.exp", "tl.no"))
    answer = agent.show(root / "one_branch.py", f"import sky\n{HEAD}\nif sky.is_blue():\n{bad}")
    problem = answer.reports["k"]["problems"][0]
    assert problem["code"] == "not-analyzed"
    assert "nothing shows that what it is defined under holds" in problem["message"]
    answer = agent.show(root / "two_branches.py", f"import sky\n{HEAD}\nif sky.is_blue():\n{good}else:\n{bad}")
    problem = answer.reports["k"]["problems"][0]
    assert problem["code"] == "not-analyzed"
    assert "a branch that may not be taken here" in problem["message"]
    assert not any(f["severity"] == "error" for f in answer.findings)


def test_a_name_that_is_nowhere_is_an_error_in_any_branch(agent: Agent, root: Path) -> None:
    text = (
        f"import os\n{HEAD}\n"
        "if os.environ.get('FAST', '0') == '1':\n    @triton.jit\n    def k(p):\n        tl.store(p, nothing)\n"
    )
    answer = agent.show(root / "nowhere.py", text)
    assert [p["code"] for p in answer.reports["k"]["problems"]] == ["compile-error"]


def test_a_branch_that_is_taken_is_an_error(agent: Agent, root: Path) -> None:
    text = (
        f"import os\n{HEAD}from triton.language.extra import libdevice\n\n"
        "if os.environ.get('FAST', '0') == '0':\n    @triton.jit\n    def k(p):\n"
        "        tl.store(p, libdevice.no_such_thing(tl.load(p)))\n"
    )
    answer = agent.show(root / "taken.py", text)
    assert [p["code"] for p in answer.reports["k"]["problems"]] == ["compile-error"]


def test_what_was_guessed_is_written_as_people_write_it(agent: Agent, root: Path) -> None:
    body = "    tl.static_assert(DTYPE.primitive_bitwidth == 7, f'{p:>9}')\n    tl.store(p, 1)\n"
    text = f"{HEAD}\n@triton.jit\ndef k(p, DTYPE: tl.constexpr):\n{body}"
    problem = agent.show(root / "asserted.py", text).reports["k"]["problems"][0]
    assert problem["code"] == "not-analyzed"
    assert "`DTYPE` (constexpr = tl." in problem["message"]
    assert problem["message"].splitlines()[0].endswith("static_assert failed")


def test_nothing_is_no_where_nothing_compiled(agent: Agent, root: Path) -> None:
    text = HEAD + (
        "@triton.jit\ndef k(x_ptr, o_ptr, N: tl.constexpr):\n"
        "    if o_ptr is not None:\n        tl.store(o_ptr, 1)\n"
        "    tl.static_assert(N * N == -1)\n    tl.store(x_ptr, 1)\n\n\n"
        "def run(x):\n    k[(1,)](x, None)\n"
    )
    report = agent.show(root / "nothing.py", text).reports["k"]
    assert report["status"] == "failed"
    assert {p["name"]: p["written"] for p in report["parameters"]} == {
        "x_ptr": "unknown",
        "o_ptr": "unknown",
        "N": "no",
    }


def test_an_annotated_parameter_is_never_none(agent: Agent, root: Path) -> None:
    # Triton gives it its type whatever is passed, and compiles no way on which it would be None.
    text = HEAD + (
        '@triton.jit\ndef k(x_ptr: "*fp32", y_ptr: "*fp32"):\n'
        "    q = y_ptr if x_ptr is None else x_ptr\n    tl.store(q, 1)\n\n\n"
        "def run(y):\n    k[(1,)](None, y)\n"
    )
    report = agent.show(root / "annotated.py", text).reports["k"]
    assert [s["types"] for s in report["signatures"]] == [{"x_ptr": "*fp32", "y_ptr": "*fp32"}]
    written = {p["name"]: p["written"] for p in report["parameters"]}
    assert written["x_ptr"] == "yes"
    assert written["y_ptr"] != "yes"


def test_what_is_compiled_as_host_code_is_not_likely_to_have_it_is_said_to_be_assumed(agent: Agent, root: Path) -> None:
    text = (
        "import os\n" + HEAD + "if os.environ.get('SLOW'):\n    FAST = tl.constexpr(False)\nelse:\n"
        "    FAST = tl.constexpr(True)\n\n\n"
        "@triton.jit\ndef k(x_ptr, y_ptr):\n    if FAST:\n        x_ptr + 'text'\n    else:\n"
        "        tl.store(y_ptr, 1.0)\n    tl.store(x_ptr, 1.0)\n"
    )
    answer = agent.show(root / "other_way.py", text)
    report = answer.reports["k"]
    assert report["status"] == "partial"
    assert {p["name"]: p["written"] for p in report["parameters"]} == {"x_ptr": "yes", "y_ptr": "yes"}
    assert list(report["guessed"]) == ["FAST"]
    assert report["guessed"]["FAST"] == [False, "it depends on `os.environ.get('SLOW')`"]
    assert {f["severity"] for f in answer.findings if f["code"] != "mutated-parameter"} == {"information"}
