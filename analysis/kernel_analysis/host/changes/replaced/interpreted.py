"""Whether what a file has of kernels is for Triton's interpreter, which runs them as Python and takes what the compiler
refuses: ``os.environ["TRITON_INTERPRET"] = "1"``.

Looks at syntax only; evaluates nothing.
"""

from __future__ import annotations

import ast
import os
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.changes.uses import Occurrence, occurrences
from kernel_analysis.source.text_search.words import has_word

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_SETTING: Final = "TRITON_INTERPRET"
_KNOB: Final = "interpret"
_READS: Final = ("get", "getenv", "pop", "unsetenv")


def speaks_of_it(module: Module) -> bool:
    """Whether the file has the setting's name: then what nobody launches there may be for it."""
    return has_word(module.text, _SETTING) or any(map(_is_knob, occurrences(module, _KNOB)))


def is_set_for(resolver: ResolverView, file: str) -> bool:
    """Whether the file does more with the setting than to ask for it, or what pytest imports before it."""
    project, folder = resolver.project, os.path.dirname(file)
    files = [file]
    while any(folder.startswith(root.rstrip("/")) for root in project.roots):
        files.append(os.path.join(folder, "conftest.py"))
        folder = os.path.dirname(folder)
    resolver.read(tuple(files))
    return any(project.exists(one) and sets_it(project.load(one)) for one in files)


def sets_it(module: Module) -> bool:
    """Whether the file does more with the setting than to ask for it."""
    named = (at for at in occurrences(module, _SETTING) if isinstance(at.chain[0], ast.Constant))
    return any(not _only_reads(at) for at in named) or any(_is_knob(at, True) for at in occurrences(module, _KNOB))


def _is_knob(at: Occurrence, is_set: bool = False) -> bool:
    """Whether it is ``triton.knobs.runtime.interpret``, and is given a value."""
    node = at.chain[0]
    if not isinstance(node, ast.Attribute) or is_set and isinstance(node.ctx, ast.Load):
        return False
    return isinstance(node.value, ast.Attribute) and node.value.attr == "runtime"


def _only_reads(at: Occurrence) -> bool:
    node, above = (*at.chain, None)[:2]
    if isinstance(above, ast.Subscript):
        return isinstance(above.ctx, ast.Load)
    if isinstance(above, ast.Call):
        called = above.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        return name in _READS and above.args[:1] == [node]
    return isinstance(above, (ast.Compare, ast.Expr))
