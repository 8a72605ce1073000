"""What a parameter of a host function says of itself: by its annotation and its default. Reads syntax, and asks the
evaluator which class an annotation names."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.evaluate.argument import (
    BOOL,
    FLOAT,
    INT,
    INTEGERS,
    NOT_KNOWN,
    TENSOR,
    UNKNOWN,
    HostArgument,
    either,
    likely,
    literal,
    unsure,
)
from kernel_analysis.host.evaluate.values import External
from kernel_analysis.source.tree import parameters, scopes

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import EvaluatorView
    from kernel_analysis.signature.launches.frame import Frame

_ANNOTATED: Final[dict[str, HostArgument]] = {
    "int": INT,
    "float": FLOAT,
    "bool": BOOL,
    "str": HostArgument("str"),
    "Tensor": TENSOR,
    "LongTensor": HostArgument("tensor", dtype="i64"),
    "IntTensor": HostArgument("tensor", dtype="i32"),
    "dtype": HostArgument("dtype"),
    "TensorDescriptor": HostArgument("descriptor"),
    "TensorDescriptorIm2Col": HostArgument("descriptor"),
}
_CLASSES: Final = {"builtins.int": "int", "builtins.bool": "bool", "builtins.str": "str", "torch.Tensor": "tensor"}
"""What says of which kind a value is. (Where an annotation says ``float``, an integer may be passed as well.)"""
_INTEGERS: Final = re.compile(r"(?:\w+\.)*(?:[Ll]ist|[Tt]uple|Sequence|Iterable)\[int(?:, (?:int|\.\.\.))*\]?")
"""(The last bracket may be gone with an ``Optional``'s.)"""


def parameter(node: ast.arg, function: scopes.FunctionNode) -> HostArgument:
    """What a parameter of the launching function is, by annotation and default."""
    return said(node.annotation, parameters.defaults(function.args).get(node.arg))


def said(annotation: ast.expr | None, written_default: ast.expr | None) -> HostArgument:
    """What an annotation and a default say."""
    found = NOT_KNOWN
    optional = False
    if annotation is not None:
        written = ast.unparse(annotation).strip("'\"")
        optional = "None" in written or "Optional" in written
        plain = written.replace("Optional[", "").rstrip("]").replace("None |", "").replace("| None", "").strip()
        # What holds tensors is none: `tuple[torch.Tensor]`.
        names = plain.split("|") if "[" not in plain else []
        parts = [_ANNOTATED.get(name.strip().rpartition(".")[2], NOT_KNOWN) for name in names]
        one = NOT_KNOWN if NOT_KNOWN in parts or not parts else unsure(either(parts))
        found = INTEGERS if _INTEGERS.fullmatch(plain) else one
    default = constant(written_default)
    if default.kind == "none":
        optional = True
    elif default.kind != "unknown":
        if found is NOT_KNOWN:
            found = likely(default) if default.kind == "tuple" else replace(default, value=UNKNOWN, sure=False)
        if found.kind in ("int", "float", "str") and default.kind == found.kind:
            found = replace(found, likely=default.value)
    return replace(found, optional=optional) if optional else found


def is_very_class(
    host: EvaluatorView, found: HostArgument, node: ast.arg, frame: Frame, function: scopes.FunctionNode
) -> bool:
    """Whether its annotation is the class itself: no other of that name, and nothing beside it."""
    if node.annotation is None or found.optional or node in (function.args.vararg, function.args.kwarg):
        return False
    with host.resolver.aside(notes := set[str]()):
        meaning = host.value(node.annotation, frame.parent or frame, None)
    return isinstance(meaning, External) and not notes and _CLASSES.get(meaning.path) == found.kind


def constant(node: ast.expr | None) -> HostArgument:
    """A default that is written down as a constant, or as a tuple of such."""
    if isinstance(node, (ast.Tuple, ast.List)) and node.elts:
        items = tuple(map(constant, node.elts))
        return HostArgument("tuple", items=items) if all(item.kind != "unknown" for item in items) else NOT_KNOWN
    sign = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    operand = node.operand if isinstance(node, ast.UnaryOp) and sign else node
    value = operand.value if isinstance(operand, ast.Constant) else UNKNOWN
    if sign:
        return literal(-value) if isinstance(value, (int, float)) else NOT_KNOWN
    return NOT_KNOWN if value is UNKNOWN else literal(value)


def passed_to(found: HostArgument, told: list[HostArgument]) -> HostArgument:
    """The same, where calls in sight pass it these. One file sees not all calls of a function."""
    passed = either(told)
    if found.kind == "unknown":
        return replace(likely(passed), optional=passed.optional or found.optional)
    if passed.kind != found.kind:
        return found
    if found.kind == "object":
        return likely(passed)
    dtypes = {given.dtype for given in told if given.dtype is not None}
    dtype = dtypes.pop() if len(dtypes) == 1 else None
    value = passed.likely if passed.value is UNKNOWN else passed.value
    return replace(found, dtype=dtype, block=passed.block, likely=value, sure=found.sure and dtype is None)
