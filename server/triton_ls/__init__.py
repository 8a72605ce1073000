"""A language server and command line that show what the Triton compiler makes of GPU kernels.

Runs in any Python 3.10+. Never imports triton or torch: the agent (``kernel_analysis.agent``) does, in a process of its
own.
"""

import os
import sys

__version__ = "0.1.0"

if sys.argv[:1] == ["-m"] and not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
    # `python -m triton_ls` looks for every module in the folder that it was started in, before all others: that is the
    # workspace, none of which is to run. (Python itself has it there from the start; `-P` keeps it out.)
    if os.path.realpath(sys.path[0]) != os.path.realpath(os.path.dirname(os.path.dirname(__file__))):
        del sys.path[0]
