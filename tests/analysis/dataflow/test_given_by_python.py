"""What Python gives back while a kernel is compiled may be a function or an object that nobody handed to it: each way
to be given one, with each use, where every launch gets there and where no compile did."""

from __future__ import annotations

from itertools import product as every
from pathlib import Path

import pytest
from dataflow_helpers import facts_of, named

from products import part

HEAD = """
from collections import namedtuple

from triton.language.core import _aggregate as aggregate
from triton.language.core import aggregate_replace
from triton.language.extra import cuda

Functions = namedtuple("Functions", "load store")
CHOSEN = tl.constexpr((get, tl.constexpr(put)))
RECORD = tl.constexpr(Functions(tl.constexpr(put), get))


@triton.constexpr_function
def choose(function, other):
    return put if other else function


@triton.constexpr_function
def two(function, other):
    return (function, put if other else function)


@triton.constexpr_function
def record():
    return Functions(put, get)


@triton.constexpr_function
def thing(function):
    return Straight(function)


@aggregate
class Straight:
    function: tl.constexpr

    @triton.constexpr_function
    def __init__(self, function):
        self.function = tl.constexpr(function)

    @triton.constexpr_function
    def chosen(self, other):
        return put if other else self.function

    @triton.jit
    def load(self, address):
        tl.store(address, 1.0)

    @triton.jit
    def __add__(self, address):
        tl.store(address, 1.0)
        return address


@aggregate
class Chosen:
    function: tl.constexpr

    @triton.constexpr_function
    def __init__(self, function, other):
        if other:
            self.function = tl.constexpr(put)
        else:
            self.function = tl.constexpr(function)


@aggregate
class Computed:
    function: tl.constexpr

    @triton.constexpr_function
    def __init__(self, function, other):
        self.function = tl.constexpr(choose(function, other) if other else function)


@aggregate
class Crossed:
    x: tl.tensor
    y: tl.tensor

    @triton.constexpr_function
    def __init__(self, x, y):
        self.x = y
        self.y = x


@aggregate
class Asked:
    function: tl.constexpr

    @triton.constexpr_function
    def __init__(self, function):
        self.function = tl.constexpr(put if function is not None else get)


@triton.jit
def kernel(a_ptr, b_ptr):
"""
FUNCTIONS = """
@triton.jit
def put(address):
    tl.store(address, 1.0)
    return 1


@triton.jit
def get(address):
    return tl.load(address)


"""
# What may be chosen where the gate is open; the second part: what is handed for that.
FUNCTION = {
    "from a function": "choose(get, {gate})",
    "from a tuple of a function's": "two(get, {gate})[1]",
    "from a method": "Straight(get).chosen({gate})",
    "from a field": "Chosen(get, {gate}).function",
    "from a field that is computed": "Computed(get, {gate}).function",
    "from a constant in a tuple": "CHOSEN[1 if {gate} else 0]",
    "from a record of constants": "(RECORD.load if {gate} else RECORD.store)",
    "from another object": "aggregate_replace(Asked(None), function=get if {gate} else None).function",
}
USES = {
    "called": "    {made}(b_ptr)\n",
    "by a name": "    function: tl.constexpr = {made}\n    function(b_ptr)\n",
    "in a tuple": "    (get, {made})[1](b_ptr)\n",
    "handed to a helper": "    call({made}, b_ptr)\n",
}
CALL = """
@triton.jit
def call(function, address):
    function(address)


"""
WHOLE = {
    "a method of a record": "record().load(b_ptr)",
    "a method of a record in a constant": "RECORD.load(b_ptr)",
    "a method of an object": "thing(get).load(b_ptr)",
    "an operator of an object": "made = thing(get); made + b_ptr",
    "fields that its class exchanges": "tl.store(aggregate_replace(Crossed(a_ptr, a_ptr), y=b_ptr).x, 1.0)",
}
GATES = ("True", "cuda.num_warps() == 16")


@pytest.mark.parametrize(("gate", "made", "use"), part(every(GATES, FUNCTION, USES)))
def test_each_function_that_python_gives(gate: str, made: str, use: str, tmp_path: Path) -> None:
    head, kernel, rest = HEAD.partition("@triton.jit\ndef kernel")
    head = head.replace("CHOSEN =", f"{FUNCTIONS}{CALL}CHOSEN =")
    text = head + kernel + rest + USES[use].format(made=FUNCTION[made].format(gate=gate))
    facts = facts_of(tmp_path, text, a_ptr="*fp32", b_ptr="*fp32")
    assert named(facts.parameters, "b_ptr").write.verdict != "no", text


@pytest.mark.parametrize(("gate", "whole"), part(every(GATES, WHOLE)))
def test_each_object_that_python_gives(gate: str, whole: str, tmp_path: Path) -> None:
    text = HEAD.replace("CHOSEN =", f"{FUNCTIONS}CHOSEN =") + f"    if {gate}:\n        {WHOLE[whole]}\n"
    facts = facts_of(tmp_path, text, a_ptr="*fp32", b_ptr="*fp32")
    assert named(facts.parameters, "b_ptr").write.verdict != "no", text


@pytest.mark.parametrize("decorated", ["", "    @tl.core.builtin\n"])
def test_an_init_that_is_handed_the_compiler(decorated: str, tmp_path: Path) -> None:
    text = (
        "from triton.language.core import _aggregate as aggregate\nfrom triton.language.extra import cuda\n\n\n"
        f"@aggregate\nclass Writes:\n    x: tl.tensor\n\n{decorated}    def __init__(self, x, _semantic=None):\n"
        "        tl.store(x, 1.0, _semantic=_semantic)\n        self.x = x\n\n\n"
        "@triton.jit\ndef kernel(a_ptr):\n    if cuda.num_warps() == 16:\n        Writes(a_ptr)\n"
    )
    assert named(facts_of(tmp_path, text, a_ptr="*fp32").parameters, "a_ptr").write.verdict == "unknown"
