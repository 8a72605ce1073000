"""One agent and the job that it has: time limits, kills, and what an agent's end means for the job.

May not choose jobs, start agents, or end a job: it says what became of it.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import Any

from kernel_analysis import wire
from triton_ls import reports
from triton_ls.agents.agent_process import Agent, AgentEnded, AgentError, ignore
from triton_ls.agents.children import out_of_memory_kills
from triton_ls.agents.launch import Environment, describe_end
from triton_ls.reports import Malformed
from triton_ls.scheduler.budget import Sweep
from triton_ls.scheduler.jobs import AgentQuestion, Job
from triton_ls.scheduler.skips import Skips

logger = logging.getLogger(__name__)

GRACE = 0.25
"""Seconds that an obsolete job may take in any case before its agent is killed."""

_UNKNOWN_PRICE = 3.0
"""Seconds that a new agent is taken to cost before one has given its first answer."""

_OTHERWISE = 10.0
"""Seconds for what is no compile, to import Triton and to read files, where a compile has less."""

_WITHOUT_MEMORY = ", and the system had to end processes because it ran out of memory"

_generations = itertools.count(1)


class JobOutcome(Enum):
    """What became of a job. ``BLAMED`` and ``LOST`` have it run once more, ``BLAMED`` without the function that cost
    the agent; ``LOST`` and ``GIVEN_UP`` are deaths with nothing to blame."""

    ANSWERED = auto()
    OBSOLETE = auto()
    FAILED = auto()
    BLAMED = auto()
    LOST = auto()
    GIVEN_UP = auto()


@dataclass(frozen=True, slots=True)
class Result:
    """``answer``: the agent's, where it is ``ANSWERED``; ``message``: why there is none. ``lively``: the agent did some
    of what it is there for."""

    outcome: JobOutcome
    answer: Any = None
    message: str = ""
    lively: bool = False


@dataclass(slots=True)
class Experience:
    """What the workers learn together. ``functions`` and ``files`` that cost agents; ``calm()``: agents don't die by
    themselves at present. ``price``: seconds until a new agent knows what the last one knew, which in a large workspace
    is most of what its first answer takes."""

    functions: Skips
    files: Skips
    sweep: Sweep
    calm: Callable[[], bool]
    price: float = _UNKNOWN_PRICE


class Worker:
    """``agent`` is None while one is being started; ``job`` is None while it waits for work. ``stirred`` is set when
    either has changed."""

    def __init__(self, environment: Environment, experience: Experience) -> None:
        self.environment = environment
        self.agent: Agent | None = None
        self.job: Job | AgentQuestion | None = None
        self.changed: set[str] = set()
        self.stirred = asyncio.Event()
        self._experience = experience
        self._compiling: tuple[str, float] | None = None
        self._lively = self._timed_out = False
        self._limit = 0.0
        self._memory_kills = 0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def idle(self) -> bool:
        return self.job is None and self.agent is not None and self.agent.alive

    @property
    def lost(self) -> bool:
        """It has no agent any more."""
        return self.agent is None

    def give(self, job: Job | AgentQuestion) -> None:
        """The next thing to do."""
        self.job = job
        self.stirred.set()

    def tell_changes(self) -> None:
        """What changed on disk, to the agent."""
        if self.agent is not None and self.changed:
            changed: wire.Changed = {"files": sorted(self.changed)}
            self.agent.notify("changed", changed)
            self.changed = set()

    def outdate(self) -> None:
        """Nobody waits for the running job any more: let it end by itself at once, or be ended."""
        job = self.job
        if job is None or job.obsolete:
            return
        job.obsolete = True
        self.hurry()
        # It may be about to end: it is given the time that another agent would take, and so costs twice that at most;
        # but no more than it would have had.
        self._start_timer(max(GRACE, min(self._experience.price, self._limit)), self._kill)

    def hurry(self) -> None:
        """Let the running job end after the function that it is at."""
        if self.agent is not None and isinstance(self.job, Job) and self.job.generation:
            cancel: wire.Cancel = {"generation": self.job.generation}
            self.agent.notify("cancel", cancel)

    async def run(self, job: Job | AgentQuestion, texts: Mapping[str, str]) -> Result:
        """Do the job. ``self.agent`` is None afterwards when it was lost over it."""
        assert self.agent is not None
        if job.obsolete:
            self._cancel_timer()  # nothing is ended over what has not begun
            return Result(JobOutcome.OBSOLETE)
        agent = self.agent
        self._compiling, self._lively, self._timed_out = None, False, False
        self._memory_kills = out_of_memory_kills()
        agent.log_tail.clear()  # what it said of other jobs explains nothing of this one
        agent.show_documents(texts)
        self.tell_changes()
        self._limit = max(job.timeout, _OTHERWISE) if isinstance(job, Job) else job.timeout
        self._start_timer(self._limit, self._time_out)
        began = asyncio.get_running_loop().time()
        try:
            answer = await (self._analyze(agent, job, texts) if isinstance(job, Job) else self._ask(agent, job))
        except AgentEnded as ended:
            self.agent = None
            return self._after_death(agent, job, self._reason(agent, job, ended.returncode), began)
        except Malformed as error:
            self.agent = agent if agent.alive else None
            return self._after_death(agent, job, str(error), began)
        except AgentError as error:
            return Result(JobOutcome.FAILED, message=str(error), lively=True)
        finally:
            agent.notified = ignore
            self._cancel_timer()
            if agent.killed:  # over this job, though its answer was on its way: the next one is not to blame
                self.agent = None
        return Result(JobOutcome.OBSOLETE if job.obsolete else JobOutcome.ANSWERED, answer, lively=True)

    async def _analyze(self, agent: Agent, job: Job, texts: Mapping[str, str]) -> wire.Reply:
        job.generation, job.started = next(_generations), asyncio.get_running_loop().time()
        job.text = texts.get(job.file)
        agent.notified = partial(self._notified, job)
        params: wire.Analyze = {
            "file": job.file,
            "generation": job.generation,
            "first_line": job.first_line,
            "skip": {**self._experience.functions.for_timeout(job.timeout), **job.skips},
            "severity": dict(job.severity),
            "budget": self._experience.sweep.left(job),
        }
        reply = reports.reply(await agent.request("analyze", params))
        if not agent.analyzed:
            self._experience.price = asyncio.get_running_loop().time() - job.started
        agent.analyzed.add(job.file)
        self._experience.files.did_well(_content(job))
        return reply

    async def _ask(self, agent: Agent, job: AgentQuestion) -> object:
        return reports.answer(job.kind, await agent.request(wire.ASKED[job.kind], {"file": job.file, **job.params}))

    def _notified(self, job: Job, method: str, params: dict[str, Any]) -> None:
        if params.get("generation") != job.generation or job.obsolete:
            return
        said = reports.said(method, params)
        if isinstance(said, wire.Early):
            # The function is still being compiled, within its time.
            job.listener.early(job, said.report)
            return
        if isinstance(said, wire.About):
            self._compiling = None
            job.listener.told(job, said.findings)
            return
        compiles = isinstance(said, wire.Started)
        self._limit = self._experience.sweep.limit(job) if compiles else max(job.timeout, _OTHERWISE)
        self._start_timer(self._limit, self._time_out)
        now = asyncio.get_running_loop().time()
        if isinstance(said, wire.Turn):
            self._compiling = (said.key, now)
        elif isinstance(said, wire.Index):
            job.listener.indexed(job, said)
        elif isinstance(said, wire.Reported):
            if self._compiling is not None:
                key, began = self._compiling
                self._experience.functions.did_well(key)
                self._experience.sweep.slow(job, now - began)
            self._compiling, self._lively = None, True
            # An agent without triton can only say of each function that there is no triton: said once, elsewhere.
            if self.agent is not None and self.agent.identity.triton is not None:
                job.listener.reported(job, said.report)

    def _after_death(self, agent: Agent, job: Job | AgentQuestion, reason: str, began: float) -> Result:
        """The agent ended, or made no sense, which comes to the same: what it was at has no answer."""
        if job.obsolete:
            return Result(JobOutcome.OBSOLETE, lively=self._lively)
        logger.warning("agent %d was lost over %s: %s", agent.pid, job.file, reason)
        if isinstance(job, AgentQuestion):
            return Result(JobOutcome.FAILED, message=f"Nothing to show: {reason}.")
        known, now = self._experience, asyncio.get_running_loop().time()
        known.sweep.died(job, now - (began if self._compiling is None else self._compiling[1]))
        if self._compiling is not None:
            key = self._compiling[0]
            job.skips[key] = reason
            if self._timed_out or agent.out_of_memory:
                known.functions.wants_more(key, reason, self._limit)
            else:
                job.ask_again(known.functions.died(key, reason, calm=known.calm()))
            return Result(JobOutcome.BLAMED, lively=self._lively)
        job.attempts += 1
        if job.attempts < 2:
            return Result(JobOutcome.LOST, message=reason, lively=self._lively)
        job.ask_again(known.files.died(_content(job), reason, calm=True))
        return Result(JobOutcome.GIVEN_UP, message=f"This file could not be analyzed: {reason}.", lively=self._lively)

    def _reason(self, agent: Agent, job: Job | AgentQuestion, returncode: int) -> str:
        if self._timed_out and isinstance(job, Job) and self._limit < job.timeout:
            return self._experience.sweep.reason(job)
        if self._timed_out:
            what = "compiler" if self._compiling is not None or isinstance(job, AgentQuestion) else "analysis"
            return f"the {what} needed more than {self._limit:g} s"
        if agent.fault is not None:
            return agent.fault
        if agent.out_of_memory:
            return f"the compiler needed more than {self.environment.memory_limit_mb} MB of memory"
        without = returncode == -9 and out_of_memory_kills() > self._memory_kills
        return f"the compiler {describe_end(returncode)}{_WITHOUT_MEMORY if without else ''}"

    def _start_timer(self, seconds: float, call: Any) -> None:
        self._cancel_timer()
        self._timer = asyncio.get_running_loop().call_later(seconds, call)

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


def _content(job: Job) -> str:
    return f"{job.file}\n{hash(job.text)}"
