"""Which parameters of a function a place in its slice depends on, by syntax alone: whose types or values could change
what happens there.

Errs towards more: every assignment of a name counts, wherever it stands, and so does every test around it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from kernel_analysis.ir import At
from kernel_analysis.source.slice import (
    WRITTEN_WITH,
    AggregateRef,
    Binding,
    FunctionRef,
    Slice,
    SliceFunction,
    TritonObject,
    contents,
)
from kernel_analysis.source.tree import parameters
from kernel_analysis.source.tree.forms import spreads
from kernel_analysis.source.tree.syntax import descend, inside


class Behind:
    """Of one slice; what it finds out about a function's text it keeps."""

    def __init__(self, slice_: Slice) -> None:
        self._functions = slice_.functions
        self._methods = slice_.methods()
        self._aggregates = slice_.aggregates
        self._flows: dict[int, _Flow] = {}

    def parameters_behind(self, at: At, chain: tuple[At, ...], tests_only: bool) -> set[str]:
        """Parameters of the slice's own function that ``at``, reached through the calls ``chain``, depends on.
        ``tests_only``: that decide whether it is reached."""
        if (chain[0].function if chain else at.function) != 0 or at.function < 0:
            # How the function leads there is not known: everything may be behind it.
            return {a.arg for a in descend(self._functions[0].node.args) if isinstance(a, ast.arg)}
        wanted = self._flow(at.function).parameters(at.node, None, tests_only)
        return self._through(wanted, at.function, chain)

    def _through(self, wanted: set[str], index: int, chain: tuple[At, ...]) -> set[str]:
        """The parameters of the slice's own function that go into the parameters ``wanted`` of function ``index``."""
        return [wanted, *(outer for _, _, outer in self._steps(wanted, index, chain))][-1]

    def _steps(
        self, wanted: set[str], index: int, chain: tuple[At, ...]
    ) -> Iterator[tuple[At, list[ast.expr] | None, set[str]]]:
        """The calls that lead to the parameters ``wanted`` of function ``index``, the innermost first: what is passed
        for them, None for anything, and the parameters of the calling function that go into that."""
        for call in reversed(chain):
            callee = self._functions[index]
            node = self._functions[call.function].nodes[call.node]
            known = isinstance(node, ast.Call) and _last_name(node.func) == callee.name and index not in self._methods
            arguments = _arguments(node, callee, wanted) if isinstance(node, ast.Call) and known else None
            if arguments is None and not wanted and self._hands_on(call, index):
                arguments = []
            index = call.function
            wanted = self._flow(index).parameters(call.node, arguments, tests_only=False)
            yield call, arguments, wanted

    def _hands_on(self, call: At, index: int) -> bool:
        """Whether a call is given a function by its name, ``gl.warp_specialize([(partition, ...)])``: it calls that
        one, whatever else it is passed."""
        function = self._functions[call.function]
        names = (node.id for node in descend(function.nodes[call.node]) if isinstance(node, ast.Name))
        return FunctionRef(index) in map(function.bindings.get, names)

    def parameters_behind_callee(self, at: At, chain: tuple[At, ...]) -> set[str]:
        """Parameters that decide which function the failing call at ``at`` calls, or of what an attribute is taken."""
        names: set[str] = set()
        for call in self.calls(at):
            names |= _names(call if _last_name(call.func) == "getattr" else call.func)
        return self._behind(names, at, chain)

    def parameters_behind_spread(self, at: At, chain: tuple[At, ...]) -> set[str]:
        """Parameters out of which come the items that are spread into the failing call."""
        names: set[str] = set()
        for call in self.calls(at):
            for argument in call.args:
                names |= _names(argument) if isinstance(argument, ast.Starred) else set()
        return self._behind(names, at, chain) if names else set()

    def calls(self, at: At) -> list[ast.Call]:
        """Those in the failing place."""
        if at.function < 0:
            return []
        node = self._functions[at.function].nodes[at.node]
        inner = (node,) if isinstance(node, ast.Call) else descend(node) if isinstance(node, ast.expr) else ()
        return [call for call in inner if isinstance(call, ast.Call)]

    def _behind(self, names: set[str], at: At, chain: tuple[At, ...]) -> set[str]:
        return self._through(self._flow(at.function).behind(names), at.function, chain) if at.function >= 0 else set()

    def varying(self, at: At, chain: tuple[At, ...], tests_only: bool) -> dict[str, str]:
        """The globals that ``at`` depends on which may be something else where the file runs, and why; ``tests_only``:
        that decide whether it is reached, or are what is called, or what has no such attribute. Those of a function
        that is called for it are among them, and those that it calls in turn."""
        found: dict[str, str] = {}
        if at.function < 0:
            for index in range(len(self._functions)):
                self._add_varying(index, self._functions[index].bindings, found)
            return found
        wanted = self._flow(at.function).parameters(at.node, None, tests_only)
        steps = [(call, arguments) for call, arguments, _ in self._steps(wanted, at.function, chain)]
        for place, only in [(at, None), *steps]:
            function, flow = self._functions[place.function], self._flow(place.function)
            # The head itself: nothing more precise is known.
            everything = place.node == 0
            names = {*function.bindings} if everything else flow.names(place.node, only, tests_only and place is at)
            node = function.nodes[place.node]
            asked = node.func if isinstance(node, ast.Call) else node if isinstance(node, ast.Attribute) else None
            called = flow.sources_of(_names(asked)) if asked is not None else set[str]()
            self._add_varying(place.function, names | called, found)
            # What the function that is called itself depends on is told at its place.
            for index in sorted(self._reached(place.function, names if place is not at else names | called)):
                self._add_varying(index, self._functions[index].bindings, found)
        return found

    def _add_varying(self, index: int, names: Iterable[str], found: dict[str, str]) -> None:
        function = self._functions[index]
        for name in sorted(names):  # the first is told
            if name in function.varies and not _is_module(function.bindings.get(name)):
                found.setdefault(name, function.varies[name])

    def _reached(self, index: int, names: Iterable[str]) -> set[int]:
        """The functions that the names of a function lead to, and what those lead to."""
        bindings = self._functions[index].bindings
        todo = [function for name in names for function in self._functions_in(bindings.get(name))]
        reached = set[int]()
        while todo:
            function = todo.pop()
            if function not in reached:
                reached.add(function)
                todo += [inner for b in self._functions[function].bindings.values() for inner in self._functions_in(b)]
        return reached

    def _functions_in(self, binding: Binding | None) -> Iterator[int]:
        """The functions in what a name is bound to."""
        for part in contents(binding):
            if isinstance(part, FunctionRef):
                yield part.index
            elif isinstance(part, AggregateRef):
                made = self._aggregates[part.index]
                for inner in (*made.bases, *made.methods.values()):
                    yield from self._functions_in(inner)

    def _flow(self, index: int) -> _Flow:
        if index not in self._flows:
            self._flows[index] = _Flow(self._functions[index])
        return self._flows[index]


