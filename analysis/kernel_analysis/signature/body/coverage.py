"""Which compile-time branches a signature does not reach, and what its flags would have to be to reach them."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any, Final

from kernel_analysis.record import record
from kernel_analysis.signature.body.operators import truth
from kernel_analysis.signature.body.walk import Walk
from kernel_analysis.signature.evident_values import UNKNOWN, EvidentValue, constant
from kernel_analysis.signature.notes import Branch
from kernel_analysis.source.arithmetic import ORDER
from kernel_analysis.source.slice import Slice, TritonObject
from kernel_analysis.source.tree.syntax import descend, kept_with_trees

_SMALL: Final = 8
_USUAL = (64, 128, 256, 512, 1024, 4096, 32, 16, 8, 4, 2, 1, 0)

Outcome = tuple[ast.expr, bool]


@record
class Other:
    """Demands anything but these values, which are of one type."""

    values: tuple[Any, ...]

    def allows(self, value: Any) -> bool:
        """Whether the value will do."""
        return type(value) is type(self.values[0]) and value not in self.values

    def among(self, values: Iterable[Any]) -> Any:
        """The first of the values that will do, else one made up."""
        for value in values:
            if self.allows(value):
                return value
        return "other" if isinstance(self.values[0], str) else TritonObject("triton.language.float16")


PRESENT: Final = Other((None,))
"""Anything but None: a pointer, as a rule."""


def outcomes(walk: Walk) -> set[Outcome]:
    """Every way that a compile-time ``if`` went."""
    return {(b.test, way) for b in walk.branches for way in ((True, False) if b.taken is None else (b.taken,))}


def missed(walk: Walk) -> list[tuple[Branch, bool]]:
    """The ways that no test went, with one of the branches that could have."""
    went = outcomes(walk)
    found: dict[Outcome, Branch] = {}
    for branch in walk.branches:
        if branch.taken is not None and (branch.test, not branch.taken) not in went:
            found.setdefault((branch.test, not branch.taken), branch)
    return [(branch, way) for (_, way), branch in found.items()]


def demands(slice: Slice, branch: Branch, way: bool) -> dict[str, Any]:
    """Values of parameters under which the test would go the way; empty when none can be told from the syntax."""
    found = _demand(slice, branch.function, branch.env, branch.test, way)
    return found or _search(slice, branch, way)


def is_equality(test: ast.expr, way: bool) -> bool:
    """Whether only one value lets the test go the way."""
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, way = test.operand, not way
    return isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq if way else ast.NotEq)


def value(slice: Slice, branch: Branch, node: ast.expr) -> EvidentValue:
    """What an expression is at the branch."""
    return _value(slice, branch.function, branch.env, node)


def parameters(slice: Slice, branch: Branch) -> list[str]:
    """The parameters that the test depends on."""
    return sorted({o.path for o in _value(slice, branch.function, branch.env, branch.test).origins})


def _search(slice: Slice, branch: Branch, way: bool) -> dict[str, Any]:
    """Try usual values of each integer in the test; for ``K % (2 * BLOCK) == 0`` and the like."""
    for path in parameters(slice, branch):
        holders = [n for n, v in branch.env.items() if parameter(v) == path and type(v.const) is int]
        for value in _USUAL if holders else ():
            env = {**branch.env, **{n: constant(value, branch.env[n].origins) for n in holders}}
            if truth(_value(slice, branch.function, env, branch.test)) is way:
                return {path: value}
    return {}


def _value(slice: Slice, function: int, env: dict[str, EvidentValue], node: ast.expr) -> EvidentValue:
    walk = Walk(slice)
    return walk.evaluate(function, env, node)


def parameter(value: EvidentValue) -> str | None:
    """The parameter that a value is, and is not computed from."""
    direct = [o for o in value.origins if o.depth == 0]
    return direct[0].path if len(direct) == 1 and direct[0].addend else None


def _demand(
    slice: Slice,
    function: int,
    env: dict[str, EvidentValue],
    test: ast.expr,
    way: bool,
    through: frozenset[str] = frozenset(),
) -> dict[str, Any]:
    """``through``: the names that led here."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _demand(slice, function, env, test.operand, not way, through)
    parts: list[ast.expr] = []
    if isinstance(test, ast.BoolOp):
        parts = test.values
    elif (
        isinstance(test, ast.BinOp)
        and isinstance(test.op, (ast.BitAnd, ast.BitOr))
        and all(_is_flag(slice, function, env, side) for side in (test.left, test.right))
    ):
        parts = [test.left, test.right]
    if isinstance(test, (ast.BoolOp, ast.BinOp)) and parts:
        together = isinstance(test.op, (ast.And, ast.BitAnd)) == way
        found: dict[str, Any] = {}
        for part in parts:
            one = _demand(slice, function, env, part, way, through)
            if together:
                found.update({n: _both(found.get(n), v) for n, v in one.items()})
            elif one:
                return one
        return found
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left = _value(slice, function, env, test.left)
        right = _value(slice, function, env, test.comparators[0])
        for side, other, mirrored in ((left, right, False), (right, left, True)):
            name = parameter(side)
            if name is not None and other.const is not UNKNOWN and not (mirrored and parameter(left)):
                return _satisfy(name, test.ops[0], side.const, other.const, way, mirrored)
        if isinstance(test.ops[0], ast.Eq | ast.NotEq):
            alike = isinstance(test.ops[0], ast.Eq) == way
            for node, other in ((test.left, right), (test.comparators[0], left)):
                # Two tests: one of them goes as the other does, or the other way.
                wanted = truth(other) if isinstance(node, ast.Compare | ast.BoolOp | ast.UnaryOp) else None
                if wanted is not None and (found := _demand(slice, function, env, node, wanted == alike, through)):
                    return found
        return {}
    if isinstance(test, ast.BinOp) and isinstance(test.op, ast.BitAnd):
        left, right = (_value(slice, function, env, side) for side in (test.left, test.right))
        for side, bits in ((left, right), (right, left)):
            name = parameter(side)
            if name is not None and type(side.const) is int and type(bits.const) is int and not parameter(bits):
                return {name: side.const | bits.const if way else side.const & ~bits.const}
    if isinstance(test, ast.Name) and test.id not in through:
        meant = assigned(slice.functions[function].node).get(test.id)
        if meant is not None and (found := _demand(slice, function, env, meant, way, through | {test.id})):
            return found
    value = _value(slice, function, env, test)
    name = parameter(value)
    if name is not None:
        if value.const is None:
            return {name: PRESENT} if way else {}
        if isinstance(value.const, bool) or value.const is UNKNOWN:
            return {name: way}
        if isinstance(value.const, int):
            return {name: 1 if way else 0}
    origins = {o.path for o in value.origins}
    if len(origins) == 1 and isinstance(value.const, bool):
        (path,) = origins
        # What is computed of a number is no flag.
        if not any(type(held.const) is int for held in env.values() if parameter(held) == path):
            return {path: way}
    return {}


