"""``non-constexpr-global``: a plain Python global in the body of a jit function, which Triton refuses unless told
otherwise."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kernel_analysis.ir import At
from kernel_analysis.report import Edit, Finding, Fix, Related
from kernel_analysis.rules.subject import Subject
from kernel_analysis.signature.body.walk import Walk
from kernel_analysis.source.module import Module
from kernel_analysis.source.slice import (
    AggregateRef,
    Binding,
    Constant,
    FunctionRef,
    NamedTupleValue,
    Namespace,
    SliceFunction,
    TritonObject,
)
from kernel_analysis.source.syntax import descend
from kernel_analysis.span import Span

CODE = "non-constexpr-global"


def check(subject: Subject) -> Iterator[Finding]:
    function = subject.slice.functions[0]
    # A parameter goes by the name of the global that is its default.
    local = {n.arg for n in descend(function.node.args) if isinstance(n, ast.arg)}
    plain = {
        name: where
        for name, binding in function.bindings.items()
        if name not in local and (where := _refused(binding)) is not None
    }
    if not plain:
        return
    # A default may use it: Triton allows that.
    body = {id(node) for statement in function.node.body for node in descend(statement)} - _left_out(subject)
    bound = _bound(function.node)
    for ordinal, node in enumerate(function.nodes):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) in body and node.id in plain:
            if bound.get(node.id, _place(node)) < _place(node):
                continue
            related = (Related(plain.pop(node.id), f"`{node.id}` is defined here"),)
            if isinstance(function.bindings[node.id], Namespace):
                message = (
                    f"`{node.id}` is a Python class: Triton refuses it in the body of a jit function; give what is "
                    "taken from it a name of its own, `NAME = tl.constexpr(...)`, or reach the class by its module"
                )
                yield _finding(function, node.id, message, subject.places.span(At(0, ordinal)), related)
                continue
            message = (
                f"`{node.id}` is a plain Python global: Triton refuses it in the body of a jit function; "
                "wrap its value where it is defined, `tl.constexpr(...)` (an annotation is not enough)"
            )
            span = subject.places.span(At(0, ordinal))
            yield _finding(function, node.id, message, span, related, _wrap(subject.module, node.id, span.line))


def _finding(
    function: SliceFunction,
    name: str,
    message: str,
    span: Span,
    related: tuple[Related, ...],
    fixes: tuple[Fix, ...] = (),
) -> Finding:
    """Of a name that is something else where the file runs nobody knows whether Triton takes it."""
    why, others = function.varies.get(name), function.others.get(name, ())
    if why is None or others and all(_refused(other) is not None for other in others):
        return Finding(CODE, "warning", message, span, related, fixes)
    return Finding(CODE, "information", f"{message}; unless it is another where the file runs: {why}", span, related)


def _refused(binding: Binding) -> Span | None:
    """Where a global is defined that Triton refuses: it takes None, its own objects, jit functions, modules and named
    tuples as they are."""
    if isinstance(binding, Namespace):
        return binding.refused
    if not isinstance(binding, Constant) or binding.constexpr or binding.value is None:
        return None
    own = isinstance(binding.value, TritonObject | FunctionRef | AggregateRef | NamedTupleValue)
    return None if own else binding.span


def _bound(function: ast.FunctionDef) -> dict[str, tuple[int, int]]:
    """Behind which place each name has been bound: Triton takes the value of what stands there, wherever it was bound,
    and looks in the globals only where nothing was. What an assignment computes stands before it."""
    found: dict[str, tuple[int, int]] = {}
    for node in descend(function):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for name in (n for target in targets if target is not None for n in ast.walk(target)):
            if isinstance(name, ast.Name):
                place = _place(name) if isinstance(node, ast.For | ast.comprehension) else _end(node)
                found[name.id] = min(found.get(name.id, place), place)
    return found


def _end(node: ast.AST) -> tuple[int, int]:
    assert isinstance(node, ast.stmt | ast.expr)
    return node.end_lineno or node.lineno, node.end_col_offset or 0


def _place(node: ast.Name) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _left_out(subject: Subject) -> set[int]:
    """What stands in the branches that constants leave out, ``if not HAS_LIBRARY:``: it is not compiled."""
    function = subject.slice.functions[0]
    own = {n.arg for n in descend(function.node.args) if isinstance(n, ast.arg)}
    own |= {n.id for n in descend(function.node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    found: set[int] = set()
    for node in descend(function.node):
        if not isinstance(node, ast.If):
            continue
        names = {n.id for n in ast.walk(node.test) if isinstance(n, ast.Name)}
        if names & own or not all(isinstance(function.bindings.get(name), Constant) for name in names):
            continue
        holds = Walk(subject.slice).evaluate(0, {}, node.test).const
        if isinstance(holds, bool):
            found |= {id(n) for statement in (node.orelse if holds else node.body) for n in descend(statement)}
    return found


def _wrap(module: Module, name: str, line: int) -> tuple[Fix, ...]:
    """Wrap the value, where the global is defined once in this file and Triton's language has a name in it."""
    embedded = module.embedded_at(line)
    tree = embedded.tree if embedded else module.tree
    language = _language(tree)
    values = [value for statement in tree.body if (value := _value(statement, name)) is not None]
    if language is None or len(values) != 1:
        return ()
    span = module.span(values[0])
    start = Span(span.file, span.line, span.column, span.line, span.column)
    end = Span(span.file, span.end_line, span.end_column, span.end_line, span.end_column)
    title = f"Wrap the value of `{name}` in `{language}.constexpr`"
    return (Fix(title, (Edit(start, f"{language}.constexpr("), Edit(end, ")"))),)


def _value(statement: ast.stmt, name: str) -> ast.expr | None:
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    if not isinstance(statement, ast.Assign | ast.AnnAssign) or len(targets) != 1:
        return None
    target = targets[0]
    return statement.value if isinstance(target, ast.Name) and target.id == name else None


def _language(tree: ast.Module) -> str | None:
    """What ``triton.language`` is called in the file."""
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                if alias.name == "triton.language":
                    return alias.asname or alias.name
        elif isinstance(statement, ast.ImportFrom) and statement.module == "triton":
            for alias in statement.names:
                if alias.name == "language":
                    return alias.asname or alias.name
    return None
