"""A class that has a method which Python calls without being told, and Triton's classes have not: nothing of its text
is followed, be it the class's own method or a base's. (No compile has an object of one, so the text alone speaks.)"""

from __future__ import annotations

from pathlib import Path

import pytest
from dataflow_helpers import facts_of, named

from products import product

METHODS = [
    "__getattribute__",
    "__getattr__",
    "__setattr__",
    "__new__",
    "__init_subclass__",
    "__class_getitem__",
    "__call__",
    "__enter__",
    "__len__",
    "__bool__",
    "__iter__",
    "__hash__",
    "__repr__",
    "__iadd__",
]
USES = {
    "a field": "tl.store(C(a_ptr, b_ptr).x, 1.0)",
    "a field of a name": "c = C(x=a_ptr, y=b_ptr)\n        tl.store(c.x, 1.0)",
    "a method": "C(a_ptr, b_ptr).put()",
    "handed": "put(C(a_ptr, b_ptr))",
    "held": "tl.store((C(a_ptr, b_ptr), 1)[0].x, 1.0)",
    "replaced": "tl.store(aggregate_replace(C(a_ptr, b_ptr), x=a_ptr).x, 1.0)",
}
TEXT = """
import os
import triton
import triton.language as tl
from triton.language.core import _aggregate as aggregate
from triton.language.core import aggregate_replace

ON = tl.constexpr(os.environ.get("ON") == "1")


@aggregate
class Base:
    x: tl.tensor
    y: tl.tensor
{base}
    @triton.jit
    def put(self):
        tl.store(self.x, 1.0)


@aggregate
class C(Base):
{own}
    pass


@triton.jit
def put(c):
    c.put()


@triton.jit
def kernel(a_ptr, b_ptr):
    tl.store(a_ptr, 1.0)
    if ON:
        {use}
"""


def _write(folder: Path, base: str, own: str, use: str) -> str:
    text = TEXT.format(base=base, own=own, use=USES[use])
    return named(facts_of(folder, text, a_ptr="*fp32", b_ptr="*fp32").parameters, "b_ptr").write.verdict


@pytest.mark.parametrize(("method", "whose", "use"), product(METHODS, ("own", "base"), USES))
def test_nothing_is_followed(method: str, whose: str, use: str, tmp_path: Path) -> None:
    swaps = f"""
    def {method}(self, *args):
        return object.__getattribute__(self, {{"x": "y"}}.get(*args, *args))
"""
    base, own = (swaps, "") if whose == "base" else ("", swaps)
    assert _write(tmp_path, base, own, use) == "unknown"


@pytest.mark.parametrize("use", [use for use in USES if use != "replaced"])
def test_what_has_none_is_followed(use: str, tmp_path: Path) -> None:
    operator = "\n    @triton.jit\n    def __add__(self, other):\n        return self\n"
    assert _write(tmp_path, operator, "", use) == "no"
