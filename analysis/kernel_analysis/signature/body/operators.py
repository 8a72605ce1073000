"""What Python's operators do to values in a jit function: their types, and what they say about their operands."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Final

from kernel_analysis.signature.body import lengths
from kernel_analysis.signature.evident_values import (
    NOTHING,
    UNKNOWN,
    Dim,
    EvidentValue,
    Origin,
    broadcast,
    constant,
    join_origins,
    promote,
    scalar,
)
from kernel_analysis.source import arithmetic
from kernel_analysis.source.arithmetic import ORDER
from kernel_analysis.source.dtypes import is_float, is_int
from kernel_analysis.source.slice import FunctionRef, TritonObject

if TYPE_CHECKING:
    from kernel_analysis.signature.body.body_view import BodyView

_MOST_ITEMS = 256  # of a tuple that is repeated
_LARGEST_DIVISOR: Final = 4096
_INTEGER: Final = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)


_METHODS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
}  # fmt: skip
_REFLECTED: dict[str, str] = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def _of_objects(walk: BodyView, *ways: tuple[EvidentValue, str, EvidentValue]) -> EvidentValue:
    """What the operator of an aggregate's class gives: the first of these methods that there is."""
    for owner, name, other in ways:
        method = None if owner.made is None else walk.slice.members(owner.made.index)[1].get(name)
        if isinstance(method, FunctionRef):
            return walk.call(method.index, [owner, other], {})
    return NOTHING


def truth(value: EvidentValue) -> bool | None:
    """Whether a compile-time value is true, None when not known."""
    if value.const is UNKNOWN:
        return None
    return bool(value.const)


def fold(op: ast.operator, left: Any, right: Any) -> Any:
    """The result on known numbers, texts and tuples, UNKNOWN where it fails or would be large."""
    try:
        return arithmetic.binary(op, left, right)
    except arithmetic.FAILS:
        return UNKNOWN


def _repeated(walk: BodyView, part: EvidentValue, times: EvidentValue) -> EvidentValue:
    """``(p,) * 3``; where it is not known how often, what is there at least once."""
    walk.vote(times, "number", 1, "it is how often a tuple is repeated")
    items = part.items or []
    often = times.const if isinstance(times.const, int) and times.const * len(items) <= _MOST_ITEMS else 1
    return EvidentValue(static=part.static and times.static, items=items * often, origins=part.origins)


