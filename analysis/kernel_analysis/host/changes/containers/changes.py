"""What a store and a method do to a container: the container as it is after that. Pure; raises what Python raises, and
``Untold`` where the outcome is not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate import kinds
from kernel_analysis.host.evaluate.argument import HostArgument, merged
from kernel_analysis.host.evaluate.properties import equal
from kernel_analysis.host.evaluate.values import Dict, External, Items, Unknown, Value, key, plain
from kernel_analysis.source.limits import joined

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import EvaluatorView


class Untold(LookupError):
    """It depends on what is not known."""


def stored(owner: Value, index: Value, value: Value) -> Value:
    """``owner[index] = value``."""
    index = plain(index)
    if isinstance(index, (Unknown, External)):
        raise Untold
    if isinstance(owner, Dict):
        return Dict((*owner.pairs, (index, value)))
    if isinstance(owner, HostArgument) and owner.kind == "dict":
        return merged(owner, kinds.of(Dict(((index, value),))))
    if isinstance(owner, Items) and owner.kind == "list" and isinstance(index, int):
        values = list(owner.values)
        values[index] = value
        return Items("list", tuple(values))
    raise Untold


def deleted(owner: Value, index: Value) -> Value:
    """``del owner[index]``."""
    index = plain(index)
    if isinstance(index, (Unknown, External)):
        raise Untold
    if isinstance(owner, Dict) and owner.at(index):
        return _without(owner, index)
    if isinstance(owner, Items) and owner.kind == "list" and isinstance(index, int):
        values = list(owner.values)
        del values[index]
        return Items("list", tuple(values))
    raise Untold


def method(evaluator: EvaluatorView, owner: Value, name: str, args: list[Value], keywords: dict[str, Value]) -> Value:
    """``owner.name(*args, **keywords)``, for its effect."""
    if any(isinstance(a, Unknown) for a in args) and name != "append":
        raise Untold
    if name == "update" and any(isinstance(one, HostArgument) and one.kind == "dict" for one in (owner, *args)):
        return merged(kinds.of(owner), *map(kinds.of, args), kinds.of(Dict(tuple(keywords.items()))))
    if isinstance(owner, Dict):
        return _of_dict(owner, name, args, keywords)
    if isinstance(owner, Items) and not keywords:
        if owner.kind == "list":
            return _of_list(evaluator, owner, name, args)
        if owner.kind == "set" and name in ("add", "discard", "clear") and len(args) == (name != "clear"):
            kept = () if name == "clear" else tuple(v for v in owner.values if key(v) != key(args[0]))
            return Items("set", joined(kept, tuple(args)) if name == "add" else kept)
    raise Untold


def _without(owner: Dict, index: Value) -> Dict:
    return Dict(tuple((k, v) for k, v in owner.pairs if key(k) != key(index)))


def _of_dict(owner: Dict, name: str, args: list[Value], keywords: dict[str, Value]) -> Value:
    if name == "update" and len(args) <= 1:
        more = args[0].pairs if args and isinstance(args[0], Dict) else ()
        if args and not isinstance(args[0], Dict):
            raise Untold
        return Dict(joined(joined(owner.pairs, more), tuple(keywords.items())))
    if keywords:
        raise Untold
    if name == "setdefault" and args:
        return owner if owner.at(args[0]) else stored(owner, args[0], args[1] if len(args) > 1 else None)
    if name == "pop" and args:
        if not owner.at(args[0]) and len(args) == 1:
            raise Untold
        return _without(owner, args[0])
    if name == "clear":
        return Dict(())
    if name == "popitem" and owner.pairs:
        return Dict(owner.pairs[:-1])
    if name == "__setitem__" and len(args) == 2:
        return stored(owner, args[0], args[1])
    raise Untold


def _of_list(evaluator: EvaluatorView, owner: Items, name: str, args: list[Value]) -> Value:
    values = owner.values
    if name == "append" and len(args) == 1:
        return Items("list", joined(values, (args[0],)))
    if name == "extend" and len(args) == 1 and isinstance(args[0], Items):
        return Items("list", joined(values, evaluator.each(args[0])))
    if name == "insert" and len(args) == 2 and isinstance(args[0], int):
        made = list(joined(values, ()))
        made.insert(args[0], args[1])
        return Items("list", tuple(made))
    if name == "pop" and values and (not args or isinstance(args[0], int)):
        made = list(values)
        made.pop(*(a for a in args if isinstance(a, int)))
        return Items("list", tuple(made))
    if name == "clear" and not args:
        return Items("list", ())
    if name == "reverse" and not args:
        return Items("list", values[::-1])
    if name == "remove" and len(args) == 1:
        same = [equal(v, args[0]) for v in values]
        if True in same and None not in same[: same.index(True)]:
            return Items("list", (*values[: same.index(True)], *values[same.index(True) + 1 :]))
    if name == "sort" and not args:
        numbers = [v for v in values if isinstance(v, (int, float))]
        words = [v for v in values if isinstance(v, str)]
        if len(numbers) == len(values):
            return Items("list", tuple(sorted(numbers)))
        if len(words) == len(values):
            return Items("list", tuple(sorted(words)))
    if name == "__setitem__" and len(args) == 2:
        return stored(owner, args[0], args[1])
    raise Untold
