"""The comment lines that belong to a function: right above it, or between its decorators and its ``def``. Says where
they are; what is written there is for whoever asks."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.source.tree.forms import first_line

if TYPE_CHECKING:
    from kernel_analysis.source.module import Module


def lines_above(module: Module, node: ast.FunctionDef) -> list[int]:
    """Their numbers, in order."""
    first = above = first_line(node)
    while above > 1 and module.lines[above - 2].lstrip().startswith("#"):
        above -= 1
    decorated = max((decorator.end_lineno or decorator.lineno for decorator in node.decorator_list), default=first)
    return [*range(above, first), *range(decorated + 1, node.lineno)]


def room_above(module: Module, node: ast.FunctionDef) -> tuple[int, str]:
    """The line above which to write one, with its indentation."""
    line = first_line(node)
    text = module.lines[line - 1]
    return line, text[: len(text) - len(text.lstrip())]
