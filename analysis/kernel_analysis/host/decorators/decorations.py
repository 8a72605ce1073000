"""Triton's decorators and the user's classes, by their syntax: what ``@triton.jit`` and friends make of a function,
Enum and NamedTuple.

Fills in ``JitFunction``; runs no decorator."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from kernel_analysis.host.decorators import aggregates, configs, enums, records, wrappers
from kernel_analysis.host.evaluate.properties import changeable, equal, truth
from kernel_analysis.host.evaluate.values import (
    ConstexprFunction,
    Decoration,
    Definition,
    Dict,
    EnumMember,
    External,
    Jit,
    Partial,
    RecordClass,
    Scope,
    Unknown,
    UserClass,
    UserFunction,
    Value,
    plain,
)
from kernel_analysis.host.evaluate.wording import describe
from kernel_analysis.source import limits
from kernel_analysis.source.kernel import JitFunction, Parameter
from kernel_analysis.source.slice import TritonObject
from kernel_analysis.source.tree import parameters
from kernel_analysis.source.tree.forms import is_none
from kernel_analysis.span import Span

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import EvaluatorView
    from kernel_analysis.source.module import Module

_JIT = {
    "triton.jit", "triton.runtime.jit.jit", "triton.runtime.jit.JITFunction", "triton.runtime.JITFunction",
    "triton.JITFunction",
}  # fmt: skip
_GLUON = "triton.experimental.gluon"
_PRUNE = "prune_configs_by"
_MAKES_MEMBERS = {"__new__", "__init__", "_generate_next_value_", "_missing_", "_ignore_"}
_OF_TYPES = {name for owner in (type, object) for name, kept in vars(owner).items() if hasattr(kept, "__set__")}
"""What Python itself says of a class, whatever its body binds (``__name__``)."""
_OF_MEMBERS = ("_value_", "_member_map_", "_value2member_map_")
"""By which an Enum has its members, and these what they are."""
_ENUMS = {"Enum", "ReprEnum", "IntEnum", "StrEnum", "Flag", "IntFlag"}


def kind_of(path: str) -> Decoration | None:
    """The decorator that a Triton path names."""
    name = path.rsplit(".", 1)[-1]
    if path in _JIT:
        return Decoration("jit")
    if name in ("jit", "GluonJITFunction") and path.startswith(_GLUON):
        return Decoration("jit", gluon=True)
    if name == "autotune" or name == "heuristics":
        return Decoration("autotune" if name == "autotune" else "heuristics")
    return Decoration("constexpr") if name == "constexpr_function" else None


def call(evaluator: EvaluatorView, function: TritonObject, node: ast.Call, scope: Scope, before: int | None) -> Value:
    """A call of a decorator or ``triton.Config``; None if it is neither."""
    if function.path.endswith("Config") and function.path.rsplit(".", 1)[-1] == "Config":
        return configs.config(evaluator, node, scope, before)
    if aggregates.is_name(function.path) and len(node.args) == 1 and not node.keywords:
        cls = evaluator.value(node.args[0], scope, before)
        return UserClass(cls.scope, cls.node, aggregate=True) if isinstance(cls, UserClass) else None
    kind = kind_of(function.path)
    if kind is None:
        return None
    keywords = {k.arg: k.value for k in node.keywords if k.arg}
    if kind.kind == "autotune":
        source = keywords.get("configs") or (node.args[0] if node.args else None)
        # Which kernel it is does not depend on them.
        with evaluator.resolver.aside(notes := set[str]()):
            found = configs.configs(evaluator, source, scope, before)
        with evaluator.resolver.unheard():
            pruned = _prunes(evaluator, node, scope, before)
        return Decoration("autotune", configs=found, varies=min(notes, default=None), pruned=pruned)
    if kind.kind == "heuristics":
        source = keywords.get("values") or (node.args[0] if node.args else None)
        return Decoration("heuristics", options=configs.expressions(evaluator, source, scope, before))
    decoration = Decoration(kind.kind, kind.gluon, keywords)
    target = keywords.pop("fn", None) or (node.args[0] if node.args else None)
    if target is None:
        return decoration
    return decorate(evaluator, decoration, evaluator.value(target, scope, before))


def _prunes(evaluator: EvaluatorView, node: ast.Call, scope: Scope, before: int | None) -> bool:
    """Whether an autotuner is, or may be, given code that leaves configs out."""
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        return True
    prune = next((k.value for k in node.keywords if k.arg == _PRUNE), next(iter(node.args[2:]), None))
    more = [evaluator.evaluate(k.value, scope, before) for k in node.keywords if k.arg is None]
    known = all(isinstance(given, Dict) and not given.at(_PRUNE) for given in more)
    return not known or prune is not None and not is_none(prune)


def decorated(
    evaluator: EvaluatorView, scope: Scope, node: ast.FunctionDef | ast.AsyncFunctionDef, before: int | None
) -> Value:
    """What a ``def`` means with its decorators, innermost first."""
    if not scope.module.is_whole(node):
        return Unknown(f"`{node.name}` has a syntax error.", broken=True)
    value: Value = evaluator.function(scope, node, before)
    for decorator in reversed(node.decorator_list):
        above = decorator is not node.decorator_list[0]
        value = _applied(evaluator, value, decorator, scope, before, above)
    return value


def _applied(
    evaluator: EvaluatorView, value: Value, decorator: ast.expr, scope: Scope, before: int | None, above: bool
) -> Value:
    """One decorator applied; one that is not Triton's leaves a jit function what it is. ``above``: whether there is one
    that may make a jit function of what it gives."""
    meaning = evaluator.evaluate(decorator, scope, before)
    if wrappers.keeps(evaluator, decorator, scope, before):
        return value
    if isinstance(meaning, TritonObject):
        meaning = kind_of(meaning.path) or meaning
        if (
            isinstance(meaning, TritonObject)
            and meaning.path.endswith(".constexpr")
            and isinstance(value, UserFunction)
        ):
            return ConstexprFunction(value, apart=True)
    if isinstance(meaning, Decoration):
        return decorate(evaluator, meaning, value)
    text = describe(decorator)
    if isinstance(value, Jit):
        # What a class hands out of a static method is the function itself.
        static = isinstance(meaning, External) and meaning.path == "builtins.staticmethod"
        if not static and text not in value.function.wrappers:
            value.function.wrappers.append(text)
        return value
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    plainly = evaluator.evaluate(function, scope, before) if function is not decorator else meaning
    if isinstance(plainly, External) and plainly.path in wrappers.TRANSPARENT:
        if isinstance(value, UserFunction) and "cache" in plainly.path:
            return replace(value, remembered=True)
        return value
    if isinstance(meaning, Partial) and isinstance(meaning.function, TritonObject):
        call_ = ast.copy_location(ast.Call(decorator, [], []), decorator)
        whole = evaluator.evaluate(call_, scope, before)
        return decorate(evaluator, whole, value) if isinstance(whole, Decoration) else whole
    if isinstance(meaning, Partial):
        made = evaluator.called(meaning, [value], {}, ast.Call(decorator, [], []))
        if isinstance(made, (Jit, ConstexprFunction)):
            return made
    if isinstance(value, UserFunction):
        made = wrappers.made(evaluator, value, decorator, scope, before)
        if isinstance(made, Jit) and text not in made.function.wrappers:
            made.function.wrappers.append(text)
        if made is not None and (above or made is not value):
            return made
    return Unknown(f"`{text}` decorates it, and what that makes of it can't be known without running it.")


def decorate(evaluator: EvaluatorView, decoration: Decoration, value: Value) -> Value:
    """What one of Triton's decorators makes of a function."""
    if isinstance(value, ConstexprFunction) and decoration.kind == "constexpr":
        return value
    if decoration.kind == "constexpr" and isinstance(value, UserFunction):
        if isinstance(value.node, ast.Lambda):
            return Unknown("Triton makes no constexpr function of a lambda.")
        return ConstexprFunction(value)
    if decoration.kind == "constexpr" and isinstance(value, TritonObject):
        return TritonObject(value.path, constexpr=True)
    if decoration.kind == "jit" and isinstance(value, UserFunction) and isinstance(value.node, ast.FunctionDef):
        function = _jit_function(evaluator, value.scope, value.node, decoration.gluon)
        function.options.update(decoration.options)
        return Jit(function)
    if not isinstance(value, Jit):
        why = "It is made by one of Triton's decorators from something that is not a function of the workspace."
        return value if isinstance(value, Unknown) else Unknown(why)
    if decoration.kind not in ("autotune", "heuristics"):
        return value
    # The value may have been kept while the functions of its file were found again.
    function = evaluator.resolver.project.load(value.function.file).jit.get(id(value.function.node), value.function)
    configs.put_on(function, decoration)
    evaluator.resolver.project.decorated(function, decoration)
    return value if function is value.function else Jit(function)


