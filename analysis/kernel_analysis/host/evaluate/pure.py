"""Pure functions of Python's library and methods of plain values, for safe evaluation. Bounded; nothing of the user's
runs."""

from __future__ import annotations

import ast
import re
import string
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.argument import FLOAT, INT
from kernel_analysis.host.evaluate.constexprs import CHOOSE, of_choice
from kernel_analysis.host.evaluate.expressions.subscripts import looked_up
from kernel_analysis.host.evaluate.properties import truth
from kernel_analysis.host.evaluate.values import (
    UNTOLD,
    Dict,
    External,
    Items,
    Method,
    ModuleValue,
    Record,
    Unknown,
    Value,
    Version,
    Wrapped,
    plain,
    used_up,
)
from kernel_analysis.host.evaluate.wording import computed, describe
from kernel_analysis.host.names.imports import circles
from kernel_analysis.host.names.imports.packages import triton_has
from kernel_analysis.source import arithmetic, dtypes, limits
from kernel_analysis.source.limits import TooMuch
from kernel_analysis.source.slice import TorchDtype, TritonObject

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import EvaluatorView

OPERATORS: dict[str, type[ast.cmpop]] = {
    "ge": ast.GtE,
    "gt": ast.Gt,
    "le": ast.LtE,
    "lt": ast.Lt,
    "eq": ast.Eq,
    "ne": ast.NotEq,
}
_STRING_METHODS = frozenset(
    [
        "lower",
        "upper",
        "strip",
        "lstrip",
        "rstrip",
        "startswith",
        "endswith",
        "split",
        "replace",
        "removeprefix",
        "removesuffix",
        "isdigit",
    ]
)


def math_function(name: str, values: list[Value], node: ast.Call) -> Value:
    numbers = [v for v in values if isinstance(v, (int, float))]
    known = arithmetic.mathematics(name, numbers) if len(numbers) == len(values) else None
    return computed(node) if known is None else known


def product(evaluator: EvaluatorView, values: list[Value], repeat: Value, node: ast.Call) -> Value:
    if not isinstance(repeat, int) or repeat < 0:
        return computed(node)
    if any(used_up(part) for value in values if isinstance(value, Items) for part in value.values):
        evaluator.resolver.note("each of its parts is used up by going through one")
    rows: list[tuple[Value, ...]] = [()]
    for value in limits.repeated(tuple(values), repeat):
        if not isinstance(value, Items):
            return computed(node)
        elements = evaluator.each(value)
        if len(rows) * len(value.values) > limits.LONGEST:
            raise TooMuch
        rows = [(*row, v) for row in rows for v in elements]
        evaluator.spend(len(rows))
    return Items("iterator", tuple(Items("tuple", row) for row in rows))


_TAKES = {
    "bool": (0, 1), "dict": (0, 1), "enumerate": (1, 2), "filter": (2, 2), "float": (0, 1), "getattr": (2, 3),
    "hasattr": (2, 2), "int": (0, 2), "isinstance": (2, 2), "list": (0, 1), "map": (2, 99), "max": (1, 999),
    "min": (1, 999), "pow": (2, 3), "range": (1, 3), "round": (1, 2), "set": (0, 1), "str": (0, 3), "sum": (1, 2),
    "tuple": (0, 1), "zip": (0, 99),
}  # fmt: skip
"""At least and at most so many arguments; of what is not here, one."""
_BESIDE = {"dict", "sorted", "zip"}
"""Those whose keywords are none of these arguments."""


