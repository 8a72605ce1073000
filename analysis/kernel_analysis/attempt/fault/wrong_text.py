"""What fails wherever it is compiled, whatever is passed: a place whose text alone says so.

A table of forms. None may ask for a type or a value that somebody else could give, nor for what an aggregate's own
operators do.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, Final

from kernel_analysis.attempt.fault.known_blocks import MAKE_BLOCKS, KnownBlocks
from kernel_analysis.attempt.fault.known_dtypes import leaves_out
from kernel_analysis.attempt.fault.known_ranks import REDUCTIONS, argument, axis, dimensions_kept, rank
from kernel_analysis.source.dtypes import LANGUAGE
from kernel_analysis.source.slice import FunctionRef, Namespace, SliceFunction, TritonObject
from kernel_analysis.source.tree.device_loops import is_on_device, range_of
from kernel_analysis.source.tree.forms import is_none, last_name
from kernel_analysis.source.tree.syntax import descend

_DISPLAYS: Final = (ast.Tuple, ast.List, ast.Dict, ast.Set, ast.Lambda, ast.JoinedStr)
_ACCESSES: Final = frozenset({"load", "store"})
_SHAPED: Final = frozenset({"zeros", "full", "reshape", "view", "broadcast_to"})
_NOT_MULTIPLIED: Final = frozenset({"int16", "int32", "int64", "uint16", "uint32", "uint64", "int1"})
"""What no matrix product is made of."""
_FLOATS: Final = frozenset(name for name in LANGUAGE if "float" in name)
_COMBINES: Final = {"reduce": 2, "associative_scan": 2, "map_elementwise": 0}
"""Where each is given the function that it has Triton call."""
_BITS: Final = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)
_BY_IDENTITY: Final = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
_MODULES: Final = ("triton", "triton.language")


def is_wrong(node: ast.AST, function: SliceFunction, launched: bool, retyped: str | None) -> bool:
    """Whether the node of the function, where a compile failed, fails in every compile that gets there. ``launched``:
    the function is passed no blocks; ``retyped``: the name that an error is about to which the node gives two types."""
    known = KnownBlocks(function, launched)
    if launched and retyped is not None and isinstance(node, ast.If | ast.For | ast.While):
        return _changes_rank(retyped, node, known)
    return any(isinstance(node, kind) and form(node, known) for kind, form in _FORMS)


def is_too_large(node: ast.AST, function: SliceFunction) -> bool:
    """Whether a block of integers meets a number that is none of theirs."""
    known = KnownBlocks(function)
    sides = (node.left, node.right) if isinstance(node, ast.BinOp) else ()
    return any(leaves_out(one, other, node, known) for one in sides for other in sides if one is not other)


def says_address_space(node: ast.AST, function: SliceFunction) -> bool:
    """Whether a pointer type that is made there is given one by its number, which no pointer that is passed has."""
    known = KnownBlocks(function)
    made = (inner for inner in descend(node) if isinstance(inner, ast.Call))
    spaces = [argument(call, "address_space", 1) for call in made if known.of_language(call.func) == "pointer_type"]
    return any(isinstance(space, ast.Constant) and type(space.value) is int for space in spaces)


def lacks(attribute: str, node: ast.AST, function: SliceFunction) -> bool:
    """Whether the attribute is taken of what is a block whatever is passed."""
    known = KnownBlocks(function)
    taken = [inner for inner in descend(node) if isinstance(inner, ast.Attribute) and inner.attr == attribute]
    return bool(taken) and all(known.is_block(one.value, one) for one in taken)


def _operator(node: ast.BinOp, known: KnownBlocks) -> bool:
    """What is no operand meets a block; an address is computed with what no address takes."""
    if _meet((node.left, node.right), node, known):
        return True
    if isinstance(node.op, _BITS) and any(_is_cast(side, _FLOATS, known) for side in (node.left, node.right)):
        return True
    return any(_address(call) is node for call in _accesses(known)) and _is_no_address(node, node, known)


def _is_no_address(node: ast.expr, place: ast.AST, known: KnownBlocks) -> bool:
    """Whether an expression gives no pointers, or does not compile."""
    if known.is_number(node, place) or not isinstance(node, ast.BinOp):
        return known.is_number(node, place)
    if isinstance(node.op, ast.Add | ast.Sub):
        return any(known.is_float(side, place) for side in (node.left, node.right))
    return known.launched


def _augmented(node: ast.AugAssign, known: KnownBlocks) -> bool:
    if not isinstance(node.target, ast.Name):
        return False
    return _meet((ast.Name(node.target.id, ast.Load()), node.value), node, known)


def _comparison(node: ast.Compare, known: KnownBlocks) -> bool:
    by_identity = any(isinstance(op, _BY_IDENTITY) for op in node.ops)
    return not by_identity and len(node.ops) == 1 and _meet((node.left, node.comparators[0]), node, known)


def _call(node: ast.Call, known: KnownBlocks) -> bool:
    if known.is_block(node.func, node) or _combines_by_argument(node, known):
        return True  # it is no function
    if isinstance(node.func, ast.Name) and node.func.id == "len":
        builtin = "len" not in known.function.bindings and not known.given("len", node)
        return builtin and len(node.args) == 1 and known.is_block(node.args[0], node)
    name = known.of_language(node.func)
    if name in _ACCESSES:
        address = _address(node)
        if address is None:
            return False
        return _is_no_address(address, node, known) or name == "store" and known.launched and _is_wide(node, known)
    if name in REDUCTIONS and known.launched and node.args:
        along, of = axis(node), rank(node.args[0], node, known)
        return along is not None and of is not None and not -of <= along < of
    if name == "dot":
        return any(_is_cast(side, _NOT_MULTIPLIED, known) for side in node.args[:2])
    if name == "arange":
        ends = [_number(end) for end in node.args]
        start, end = ends if len(ends) == 2 else (None, None)
        return start is not None and end is not None and not _is_power(end - start)
    sizes = (
        _number(size) for shape in node.args for size in (shape.elts if isinstance(shape, ast.Tuple | ast.List) else ())
    )
    return name in _SHAPED and any(size is not None and not _is_power(size) for size in sizes)


def _combines_by_argument(node: ast.Call, known: KnownBlocks) -> bool:
    """Whether a reduction, scan or map is given its function by a name of the kernel's own. Whatever that is passed, it
    is a block, an object, or in a constexpr, and Triton takes none of them: only what it has of the file's names."""
    of_block = isinstance(node.func, ast.Attribute) and known.is_block(node.func.value, node)
    name = node.func.attr if of_block and isinstance(node.func, ast.Attribute) else known.of_language(node.func)
    if name not in _COMBINES or of_block and name == "map_elementwise":
        return False
    position = _COMBINES[name] - of_block
    if any(isinstance(one, ast.Starred) for one in node.args[: position + 1]):
        return False
    given = argument(node, "scalar_fn" if name == "map_elementwise" else "combine_fn", position)
    return isinstance(given, ast.Name) and bool(known.given(given.id, node))


