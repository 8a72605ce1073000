"""Whether a file may be run otherwise than it is written: ``exec(inspect.getsource(call).replace(...))``. A package
that tunes its kernels so leaves out of a launch what it puts there itself.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from kernel_analysis.host.changes import callees
from kernel_analysis.host.changes.text.text_patterns import may_hand_on
from kernel_analysis.host.changes.uses import Occurrence, occurrences, use
from kernel_analysis.host.evaluate.values import TritonObject
from kernel_analysis.host.names.naming import Bound, meaning, meanings
from kernel_analysis.source.text_search.code_texts import READS_CODE, RUNS_CODE
from kernel_analysis.source.tree import nodes
from kernel_analysis.source.tree.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_PARTS = ("fn", "src", "raw_src")
"""Attributes of a kernel by which its text is had."""
_HAS_TEXT = (".src", "raw_src", "getsource", "getlines", "co_filename")
_MAKES = ("ast.parse(", "libcst", "exec(", "compile(", "_unsafe_update_src", "._src", "exec_module", "run_path")
"""By which a file has the text of code, and by which it makes code of one."""
_CLASS = "JITFunction"
_UPDATES = "_unsafe_update_src"
_OVERRIDES = re.compile(r"def\s+(?:parse|_?src|_[gs]et_src)\s*\(\s*self|\.\s*(?:parse|_?src)\s*=(?!=)")
"""What a class of Triton's own kind of functions says of its text."""
_HOLDS = (ast.Call, ast.keyword, ast.Starred, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.IfExp, ast.NamedExpr)


def changed(resolver: ResolverView, module: Module) -> str | None:
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


def of_kernel(resolver: ResolverView, module: Module, name: str, decorators: Iterable[ast.expr] = ()) -> str | None:
    """Which file could compile another text than a kernel's own, in words: it takes such texts apart, and is given the
    kernel, or has the function that is: ``unrolled = unroll(kernel, 4)``, or that decorates it."""
    project = resolver.project
    for taking in of_decorators(resolver, module, decorators):
        if project.says(taking, _takes_apart):
            resolver.read((taking,))
            return f"`{project.relative(taking)}` takes the text of kernels apart, and decorates this one"
    for file in (module.file, *sorted(project.elsewhere.calling(module, name))):
        other = project.load(file)
        for at in occurrences(other, name):
            for taking in _given_to(resolver, other, at):
                if project.says(taking, _takes_apart):
                    resolver.read((file, taking))
                    return f"`{project.relative(taking)}` takes the text of kernels apart, and is given this one"
    return None


def of_decorators(resolver: ResolverView, module: Module, decorators: Iterable[ast.expr]) -> list[str]:
    """The files of what decorates a function and is not Triton's, and those of the workspace that these import."""
    scope = resolver.scope(module)
    found: list[object] = []
    for decorator in decorators:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if not all(isinstance(one, TritonObject) for one in meanings(resolver, scope, called)):
            named = [n for n in descend(decorator) if isinstance(n, (ast.Name, ast.Attribute))]
            found += [one for node in named for one in meanings(resolver, scope, node)]
    files = {one.scope.module.file for one in found if isinstance(one, Bound)}
    return sorted({*files, *(file for one in files for file in _imports(resolver, one))})


def _imports(resolver: ResolverView, file: str) -> Iterator[str]:
    other = resolver.project.load(file)
    for events in other.table.events.values():
        for event in events:
            of, alias = event.node, event.alias
            if not isinstance(of, (ast.Import, ast.ImportFrom)) or alias is None:
                continue
            source = alias.name if isinstance(of, ast.Import) else "." * of.level + (of.module or "")
            located = resolver.project.find_module(source, file)
            if located is not None and any(located.startswith(root) for root in resolver.project.roots):
                yield located


def _given_to(resolver: ResolverView, other: Module, at: Occurrence) -> Iterator[str]:
    """The files whose code has the kernel that stands there as a value: among the arguments of a call, in whatever they
    are held."""
    node, above = at.chain[0], at.chain[1] if len(at.chain) > 1 else None
    scope = resolver.scope(other, at.around)
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or callees.in_kernel(resolver, scope):
        return
    if isinstance(above, ast.Attribute) and above.attr in _PARTS:
        yield other.file
    for inner, above in pairwise(at.chain):
        if isinstance(above, ast.Call) and inner is not above.func:
            found = meaning(resolver, scope, above.func)
            yield found.scope.module.file if isinstance(found, Bound) else other.file
        if not isinstance(above, _HOLDS):
            return


def sets_text(text: str) -> bool:
    """Whether a file may give a jit function another text than that of the function that it is made of."""
    return _UPDATES in text or _CLASS in text and _OVERRIDES.search(text) is not None


def _takes_apart(text: str) -> bool:
    if sets_text(text):
        return True
    return any(word in text for word in _MAKES) and any(word in text for word in _HAS_TEXT)


def _handed(resolver: ResolverView, module: Module) -> bool:
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
