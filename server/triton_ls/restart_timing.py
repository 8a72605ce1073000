"""When to start over on a file that somebody types in: at once where its analysis takes a moment, after the one that
runs where that comes to its end soon, after a pause where it takes long.

Counts seconds; may not start or end anything.
"""

from __future__ import annotations

import asyncio

from kernel_analysis.wire import Reply
from triton_ls.scheduler import Job

_MOMENT = 0.25
"""An analysis that takes no longer starts with the keystroke."""
_PART = 0.25
"""Of what the last analysis took: the pause in typing before a long one starts, and at most ``_LONGEST_PAUSE``."""
_LONGEST_PAUSE = 0.5
_ROOM = 2.0
"""How many times as long as the last one an analysis of an older text may run before it is ended for the newest, and at
least ``_SOON``: a killed agent costs more than what its job would still have taken."""
_SOON = 0.3
_LATE = 1.5


class Rhythm:
    """What runs for each file, and how long the last took."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._took: dict[str, float] = {}

    def began(self, job: Job) -> None:
        """It was handed on, in place of any other for the file."""
        self._jobs[job.file] = job

    def over(self, job: Job) -> bool:
        """It has ended; whether it was the last one of its file."""
        last = self._jobs.get(job.file) is job
        if last:
            del self._jobs[job.file]
        return last

    def done(self, job: Job, reply: Reply) -> None:
        """It was answered. Where nothing was compiled, that says little of the next time; nor does the first time, for
        which the agent had to start."""
        if not self.over(job) or job.started is None:
            return
        took = asyncio.get_running_loop().time() - job.started if reply.compiles else 0.0
        first = job.file not in self._took
        self._took[job.file] = 0.0 if first else max(took, self._took[job.file] / 2)

    def forget(self, file: str) -> None:
        self._jobs.pop(file, None)
        self._took.pop(file, None)

    def pause(self, file: str) -> float:
        """Seconds of quiet before an analysis of the file starts."""
        took = self._took.get(file, 0.0)
        return 0.0 if took <= _MOMENT else min(took * _PART, _LONGEST_PAUSE)

    def wait(self, file: str) -> float:
        """Seconds that the analysis which runs may still take before another starts; 0: none runs, or has too long."""
        job = self._jobs.get(file)
        if job is None or job.started is None:
            return 0.0
        room = min(max(_SOON, _ROOM * self._took.get(file, 0.0)), _LATE)
        return max(0.0, job.started + room - asyncio.get_running_loop().time())
