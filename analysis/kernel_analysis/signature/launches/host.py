"""What the arguments of a launch are, as far as the text around it says: the evaluator of all host code, where a value
is not known with its kind, and with all that a name may be by the line that asks.

Reads syntax only; nothing of it is run.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.changes.containers import turns
from kernel_analysis.host.evaluate import interpret, kinds, layouts
from kernel_analysis.host.evaluate.argument import (
    BOOL,
    FLOAT,
    INT,
    INTEGERS,
    NOT_KNOWN,
    UNKNOWN,
    HostArgument,
    either,
    in_question,
    surely,
    unsure,
    varying,
)
from kernel_analysis.host.evaluate.constants import Evaluator
from kernel_analysis.host.evaluate.expressions.comprehension import Comprehension
from kernel_analysis.host.evaluate.properties import changeable
from kernel_analysis.host.evaluate.values import (
    Definition,
    Dict,
    External,
    Items,
    Partial,
    Record,
    Scope,
    TritonObject,
    Unknown,
    UserFunction,
    Value,
    used_up,
)
from kernel_analysis.host.names import guards
from kernel_analysis.host.tensors import gives
from kernel_analysis.signature.launches import (
    library_calls,
    module_names,
    other_data,
    partly_known,
    passing,
    set_further_down,
    supposing,
    surroundings,
)
from kernel_analysis.signature.launches.frame import Entry, Frame, made
from kernel_analysis.signature.launches.parameters import host_parameters, object_attributes
from kernel_analysis.source.limits import TooMuch
from kernel_analysis.source.tree import scopes
from kernel_analysis.source.tree.forms import last_name

if TYPE_CHECKING:
    from kernel_analysis.kernels.project import Project

STEPS: Final = 8000
_AT_LEAST: Final = 100
_NOWHERE: Final = library_calls.NOWHERE


class Host(Evaluator):
    """The evaluator, with what it found out on the way to the launches of a file: for each it has so many steps, and
    some for each argument, whatever those before it took."""

    def __init__(self, project: Project) -> None:
        super().__init__(project.resolver)
        self.project = project
        self.left = STEPS
        self.frames: dict[tuple[object, ...], Frame] = {}
        self.calling: Frame | None = None
        """The function around the launch in which the call stands that is looked at."""
        self._active: set[tuple[Frame, object]] = set()
        self._circles: set[tuple[Frame, object]] = set()

    def frame(
        self,
        file: str,
        functions: Sequence[scopes.FunctionNode],
        at: tuple[int, int],
        levels: int,
        entry: Entry | None = None,
    ) -> Frame:
        """What code at a place of these functions sees; ``entry``: when the innermost was entered by that call."""
        key = (file, *functions, at, levels, entry)
        return self.frames.get(key) or self.frames.setdefault(key, made(self, file, functions, at, levels, entry))

    def argument(self, node: ast.expr, frame: Frame) -> HostArgument:
        """What an expression gives."""
        if not self.depth:
            self.left = max(self.left, _AT_LEAST)
        with self.resolver.aside(notes := set[str]()), module_names.as_of(frame, node):
            found = kinds.of(self.evaluate(node, frame))
        if not self.depth:
            self._circles.clear()
        return varying(found) if notes or other_data.may_have(self.resolver, node, frame, found) else found

    def spend(self, steps: int) -> None:
        """Counts work; raises TooMuch when there was too much."""
        self.left -= steps
        if self.left < 0:
            raise TooMuch

    # Names ------------------------------------------------------------------------------------------------------------

    def _name(self, node: ast.Name, scope: Scope, before: int | None) -> Value:
        current: Scope | None = scope
        while current is not None and not isinstance(current, Frame):
            if current.locals is None or node.id in current.locals:
                return super()._name(node, scope, before)
            current = current.parent
        if current is scope and isinstance(scope, Frame) and set_further_down.hidden(scope.node, node):
            return _NOWHERE
        while isinstance(current, Frame) and not isinstance(current.node, ast.Module):
            events = current.table.events.get(node.id)
            if events:
                order = before if current is scope and before is not None else self.resolver.moment(current)
                order = current.order if order is None else order
                found = self.bound(current, node.id, current.before(events, order), order)
                if used_up(found):
                    self.resolver.note(f"`{node.id}` is used up by going through it")
                if current is not scope or set_further_down.in_lambda(current.node, node):
                    turns.after(self.resolver.touches, current.static, node.id, found, order)
                return found
            current = current.parent
        return self._global(current, node, before, current is scope) if isinstance(current, Frame) else _NOWHERE

    def _global(self, module: Frame, node: ast.Name, before: int | None, own: bool) -> Value:
        """What a name of the module stands for; ``own``: to a statement of its own, as of then."""
        own = own and not set_further_down.in_lambda(module.node, node)
        moment = (module.order if before is None else before) if own else None
        return module_names.told(self, module, node.id, super()._name(node, module.static, moment), moment)

    def bound(self, frame: Frame, name: str, events: list[scopes.Event], order: int) -> Value:
        """What these statements make of a name, one or the other, as a statement sees it."""
        return self.once(frame, (name, len(events), order), lambda: self._either_of(frame, name, events, order))

    def once(self, frame: Frame, key: object, find: Callable[[], Value]) -> Value:
        """What is found, found out once. What was cut short by a circle means more to whoever asks from elsewhere."""
        at = (frame, key)
        if at in self._active:
            self._circles.add(at)
            return _NOWHERE
        if key in frame.known:
            found, notes, read = frame.known[key]
            self.resolver.note(*notes)
            self.resolver.read(read)
            return found
        self._active.add(at)
        around, self._circles = self._circles, set()
        try:
            with self.resolver.noting() as notes, self.resolver.reading() as files:
                found = find()
        finally:
            self._active.discard(at)
        if not self._circles - {at} and not isinstance(found, (UserFunction, Partial)):
            frame.known[key] = found, frozenset(notes), frozenset(files)  # a function would hold the frame
        self._circles = around | self._circles - {at}
        return found

    def _either_of(self, frame: Frame, name: str, events: list[scopes.Event], order: int) -> Value:
        if frame.sets_inside(name):
            self.resolver.note(f"a function or an expression inside sets `{name}`")
        if turns.carried(frame.node, frame.table.events.get(name, []), frame.table.orders, order):
            self.resolver.note(f"a turn of the loop before may have set `{name}`")
        if len(events) > 1:
            # One that a `with` may have cut off hides nothing for sure, and of what a `try` binds it may be any.
            self.resolver.note(*(why for e in events for why in guards.swallowed(self.resolver, frame.static, e)))
            tried = events[set_further_down.start(events) :]
            self.resolver.note(*(why for e in tried for why in guards.elsewhere(self.resolver, frame.static, e)))
            if any(e.guards for e in events):
                happening = [e for e in events if guards.happens(self.resolver, frame.static, e)[0] is not False]
                events = happening or events
        events = events[set_further_down.start(events) :]
        if not isinstance(frame.node, ast.Module):
            module_names.behind_loops(self, frame, events, order)
        values: list[Value] = []
        for event in events:
            with module_names.when_bound(frame, event):
                values.append(self._event(frame, event))
        value = values[0] if len(values) == 1 else self._likeliest(frame, events, values)
        if not changeable(value) or isinstance(frame.node, ast.Module):
            return value
        found = Definition(value, frame.module, events[0].node)
        with self.resolver.noting() as notes:
            value = self.resolver.touches.applied(frame.static, name, found, order, (self, frame)).value
        return partly_known.changed(value) if notes else value

    def undecided(self, node: ast.If, local: Scope) -> bool:
        return partly_known.undecided(self, node, local)

    def _likeliest(self, frame: Frame, events: list[scopes.Event], values: list[Value]) -> Value:
        """One of what these statements bind: where what host code passes decides the conditions around them, that."""
        held = [partly_known.holds(self, frame, event.guards) for event in events]
        start = max((i for i, verdict in enumerate(held) if verdict), default=0)
        left = [i for i in range(start, len(events)) if held[i] is not False]
        parts = list(map(kinds.of, values))
        if len(left) == 1 and kinds.chosen(parts, parts[left[0]]):
            self.resolver.note("it depends on what host code passes")
            return values[left[0]]
        return self._told(either(parts), _NOWHERE, chosen=True)

    def _told(self, found: HostArgument, otherwise: Unknown, chosen: bool = False) -> Value:
        """The value of an argument, which is in question where that is; ``chosen``: one of values here."""
        if kinds.guessed(found) or not chosen and in_question(found):
            self.resolver.note("it is one of several, or what one caller passes")
        return kinds.known(kinds.closed(found), otherwise)

    def _event(self, frame: Frame, event: scopes.Event) -> Value:
        node = event.node
        if event.how == "assign" and event.value is not None:
            return self.value(event.value, frame, event.order)
        if event.how == "element" and event.value is not None:
            found = self.value(event.value, frame, event.order)
            for index in event.path:
                found = kinds.element(found, index, _NOWHERE)
            return found
        if event.how == "augment" and isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            return library_calls.augmented_by(self, node, node.target.id, frame, event.order)
        if event.how in ("import", "from"):
            return self.resolver.imported(frame.static, event).value
        if event.how == "parameter" and isinstance(node, ast.arg):
            assert isinstance(frame.node, (ast.FunctionDef, ast.AsyncFunctionDef))
            entry = frame.entry
            given = passing.given(entry, node.arg) if entry is not None and entry[2] is frame.node else None
            return self._told(given or host_parameters.of_function(self, frame, node, frame.node), _NOWHERE)
        if event.how == "opaque" and isinstance(node, (ast.For, ast.AsyncFor)) and isinstance(node.target, ast.Name):
            looped = self.value(node.iter, frame, event.order)
            if isinstance(looped, Items) and looped.kind == "range":
                return surely(INT)
            return kinds.element(looped, 0, _NOWHERE) if kinds.of(looped).dtype == "int" else _NOWHERE
        return _NOWHERE

    # Expressions ------------------------------------------------------------------------------------------------------

    def _dict(self, node: ast.Dict, scope: Scope, before: int | None) -> Value:
        found = super()._dict(node, scope, before)
        return partly_known.written(self, node, scope, before) if isinstance(found, Unknown) else found

    def _attribute(self, node: ast.Attribute, scope: Scope, before: int | None) -> Value:
        saved = object_attributes.saved(self, node, self.around(scope))
        return object_attributes.told(super()._attribute(node, scope, before), node, scope) if saved is None else saved

    def attribute(self, owner: Value, name: str) -> Value:
        if isinstance(owner, HostArgument) and (held := kinds.held(owner, name)) is not None:
            return self._told(held, _NOWHERE, chosen=True)
        found = super().attribute(owner, name)
        if not isinstance(found, Unknown):
            return found
        made = gives.attribute(kinds.of(owner), name) if isinstance(owner, (Unknown, HostArgument)) else None
        library_calls.own(self, kinds.of(owner), name)
        return found if made is None else made

    def binary(self, op: ast.operator, left: Value, right: Value, node: ast.expr) -> Value:
        library_calls.operates(self, op, left, right)
        found = super().binary(op, left, right, node)
        return partly_known.kind_or(kinds.binary(op, kinds.of(left), kinds.of(right)), found)

    def either_way(self, test: Value, a: Value, b: Value, why: Unknown) -> Value:
        held = test.likely if isinstance(test, HostArgument) and test.kind == "bool" else UNKNOWN
        parts = [kinds.of(a), kinds.of(b)]
        if isinstance(held, bool) and kinds.chosen(parts, parts[not held]):
            self.resolver.note("it depends on what host code passes")
            return a if held else b
        return super().either_way(test, a, b, why)

    def unary(self, op: ast.unaryop, value: Value, node: ast.expr) -> Value:
        library_calls.operates(self, op, value)
        found = super().unary(op, value, node)
        return BOOL if isinstance(found, Unknown) and isinstance(op, ast.Not) else found

    def compared(self, op: ast.cmpop, left: Value, right: Value, node: ast.expr) -> bool | Unknown | HostArgument:
        library_calls.operates(self, op, left, right)
        found = super().compared(op, left, right, node)
        return kinds.compared(op, kinds.of(left), kinds.of(right)) if isinstance(found, Unknown) else found

    def item(self, owner: Value, node: ast.Subscript, scope: Scope, before: int | None) -> Value:
        library_calls.own(self, kinds.of(owner), "__getitem__")
        found = super().item(owner, node, scope, before)
        if not isinstance(found, Unknown) or isinstance(node.slice, ast.Slice):
            return found
        values = [v for _, v in owner.pairs] if isinstance(owner, Dict) else []
        values += owner.values if isinstance(owner, (Items, Record)) else ()
        return self.one_of(values, found) if values else found

    def _items(self, node: ast.Tuple | ast.List | ast.Set, scope: Scope, before: int | None) -> Value:
        found = super()._items(node, scope, before)
        if not isinstance(found, Unknown):
            return found
        parts = [e.value if isinstance(e, ast.Starred) else e for e in node.elts]
        # `*x.shape, 8`: how many they are is not known, but that each is an integer.
        told = [kinds.of(self.value(part, scope, before)) for part in parts]
        whole = all(one.kind == "int" or one.dtype == "int" for one in told)
        return replace(INTEGERS, sure=all(one.sure for one in told)) if whole else found

    def one_of(self, values: list[Value], why: Unknown) -> Value:
        return self._told(either(list(map(kinds.of, values))), why, chosen=True)

    def _comprehension(self, node: Comprehension, scope: Scope, before: int | None) -> Value:
        with self.resolver.aside(notes := set[str]()):
            found = super()._comprehension(node, scope, before)
        return _NOWHERE if notes else found  # how many they are decides more than it helps

    # Calls ------------------------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call, scope: Scope, before: int | None) -> Value:
        name = last_name(node.func)
        if name in ("TensorDescriptor", "TensorDescriptorIm2Col", "from_tensor"):
            return partly_known.descriptor(self, node, name, scope, before)
        outer, self.calling = self.calling, self.around(scope) or self.calling
        try:
            found = super()._call(node, scope, before)
        finally:
            self.calling = outer
        if not isinstance(found, Unknown):
            return found
        return partly_known.called(self, node, name, found, scope, before)

    def constexpr(self, value: Value) -> Value:
        return replace(NOT_KNOWN, wrapped=True) if isinstance(value, Unknown) else super().constexpr(value)

    def called(self, function: Value, args: list[Value], keywords: dict[str, Value], node: ast.Call) -> Value:
        if isinstance(function, UserFunction) and isinstance(function.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return self._result(function, function.node, args, keywords, node)
        found = super().called(function, args, keywords, node)
        if not isinstance(found, Unknown):
            return found
        given = library_calls.given(self, function, args, keywords)
        guess = self._supposed(function, args, keywords, node)
        if guess is None or given is None:
            return guess or given or found
        kind = kinds.of(given)
        plain = unsure(kind) in (INT, FLOAT, BOOL)
        return replace(guess, sure=kind.sure and guess.kind == kind.kind) if plain else given

    def _supposed(
        self, function: Value, args: list[Value], keywords: dict[str, Value], node: ast.Call
    ) -> HostArgument | None:
        """What a call gives for what its arguments are likely to be, where that is no value for certain."""
        given = supposing.arguments(args, keywords)
        if given is None:
            return None
        with self.resolver.aside(set[str]()):
            made = layouts.made(function.path, *given) if isinstance(function, TritonObject) else None
            return supposing.result(super().called(function, *given, node) if made is None else made)

    def partly(self, function: Value, args: list[Value], keywords: dict[str, Value], node: ast.Call) -> Value:
        if isinstance(function, UserFunction) and isinstance(function.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return self._result(function, function.node, [NOT_KNOWN], {}, node)
        if isinstance(function, External) and function.path == "builtins.dict":
            return partly_known.dict_of([*args, NOT_KNOWN], keywords)
        given = library_calls.given(self, function, args, keywords)
        if isinstance(given, HostArgument):
            return unsure(given)
        return given or super().partly(function, args, keywords, node)

    def _result(
        self,
        function: UserFunction,
        body: scopes.FunctionNode,
        args: list[Value],
        keywords: dict[str, Value],
        node: ast.Call,
    ) -> Value:
        """What a function of the user's gives: for constants the one thing, else one of what it returns."""
        if not any(isinstance(value, (Unknown, HostArgument)) for value in (*args, *keywords.values())):
            found = super().called(function, args, keywords, node)
            if not isinstance(found, Unknown):
                return found
        guess = self._supposed(function, args, keywords, node)
        if guess is not None and guess.kind in ("function", "tuple", "dtype"):
            return guess
        interpret.remembers(self, function, args, keywords)
        self.resolver.touches.called(function)
        at = self.calling
        if at is None or not isinstance(function.scope.node, ast.Module) or isinstance(body, ast.AsyncFunctionDef):
            return _NOWHERE

        def joined() -> Value:
            ways = surroundings.results(at, function.scope.module.file, body, node)
            return self._told(partly_known.returned(self, ways), _NOWHERE)

        return self.once(at, node, joined) if at.levels else _NOWHERE

    def around(self, at: Scope | None) -> Frame | None:
        """The function around a launch that it is in."""
        return at if at is None or isinstance(at, Frame) else self.around(at.parent)
