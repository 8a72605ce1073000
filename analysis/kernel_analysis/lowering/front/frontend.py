"""Triton's code generator, watched: what it visits and assigns is recorded, run-time recursion is told from endless.
What a kernel's text may reach is the business of ``gated_generator``, below.

Changes nothing about what legal kernels compile to.
"""

# pyright: basic
from __future__ import annotations

import ast
import math
import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from kernel_analysis.lowering import compat
from kernel_analysis.lowering.front import aborts, quick_types
from kernel_analysis.lowering.front.decisions import Decided, DecisionGenerator
from kernel_analysis.lowering.front.loops import LoopGenerator
from kernel_analysis.lowering.front.quick_nodes import LeafGenerator
from kernel_analysis.lowering.front.told_apart import told_apart
from kernel_analysis.lowering.front.value_types import type_text
from kernel_analysis.lowering.gate.gated_generator import unwrapped
from kernel_analysis.lowering.gate.harmless import NotEvaluable
from kernel_analysis.lowering.gate.stand_ins import refuse_unknown

_DEEPEST = 96
"""Calls of jit functions within each other. Triton itself runs out of Python's stack somewhat before."""


class OutOfTime(NotEvaluable):
    """The time for one kernel is over."""


class KnownFunction(Protocol):
    """A function that an earlier lowering compiled, and that would become the same again."""

    @property
    def result(self) -> Any:
        """The type that it returns, Triton's."""
        ...

    @property
    def given(self) -> Hashable:
        """What it was given, see ``told_apart``."""
        ...


@dataclass
class CompiledFunction:
    """What the front end did in one function. ``index``: in the slice. ``parameters``: the path of what each of its
    arguments in the module is. ``visited``: nodes. ``assigned``: the types of what each statement gave a name.
    ``result``: the type that it returns, Triton's. ``given``: what it was given, see ``told_apart``."""

    index: int
    given: Hashable = None
    parameters: list[str] = field(default_factory=list)
    visited: set[ast.AST] = field(default_factory=set)
    assigned: dict[tuple[ast.AST, str], dict[str, None]] = field(default_factory=dict)
    decided: Decided = field(default_factory=Decided)
    partitions: list[ast.AST] = field(default_factory=list)  # the calls of warp_specialize
    result: Any = None


@dataclass
class Recording:
    """What one lowering did. ``known``: what need not be compiled again, by its name in the module. ``functions``: what
    was compiled, the same way and in order. ``augmented``: the statement of each target of ``x += y``. ``calls``: the
    stack of calls being compiled, as (index of the caller, call node). ``made``: the class of each parameter that is an
    object, by path, and the names of its fields. ``given``: what each function of a name in the module was given first;
    ``shared``: one is called with something else, too, under the same name. ``mistaken``: one that is known was not
    made for what it is given."""

    known: Mapping[str, KnownFunction]
    functions: dict[str, CompiledFunction] = field(default_factory=dict)
    augmented: dict[ast.AST, ast.AugAssign] = field(default_factory=dict)
    calls: list[tuple[int, ast.AST]] = field(default_factory=list)
    active: list[tuple[str, int, int]] = field(default_factory=list)
    recursion: tuple[list[int], list[tuple[int, ast.AST]]] | None = None
    endless: tuple[int, ast.AST] | None = None
    until: float = math.inf  # of the process's time
    stop: Callable[[], bool] = bool  # whether somebody waits for something else
    made: Mapping[str, tuple[Any, tuple[str, ...]]] = field(default_factory=dict)
    generators: list[WatchedGenerator] = field(default_factory=list)
    arguments: str = ""  # what the call that failed was given, where those are blocks
    given: dict[str, Hashable] = field(default_factory=dict)
    shared: bool = False
    mistaken: bool = False

    def called(self, name: str, given: Hashable) -> None:
        """A function is called that has this name in the module."""
        self.shared = self.shared or self.given.setdefault(name, given) != given
        known = self.known.get(name)
        self.mistaken = self.mistaken or known is not None and known.given != self.given[name]


recording = Recording({})
"""Of the lowering that runs now: the front end makes its generators itself, so it can't be handed to them."""


