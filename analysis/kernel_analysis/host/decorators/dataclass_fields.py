"""What ``dataclasses.dataclass`` makes of a class: its fields, with their defaults, and which parameters objects of it
are made with.

By the class's syntax; no decorator runs. A class in which something else stands is not followed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.properties import changeable
from kernel_analysis.host.evaluate.values import External, Object, Scope, Unknown, UserClass, UserFunction, Value
from kernel_analysis.record import record
from kernel_analysis.source.parsing.parse import expression

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import EvaluatorView

_PLAIN_BASES = frozenset({
    "abc.ABC", "builtins.object", "typing.Generic", "typing.Protocol", "typing_extensions.Protocol",
})  # fmt: skip
"""What a class may derive from without getting code by which its objects are made."""
_LEAVES = frozenset({"functools.total_ordering", "typing.final"})
_OPTIONS = frozenset({
    "init", "repr", "eq", "order", "unsafe_hash", "frozen", "match_args", "kw_only", "slots", "weakref_slot",
})  # fmt: skip
_OF_A_FIELD = frozenset({"default", "default_factory", "init", "repr", "hash", "compare", "metadata", "kw_only", "doc"})
_PLAIN = (ast.AnnAssign, ast.Assign, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Pass)
_DEEPEST = 8
MAKING = frozenset({"__init__", "__post_init__"})
"""The methods by which an object gets what it has."""


class DoesMore(Exception):
    """A class, or what makes objects of it, does something that is not followed."""


@record
class DataclassField:
    """``default`` and ``factory``: None where there is none. ``keyword``: it is passed by its name alone."""

    name: str
    scope: Scope
    order: int
    default: ast.expr | None
    factory: ast.expr | None
    init: bool
    keyword: bool


def body_of(evaluator: EvaluatorView, cls: UserClass) -> Scope:
    return evaluator.resolver.inner(cls.scope, cls.node)


def lineage(evaluator: EvaluatorView, cls: UserClass) -> tuple[UserClass, ...]:
    """The class, and those that it derives from, if each is made by its statement alone. Raises DoesMore."""
    found: list[UserClass] = []
    current: UserClass | None = cls
    while current is not None:
        if current.aggregate or current.node.keywords or len(found) > _DEEPEST:
            raise DoesMore
        for statement in current.node.body:
            says_nothing = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if not says_nothing and not isinstance(statement, _PLAIN):
                raise DoesMore
        options(evaluator, current)
        found.append(current)
        current = _base(evaluator, current)
    return tuple(found)


def _moment(cls: UserClass) -> int | None:
    return cls.scope.table.orders.get(id(cls.node)) if cls.scope.locals is None else None


def _base(evaluator: EvaluatorView, cls: UserClass) -> UserClass | None:
    left: list[UserClass] = []
    for node in cls.node.bases:
        meaning = evaluator.evaluate(node.value if isinstance(node, ast.Subscript) else node, cls.scope, _moment(cls))
        if isinstance(meaning, UserClass):
            left.append(meaning)
        elif not isinstance(meaning, External) or meaning.path not in _PLAIN_BASES:
            raise DoesMore
    if len(left) > 1:
        raise DoesMore
    return left[0] if left else None


def options(evaluator: EvaluatorView, cls: UserClass) -> Mapping[str, bool] | None:
    """What ``dataclass`` is told; None: the class is none by itself. Raises DoesMore."""
    found: Mapping[str, bool] | None = None
    for decorator in cls.node.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        meaning = evaluator.evaluate(call.func if call is not None else decorator, cls.scope, _moment(cls))
        if not isinstance(meaning, External):
            raise DoesMore
        if meaning.path == "dataclasses.dataclass" and found is None:
            found = _flags(call, _OPTIONS)
        elif meaning.path not in _LEAVES or call is not None:
            raise DoesMore
    return found


def _flags(call: ast.Call | None, known: frozenset[str]) -> dict[str, bool]:
    if call is not None and call.args:
        raise DoesMore
    found: dict[str, bool] = {}
    for keyword in call.keywords if call is not None else ():
        value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
        if keyword.arg not in known or not isinstance(value, bool):
            raise DoesMore
        found[keyword.arg] = value
    return found


def is_frozen(evaluator: EvaluatorView, cls: UserClass) -> bool:
    """Whether attributes of its objects can't be set, or not all of them. Raises DoesMore."""
    told = options(evaluator, cls) or {}
    slots = told.get("slots", False) or "__slots__" in body_of(evaluator, cls).table.events
    return told.get("frozen", False) or slots


def is_field(evaluator: EvaluatorView, cls: UserClass, node: ast.AST) -> bool:
    """Whether a statement of a class's body is a ``field(...)`` of a dataclass."""
    if not isinstance(node, ast.AnnAssign) or not isinstance(node.value, ast.Call):
        return False
    meaning = evaluator.evaluate(node.value.func, body_of(evaluator, cls))
    return isinstance(meaning, External) and meaning.path == "dataclasses.field"


