"""``unused-parameter``: what is there for the host is not called unused, and what Triton makes of an option's name."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.process import Agent

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n"
BODY = "    tl.store(x + tl.arange(0, B), 1.0)\n\n\n"
PLAIN = f"{HEAD}@triton.jit\ndef k(x, B: tl.constexpr, %s: tl.constexpr):\n{BODY}"
LAUNCH = "def go(x):\n    k[(1,)](x, B=16, %s=%s)\n"
CASES = {
    "is unused": (PLAIN % "KIND" + LAUNCH % ("KIND", 3), ["KIND"]),
    "sets an option": (PLAIN % "launch_pdl" + LAUNCH % ("launch_pdl", True), []),
    "sets another maker's option": (PLAIN % "waves_per_eu" + LAUNCH % ("waves_per_eu", 2), []),
    "is in the kernel's name": ((PLAIN % "KIND").replace("@triton.jit", "@triton.jit(repr=str)"), []),
    "is metadata": ((PLAIN % "KIND").replace("@triton.jit", "@triton.jit(launch_metadata=print)"), []),
    "is a key of an autotuner around it": (
        PLAIN % "KIND" + 'tuned = triton.autotune([triton.Config({"B": 64})], key=["KIND"])(k)\n',
        [],
    ),
    "is there for another kernel": (
        PLAIN % "KIND"
        + (PLAIN % "KIND").partition("\n\n\n")[2].replace("def k(", "def uses(").replace("1.0", "KIND")
        + "def go(x, which):\n    chosen = uses if which else k\n    chosen[(1,)](x, B=16, KIND=3)\n",
        [],
    ),
    "is a key of another kernel": (
        (PLAIN % "KIND" + LAUNCH % ("KIND", 3))
        + '@triton.autotune([triton.Config({"B": 64})], key=["KIND"])\n@triton.jit\n'
        "def other(x, KIND, B: tl.constexpr):\n"
        "    tl.store(x + tl.arange(0, B), KIND)\n",
        ["KIND"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_there_for_the_host_is_no_unused_parameter(tmp_path: Path, name: str) -> None:
    text, unused = CASES[name]
    (tmp_path / "k.py").write_text(text)
    with Agent(tmp_path, patient=True) as agent:
        found = agent.analyze(tmp_path / "k.py").findings
    said = [f["message"].split("`")[3] for f in found if f["code"] == "unused-parameter"]
    assert said == unused


def test_triton_takes_a_parameter_s_argument_for_the_option_of_that_name() -> None:
    from triton.backends.compiler import GPUTarget
    from triton.compiler import make_backend

    backend = make_backend(GPUTarget("cuda", 90, 32))
    assert backend.parse_options({"B": 16, "launch_pdl": True}).__dict__["launch_pdl"] is True
