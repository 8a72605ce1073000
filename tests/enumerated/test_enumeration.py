"""The enumeration itself: what varies is read, shown and compiled, its union is the truth, wrong programs get small."""

from __future__ import annotations

import pytest

from enumerated.generate import program
from enumerated.program import Knob, Program, parse
from enumerated.shrink import shrink
from enumerated.truth import TruthWorker

TEXT = """\
#: a, b: *fp32
#: o_ptr: *fp16 | None
#: pair: (*fp32, i32, =3)
#: W = True | False
#: PUT = put | none
#: N = 0 | 1 | 2
#: num_warps = 4 | 8
#: $SWITCH = unset | "1"
#: import some_extra = no | yes
import os

import triton
import triton.language as tl
from triton.language.extra import cuda

SWITCH = tl.constexpr(os.environ.get("SWITCH") == "1")
try:
    import some_extra

    EXTRA = tl.constexpr(True)
except ImportError:
    EXTRA = tl.constexpr(False)


@triton.jit
def put(p):
    tl.store(p, 1.0)


@triton.jit
def none(p):
    pass


@triton.jit
def kernel(a, b, o_ptr, pair, W: tl.constexpr, PUT: tl.constexpr, N: tl.constexpr):
    tl.static_assert(N != 2)
    {body}
"""


def _program(body: str) -> Program:
    """What the body doesn't name has one way only, so that there is less to compile."""
    made = parse(TEXT.replace("{body}", body))
    for index, knob in enumerate(made.knobs):
        if knob.name != "N" and knob.name.removeprefix("some_").lower() not in body.lower():
            made.knobs[index] = Knob(knob.name, knob.kind, knob.ways[:1])
    return made


@pytest.mark.parametrize(
    ("body", "by"),
    [
        ("if W:\n        tl.store(a, 1.0)", {"W": "True"}),
        ("if W and N == 1:\n        tl.store(a, 1.0)", {"W": "True", "N": "1"}),
        ("for i in tl.static_range(N):\n        tl.store(a, 1.0)", {"N": "1"}),
        ("if o_ptr is None:\n        tl.store(a, 1.0)", {"o_ptr": "None"}),
        ("PUT(a)", {"PUT": "put"}),
        ("if cuda.num_warps() == 8:\n        tl.store(a, 1.0)", {"num_warps": "8"}),
        ("if SWITCH:\n        tl.store(a, 1.0)", {"SWITCH": '"1"'}),
        ("if EXTRA:\n        tl.store(a, 1.0)", {"some_extra": "yes"}),
        ("if pair[2] == 3:\n        tl.store(a, 1.0)", {}),
        ("for i in range(N):\n        tl.store(a, 1.0)", {"N": "1"}),
    ],
)
def test_union(body: str, by: dict[str, str], truth: TruthWorker) -> None:
    told = truth.ask(_program(body))
    assert {key for key in told.possible if key[1] == "written"} == {("a", "written")}
    doing = told.possible["a", "written"]
    assert by.items() <= doing.items()
    assert len(told.valid) == 2 * len(told.refused) > 0  # where N is 2, nothing compiles


@pytest.mark.parametrize(
    "body",
    [
        "if W and not W:\n        tl.store(a, 1.0)",
        "if N == 3:\n        tl.store(a, 1.0)",
        "for i in range(0):\n        tl.store(a, 1.0)",
    ],
)
def test_never(body: str, truth: TruthWorker) -> None:
    assert truth.ask(_program(body)).possible == {}


def test_elements(truth: TruthWorker) -> None:
    told = truth.ask(_program("tl.store(pair[0], pair[1])"))
    assert set(told.possible) == {("pair[0]", "written")}


def test_loop_of_no_turns_is_undecided(truth: TruthWorker) -> None:
    told = truth.ask(_program("for i in range(0, 0):\n        tl.store(a, 1.0)"))
    assert ("a", "written") not in told.possible
    assert ("a", "written") in told.conceivable


def test_launch() -> None:
    made = parse(TEXT.replace("{body}", "pass"))
    shown = made.shown([made.assignments()[-1]])
    buffer = 'torch.empty(4096, dtype=torch.float32, device="cuda")'
    last = "None, (" + buffer + ", 6, 3,), W=False, PUT=none, N=2, num_warps=8)\n"
    assert shown.endswith(f"kernel[(1,)]({buffer}, {buffer}, {last}")
    defaults = made.with_defaults(made.assignments()[0])
    assert defaults is not None
    assert "def kernel(a, b, o_ptr, pair, W: tl.constexpr=True, PUT: tl.constexpr=put, N: tl.constexpr=0):" in defaults


def test_shrink(truth: TruthWorker) -> None:
    """All that is left is the one store, under one assignment."""
    body = "x = b\n    for i in range(3):\n        if W and (N == 1 or SWITCH):\n            x = a\n        PUT(x)"
    small = shrink(_program(body), lambda made: ("a", "written") in truth.ask(made).possible)
    assert small.text.split("def kernel")[1].split("\n", 1)[1].strip() in ("x = a\n    PUT(x)", "PUT(a)")
    assert len(small.assignments()) == 1


def test_same_number_same_program() -> None:
    assert program(7).text == program(7).text != program(8).text
