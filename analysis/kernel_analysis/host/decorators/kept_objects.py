"""Objects of classes that keep what they are given: dataclasses, and plain classes whose ``__init__`` stores its
arguments. What such an object has as which attribute.

Follows the class's code by its syntax, and runs nothing; a class that does more gives nothing that is told.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from kernel_analysis.host.changes.containers import object_uses
from kernel_analysis.host.decorators import dataclass_fields, enums
from kernel_analysis.host.decorators.dataclass_fields import MAKING, DoesMore, body_of
from kernel_analysis.host.evaluate import interpret
from kernel_analysis.host.evaluate.values import (
    Definition,
    Dict,
    EnumMember,
    External,
    Items,
    Object,
    Partial,
    Record,
    Scope,
    Unknown,
    UserClass,
    UserFunction,
    Value,
)
from kernel_analysis.source.tree.forms import last_name, made_object

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import EvaluatorView

NAMESPACES = frozenset({"types.SimpleNamespace", "argparse.Namespace"})
"""Classes of Python's own whose objects have the keywords that they are made with as attributes."""
_DECIDING = ("__new__", "__init__", "__post_init__", "__setattr__", "__getattribute__")
"""By these a class decides what an object of it has."""
_CALL = ast.Call(ast.Name("__get__", ast.Load()), [], [])
Line: TypeAlias = "tuple[UserClass, ...]"


def made(evaluator: EvaluatorView, cls: UserClass, args: list[Value], keywords: dict[str, Value]) -> Value | None:
    """``Class(...)``; None: the class does more than keep what it is given."""
    try:
        line = lineage(evaluator, cls)
        for one in line:
            if ({*_DECIDING} & body_of(evaluator, one).table.events.keys()) - MAKING:
                return None
        return _asked(evaluator, line, _DECIDING, _begun(evaluator, line, 0, Object(cls, (), ()), args, keywords))
    except DoesMore:
        return None


def lineage(evaluator: EvaluatorView, cls: UserClass) -> Line:
    """The class, and those that it derives from, if each is made by its statement alone. Raises DoesMore."""
    return dataclass_fields.lineage(evaluator, cls)


def _asked(evaluator: EvaluatorView, line: Line, names: Sequence[str], value: Value) -> Value:
    """The value; notes why the classes may be others than they are written."""
    for cls in line:
        for name in names:
            object_uses.asked(evaluator.resolver.touches, cls, name, value)
    return value


def _begun(
    evaluator: EvaluatorView, line: Line, start: int, given: Object, args: list[Value], keywords: dict[str, Value]
) -> Value:
    """The object after what ``__init__`` of the first class from there on does that has one."""
    for place, cls in enumerate(line[start:], start):
        if "__init__" in body_of(evaluator, cls).table.events:
            return interpret.left(evaluator, _method(evaluator, cls, "__init__"), [given, *args], keywords)
        options = dataclass_fields.options(evaluator, cls)
        if options is not None and options.get("init", True):
            filled = dataclass_fields.filled(evaluator, line[place:], args, keywords)
            _asked(evaluator, line, [*filled], None)
            given = Object(given.cls, tuple(filled), tuple(filled.values()))
            post = next((c for c in line if "__post_init__" in body_of(evaluator, c).table.events), None)
            if post is None:
                return given
            return interpret.left(evaluator, _method(evaluator, post, "__post_init__"), [given], {})
    if args or keywords:
        raise DoesMore
    return given


def _method(evaluator: EvaluatorView, cls: UserClass, name: str) -> UserFunction:
    found = _in_class(evaluator, cls, name)
    function = found.value if found is not None else None
    if not isinstance(function, UserFunction) or not isinstance(function.node, ast.FunctionDef):
        raise DoesMore
    if function.node.decorator_list or not function.node.args.args:
        raise DoesMore
    return function


def _in_class(evaluator: EvaluatorView, cls: UserClass, name: str) -> Definition | None:
    inner = body_of(evaluator, cls)
    return evaluator.resolver.in_scope(inner, name, evaluator.resolver.moment(inner))


# What is asked of one -------------------------------------------------------------------------------------------------


