"""How signatures read to people and to JSON."""

from __future__ import annotations

from typing import Any

from kernel_analysis import paths
from kernel_analysis.report import SignatureReport
from kernel_analysis.signature.evidence.pinned import spelled
from kernel_analysis.signature.signature_model import Signature
from kernel_analysis.source.slice import (
    AggregateRef,
    Constant,
    ConstantValue,
    FunctionRef,
    MadeOfTriton,
    NamedTupleValue,
    Slice,
    TorchDtype,
    TritonObject,
)


def type_text(signature: Signature, name: str) -> str:
    """The type of a parameter, with the value where it has one: ``*fp32``, ``constexpr = 128``."""
    if name in signature.made:
        return "an object, with what its fields may be"
    text = paths.spelled(signature.types.get(name, "?"))
    return f"{text} = {_value_text(signature.constants[name])}" if name in signature.constants else text


def _value_text(value: ConstantValue) -> str:
    if isinstance(value, FunctionRef):
        return "a jit function"
    if isinstance(value, AggregateRef):
        return "an aggregate"
    if isinstance(value, NamedTupleValue):
        fields = zip(value.fields, map(_value_text, value.values), strict=True)
        return f"({', '.join(f'{name}={text}' for name, text in fields)})"
    if isinstance(value, tuple):
        return f"({', '.join(map(_value_text, value))}{',' * (len(value) == 1)})"
    return spelled(value) or (value.path if isinstance(value, TritonObject) else repr(value))


def signature_text(signature: Signature) -> str:
    """The whole signature on one line."""
    return ", ".join(f"{name}: {type_text(signature, name)}" for name in signature.types)


def signature_report(
    signature: Signature, slice_: Slice, compile_ms: float, analysis_ms: float, operations: int
) -> SignatureReport:
    return SignatureReport(
        types=dict(signature.types),
        constants={name: _constant(value, slice_) for name, value in signature.constants.items()},
        evidence={name: (e.kind, e.detail, e.certain) for name, e in signature.evidence.items()},
        compile_ms=round(compile_ms, 3),
        analysis_ms=round(analysis_ms, 3),
        cached=False,
        operations=operations,
        launch_options=dict(signature.launch.given),
        target=signature.launch.target,
        bound={name: _bound(name, number, slice_) for name, number in signature.bound},
    )


def _bound(name: str, number: int, slice_: Slice) -> tuple[Any, str]:
    """What a name is compiled as, and why it is not known."""
    whose = next(function for function in slice_.functions if name in function.others)
    found = whose.others[name][number]
    if isinstance(found, Constant):
        return _constant(found.value, slice_), whose.varies[name]
    if isinstance(found, (TritonObject, FunctionRef, AggregateRef)):
        return _constant(found, slice_), whose.varies[name]
    return "something else", whose.varies[name]


def _constant(value: ConstantValue, slice_: Slice) -> Any:
    """Scalars as they are, the rest by the name that people know it by."""
    if isinstance(value, TritonObject):
        return value.path
    if isinstance(value, FunctionRef):
        return slice_.functions[value.index].qualname
    if isinstance(value, AggregateRef):
        return slice_.aggregates[value.index].qualname
    if isinstance(value, TorchDtype):
        return f"torch.{value.name}"
    if isinstance(value, MadeOfTriton):
        return repr(value)
    if isinstance(value, NamedTupleValue):
        return [_constant(item, slice_) for item in value.values]
    if isinstance(value, tuple):
        return [_constant(item, slice_) for item in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    return value