def _is_wide(store: ast.Call, known: KnownBlocks) -> bool:
    """Whether what is stored, or its mask, has more dimensions than where it goes."""
    over = rank(store.args[0], store, known)
    parts = filter(None, (argument(store, "value", 1), argument(store, "mask", 2)))
    return over is not None and any((has := rank(part, store, known)) is not None and has > over for part in parts)


def _changes_rank(name: str, node: ast.AST, known: KnownBlocks) -> bool:
    """Whether the one assignment of a name in a statement gives it another rank than it had before."""
    stored = [n for n in descend(node) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)]
    made = [n for n in descend(node) if isinstance(n, ast.Assign) and any(target in stored for target in n.targets)]
    if len(stored) != 1 or len(made) != 1:
        return False
    before, after = rank(ast.Name(name, ast.Load()), node, known), rank(made[0].value, made[0], known)
    return before is not None and after is not None and before != after


def _item(node: ast.Subscript, known: KnownBlocks) -> bool:
    """An element is taken out of a block; more dimensions are kept than there are."""
    if not known.is_block(node.value, node):
        return False
    if known.launched and (has := rank(node.value, node, known)) is not None and dimensions_kept(node) > has:
        return True
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return any(
        not is_none(part) if isinstance(part, ast.Constant) else known.is_block(part, node) or _is_cut(part)
        for part in parts
    )


def _is_cut(part: ast.expr) -> bool:
    bounds = (part.lower, part.upper, part.step) if isinstance(part, ast.Slice) else ()
    return any(bound is not None and not is_none(bound) for bound in bounds)


def _taken(node: ast.Assign, known: KnownBlocks) -> bool:
    """Of one block several names are given something."""
    return any(isinstance(target, ast.Tuple) for target in node.targets) and known.is_number(node.value, node)


