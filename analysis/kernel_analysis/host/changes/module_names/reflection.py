"""Stores into a module's names that do not spell the name as one: ``globals()["X"] = 1``, ``exec(text)``,
``setattr(sys.modules[__name__], "X", 1)``.

Syntax only; what calls do with what they are given is asked of ``callees``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from kernel_analysis.host.changes import callees
from kernel_analysis.host.changes.text.text_patterns import keys
from kernel_analysis.host.changes.uses import DICTS, MEMBER, Around, Occurrence, Use, occurrences, sets_by_text, use
from kernel_analysis.host.names.naming import Bound, named
from kernel_analysis.source.text_search.words import places
from kernel_analysis.source.tree.scopes import Event
from kernel_analysis.source.tree.syntax import descend, kept_with_trees

if TYPE_CHECKING:
    from kernel_analysis.host.evaluate.values import Scope, UserClass
    from kernel_analysis.host.interpreter_views import ResolverView, TouchesView
    from kernel_analysis.source.module import Module

_HINT = re.compile(
    r"\b(?:globals|locals|vars|exec|eval|__builtins__|builtins|__globals__|f_globals|f_locals|get_capture_scope)\b"
    r"|sys\.modules|__dict__"
)
_WORDS = ("globals", "locals", "vars", "exec", "eval", "builtins", "__builtins__", "sys.modules", "__dict__", *DICTS)
_CALLS = 7
"""Of these, how many are names."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_MAKES_SETS = ("frozenset", "set", "tuple", "list")


def stores(touches: TouchesView, scope: Scope, name: str, contents: bool) -> list[tuple[float, bool, str]]:
    """When the name is set so: the place in the scope, whether in a function, and the reason in words. ``contents``:
    what it holds could be changed as well."""
    by_call, through = _reflecting(scope.module)
    found: list[tuple[float, bool, str]] = []
    dicts = _Dicts(touches.resolver, scope.module, name, contents, parts=True)
    for word, at in by_call:
        if _sets(dicts, at, word):
            line = scope.module.at(getattr(at.chain[0], "lineno", 0))
            found.append((*touches.place(at, scope), f"`{name}` may be set by `{word}` on {line}"))
    for at in through.get(name, ()):
        line = scope.module.at(getattr(at.chain[0], "lineno", 0))
        found.append((*touches.place(at, scope), f"`{name}` may be set through `sys.modules` on {line}"))
    return found


@kept_with_trees(64)
def _reflecting(module: Module) -> tuple[list[tuple[str, Occurrence]], dict[str, list[Occurrence]]]:
    """Where a file may set names of its own without spelling them as such: by a call, and through an object."""
    text = module.usual
    if not (any(word in text for word in _WORDS) and _HINT.search(text)):
        return [], {}
    by_call = [(word, at) for word in (*_WORDS[:_CALLS], *DICTS) for at in occurrences(module, word)]
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


def sets_in_body(resolver: ResolverView, cls: UserClass, name: str, contents: bool) -> int | None:
    """The line on which a class's own statements set a name of it without spelling it as such."""
    dicts = _Dicts(resolver, cls.scope.module, name, contents, parts=True)
    for word in ("vars", "locals", "exec", "eval", "f_locals"):
        for at in occurrences(cls.scope.module, word):
            if at.around and at.around[-1] is cls.node and _sets(dicts, at, word):
                return getattr(at.chain[0], "lineno", at.statement.lineno)
    return None


def in_function(resolver: ResolverView, scope: Scope, name: str) -> int | None:
    """The line on which a file changes what a name of a function stands for by all that the names there stand for."""
    dicts = _Dicts(resolver, scope.module, name, contents=True, parts=True)
    for word in ("locals", "vars", "f_locals"):
        for at in occurrences(scope.module, word):
            node, call = (*at.chain, None)[:2]
            given = call.args if isinstance(call, ast.Call) and call.func is node else None
            if word == "f_locals":
                sets = _sets(dicts, at, word)
            else:  # `f = locals` may be called there, too; `vars(x)` is of something else
                sets = scope.node in at.around and not given and (given is None or dicts.set_in(at, 1))
            if sets:
                return getattr(node, "lineno", at.statement.lineno)
    return None


def by_dict(resolver: ResolverView, module: Module, word: str, name: str, contents: bool) -> Occurrence | None:
    """Where a file sets the name in a dict of some module's names, which it has by that attribute."""
    dicts = _Dicts(resolver, module, name, contents, parts=False)
    return next((at for at in occurrences(module, word) if _sets(dicts, at, word)), None)


