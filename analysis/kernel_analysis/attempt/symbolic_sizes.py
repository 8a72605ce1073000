"""Which assumed constexpr each size of a block is: ``int32[64]`` is ``int32[BLOCK]`` where nobody says what `BLOCK` is.

Reads the text of one function and the types that the compiler found. For display alone: where the text leaves it open
where a size comes from, the number stays.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from kernel_analysis.facts import Facts
from kernel_analysis.ir import Assigned, At
from kernel_analysis.report import SignatureReport
from kernel_analysis.source import arithmetic, limits
from kernel_analysis.source.slice import Constant, Namespace, SliceFunction, TritonObject
from kernel_analysis.source.tree.forms import chain
from kernel_analysis.source.tree.syntax import descend

_BLOCK = re.compile(r"(?P<element>[^\[\](),|]+)\[(?P<sizes>\d+(?:, \d+)*)\]")
_Size = tuple[int, str]
"""A number and what stands for it: a name, or the number itself."""
_Shape = tuple[_Size, ...]
_POINTERS = {"make_block_ptr": 4, "make_tensor_descriptor": 3}
_OF_A_SHAPE = {"zeros": 0, "full": 0, "ones": 0, **_POINTERS}
_OF_THE_FIRST = {"load", "to", "cast", "zeros_like", "full_like", "advance", "softmax", "cumsum"}
_ELEMENTWISE = _OF_THE_FIRST | {
    "where", "maximum", "minimum", "exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sqrt_rn", "div_rn", "abs", "sin",
    "cos", "tanh", "erf", "sigmoid", "floor", "ceil", "fma", "clamp", "cdiv", "pow",
}  # fmt: skip
_REDUCTIONS = {"sum", "max", "min", "argmax", "argmin", "xor_sum"}


class _Open(Exception):
    """A size may come from where this module does not look."""


def named(
    function: SliceFunction, facts: Facts, signature: SignatureReport | None, compiled: bool
) -> dict[tuple[At, str], str]:
    """Types with names in the place of the numbers that are assumed in the signature, by assignment and name.
    ``function``: the one that the facts are about; ``compiled``: with the signature, and not just up to an error."""
    if signature is None:
        return {}
    constants = {name: value for name, value in signature.constants.items() if type(value) is int}
    assumed = {name for name, (_, _, certain) in signature.evidence.items() if not certain}
    if assumed.isdisjoint(constants):
        return {}
    sizes = {name: (value, name if name in assumed else str(value)) for name, value in constants.items()}
    blocks = {name: () if isinstance(kind, str) and "[" not in kind else None for name, kind in signature.types.items()}
    calls = _calls(function, facts) if compiled else _calls_of_others(function)
    reader = _Reader(function, sizes, blocks, calls)
    of_node: dict[int, list[Assigned]] = {}
    for value in facts.values:
        if value.at.function == 0:
            of_node.setdefault(value.at.node, []).append(value)
    # A name is what the last assignment above made it: in a loop its sizes are the same in every turn.
    of_node.pop(0, None)  # its parameters
    order = sorted(of_node, key=lambda node: (getattr(function.nodes[node], "lineno", 0), node))
    found: dict[tuple[At, str], str] = {}
    for node in order:
        for value, text in reader.assigned(function.nodes[node], of_node[node]):
            found[value.at, value.name] = text
    return found


def _calls(function: SliceFunction, facts: Facts) -> set[int]:
    """Of jit functions: in their results is what their text makes."""
    return {id(function.nodes[call.at.node]) for call in facts.calls if call.at.function == 0}


def _calls_of_others(function: SliceFunction) -> set[int]:
    """What may be calls of jit functions, where the compiler did not come to tell: of all but Triton's own functions,
    and the methods of what is computed."""
    return {id(node) for node in function.nodes if isinstance(node, ast.Call) and not _is_tritons(function, node.func)}


def _is_tritons(function: SliceFunction, called: ast.expr) -> bool:
    root, names = chain(called)
    if not isinstance(root, ast.Name) or root.id not in function.bindings:
        return bool(names)
    binding = function.bindings[root.id]
    while isinstance(binding, Namespace) and names:
        binding = binding.members.get(names.pop(0), binding)
    return isinstance(binding, TritonObject)


class _Reader:
    def __init__(
        self,
        function: SliceFunction,
        sizes: dict[str, _Size],
        blocks: dict[str, _Shape | None],
        calls: set[int],
    ) -> None:
        self._function = function
        self._sizes, self._blocks, self._calls = sizes, blocks, calls

    def assigned(self, statement: ast.AST, values: list[Assigned]) -> list[tuple[Assigned, str]]:
        """What one statement gives names, as far as it can be said in names."""
        made = getattr(statement, "value", None)
        shapes = self._made(statement, made)
        try:
            candidates = set(self._of(made)) if isinstance(made, ast.expr) else set[_Size]()
            if isinstance(statement, ast.AugAssign):
                candidates.update(self._of(statement.target))
        except _Open:
            candidates = None
        out: list[tuple[Assigned, str]] = []
        for value in values:
            block = _BLOCK.fullmatch(value.type)
            self._local(value, made)
            if block is None:
                self._blocks[value.name] = None if "[" in value.type and "constexpr" not in value.type else ()
                continue
            shape = shapes.get(value.name)
            numbers = [int(size) for size in block["sizes"].split(", ")]
            if shape is not None and [number for number, _ in shape] == numbers:
                shown = [text for _, text in shape]
            else:
                shown = [_named(number, candidates) for number in numbers]
            # Where what it is of may be open, so may be what is made of it.
            known = candidates is not None or shape is not None
            self._blocks[value.name] = tuple(zip(numbers, shown, strict=True)) if known else None
            if shown != [str(number) for number in numbers]:
                out.append((value, f"{block['element']}[{', '.join(shown)}]"))
        return out

    def _made(self, statement: ast.AST, made: object) -> dict[str, _Shape | None]:
        """The shapes of what a statement gives each name, where the text pairs them."""
        if not isinstance(made, ast.expr):
            return {}
        if isinstance(statement, ast.AugAssign):
            targets, values = [statement.target], [ast.BinOp(statement.target, statement.op, made)]
        else:
            targets, values = list(getattr(statement, "targets", [getattr(statement, "target", None)])), [made]
        match targets, values:
            case [ast.Tuple(elts=names) | ast.List(elts=names)], [ast.Tuple(elts=items)] if len(names) == len(items):
                targets, values = names, items
            case _:
                values = values * len(targets)
        pairs = zip(targets, values, strict=True)
        return {name.id: self._sure(value) for name, value in pairs if isinstance(name, ast.Name)}

    def _sure(self, node: ast.expr) -> _Shape | None:
        try:
            return self._shape(node)
        except _Open:
            return None

    def _shape(self, node: ast.expr) -> _Shape | None:
        """The shape of an expression, axis by axis, where each step is one of those below."""
        if id(node) in self._calls:
            return None
        match node:
            case ast.Constant():
                return ()
            case ast.Name(id=name):
                return () if name in self._sizes else self._blocks.get(name)
            case ast.BinOp(left=left, right=right):
                return _broadcast([self._shape(left), self._shape(right)])
            case ast.BoolOp(values=values):
                return _broadcast(list(map(self._shape, values)))
            case ast.Compare(left=left, comparators=others):
                return _broadcast(list(map(self._shape, [left, *others])))
            case ast.UnaryOp(operand=operand):
                return self._shape(operand)
            case ast.Subscript(value=value, slice=index):
                return _indexed(self._shape(value), index)
            case ast.Attribute(value=value, attr="T"):
                shape = self._shape(value)
                return shape and shape[::-1]
            case ast.Call(func=function, args=arguments, keywords=keywords):
                given = {keyword.arg: keyword.value for keyword in keywords if keyword.arg}
                if isinstance(function, ast.Attribute):
                    owner = [function.value] if self._shape(function.value) else list[ast.expr]()
                    return self._called(function.attr, [*owner, *arguments], given)
                return self._called(getattr(function, "id", ""), arguments, given)
            case _:
                return None

    def _called(self, name: str, args: list[ast.expr], given: dict[str, ast.expr]) -> _Shape | None:
        """What a function of Triton's gives."""
        if name == "program_id":
            return ()
        if name == "arange" and len(args) == 2:
            return tuple(self._range(*args))
        if name in _OF_A_SHAPE:
            at = _OF_A_SHAPE[name]
            shape = given.get("block_shape" if name in _POINTERS else "shape", args[at] if at < len(args) else None)
            items = shape.elts if isinstance(shape, ast.Tuple | ast.List) else []
            sizes = [self._number(item) for item in items]
            return tuple(size for size in sizes if size is not None) if items and None not in sizes else None
        if not args:
            return None
        if name in _ELEMENTWISE:
            values = args if name not in _OF_THE_FIRST else args[:1]
            return _broadcast(list(map(self._shape, values)))
        if name in _REDUCTIONS and "keep_dims" not in given:
            axis = given.get("axis", args[1] if len(args) > 1 else None)
            shape = self._shape(args[0])
            if axis is None or shape is None:
                return () if axis is None else None
            number = self._number(axis)
            at = number[0] % len(shape) if number is not None and shape else None
            return None if at is None else shape[:at] + shape[at + 1 :]
        if name == "trans" and len(args) == 1 and not given:
            shape = self._shape(args[0])
            return shape and shape[::-1]
        if name == "dot" and len(args) > 1:
            left, right = self._shape(args[0]), self._shape(args[1])
            return (*left[:-1], right[-1]) if left and right else None
        return None

    def _local(self, value: Assigned, made: object) -> None:
        """A constant of the body that comes from an assumed one is assumed."""
        number = re.fullmatch(r"constexpr\[(\d+)\]", value.type)
        if number is None:
            self._sizes.pop(value.name, None)
            return
        inside = descend(made) if isinstance(made, ast.AST) else iter(())
        names = {node.id for node in inside if isinstance(node, ast.Name)}
        assumed = any(self._sizes.get(name, (0, "0"))[1] == name for name in names)
        self._sizes[value.name] = (int(number[1]), value.name if assumed else number[1])

    def _of(self, node: ast.expr) -> Iterable[_Size]:
        """The sizes of the blocks that an expression is computed from, and those that it makes."""
        if id(node) in self._calls:
            raise _Open
        match node:
            case ast.Name(id=name):
                sizes = self._blocks.get(name, ())
                if sizes is None:
                    raise _Open
                yield from sizes
            case ast.Call(func=function, args=arguments, keywords=keywords):
                yield from self._of(function)
                values = [*arguments, *(keyword.value for keyword in keywords)]
                if isinstance(function, ast.Attribute) and function.attr == "arange" and len(values) == 2:
                    yield from self._range(*values)
                    return
                for value in values:
                    yield from self._given(value)
            case _:
                for inner in ast.iter_child_nodes(node):
                    if isinstance(inner, ast.expr):
                        yield from self._of(inner)
                    elif isinstance(inner, ast.comprehension):
                        raise _Open

    def _range(self, start: ast.expr, end: ast.expr) -> Iterable[_Size]:
        first, last = self._number(start), self._number(end)
        if first is None or last is None:
            raise _Open
        yield last if first[0] == 0 else (last[0] - first[0], str(last[0] - first[0]))

    def _given(self, node: ast.expr) -> Iterable[_Size]:
        """What a function is given: sizes, in a list or by themselves, or something computed from blocks."""
        if isinstance(node, ast.List | ast.Tuple):
            for item in node.elts:
                yield from self._given(item)
            return
        number = self._number(node)
        if number is not None:
            yield number
            return
        yield from self._of(node)

    def _number(self, node: ast.expr) -> _Size | None:
        """An integer that is known when it is compiled."""
        match node:
            case ast.Constant(value=int(value)):
                return value, str(value)
            case ast.Name(id=name) if name in self._sizes:
                return self._sizes[name]
            case ast.Name(id=name):
                return self._bound(name)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
                return -value, str(-value)
            case ast.BinOp(left=left, right=right):
                one, other = self._number(left), self._number(right)
                return None if one is None or other is None else _computed(node.op, one[0], other[0])
            case _:
                return None

    def _bound(self, name: str) -> _Size | None:
        binding = self._function.bindings.get(name)
        if isinstance(binding, Constant) and isinstance(binding.value, int):
            return binding.value, str(binding.value)
        if name not in self._blocks and not isinstance(binding, TritonObject):
            raise _Open
        return None


