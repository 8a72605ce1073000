"""Signatures as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal, TypeAlias

from kernel_analysis.host.evaluate.argument import Split
from kernel_analysis.record import record
from kernel_analysis.source.slice import AggregateRef, ConstantValue

ParameterType: TypeAlias = str | tuple["ParameterType", ...]
"""A Triton type: ``*fp32``, ``*k16``-style const pointers as ``*kfp16``, ``i32``, ``constexpr``,
``tensordesc<fp32[16, 16]>``; a tuple of types for a tuple parameter. For helpers also a block, ``fp32[128, 64]`` or
``*fp32[128]`` (which a kernel can't have)."""

Extents: TypeAlias = tuple[str, ...]
"""What each part of a descriptor's block shape is computed as from the kernel's constants: ``BLOCK_N // 2``; empty
where it is not."""


@record
class Evidence:
    """Why a parameter has its type or value. ``certain``: what the user wrote fixes it (pragma, annotation, launch
    site, default, autotune config) in every run; an error that only a guessed parameter causes is our guess's fault,
    never the user's. ``said``: a launch says so, as far as the code around it is understood: nobody is accused for it,
    and no other guess is better. ``passed``: a launch passes a tensor of this element type, if nothing changes what it
    is called with: another is tried last. ``place``: where a launch is, for people. ``ones``: the paths of the
    integers, it or elements of it, for which a launch passes 1, which Triton compiles as a constant; ``others``: of
    those for which one may pass something else; ``any_size``: of those whose value is not known: certain is that it
    is an integer, and not how many bits it wants. ``rivals``: an autotuner tries other values as well, and passes over
    those that an assertion is against."""

    kind: Literal[
        "pragma", "annotation", "launch", "autotune", "heuristics", "default", "use", "name", "call", "assumed"
    ]
    detail: str
    certain: bool
    line: int | None = None
    place: str | None = None
    ones: tuple[str, ...] = ()
    said: bool = False
    any_size: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    passed: bool = False
    rivals: bool = False

    @property
    def fixed(self) -> bool:
        """Whether no other guess is tried in its place."""
        return self.certain or self.said


@record
class LaunchOptions:
    """How a kernel is launched, its arguments aside. ``given``: ``num_warps`` and the like, as a launch or an autotune
    config says them. ``settled``: what is not given has its default; else that is a guess, as where no launch is known.
    ``target``: what the kernel is written for, where that is another than kernels are compiled for otherwise;
    ``any_target``: it was tried for others, too, and does the same."""

    given: Mapping[str, int] = field(default_factory=dict[str, int])
    settled: bool = False
    target: str | None = None
    any_target: bool = False


@record
class InSight:
    """A launch that passes what a signature has. ``unsaid``: the parameters for which it has something that is not
    known; ``unsure``: those for which it may pass another thing in some run, or where another file changes it."""

    unsaid: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()


@record
class Signature:
    """``types`` has every parameter in order; ``constants`` every one of type ``constexpr`` (a ``None`` argument is
    the constexpr None) and, keyed ``"name[1]"``, constexpr elements of tuples. ``evidence`` has every parameter.
    ``later``: it is compiled only where the others leave something open. ``launches``: those in sight that pass all of
    it, as far as what they pass is known.
    ``launched``: the function is a kernel for certain, so no parameter is a block; ``called``: it is a helper for
    certain. ``names``: of the fields of named tuples and objects, by path; ``made``: the class of each object, whose
    type is a tuple of its fields'. ``extents``: of each descriptor whose block shape is made of constants; ``splits``:
    how it is divided among the thread blocks of a cluster, where a launch says so. ``memory``: the parameters of a
    function that nothing in sight launches which must be memory that a kernel allocates: nothing of the kind can be
    handed to it. ``bound``: names of the host's code that vary and are compiled as something else than they are likely
    to be, by its number in ``SliceFunction.others``."""

    types: dict[str, ParameterType]
    constants: dict[str, ConstantValue]
    evidence: dict[str, Evidence]
    launch: LaunchOptions = field(default_factory=LaunchOptions)
    later: bool = False
    launches: tuple[InSight, ...] = ()
    launched: bool = False
    called: bool = False
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    made: Mapping[str, AggregateRef] = field(default_factory=dict[str, AggregateRef])
    extents: Mapping[str, Extents] = field(default_factory=dict[str, Extents])
    splits: Mapping[str, Split] = field(default_factory=dict[str, Split])
    memory: tuple[str, ...] = ()
    bound: tuple[tuple[str, int], ...] = ()
