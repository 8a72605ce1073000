"""What a host function does to a tensor that it is given: whether it writes it, through views, other functions
and the kernels that it launches. Three-valued; what is not understood is unknown.

What a kernel writes is told by whoever asks. Resolves names; runs nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from kernel_analysis.facts import Verdict
from kernel_analysis.host.changes.uses import Occurrence, occurrences
from kernel_analysis.host.evaluate.values import Scope
from kernel_analysis.host.names.module_scopes import ModuleScopes
from kernel_analysis.host.tensors.called import called
from kernel_analysis.host.tensors.certain import kind, library
from kernel_analysis.host.tensors.launches.certain_launches import Certain, certain
from kernel_analysis.host.tensors.library import FUNCTIONS, MAY_SHARE, METHODS, PARTS, SAYS, VIEWS
from kernel_analysis.host.tensors.placing import Place, place
from kernel_analysis.record import record
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.tree import parameters
from kernel_analysis.source.tree.scopes import FunctionNode

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

WrittenByKernel: TypeAlias = "Callable[[JitFunction, str], Verdict]"
"""Whether a kernel writes what is passed for a parameter, whenever it is launched."""
_DEEPEST = 4
_READS = frozenset(("is_tensor", "equal", "allclose", "is_floating_point"))
_FRESH = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.FormattedValue, ast.Assert, ast.Expr, ast.If, ast.While, ast.Return)


@record
class TensorWrite:
    """``node``: the use that says so, for a yes."""

    verdict: Verdict
    node: ast.expr | None = None


_NO, _UNKNOWN = TensorWrite("no"), TensorWrite("unknown")


@dataclass(slots=True)
class Writes:
    """``launches``: those of the file that are known for sure. ``asked``: the kernels that an answer rests on."""

    resolver: ResolverView
    module: Module
    launches: list[Certain]
    kernel: WrittenByKernel
    asked: list[JitFunction] = field(default_factory=list[JitFunction])
    _active: set[tuple[int, str]] = field(default_factory=set[tuple[int, str]])

    def of(self, function: FunctionNode, name: str, depth: int = 0) -> TensorWrite:
        """What the function does to the tensor that its parameter of that name is given."""
        key = id(function), name
        if key in self._active or depth > _DEEPEST:
            return _UNKNOWN
        self._active.add(key)
        found = self._named(function, name, True, depth)
        self._active.discard(key)
        return found

    def _named(self, function: FunctionNode, name: str, sure: bool, depth: int) -> TensorWrite:
        """What it does to what is called so. ``sure``: it certainly is the tensor's memory."""
        events = self._scope(function).table.events.get(name, [])
        if len([event for event in events if event.how != "augment"]) != 1:
            # It is another tensor from some line on.
            return _UNKNOWN
        outcomes: list[TensorWrite] = []
        for at in occurrences(self.module, name):
            if isinstance(at.chain[0], ast.Name) and function in at.around:
                if at.around[-1] is not function:
                    outcomes.append(_UNKNOWN)
                else:
                    outcomes.append(self._use(function, at, sure, depth))
        yes = next((o for o in outcomes if o.verdict == "yes"), None)
        return yes or (_UNKNOWN if any(o.verdict == "unknown" for o in outcomes) else _NO)

    def _use(self, function: FunctionNode, at: Occurrence, sure: bool, depth: int) -> TensorWrite:
        name, chain = at.chain[0], at.chain
        assert isinstance(name, ast.Name)
        if not isinstance(name.ctx, ast.Load):
            parent = chain[1] if len(chain) > 1 else at.statement
            if not isinstance(parent, ast.AugAssign):
                return _NO
            return self._sure(function, name) if sure else _UNKNOWN
        current: ast.expr = name
        index = 1
        while index < len(chain):
            parent = chain[index]
            if isinstance(parent, ast.Attribute):
                call = chain[index + 1] if index + 1 < len(chain) else None
                called = isinstance(call, ast.Call) and call.func is parent
                if not called:
                    if parent.attr in SAYS:
                        return _NO
                    if parent.attr not in PARTS or not isinstance(parent.ctx, ast.Load):
                        return _UNKNOWN
                    current, index = parent, index + 1
                    continue
                assert isinstance(call, ast.Call)
                if parent.attr.endswith("_") and not parent.attr.startswith("_") and parent.attr not in VIEWS:
                    return self._sure(function, name) if sure else _UNKNOWN
                row = METHODS.get(parent.attr)
                if parent.attr in VIEWS or parent.attr in MAY_SHARE:
                    sure = sure and parent.attr in VIEWS
                    current, index = call, index + 2
                    continue
                return _NO if row is not None and parent.attr != "chunk" else _UNKNOWN
            if isinstance(parent, ast.Subscript) and parent.slice is current:
                return _NO
            if isinstance(parent, ast.Subscript):
                if isinstance(parent.ctx, ast.Store):
                    return self._sure(function, name) if sure else _UNKNOWN
                sure, current, index = sure and self._views(parent.slice), parent, index + 1
                continue
            if isinstance(parent, ast.Call):
                position = next((i for i, a in enumerate(parent.args) if a is current), None)
                return self._passed(function, parent, current, position, sure, depth)
            if isinstance(parent, ast.keyword):
                call = chain[index + 1]
                assert isinstance(call, ast.Call)
                return self._passed(function, call, current, parent.arg, sure, depth)
            if isinstance(parent, ast.Assign) and parent.value is current:
                target = parent.targets[0]
                if len(parent.targets) != 1 or not isinstance(target, ast.Name):
                    return _UNKNOWN
                return self._named(function, target.id, sure, depth)
            if isinstance(parent, _FRESH) or isinstance(parent, ast.AugAssign) and parent.value is current:
                return _NO
            if isinstance(parent, ast.Tuple) and index + 1 < len(chain) and isinstance(chain[index + 1], ast.Return):
                return _NO
            return _UNKNOWN
        return _NO if isinstance(at.statement, _FRESH) else _UNKNOWN

    def _views(self, index: ast.expr) -> bool:
        """Whether a tensor's part is a view of it: numbers and slices only, no lists and no masks."""
        at = place(self.resolver, self.module, index)
        return all(
            isinstance(part, ast.Slice)
            or (isinstance(part, ast.Constant) and type(part.value) in (int, type(...), type(None)))
            or (at is not None and kind(at, part) == "int")
            for part in (index.elts if isinstance(index, ast.Tuple) else [index])
        )

    def _passed(
        self, function: FunctionNode, call: ast.Call, node: ast.expr, where: int | str | None,
        sure: bool, depth: int,
    ) -> TensorWrite:  # fmt: skip
        """What a call does to an argument."""
        launch = next((one for one in self.launches if one.launch.call is call), None)
        if launch is not None:
            given = [parameter.name for parameter, argument in launch.given() if argument is node]
            if not given:
                return _UNKNOWN
            self.asked.append(launch.function)
            verdict = self.kernel(launch.function, given[0])
            if verdict != "yes":
                return TensorWrite(verdict)
            return self._sure(function, call) if sure else _UNKNOWN
        spot = place(self.resolver, self.module, call)
        path = library(spot, call.func) if spot is not None else None
        if path is not None:
            reads = path in FUNCTIONS or path.rpartition(".")[2] in _READS
            if where == "out" and path.startswith("torch."):
                return self._sure(function, call) if sure else _UNKNOWN
            return _NO if reads and where != "out" else _UNKNOWN
        other, target = self._called(spot, call)
        if target is None or where is None:
            return _UNKNOWN
        args = target.args
        positional = parameters.positional(args)
        parameter = where if isinstance(where, str) else positional[where] if where < len(positional) else None
        if parameter is None or parameter not in {*positional, *(a.arg for a in args.kwonlyargs)}:
            return _UNKNOWN
        found = other.of(target, parameter, depth + 1)
        if found.verdict != "yes":
            return found
        return self._sure(function, call) if sure else _UNKNOWN

    def _called(self, at: Place | None, call: ast.Call) -> tuple[Writes, FunctionNode | None]:
        """The plain function that a call goes to, and who knows of its file."""
        found = called(at, call.func) if at is not None else None
        if found is None:
            return self, None
        module, target = found
        if module is self.module:
            return self, target
        launches = certain(self.resolver, module, self.resolver.project.launches_in(module))
        return replace(self, module=module, launches=launches), target

    def _sure(self, function: FunctionNode, node: ast.expr) -> TensorWrite:
        """A yes, where this happens whenever the function is called; nothing is known where it depends."""
        found = place(self.resolver, self.module, node)
        if found is None or function not in found.path:
            return _UNKNOWN
        between = found.path[found.path.index(function) + 1 : -1]
        always = all(isinstance(s, (ast.With, ast.AsyncWith)) for s in between)
        return TensorWrite("yes", node) if always and not self._leaves(function, node) else _UNKNOWN

    @staticmethod
    def _leaves(function: FunctionNode, node: ast.expr) -> bool:
        """Whether the function always ends before that: what stands there is not reached."""
        ends = (ast.Return, ast.Raise)
        return any(isinstance(s, ends) and s.lineno < node.lineno for s in function.body)

    def _scope(self, function: FunctionNode) -> Scope:
        # Not kept: what is around the function is not known here, and only what it binds itself is asked for.
        return self.module.keeps(ModuleScopes).get(id(function)) or Scope(
            self.module, function, self.resolver.scope(self.module)
        )
