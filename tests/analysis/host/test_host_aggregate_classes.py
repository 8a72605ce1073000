"""What a workspace sets on an aggregate class beside its methods: each way to get at the class with everything by which
its objects are made or their fields are read. Then no field is what the class says, and no attribute that it has not is
an error; what an object of anything else is given counts for nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_projects import find

from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from products import product

MAIN = """
import triton
import triton.language as tl
from triton.language.core import _aggregate as aggregate


{before}class C:
    p: tl.tensor
    n: tl.tensor

    @triton.jit
    def put(self):
        tl.store(self.p, 1.0)


@aggregate
class D:
    p: tl.tensor


{after}
@triton.jit
def kernel(a_ptr, b_ptr):
    c = C(a_ptr, b_ptr)
    c.put()
    if c.EXTRA == 1:
        tl.store(a_ptr, D(a_ptr).p.dtype.itemsize)
"""
GOT = {
    "attribute": "m = main.C",
    "imported": "from main import C\nm = C",
    "renamed": "from main import C as other\nm = other",
    "by text": "m = getattr(main, 'C')",
    "of several": "for m in (main.C,):\n    pass",
    "handed": "def of(j):\n    return j\n\n\nm = of(main.C)",
}
SETS = {
    "what makes it": "made = m.__new__\nm.__new__ = lambda cls, p, n, **k: made(cls, n, p)",
    "what makes it by a text": "setattr(m, '__new__', mine)",
    "what makes it in a function": "def on(x):\n    x.__new__ = mine\n\n\non(m)",
    "what makes it by type": "type.__setattr__(m, '__new__', mine)",
    "what sets fields": "m.__setattr__ = mine",
    "what gives fields": "m.__getattribute__ = mine",
    "what begins one": "m._get_instance = classmethod(mine)",
    "what begins its heirs": "m.__aggregate_defaults__['p'] = mine",
    "what it is made by": "m.hash_attrs[0].fn = mine",
    "a field": "m.p = property(lambda c: c.n, lambda c, p: None)",
    "a field by a text": "setattr(m, 'p', property(lambda c: c.n, lambda c, p: None))",
    "a field of a descriptor": "class Other:\n    def __get__(self, c, t):\n        return c.n\n\n"
    "    def __set__(self, c, p):\n        pass\n\n\nm.p = Other()",
}
ANNOTATIONS = {
    "a default": "C.n = 3\n",
    "what begins one": "C.__init__ = lambda c, p, n: [setattr(c, 'p', n), setattr(c, 'n', p)]\n",
    "others": "C.__annotations__ = {'n': tl.tensor, 'p': tl.tensor}\n",
    "in another order": "C.__annotations__['p'] = C.__annotations__.pop('p')\n",
    "by a text": "setattr(C, '__annotations__', {'n': tl.tensor, 'p': tl.tensor})\n",
    "renamed": "known = C.__annotations__\nknown['p'] = known.pop('p')\n",
}
KEEPS = {
    "reads": "print(m.__name__)",
    "an object's": "class K:\n    pass\n\n\nk = K()\nk.p = k.EXTRA = 1",
    "its own": "class K:\n    def __init__(self, p):\n        self.p = p\n        self.EXTRA = 1\n\n"
    "    @property\n    def q(self):\n        return self.p",
    "a number": "m.p = 3",
    "what another keeps": "def forward(ctx, p):\n    ctx.p = p\n    ctx.EXTRA = p",
}


def _cut(folder: Path, before: str, after: str, body: str) -> tuple[bool, bool]:
    """Whether the fields of the class, and an attribute that it has not, may be others."""
    (folder / "main.py").write_text(MAIN.format(before=before, after=after), encoding="utf-8")
    other = f"import main\nimport triton.language as tl\n\n\ndef mine(*a, **k):\n    pass\n\n\n{body}\n"
    (folder / "other.py").write_text(other, encoding="utf-8")
    project = Project([str(folder)], [], patient=True)
    made = cut(project, find(project, folder / "main.py", "kernel"))
    index = next(n for n, cls in enumerate(made.aggregates) if cls.qualname == "C")
    varies = "C" in made.functions[0].varies
    doubted = not made.certain_members(index)[0]
    assert varies or not doubted
    return doubted, "EXTRA" in made.aggregates[index].varies and varies


@pytest.mark.parametrize(("got", "body"), product(GOT, SETS))
def test_what_is_set(got: str, body: str, tmp_path: Path) -> None:
    assert _cut(tmp_path, "@aggregate\n", "", f"{GOT[got]}\n{SETS[body]}")[0]


@pytest.mark.parametrize("annotations", ANNOTATIONS)
def test_the_fields_that_are_annotated(annotations: str, tmp_path: Path) -> None:
    assert _cut(tmp_path, "", f"{ANNOTATIONS[annotations]}C = aggregate(C)\n\n\n", "")[0]


@pytest.mark.parametrize("got", sorted({*GOT} - {"handed"}))
@pytest.mark.parametrize("sets", ["m.EXTRA = tl.constexpr(1)", "setattr(m, 'EXTRA', tl.constexpr(1))"])
def test_what_the_class_is_given_beside_its_own(got: str, sets: str, tmp_path: Path) -> None:
    assert _cut(tmp_path, "@aggregate\n", "", f"{GOT[got]}\n{sets}") == (False, True)


@pytest.mark.parametrize(("got", "body"), product(GOT, KEEPS))
def test_what_is_not(got: str, body: str, tmp_path: Path) -> None:
    assert _cut(tmp_path, "@aggregate\n", "", f"{GOT[got]}\n{KEEPS[body]}") == (False, False)
