"""What is known of a launch's arguments before any is chosen: what the launch in the code passes, and what the comment
above the kernel pins. Compiles nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kernel_analysis.host.evaluate.values import Tensor
from kernel_analysis.kernels import run_comment
from kernel_analysis.launch.follow import UNKNOWN, Arrived, Follower
from kernel_analysis.source.kernel import Launch


def plain(value: Any) -> bool:
    """Whether a value is a number, a text or None: something that a constexpr may be."""
    return value is None or isinstance(value, bool | int | float | str)


@dataclass(slots=True)
class Given:
    """By parameter: ``followed`` has the plain values that the launch in the code passes, ``shapes`` those of the
    tensors (``guessed``: where nothing says how many dimensions there are); ``pinned`` the plain values that the
    comment ``pin`` gives, ``made`` the tensors. ``why``: whence each is. ``assumed``: sentences for the user."""

    arrived: Arrived | None = None
    followed: dict[str, Any] = field(default_factory=dict[str, Any])
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict[str, "tuple[int, ...]"])
    guessed: set[str] = field(default_factory=set[str])
    pin: run_comment.Pinned | None = None
    pinned: dict[str, Any] = field(default_factory=dict[str, Any])
    made: dict[str, run_comment.MadeTensor] = field(default_factory=dict[str, run_comment.MadeTensor])
    why: dict[str, str] = field(default_factory=dict[str, str])
    assumed: list[str] = field(default_factory=list[str])

    @property
    def values(self) -> dict[str, Any]:
        """The plain ones; what is pinned goes before what is followed."""
        return {**self.followed, **self.pinned}


def given(
    follower: Follower, launches: Iterable[Launch], names: Sequence[str], pin: run_comment.Pinned | None
) -> Given:
    """For a kernel whose positional parameters have these ``names``. Raises run_pragma.Mistake."""
    found = _followed(follower, launches, names)
    if pin is not None:
        values = pin.values(found.followed)
        found.pin = pin
        found.pinned = {name: value for name, value in values.items() if plain(value)}
        found.made = {name: value for name, value in values.items() if isinstance(value, run_comment.MadeTensor)}
        found.why.update(dict.fromkeys(values, "pinned"))
        label = f"[{pin.label}]" if pin.label else ""
        found.assumed.append(f"pinned at line {pin.span.line}: # {run_comment.MARK}{label}")
    return found


def _followed(follower: Follower, launches: Iterable[Launch], names: Sequence[str]) -> Given:
    """From the first launch that can be followed."""
    for launch in launches:
        arrived = follower.arrive(launch)
        if arrived is None:
            continue
        passed = dict(zip(names, arrived.positional, strict=False))
        passed.update(arrived.keywords)
        tensors = {name: value for name, value in passed.items() if isinstance(value, Tensor)}
        line = launch.call.lineno
        return Given(
            arrived,
            {n: v for n, v in passed.items() if plain(v) and v is not UNKNOWN},
            {name: value.shape for name, value in tensors.items()},
            {name for name, value in tensors.items() if value.guessed},
            why=dict.fromkeys(passed, f"as at line {line}"),
            assumed=[f"arguments and grid as in the launch at line {line}, for tensors of chosen shapes"],
        )
    return Given()


def without_numbers_for_texts(known: Given, constants: Mapping[str, Any]) -> None:
    """A number that was made up for an argument of the function around the launch is no mode that the kernel compares
    with texts: there the likeliest text, of ``constants``, stays."""
    for name, value in constants.items():
        if isinstance(value, str) and isinstance(known.followed.get(name, value), int | float):
            del known.followed[name]
            known.why.pop(name, None)
