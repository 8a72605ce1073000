"""What an expression may hold: containers, arithmetic, choices. Every operand of arithmetic is in its result,
and of comparisons, too: an address may be put together from its digits.

Evaluates nothing but what is written down as a constant; what a call does is in ``call_effects``.
"""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from kernel_analysis.dataflow.text.inner_names import InnerNames
from kernel_analysis.dataflow.text.name_flow import Names
from kernel_analysis.dataflow.text.value import (
    AS_LOADED,
    BLOCK,
    MOST_TEXTS,
    NOTHING,
    OWN,
    UNSEEN,
    Either,
    TextValue,
    depends,
    heap,
    join,
    parts_of,
    texts,
    tuple_of,
    whole,
    with_dep,
)
from kernel_analysis.dataflow.text.written_down import PLAIN, compared, computed, written_down


class TextExpressions(InnerNames):
    """Walks them."""

    def expr(self, node: ast.expr) -> TextValue:
        """What an expression may hold."""
        kind = node.__class__
        if kind is ast.Call:
            return self.call(node)  # pyright: ignore[reportArgumentType]
        method = self._expressions.get(kind)
        return self._other(node) if method is None else method(self, node)

    def _constant(self, node: ast.Constant) -> TextValue:
        if type(node.value) not in PLAIN:
            return NOTHING
        return TextValue(const=node.value, pointer=node.value is None, sort=BLOCK)

    def _binary(self, node: ast.BinOp) -> TextValue:
        left, right = self.expr(node.left), self.expr(node.right)
        made = self.overloaded(node, left, right)
        return self.arithmetic(node.op, left, right) if made is None else made

    @abstractmethod
    def overloaded(self, node: ast.AST, *values: TextValue) -> TextValue | None:
        """What an operator gives that may be a method of the user's; None where it is Triton's."""

    @abstractmethod
    def item_of_object(self, node: ast.Subscript, owner: TextValue, index: Callable[[], TextValue]) -> TextValue | None:
        """What brackets give that may be a method of the user's; None where they are Triton's."""

    def arithmetic(self, op: ast.operator, left: TextValue, right: TextValue) -> TextValue:
        """What ``left op right`` may hold."""
        if left.items is not None or right.items is not None:
            return self._of_tuples(op, left, right)
        flow, dep, sort = left.flow | right.flow, left.dep | right.dep, _sort_of_sum(op, left, right)
        if written_down(left) and written_down(right):
            return TextValue(flow, dep, None, computed(op, left.const, right.const), sort=sort)
        if isinstance(op, ast.Add | ast.Sub):
            # Two pointers can't be added: what is added to one is an offset.
            if left.pointer and left.const is not None and not (right.pointer and isinstance(op, ast.Sub)):
                return TextValue(left.flow | self.aside(right.flow), dep, pointer=True, sort=BLOCK)
            if right.pointer and right.const is not None and isinstance(op, ast.Add):
                return TextValue(right.flow | self.aside(left.flow), dep, pointer=True, sort=BLOCK)
        if not flow and not dep and sort == BLOCK:
            return NOTHING
        # Where an address is taken away, what was added comes back.
        return TextValue(flow | self.offsets(flow), dep, sort=sort)

    @abstractmethod
    def aside(self, flow: int) -> int:
        """What is added to a pointer, whose own address it may hide."""

    def _of_tuples(self, op: ast.operator, left: TextValue, right: TextValue) -> TextValue:
        dep = left.dep | right.dep
        if isinstance(op, ast.Add) and left.items is not None and right.items is not None and not left.open:
            return tuple_of((*left.items, *right.items), left.flow | right.flow, dep, right.open)
        if isinstance(op, ast.Mult):
            items, times = (left, right) if left.items is not None else (right, left)
            assert items.items is not None
            if type(times.const) is int and not times.dep and not items.open and len(items.items) * times.const <= 64:
                return tuple_of(items.items * times.const, items.flow, dep)
            if times.items is None:
                dep = self.shape(left, right)
                return self.uncertain(heap((items,), dep), dep)  # how often is no part of it
        return self.uncertain(heap((left, right)), self.shape(left, right))

    def shape(self, *values: TextValue) -> int:
        """Why the number of items, or the place of one, may be another."""
        dep = 0
        for value in values:
            if value.items is None or value.open:
                dep |= depends(value)
            else:
                dep |= value.dep
        return dep

    def _unary(self, node: ast.UnaryOp) -> TextValue:
        value = self.expr(node.operand)
        made = self.overloaded(node, value)
        if made is not None:
            return made
        if isinstance(node.op, ast.Not):
            const = not value.const if type(value.const) in PLAIN else UNSEEN
            return TextValue(self.digits(value), depends(value), const=const, sort=BLOCK)
        if isinstance(node.op, ast.USub) and type(value.const) in (int, float):
            return TextValue(0, value.dep, const=-value.const, sort=BLOCK)
        return TextValue(whole(value), depends(value), sort=value.sort)

    def _compare(self, node: ast.Compare) -> TextValue:
        left = self.expr(node.left)
        flow, dep, const = 0, depends(left), UNSEEN
        of_objects: list[TextValue] = []
        for number, (op, comparator) in enumerate(zip(node.ops, node.comparators, strict=True)):
            # Of a chain, what follows a comparison that is false is not evaluated.
            right = self.perhaps(dep, lambda part=comparator: self.expr(part)) if number else self.expr(comparator)
            if not isinstance(op, ast.Is | ast.IsNot):
                of_objects += [left, right]
            dep |= depends(right)
            if not isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn):
                # A digit of what is compared.
                flow |= self.digits(left) | self.digits(right)
            if len(node.ops) == 1:
                const = compared(op, left, right)
            left = right
        made = self.overloaded(node, *of_objects)
        if made is not None:
            return made
        return TextValue(flow, dep, const=const, sort=BLOCK) if flow or dep or const is not UNSEEN else NOTHING

    def _boolean(self, node: ast.BoolOp) -> TextValue:
        stop = isinstance(node.op, ast.Or)
        made = self.expr(node.values[0])
        dep = depends(made)
        known = made.const if type(made.const) in PLAIN else UNSEEN
        operands = [made]
        for operand in node.values[1:]:
            if known is not UNSEEN and bool(known) is stop and not dep:
                return made  # decided for every launch
            before = dep
            value = self.perhaps(before, lambda operand=operand: self.expr(operand))
            operands.append(value)
            if known is not UNSEEN and not before:
                made = value
            else:
                made = self.uncertain(join(made, value), before) if whole(made) | whole(value) else join(made, value)
            dep |= depends(value)
            known = value.const if type(value.const) in PLAIN and known is not UNSEEN else UNSEEN
        of_object = self.overloaded(node, *operands)
        if of_object is not None:
            return join(made, of_object)
        if made.items is not None:
            return made
        const = made.const if known is not UNSEEN else UNSEEN
        return TextValue(made.flow, dep, None, const, sort=made.sort, made=made.made)

    def choice(self, node: ast.IfExp) -> TextValue:
        test = self.expr(node.test)
        decided = self.decided(test)
        if decided is not None:
            return self.expr(node.body if decided else node.orelse)
        ways = self.ways(node, test)
        one, two = ways if ways is not None else (None, None)
        outer, self.rebound = self.rebound, {}
        first = self.gated(self.under(one, lambda: self.expr(node.body)), one)
        taken = {name: self.env[name] for name in self.rebound}
        for name, before in self.rebound.items():
            if before is None:
                del self.env[name]
            else:
                self.env[name] = before
        second = self.gated(self.under(two, lambda: self.expr(node.orelse)), two)
        for name, value in taken.items():
            self.env[name] = join(value, self.env[name]) if name in self.env else value
        self.keep(outer, depends(test))
        made = join(first, second)
        if made.items is None:
            made = self.as_assigned(made)  # of two numbers that a test of run time chooses between it is one, too
        return self.digit(with_dep(made, depends(test)), self.digits(test))

    def digits(self, value: TextValue) -> int:
        """What of addresses may be in what is found out about a value. An address as it is can't be compared or counted
        to, it is only asked whether it is none."""
        if value.pointer:
            return 0
        # What came out of something whose structure is not in sight may be a number, too.
        return whole(value) if self.is_block(value) else self.numbers(whole(value))

    @abstractmethod
    def numbers(self, flow: int) -> int:
        """What of it may be a number, where it is not known that there is no address or function in it."""

    @abstractmethod
    def telling(self, flow: int) -> int:
        """What of it may be told digit by digit, by how often something is done, where, or whether at all."""

    def digit(self, made: TextValue, told: int) -> TextValue:
        """A value that is what it is as tests went, or as often as a loop went round: a number may be a digit of what
        these said (``told``)."""
        if made.items is not None:
            items = tuple([self.digit(item, told) for item in made.items])
            if all(item is old for item, old in zip(items, made.items, strict=True)):
                return made
            return TextValue(
                made.flow, made.dep, items, made.const, False, made.fields, made.open, made.sort, made.made
            )
        if made.pointer:
            told = self.which(told)
        if not told & ~made.flow:
            return made
        return TextValue(
            made.flow | told, made.dep, None, made.const, made.pointer, (), made.open, made.sort, made.made
        )

    def which(self, told: int) -> int:
        """What an address has of what says which of several it is: as if that were added to it."""
        told = self.telling(told)
        return self.aside(told) | self.of_memory(told)

    def decided(self, test: TextValue) -> bool | None:
        """Which way a test goes in every launch, where that is written down."""
        if test.dep or type(test.const) not in PLAIN:
            return None
        return bool(test.const)

    def _tuple(self, node: ast.Tuple | ast.List | ast.Set) -> TextValue:
        items: list[TextValue] = []
        for element in node.elts:
            if isinstance(element, ast.Starred):
                value = self.expr(element.value)
                if value.items is None or value.open:
                    rest = [self.expr(e.value if isinstance(e, ast.Starred) else e) for e in node.elts]
                    return self.uncertain(heap(rest), self.shape(*rest))
                items += parts_of(value)
            else:
                items.append(self.expr(element))
        return tuple_of(items)

    def _subscript(self, node: ast.Subscript) -> TextValue:
        owner = self.expr(node.value)
        part = node.slice
        if owner.sort >= OWN:
            # Perhaps an object of the user's, whose method is given what stands in the brackets.
            made = self.item_of_object(node, owner, lambda: heap([self.expr(part)]))
            if made is not None:
                return made
        if isinstance(part, ast.Slice):
            return self._sliced(owner, part)
        if owner.items is None and _of_blocks(part):
            return owner if owner.pointer else TextValue(owner.flow, owner.dep, open=owner.open, sort=owner.sort)
        index = self.expr(part)
        if owner.items is None:
            # An item of something whose structure is not in sight.
            made = TextValue(owner.flow, owner.dep | depends(index), pointer=owner.pointer, sort=owner.sort)
            return self.uncertain(made, depends(index)) if owner.flow and depends(index) else made
        items = owner.items
        dep = index.dep | owner.dep
        if isinstance(index.const, int) and not index.dep and not (owner.open and index.const < 0):
            if -len(items) <= index.const < len(items):
                item = items[index.const]
                return with_dep(item, owner.dep) if owner.dep else item
            return NOTHING
        gates = self.chosen(node, index, len(items))
        if owner.open and isinstance(index.const, int) and not index.dep:
            gates = None
            dep |= depends(owner)
        if not items:
            return TextValue(owner.flow, dep, sort=owner.sort)
        parts = items if gates is None else [self.gated(i, g) for i, g in zip(items, gates, strict=True)]
        made = parts[0]
        for item in parts[1:]:
            made = join(made, item)
        if gates is None and owner.open:
            made = self.uncertain(made, dep)
        return with_dep(made, dep) if dep else made

    def _sliced(self, owner: TextValue, part: ast.Slice) -> TextValue:
        ends = [None if end is None else self.expr(end) for end in (part.lower, part.upper, part.step)]
        if owner.items is None:
            if all(end is None for end in ends):
                return owner
            dep = owner.dep
            for end in ends:
                dep |= 0 if end is None else depends(end)
            made = TextValue(owner.flow, dep, sort=owner.sort)
            return self.uncertain(made, dep & ~owner.dep) if owner.flow else made
        known = [None if end is None else end.const for end in ends]
        dep = 0
        for end in ends:
            dep |= 0 if end is None else end.dep
        if not dep and all(end is None or type(end) is int for end in known):
            lower, upper, step = known
            if not owner.open or (upper is not None and upper >= 0 and (lower or 0) >= 0 and (step or 1) > 0):
                return tuple_of(owner.items[slice(*known)], owner.flow, owner.dep)
            if (lower or 0) >= 0 and upper is None and step is None:
                return tuple_of(owner.items[lower:], owner.flow, owner.dep, open=True)
        return self.uncertain(heap((owner,), dep), dep | self.shape(owner))

    def _text(self, node: ast.JoinedStr) -> TextValue:
        dep = 0
        made: frozenset[str] = frozenset({""})
        for part in node.values:
            value = self.expr(part.value if isinstance(part, ast.FormattedValue) else part)
            found: frozenset[str] = frozenset({str(value.const)}) if type(value.const) is int else texts(value)
            dep |= depends(value)
            if isinstance(part, ast.FormattedValue) and (part.format_spec is not None or part.conversion >= 0):
                found = frozenset()
                dep |= 0 if part.format_spec is None else depends(self.expr(part.format_spec))
            made = frozenset([one + other for one in made for other in found])
            if len(made) > MOST_TEXTS:
                made = frozenset()
        return TextValue(0, dep, const=Either(made) if made else UNSEEN, sort=BLOCK)

    def _starred(self, node: ast.Starred) -> TextValue:
        return self.expr(node.value)

    def _other(self, node: ast.expr) -> TextValue:
        """What Triton does not compile."""
        parts = [self.expr(inner) for inner in _parts(node)]
        made = heap((*parts, TextValue(self.anything())))
        return self.uncertain(made, made.dep)

    _expressions: ClassVar[dict[type[ast.AST], Callable[[TextExpressions, Any], TextValue]]] = {
        ast.Name: Names.name,
        ast.Constant: _constant,
        ast.Attribute: Names.attribute,
        ast.BinOp: _binary,
        ast.Subscript: _subscript,
        ast.Compare: _compare,
        ast.UnaryOp: _unary,
        ast.BoolOp: _boolean,
        ast.IfExp: choice,
        ast.Tuple: _tuple,
        ast.List: _tuple,
        ast.Set: _tuple,
        ast.Starred: _starred,
        ast.NamedExpr: InnerNames.named,
        ast.JoinedStr: _text,
        ast.ListComp: InnerNames.comprehension,
        ast.GeneratorExp: InnerNames.comprehension,
        ast.SetComp: InnerNames.comprehension,
    }


def _parts(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions right in it, and those in what is none itself: a comprehension's, a lambda's defaults."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.expr):
            yield inner
        else:
            yield from _parts(inner)


def _sort_of_sum(op: ast.operator, left: TextValue, right: TextValue) -> int:
    """What arithmetic without operators of the user's gives: of a block a block. A tuple may be repeated."""
    # (What is no number that is written down: that may say how often a tuple is repeated.)
    runs = [side.sort == BLOCK and (side.const is UNSEEN or side.const is AS_LOADED) for side in (left, right)]
    if any(runs) or isinstance(op, ast.Add | ast.Sub) and BLOCK in (left.sort, right.sort):
        return BLOCK
    return max(left.sort, right.sort)


def _of_blocks(part: ast.expr) -> bool:
    """``[:, None]``: what only blocks are indexed with."""
    if isinstance(part, ast.Tuple):
        return all(
            isinstance(p, ast.Slice) or isinstance(p, ast.Constant) and p.value in (None, ...) for p in part.elts
        )
    return isinstance(part, ast.Constant) and part.value in (None, ...)
