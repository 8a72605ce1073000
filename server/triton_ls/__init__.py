"""A language server and command line that show what the Triton compiler makes of GPU kernels.

Runs in any Python 3.10+. Never imports triton or torch: the agent (``kernel_analysis.agent``) does, in a process of its
own.
"""

from __future__ import annotations

__version__ = "0.1.0"
