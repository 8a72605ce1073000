"""The functions that a use of ``jit`` may be given where what it is given can't be followed: a loop's variable, an
element, a parameter, ``map(jit, ...)``.

Reads syntax only. What it takes for a jit function does what no other can, and is handed on by its name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.decorators import decorations
from kernel_analysis.host.evaluate.values import Decoration, Jit, Scope, UserFunction
from kernel_analysis.source.slice import TritonObject
from kernel_analysis.source.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.host.names.resolve import Resolver
    from kernel_analysis.source.module import Module

_JIT: Final = re.compile(r"\b(?:jit|JITFunction)\b")


def lines(module: Module) -> list[int]:
    """Those that may use ``jit`` other than as a decorator."""
    found = {module.line_of(m.start()) for m in _JIT.finditer(module.text)}
    return sorted(line for line in found if not module.lines[line - 1].lstrip().startswith(("@", "import ", "from ")))


def decoration(resolver: Resolver, scope: Scope, expressions: Iterable[ast.AST]) -> Decoration | None:
    """Triton's decorator, where one of the expressions uses it on what can't be followed."""
    for expression in expressions:
        nodes = list(descend(expression))
        followed: set[int] = set()
        for call in nodes:
            if isinstance(call, ast.Call) and isinstance(call.func, (ast.Name, ast.Attribute)) and _named(call.func):
                given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "fn")]
                values = [resolver.evaluator.evaluate(value, scope) for value in given]
                if all(isinstance(value, (UserFunction, Jit)) for value in values):
                    followed.add(id(call.func))
        for node in nodes:
            if isinstance(node, (ast.Name, ast.Attribute)) and _named(node) and id(node) not in followed:
                meaning = resolver.evaluator.evaluate(node, scope)
                made = decorations.kind_of(meaning.path) if isinstance(meaning, TritonObject) else None
                if made is not None and made.kind == "jit":
                    return made
    return None


def take(
    resolver: Resolver,
    module: Module,
    made: Decoration,
    plain: Iterable[tuple[ast.FunctionDef, Scope]],
    is_of_kernels: Callable[[Resolver, Scope, ast.Call], bool],
) -> None:
    """Notes those of the ``plain`` functions that are handed on, and do what only jit functions do."""
    for node, scope in plain:
        handed = re.search(rf"(?<!def )(?<!\w){re.escape(node.name)}\b(?!\s*\()", module.text)
        # Who decorates a class is handed its functions.
        handed = handed or isinstance(scope.node, ast.ClassDef) and scope.node.decorator_list
        if not handed or not any(is_of_kernels(resolver, scope, c) for c in descend(node) if isinstance(c, ast.Call)):
            continue
        value = resolver.evaluator.decorated(scope, node, None)
        if isinstance(value, UserFunction) and value.node is node:
            decorations.decorate(resolver.evaluator, made, value)


def _named(node: ast.Name | ast.Attribute) -> bool:
    return (node.id if isinstance(node, ast.Name) else node.attr) in ("jit", "JITFunction")
