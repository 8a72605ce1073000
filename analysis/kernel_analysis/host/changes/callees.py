"""What a callee may do with its arguments: keep them, or change them. A function of the user's is looked at; what is
not known may do anything.

Resolves names; evaluates no call.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.uses import Judge, Kept, occurrences, use
from kernel_analysis.host.evaluate.values import External, Scope, TritonObject, UserFunction
from kernel_analysis.host.names.naming import Bound, meaning

if TYPE_CHECKING:
    from kernel_analysis.host.names.resolve import Resolver

_READ = frozenset(
    f"builtins.{name}"
    for name in ("len", "str", "repr", "bool", "int", "float", "isinstance", "issubclass", "type", "hash", "id",
                 "print", "format", "callable", "range", "abs", "round", "divmod", "pow", "hasattr", "ascii", "super")
) | {"copy.deepcopy", "json.dumps", "pprint.pprint", "warnings.warn"}  # fmt: skip
_PARTS = frozenset(
    f"builtins.{name}"
    for name in ("list", "tuple", "set", "dict", "frozenset", "sorted", "sum", "any", "all", "min", "max", "enumerate",
                 "zip", "reversed", "filter", "map")
) | {"copy.copy", "itertools.product", "itertools.chain", "itertools.chain.from_iterable", "itertools.combinations",
     "itertools.permutations", "itertools.repeat", "itertools.islice", "itertools.cycle", "math.prod",
     "collections.OrderedDict", "collections.Counter"}  # fmt: skip
_DEEPEST = 4


def judge(resolver: Resolver, scope: Scope, depth: int = 0) -> Judge:
    """What calls that stand in ``scope`` may keep of their arguments."""

    def kept(call: ast.Call, position: int | str | None) -> Kept:
        return _kept(resolver, scope, call, position, depth)

    return kept


def _kept(resolver: Resolver, scope: Scope, call: ast.Call, position: int | str | None, depth: int) -> Kept:
    function = call.func
    if isinstance(function, ast.Subscript):
        launched = meaning(resolver, scope, function.value)
        decorated = isinstance(launched, Bound) and getattr(launched.event.node, "decorator_list", None)
        return "nothing" if decorated else "all"  # what is subscripted and called then is a kernel that is launched
    found = meaning(resolver, scope, function)
    if isinstance(found, TritonObject):
        return "nothing"
    if isinstance(found, External):
        if found.path in _PARTS:
            return "parts"
        return "nothing" if found.path in _READ or found.path.startswith("math.") else "all"
    if isinstance(found, Bound) and isinstance(found.event.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        node = found.event.node
        if not node.decorator_list and depth < _DEEPEST:
            return of_parameter(resolver, UserFunction(found.scope, node), position, depth)
    return "all"


def of_parameter(resolver: Resolver, function: UserFunction, position: int | str | None, depth: int) -> Kept:
    """What a function of the user's does with one of its parameters."""
    node, args = function.node, function.node.args
    positional = [*args.posonlyargs, *args.args]
    name = position if isinstance(position, str) else None
    if isinstance(position, int) and position < len(positional):
        name = positional[position].arg
    if name is None or name not in {a.arg for a in (*positional, *args.kwonlyargs)} or isinstance(node, ast.Lambda):
        return "all"
    module = function.scope.module
    inner = resolver.inner(function.scope, node)
    if any(event.how != "parameter" for event in inner.table.events.get(name, ())):
        return "all"
    kept: Kept = "nothing"
    for at in occurrences(module, name):
        if not isinstance(at.chain[0], ast.Name) or node not in at.around:
            continue
        made = use(at, judge(resolver, resolver.scope(module, at.around), depth + 1))
        if made is not None and made.kind != "part":
            return "all"
        kept = "inside" if made is not None else kept
    return kept
