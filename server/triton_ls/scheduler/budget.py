"""How much time slow kernels may cost beside the limit of each: a file's, and that of all that is asked for together.

Only what a kernel takes beyond a normal share counts, so that no number of ordinary kernels is ever too many. May not
know processes.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

from kernel_analysis import wire
from triton_ls.scheduler.jobs import Job

_NORMAL = 10
"""A kernel that takes a tenth of its time limit costs nobody anything."""
_LEAST = 1.0
"""Nor one that takes so many seconds: a machine may be busy with other things."""


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
        if self._left(job) <= 0:
            job.cut = True
        self._lose(job, max(seconds, share(job)))

    def limit(self, job: Job) -> float:
        """What the next kernel may take. Once the budget is spent that is no more than what ordinary kernels take, so
        that these get their facts; the first that takes longer ends it."""
        return share(job) if self._left(job) <= 0 else job.timeout

    def left(self, job: Job) -> wire.Budget | None:
        """What the job may still cost, as its agent is told; None where there is no limit."""
        left = self._left(job)
        if left == math.inf:
            return None
        # Of the spent one so little is left that one slow kernel takes it.
        seconds = 0.0 if job.cut else max(sys.float_info.epsilon, left)
        return {"seconds": seconds, "share": share(job), "reason": self.reason(job)}

    def reason(self, job: Job) -> str:
        """Why a kernel is left out."""
        if self._of_file(job) <= max(0.0, self._of_all(job)):
            whose, limit, setting = "of this file", job.file_budget, "file-budget (triton-ls.fileBudget)"
        else:
            whose, limit, setting = "of all files together", job.total_budget, "total-budget (triton-ls.totalBudget)"
        return (
            f"left out, because slow kernels {whose} took {limit:g} s more than the {share(job):g} s that each may "
            f"take; the limit is the setting {setting}"
        )

    def _left(self, job: Job) -> float:
        return min(self._of_file(job), self._of_all(job))

    def _of_file(self, job: Job) -> float:
        return job.file_budget - job.lost

    def _of_all(self, job: Job) -> float:
        return (job.total_budget - self.lost) * self.agents

    def _lose(self, job: Job, seconds: float) -> None:
        job.lost += seconds
        self.lost += seconds / self.agents


def share(job: Job) -> float:
    """What a kernel may take without costing anything."""
    return min(job.timeout, max(_LEAST, job.timeout / _NORMAL))
