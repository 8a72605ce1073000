"""How much there is to go through in a value, so that what the evaluation asks of Python is paid for in its steps.

One step of Python's may go through all parts of what it is given (to compare, to hash, to copy), and through one that
is there twice a second time: sharing makes few objects endless. Calls nothing of the values.
"""

# pyright: basic
from __future__ import annotations

from typing import Any

from kernel_analysis.lowering import compat
from kernel_analysis.lowering.gate.allowlist import kinds
from kernel_analysis.lowering.gate.not_evaluable import NotEvaluable

_MOST = 1 << 16
_DEEPEST = 1000  # Python goes into what it hashes by calls of its own, and does not count them
_A_STEP = 64  # parts, or as many bits of a number, or four times as many characters

_LIGHT = frozenset({bool, float, type(None)})


def weight(value: Any) -> int:
    """In steps. Raises NotEvaluable for what is too large, or nested too deeply, to be gone through at all."""
    if type(value) in _LIGHT:
        return 0
    bits, parts = 0, 0
    waiting = [(value, 0)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, int):
            bits += value.bit_length()
            continue
        if isinstance(value, str | bytes):
            bits += len(value) // 4
            continue
        inner = _parts(value)
        parts += len(inner)
        if parts > _MOST:
            raise NotEvaluable("the sequence is too long")
        if inner and depth >= _DEEPEST:
            raise NotEvaluable("it is nested too deeply")
        waiting += [(part, depth + 1) for part in inner if type(part) not in _LIGHT]
    return (bits + parts) // _A_STEP


def _parts(value: Any) -> Any:
    """What Python comes to by this value."""
    if isinstance(value, list | tuple | set | frozenset | range):
        return value
    if isinstance(value, dict):
        return [*value, *value.values()]
    if isinstance(value, compat.tl.tuple):
        return value.values
    if isinstance(value, compat.tl.constexpr):
        return (value.value,)
    return [*vars(value).values()] if type(value) in kinds and hasattr(value, "__dict__") else ()