def binary(walk: BodyView, op: ast.operator, left: EvidentValue, right: EvidentValue) -> EvidentValue:
    """``left op right``."""
    if left.made is not None or right.made is not None:
        name = _METHODS.get(type(op), "")
        return _of_objects(walk, (left, f"__{name}__", right), (right, f"__r{name}__", left))
    addition = isinstance(op, (ast.Add, ast.Sub))
    if left.const is not UNKNOWN and right.const is not UNKNOWN and not left.origins and not right.origins:
        value = fold(op, left.const, right.const)
        if value is not UNKNOWN:
            return constant(value)
    if addition and left.items is not None and right.items is not None:
        return EvidentValue(static=left.static and right.static, items=left.items + right.items)
    if isinstance(op, ast.Mult) and (left.items is not None) is not (right.items is not None):
        return _repeated(walk, *((left, right) if left.items is not None else (right, left)))
    if addition and (left.levels or right.levels):
        pointer, offset = (left, right) if left.levels else (right, left)
        if not offset.levels:
            index(walk, offset, "it is added to a pointer")
            origins = pointer.origins
            return EvidentValue(
                UNKNOWN, False, pointer.levels, pointer.dtype, broadcast(pointer.shape, offset.shape), origins
            )
        return EvidentValue(levels=0, dtype="i64", shape=broadcast(left.shape, right.shape))
    if not addition and not isinstance(op, _INTEGER):
        for side in (left, right):
            walk.vote(side, "number", 0.5, "it is computed with")
    keep = isinstance(op, ast.Add)
    origins = join_origins(left.origins, right.origins, keep)
    if isinstance(op, ast.Sub):
        # `p - n` can be an address, but n can't be its base.
        origins = join_origins(left.origins, join_origins(right.origins, (), False), True)
    if left.static and right.static:
        value = UNKNOWN if left.const is UNKNOWN or right.const is UNKNOWN else fold(op, left.const, right.const)
        if value is not UNKNOWN:
            return constant(value, origins)
        for side in (left, right):
            if side.const is UNKNOWN:
                walk.vote(side, "number", 1, "it is computed with")
        if isinstance(op, (ast.LShift, ast.RShift)):
            walk.vote(right, "bits", 1, "bits are shifted by it")
        if isinstance(op, ast.FloorDiv) and left.const is UNKNOWN and right.const is UNKNOWN:
            walk.vote(right, "divisor", 1, "it divides another")
        if isinstance(op, ast.FloorDiv) and isinstance(right.const, int) and right.const <= _LARGEST_DIVISOR:
            # A block of `BLOCK // 128` groups has one at least.
            least = 1 << max(right.const - 1, 0).bit_length()
            for path, depth, addend in left.origins:
                if depth == 0 and addend:
                    walk.clue(path).least = max(walk.clue(path).least, least)
        dtype = "float" if isinstance(op, ast.Div) or "float" in (left.dtype, right.dtype) else "int"
        return EvidentValue(static=True, levels=0, dtype=dtype, shape=(), origins=origins)
    if isinstance(op, _INTEGER):
        shift = isinstance(op, (ast.LShift, ast.RShift))
        if shift and right.static:
            walk.vote(right, "bits", 1, "bits are shifted by it")
        for side, other in ((left, right), (right, left)):
            mask = not shift and other.dtype == "i1"
            walk.vote(side, "bool" if mask else "int", 3, "bits are computed with it")
    elif isinstance(op, (ast.FloorDiv, ast.Mod)):
        weight = 2.0 if isinstance(op, ast.FloorDiv) else 1.5
        for side in (left, right):
            walk.vote(side, "int", weight, "it is divided with a rest")
    elif isinstance(op, ast.Div) and is_float(left.dtype):
        walk.vote(right, "float", 0.5, "it divides a float")
    elif not addition:
        for side, other in ((left, right), (right, left)):
            if is_float(other.dtype) and other.const is UNKNOWN:
                walk.vote(side, "float", 0.5, "it is multiplied with a float")
            elif other.dtype == "float":
                walk.vote(side, "float", 1, "it is multiplied with a float")
    dtype = promote(_dtype(left), _dtype(right))
    if isinstance(op, ast.Div) and not is_float(dtype):
        dtype = "fp32"
    elif isinstance(op, (ast.FloorDiv, *_INTEGER)) and dtype is None:
        dtype = "i1" if "i1" in (left.dtype, right.dtype) else "int"
    walk.equal(left.shape, right.shape)
    levels = 0 if left.levels == 0 and right.levels == 0 or not addition else None
    return EvidentValue(levels=levels, dtype=dtype, shape=broadcast(left.shape, right.shape), origins=origins)


def _dtype(value: EvidentValue) -> str | None:
    """A compile-time parameter that is computed with is an integer, as a rule."""
    return "int" if value.dtype is None and value.static else value.dtype


def index(walk: BodyView, value: EvidentValue, detail: str) -> None:
    """Say that a value is an offset, a bound or an index: an integer."""
    walk.vote(value, "int", 3, detail)


def unary(walk: BodyView, op: ast.unaryop, operand: EvidentValue) -> EvidentValue:
    """``op operand``."""
    origins = join_origins(operand.origins, (), False)
    known = operand.const
    if isinstance(op, ast.Not):
        walk.vote(operand, "flag" if operand.static else "test", 1, "it is tested")
        if known is not UNKNOWN:
            return constant(not known, origins)
        return EvidentValue(static=operand.static, levels=0, dtype="i1", shape=operand.shape, origins=origins)
    if isinstance(known, (int, float)):
        try:
            return constant(arithmetic.unary(op, known), origins)
        except arithmetic.FAILS:
            return operand
    if isinstance(op, ast.Invert):
        walk.vote(operand, "bool" if operand.dtype == "i1" else "int", 1.5, "its bits are flipped")
    return EvidentValue(static=operand.static, levels=0, dtype=operand.dtype, shape=operand.shape, origins=origins)


