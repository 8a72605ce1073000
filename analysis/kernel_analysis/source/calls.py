"""Calls that safe evaluation can follow: pure functions of Python, math, Triton's host helpers, and the user's own small functions.

The user's functions are interpreted from their syntax, within ``limits``; nothing of theirs runs."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from kernel_analysis.source import decorations, limits
from kernel_analysis.source.interpret import run
from kernel_analysis.source.limits import TooMuch
from kernel_analysis.source.packages import dtype_info, triton_has
from kernel_analysis.source.slice import TorchDtype, TritonObject
from kernel_analysis.source.values import (
    ConstexprFunction,
    Decoration,
    Dict,
    External,
    Items,
    Method,
    ModuleValue,
    Partial,
    Record,
    RecordClass,
    Scope,
    Unknown,
    UserClass,
    UserFunction,
    Value,
    Version,
    Wrapped,
    plain,
    truth,
)  # fmt: skip
from kernel_analysis.source.wording import describe

if TYPE_CHECKING:
    from kernel_analysis.source.constants import Evaluator

_FLOAT_FUNCTIONS: dict[str, Callable[[float], float]] = {
    name: getattr(math, name)
    for name in [
        "sqrt",
        "exp",
        "log",
        "log2",
        "log10",
        "sin",
        "cos",
        "tan",
        "floor",
        "ceil",
        "trunc",
        "fabs",
        "log1p",
        "expm1",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "isnan",
        "isinf",
    ]
}
_FLOAT_PAIRS: dict[str, Callable[[float, float], float]] = {
    "pow": math.pow,
    "log": math.log,
    "atan2": math.atan2,
    "copysign": math.copysign,
}
_OPERATORS: dict[str, type[ast.cmpop]] = {
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


def call(evaluator: Evaluator, node: ast.Call, scope: Scope, before: int | None) -> Value:
    """The value of a call, ``Unknown`` where it can't be followed."""
    function = evaluator.value(node.func, scope, before)
    return apply(evaluator, function, node, scope, before)


def apply(evaluator: Evaluator, function: Value, node: ast.Call, scope: Scope, before: int | None) -> Value:
    """Calls ``function`` with the arguments as written in ``node``."""
    if isinstance(function, Unknown):
        return _computed(node, function)
    if isinstance(function, TritonObject):
        known = decorations.call(evaluator, function, node, scope, before)
        if known is not None:
            return known
        return _triton(evaluator, function, node, scope, before)
    if isinstance(function, External) and function.path == "functools.partial" and node.args:
        keywords = {k.arg: k.value for k in node.keywords if k.arg}
        inner = evaluator.value(node.args[0], scope, before)
        return Partial(inner, tuple(evaluator.value(a, scope, before) for a in node.args[1:]), keywords, scope)
    if isinstance(function, Partial):
        keywords = [ast.keyword(k, v) for k, v in function.keywords.items()]
        if function.args:
            return _computed(node)
        merged = ast.copy_location(ast.Call(node.func, node.args, [*keywords, *node.keywords]), node)
        return apply(evaluator, function.function, merged, scope, before)
    args: list[Value] = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            inner = evaluator.value(argument.value, scope, before)
            if not isinstance(inner, Items):
                return _computed(node)
            args += inner.values
        else:
            args.append(evaluator.value(argument, scope, before))
    keywords_: dict[str, Value] = {}
    for keyword in node.keywords:
        value = evaluator.value(keyword.value, scope, before)
        if keyword.arg:
            keywords_[keyword.arg] = value
        elif isinstance(value, Dict):
            keywords_.update({k: v for k, v in value.pairs if isinstance(k, str)})
        else:
            return _computed(node)
    return called(evaluator, function, args, keywords_, node)


def called(
    evaluator: Evaluator, function: Value, args: list[Value], keywords: dict[str, Value], node: ast.Call
) -> Value:
    """Calls ``function`` with evaluated arguments."""
    if isinstance(function, Decoration):
        return decorations.decorate(evaluator, function, args[0]) if len(args) == 1 else _computed(node)
    if isinstance(function, RecordClass):
        return _record(function, args, keywords, node)
    if isinstance(function, UserClass):
        return decorations.construct(evaluator, function, args, node)
    if isinstance(function, (UserFunction, ConstexprFunction)):
        target = function.function if isinstance(function, ConstexprFunction) else function
        result = run(evaluator, target, args, keywords)
        return _computed(node, result) if isinstance(result, Unknown) else result
    if isinstance(function, Method):
        return _method(evaluator, function, [plain(a) for a in args], keywords, node)
    if isinstance(function, External):
        return _external(evaluator, function.path, args, keywords, node)
    return _computed(node)


