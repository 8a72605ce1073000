"""Functions that launches and configs hand to a kernel, as constants of its slice. Plain data in, plain data out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kernel_analysis.host.decorators import aggregates
from kernel_analysis.host.evaluate.argument import HostArgument
from kernel_analysis.host.evaluate.values import ConstexprFunction, Jit, UserClass
from kernel_analysis.signature.evident_values import UNKNOWN
from kernel_analysis.source.slice import AggregateRef, FunctionRef, NamedTupleValue, Slice


def in_slice(argument: HostArgument, slice: Slice) -> HostArgument:
    """The argument with the slice's own functions in it. One that the slice does not have is not known."""
    if argument.items is not None:
        items = tuple([in_slice(item, slice) for item in argument.items])
        values = [None if item.kind == "none" else item.value for item in items]
        # A tuple is a value where all in it is known.
        if any(value is UNKNOWN for value in values):
            return replace(argument, items=items)
        whole = NamedTupleValue("Fields", argument.names, tuple(values)) if argument.names else tuple(values)
        return replace(argument, items=items, value=whole)
    return replace(argument, value=_own(argument.value, slice), likely=_own(argument.likely, slice))


def _own(value: Any, slice: Slice) -> Any:
    if isinstance(value, UserClass):
        key = aggregates.key(value)
        return next((AggregateRef(i) for i, made in enumerate(slice.aggregates) if made.key == key), UNKNOWN)
    if not isinstance(value, (Jit, ConstexprFunction)):
        return value
    # A function whose annotations a condition chooses has another node in the slice, over the same body.
    first = getattr(value.function.node, "body", (None,))[0]
    index = next((i for i, f in enumerate(slice.functions) if f.node.body[0] is first), None)
    return UNKNOWN if index is None else FunctionRef(index)
