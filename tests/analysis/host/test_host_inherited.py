"""What a class has from those that it derives from, where another file sets it on any of them: each way to set it, on
each class, asked of each class and of its objects. Real Python runs all of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_python import answers
from host_told import UNTOLD, same, told

from kernel_analysis.kernels.project import Project

MAIN = """\
class A:
    W = 3
    def w(self): return self.W
class B(A):
    def __init__(self):
        self.x = 1
class C(B):
    pass
class Other(A):
    pass
b = B()
c = C()
"""
QUESTIONS = ["A.W", "B.W", "C.W", "Other.W", "b.W", "c.W", "b.w()", "c.w()", "B.w(b)", "C().W", "C().w()", "b.x"]
CLASSES = ("A", "B", "C", "Other")
SETS = {
    "by its module": "import main\nmain.{cls}.{name} = {value}\n",
    "by its name": "from main import {cls}\n{cls}.{name} = {value}\n",
    "renamed": "from main import {cls} as Mine\nMine.{name} = {value}\n",
    "setattr": "import main\nsetattr(main.{cls}, '{name}', {value})\n",
    "by type": "from main import {cls}\ntype.__setattr__({cls}, '{name}', {value})\n",
    "handed on": "import main\ndef change(cls):\n    cls.{name} = {value}\nchange(main.{cls})\n",
    "looked up": "import main\ngetattr(main, '{cls}').{name} = {value}\n",
}
VALUES = {
    "another number": ("W", "5"),
    "a property": ("W", "property(lambda self: 6)"),
    "a method": ("w", "lambda self: 7"),
}


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("sets", SETS)
def test_what_is_certain_is_so(sets: str, cls: str, value: str, tmp_path: Path) -> None:
    name, new = VALUES[value]
    texts = {"main": MAIN, "plugin": SETS[sets].format(cls=cls, name=name, value=new)}
    for module, text in texts.items():
        (tmp_path / f"{module}.py").write_text(text, encoding="utf-8")
    real = answers({"config": "", **texts}, "main", QUESTIONS)
    project = Project([str(tmp_path)], [], patient=True)
    for question, (found, why), seen in zip(
        QUESTIONS, told(project, tmp_path / "main.py", QUESTIONS), real, strict=True
    ):
        if found is not UNTOLD and not why:
            assert all(kind == "value" and same(found, other) for kind, other in seen), (question, found, seen)


def test_what_nobody_sets_is_certain(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(MAIN, encoding="utf-8")
    (tmp_path / "plugin.py").write_text("import main\nmain.C.more = 5\n", encoding="utf-8")
    found = told(Project([str(tmp_path)], [], patient=True), tmp_path / "main.py", QUESTIONS)
    assert [why for _, why in found] == [""] * len(QUESTIONS)