def _triton(evaluator: Evaluator, function: TritonObject, node: ast.Call, scope: Scope, before: int | None) -> Value:
    name = function.path.rsplit(".", 1)[-1]
    args = [plain(evaluator.value(a, scope, before)) for a in node.args if not isinstance(a, ast.Starred)]
    answer = evaluator.resolver.project.hardware.call(function.path, args)
    if answer is not None:
        return answer[0]
    numbers = [a for a in args if isinstance(a, int)]
    if len(numbers) == len(args):
        if name == "next_power_of_2" and len(numbers) == 1:
            return 1 << max(numbers[0] - 1, 0).bit_length() if numbers[0] > 0 else 0
        if name == "cdiv" and len(numbers) == 2:
            return -(-numbers[0] // numbers[1])
    if name == "constexpr" and len(node.args) == 1:
        return wrapped(evaluator.value(node.args[0], scope, before))
    return _computed(node)


def wrapped(value: Value) -> Value:
    """``tl.constexpr(value)``. Around a function it makes one that kernels can call, as ``constexpr_function`` does."""
    if isinstance(value, UserFunction):
        return ConstexprFunction(value)
    return value if isinstance(value, (Unknown, Wrapped)) else Wrapped(value)


def _record(cls: RecordClass, args: list[Value], keywords: dict[str, Value], node: ast.Call) -> Value:
    values = dict(zip(cls.fields[len(cls.fields) - len(cls.defaults) :], cls.defaults))
    values.update(zip(cls.fields, args))
    values.update(keywords)
    if len(args) > len(cls.fields) or set(values) != set(cls.fields):
        return Unknown(f"`{describe(node)}` does not fit the fields of `{cls.name}`.")
    return Record(cls, tuple(values[f] for f in cls.fields))


def _external(evaluator: Evaluator, path: str, args: list[Value], keywords: dict[str, Value], node: ast.Call) -> Value:
    """Functions of Python's library, and what little is known of torch's."""
    module, _, name = path.rpartition(".")
    values = [plain(a) for a in args]
    answer = evaluator.resolver.project.hardware.call(path, values)
    if answer is not None:
        return answer[0]
    if path in ("os.environ.get", "os.getenv", "os.environ.setdefault"):
        return values[1] if len(values) > 1 else keywords.get("default")
    if path in ("torch.finfo", "torch.iinfo") and values and isinstance(values[0], TorchDtype):
        return Method(values[0], path)
    if path == "importlib.util.module_from_spec" and len(values) == 1 and isinstance(values[0], TritonObject):
        return values[0]
    if path in ("typing.cast", "typing_extensions.cast") and len(args) == 2:
        return args[1]
    if path in ("packaging.version.parse", "packaging.version.Version") and values:
        return version(values[0]) or _computed(node)
    if (
        path in ("importlib.metadata.version", "importlib.import_module", "importlib.util.find_spec")
        and len(values) == 1
    ):
        return _package(evaluator, path, values[0], node)
    if path == "collections.namedtuple" and len(values) >= 2:
        return decorations.namedtuple(values[0], values[1], keywords.get("defaults"))
    for value in values:
        if isinstance(value, Unknown):
            return value
    if module in ("math", "numpy"):
        return _math(name, values, node)
    if module == "builtins":
        return _builtin(evaluator, name, values, keywords, node)
    if module in ("operator", "_operator") and name in _OPERATORS and len(values) == 2:
        return evaluator.compared(_OPERATORS[name](), values[0], values[1], node)
    if path == "itertools.product":
        return _product(evaluator, values, node)
    return _computed(node)


def _package(evaluator: Evaluator, path: str, name: Value, node: ast.Call) -> Value:
    """Questions about installed packages, answered by looking for their files."""
    resolver = evaluator.resolver
    if not isinstance(name, str) or not re.fullmatch(r"\w+(\.\w+)*", name):
        return _computed(node)
    if path == "importlib.util.find_spec":
        found = resolver.import_module(name, resolver.any_module())
        if isinstance(found, TritonObject):
            return found if triton_has(resolver, found.path) else None
        return Items("tuple", (True,)) if resolver.is_installed(name, None) else None
    meaning = resolver.import_module(name, resolver.any_module())
    if path == "importlib.import_module":
        return meaning
    if isinstance(meaning, Unknown):
        return meaning
    found = resolver.member(meaning, "__version__", resolver.any_module(), node).value
    return found if isinstance(found, str) else _computed(node)


def _math(name: str, values: list[Value], node: ast.Call) -> Value:
    numbers = [v for v in values if isinstance(v, (int, float))]
    if len(numbers) == len(values):
        if len(numbers) == 1 and name in _FLOAT_FUNCTIONS:
            return _FLOAT_FUNCTIONS[name](numbers[0])
        if len(numbers) == 2 and name in _FLOAT_PAIRS:
            return _FLOAT_PAIRS[name](numbers[0], numbers[1])
        whole = [n for n in numbers if isinstance(n, int)]
        if name == "gcd" and len(whole) == len(values):
            return math.gcd(*whole)
        if name in ("float32", "float64") and len(numbers) == 1:
            return float(numbers[0])
        if name in ("int32", "int64") and len(numbers) == 1:
            return int(numbers[0])
    return _computed(node)


def _product(evaluator: Evaluator, values: list[Value], node: ast.Call) -> Value:
    rows: list[tuple[Value, ...]] = [()]
    for value in values:
        if not isinstance(value, Items):
            return _computed(node)
        if len(rows) * len(value.values) > limits.LONGEST:
            raise TooMuch
        rows = [(*row, v) for row in rows for v in value.values]
        evaluator.spend(len(rows))
    return Items("list", tuple(Items("tuple", row) for row in rows))


def _builtin(evaluator: Evaluator, name: str, values: list[Value], keywords: dict[str, Value], node: ast.Call) -> Value:
    first = values[0] if values else None
    if name in ("getattr", "hasattr") and len(values) >= 2 and isinstance(values[1], str):
        return _getattr(evaluator, name, values, node)
    if name in ("min", "max", "sum", "sorted", "any", "all", "tuple", "list", "set", "len", "reversed", "enumerate"):
        return _of_items(evaluator, name, values, keywords, node)
    if name == "zip" and all(isinstance(v, Items) for v in values):
        rows = zip(*(v.values for v in values if isinstance(v, Items)))
        return Items("list", tuple(Items("tuple", row) for row in rows))
    if name == "map" and len(values) == 2 and isinstance(values[1], Items):
        return Items("list", tuple(called(evaluator, values[0], [v], {}, node) for v in values[1].values))
    if name == "filter" and len(values) == 2 and isinstance(values[1], Items):
        kept = [v for v in values[1].values if truth(called(evaluator, values[0], [v], {}, node)) is not False]
        return Items("list", tuple(kept))
    if name == "range" and all(isinstance(v, int) for v in values) and 1 <= len(values) <= 3:
        numbers = range(*(v for v in values if isinstance(v, int)))
        if len(numbers) > limits.LONGEST:
            raise TooMuch
        evaluator.spend(len(numbers))
        return Items("tuple", tuple(numbers))
    if name == "dict" and not values:
        return Dict(tuple(keywords.items()))
    if name == "bool" and values:
        known = truth(first)
        return _computed(node) if known is None else known
    if name in ("int", "float", "str", "repr") and len(values) == 1:
        if isinstance(first, str) and len(first) > 1000:
            raise TooMuch
        if isinstance(first, (int, float, str)):
            return {"int": int, "float": float, "str": str, "repr": repr}[name](first)
    if (
        name == "int"
        and len(values) == 2
        and isinstance(first, str)
        and isinstance(values[1], int)
        and len(first) < 1000
    ):
        return int(first, values[1])
    if name == "abs" and isinstance(first, (int, float)):
        return abs(first)
    if name == "round" and isinstance(first, (int, float)):
        digits = values[1] if len(values) > 1 else None
        if isinstance(digits, int) and abs(digits) < 400:
            return round(first, digits)
        return round(first) if digits is None else _computed(node)
    if name == "pow" and len(values) == 2 and isinstance(first, (int, float)) and isinstance(values[1], (int, float)):
        return limits.power(first, values[1])
    return _computed(node)


def _getattr(evaluator: Evaluator, name: str, values: list[Value], node: ast.Call) -> Value:
    owner, attribute = values[0], values[1]
    assert isinstance(attribute, str)
    if name == "hasattr" and isinstance(owner, External) and evaluator.resolver.project.hardware.lacks(f"{owner.path}.{attribute}"):
        return False
    if isinstance(owner, TritonObject):
        there = triton_has(evaluator.resolver, f"{owner.path}.{attribute}")
        if name == "hasattr":
            return there
        if there:
            return TritonObject(f"{owner.path}.{attribute}")
        return values[2] if len(values) > 2 else Unknown(f"Triton has no `{owner.path}.{attribute}`.", missing=True)
    if isinstance(owner, ModuleValue):
        found = evaluator.resolver.member(owner, attribute, evaluator.resolver.any_module(), node).value
        missing = isinstance(found, Unknown) and found.missing
        if name == "hasattr":
            return not missing
        return values[2] if missing and len(values) > 2 else found
    return _computed(node)


def _of_items(
    evaluator: Evaluator, name: str, values: list[Value], keywords: dict[str, Value], node: ast.Call
) -> Value:
    first = values[0] if values else Items("tuple", ())
    if isinstance(first, str) and len(values) == 1:
        if name == "len":
            return len(first)
        first = Items("list", tuple(first))
    if isinstance(first, Dict):
        if name == "len":
            return len(first.pairs)
        first = Items("list", tuple(k for k, _ in first.pairs))
    if isinstance(first, Record):
        first = Items("tuple", first.values)
    if name in ("min", "max") and len(values) > 1:
        first = Items("tuple", tuple(values))
    if not isinstance(first, Items) or (keywords and name != "enumerate"):
        return _computed(node)
    evaluator.spend(len(first.values))
    if name == "len":
        return len(first.values)
    if name in ("tuple", "list", "set"):
        return Items("tuple" if name == "tuple" else "list" if name == "list" else "set", first.values)
    if name == "reversed":
        return Items("list", first.values[::-1])
    if name == "enumerate":
        return Items("list", tuple(Items("tuple", (i, v)) for i, v in enumerate(first.values)))
    if name in ("any", "all"):
        known = [truth(v) for v in first.values]
        decisive = name == "any"
        return decisive if decisive in known else _computed(node) if None in known else not decisive
    items = [plain(v) for v in first.values]
    numbers = [v for v in items if isinstance(v, (int, float))]
    if len(numbers) == len(items) and (numbers or name in ("sum", "sorted")):
        if name == "sorted":
            return Items("list", tuple(sorted(numbers)))
        return {"min": min, "max": max, "sum": sum}[name](numbers)
    words = [v for v in items if isinstance(v, str)]
    if len(words) == len(items) and words and name != "sum":
        return Items("list", tuple(sorted(words))) if name == "sorted" else min(words) if name == "min" else max(words)
    return _computed(node)


def _method(
    evaluator: Evaluator, method: Method, args: list[Value], keywords: dict[str, Value], node: ast.Call
) -> Value:
    owner, name = method.receiver, method.name
    if isinstance(owner, str):
        if name == "join" and len(args) == 1 and isinstance(args[0], Items):
            words = [w for w in args[0].values if isinstance(w, str)]
            if len(words) == len(args[0].values):
                evaluator.spend(len(words) // 8)
                return limits.text(owner.join(words)) if len(owner) * len(words) < 10_000 else _computed(node)
        if name == "format":
            return _format(owner, args, keywords, node)
        if name in _STRING_METHODS and all(isinstance(a, str) or isinstance(a, int) for a in args):
            if (
                name == "replace"
                and len(owner) * max((len(a) for a in args if isinstance(a, str)), default=0) > 100_000
            ):
                raise TooMuch
            return _of_text(getattr(owner, name)(*args))
        if name in ("startswith", "endswith") and len(args) == 1 and isinstance(args[0], Items):
            options = tuple(w for w in args[0].values if isinstance(w, str))
            return owner.startswith(options) if name == "startswith" else owner.endswith(options)
    if isinstance(owner, Dict):
        if name == "get" and args:
            found = owner.get(args[0])
            return found if found is not None else args[1] if len(args) > 1 else None
        if name == "keys":
            return Items("list", tuple(k for k, _ in owner.pairs))
        if name == "values":
            return Items("list", tuple(v for _, v in owner.pairs))
        if name == "items":
            return Items("list", tuple(Items("tuple", p) for p in owner.pairs))
        if name == "copy":
            return owner
    if isinstance(owner, Items) and name == "copy":
        return owner
    if isinstance(owner, int) and name == "bit_length":
        return int(owner).bit_length()
    return _computed(node)


def _format(template: str, args: list[Value], keywords: dict[str, Value], node: ast.Call) -> Value:
    """``template.format(...)`` with plain values; a field that reaches into one is not followed."""
    limits.text(template)
    words = [a for a in args if isinstance(a, (str, int, float))]
    named = {k: v for k, v in ((k, plain(v)) for k, v in keywords.items()) if isinstance(v, (str, int, float))}
    fields = re.findall(r"\{([^{}]*)", template.replace("{{", "").replace("}}", ""))
    if len(words) < len(args) or len(named) < len(keywords) or any(re.search(r"^[^:]*[.\[]", f) for f in fields):
        return _computed(node)
    for field in fields:
        limits.harmless(field.partition(":")[2])
    return limits.text(template.format(*words, **named))


def _of_text(result: str | bool | list[str]) -> Value:
    return Items("list", tuple(result)) if isinstance(result, list) else result


def info_member(method: Method, attribute: str) -> Value:
    """``torch.finfo(dtype).max``."""
    assert isinstance(method.receiver, TorchDtype)
    known = dtype_info(method.name, method.receiver.name, attribute)
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


def _computed(node: ast.Call, why: Unknown | None = None) -> Unknown:
    """A call that can't be followed."""
    text = describe(node)
    missing = why is not None and why.missing
    cause = f" ({why.reason.rstrip('.')})" if why is not None and len(why.reason) < 150 else ""
    return Unknown(f"`{text}` is computed when the code runs, and can't be known without running it{cause}.", missing)
