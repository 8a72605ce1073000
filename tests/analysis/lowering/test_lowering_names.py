"""Triton compiles a function once for a name, and writes some of what it is given alike there: what is kept under a
name is used for nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from lowering_helpers import Case, compiler, lower
from test_lowering_reuse import written

from written_alike import ALIKE, call, put

KERNEL = """
@triton.jit
def between({parameters}):
    put({parameters})

@triton.jit
def kernel(a_ptr, b_ptr, x_ptr):
    {calls}
"""


def made(folder: Path, name: str, *calls: str) -> Case:
    parameters = ALIKE[name][0].replace(": tl.constexpr", "")
    text = put(name) + KERNEL.format(parameters=parameters, calls="\n    ".join(calls))
    return lower(folder, text, a_ptr="*fp32", b_ptr="*fp32", x_ptr="*fp32")


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("through", ["put", "between"])
@pytest.mark.parametrize("name", ALIKE)
def test_what_is_kept_is_used_for_what_it_was_made_for(tmp_path: Path, name: str, through: str, first: bool) -> None:
    def calling(stores: bool) -> str:
        return call(name, stores, "a_ptr", "b_ptr").replace("put(", f"{through}(", 1)

    compiler("cuda:90").forget()
    alone = written(made(tmp_path, name, calling(not first)))
    compiler("cuda:90").forget()
    before = written(made(tmp_path, name, calling(first)))
    assert before != alone
    assert written(made(tmp_path, name, calling(not first))) == alone
    assert written(made(tmp_path, name, calling(first))) == before


@pytest.mark.parametrize("name", ALIKE)
def test_what_was_shared_is_not_kept(tmp_path: Path, name: str) -> None:
    """Where one kernel calls it both ways, the second call may get what was made for the first."""
    compiler("cuda:90").forget()
    alone = written(made(tmp_path, name, call(name, True, "b_ptr", "x_ptr")))
    compiler("cuda:90").forget()
    made(tmp_path, name, call(name, False, "a_ptr", "b_ptr"), call(name, True, "b_ptr", "x_ptr"))
    assert written(made(tmp_path, name, call(name, True, "b_ptr", "x_ptr"))) == alone