class _Dicts:
    """What a file does with dicts of a module's names: whether ``name`` may be set in one. ``parts``: code that all
    that is in one is handed to may change it."""

    def __init__(self, resolver: ResolverView, module: Module, name: str, contents: bool, parts: bool) -> None:
        self._resolver, self._module, self._name, self._contents = resolver, module, name, contents
        self._parts = parts
        self._followed: set[tuple[str, tuple[int, ...]]] = set()

    def set_in(self, at: Occurrence, depth: int) -> bool:
        """Whether in the one that stands so far up."""
        chain: list[ast.AST] = list(at.chain)
        while depth + 1 < len(chain) and _is_either(chain[depth + 1], chain[depth]):
            depth += 1
        held, above, method = (chain[place] if place < len(chain) else None for place in range(depth, depth + 3))
        if isinstance(above, ast.Subscript) and above.value is held and (said := self._said(above.slice, at)):
            inner = self._use(at, depth + 1) if self._name in said else None
            return inner is not None and (self._contents or isinstance(above.ctx, (ast.Store, ast.Del)))
        if isinstance(above, ast.Attribute) and isinstance(method, ast.Call) and method.func is above:
            if above.attr == "update" and (keys := self._keys(method, at)) is not None:
                return self._name in keys
            text = self._said(method.args[0], at) if method.args else None
            if above.attr in ("get", "setdefault", "pop", "__setitem__") and text is not None:
                return self._name in text and (self._contents or above.attr != "get")
        if isinstance(above, ast.Assign) and above.value is held and isinstance(above.targets[0], ast.Name):
            return len(above.targets) > 1 or self._set_by(above, above.targets[0].id, at.around)
        if isinstance(above, ast.Call) and getattr(above.func, "id", "") == "dict":
            return False  # a copy
        made = self._use(at, depth)
        if made is None or made.word == MEMBER:
            return False
        return self._parts and self._contents or made.kind != "part"

    def given_by(self, at: Occurrence, text: ast.expr | None) -> bool:
        """Whether what the name stands for comes out of a text that is evaluated, to be changed."""
        spelled = isinstance(text, ast.Constant) and next(places(str(text.value), self._name), None) is not None
        return self._contents and spelled and self._use(at, 1) is not None

    def only_compared(self, at: Occurrence) -> bool:
        """Whether a text is only compared, or is among some that others are only looked for in: ``attr in DENIED``."""
        held, called = at.chain[0], None
        for above in (*at.chain[1:], at.statement):
            if isinstance(above, ast.Assign) and len(above.targets) == 1 and isinstance(above.targets[0], ast.Name):
                called = above.targets[0].id
                break
            if (
                isinstance(above, ast.Call)
                and held in above.args
                and getattr(above.func, "id", "") in _MAKES_SETS
                or isinstance(above, (ast.Tuple, ast.List, ast.Set))
                or isinstance(above, ast.BinOp)
                and isinstance(above.op, ast.BitOr)
            ):
                held = above
            else:
                return isinstance(above, ast.Compare)
        if called is None or set(self._resolver.project.elsewhere.storing(self._module, called, True)) - {
            self._module.file
        }:
            return False
        return all(_only_looked_for_in(one, called) for one in occurrences(self._module, called))

    def _set_by(self, bound: ast.Assign, called: str, around: Around) -> bool:
        """The same of one that goes by a name from there on."""
        key = called, (id(bound), *map(id, around))
        if key in self._followed:
            return False
        self._followed.add(key)
        inside = [at for at in occurrences(self._module, called) if at.around[: len(around)] == around]
        if any(isinstance(at.statement, ast.AugAssign) and at.statement.target is at.chain[0] for at in inside):
            return True  # `names |= {...}`
        loads = (at for at in inside if isinstance(at.chain[0], ast.Name) and isinstance(at.chain[0].ctx, ast.Load))
        return any(self.set_in(at, 0) for at in loads if not _bound_again(bound, called, at))

    def _keys(self, call: ast.Call, at: Occurrence) -> set[object] | None:
        """The texts that a call of ``update`` sets; None where it may set others."""
        found: set[object] = {k.arg for k in call.keywords}
        for given in call.args:
            for key in given.keys if isinstance(given, ast.Dict) else (None,):
                said = self._said(key, at) if key is not None else None
                found |= said if said is not None else {None}
        return found if None not in found else None

    def _said(self, key: ast.expr, at: Occurrence) -> frozenset[object] | None:
        """The texts that a key may be: there, as a constant of the file that nothing in sight sets, or as the variable
        of a loop over some; None where it may be another."""
        if isinstance(key, ast.Constant):
            return frozenset({key.value})
        if not isinstance(key, ast.Name) or key.id in hidden(at):
            return None
        found = named(self._resolver, self._resolver.scope(self._module, at.around), key.id)
        if not isinstance(found, Bound) or found.scope.module is not self._module:
            return None
        if not isinstance(found.scope.node, ast.Module):
            return None if "nonlocal" in self._module.text else _texts(found.event, key.id, self._constant(found))
        return None if self._set_again(key.id) else _texts(found.event, key.id, self._constant(found))

    def _constant(self, bound: Bound) -> ast.expr | None:
        """What a loop that binds a name goes through: of a name, the tuple that it is and stays."""
        items = bound.event.node.iter if isinstance(bound.event.node, ast.For) else None
        found = named(self._resolver, bound.scope, items.id) if isinstance(items, ast.Name) else None
        if not isinstance(found, Bound) or found.scope.module is not self._module or self._set_again(found.name):
            return None if isinstance(items, ast.Name) else items
        held = found.event.value if isinstance(found.scope.node, ast.Module) else None
        return held if isinstance(held, ast.Tuple) else None

    def _set_again(self, name: str) -> bool:
        """Whether something else may set a name of the file."""
        again = name in self._module.reassigned or self._resolver.touches.stored(name, self._module)
        return again or _set_by_text(self._module, name)

    def _use(self, at: Occurrence, depth: int) -> Use | None:
        judge = callees.judge(self._resolver, self._resolver.scope(self._module, at.around))
        return use(Occurrence(at.chain[depth:], at.statement, at.around), judge)