def start(known: Mapping[str, KnownFunction], named: bool = False) -> Recording:
    """A fresh recording. ``named``: values get their names in the text."""
    global recording
    for generator in recording.generators:
        # It and what it made refer to each other, and would stay until cycles are looked for.
        vars(generator).clear()
    recording = Recording(known)
    WatchedGenerator.named = named
    return recording


_calling: list[Hashable] = []
"""What the function is given whose name in the module is made next."""


class WatchedGenerator(DecisionGenerator, LoopGenerator, LeafGenerator):
    """Stands in for ``CodeGenerator`` in Triton's module."""

    def __init__(self, context, prototype, gscope, function_name, *given, **options):
        if not options.get("is_kernel") and function_name in recording.known:
            gscope = {}  # it is only declared
        elif options.get("is_kernel") and recording.made:
            compat.take_objects(prototype, options["jit_fn"].arg_names, recording.made)
        recording.generators.append(self)
        super().__init__(context, prototype, gscope, function_name, *given, **options)

    def _index(self) -> int:
        return getattr(self.jit_fn, "slice_index", -1)

    def visit_FunctionDef(self, node):
        known = None if self.is_kernel else recording.known.get(self.function_name)
        if known is not None:
            compat.declare(self, known.result)
            return
        named = [] if self.is_kernel else compat.argument_paths(self, node)
        given = recording.given.get(self.function_name)
        self._compiled = recording.functions[self.function_name] = CompiledFunction(self._index(), given, named)
        recording.active.append((self.function_name, self._index(), len(recording.calls)))
        super().visit_FunctionDef(node)
        recording.active.pop()
        self._compiled.result = self.ret_type

    def call_JitFunction(self, fn, args, kwargs, caller_context=None):
        here: tuple[int, Any] = (self._index(), self.cur_node)
        if len(recording.calls) >= _DEEPEST:
            recording.endless = recording.endless or here
            raise RecursionError("endless recursion at compile time")
        recording.calls.append(here)
        before, args = len(_calling), list(args)  # of partitions they come one by one
        _calling.append(told_apart(fn, args, kwargs))
        try:
            return super().call_JitFunction(fn, args, kwargs, caller_context)
        except KeyError as error:
            # The callee exists and has no result type yet: it is being compiled right now, so it calls itself at run
            # time.
            for position, (name, _, depth) in enumerate(recording.active):
                if error.args and error.args[0] == name and recording.recursion is None:
                    cycle = [index for _, index, _ in recording.active[position:]]
                    recording.recursion = (cycle, list(recording.calls[depth:]))
            raise
        finally:
            recording.calls.pop()
            del _calling[before:]  # of a call that failed before it had a name

    @property
    def _decided(self):
        return self._compiled.decided

    _dead = False  # behind a `return` that these constexpr values lead to: compiled, and dropped
    _branches: tuple[tuple[ast.If, bool, list[bool]], ...] = ()

    def visit_Return(self, node):
        self._visited(node)
        super().visit_Return(node)
        self._dead = True

    def visit_Assign(self, node):
        if time.process_time() > recording.until or recording.stop():
            raise OutOfTime("it is unrolled so often for these values that compiling it takes too long")
        self._visited(node)
        return super().visit_Assign(node)

    def visit_AugAssign(self, node):
        self._visited(node)
        recording.augmented[node.target] = node
        return super().visit_AugAssign(node)

    def visit_if_top_level(self, cond, node):
        before, ends = self._dead, []
        outer = self._branches
        self._branches = (*outer, (node, before, ends))
        super().visit_if_top_level(cond, node)
        self._branches = outer
        self._dead = before or len(ends) == 2 and all(ends)

    def visit_compound_statement(self, stmts):
        node, before, ends = self._branches[-1] if self._branches else (None, False, [])
        if node is None or stmts is not node.body and stmts is not node.orelse:
            super().visit_compound_statement(stmts)
            return
        self._dead = before
        super().visit_compound_statement(stmts)
        ends.append(self._dead)

    def visit_Call(self, node):
        self._visited(node)
        return super().visit_Call(node)

    def _visited(self, node):
        if not self._dead:
            self._compiled.visited.add(node)

    def set_value(self, name, value):
        super().set_value(name, value)
        node = self.cur_node
        if isinstance(node, ast.While) or isinstance(node, ast.For) and getattr(node.target, "id", None) != name:
            return  # the loop hands its variables on: the user assigns nothing here
        self._assigned(node, name, value)

    def visit_AnnAssign(self, node):
        self._visited(node)
        result = super().visit_AnnAssign(node)
        name = getattr(node.target, "id", None)
        if node.value is not None and isinstance(self.lscope.get(name), compat.tl.constexpr):
            self._assigned(node, name, self.lscope[name])
        return result

    def _assigned(self, node, name, value):
        if self._index() >= 0 and node is not None:
            if isinstance(node, ast.Assign):
                # Of `x += 1` Triton makes an assignment of its own.
                node = recording.augmented.get(node.targets[0], node)
            self._compiled.assigned.setdefault((node, name), {})[type_text(value)] = None

    def visit_Attribute(self, node):
        value = super().visit_Attribute(node)
        _refuse_unknown(value)
        return value

    def visit_Compare(self, node):
        for operand in (node.left, *node.comparators):
            self._refuse_unknown_name(operand)
        return super().visit_Compare(node)

    def visit_Subscript(self, node):
        self._refuse_unknown_name(node.slice)
        return super().visit_Subscript(node)

    def visit_UnaryOp(self, node):
        self._refuse_unknown_name(node.operand)
        return super().visit_UnaryOp(node)

    def visit_If(self, node):
        self._refuse_unknown_name(node.test)
        return super().visit_If(node)

    def visit_IfExp(self, node):
        self._refuse_unknown_name(node.test)
        return super().visit_IfExp(node)

    def _refuse_unknown_name(self, node):
        """Triton would only say what kind of thing it is."""
        if isinstance(node, ast.Name):
            _refuse_unknown(self.lscope.get(node.id, self.gscope.get(node.id)))

    def call_Function(self, node, fn, args, kws):
        refuse_unknown(fn)
        if compat.LOSES_PLACE:
            self.builder.set_loc(
                self.builder.create_loc(self.file_name, self.begin_line + node.lineno, node.col_offset)
            )
        if fn is compat.tl.where:
            aborts.where(args, kws)
        elif getattr(fn, "__name__", "") == "warp_specialize" and fn.__module__.startswith("triton."):
            self._compiled.partitions.append(node)
        elif getattr(fn, "__name__", "") in ("to", "cast"):
            aborts.cast([*([fn.__self__] if hasattr(fn, "__self__") else []), *args, *kws.values()])
        aborts.memory(fn, args, kws)
        try:
            made = super().call_Function(node, fn, args, kws)
        except Exception:
            if not recording.arguments and not isinstance(fn, compat.JITCallable):
                recording.arguments = _given_blocks(node, fn, args)
            raise
        if isinstance(fn, compat.JITCallable) and not isinstance(fn, compat.JITFunction):
            _refuse_unknown_part(made)  # a constexpr function gives what it finds
        return made


