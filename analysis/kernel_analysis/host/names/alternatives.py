"""Which of several bindings of a name a kernel gets, and what else the name may be where the file runs. Evaluates
nothing itself, and reads no file."""

from __future__ import annotations

import ast
import builtins
from dataclasses import replace
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.properties import alike
from kernel_analysis.host.evaluate.values import Definition, Dict, Jit, ModuleValue, Scope, Unknown, UserFunction, Value
from kernel_analysis.host.names import guards
from kernel_analysis.host.names.imports.packages import is_triton_module, triton_has
from kernel_analysis.source.slice import WRITTEN_WITH, TritonObject
from kernel_analysis.source.tree.scopes import Event

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView

_BUILTINS = frozenset(dir(builtins))


def pick(resolver: ResolverView, scope: Scope, name: str, events: list[Event]) -> Definition:
    """The last binding that happens; where that can't be decided, the one that a kernel could use. Says why it may be
    another, if it may."""
    why: set[str] = set()
    found = _chosen(resolver, scope, name, events, why)
    if not why:
        return found
    if scope.table.stars or name in _BUILTINS:
        # Where none of these happens, there may be yet another.
        resolver.note(*why)
        return replace(found, others=None)
    out_of_sight = False
    others: list[Definition] = []
    for event in events:
        doubts: set[str] = set()
        with resolver.aside(doubts):
            other = resolver.meaning(scope, name, event)
        if doubts and other.others:
            # What is imported has alternatives of its own, and these are all.
            others += [inner for inner in other.others if not same(inner.value, found.value)]
        elif doubts:
            out_of_sight = True
        if isinstance(other.value, TritonObject) and not triton_has(resolver, other.value.path):
            continue  # where that is imported there is no module, and no kernel
        # What is the same by all that is known is another if it is a guess.
        guessed = bool(doubts) and not other.others and event.node is not found.node
        if guessed or not same(other.value, found.value):
            others.append(other)
    if isinstance(found.value, TritonObject) and is_triton_module(resolver, found.value.path):
        # Where something takes the place of Triton's modules that has nothing of Triton's in it, there is no kernel.
        kinds = (TritonObject, ModuleValue, *(() if found.value.path in WRITTEN_WITH else (Unknown,)))
        others = [other for other in others if isinstance(other.value, kinds)]
    if others:
        resolver.note(*why)
        return replace(found, others=None if out_of_sight else tuple(others))
    return found


def _chosen(resolver: ResolverView, scope: Scope, name: str, events: list[Event], why: set[str]) -> Definition:
    """``why``: is told why it may be another where the file runs."""
    if len(events) > 1 or name in _BUILTINS or isinstance(scope.node, ast.ClassDef):
        for event in events:
            if event.guards or event.within:
                why.update(guards.elsewhere(resolver, scope, event))
    candidates: list[tuple[Event, str]] = []
    for event in reversed(events):
        with resolver.aside(why):
            verdict, undecided = guards.happens(resolver, scope, event)
        if verdict is False:
            continue
        candidates.append((event, undecided))
        if verdict:
            break
    else:
        # Where none of these happens, there may be yet another.
        condition = next((text for _, text in candidates if text), "")
        starred = resolver.starred(scope, name, events) if scope.table.stars else None
        if starred is not None:
            why.update(reason for event in events for reason in guards.elsewhere(resolver, scope, event))
            if not candidates:
                return starred
        if condition and (scope.table.stars or name in _BUILTINS or isinstance(scope.node, ast.ClassDef)):
            why.add(f"it depends on {condition}")
        if not candidates:
            reason = f"`{name}` is bound only where a condition rules it out."
            return Definition(Unknown(reason, missing=True, ruled_out=True), scope.module, events[-1].node)
    if len(candidates) == 1:
        return resolver.meaning(scope, name, candidates[0][0])
    doubts: list[set[str]] = [set() for _ in candidates]
    found: list[Definition] = []
    for (event, _), own in zip(candidates, doubts, strict=True):
        with resolver.aside(own):
            found.append(resolver.meaning(scope, name, event))
    chosen = _of_several(resolver, scope, name, candidates, found, why)
    among = any(one is chosen for one in found)
    for one, own in zip(found, doubts, strict=True):
        if one is chosen or not among:
            resolver.note(*own)
        elif own:
            # What the others may be is asked where they are counted: here only that they may be others.
            why.add(f"it depends on {next((text for _, text in candidates if text), 'where it runs')}")
    return chosen


def _of_several(
    resolver: ResolverView,
    scope: Scope,
    name: str,
    candidates: list[tuple[Event, str]],
    found: list[Definition],
    why: set[str],
) -> Definition:
    """The one of several that may happen which a kernel could use."""
    usable = [f for f in found if f.value is not None and not isinstance(f.value, Unknown)]
    # What the installed Triton lacks is meant for another.
    usable = [f for f in usable if not isinstance(f.value, TritonObject) or triton_has(resolver, f.value.path)]
    compiled = [f for f in usable if isinstance(f.value, (Jit, TritonObject))]
    choice = compiled or usable or found
    condition = next((text for _, text in candidates if text), "where it runs")
    if all(same(f.value, choice[0].value) for f in choice):
        lacking = [f for f in found if isinstance(f.value, TritonObject) and not triton_has(resolver, f.value.path)]
        if any(not same(f.value, choice[0].value) for f in found if f not in lacking):
            why.add(f"it depends on {condition}")
        return choice[0]
    names = {f.value.path.rpartition(".")[2] if isinstance(f.value, TritonObject) else None for f in choice}
    if len(names) == 1 and None not in names:
        # Triton's functions of one name compute the same wherever they are found; people try the usual place first.
        return choice[-1]
    for event, _ in candidates:
        if _asks_for_triton(event) and (definition := resolver.meaning(scope, name, event)).value is True:
            return definition  # what unsets the flag looks for a GPU or a driver
    if not usable:
        reason = f"`{name}` depends on {condition}, which can't be known without running it."
        return Definition(Unknown(reason), scope.module, found[0].node)
    why.add(f"it depends on {condition}")
    guesses = [(event, f) for (event, _), f in zip(candidates, found, strict=True) if f in choice]
    with resolver.aside(why):
        return next((f for event, f in guesses if guards.likely(resolver, scope, event)), guesses[0][1])


def same(a: Value, b: Value) -> bool:
    """Whether two values are one, by all that is known of them."""
    if isinstance(a, Jit) and isinstance(b, Jit):
        return a.function is b.function
    if isinstance(a, UserFunction) or isinstance(b, UserFunction) or isinstance(a, Dict):
        return a is b
    return alike(a, b)


def _asks_for_triton(event: Event) -> bool:
    """``find_spec("triton") is not None``."""
    value = event.value
    return value is not None and any(isinstance(n, ast.Constant) and n.value == "triton" for n in ast.walk(value))
