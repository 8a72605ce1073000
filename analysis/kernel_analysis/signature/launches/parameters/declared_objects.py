"""What an object has of whose class no more is known than that an annotation names it: by the annotations and defaults
of the class's fields, and of the parameters that its ``__init__`` stores. Never certain.

Reads syntax, and asks the evaluator which class a name is.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.argument import NOT_KNOWN, HostArgument
from kernel_analysis.host.evaluate.values import RecordClass, Scope, UserClass
from kernel_analysis.signature.launches.parameters.declared import said
from kernel_analysis.source.parsing.parse import expression
from kernel_analysis.source.tree import parameters

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import EvaluatorView

_DEEPEST = 4


def named(evaluator: EvaluatorView, annotation: ast.expr | None, scope: Scope) -> HostArgument:
    """An object of the class that an annotation names, alone or beside ``None``."""
    node = _class(annotation)
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return NOT_KNOWN
    with evaluator.resolver.aside(set[str]()):
        meaning = evaluator.evaluate(node, scope)
        cls = meaning.written if isinstance(meaning, RecordClass) else meaning
        fields = of_class(evaluator, cls, 0) if isinstance(cls, UserClass) else {}
    return HostArgument("object", items=tuple(fields.values()), names=tuple(fields)) if fields else NOT_KNOWN


def _class(annotation: ast.expr | None) -> ast.expr | None:
    """What stands in an annotation beside ``None``, in quotes or not."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return _class(expression(annotation.value.strip()))
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return annotation.left if isinstance(annotation.right, ast.Constant) else annotation.right
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value).rpartition(".")[2] == "Optional":
        return _class(annotation.slice)
    return annotation


def of_class(evaluator: EvaluatorView, cls: UserClass, depth: int) -> dict[str, HostArgument]:
    """What the class says of the attributes that its objects have."""
    found: dict[str, HostArgument] = {}
    for base in cls.node.bases if depth < _DEEPEST else ():
        meaning = evaluator.evaluate(base, cls.scope)
        meaning = meaning.written if isinstance(meaning, RecordClass) else meaning
        if isinstance(meaning, UserClass) and meaning.node is not cls.node:
            found.update(of_class(evaluator, meaning, depth + 1))
    for node in cls.node.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = said(node.annotation, node.value)
        elif isinstance(node, ast.FunctionDef) and node.name == "__init__":
            found.update(_stored(node))
    return found


def _stored(init: ast.FunctionDef) -> dict[str, HostArgument]:
    """``self.name = parameter``."""
    own = {argument.arg: argument for argument in parameters.every(init.args)}
    defaults = parameters.defaults(init.args)
    found: dict[str, HostArgument] = {}
    for node in init.body:
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        value = node.value if isinstance(node, ast.Assign) else None
        if isinstance(target, ast.Attribute) and isinstance(value, ast.Name) and value.id in own:
            if isinstance(target.value, ast.Name) and target.value.id == init.args.args[0].arg:
                found[target.attr] = said(own[value.id].annotation, defaults.get(value.id))
    return found
