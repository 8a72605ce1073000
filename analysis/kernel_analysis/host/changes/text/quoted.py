"""Code that stands in strings: what ``exec``, ``timeit``, ``doctest`` or whatever else that runs texts makes of it.

Any string counts that is code which does something: who may run it, and as of which names, nobody follows.
"""

from __future__ import annotations

import ast
import re
import textwrap

from kernel_analysis.source.parsing.parse import whole

_DOES = re.compile(r"[=(]|\bdel\b|\bimport\b")
"""What a text has that stores something, or calls something."""
_EXAMPLE = re.compile(r"^[ \t]*(?:>>>|\.\.\.) ?(.*)$", re.MULTILINE)


def code_in(node: ast.Constant) -> list[ast.stmt]:
    """The statements of a string that is code, standing where the string does."""
    text = node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value
    if not isinstance(text, str) or not _DOES.search(text):
        return []
    tree = whole(textwrap.dedent("\n".join(_EXAMPLE.findall(text)) if ">>>" in text else text).strip())
    if tree is None or all(map(_only_says, tree.body)):
        return []
    for inner in (inner for statement in tree.body for inner in ast.walk(statement)):
        if hasattr(inner, "lineno"):
            ast.copy_location(inner, node)
    return tree.body


def _only_says(statement: ast.stmt) -> bool:
    """Whether it neither stores nor calls."""
    doing = (ast.Call, ast.NamedExpr, ast.Await)
    return isinstance(statement, ast.Expr) and not any(isinstance(node, doing) for node in ast.walk(statement))
