"""What operators make of values of which only the kind is known: a tensor and a number are a tensor, two of which one
is a float are a float. Pure; knows no names."""

from __future__ import annotations

import ast
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from kernel_analysis.host.evaluate.argument import (
    BOOL,
    FLOAT,
    INT,
    NOT_KNOWN,
    TENSOR,
    UNKNOWN,
    HostArgument,
    in_question,
    literal,
    merged,
    of_items,
    supposed,
    surely,
    unsure,
    varying,
)
from kernel_analysis.host.evaluate.argument import unknown_one as part
from kernel_analysis.host.evaluate.constexprs import wrapped
from kernel_analysis.host.evaluate.properties import enum_constant
from kernel_analysis.host.evaluate.values import (
    ConstexprFunction,
    Dict,
    EnumMember,
    Items,
    Jit,
    Object,
    Record,
    Tensor,
    Unknown,
    UserClass,
    Value,
    Wrapped,
    plain,
)
from kernel_analysis.source import arithmetic
from kernel_analysis.source.dtypes import LANGUAGE, TRITON
from kernel_analysis.source.slice import MadeOfTriton, TorchDtype, TritonObject

_ELEMENTWISE: Final = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_NUMBERS: Final = ("int", "float", "bool", "str")
_PLAIN: Final = ("int", "float", "bool")
_WHOLE: Final = ("int", "bool")
_SCALARS: Final = ("int", "float", "bool", "str", "none", "dtype")
_CHOSEN: Final = ("int", "str", "tensor", "descriptor")
_KEYS: Final = (bool, int, str)
_LANGUAGES: Final = ("triton.language.", "triton.experimental.gluon.language.")


def of(value: Value) -> HostArgument:
    """Of which kind a value is, with the value where that is one that a launch can pass."""
    if isinstance(value, Wrapped):
        return replace(of(value.value), wrapped=True)
    if isinstance(value, EnumMember):
        member = enum_constant(value)
        value = plain(value) if member is None else member
    if isinstance(value, HostArgument):
        return value
    if isinstance(value, (bool, int, float, str)) or value is None:
        return literal(value)
    if isinstance(value, TorchDtype):
        return HostArgument("dtype", value, TRITON.get(value.name), sure=True)
    if isinstance(value, MadeOfTriton):
        return HostArgument("function", value, sure=True)
    if isinstance(value, TritonObject) and value.path.startswith(_LANGUAGES):
        owner, _, name = value.path.rpartition(".")
        dtype = LANGUAGE.get(name) if f"{owner}." in _LANGUAGES else None
        if dtype is None:
            return HostArgument("function", value, sure=True)
        return HostArgument("dtype", TritonObject(f"{_LANGUAGES[0]}{name}"), dtype, sure=True)  # one object in both
    if isinstance(value, (Jit, ConstexprFunction)) or isinstance(value, UserClass) and value.aggregate:
        return HostArgument("function", value, sure=True)
    if isinstance(value, Items) and value.kind in ("tuple", "list"):
        return of_items(tuple(map(of, value.values)))
    if isinstance(value, Record):
        return replace(of_items(tuple(map(of, value.values))), names=value.cls.fields)
    if isinstance(value, Object):
        # Who has it may set what it has.
        return varying(unsure(HostArgument("object", items=tuple(map(of, value.values)), names=value.names)))
    if isinstance(value, Dict):
        pairs = {key: of(item) for key, item in value.pairs if isinstance(key, _KEYS)}
        return HostArgument("dict", items=tuple(pairs.values()), keys=tuple(pairs), open=len(pairs) < len(value.pairs))
    return surely(TENSOR) if isinstance(value, Tensor) else NOT_KNOWN


def known(found: HostArgument, otherwise: Unknown) -> Value:
    """The value that an argument is, itself where no more than its kind is known."""
    if found.wrapped:
        return wrapped(known(replace(found, wrapped=False), otherwise))
    if found.value is not UNKNOWN:
        return found.value
    if found.kind == "dict":
        if found.open or found.optional or found.items is None or any(map(in_question, found.items)):
            return found
        return Dict(tuple((k, known(v, otherwise)) for k, v in zip(found.keys, found.items, strict=True)))
    if found.items is not None and not found.optional and not found.names and not found.open:
        return Items("tuple", tuple(known(item, otherwise) for item in found.items))
    return otherwise if found == NOT_KNOWN else found


def guessed(found: HostArgument) -> bool:
    """Whether something in it is known and not for sure: as a plain value nobody could tell that. (What is in a dict is
    asked for key by key.)"""
    if found.kind == "dict":
        return False
    return found.open or found.value is not UNKNOWN and not found.sure or any(map(guessed, found.items or ()))


def closed(found: HostArgument) -> HostArgument:
    """A tuple that is noted to be a guess, as the one that it is taken for."""
    if found.kind != "tuple" or found.items is None:
        return found
    return replace(found, items=tuple(map(closed, found.items)), open=False)


