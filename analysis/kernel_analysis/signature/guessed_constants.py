"""Guesses for the ``tl.constexpr`` of host code whose value nobody can know without running it (how many processors the
GPU has, a variable of the environment), as for a parameter that no launch is seen to pass. Each varies: nobody is
accused for it, and what depends on it is not said for certain.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, TypeAlias

from kernel_analysis.signature.body.clues import uses
from kernel_analysis.signature.body.walk import Walk
from kernel_analysis.signature.compile_time import guess
from kernel_analysis.signature.evident_values import global_origin
from kernel_analysis.signature.parameter_evidence import Known
from kernel_analysis.source.slice import Binding, Constant, ConstantValue, Namespace, Slice, TritonObject, Unresolved

_OF_A_CLASS: Final = {"call": 1, "tuple": 5}
"""What is done with what is no number, text or dtype: a guess would say nothing of what it does."""
_Shown: TypeAlias = int | float | str | None


def supply(slice: Slice) -> None:
    """Binds such names, in all functions of the slice alike. A function, a tuple or an object stays unresolved."""
    if not any(_is_open(binding) for function in slice.functions for binding in function.bindings.values()):
        return
    walk = uses(slice, asks_globals=True)
    for function in slice.functions:
        for name, binding in function.bindings.items():
            made, why = _guessed(walk, name, binding, slice.guessed)
            if why is not None:
                function.bindings[name] = made
                function.varies.setdefault(name, why)


def _is_open(binding: Binding) -> bool:
    if isinstance(binding, Namespace):
        return any(map(_is_open, binding.members.values()))
    return isinstance(binding, Unresolved) and binding.constexpr is not None


def _guessed(
    walk: Walk, name: str, binding: Binding, noted: dict[str, tuple[_Shown, str]]
) -> tuple[Binding, str | None]:
    """The binding with a guess in the place of what is not known, and why that is not known."""
    if isinstance(binding, Namespace):
        made = {n: _guessed(walk, f"{name}.{n}", inner, noted) for n, inner in binding.members.items()}
        reasons = [why for _, why in made.values() if why is not None]
        members = {member: inner for member, (inner, _) in made.items()}
        return replace(binding, members=members), min(reasons, default=None)
    if not isinstance(binding, Unresolved) or binding.constexpr is None:
        return binding, None
    clue = walk.clue(global_origin(binding.constexpr).path)
    if clue.named or any(clue.weight(role) >= weight for role, weight in _OF_A_CLASS.items()):
        return binding, None
    value = guess(Known(name.rpartition(".")[2], None, None, clue=clue), None)[0][0]
    why = (binding.reason.partition("can't be resolved: ")[2] or binding.reason).rstrip(".")
    noted[name] = _shown(value), why
    return Constant(value, True, binding.constexpr), why


def _shown(value: ConstantValue) -> _Shown:
    """A number, text or flag; anything else as people write it."""
    if isinstance(value, TritonObject):
        return value.path
    return value if isinstance(value, (int, float, str)) or value is None else repr(value)
