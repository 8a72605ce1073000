"""What files set in ``__main__``: the module that is run, which may be any of the workspace's.

Syntax only. Where the name is an attribute that is set plainly, ``other_files`` finds it.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.text.text_patterns import keys
from kernel_analysis.host.changes.text.text_strings import quoted
from kernel_analysis.source.text_search.looked_up import MAIN, has_main
from kernel_analysis.source.text_search.mentions import REACHES
from kernel_analysis.source.text_search.words import has_word
from kernel_analysis.source.tree.syntax import descend, kept_with_trees

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module


def changed(resolver: ResolverView, name: str) -> str | None:
    """Why a global of any module may be another, in words: a file has the module that is run, and the name as a text or
    a keyword."""
    project = resolver.project
    for file in sorted(project.elsewhere.storing(None, REACHES, False)):
        if not all(project.says(file, ask, name) for ask in (has_word, _names)) or not project.says(file, has_main):
            continue
        line = _line(project.load(file))
        if line is not None:
            resolver.read((file,))
            return f"`{name}` may be set by a text in {project.place(file, line)}, which has the module that is run"
    return None


def _names(text: str, name: str) -> bool:
    return keys(text, name) or re.search(rf"\b{re.escape(name)}\b", quoted(text)) is not None


@kept_with_trees(64)
def _line(other: Module) -> int | None:
    """Where a file has the module, by an import or by a text that is not only compared."""
    compares = [node for node in descend(other.tree) if isinstance(node, ast.Compare)]
    asked = {id(part) for node in compares for part in (node.left, *node.comparators)}
    # (One that is run under that name has names of its own.)
    asked |= {
        id(node.value) for node in descend(other.tree) if isinstance(node, ast.keyword) and node.arg == "run_name"
    }
    for node in descend(other.tree):
        imports = isinstance(node, (ast.Import, ast.ImportFrom)) and any(alias.name == MAIN for alias in node.names)
        said = node.value if isinstance(node, ast.Constant) and id(node) not in asked else None
        if imports or isinstance(said, str) and said.partition(".")[0] == MAIN:
            return getattr(node, "lineno", 0)
    return None