def _jit_function(evaluator: EvaluatorView, scope: Scope, node: ast.FunctionDef, gluon: bool) -> JitFunction:
    module = scope.module
    known = module.jit.get(id(node))
    if known is not None:
        return known
    around: list[ast.AST] = []
    names = [node.name]
    current: Scope | None = scope
    while current is not None:
        if isinstance(current.node, ast.Module) and current.node is not module.tree:
            around.insert(0, current.node)
        if isinstance(current.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            around.insert(0, current.node)
            names[:0] = (
                [current.node.name] if isinstance(current.node, ast.ClassDef) else [current.node.name, "<locals>"]
            )
        current = current.parent
    function = JitFunction(
        module.file, module.name, node.name, ".".join(names), node, module.span(node), name_span(module, node),
        _parameters(evaluator, scope, node), gluon=gluon, scope=tuple(around),
    )  # fmt: skip
    module.jit[id(node)] = function
    return function


def name_span(module: Module, node: ast.FunctionDef) -> Span:
    """Where the name stands after ``def``."""
    line = module.lines[node.lineno - 1] if node.lineno <= len(module.lines) else ""
    start = module.column(node.lineno, node.col_offset) - 1
    found = line.find(node.name, start + 3)
    column = found + 1 if found >= 0 else start + 5
    return Span(module.file, node.lineno, column, node.lineno, column + len(node.name))


def _parameters(evaluator: EvaluatorView, scope: Scope, node: ast.FunctionDef) -> list[Parameter]:
    args = node.args
    defaults = parameters.defaults(args)
    keyword = {id(a) for a in args.kwonlyargs}
    found: list[Parameter] = []
    for argument in parameters.every(args):
        if argument is args.kwarg:
            continue
        kind = "vararg" if argument is args.vararg else "keyword" if id(argument) in keyword else "positional"
        constexpr, const = _annotation(evaluator, scope, argument.annotation)
        span = scope.module.span(argument)
        found.append(
            Parameter(argument.arg, kind, argument.annotation, defaults.get(argument.arg), constexpr, const, span)
        )
    return found


def _annotation(evaluator: EvaluatorView, scope: Scope, annotation: ast.expr | None) -> tuple[bool, bool]:
    """Whether an annotation says ``tl.constexpr`` or ``tl.const``; like Triton, by the words in it where it is text."""
    if annotation is None:
        return False, False
    if isinstance(annotation, ast.Constant):
        text = annotation.value if isinstance(annotation.value, str) else ""
    else:
        value = evaluator.evaluate(annotation, scope)
        text = value.path.rsplit(".", 1)[-1] if isinstance(value, TritonObject) else ""
        if isinstance(value, Unknown):
            text = describe(annotation)
    constexpr = "constexpr" in text
    return constexpr, not constexpr and ("const" in text or text.startswith("*k"))


def class_value(evaluator: EvaluatorView, scope: Scope, node: ast.ClassDef, before: int | None) -> Value:
    """What a ``class`` statement means: a NamedTuple class, or a class to reach into."""
    if any(aggregates.is_aggregate(evaluator, scope, decorator, before) for decorator in node.decorator_list):
        return UserClass(scope, node, aggregate=True)
    return records.record_class(evaluator, scope, node, before) or UserClass(scope, node)


def _enum(evaluator: EvaluatorView, cls: UserClass) -> str:
    """The Enum class that this one derives from; empty if none."""
    for base in cls.node.bases:
        meaning = evaluator.evaluate(base, cls.scope)
        if isinstance(meaning, External) and meaning.path.startswith("enum.") and meaning.path[5:] in _ENUMS:
            mixed = enums.mixed_type(evaluator, cls) in ("int", "str")
            return "IntEnum" if mixed and meaning.path[5:] in ("Enum", "ReprEnum") else meaning.path[5:]
        if isinstance(meaning, UserClass):
            found = _enum(evaluator, meaning)
            if found:
                return found
    return ""


def class_member(evaluator: EvaluatorView, cls: UserClass, name: str) -> Value:
    """``Class.name``."""
    inner = evaluator.resolver.inner(cls.scope, cls.node)
    found = evaluator.resolver.in_scope(inner, name, evaluator.resolver.moment(inner))
    if found is None:
        for base in cls.node.bases:
            meaning = evaluator.evaluate(base, cls.scope)
            meaning = meaning.written if isinstance(meaning, RecordClass) else meaning
            if isinstance(meaning, UserClass) and meaning.node is not cls.node:
                value = class_member(evaluator, meaning, name)
                if not (isinstance(value, Unknown) and value.missing):
                    evaluator.resolver.touches.attribute(cls, name, value)
                    if len(cls.node.bases) > 1:
                        evaluator.resolver.note(f"which base of `{cls.node.name}` has `{name}` is not followed")
                    return value
        if name == "__members__":
            return Unknown("The members of an Enum as a whole are not followed.")
        return Unknown(f"`{cls.node.name}` has no `{name}` that is set in the class itself.", missing=True)
    if name in _OF_TYPES:
        evaluator.resolver.note(f"what a class gives as `{name}` may be Python's own")
    if isinstance(found.node, ast.AnnAssign) and records.has_fields(evaluator, cls):
        return Unknown(f"`{cls.node.name}.{name}` is a field of a named tuple, and not its default.")
    enum = _enum(evaluator, cls)
    if not enum or isinstance(found.value, (UserFunction, Jit)):
        evaluator.resolver.touches.attribute(cls, name, found.value)  # an Enum refuses to set members alone
        return found.value
    if any(_MAKES_MEMBERS & table.keys() or enums.operates(table) for table in enums.enum_tables(evaluator, cls)):
        return Unknown(f"`{cls.node.name}` makes its members, or what operators do with them, by running code.")
    enums.doubts(evaluator, cls)
    project, module = evaluator.resolver.project, cls.scope.module
    found_by = any(project.elsewhere.wording(module, word) for word in _OF_MEMBERS[1:])
    if found_by or any(evaluator.resolver.touches.stored(word, module) for word in _OF_MEMBERS):
        evaluator.resolver.note("the value of a member of an Enum, or what members are found by, is set")
    if enums.refuses_not(evaluator, cls):
        evaluator.resolver.touches.attribute(cls, name, found.value)
    value = found.value
    automatic = _is_automatic(evaluator, inner, found)
    if automatic:
        value = _automatic(evaluator, cls, name, enum)
    value = enums.kept_value(evaluator, cls, value)
    if isinstance(value, Unknown):
        return value
    if changeable(value):
        evaluator.resolver.note(f"the value of `{cls.node.name}.{name}` may be changed")
    first = name if automatic else _first_of(evaluator, cls, inner, name, value)
    home = f"{cls.scope.module.name}:{cls.node.lineno}:{cls.node.col_offset}"
    is_value = enum in ("IntEnum", "StrEnum", "IntFlag")
    return EnumMember(cls.node.name, first, value, is_value, enum == "IntFlag", home, cls)


def _first_of(evaluator: EvaluatorView, cls: UserClass, inner: Scope, name: str, value: Value) -> str:
    """The name of the member: of several for one value the first."""
    own = inner.table.events.get(name, ())
    order = own[0].order if own else 0
    if not own or enums.follows_more(cls, own[0].node):
        evaluator.resolver.note(f"a member before `{cls.node.name}.{name}` may be the same")
    for other, events in inner.table.events.items():
        if other == name or events[0].how != "assign" or other.startswith("_") or events[0].order >= order:
            continue
        text = events[0].value
        plainly = text.value if isinstance(text, ast.Constant) else None
        if isinstance(plainly, (bool, int, float, str)):
            if equal(limits.literal(plainly), value):
                return other
        elif not isinstance(value, str):
            evaluator.resolver.note(f"`{cls.node.name}.{other}` may be the same member")
    return name


def _is_automatic(evaluator: EvaluatorView, inner: Scope, found: Definition) -> bool:
    """``NAME = auto()`` in a class."""
    node = found.node
    if not isinstance(found.value, Unknown) or not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
        return False
    meaning = evaluator.evaluate(node.value.func, inner)
    return isinstance(meaning, External) and meaning.path == "enum.auto"


def _automatic(evaluator: EvaluatorView, cls: UserClass, name: str, enum: str) -> Value:
    """What ``auto()`` gives a member: one more than the one before it, the next bit, or its name."""
    if enum == "StrEnum":
        return name.lower()
    inner = evaluator.resolver.inner(cls.scope, cls.node)
    if enums.follows_more(cls, inner.table.events[name][0].node):
        return Unknown(f"What `auto()` gives `{cls.node.name}.{name}` can't be known without running it.")
    moment = evaluator.resolver.moment(inner)
    events = [(e[0].order, n) for n, e in inner.table.events.items() if not n.startswith("_") and e[0].how == "assign"]
    numbers: list[int] = []
    # In the order in which they are made: each counts on from those before it.
    for _, member in sorted(events):
        found = evaluator.resolver.in_scope(inner, member, moment)
        value: Value = None if found is None else plain(found.value)
        # Versions of Python differ on what follows members that are no numbers, or that go down.
        if found is not None and _is_automatic(evaluator, inner, found):
            flag = enum in ("Flag", "IntFlag")
            value = 1 << max(numbers, default=0).bit_length() if flag else numbers[-1] + 1 if numbers else 1
        if member == name and isinstance(value, int):
            return value
        if not isinstance(value, int) or numbers and value < numbers[-1]:
            break
        numbers.append(value)
    return Unknown(f"What `auto()` gives `{cls.node.name}.{name}` can't be known without running it.")


def construct(evaluator: EvaluatorView, cls: UserClass, args: list[Value], node: ast.Call) -> Value:
    """``Class(...)``: an Enum looked up by value; an object of any other class is made by running code."""
    if len(args) == 1 and _enum(evaluator, cls):
        inner = evaluator.resolver.inner(cls.scope, cls.node)
        for name, events in inner.table.events.items():
            member = class_member(evaluator, cls, name) if events[0].how == "assign" else None
            if (
                isinstance(member, EnumMember)
                and type(member.value) is type(args[0])
                and truth(member.value == args[0])
            ):
                return member
    return Unknown(f"`{cls.node.name}(...)` makes an object by running the class's code, which is never done.")
