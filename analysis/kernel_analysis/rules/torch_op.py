"""``torch-op``: what torch refuses of a ``triton_op`` or ``custom_op``, when it is defined, called or compiled. A table
of what torch 2.13 takes, read from its sources; torch is not imported."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from kernel_analysis.host.tensors.called import asks_for_compiling, called, launched_by
from kernel_analysis.host.tensors.certain import assigned, library, only
from kernel_analysis.host.tensors.come_to import reached
from kernel_analysis.host.tensors.launches.certain_launches import Certain
from kernel_analysis.host.tensors.library import PARTS, VIEWS
from kernel_analysis.host.tensors.ops import TorchOp, ops
from kernel_analysis.host.tensors.placing import Place, place
from kernel_analysis.host.tensors.traced import obstacles
from kernel_analysis.record import record
from kernel_analysis.report import Edit, Finding, Fix, Related
from kernel_analysis.rules.subject import FileSubject
from kernel_analysis.source.module import Module
from kernel_analysis.source.tree import nodes, parameters
from kernel_analysis.source.tree.syntax import descend
from kernel_analysis.span import Span

CODE = "torch-op"

_BARE = ("dict", "set", "frozenset", "object", "bytes", "complex", "tuple", "list", "callable")
_TYPING = ("Any", "Callable", "Dict", "Set", "Tuple", "Mapping", "Iterable")
_NEVER: Final = frozenset({*(f"builtins.{name}" for name in _BARE), *(f"typing.{name}" for name in _TYPING)})
"""What no parameter may be annotated with, by itself or with anything in brackets; a list of something may."""
_LISTS: Final = frozenset({"builtins.list", "typing.List"})
_TUPLES: Final = frozenset({"builtins.tuple", "typing.Tuple"})
_NOT_RETURNED: Final = (_NEVER - _TUPLES) | {"builtins.str", "torch.dtype", "torch.device"}
_NUMBERS: Final = frozenset({"builtins.int", "builtins.float", "builtins.bool", "builtins.str", "torch.dtype"})
_NOT_WRAPPED: Final = "kernel `{}` is launched{} in a `triton_op` without `wrap_triton`: torch.compile fails"
_VALUES: Final = re.compile(r"[^:]+::[^:]+")


@record
class _Shared:
    """An argument; ``whole``: it itself, not a view."""

    name: str
    whole: bool


def check_file(subject: FileSubject) -> list[Finding]:
    """Of each op in the file."""
    module = subject.module
    found: list[Finding] = []
    for op in ops(subject.project.resolver, module):
        found += _defined(module, op)
        if "tags" not in op.arguments:  # by which an op may return what it writes
            found += _returned(subject, op)
        if op.kind == "triton_op":
            found += _bare(subject, op)
    return found + list(_renamed(module))


def _defined(module: Module, op: TorchOp) -> Iterator[Finding]:
    """What torch says when it reads the signature."""
    name, function = op.arguments.get("name"), op.function
    # A project's own function that defines an op may add the namespace.
    called = op.name if library(op.at, op.call.func) is not None else None
    if name is not None and called is not None and not _VALUES.fullmatch(called):
        message = f"the name of an op has a namespace, `mine::{called.replace(':', '_')}`: torch refuses this one"
        yield _finding(module, name, message)
    mutates = op.arguments.get("mutates_args")
    if mutates is None:
        if library(op.at, op.call.func) is not None:
            yield _finding(module, op.call.func, "torch needs `mutates_args`: `()` where the op writes no argument")
    elif isinstance(mutates, ast.Constant) and isinstance(mutates.value, str) and mutates.value != "unknown":
        message = (
            f'`mutates_args` is a text; torch takes a list of names, or "unknown": write `[{ast.unparse(mutates)}]`'
        )
        span = module.span(mutates)
        start = Edit(Span(span.file, span.line, span.column, span.line, span.column), "[")
        end = Edit(Span(span.file, span.end_line, span.end_column, span.end_line, span.end_column), "]")
        yield _finding(module, mutates, message, (Fix("Make it a list", (start, end)),))
    args = function.args
    for argument in (args.vararg, args.kwarg, *args.posonlyargs):
        if argument is not None:
            yield _finding(module, argument, "torch takes no `*args`, `**kwargs` or positional-only arguments in an op")
    listed = op.mutates
    for argument in (*args.args, *args.kwonlyargs):
        if argument.annotation is None:
            yield _finding(module, argument, f"`{argument.arg}` has no annotation: torch makes the op's schema of them")
            continue
        path = _refused(op.at, argument.annotation, _NEVER)
        if path is not None:
            message = f"torch takes no `{path}` in an op: tensors, numbers, texts, dtypes, devices and lists of them"
            yield _finding(module, argument.annotation, message)
        elif isinstance(listed, frozenset) and argument.arg in listed:
            if library(op.at, argument.annotation) in _NUMBERS and mutates is not None:
                message = f"`{argument.arg}` in `mutates_args` is no tensor: torch refuses the op"
                yield _finding(module, mutates, message)
    if function.returns is None:
        yield _finding(module, function, "torch refuses an op that doesn't say what it returns (`-> None`: nothing)")
    else:
        yield from _result(module, op, function.returns)


def _result(module: Module, op: TorchOp, node: ast.expr) -> Iterator[Finding]:
    path = _refused(op.at, node, _NOT_RETURNED)
    optional = isinstance(node, ast.BinOp) and any(
        isinstance(n, ast.Constant) and n.value is None for n in ast.walk(node)
    )
    outer = library(op.at, node.value) if isinstance(node, ast.Subscript) else None
    if path is not None or optional or outer == "typing.Optional":
        what = f"`{path}`" if path is not None else "an optional result"
        yield _finding(
            module, node, f"an op can't return {what}, only tensors, numbers, lists of tensors, tuples of these"
        )
    elif isinstance(node, ast.Subscript) and outer in _TUPLES:
        for part in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
            yield from _result(module, op, part)


def _refused(at: Place, node: ast.expr, never: frozenset[str]) -> str | None:
    """The annotation, where torch takes none like it."""
    root = node.value if isinstance(node, ast.Subscript) else node
    path = library(at, root)
    if path is None or path not in never or path in _LISTS and isinstance(node, ast.Subscript):
        return None
    return ast.unparse(node)


def _returned(subject: FileSubject, op: TorchOp) -> Iterator[Finding]:
    """A result that is an argument, or a view of it."""
    module = subject.module
    for node in descend(op.function):
        if not isinstance(node, ast.Return) or node.value is None:
            continue
        at = place(subject.project.resolver, module, node.value)
        if at is None or at.functions[-1:] != (op.function,):
            continue
        results = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        for value in (arm for one in results for arm in _arms(one)):
            shared = _argument(at, value, op.tensors, 0)
            if shared is not None and _is_reached(subject, value):
                what = f"`{shared.name}` itself" if shared.whole else f"a view of `{shared.name}`"
                message = f"the op returns {what}: torch refuses results that share memory with an argument"
                yield _finding(module, value, f"{message}; return nothing, or a `.clone()`")


def _is_reached(subject: FileSubject, node: ast.expr) -> bool:
    at = place(subject.project.resolver, subject.module, node)
    return at is not None and reached.undecided(at) is not None


def _arms(node: ast.expr) -> list[ast.expr]:
    """What a conditional expression may come to."""
    return [*_arms(node.body), *_arms(node.orelse)] if isinstance(node, ast.IfExp) else [node]


def _is_part(index: ast.expr) -> bool:
    """Whether indexing a tensor so makes a view for sure: by slices and numbers as written, by nothing that may be a
    tensor or a list."""
    if isinstance(index, ast.Tuple):
        return all(map(_is_part, index.elts))
    if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub):
        index = index.operand
    if isinstance(index, ast.Constant):
        return index.value is None or index.value is ... or type(index.value) is int
    return isinstance(index, ast.Slice)


def _argument(at: Place, node: ast.expr, tensors: list[str], depth: int) -> _Shared | None:
    """The tensor among the arguments that it certainly shares its memory with."""
    whole = True
    while True:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in VIEWS:
            node, whole = node.func.value, False
        elif (
            (isinstance(node, ast.Attribute) and node.attr in PARTS)
            or isinstance(node, ast.Subscript) and _is_part(node.slice)
        ):  # fmt: skip
            node, whole = node.value, False
        else:
            break
    inner: _Shared | None = None
    if isinstance(node, ast.Call):
        given = _handed_back(at, node, depth)
        found = _argument(at, given[0], tensors, depth + 1) if given is not None and depth < 4 else None
        inner = _Shared(found.name, found.whole and given[1]) if found is not None and given is not None else None
    elif isinstance(node, ast.Name) and (bound := only(at, node)) is not None:
        if bound[0].how == "parameter":
            inner = _Shared(node.id, True) if node.id in tensors else None
        elif bound[0].how == "assign" and bound[0].value is not None and depth < 4:
            inner = _argument(at, bound[0].value, tensors, depth + 1)
    return _Shared(inner.name, inner.whole and whole) if inner is not None else None


def _handed_back(at: Place, call: ast.Call, depth: int) -> tuple[ast.expr, bool] | None:
    """The argument that a plain function gives back, and whether as it is, where it ends in one way."""
    target = called(at, call.func)
    if target is None or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    module, function = target
    last = function.body[-1]
    returns = [node for node in descend(function) if isinstance(node, ast.Return)]
    inside = place(at.resolver, module, last.value) if isinstance(last, ast.Return) and last.value else None
    if returns != [last] or inside is None or not isinstance(last, ast.Return) or last.value is None or depth >= 4:
        return None
    names = parameters.positional(function.args)
    shared = _argument(inside, last.value, names, depth + 1)
    if shared is None:
        return None
    by_name = next((k.value for k in call.keywords if k.arg == shared.name), None)
    if by_name is not None:
        return by_name, shared.whole
    index = names.index(shared.name)
    return (call.args[index], shared.whole) if index < len(call.args) else None


def _bare(subject: FileSubject, op: TorchOp) -> Iterator[Finding]:
    """Kernels that torch can't see, in an op that is there for torch to see them, or in functions that it calls."""
    module = subject.module
    if f"{op.function.name}.register_fake" in module.text or f"{op.function.name}.register_kernel" in module.text:
        return
    if asks_for_compiling(op.function):
        return
    for launch in subject.launches:
        if launch.at.functions[-1:] != (op.function,) or not launch.happens:
            continue
        if (target := _unwrapped(launch)) is not None:
            span = module.span(target)
            wrap = _wrapper(module)
            start = Edit(Span(span.file, span.line, span.column, span.line, span.column), f"{wrap}(")
            end = Edit(Span(span.file, span.end_line, span.end_column, span.end_line, span.end_column), ")")
            # What torch can't trace is no better wrapped.
            wraps = wrap is not None and next(obstacles(launch.stack), None) is None
            fixes = (Fix(f"Wrap it in `{wrap}`", (start, end)),) if wraps else ()
            yield _finding(module, target, _NOT_WRAPPED.format(launch.function.name, ""), fixes)
    resolver = subject.project.resolver
    for call in (node for node in descend(op.function) if isinstance(node, ast.Call)):
        at = place(resolver, module, call)
        found = called(at, call.func) if at is not None and reached.undecided(at) is not None else None
        for launch in launched_by(resolver, *found) if found is not None else ():
            if (target := _unwrapped(launch)) is not None and launch.happens:
                where = launch.at.resolver.project.load(launch.launch.file)
                related = (Related(where.span(target), "launched here"),)
                said = _finding(module, call.func, _NOT_WRAPPED.format(launch.function.name, ", through this call,"))
                yield replace(said, related=related)


