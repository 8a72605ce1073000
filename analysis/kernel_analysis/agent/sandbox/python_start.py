"""The start of the user's Python (`site`: `.pth` files, `sitecustomize`) with nothing in it that lies in the workspace:
the process begins with `-S`, and this does what was left out.

Standard library only, and nothing of ours: the extension for VS Code runs this file by itself. May not be imported in a
process that runs the user's code.
"""

from __future__ import annotations

import importlib.machinery as machinery
import os
import re
import site
import sys
from collections.abc import Iterable
from typing import Any

_LOADING = ("<frozen importlib", "<frozen zipimport")
_PLACES = {"open": 0, "import": 1, "ctypes.dlopen": 0, "subprocess.Popen": 0, "os.exec": 0, "os.posix_spawn": 0}
"""Of what Python announces, the argument that says which file is read, loaded or started."""
_LINKED = re.compile(r"(\w+[_-])?triton-[^-]+\.dist-info|triton\.egg-link")


class _Workspace:
    """Whose code is not loaded here, whichever way it is found: as an entry of the path, from a parent that is on it,
    through a link, by a finder that an installer has left."""

    def __init__(self) -> None:
        self.roots: list[str] = []
        self.starting = False
        """While Python starts nothing in there is opened at all."""
        self.has_triton = False
        """A checkout of Triton in there is what is installed: it is loaded, and nothing beside it."""
        self.named: set[str] = set()
        """By PYTHONPATH, which installs nothing."""
        self._known: dict[str, bool] = {}

    def add(self, roots: Iterable[str]) -> None:
        self.roots = list(dict.fromkeys((*self.roots, *map(os.path.realpath, roots))))
        self.forget()

    def forget(self) -> None:
        """Which places are Python's own may be another answer now."""
        self._known.clear()

    def has(self, path: object) -> bool:
        """Whether a file or folder is in it, by its name or by where that leads, and no part of this Python."""
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if not isinstance(path, str) or not path or not self.roots:
            return False
        if path not in self._known:
            named = os.path.abspath(path)
            found = self._is_in(named) or (real := os.path.realpath(path)) != named and self._is_in(real)
            self._known[path] = found
        return self._known[path]

    def _is_in(self, path: str) -> bool:
        roots = [root for root in self.roots if _is_within(path, root)]
        if not roots or any(_is_within(path, own) for own in _own_places(self.roots)):
            return False
        # A root that holds the user's home is no workspace that somebody has made: only what is directly in it counts.
        home = os.path.realpath(os.path.expanduser("~"))
        return any(not _is_within(home, root) or root in (path, os.path.dirname(path)) for root in roots)

    def refuses(self, name: str, spec: Any) -> bool:
        """Whether a module that was found is the workspace's."""
        if self.has_triton and name.partition(".")[0] == "triton":
            return False
        return any(map(self.has, (spec.origin, *(spec.submodule_search_locations or ()))))


_WORKSPACE = _Workspace()


def start_python(roots: Iterable[str], installed: bool = True) -> list[str]:
    """Have Python look at what is installed in it, unless it has already (it was started without `-S`) or shall not.
    Returns the import path as the user's own programs see it; what is on our own begins with the standard library."""
    # PYTHONPATH is kept from this process, which imports before any of this could look at it.
    given = os.environ.get("TRITON_LS_PYTHONPATH")
    kept = given.split(os.pathsep) if given else []
    sys.path[:] = dict.fromkeys(entry for entry in (*kept, *sys.path) if entry)
    _WORKSPACE.named.update(kept)
    _WORKSPACE.add(roots)
    if _WORKSPACE.has(sys.pycache_prefix):
        sys.pycache_prefix = None  # what is kept there of a module is what runs
    _listen()
    sys.path_hooks.insert(0, _finder)
    sys.path_importer_cache.clear()
    if installed and sys.flags.no_site:
        _WORKSPACE.starting = True
        try:
            site.main()
        finally:
            _WORKSPACE.starting = False
    seen = list(sys.path)
    here, library = os.path.realpath("."), os.path.realpath(os.path.dirname(os.__file__))
    standard = [entry for entry in seen if _is_standard(os.path.realpath(entry), library)]
    sys.path[:] = standard + [e for e in seen if e not in standard and os.path.realpath(e) != here]
    keep_out(())
    return seen


def keep_out(roots: Iterable[str]) -> None:
    """Nothing that lies there is imported from here on, but for a checkout of Triton that is installed from there, nor
    does it declare plugins of Triton's."""
    _WORKSPACE.add(roots)
    left = [entry for entry in sys.path if not _WORKSPACE.has(entry)]
    _WORKSPACE.has_triton = _is_linked_from(left)
    if _WORKSPACE.has_triton:
        installed = (entry for entry in sys.path if entry not in _WORKSPACE.named)
        left += [
            entry for entry in installed if entry not in left and os.path.isdir(os.path.join(entry, "triton", "_C"))
        ]
    sys.path[:] = left
    sys.path_importer_cache.clear()


