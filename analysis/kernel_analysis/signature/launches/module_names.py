"""What a name of the module stands for to the code around a launch: as of a statement of the module, or of a call of
the function that reads it. Evaluates through who answers for the file."""

from __future__ import annotations

import ast
from contextlib import AbstractContextManager
from math import inf
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.containers import turns
from kernel_analysis.host.evaluate.values import Items, Object, Record, TorchDtype, Unknown, Value
from kernel_analysis.host.names.imports import stars, while_imported
from kernel_analysis.signature.launches import library_calls, set_further_down
from kernel_analysis.source.tree.scopes import Event

if TYPE_CHECKING:
    from kernel_analysis.signature.launches.frame import Frame, HostView


def as_of(frame: Frame, node: ast.expr) -> AbstractContextManager[None]:
    """When an argument is computed: as of the statement of the module that it stands in, or whenever a function is
    called."""
    resolver = frame.host.resolver
    if isinstance(frame.node, ast.Module) and not set_further_down.in_lambda(frame.node, node):
        return resolver.at(frame.static, frame.order)
    return resolver.whenever()


def when_bound(frame: Frame, event: Event) -> AbstractContextManager[None]:
    """When a statement binds a name: functions that it calls have what is around them as of then."""
    return frame.host.resolver.at(frame.static if isinstance(frame.node, ast.Module) else frame, event.order)


def told(host: HostView, module: Frame, name: str, found: Value, moment: int | None) -> Value:
    """``found``: what the evaluator of all host code says; ``moment``: the statement of the module that reads it; None:
    a function does. What is imported may be made for another target than the kernel is compiled for, and may be
    another."""
    events = module.table.events.get(name, [])
    if moment is None:
        while_imported.called_early(host.resolver, module.static, name, found, None)
    elif turns.carried(module.node, events, module.table.orders, moment):
        host.resolver.note(f"a turn of the loop before may have set `{name}`")
    if events and all(event.how == "from" for event in events):
        if found is None:
            return library_calls.NOWHERE
        if isinstance(found, (bool, int, float, str, TorchDtype, Items, Object, Record)):
            host.resolver.note(f"`{name}` is another file's")
    if not isinstance(found, Unknown) or not events:
        return found
    by_then = [event for event in events if moment is None or event.order < moment]
    last = max(event.order for event in by_then or events)
    later = [star for star in module.table.stars if star.order > last and (moment is None or star.order < moment)]
    if later and stars.brought(host.resolver, module.static, name, later) is not None:
        return found  # what another file has there instead
    behind_loops(host, module, by_then or events, inf if moment is None else moment)
    return host.bound(module, name, by_then or events, 0)


def behind_loops(host: HostView, frame: Frame, events: list[Event], order: float) -> None:
    """Notes that a variable of a loop that is read behind it, at that statement, may be what it was before."""
    for loop in set_further_down.behind_loops(events, frame.table.orders, order):
        host.resolver.note(f"the loop on {frame.module.at(loop.lineno)} may not make a turn")
