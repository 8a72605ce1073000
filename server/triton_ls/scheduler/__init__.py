"""Which file is analysed when, by which agent, and when an agent is killed for it.

Knows jobs and agents, never LSP: the server and the command line both sit on top of it.
"""

from triton_ls.scheduler.environments import AGENTS, Schedulers
from triton_ls.scheduler.jobs import AgentQuestion, Job, Listener
from triton_ls.scheduler.scheduler import Scheduler

__all__ = ["AGENTS", "AgentQuestion", "Job", "Listener", "Scheduler", "Schedulers"]
