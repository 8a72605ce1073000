"""The expressions of a jit function: what each gives, as far as the syntax says. What Triton's functions do stands
in ``language_functions.py``."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from kernel_analysis import paths
from kernel_analysis.signature.body import block_sizes, kernel_memory, language_functions, operators
from kernel_analysis.signature.body.body_view import BodyView
from kernel_analysis.signature.evident_values import (
    NOTHING,
    UNKNOWN,
    EvidentValue,
    Origin,
    at_run_time,
    constant,
    direct,
    global_origin,
    join_origins,
    named_tuple,
)
from kernel_analysis.signature.notes import Branch
from kernel_analysis.source.slice import (
    AggregateRef,
    Binding,
    Constant,
    FunctionRef,
    NamedTupleClass,
    Namespace,
    Slice,
    TritonObject,
    Unresolved,
)
from kernel_analysis.source.tree import parameters

_BUDGET = 40_000
"""Expressions to look at in one walk; helpers are walked again for each call, which must not explode."""

_NESTED = 4
"""How far in elements of tuples are told apart."""
_ACCESSES = frozenset(("gather", "scatter", "inline_asm_elementwise", "tensormap_create"))


class BodyExpressions(BodyView, ABC):
    """Evaluates expressions in ``env``, the names in sight, of the function on top of ``stack``."""

    def __init__(self, slice: Slice, trace: bool = False) -> None:
        super().__init__(slice, trace)
        self.budget = _BUDGET
        self.asks_globals = False  # whether what is done with a global is noted, as of a parameter
        self.stack: list[int] = []
        self.env: dict[str, EvidentValue] = {}
        self._global: dict[int, EvidentValue] = {}  # by bindings, which the slice holds
        self._of_triton: dict[tuple[str, str], EvidentValue] = {}

    @abstractmethod
    def comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> EvidentValue:
        """A list that a loop makes."""

    def expr(self, node: ast.expr) -> EvidentValue:
        self.budget -= 1
        if self.budget < 0:
            return NOTHING
        if self.trace is None and type(node) is ast.Name:
            found = self.env.get(node.id)
            if found is not None:
                return found
        method = self._expressions.get(type(node))
        value = method(self, node) if method is not None else NOTHING
        if self.trace is not None:
            self.trace.setdefault(node, []).append(value)
        return value

    def _constant(self, node: ast.Constant) -> EvidentValue:
        return constant(node.value)

    def name(self, node: ast.Name) -> EvidentValue:
        found = self.env.get(node.id)
        if found is not None:
            return found
        binding = self.slice.functions[self.stack[-1]].bindings.get(node.id)
        if binding is not None:
            meant = self._global.get(id(binding))
            return self._global.setdefault(id(binding), self.binding(binding)) if meant is None else meant
        return EvidentValue(callee=node.id) if node.id in language_functions.PYTHON else NOTHING

    def binding(self, binding: Binding) -> EvidentValue:
        """The meaning of a global name."""
        if isinstance(binding, (TritonObject, FunctionRef, AggregateRef)):
            return constant(binding)
        if isinstance(binding, Constant):
            return constant(binding.value)
        if isinstance(binding, (Namespace, NamedTupleClass)):
            return EvidentValue(static=True, callee=binding)
        assert isinstance(binding, Unresolved)
        place = binding.constexpr if self.asks_globals else None
        return EvidentValue(static=True, origins=() if place is None else (global_origin(place),))

    def element(self, value: EvidentValue, index: int) -> EvidentValue:
        if value.items is not None and -len(value.items) <= index < len(value.items):
            return value.items[index]
        direct = [o for o in value.origins if o.depth == 0 and o.addend]
        if len(direct) == 1 and len(value.origins) == 1 and value.levels is None:
            path = paths.element(direct[0].path, index)
            if len(paths.indices(path)) <= _NESTED:
                return EvidentValue(static=value.static, origins=(Origin(path, 0, True),))
        return EvidentValue(static=value.static, dtype=value.dtype, levels=value.levels, origins=value.origins)

    def _attribute(self, node: ast.Attribute) -> EvidentValue:
        return self._member(self.expr(node.value), node.attr)

    def _member(self, base: EvidentValue, name: str) -> EvidentValue:
        callee = base.callee
        if isinstance(callee, str) and base.self is None and callee.startswith("triton"):
            taken = self._of_triton.get((callee, name))
            if taken is None:
                taken = self._of_triton[callee, name] = constant(TritonObject(f"{callee}.{name}"))
            return taken
        if isinstance(callee, (Namespace, NamedTupleClass)):
            member = callee.members.get(name)
            return NOTHING if member is None else self.binding(member)
        if base.items is not None and name in base.names:
            return base.items[base.names.index(name)]
        for path, depth, addend in base.origins:
            names = self.named.get(path, ())
            if depth == 0 and addend and name in names:
                clue = self.clue(path)
                clue.vote(0, "tuple", 5, self.line, f"its field {name} is used")
                clue.arity = len(names)
                return self.element(base, names.index(name))
        owner = base.made or callee
        if isinstance(owner, AggregateRef):
            method = self.slice.members(owner.index)[1].get(name)
            return (
                EvidentValue(static=True, callee=method, self=base.made and base)
                if isinstance(method, FunctionRef)
                else NOTHING
            )
        return language_functions.attribute(self, base, name)

    def _is_parameter(self, name: str) -> bool:
        return any(
            argument.arg == name for argument in parameters.every(self.slice.functions[self.stack[-1]].node.args)
        )

    def _getattr(self, base: EvidentValue, name: EvidentValue) -> EvidentValue:
        """``getattr(base, name)``: where the name is a parameter, that of a field that there is."""
        if isinstance(name.const, str):
            return self._member(base, name.const)
        known = (self.named.get(path, ()) for path, depth, addend in base.origins if depth == 0 and addend)
        fields = base.names or next(filter(None, known), ())
        for field in fields:
            operators.compared(self, name, field)
        if base.callee == "triton.language":
            operators.compared(self, name, "float32")
        self.vote(name, "string", 3, "it names an attribute")
        return operators.any_of(self, [self._member(base, field) for field in fields])

    def _tuple(self, node: ast.Tuple | ast.List) -> EvidentValue:
        items: list[EvidentValue] = []
        counted = True
        for part in node.elts:
            value = self.expr(part.value) if isinstance(part, ast.Starred) else None
            counted = counted and (value is None or value.items is not None)
            items += [self.expr(part)] if value is None else [value] if value.items is None else value.items
        origins: tuple[Origin, ...] = ()
        for item in items:
            origins = join_origins(origins, item.origins, False)
        if not counted:
            return EvidentValue(origins=origins)
        known = all(item.const is not UNKNOWN for item in items)
        return EvidentValue(
            tuple(item.const for item in items) if known else UNKNOWN,
            all(item.static for item in items),
            items=items,
            origins=origins,
        )

    def _binary(self, node: ast.BinOp) -> EvidentValue:
        return operators.binary(self, node.op, self.expr(node.left), self.expr(node.right))

    def _unary(self, node: ast.UnaryOp) -> EvidentValue:
        return operators.unary(self, node.op, self.expr(node.operand))

    def _boolean(self, node: ast.BoolOp) -> EvidentValue:
        values: list[EvidentValue] = []
        for part in node.values:
            value = self.expr(part)
            values.append(value)
            if operators.truth(value) is isinstance(node.op, ast.Or):
                break
        return operators.boolean(self, isinstance(node.op, ast.And), values)

    def _compare(self, node: ast.Compare) -> EvidentValue:
        left = self.expr(node.left)
        result = None
        for operator, comparator in zip(node.ops, node.comparators, strict=False):
            right = self.expr(comparator)
            one = operators.compare(self, operator, left, right)
            result = one if result is None else operators.boolean(self, True, [result, one])
            left = right
        return result or NOTHING

    def _conditional_expression(self, node: ast.IfExp) -> EvidentValue:
        test = self.expr(node.test)
        truth = operators.truth(test)
        if test.static:
            self.vote(test, "flag", 1, "it is tested")
            branch = Branch(self.stack[-1], node.test, truth, dict(self.env))
            self.branches.append(branch)
            if truth is None:
                self.guards.append((branch, True))
                one = self.expr(node.body)
                self.guards[-1] = (branch, False)
                two = self.expr(node.orelse)
                self.guards.pop()
                return self.join(one, two)
        if truth is not None:
            return self.expr(node.body if truth else node.orelse)
        return self.join(self.expr(node.body), self.expr(node.orelse))

    def _named(self, node: ast.NamedExpr) -> EvidentValue:
        value = self.env[node.target.id] = at_run_time(self.expr(node.value))
        return value

    def _subscript(self, node: ast.Subscript) -> EvidentValue:
        return operators.subscript(self, self.expr(node.value), node.slice)

    def _call(self, node: ast.Call) -> EvidentValue:
        function = self.expr(node.func)
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            for path, depth, _ in self.env.get(node.func.value.id, NOTHING).origins:
                self.clue(path).methods |= depth == 0 and node.func.attr in self.clue(path).fields
        args: list[EvidentValue] = []
        for part in node.args:
            if isinstance(part, ast.Starred):
                args.extend(self._spread(self.expr(part.value), node, function))
            else:
                args.append(self.expr(part))
        keywords = {k.arg: self.expr(k.value) for k in node.keywords if k.arg is not None}
        part = kernel_memory.part(self, node.func) if function.callee is None else None
        if part is not None:
            return part
        line = self.line
        self.line = node.lineno
        callee = function.callee
        if isinstance(callee, FunctionRef) or _accesses(node.func):
            self.access(node)
        if isinstance(callee, FunctionRef):
            result = self.call(callee.index, args if function.self is None else [function.self, *args], keywords)
        elif isinstance(callee, AggregateRef):
            result = self._aggregate(callee, args, keywords)
        elif isinstance(callee, NamedTupleClass):
            result = named_tuple(callee, args, keywords)
        elif isinstance(callee, str):
            if callee.endswith("static_assert") and args:
                self.vote(direct(args[0]), "flag", 2, "it is asserted")  # Triton takes nothing but a bool there
                self.asserts.append(Branch(self.stack[-1], node.args[0], operators.truth(args[0]), dict(self.env)))
            if function.self is not None or callee.startswith("triton"):
                for size in block_sizes.demanded(node, callee.rpartition(".")[2], function.self is not None):
                    # Of a parameter of the function itself the guess is a size.
                    own = isinstance(size, ast.Name) and len(self.stack) == 1 and self._is_parameter(size.id)
                    if not own:
                        env = {} if self.counting else dict(self.env)
                        self.sizes.append(Branch(self.stack[-1], block_sizes.fits(size), None, env))
            named = callee == "getattr" and len(args) > 1
            result = (
                self._getattr(*args[:2])
                if named
                else language_functions.call(self, callee, function.self, args, keywords)
            )
        else:
            for path, depth, addend in function.origins:
                if depth == 0 and addend:
                    clue = self.clue(path)
                    clue.vote(0, "call", 5, self.line, "it is called")
                    if node in self.unused:
                        clue.vote(0, "procedure", 5, self.line, "it is called for what it does")
                    clue.arity = max(clue.arity, len(args))
            result = EvidentValue(shape=args[0].shape, levels=0) if args and function.origins else NOTHING
        self.line = line
        return result

    def _aggregate(
        self, callee: AggregateRef, args: list[EvidentValue], keywords: dict[str, EvidentValue]
    ) -> EvidentValue:
        """An instance: its fields are what its ``__init__`` gives them."""
        fields, methods = self.slice.members(callee.index)
        init = methods.get("__init__")
        if isinstance(init, FunctionRef):
            given = self._initialized(init.index, args, keywords)
        else:
            given = {**dict(zip(fields, args, strict=False)), **keywords}
        items = [given.get(name, NOTHING) for name in fields]
        return EvidentValue(static=all(i.static for i in items), items=items, names=tuple(fields), made=callee)

    def demand(self, test: ast.expr) -> None:
        """Say that a test must hold."""
        self.asserts.append(Branch(self.stack[-1], test, operators.truth(self.expr(test)), dict(self.env)))

    def reached(self, body: list[ast.stmt]) -> Iterator[ast.stmt]:
        """The statements, and those in the arms of their ``if``s that may be taken."""
        for statement in body:
            if isinstance(statement, ast.If):
                way = operators.truth(self.expr(statement.test))
                yield from self.reached(statement.body if way is not False else [])
                yield from self.reached(statement.orelse if way is not True else [])
            else:
                yield statement

    def _initialized(
        self, index: int, args: list[EvidentValue], keywords: dict[str, EvidentValue]
    ) -> dict[str, EvidentValue]:
        node = self.slice.functions[index].node
        names = parameters.positional(node.args)
        fields: dict[str, EvidentValue] = {}
        before = self.env
        self.env = {**dict(zip(names[1:], args, strict=False)), **keywords}
        self.stack.append(index)
        for statement in self.reached(node.body):
            if isinstance(statement, ast.Assert):
                self.demand(statement.test)
            if not isinstance(statement, ast.Assign):
                continue
            value = self.expr(statement.value)
            for target in statement.targets:
                if (
                    isinstance(target, ast.Attribute)
                    and isinstance(target.value, ast.Name)
                    and target.value.id in names
                ):
                    fields[target.attr] = value
                elif isinstance(target, ast.Name):
                    self.env[target.id] = value
            if names:
                self.env[names[0]] = EvidentValue(items=list(fields.values()), names=tuple(fields))
        self.stack.pop()
        self.env = before
        return fields

    def _spread(self, value: EvidentValue, call: ast.Call, function: EvidentValue) -> list[EvidentValue]:
        """What is in a value that a call spreads out: of a parameter as much as the function takes beside what else
        it is given, and something where that is not known."""
        if value.items is not None:
            return value.items
        count = 1
        if isinstance(function.callee, FunctionRef):
            takes = self.slice.functions[function.callee.index].node.args
            given = len(call.args) - 1 + len(call.keywords) + (function.self is not None)
            count = max(len(parameters.positional(takes)) - given, 1)
        for path, depth, addend in value.origins:
            if depth == 0 and addend:
                clue = self.clue(path)
                clue.vote(0, "tuple", 5, self.line, "what is in it is passed on")
                clue.arity = max(clue.arity, count)
        return [self.element(value, i) for i in range(count)]

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> EvidentValue:
        return self.comprehension(node)

    def _starred(self, node: ast.Starred) -> EvidentValue:
        return self.expr(node.value)

    def _joined(self, node: ast.JoinedStr) -> EvidentValue:
        return EvidentValue(static=True)

    _expressions: ClassVar[dict[type[ast.expr], Callable[[BodyExpressions, Any], EvidentValue]]] = {
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
        ast.NamedExpr: _named,
        ast.Subscript: _subscript,
        ast.Call: _call,
        ast.Starred: _starred,
        ast.ListComp: _comprehension,
        ast.GeneratorExp: _comprehension,
        ast.JoinedStr: _joined,
    }


def _accesses(function: ast.expr) -> bool:
    """Whether a function or method of this name may read or write memory."""
    if not isinstance(function, ast.Attribute):
        return False
    name = function.attr
    return "load" in name or "store" in name or name.startswith("atomic_") or name in _ACCESSES
