"""What of a jit function's text is not compiled: nowhere, or for no launch in sight. Reads the text and the values of
its compile-time parameters; what is not known is compiled."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from kernel_analysis.rules.subject import Subject
from kernel_analysis.signature.body.walk import Walk
from kernel_analysis.signature.evident_values import EvidentValue, constant
from kernel_analysis.source.slice import Constant
from kernel_analysis.source.tree.syntax import descend

_Values: TypeAlias = Mapping[str, object]
_Holds: TypeAlias = Callable[[ast.expr], "bool | None"]


def anywhere(subject: Subject) -> set[int]:
    """The nodes that no launch compiles: behind a ``return``, and what constants of the file leave out."""
    function = subject.slice.functions[0].node
    found = {id(node) for statement in _behind_returns(function.body) for node in descend(statement)}
    return found | _arms(subject, [{}])


def by_launches(subject: Subject) -> set[int]:
    """The nodes that are compiled for none of the launches in sight, as far as these say it by constants."""
    known: list[_Values] = []
    for signature in subject.report.signatures:
        sure = {name for name, (_, _, certain) in signature.evidence.items() if certain}
        # (A text may stand for a dtype or a function.)
        plain = {name: value for name, value in signature.constants.items() if not isinstance(value, (str, list, dict))}
        known.append({name: value for name, value in plain.items() if name in sure})
    return _arms(subject, known)


def _arms(subject: Subject, known: list[_Values]) -> set[int]:
    """The arms that are not taken with what is known of the parameters. One that says nothing of a parameter that is
    asked for was made to look further."""
    function = subject.slice.functions[0]
    parameters = {n.arg for n in descend(function.node.args) if isinstance(n, ast.arg)}
    own = {n.id for n in descend(function.node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    walk = Walk(subject.slice)

    def holds(test: ast.expr) -> bool | None:
        names = {n.id for n in ast.walk(test) if isinstance(n, ast.Name)}
        outside = names - parameters
        if names & own or not all(isinstance(function.bindings.get(name), Constant) for name in outside):
            return None
        asked = names & parameters
        environments = [{name: values[name] for name in asked} for values in known if asked <= values.keys()]
        found = {_truth(walk, values, test) for values in environments}
        return found.pop() if len(found) == 1 else None

    found: set[int] = set()
    for node in descend(function.node):
        for part in _not_taken(node, holds):
            found |= {id(inner) for inner in descend(part)}
    return found


def _not_taken(node: ast.AST, holds: _Holds) -> Iterator[ast.AST]:
    if isinstance(node, ast.If | ast.IfExp):
        way = holds(node.test)
        if way is not None:
            arm = node.orelse if way else node.body
            yield from arm if isinstance(arm, list) else [arm]
    elif isinstance(node, ast.BoolOp):
        for place, value in enumerate(node.values):
            if holds(value) is isinstance(node.op, ast.Or):
                yield from node.values[place + 1 :]
                return


def _truth(walk: Walk, values: _Values, test: ast.expr) -> bool | None:
    given: dict[str, EvidentValue] = {name: constant(value) for name, value in values.items()}
    found = walk.evaluate(0, given, test).const
    return found if isinstance(found, bool) else None


def _behind_returns(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for place, statement in enumerate(body):
        if isinstance(statement, ast.Return | ast.Raise):
            yield from body[place + 1 :]
            return
        for name in ("body", "orelse"):
            yield from _behind_returns(getattr(statement, name, None) or [])
