"""Whether torch's own functions may give something else than the rows say: a mode around whoever calls, an operator of
aten's with another body, another default dtype.

Reads the index of the workspace and the classes that it names; evaluates bases, runs nothing.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.changes.uses import Occurrence, occurrences
from kernel_analysis.host.evaluate.values import External, UserClass
from kernel_analysis.host.names.naming import meaning
from kernel_analysis.host.names.spelled_texts import spelled
from kernel_analysis.record import record
from kernel_analysis.source.text_search.mentions import DEFAULT_DTYPE, OF_ATEN, TAKES_OF_TORCH

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_HOOKS: Final = ("__torch_function__", "__torch_dispatch__")
_NO_MODE: Final = frozenset((
    "builtins.object", "abc.ABC", "torch.Tensor", "torch.nn.Parameter", "torch.nn.Buffer",
    "torch.nn.parameter.Parameter", "enum.Enum", "typing.Protocol",
))  # fmt: skip
"""Bases by which a hook is asked for an object of the class, and for nothing else."""
_DEEPEST: Final = 4


@record
class Altered:
    """``by``: where any function of torch is given another result; ``dtype``: where only the default dtype is another.
    Each None: nowhere. ``files``: what that was read off."""

    by: str | None
    dtype: str | None
    files: frozenset[str]


class AlteredTorch:
    """Of one project, as its files are now."""

    def __init__(self, resolver: ResolverView) -> None:
        self._resolver = resolver
        self._as_of = -1
        self._known = Altered(None, None, frozenset())

    def now(self) -> Altered:
        project = self._resolver.project
        if self._as_of != project.host_changes:
            self._as_of = project.host_changes
            self._known = Altered(None, None, frozenset())  # while it is found out
            with self._resolver.reading() as files:
                by, dtype = self._by(), self._dtype()
            self._known = Altered(by, dtype, frozenset(files))
        self._resolver.read(self._known.files)
        return self._known

    def _by(self) -> str | None:
        elsewhere = self._resolver.project.elsewhere
        for word in _HOOKS:
            for file in elsewhere.storing(None, word, False):
                module = self._resolver.project.load(file)
                for at in occurrences(module, word):
                    if not self._reads(module, at):
                        return self._told(file, getattr(at.chain[0], "lineno", at.statement.lineno))
                for cls in _classes(module, word):
                    if not self._is_no_mode(module, cls, 0):
                        return self._told(file, cls.lineno)
        return next((self._told(file, 1) for file in elsewhere.storing(None, OF_ATEN, False)), None)

    def _reads(self, module: Module, at: Occurrence) -> bool:
        """Whether a hook is called there, of the class above, as its own does; or switched off."""
        node, call = at.chain[0], next(iter(at.chain[1:]), None)
        if isinstance(at.statement, ast.Assign):
            found = meaning(self._resolver, self._resolver.scope(module, at.around), at.statement.value)
            if isinstance(found, External) and found.path == "torch._C._disabled_torch_function_impl":
                return True
        return isinstance(node, ast.Attribute) and isinstance(call, ast.Call) and call.func is node

    def _is_no_mode(self, module: Module, cls: ast.ClassDef, depth: int) -> bool:
        scope = self._resolver.scope(module)
        if cls not in module.tree.body or cls.keywords or depth > _DEEPEST:
            return False
        for base in cls.bases:
            found = meaning(self._resolver, scope, base)
            if isinstance(found, External) and found.path in _NO_MODE:
                continue
            value = self._resolver.evaluator.evaluate(base, scope)
            if not isinstance(value, UserClass):
                return False
            path = f"{value.scope.module.name}.{value.node.name}"
            if path.startswith("torch."):  # where torch is installed, its files are read
                if path not in _NO_MODE:
                    return False
            elif not self._is_no_mode(value.scope.module, value.node, depth + 1):
                return False
        return bool(cls.bases) or depth > 0

    def _dtype(self) -> str | None:
        elsewhere = self._resolver.project.elsewhere
        for file in elsewhere.storing(None, DEFAULT_DTYPE, False):
            return self._told(file, 1)
        for file in elsewhere.storing(None, TAKES_OF_TORCH, False):
            module = self._resolver.project.load(file)
            for at in occurrences(module, "getattr"):
                if self._calls_unspelled(module, at):
                    return self._told(file, at.statement.lineno)
        return None

    def _calls_unspelled(self, module: Module, at: Occurrence) -> bool:
        """Whether something of torch is called by a name that no text spells."""
        node, get, call = at.chain[0], next(iter(at.chain[1:]), None), next(iter(at.chain[2:]), None)
        if not isinstance(get, ast.Call) or get.func is not node or len(get.args) < 2:
            return False
        scope = self._resolver.scope(module, at.around)
        owner = meaning(self._resolver, scope, get.args[0])
        if not isinstance(owner, External) or owner.path not in ("torch", "torch._C"):
            return False
        if spelled(self._resolver, scope, get.args[1]):
            return False
        return isinstance(call, ast.Call) and (bool(call.args) or bool(call.keywords))

    def _told(self, file: str, line: int) -> str:
        self._resolver.read((file,))
        return self._resolver.project.place(file, line)


def _classes(module: Module, hook: str) -> list[ast.ClassDef]:
    """Those of a file that have a function, or anything else, of that name."""
    return [
        node
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef)
        and any(
            isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)) and inner.name == hook for inner in node.body
        )
    ]
