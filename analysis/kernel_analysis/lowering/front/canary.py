"""Kernels that try to leave: a compiler compiles them before it sees a user's, and each must be refused, by the gate.

Where one is not, whatever the reason, the guards of this package guard nothing in the installed Triton.
"""

# pyright: basic
from __future__ import annotations

import ast
import textwrap
from typing import Any

from kernel_analysis.lowering.front.build import Built
from kernel_analysis.signature.signature_model import Signature
from kernel_analysis.source.slice import Binding, FunctionRef, Slice, SliceFunction, TritonObject

SIGNATURE = Signature({"p": "*i32"}, {}, {})

_WAYS = {
    "a call": "escape()",
    "an attribute": "tl.core.builtins",
    "a private attribute": "tl.__builtins__",
    "a result": "getattr(tl.core, 'builtins')",
    "with": "with tl.range(1): pass",
    "a constexpr function": "computed()",
    "a text that is evaluated": "tl.str_to_ty('i32', None)",
}
_COMPUTED = "def computed():\n    return escape()"
_HELPED = "def helped(x):\n    return tl.where(x > 1, x, x + 1)"
_GOOD = """
size: tl.constexpr = len((1, 2)) + max(1, 2)
offsets = tl.arange(0, size) + tl.program_id(0)
for turn in range(2):
    offsets += turn
if tl.load(p) > 1:
    offsets = helped(offsets)
tl.store(p + offsets, tl.where(offsets > 1, offsets, 0), mask=offsets[:, None] < 3 if size == 1 else offsets < 3)
"""


class Planted:
    """What must not be reached: it notes when it is called."""

    def __init__(self) -> None:
        self.called = False

    def __call__(self, *_: Any, **__: Any) -> Any:
        self.called = True
        return 1


def good() -> Slice:
    """A kernel that has to compile, so that a compiler which refuses everything proves nothing."""
    return _slice(_GOOD)


def attempts() -> list[tuple[str, Slice]]:
    """Each way, and the kernel that tries it; what it reaches for is there after ``plant``."""
    return [(way, _slice(body)) for way, body in _WAYS.items()]


def plant(built: Built) -> Planted:
    """Put into the kernel's globals what no slice would ever bind."""
    escape = Planted()
    for index in range(len(built.functions)):
        built.scope(index)["escape"] = escape
    return escape


def _slice(body: str) -> Slice:
    tl = TritonObject("triton.language")
    names: dict[str, Binding] = {"tl": tl, "computed": FunctionRef(1), "helped": FunctionRef(2)}
    kernel = _function("jit", f"def canary(p):\n{textwrap.indent(body, '    ')}", names)
    others = [_function("constexpr_function", _COMPUTED, {}), _function("jit", _HELPED, {"tl": tl})]
    return Slice([kernel, *others], body, "", frozenset())


def _function(kind: Any, text: str, bindings: dict[str, Binding]) -> SliceFunction:
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef)
    nodes = tuple(inner for inner in ast.walk(node) if hasattr(inner, "lineno"))
    return SliceFunction(kind, "<canary>", "canary", node.name, node.name, node, nodes, "", bindings=bindings)
