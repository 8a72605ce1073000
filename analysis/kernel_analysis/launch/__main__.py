"""The process that executes a launch: ``PYTHON .../launch/__main__.py``. The one that makes it starts as agents do.

Registers our package by its path, as the agent does, so that nothing of ours gets onto ``sys.path`` and no
``triton.py`` of the current directory is imported. May import only ``os``, ``sys`` and ``importlib`` before that.
"""

from __future__ import annotations

import importlib.util
import os
import sys


def _register_package() -> None:
    root = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    here = os.path.join(root, "launch")
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry or ".") not in {here, os.getcwd()}]
    spec = importlib.util.spec_from_file_location(
        "kernel_analysis", os.path.join(root, "__init__.py"), submodule_search_locations=[root]
    )
    if spec is None or spec.loader is None:
        raise SystemExit(f"triton-ls: the analysis package is not at {root}; reinstall triton-ls")
    package = importlib.util.module_from_spec(spec)
    sys.modules["kernel_analysis"] = package
    spec.loader.exec_module(package)


if __name__ == "__main__":
    _register_package()
    from kernel_analysis.launch.execution.run_process import main

    main()