def attribute(evaluator: EvaluatorView, owner: Object | Record, name: str) -> Value | None:
    """``owner.name``; None where the class does not say."""
    held = dict(zip(owner.names, owner.values, strict=True)) if isinstance(owner, Object) else {}
    cls = owner.cls if isinstance(owner, Object) else owner.cls.written
    if not isinstance(cls, UserClass):
        return held.get(name, Unknown("It has no such attribute.")) if cls is not None else None
    try:
        line = lineage(evaluator, cls)
    except DoesMore:
        if isinstance(owner, Object):
            return None
        line = (cls,)
    where, found = _bound(evaluator, line, name)
    if name in held:
        if where is not None and found is not None and not _yields(evaluator, where, found):
            return None
        if isinstance(owner, Object):
            object_uses.changed_unasked(evaluator.resolver, owner, cls.node.name)
        return _asked(evaluator, line, ("__getattribute__", name), held[name])
    if where is None or found is None:
        return None
    _asked(evaluator, line[: line.index(where) + 1], ("__getattribute__", name), found.value)
    node = found.node
    if not isinstance(node, ast.FunctionDef) or found.module is not where.scope.module:
        return evaluator.attribute(where, name)
    return _of_method(evaluator, owner, cls, where, node)


def of_class(evaluator: EvaluatorView, cls: UserClass, name: str) -> Value | None:
    """``Class.name``, where that is a function which is given the class itself."""
    try:
        where, found = _bound(evaluator, lineage(evaluator, cls), name)
    except DoesMore:
        return None
    if where is None or found is None or not isinstance(found.node, ast.FunctionDef) or not found.node.decorator_list:
        return None
    inner = body_of(evaluator, where)
    how = evaluator.evaluate(found.node.decorator_list[-1], inner, inner.table.orders.get(id(found.node)))
    if not isinstance(how, External) or how.path != "builtins.classmethod":
        return None
    _asked(evaluator, (where,), (name,), None)
    return _of_method(evaluator, cls, cls, where, found.node)


def of_member(evaluator: EvaluatorView, owner: EnumMember, name: str) -> Value | None:
    """What a member of an Enum has by a function of its class: of a property what that gives."""
    cls = owner.cls
    if cls is None or any("__getattribute__" in names for names in enums.enum_tables(evaluator, cls)):
        return None
    found = _in_class(evaluator, cls, name)
    if found is None or not isinstance(found.node, ast.FunctionDef) or found.module is not cls.scope.module:
        return None
    _asked(evaluator, (cls,), ("__getattribute__", name), found.value)
    return _of_method(evaluator, owner, cls, cls, found.node)


def _of_method(
    evaluator: EvaluatorView, owner: Value, cls: UserClass, where: UserClass, node: ast.FunctionDef
) -> Value | None:
    inner = body_of(evaluator, where)
    function = UserFunction(inner, node, inner.table.orders.get(id(node)))
    if not node.decorator_list:
        return Partial(function, (owner,), {}, {})
    how = evaluator.evaluate(node.decorator_list[0], inner, inner.table.orders.get(id(node)))
    if len(node.decorator_list) > 1 or not isinstance(how, External):
        return None
    if how.path in ("builtins.property", "functools.cached_property"):
        if how.path != "builtins.property":
            evaluator.resolver.note(f"what `{node.name}` gives is remembered from its first call")
        return evaluator.called(function, [owner], {}, _CALL)
    if how.path == "builtins.classmethod":
        return Partial(function, (cls,), {}, {})
    return function if how.path == "builtins.staticmethod" else None


def _bound(evaluator: EvaluatorView, line: Line, name: str) -> tuple[UserClass | None, Definition | None]:
    """The first of the classes that binds a name, and what it says."""
    for cls in line:
        found = _in_class(evaluator, cls, name)
        if found is not None:
            return cls, found
    return None, None


def _yields(evaluator: EvaluatorView, cls: UserClass, found: Definition) -> bool:
    """Whether what an object has itself goes before what its class has under that name: no property has it."""
    if isinstance(found.node, ast.FunctionDef):
        return not found.node.decorator_list
    if isinstance(found.value, (Unknown, Object)) and not dataclass_fields.is_field(evaluator, cls, found.node):
        evaluator.resolver.note(f"what `{cls.node.name}` has as a default may decide what its objects have")
    return True


# What is done to one --------------------------------------------------------------------------------------------------