def binary(op: ast.operator, left: HostArgument, right: HostArgument) -> HostArgument:
    """``left op right``."""
    if isinstance(op, ast.BitOr) and "dict" in (left.kind, right.kind):
        return merged(left, right)
    both = left.sure and right.sure
    if "tensor" in (left.kind, right.kind):
        tensor = both and {left.kind, right.kind} <= {"tensor", *_PLAIN}
        return replace(TENSOR, sure=tensor)
    if "unknown" in (left.kind, right.kind):
        # `a / b` may be a tensor, as far as is known; only strides and the like are divided with a rest.
        return INT if isinstance(op, ast.FloorDiv) else NOT_KNOWN
    sure = both and left.kind in _PLAIN and right.kind in _PLAIN
    power = isinstance(op, ast.Pow)  # a complex number of a negative base, a fraction of a negative exponent
    if isinstance(op, ast.Div) or "float" in (left.kind, right.kind):
        return replace(_computed(op, left, right, FLOAT), sure=sure and not power)
    if power and isinstance(right.value, (int, float)) and right.value < 0:
        return FLOAT
    if "int" not in (left.kind, right.kind):
        return NOT_KNOWN
    sure = sure and (not power or type(right.value) is int)
    return replace(_computed(op, left, right, INT), sure=sure)


def _computed(op: ast.operator, left: HostArgument, right: HostArgument, kind: HostArgument) -> HostArgument:
    """A number of that kind, with the value that it is likely to have."""
    a, b = supposed(left), supposed(right)
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        with suppress(*arithmetic.FAILS):
            return replace(kind, likely=arithmetic.number(op, a, b))
    return kind


def unary(op: ast.unaryop, value: HostArgument) -> HostArgument:
    """``op value``."""
    if not isinstance(op, ast.Not):
        if value.kind == "bool":
            return replace(INT, sure=value.sure)
        return replace(part(value), sure=value.sure and value.kind in (*_PLAIN, "tensor"))
    told = supposed(value)
    return surely(BOOL if told is UNKNOWN else replace(BOOL, likely=not told))


def compared(op: ast.cmpop, left: HostArgument, right: HostArgument) -> bool | HostArgument:
    """``left op right``."""
    both = left.sure and right.sure
    if "tensor" in (left.kind, right.kind) and isinstance(op, _ELEMENTWISE):
        return HostArgument("tensor", dtype="i1", sure=both and {left.kind, right.kind} <= {"tensor", *_PLAIN})
    a, b = supposed(left), supposed(right)
    likely = UNKNOWN if a is UNKNOWN or b is UNKNOWN else _likely(op, a, b)
    if left.kind == right.kind == "dtype" and left.dtype is not None and right.dtype is not None:
        likely = _likely(op, left.dtype, right.dtype)
    if isinstance(op, (ast.Is, ast.IsNot)) and right.kind == "none" and not left.optional and left.kind in _NUMBERS:
        if left.sure:
            return isinstance(op, ast.IsNot)
        likely = isinstance(op, ast.IsNot)
    # These ask no object what it says of it.
    sure = isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn))
    sure = sure or both and left.kind in _SCALARS and right.kind in _SCALARS
    return replace(BOOL, likely=likely, sure=sure)


def _likely(op: ast.cmpop, left: Any, right: Any) -> Any:
    """``left op right`` of what they are likely to be."""
    if isinstance(op, (ast.Eq, ast.NotEq)):
        return (left == right) == isinstance(op, ast.Eq)
    if isinstance(op, (ast.In, ast.NotIn)) and isinstance(right, tuple):
        return (left in right) == isinstance(op, ast.In)
    scalars = isinstance(left, (int, float, str)) and isinstance(right, (int, float, str))
    known = arithmetic.compare(op, left, right) if scalars else UNKNOWN
    return known if isinstance(known, bool) else UNKNOWN


def chosen(parts: list[HostArgument], likely: HostArgument) -> bool:
    """Whether the likely one of several stands for all: it is as they are, and nothing that is to be seen is switched
    off by it."""
    return likely.kind in _CHOSEN and all(part.kind == likely.kind and not part.optional for part in parts)


def returned(parts: list[HostArgument], likely: HostArgument) -> bool:
    """The same of what a function may return, where of the others less may be known."""
    if likely.kind == "tuple" and likely.items is not None:
        others = [part.items for part in parts if part.items is not None and len(part.items) == len(likely.items)]
        columns = zip(*others, strict=True)
        return len(others) == len(parts) and all(map(returned, map(list, columns), likely.items))
    known = [part for part in parts if part.kind != "unknown"]
    return likely.kind == "unknown" and not known or chosen(known, likely)


def held(owner: HostArgument, name: str) -> HostArgument | None:
    """What it has as a field, or as an attribute of an object."""
    return dict(zip(owner.names, owner.items or (), strict=False)).get(name)


def element(owner: Value, index: int, otherwise: Unknown) -> Value:
    """What goes to a name when several are taken out of a value at once."""
    if isinstance(owner, Record) or isinstance(owner, Items) and owner.kind != "set":
        return owner.values[index] if index < len(owner.values) else otherwise
    if isinstance(owner, Dict):
        return owner.pairs[index][0] if index < len(owner.pairs) else otherwise
    found = of(owner)
    if found.kind == "dict":
        return otherwise  # it is gone through by its keys, whose order nobody knows here
    if found.kind != "object" and found.items is not None and index < len(found.items):
        return known(found.items[index], otherwise)
    return part(found) if found.kind in ("int", "tensor") or found.dtype == "int" else otherwise


def item(owner: HostArgument, index: Value) -> HostArgument:
    """``owner[index]``."""
    if owner.kind == "object":
        return NOT_KNOWN
    if owner.kind == "dict":
        return (owner.items or ())[owner.keys.index(index)] if index in owner.keys else NOT_KNOWN
    if owner.items is not None and type(index) is int and -len(owner.items) <= index < len(owner.items):
        return owner.items[index]
    if owner.kind == "tuple" and owner.dtype == "int":
        return part(owner) if type(index) is int else replace(owner, sure=False)
    return part(owner) if owner.kind in ("int", "tensor") else NOT_KNOWN