def builtin(
    evaluator: EvaluatorView, name: str, values: list[Value], keywords: dict[str, Value], node: ast.Call
) -> Value:
    first = values[0] if values else None
    least, most = _TAKES.get(name, (1, 1))
    if not least <= len(values) <= most - (len(keywords) if name not in _BESIDE else 0):
        return computed(node)
    if name == "isinstance":
        known = _is_instance(values[0], values[1])
        return computed(node) if known is None else known
    if name in ("getattr", "hasattr") and len(values) >= 2 and isinstance(values[1], str):
        return _getattr(evaluator, name, values, node)
    if name in ("min", "max", "sum", "sorted", "any", "all", "tuple", "list", "set", "len", "reversed", "enumerate"):
        return _of_items(evaluator, name, values, keywords, node)
    if name == "zip" and all(isinstance(v, Items) for v in values):
        columns = [evaluator.each(v) for v in values if isinstance(v, Items)]
        if keywords and len(set(map(len, columns))) > 1:
            return computed(node)
        rows = zip(*columns, strict=False)
        return Items("iterator", tuple(Items("tuple", row) for row in rows))
    if name == "map" and len(values) == 2 and isinstance(values[1], Items):
        return Items("iterator", tuple(evaluator.called(values[0], [v], {}, node) for v in evaluator.each(values[1])))
    if name == "filter" and len(values) == 2 and isinstance(values[1], Items):
        elements = evaluator.each(values[1])
        kept = [truth(v if values[0] is None else evaluator.called(values[0], [v], {}, node)) for v in elements]
        if None in kept:
            evaluator.resolver.note(f"it depends on what `{describe(node)}` leaves out")
        return Items("iterator", tuple(v for v, known in zip(elements, kept, strict=True) if known is not False))
    if name == "range" and all(isinstance(v, int) for v in values) and 1 <= len(values) <= 3:
        numbers = limits.numbers_of([v for v in values if isinstance(v, int)])
        evaluator.spend(len(numbers))
        return Items("range", tuple(numbers))
    if name == "dict" and len(values) < 2:
        pairs = _pairs(evaluator, first) if values else ()
        return computed(node) if pairs is None else evaluator.table((*pairs, *keywords.items()))
    if name == "bool" and values:
        known = truth(first)
        return computed(node) if known is None else known
    if name in ("int", "float", "str", "repr") and len(values) == 1 and not keywords:
        if isinstance(first, (int, float, str)):
            return arithmetic.converted(name, first)
        if isinstance(first, TorchDtype) and name in ("str", "repr"):
            return f"torch.{first.name}"
    if name == "int" and isinstance(first, str) and len(first) < 1000:
        base = keywords["base"] if keywords else values[1]
        return int(first, base) if isinstance(base, int) and len(values) + len(keywords) == 2 else computed(node)
    if name == "abs" and isinstance(first, (int, float)):
        return abs(first)
    if name == "round" and isinstance(first, (int, float)):
        digits = values[1] if len(values) > 1 else keywords.get("ndigits")
        return arithmetic.rounded(first, digits) if digits is None or isinstance(digits, int) else computed(node)
    if name == "pow" and len(values) == 2 and isinstance(first, (int, float)) and isinstance(values[1], (int, float)):
        return arithmetic.power(first, values[1])
    return computed(node)


_KINDS = {"builtins.int": int, "builtins.float": float, "builtins.str": str, "builtins.bool": bool}


def _is_instance(value: Value, kinds: Value) -> bool | None:
    """``isinstance`` of a plain value, a tuple, a list or a dict, and Python's own types; None where that is not
    known."""
    asked = kinds.values if isinstance(kinds, Items) and kinds.kind == "tuple" else (kinds,)
    paths = [kind.path for kind in asked if isinstance(kind, External)]
    if len(paths) < len(asked) or not all(path in _KINDS or path in _CONTAINERS for path in paths):
        return None
    if isinstance(value, (bool, int, float, str)) or value is None:
        return any(isinstance(value, _KINDS[path]) for path in paths if path in _KINDS)
    if isinstance(value, Items) and value.kind in ("tuple", "list", "set"):
        return f"builtins.{value.kind}" in paths
    return "builtins.dict" in paths if isinstance(value, Dict) else None


_CONTAINERS = ("builtins.tuple", "builtins.list", "builtins.set", "builtins.dict")


def _pairs(evaluator: EvaluatorView, value: Value) -> tuple[tuple[Value, Value], ...] | None:
    """What ``dict(value)`` holds."""
    if isinstance(value, Dict):
        return value.pairs
    rows = evaluator.each(value) if isinstance(value, Items) else None
    if rows is None:
        return None
    pairs = [row.values for row in rows if isinstance(row, Items) and row.kind in ("tuple", "list")]
    two = [(pair[0], pair[1]) for pair in pairs if len(pair) == 2]
    return tuple(two) if len(two) == len(rows) else None


