"""What can be said of a value by itself: whether it equals another, is true, or can be changed. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from kernel_analysis.host.evaluate.argument import HostArgument
from kernel_analysis.host.evaluate.values import (
    UNTOLD,
    Config,
    ConstexprFunction,
    Dict,
    EnumMember,
    External,
    GuessedText,
    Items,
    Jit,
    Method,
    ModuleValue,
    Object,
    Partial,
    Record,
    Tensor,
    Unknown,
    UserClass,
    UserFunction,
    Value,
    Version,
    Wrapped,
    key,
    plain,
)
from kernel_analysis.source.dtypes import LANGUAGE
from kernel_analysis.source.enum_constants import EnumConstant, EnumNumber, EnumText, constant_of
from kernel_analysis.source.slice import TorchDtype, TritonObject

SET_BY_NAME = (ModuleValue, External, TritonObject, Jit, ConstexprFunction)
"""What is imported or compiled is set anew by its name, where at all."""
DEFINED = (UserFunction, UserClass)
"""What is defined is set anew by who has its module, where at all."""


def equal(a: Value, b: Value) -> bool | None:
    """Whether two values are equal in Python; None where that is not known."""
    a, b = plain(a), plain(b)
    if isinstance(a, GuessedText) and b is None or isinstance(b, GuessedText) and a is None:
        return False
    if may_be_anything(a) or may_be_anything(b):
        return None
    if (
        isinstance(a, TritonObject)
        and isinstance(b, _SCALARS)
        or isinstance(b, TritonObject)
        and isinstance(a, _SCALARS)
    ):
        # Triton has constants as well; a dtype is none.
        named = a if isinstance(a, TritonObject) else b
        return False if isinstance(named, TritonObject) and named.path.rpartition(".")[2] in LANGUAGE else None
    if isinstance(a, (bool, int, float)) and isinstance(b, (bool, int, float)):
        return a == b
    if isinstance(a, (str, TorchDtype, TritonObject, EnumMember, Version)) or a is None:
        return type(a) is type(b) and a == b
    if isinstance(a, Dict) and isinstance(b, Dict):
        if len(a.pairs) != len(b.pairs):
            return False
        found = [(v, b.at(k)) for k, v in a.pairs]
        return _all([held(v, other[0]) if other else False for v, other in found])
    if isinstance(a, (Items, Record)) and isinstance(b, (Items, Record)):
        one, other = (v.kind if isinstance(v, Items) else "tuple" for v in (a, b))
        if isinstance(a, Items) and isinstance(b, Items):
            if a.kind == b.kind == "set":
                known = not any(isinstance(v, UNTOLD) for v in (*a.values, *b.values))
                return {key(v) for v in a.values} == {key(v) for v in b.values} if known else None
        if one != other or one in _NO_SEQUENCES:
            return None if _NO_SEQUENCES & {one, other} else False
        if len(a.values) != len(b.values):
            return False
        return _all([held(v, w) for v, w in zip(a.values, b.values, strict=True)])
    if type(a) is not type(b):
        return False
    if isinstance(a, (UserFunction, UserClass)):
        return a == b
    return True if a is b else None


def alike(a: Value, b: Value) -> bool:
    """Whether nothing tells two values from each other: equals may be of other types (``1`` and ``True``), signs and
    orders."""
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return repr(a) == repr(b)
    if isinstance(a, Items) and isinstance(b, Items):
        return a.kind == b.kind and _each_alike(a.values, b.values)
    if isinstance(a, Dict) and isinstance(b, Dict):
        return _each_alike([v for pair in a.pairs for v in pair], [v for pair in b.pairs for v in pair])
    if isinstance(a, Record) and isinstance(b, Record):
        return a.cls == b.cls and _each_alike(a.values, b.values)
    if isinstance(a, Object) and isinstance(b, Object):
        return (a.cls, a.names) == (b.cls, b.names) and _each_alike(a.values, b.values)
    if isinstance(a, (Wrapped, EnumMember)) and isinstance(b, (Wrapped, EnumMember)):
        return a == b and alike(a.value, b.value)
    return a == b


def _each_alike(some: Sequence[Value], others: Sequence[Value]) -> bool:
    return len(some) == len(others) and all(map(alike, some, others))


_NO_SEQUENCES = frozenset({"iterator", "view"})
_SCALARS = (bool, int, float, str)


def may_be_anything(value: Value) -> bool:
    """Whether no more is known of it than where it is found: a property of a dtype or a number looks like a method."""
    if isinstance(value, TritonObject):
        return value.path.startswith(_STATE)
    return isinstance(value, (*UNTOLD, Tensor, Method, Object))


_STATE = ("triton.knobs.", "triton.runtime.", "triton.backends.", "triton.compiler.")
"""Where Triton keeps settings, and what belongs to the machine."""


def held(a: Value, b: Value) -> bool | None:
    """Whether a container takes two values for one: it does of one object, whatever that says."""
    one, other = plain(a), plain(b)
    strange = isinstance(one, float) and one != one and isinstance(other, float)
    return None if strange else equal(one, other)


def _all(parts: list[bool | None]) -> bool | None:
    return False if False in parts else None if None in parts else True


def changeable(value: Value) -> bool:
    """Whether the value itself, or something in it, can become another while its name stays bound."""
    todo, seen = [value], set[int]()
    while todo:  # what is in it many times over is looked at once
        value = todo.pop()
        if isinstance(value, Wrapped):
            todo.append(value.value)
        elif isinstance(value, HostArgument):
            if value.kind == "dict":
                return True
        elif isinstance(value, (Items, Record)):
            if isinstance(value, Items) and value.kind in ("list", "set"):
                return True
            if id(value) not in seen:
                seen.add(id(value))
                todo += value.values
        elif isinstance(value, (Dict, Config, Object, Partial)):  # whose keywords are a dict
            return True
    return False


def truth(value: Value) -> bool | None:
    """Whether the value is true; None if that is not known."""
    value = plain(value)
    if isinstance(value, (bool, int, float, str)) or value is None:
        return bool(value)
    if isinstance(value, Items) and value.kind != "iterator":
        return bool(value.values)
    if isinstance(value, Dict):
        return bool(value.pairs)
    if isinstance(value, Record):
        return bool(value.values)
    if isinstance(value, GuessedText):
        return True
    if isinstance(value, Unknown):
        return value.true
    if isinstance(value, UserClass) and (value.node.keywords or value.node.bases):
        return None  # a metaclass may say so
    if may_be_anything(value) or isinstance(value, Items) and value.kind == "iterator":
        return None
    return True


def is_plain_one(made: Value, other: Value) -> bool:
    """Whether the other is the very function that the jit function is made of: no kernel can name that."""
    return isinstance(made, Jit) and isinstance(other, UserFunction) and made.function.node is other.node


def enum_constant(value: EnumMember) -> EnumConstant | None:
    """A member that is its value, as a constant; None for another."""
    path = f"{value.home.partition(':')[0]}.{value.class_name}.{value.name}"
    return constant_of(value.value, path, value.flag) if value.plain else None


def as_text(value: Value) -> Value:
    """What text is made of. An Enum's member says itself how it is written, which the versions of Python do not agree
    on, and so does a ``constexpr``."""
    if isinstance(value, (Wrapped, EnumMember, EnumText, EnumNumber)):
        return Unknown("How a member of an Enum, or a `constexpr`, is written as text is not followed.")
    return value
