"""Follows the code around a launch by its syntax, up to the launch: what it passes then, and over which grid.

``Follower`` is the entry, ``following`` the evaluator of all host code with the shapes of tensors: it counts its steps,
and runs no code of the user's. Imports no torch.
"""

from kernel_analysis.launch.follow.follower import Arrived, Follower
from kernel_analysis.launch.follow.following import UNKNOWN

__all__ = ["UNKNOWN", "Arrived", "Follower"]
