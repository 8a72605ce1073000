"""What was found out of a scope, kept as of an epoch of the project for who asks in the same way. Who is given it again
is told again what goes with it: the files, why it may be another, what may be raised. Decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, TypeVar, cast

from kernel_analysis.host.evaluate.values import Scope

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import EvaluatorView

_T = TypeVar("_T")


def found_once(evaluator: EvaluatorView, scope: Scope, what: Hashable, find: Callable[[], _T]) -> _T:
    """``find()``, or what it gave before for the same ``what`` when the scopes had got as far. What is found while a
    call is followed, rests on what callers pass, or went round in a circle, is not kept; nor what another than the
    project's own evaluator finds, whose steps may come to an end in the middle."""
    resolver, around = evaluator.resolver, [*_around(scope)]
    if evaluator is not resolver.evaluator or resolver.supposing or any(one.locals is not None for one in around):
        return find()
    scope.renew(resolver.project.epoch)
    key = (resolver.value_alone, evaluator.doubting > 0, what, *map(resolver.moment, around))
    known = scope.kept.get(key)
    if known is not None:
        found, files, notes, doubts = known
        resolver.read(files)
        resolver.note(*notes)
        evaluator.doubts += doubts
        return cast("_T", found)
    noting = nullcontext(set[str]()) if resolver.value_alone else resolver.noting()
    before = evaluator.doubts
    with resolver.circling() as circles, resolver.reading() as read, noting as noted:
        found = find()
    if not circles:
        scope.kept[key] = found, frozenset(read), frozenset(noted), evaluator.doubts - before
    return found


def _around(scope: Scope) -> Iterator[Scope]:
    current: Scope | None = scope
    while current is not None:
        yield current
        current = current.parent
