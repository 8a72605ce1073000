"""What an expression of host code is for sure, as far as a contract needs it: a number, a tensor, a list. What may be
something else is nothing here: the rules that ask accuse.

Rows of the library and values of the evaluator only; guesses are ``signature``'s.
"""

from __future__ import annotations

import ast
import builtins
from dataclasses import replace
from typing import Final, Literal, TypeAlias

from kernel_analysis.host.changes.uses import occurrences
from kernel_analysis.host.evaluate import kinds
from kernel_analysis.host.evaluate.argument import FLOAT, INT
from kernel_analysis.host.evaluate.values import Scope
from kernel_analysis.host.names import set_later
from kernel_analysis.host.tensors import annotated
from kernel_analysis.host.tensors.library import ATTRIBUTES, FUNCTIONS, METHODS
from kernel_analysis.host.tensors.placing import Place
from kernel_analysis.source.dtypes import NAMES
from kernel_analysis.source.tree.forms import chain
from kernel_analysis.source.tree.scopes import Event, ScopeNode
from kernel_analysis.source.tree.syntax import descend

Kind: TypeAlias = Literal["int", "float", "str", "none", "list", "tuple", "set", "dict", "dtype", "tensor", "function"]

NUMBERS: Final = frozenset({"int", "float"})
_DISPLAYS: Final[dict[type[ast.expr], Kind]] = {
    ast.List: "list", ast.ListComp: "list", ast.Dict: "dict", ast.DictComp: "dict", ast.Set: "set", ast.SetComp: "set",
    ast.Tuple: "tuple", ast.JoinedStr: "str", ast.Lambda: "function",
}  # fmt: skip
_ANNOTATED: Final[dict[str, Kind]] = {"builtins.int": "int", "torch.Tensor": "tensor"}
"""What an annotation says by itself: `float` takes integers as well."""
_CONTAINERS: Final[dict[str, Kind]] = {
    "builtins.list": "list", "builtins.sorted": "list", "builtins.dict": "dict", "builtins.set": "set",
    "builtins.tuple": "tuple",
}  # fmt: skip
_SIZES: Final = frozenset({"size", "stride"})
_LIBRARIES: Final = frozenset({"torch", "triton", "math", "typing"})
_DEEPEST: Final = 8


def kind(at: Place, node: ast.expr, depth: int = 0) -> Kind | None:
    """What the expression is there."""
    if depth > _DEEPEST:
        return None
    display = _DISPLAYS.get(type(node))
    if display is not None:
        return display
    if isinstance(node, ast.Constant):
        value = node.value
        return _of_value(value) if value is None or isinstance(value, (bool, int, float, str)) else None
    if isinstance(node, ast.Name):
        return _name(at, node, depth)
    if isinstance(node, ast.Call):
        return _call(at, node, depth)
    if isinstance(node, ast.Attribute):
        return _attribute(at, node, depth)
    if isinstance(node, ast.Subscript):
        if at.known is not None and isinstance(node.slice, ast.Constant) and _is_parameter(at, node.value, at.known[0]):
            return "int" if node.slice.value in at.known[1] else None
        shaped = isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
        tensor = shaped and isinstance(node.value, ast.Attribute) and kind(at, node.value.value, depth + 1) == "tensor"
        return "int" if tensor and not isinstance(node.slice, ast.Slice) else None
    if isinstance(node, ast.BinOp):
        sides = kind(at, node.left, depth + 1), kind(at, node.right, depth + 1)
        if not all(side in NUMBERS for side in sides) or _may_be_either(node):
            return None
        left, right = (FLOAT if side == "float" else INT for side in sides)
        return "float" if kinds.binary(node.op, left, right) == FLOAT else "int"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        inner = kind(at, node.operand, depth + 1)
        return inner if inner in NUMBERS else None
    if isinstance(node, ast.IfExp):
        first, second = kind(at, node.body, depth + 1), kind(at, node.orelse, depth + 1)
        return first if first == second else None
    return None


def _may_be_either(node: ast.BinOp) -> bool:
    """Whether two integers make one or a float: a power does, by the sign of what stands on the right."""
    return isinstance(node.op, ast.Pow) and not isinstance(node.right, ast.Constant)


def _is_parameter(at: Place, node: ast.expr, parameter: ast.arg) -> bool:
    """Whether it is what was passed for that parameter, of the function that the place is in."""
    if not isinstance(node, ast.Name) or node.id != parameter.arg:
        return False
    found = only(at, node)
    return found[0].node is parameter if found is not None else node.id in at.hidden


