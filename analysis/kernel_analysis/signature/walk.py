"""One walk over a jit function and the helpers it calls, which collects what the uses of each parameter say about it.

It computes with syntax only: an abstract interpretation that never runs what it reads. What Triton's own functions do to
their arguments stands in ``library.py``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kernel_analysis.signature import library, operators
from kernel_analysis.signature.values import (
    NOTHING,
    UNKNOWN,
    Clue,
    Dim,
    Origin,
    Shape,
    Value,
    constant,
    join_origins,
    merge,
)
from kernel_analysis.source.slice import (
    Binding,
    Constant,
    FunctionRef,
    Namespace,
    NamedTupleClass,
    Slice,
    TritonObject,
    Unresolved,
)

_BUDGET = 40_000
"""Expressions to look at in one walk; helpers are walked again for each call, which must not explode."""
_DEPTH = 12


@dataclass(slots=True)
class Branch:
    """A compile-time ``if``: where, its test, which way it went (None: both, the test is not known) and the names in sight."""

    function: int
    test: ast.expr
    taken: bool | None
    env: dict[str, Value]


@dataclass(slots=True)
class Call:
    """A call of a helper: the values of its parameters."""

    callee: int
    arguments: dict[str, Value]


class _Return(Exception):
    """The rest of a block of statements is not reached."""


class Walk:
    """``clues`` by parameter path, ``branches`` and ``calls`` in order; ``equations``: products of extents that are the same number. ``trace`` has the value of every expression, by node, when asked for."""

    def __init__(self, slice: Slice, trace: bool = False) -> None:
        self.slice = slice
        self.clues: dict[str, Clue] = {}
        self.branches: list[Branch] = []
        self.asserts: list[Branch] = []
        self.calls: list[Call] = []
        self.trace: dict[ast.AST, list[Value]] | None = {} if trace else None
        self.ambiguous: list[tuple[tuple[Origin, ...], int | None, str]] = []
        self.alike: dict[tuple[frozenset[Origin], frozenset[Origin]], None] = {}
        self.equations: list[tuple[Shape, Shape]] = []
        self.reshaped: list[tuple[tuple[Origin, ...], Shape | None]] = []
        self.budget = _BUDGET
        self._stack: list[int] = []
        self._env: dict[str, Value] = {}
        self._returned: list[Value] = []
        self._line: int | None = None

    # Votes

    def clue(self, path: str) -> Clue:
        found = self.clues.get(path)
        if found is None:
            found = self.clues[path] = Clue()
        return found

    def vote(self, value: Value, role: str, weight: float, detail: str) -> None:
        """Say that the value is used as ``role``."""
        for path, depth, _ in value.origins:
            self.clue(path).vote(depth, role, weight, self._line, detail)

    def pointer(self, value: Value, detail: str) -> None:
        """Say that the value is used as an address: of the parameters that were added up, one is the pointer."""
        if value.items:
            for item in value.items:
                self.pointer(item, detail)
            return
        candidates = tuple(o for o in value.origins if o.addend)
        if len(candidates) == 1:
            path, depth, _ = candidates[0]
            self.clue(path).vote(depth, "pointer", 5, self._line, detail)
        elif candidates:
            self.ambiguous.append((candidates, self._line, detail))
        for path, depth, addend in value.origins:
            if not addend:
                self.clue(path).vote(depth, "int", 3, self._line, "part of an address")

    @property
    def line(self) -> int | None:
        """The line that is being walked."""
        return self._line

    def equal(self, a: Shape | None, b: Shape | None) -> None:
        """Say that two shapes belong together elementwise: where both extents are parameters, they are the same number."""
        if a and b and a != b:
            for x, y in zip(reversed(a), reversed(b)):
                if x != y and x is not None and y is not None and x != 1 and y != 1:
                    self.equations.append(((x,), (y,)))

    def same_size(self, a: Shape | None, b: Shape | None) -> None:
        """Say that two shapes have the same number of elements."""
        if a and b and a != b and None not in a and None not in b:
            self.equations.append((a, b))

    def extents(self, shape: Value | None, detail: str = "it is a block's extent") -> Shape | None:
        """A block shape that is written out: every part must be known at compile time."""
        if shape is None:
            return None
        return tuple(self.extent(part, detail) for part in (shape.items if shape.items is not None else [shape]))

    def extent(self, part: Value, detail: str) -> Dim:
        """An extent of a block."""
        if isinstance(part.const, int):
            return part.const
        for path, depth, addend in part.origins:
            if depth == 0:
                self.clue(path).vote(0, "dim" if addend else "factor", 3, self._line, detail)
        direct = [o for o in part.origins if o.depth == 0 and o.addend]
        return direct[0].path if len(direct) == 1 and len(part.origins) == 1 else None

    def join(self, a: Value, b: Value) -> Value:
        """Either of two values; when they turn out to be addresses, both have a pointer in them."""
        if a is not b and a.origins and b.origins and a.origins != b.origins:
            one, two = (frozenset(o for o in v.origins if o.addend) for v in (a, b))
            if one and two and one != two:
                self.alike[one, two] = None
        return merge(a, b)

    # Functions

    def run(self, arguments: dict[str, Value]) -> Value:
        """Walk the jit function itself with these values of its parameters."""
        return self.function(0, arguments)

    def evaluate(self, index: int, env: dict[str, Value], node: ast.expr) -> Value:
        """The value of one expression of a function."""
        self._stack.append(index)
        self._env = env
        value = self.expr(node)
        self._stack.pop()
        return value

    def function(self, index: int, arguments: dict[str, Value]) -> Value:
        function = self.slice.functions[index]
        if len(self._stack) >= _DEPTH or self._stack.count(index) >= 2 or self.budget <= 0:
            return NOTHING
        saved = self._env, self._returned, self._line
        self._env, self._returned = dict(arguments), []
        self._stack.append(index)
        try:
            self.block(function.node.body)
        except _Return:
            pass
        result = self._returned[0] if self._returned else NOTHING
        for other in self._returned[1:]:
            result = merge(result, other)
        self._stack.pop()
        self._env, self._returned, self._line = saved
        return result

    def call(self, index: int, args: list[Value], keywords: dict[str, Value]) -> Value:
        """Call a helper: bind its parameters, and walk it."""
        node = self.slice.functions[index].node
        bound: dict[str, Value] = {}
        names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
        for name, value in zip(names, args):
            bound[name] = value
        if node.args.vararg is not None:
            bound[node.args.vararg.arg] = Value(items=args[len(names) :])
        bound.update(keywords)
        missing = [n for n in (*names, *(a.arg for a in node.args.kwonlyargs)) if n not in bound]
        if missing:
            defaults = parameter_defaults(node)
            env, self._env = self._env, {}
            self._stack.append(index)
            for name in missing:
                default = defaults.get(name)
                bound[name] = NOTHING if default is None else self.expr(default)
            self._stack.pop()
            self._env = env
        self.calls.append(Call(index, dict(bound)))
        if self.slice.functions[index].kind == "constexpr_function":
            origins: tuple[Origin, ...] = ()
            for value in bound.values():
                origins = join_origins(origins, value.origins, False)
            return Value(static=True, origins=origins)
        return self.function(index, bound)

    # Statements

    def block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self._line = statement.lineno
            method = self._statements.get(type(statement))
            if method is not None:
                method(self, statement)

    def _assign(self, node: ast.Assign) -> None:
        value = self.expr(node.value)
        for target in node.targets:
            self.bind(target, value)

    def _annotated(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.bind(node.target, self.expr(node.value))

    def _augmented(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            old = self.name(node.target)
            self._env[node.target.id] = operators.binary(self, node.op, old, self.expr(node.value))
        else:
            self.expr(node.value)

    def bind(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self._env[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = value.items
            if items is None:
                items = [self.element(value, i) for i in range(len(target.elts))]
                for path, depth, _ in value.origins:
                    if depth == 0 and value.shape is None and value.callee is None:
                        clue = self.clue(path)
                        clue.vote(0, "tuple", 5, self._line, "it is unpacked")
                        clue.arity = max(clue.arity, len(target.elts))
            for part, item in zip(target.elts, items):
                self.bind(part.value if isinstance(part, ast.Starred) else part, item)

    def element(self, value: Value, index: int) -> Value:
        """An element of a value that is unpacked or indexed: a parameter that may be a tuple, or a result."""
        if value.items is not None and -len(value.items) <= index < len(value.items):
            return value.items[index]
        direct = [o for o in value.origins if o.depth == 0 and o.addend]
        if len(direct) == 1 and len(value.origins) == 1 and value.levels is None and "[" not in direct[0].path:
            return Value(static=value.static, origins=(Origin(f"{direct[0].path}[{index}]", 0, True),))
        return Value(static=value.static, dtype=value.dtype, levels=value.levels, origins=value.origins)

    def _if(self, node: ast.If) -> None:
        test = self.expr(node.test)
        truth = operators.truth(test)
        self.vote(test, "flag" if test.static else "test", 1, "it is tested")
        if test.static:
            self.branches.append(Branch(self._stack[-1], node.test, truth, self._env))
        if truth is not None:
            self.block(node.body if truth else node.orelse)
            return
        before = self._env
        left = False
        self._env = dict(before)
        try:
            self.block(node.body)
        except _Return:
            left = True
        one, self._env = self._env, dict(before)
        try:
            self.block(node.orelse)
        except _Return:
            if left:
                self._env = one
                raise
            self._env = one
            return
        if left:
            return
        two = self._env
        for name, value in one.items():
            two[name] = self.join(value, two[name]) if name in two else value

    def _for(self, node: ast.For) -> None:
        target = self.iterate(node.iter)
        self.bind(node.target, target)
        before = dict(self._env)
        try:
            self.block(node.body)
        except _Return:
            pass
        for name, value in before.items():
            self._env[name] = merge(self._env.get(name, value), value)
        self.block(node.orelse)

    def iterate(self, node: ast.expr) -> Value:
        """The loop variable."""
        iterable = self.expr(node)
        if iterable.callee == "range":
            assert iterable.self is not None
            return iterable.self
        if iterable.items:
            result = iterable.items[0]
            for item in iterable.items[1:]:
                result = merge(result, item)
            return result
        if iterable.origins:
            self.vote(iterable, "tuple", 3, "it is iterated over")
            return self.element(iterable, 0)
        return NOTHING

    def _while(self, node: ast.While) -> None:
        self.vote(self.expr(node.test), "test", 1, "it is tested")
        try:
            self.block(node.body)
        except _Return:
            pass

    def _return(self, node: ast.Return) -> None:
        self._returned.append(self.expr(node.value) if node.value is not None else NOTHING)
        raise _Return

    def _expression(self, node: ast.Expr) -> None:
        self.expr(node.value)

    def _assert(self, node: ast.Assert) -> None:
        self.expr(node.test)

    def _with(self, node: ast.With) -> None:
        for item in node.items:
            value = self.expr(item.context_expr)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value)
        self.block(node.body)

    _statements: dict[type[ast.stmt], Callable[[Walk, Any], None]] = {
        ast.Assign: _assign,
        ast.AnnAssign: _annotated,
        ast.AugAssign: _augmented,
        ast.If: _if,
        ast.For: _for,
        ast.While: _while,
        ast.Return: _return,
        ast.Expr: _expression,
        ast.Assert: _assert,
        ast.With: _with,
    }

    # Expressions

    def expr(self, node: ast.expr) -> Value:
        self.budget -= 1
        if self.budget < 0:
            return NOTHING
        method = self._expressions.get(type(node))
        value = method(self, node) if method is not None else NOTHING
        if self.trace is not None:
            self.trace.setdefault(node, []).append(value)
        return value

    def _constant(self, node: ast.Constant) -> Value:
        return constant(node.value)

    def name(self, node: ast.Name) -> Value:
        found = self._env.get(node.id)
        if found is not None:
            return found
        binding = self.slice.functions[self._stack[-1]].bindings.get(node.id)
        if binding is not None:
            return self.binding(binding)
        return Value(callee=node.id) if node.id in library.PYTHON else NOTHING

    def binding(self, binding: Binding) -> Value:
        """The meaning of a global name."""
        if isinstance(binding, (TritonObject, FunctionRef)):
            return constant(binding)
        if isinstance(binding, Constant):
            return constant(binding.value)
        if isinstance(binding, (Namespace, NamedTupleClass)):
            return Value(static=True, callee=binding)
        assert isinstance(binding, Unresolved)
        return Value(static=True)

    def _attribute(self, node: ast.Attribute) -> Value:
        base = self.expr(node.value)
        callee = base.callee
        if isinstance(callee, str) and base.self is None and callee.startswith("triton"):
            return constant(TritonObject(f"{callee}.{node.attr}"))
        if isinstance(callee, Namespace):
            member = callee.members.get(node.attr)
            return NOTHING if member is None else self.binding(member)
        if base.items is not None and node.attr in base.names:
            return base.items[base.names.index(node.attr)]
        return library.attribute(self, base, node.attr)

    def _tuple(self, node: ast.Tuple | ast.List) -> Value:
        items: list[Value] = []
        for part in node.elts:
            if isinstance(part, ast.Starred):
                items.extend(self.expr(part.value).items or ())
            else:
                items.append(self.expr(part))
        origins: tuple[Origin, ...] = ()
        for item in items:
            origins = join_origins(origins, item.origins, False)
        known = all(item.const is not UNKNOWN for item in items)
        return Value(
            tuple(item.const for item in items) if known else UNKNOWN,
            all(item.static for item in items),
            items=items,
            origins=origins,
        )

    def _binary(self, node: ast.BinOp) -> Value:
        return operators.binary(self, node.op, self.expr(node.left), self.expr(node.right))

    def _unary(self, node: ast.UnaryOp) -> Value:
        return operators.unary(self, node.op, self.expr(node.operand))

    def _boolean(self, node: ast.BoolOp) -> Value:
        values: list[Value] = []
        for part in node.values:
            value = self.expr(part)
            values.append(value)
            if operators.truth(value) is isinstance(node.op, ast.Or):
                break
        return operators.boolean(self, isinstance(node.op, ast.And), values)

    def _compare(self, node: ast.Compare) -> Value:
        left = self.expr(node.left)
        result = None
        for operator, comparator in zip(node.ops, node.comparators):
            right = self.expr(comparator)
            one = operators.compare(self, operator, left, right)
            result = one if result is None else operators.boolean(self, True, [result, one])
            left = right
        return result or NOTHING

    def _conditional_expression(self, node: ast.IfExp) -> Value:
        test = self.expr(node.test)
        truth = operators.truth(test)
        if test.static:
            self.vote(test, "flag", 1, "it is tested")
            self.branches.append(Branch(self._stack[-1], node.test, truth, self._env))
        if truth is not None:
            return self.expr(node.body if truth else node.orelse)
        return self.join(self.expr(node.body), self.expr(node.orelse))

    def _subscript(self, node: ast.Subscript) -> Value:
        return operators.subscript(self, self.expr(node.value), node.slice)

    def _call(self, node: ast.Call) -> Value:
        function = self.expr(node.func)
        args: list[Value] = []
        for part in node.args:
            if isinstance(part, ast.Starred):
                args.extend(self.expr(part.value).items or ())
            else:
                args.append(self.expr(part))
        keywords = {k.arg: self.expr(k.value) for k in node.keywords if k.arg is not None}
        line = self._line
        self._line = node.lineno
        callee = function.callee
        if isinstance(callee, FunctionRef):
            result = self.call(callee.index, args, keywords)
        elif isinstance(callee, NamedTupleClass):
            items = [*args, *(keywords[f] for f in callee.fields[len(args) :] if f in keywords)]
            result = Value(static=all(i.static for i in items), items=items, names=callee.fields)
        elif isinstance(callee, str):
            if callee.endswith("static_assert") and args:
                self.asserts.append(Branch(self._stack[-1], node.args[0], operators.truth(args[0]), dict(self._env)))
            result = library.call(self, callee, function.self, args, keywords)
        else:
            for path, depth, addend in function.origins:
                if depth == 0 and addend:
                    clue = self.clue(path)
                    clue.vote(0, "call", 5, self._line, "it is called")
                    clue.arity = max(clue.arity, len(args))
            result = Value(shape=args[0].shape, levels=0) if args and function.origins else NOTHING
        self._line = line
        return result

    def _starred(self, node: ast.Starred) -> Value:
        return self.expr(node.value)

    def _joined(self, node: ast.JoinedStr) -> Value:
        return Value(static=True)

    _expressions: dict[type[ast.expr], Callable[[Walk, Any], Value]] = {
        ast.Constant: _constant,
        ast.Name: name,
        ast.Attribute: _attribute,
        ast.Tuple: _tuple,
        ast.List: _tuple,
        ast.BinOp: _binary,
        ast.UnaryOp: _unary,
        ast.BoolOp: _boolean,
        ast.Compare: _compare,
        ast.IfExp: _conditional_expression,
        ast.Subscript: _subscript,
        ast.Call: _call,
        ast.Starred: _starred,
        ast.JoinedStr: _joined,
    }


def parameter_defaults(node: ast.FunctionDef) -> dict[str, ast.expr]:
    """The default of every parameter that has one."""
    names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
    found = dict(zip(reversed(names), reversed(node.args.defaults)))
    found.update({a.arg: d for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults) if d is not None})
    return found