@kept_with_trees(256)
def assigned(node: ast.FunctionDef) -> dict[str, ast.expr | None]:
    """What the names are that a function assigns once, ``QUANTIZED: tl.constexpr = MODE >= 2``; None for others."""
    found: dict[str, ast.expr | None] = {a.arg: None for a in ast.walk(node.args) if isinstance(a, ast.arg)}
    for inner in descend(node):
        if isinstance(inner, (ast.Assign, ast.AnnAssign)):
            targets = inner.targets if isinstance(inner, ast.Assign) else [inner.target]
            for target in targets:
                for name in descend(target):
                    if isinstance(name, ast.Name):
                        alone = target is name and len(targets) == 1 and name.id not in found
                        found[name.id] = inner.value if alone else None
        elif isinstance(inner, (ast.AugAssign, ast.For)):
            found.update((name.id, None) for name in descend(inner.target) if isinstance(name, ast.Name))
    return found


def _is_flag(slice: Slice, function: int, env: dict[str, EvidentValue], node: ast.expr) -> bool:
    return isinstance(node, ast.Compare) or isinstance(_value(slice, function, env, node).const, bool)


def _both(before: Any, value: Any) -> Any:
    """What both demands ask of one parameter."""
    if isinstance(before, Other) and isinstance(value, Other):
        return Other(before.values + value.values)
    return value


def _near(other: float, extent: bool) -> tuple[float, ...]:
    """Numbers to either side. An extent is a power of two; what is compared with little counts up."""
    if isinstance(other, float):
        return other, other + 0.5, other - 0.5
    if extent or other > _SMALL:
        power = 1 << max(other.bit_length() - 1, 0)
        return power, power * 2, max(power // 2, 1), power * 4
    return other, other + 1, other - 1


def _satisfy(name: str, op: ast.cmpop, mine: Any, other: Any, way: bool, mirrored: bool) -> dict[str, Any]:
    if isinstance(op, (ast.NotEq, ast.IsNot, ast.NotIn)):
        way = not way
    if isinstance(op, (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)):
        if way:
            return {name: other}
        if other is None:
            return {name: PRESENT}
        if isinstance(other, bool):
            return {name: not other}
        if isinstance(other, int):
            # Extents are powers of two, numbers of modes count up.
            return {name: other * 2 if other > 2 and other & (other - 1) == 0 else other + 1}
        if isinstance(other, float):
            return {name: 0.5 if other != 0.5 else 1.5}
        return {name: Other((other,))} if isinstance(other, (str, TritonObject)) else {}
    if isinstance(op, (ast.In, ast.NotIn)) and isinstance(other, tuple) and other:
        return {name: other[0]} if way else {}
    if isinstance(other, (int, float)) and not isinstance(other, bool) and type(op) in ORDER:
        for value in _near(other, type(mine) is int and mine > _SMALL):
            left, right = (other, value) if mirrored else (value, other)
            if ORDER[type(op)](left, right) is way:
                return {name: value}
    return {}