def boolean(walk: BodyView, conjunction: bool, values: list[EvidentValue]) -> EvidentValue:
    """``a and b`` or ``a or b``."""
    origins: tuple[Origin, ...] = ()
    for value in values:
        origins = join_origins(origins, value.origins, False)
        walk.vote(value, "flag" if value.static else "test", 1, "it is tested")
    truths = [truth(v) for v in values]
    if any(t is (not conjunction) for t in truths):
        return constant(not conjunction, origins)
    if all(t is conjunction for t in truths):
        return constant(conjunction, origins)
    static = all(v.static for v in values)
    shape = () if static else values[0].shape
    return EvidentValue(static=static, levels=0, dtype="i1", shape=shape, origins=origins)


def compare(walk: BodyView, op: ast.cmpop, left: EvidentValue, right: EvidentValue) -> EvidentValue:
    """``left op right``."""
    if (left.made is not None or right.made is not None) and type(op) in _METHODS:
        name = _METHODS[type(op)]
        return _of_objects(walk, (left, f"__{name}__", right), (right, f"__{_REFLECTED.get(name, name)}__", left))
    origins = join_origins(left.origins, right.origins, False)
    if isinstance(op, (ast.Is, ast.IsNot)):
        wanted = isinstance(op, ast.Is)
        if left.const is not UNKNOWN and right.const is not UNKNOWN:
            return constant((left.const is right.const) == wanted, origins)
        for side, other in ((left, right), (right, left)):
            if other.const is None:
                walk.vote(side, "none", 1, "it is compared with None")
                if side.levels or side.shape or (side.origins == () and side.levels == 0):
                    return constant(not wanted, origins)
            elif other.const is not UNKNOWN:
                compared(walk, side, other.const)
        return EvidentValue(static=True, levels=0, dtype="i1", shape=(), origins=origins)
    if isinstance(op, (ast.In, ast.NotIn)):
        known = [item.const for item in right.items or ()]
        if known and UNKNOWN not in known and left.const is not UNKNOWN:
            return constant((left.const in known) == isinstance(op, ast.In), origins)
        for item in right.items or ():
            compared(walk, left, item.const)
        return EvidentValue(static=left.static, levels=0, dtype="i1", shape=(), origins=origins)
    if left.static and right.static:
        for side, other in ((left, right), (right, left)):
            if (
                side.callee == lengths.LENGTH
                and side.self is not None
                and type(other.const) is int
                and isinstance(op, ast.Eq)
            ):
                lengths.at_least(walk, side.self, other.const)
        # (One step stands for all of an unrolled loop, of which each may go another way.)
        one_of_many = lengths.STEP in (left.callee, right.callee)
        if left.const is not UNKNOWN and right.const is not UNKNOWN and not one_of_many:
            try:
                return constant(bool(ORDER[type(op)](left.const, right.const)), origins)
            except TypeError:
                return EvidentValue(static=True, levels=0, dtype="i1", shape=(), origins=origins)
        for side, other in ((left, right), (right, left)):
            if other.const is not UNKNOWN:
                if isinstance(op, (ast.Eq, ast.NotEq)) or isinstance(other.const, (str, TritonObject)):
                    compared(walk, side, other.const)
                else:
                    walk.vote(side, "number", 1, "it is compared with a number")
        return EvidentValue(static=True, levels=0, dtype="i1", shape=(), origins=origins)
    for side, other in ((left, right), (right, left)):
        if other.const is not UNKNOWN and isinstance(other.const, (str, TritonObject)):
            compared(walk, side, other.const)
            return EvidentValue(static=True, levels=0, dtype="i1", shape=(), origins=origins)
        if is_int(other.dtype):
            weight = 0.5 if other.static else 1.5
            if isinstance(other.const, bool):
                walk.vote(side, "bool", weight, "it is compared with a bool")
            else:
                walk.vote(side, "int", weight, "it is compared with an integer")
        elif is_float(other.dtype):
            walk.vote(side, "float", 4 if side.static else 1, "it is compared with a float")
        else:
            walk.vote(side, "number", 0.5, "it is compared")
    return EvidentValue(levels=0, dtype="i1", shape=broadcast(left.shape, right.shape))


