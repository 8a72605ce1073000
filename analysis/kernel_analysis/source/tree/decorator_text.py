"""What the text of a decorator does with the function that it is put on: gives it back as it is, or hands it to some
function and to nothing else.

Reads syntax alone; what a name in it means is for others to say.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from kernel_analysis.source.tree import parameters
from kernel_analysis.source.tree.syntax import children, descend

_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_GIVES_LATER = (ast.Yield, ast.YieldFrom, ast.Await)
_SAYS = frozenset({"__name__", "__qualname__", "__module__", "__doc__"})
_KEEPS = frozenset({"append", "add"})
_ALL_NAMES = frozenset({"locals", "vars", "eval", "exec", "globals"})
"""What has, or may bind, a function's variables by no name."""


def gives_back(node: ast.AST, index: int = 0) -> bool:
    """Whether a call of the function gives back what it is given there, whatever it does with it besides."""
    if not isinstance(node, ast.FunctionDef) or node.decorator_list or (name := _parameter(node, index)) is None:
        return False
    own = list(_own(node.body))
    returns = [part.value for part in own if isinstance(part, ast.Return)]
    if any(isinstance(part, _GIVES_LATER) for part in own) or not _ends(node.body):
        return False
    return all(value is not None and _is(value, name) for value in returns) and _only_marks(node, name)


def _only_marks(node: ast.FunctionDef, name: str) -> bool:
    """Whether nothing of the function itself is set, and nobody is handed it who might, before it is given back: it
    gets attributes, and is put into something."""
    fine: set[ast.AST] = set()
    for part in _own(node.body):
        if isinstance(part, ast.Return) and part.value is not None:
            fine.add(part.value)
        elif isinstance(part, ast.Attribute):
            if not part.attr.startswith("__") or part.attr in _SAYS and isinstance(part.ctx, ast.Load):
                fine.add(part.value)
        elif isinstance(part, ast.Assign):
            if all(isinstance(target, (ast.Subscript, ast.Attribute)) for target in part.targets):
                fine.add(part.value)
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in _KEEPS:
            fine.update(part.args)
    return all(part in fine for statement in node.body for part in descend(statement) if _is(part, name))


def only_hands_on(node: ast.AST, takes: Callable[[ast.expr], bool]) -> bool:
    """Whether all that the function does with what it is given is to hand it to functions that ``takes`` knows, or to
    give it back in their place."""
    if not isinstance(node, ast.FunctionDef) or node.decorator_list or (name := _parameter(node, 0)) is None:
        return False
    fine: set[ast.AST] = set()
    for part in _own(node.body):
        if isinstance(part, ast.Return) and part.value is not None:
            fine |= set(_arms(part.value))
        elif isinstance(part, ast.Compare) and all(isinstance(op, (ast.Is, ast.IsNot)) for op in part.ops):
            fine |= {part.left, *part.comparators}
        elif isinstance(part, ast.Call) and part.args and _is(part.args[0], name) and takes(part.func):
            fine.add(part.args[0])
    handed = [part for statement in node.body for part in descend(statement) if _is(part, name)]
    return len(handed) > 0 and all(part in fine for part in handed)


def _parameter(node: ast.FunctionDef, index: int) -> str | None:
    """The name of what is given there, if it stands for that and nothing else in the whole function."""
    names = parameters.positional(node.args)
    if index >= len(names):
        return None
    name, inside = names[index], [part for statement in node.body for part in descend(statement)]
    for part in inside:
        if isinstance(part, ast.Name) and (part.id in _ALL_NAMES or part.id == name and _is_bound(part)):
            return None
        # All else that binds names has them as texts: definitions, imports, patterns, `except`, `nonlocal`.
        if not isinstance(part, (ast.Name, ast.Attribute, ast.Constant, ast.keyword)) and name in _texts(part):
            return None
    return name


def _is_bound(name: ast.Name) -> bool:
    return not isinstance(name.ctx, ast.Load)


def _texts(node: ast.AST) -> Iterator[str]:
    for field in node._fields:
        value: object = getattr(node, field, None)
        parts: list[object] = [*value] if isinstance(value, list) else [value]
        for part in parts:
            if isinstance(part, str):
                yield part.partition(".")[0]


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _own(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """All that stands in statements, but for what stands in functions and classes there."""
    todo: list[ast.AST] = list(body)
    while todo:
        part = todo.pop()
        if not isinstance(part, _INNER):
            yield part
            todo += children(part)


def _ends(body: list[ast.stmt]) -> bool:
    """Whether nothing comes behind these statements."""
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _ends(last.body) and _ends(last.orelse)
    return isinstance(last, (ast.Return, ast.Raise))


def _arms(value: ast.expr) -> list[ast.expr]:
    return [*_arms(value.body), *_arms(value.orelse)] if isinstance(value, ast.IfExp) else [value]
