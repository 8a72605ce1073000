"""Whether a file may be run otherwise than it is written: ``exec(inspect.getsource(call).replace(...))``. A package
that tunes its kernels so leaves out of a launch what it puts there itself.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.changes import callees
from kernel_analysis.host.changes.text_patterns import may_hand_on
from kernel_analysis.host.changes.uses import occurrences, use
from kernel_analysis.source import nodes
from kernel_analysis.source.code_texts import READS_CODE, RUNS_CODE

if TYPE_CHECKING:
    from kernel_analysis.host.names.resolve import Resolver
    from kernel_analysis.source.module import Module


def changed(resolver: Resolver, module: Module) -> str | None:
    """Which files could do that, in words: the workspace has code that reads texts of code, and code that runs what is
    made of texts, and something of the file is given to what may do more than call it: by that the file is found."""
    elsewhere = resolver.project.elsewhere
    reading, running = (elsewhere.storing(None, word, False) for word in (READS_CODE, RUNS_CODE))
    if not reading or not running or not _handed(resolver, module):
        return None
    both = sorted(set(reading) & set(running))
    resolver.read((reading[0], running[0]) if not both else (both[0],))
    if both:
        return f"`{resolver.project.relative(both[0])}` reads the text of code, and runs what it makes of it"
    one, other = (resolver.project.relative(found[0]) for found in (reading, running))
    return f"`{one}` reads the text of code, and `{other}` runs what is made of texts"


def _handed(resolver: Resolver, module: Module) -> bool:
    """Whether the file itself, or a function or a class of it, goes about as a value."""
    elsewhere = resolver.project.elsewhere
    if elsewhere.handing(module, True):
        return True
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    made = {node.name: node for node, _ in nodes.statements(module) if isinstance(node, defined)}
    for name in made:
        for at in occurrences(module, name):
            kept = use(at, callees.judge(resolver, resolver.scope(module, at.around)))
            if kept is not None and kept.kind in ("held", "part"):
                return True
    for name in made:
        for file in elsewhere.calling(module, name):
            if resolver.project.says(file, may_hand_on, name):
                resolver.read((file,))
                return True
    return False
