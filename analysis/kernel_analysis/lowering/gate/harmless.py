"""Python's builtins, methods and operators as a kernel's text may use them: each of bounded work and memory, none that
calls what it is given or finds an attribute by a text.

Knows nothing of Triton; what else a kernel may reach is ``gate``'s to say.
"""

# pyright: basic
from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Iterator
from inspect import signature
from itertools import islice
from types import FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

from kernel_analysis.lowering.gate import formats
from kernel_analysis.lowering.gate.enum_members import MemberOfEnum, written_out
from kernel_analysis.lowering.gate.not_evaluable import NotEvaluable
from kernel_analysis.source import limits

_LARGEST = 1 << 16  # bits of an integer, items of a sequence, characters of a text
_ORDERED = (int, float, str)
_FACTORIAL = 2_000  # of more than that no kernel has use, and computing it takes long


def refuse_huge(op: ast.AST, left: Any, right: Any) -> None:
    """Raise NotEvaluable where computing ``left op right`` in Python would take all the time or memory there is."""
    if isinstance(op, ast.Mod) and isinstance(left, str | bytes):
        formats.refuse_percent(left, right)
        return
    try:
        limits.refuse(op, left, right, _LARGEST, _LARGEST, _LARGEST)
    except limits.TooMuch:
        numbers = isinstance(left, int) and isinstance(right, int)
        raise NotEvaluable(
            f"the {'number' if numbers else 'sequence'} is too {'large' if numbers else 'long'}"
        ) from None


def _bounded(size: int) -> None:
    if size > _LARGEST:
        raise NotEvaluable("the sequence is too long")


def joined(parts: Iterable[str]) -> str:
    """The parts as one text, if that is not too long."""
    parts = list(parts)
    _bounded(sum(map(len, parts)))
    return "".join(parts)


def _refuse_order(value: Any) -> None:
    """Raise NotEvaluable for what Python goes through in another order in each run."""
    if isinstance(value, set | frozenset) and len(value) > 1:
        raise NotEvaluable("the order of a set is not known")


def items(value: Any) -> list[Any]:
    """All that iterating gives, in order, if that is not too much."""
    _refuse_order(value)
    if hasattr(value, "__len__"):
        _bounded(len(value))
        return list(value)
    found = list(islice(value, _LARGEST + 1))
    _bounded(len(found))
    return found


def gone_through(value: Any) -> Iterator[Any]:
    """The items, one after the other, as Python gives them: what a container gets meanwhile, too."""
    _refuse_order(value)
    if hasattr(value, "__len__"):
        _bounded(len(value))
    return iter(value)


