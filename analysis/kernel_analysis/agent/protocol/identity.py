"""Who this process is: its Python, its Triton, and the import path that it looks for them on. Imports none of it."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import sys

from kernel_analysis.wire import Identity


def with_triton(path: list[str]) -> list[str]:
    """An import path, with the folder behind it that Triton is imported from where no entry is that: an editable
    install may leave a finder alone."""
    places = map(os.path.dirname, _triton_folders())
    return [*path, *(place for place in places if place not in path)]


def identity(packages: list[str]) -> Identity:
    """The answer to ``initialize``; ``packages``: where installed packages are."""
    version, error = _installed_triton()
    return Identity(platform.python_version(), sys.executable, version, error, (*_triton_folders(), *packages))


def _triton_folders() -> list[str]:
    triton = importlib.util.find_spec("triton")
    return list(triton.submodule_search_locations or ()) if triton is not None else []


def _installed_triton() -> tuple[str | None, str | None]:
    """The version of the Triton that would be imported, or why there is none. Does not import it: that takes longer
    than a reply may."""
    triton = importlib.util.find_spec("triton")
    if triton is None:
        return None, f"Triton is not installed in {sys.executable}."
    for package in triton.submodule_search_locations or ():
        # What `importlib.metadata` would say, which takes longer to import than all else that a reply needs.
        beside = map(_DESCRIBED.fullmatch, os.listdir(os.path.dirname(package)))
        versions = [found["version"] for found in beside if found]
        if len(versions) == 1:
            return versions[0], None
    return _described_elsewhere(), None


_DESCRIBED = re.compile(r"triton-(?P<version>[^-]+)\.dist-info")


def _described_elsewhere() -> str:
    import importlib.metadata

    try:
        return importlib.metadata.version("triton")
    except importlib.metadata.PackageNotFoundError:
        # PyTorch's and AMD's builds of it have other names; a source checkout may have none.
        providers = importlib.metadata.packages_distributions().get("triton")
        return importlib.metadata.version(providers[0]) if providers else "of unknown version"