def compared(walk: BodyView, value: EvidentValue, other: Any) -> None:
    """Note a constant that a compile-time value is compared with."""
    if other is UNKNOWN:
        return
    for path, depth, addend in value.origins:
        if depth == 0 and addend:
            known = walk.clue(path).compared
            if not any(type(k) is type(other) and k == other for k in known):
                known.append(other)
            walk.clue(path).vote(0, "compared", 1, None, f"it is compared with {other!r}")


def subscript(walk: BodyView, value: EvidentValue, node: ast.expr) -> EvidentValue:
    """``value[node]``: an element of a tuple, or a block with dimensions added."""
    if value.callee == "launch":
        return value
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    if any(isinstance(p, ast.Slice) or (isinstance(p, ast.Constant) and p.value is None) for p in parts):
        if value.items is not None and isinstance(node, ast.Slice):
            low = walk.expr(node.lower).const if node.lower is not None else None
            high = walk.expr(node.upper).const if node.upper is not None else None
            if isinstance(low, (int, type(None))) and isinstance(high, (int, type(None))):
                return EvidentValue(static=value.static, items=value.items[low:high], origins=value.origins)
            return NOTHING
        return expanded(walk, value, parts)
    position = walk.expr(node)
    if value.callee == lengths.SHAPE and value.self is not None and isinstance(position.const, int):
        needs_rank(walk, value.self, position.const + 1 if position.const >= 0 else -position.const)
    if value.items is not None and isinstance(position.const, str):
        return value.items[value.names.index(position.const)] if position.const in value.names else NOTHING
    if value.items is not None:
        if isinstance(position.const, int) and -len(value.items) <= position.const < len(value.items):
            return value.items[position.const]
        if isinstance(position.const, int) and position.const > 0:
            lengths.at_least(walk, value, position.const + 1)
        if position.const is not UNKNOWN:
            return value.items[0] if value.items else NOTHING
        for index in range(len(value.items)):
            compared(walk, position, index)
        return any_of(walk, value.items)
    if value.levels is None and value.shape is None and isinstance(position.const, int) and position.const >= 0:
        for path, depth, addend in value.origins:
            if depth == 0 and addend:
                clue = walk.clue(path)
                clue.vote(0, "tuple", 5, node.lineno, "it is indexed")
                clue.arity = max(clue.arity, position.const + 1)
        if position.callee == lengths.STEP:
            walk.vote(value, "each", 1, "a loop goes over it")
        return walk.element(value, position.const)
    if value.origins and position.static and value.shape is None and value.levels is None:
        walk.vote(value, "tuple", 5, "it is indexed")
        walk.vote(value, "each", 1, "it is indexed")
        compared(walk, position, 0)
        return walk.element(value, 0)
    return scalar(value.dtype, value.origins)


def any_of(walk: BodyView, items: list[EvidentValue]) -> EvidentValue:
    """One of several values, nobody knows which."""
    result = items[0] if items else NOTHING
    for item in items[1:]:
        result = walk.join(result, item)
    return result


def expanded(walk: BodyView, value: EvidentValue, parts: list[ast.expr]) -> EvidentValue:
    """``value[:, None]``."""
    rank = sum(isinstance(p, ast.Slice) for p in parts)
    if value.shape is None:
        needs_rank(walk, value, rank)
    source: list[Dim] = list(value.shape) if value.shape is not None else [None] * rank
    shape: list[Dim] = []
    for part in parts:
        if isinstance(part, ast.Slice):
            shape.append(source.pop(0) if source else None)
        else:
            shape.append(1)
    return EvidentValue(levels=value.levels, dtype=value.dtype, shape=(*shape, *source), origins=value.origins)


def needs_rank(walk: BodyView, value: EvidentValue, rank: int) -> None:
    """Say that a value must be a block of at least this rank."""
    for path, depth, _ in value.origins:
        if depth <= 1:
            clue = walk.clue(path)
            clue.rank = max(clue.rank, rank)