def _broadcast(shapes: list[_Shape | None]) -> _Shape | None:
    """Of operands that meet, axis by axis from the last."""
    rank = max((len(shape) for shape in shapes if shape is not None), default=0)
    if None in shapes:
        return None
    padded = [((1, "1"),) * (rank - len(shape)) + shape for shape in shapes if shape is not None]
    axes = ({size for size in axis if size[0] != 1} or {(1, "1")} for axis in zip(*padded, strict=True))
    # Two names for one size: which of them it is, is not for us to say.
    return tuple(axis.pop() if len(axis) == 1 else (number := next(iter(axis))[0], str(number)) for axis in axes)


def _indexed(shape: _Shape | None, index: ast.expr) -> _Shape | None:
    """``x[:, None]``."""
    left = list(shape or ())
    made: list[_Size] = []
    for item in index.elts if isinstance(index, ast.Tuple) else [index]:
        match item:
            case ast.Constant(value=None):
                made.append((1, "1"))
            case ast.Slice(lower=None, upper=None, step=None) if left:
                made.append(left.pop(0))
            case _:
                return None
    return (*made, *left) if shape else None


def _named(number: int, candidates: set[_Size] | None) -> str:
    """What stands for a size: the one name that can, otherwise the number."""
    texts = {text for value, text in candidates or () if value == number}
    return texts.pop() if len(texts) == 1 and number != 1 else str(number)


def _computed(operator: ast.operator, one: int, other: int) -> _Size | None:
    try:
        value = arithmetic.number(operator, one, other)
    except (limits.TooMuch, ArithmeticError, TypeError, ValueError):
        raise _Open from None
    return (value, str(value)) if isinstance(value, int) else None
