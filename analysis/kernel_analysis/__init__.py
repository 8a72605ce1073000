"""Analysis of Triton kernels: Python text in, facts about what the kernels read and write out.

Runs in the user's Python. Knows Triton, never LSP. Importing this package imports the
standard library only; ``kernel_analysis.lowering`` and runs alone import triton, ``kernel_analysis.launch.execution``
alone torch.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

__version__ = "0.1.0"


@lru_cache(maxsize=1)
def analysis_version() -> str:
    """A digest of this package's own source: another analysis may find other facts, whatever its version says."""
    digest = hashlib.sha256(__version__.encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
