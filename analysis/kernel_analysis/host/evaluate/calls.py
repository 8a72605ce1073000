"""Calls that safe evaluation can follow: pure functions of Python, math, Triton's host helpers, and the user's own
small functions.

The user's functions are interpreted from their syntax, within ``limits``; nothing of theirs runs."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from kernel_analysis.host.decorators import decorations, kept_objects, records
from kernel_analysis.host.evaluate import constexprs, layouts
from kernel_analysis.host.evaluate.argument import HostArgument
from kernel_analysis.host.evaluate.interpret import run
from kernel_analysis.host.evaluate.properties import as_text, changeable
from kernel_analysis.host.evaluate.pure import OPERATORS, builtin, math_function, method_call, product, version
from kernel_analysis.host.evaluate.values import (
    ConstexprFunction,
    Decoration,
    Dict,
    External,
    Items,
    Jit,
    Method,
    Partial,
    Record,
    RecordClass,
    Scope,
    Unknown,
    UserClass,
    UserFunction,
    Value,
    Wrapped,
    plain,
    used_up,
)
from kernel_analysis.host.evaluate.wording import computed, describe
from kernel_analysis.host.names.imports.packages import triton_has, triton_parameters
from kernel_analysis.source import arithmetic
from kernel_analysis.source.slice import TorchDtype, TritonObject
from kernel_analysis.source.tree.forms import last_name

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import EvaluatorView

_IMPORTS = ("importlib.import_module", "pytest.importorskip")
"""What gives the module that is named by a text, if it gives anything."""
_SIGNATURE = RecordClass("Signature", ("parameters",), ())
"""What ``inspect.signature`` gives, as far as kernels' files look at it: whether a name is among its parameters."""


def call(evaluator: EvaluatorView, node: ast.Call, scope: Scope, before: int | None) -> Value:
    """The value of a call, ``Unknown`` where it can't be followed."""
    evaluator.callee = node.func
    function = evaluator.value(node.func, scope, before)
    found = apply(evaluator, function, node, scope, before)
    if isinstance(found, Unknown):
        kind = evaluator.resolver.project.hardware.kind(node)
        if kind is None:
            return found
        evaluator.resolver.rests("is_<kind>", f"`{describe(node)}`")
        return kind
    return found


def apply(evaluator: EvaluatorView, function: Value, node: ast.Call, scope: Scope, before: int | None) -> Value:
    """Calls ``function`` with the arguments as written in ``node``."""
    if isinstance(function, Unknown):
        return computed(node, function)
    if isinstance(function, TritonObject):
        known = decorations.call(evaluator, function, node, scope, before)
        if known is not None:
            return known
        return _triton(evaluator, function, node, scope, before)
    if isinstance(function, External) and function.path == "functools.partial" and node.args:
        keywords = {k.arg: k.value for k in node.keywords if k.arg}
        if len(keywords) < len(node.keywords) or any(isinstance(a, ast.Starred) for a in node.args):
            return computed(node)
        inner, *bound = (evaluator.value(a, scope, before) for a in node.args)
        values = {k: evaluator.value(v, scope, before) for k, v in keywords.items()}
        return Partial(inner, tuple(bound), values, keywords)
    if isinstance(function, Partial) and isinstance(function.function, TritonObject) and not function.args:
        written = [ast.keyword(k, v) for k, v in function.keywords.items()]
        merged = ast.copy_location(ast.Call(node.func, node.args, [*written, *node.keywords]), node)
        return apply(evaluator, function.function, merged, scope, before)
    if isinstance(function, External) and function.path in _IMPORTS and 0 < len(node.args) < 3:
        # From where it is called: scripts import what lies beside them, whatever it is called.
        name = plain(evaluator.value(node.args[0], scope, before))
        dots = r"\.*" if last_name(node.args[-1]) in ("__name__", "__package__") else ""
        if isinstance(name, str) and re.fullmatch(rf"{dots}[\w-]+(\.[\w-]+)*", name):
            return evaluator.resolver.import_module(name, scope.module)
    if isinstance(function, External) and function.path == "builtins.__import__" and len(node.args) == 1:
        name = plain(evaluator.value(node.args[0], scope, before))
        if isinstance(name, str) and re.fullmatch(r"\w+(\.\w+)*", name):
            return evaluator.resolver.import_module(name.split(".")[0], scope.module)
    args: list[Value] = []
    whole = True
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            inner = evaluator.value(argument.value, scope, before)
            if not isinstance(inner, Items):
                whole = False
                break
            args += inner.values
        else:
            args.append(evaluator.value(argument, scope, before))
    keywords_: dict[str, Value] = {}
    for keyword in node.keywords:
        value = evaluator.value(keyword.value, scope, before)
        if keyword.arg:
            keywords_[keyword.arg] = value
        elif isinstance(value, Dict):
            whole &= all(isinstance(k, str) for k, _ in value.pairs)
            keywords_.update({k: v for k, v in value.pairs if isinstance(k, str)})
        elif isinstance(value, HostArgument) and value.kind == "dict":
            known = dict(zip(value.keys, value.items or (), strict=True))
            whole &= not value.open and not value.optional and all(isinstance(k, str) for k in known)
            keywords_.update({k: v for k, v in known.items() if isinstance(k, str)})
        else:
            whole = False
    result = (evaluator.called if whole else evaluator.partly)(function, args, keywords_, node)
    return replace(result, file=scope.module.file) if isinstance(result, RecordClass) and not result.file else result


