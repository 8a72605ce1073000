"""How names flow through the source of a slice: which could have another value under another signature, and which
reach a call.

Works on syntax trees alone, ignores the order of statements, and claims nothing about values.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from itertools import chain, repeat

from kernel_analysis.source.slice import Binding, Constant, FunctionRef, Namespace, Slice, SliceFunction, TritonObject
from kernel_analysis.source.syntax import descend, inside

_DESCRIPTORS = ("tensor_descriptor", "tensor_descriptor_base")


class Program:
    """The functions of a slice and who calls whom with what. Function 0 is the kernel: only its parameters come from
    outside. ``kinds``: those of which it is known whether they are pointers, descriptors, numbers or tuples."""

    def __init__(self, slice: Slice, kinds: frozenset[str] = frozenset()) -> None:
        self._functions, self._kinds = slice.functions, kinds
        self._flows: dict[int, dict[str, set[str]]] = {}
        self._varying: dict[tuple[int, str], bool] = {}
        self._calls: dict[int, list[tuple[int, ast.Call]]] | None = None
        self._returned: dict[int, set[str]] = {}

    def varies(self, index: int, expression: ast.expr) -> bool:
        """Whether the expression in function ``index`` may differ between signatures of the kernel."""
        return any(self._name_varies(index, name) for name in self._names(index, expression, loads=True))

    def reaching(self, index: int, expressions: tuple[ast.expr, ...]) -> set[str]:
        """The names of function ``index`` whose addresses may be in the expressions."""
        names = [name for expression in expressions for name in self._names(index, expression)]
        return _sources(names, self._flow(index))

    def handed_down(
        self, index: int, names: set[str], start: ast.Call | None = None, seen: frozenset[int] = frozenset()
    ) -> set[str]:
        """The kernel's names whose addresses may be in these names of helper ``index``, to which they come through
        calls; ``start``: through this call of the kernel's alone."""
        found: set[str] = set()
        for caller, call in self._calls_of(index):
            if caller == 0 and start not in (None, call) or caller in seen:
                continue
            reaching = self.reaching(caller, tuple(self._given(index, call, names)))
            found |= reaching if caller == 0 else self.handed_down(caller, reaching, start, seen | {index})
        return found

    def starts(self, index: int) -> list[ast.Call]:
        """The kernel's own calls that lead to function ``index``, directly or through other helpers."""
        found: list[ast.Call] = []
        seen, queue = {index}, [index]
        while queue:
            for caller, call in self._calls_of(queue.pop()):
                if caller == 0:
                    found.append(call)
                elif caller not in seen:
                    seen.add(caller)
                    queue.append(caller)
        return found

    def varies_from(
        self, index: int, expression: ast.expr, start: ast.Call, seen: frozenset[int] = frozenset()
    ) -> bool:
        """Whether the expression in helper ``index`` may differ between signatures when the kernel's call ``start``
        leads there: whether something that varies is handed down to it on that way."""
        names = _sources(self._names(index, expression, loads=True), self._flow(index, loads=True))
        for caller, call in self._calls_of(index):
            if caller == 0 and call is not start or caller in seen:
                continue
            for argument in self._given(index, call, names):
                if caller == 0 and self.varies(0, argument):
                    return True
                if caller and self.varies_from(caller, argument, start, seen | {index}):
                    return True
        return False

    def _given(self, index: int, call: ast.Call, names: set[str]) -> list[ast.expr]:
        """What a call of function ``index`` passes for these of its names; one of ``*args`` may be for any."""
        arguments = self._functions[index].node.args
        if any(isinstance(argument, ast.Starred) for argument in call.args):
            given = list(call.args)
        else:
            # What is left over goes into ``*args``, and the keywords that name no parameter into ``**keywords``.
            positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
            rest = arguments.vararg.arg if arguments.vararg else ""
            places = chain(positional, repeat(rest))
            given = [argument for name, argument in zip(places, call.args, strict=False) if name in names]
        more = arguments.kwarg is not None and arguments.kwarg.arg in names
        return given + [k.value for k in call.keywords if k.arg is None or k.arg in names or more]

    def _name_varies(self, index: int, name: str) -> bool:
        key = index, name
        if key not in self._varying:
            self._varying[key] = False  # while it is being found out: what comes round to itself adds nothing
            self._varying[key] = self._find_out(index, name)
        return self._varying[key]

    def _find_out(self, index: int, name: str) -> bool:
        function = self._functions[index]
        flows = self._flow(index, loads=True)
        if name in flows and any(self._name_varies(index, source) for source in flows[name] if source != name):
            return True
        parameters = parameter_names(function)
        if name not in parameters:
            return False
        if index == 0:
            return True
        for caller, call in self._calls_of(index):
            if any(isinstance(argument, ast.Starred) for argument in call.args) or any(
                k.arg is None for k in call.keywords
            ):
                return True
            if any(self.varies(caller, argument) for argument in self._given(index, call, {name})):
                return True
        return not self._calls_of(index)  # called in a way that is not in sight: as a combine function, say

    def _calls_of(self, index: int) -> list[tuple[int, ast.Call]]:
        if self._calls is None:
            self._calls = {}
            for caller, function in enumerate(self._functions):
                for node in function.nodes:
                    if isinstance(node, ast.Call):
                        target = resolve(node.func, function)
                        if isinstance(target, FunctionRef):
                            self._calls.setdefault(target.index, []).append((caller, node))
        return self._calls.get(index, [])

    def _flow(self, index: int, loads: bool = False) -> dict[str, set[str]]:
        """For every local name the names that its values are made of, wherever it is assigned."""
        key = index * 2 + loads
        if key not in self._flows:
            self._flows[key] = self._find_flow(index, loads)
        return self._flows[key]

    def _find_flow(self, index: int, loads: bool) -> dict[str, set[str]]:
        flows: dict[str, set[str]] = {}
        for node in self._functions[index].nodes:
            if isinstance(node, ast.Assign):
                pairs = [(target, node.value) for target in node.targets]
            elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)):
                pairs = [(node.target, node.value)]
            elif isinstance(node, ast.For):
                pairs = [(node.target, node.iter)]
            else:
                continue
            for target, value in pairs:
                names = set[str]() if value is None else self._names(index, value, loads)
                for inner in descend(target):
                    if isinstance(inner, ast.Name):
                        flows.setdefault(inner.id, set()).update(names)
        return flows

    def _names(self, index: int, node: ast.expr, loads: bool = False) -> set[str]:
        """The names that an expression's value is made of, as an address; with ``loads`` also those of addresses that
        it loads from, and all that it is computed from."""
        if not loads and isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr == "load":
                return set()
            returned = self._returned_by(index, node)
            if returned is not None:
                return {name for argument in returned for name in self._names(index, argument)}
        if not loads and isinstance(node, ast.Attribute) and node.attr in ("dtype", "type", "shape"):
            return set()  # about the address, without it
        if isinstance(node, ast.Call) and (self._counts(index, node) or self._asks_kind(index, node)):
            return set()
        found: set[str] = {node.id} if isinstance(node, ast.Name) else set()
        for inner in inside(node):
            if isinstance(inner, ast.expr):
                found |= self._names(index, inner, loads)
            elif isinstance(inner, ast.keyword):
                found |= self._names(index, inner.value, loads)
        return found

    def _counts(self, index: int, call: ast.Call) -> bool:
        """`len(args)` of `*args`: how many the calls pass, whatever they are."""
        rest = self._functions[index].node.args.vararg
        length = isinstance(call.func, ast.Name) and call.func.id == "len"
        if rest is None or not length or not any(isinstance(a, ast.Name) and a.id == rest.arg for a in call.args):
            return False
        return not any(isinstance(a, ast.Starred) for _, known in self._calls_of(index) for a in known.args)

    def _asks_kind(self, index: int, call: ast.Call) -> bool:
        """`isinstance(p, tl.tensor_descriptor)` of a parameter: what is said holds for launches that pass the same
        kinds."""
        if not (isinstance(call.func, ast.Name) and call.func.id == "isinstance" and len(call.args) == 2):
            return False
        kind = resolve(call.args[1], self._functions[index])
        # A number that is 1 is no tensor but a constant.
        asked = isinstance(kind, TritonObject) and kind.path.rpartition(".")[2] in _DESCRIPTORS
        return asked and self._is_given(index, call.args[0], frozenset())

    def _is_given(self, index: int, node: ast.expr, seen: frozenset[tuple[int, str]]) -> bool:
        """Whether an expression is a parameter of the kernel, handed down as it is."""
        function = self._functions[index]
        if not isinstance(node, ast.Name) or node.id not in parameter_names(function):
            return False
        if node.id in self._flow(index, loads=True):
            return False
        if index == 0:
            return node.id in self._kinds
        if (index, node.id) in seen:
            return True
        seen |= {(index, node.id)}
        given = [(caller, self._given(index, call, {node.id})) for caller, call in self._calls_of(index)]
        return bool(given) and all(
            len(arguments) == 1 and self._is_given(caller, arguments[0], seen) for caller, arguments in given
        )

    def _returned_by(self, index: int, call: ast.Call) -> list[ast.expr] | None:
        """The arguments of a helper's call that may be in what it returns, as addresses; None where it calls none."""
        target = resolve(call.func, self._functions[index])
        if not isinstance(target, FunctionRef) or self._functions[target.index].kind != "jit":
            return None
        helper = self._functions[target.index]
        if target.index not in self._returned:
            # While it is being found out, for a helper that comes round to itself: all of them.
            self._returned[target.index] = set(parameter_names(helper))
            returns = [node.value for node in helper.nodes if isinstance(node, ast.Return) and node.value is not None]
            self._returned[target.index] = self.reaching(target.index, tuple(returns))
        return self._given(target.index, call, self._returned[target.index])


