"""The agent's first lines: `PYTHON /path/to/kernel_analysis/agent/__main__.py`, in any directory, under any Python
that has triton; with `stages` behind it, those of the process that takes kernels further.

Registers our package by its path, so that nothing of ours gets onto the user's ``sys.path`` and nothing of the user's
workspace (an ``ast.py``, a ``triton.py``) is imported by us. May import only ``gc``, ``os``, ``sys`` and ``importlib``
before that is done.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import sys


def _guard_import_path() -> list[str]:
    """Take this script's directory and the current one off ``sys.path`` and put the standard library first.

    Returns the path as the user's own programs see it: names in kernels are resolved along that one.
    """
    here = os.path.dirname(os.path.realpath(__file__))
    # What was kept from this process while it started is on that path all the same.
    given = os.environ.get("TRITON_LS_PYTHONPATH")
    kept = given.split(os.pathsep) if given else []
    seen = [entry for entry in dict.fromkeys((*kept, *sys.path)) if entry and os.path.realpath(entry) != here]
    library = os.path.realpath(os.path.dirname(os.__file__))
    own = [entry for entry in sys.path if os.path.realpath(entry or ".") not in {here, os.getcwd()} and entry]
    standard = [entry for entry in own if _is_standard(os.path.realpath(entry), library)]
    sys.path[:] = standard + [entry for entry in own if entry not in standard]
    return seen


def _is_standard(entry: str, library: str) -> bool:
    """The directory of the standard library, its zip, and ``lib-dynload``; not ``site-packages`` below it."""
    zipped = os.path.dirname(library) + f"{os.sep}python{sys.version_info[0]}{sys.version_info[1]}.zip"
    return entry in {library, zipped, os.path.join(library, "lib-dynload")}


def _register_package() -> None:
    root = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    spec = importlib.util.spec_from_file_location(
        "kernel_analysis", os.path.join(root, "__init__.py"), submodule_search_locations=[root]
    )
    if spec is None or spec.loader is None:
        raise SystemExit(f"triton-ls: the analysis package is not at {root}; reinstall triton-ls")
    package = importlib.util.module_from_spec(spec)
    sys.modules["kernel_analysis"] = package
    spec.loader.exec_module(package)


if __name__ == "__main__":
    gc.disable()  # until there is garbage: what an import makes stays
    user_path = _guard_import_path()
    _register_package()
    if sys.argv[1:] == ["stages"]:
        from kernel_analysis.agent.stages_process import main
    else:
        from kernel_analysis.agent.service import main

    main(user_path)