def with_attribute(evaluator: EvaluatorView, owner: Object, name: str, value: Value, plainly: bool) -> Object | None:
    """The object after ``owner.name = value``; None where its class may do something else. ``plainly``: by Python's own
    ``object.__setattr__``, whatever the class says of that."""
    if name.startswith("__") and name.endswith("__"):
        return None
    if isinstance(owner.cls, UserClass):
        try:
            line = lineage(evaluator, owner.cls)
            if not plainly and any(dataclass_fields.is_frozen(evaluator, cls) for cls in line):
                return None
        except DoesMore:
            return None
        where, found = _bound(evaluator, line, name)
        if where is not None and found is not None and not _yields(evaluator, where, found):
            return None
    kept = {**dict(zip(owner.names, owner.values, strict=True)), name: value}
    return Object(owner.cls, tuple(kept), tuple(kept.values()))


def effect(evaluator: EvaluatorView, node: ast.Call, local: Scope) -> bool:
    """Carries out ``super().__init__(...)`` and ``object.__setattr__(self, "name", value)`` in a method that is
    followed; whether it is one of these."""
    assert local.locals is not None
    function = node.func
    if not isinstance(function, ast.Attribute) or any(k.arg is None for k in node.keywords):
        return False
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        return False
    owner = function.value
    if function.attr in MAKING and isinstance(owner, ast.Call) and last_name(owner.func) == "super":
        return not owner.args and _of_base(evaluator, node, function.attr, owner, local)
    if (target := made_object(node)) is None or not isinstance(local.locals.get(target.id), Object):
        return False
    meaning = evaluator.value(owner, local, None)
    given, name = local.locals[target.id], node.args[1]
    if not isinstance(meaning, External) or meaning.path != "builtins.object" or not isinstance(given, Object):
        return False
    assert isinstance(name, ast.Constant)
    changed = with_attribute(evaluator, given, str(name.value), evaluator.value(node.args[2], local, None), True)
    if changed is not None:
        local.locals[target.id] = changed
    return changed is not None


def _of_base(evaluator: EvaluatorView, node: ast.Call, name: str, asked: ast.Call, local: Scope) -> bool:
    """Carries out what a base of the class says, whose method this is."""
    assert local.locals is not None
    around = local.parent
    first = local.node.args.args[0].arg if isinstance(local.node, ast.FunctionDef) and local.node.args.args else ""
    given = local.locals.get(first)
    meaning = evaluator.value(asked.func, local, None)
    if not isinstance(given, Object) or not isinstance(given.cls, UserClass) or around is None:
        return False
    if not isinstance(meaning, External) or meaning.path != "builtins.super":
        return False
    args = [evaluator.value(argument, local, None) for argument in node.args]
    keywords = {k.arg: evaluator.value(k.value, local, None) for k in node.keywords if k.arg}
    try:
        line = lineage(evaluator, given.cls)
        place = next((i for i, cls in enumerate(line) if cls.node is around.node), None)
        if place is None:
            return False
        if name == "__init__":
            after = _begun(evaluator, line, place + 1, given, args, keywords)
        else:
            base = next((c for c in line[place + 1 :] if name in body_of(evaluator, c).table.events), None)
            if base is None or args or keywords:
                return False
            after = interpret.left(evaluator, _method(evaluator, base, name), [given], {})
    except DoesMore:
        return False
    local.locals[first] = after
    return isinstance(after, Object)


# What libraries make of one -------------------------------------------------------------------------------------------


def by_library(
    evaluator: EvaluatorView, path: str, args: Sequence[Value], keywords: Mapping[str, Value]
) -> Value | None:
    """What a function of Python's own makes of objects: ``SimpleNamespace(...)``, ``replace(...)``, ``asdict(...)``."""
    if path in NAMESPACES and not args:
        return Object(External(path), tuple(keywords), tuple(keywords.values()))
    given = args[0] if len(args) == 1 else None
    if not isinstance(given, Object) or not isinstance(given.cls, UserClass):
        return None
    held = dict(zip(given.names, given.values, strict=True))
    try:
        line = lineage(evaluator, given.cls)
        fields = dataclass_fields.fields(evaluator, line)
    except DoesMore:
        return None
    if path == "dataclasses.replace" and all(f.init or f.name not in keywords for f in fields):
        kept = {f.name: held[f.name] for f in fields if f.init and f.name in held}
        return made(evaluator, given.cls, [], {**kept, **keywords})
    if path in ("dataclasses.asdict", "dataclasses.astuple") and not keywords:
        values = {f.name: held[f.name] for f in fields if f.name in held}
        if any(isinstance(value, (Dict, Items, Object, Record)) for value in values.values()):
            return None
        return Dict(tuple(values.items())) if path.endswith("dict") else Items("tuple", tuple(values.values()))
    return None
