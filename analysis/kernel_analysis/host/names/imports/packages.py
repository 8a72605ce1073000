"""What is known, without reading or running them, of the packages that kernels' files import: Triton's names by its
files, Python's own constants. Never imports any of them."""

from __future__ import annotations

import ast
import math
import os
from functools import lru_cache
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.values import External, Value
from kernel_analysis.source.dtypes import ALIASES, NAMES
from kernel_analysis.source.slice import TorchDtype, TritonObject
from kernel_analysis.source.tree import parameters

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView

CONSTANTS: dict[str, Value] = {
    "math.pi": math.pi, "math.e": math.e, "math.tau": math.tau, "math.inf": math.inf, "math.nan": math.nan,
    "numpy.pi": math.pi, "numpy.e": math.e, "numpy.inf": math.inf, "numpy.nan": math.nan,
    "torch.pi": math.pi, "torch.e": math.e, "torch.inf": math.inf, "torch.nan": math.nan,
    "typing.TYPE_CHECKING": False, "typing_extensions.TYPE_CHECKING": False,
}  # fmt: skip

_LANGUAGE = TritonObject("triton.language")
_LIBDEVICE = TritonObject("triton.language.extra.libdevice")
_GLUON = TritonObject("triton.experimental.gluon.language")
HANDED_ON: dict[str, Value] = {
    "triton": TritonObject("triton"),
    "HAS_TRITON": True,
    "tl": _LANGUAGE,
    "libdevice": _LIBDEVICE,
    "tldevice": _LIBDEVICE,
    "gluon": TritonObject("triton.experimental.gluon"),
    "gl": _GLUON,
    "ttgl": _GLUON,
}
"""What is taken from a package that is not in sight by a name that only Triton's modules go by. That it may be a
stand-in where Triton is missing concerns no kernel: where there are kernels, there is Triton."""


def opaque(dotted: str) -> bool:
    """Whether a package is never read: it is too large, and what kernels take from it is known here (of
    ``torch.nn.functional``, what its text would say: rows of ``library``). Torch's other submodules are read."""
    return dotted in (
        "torch",
        "torch.nn.functional",
        "torch.version",
        "numpy",
        "jax",
        "packaging",
        "packaging.version",
        "typing_extensions",
        "pytest",
    )


def external_member(path: str, name: str) -> Value:
    """An attribute of a package that is not read."""
    if path == "torch" and name in NAMES:
        return TorchDtype(ALIASES.get(name, name))
    full = f"{path}.{name}"
    return CONSTANTS.get(full, External(full))


def triton_version(resolver: ResolverView) -> str | None:
    """``triton.__version__`` as its ``__init__.py`` says it."""
    if not resolver.triton_home:
        return None
    module = resolver.project.load(resolver.triton_home + "__init__.py")
    for event in module.table.events.get("__version__", []):
        if isinstance(event.value, ast.Constant) and isinstance(event.value.value, str):
            return event.value.value
    return None


def triton_has(resolver: ResolverView, path: str) -> bool:
    """Whether the installed Triton has an object of this dotted path, by its files. Without an installed Triton
    everything is there."""
    if not resolver.triton_home:
        return True
    parts = path.split(".")
    folder = resolver.triton_home.rstrip("/")
    for index, part in enumerate(parts[1:], 1):
        if resolver.project.exists(f"{folder}/{part}/__init__.py"):
            folder = f"{folder}/{part}"
            continue
        if resolver.project.exists(f"{folder}/{part}.py"):
            rest = parts[index + 1 :]
            return not rest or _bound(resolver, f"{folder}/{part}.py", rest[0])
        return _bound(resolver, f"{folder}/__init__.py", part)
    return True


def is_of_triton(resolver: ResolverView, file: str) -> bool:
    """Whether a file is the installed Triton's own, which may be a checkout in the workspace: it sets nothing that is
    not Triton as it is installed."""
    return bool(resolver.triton_home) and file.startswith(resolver.triton_home)


def is_triton_module(resolver: ResolverView, path: str) -> bool:
    """Whether this is a module of the installed Triton, by its files; of one that is not there only the best known
    are."""
    if not resolver.triton_home:
        return path in ("triton", "triton.language")
    return _is_module_in(resolver.triton_home, path)


@lru_cache(maxsize=512)
def _is_module_in(home: str, path: str) -> bool:
    """(The installed Triton stays as it is for as long as the process lives.)"""
    folder = os.path.join(home, *path.split(".")[1:]).rstrip("/")
    return os.path.isfile(f"{folder}/__init__.py") or os.path.isfile(f"{folder}.py")


def _bound(resolver: ResolverView, file: str, name: str, depth: int = 0) -> bool:
    """Whether a module of Triton binds the name at its top level, star imports included. One that can't be read may
    bind any."""
    module = resolver.project.load(file)
    table = module.table
    if name in table.events or module.note is not None:
        return True
    if depth > 4 or not table.stars:
        return False
    for event in table.stars:
        node = event.node
        if isinstance(node, ast.ImportFrom):
            located = resolver.project.find_module("." * node.level + (node.module or ""), file)
            if located and located != file and _bound(resolver, located, name, depth + 1):
                return True
    return False


_TRANSPARENT = frozenset({"builtin", "_tensor_member_fn"})
"""Decorators of Triton's under which a function still shows its own parameters."""


def triton_parameters(resolver: ResolverView, path: str) -> tuple[str, ...] | None:
    """What a function or class of the installed Triton takes, by its files; None where they do not say it."""
    head, _, name = path.rpartition(".")
    file = resolver.project.find_module(head, resolver.triton_home + "__init__.py") if resolver.triton_home else None
    return _takes(resolver, file, name) if file else None


def _takes(resolver: ResolverView, file: str, name: str, depth: int = 0) -> tuple[str, ...] | None:
    events = resolver.project.load(file).table.events.get(name, [])
    node = events[-1].node if events else None
    if isinstance(node, ast.ImportFrom) and events[-1].alias is not None and depth <= 4:
        located = resolver.project.find_module("." * node.level + (node.module or ""), file)
        return _takes(resolver, located, events[-1].alias.name, depth + 1) if located else None
    own = 0
    if isinstance(node, ast.ClassDef):
        made = [s for s in node.body if isinstance(s, ast.FunctionDef) and s.name == "__init__"]
        node, own = (made[0], 1) if made and not node.decorator_list else (None, 0)
    if not isinstance(node, ast.FunctionDef):
        return None
    if not all(isinstance(d, ast.Name) and d.id in _TRANSPARENT for d in node.decorator_list):
        return None
    return tuple(argument.arg for argument in parameters.every(node.args))[own:]


def torch_version(resolver: ResolverView) -> str | None:
    """``torch.__version__`` as the installed torch's ``version.py`` says it."""
    located = resolver.project.locate_installed(["torch", "version"])
    if located is None or located.file is None:
        return None
    for event in resolver.project.load(located.file).table.events.get("__version__", []):
        if isinstance(event.value, ast.Constant) and isinstance(event.value.value, str):
            return event.value.value
    return None
