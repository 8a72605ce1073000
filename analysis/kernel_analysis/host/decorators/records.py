"""Classes of named tuples: what makes one, and whether it leaves to tuples what tuples do.

Evaluates the defaults of fields, and runs nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.values import External, Items, RecordClass, Scope, Unknown, UserClass, Value

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import EvaluatorView

_PLAIN = frozenset({"__slots__", "__doc__", "__module__"})
_OF_TUPLES = frozenset({"_replace", "_asdict", "_make", "_fields", "_field_defaults", "index", "count"})
_ANY = "__any__"
_NAMED_TUPLES = ("typing.NamedTuple", "typing_extensions.NamedTuple")


def record_class(evaluator: EvaluatorView, scope: Scope, node: ast.ClassDef, before: int | None) -> RecordClass | None:
    """The class of named tuples that a ``class`` statement makes; None: it makes another, or one whose tuples are not
    like others."""
    for base in node.bases:
        meaning = evaluator.evaluate(base, scope, before)
        fields: list[ast.AnnAssign] = []
        if isinstance(meaning, External) and meaning.path in _NAMED_TUPLES:
            fields = [s for s in node.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)]
            named = tuple(s.target.id for s in fields if isinstance(s.target, ast.Name))
            defaults = tuple(evaluator.evaluate(s.value, scope, before) for s in fields if s.value is not None)
        elif isinstance(meaning, RecordClass) and len(node.bases) == 1:
            named, defaults = meaning.fields, meaning.defaults
        else:
            continue
        if _is_plain(node, named, fields):
            return RecordClass(node.name, named, defaults, UserClass(scope, node), scope.module.file)
    return None


def has_fields(evaluator: EvaluatorView, cls: UserClass) -> bool:
    """Whether what is annotated in the body of a class are fields of a named tuple: Python puts a descriptor in the
    place of each."""
    bases = [evaluator.evaluate(base, cls.scope) for base in cls.node.bases]
    return any(isinstance(base, External) and base.path in _NAMED_TUPLES for base in bases)


def _is_plain(node: ast.ClassDef, named: tuple[str, ...], fields: Sequence[ast.stmt]) -> bool:
    """Whether all that the class binds beside its fields is none of what tuples have."""
    bound = {name for statement in node.body if statement not in fields for name in _bound_by(statement)} - _PLAIN
    return not node.decorator_list and not any(
        name in named or name in _OF_TUPLES or name.startswith("__") for name in bound
    )


def _bound_by(statement: ast.stmt) -> list[str]:
    """The names that a statement of a class body binds; ``_ANY`` among them where that is not plain to see."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [statement.name]
    if isinstance(statement, (ast.Pass, ast.Expr)):
        return [] if isinstance(getattr(statement, "value", ast.Constant(0)), ast.Constant) else [_ANY]
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", statement)]
    return [target.id if isinstance(target, ast.Name) else _ANY for target in targets]


def namedtuple(name: Value, fields: Value, defaults: Value) -> Value:
    """``collections.namedtuple(name, fields)``."""
    if isinstance(fields, str):
        names: tuple[Value, ...] = tuple(fields.replace(",", " ").split())
    else:
        names = fields.values if isinstance(fields, Items) else ()
    words = tuple(n for n in names if isinstance(n, str))
    if not isinstance(name, str) or not words or len(words) != len(names):
        return Unknown("The fields of this namedtuple can't be known without running it.")
    return RecordClass(name, words, defaults.values if isinstance(defaults, Items) else ())
