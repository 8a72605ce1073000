"""What a class is made of that Triton's ``aggregate`` decorates: its fields, with what their annotations allow, its
methods and its bases.

By its syntax: no class is ever made, and no decorator, metaclass or default runs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.objects import handed_objects
from kernel_analysis.host.changes.objects.handed_objects import Shared
from kernel_analysis.host.evaluate.values import (
    ConstexprFunction,
    Dict,
    External,
    Jit,
    Scope,
    Unknown,
    UserClass,
    UserFunction,
    Value,
)
from kernel_analysis.record import record
from kernel_analysis.source.slice import SliceFunction, TritonObject
from kernel_analysis.source.text_search.aggregate_operators import is_special
from kernel_analysis.source.tree import parameters

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import EvaluatorView, ResolverView

_UNIONS = frozenset({"typing.Union", "typing.Optional", "typing_extensions.Union", "typing_extensions.Optional"})
_NAMES = frozenset({"aggregate", "_aggregate"})

_HELD = ("__annotations__", "__aggregate_defaults__", "__aggregate_fields__", "hash_attrs")
_DECIDE = ("__new__", "__setattr__", "__getattribute__", "_get_instance", *_HELD)
"""By these Triton makes objects of a class, and reads their fields; what is in the first may be changed itself."""
_CHANGEABLE = Dict(())
_DESCRIPTOR = re.compile(r"\bproperty\s*\(|\b__set__\b|\.setter\b")

Kind = TritonObject | UserClass


@record
class Field:
    """``kinds`` None: what its annotation allows is not known. ``default`` None: it has none."""

    name: str
    kinds: tuple[Kind, ...] | None
    default: ast.expr | None


@dataclass(slots=True)
class Members:
    """``problem``: why the class can't be followed, the second half of a sentence. ``varies``: why methods may be
    others, and under no name why the class may be."""

    scope: Scope
    fields: list[Field] = field(default_factory=list[Field])
    methods: dict[str, Value] = field(default_factory=dict[str, Value])
    bases: list[UserClass] = field(default_factory=list[UserClass])
    problem: str = ""
    varies: dict[str, str] = field(default_factory=dict[str, str])


def is_aggregate(evaluator: EvaluatorView, scope: Scope, decorator: ast.expr, before: int | None) -> bool:
    """Whether a decorator is Triton's ``aggregate``, by whatever name."""
    meaning = evaluator.evaluate(decorator, scope, before)
    return isinstance(meaning, TritonObject) and is_name(meaning.path)


def is_name(path: str) -> bool:
    """Whether it names ``aggregate`` in one of Triton's modules."""
    return path.rpartition(".")[2] in _NAMES


def members(evaluator: EvaluatorView, cls: UserClass, users: Sequence[SliceFunction] = ()) -> Members:
    """What is in the class. ``users``: functions that may have objects of it."""
    resolver = evaluator.resolver
    node = cls.node
    found = Members(resolver.inner(cls.scope, node))
    if len(node.decorator_list) > 1 or node.keywords:
        found.problem = "is an aggregate with another decorator or a metaclass, and what that makes of it is not known"
    for base in node.bases:
        meaning = evaluator.evaluate(base, cls.scope)
        if isinstance(meaning, UserClass) and meaning.aggregate and meaning.node is not node:
            found.bases.append(meaning)
        elif not (isinstance(meaning, External) and meaning.path == "builtins.object"):
            found.problem = f"is an aggregate that derives from `{ast.unparse(base)}`, which is none"
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            name = statement.target.id
            kinds = _kinds(evaluator, found.scope, statement.annotation)
            found.fields = [f for f in found.fields if f.name != name]
            found.fields.append(Field(name, kinds, statement.value))
        elif not isinstance(statement, (ast.FunctionDef, ast.Assign, ast.Expr, ast.Pass)):
            found.problem = f"is an aggregate with a `{type(statement).__name__.lower()}` statement in it"
    fields = {field.name for field in found.fields}
    for name, events in found.scope.table.events.items():
        definition = resolver.in_scope(found.scope, name) if name not in fields else None
        value = None if definition is None else definition.value
        if events[-1].how == "define" or isinstance(value, (Jit, ConstexprFunction, Unknown)):
            found.methods[name] = value
            with resolver.noting() as notes:
                resolver.touches.attribute(cls, name, value)
            if notes:
                found.varies[name] = min(notes)
    special = next(filter(is_special, [*fields, *found.methods]), None)
    if special is not None and not found.problem:
        found.problem = f"is an aggregate with a member `{special}`, which is Triton's own to say"
    if (why := _another(resolver, cls, found)) is not None:
        found.varies[""] = why
    asked = {node.attr for user in users for node in user.nodes if isinstance(node, ast.Attribute)}
    shared = Shared(cls.scope, node.name, node)
    for name in sorted(asked - fields - found.methods.keys() - found.varies.keys()):
        if (why := handed_objects.spelled(resolver.touches, shared, (name,))) is not None:
            found.varies[name] = why
    return found


