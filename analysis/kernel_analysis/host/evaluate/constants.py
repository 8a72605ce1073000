"""Safe evaluation: the value of an expression as far as it is known without running user code. Bounded in steps,
depth and size;
everything else is ``Unknown`` with a reason. Nothing here calls eval, exec or import."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from kernel_analysis.host.decorators import decorations, kept_objects
from kernel_analysis.host.evaluate import calls, constexprs, interpret, kinds, pure
from kernel_analysis.host.evaluate.argument import HostArgument
from kernel_analysis.host.evaluate.expressions import (
    comparing,
    displays,
    fstrings,
    one_or_other,
    raising,
    subscripts,
    value_attributes,
)
from kernel_analysis.host.evaluate.expressions.comprehension import Comprehension, comprehension
from kernel_analysis.host.evaluate.properties import as_text, changeable, truth
from kernel_analysis.host.evaluate.values import (
    UNTOLD,
    Decoration,
    Definition,
    Dict,
    EnumMember,
    External,
    GuessedText,
    Items,
    Method,
    ModuleValue,
    Partial,
    Scope,
    Unknown,
    UserFunction,
    Value,
    plain,
    used_up,
)
from kernel_analysis.host.evaluate.wording import computed, describe, raised, unknown
from kernel_analysis.host.names.private import remade
from kernel_analysis.source import arithmetic, limits
from kernel_analysis.source.limits import TooMuch
from kernel_analysis.source.slice import TritonObject
from kernel_analysis.source.tree.scopes import FunctionNode

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView

_TOO_MUCH = Unknown("It takes too much work to evaluate without running it.")
_ON_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Invert)
_RAISED = (ArithmeticError, ValueError, TypeError, LookupError)


class Evaluator:
    """``evaluate`` never raises: what it can't know is ``Unknown``."""

    def __init__(self, resolver: ResolverView) -> None:
        self.resolver = resolver
        self.steps = 0
        self.depth = 0
        self.doubts = 0
        self.callee: ast.expr | None = None
        """What is evaluated to be called at once."""
        self._called = False
        """How often something was computed so far that may have raised, for who asks (``doubting``)."""
        self.doubting = 0
        """How many `try` statements are being carried out."""
        self._methods = self._methods_of()

    @classmethod
    @cache
    def _methods_of(cls) -> Mapping[type[ast.expr], Callable[[Any, Any, Scope, int | None], Value]]:
        """What evaluates which expression: the class's own, as an evaluator that held methods of its own would hold
        itself."""
        return {
            ast.Constant: cls._constant, ast.Name: cls._name, ast.Attribute: cls._attribute, ast.Call: cls._call,
            ast.BinOp: cls._binary, ast.UnaryOp: cls._unary, ast.BoolOp: cls.boolean, ast.Compare: cls._compare,
            ast.IfExp: one_or_other.choice, ast.Tuple: cls._items, ast.List: cls._items, ast.Set: cls._items,
            ast.Dict: cls._dict, ast.Subscript: cls._subscript, ast.JoinedStr: fstrings.joined,
            ast.FormattedValue: fstrings.formatted, ast.ListComp: cls._comprehension,
            ast.GeneratorExp: cls._comprehension, ast.SetComp: cls._comprehension, ast.DictComp: cls._comprehension,
            ast.Lambda: cls._lambda, ast.NamedExpr: cls._walrus,
        }  # fmt: skip

    def evaluate(self, node: ast.expr, scope: Scope, before: int | None = None) -> Value:
        """The value of an expression in ``scope``, ``before``: as of that statement of it."""
        return self._ended(node, lambda: self._at(node, scope, before))

    def _ended(self, node: ast.expr, work: Callable[[], Value]) -> Value:
        """What work gives that others ask for: as an evaluation of its own it has all the steps there are, and what it
        raises ends here."""
        if self.depth:
            return work()
        self.steps = 0
        try:
            return work()
        except (TooMuch, RecursionError):
            self.depth = 0
            return _TOO_MUCH
        except _RAISED as error:
            return raised(node, error)

    def _at(self, node: ast.expr, scope: Scope, before: int | None) -> Value:
        if before is None:
            return self.value(node, scope, None)
        with self.resolver.at(scope, before):
            return self.value(node, scope, before)

    def value(self, node: ast.expr, scope: Scope, before: int | None) -> Value:
        """``evaluate`` for use inside an evaluation: raises TooMuch."""
        self.spend(1)
        method = self._methods.get(type(node))
        if method is None:
            return unknown(node)
        self.depth += 1
        try:
            if self.depth > limits.MOST_DEPTH:
                raise TooMuch
            found = method(self, node, scope, before)
        except _RAISED as error:
            found = raised(node, error)
        finally:
            self.depth = max(self.depth - 1, 0)
        if self.doubting:
            self.doubts += raising.may_raise(self.resolver, node, found)
        return found

    def spend(self, steps: int) -> None:
        """Counts work; raises TooMuch when there was too much."""
        self.steps += steps
        if self.steps > limits.MOST_STEPS:
            raise TooMuch

    def each(self, items: Items) -> tuple[Value, ...]:
        """What is in it, in the order in which it is gone through."""
        if items.kind == "set" and len(items.values) > 1:
            self.resolver.note("the order of a set is not known")
        return items.values

    def called(self, function: Value, args: list[Value], keywords: dict[str, Value], node: ast.Call) -> Value:
        """A call with evaluated arguments."""
        return self._ended(node, lambda: calls.called(self, function, args, keywords, node))

    def constexpr(self, value: Value) -> Value:
        """``tl.constexpr(value)``"""
        return calls.wrapped(value)

    def partly(self, function: Value, args: list[Value], keywords: dict[str, Value], node: ast.Call) -> Value:
        """A call of whose arguments no more is known than the first of them."""
        return computed(node)

    def decorated(self, scope: Scope, node: ast.FunctionDef | ast.AsyncFunctionDef, before: int | None) -> Value:
        """What a ``def`` binds its name to, its decorators applied."""
        return decorations.decorated(self, scope, node, before)

    def decorate(self, decoration: Decoration, value: Value) -> Value:
        """What one of Triton's decorators makes of a function."""
        return decorations.decorate(self, decoration, value)

    def decoration(self, path: str) -> Decoration | None:
        """The decorator that a path into Triton names."""
        return decorations.kind_of(path)

    def class_value(self, scope: Scope, node: ast.ClassDef, before: int | None) -> Value:
        return decorations.class_value(self, scope, node, before)

    def _constant(self, node: ast.Constant, scope: Scope, before: int | None) -> Value:
        value = node.value
        if isinstance(value, (bool, int, float, str)) or value is None:
            return limits.literal(value)
        return Unknown(f"`{describe(node)}` is not a value that a kernel can use.")

    def _name(self, node: ast.Name, scope: Scope, before: int | None) -> Value:
        doubts = self.doubts
        value = self.meant(self.resolver.lookup(scope, node.id, before), node.id)
        self.doubts = doubts  # what it was made of has been computed before
        if used_up(value):
            self.resolver.note(f"`{node.id}` is used up by going through it")
        if node.id in scope.module.reassigned:
            # In a call that is followed it looks like one of its own.
            self.resolver.note(f"`{node.id}` is set by a function with a `global` statement")
        if remade(node.id, scope.module.text):
            self.resolver.note(f"a class makes another name of `{node.id}`")
        return value

    def meant(self, found: Definition, name: str) -> Value:
        """What a name stands for that means this."""
        return found.value

    def _attribute(self, node: ast.Attribute, scope: Scope, before: int | None) -> Value:
        found = self._member(node, scope, before)
        if used_up(found):
            self.resolver.note(f"`.{node.attr}` is used up by going through it")
        return found

    def _member(self, node: ast.Attribute, scope: Scope, before: int | None) -> Value:
        called, self.callee = self.callee is node, None
        owner = self.value(node.value, scope, before)
        if remade(node.attr, scope.module.text):
            self.resolver.note(f"a class makes another name of `{node.attr}`")
        if isinstance(owner, Method) and owner.name in ("torch.finfo", "torch.iinfo"):
            return pure.info_member(owner, node.attr)
        if isinstance(owner, (TritonObject, External, ModuleValue)):
            doubts = self.doubts
            found = self.meant(self.resolver.member(owner, node.attr, scope.module, node), node.attr)
            self.doubts = doubts
            return found
        self._called = called
        return self.attribute(owner, node.attr)

    def attribute(self, owner: Value, name: str) -> Value:
        """``owner.name`` for what is not a module."""
        called, self._called = self._called, False
        found = value_attributes.attribute(self, self.settled(owner), name)
        if not called and isinstance(found, Partial) and any(map(changeable, found.args)):
            self.resolver.note(f"what has `.{name}` may be changed before that is called")
        return found

    def with_attribute(self, owner: Value, name: str, value: Value) -> Value:
        """An object after ``owner.name = value``."""
        return value_attributes.stored(self, owner, name, value)

    def effect(self, node: ast.Call, local: Scope) -> bool:
        """Carries out a call that makes an object in a method of it; whether it is such a call."""
        return kept_objects.effect(self, node, local)

    def _call(self, node: ast.Call, scope: Scope, before: int | None) -> Value:
        return calls.call(self, node, scope, before)

    def _binary(self, node: ast.BinOp, scope: Scope, before: int | None) -> Value:
        left, right = self.value(node.left, scope, before), self.value(node.right, scope, before)
        self._flags(node.op, left, right)
        inner = plain(left)
        formats = isinstance(node.op, ast.Mod) and isinstance(inner, str)
        other = as_text(right) if formats else plain(right)
        made = self.binary(node.op, self.settled(inner), self.settled(other), node)
        return constexprs.of_binary(node.op, left, right, made)

    def settled(self, value: Value) -> Value:
        """The value for whoever asks more of a text than whether there is one."""
        if isinstance(value, GuessedText):
            self.resolver.note(value.why)
            return value.text
        return value

    def binary(self, op: ast.operator, left: Value, right: Value, node: ast.expr) -> Value:
        """``left op right``."""
        for side in (left, right):
            if isinstance(side, Unknown):
                return side
        if isinstance(left, HostArgument) or isinstance(right, HostArgument):
            return kinds.binary(op, kinds.of(left), kinds.of(right))
        if isinstance(left, (int, float, str)) and isinstance(right, (int, float, str)):
            return arithmetic.binary(op, left, right)
        if isinstance(op, ast.Mod) and isinstance(left, str):
            values = right.values if isinstance(right, Items) and right.kind == "tuple" else (right,)
            return limits.percent(left, tuple(fstrings.scalar(v) for v in values))
        if isinstance(op, ast.Mult):
            if isinstance(left, int):
                left, right = right, left
            if isinstance(left, Items) and left.kind in ("list", "tuple") and isinstance(right, int):
                if len(left.values) * max(right, 0) > limits.LONGEST:
                    raise TooMuch
                if left.once:
                    self.resolver.note("each of its parts is used up by going through one")
                return Items(left.kind, self.bounded(left.values * right))
        if isinstance(op, ast.Add):
            if isinstance(left, Items) and isinstance(right, Items) and left.kind == right.kind in ("list", "tuple"):
                return Items(left.kind, self.bounded(left.values + right.values))
        if isinstance(op, ast.BitOr):
            if isinstance(left, Dict) and isinstance(right, Dict):
                return Dict(limits.joined(left.pairs, right.pairs))
        if isinstance(left, Items) and isinstance(right, Items) and left.kind == right.kind == "set":
            if isinstance(op, ast.BitOr):
                return Items("set", self.bounded(left.values + right.values))
        return unknown(node)

    def bounded(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """The values, if they are not too many."""
        self.spend(len(values) // 8)
        if len(values) > limits.LONGEST:
            raise TooMuch
        return values

    def _unary(self, node: ast.UnaryOp, scope: Scope, before: int | None) -> Value:
        operand = self.value(node.operand, scope, before)
        self._flags(node.op, operand)
        return constexprs.of_unary(node.op, operand, self.unary(node.op, plain(operand), node))

    def _flags(self, op: ast.operator | ast.unaryop, *operands: Value) -> None:
        if isinstance(op, _ON_BITS):
            for flag in operands:
                if isinstance(flag, EnumMember) and flag.flag:
                    self.resolver.note(f"operators make members of `{flag.class_name}`, and no numbers")

    def unary(self, op: ast.unaryop, value: Value, node: ast.expr) -> Value:
        """``op value``."""
        if isinstance(value, Unknown):
            return value
        if isinstance(value, HostArgument):
            return kinds.unary(op, value)
        if isinstance(op, ast.Not):
            known = truth(value)
            return unknown(node) if known is None else not known
        return arithmetic.unary(op, value) if isinstance(value, (int, float)) else unknown(node)

    def boolean(self, node: ast.BoolOp, scope: Scope, before: int | None) -> Value:
        return one_or_other.boolean(self, node, scope, before)

    def undecided(self, node: ast.If, local: Scope) -> bool:
        """Carries out an ``if`` of which it is not known which way it goes, if it can."""
        return False

    def one_of(self, values: list[Value], why: Unknown) -> Value:
        """One of several, and it is not known which."""
        return one_or_other.supposed(self, values, why)

    def either_way(self, test: Value, a: Value, b: Value, why: Unknown) -> Value:
        """``a if test else b``, and it is not known what the test gives."""
        return self.one_of([a, b], why)

    def _compare(self, node: ast.Compare, scope: Scope, before: int | None) -> Value:
        return comparing.chain(self, node, scope, before)

    def compared(self, op: ast.cmpop, left: Value, right: Value, node: ast.expr) -> bool | Unknown | HostArgument:
        """``left op right``."""
        return comparing.compared(op, left, right, node)

    def _items(self, node: ast.Tuple | ast.List | ast.Set, scope: Scope, before: int | None) -> Value:
        return displays.items(self, node, scope, before)

    def _dict(self, node: ast.Dict, scope: Scope, before: int | None) -> Value:
        return displays.pairs(self, node, scope, before)

    def table(self, pairs: Iterable[tuple[Value, Value]]) -> Dict:
        """A dict of these; beside a key that is not known, any other may be the same one."""
        found = Dict(limits.joined(tuple(pairs), ()))
        if len(found.pairs) > 1 and any(isinstance(key, UNTOLD) for key, _ in found.pairs):
            self.resolver.note("what one of its keys is, is not known")
        return found

    def _subscript(self, node: ast.Subscript, scope: Scope, before: int | None) -> Value:
        return self.item(self.settled(plain(self.value(node.value, scope, before))), node, scope, before)

    def item(self, owner: Value, node: ast.Subscript, scope: Scope, before: int | None) -> Value:
        return subscripts.item(self, owner, node, scope, before)

    def _lambda(self, node: ast.Lambda, scope: Scope, before: int | None) -> Value:
        return self.function(scope, node, before)

    def function(self, scope: Scope, node: FunctionNode | ast.Lambda, before: int | None) -> UserFunction:
        """A function as it is made at that place. Its defaults are computed there; what a call that is followed has
        by then is soon another."""
        if scope.locals is None:
            return UserFunction(scope, node, before)
        return UserFunction(scope, node, before, dict(interpret.defaults(self, scope, node, before)))

    def _walrus(self, node: ast.NamedExpr, scope: Scope, before: int | None) -> Value:
        value = self.value(node.value, scope, before)
        if changeable(value):
            self.resolver.note(f"`{node.target.id}` may be changed under another name")
        if scope.locals is not None:
            scope.locals[node.target.id] = value
        return value

    def _comprehension(self, node: Comprehension, scope: Scope, before: int | None) -> Value:
        return comprehension(self, node, scope, before)
