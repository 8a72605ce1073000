"""Who this process is: its Python, its Triton, and the import path that it looks for them on. Imports none of it."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import sys

from kernel_analysis.agent.sandbox.readable import holds_home
from kernel_analysis.wire import Identity


def identity(packages: list[str]) -> Identity:
    """The answer to ``initialize``; ``packages``: where installed packages are."""
    version, error = _installed_triton()
    triton = importlib.util.find_spec("triton")
    own = list(triton.submodule_search_locations or ()) if triton is not None else []
    return Identity(platform.python_version(), sys.executable, version, error, (*own, *packages))


def take_off_path(roots: list[str]) -> None:
    """What the user's workspace offers for import, wherever in it that lies, is never imported by us, and declares no
    plugin of Triton's: what of it is on the path goes, but for the libraries of this Python itself, and for a checkout
    of Triton that is installed from there."""
    left = [entry for entry in sys.path if not _offered(entry, roots)]
    if len(left) < len(sys.path) and _is_linked_from(left):
        left = [entry for entry in sys.path if entry in left or os.path.isdir(os.path.join(entry, "triton", "_C"))]
    sys.path[:] = left


def _offered(entry: str, roots: list[str]) -> bool:
    """Whether it is in one of the roots, and not of this Python itself. A root that holds the user's home is no
    workspace that somebody has made: of it only what is directly in it is left out."""
    real = os.path.realpath(entry)
    if any(_is_in(real, place) for place in _own_places()):
        return False
    return any(real == (root := os.path.realpath(one)) or _is_in(real, root) and not holds_home(root) for one in roots)


def _own_places() -> list[str]:
    prefixes = dict.fromkeys((sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix))
    libraries = [os.path.join(prefix, name) for prefix in prefixes for name in ("lib", "lib64", "Lib", "DLLs")]
    return [os.path.realpath(place) for place in (*libraries, os.path.dirname(os.__file__))]


def _is_in(path: str, place: str) -> bool:
    return path == place or path.startswith(place.rstrip(os.sep) + os.sep)


def _is_linked_from(places: list[str]) -> bool:
    """Whether a Triton is installed in one of the places whose files lie elsewhere: in a checkout of it, then."""
    names = [name for place in places if os.path.isdir(place) for name in os.listdir(place)]
    return "triton" not in names and any(_LINKED.fullmatch(name) for name in names)


_LINKED = re.compile(r"(\w+[_-])?triton-[^-]+\.dist-info|triton\.egg-link")


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
