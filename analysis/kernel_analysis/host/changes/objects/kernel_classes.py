"""Whether kernels alone have a class: no host code makes an object of it, derives from it or hands it on, and none
takes what is in its module by a name that is not in sight. Then no object that host code has is of it, and nothing that
host code derives from is it: ``type(x)``, ``Sub.__mro__`` are others.

Follows what is spelled; evaluates nothing but decorators.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.objects import handed_objects
from kernel_analysis.host.changes.objects.handed_objects import Shared
from kernel_analysis.host.changes.text.text_strings import code
from kernel_analysis.host.changes.uses import Occurrence, occurrences
from kernel_analysis.host.decorators.decorations import kind_of
from kernel_analysis.host.evaluate.values import External, TritonObject
from kernel_analysis.host.names.naming import meaning
from kernel_analysis.source.text_search.words import has_word
from kernel_analysis.source.tree.nodes import functions_of

if TYPE_CHECKING:
    from kernel_analysis.host.evaluate.values import UserClass
    from kernel_analysis.host.interpreter_views import ResolverView, TouchesView
    from kernel_analysis.source.module import Module

_BESIDE_JIT = ("builtins.staticmethod", "builtins.classmethod")


def is_one(touches: TouchesView, cls: UserClass) -> bool:
    """A class that derives from none, so that nothing is known to have it among those that derive from it."""
    name, module = cls.node.name, cls.scope.module
    if cls.node.bases or cls.node.keywords or touches.resolver.project.elsewhere.reaching(module):
        return False
    key = is_one, module.file, name, cls.node.lineno
    return touches.once(key, lambda: _had(touches, Shared(cls.scope, name, cls.node))) is None


def _had(touches: TouchesView, shared: Shared) -> str | None:
    """The file whose host code has the class."""
    resolver, module = touches.resolver, shared.scope.module
    project, words = resolver.project, resolver.project.elsewhere.called(shared.name)
    for file in (module.file, *(f for f in project.elsewhere.wording(module, shared.name) if f != module.file)):
        for word in (word for word in words if project.says(file, _has_in_code, word)):
            resolver.read((file,))
            other = module if file == module.file else project.load(file)
            for at in map(handed_objects.taken, occurrences(other, word)):
                if not _only_says(resolver, other, at) and handed_objects.may_be(touches, shared, other, at):
                    return file
    return None


def _has_in_code(text: str, word: str) -> bool:
    return has_word(text, word) and has_word(code(text, names=True), word)


def _only_says(resolver: ResolverView, other: Module, at: Occurrence) -> bool:
    """Whether it says there what something is, or is a kernel's own."""
    if isinstance(at.statement, (ast.Import, ast.ImportFrom)) or handed_objects.annotates(at):
        return True
    return any(_is_jit(resolver, other, at, node) for node in functions_of(at.around))


def _is_jit(
    resolver: ResolverView, other: Module, at: Occurrence, node: ast.FunctionDef | ast.AsyncFunctionDef
) -> bool:
    """Whether Triton alone runs it: what a ``constexpr_function`` does is done by Python."""
    scope = resolver.scope(other, at.around[: at.around.index(node)])
    jit = False
    for decorator in node.decorator_list:
        said = decorator.func if isinstance(decorator, ast.Call) else decorator
        found = meaning(resolver, scope, said) or resolver.evaluator.evaluate(said, scope)
        kind = kind_of(found.path) if isinstance(found, TritonObject) else None
        if kind is not None and kind.kind == "jit":
            jit = True
        elif not (kind is not None and kind.kind in ("autotune", "heuristics")) and not (
            isinstance(found, External) and found.path in _BESIDE_JIT
        ):
            return False
    return jit
