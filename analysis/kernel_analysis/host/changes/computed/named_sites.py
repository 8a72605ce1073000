"""What a place sets whose name is put together: of whom, and which, as far as the text says. Follows what is spelled;
evaluates nothing.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.changes.computed.computed_site import BY_PATH, ComputedSite
from kernel_analysis.host.changes.stands_for.language_values import given
from kernel_analysis.host.changes.stands_for.module_values import owners_of
from kernel_analysis.host.changes.text.text_strings import quoted
from kernel_analysis.host.changes.uses import Occurrence, own_instance
from kernel_analysis.host.names.spelled_texts import exactly, spelled, whole
from kernel_analysis.source.text_search.mentions import ANY_MODULE

if TYPE_CHECKING:
    from kernel_analysis.host.evaluate.values import Scope
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

LOADED: Final = {False: "sys.modules", True: "sys.modules, whole"}
"""Owners of a site that sets modules: by what may be a part of a text of the file, or by such a text as a whole."""
ANYWHERE: Final = frozenset((ANY_MODULE, BY_PATH))
"""Of whom a path may set something that is put together."""
_TRITON = "triton."
"""Among its owners: anything of Triton's."""
_TAKES_PATH = tuple(
    re.compile(rf"{word}\((?!\s*[\"'][\w.]+[\"']\s*[,)])(?!\s*[\w.]+\s*,\s*[\"']\w+[\"']\s*[,)])")
    for word in ("patch", r"\.setattr", r"\.delattr")
)


def site_of(
    resolver: ResolverView, other: Module, at: Occurrence, owner: ast.expr | None, text: ast.expr | None, line: int
) -> ComputedSite | None:
    """A place that sets what a text names, or what the texts in a container name; None: any."""
    scope = resolver.scope(other, at.around)
    worded = text is not None and spelled(resolver, scope, text)
    if owner is None:
        if isinstance(text, ast.Constant):
            return None  # ``modules`` looks at those
        at_once = text is not None and whole(resolver, scope, text)
        return ComputedSite(line, True, frozenset((LOADED[at_once],))) if worded else ComputedSite(line)
    if own_instance(owner, at):
        return None
    owners = frozenset((*owners_of(resolver, scope, owner), *given(resolver, scope, owner)))
    names = exactly(resolver, scope, text) if text is not None else None
    return ComputedSite(line, worded, owners, names) if owners else None


def set_in(args: list[ast.expr], keywords: list[ast.keyword]) -> ast.expr:
    """The texts that are set in a dict which takes what is in these: of one that is written there, its keys."""
    names: list[ast.expr] = []
    for made_of in (*args, *(k.value for k in keywords if k.arg is None)):
        keys = [key for key in made_of.keys if key is not None] if isinstance(made_of, ast.Dict) else []
        names += keys if isinstance(made_of, ast.Dict) and len(keys) == len(made_of.keys) else [made_of]
    names += [ast.Constant(k.arg) for k in keywords if k.arg is not None]
    return names[0] if len(names) == 1 else ast.Tuple(names, ast.Load())


def takes_path(text: str) -> bool:
    """Whether something may be set in a text by a path that is put together."""
    return any(kept.search(text) for kept in _TAKES_PATH)


def of_path(resolver: ResolverView, scope: Scope, path: ast.expr | None, line: int) -> ComputedSite | None:
    """A place that sets what a text is the path of: only the name is known where the text ends with one, whatever
    stands before it. (A path that is written there is told by itself.)"""
    if isinstance(path, ast.Constant):
        return None
    owners = ANYWHERE | ({_TRITON} if path is None or _leads_to_triton(resolver, scope, path) else frozenset[str]())
    known = exactly(resolver, scope, path) if path is not None else None
    last = _last_name(path) if path is not None else None
    names = frozenset((last,)) if last else None if known is None else frozenset(t.rpartition(".")[2] for t in known)
    worded = names is not None or path is not None and spelled(resolver, scope, path)
    return ComputedSite(line, worded, owners, names)


def _leads_to_triton(resolver: ResolverView, scope: Scope, path: ast.expr) -> bool:
    """Whether a path that is put together may lead there: a part of it says so, or one that is not known could, as
    something in the file does."""
    if isinstance(path, ast.JoinedStr):
        return any(_leads_to_triton(resolver, scope, part) for part in path.values)
    if isinstance(path, ast.FormattedValue):
        return _leads_to_triton(resolver, scope, path.value)
    if isinstance(path, ast.BinOp) and isinstance(path.op, ast.Add):
        return any(_leads_to_triton(resolver, scope, part) for part in (path.left, path.right))
    if isinstance(path, ast.Attribute) and path.attr == "__name__":
        return any(True for _ in given(resolver, scope, path.value))
    known = exactly(resolver, scope, path)
    texts = known if known is not None else (quoted(scope.module.text),)
    return any("triton" in text.lower() for text in texts)


def of_names(
    resolver: ResolverView, scope: Scope, owner: ast.expr, texts: ast.expr, line: int, may_be: frozenset[str]
) -> ComputedSite:
    """A place that sets such names of an object, or of the module whose path a text is. ``may_be``: what else has
    them."""
    parts = texts.elts if isinstance(texts, ast.Tuple) else [texts]
    known = [exactly(resolver, scope, part) for part in parts]
    names = None if None in known else frozenset(name for one in known if one is not None for name in one)
    by_path = BY_PATH in may_be and _leads_to_triton(resolver, scope, owner)
    owners = {
        *may_be,
        *owners_of(resolver, scope, owner),
        *given(resolver, scope, owner),
        *((_TRITON,) if by_path else ()),
    }
    return ComputedSite(line, spelled(resolver, scope, texts), frozenset(owners), names)


def _last_name(text: ast.expr) -> str | None:
    if isinstance(text, ast.JoinedStr) and text.values:
        return _last_name(text.values[-1])
    if isinstance(text, ast.BinOp) and isinstance(text.op, ast.Add):
        return _last_name(text.right)
    whole = text.value if isinstance(text, ast.Constant) else None
    _, dot, last = whole.rpartition(".") if isinstance(whole, str) else ("", "", "")
    return last if dot and last.isidentifier() else None