def _called(original):
    def mangle_fn(*given):
        name = original(*given)
        if _calling:
            recording.called(name, _calling.pop())
        return name

    return mangle_fn


compat.code_generator.mangle_fn = _called(compat.code_generator.mangle_fn)
compat.code_generator.CodeGenerator = WatchedGenerator
quick_types.remember()


def _given_blocks(node: ast.AST, fn: Any, args: list[Any]) -> str:
    shown = [type_text(arg) for arg in args if isinstance(arg, compat.tl.tensor)]
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, compat.tl.tensor):
        shown.insert(0, type_text(owner))
    called = node.func if isinstance(node, ast.Call) else None
    name = getattr(called, "attr", None) or getattr(called, "id", None) or getattr(fn, "__name__", "it")
    return f"`{name}` was given " + " and ".join(shown) if any("[" in text for text in shown) else ""


def _refuse_unknown_part(value: Any) -> None:
    value = unwrapped(value)
    if isinstance(value, (tuple, list)):
        for part in value:
            _refuse_unknown_part(part)
    elif isinstance(value, compat.tl.tuple):
        _refuse_unknown_part(value.values)
    else:
        _refuse_unknown(value)


def _refuse_unknown(value: Any) -> None:
    """What nobody could find out is neither equal to anything nor different from it."""
    refuse_unknown(unwrapped(value))
