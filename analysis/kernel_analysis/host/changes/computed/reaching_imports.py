"""Where a file has, by its imports, what reaches any module by itself: ``gc``'s functions, ``enum.global_enum``, and
the like. (Where they stand by their own names ``computed_names`` finds them.)

Syntax only. The module as a value counts, as nobody sees what is taken of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.computed.computed_site import ComputedSite
from kernel_analysis.host.changes.uses import occurrences
from kernel_analysis.source.text_search.mentions import HARMLESS_OF_GC, REACHING
from kernel_analysis.source.tree import nodes

if TYPE_CHECKING:
    from kernel_analysis.source.module import Module


def sites(other: Module) -> Iterator[ComputedSite]:
    """What a file imports that reaches anything: under another name, and ``gc`` but for what gives no object."""
    for node, _ in nodes.statements(other):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.ImportFrom) and not node.level:
            plain = HARMLESS_OF_GC if node.module == "gc" else ()
            for alias in node.names:
                renamed = alias.name in REACHING and alias.asname is not None
                if renamed or node.module == "gc" and alias.name not in plain:
                    yield ComputedSite(line)
        for alias in node.names if isinstance(node, ast.Import) else ():
            if alias.name in ("gc", "enum"):
                yield from _of_module(other, alias.name, alias.asname or alias.name)


def _of_module(other: Module, module: str, called: str) -> Iterator[ComputedSite]:
    """Where a file has more of such a module than is known to be harmless, or the module as a value."""
    for at in occurrences(other, called):
        node, above = (*at.chain, None)[:2]
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
            continue
        taken = above.attr if isinstance(above, ast.Attribute) else None
        if isinstance(above, ast.Call) and getattr(above.func, "id", "") in ("getattr", "hasattr"):
            text = above.args[1] if len(above.args) > 1 else None
            taken = text.value if isinstance(text, ast.Constant) else None
        if taken is None or (taken not in HARMLESS_OF_GC if module == "gc" else taken in REACHING):
            yield ComputedSite(node.lineno)