def fields(evaluator: EvaluatorView, line: tuple[UserClass, ...]) -> list[DataclassField]:
    """The fields that objects of a class have, in the order of its parameters. Raises DoesMore."""
    found: dict[str, DataclassField] = {}
    for cls in reversed(line):
        told = options(evaluator, cls)
        if told is not None:
            found.update({field.name: field for field in _own(evaluator, cls, told.get("kw_only", False))})
    return list(found.values())


def _own(evaluator: EvaluatorView, cls: UserClass, keyword: bool) -> list[DataclassField]:
    inner = body_of(evaluator, cls)
    found: list[DataclassField] = []
    for node in cls.node.body:
        if not isinstance(node, ast.AnnAssign):
            continue
        name = node.target.id if isinstance(node.target, ast.Name) else ""
        events = inner.table.events.get(name, [])
        if not name or name.startswith("__") or any(field.name == name for field in found):
            raise DoesMore
        if any(event.node is not node for event in events):
            raise DoesMore  # what the class has by the end is the default
        order = inner.table.orders.get(id(node), 0)
        kind = _kind(evaluator, inner, order, node.annotation)
        if kind == "keywords":
            keyword = True
        elif kind == "field":
            found.append(_field(evaluator, inner, order, node, name, keyword))
    return found


def _field(
    evaluator: EvaluatorView, inner: Scope, order: int, node: ast.AnnAssign, name: str, keyword: bool
) -> DataclassField:
    call = node.value
    if not isinstance(call, ast.Call):
        return DataclassField(name, inner, order, call, None, True, keyword)
    meaning = evaluator.evaluate(call.func, inner, order)
    if not isinstance(meaning, External) or meaning.path != "dataclasses.field":
        return DataclassField(name, inner, order, call, None, True, keyword)
    told = {k.arg: k.value for k in call.keywords if k.arg is not None}
    if call.args or len(told) < len(call.keywords) or told.keys() - _OF_A_FIELD:
        raise DoesMore
    settings = [ast.keyword(k, v) for k, v in told.items() if k in ("init", "kw_only")]
    flags = _flags(ast.Call(call.func, [], settings), _OF_A_FIELD)
    init, keyword = flags.get("init", True), flags.get("kw_only", keyword)
    return DataclassField(name, inner, order, told.get("default"), told.get("default_factory"), init, keyword)


def _kind(evaluator: EvaluatorView, inner: Scope, order: int, annotation: ast.expr) -> str:
    """What an annotation makes of a name: a field, a variable of the class, or nothing but a mark."""
    head = annotation
    if isinstance(head, ast.Constant) and isinstance(head.value, str):
        said = expression(head.value.strip())
        if said is None:
            raise DoesMore
        head = said
    while isinstance(head, ast.Subscript):
        head = head.value
    if not isinstance(head, (ast.Name, ast.Attribute)):
        return "field"
    meaning = evaluator.evaluate(head, inner, order)
    path = meaning.path if isinstance(meaning, External) else ""
    if path in ("typing.ClassVar", "typing_extensions.ClassVar"):
        return "of the class"
    if path == "dataclasses.KW_ONLY":
        return "keywords"
    if path == "dataclasses.InitVar":
        raise DoesMore
    if isinstance(meaning, Unknown):
        evaluator.resolver.note(f"what `{ast.unparse(annotation)}` makes of a dataclass's field is not known")
    return "field"


def filled(
    evaluator: EvaluatorView, line: tuple[UserClass, ...], args: list[Value], keywords: dict[str, Value]
) -> dict[str, Value]:
    """What an object has as its fields that is made with these arguments. Raises DoesMore."""
    known = fields(evaluator, line)
    named = [field.name for field in known if field.init]
    positional = [field.name for field in known if field.init and not field.keyword]
    given = dict(zip(positional, args, strict=False))
    if len(args) > len(positional) or given.keys() & keywords.keys() or keywords.keys() - {*named}:
        raise DoesMore
    given.update(keywords)
    found: dict[str, Value] = {}
    for field in known:
        # That a default is of a kind that a dataclass takes is asked whether it is used or not.
        default = None if field.default is None else evaluator.evaluate(field.default, field.scope, field.order)
        if field.default is not None and changeable(default):
            raise DoesMore
        if field.name in given:
            found[field.name] = given[field.name]
        elif field.factory is not None:
            function = evaluator.evaluate(field.factory, field.scope, field.order)
            found[field.name] = evaluator.called(function, [], {}, ast.Call(field.factory, [], []))
        elif field.default is not None:
            found[field.name] = default
        elif field.init:
            raise DoesMore
    return found


def functions(evaluator: EvaluatorView, owner: Object) -> Iterator[UserFunction]:
    """The functions that the classes of an object have, but for those that make it."""
    if isinstance(owner.cls, UserClass):
        for cls in lineage(evaluator, owner.cls):
            inner = body_of(evaluator, cls)
            for node in cls.node.body:
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name not in MAKING:
                    yield UserFunction(inner, node)
