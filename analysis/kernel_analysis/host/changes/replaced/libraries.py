"""What takes the place of something in a library: ``math.ceil = f``, ``monkeypatch.setattr("torch.float16", ...)``.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.changes import callees
from kernel_analysis.host.changes.module_names.by_path import given_to, looks, may_be_set
from kernel_analysis.host.changes.module_names.other_files import may_be_given
from kernel_analysis.host.changes.replaced import triton_replaced
from kernel_analysis.host.changes.replaced.shims import only_where_missing
from kernel_analysis.host.changes.stands_for.language_values import given, may_give
from kernel_analysis.host.changes.text.text_patterns import may_hand_on, may_set, set_in_strings
from kernel_analysis.host.changes.uses import Occurrence, occurrences, own_instance, sets_by_text, use
from kernel_analysis.host.evaluate.values import External, TritonObject
from kernel_analysis.host.names.imports.packages import is_of_triton
from kernel_analysis.host.names.naming import Bound, meanings
from kernel_analysis.source.text_search.looked_up import looks_up_modules
from kernel_analysis.source.text_search.mentions import TEXT, goes_through
from kernel_analysis.source.text_search.words import spells

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module


_COMPUTING = frozenset(
    {"builtins", "dataclasses", "enum", "functools", "itertools", "math", "numpy", "operator", "torch", "triton"}
)
"""Libraries of which something is known for certain; of the others everything is open anyway."""
_MADE_OF = ("__base__", "__bases__", "__class__", "__mro__", "mro")
LANGUAGES = ("triton.language", "triton.experimental.gluon.language")
_OF_TRITON = ("cdiv", "next_power_of_2")
"""Functions of Triton's that the host computes with, as with Python's own."""


class Libraries:
    """Of one project, as its files are now."""

    def __init__(self, resolver: ResolverView) -> None:
        self._resolver = resolver
        self._as_of = -1
        self._known: dict[tuple[str, str, str], tuple[str | None, frozenset[str]]] = {}

    def taken(self, owner: External | TritonObject, name: str, module: Module) -> None:
        """Notes why what a file has from a library under a name may be another."""
        if self._resolver.value_alone or owner.path.partition(".")[0] not in _COMPUTING:
            return
        if owner.path.partition(".")[0] == "triton" and (owner.path != "triton" or name not in _OF_TRITON):
            return
        if isinstance(owner, TritonObject) and (why := _stands_in(self._resolver, module, owner)):
            self._resolver.note(why)
        if (why := self.replaced(owner.path, name, module)) is not None:
            self._resolver.note(why)

    def replaced(self, owner: str, name: str, module: Module) -> str | None:
        """Why what a library has under a name may be another, for a file that uses it."""
        if self._as_of != self._resolver.project.host_changes:
            self._as_of = self._resolver.project.host_changes
            self._known.clear()
        keys = [(owner, name, "")]
        if not self._resolver.project.elsewhere.has_read(module.file):
            keys.append((owner, name, module.file))
        for key in keys:
            if key not in self._known:
                self._known[key] = None, frozenset()  # while it is found out
                with self._resolver.reading() as files:
                    if key[2]:
                        why = _by(self._resolver, module.file, owner, name)
                    else:
                        why = _by_any(self._resolver, owner, name)
                self._known[key] = why, frozenset(files)
            why, read = self._known[key]
            self._resolver.read(read)
            if why is not None:
                return f"`{owner}.{name}` may be another by {why}"
        return None


def _by_any(resolver: ResolverView, owner: str, name: str) -> str | None:
    """Where some file of the workspace sets what a library has under a name."""
    elsewhere, last = resolver.project.elsewhere, owner.rpartition(".")[2]
    by_path = elsewhere.storing(None, f"{TEXT}{last}.{name}", False)
    for file in sorted({*elsewhere.storing(None, name, False), *by_path}):
        if (where := _by(resolver, file, owner, name)) is not None:
            return where
    names = resolver.touches.computed_names
    return names.of_triton(owner, name) if _makes_kernels(owner, name) else names.of_library(owner, name)


def _makes_kernels(owner: str, name: str) -> bool:
    """Whether it is Triton's, and more than something that the host computes with: every program has it, and what sets
    whatever is asked whether it speaks of that."""
    return owner.partition(".")[0] == "triton" and not (owner == "triton" and name in _OF_TRITON)


def _by(resolver: ResolverView, file: str, owner: str, name: str) -> str | None:
    """Where a file does."""
    says = resolver.project.says
    if owner.partition(".")[0] == "triton" and is_of_triton(resolver, file):
        return None
    if not (says(file, may_set, name) or name in says(file, set_in_strings) or says(file, spells, f"{owner}.{name}")):
        return None
    other = resolver.project.load(file)
    for at in occurrences(other, name):
        if _sets(resolver, other, at, owner, name):
            resolver.read((file,))
            line = getattr(at.chain[0], "lineno", at.statement.lineno)
            return resolver.project.place(file, line)
    return None


def set_in_builtins(resolver: ResolverView) -> str | None:
    """Where some file sets one of Python's own names by ``__builtins__``."""
    for file in resolver.project.elsewhere.storing(None, "__builtins__", False):
        other = resolver.project.load(file)
        for at in occurrences(other, "__builtins__"):
            made = use(at, callees.judge(resolver, resolver.scope(other, at.around)))
            if isinstance(at.chain[0], ast.Name) and made is not None:
                resolver.read((file,))
                return resolver.project.place(file, made.line)
    return None