def called(
    evaluator: EvaluatorView, function: Value, args: list[Value], keywords: dict[str, Value], node: ast.Call
) -> Value:
    """Calls ``function`` with evaluated arguments."""
    if isinstance(function, Decoration):
        return decorations.decorate(evaluator, function, args[0]) if len(args) == 1 else computed(node)
    if isinstance(function, Partial):
        if used_up(function):
            evaluator.resolver.note("what it is given is used up by the first call")
        return evaluator.called(function.function, [*function.args, *args], {**function.values, **keywords}, node)
    if isinstance(function, RecordClass):
        evaluator.resolver.touches.field(function, "__new__", "__defaults__", "__init__")
        return _record(evaluator, function, args, keywords, node)
    if isinstance(function, UserClass):
        made = None if function.aggregate else kept_objects.made(evaluator, function, args, keywords)
        return decorations.construct(evaluator, function, args, node) if made is None else made
    if isinstance(function, (UserFunction, ConstexprFunction)):
        if isinstance(function, ConstexprFunction):
            function, args = function.function, list(map(constexprs.unwrapped, args))
            keywords = {name: constexprs.unwrapped(value) for name, value in keywords.items()}
        result = run(evaluator, function, args, keywords)
        return computed(node, result) if isinstance(result, Unknown) else result
    if isinstance(function, Method):
        as_they_are = function.name == "format" or isinstance(function.receiver, Dict)
        return method_call(
            evaluator,
            function,
            [evaluator.settled(a if as_they_are else plain(a)) for a in args],
            keywords,
            node,
        )
    if isinstance(function, External):
        return _external(evaluator, function.path, args, keywords, node)
    return computed(node)


def _triton(
    evaluator: EvaluatorView, function: TritonObject, node: ast.Call, scope: Scope, before: int | None
) -> Value:
    name = function.path.rsplit(".", 1)[-1]
    args = [plain(evaluator.value(a, scope, before)) for a in node.args if not isinstance(a, ast.Starred)]
    answer = evaluator.resolver.project.hardware.call(function.path, args)
    if answer is not None:
        evaluator.resolver.rests(answer.row, f"`{describe(node)}`")
        return answer.value
    if name in ("cdiv", "next_power_of_2") and all(isinstance(a, (int, float)) for a in args) and not node.keywords:
        return arithmetic.called(function.path, args)
    if name == "constexpr" and len(node.args) == 1:
        return evaluator.constexpr(evaluator.value(node.args[0], scope, before))
    named = {k.arg: evaluator.value(k.value, scope, before) for k in node.keywords if k.arg}
    written = len(args) + len(named) == len(node.args) + len(node.keywords)
    layout = layouts.made(function.path, args, named) if written else None
    return evaluator.called(function, args, named, node) if layout is None else layout


def wrapped(value: Value) -> Value:
    """``tl.constexpr(value)``. Around a function it makes one that kernels can call, as ``constexpr_function`` does."""
    if isinstance(value, UserFunction):
        if isinstance(value.node, ast.Lambda):
            return Unknown("What a lambda in a `constexpr` does is not followed.")
        return ConstexprFunction(value, apart=True)
    return constexprs.wrapped(value)


def _record(
    evaluator: EvaluatorView, cls: RecordClass, args: list[Value], keywords: dict[str, Value], node: ast.Call
) -> Value:
    values = dict(zip(cls.fields[len(cls.fields) - len(cls.defaults) :], cls.defaults, strict=False))
    values.update(zip(cls.fields, args, strict=False))
    values.update(keywords)
    if len(args) > len(cls.fields) or set(values) != set(cls.fields):
        return Unknown(f"`{describe(node)}` does not fit the fields of `{cls.name}`.")
    for field in cls.fields[len(args) :]:
        if field not in keywords and changeable(values[field]):
            evaluator.resolver.note(f"the default of `{cls.name}.{field}` is one object for all of them")
    return Record(cls, tuple(values[f] for f in cls.fields))


