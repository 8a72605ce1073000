"""What a function is given, as far as Triton's name for what it compiles does not say it: the names of a tuple's items,
a class's methods, what a text or an object is that is written as another is.

Triton compiles a function once for a name. Asks nothing of a value but its type, its parts and how it is written.
"""

# pyright: basic
from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from kernel_analysis.lowering import compat

_IN_THE_NAME = (bool, int, float, type(None))


def told_apart(function: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Hashable:
    """What tells the arguments of a call from others under which its function has the same name; None where the name
    says it all."""
    if all(map(_in_the_name, args)) and all(map(_in_the_name, keywords.values())):
        return None
    try:
        bound = function.signature.bind(*args, **keywords)
    except TypeError:
        return None  # Triton refuses the call
    bound.apply_defaults()
    return tuple(map(_of_value, bound.arguments.values()))


def _in_the_name(value: Any) -> bool:
    if isinstance(value, compat.tl.tensor):
        return not getattr(value.dtype, "const", False)
    value = value.value if isinstance(value, compat.tl.constexpr) else value
    return type(value) in _IN_THE_NAME or type(value) is compat.tl.dtype


def _of_value(value: Any) -> Hashable:
    if isinstance(value, compat.tl.constexpr):
        return _of_constant(value.value)
    if isinstance(value, compat.tl.tuple):
        return (getattr(value.type, "fields", None), *map(_of_value, value.values))
    if isinstance(value, compat.tl.tensor):
        return getattr(value.dtype, "const", False)
    if isinstance(value, compat.tl.core.base_value):
        kind: Any = value.type
        if not compat.holds_class(kind):
            return type(value).__name__
        return (_of_class(kind.base_cls), *((name, _of_value(getattr(value, name))) for name, _ in kind.fields))
    return _of_constant(value)


def _of_constant(value: Any) -> Hashable:
    if isinstance(value, (tuple, list)):
        return (type(value).__name__, getattr(value, "_fields", None), *map(_of_value, value))
    if isinstance(value, compat.JITCallable):
        return _of_function(value)
    return _of_class(value) if isinstance(value, type) else (type(value).__qualname__, repr(value))


def _of_class(made: type) -> Hashable:
    methods = [(name, _of_function(part)) for name, part in vars(made).items() if isinstance(part, compat.JITCallable)]
    return (made.__module__, made.__qualname__, *methods)


def _of_function(function: Any) -> Hashable:
    return function.__module__, getattr(function, "__qualname__", None), getattr(function, "slice_index", None)
