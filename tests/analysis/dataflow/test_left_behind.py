"""What a function changes that Python runs while a kernel is compiled: every way to have something with every way to
change it, each run by real Python. Where something is another after the call, the text must not say that nothing is."""

from __future__ import annotations

import itertools
import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kernel_analysis.dataflow.text.left_behind import leaves_behind
from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project

HAVE = {
    "given": "x = t.held",
    "given by another name": "y = t\nx = y.held",
    "kept in a default": "x = q",
    "chosen": "x = q if t else t.held",
    "or": "x = q or t.held",
    "in a tuple": "x, _ = (q, 1)",
    "item of a new one": "x = [q][0]",
    "gone through": "for x in [q]:\n    pass",
    "bound on the way": "(x := q)",
    "given back": "x = same(q)",
    "of the file": "x = HELD",
    "by its name": "x = getattr(t, 'held')",
    "of its names": "x = t.__dict__['held']",
    "a new one": "x = [0, 1]",
    "a copy": "x = list(q)",
    "a part": "x = q[:]",
}
CHANGE = {
    "item": "x[0] = 5",
    "item, in place": "x[0] += 5",
    "part": "x[:] = [5]",
    "method": "x.append(5)",
    "method by its class": "list.append(x, 5)",
    "method by a name": "add = x.append\nadd(5)",
    "method in a map": "list(map(x.append, [5]))",
    "in place": "x += [5]",
    "more often": "x *= 2",
    "deleted": "del x[0]",
    "target of a loop": "for x[0] in [5]:\n    pass",
    "target of a comprehension": "[0 for x[0] in [5]]",
    "unpacked": "(x[0], _) = (5, 5)",
    "by a helper": "changed(x)",
    "by a helper's method": "Changer().change(x)",
    "by a lambda": "(lambda y: y.append(5))(x)",
    "inside of a function": "def inner():\n    x.append(5)\ninner()",
    "set by its name": "x.__setitem__(0, 5)",
    "under a with": "with t:\n    x.append(5)",
    "on failing": "try:\n    x.append(5)\nfinally:\n    pass",
    "run as a text": "exec('x.append(5)')",
}
WHOLE = {
    "attribute": "t.held = [5]",
    "attribute by a text": "setattr(t, 'held', [5])",
    "attribute by its class": "object.__setattr__(t, 'held', [5])",
    "its names": "t.__dict__['held'] = [5]",
    "its names, updated": "vars(t).update(held=[5])",
    "deleted": "del t.held",
    "a global": "global HELD\nHELD = [5]",
    "the file's names": "globals()['HELD'] = [5]",
    "its own default": "f.__defaults__ = ([5],)",
}
HARMLESS = {
    "computed": "n = len(q)\nwhile n > 1:\n    n //= 2\nn += 1\nreturn n",
    "built": "made = []\nfor i in range(4):\n    made.append(i)\nmade[0] = 7\nmade.sort()\nreturn tuple(made)",
    "shape": "shape = [1] * 2\nshape[0] *= 2\nshape += [3]\nreturn shape",
    "dict": "made = {'a': 1}\nmade['b'] = 2\nmade.update(c=3)\nreturn made",
    "text": "name = f'{len(q)}'.upper().replace('A', 'B')\nassert name.startswith(('1', '2'))\nreturn name",
    "comprehension": "return [i for i in q if i] or (max(q), min(q, default=0))",
    "Triton's": "return tl.constexpr(triton.cdiv(len(q), 2))",
    "another": "return same(q)",
    "swapped": "a, b = q[0], 1\na, b = b, a\nreturn a",
}
HEAD = """\
import triton
import triton.language as tl

HELD = [0, 1]


def changed(x):
    x.append(5)


changed = triton.constexpr_function(changed)


class Changer:
    def change(self, x):
        x.append(5)


@triton.constexpr_function
def same(x):
    return x


@triton.constexpr_function
def f(t, q=[0, 1]):
"""
KERNEL = "\n\n@triton.jit\ndef kernel(p, W: tl.constexpr):\n    f(W)\n"


class _Given(SimpleNamespace):
    def __enter__(self) -> None: ...

    def __exit__(self, *args: object) -> None: ...


def _said(folder: Path, body: str) -> bool:
    file = folder / "kernels.py"
    file.write_text(HEAD + textwrap.indent(body, "    ") + KERNEL, encoding="utf-8")
    project = Project([str(folder)], [])
    slice_ = cut(project, next(f for f in project.module(str(file)).functions if f.name == "kernel"))
    return leaves_behind(slice_, next(i for i, f in enumerate(slice_.functions) if f.name == "f"), {})


def _changes(body: str) -> bool:
    """What real Python says: whether anything is another after the call."""
    names: dict[str, Any] = {}
    text = HEAD.replace("@triton.constexpr_function\n", "").replace("triton.constexpr_function(changed)", "changed")
    exec(compile(text + textwrap.indent(body, "    "), "left.py", "exec", dont_inherit=True), names)  # the tests' own
    given = _Given(held=[0, 1])
    names["f"](given)
    left = (getattr(given, "held", None), *names["f"].__defaults__, names["HELD"])
    return any(held != [0, 1] for held in left)


PRODUCT = [f"{have}\n{change}" for have, change in itertools.product(HAVE.values(), CHANGE.values())]


@pytest.mark.parametrize("body", [*PRODUCT, *WHOLE.values()])
def test_what_changes_something_is_not_said_to_change_nothing(tmp_path: Path, body: str) -> None:
    assert _said(tmp_path, body) or not _changes(body)


def test_most_of_them_change_something() -> None:
    assert sum(map(_changes, PRODUCT)) > len(PRODUCT) * 0.7
    assert all(map(_changes, WHOLE.values()))


@pytest.mark.parametrize("body", HARMLESS.values(), ids=HARMLESS)
def test_what_changes_nothing_is_said_to(tmp_path: Path, body: str) -> None:
    assert not _said(tmp_path, body)