def _test(node: ast.If | ast.While | ast.IfExp, known: KnownBlocks) -> bool:
    """A module or a function is asked whether it is true; a loop of the device is left; None where a number may be."""
    if _is_of_a_module(node.test, known):
        return True
    if isinstance(node, ast.IfExp) and (is_none(node.body) or is_none(node.orelse)):
        return _is_made_a_block(node.test, node, known)
    if not isinstance(node, ast.If) or not known.is_block(node.test, node):
        return False
    return any(isinstance(inner, ast.Return) for inner in descend(node)) and any(
        isinstance(loop, ast.While) or isinstance(loop, ast.For) and is_on_device(loop, known.function)
        for loop in known.around(node)
    )


def _is_made_a_block(node: ast.expr, place: ast.AST, known: KnownBlocks) -> bool:
    """Whether it is a block, also of what the compiler knows: what compares is one as soon as a name is given it."""
    if known.is_block(node, place):
        return True
    given = known.given(node.id, place) if isinstance(node, ast.Name) else []
    return bool(given) and all(isinstance(at, ast.Assign) and isinstance(value, ast.Compare) for value, at in given)


def _raise(node: ast.Raise, known: KnownBlocks) -> bool:
    """Where the kernel itself decides whether something is raised: a kernel that is compiled has it in it."""
    tests = [outer for outer in known.around(node) if isinstance(outer, ast.If | ast.While)]
    return bool(tests) and all(known.is_block(outer.test, outer) for outer in tests)


def _text(node: ast.JoinedStr, known: KnownBlocks) -> bool:
    return any(isinstance(part, ast.FormattedValue) and known.is_block(part.value, node) for part in node.values)


def _comprehension(node: ast.ListComp | ast.GeneratorExp, known: KnownBlocks) -> bool:
    """It takes tuples, and no ranges."""
    return range_of(node.generators[0].iter, known.function).rpartition(".")[2] in ("range", "static_range")


_FORMS: Final[tuple[tuple[type | tuple[type, ...], Callable[[Any, KnownBlocks], bool]], ...]] = (
    (ast.BinOp, _operator),
    (ast.AugAssign, _augmented),
    (ast.Compare, _comparison),
    (ast.Call, _call),
    (ast.Subscript, _item),
    (ast.Assign, _taken),
    ((ast.If, ast.While, ast.IfExp), _test),
    (ast.Raise, _raise),
    (ast.JoinedStr, _text),
    ((ast.ListComp, ast.GeneratorExp), _comprehension),
)


def _meet(sides: tuple[ast.expr, ast.expr], place: ast.AST, known: KnownBlocks) -> bool:
    one, other = sides
    return any(
        _is_no_operand(side, place, known) and known.is_block(beside, place)
        for side, beside in ((one, other), (other, one))
    )


def _is_no_operand(node: ast.expr, place: ast.AST, known: KnownBlocks, depth: int = 0) -> bool:
    """Whether it is nothing that a block is computed with: None, a text, a tuple, a module, a function, a dtype."""
    if isinstance(node, ast.Constant):
        return node.value is None or isinstance(node.value, str | bytes)
    if isinstance(node, _DISPLAYS):
        return True
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mult):
        # Repeated, or with more behind it, it is such a thing again, or fails.
        return any(_is_no_operand(side, place, known, depth) for side in (node.left, node.right))
    values = known.given(node.id, place) if isinstance(node, ast.Name) and depth < 2 else ()
    if not values:
        return _is_of_a_module(node, known)
    return all(value is not None and _is_no_operand(value, at, known, depth + 1) for value, at in values)


def _is_of_a_module(node: ast.expr, known: KnownBlocks) -> bool:
    """Whether it is a module, a function or a dtype."""
    if known.of_language(node) in {*MAKE_BLOCKS, *_ACCESSES, *LANGUAGE}:
        return True
    if not isinstance(node, ast.Name) or known.given(node.id, node):
        return False
    binding = known.function.bindings.get(node.id)
    return (
        isinstance(binding, FunctionRef | Namespace) or isinstance(binding, TritonObject) and binding.path in _MODULES
    )


def _is_cast(node: ast.expr, dtypes: frozenset[str], known: KnownBlocks) -> bool:
    called = node.func if isinstance(node, ast.Call) and len(node.args) == 1 else None
    return isinstance(node, ast.Call) and last_name(called) == "to" and known.of_language(node.args[0]) in dtypes


def _number(node: ast.expr) -> int | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if type(value) is int else None


def _is_power(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0


def _address(call: ast.Call) -> ast.expr | None:
    return call.args[0] if call.args and not isinstance(call.args[0], ast.Starred) else None


def _accesses(known: KnownBlocks) -> Iterator[ast.Call]:
    for node in known.function.nodes:
        if isinstance(node, ast.Call) and known.of_language(node.func) in _ACCESSES:
            yield node
