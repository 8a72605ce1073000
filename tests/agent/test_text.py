"""What is shown was computed from exactly the text that it is shown on, and broken text is the normal case."""

from __future__ import annotations

from pathlib import Path

from agent.kernels import ADD, HEAD, HELPER
from agent.process import Agent


def test_the_editors_text_stands_in_for_the_files(agent: Agent, root: Path) -> None:
    file = root / "overlay.py"
    file.write_text(ADD)
    agent.show(file, ADD.replace("def add", "def renamed"))
    assert list(agent.analyze(file).reports) == ["renamed"]
    agent.notify("document", {"file": str(file), "text": None})
    assert list(agent.analyze(file).reports) == ["add"]


def test_a_syntax_error_is_said_and_hides_no_other_kernel(agent: Agent, root: Path) -> None:
    text = HELPER + "\n\n@triton.jit\ndef broken(p):\n    tl.store(p, \n"
    answer = agent.show(root / "syntax.py", text)
    assert set(answer.reports) == {"put", "fill"}
    assert [f["code"] for f in answer.findings if f["severity"] == "error"] == ["syntax-error"]


def test_what_is_said_of_a_decorators_name_stays_while_another_function_is_broken(agent: Agent, root: Path) -> None:
    """A decorator that names it binds it no more than elsewhere."""
    text = ADD.replace("import triton\n", "", 1)
    for below in ("", "\n\n@triton.jit\ndef broken(p):\n    tl.store(p, \n", "\n\n@(triton.jit\ndef broken(p): pass\n"):
        said = [f["message"] for f in agent.show(root / "unnamed.py", text + below).findings if f["span"]["line"] < 10]
        assert any("`triton` is not defined" in message for message in said) == ("@(" not in below), said


def test_of_two_functions_with_one_name_each_has_its_own_launches(agent: Agent, root: Path) -> None:
    """One was pasted below the other, which no launch comes to any more; whichever was asked about first."""
    text = HEAD + "import torch\n"
    one = "\n\n@triton.jit\ndef copied(p):\n    tl.store(p, 1)\n"
    launch = "\n\ndef run():\n    copied[(1,)](torch.empty(4, dtype=torch.int64))\n"
    agent.show(root / "copied.py", text + one + launch)
    answer = agent.show(root / "copied.py", text + one + one + launch)
    types = [r["report"]["signatures"][0]["types"]["p"] for r in answer.of("kernel")]
    assert types == ["*fp32", "*i64"]


def test_a_function_that_stops_parsing_is_stale_and_gets_no_facts(agent: Agent, root: Path) -> None:
    file = root / "stale.py"
    assert agent.show(file, ADD).reports["add"]["status"] == "analyzed"
    answer = agent.show(file, ADD.replace("x + y, mask=mask)", "x + "))
    assert [(k["name"], k["stale"]) for k in answer.of("index")[0]["kernels"]] == [("add", True)]
    assert answer.reports == {}
    assert agent.show(file, ADD).result["compiles"] == 0


def test_a_helper_in_another_file_is_seen_to_change(agent: Agent, root: Path) -> None:
    helper, kernel = root / "away_helper.py", root / "away_kernel.py"
    put, fill = HELPER.split("\n\n\n")[1:]
    helper.write_text(HEAD + put + "\n")
    kernel.write_text("import triton\nimport triton.language as tl\nfrom away_helper import put\n\n\n" + fill)
    answer = agent.analyze(kernel)
    assert answer.reports["fill"]["parameters"][0]["written"] == "yes"
    assert str(helper) in answer.result["depends"]
    helper.write_text(HEAD + put.replace("tl.store(p + offs, value)", "value") + "\n")
    agent.notify("changed", {"files": [str(helper)]})
    assert agent.analyze(kernel).reports["fill"]["parameters"][0]["written"] == "no"


def test_an_error_in_another_file_is_shown_at_the_call(agent: Agent, root: Path) -> None:
    (root / "broken_helper.py").write_text(HEAD + "@triton.jit\ndef put(p):\n    tl.store(p, nothing)\n")
    kernel = root / "calls_broken.py"
    kernel.write_text("import triton\nfrom broken_helper import put\n\n\n@triton.jit\ndef k(p):\n    put(p)\n")
    finding = next(f for f in agent.analyze(kernel).findings if f["code"] == "compile-error")
    assert (finding["span"]["file"], finding["span"]["line"]) == (str(kernel), 7)
    assert any(r["span"]["file"].endswith("broken_helper.py") for r in finding["related"])


