"""Follows the code around a launch by its syntax, up to the launch: what it passes then, and over which grid.

``Follower`` is the entry, ``path_evaluator`` the evaluator of all host code with the shapes of tensors: it counts its
steps, and runs no code of the user's. Imports no torch.
"""

from kernel_analysis.launch.follow.path_evaluator import UNKNOWN
from kernel_analysis.launch.follow.way_to_launch import Arrived, Follower

__all__ = ["UNKNOWN", "Arrived", "Follower"]
