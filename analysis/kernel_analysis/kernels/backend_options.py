"""What a launch may pass beside a kernel's parameters, and what an autotuner takes: the options of the backends that
the installed Triton has, and its functions' parameters, read from their files. Imports none of them."""

from __future__ import annotations

import ast
import os
import re
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.names.imports.packages import triton_parameters, triton_version

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView

COMMON: Final = frozenset({"num_warps", "num_stages", "num_ctas", "maxnreg", "ir_override", "debug"})
RESERVED: Final = frozenset({"grid", "warmup"})
"""What ``run`` takes for itself."""


def options(resolver: ResolverView) -> frozenset[str] | None:
    """Of all backends together: for which of them a kernel is launched is not known. None where they can't be read."""
    home = resolver.triton_home
    try:
        names = sorted(os.listdir(f"{home}backends")) if home else []
    except OSError:
        # Not where this Triton has them.
        names = []
    files = [file for name in names if resolver.project.exists(file := f"{home}backends/{name}/compiler.py")]
    found = [_fields(resolver.project.load(file).tree) for file in files]
    return frozenset[str]().union(*found) | COMMON if found and all(found) else None


def _fields(tree: ast.Module) -> frozenset[str]:
    """The fields of the class of a backend's options."""
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef) and statement.name.endswith("Options"):
            made = [
                s.target.id for s in statement.body if isinstance(s, ast.AnnAssign) if isinstance(s.target, ast.Name)
            ]
            if "num_warps" in made:
                return frozenset(made)
    return frozenset()


def parameters(resolver: ResolverView, name: str) -> frozenset[str] | None:
    """What ``triton.autotune`` or ``triton.Config`` of the installed Triton takes; None where that can't be read."""
    found = triton_parameters(resolver, f"triton.{name}")
    return None if found is None else frozenset(found)


def refuses_names(resolver: ResolverView) -> bool:
    """Whether ``triton.autotune`` refuses a name in ``key`` that is no parameter. Before 3.9 it leaves it out."""
    release = re.match(r"(\d+)\.(\d+)", triton_version(resolver) or "")
    return release is not None and (int(release[1]), int(release[2])) >= (3, 9)
