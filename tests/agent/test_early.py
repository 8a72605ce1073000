"""What the first signature says is shown at once where the others take a while; nothing of it is taken back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent.kernels import ADD, HEAD
from agent.process import Agent

# Each kind hides a write of its own; the body is large enough that a compile takes its time.
KINDS = ["a", "b", "c", "d"]
SLOW = (
    HEAD
    + "@triton.jit\ndef slow(x_ptr, out_ptr, a_ptr, b_ptr, c_ptr, d_ptr, KIND: tl.constexpr, BLOCK: tl.constexpr):\n"
    + "    o = tl.arange(0, BLOCK)\n    x = tl.load(x_ptr + o)\n"
    + "".join(f"    x = x * {n}.0 + tl.where(x > {n}, tl.exp(x), tl.sum(x, 0))\n" for n in range(400))
    + "".join(f"    if KIND == {n}:\n        tl.store({kind}_ptr + o, x)\n" for n, kind in enumerate(KINDS))
    + "    tl.store(out_ptr + o, x)\n"
)


def verdicts(report: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {p["name"]: (p["read"], p["written"]) for p in report["parameters"]}


def test_the_first_signature_is_told_before_the_others_are_compiled(agent: Agent, root: Path) -> None:
    answer = agent.show(root / "slow.py", SLOW)
    order = [n["method"] for n in answer.notifications if n["method"] in ("started", "early", "kernel")]
    assert order == ["started", "early", "kernel"]
    (first,), final = answer.of("early"), answer.reports["slow"]
    assert first["report"]["status"] == "partial"
    assert first["report"]["findings"] == []
    assert len(first["report"]["signatures"]) == 1 < len(final["signatures"])
    before, after = verdicts(first["report"]), verdicts(final)
    assert before["out_ptr"] == after["out_ptr"] == ("no", "yes")
    # What is said is never taken back; what is left open says what it waits for.
    open_ = 0
    for name, verdict in before.items():
        for early, late in zip(verdict, after[name], strict=True):
            assert early in ("unknown", late), name
            open_ += early == "unknown"
    assert open_ >= len(KINDS) - 1
    reasons = {p["reason"] for p in first["report"]["parameters"] if "unknown" in (p["read"], p["written"])}
    assert reasons == {"other values of the `tl.constexpr` parameters are still being compiled"}
    assert not any(p["masked_only"] or p["uniform_write"] or p["first"] for p in first["report"]["parameters"])
    assert final["status"] == "analyzed"
    # One type may be one of several.
    assert first["report"]["values"] == []
    assert any("|" in value["type"] for value in final["values"])


def test_what_is_quick_or_known_is_told_once(agent: Agent, root: Path) -> None:
    assert agent.show(root / "slow.py", SLOW).of("early") == []
    assert agent.show(root / "quick.py", ADD).of("early") == []


@pytest.mark.slow("a kernel with signatures that take longer than a moment")
def test_a_check_waits_for_all_and_gets_nothing_that_only_editors_show(tmp_path: Path) -> None:
    with Agent(tmp_path, patient=True) as agent:
        answer = agent.show(tmp_path / "slow.py", SLOW)
        assert answer.of("early") == []
        report = answer.reports["slow"]
        assert report["status"] == "analyzed"
        assert (report["values"], report["calls"]) == ([], [])
    with Agent(tmp_path) as agent:
        assert agent.show(tmp_path / "slow.py", SLOW).reports["slow"]["values"]