def _getattr(evaluator: EvaluatorView, name: str, values: list[Value], node: ast.Call) -> Value:
    owner, attribute = values[0], values[1]
    assert isinstance(attribute, str)
    if (
        name == "hasattr"
        and isinstance(owner, External)
        and evaluator.resolver.project.hardware.lacks(f"{owner.path}.{attribute}")
    ):
        evaluator.resolver.rests("torch.<other device>", f"`{describe(node)}`")
        return False
    if isinstance(owner, TritonObject):
        there = triton_has(evaluator.resolver, f"{owner.path}.{attribute}")
        evaluator.resolver.rests("hasattr(triton)", f"`{describe(node)}`")
        if name == "hasattr":
            return there
        if there:
            return TritonObject(f"{owner.path}.{attribute}")
        return values[2] if len(values) > 2 else Unknown(f"Triton has no `{owner.path}.{attribute}`.", missing=True)
    if isinstance(owner, ModuleValue):
        found = evaluator.resolver.member(owner, attribute, evaluator.resolver.any_module(), node).value
        circles.in_itself(evaluator.resolver, owner.file, attribute)
        missing = isinstance(found, Unknown) and found.missing
        if name == "hasattr" and isinstance(found, Unknown) and not found.missing and owner.file is not None:
            if attribute not in evaluator.resolver.project.load(owner.file).table.events:
                evaluator.resolver.note(f"`{owner.name}` may not have `{attribute}` when it is asked")
        if name == "hasattr":
            return not missing
        return values[2] if missing and len(values) > 2 else found
    return computed(node)


def _of_items(
    evaluator: EvaluatorView, name: str, values: list[Value], keywords: dict[str, Value], node: ast.Call
) -> Value:
    first = values[0] if values else Items("tuple", ())
    if isinstance(first, str) and len(values) == 1:
        if name == "len":
            return len(first)
        first = Items("list", tuple(limits.text(first)))
    if isinstance(first, Dict):
        if name == "len":
            return len(first.pairs)
        first = Items("list", tuple(k for k, _ in first.pairs))
    if isinstance(first, Record):
        first = Items("tuple", first.values)
    if name in ("min", "max") and len(values) > 1:
        first = Items("tuple", tuple(values))
    start = keywords.get("start", values[1] if len(values) > 1 else 0) if name in ("sum", "enumerate") else 0
    backwards = keywords.get("reverse", False)
    others = len(values) - (name in ("sum", "enumerate")) > 1 and name not in ("min", "max")
    if not isinstance(first, Items) or others or not isinstance(start, (int, float)) or not isinstance(backwards, bool):
        return computed(node)
    evaluator.spend(len(first.values))
    doubtful = first.kind == "set" and any(isinstance(v, UNTOLD) for v in first.values)
    if name == "len":
        return computed(node) if doubtful or first.kind == "iterator" else len(first.values)
    if name in ("tuple", "list", "set"):
        values_ = first.values if name == "set" else evaluator.each(first)
        return Items("tuple" if name == "tuple" else "list" if name == "list" else "set", values_)
    if name == "reversed":
        return computed(node) if first.kind in ("set", "iterator") else Items("iterator", first.values[::-1])
    if name == "enumerate":
        if not isinstance(start, int):
            return computed(node)
        rows = enumerate(evaluator.each(first), start)
        return Items("iterator", tuple(Items("tuple", (i, v)) for i, v in rows))
    if name in ("any", "all"):
        known = [truth(v) for v in first.values]
        decisive = name == "any"
        return decisive if decisive in known else computed(node) if None in known else not decisive
    items = [plain(v) for v in first.values]
    if name not in CHOOSE and any(isinstance(v, Wrapped) for v in first.values):
        return computed(node)
    numbers = [v for v in items if isinstance(v, (int, float))]
    if len(numbers) == len(items) and (numbers or name in ("sum", "sorted")):
        if name == "sorted":
            return Items("list", tuple(sorted(numbers, reverse=backwards)))
        if name == "sum":
            return sum(numbers, start)
        return of_choice(first.values, items, min(numbers) if name == "min" else max(numbers))
    words = [v for v in items if isinstance(v, str)]
    if len(words) == len(items) and words and name != "sum":
        if name == "sorted":
            return Items("list", tuple(sorted(words, reverse=backwards)))
        return of_choice(first.values, items, min(words) if name == "min" else max(words))
    return computed(node)


