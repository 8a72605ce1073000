"""What to change where another branch is the one that compiles: the compile-time tests whose other way does not lead to
what fails.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain

from kernel_analysis.attempt.repairs.diagnosis import Change, Doctor
from kernel_analysis.signature import spelling
from kernel_analysis.signature.body.walk import Walk
from kernel_analysis.signature.evident_values import NAMES
from kernel_analysis.signature.notes import Branch
from kernel_analysis.source.dtypes import LANGUAGE
from kernel_analysis.source.tree.forms import last_name, parts_of_test
from kernel_analysis.source.tree.syntax import descend


def undefined(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """A name is only assigned under a test that went the other way."""
    name = doctor.problem.kind.undefined
    for branch in walk.branches:
        if branch.taken is None:
            continue
        for statement in descend(doctor.slice.functions[branch.function].node):
            if isinstance(statement, ast.If) and statement.test is branch.test:
                untaken = statement.orelse if branch.taken else statement.body
                if any(
                    isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
                    for s in untaken
                    for n in descend(s)
                ):
                    yield from doctor.turned(branch)
                    yield from compared_dtypes(doctor, walk, statement.test)


def defined_twice(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """A constant gets a value in two places that no launch reaches both: the first of them is left out."""
    node = next(doctor.nodes(), None)
    if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
        return
    for other in doctor.slice.functions[doctor.problem.at.function].nodes:
        if isinstance(other, ast.AnnAssign) and other is not node and ast.dump(other.target) == ast.dump(node.target):
            for branch in doctor.around(walk, other, doctor.problem.at.function):
                if branch not in doctor.around(walk, node, doctor.problem.at.function):
                    yield from doctor.turned(branch)


def unsupported(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """A dtype that the target does not have is chosen by a flag: turn the one next to it."""
    spelled = NAMES.get(doctor.problem.kind.unsupported or "")
    around: list[tuple[int, Branch]] = []
    for branch in walk.branches if spelled else ():
        for node in descend(doctor.slice.functions[branch.function].node):
            if isinstance(node, (ast.If, ast.IfExp)) and node.test is branch.test and branch.taken is not None:
                taken = node.body if branch.taken else node.orelse
                parts = [n for part in (taken if isinstance(taken, list) else [taken]) for n in descend(part)]
                if any(isinstance(n, ast.Attribute) and n.attr == spelled for n in parts):
                    around.append((len(parts), branch))
    for _, branch in sorted(around, key=lambda pair: pair[0]):
        yield from doctor.turned(branch)


def compared_dtypes(doctor: Doctor, walk: Walk, node: ast.AST | None) -> Iterator[Change]:
    """What an assertion, or the test of a branch, holds against a dtype has it: ``x.dtype == tl.uint8``."""
    for test in descend(node) if node is not None else ():
        if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
            continue
        dtype = LANGUAGE.get(last_name(test.comparators[0]))
        if dtype is None:
            continue
        values = (walk.trace or {}).get(test.left, ())
        paths = dict.fromkeys(o.path for value in values for o in (value.self or value).origins)
        paths = paths or dict.fromkeys(doctor.named(test.left))
        for name in doctor.pointers(path for path in paths if doctor.free(path)):
            yield {name: doctor.with_dtype(name, dtype)}


def filtered(doctor: Doctor, walk: Walk, seen: Walk, suspects: list[str]) -> Iterator[Change]:
    """A list has too few items as a comprehension leaves them out: the test of each goes the other way."""
    if doctor.problem.at.function > 0:
        return
    env = spelling.arguments(doctor.signature)
    for node in doctor.nodes():
        for inner in descend(node):
            change: Change = {}
            for test in inner.ifs if isinstance(inner, ast.comprehension) else ():
                for part, way in parts_of_test(test, True):
                    turned = doctor.turned(Branch(0, part, not way, env))
                    for one in chain(turned, compared_dtypes(doctor, walk, part) if way else ()):
                        change.update(one)
            yield change
