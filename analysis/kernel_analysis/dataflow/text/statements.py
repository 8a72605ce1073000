"""What the statements of a function do to its names, one after the other: both arms of an ``if``, a loop's body as
often as it may go round, what an arm leaves alone.

What is bound under a condition keeps what it was; a name that only some ways bind may also be one from outside.
"""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from kernel_analysis.dataflow.text.branches import Branches
from kernel_analysis.dataflow.text.inner_names import that_bind
from kernel_analysis.dataflow.text.language import LOOPS
from kernel_analysis.dataflow.text.out_of_order import ROUNDS, Env
from kernel_analysis.dataflow.text.value import (
    BLOCK,
    NOTHING,
    UNSEEN,
    TextValue,
    TooInvolved,
    anew,
    depends,
    heap,
    join,
    parts_of,
    same,
    sort_of,
    whole,
    with_dep,
)
from kernel_analysis.source.slice import Slice, TritonObject

_NUMBERS = (bool, int, float)


class Statements(Branches):
    """``returned``: what the function may give back, each as it is at its ``return``."""

    returned: TextValue | None = None

    def __init__(self, slice_: Slice, index: int) -> None:
        super().__init__(slice_, index)
        self._heads: dict[object, Env] = {}

    # What subclasses say.

    @abstractmethod
    def returns(self, value: TextValue) -> TextValue:
        """What a ``return`` gives to the caller."""

    @abstractmethod
    def unrolled(self, node: ast.For, arguments: list[TextValue], dep: int, either: bool) -> bool:
        """A loop that is unrolled when it is compiled; ``either``: or may be. Whether its end may be reached."""

    # What statements are made of.

    def block(self, body: list[ast.stmt]) -> bool:
        """Whether the end of the statements may be reached."""
        binding = that_bind(self.function.node)
        for statement in body:
            if binding and statement in binding:
                self.in_any_order(statement)
            method = self._statements.get(statement.__class__)
            if method is None:
                self._unknown(statement)
            elif method(self, statement) is False:
                return False
        return True

    def as_assigned(self, value: TextValue) -> TextValue:
        return _as_number(value)

    def bind(self, target: ast.expr, value: TextValue) -> None:
        """Give a name, or several, a value."""
        if isinstance(target, ast.Name):
            if self.rebound is not None:
                self.rebound.setdefault(target.id, self.env.get(target.id))
            # What an arm binds must be told from what it leaves alone.
            value = TextValue(sort=BLOCK) if value is NOTHING and self.nested else value
            self.env[target.id] = with_dep(value, self.announced(target.id))
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target.elts, value)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, value)
        else:
            # Something of an object changes, and whoever holds the object sees it.
            root: ast.expr = target
            while isinstance(root, ast.Attribute | ast.Subscript):
                if isinstance(root, ast.Subscript):
                    self.expr(root.slice)
                root = root.value
            self.escape(value, target)
            if not isinstance(root, ast.Name):
                self.expr(root)
            else:
                held = self.name(root)
                made = heap((held, value, TextValue(self.anything())))
                self.env[root.id] = self.uncertain(made, made.dep)

    def _unpack(self, targets: list[ast.expr], value: TextValue) -> None:
        starred = next((i for i, t in enumerate(targets) if isinstance(t, ast.Starred)), None)
        items = value.items
        if items is not None and not value.open and starred is None and len(items) == len(targets):
            for target, item in zip(targets, parts_of(value), strict=True):
                self.bind(target, item)
            return
        if items is not None and starred is None and len(items) >= len(targets):
            # Of a tuple of any length only launches with this one are valid.
            for target, item in zip(targets, parts_of(value), strict=False):
                self.bind(target, item)
            return
        any_item = TextValue(whole(value), depends(value), pointer=items is None and value.pointer, sort=sort_of(value))
        if items is not None:
            any_item = self.uncertain(any_item, self.shape(value))
        for target in targets:
            self.bind(target, any_item)

    def _assign(self, node: ast.Assign) -> None:
        value = _as_number(self.expr(node.value))
        for target in node.targets:
            self.bind(target, value)

    def _annotated(self, node: ast.AnnAssign) -> None:
        kind = self.expr(node.annotation)
        if node.value is None:
            if isinstance(node.target, ast.Name):
                # Nothing yet; before Triton 3.9, None.
                held = self.held(node.target.id)
                self.bind(node.target, TextValue(sort=BLOCK) if held is None else join(held, TextValue(sort=BLOCK)))
            return
        value = self.expr(node.value)
        # Of arms that assign the same, one may make a constant of it, and another a number.
        value = anew(value) if _is_constant(kind) else with_dep(_as_number(value), depends(kind))
        if self.nested and isinstance(node.target, ast.Name):
            # A constant that is bound where control is decided at run time is gone after that.
            before = self.env.get(node.target.id) or self.before(node.target.id)
            if before is not None:
                value = join(value, self.uncertain(before, depends(before) | depends(value)))
        self.bind(node.target, value)

    def _augmented(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            left = self.name(node.target)
            right = self.expr(node.value)
            overloaded = self.overloaded(node, left, right)
            made = self.arithmetic(node.op, left, right) if overloaded is None else overloaded
            self.bind(node.target, _as_number(made))
        else:
            self.bind(node.target, self.expr(node.value))

    def _for(self, node: ast.For) -> bool:
        call = node.iter
        alive = True
        arguments: list[TextValue] = []
        kinds: set[str] | None = None
        dep = 0
        if isinstance(call, ast.Call):
            value = self.expr(call.func)
            arguments = [self.expr(a) for a in call.args]
            arguments += [self.expr(k.value) for k in call.keywords]
            kinds = set()
            for callee, _ in self.functions(value):
                kinds.add(LOOPS.get(callee.path, "?") if isinstance(callee, TritonObject) else "?")
            dep = depends(value) | (0 if kinds == {"loop"} else self._all(arguments))
        else:
            arguments = [self.expr(call)]
            dep = self._all(arguments)
        self.nested += 1
        if kinds == {"loop"}:
            self.going_round(node.body, node.target, bounds=arguments)
        elif kinds and kinds <= {"loop", "static"}:
            alive = self.unrolled(node, arguments, dep, "loop" in kinds)
        else:
            # Triton goes over nothing else; whatever it may be, it holds what it was given.
            arguments += [self.expr(call)] if kinds else []
            self.sometimes_round(node, heap((*arguments, TextValue(self.anything(), dep))), dep)
        self.nested -= 1
        self.else_of(node)
        return alive

    def _all(self, values: Sequence[TextValue]) -> int:
        dep = 0
        for value in values:
            dep |= depends(value)
        return dep

    def going_round(
        self,
        body: list[ast.stmt],
        target: ast.expr | None,
        test: ast.expr | None = None,
        bounds: Sequence[TextValue] = (),
    ) -> None:
        """A loop that goes round when the kernel runs: its body is compiled once, for any number of turns."""
        key = self.place_of(body)
        outside, moved = self.told, set[str]()
        # What an earlier round of a loop around found the names to hold here, they hold again: each nested loop then
        # goes round once more, and not as often as all loops around it together.
        known = self._heads.get(key)
        if known is not None:
            self.env = {**self.env, **self.joined(self.env, known)}
        turns = 0
        for bound in bounds:
            turns |= self.telling(self.digits(bound))
        # Of which type it is that counts the turns, the bounds say.
        counter = TextValue(dep=self._all(bounds), sort=BLOCK)
        for number in range(ROUNDS):
            before = self.env
            self.env = dict(before)
            if test is not None:
                turns |= self.telling(self.digits(self.expr(test)))
            self.told |= turns
            if target is not None:
                self.bind(target, self.digit(counter, turns))
            self.block(body)
            after, self.env = self.env, before
            changed = self.joined(before, after)
            # (One that is given what it held is given it as often as the loop goes round, too.)
            moved |= {name for name, value in after.items() if before.get(name) is not value}
            for name in moved:  # in the order of a set, which nothing sees
                value = changed.get(name) or before[name]
                told = self.digit(value, turns)
                if told is not before.get(name):
                    changed[name] = told
            if not changed:
                self.told = outside
                return
            if number >= ROUNDS // 2:
                # What is handed on from name to name for so long may be in any of them.
                any_of = heap(changed.values())
                changed = {name: join(value, any_of) for name, value in changed.items()}
            self.env = {**before, **changed}
            known = self._heads[key] = {**(known or {}), **changed}
        raise TooInvolved

    def place_of(self, body: list[ast.stmt]) -> object:
        """What tells the same statements apart that are followed in several places."""
        return id(body)

    def sometimes_round(self, node: ast.For, item: TextValue, dep: int) -> None:
        """A loop over nobody knows what."""

        def work() -> TextValue:
            for _ in range(ROUNDS):
                before = self.env
                self.env = dict(before)
                self.bind(node.target, item)
                self.block(node.body)
                after, self.env = self.env, before
                changed = {n: self.uncertain(v, dep) for n, v in self.joined(before, after).items()}
                if not any(n not in before or not same(before[n], v) for n, v in changed.items()):
                    return NOTHING
                self.env = {**before, **changed}
            raise TooInvolved

        self.sometimes(dep, work)

    def _while(self, node: ast.While) -> None:
        self.nested += 1
        self.going_round(node.body, None, node.test)
        self.nested -= 1
        self.block(node.orelse)

    def _return(self, node: ast.Return) -> bool:
        value = NOTHING if node.value is None else self.expr(node.value)
        value = self.returns(self.digit(value, self.told))
        self._ended += 1
        self.returned = value if self.returned is None else join(self.returned, value)
        return False

    def _expression(self, node: ast.Expr) -> None:
        self.expr(node.value)

    def _assert(self, node: ast.Assert) -> None:
        self.expr(node.test)
        if node.msg is not None:
            self.expr(node.msg)

    def _with(self, node: ast.With) -> bool:
        for item in node.items:
            value = self.expr(item.context_expr)
            if not self.is_block(value):
                value = heap((value,))  # its `__enter__` gives whatever it likes of it
            if item.optional_vars is not None:
                self.bind(item.optional_vars, anew(value))
        return self.block(node.body)

    def _nothing(self, node: ast.stmt) -> None:
        pass

    def _unknown(self, node: ast.stmt) -> None:
        """What Triton does not compile: as if all in it might happen."""
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.stmt):
                self.block([inner])
            elif isinstance(inner, ast.expr):
                self.expr(inner)

    _statements: ClassVar[dict[type[ast.AST], Callable[[Statements, Any], bool | None]]] = {
        ast.Assign: _assign,
        ast.AnnAssign: _annotated,
        ast.AugAssign: _augmented,
        ast.If: Branches.branch,
        ast.For: _for,
        ast.While: _while,
        ast.Return: _return,
        ast.Expr: _expression,
        ast.Assert: _assert,
        ast.With: _with,
        ast.Pass: _nothing,
    }


def _is_constant(kind: TextValue) -> bool:
    """Whether an annotation says that what is assigned stays a constant; one of any other type does not."""
    return isinstance(kind.const, TritonObject) and kind.const.path.endswith(".constexpr") and not kind.dep


def _as_number(value: TextValue) -> TextValue:
    """What is assigned without an annotation is no longer a constant: tests of it are made when the kernel runs."""
    if value.items is not None:
        items = tuple([_as_number(item) for item in value.items])
        return TextValue(value.flow, value.dep, items, UNSEEN, False, value.fields, value.open, value.sort, value.made)
    if type(value.const) not in _NUMBERS:
        return value
    return TextValue(value.flow, value.dep, sort=BLOCK) if value.flow or value.dep else NOTHING
