"""What a workspace gives Triton's own modules and classes that the installed ones have not: ``tl.flip2 = mine``, a
function for ``@core._tensor_member_fn``, which puts it among the methods of blocks. A kernel that asks for that is no
error.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from kernel_analysis.source.text_search.words import has_word

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


def _lacking(kind: ProblemKind) -> Iterator[tuple[str, str]]:
    """The modules and classes that may be spoken of, and what they have not."""
    if kind.module is not None and kind.attribute is not None and kind.module.partition(".")[0] == "triton":
        yield kind.module, kind.attribute
    elif kind.lacking is not None and kind.attribute is not None:
        for language in _LANGUAGES:
            yield f"{language}.{kind.lacking}", kind.attribute
    elif kind.syntax is not None:
        yield _COMPILER, f"visit_{kind.syntax}"
