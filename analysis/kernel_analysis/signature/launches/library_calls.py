"""What a library's function or a tensor's method gives in the host code around a launch: of which kind, where its value
is not known, and why that may be another.

Knows no library itself: ``host/tensors/`` does. Reads syntax only.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.changes.text.text_patterns import may_set
from kernel_analysis.host.evaluate import kinds
from kernel_analysis.host.evaluate.argument import NOT_KNOWN, HostArgument
from kernel_analysis.host.evaluate.values import External, Method, TritonObject, Unknown, Value
from kernel_analysis.host.tensors import gives
from kernel_analysis.signature.launches import other_data, partly_known
from kernel_analysis.source.tree.forms import augmented

if TYPE_CHECKING:
    from kernel_analysis.signature.launches.frame import Frame, HostView

NOWHERE: Final = Unknown("It is not known without running the code.")


def given(host: HostView, function: Value, args: list[Value], keywords: dict[str, Value]) -> Value | None:
    """None where it is no library's function, or one of which nothing is known."""
    if isinstance(function, Method) and isinstance(function.receiver, HostArgument):
        return _method(host, function.receiver, function.name, args, keywords)
    if not isinstance(function, (External, TritonObject)):
        return None
    if function.path == "builtins.dict":
        return partly_known.dict_of(args, keywords)
    if function.path in ("torch.finfo", "torch.iinfo"):
        return Method(NOT_KNOWN, function.path)
    made = gives.called(function.path, args, keywords)
    if made is not None and made.kind == "tensor":
        _altered(host)
        default = host.resolver.torch.now().dtype
        if default is not None and "dtype" not in keywords:
            host.resolver.note(f"torch's default dtype may be set by {default}")
    return made


def _method(
    host: HostView, receiver: HostArgument, name: str, args: list[Value], keywords: dict[str, Value]
) -> Value | None:
    made = gives.method(receiver, name, args, keywords)
    resolver, at = host.resolver, host.calling
    sure = made.kind == "tensor" and made.sure
    own(host, receiver, name)
    if at is not None and may_set(at.module.usual, name):
        resolver.note(f"a `{name}` is set in the file")
    elif sure and (where := other_data.method_set(resolver, name)):
        resolver.note(f"a `{name}` is set in {where}")
    if receiver.kind == "tensor":
        _altered(host)
    return partly_known.kind_or(made, NOWHERE)


def own(host: HostView, owner: HostArgument, name: str) -> None:
    """Notes where what a tensor has under a name may be something else than torch gives it."""
    if owner.kind == "tensor" and owner.sure:
        module = host.resolver.any_module() if host.calling is None else host.calling.module
        host.resolver.libraries.taken(External("torch.Tensor"), name, module)


def augmented_by(host: HostView, node: ast.AugAssign, name: str, frame: Frame, order: int) -> Value:
    """What ``name op= other`` leaves the name with: a tensor is the same one, as far as it computes that itself."""
    both = augmented(node, ast.Name(name, ast.Load()))
    held = host.value(both.left, frame, order)
    tensor = kinds.of(held)
    if tensor.kind != "tensor":
        return host.value(both, frame, order)
    after = gives.in_place(node.op, tensor, kinds.of(host.value(both.right, frame, order)))
    return held if after is tensor else after


def operates(host: HostView, op: ast.operator | ast.unaryop | ast.cmpop, *operands: Value) -> None:
    """The same of what an operator asks its operands for."""
    if name := _ASKS.get(type(op)):
        for operand in map(kinds.of, operands):
            for before in ("", "r") if isinstance(op, ast.operator) else ("",):
                own(host, operand, f"__{before}{name}__")


_ASKS: Final[dict[type[ast.AST], str]] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.MatMult: "matmul", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitAnd: "and",
    ast.BitOr: "or", ast.BitXor: "xor", ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert", ast.Not: "bool",
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
}  # fmt: skip


def _altered(host: HostView) -> None:
    """Notes where what torch's functions give may be something else."""
    if (by := host.resolver.torch.now().by) is not None:
        host.resolver.note(f"what torch's functions give may be another by {by}")