def _sources(names: Iterable[str], flows: Mapping[str, set[str]]) -> set[str]:
    """The names and all that flows into them."""
    found, queue = set[str](), list(names)
    while queue:
        name = queue.pop()
        if name not in found:
            found.add(name)
            queue.extend(flows.get(name, ()))
    return found


def parameter_names(function: SliceFunction) -> list[str]:
    """The function's parameters, ``*args`` and ``**keywords`` among them."""
    arguments = function.node.args
    more = [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    return [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *more)]


def resolve(node: ast.expr, function: SliceFunction) -> Binding | None:
    """What a global name or attribute chain in a function means."""
    if isinstance(node, ast.Name):
        return function.bindings.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = resolve(node.value, function)
        if isinstance(owner, TritonObject):
            return TritonObject(f"{owner.path}.{node.attr}")
        return owner.members.get(node.attr) if isinstance(owner, Namespace) else None
    return None


def never_compiled(node: ast.AST, function: SliceFunction) -> list[ast.stmt]:
    """The branch of an ``if`` that a constant of the file rules out, whatever the kernel is launched with."""
    if not isinstance(node, ast.If):
        return []
    test, taken, other = node.test, node.body, node.orelse
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, taken, other = test.operand, other, taken
    constant = resolve(test, function)
    if not isinstance(constant, Constant) or not isinstance(constant.value, (bool, int)):
        return []
    return other if constant.value else taken