def _unwrapped(launch: Certain) -> ast.expr | None:
    """What is launched, if it is a kernel as it stands."""
    where = launch.launch.call.func
    target = where.value if isinstance(where, ast.Subscript) else None
    if not isinstance(target, (ast.Name, ast.Attribute)) or _wrapped(launch.at, target):
        return None
    return target


def _wrapped(at: Place, target: ast.expr) -> bool:
    """Whether the name stands for a wrapped kernel."""
    found = assigned(at, target)
    return found is not None and isinstance(found[0], ast.Call)


def _wrapper(module: Module) -> str | None:
    """What `wrap_triton` is called in the file."""
    for name, events in module.table.events.items():
        node, alias = events[0].node, events[0].alias
        if alias is not None and isinstance(node, ast.ImportFrom) and alias.name == "wrap_triton" and not node.level:
            return name
    events = module.table.events.get("torch", [])
    return "torch.library.wrap_triton" if events and isinstance(events[0].node, ast.Import) else None


def _renamed(module: Module) -> Iterator[Finding]:
    """`capture_triton`, which `torch.library` has by another name."""
    if "capture_triton" not in module.text:
        return
    for node, _ in nodes.statements(module):
        if isinstance(node, ast.ImportFrom) and node.module == "torch.library" and not node.level:
            if any(alias.name == "capture_triton" for alias in node.names):
                yield _finding(module, node, "`torch.library` has no `capture_triton`: it is called `wrap_triton`")


def _finding(module: Module, node: ast.AST, message: str, fixes: tuple[Fix, ...] = ()) -> Finding:
    span = module.span(node)
    if isinstance(node, (ast.FunctionDef, ast.ImportFrom)):
        line = module.lines[span.line - 1]
        span = Span(span.file, span.line, span.column, span.line, len(line.rstrip()) + 1)
    return Finding(CODE, "warning", message, span, (), fixes)
