"""Triton's aggregate classes for those of a slice: made here of the fields and methods that the text names, never of a
class statement.

What a class may have is what the gate admits: no special method but Triton's operators, nothing that Triton's own
classes have. May not evaluate an annotation, a default or a decorator.
"""

# pyright: basic
from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from kernel_analysis.lowering import compat
from kernel_analysis.lowering.gate import gate, known_aggregates
from kernel_analysis.lowering.gate.not_evaluable import NotEvaluable
from kernel_analysis.source.slice import AggregateClass, AggregateField, AggregateRef, FunctionRef, Slice, Unresolved


def module_name(module: str) -> str:
    """The module of something of the user's, as Triton writes it into the names of what it compiles: none of Triton's
    own, whatever the file is called, since what has the same name is the same to Triton, and to us."""
    return f"file.{module}" if module.partition(".")[0] == compat.triton.__name__ else module or "file"


class Unmade(NotEvaluable):
    """Of this class nothing can be made, wherever it is asked for: nobody's error. ``why`` is the second half of a
    sentence."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"`{name}` {why}")
        self.why = why


class Aggregates:
    """The classes of a slice, each made when it is first asked for. ``value`` makes a constant; ``missing`` stands for
    a method that can't be had."""

    def __init__(self, slice: Slice, value: Callable[[Any], Any], missing: Callable[[str, str], Any]) -> None:
        self._slice, self._value, self._missing = slice, value, missing
        self._made: dict[int, Any] = {}
        self._under_way: set[int] = set()
        self._names: set[str] = set()

    def of(self, index: int) -> Any:
        """The class. Raises Unmade."""
        if index in self._made:
            return self._made[index]
        if index in self._under_way:
            raise Unmade(self._slice.aggregates[index].qualname, "is an aggregate with a field of its own kind")
        self._under_way.add(index)
        try:
            made = self._made[index] = self._make(index, self._slice.aggregates[index])
        finally:
            self._under_way.discard(index)
        return made

    def _make(self, index: int, wanted: AggregateClass) -> Any:
        name = wanted.qualname.rpartition(".")[2]
        if wanted.problem:
            raise Unmade(name, wanted.problem)
        if compat.aggregate is None or wanted.bases and not compat.AGGREGATES_INHERIT:
            raise Unmade(name, f"is an aggregate of a kind that Triton {compat.triton_version} has not")
        fields, methods = self._slice.members(index)
        for member in (*fields, *methods):
            if not known_aggregates.may_have(member):
                raise Unmade(name, f"is an aggregate with a member `{member}`, which is Triton's own to say")
        if not compat.AGGREGATES_INHERIT and "__init__" not in wanted.methods:
            why = f"is an aggregate without an `__init__`, for which Triton {compat.triton_version} makes none"
            raise Unmade(name, why)
        kinds = {field.name: self._kind(field) for field in fields.values()}
        members: dict[str, Any] = {
            "__module__": module_name(wanted.module),
            "__qualname__": self._unlike(wanted.qualname, index),
            "__annotations__": {field.name: kinds[field.name] for field in wanted.fields},
        }
        for field in wanted.fields:
            if isinstance(field.default, Unresolved):
                raise Unmade(name, f"is an aggregate with a default that can't be known: {field.default.reason}")
            if field.optional:
                members[field.name] = self._value(field.default)
        absent: dict[str, Any] = {}
        for member, method in wanted.methods.items():
            if isinstance(method, FunctionRef):
                members[member] = self._value(method)
            else:
                absent[member] = self._missing(f"{name}.{member}", method.reason)
        bases = tuple(self.of(base.index) for base in wanted.bases)
        made = compat.aggregate(type(name, bases, members))
        for member, stand_in in absent.items():
            setattr(made, member, stand_in)
        return known_aggregates.admit(made, kinds, frozenset((*fields, *methods)))

    def _unlike(self, qualname: str, index: int) -> str:
        """Triton tells classes, and the functions that take them, by their names."""
        found = qualname if qualname not in self._names else f"{qualname}_{index}"
        self._names.add(found)
        return found

    def _kind(self, field: AggregateField) -> Any:
        """What Triton holds the field's value against; anything, where the annotation can't be known."""
        if field.kinds is None:
            return object
        kinds = [self.of(k.index) if isinstance(k, AggregateRef) else gate.resolve(k.path) for k in field.kinds]
        if not all(isinstance(kind, type) for kind in kinds):
            return object
        return functools.reduce(operator.or_, kinds) if kinds else object