def test_one_bad_kernel_costs_only_its_own_facts(agent: Agent, root: Path) -> None:
    text = ADD + "\n\n@triton.jit\ndef bad(p):\n    tl.store(p, undefined_name)\n"
    reports = agent.show(root / "bad.py", text).reports
    assert {name: r["status"] for name, r in reports.items()} == {"add": "analyzed", "bad": "failed"}
    assert reports["bad"]["problems"][0]["code"] == "compile-error"


def test_an_error_in_a_helper_is_the_same_from_each_kernel_that_calls_it(agent: Agent, root: Path) -> None:
    """Whoever shows them shows it once: that one of them is edited takes it from no other."""
    text = HEAD + "@triton.jit\ndef put(p):\n    tl.store(p, nothing)\n"
    for name in ("one", "two"):
        text += f"\n\n@triton.jit\ndef {name}(p):\n    put(p)\n"
    answer = agent.show(root / "once.py", text)
    errors = [f for f in answer.findings if f["code"] == "compile-error"]
    assert [f["span"]["line"] for f in errors] == [7] * 3
    assert len({f["message"] for f in errors}) == 1
    assert {r["status"] for r in answer.reports.values()} == {"failed"}


def test_every_text_is_survived(agent: Agent, root: Path) -> None:
    file = root / "odd.py"
    for text in (
        "",
        "\0",
        "\ufeff" + ADD,
        "@triton.jit\ndef",
        ADD.replace("\n", "\r\n"),
        "((((",
        "\ud800",
        "def f(:\n" * 50,
    ):
        assert agent.show(file, text).error is None
    assert agent.show(file, ADD).reports["add"]["status"] == "analyzed"


def test_no_file_and_no_python(agent: Agent, root: Path) -> None:
    assert agent.analyze(root / "missing.py").reports == {}
    (root / "binary.py").write_bytes(bytes(range(256)) * 50)
    assert agent.analyze(root / "binary.py").reports == {}


def test_a_known_helper_that_moved_is_shown_where_it_is(agent: Agent, root: Path) -> None:
    """The helper is not compiled again, and its lines are those of the text that is shown now."""
    file = root / "moved.py"

    def places(text: str) -> set[tuple[int, tuple[int, ...]]]:
        answer = agent.show(file, text)
        assert answer.result["compiles"] == 1
        (out,) = (p for p in answer.reports["fill"]["parameters"] if p["name"] == "out_ptr")
        return {
            (site["span"]["line"], tuple(step["span"]["line"] for step in site["path"])) for site in out["write_sites"]
        }

    text = HELPER.replace("1.0", "7.0")  # no other test has compiled it
    lines = text.splitlines()
    store, call = (next(i for i, line in enumerate(lines, 1) if word in line) for word in ("tl.store", "put(out_ptr"))
    assert places(text) == {(store, (call,))}
    below = text + "    put(out_ptr, tl.arange(0, BLOCK), 2.0)\n"
    assert places(below) == {(store, (call,)), (store, (call + 1,))}
    # Above the helper, within it, and in the kernel: three comments and one more write.
    moved = ("# a\n# b\n" + below).replace("    tl.store(p", "    # c\n    tl.store(p").replace("2.0)", "3.0)")
    assert places(moved) == {(store + 3, (call + 3,)), (store + 3, (call + 4,))}


def test_a_kernel_in_a_string_that_can_not_be_read_says_so_and_is_stale(agent: Agent, root: Path) -> None:
    file = root / "strings.py"
    whole = f"load('''\n{ADD}''')\n"
    assert agent.show(file, whole).reports["add"]["status"] == "analyzed"
    answer = agent.show(file, whole.replace("x + y, mask", "x + , mask"))
    assert [(k["name"], k["stale"]) for k in answer.of("index")[0]["kernels"]] == [("add", True)]
    assert answer.reports == {}
    (finding,) = answer.findings
    assert (finding["code"], finding["severity"]) == ("not-analyzed", "information")
    assert "its text does not parse, invalid syntax (line 12 of the string)" in finding["message"]
    assert agent.show(file, whole).reports["add"]["status"] == "analyzed"