class _Files(machinery.FileFinder):
    """Finds in a folder what is not the workspace's; an entry of the path behind it may have a module of that name."""

    def find_spec(self, fullname: str, target: Any = None) -> machinery.ModuleSpec | None:
        spec = super().find_spec(fullname, target)
        return None if spec is not None and _WORKSPACE.refuses(fullname, spec) else spec


class _Nothing:
    """Stands for an entry of the path of which nothing is imported."""

    def find_spec(self, fullname: str, target: Any = None) -> None:
        return None

    def invalidate_caches(self) -> None:
        pass


_files = _Files.path_hook(
    (machinery.ExtensionFileLoader, machinery.EXTENSION_SUFFIXES),
    (machinery.SourceFileLoader, machinery.SOURCE_SUFFIXES),
    (machinery.SourcelessFileLoader, machinery.BYTECODE_SUFFIXES),
)


def _finder(entry: str) -> Any:
    """For ``sys.path_hooks``."""
    if _WORKSPACE.has(entry) and not (_WORKSPACE.has_triton and os.path.isdir(entry)):
        return _Nothing()
    return _files(entry)  # an archive is none of its: ImportError, and the next hook is asked


def _listen() -> None:
    """What a finder of somebody else's finds, or a line in a `.pth` file opens, is held up where it is opened."""
    workspace, interesting, asking = _WORKSPACE, _PLACES, [False]

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event not in interesting or asking[0] or not workspace.roots:
            return
        asking[0] = True
        try:
            name = _loaded(event, arguments, sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
            place = arguments[interesting[event]]
            if event == "subprocess.Popen" and workspace.has(arguments[2]):
                place = arguments[2]  # finders of some packages have them built there
            elif name is None and not workspace.starting:
                return  # a text to be read, or Triton's own tools
            elif workspace.has_triton and name is not None and name.partition(".")[0] == "triton":
                return
            # A mere name is looked for where programs and libraries are.
            if event != "open" and isinstance(place, str) and os.sep not in place or not workspace.has(place):
                return
        finally:
            asking[0] = False
        why = f"{place} is in the workspace: nothing of it is loaded"
        # Without a name it is no module that is opened, but an archive, or what an import would keep beside one.
        raise ModuleNotFoundError(why, name=name) if name else PermissionError(why)

    sys.addaudithook(hook)


def _loaded(event: str, arguments: tuple[Any, ...], frame: Any) -> str | None:
    """The module that this is for; None where nothing is imported."""
    if event == "import":
        return str(arguments[0])
    if event != "open" or not frame.f_code.co_filename.startswith(_LOADING):
        return None
    return str(getattr(frame.f_locals.get("self"), "name", ""))


def _is_within(path: str, place: str) -> bool:
    return path == place or path.startswith(place.rstrip(os.sep) + os.sep)


def _own_places(roots: list[str]) -> list[str]:
    """Where this Python's library is, and what is installed in it: it may be an environment in the workspace, and what
    is looked at may be a package that is installed."""
    library = os.path.dirname(os.__file__)
    beside = os.path.dirname(os.path.abspath(sys.executable))
    configured = [os.path.join(place, "pyvenv.cfg") for place in (beside, os.path.dirname(beside))]
    places = [library, *site.getsitepackages(), *configured]
    user = site.USER_SITE if site.ENABLE_USER_SITE else None
    if user and not any(_is_within(os.path.dirname(os.path.realpath(user)), root) for root in roots):
        places.append(user)
    if os.name == "nt":
        places += [os.path.join(prefix, "DLLs") for prefix in (sys.base_prefix, sys.prefix)]
    # Ours, which is in the workspace of those who work on it.
    places.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    return [*places, *map(os.path.realpath, places)]


def _is_standard(entry: str, library: str) -> bool:
    """The directory of the standard library, its zip, and ``lib-dynload``; not ``site-packages`` below it."""
    zipped = os.path.dirname(library) + f"{os.sep}python{sys.version_info[0]}{sys.version_info[1]}.zip"
    return entry in {library, zipped, os.path.join(library, "lib-dynload")}


def _is_linked_from(places: list[str]) -> bool:
    """Whether a Triton is installed in one of the places whose files lie elsewhere: in a checkout of it, then."""
    names = [name for place in places if os.path.isdir(place) for name in os.listdir(place)]
    return "triton" not in names and any(_LINKED.fullmatch(name) for name in names)