def _looked_for_in(above: ast.AST, held: ast.AST) -> bool:
    return (
        isinstance(above, ast.Compare) and above.comparators == [held] and isinstance(above.ops[0], (ast.In, ast.NotIn))
    )


def _only_looked_for_in(at: Occurrence, called: str) -> bool:
    """Whether a place has the name to look for something in what it is, or to bind it to that and more."""
    node, above = at.chain[0], at.chain[1] if len(at.chain) > 1 else at.statement
    if not isinstance(node, ast.Name):
        return False
    statement = at.statement
    if isinstance(above, ast.BinOp) and isinstance(statement, ast.Assign) and above is statement.value:
        return isinstance(above.op, ast.BitOr) and [getattr(t, "id", "") for t in statement.targets] == [called]
    return not isinstance(node.ctx, ast.Load) or _looked_for_in(above, node)


def hidden(at: Occurrence) -> set[str]:
    """The names that lambdas and comprehensions around it bind anew."""
    found: set[str] = set()
    for inner, node in zip(at.chain, at.chain[1:], strict=False):
        if isinstance(node, ast.Lambda) and inner is node.body:
            args = node.args
            found |= {a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
            found |= {a.arg for a in (args.vararg, args.kwarg) if a is not None}
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            found |= {
                n.id
                for g in node.generators
                for n in ast.walk(g.target)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            }
    return found


def _texts(event: Event, name: str, items: ast.expr | None) -> frozenset[object] | None:
    """What a name is that a statement binds to a text, or to each of some in a loop, ``for name, value in (("A", 1),
    ("B", 2))``; ``items``: what that goes through."""
    node = event.node
    if event.how == "assign" and isinstance(event.value, ast.Constant):
        return frozenset({event.value.value})
    if not isinstance(node, ast.For) or not isinstance(items, (ast.Tuple, ast.List)):
        return None
    parts = items.elts
    if isinstance(node.target, ast.Tuple):
        place = next((at for at, one in enumerate(node.target.elts) if _is(one, name)), None)
        rows = [part.elts for part in parts if isinstance(part, (ast.Tuple, ast.List))]
        plain = not any(isinstance(one, ast.Starred) for row in (node.target.elts, *rows) for one in row)
        if place is None or len(rows) < len(parts) or not plain or any(len(row) <= place for row in rows):
            return None
        parts = [row[place] for row in rows]
    said = [part.value for part in parts if isinstance(part, ast.Constant)]
    return frozenset(said) if said and len(said) == len(parts) else None


def _set_by_text(module: Module, name: str) -> bool:
    """Whether a file has a name as a text, or as a keyword."""
    return keys(module.text, name) and name in _texts_in(module.tree)


@kept_with_trees(64)
def _texts_in(tree: ast.Module) -> frozenset[str]:
    """The texts of a file, and its keywords."""
    texts = {node.value for node in descend(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return frozenset(texts | {node.arg for node in descend(tree) if isinstance(node, ast.keyword) and node.arg})


def _is_either(above: ast.AST, held: ast.AST) -> bool:
    """Whether an expression may be what is part of it: ``names or {}``, ``names if names else {}``."""
    return isinstance(above, ast.BoolOp) or isinstance(above, ast.IfExp) and above.test is not held


def _bound_again(bound: ast.Assign, called: str, at: Occurrence) -> bool:
    """Whether the name stands for something else there, always: in the blocks that the statement is in, what binds it
    last before is a later statement than ``bound``, and makes something new."""
    scope = at.around[-1] if at.around else None
    block = scope.body if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)) else []
    last: ast.stmt | None = None
    while block:
        node = next((statement for statement in block if _spans(statement, at.statement)), None)
        for statement in block[: block.index(node)] if node is not None else ():
            if _makes_new(statement, called):
                last = statement
        block = []
        for part in ("body", "orelse", "finalbody") if node is not at.statement else ():
            inner: list[ast.stmt] = getattr(node, part, [])
            block = inner if any(_spans(statement, at.statement) for statement in inner) else block
    return last is not None and last.lineno > (bound.end_lineno or bound.lineno)


def _spans(statement: ast.stmt, other: ast.stmt) -> bool:
    return statement.lineno <= other.lineno <= (statement.end_lineno or statement.lineno)


def _makes_new(statement: ast.stmt, called: str) -> bool:
    """Whether a statement binds the name to something that is made there: of what it stood for, a copy at most."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) > 1:
        return False
    target, value = statement.targets[0], statement.value
    if not isinstance(target, ast.Name) or target.id != called:
        return False
    if isinstance(value, ast.Call):
        # `dict(names)`, `names.copy()`
        method = isinstance(value.func, ast.Attribute) and value.func.attr == "copy" and _is(value.func.value, called)
        return method or _is(value.func, "dict")
    return isinstance(value, (ast.Dict, ast.Constant))


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _taken(above: ast.AST | None, held: ast.AST) -> object:
    """The name of what is taken of what stands there, if that is all that is done with it and the name is in sight."""
    if isinstance(above, ast.Call) and getattr(above.func, "id", "") in ("getattr", "hasattr"):
        text = above.args[1] if len(above.args) > 1 and above.args[0] is held else None
        return text.value if isinstance(text, ast.Constant) else None
    return above.attr if isinstance(above, ast.Attribute) else None


def _only_reads(text: ast.expr | None) -> bool:
    """Whether an expression that is a text binds no name; what it does beside that is found with the file's own."""
    return isinstance(text, ast.Constant) and isinstance(text.value, str) and ":=" not in text.value


def _sets(dicts: _Dicts, at: Occurrence, word: str) -> bool:
    chain: list[ast.AST] = list(at.chain)
    node = chain[0]
    call = chain[1] if len(chain) > 1 else None
    if word in ("builtins", "__builtins__"):
        # `builtins.exec`, `getattr(builtins, name)`
        taken = _taken(call, node)
        return isinstance(node, ast.Name) and (taken is None or taken in _WORDS)
    if word in DICTS:
        # The text is what some `getattr` is asked for; `fn.__globals__` stands where `globals()` would.
        if isinstance(node, ast.Constant):
            asks = getattr(call.func, "id", "") if isinstance(call, ast.Call) and node in call.args else ""
            if asks in ("getattr", "hasattr"):
                return asks == "getattr" and dicts.set_in(at, 1)
            return not dicts.only_compared(at)
        return dicts.set_in(at, int(isinstance(call, ast.Call) and call.func is node))
    if not isinstance(node, ast.Name) or not isinstance(call, ast.Call) or call.func is not node:
        # `f = globals`
        return isinstance(node, ast.Name)
    if word in ("exec", "eval"):
        text = call.args[0] if call.args else None
        own_names = len(call.args) < 2 or isinstance(call.args[1], ast.Constant)
        return own_names and (word == "exec" or not _only_reads(text) or dicts.given_by(at, text))
    if word in ("locals", "vars") and (call.args or any(isinstance(n, _FUNCTIONS) for n in at.around)):
        return False
    return dicts.set_in(at, 1)