def _takes(version: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether our version of a function takes these arguments; what is Python's own takes what it takes."""
    if not isinstance(getattr(version, "__func__", version), FunctionType):
        return True
    try:
        signature(version).bind(*args, **kwargs)
    except TypeError:
        return False
    return True


class HarmlessFunction:
    """One of our versions of a function, which may take less than Python's does. ``__self__``: Triton unwraps the
    arguments of whatever has one, as it does for Python's own."""

    __self__ = None

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.__name__, self._function = name, function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return self._function(*args, **kwargs)
        except TypeError:
            if not _takes(self._function, args, kwargs):
                raise NotEvaluable(f"`{self}` with these arguments is not evaluated") from None
            raise

    def __repr__(self) -> str:
        return self.__name__


class HarmlessMethod(HarmlessFunction):
    """``"text".upper``: a method of a plain value, to be called."""

    def __init__(self, owner: Any, name: str, function: Callable[..., Any]) -> None:
        super().__init__(name, MethodType(function, owner))
        self.__self__ = owner


def _range(*bounds: int) -> range:
    made = range(*bounds)
    _bounded(len(made))
    return made


def _in_any_order(value: Any) -> Any:
    """What is gone through where the order is of no matter: of a set, numbers and texts that are all different."""
    if isinstance(value, set | frozenset) and any(item != item or not isinstance(item, _ORDERED) for item in value):
        _refuse_order(value)
    return value


def _set(values: Any = ()) -> set[Any]:
    return set(values if isinstance(values, set | frozenset) else items(values))


def _sum(values: Any, start: Any = 0) -> Any:
    values = values if isinstance(values, set | frozenset) else items(values)
    if not all(isinstance(value, int) for value in values):
        _refuse_order(values)  # floats are rounded on the way
    if any(isinstance(value, str | list | tuple) for value in (start, *values)):
        raise NotEvaluable("a `sum` of sequences is not evaluated")
    return sum(values, start)


def _largest(*values: Any) -> Any:
    return max(*map(_in_any_order, values))


def _smallest(*values: Any) -> Any:
    return min(*map(_in_any_order, values))


def _sorted(values: Any, reverse: bool = False) -> list[Any]:
    if isinstance(values, set | frozenset):
        _bounded(len(values))
        return sorted(_in_any_order(values), reverse=reverse)
    return sorted(items(values), reverse=reverse)


def _refuse_unwritten(value: Any) -> None:
    """Raise NotEvaluable for what says where it is or where it comes from, or stands for what does."""
    kind: Any = type(value)
    says = kind.__repr__ is not object.__repr__ or kind.__str__ is not object.__str__
    if not says or callable(value) or kind.__module__.partition(".")[0] not in ("builtins", "triton"):
        raise NotEvaluable(f"how {described(value)} is written as text is not evaluated")


def refuse_many(value: Any, ordered: bool = True, written: bool = False) -> None:
    """Raise NotEvaluable for a container of more items than a sequence may have, however often it holds the same, or
    itself; also where one in it has no order, or is not written as a text, if that is asked for. Without calls of its
    own: what is nested deeply is no recursion of the kernel's."""
    waiting, left = [value], _LARGEST
    while waiting:
        value = waiting.pop()
        if ordered:
            _refuse_order(value)
        parts: list[Any] = []
        if isinstance(value, dict):
            parts = [part for pair in value.items() for part in pair]
        elif isinstance(value, list | tuple | set | frozenset):
            parts = list(value)
        elif written and not isinstance(value, MemberOfEnum):
            _refuse_unwritten(value)
        left -= len(parts)
        if left < 0:
            raise NotEvaluable("the sequence is too long")
        waiting += parts


def text(value: Any = "") -> str:
    """The value as ``str`` writes it, if that is not too long."""
    refuse_many(value, written=True)
    with written_out():
        made = str(value)
    _bounded(len(made))
    return made


def _round(value: Any, digits: int | None = None) -> Any:
    if digits is not None and abs(digits) > _FACTORIAL:
        raise NotEvaluable("the number is too large")
    return round(value, digits)


def _integer(value: Any = 0, *base: int) -> int:
    if isinstance(value, str):
        _bounded(len(value) * 16)
    return int(value, *base)


def _dict(*pairs: Any, **named: Any) -> dict[Any, Any]:
    return dict(*(p if isinstance(p, dict) else map(items, items(p)) for p in pairs), **named)


def _enumerate(values: Any, start: int = 0) -> list[tuple[int, Any]]:
    return list(enumerate(items(values), start))


def _zip(*columns: Any, strict: bool = False) -> list[tuple[Any, ...]]:
    return list(zip(*map(items, columns), strict=strict))


CALLED: MappingProxyType[Any, HarmlessFunction] = MappingProxyType(
    {
        builtin: HarmlessFunction(builtin.__name__, version)
        for builtin, version in (
            (abs, abs), (all, all), (any, any), (bool, bool), (dict, _dict), (divmod, divmod), (enumerate, _enumerate),
            (float, float), (int, _integer), (isinstance, isinstance), (len, len),
            (list, lambda values=(): items(values)), (max, _largest), (min, _smallest), (range, _range),
            (reversed, lambda values: items(values)[::-1]), (round, _round),
            (set, _set), (sorted, _sorted), (str, text), (sum, _sum),
            (tuple, lambda values=(): tuple(items(values))), (zip, _zip),
        )
    }
)  # fmt: skip
"""What is called where one of Python's builtins is: those that kernels and constexpr functions may use."""

PASSING = frozenset({"enumerate", "reversed", "zip", "keys", "values", "items"})
"""What gives, in Python, something to go through, of what is there then: a list in a kernel's body."""
_LIVE: dict[str, Callable[..., Any]] = {"enumerate": enumerate, "reversed": reversed, "zip": zip}


def passing(function: HarmlessFunction, args: list[Any], kwargs: dict[str, Any]) -> Iterable[Any]:
    """What a call of one of those gives, to be gone through at once and by nothing else."""
    for value in args:
        _refuse_order(value)
    name = function.__name__
    return (_LIVE[name] if name in _LIVE else getattr(function.__self__, name))(*args, **kwargs)


CONSUMING = frozenset({"all", "any", "dict", "extend", "join", "list", "max", "min", "set", "sorted", "sum", "tuple"})
"""What goes through all that it is given, at once."""


def _of_numbers(function: Callable[..., Any]) -> HarmlessFunction:
    slow = function.__name__ in _SLOW

    def call(*values: Any) -> Any:
        for value in values:
            if not isinstance(value, int | float):
                raise NotEvaluable(f"`math.{function.__name__}` of a `{type(value).__name__}` is not evaluated")
            if slow and abs(value) > _FACTORIAL:
                raise NotEvaluable("the number is too large")
        if function is math.lcm:
            _bounded(sum(value.bit_length() for value in values))
        return function(*values)

    return HarmlessFunction(f"math.{function.__name__}", call)


def _product(values: Any, start: Any = 1) -> Any:
    for value in (numbers := [start, *items(values)]):
        if not isinstance(value, int | float):
            raise NotEvaluable(f"`math.prod` of a `{type(value).__name__}` is not evaluated")
    _bounded(sum(value.bit_length() for value in numbers if isinstance(value, int)))
    return math.prod(numbers)


_SLOW = {"comb", "factorial", "perm"}
_OF_SEQUENCES = {"dist", "fsum", "prod", "sumprod"}
MATH: MappingProxyType[str, Any] = MappingProxyType(
    {
        name: _of_numbers(member) if callable(member) else member
        for name, member in vars(math).items()
        if not name.startswith("_") and name not in _OF_SEQUENCES
    }
    | {"prod": HarmlessFunction("math.prod", _product)}
)
"""What ``math`` has, of numbers alone."""


def _append(owner: list[Any], value: Any) -> None:
    _bounded(len(owner) + 1)
    owner.append(value)


def _extend(owner: list[Any], values: Any) -> None:
    for value in items(values) if isinstance(values, list | tuple) else gone_through(values):
        _append(owner, value)


def _insert(owner: list[Any], at: int, value: Any) -> None:
    _bounded(len(owner) + 1)
    owner.insert(at, value)


def _replace(owner: str, old: str, new: str, count: int = -1) -> str:
    _bounded(len(owner) + (len(owner) + 1) * len(new))
    return owner.replace(old, new, count)


def _join(owner: str, parts: Any) -> str:
    parts = items(parts)
    _bounded(sum(map(len, parts)) + len(owner) * len(parts))
    return owner.join(parts)


def _format(owner: str, *args: Any, **named: Any) -> str:
    formats.refuse_format(owner, [*args, *named.values()])
    return owner.format(*map(_as_text, args), **{name: _as_text(value) for name, value in named.items()})


def _as_text(value: Any) -> Any:
    if formats.is_plain(value):
        return value
    refuse_many(formats.held(value), written=True)
    return text(value)


METHODS: dict[type, dict[str, Callable[..., Any]]] = {
    str: {
        name: getattr(str, name)
        for name in (
            "startswith", "endswith", "lower", "upper", "strip", "lstrip", "rstrip", "split", "rsplit", "partition",
            "rpartition", "isdigit", "isalpha", "isalnum", "isidentifier", "isupper", "islower", "title", "capitalize",
            "count", "find", "rfind", "index", "removeprefix", "removesuffix",
        )
    }
    | {"replace": _replace, "join": _join, "format": _format},
    tuple: {"index": tuple.index, "count": tuple.count},
    list: {"index": list.index, "count": list.count, "copy": list.copy},
    dict: {
        "get": dict.get,
        "keys": lambda owner: list(owner.keys()),
        "values": lambda owner: list(owner.values()),
        "items": lambda owner: list(owner.items()),
    },
    set: {"union": set.union, "intersection": set.intersection, "difference": set.difference},
    int: {"bit_length": int.bit_length},
    bool: {"bit_length": int.bit_length},
    float: {"is_integer": float.is_integer},
}  # fmt: skip
"""What a plain value can be asked for; nothing of it changes the value."""

CHANGES: dict[type, dict[str, Callable[..., Any]]] = {
    list: {"append": _append, "extend": _extend, "insert": _insert, "pop": list.pop, "reverse": list.reverse},
    set: {"add": set.add},
}
"""What changes a container: for those that the evaluation itself has made."""


def method(owner: Any, name: str, changes: bool = False) -> HarmlessMethod:
    """The method of a plain value; raises NotEvaluable for one that is in no table. ``changes``: it may change it."""
    kind = next((kind for kind in type(owner).__mro__ if kind in METHODS), type(owner))
    function = METHODS.get(kind, {}).get(name) or (CHANGES.get(kind, {}).get(name) if changes else None)
    if function is None:
        raise NotEvaluable(f"`.{name}` of a {kind.__name__} is not evaluated")
    return HarmlessMethod(owner, name, function)


def described(value: Any) -> str:
    """What it is, for the user: "the function `os.system`"."""
    if isinstance(value, ModuleType):
        return f"the module `{value.__name__}`"
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if isinstance(value, type):
        return f"the class `{value.__module__}.{name}`"
    if callable(value) and isinstance(name, str):
        return f"the function `{getattr(value, '__module__', None) or 'builtins'}.{name}`"
    return f"a `{type(value).__name__}`"
