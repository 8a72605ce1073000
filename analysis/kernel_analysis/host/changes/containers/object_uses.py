"""What is done with an object of the user's: what of its class's own methods and properties changes nothing of it only
reads it.

Syntax, and which functions the class has; evaluates no call.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.changes import callees, uses
from kernel_analysis.host.changes.objects import classes
from kernel_analysis.host.changes.uses import READS, Use, occurrences, use
from kernel_analysis.host.decorators.dataclass_fields import DoesMore, functions
from kernel_analysis.host.evaluate.properties import changeable
from kernel_analysis.host.evaluate.values import Object, UserClass, UserFunction, Value
from kernel_analysis.source.tree.forms import last_name

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView, TouchesView


def shape(value: Value) -> object:
    """Of an object that what decides which uses of it count; None for another value."""
    if not isinstance(value, Object):
        return None
    cls = id(value.cls.node) if isinstance(value.cls, UserClass) else None
    return cls, value.names, tuple(map(changeable, value.values))


def relevant(resolver: ResolverView, made: Use, value: Value) -> bool:
    """Whether a use changes a value of that kind, or lets others do so."""
    if not uses.relevant(made, value):
        return False
    if not isinstance(value, Object) or made.kind == "store":
        return True
    word = made.word if made.kind == "method" and made.first is None else made.first
    own, changing = _methods(resolver, value)
    return word is None or word not in own or word in changing


def counts(resolver: ResolverView, made: Use, value: Value) -> bool:
    """The same of what is no plain change: of a container any use may be one."""
    return not isinstance(value, Object) or relevant(resolver, made, value)


def changed_unasked(resolver: ResolverView, value: Object, shown: str) -> None:
    """Notes a method that may change the object, and that is called where no text says so, or where it looks as if it
    reads: a property, an operator's."""
    if resolver.value_alone:
        return
    own, changing = _methods(resolver, value)
    for name in sorted(changing):
        if own[name] or name in READS or name.startswith("__"):
            resolver.note(f"`{shown}.{name}` may change it")


def asked(touches: TouchesView, cls: UserClass, name: str, value: Value) -> None:
    """Notes why objects of a class may have another attribute of that name than its code says."""
    if touches.resolver.value_alone:
        return
    moment = touches.resolver.moment(cls.scope)
    key = (cls.scope.module.file, cls.node.lineno, cls.node.col_offset, moment, name, changeable(value))
    why = touches.once(key, lambda: classes.changed(touches, cls, name, value, made=True))
    if why is not None:
        touches.resolver.note(why)


def _methods(resolver: ResolverView, value: Object) -> tuple[dict[str, bool], frozenset[str]]:
    """The functions of the object's class, each with whether it is decorated, and those that may change the object."""
    own: dict[str, bool] = {}
    calls: dict[str, set[str]] = {}
    try:
        found = [*functions(resolver.evaluator, value)]
    except DoesMore:
        return {}, frozenset()
    for function in found:
        assert not isinstance(function.node, ast.Lambda)
        own[function.node.name] = own.get(function.node.name, False) or bool(function.node.decorator_list)
    changing: set[str] = set()
    for function in found:
        assert not isinstance(function.node, ast.Lambda)
        for made in _with_first(resolver, function):
            if not uses.relevant(made, value):
                continue
            word = made.word if made.kind == "method" and made.first is None else made.first
            if word in own and made.kind != "store":
                calls.setdefault(function.node.name, set()).add(word or "")
            else:
                changing.add(function.node.name)
    while more := {name for name, called in calls.items() if called & changing} - changing:
        changing |= more
    return own, frozenset(changing)


def _with_first(resolver: ResolverView, function: UserFunction) -> list[Use]:
    """What a function does with its first parameter beyond reading it."""
    node, module = function.node, function.scope.module
    if any(last_name(decorator) == "staticmethod" for decorator in getattr(node, "decorator_list", ())):
        return []
    spec = node.args
    first = next((argument.arg for argument in (*spec.posonlyargs, *spec.args)), None)
    found: list[Use] = []
    for at in occurrences(module, first) if first is not None else ():
        if isinstance(at.chain[0], ast.Name) and node in at.around:
            made = use(at, callees.judge(resolver, resolver.scope(module, at.around)))
            found += [made] if made is not None else []
    return found
