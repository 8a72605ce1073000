"""Whether a function that Python runs while a kernel is compiled changes something that outlives its call: what it was
given, its own defaults, what its file holds.

Says that it does not only of a text of which every statement and call is known to change nothing but its own names and
what it made itself. Runs nothing.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence

from kernel_analysis.source.slice import (
    AggregateRef,
    Binding,
    Constant,
    FunctionRef,
    NamedTupleClass,
    Namespace,
    Slice,
    SliceFunction,
    TritonObject,
    Unresolved,
)
from kernel_analysis.source.tree import parameters

_STATEMENTS = (
    ast.Return, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.If, ast.For, ast.While, ast.Expr, ast.Pass, ast.Break,
    ast.Continue, ast.Assert, ast.Raise,
)  # fmt: skip
_PURE = frozenset((
    "abs", "all", "any", "bin", "bool", "callable", "chr", "complex", "dict", "divmod", "enumerate", "filter", "float",
    "format", "frozenset", "getattr", "hasattr", "hash", "hex", "id", "int", "isinstance", "issubclass", "len", "list",
    "map", "max", "min", "oct", "ord", "pow", "print", "range", "repr", "reversed", "round", "set", "slice", "sorted",
    "str", "sum", "tuple", "type", "zip",
))  # fmt: skip
_NEW = frozenset((
    "abs", "bool", "dict", "divmod", "float", "frozenset", "int", "len", "list", "pow", "range", "round", "set",
    "sorted", "str", "tuple",
))  # fmt: skip
"""Functions of Python's whose result is a new one, or a number."""
_BUILDING = frozenset((
    "add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove", "reverse", "setdefault",
    "sort", "update",
))  # fmt: skip
_MODULES = ("triton", "math", "torch", "copy")
_TYPES = (str, bytes, int, float, tuple, frozenset, range)
_READING = frozenset([name for kind in _TYPES for name in dir(kind) if not name.startswith("__")]) | {
    "copy", "get", "items", "keys", "values",
}  # fmt: skip
_FRESH = (
    ast.Constant, ast.JoinedStr, ast.BinOp, ast.UnaryOp, ast.Compare, ast.List, ast.Set, ast.Dict, ast.Tuple,
    ast.ListComp, ast.SetComp, ast.DictComp,
)  # fmt: skip
_NEVER_IN_PLACE = (ast.Div, ast.FloorDiv, ast.Mod, ast.LShift, ast.RShift, ast.Pow)
"""Operators that no container of Python's has."""


def leaves_behind(slice_: Slice, index: int, known: dict[int, bool], methods: frozenset[str] | None = None) -> bool:
    """Whether calls of this function may. ``known``: of those that were asked about. ``methods``: names of methods that
    may, if that was found out."""
    if index not in known:
        known[index] = False  # of a recursion, what its other statements say
        asked = methods_that_leave(slice_) if methods is None else methods
        known[index] = _Text(slice_, slice_.functions[index], known, asked).changes()
    return known[index]


def methods_that_leave(slice_: Slice) -> frozenset[str]:
    """The names of the methods of the slice's classes that Python runs, and that may change something: an object of
    such a class may be behind any name."""
    every = [pair for number in range(len(slice_.aggregates)) for pair in slice_.certain_members(number)[1].items()]
    methods = [(name, method) for name, method in every if name != "__init__"]
    found: frozenset[str] = frozenset()
    while True:
        more = {name for name, method in methods if _leaves(slice_, method, found)}
        if more <= found:
            return found
        found |= more


def _leaves(slice_: Slice, method: FunctionRef | Unresolved, found: frozenset[str]) -> bool:
    if not isinstance(method, FunctionRef):
        return True
    return slice_.functions[method.index].kind != "jit" and leaves_behind(slice_, method.index, {}, found)


