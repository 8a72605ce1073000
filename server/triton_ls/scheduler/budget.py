"""How much time slow kernels may cost beside the limit of each: a file's, and that of all that is asked for together.

Only what a kernel takes beyond a normal share counts, so that no number of ordinary kernels is ever too many. May not
know processes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from triton_ls.scheduler.jobs import Job

_NORMAL = 10
"""A kernel that takes a tenth of its time limit costs nobody anything."""


@dataclass(slots=True)
class Sweep:
    """``lost``: what slow kernels have cost the ``agents`` since there was nothing to do the last time."""

    agents: int
    lost: float = 0.0

    def slow(self, job: Job, seconds: float) -> None:
        """A kernel took so long."""
        self._lose(job, max(0.0, seconds - share(job)))

    def died(self, job: Job, seconds: float) -> None:
        """An agent was lost after so long; another has to start."""
        self._lose(job, max(seconds, share(job)))

    def left(self, job: Job) -> dict[str, Any] | None:
        """What the job may still cost, as its agent is told; None where there is no limit."""
        file = job.file_budget - job.lost
        total = (job.total_budget - self.lost) * self.agents
        if min(file, total) == float("inf"):
            return None
        if file <= total:
            whose, limit, setting = "of this file", job.file_budget, "file-budget (triton-ls.fileBudget)"
        else:
            whose, limit, setting = "of all files together", job.total_budget, "total-budget (triton-ls.totalBudget)"
        reason = (
            f"left out, because slow kernels {whose} took {limit:g} s more than the {share(job):g} s that each may "
            f"take; the limit is the setting {setting}"
        )
        return {"seconds": max(0.0, min(file, total)), "share": share(job), "reason": reason}

    def _lose(self, job: Job, seconds: float) -> None:
        job.lost += seconds
        self.lost += seconds / self.agents


def share(job: Job) -> float:
    """What a kernel may take without costing anything."""
    return job.timeout / _NORMAL
