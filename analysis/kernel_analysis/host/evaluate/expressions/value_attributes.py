"""What an attribute of a value is that is no module, and an object of which one is set.

Runs nothing: a property of the user's is followed by its syntax.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernel_analysis.host.changes.containers.changes import Untold
from kernel_analysis.host.decorators import decorations, kept_objects
from kernel_analysis.host.evaluate.values import (
    Dict,
    EnumMember,
    Items,
    Jit,
    Method,
    Object,
    Record,
    RecordClass,
    Unknown,
    UserClass,
    Value,
    Version,
    Wrapped,
    plain,
)
from kernel_analysis.source.dtypes import TRITON, bytes_of
from kernel_analysis.source.slice import TorchDtype

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import EvaluatorView


def attribute(evaluator: EvaluatorView, owner: Value, name: str) -> Value:
    """``owner.name`` for what is not a module."""
    if isinstance(owner, UserClass):
        found = decorations.class_member(evaluator, owner, name)
        made = (
            kept_objects.of_class(evaluator, owner, name) if isinstance(found, Unknown) and not found.missing else None
        )
        return found if made is None else made
    if isinstance(owner, RecordClass) and owner.written is not None and name not in owner.fields:
        return decorations.class_member(evaluator, owner.written, name)
    if isinstance(owner, EnumMember) and name in ("value", "name"):
        return owner.value if name == "value" else owner.name
    if isinstance(owner, EnumMember) and (of_class := kept_objects.of_member(evaluator, owner, name)) is not None:
        return of_class
    if isinstance(owner, Record) and name in owner.cls.fields:
        evaluator.resolver.touches.field(owner.cls, name, "__getattribute__")
        return owner.values[owner.cls.fields.index(name)]
    if isinstance(owner, (Object, Record)) and (found := kept_objects.attribute(evaluator, owner, name)) is not None:
        return found
    if isinstance(owner, Version):
        parts = (*owner.release, 0, 0, 0)
        if name in ("major", "minor", "micro"):
            return parts[("major", "minor", "micro").index(name)]
        if name == "release":
            return Items("tuple", owner.release)
    if name == "value" and isinstance(owner, Wrapped):
        return plain(owner)
    if name == "fn" and isinstance(owner, Jit):
        return owner
    if name == "__name__" and isinstance(owner, Jit):
        return owner.function.name
    if isinstance(owner, Unknown):
        return owner
    if name == "itemsize" and isinstance(owner, TorchDtype) and owner.name in TRITON:
        return bytes_of(TRITON[owner.name])
    of_record = isinstance(owner, Record) and name == "_replace"
    if of_record or isinstance(owner, (str, Items, Dict, int, float, TorchDtype)):
        return Method(owner, name)
    return Unknown(f"`.{name}` of what is there can't be known without running the code.")


def stored(evaluator: EvaluatorView, owner: Value, name: str, value: Value) -> Value:
    """The owner after ``owner.name = value``; raises ``Untold``."""
    found = kept_objects.with_attribute(evaluator, owner, name, value, False) if isinstance(owner, Object) else None
    if found is None:
        raise Untold
    return found
