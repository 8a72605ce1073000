"""A jit function that a test puts another in the place of, by a text: every way to say the text with everything that
takes one, in its own file and in another, each run by real Python. Where it is another then, it is no certain one."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest

from kernel_analysis.kernels.project import Project
from products import product

KERNELS = """import importlib
import sys
import types
from unittest import mock

import pytest
import triton

MODULE = "kernels"
TARGET = f"{MODULE}.put"
NAMES = ("put", "other")


@triton.jit
def put(x):
    pass


@triton.jit
def other(x):
    pass


"""
TESTS = KERNELS[: KERNELS.index("@triton")].replace("import triton", "import kernels")
PATHS = {
    "written": '"kernels.put"',
    "put behind": 'MODULE + ".put"',
    "by its module's name": '{module}.__name__ + ".put"',
    "filled in": 'f"{{MODULE}}.put"',
    "both filled in": 'f"{{MODULE}}.{{NAMES[0]}}"',
    "percent": '"%s.put" % MODULE',
    "format": '"{{}}.put".format(MODULE)',
    "joined": '".".join([MODULE, "put"])',
    "a name": "TARGET",
    "in pieces": 'MODULE + ".pu" + "t"',
    "made smaller": '"KERNELS.PUT".lower()',
    "turned": '"tup.slenrek"[::-1]',
    "a loop's": "[name for name in [TARGET]][0]",
    "a function's": '(lambda: MODULE + "." + NAMES[0])()',
}
NAMES = {
    "written": '"put"',
    "in pieces": '"pu" + "t"',
    "of a list": "NAMES[0]",
    "made smaller": '"PUT".lower()',
    "asked": "next(name for name in vars({module}) if name[:2] == 'pu')",
    "a jit function's": "{module}.put.__name__",
}
BY_PATH = {
    "patch": "with mock.patch({path}, {module}.other):\n        seen()",
    "patch, begun": "mock.patch({path}, {module}.other).start()\n    seen()",
    "patch, by keyword": "with mock.patch(target={path}, new={module}.other):\n        seen()",
    "a decorator": "mock.patch({path}, {module}.other)(seen)()",
    "a fixture": "with pytest.MonkeyPatch.context() as m:\n        m.setattr({path}, {module}.other)\n        seen()",
    "a fixture, made": ("m = pytest.MonkeyPatch()\n    m.setattr({path}, {module}.other)\n    seen()\n    m.undo()"),
    "an object's": (
        "mocker = types.SimpleNamespace(patch=mock.patch)\n"
        "    with mocker.patch({path}, {module}.other):\n        seen()"
    ),
    "another name": "change = mock.patch\n    with change({path}, {module}.other):\n        seen()",
}
BY_NAME = {
    "patch.object": "with mock.patch.object({module}, {name}, {module}.other):\n        seen()",
    "patch.object, looked up": (
        "with mock.patch.object(importlib.import_module(MODULE), {name}, {module}.other):\n        seen()"
    ),
    "patch.multiple": "with mock.patch.multiple(MODULE, **{{{name}: {module}.other}}):\n        seen()",
    "patch.multiple, by keyword": "with mock.patch.multiple(MODULE, put={module}.other):\n        seen()",
    "patch.multiple of a path": 'with mock.patch.multiple(f"{{MODULE}}", put={module}.other):\n        seen()',
    "patch.dict": "with mock.patch.dict({module}.__dict__, {{{name}: {module}.other}}):\n        seen()",
    "patch.dict of a path": 'with mock.patch.dict(MODULE + ".__dict__", {{{name}: {module}.other}}):\n        seen()',
    "setattr": "setattr({module}, {name}, {module}.other)\n    seen()",
    "a fixture": "m = pytest.MonkeyPatch()\n    m.setattr({module}, {name}, {module}.other)\n    seen()\n    m.undo()",
    "a module's own": "types.ModuleType.__setattr__({module}, {name}, {module}.other)\n    seen()",
    "an object's": "object.__setattr__({module}, {name}, {module}.other)\n    seen()",
    "setattr, looked up": "setattr(sys.modules[MODULE], {name}, {module}.other)\n    seen()",
}
HEADS = {
    "imported": TESTS,
    "looked up": TESTS.replace("import kernels", 'kernels = importlib.import_module("kernels")'),
}
WHERE = ("own", *HEADS)
OWN, OTHER = "sys.modules[__name__]", "kernels"


def changes(texts: dict[str, str]) -> bool:
    """Whether it is another when it is seen to be."""
    made = {name: types.ModuleType(name) for name in texts}
    before = {name: sys.modules.get(name) for name in texts}
    sys.modules.update(made)
    seen: list[bool] = []
    first: list[object] = []
    try:
        for name, text in texts.items():
            made[name].__dict__["seen"] = lambda: seen.append(made["kernels"].put is not first[0])
            # (Which decorator is on it is the same to whoever sets it.)
            exec(text.replace("@triton.jit\n", ""), made[name].__dict__)  # the test's own text
            first.append(made["kernels"].put)
        made[[*texts][-1]].run()
    finally:
        for name, module in before.items():
            sys.modules.pop(name)
            if module is not None:
                sys.modules[name] = module
    assert len(seen) == 1
    return seen[0]


def doubted(folder: Path, texts: dict[str, str]) -> bool:
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    project = Project([str(folder)], [], patient=True)
    module = project.module(str(folder / "kernels.py"))
    resolver = project.resolver
    with resolver.noting() as notes:
        resolver.lookup(resolver.scope(module), "put")
    return bool(notes)


def files(run: str, where: str) -> dict[str, str]:
    text = f"def run():\n    {run}\n"
    return {"kernels": KERNELS + text} if where == "own" else {"kernels": KERNELS, "test_kernels": HEADS[where] + text}


def check(folder: Path, run: str, where: str) -> None:
    texts = files(run, where)
    assert changes(texts)
    assert doubted(folder, texts)


@pytest.mark.parametrize(("how", "path", "where"), product(BY_PATH, PATHS, WHERE))
def test_by_a_path(how: str, path: str, where: str, tmp_path: Path) -> None:
    module = OWN if where == "own" else OTHER
    check(tmp_path, BY_PATH[how].format(path=PATHS[path].format(module=module), module=module), where)


@pytest.mark.parametrize(("how", "name", "where"), product(BY_NAME, NAMES, WHERE))
def test_by_its_name(how: str, name: str, where: str, tmp_path: Path) -> None:
    module = OWN if where == "own" else OTHER
    check(tmp_path, BY_NAME[how].format(name=NAMES[name].format(module=module), module=module), where)


OTHERS = {
    "of another": 'with mock.patch("sys.{name}", 1):\n        seen()',
    "of another, filled in": 'with mock.patch(f"{{sys.__name__}}.{name}", 1):\n        seen()',
    "of another by its name": 'with mock.patch.object(sys, "{name}", 1):\n        seen()',
    "what is said": 'print("to put here", MODULE, f"put {{MODULE}}")\n    seen()',
}


@pytest.mark.parametrize(("how", "where"), product(OTHERS, ("own", "imported")))
def test_another_of_its_kind_is_none(how: str, where: str, tmp_path: Path) -> None:
    texts = files(OTHERS[how].format(name="maxsize"), where)
    assert not changes(texts)
    assert not doubted(tmp_path, texts)
