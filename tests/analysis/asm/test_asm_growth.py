"""Assembly as the text grows: none of its signs, however often, holds up the reading of what stands around it."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Generator
from types import FrameType

import pytest

from kernel_analysis.dataflow.asm import effects
from products import product

LENGTH = 40_000
SECONDS = 2.0
"""Of the processor. What is done once for each sign takes a tenth of that; what is done for each pair, a minute."""

BEFORE = [
    "", "a", "a+", "add.s32 $0", "@", "@!", "mov.b32 $0, ", "mov.b32 $0, [a+", "mov.b32 $0, [", "mov.b32 $0, 1+",
    ".reg .b32 ", "v_mov_b32 v0, ", "ds_a", "$", "${0:", "mov.b32 {", "v_mov_b32 ", ".reg .b32 a; mov.b32 a, ",
]  # fmt: skip
AGAIN = [
    " ", "\n", "\r", "a", "1", "_", "+", "-", "(", "[", "{", "}", "$", "${0:a", "$0", ",", "_rtn", ".a", "+a", " +",
    "~", '"', ":", "@", ";a", "|a", "/*", "{.reg .b32 a;", "{ bra a;", "@$0 mov.b32 a, $1;",
]  # fmt: skip
BEHIND = ["", " ", "!", "a", ":", ";"]
CONSTRAINTS = [",", "{", "}", ",{", ",}", "=r,", "{,", "0,"]


@contextlib.contextmanager
def in_time() -> Generator[None]:
    def late(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


ROWS = product(BEFORE, AGAIN, BEHIND)


@pytest.mark.parametrize("again", AGAIN)
@pytest.mark.slow("a dozen long texts each")
def test_a_sign_that_goes_on(again: str) -> None:
    for before, _, behind in (row for row in ROWS if row[1] == again):
        try:
            with in_time():
                effects(before + again * (LENGTH // len(again)) + behind, "=r,r,r,r", 3, 1)
        except TimeoutError:
            pytest.fail(f"{before!r}, {again!r} on and on, {behind!r}")


@pytest.mark.parametrize("again", CONSTRAINTS)
def test_constraints_that_go_on(again: str) -> None:
    with in_time():
        effects("mov.b32 $0, $1;", again * (LENGTH // len(again)), 3, 1)