def _arguments(call: ast.Call, callee: SliceFunction, wanted: set[str]) -> list[ast.expr] | None:
    """What ``call`` passes for the parameters ``wanted``; None (anything) where that can't be told."""
    spec = callee.node.args
    if spreads(call) or spec.vararg:
        return None
    names = parameters.positional(spec)
    # A call through a namespace passes no self: but for aggregates' methods, jit functions are plain functions.
    passed = dict(zip(names, call.args))  # noqa: B905 - a wrong call has more arguments than parameters
    passed.update({k.arg: k.value for k in call.keywords if k.arg is not None})
    return [value for name, value in passed.items() if name in wanted]


def _is_module(binding: Binding | None) -> bool:
    """Whether it is a module that kernels are written with, however it is had: where it is not, none is launched."""
    return isinstance(binding, TritonObject) and binding.path in WRITTEN_WITH


def _last_name(node: ast.expr) -> str | None:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None


class _Flow:
    """The names that each name of a function is computed from, with the tests that decide whether it is."""

    def __init__(self, function: SliceFunction) -> None:
        self._function = function
        self._sources: dict[str, set[str]] = {}
        self._tests: dict[int, frozenset[str]] = {}
        # After `if test: return` everything depends on the test.
        self._exits: set[str] = set()
        # What one `return` gives has to go with what the others give.
        self._returned: set[str] = set()
        for name, default in parameters.defaults(function.node.args).items():
            self._sources[name] = set(_names(default))
        self._walk(function.node.body, frozenset())

    def parameters(self, ordinal: int, only: list[ast.expr] | None, tests_only: bool) -> set[str]:
        """Behind the node, or behind the expressions ``only`` of it."""
        # The head itself (nothing more precise is known): everything may be behind it.
        return self._own() if ordinal == 0 else self.names(ordinal, only, tests_only) & self._own()

    def names(self, ordinal: int, only: list[ast.expr] | None, tests_only: bool) -> set[str]:
        """All names, globals among them, behind the node, or behind the expressions ``only`` of it."""
        node = self._function.nodes[ordinal]
        names = set(self._tests.get(id(node), frozenset())) | self._exits
        if not tests_only:
            for part in [node] if only is None else only:
                names |= _read(part)
                names |= {name for inner in descend(part) for name in self._tests.get(id(inner), ())}
            names |= self._returned if isinstance(node, ast.Return) else set()
        return self.sources_of(names)

    def _own(self) -> set[str]:
        return {a.arg for a in descend(self._function.node.args) if isinstance(a, ast.arg)}

    def behind(self, names: Iterable[str]) -> set[str]:
        """The parameters that the names are computed from."""
        return self.sources_of(names) & self._own()

    def sources_of(self, names: Iterable[str]) -> set[str]:
        """The names, and those that they are computed from."""
        todo, seen = set(names), set[str]()
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo |= self._sources.get(name, set()) - seen
        return seen

    def _walk(self, body: list[ast.stmt], tests: frozenset[str]) -> None:
        for statement in body:
            inner = tests
            for head in _heads(statement):
                inner = inner | _names(head)
            for part in _parts(statement):
                self._mark(part, tests)
            self._tests[id(statement)] = tests
            for block in ("body", "orelse"):
                self._walk(getattr(statement, block, []), inner)
            if isinstance(statement, ast.Return):
                self._exits |= tests
                self._returned |= _names(statement)

    def _mark(self, part: ast.AST, tests: frozenset[str]) -> None:
        """What decides whether each node of it is evaluated."""
        todo = [(part, tests)]
        while todo:
            node, around = todo.pop()
            self._tests[id(node)] = around
            self._assign(node, around)
            for test in _deciding(node):
                around = around | _names(test)
            # (Operators are one object wherever they stand.)
            todo += [(inner, around) for inner in inside(node)]

    def _assign(self, node: ast.AST, tests: frozenset[str]) -> None:
        targets: list[ast.expr] = []
        value: ast.expr | None = None
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
            targets, value = [node.target], node.value
        elif isinstance(node, ast.comprehension):
            targets, value = [node.target], node.iter
        for target in targets:
            for name in _names(target):
                self._sources.setdefault(name, set()).update(tests, _names(value) if value is not None else ())


