"""What a workspace gives Triton's own modules and classes that the installed ones have not: ``tl.flip2 = mine``, a
function for ``@core._tensor_member_fn``, which puts it among the methods of blocks. A kernel that asks for that is no
error.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.changes.by_path import given_to
from kernel_analysis.host.changes.uses import Occurrence, occurrences, sets_by_text
from kernel_analysis.host.evaluate.values import TritonObject
from kernel_analysis.host.names.naming import meanings
from kernel_analysis.host.names.packages import triton_has
from kernel_analysis.source.mentions import TEXT
from kernel_analysis.source.words import has_word

if TYPE_CHECKING:
    from kernel_analysis.facts import ProblemKind
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_COMPILER: Final = "triton.compiler.code_generator.CodeGenerator"
_LANGUAGES: Final = ("triton.language", "triton.language.core", "triton.experimental.gluon.language")
_ANY: Final = ("__getattr__", "__getattribute__")
_MAKES_METHODS: Final = "_tensor_member_fn"


def given(resolver: ResolverView, module: Module, kind: ProblemKind, asked: Iterable[str]) -> str | None:
    """Why what the compiler says that something of Triton's lacks, or does not take, may be otherwise where the file
    runs. ``kind``: what it says, ``asked``: the attributes that are asked for at the place."""
    replaced = [(language, name) for name in asked for language in (*_LANGUAGES, f"{_LANGUAGES[1]}.tensor")]
    lacking = [(owner, one) for owner, name in _lacking(kind) for one in (name, *_ANY)]
    for owner, name in (*lacking, *replaced):
        if (why := resolver.libraries.replaced(owner, name, module)) is not None:
            return why
    if kind.lacking is None or kind.attribute is None:
        return None
    for file in (*resolver.project.elsewhere.wording(module, _MAKES_METHODS), module.file):
        if all(resolver.project.says(file, has_word, word) for word in (_MAKES_METHODS, kind.attribute)):
            resolver.read((file,))
            return f"`{resolver.project.relative(file)}` gives blocks methods of its own"
    return None


def in_place(resolver: ResolverView, path: str, chains: Iterable[tuple[str, ...]]) -> str | None:
    """Why something that a function takes of Triton's language is only there because the workspace gives it:
    ``tl.mine``, with the ``chains`` of attributes that are taken of what ``path`` names. (What the installed language
    has is taken to stay as it is.)"""
    for chain in chains:
        names = (*path.split("."), *chain)
        for place in range(2, len(names)):
            owner, name = ".".join(names[:place]), names[place]
            if owner in _LANGUAGES and not triton_has(resolver, f"{owner}.{name}"):
                find = partial(_set_in, resolver, owner, name)
                if (where := resolver.touches.once(("language", owner, name), find)) is not None:
                    return f"`{owner}.{name}` may be another by {where}"
    return None


def _set_in(resolver: ResolverView, owner: str, name: str) -> str | None:
    """Where a file gives a language a name, having that by what it is called. (What is only handed on to other code is
    taken to stay as it is: every program has it.)"""
    elsewhere, last = resolver.project.elsewhere, owner.rpartition(".")[2]
    by_path = elsewhere.storing(None, f"{TEXT}{last}.{name}", False)
    for file in sorted({*elsewhere.storing(None, name, False), *by_path}):
        if not any(resolver.project.says(file, has_word, word) for word in ("triton", "language", "tl", "gl")):
            continue
        other = resolver.project.load(file)
        for at in occurrences(other, name):
            if _sets(resolver, other, at, owner, name):
                resolver.read((file,))
                return resolver.project.place(file, getattr(at.chain[0], "lineno", at.statement.lineno))
    return resolver.touches.computed_names.of_language(owner, name)


def _sets(resolver: ResolverView, other: Module, at: Occurrence, owner: str, name: str) -> bool:
    node = at.chain[0]
    found: ast.expr | str | None = None
    if isinstance(node, ast.Attribute):
        found = node.value if not isinstance(node.ctx, ast.Load) else None
    elif isinstance(node, ast.Constant):
        found = owner if node.value == f"{owner}.{name}" and given_to(at) is not None else sets_by_text(at)
    if found is None or isinstance(found, str):
        return found == owner
    known = meanings(resolver, resolver.scope(other, at.around), found)
    return any(isinstance(one, TritonObject) and one.path == owner for one in known)


def _lacking(kind: ProblemKind) -> Iterator[tuple[str, str]]:
    """The modules and classes that may be spoken of, and what they have not."""
    if kind.module is not None and kind.attribute is not None and kind.module.partition(".")[0] == "triton":
        yield kind.module, kind.attribute
    elif kind.lacking is not None and kind.attribute is not None:
        for language in _LANGUAGES:
            yield f"{language}.{kind.lacking}", kind.attribute
    elif kind.syntax is not None:
        yield _COMPILER, f"visit_{kind.syntax}"
