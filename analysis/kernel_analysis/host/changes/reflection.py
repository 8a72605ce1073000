"""Stores into a module's names that do not spell the name as one: ``globals()["X"] = 1``, ``exec(text)``,
``setattr(sys.modules[__name__], "X", 1)``.

Syntax only.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.uses import Kept, Occurrence, occurrences, sets_by_text, use
from kernel_analysis.source.syntax import kept_with_trees

if TYPE_CHECKING:
    from kernel_analysis.host.changes.touches import Touches
    from kernel_analysis.host.evaluate.values import Scope
    from kernel_analysis.source.module import Module

_HINT = re.compile(r"\b(?:globals|locals|vars|exec|eval|__builtins__|builtins)\b|sys\.modules|__dict__")
_WORDS = ("globals", "locals", "vars", "exec", "eval", "builtins", "__builtins__", "sys.modules", "__dict__")
_CALLS = 7
"""Of these, how many are names."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def stores(touches: Touches, scope: Scope, name: str, contents: bool) -> list[tuple[float, bool, str]]:
    """When the name is set so: the place in the scope, whether in a function, and the reason in words. ``contents``:
    what it holds could be changed as well."""
    by_call, through = _reflecting(scope.module)
    found: list[tuple[float, bool, str]] = []
    for word, at in by_call:
        if _sets(at, word, name, contents):
            line = scope.module.at(getattr(at.chain[0], "lineno", 0))
            found.append((*touches.place(at, scope), f"`{name}` may be set by `{word}` on {line}"))
    for at in through.get(name, ()):
        line = scope.module.at(getattr(at.chain[0], "lineno", 0))
        found.append((*touches.place(at, scope), f"`{name}` may be set through `sys.modules` on {line}"))
    return found


@kept_with_trees(64)
def _reflecting(module: Module) -> tuple[list[tuple[str, Occurrence]], dict[str, list[Occurrence]]]:
    """Where a file may set names of its own without spelling them as such: by a call, and through an object."""
    text = module.text
    if not (any(word in text for word in _WORDS) and _HINT.search(text)):
        return [], {}
    by_call = [(word, at) for word in _WORDS[:_CALLS] for at in occurrences(module, word)]
    through: dict[str, list[Occurrence]] = {}
    for word in ("modules", "__dict__"):
        for at in occurrences(module, word):
            for name, store in _stores_on(at):
                through.setdefault(name, []).append(store)
    return by_call, through


def _stores_on(at: Occurrence) -> Iterator[tuple[str, Occurrence]]:
    """The attributes that a statement sets on what stands there, or on something of it, with where it names them."""
    for place, (inner, outer) in enumerate(pairwise(at.chain)):
        if isinstance(outer, ast.Attribute) and outer.value is inner and not isinstance(outer.ctx, ast.Load):
            yield outer.attr, Occurrence(at.chain[place + 1 :], at.statement, at.around)
        for argument in outer.args if isinstance(outer, ast.Call) else ():
            named = Occurrence((argument, *at.chain[place + 1 :]), at.statement, at.around)
            if isinstance(argument, ast.Constant) and sets_by_text(named) is inner:
                yield str(argument.value), named


def _sets(at: Occurrence, word: str, name: str, contents: bool) -> bool:
    chain: list[ast.AST] = list(at.chain)
    node = chain[0]
    call, above, method = (chain[place] if place < len(chain) else None for place in (1, 2, 3))
    if word in ("builtins", "__builtins__"):
        # `builtins.exec`, `getattr(builtins, name)`
        return isinstance(node, ast.Name) and not (isinstance(call, ast.Attribute) and call.attr not in _WORDS)
    if not isinstance(node, ast.Name) or not isinstance(call, ast.Call) or call.func is not node:
        # `f = globals`
        return isinstance(node, ast.Name)
    if word == "exec":
        return len(call.args) == 1
    if word == "eval":
        return len(call.args) == 1 and not isinstance(call.args[0], ast.Constant)
    if word in ("locals", "vars") and (call.args or any(isinstance(n, _FUNCTIONS) for n in at.around)):
        return False
    if isinstance(above, ast.Subscript) and above.value is call and isinstance(above.slice, ast.Constant):
        if above.slice.value != name:
            return False
        inner = use(Occurrence(at.chain[2:], at.statement, at.around), _keeps)
        return inner is not None and (contents or isinstance(above.ctx, (ast.Store, ast.Del)))
    if isinstance(above, ast.Attribute) and isinstance(method, ast.Call) and method.func is above:
        named = all(k.arg for k in method.keywords)
        if above.attr == "update" and len(method.args) == 0 and named:
            return any(k.arg == name for k in method.keywords)
        text = method.args[0] if method.args else None
        if above.attr in ("get", "setdefault", "pop", "__setitem__") and isinstance(text, ast.Constant):
            return text.value == name and (contents or above.attr != "get")
    made = use(Occurrence(at.chain[1:], at.statement, at.around), _keeps)
    return made is not None and (contents or made.kind != "part")


def _keeps(_call: ast.Call, _position: int | str | None) -> Kept:
    return "all"
