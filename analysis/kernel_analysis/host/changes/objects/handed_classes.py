"""What other code sets in a class: where it is handed to, in whichever file, and where it is had by what it is to
another class or to an object.

Evaluates nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.objects import handed_objects, kernel_classes
from kernel_analysis.host.changes.objects.handed_objects import ATTRIBUTES_OF_JIT, Shared
from kernel_analysis.host.changes.stands_for import class_relations
from kernel_analysis.host.evaluate.properties import changeable
from kernel_analysis.host.names.naming import Bound, named

if TYPE_CHECKING:
    from kernel_analysis.host.evaluate.values import UserClass, Value
    from kernel_analysis.host.interpreter_views import TouchesView

_DECIDE = ("__bases__",)
"""Attributes of a class that decide what the others are."""


def changed(
    touches: TouchesView, cls: UserClass, name: str, value: Value, apart: Callable[[Bound], bool]
) -> str | None:
    """Why ``Class.name`` may be another than the class says. ``apart``: whether a class is another, and derives from
    it in no way."""
    # What its own file does with it is looked at with it, but that an aggregate goes anywhere.
    shared = Shared(cls.scope, cls.node.name, cls.node, its_own=cls.aggregate, dicts=False)
    # A method of an aggregate's is a jit function, which can be changed itself.
    contents, inner = changeable(value) or cls.aggregate, ATTRIBUTES_OF_JIT if cls.aggregate else ()
    why = handed_objects.changed(touches, shared, (name, *_DECIDE), contents, inner)
    if why is None and handed_objects.may_be_set(touches, (name, *_DECIDE, *inner), cls.aggregate):
        for made in touches.handed.related(cls.scope.module, name, contents, _relations(touches, cls)):
            heir = made.heir and _class_of(touches, *made.heir)
            if heir is None or not apart(heir):
                return handed_objects.told(touches, cls.node.name, made)
    return why


def _relations(touches: TouchesView, cls: UserClass) -> tuple[str, ...]:
    """The words by which host code may have it that does not spell it."""
    return class_relations.HEIRS if kernel_classes.is_one(touches, cls) else class_relations.WORDS


def _class_of(touches: TouchesView, file: str, name: str) -> Bound | None:
    resolver = touches.resolver
    resolver.read((file,))
    found = named(resolver, resolver.scope(resolver.project.load(file), ()), name)
    return found if isinstance(found, Bound) else None
