"""What a name of a scope means, found out once for an epoch of the project: names are made of names, and many of many,
so that who follows each of them anew takes a time that grows with a power of their number. Decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import nullcontext
from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from kernel_analysis.host.evaluate.values import Scope
    from kernel_analysis.host.interpreter_views import ResolverView

_T = TypeVar("_T")


def named_once(resolver: ResolverView, scope: Scope, what: Hashable, find: Callable[[], _T]) -> _T:
    """``find()``, or what it gave before, with the files and the doubts that go with it. What a call that is followed
    names is not kept, nor what was found out of a question that is being answered yet."""
    if scope.locals is not None:
        return find()
    scope.renew(resolver.project.epoch)
    key = (named_once, resolver.value_alone, what)
    known = scope.kept.get(key)
    if known is not None:
        resolver.read(known[1])
        resolver.note(*known[2])
        return cast("_T", known[0])
    supposed = resolver.touches.supposed
    noting = nullcontext(set[str]()) if resolver.value_alone else resolver.noting()
    with resolver.circling() as circles, resolver.reading() as read, noting as noted:
        found = find()
    if not circles and supposed == resolver.touches.supposed:
        scope.kept[key] = found, frozenset(read), frozenset(noted), 0
    return found
