"""Triton's plugins while Triton is imported: it imports every backend that an installed package declares, and fails as
a whole where one of them fails. One that can't be imported here, because it lies in the workspace or needs what does,
or in which Triton finds no backend, is left out.

Has never heard of a workspace: what is not to be had does not get imported. May not import triton.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata as metadata
import sys
from collections.abc import Generator
from typing import Any

_GROUP = "triton.backends"
_OWN = ("triton.backends.nvidia", "triton.backends.amd")
"""Without these a Triton is broken, and has to say so."""


@contextlib.contextmanager
def usable_plugins() -> Generator[None]:
    """Inside, Triton is told of those alone."""
    told: Any = metadata.entry_points

    def usable(**wanted: Any) -> Any:
        found = told(**wanted)
        every = [one for group in found.values() for one in group] if isinstance(found, dict) else found
        return metadata.EntryPoints(one for one in every if one.group != _GROUP or _is_usable(one.name, one.value))

    metadata.entry_points = usable
    try:
        yield
    finally:
        metadata.entry_points = told


def _is_usable(name: str, package: str) -> bool:
    if package in _OWN:
        return True
    try:
        # Triton asks for its plugins when it has these, and before it takes a backend out of any.
        bases = importlib.import_module("triton.backends.compiler"), importlib.import_module("triton.backends.driver")
        taken = sys.modules["triton.backends"]._find_concrete_subclasses
        for part, base in zip(("compiler", "driver"), (bases[0].BaseBackend, bases[1].DriverBase), strict=True):
            taken(importlib.import_module(f"{package}.{part}"), base)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - it is somebody else's code
        print(f"Triton's plugin `{name}` is left out: {type(error).__name__}: {error}", file=sys.stderr)
        return False
    return True
