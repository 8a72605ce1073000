"""One way to launch: under a set of constexpr values, everything that follows from it. Compiles and bounds; runs
nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kernel_analysis.host.evaluate.values import Tensor
from kernel_analysis.launch.bounds.touched import Touched
from kernel_analysis.launch.choices import Sizes
from kernel_analysis.launch.follow import Follower
from kernel_analysis.launch.plan import bounded, grid_size
from kernel_analysis.launch.plan.compiled import CompiledKernel, CompiledVersion
from kernel_analysis.launch.plan.known_arguments import Given, plain
from kernel_analysis.launch.plan.machine_limits import Limits
from kernel_analysis.launch.plan.scalars import covered, scalars
from kernel_analysis.record import record
from kernel_analysis.signature.signature_model import Signature


@record
class Case:
    """``options``: the compiler's. ``constants``: the constexpr values that are given. ``scalars``: what is passed at
    run time; ``shrunk``: those of them that were made smaller, to what one block covers. ``why``: whence the value of a
    parameter is; ``assumed``: sentences for the user."""

    version: CompiledVersion
    grid: tuple[int, int, int]
    touched: Touched
    options: dict[str, int]
    constants: dict[str, Any]
    scalars: dict[str, Any]
    shrunk: dict[str, int]
    why: dict[str, str]
    assumed: list[str]

    @property
    def signature(self) -> Signature:
        return self.version.signature

    @property
    def feeds_itself(self) -> bool:
        """Whether the kernel would meet what it wrote in the launch before: numbers that bound its loops."""
        return any(
            p.type.lstrip("*k").startswith(("i", "u")) and p.read.verdict != "no" and p.write.verdict != "no"
            for p in self.version.facts.parameters
        )


class Cases:
    """Makes them, for one kernel and one size."""

    def __init__(
        self, compiled: CompiledKernel, sizes: Sizes, given: Given, follower: Follower, limits: Limits
    ) -> None:
        self._compiled, self._sizes, self._given = compiled, sizes, given
        self._follower, self._limits = follower, limits

    def all(self, many: Sequence[tuple[dict[str, Any], dict[str, int]]]) -> list[Case]:
        """For several sets of values and options. All get the same scalars, as one launch passes them. Raises TooBig,
        Refused."""
        cases = [self._case(values, options, {}) for values, options in many]
        common = {name: min(case.scalars[name] for case in cases) for case in cases for name in case.shrunk}
        if all(case.scalars[name] == value for case in cases for name, value in common.items()):
            return cases
        return [self._case(values, options, common) for values, options in many]

    def _case(self, values: dict[str, Any], options: dict[str, int], common: dict[str, int]) -> Case:
        """``common``: the scalars that are shrunk; where there are none yet, it is tried which can be."""
        given, sizes = self._given, self._sizes
        version, values = self._version(values)
        signature = version.signature
        self._limits.check_code(version.ir, {**values, **options})
        numbers, chosen = scalars(signature, values, sizes)
        why = {name: whence for name, whence in given.why.items() if name not in chosen}
        assumed: list[str] = []
        grid = grid_size.known(given, {**values, **numbers, **signature.constants})
        guess = grid or (4, 4, 4)
        touched = bounded.touched(self._compiled, version, numbers, guess, given, sizes)
        shrunk = common or covered(numbers, values, touched.extents, sizes)
        if shrunk:
            numbers.update(shrunk)
            why.update(dict.fromkeys(shrunk, "what one block covers"))
            touched = bounded.touched(self._compiled, version, numbers, guess, given, sizes)
        if grid is None:
            grid, blind = grid_size.by_use(touched, sizes)
            if blind:
                assumed.append("the number of programs is chosen")
            touched = bounded.touched(self._compiled, version, numbers, grid, given, sizes)
        bounded.refuse_unbounded(self._compiled, touched.touches, given)
        constants = {name: value for name, value in values.items() if name in signature.constants}
        return Case(version, grid, touched, options, constants, numbers, shrunk, why, assumed)

    def _version(self, values: dict[str, Any]) -> tuple[CompiledVersion, dict[str, Any]]:
        """The kernel under these values, and the values with what its heuristics make of them."""
        types, strict = self._types(values), self._given.pin is not None
        version = self._compiled.under(values, types, strict)
        heuristic = self._heuristics(version.signature, values)
        if heuristic:
            values = {**heuristic, **values}
            version = self._compiled.under(values, types, strict)
        return version, values

    def _types(self, values: dict[str, Any]) -> dict[str, str]:
        """Types other than those that were inferred: of pinned tensors, and of pointers that are pinned to None."""
        base, made, pin = self._compiled.base.signature, self._given.made, self._given.pin
        types = {n: f"*{one.type}" for n, one in made.items() if one.type is not None}
        for name in made.keys() - types.keys():
            if base.types.get(name) == "constexpr":
                types[name] = "*fp32"
        for name, kind in base.types.items():
            if isinstance(kind, str) and kind.startswith("tensordesc") and name in types:
                types[name] = f"tensordesc<{types[name][1:]}{kind[kind.index('[') :]}"
            elif pin is not None and name in pin.items and name in values and values[name] is None:
                types[name] = "constexpr"
        return types

    def _heuristics(self, signature: Signature, values: dict[str, Any]) -> dict[str, Any]:
        """What ``@triton.heuristics`` gives for these arguments."""
        function = self._compiled.function
        passed = {
            **signature.constants,
            **{name: value for name, value in values.items() if name in signature.types},
            **self._given.followed,
        }
        for name, kind in signature.types.items():
            if name not in passed and isinstance(kind, str):
                passed[name] = (
                    Tensor(self._given.shapes.get(name, (self._sizes.flat,)))
                    if kind.startswith("*")
                    else self._sizes.scalar(name, kind)
                )
        out: dict[str, Any] = {}
        for name, expression in function.heuristics.items():
            value = self._follower.apply(function.file, expression, [{**passed, **out}])
            if plain(value) and name in signature.types:
                out[name] = value
        return out
