"""What stands first in a tuple says which address is written, and a launch decides it; how long the tuple is, it
decides, too. Each way to make such a one with each way to take what is first: no constant proves what another
refutes."""

from __future__ import annotations

from itertools import product as every
from pathlib import Path

import pytest
from dataflow_helpers import facts_of, named

from products import part

MADE = {
    "chosen": "((0,) + args) if F else ((1,) + args)",
    "chosen in front": "((0,) if F else (1,)) + args",
    "given by a helper": "made(args, F)",
    "added to": "(F,) + args",
    "chosen behind": "((args + (0,)) if F else (args + (1,)))[::-1]",
    "a part": "(((2, 0) + args) if F else ((2, 1) + args))[1:]",
    "packed": "packed(*(((0,) + args) if F else ((1,) + args)))",
    "item by item": "[x for x in (((0,) + args) if F else ((1,) + args))]",
}
TAKEN = {
    "item": "put(a_ptr, b_ptr, ({})[0])",
    "part": "put(a_ptr, b_ptr, ({})[0:1][0])",
    "in a helper": "put_first(a_ptr, b_ptr, {})",
    "starred": "put_of(a_ptr, b_ptr, *({}))",
    "behind a name": "t: tl.constexpr = {}\n    put(a_ptr, b_ptr, t[0])",
    "in an object": "put_first(a_ptr, b_ptr, (({}), 1)[0])",
    "one by one": "put(a_ptr, b_ptr, [x for x in ({})][0])",
}
_KERNEL = """
@triton.jit
def put(a_ptr, b_ptr, i: tl.constexpr):
    tl.store((a_ptr, b_ptr)[i], 1.0)


@triton.jit
def put_first(a_ptr, b_ptr, t):
    put(a_ptr, b_ptr, t[0])


@triton.jit
def put_of(a_ptr, b_ptr, i: tl.constexpr, *rest):
    put(a_ptr, b_ptr, i)


@triton.jit
def made(t, F: tl.constexpr):
    if F:
        return (0,) + t
    else:
        return (1,) + t


@triton.jit
def packed(*t):
    return t


@triton.jit
def kernel(a_ptr, b_ptr, args, F: tl.constexpr):
    {body}
"""


@pytest.mark.parametrize(("made", "taken"), part(every(MADE, TAKEN)))
def test_no_constant_proves_what_another_refutes(made: str, taken: str, tmp_path: Path) -> None:
    text = _KERNEL.format(body=TAKEN[taken].format(MADE[made]))
    compiled = 0
    for constant in (0, 1):
        try:
            facts = facts_of(tmp_path, text, {"F": constant}, a_ptr="*fp32", b_ptr="*fp32", args=("i32", "i32"))
        except AssertionError:
            continue
        compiled += 1
        for name in ("a_ptr", "b_ptr"):
            assert named(facts.parameters, name).write.verdict != "no", f"{name}, {constant}: {text}"
    assert compiled, text
