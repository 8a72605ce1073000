"""One agent and the job that it has: time limits, kills, and what an agent's end means for the job.

May not choose jobs or start agents.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Mapping
from enum import Enum, auto
from functools import partial
from typing import Any

from triton_ls import reports
from triton_ls.agents.launch import Environment, describe_exit
from triton_ls.agents.process import Agent, AgentEnded, AgentError, ignore
from triton_ls.scheduler.jobs import Job, Question, Skips

logger = logging.getLogger(__name__)

GRACE = 0.25
"""Seconds that an obsolete job may still take before its agent is killed: less than the price of a new agent."""

_generations = itertools.count(1)


class Outcome(Enum):
    """What became of a job. ``BLAMED`` and ``LOST`` cost the agent and have the job run once more, ``BLAMED`` without
    the function that did it; ``GIVEN_UP`` cost the agent, too, and is final."""

    DONE = auto()
    OBSOLETE = auto()
    BLAMED = auto()
    LOST = auto()
    GIVEN_UP = auto()


class Worker:
    """``agent`` is None while one is being started; ``job`` is None while it waits for work."""

    def __init__(self, environment: Environment, skips: Skips) -> None:
        self.environment = environment
        self.agent: Agent | None = None
        self.job: Job | Question | None = None
        self.changed: set[str] = set()
        self._skips = skips
        self._compiling: tuple[str, str] | None = None
        self._timed_out = False
        self._timer: asyncio.TimerHandle | None = None

    @property
    def idle(self) -> bool:
        return self.job is None and self.agent is not None and self.agent.alive

    def outdate(self) -> None:
        """Nobody waits for the running job any more: let it end by itself at once, or be ended."""
        job = self.job
        if job is None or job.obsolete:
            return
        job.obsolete = True
        if self.agent is not None and isinstance(job, Job):
            self.agent.notify("cancel", {"generation": job.generation})
        self._cancel_timer()
        self._timer = asyncio.get_running_loop().call_later(GRACE, self._kill)

    async def run(self, job: Job | Question, texts: Mapping[str, str]) -> Outcome:
        """Do the job and tell whoever asked. ``self.agent`` is None afterwards when it was lost over it."""
        assert self.agent is not None
        agent = self.agent
        self._compiling, self._timed_out = None, False
        agent.show_documents(texts)
        if self.changed:
            agent.notify("changed", {"files": sorted(self.changed)})
            self.changed = set()
        self._restart_timer(job)
        try:
            if isinstance(job, Job):
                await self._analyze(agent, job, texts)
            else:
                await self._ask(agent, job)
        except AgentEnded as ended:
            self.agent = None
            return self._after_end(agent, job, ended.returncode)
        except AgentError as error:
            self._fail(job, str(error))
        finally:
            agent.notified = ignore
            self._cancel_timer()
        return Outcome.OBSOLETE if job.obsolete else Outcome.DONE

    async def _analyze(self, agent: Agent, job: Job, texts: Mapping[str, str]) -> None:
        job.generation = next(_generations)
        job.text = texts.get(job.file)
        agent.notified = partial(self._notified, job)
        params = {
            "file": job.file,
            "generation": job.generation,
            "first_line": job.first_line,
            "skip": self._skips.for_timeout(job.timeout),
            "severity": dict(job.severity),
        }
        reply = reports.reply(await agent.request("analyze", params))
        agent.analyzed.add(job.file)
        if not job.obsolete:
            job.listener.finished(job, reply)

    async def _ask(self, agent: Agent, job: Question) -> None:
        result = await agent.request(job.method, {"file": job.file, **job.params})
        if not job.answer.done():
            job.answer.set_result(result)

    def _notified(self, job: Job, method: str, params: dict[str, Any]) -> None:
        if params.get("generation") != job.generation or job.obsolete:
            return
        if method == "early":
            # The function is still being compiled, within its time.
            job.listener.early(job, reports.kernel_report(params))
            return
        self._restart_timer(job)
        if method == "started":
            self._compiling = (params["key"], params["qualname"])
        elif method == "index":
            job.listener.indexed(job, reports.index(params))
        elif method == "kernel":
            self._compiling = None
            # An agent without triton can only say of each function that there is no triton: said once, elsewhere.
            if self.agent is not None and self.agent.identity.triton is not None:
                job.listener.reported(job, reports.kernel_report(params))

    def _after_end(self, agent: Agent, job: Job | Question, returncode: int) -> Outcome:
        if job.obsolete:
            return Outcome.OBSOLETE
        reason = self._reason(agent, job, returncode)
        logger.warning("agent %d ended over %s: %s", agent.pid, job.file, reason)
        if isinstance(job, Question):
            self._fail(job, f"Nothing to show: {reason}.")
            return Outcome.OBSOLETE
        if self._compiling is not None:
            self._skips.add(self._compiling[0], reason, job.timeout)
            return Outcome.BLAMED
        job.attempts += 1
        if job.attempts < 2:
            return Outcome.LOST
        self._fail(job, f"This file could not be analyzed: {reason}.")
        return Outcome.GIVEN_UP

    def _reason(self, agent: Agent, job: Job | Question, returncode: int) -> str:
        if self._timed_out:
            return f"the compiler needed more than {job.timeout:g} s"
        if any("bad_alloc" in line or "MemoryError" in line for line in agent.log_tail):
            return f"the compiler needed more than {self.environment.memory_limit_mb} MB of memory"
        if returncode == -9:
            return "the compiler was killed (signal 9), probably because the system ran out of memory"
        return f"the compiler crashed ({describe_exit(returncode)})"

    @staticmethod
    def _fail(job: Job | Question, message: str) -> None:
        if isinstance(job, Question):
            if not job.answer.done():
                job.answer.set_exception(AgentError(message))
        elif not job.obsolete:
            job.listener.failed(job, message)

    def _restart_timer(self, job: Job | Question) -> None:
        self._cancel_timer()
        self._timer = asyncio.get_running_loop().call_later(job.timeout, self._time_out)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _time_out(self) -> None:
        self._timed_out = True
        self._kill()

    def _kill(self) -> None:
        if self.agent is not None:
            self.agent.kill()
