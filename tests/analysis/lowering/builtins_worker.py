"""Tells which builtins of Triton's values have names that begin with ``_``: in the classes of the languages' modules,
and among what the gate lets pass. One JSON line.

Run by `test_builtins.py` in the Python whose Triton is asked.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
from typing import Any

sys.path.insert(0, sys.argv[1])

from kernel_analysis.lowering import compat
from kernel_analysis.lowering.gate import allowlist


def modules() -> list[Any]:
    found = [importlib.import_module(name) for name in ("triton.language", "triton.experimental.gluon.language")]
    for package in list(found):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            try:
                found.append(importlib.import_module(module.name))
            except ImportError:
                continue  # what another back end brings
    return found


def main() -> None:
    imported = modules()
    allowlist.fresh()
    marked = {
        id(member): name
        for module in imported
        for kind in vars(module).values()
        if isinstance(kind, type)
        for name, member in vars(kind).items()
        if name.startswith("_") and not name.startswith("__") and compat.tl.core.is_builtin(member)
    }
    passing = [marked.get(method, "?") for method in allowlist.builtin_methods]
    print(json.dumps({"marked": sorted(set(marked.values())), "passing": sorted(set(passing))}))


main()
