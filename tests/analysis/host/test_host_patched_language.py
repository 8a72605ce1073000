"""What Triton's language has, and what a test puts in its place: every way to say which with everything that takes
that, each run by real Python. Where it is another then, kernels are not what the installed Triton says."""

from __future__ import annotations

import contextlib
import types
from pathlib import Path
from unittest import mock

import pytest
import triton.language as tl

from kernel_analysis.host.changes.replaced import language_changed
from kernel_analysis.kernels.project import Project
from products import product

HEAD = """import importlib
import sys
import types
from unittest import mock

import pytest
import triton
import triton.language as tl

MODULE = "triton.language"
NAME = "{name}"
NAMES = ("other", "{name}")


@triton.jit
def fake(x):
    pass


def run():
    """
PATHS = {
    "written": '"triton.language.{name}"',
    "put behind": 'MODULE + ".{name}"',
    "by its module's name": 'tl.__name__ + ".{name}"',
    "filled in": 'f"{{MODULE}}.{name}"',
    "both filled in": 'f"{{MODULE}}.{{NAME}}"',
    "made smaller": '"TRITON.LANGUAGE.{name}".lower()',
    "joined": '".".join([MODULE, NAME])',
}
NAMES = {
    "written": '"{name}"',
    "a name": "NAME",
    "of a list": "NAMES[1]",
    "put together": '"".join(NAME)',
    "made smaller": "NAME.upper().lower()",
}
BY_PATH = {
    "patch": "with mock.patch({path}, fake):\n        seen()",
    "patch, begun": "mock.patch({path}, fake).start()\n    seen()",
    "a fixture": "with pytest.MonkeyPatch.context() as m:\n        m.setattr({path}, fake)\n        seen()",
    "an object's": (
        "mocker = types.SimpleNamespace(patch=mock.patch)\n    with mocker.patch({path}, fake):\n        seen()"
    ),
}
BY_NAME = {
    "patch.object": "with mock.patch.object(tl, {name}, fake):\n        seen()",
    "patch.object, looked up": "with mock.patch.object(sys.modules[MODULE], {name}, fake):\n        seen()",
    "patch.multiple": "with mock.patch.multiple(tl, **{{{name}: fake}}):\n        seen()",
    "patch.multiple of a path": "with mock.patch.multiple(MODULE, **{{{name}: fake}}):\n        seen()",
    "patch.multiple, by keyword": "with mock.patch.multiple(MODULE, {plain}=fake):\n        seen()",
    "a fixture": "with pytest.MonkeyPatch.context() as m:\n        m.setattr(tl, {name}, fake)\n        seen()",
    "a module's own": "old = getattr(tl, {name})\n    types.ModuleType.__setattr__(tl, {name}, fake)\n    seen()\n"
    "    types.ModuleType.__setattr__(tl, {name}, old)",
}
TAKEN = ("store", "sum")
"""A function of the compiler's, and one that is a jit function itself."""
OTHERS = {
    "of another": 'with mock.patch.object(sys, "maxsize", 1):\n        seen()',
    "of another, filled in": 'with mock.patch(f"{sys.__name__}.maxsize", 1):\n        seen()',
    "an object of that name": "made = types.SimpleNamespace(store=1)\n    with mock.patch.object(made, NAME, 2):\n"
    "        seen()",
}


def changes(text: str, name: str) -> bool:
    """Whether the language has another when that is seen."""
    before, found = vars(tl)[name], list[bool]()
    made = types.ModuleType("main")
    vars(made)["seen"] = lambda: found.append(vars(tl)[name] is not before)
    with contextlib.ExitStack() as stack:
        stack.callback(mock.patch.stopall)
        exec(text.replace("@triton.jit\n", ""), vars(made))  # the test's own text
        vars(made)["run"]()
    assert vars(tl)[name] is before
    assert len(found) == 1
    return found[0]


def doubted(folder: Path, text: str, name: str) -> bool:
    (folder / "main.py").write_text(text, encoding="utf-8")
    project = Project([str(folder)], [], patient=True)
    module = project.module(str(folder / "main.py"))
    inside = language_changed.anywhere(project.resolver, module)
    return bool(inside or language_changed.in_place(project.resolver, module, "triton.language", [(name,)]))


@pytest.mark.parametrize(("how", "path", "name"), product(BY_PATH, PATHS, TAKEN))
def test_by_a_path(how: str, path: str, name: str, tmp_path: Path) -> None:
    text = HEAD.format(name=name) + BY_PATH[how].format(path=PATHS[path].format(name=name))
    assert changes(text, name)
    assert doubted(tmp_path, text, name)


@pytest.mark.parametrize(("how", "spelled", "name"), product(BY_NAME, NAMES, TAKEN))
def test_by_its_name(how: str, spelled: str, name: str, tmp_path: Path) -> None:
    text = HEAD.format(name=name) + BY_NAME[how].format(name=NAMES[spelled].format(name=name), plain=name)
    assert changes(text, name)
    assert doubted(tmp_path, text, name)


@pytest.mark.parametrize("how", OTHERS)
def test_what_is_of_another_changes_nothing(how: str, tmp_path: Path) -> None:
    text = HEAD.format(name="store") + OTHERS[how]
    assert not changes(text, "store")
    assert not doubted(tmp_path, text, "store")
