"""The types of the front end's values as people write them. Says nothing of what may be done with them."""

# pyright: basic
from __future__ import annotations

from typing import Any

from kernel_analysis.lowering import compat
from kernel_analysis.lowering.gate.gated_generator import unwrapped

_MOST_TEXTS = 4096


def type_text(value: Any) -> str:
    """A value's type as people write it: ``int32[1024]``, ``*fp32[128]``, ``fp32``, ``constexpr[64]``, ``(int32,
    fp32)``, ``State(buf: *fp32, n: constexpr[64])``."""
    tl = compat.tl
    if isinstance(value, tl.constexpr):
        return f"constexpr[{value.value!r}]"
    if isinstance(value, tl.tuple):
        return "(" + ", ".join(map(type_text, value.values)) + ")"
    kind = getattr(value, "type", None)
    if kind is None:
        return type(value).__name__
    # Triton's own name of such a type tells all that ours does.
    return _named(kind.name, kind) if type(kind) in _NAMED else _kind_text(kind)


_NAMED = {compat.tl.dtype, compat.tl.pointer_type, compat.tl.block_type}
_texts: dict[str, str] = {}


def _named(name: str, kind: Any) -> str:
    text = _texts.get(name)
    if text is None:
        if len(_texts) >= _MOST_TEXTS:
            _texts.clear()
        text = _texts[name] = _kind_text(kind)
    return text


def _kind_text(kind: Any) -> str:
    if kind.is_block() if hasattr(kind, "is_block") else False:
        return f"{_scalar(kind.scalar)}[{', '.join(str(unwrapped(size)) for size in kind.shape)}]"
    return _scalar(kind)


def _scalar(kind: Any) -> str:
    if isinstance(kind, compat.tl.pointer_type):
        element: Any = kind.element_ty
        inner = (
            f"{_scalar(element.scalar)}[{', '.join(str(unwrapped(s)) for s in element.shape)}]"
            if element.is_block()
            else _scalar(element)
        )
        return f"*{inner}"
    if compat.aggregate_type is not None and isinstance(kind, compat.aggregate_type):
        fields = ", ".join(f"{name}: {_kind_text(field)}" for name, field in kind.fields)
        return f"{kind.base_cls.__name__}({fields})"
    if isinstance(kind, compat.tl.tuple_type):
        return f"({', '.join(map(_kind_text, kind.types))})"
    if isinstance(kind, compat.tl.core.constexpr_type):
        return f"constexpr[{kind.value!r}]"
    return str(kind)