def _heads(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions that decide whether, or how often, the statement's blocks run."""
    if isinstance(statement, ast.If | ast.While):
        yield statement.test
    elif isinstance(statement, ast.For):
        yield statement.iter


def _deciding(node: ast.AST) -> Iterator[ast.expr]:
    """The parts of an expression that decide whether, or how often, its other parts are evaluated."""
    if isinstance(node, ast.IfExp):
        yield node.test
    elif isinstance(node, ast.BoolOp):
        yield from node.values[:-1]
    elif isinstance(node, ast.Compare):
        yield from (node.left, *node.comparators[:-1])
    elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
        for generator in node.generators:
            yield from (generator.iter, *generator.ifs)


def _parts(statement: ast.stmt) -> Iterator[ast.AST]:
    """The statement without the statements inside it."""
    if isinstance(statement, ast.For):
        yield from (statement.target, statement.iter)
        yield ast.Assign(targets=[statement.target], value=statement.iter)
    elif isinstance(statement, ast.If | ast.While):
        yield statement.test
    elif isinstance(statement, ast.With):
        yield from (item.context_expr for item in statement.items)
    else:
        yield statement


def _read(node: ast.AST) -> frozenset[str]:
    """The names that a place reads. A plain assignment asks nothing of what its targets were, or are made elsewhere."""
    if isinstance(node, ast.Assign):
        return frozenset(n.id for n in descend(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Store))
    return _names(node)


def _names(node: ast.AST) -> frozenset[str]:
    return frozenset(inner.id for inner in descend(node) if isinstance(inner, ast.Name))
