"""Makes a launch of a kernel without asking: from the code around it, from the comment that pins it, from choices, and
from the bounds of its addresses, as large as the machine can take.

``Planner`` is the entry; it tries one size after another (``try_size``), each smaller. It runs in ``plan_process``.
Runs no code of the user's and imports no torch.
"""

from kernel_analysis.launch.plan.planner import Planner

__all__ = ["Planner"]