def method_call(
    evaluator: EvaluatorView, method: Method, args: list[Value], keywords: dict[str, Value], node: ast.Call
) -> Value:
    owner, name = method.receiver, method.name
    if isinstance(owner, str):
        if name == "join" and len(args) == 1 and isinstance(args[0], Items):
            words = [w for w in evaluator.each(args[0]) if isinstance(w, str)]
            if len(words) == len(args[0].values):
                evaluator.spend(len(words) // 8)
                return limits.text(owner.join(words)) if len(owner) * len(words) < 10_000 else computed(node)
        if name == "format":
            return _format(owner, args, keywords, node)
        if name in _STRING_METHODS and all(isinstance(a, (str, int)) for a in (*args, *keywords.values())):
            if (
                name == "replace"
                and len(owner) * max((len(a) for a in args if isinstance(a, str)), default=0) > 100_000
            ):
                raise TooMuch
            limits.text(owner)
            return _of_text(getattr(owner, name)(*args, **keywords))
        if name in ("startswith", "endswith") and len(args) == 1 and isinstance(args[0], Items):
            options = tuple(w for w in args[0].values if isinstance(w, str))
            if args[0].kind != "tuple" or len(options) < len(args[0].values):
                return computed(node)
            return owner.startswith(options) if name == "startswith" else owner.endswith(options)
    if isinstance(owner, Record) and name == "_replace" and not args and not keywords.keys() - {*owner.cls.fields}:
        kept = zip(owner.cls.fields, owner.values, strict=True)
        return Record(owner.cls, tuple(keywords.get(field, value) for field, value in kept))
    if keywords:
        return computed(node)
    if isinstance(owner, Dict):
        if name == "get" and 0 < len(args) < 3:
            return looked_up(evaluator, owner, args[0], args[1] if len(args) > 1 else None)
        if args:
            return computed(node)
        if name == "keys":
            return Items("view", tuple(k for k, _ in owner.pairs))
        if name == "values":
            return Items("view", tuple(v for _, v in owner.pairs))
        if name == "items":
            return Items("view", tuple(Items("tuple", p) for p in owner.pairs))
        if name == "copy":
            return owner
    if isinstance(owner, Items) and owner.kind in ("list", "set") and name == "copy" and not args:
        return owner
    if isinstance(owner, int) and name == "bit_length" and not args:
        return int(owner).bit_length()
    return computed(node)


def _format(template: str, args: list[Value], keywords: dict[str, Value], node: ast.Call) -> Value:
    """``template.format(...)`` with plain values. A field that reaches into one is not followed, nor is a format that
    other fields make: its width may be any number."""
    limits.text(template)
    words = [a for a in args if isinstance(a, (str, int, float))]
    named = {k: v for k, v in keywords.items() if isinstance(v, (str, int, float))}
    if len(words) < len(args) or len(named) < len(keywords):
        return computed(node)
    for _, field, spec, _ in string.Formatter().parse(template):  # Python's own reading of it
        if field is not None and ("." in field or "[" in field or "{" in (spec or "")):
            return computed(node)
        limits.harmless(spec or "")
    return limits.text(template.format(*words, **named))


def _of_text(result: str | bool | list[str]) -> Value:
    return Items("list", tuple(result)) if isinstance(result, list) else result


def info_member(method: Method, attribute: str) -> Value:
    """``torch.finfo(dtype).max``."""
    if not isinstance(method.receiver, TorchDtype):
        return FLOAT if method.name == "torch.finfo" else INT
    known = dtypes.info(method.name, method.receiver.name, attribute)
    if known is None:
        return Unknown(f"`{method.name}(torch.{method.receiver.name}).{attribute}` is not known without running it.")
    return known


def version(value: Value) -> Version | None:
    """A version number from a text, the release part."""
    if isinstance(value, Version):
        return value
    if isinstance(value, str) and len(value) < 100:
        match = re.match(r"v?(\d{1,9}(?:\.\d{1,9})*)", value.strip())
        if match:
            return Version(tuple(int(p) for p in match[1].split(".")))
    return None
