"""The statements that run before a launch, in the function around it, and which of them gave a name its value.

Only syntax; conditions that enclose the launch are taken to hold. No evaluator: nothing here has a value. Which
statement a name depends on is asked so that the statement can be copied, whatever it gives.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from kernel_analysis.host.tensors.library import LIKE, NEW_LIKE, OF_LAYOUT, OF_SHAPE, SAYS
from kernel_analysis.record import record
from kernel_analysis.source.tree import parameters

SHAPE = SAYS - {"requires_grad"}
"""Attributes that an op's input has as the tensor at the launch had them."""
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
PARAMETER = -1


@record
class HostStep:
    """A statement on the way to the launch, with the ``names`` that it may give another value. ``whole``: it runs once,
    as it stands, where it stands; otherwise it is one that encloses the launch, or that goes several ways."""

    node: ast.stmt
    names: frozenset[str]
    whole: bool
    encloses: bool = False


class Steps:
    """``steps`` in order, up to the statement of the launch. A name's *version* is the place of the step that gave it
    its value, ``PARAMETER`` for a parameter of the function."""

    def __init__(self, function: FunctionNode, call: ast.Call) -> None:
        self.parameters = {argument.arg: argument for argument in parameters.every(function.args)}
        self.defaults = parameters.defaults(function.args)
        self.steps: list[HostStep] = []
        self._collect(function.body, call)

    def __len__(self) -> int:
        return len(self.steps)

    def version(self, name: str, before: int) -> int | None:
        """Of a name as a step sees it; None for a name of the module, or of a function further out."""
        for position in range(before - 1, -1, -1):
            if name in self.steps[position].names:
                return position
        return PARAMETER if name in self.parameters else None

    def kept(self, name: str, version: int) -> bool:
        """Whether nothing on the way from where it is made to the launch may write into a tensor."""
        for step in self.steps[version + 1 :]:
            if step.encloses:
                if isinstance(step.node, ast.For | ast.AsyncFor | ast.While):
                    return False  # into which the launch writes more than once
                continue
            inside = list(ast.walk(step.node))
            asked = {
                id(n.value)
                for n in inside
                if isinstance(n, ast.Attribute) and n.attr in SHAPE | OF_SHAPE | OF_LAYOUT | NEW_LIKE
            }
            asked |= {id(n.args[0]) for n in inside if isinstance(n, ast.Call) and n.args and _makes_like(n.func)}
            if any(isinstance(n, ast.Name) and n.id == name and id(n) not in asked for n in inside):
                return False
        return True

    def _collect(self, body: Sequence[ast.stmt], call: ast.Call) -> bool:
        for statement in body:
            if not any(_same(node, call) for node in ast.walk(statement)):
                whole = isinstance(statement, ast.Assign | ast.AnnAssign | ast.FunctionDef)
                self.steps.append(HostStep(statement, frozenset(bound(statement)), whole))
                continue
            inner = [getattr(statement, part, []) for part in ("body", "orelse", "finalbody")]
            if isinstance(statement, ast.Try):
                inner += [handler.body for handler in statement.handlers]
            if any(inner):
                # In a loop a name may have its value from the turn before.
                looped = isinstance(statement, ast.For | ast.AsyncFor | ast.While)
                names = bound(statement) if looped else _bound_by_head(statement)
                self.steps.append(HostStep(statement, frozenset(names), False, encloses=True))
                for block in inner:
                    if any(_same(node, call) for one in block for node in ast.walk(one)):
                        return self._collect(block, call)
            return True
        return False


def bound(node: ast.AST) -> Iterator[str]:
    """The names that a statement gives another value, or whose value it changes: ``a = 1``, ``a[0] = 1``."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
        return
    if isinstance(node, ast.Lambda):
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
        yield node.id
    elif isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
        root: ast.expr = node
        while isinstance(root, ast.Subscript | ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name):
            yield root.id
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name
    for child in ast.iter_child_nodes(node):
        yield from bound(child)


def _makes_like(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and function.attr in LIKE


def _bound_by_head(statement: ast.stmt) -> Iterator[str]:
    """By what stands before the colon."""
    for name, value in ast.iter_fields(statement):
        if name not in ("body", "orelse", "finalbody", "handlers"):
            for node in value if isinstance(value, list) else [value]:  # pyright: ignore[reportUnknownVariableType]
                if isinstance(node, ast.AST):
                    yield from bound(node)


def _same(node: ast.AST, call: ast.Call) -> bool:
    return isinstance(node, ast.Call) and (
        (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
        == (call.lineno, call.col_offset, call.end_lineno, call.end_col_offset)
    )
