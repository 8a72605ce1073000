"""Writes the torch custom op around a kernel: text for the author's file, made of facts and of the code at a launch.

Runs nothing and imports no torch; what can't be written truthfully is refused with the reason.
"""

from __future__ import annotations

from kernel_analysis.custom_op.op_model import OpRefused
from kernel_analysis.custom_op.write import write

__all__ = ["OpRefused", "write"]
