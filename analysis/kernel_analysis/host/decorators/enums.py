"""What the class of an Enum says itself of its members, for itself and by what it derives from."""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.values import External, Unknown, UserClass, Value, plain
from kernel_analysis.source.tree.forms import last_name
from kernel_analysis.source.tree.scopes import Event
from kernel_analysis.source.tree.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import EvaluatorView

_WRITES = {"__str__", "__repr__", "__format__", "__doc__", "__module__", "__slots__", "__call__"}

_MIXED = {"Enum": "", "ReprEnum": "", "Flag": "", "IntEnum": "int", "IntFlag": "int", "StrEnum": "str"}

_OWN = frozenset({"value", "name", "__getattribute__"})
_CHECKS = frozenset({"unique", "verify"})
_PAST_IT = ("__setattr__", "__delattr__")
_NAMED = frozenset(dir(operator))
_ASKED = [f"__{name}__" for name in {name.rstrip("_") for name in _NAMED} if f"__{name}__" in _NAMED]
_OTHERS = ("hash", "bool", "int", "float", "len", "iter", "str", "format")
_OPERATORS = sorted({*_ASKED, *(f"__r{name[2:]}" for name in _ASKED), *(f"__{name}__" for name in _OTHERS)})
"""What may be set on a class, and is called where no text says so."""
_NO_MEMBERS = frozenset({"property", "staticmethod", "classmethod", "abstractmethod", "cached_property"})
"""What makes no member of a function in the body of an Enum."""


def enum_tables(evaluator: EvaluatorView, cls: UserClass) -> Iterator[Mapping[str, Sequence[Event]]]:
    """The names of an Enum's class, and of those of the user's that it derives from."""
    yield evaluator.resolver.inner(cls.scope, cls.node).table.events
    for base in cls.node.bases:
        meaning = evaluator.evaluate(base, cls.scope)
        if isinstance(meaning, UserClass) and meaning.node is not cls.node:
            yield from enum_tables(evaluator, meaning)


def doubts(evaluator: EvaluatorView, cls: UserClass) -> None:
    """Notes why a member may be another, or do something else with operators, than the class's statements say."""
    resolver = evaluator.resolver
    resolver.note(*says_otherwise(evaluator, cls))
    for name in _OPERATORS:
        # One stands for those that no text spells, and is what finds a member among others.
        if name == "__eq__" or resolver.project.elsewhere.storing(None, name, False):
            resolver.touches.attribute(cls, name, None)


def says_otherwise(evaluator: EvaluatorView, cls: UserClass) -> Iterator[str]:
    """Why a member may have another value or name than the class's statements give it: something that is called so, or
    what is put on the class or stands above it, as far as that is neither in sight nor Python's own."""
    name = cls.node.name
    if any(_OWN & table.keys() for table in enum_tables(evaluator, cls)):
        yield f"`{name}` says itself what its members have as `value` or `name`"
    if cls.node.keywords or any(last_name(d) not in _CHECKS for d in cls.node.decorator_list):
        yield f"`{name}` may be made otherwise than its statements say"
    for base in cls.node.bases:
        meaning = evaluator.evaluate(base, cls.scope)
        if isinstance(meaning, UserClass):
            if meaning.node is not cls.node:
                yield from says_otherwise(evaluator, meaning)
        elif not isinstance(meaning, External) or meaning.path.partition(".")[0] not in ("enum", "builtins"):
            yield f"what `{name}` derives from is not in sight"


def refuses_not(evaluator: EvaluatorView, cls: UserClass) -> bool:
    """Whether a member may be set like any class's attribute. An Enum refuses that of every statement, and of
    ``setattr``; what another class has as ``__setattr__`` asks it not: ``type.__setattr__(E, "A", E.B)``."""
    elsewhere, module = evaluator.resolver.project.elsewhere, cls.scope.module
    return any(elsewhere.wording(module, word) for word in _PAST_IT)


def follows_more(cls: UserClass, member: ast.AST) -> bool:
    """Whether the body of a class makes, before the statement of a member or by it, more than a name at a time: any
    that it binds otherwise may be members as well."""
    for statement in cls.node.body:
        if not _binds_one(statement):
            return True
        if statement is member:
            return False
    return True


def _binds_one(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return all(last_name(d) in _NO_MEMBERS for d in statement.decorator_list)
    if any(isinstance(node, ast.NamedExpr) for node in descend(statement)):
        return False
    if isinstance(statement, ast.Assign):
        return len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name)
    if isinstance(statement, ast.AnnAssign):
        return isinstance(statement.target, ast.Name)
    return isinstance(statement, (ast.Pass, ast.Expr))


def mixed_type(evaluator: EvaluatorView, cls: UserClass) -> str:
    """The type of Python's own that an Enum's members are values of: empty if none, ``?`` where it is not in sight."""
    for base in cls.node.bases:
        meaning = evaluator.evaluate(base, cls.scope)
        if isinstance(meaning, External):
            package, _, name = meaning.path.partition(".")
            if package == "enum":
                found = _MIXED.get(name, "?")
            else:
                found = "" if meaning.path == "builtins.object" else name if package == "builtins" else "?"
        elif isinstance(meaning, UserClass) and meaning.node is not cls.node and not meaning.node.decorator_list:
            found = mixed_type(evaluator, meaning)
            if found and not _derives_from_enum(evaluator, meaning):
                found = "?"  # what its own statements make of a value
        else:
            found = "?"
        if found:
            return found
    return ""


def _derives_from_enum(evaluator: EvaluatorView, cls: UserClass) -> bool:
    for base in cls.node.bases:
        meaning = evaluator.evaluate(base, cls.scope)
        if isinstance(meaning, External) and meaning.path.startswith("enum."):
            return True
        if isinstance(meaning, UserClass) and meaning.node is not cls.node and _derives_from_enum(evaluator, meaning):
            return True
    return False


def kept_value(evaluator: EvaluatorView, cls: UserClass, value: Value) -> Value:
    """What a member has as value where this is written: the type that is mixed in makes it."""
    mixed = mixed_type(evaluator, cls)
    if not mixed or isinstance(value, Unknown) or isinstance(value, str) and mixed == "str":
        return value
    number = plain(value)
    if mixed == "int" and isinstance(number, int):
        return int(number)
    return Unknown(
        f"What a member of `{cls.node.name}` has as value, a type that it derives from makes of what is written."
    )


def operates(names: Mapping[str, Sequence[Event]]) -> bool:
    """Whether a class says itself what operators do; not how its members are written."""
    return any(name.startswith("__") and name not in _WRITES for name in names)