_KEYWORDS = {
    "builtins.enumerate": frozenset({"start"}),
    "builtins.int": frozenset({"base"}),
    "builtins.round": frozenset({"ndigits"}),
    "builtins.sorted": frozenset({"reverse"}),
    "builtins.sum": frozenset({"start"}),
    "builtins.zip": frozenset({"strict"}),
    "collections.namedtuple": frozenset({"defaults"}),
    "itertools.product": frozenset({"repeat"}),
    "os.environ.get": frozenset({"default"}),
    "os.getenv": frozenset({"default"}),
}
"""What a function of Python's library is followed with, beside ``dict``, which takes any. With another keyword nobody
knows here what it gives."""


def _external(
    evaluator: EvaluatorView, path: str, args: list[Value], keywords: dict[str, Value], node: ast.Call
) -> Value:
    """Functions of Python's library, and what little is known of torch's."""
    module, _, name = path.rpartition(".")
    values = [plain(a) for a in args]
    answer = evaluator.resolver.project.hardware.call(path, values)
    if answer is not None:
        evaluator.resolver.rests(answer.row, f"`{describe(node)}`")
        return answer.value
    if (made := kept_objects.by_library(evaluator, path, args, keywords)) is not None:
        return made
    if path != "builtins.dict" and keywords.keys() - _KEYWORDS.get(path, frozenset()):
        return computed(node)
    if path in ("os.environ.get", "os.getenv", "os.environ.setdefault"):
        evaluator.resolver.rests(path, f"`{describe(node)}`")
        return values[1] if len(values) > 1 else keywords.get("default")
    if path in ("builtins.str", "builtins.repr"):
        values = [as_text(a) for a in args]
    if path != "builtins.bool":
        values = [evaluator.settled(v) for v in values]
    if path in ("torch.finfo", "torch.iinfo") and values and isinstance(values[0], TorchDtype):
        return Method(values[0], path)
    if path == "inspect.signature" and len(values) == 1 and isinstance(values[0], TritonObject):
        names = triton_parameters(evaluator.resolver, values[0].path)
        evaluator.resolver.rests("inspect.signature(triton)", f"`{describe(node)}`")
        return computed(node) if names is None else Record(_SIGNATURE, (Items("tuple", names),))
    if path == "importlib.util.module_from_spec" and len(values) == 1 and isinstance(values[0], TritonObject):
        return values[0]
    if path in ("typing.cast", "typing_extensions.cast") and len(args) == 2:
        return args[1]
    if path in ("packaging.version.parse", "packaging.version.Version") and values:
        return version(values[0]) or computed(node)
    if (
        path in ("importlib.metadata.version", "importlib.import_module", "importlib.util.find_spec")
        and len(values) == 1
    ):
        return _package(evaluator, path, values[0], node)
    if path == "builtins.staticmethod" and len(args) == 1 and isinstance(args[0], (UserFunction, Jit, TritonObject)):
        return args[0]
    if path == "collections.namedtuple" and len(values) >= 2:
        return records.namedtuple(values[0], values[1], keywords.get("defaults"))
    for value in values:
        if isinstance(value, Unknown):
            return value
    if module == "numpy":
        evaluator.resolver.note("NumPy's numbers have types of their own")
    if not constexprs.takes(name if module == "builtins" else module, args):
        return computed(node)
    if module in ("math", "numpy"):
        return math_function(name, values, node)
    if module == "builtins":
        if name in constexprs.CHOOSE:
            values = [arg if isinstance(arg, Wrapped) else value for arg, value in zip(args, values, strict=True)]
        return builtin(evaluator, name, values, keywords, node)
    if module in ("operator", "_operator") and name in OPERATORS and len(values) == 2:
        return evaluator.compared(OPERATORS[name](), values[0], values[1], node)
    if path == "itertools.product":
        return product(evaluator, values, keywords.get("repeat", 1), node)
    return computed(node)


def _package(evaluator: EvaluatorView, path: str, name: Value, node: ast.Call) -> Value:
    """Questions about installed packages, answered by looking for their files."""
    resolver = evaluator.resolver
    if not isinstance(name, str) or not re.fullmatch(r"\w+(\.\w+)*", name):
        return computed(node)
    triton = name.split(".")[0] == "triton"
    if path == "importlib.util.find_spec":
        found = resolver.import_module(name, resolver.any_module())
        resolver.rests("importlib.util.find_spec('triton')" if triton else path, f"whether `{name}` is installed")
        if isinstance(found, TritonObject):
            return found if triton_has(resolver, found.path) else None
        return Items("tuple", (True,)) if resolver.is_installed(name, None) else None
    meaning = resolver.import_module(name, resolver.any_module())
    if path == "importlib.import_module":
        return meaning
    if isinstance(meaning, Unknown):
        return meaning
    found = evaluator.settled(resolver.member(meaning, "__version__", resolver.any_module(), node).value)
    resolver.rests("importlib.metadata.version('triton')" if triton else path, f"`{describe(node)}`")
    return found if isinstance(found, str) else computed(node)
