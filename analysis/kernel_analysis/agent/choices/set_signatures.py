"""Signatures for what a config or a launch sets of a kernel's values. Plain data in and out."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from typing import Any

from kernel_analysis.attempt.outcome import Outcome
from kernel_analysis.signature.signature_model import Signature


def compiled_with(signature: Signature, outcome: Outcome) -> Signature:
    """The signature as it compiled, after what was amended of its guesses."""
    if not outcome.signatures:
        return signature
    shown = outcome.signatures[0].types
    types = dict(signature.types)
    for name, before in signature.types.items():
        now = shown.get(name)
        if isinstance(now, str) and isinstance(before, str) and "constexpr" not in (now, before):
            types[name] = now
    return replace(signature, types=types)


def led_by_a_guess(deciding: Set[str], signature: Signature) -> bool:
    """Whether something decides what is compiled that is not known of the launch. (A number that is passed doesn't.)"""
    for name, evidence in signature.evidence.items():
        kind = signature.types[name]
        number = isinstance(kind, str) and kind != "constexpr" and not kind.startswith(("*", "tensordesc"))
        if name in deciding and not number and not evidence.certain:
            return True
    return False


def with_value(signature: Signature, name: str, number: int) -> Signature:
    return replace(signature, constants={**signature.constants, name: number})


def power(value: Any) -> int | None:
    """The next power of two, of a number that is none."""
    if type(value) is not int or value < 1 or value & (value - 1) == 0:
        return None
    return 1 << value.bit_length()