def _sets(resolver: ResolverView, other: Module, at: Occurrence, owner: str, name: str) -> bool:
    node = at.chain[0]
    found: ast.expr | str | None = None
    if isinstance(node, ast.Attribute):
        found = node.value if not isinstance(node.ctx, ast.Load) else None
    elif isinstance(node, ast.Constant):
        if node.value == f"{owner}.{name}":
            if not _makes_kernels(owner, name):
                return given_to(at) is not None and not looks(resolver, other, at)
            return may_be_set(resolver, other, at)
        found = sets_by_text(at)
    if found is None or isinstance(found, str):
        return found == owner
    of_class = owner.rpartition(".")[2][:1].isupper()
    if of_class and _may_be_a_base(found):
        return True
    scope = resolver.scope(other, at.around)
    known = meanings(resolver, scope, found)
    if any(isinstance(one, (External, TritonObject)) and one.path == owner for one in known):
        return owner.partition(".")[0] != "triton" or not only_where_missing(resolver, other, at, owner, name)
    if owner.startswith(LANGUAGES):
        # (Attributes called `load` or `dtype` are set everywhere: what is not in sight counts for none of them.)
        held = () if own_instance(found, at) else given(resolver, scope, found)
        return may_give(held, owner) and not only_where_missing(resolver, other, at, owner, name)
    # What is not in sight may be the module, where that goes about as a value.
    unseen = any(one is None or isinstance(one, Bound) and may_be_given(resolver, one) for one in known)
    if not unseen or own_instance(found, at):
        return False
    if _makes_kernels(owner, name):
        return triton_replaced.may_be(resolver.project, other, found, owner, name)
    here = goes_through(other.usual) or looks_up_modules(other.usual) or may_hand_on(other.usual, owner)
    return here or bool(resolver.project.elsewhere.handing_library(owner))


def _stands_in(resolver: ResolverView, module: Module, value: TritonObject) -> str | None:
    """Why what the module imports as Triton may be something else there: host code computes with it, too."""
    scope = resolver.scope(module)
    for name, events in module.table.events.items():
        aliases = [event.alias.name for event in events if event.how in ("import", "from") and event.alias]
        if value.path in aliases and (why := resolver.touches.by_others(scope, name, value)):
            return why
    return None


def _may_be_a_base(node: ast.expr) -> bool:
    """Whether it is what an object or a class is made of: ``type(x)``, ``Mine.__base__``."""
    return any(
        isinstance(part, ast.Attribute) and part.attr in _MADE_OF or isinstance(part, ast.Name) and part.id == "type"
        for part in ast.walk(node)
    )
