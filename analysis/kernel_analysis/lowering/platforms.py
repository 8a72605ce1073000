"""What kernels are compiled for: Triton's backend for a target, and the options of a launch.

May not choose: which target and options, a signature's ``launch`` says.
"""

# pyright: basic
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kernel_analysis.lowering import compat
from kernel_analysis.lowering.printed.functions import Functions
from kernel_analysis.signature.signature_model import LaunchOptions

_READ = ("num_warps", "num_ctas")
"""The options that the front end reads."""
_MOST = 32


@dataclass(slots=True)
class Platform:
    """``functions``: what is kept of helpers, which may ask for the options."""

    target: Any
    backend: Any
    options: Any
    codegen: Any
    modules: Any
    functions: Functions = field(default_factory=Functions)


class Platforms:
    """``target`` is for kernels that say no other. Raises what a backend raises that is not usable."""

    def __init__(self, target: str) -> None:
        self._known: dict[tuple[Any, ...], Platform] = {}
        self._usual = target
        self.usual = self._made(target, {})

    def of(self, launch: LaunchOptions) -> Platform:
        """The platform for a launch; the front end asks for its target from now on."""
        read = {name: launch.given[name] for name in _READ if name in launch.given}
        target = launch.target or self._usual
        key = (target, *read.items())
        if key not in self._known:
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[key] = self._usable(target, read)
        found = self._known[key]
        compat.set_target(found.target)
        return found

    def forget(self) -> None:
        """No helper is known any more."""
        for platform in (self.usual, *self._known.values()):
            platform.functions = Functions()

    def _usable(self, target: str, options: dict[str, int]) -> Platform:
        """Options that a backend refuses, or a target that this Triton does not have, are left out."""
        for given in (options, {}):
            try:
                return self._made(target, given) if given or target != self._usual else self.usual
            except Exception:  # noqa: BLE001  whatever a backend raises, of Triton's own or of somebody else's
                continue
        return self.usual

    def _made(self, target: str, given: dict[str, int]) -> Platform:
        parsed = compat.parse_target(target)
        backend: Any = compat.make_backend(parsed)
        # Overflow checks add compare and select operations to every integer operation and change no fact.
        options = backend.parse_options({"sanitize_overflow": False, **given})
        codegen = backend.get_codegen_implementation(options)
        return Platform(parsed, backend, options, codegen, backend.get_module_map())
