"""Calls of ``put`` that Triton writes alike in the name of what it compiles, and that do not do the same: with the
first ``p`` is stored to, with the second it is not."""

from __future__ import annotations

HEAD = """
import os
from typing import NamedTuple

from triton.language.core import _aggregate as aggregate

ON = tl.constexpr(os.environ.get("ON") == "1")


class XY(NamedTuple):
    x: object
    y: object


class YX(NamedTuple):
    y: object
    x: object


@aggregate
class Box:
    x: tl.tensor
    y: tl.tensor

    @triton.constexpr_function
    def __init__(self, x, y):
        self.x = x
        self.y = y

    @triton.jit
    def act(self):
        tl.store(self.x, 1.0)


One = Box


@aggregate
class Box:
    y: tl.tensor
    x: tl.tensor

    @triton.constexpr_function
    def __init__(self, y, x):
        self.y = y
        self.x = x

    @triton.jit
    def act(self):
        tl.load(self.x)


def make(flag):
    if flag:

        @triton.jit
        def act(p):
            tl.store(p, 1.0)
    else:

        @triton.jit
        def act(p):
            tl.load(p)

    return act


storing, loading = make(True), make(False)

"""
_TESTED = "if {tested} == {text!r}:\n        tl.store(p, 1.0)\n    else:\n        tl.load(p)"
_FIELDS = "tl.store({owner}.x, tl.load({owner}.y))"
_TEXT = "p, K: tl.constexpr"
ALIKE = {
    "named tuples in another order": ("t", _FIELDS.format(owner="t"), "XY({p}, {q})", "YX({p}, {q})"),
    "named tuples in a tuple": ("t", _FIELDS.format(owner="t[0]"), "(XY({p}, {q}), 1)", "(YX({p}, {q}), 1)"),
    "classes with fields in another order": ("o", _FIELDS.format(owner="o"), "One({p}, {q})", "Box({p}, {q})"),
    "classes with other methods": ("o", "o.act()", "One({p}, {q})", "Box({q}, {p})"),
    "classes in a tuple": ("t", _FIELDS.format(owner="t[0]"), "(One({p}, {q}),)", "(Box({p}, {q}),)"),
    "functions of one factory": ("f: tl.constexpr, p", "f(p)", "storing, {p}", "loading, {p}"),
    "functions in a tuple": ("t, p", "t[0](p)", "(storing,), {p}", "(loading,), {p}"),
    "brackets": (_TEXT, _TESTED.format(tested="K", text="x["), "{p}, 'x['", "{p}, 'x]'"),
    "a bracket and a line": (_TEXT, _TESTED.format(tested="K", text="x["), "{p}, 'x['", "{p}, 'x_'"),
    "texts in a tuple": ("p, t", _TESTED.format(tested="t[0]", text="x_"), "{p}, ('x_',)", "{p}, ('x]',)"),
    "two texts": (
        f"{_TEXT}, L: tl.constexpr", _TESTED.format(tested="K", text="x"),
        "{p}, 'x', 'y_sq__c_sq_z'", "{p}, 'x_sq__c_sq_y', 'z'",
    ),
}  # fmt: skip
"""What ``put`` takes, what it does, and what it is given."""


def put(name: str) -> str:
    """The helper."""
    parameters, body, _, _ = ALIKE[name]
    return f"{HEAD}@triton.jit\ndef put({parameters}):\n    {body}\n\n"


def call(name: str, stores: bool, p: str, q: str) -> str:
    """A call of it, with these in the places of ``p`` and ``q``."""
    return f"put({ALIKE[name][2 if stores else 3].format(p=p, q=q)})"
