"""Slice + signature -> our own IR, with the real Triton front end. The only room that touches Triton's internals.

Needs no GPU and no driver, and imports no torch. It never runs the user's code, and never raises because of it.
"""

from kernel_analysis.lowering.compiler import FRAMES, Compiler, Lowered, Stage, TritonUnavailable

__all__ = ["FRAMES", "Compiler", "Lowered", "Stage", "TritonUnavailable"]
