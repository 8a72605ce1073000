"""A launch may have Triton compile a helper for what it can't tell from what is given here: no text of a helper is
understood by more than its name in the module says."""

from __future__ import annotations

from pathlib import Path

import pytest
from dataflow_helpers import facts_of, named

from written_alike import ALIKE, call, put

KERNEL = """
@triton.jit
def kernel(a_ptr, b_ptr, c_ptr, d_ptr):
    if ON:
        {other}
    {this}
"""


@pytest.mark.parametrize("stores", [True, False])
@pytest.mark.parametrize("name", ALIKE)
def test_what_another_launch_compiles(tmp_path: Path, name: str, stores: bool) -> None:
    other, this = call(name, not stores, "a_ptr", "b_ptr"), call(name, stores, "c_ptr", "d_ptr")
    text = put(name) + KERNEL.format(other=other, this=this)
    facts = facts_of(tmp_path, text, {}, **dict.fromkeys(("a_ptr", "b_ptr", "c_ptr", "d_ptr"), "*fp32"))
    for parameter in ("c_ptr", "d_ptr") if "{q}" in ALIKE[name][2] else ("c_ptr",):
        said = named(facts.parameters, parameter)
        assert said.write.verdict != "no", f"{parameter}: {said}"
        assert said.read.verdict != "no", f"{parameter}: {said}"
