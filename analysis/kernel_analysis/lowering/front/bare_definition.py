"""The definition that Triton's front end is given of a jit function: the user's body under a head of ours.

Triton evaluates the annotations and defaults that a head has. May leave in it only what Triton refuses of them whatever
else is known: there it says so itself.
"""

from __future__ import annotations

import ast
import builtins
import sys
from typing import Any, Final

from kernel_analysis.lowering import compat
from kernel_analysis.source.slice import FunctionRef, SliceFunction
from kernel_analysis.source.tree.syntax import descend

NO_TYPE_PARAMETERS: Final[dict[str, Any]] = {"type_params": []} if sys.version_info >= (3, 12) else {}
_TAKEN: Final[Any] = compat.code_generator.CodeGenerator.builtin_namespace
_EVALUATED: Final = (
    ast.Name, ast.BinOp, ast.BitOr, ast.Subscript, ast.Attribute, ast.Constant, ast.Tuple, ast.List, ast.Load
)  # fmt: skip
"""What an annotation may be made of of which every part is looked at."""


def bare_definition(function: SliceFunction) -> ast.FunctionDef:
    """The body is shared, positions are kept."""
    node = function.node
    arguments = node.args

    def bare(argument: ast.arg) -> ast.arg:
        annotation = argument.annotation
        kept = annotation if annotation is not None and _is_refused(annotation, function) else None
        return ast.copy_location(ast.arg(arg=argument.arg, annotation=kept), argument)

    positional = arguments.posonlyargs + arguments.args
    defaults = [
        default if argument.annotation is None and _is_no_number(default, function) else ast.Constant(None)
        for argument, default in zip(
            positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True
        )
    ]
    clean = ast.arguments(
        posonlyargs=[],
        args=[bare(a) for a in positional],
        vararg=bare(arguments.vararg) if arguments.vararg else None,
        kwonlyargs=[bare(a) for a in arguments.kwonlyargs],
        kw_defaults=[None for _ in arguments.kwonlyargs],
        kwarg=None,
        defaults=defaults if any(default in arguments.defaults for default in defaults) else [],
    )
    made = ast.FunctionDef(
        name=node.name, args=clean, body=node.body, decorator_list=[], returns=None, **NO_TYPE_PARAMETERS
    )
    return ast.copy_location(made, node)


def _is_refused(annotation: ast.expr, function: SliceFunction) -> bool:
    """Whether it names one of Python's builtins that Triton doesn't know (``str``, ``bool``)."""
    parts = list(descend(annotation))
    return all(isinstance(part, _EVALUATED) for part in parts) and any(
        isinstance(part, ast.Name)
        and part.id not in function.bindings
        and part.id not in _TAKEN
        and hasattr(builtins, part.id)
        for part in parts
    )


def _is_no_number(default: ast.expr, function: SliceFunction) -> bool:
    """Whether it is what Triton makes no number of: it makes one of each default that no annotation stands at."""
    if isinstance(default, ast.Name):
        return isinstance(function.bindings.get(default.id), FunctionRef)
    return isinstance(default, ast.Constant) and isinstance(default.value, str | bytes)
