"""The agent's first lines: `PYTHON -S /path/to/kernel_analysis/agent/__main__.py KIND ROOT...`, in any directory, under
any Python that has triton. KIND: `analysis`; `bare`, the same without what is installed; `stages`, the process that
takes kernels further; `plan`, the one that makes a launch.

Registers our package by its path, so that nothing of ours gets onto the user's ``sys.path`` and nothing of the user's
workspace (an ``ast.py``, a ``triton.py``) is imported by us. May import only ``gc``, ``os``, ``sys`` and ``importlib``
before that is done.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import sys


def _start(kind: str, roots: list[str]) -> list[str]:
    """Finish the start of Python, with our own package in it and nothing of the workspace. Returns the path as the
    user's own programs see it: names in kernels are resolved along that one."""
    here = os.path.dirname(os.path.realpath(__file__))
    sys.path[:] = [entry for entry in sys.path if entry and os.path.realpath(entry) != here]
    _register_package(os.path.dirname(here))
    from kernel_analysis.agent.sandbox.python_start import start_python

    return start_python(roots, installed=kind != "bare")


def _register_package(root: str) -> None:
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
    kind, *roots = sys.argv[1:] or ["analysis"]
    user_path = _start(kind, roots)
    if kind == "stages":
        from kernel_analysis.agent.stages_process import main
    elif kind == "plan":
        from kernel_analysis.agent.planning_process import main
    else:
        from kernel_analysis.agent.service import main

    main(user_path)
