"""Follows the code around a launch by its syntax, up to the launch: what it passes then, and over which grid.

``Follower`` is the entry. Below it, ``statements`` and ``expressions`` are the interpreter, ``fakes`` the tensors that
it works with: it counts its steps, and runs no code of the user's. Imports no torch.
"""

from kernel_analysis.launch.follow.follower import Arrived, Follower

__all__ = ["Arrived", "Follower"]
