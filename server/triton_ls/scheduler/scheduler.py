"""The queue of jobs and the agents that work on it.

What somebody looks at goes first; other jobs leave ``reserve`` agents free for it, so that it never waits for them and
a killed agent has a warm stand-in. A job is in the queue, or at one worker, or has ended: ``_live`` sees to the last.
May not know LSP or interpret reports.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from kernel_analysis.wire import FrontEnd, Identity, Protection
from triton_ls.agents.agent_process import Agent, Start
from triton_ls.agents.launch import CannotStart, Environment
from triton_ls.agents.stages_peer import StageProcess
from triton_ls.reports import Compiled
from triton_ls.scheduler.backoff import Backoff
from triton_ls.scheduler.budget import Sweep
from triton_ls.scheduler.jobs import AgentQuestion, Job
from triton_ls.scheduler.skips import Skips
from triton_ls.scheduler.worker import Experience, JobOutcome, Result, Worker

logger = logging.getLogger(__name__)

T = TypeVar("T")

LIMITED = " Until then kernels are listed but not analyzed."
_HEAD_START = 1.0
"""Seconds that the stand-ins leave the machine to the first jobs."""
_MOST_DEATHS = 8
"""In a row, after which whoever waits for one answer is told that there won't be any."""


class Scheduler:
    """All work for one environment. ``start``: an agent. ``texts``: what the editor shows, by file. ``tell``: a message
    to the user, each said once. ``stale``: another answer may be had about these files."""

    def __init__(
        self,
        environment: Environment,
        *,
        start: Start | None = None,
        size: int,
        reserve: int,
        texts: Callable[[], Mapping[str, str]],
        tell: Callable[[str], None],
        stale: Callable[[Iterable[str]], None] = lambda files: None,
    ) -> None:
        loop = asyncio.get_running_loop()
        self.environment = environment
        self.identity: asyncio.Future[Identity] = loop.create_future()
        self.failures: list[str] = []
        """Why files have no answer that nothing in them is to blame for: a fault of ours, agents that won't live."""
        self._start, self._size, self._reserve = start, size, reserve
        self._texts, self._tell_user, self._stale = texts, tell, stale
        self._stages = StageProcess(environment)
        self._workers: list[Worker] = []
        self._lives: list[asyncio.Task[None]] = []
        self._queue: list[Job | AgentQuestion] = []
        self._backoff = Backoff(lambda: bool(self._queue))
        self._experience = Experience(
            functions=Skips(loop.time), files=Skips(loop.time), sweep=Sweep(size), calm=lambda: self._backoff.calm
        )
        self._retries: set[asyncio.TimerHandle] = set()
        self._told: set[str] = set()
        self._trouble: str | None = None
        self._drained = asyncio.Event()
        self._drained.set()
        self._closed = False

    @property
    def trouble(self) -> str | None:
        """Why not all of it works, as it was said to the user."""
        return self._backoff.trouble or self._trouble

    @property
    def outstanding(self) -> list[str]:
        """The files that are being analysed or wait for it."""
        running = [worker.job for worker in self._workers if worker.job is not None and not worker.job.obsolete]
        return [job.file for job in [*running, *self._queue]]

    @property
    def protection(self) -> Protection | None:
        """What its agents gave up; None: none of them got to it yet."""
        held = (worker.agent.protection for worker in self._workers if worker.agent is not None)
        return next((each.result() for each in held if each.done()), None)

    async def drained(self) -> None:
        """Until every job has ended."""
        await self._drained.wait()

    def submit(self, job: Job | AgentQuestion) -> None:
        """Queue a job; one for the same file that is queued or running becomes obsolete."""
        if isinstance(job, Job):
            self.outdate(job.file)
        self._enqueue(job)
        self.start()
        if isinstance(job, Job) and self._backoff.trouble is not None:
            job.listener.delayed(job, self._backoff.trouble)
        self._dispatch()

    def ask(self, file: str, kind: type[T], params: Mapping[str, Any], timeout: float) -> asyncio.Future[T]:
        """The answer to the question that is answered with this kind (``wire.ASKED``), or ``AgentError``. One that
        waits to be asked already is not asked twice: it will be asked about the text of that moment."""
        for job in self._queue:
            if isinstance(job, AgentQuestion) and (job.file, job.kind, job.params) == (file, kind, params):
                return job.answer
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self.submit(AgentQuestion(file, kind, params, timeout, answer))
        return answer

    async def stage(self, file: str, qualname: str, stage: str, timeout: float, config: int | None = None) -> Compiled:
        """A kernel further than the front end, or ``AgentError``. ``config``: with which of its configs."""
        which = {} if config is None else {"config": config}
        made = await self.ask(file, FrontEnd, {"qualname": qualname, **which}, timeout)
        return Compiled(made.about, await self._stages.ask(made, qualname, stage, timeout))

    def start(self) -> None:
        """Start the agents, if there are none: the first job does, too."""
        if self._workers:
            return
        self._workers = [Worker(self.environment, self._experience) for _ in range(self._size)]
        first = self._workers[: self._size - self._reserve]
        for worker in self._workers:
            # The first job should not have to share the machine with the start of the stand-ins.
            life = self._live(worker, first=worker in first)
            self._lives.append(asyncio.get_running_loop().create_task(life))

    def outdate(self, file: str) -> None:
        """What is queued or running for this file is of no use any more."""
        for job in self._queue:
            job.obsolete = job.obsolete or (isinstance(job, Job) and job.file == file)
        self._queue = [job for job in self._queue if not job.obsolete]
        for worker in self._workers:
            if isinstance(worker.job, Job) and worker.job.file == file:
                worker.outdate()
        self._look_whether_drained()

    def hurry(self, file: str) -> None:
        """Another text of the file is next: what runs for it may leave out what it has not begun."""
        for worker in self._workers:
            if isinstance(worker.job, Job) and worker.job.file == file:
                worker.hurry()

    def changed(self, files: Iterable[str]) -> None:
        """These changed on disk: every agent hears of it, before its next job or at once."""
        for worker in self._workers:
            worker.changed.update(files)
            if worker.idle:
                worker.tell_changes()

    async def close(self) -> None:
        self._closed = True
        for retry in self._retries:
            retry.cancel()
        for life in self._lives:
            life.cancel()
        await asyncio.gather(*self._lives, return_exceptions=True)
        for job in [*self._queue, *(worker.job for worker in self._workers)]:
            if isinstance(job, AgentQuestion):
                job.fail("The analysis was restarted meanwhile; ask again.")
        await self._stages.close()
        await asyncio.gather(*(worker.agent.close() for worker in self._workers if worker.agent is not None))
        self._workers.clear()

    def describe(self) -> list[str]:
        """A line for each agent, for whoever looks for what is wrong."""
        lines: list[str] = []
        for worker in self._workers:
            agent, job = worker.agent, worker.job
            what = "being started" if agent is None else f"process {agent.pid}, {'alive' if agent.alive else 'ended'}"
            doing = "" if job is None else f", works on {job.file}"
            known = agent is not None and agent.protection.done()
            sealed = agent.protection.result().text if agent is not None and known else "not sealed yet"
            where = f"agent of {self.environment.interpreter} for {self.environment.target}"
            lines.append(f"{where}: {what}{doing}; {sealed}")
        return lines

    # The queue -------------------------------------------------------------------------------------------------------

    def _enqueue(self, job: Job | AgentQuestion) -> None:
        self._queue.append(job)
        self._drained.clear()
        self._backoff.stir()

    def _dispatch(self) -> None:
        for job in sorted(self._queue, key=lambda job: (not job.urgent, -job.order if job.urgent else job.order)):
            idle = [worker for worker in self._workers if worker.idle]
            if not idle:
                return
            busy = sum(worker.job is not None for worker in self._workers)
            asked = any(isinstance(worker.job, AgentQuestion) for worker in self._workers)
            if isinstance(job, AgentQuestion) and asked and self._size > 1:
                continue  # it may take long, and must not keep every agent from what is typed meanwhile
            if not job.urgent and busy >= max(1, self._size - self._reserve):
                return
            # An agent that has seen the file has it parsed.
            worker = min(idle, key=lambda worker: worker.agent is None or job.file not in worker.agent.analyzed)
            self._queue.remove(job)
            worker.give(job)

    def _look_whether_drained(self) -> None:
        if not self._queue and all(worker.job is None for worker in self._workers):
            self._experience.sweep.lost = 0.0
            self._drained.set()

    # A worker's life -------------------------------------------------------------------------------------------------

    async def _live(self, worker: Worker, first: bool) -> None:
        """An agent, its jobs one after the other, the next agent. Whatever goes wrong ends up here, and nothing but
        ``close`` ends it: a job that a worker was given is answered, fails, or goes back into the queue."""
        if not first:
            await asyncio.shield(self.identity)
            done = asyncio.get_running_loop().create_task(self._drained.wait())
            await asyncio.wait([done], timeout=_HEAD_START)
            done.cancel()
        # Not by being cancelled alone: before Python 3.12, `wait_for` may lose that.
        while not self._closed:
            try:
                await self._backoff.wait()
                await self._start_agent(worker)
                await self._serve(worker)
            except CannotStart as error:
                self._cannot_start(worker, error)
            except Exception as error:  # noqa: BLE001 - a fault of ours: it must not cost anybody the answer
                self._at_fault(worker, error)
            self._look_whether_drained()

    async def _start_agent(self, worker: Worker) -> None:
        worker.agent = agent = await (self._start or Agent.start)(worker.environment)
        agent.outdated = self._stale
        agent.ended = worker.stirred.set
        if not self.identity.done():
            self.identity.set_result(agent.identity)
        if agent.identity.triton is not None:
            self._trouble = None
        elif not worker.environment.limited:
            why = agent.identity.triton_error or f"{agent.identity.executable} has no triton"
            self._tell(
                f"{why.rstrip('.')}. Install it there or set triton-ls.interpreter (on the command line: --python) "
                f"to a Python that has it.{LIMITED}"
            )

    async def _serve(self, worker: Worker) -> None:
        """What there is to do, until the agent has ended."""
        while not worker.lost and not self._closed:
            worker.stirred.clear()
            self._dispatch()
            if (job := worker.job) is not None:
                result = await worker.run(job, self._texts())
                self._settle(job, result)
                worker.job = None
                if worker.lost and result.outcome in (JobOutcome.LOST, JobOutcome.GIVEN_UP):
                    self._died(result.message)
                self._look_whether_drained()
            elif worker.idle:
                await worker.stirred.wait()
            else:
                worker.agent = None
                self._died("it was killed while it had nothing to do")
        self._dispatch()

    def _settle(self, job: Job | AgentQuestion, result: Result) -> None:
        """What became of a job, to whoever asked."""
        if result.lively:
            self._backoff.forgive()
        if result.outcome in (JobOutcome.BLAMED, JobOutcome.LOST):
            if not job.obsolete:
                self._enqueue(job)
        elif result.outcome is not JobOutcome.ANSWERED:
            job.fail(result.message)
        elif isinstance(job, AgentQuestion):
            job.answer.set_result(result.answer)
        else:
            job.listener.finished(job, result.answer)
        over = result.outcome in (JobOutcome.ANSWERED, JobOutcome.GIVEN_UP)
        if over and isinstance(job, Job) and job.again is not None:
            self._retry(job.file, job.again)

    def _retry(self, file: str, wait: float) -> None:
        """Somebody may have killed an agent over a function that is as good as others."""
        handle: asyncio.TimerHandle

        def retry() -> None:
            self._retries.discard(handle)
            self._stale([file])

        handle = asyncio.get_running_loop().call_later(wait, retry)
        self._retries.add(handle)

    # What goes wrong -------------------------------------------------------------------------------------------------

    def _died(self, reason: str) -> None:
        """An agent, with no kernel to blame for it."""
        self._backoff.died(reason)
        if self.environment.patient and self._backoff.deaths >= _MOST_DEATHS * self._size:
            self._give_up(
                f"The analysis process died {self._backoff.deaths} times in a row ({reason.rstrip('.')}). "
                f"`triton-ls doctor` and --log-level info tell more."
            )
        elif (trouble := self._backoff.trouble) is not None and self._is_news(trouble):
            for job in self._queue:
                if isinstance(job, Job):
                    self._call(job.listener.delayed, job, trouble)

    def _cannot_start(self, worker: Worker, error: CannotStart) -> None:
        if error.signal is not None:
            self._died(f"it was killed while it was being started (signal {error.signal})")
        elif worker.environment.limited:
            self._died(str(error))
            self._give_up(str(error))
        else:
            self._tell(f"{error}{LIMITED}")
            if not self.identity.done():
                self.identity.set_result(Identity("", worker.environment.interpreter, None, str(error)))
            worker.environment = replace(worker.environment, limited=True)

    def _at_fault(self, worker: Worker, error: Exception) -> None:
        # Not as an error: what the command line says of it is one sentence.
        logger.warning("a fault of triton-ls", exc_info=error)
        fault = f"this is a fault of triton-ls ({type(error).__name__}: {error}); its log (--log-level info) tells more"
        job, worker.job = worker.job, None
        if worker.agent is not None:
            worker.agent.kill()
            worker.agent = None
        if job is None:
            self._give_up(f"The analysis could not be started: {fault}.")
        else:
            message = f"{job.file} could not be analyzed: {fault}."
            self.failures.append(message)
            self._is_news(message)
            self._call(job.fail, message)
        self._died(fault)

    def _give_up(self, message: str) -> None:
        """Nothing that waits can be answered now. Another try is made, but whoever asked need not wait for it."""
        self.failures.append(message)
        self._tell(message)
        if not self.identity.done():
            self.identity.set_result(Identity("", self.environment.interpreter, None, message))
        jobs, self._queue = self._queue, []
        for job in jobs:
            self._call(job.fail, message)

    def _tell(self, message: str) -> None:
        self._trouble = message
        self._is_news(message)

    def _is_news(self, message: str) -> bool:
        """Whether the user had yet to be told."""
        if message in self._told:
            return False
        self._told.add(message)
        self._call(self._tell_user, message)
        return True

    @staticmethod
    def _call(call: Callable[..., None], *arguments: Any) -> None:
        """Somebody outside, when something has gone wrong already: what fails there must not cost others their turn."""
        try:
            call(*arguments)
        except Exception as error:
            logger.warning("a fault of triton-ls, while it said: %s", arguments[-1], exc_info=error)