def display(at: Place, node: ast.expr) -> tuple[list[ast.expr], Place] | None:
    """The elements of a tuple or list that is written out, also behind a name that nothing binds again, and where they
    are to be read."""
    if isinstance(node, ast.Name):
        found = assigned(at, node)
        if found is None or not isinstance(found[0], ast.Tuple):
            return None
        node, at = found
    if not isinstance(node, (ast.Tuple, ast.List)) or any(isinstance(e, ast.Starred) for e in node.elts):
        return None
    return node.elts, at


def means_the_same(node: ast.expr, here: Place, there: Place) -> bool:
    """Whether each name in an expression is bound by one statement, and by the same for both places."""
    if here is there:
        return True
    names = [n for n in descend(node) if isinstance(n, ast.Name) and not hasattr(builtins, n.id)]
    bound = [(only(here, name), only(there, name)) for name in names]
    return all(a is not None and b is not None and a[0] is b[0] for a, b in bound)


def spelled(at: Place, node: ast.expr) -> tuple[list[ast.keyword], Place] | None:
    """The entries of a dict that is written out, as arguments by name, and where these are to be read; behind a name
    only where nothing but a call's `**` ever sees it. Nothing is written where these stand."""
    if isinstance(node, ast.Name):
        found = assigned(at, node)
        if found is None or not _only_spread(at, node.id):
            return None
        node, at = found
    if isinstance(node, ast.Call) and library(at, node.func) == "builtins.dict" and not node.args:
        return (node.keywords, at) if all(keyword.arg for keyword in node.keywords) else None
    if not isinstance(node, ast.Dict):
        return None
    made_of: list[ast.keyword] = []
    for key, value in zip(node.keys, node.values, strict=True):
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            return None
        made_of.append(ast.copy_location(ast.keyword(key.value, value), key))
    return made_of, at


def _only_spread(at: Place, name: str) -> bool:
    for one in occurrences(at.scope.module, name):
        used = one.chain[0]
        if not isinstance(used, ast.Name):
            return False
        parent = one.chain[1] if len(one.chain) > 1 else None
        if isinstance(used.ctx, ast.Load) and not (isinstance(parent, ast.keyword) and parent.arg is None):
            return False
    return True


def maker(at: Place, node: ast.expr) -> str | None:
    """Which function of the library, or method of a tensor, makes what stands there, also behind a name that nothing
    binds again: ``torch.zeros``, ``new_zeros``."""
    if isinstance(node, ast.Name):
        found = assigned(at, node)
        if found is None:
            return None
        node, at = found
    if not isinstance(node, ast.Call):
        return None
    return library(at, node.func) or (node.func.attr if isinstance(node.func, ast.Attribute) else None)


def _name(at: Place, node: ast.Name, depth: int) -> Kind | None:
    if node.id in at.hidden:
        return None
    found = only(at, node)
    if found is None:
        return None
    event, scope = found
    if event.how == "parameter" and isinstance(event.node, ast.arg) and event.node.annotation is not None:
        if _may_be_left_out(scope.node, event.node):
            return None
        path = library(replace(at, scope=scope.parent or scope, order=None), event.node.annotation)
        declared = _ANNOTATED.get(path) if path is not None else None
        return declared if declared and annotated.agreed(at, scope, event.node, kind, declared) else None
    if event.how == "assign" and event.value is not None:
        return kind(replace(at, scope=scope, order=event.order, hidden=frozenset()), event.value, depth + 1)
    return "function" if event.how == "define" and not getattr(event.node, "decorator_list", True) else None


def _may_be_left_out(function: ScopeNode, parameter: ast.arg) -> bool:
    """Whether a parameter has a default, which may be None whatever the annotation says; or stands for several."""
    args = function.args if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) else None
    if args is None or parameter in (args.vararg, args.kwarg):
        return True
    positional = [*args.posonlyargs, *args.args]
    if parameter in positional:
        return positional.index(parameter) >= len(positional) - len(args.defaults)
    return args.kw_defaults[args.kwonlyargs.index(parameter)] is not None


