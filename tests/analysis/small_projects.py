"""Small projects on disk for tests of what is read of them."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.slice import Binding, Slice, Unresolved

HEAD = "import triton\nimport triton.language as tl\n"
USE = "\n@triton.jit\ndef kernel(p):\n    tl.store(p, {0})\n"


def write(folder: Path, **files: str) -> Project:
    """A project of ``files``: ``a__b`` is ``a/b.py``. ``site`` holds the installed packages."""
    for name, text in files.items():
        path = folder / (name.replace("__", "/") + ".py") if not name.endswith("__init") else init(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    return Project([str(folder / "work")], [str(folder / "site")])


def init(folder: Path, name: str) -> Path:
    return folder / name.removesuffix("__init").replace("__", "/") / "__init__.py"


def names(project: Project, file: Path) -> list[str]:
    return [f.qualname for f in project.module(str(file)).functions]


def find(project: Project, file: Path, name: str) -> JitFunction:
    return next(f for f in project.module(str(file)).functions if f.name == name)


def sliced(project: Project, file: Path, name: str) -> Slice:
    return cut(project, find(project, file, name))


def is_fixed(folder: Path, texts: dict[str, str]) -> bool:
    """Whether nothing varies in the slice of ``kernel``, which ``main`` has, one of these files."""
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    made = sliced(Project([str(folder)], [], patient=True), folder / "main.py", "kernel")
    return not any(function.varies for function in made.functions)


def bound(project: Project, file: Path, name: str, kernel: str = "kernel") -> Binding:
    return sliced(project, file, kernel).functions[0].bindings[name]


def why(binding: Binding) -> str:
    assert isinstance(binding, Unresolved), binding
    return binding.reason


def value(folder: Path, code: str, name: str = "X", more: Sequence[str] = ()) -> Binding:
    """The binding of ``name`` in a kernel of a module that starts with ``code``."""
    text = HEAD + textwrap.dedent(code) + f"\n@triton.jit\ndef kernel(p):\n    tl.store(p, {name})\n"
    project = write(folder, work__m=text)
    return bound(project, folder / "work/m.py", name)
