"""What a workspace puts in the place of Triton's decorators, of ``triton.Config`` or of a method of their classes:
``triton.autotune = mine``, ``@patch("triton.jit")``, ``JITFunction.run = traced``. Then a launch may pass something
else on, and configs may be others; the kernel stays one.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from kernel_analysis.host.changes.text.text_strings import code
from kernel_analysis.source.text_search.words import has_word, places

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ProjectView, ResolverView
    from kernel_analysis.source.module import Module

Kind: TypeAlias = Literal["jit", "autotune", "heuristics", "config"]
DECORATORS: Final[tuple[Kind, ...]] = ("jit", "autotune", "heuristics")
OF_CONFIGS: Final[tuple[Kind, ...]] = ("autotune", "config")

_JIT: Final = ("triton", "triton.runtime", "triton.runtime.jit")
_GLUON: Final = ("triton.experimental.gluon", "triton.experimental.gluon._runtime")
_TUNER: Final = ("triton", "triton.runtime", "triton.runtime.autotuner")
_ANY: Final = ("run", "fn", "__init__", "__new__", "__getitem__", "__getattribute__")
_FOUND: Final[dict[Kind, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]]] = {
    "jit": ((*_JIT, *_GLUON), ("jit", "JITFunction", "GluonJITFunction", "KernelInterface"), (*_ANY, "__call__")),
    "autotune": (_TUNER, ("autotune", "Autotuner", "KernelInterface"), (*_ANY, "configs", "prune_configs")),
    "heuristics": (_TUNER, ("heuristics", "Heuristics", "KernelInterface"), (*_ANY, "values")),
    "config": (_TUNER, ("Config",), ("__init__", "__new__", "__getattribute__", "all_kwargs", "kwargs")),
}
"""The modules that each is taken from, the names that it is made by, and of the classes among these all that decides
what is launched with what."""


def replaced(resolver: ResolverView, module: Module, kind: Kind) -> str | None:
    """Why a decorator, or a config, that a file has of Triton may be, or make, another."""
    own = "" if resolver.project.elsewhere.has_read(module.file) else module.file
    return resolver.touches.once(("triton", kind, own), lambda: _by_any(resolver, module, kind))


def _by_any(resolver: ResolverView, module: Module, kind: Kind) -> str | None:
    owners, names, parts = _FOUND[kind]
    for owner in owners:
        for name in names:
            if (why := resolver.libraries.replaced(owner, name, module)) is not None:
                return why
            for part in parts if name[0].isupper() else ():
                if (why := resolver.libraries.replaced(f"{owner}.{name}", part, module)) is not None:
                    return why
    return None


_GOES_ON: Final = re.compile(r"\s*[.(]|\s+as\s")
_READ: Final = re.compile(r"^\s*(?:from|import|class)\b|(?::|->|\[|\bisinstance\([^()]*,)\s*(?:\w+\.)*$")

"""What stands in front of a class that is imported, derived from, an annotation or tested for."""


def handing(project: ProjectView, owner: str, name: str) -> list[str]:
    """The files that may use one of these modules or classes as a value, and say its name."""
    own = owner.rpartition(".")[2]
    # Every use of `triton.jit` looks as if the module `triton.runtime.jit` went about; and attributes called `load` or
    # `dtype` are set everywhere: of the language counts who has it in sight.
    if own == name or "language" in owner.split("."):
        return []
    asked = _hands_on if own[:1].isupper() else has_word
    return sorted(file for file in project.elsewhere.handing_library(owner) if project.says(file, asked, own))


def _hands_on(text: str, cls: str) -> bool:
    bare = code(text)
    for place in places(bare, cls):
        before = bare[bare.rfind("\n", 0, place) + 1 : place]
        if not _GOES_ON.match(bare, place + len(cls)) and not _READ.search(before):
            return True
    return False


def may_be(project: ProjectView, other: Module, found: ast.expr, owner: str, name: str) -> bool:
    """Whether what is not in sight where a file sets an attribute may be one of these modules or classes."""
    own = owner.rpartition(".")[2]
    if isinstance(found, ast.Attribute) and found.attr == own:
        return True
    looked_up = isinstance(found, (ast.Call, ast.Subscript)) and project.says(other.file, has_word, own)
    return looked_up or bool(handing(project, owner, name))
