"""What a Python is like: ``python -S probe.py FOLDER...``, with the workspace's folders. Prints its version, and that
of its triton, which is looked up, not imported.

Runs on any Python that prints. Nothing of the folders runs: python_start.py sees to that.
"""

import json
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != here]
triton = None
if sys.version_info >= (3, 10):  # noqa: UP036
    from importlib import util

    parts = ("kernel_analysis", "agent", "sandbox", "python_start.py")
    spec = util.spec_from_file_location("python_start", os.path.join(here, *parts))
    assert spec is not None
    assert spec.loader is not None
    start = util.module_from_spec(spec)
    spec.loader.exec_module(start)
    start.start_python(sys.argv[1:])
    from importlib import metadata

    spec = util.find_spec("triton")
    # A package "triton" that is a mere folder has no origin.
    if spec is not None and spec.origin is not None:
        names = metadata.packages_distributions().get("triton", [])
        triton = metadata.version(names[0]) if names else "of unknown version"
print(json.dumps({"version": ".".join(map(str, sys.version_info[:3])), "triton": triton}))