class _Text:
    def __init__(self, slice_: Slice, function: SliceFunction, known: dict[int, bool], leaving: frozenset[str]) -> None:
        self._slice, self._function, self._known, self._leaving = slice_, function, known, leaving
        node = function.node
        self._parameters = {argument.arg for argument in parameters.every(node.args)}
        self._values: dict[str, list[ast.expr | None]] = {}
        """What each name of its own is given; None: something that is not looked at."""
        self._body = [inner for statement in node.body for inner in ast.walk(statement)]
        for inner in self._body:
            self._gather(inner)
        own = function.kind == "function" or function.name == "__init__"
        self._self = next(iter(parameters.positional(node.args)), None) if own else None

    def _gather(self, node: ast.AST) -> None:
        plain: Sequence[ast.expr] = []
        if isinstance(node, ast.Assign):
            plain, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            plain, value = [node.target], node.value
        else:
            value = None
        for target in plain:
            if isinstance(target, ast.Name):
                self._values.setdefault(target.id, []).append(value)
        direct = {id(target) for target in plain if isinstance(target, ast.Name)}
        if isinstance(node, ast.Assign | ast.For | ast.comprehension):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                for name in ast.walk(target):
                    if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store) and id(name) not in direct:
                        self._values.setdefault(name.id, []).append(None)

    def changes(self) -> bool:
        # An operator is a method that is not named.
        return any(name.startswith("__") for name in self._leaving) or any(map(self._changes, self._body))

    def _changes(self, node: ast.AST) -> bool:
        if isinstance(node, ast.stmt) and not isinstance(node, _STATEMENTS):
            return True
        if isinstance(node, ast.AugAssign):
            return self._in_place(node)
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            return not self._of_its_own(node)
        if isinstance(node, ast.Attribute) and node.attr in self._leaving:
            return True
        if isinstance(node, ast.Call):
            return self._called(node)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in self._own():
            return self._named(self._function.bindings.get(node.id))
        return isinstance(node, ast.Await | ast.Yield | ast.YieldFrom)

    def _own(self) -> set[str]:
        return self._parameters | self._values.keys()

    def _in_place(self, node: ast.AugAssign) -> bool:
        if isinstance(node.target, ast.Attribute):
            return True
        if isinstance(node.op, _NEVER_IN_PLACE):
            return False
        number = isinstance(node.value, ast.Constant) and not isinstance(node.op, ast.Mult)
        return not number and isinstance(node.target, ast.Name) and not self._made_here(node.target)

    def _of_its_own(self, target: ast.Attribute | ast.Subscript) -> bool:
        """Whether what is stored goes into something that the call made: into ``self``, where it makes that."""
        if self._is_deep_copy(target):
            return True
        if isinstance(target, ast.Subscript):
            return self._made_here(target.value)
        return (
            isinstance(target.value, ast.Name) and target.value.id == self._self and isinstance(target.ctx, ast.Store)
        )

    def _made_here(self, node: ast.expr) -> bool:
        """Whether a name stands for new values alone."""
        if not isinstance(node, ast.Name) or node.id in self._parameters:
            return False
        values = self._values.get(node.id, ())
        return bool(values) and all(value is not None and self._new(value) for value in values)

    def _is_deep_copy(self, node: ast.expr) -> bool:
        """Whether it is part of something that is all copied here."""
        while isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        values = self._values.get(node.id, ()) if isinstance(node, ast.Name) and node.id not in self._parameters else ()
        copied = [self._bound(value.func) for value in values if isinstance(value, ast.Call)]
        return 0 < len(copied) == len(values) and all(
            isinstance(found, TritonObject) and found.path == "copy.deepcopy" for found in copied
        )

    def _new(self, node: ast.expr) -> bool:
        if isinstance(node, ast.IfExp):
            return self._new(node.body) and self._new(node.orelse)
        if isinstance(node, ast.Subscript):
            return isinstance(node.slice, ast.Slice)
        if isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Attribute):
                return function.attr in ("copy", "split", "join", "bit_length")
            return isinstance(function, ast.Name) and function.id in _NEW and self._is_builtin(function.id)
        return isinstance(node, _FRESH)

    def _is_builtin(self, name: str) -> bool:
        return name not in self._own() and name not in self._function.bindings and hasattr(builtins, name)

    # What is called.

    def _called(self, node: ast.Call) -> bool:
        function = node.func
        if isinstance(function, ast.Name):
            if self._is_builtin(function.id):
                return function.id not in _PURE or not all(map(self._is_known, _called_by(function.id, node)))
            found = None if function.id in self._own() else self._function.bindings.get(function.id)
            return not self._harmless(found)
        if not isinstance(function, ast.Attribute):
            return True
        found = self._bound(function)
        if found is not None:
            return not self._harmless(found)
        if function.attr in _BUILDING - _READING:
            return not self._made_here(function.value)
        return function.attr not in _READING and not function.attr.startswith("is_")

    def _is_known(self, node: ast.expr) -> bool:
        """Whether a function that another calls is one that is looked at, or changes nothing."""
        if isinstance(node, ast.Lambda) or isinstance(node, ast.Constant) and node.value is None:
            return True
        if isinstance(node, ast.Name) and self._is_builtin(node.id):
            return node.id in _PURE
        return self._harmless(self._bound(node))

    def _bound(self, node: ast.expr) -> Binding | None:
        """What a chain of attributes of a module stands for."""
        if isinstance(node, ast.Name):
            return None if node.id in self._own() else self._function.bindings.get(node.id)
        if isinstance(node, ast.Attribute):
            owner = self._bound(node.value)
            if isinstance(owner, TritonObject):
                return TritonObject(f"{owner.path}.{node.attr}")
            if isinstance(owner, Namespace):
                return owner.members.get(node.attr)
            if isinstance(owner, AggregateRef):
                return self._slice.certain_members(owner.index)[1].get(node.attr)
        return None

    def _harmless(self, found: Binding | None) -> bool:
        if isinstance(found, TritonObject):
            module, _, name = found.path.rpartition(".")
            return name in _PURE if module == "builtins" else found.path.partition(".")[0] in _MODULES
        return isinstance(found, FunctionRef | AggregateRef | NamedTupleClass) and not self._named(found)

    def _named(self, found: Binding | None) -> bool:
        """Whether a function that is named, and so may be called, leaves something behind."""
        if isinstance(found, Constant) and isinstance(found.value, FunctionRef | AggregateRef):
            return self._named(found.value)
        if isinstance(found, AggregateRef):
            return any(self._named(method) for method in self._methods(found))
        if isinstance(found, FunctionRef) and self._slice.functions[found.index].kind != "jit":
            return leaves_behind(self._slice, found.index, self._known, self._leaving)
        return False

    def _methods(self, found: AggregateRef) -> Iterator[Binding]:
        init = self._slice.certain_members(found.index)[1].get("__init__")
        if init is not None:
            yield init


def _called_by(name: str, node: ast.Call) -> list[ast.expr]:
    """The functions that one of Python's calls."""
    found = [keyword.value for keyword in node.keywords if keyword.arg in ("key", None)]
    return found + node.args[:1] if name in ("map", "filter") else found