def _another(resolver: ResolverView, cls: UserClass, found: Members) -> str | None:
    """Why objects of the class may be made otherwise, or have something else for a field."""
    asked, fields = [name for name in _DECIDE if name not in found.methods], [field.name for field in found.fields]
    if cls.node.decorator_list:
        asked += [name for name in fields if _may_be_described(resolver, cls, name)]
    else:
        # Triton makes one later of what the class has then, defaults included.
        asked += [*fields, *({"__init__"} - found.methods.keys())]
    for name in asked:
        with resolver.noting() as notes:
            resolver.touches.attribute(cls, name, _CHANGEABLE if name in _HELD else None)
        if notes:
            return min(notes)
    return None


def _may_be_described(resolver: ResolverView, cls: UserClass, name: str) -> bool:
    """Whether a file that sets an attribute of that name may set one that decides what objects have for it: what a
    class has otherwise gives way to the object's own."""
    project = resolver.project
    files = {cls.scope.module.file, *project.elsewhere.storing(None, name, False)}
    return any(project.says(file, _describes) for file in files)


def _describes(text: str) -> bool:
    return _DESCRIPTOR.search(text) is not None


def key(cls: UserClass) -> tuple[object, ...]:
    """The same for two that are one: a function that makes classes makes the same one of the same arguments."""
    return (id(cls.node), *around(cls.scope))


def around(scope: Scope | None) -> tuple[object, ...]:
    """What tells a scope that a followed call made from others of the same function; empty for one of the file."""
    parts: list[object] = []
    while scope is not None:
        if scope.locals is not None and isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            for argument in parameters.single(scope.node.args):
                parts += [argument.arg, _part(scope.locals.get(argument.arg))]
        scope = scope.parent
    return tuple(parts)


def _part(value: Value) -> object:
    if isinstance(value, UserClass):
        return key(value)
    if isinstance(value, UserFunction):
        return id(value.node)
    try:
        hash(value)
    except TypeError:
        return id(value)
    return type(value), value


def _kinds(evaluator: EvaluatorView, scope: Scope, node: ast.expr) -> tuple[Kind, ...] | None:
    """What an annotation allows."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            node = ast.parse(node.value.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    parts: list[ast.expr] = []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        parts = [node.left, node.right]
    elif isinstance(node, ast.Subscript):
        union = evaluator.evaluate(node.value, scope)
        if not isinstance(union, External) or union.path not in _UNIONS:
            return None
        parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if parts:
        each = [_kinds(evaluator, scope, part) for part in parts]
        return None if any(kinds is None for kinds in each) else tuple(k for kinds in each for k in kinds or ())
    value = evaluator.evaluate(node, scope)
    if isinstance(value, Unknown):
        return None
    if isinstance(value, TritonObject) or isinstance(value, UserClass) and value.aggregate:
        return (value,)
    return None