def only(at: Place, node: ast.Name) -> tuple[Event, Scope] | None:
    """The one statement that binds a name, if that always happens, and has happened by then, and nothing else sets
    it."""
    scope = _whose(at, node.id)
    if scope is None or node.id in at.hidden or node.id in scope.module.reassigned or scope.table.stars:
        return None
    events = scope.table.events[node.id]
    late = scope is at.scope and at.order is not None and events[0].order >= at.order
    if len(events) != 1 or events[0].guards or late or set_later.declared(scope, node.id):
        return None
    # Of a function's own names no other file has one.
    without_name = isinstance(scope.node, ast.Module) and at.resolver.touches.replaced(scope, node.id)
    return None if without_name else (events[0], scope)


def _whose(at: Place, name: str) -> Scope | None:
    """The scope that a name is of there: the body of a class is in sight of its own statements alone."""
    scope: Scope | None = at.scope
    while scope is not None:
        visible = scope is at.scope or not isinstance(scope.node, ast.ClassDef)
        if visible and scope.locals is None and name in scope.table.events:
            return scope
        scope = scope.parent
    return None


def assigned(at: Place, node: ast.expr) -> tuple[ast.expr, Place] | None:
    """What a name is assigned by the one statement that binds it, and where that is to be read."""
    found = only(at, node) if isinstance(node, ast.Name) else None
    if found is None or found[0].how != "assign" or found[0].value is None:
        return None
    return found[0].value, replace(at, scope=found[1], order=found[0].order, hidden=frozenset())


def _call(at: Place, node: ast.Call, depth: int) -> Kind | None:
    path = library(at, node.func)
    if path is not None:
        if path in _CONTAINERS:
            return _CONTAINERS[path]
        row = FUNCTIONS.get(path)
        if row is None or row.gives == "same":
            return None
        if row.gives == "number":
            # One of several that are not alike may be either.
            given = {kind(at, a, depth + 1) for a in node.args} if len(node.args) > 1 else {None}
            return "float" if given == {"float"} else "int" if given == {"int"} else None
        return "int" if row.gives == "bool" else row.gives
    if isinstance(node.func, ast.Attribute) and node.func.attr == "numel" and not (node.args or node.keywords):
        return "int"  # of whatever has it: nothing else is called so
    if isinstance(node.func, ast.Attribute) and kind(at, node.func.value, depth + 1) == "tensor":
        row = METHODS.get(node.func.attr)
        if row is None or row.gives == "number":
            return None
        if node.func.attr in _SIZES and not (node.args or node.keywords):
            return "tuple"
        return "tensor" if row.gives in ("same", "tensor") and node.func.attr != "chunk" else _plain(row.gives)
    return None


def library(at: Place, node: ast.expr) -> str | None:
    """The path of a function or value of the libraries that there are rows for, by what imports it: nothing of them is
    read, nor anything of the user's evaluated, which would cost more than all else."""
    root, names = chain(node)
    rest = "".join(f".{name}" for name in names)
    if not isinstance(root, ast.Name) or root.id in at.hidden:
        return None
    scope = _whose(at, root.id)
    if scope is None:
        builtin = hasattr(builtins, root.id) and not at.scope.module.table.stars
        return f"builtins.{root.id}{rest}" if builtin else None
    paths = {_imports(event) for event in scope.table.events[root.id]}
    path = paths.pop() if len(paths) == 1 else None
    return None if path is None else path + rest


def _plain(gives: str) -> Kind | None:
    return "int" if gives in ("int", "bool") else "float" if gives == "float" else None


def _imports(event: Event) -> str | None:
    """What an import of one of the libraries binds."""
    node, alias = event.node, event.alias
    if alias is None:
        return None
    if isinstance(node, ast.Import):
        path = alias.name if alias.asname else alias.name.split(".")[0]
    elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
        path = f"{node.module}.{alias.name}"
    else:
        return None
    return path if path.split(".")[0] in _LIBRARIES else None


def _attribute(at: Place, node: ast.Attribute, depth: int) -> Kind | None:
    if kind(at, node.value, depth + 1) == "tensor":
        gives = ATTRIBUTES.get(node.attr)
        return None if gives in (None, "other") else "int" if gives == "bool" else gives
    path = library(at, node) or ""
    return "dtype" if path.startswith("torch.") and path[6:] in NAMES else None


def hides(at: Place, node: ast.expr) -> bool:
    """Whether it speaks of what a lambda or comprehension around it binds."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return not isinstance(node, ast.Name) or node.id in at.hidden


def _of_value(value: bool | int | float | str | None) -> Kind:
    if value is None:
        return "none"
    return "str" if isinstance(value, str) else "float" if isinstance(value, float) else "int"
