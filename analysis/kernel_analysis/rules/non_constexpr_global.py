"""``non-constexpr-global``: a plain Python global in the body of a jit function, which Triton refuses unless told
otherwise."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from kernel_analysis.ir import At
from kernel_analysis.report import Edit, Finding, Fix, Related
from kernel_analysis.rules import left_out
from kernel_analysis.rules.subject import Subject
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
from kernel_analysis.source.tree.forms import COMPREHENSIONS, start_of
from kernel_analysis.source.tree.syntax import descend
from kernel_analysis.span import Span

CODE = "non-constexpr-global"

_VARIABLE: Final = "TRITON_ALLOW_NON_CONSTEXPR_GLOBALS"
_LEFT: Final = "no launch in sight compiles this line"


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
    body = {id(node) for statement in function.node.body for node in descend(statement)} - left_out.anywhere(subject)
    bound, unlaunched = _bound(function.node), left_out.by_launches(subject)
    used = [
        (id(node) in unlaunched, ordinal, node)
        for ordinal, node in enumerate(function.nodes)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) in body and node.id in plain
        if bound.get(node.id, _place(node)) >= _place(node)
    ]
    allowed = _allowed(subject) if used else None
    # Once for each, where a launch compiles it, if there is such a place.
    for left, ordinal, node in sorted(used, key=lambda use: use[:2]):
        if node.id not in plain:
            continue
        related = (Related(plain.pop(node.id), f"`{node.id}` is defined here"),)
        unless = _varies(function, node.id) or allowed or (_LEFT if left else None)
        span = subject.places.span(At(0, ordinal))
        if isinstance(function.bindings[node.id], Namespace):
            message = (
                f"`{node.id}` is a Python class: Triton refuses it in the body of a jit function; give what is "
                "taken from it a name of its own, `NAME = tl.constexpr(...)`, or reach the class by its module"
            )
            yield _finding(message, unless, span, related)
            continue
        message = (
            f"`{node.id}` is a plain Python global: Triton refuses it in the body of a jit function; "
            "wrap its value where it is defined, `tl.constexpr(...)` (an annotation is not enough)"
        )
        yield _finding(message, unless, span, related, _wrap(subject, node.id, span.line))


def _finding(
    message: str, unless: str | None, span: Span, related: tuple[Related, ...], fixes: tuple[Fix, ...] = ()
) -> Finding:
    if unless is None:
        return Finding(CODE, "warning", message, span, related, fixes)
    return Finding(CODE, "information", f"{message}; {unless}", span, related, () if unless != _LEFT else fixes)


def _varies(function: SliceFunction, name: str) -> str | None:
    """Of a name that is something else where the file runs nobody knows whether Triton takes it."""
    why, others = function.varies.get(name), function.others.get(name, ())
    if why is None or others and all(_refused(other) is not None for other in others):
        return None
    return f"unless it is another where the file runs: {why}"


def _allowed(subject: Subject) -> str | None:
    """Whether the workspace may turn Triton's check off."""
    module = subject.module
    if _VARIABLE in module.text:
        return f"unless `{_VARIABLE}` is set, of which this file speaks"
    others = subject.project.elsewhere.wording(module, _VARIABLE)
    return f"unless `{_VARIABLE}` is set, of which {subject.project.relative(others[0])} speaks" if others else None


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
    and looks in the globals only where nothing was. What an assignment computes stands before it; what a comprehension
    makes of each, too, and is computed after it."""
    found: dict[str, tuple[int, int]] = {}
    for node in descend(function):
        if isinstance(node, COMPREHENSIONS):
            for name in (name for generator in node.generators for name in ast.walk(generator.target)):
                if isinstance(name, ast.Name):
                    found[name.id] = min(found.get(name.id, start_of(node)), start_of(node))
        if isinstance(node, ast.comprehension):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for name in (n for target in targets if target is not None for n in ast.walk(target)):
            if isinstance(name, ast.Name):
                place = _place(name) if isinstance(node, ast.For) else _end(node)
                found[name.id] = min(found.get(name.id, place), place)
    return found


def _end(node: ast.AST) -> tuple[int, int]:
    assert isinstance(node, ast.stmt | ast.expr)
    return node.end_lineno or node.lineno, node.end_col_offset or 0


def _place(node: ast.Name) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _wrap(subject: Subject, name: str, line: int) -> tuple[Fix, ...]:
    """Wrap the value, where the global is defined once in this file and Triton's language has a name in it. What is
    more than a kernel's stays as it is: a `constexpr` is no number to the host."""
    module = subject.module
    embedded = module.embedded_at(line)
    tree = embedded.tree if embedded else module.tree
    language, imported = _language(tree) or (None, 0)
    found = [(statement, value) for statement in tree.body if (value := _value(statement, name)) is not None]
    if language is None or len(found) != 1:
        return ()
    statement, value = found[0]
    if statement.lineno < imported:
        return ()
    inside = {id(n) for function in module.functions for one in function.node.body for n in descend(one)}
    uses = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
    others = set(subject.project.elsewhere.wording(module, name)) - {module.file}
    if others or any(id(node) not in inside for node in uses):
        return _own_name(module, name, language, statement) if embedded is None else ()
    span = module.span(value)
    start = Span(span.file, span.line, span.column, span.line, span.column)
    end = Span(span.file, span.end_line, span.end_column, span.end_line, span.end_column)
    title = f"Wrap the value of `{name}` in `{language}.constexpr`"
    return (Fix(title, (Edit(start, f"{language}.constexpr("), Edit(end, ")"))),)


def _own_name(module: Module, name: str, language: str, statement: ast.stmt) -> tuple[Fix, ...]:
    """One of its own for the file's kernels."""
    own = f"{name}_CONSTEXPR" if name.isupper() else f"{name}_constexpr"
    bodies = [node for function in module.functions for node in _reading(function.node, name)]
    if own in module.text or not bodies:
        return ()
    span = module.span(statement)
    end = Span(span.file, span.end_line, span.end_column, span.end_line, span.end_column)
    newline = "\r\n" if "\r\n" in module.text else "\n"
    made = Edit(end, f"{newline}{own} = {language}.constexpr({name})")
    edits = (made, *(Edit(module.span(node), own) for node in bodies))
    return (Fix(f"Give kernels `{own} = {language}.constexpr({name})`", edits),)


def _reading(function: ast.FunctionDef, name: str) -> list[ast.Name]:
    """Where the body of a function reads the global; nowhere, if it has another of that name."""
    body = [node for statement in function.body for node in descend(statement)]
    named = [node for node in body if isinstance(node, ast.Name) and node.id == name]
    given = any(isinstance(node, ast.arg) and node.arg == name for node in descend(function))
    return [] if given or not all(isinstance(node.ctx, ast.Load) for node in named) else named


def _value(statement: ast.stmt, name: str) -> ast.expr | None:
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    if not isinstance(statement, ast.Assign | ast.AnnAssign) or len(targets) != 1:
        return None
    target = targets[0]
    return statement.value if isinstance(target, ast.Name) and target.id == name else None


def _language(tree: ast.Module) -> tuple[str, int] | None:
    """What ``triton.language`` is called in the file, and the line from which on it is."""
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                if alias.name == "triton.language":
                    return alias.asname or alias.name, statement.lineno
        elif isinstance(statement, ast.ImportFrom) and statement.module == "triton":
            for alias in statement.names:
                if alias.name == "language":
                    return alias.asname or alias.name, statement.lineno
    return None
