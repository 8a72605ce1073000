"""The queue of jobs and the agents that work on it.

What somebody looks at goes first; other jobs leave ``reserve`` agents free for it, so that it never waits for them and
a killed agent has a warm stand-in. May not know LSP or interpret reports.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import replace
from typing import Any

from triton_ls.agents.launch import CannotStart, Environment
from triton_ls.agents.process import Agent, AgentError
from triton_ls.reports import Identity
from triton_ls.scheduler.jobs import Job, Question, Skips
from triton_ls.scheduler.worker import Outcome, Worker

LIMITED = " Until then kernels are listed but not analyzed."
_MOST_DEATHS = 5
_FIRST_BACKOFF = 0.5


class Scheduler:
    """All work for one environment. ``texts``: what the editor shows, by file. ``tell``: a message to the user, each
    said once. ``stale``: what an agent said about these files is out of date."""

    def __init__(
        self,
        environment: Environment,
        *,
        size: int,
        reserve: int,
        texts: Callable[[], Mapping[str, str]],
        tell: Callable[[str], None],
        stale: Callable[[Iterable[str]], None] = lambda files: None,
    ) -> None:
        self.environment = environment
        self.identity: asyncio.Future[Identity] = asyncio.get_running_loop().create_future()
        self._size, self._reserve = size, reserve
        self._texts, self._tell_user, self._stale = texts, tell, stale
        self._skips = Skips()
        self._workers: list[Worker] = []
        self._queue: list[Job | Question] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._deaths = 0
        self._broken: str | None = None
        self._told: set[str] = set()
        self.trouble: str | None = None
        """Why not all of it works, as it was said to the user."""
        self._closed = False

    @property
    def outstanding(self) -> list[str]:
        """The files that are being analysed or wait for it."""
        running = [worker.job for worker in self._workers if worker.job is not None and not worker.job.obsolete]
        return [job.file for job in [*running, *self._queue]]

    def submit(self, job: Job | Question) -> None:
        """Queue a job; one for the same file that is queued or running becomes obsolete."""
        if isinstance(job, Job):
            self.outdate(job.file)
        self._queue.append(job)
        self.start()
        self._dispatch()

    def ask(self, file: str, method: str, params: Mapping[str, Any], timeout: float) -> asyncio.Future[dict[str, Any]]:
        """The answer to a question, or ``AgentError``. One that waits to be asked already is not asked twice: it will
        be asked about the text of that moment."""
        for job in self._queue:
            if isinstance(job, Question) and (job.file, job.method, job.params) == (file, method, params):
                return job.answer
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self.submit(Question(file, method, params, timeout, answer))
        return answer

    def start(self) -> None:
        """Start the agents, if there are none: the first job does, too."""
        if not self._workers:
            self._workers = [Worker(self.environment, self._skips) for _ in range(self._size)]
            self._spawn(self._start_all())

    def outdate(self, file: str) -> None:
        """What is queued or running for this file is of no use any more."""
        self._queue = [job for job in self._queue if job.file != file or isinstance(job, Question)]
        for worker in self._workers:
            if isinstance(worker.job, Job) and worker.job.file == file:
                worker.outdate()

    def changed(self, files: Iterable[str]) -> None:
        """These changed on disk: every agent hears of it before its next job."""
        for worker in self._workers:
            worker.changed.update(files)

    async def close(self) -> None:
        self._closed = True
        running = [worker.job for worker in self._workers]
        for job in [*self._queue, *running]:
            if isinstance(job, Question) and not job.answer.done():
                job.answer.set_exception(AgentError("The analysis was restarted meanwhile; ask again."))
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(worker.agent.close() for worker in self._workers if worker.agent is not None))
        self._workers.clear()

    # Jobs ------------------------------------------------------------------------------------------------------------

    def _dispatch(self) -> None:
        if self._broken is not None:
            self._fail_all(self._broken)
        for job in sorted(self._queue, key=lambda job: (not job.urgent, -job.order if job.urgent else job.order)):
            idle = [worker for worker in self._workers if worker.idle]
            if not idle:
                return
            busy = sum(worker.job is not None for worker in self._workers)
            asked = any(isinstance(worker.job, Question) for worker in self._workers)
            if isinstance(job, Question) and asked and self._size > 1:
                continue  # it may take long, and must not keep every agent from what is typed meanwhile
            if not job.urgent and busy >= max(1, self._size - self._reserve):
                return
            # An agent that has seen the file has it parsed.
            worker = min(idle, key=lambda worker: worker.agent is None or job.file not in worker.agent.analyzed)
            self._queue.remove(job)
            worker.job = job
            self._spawn(self._run(worker, job))

    async def _run(self, worker: Worker, job: Job | Question) -> None:
        outcome = await worker.run(job, self._texts())
        worker.job = None
        if outcome in (Outcome.BLAMED, Outcome.LOST):
            self._queue.append(job)
        if outcome in (Outcome.LOST, Outcome.GIVEN_UP):
            self._deaths += 1
        elif outcome is Outcome.DONE:
            self._deaths = 0
        if worker.agent is None:
            self._spawn(self._start(worker))
        self._dispatch()

    def _fail_all(self, message: str) -> None:
        jobs, self._queue = self._queue, []
        for job in jobs:
            if isinstance(job, Job):
                job.listener.failed(job, message)
            elif not job.answer.done():
                job.answer.set_exception(AgentError(message))

    # Agents ----------------------------------------------------------------------------------------------------------

    async def _start_all(self) -> None:
        # The first job should not have to share the machine with the start of the stand-ins.
        first = self._size - self._reserve
        await asyncio.gather(*(self._start(worker) for worker in self._workers[:first]))
        await asyncio.gather(*(self._start(worker) for worker in self._workers[first:]))

    async def _start(self, worker: Worker) -> None:
        if self._deaths >= _MOST_DEATHS:
            self._break(
                f"The analysis process crashed {self._deaths} times in a row: it stays off until triton-ls restarts."
            )
        if self._broken is not None:
            self._dispatch()
            return
        if self._deaths:
            await asyncio.sleep(_FIRST_BACKOFF * 2 ** (self._deaths - 1))
        try:
            agent = await Agent.start(worker.environment)
        except CannotStart as error:
            await self._cannot_start(worker, str(error))
            return
        worker.agent = agent
        agent.outdated = self._stale
        agent.ended = lambda: self._ended(worker, agent)
        if not self.identity.done():
            self.identity.set_result(agent.identity)
        if agent.identity.triton is None and not worker.environment.limited:
            why = agent.identity.triton_error or f"{agent.identity.executable} has no triton"
            self._tell(
                f"{why.rstrip('.')}. Install it there or set triton-ls.interpreter (on the command line: --python) "
                f"to a Python that has it.{LIMITED}"
            )
        self._dispatch()

    async def _cannot_start(self, worker: Worker, message: str) -> None:
        if worker.environment.limited:
            self._break(message)
            return
        self._tell(f"{message}{LIMITED}")
        if not self.identity.done():
            self.identity.set_result(Identity("", worker.environment.interpreter, None, message))
        worker.environment = replace(worker.environment, limited=True)
        await self._start(worker)

    def _ended(self, worker: Worker, agent: Agent) -> None:
        """An agent that has a job tells its worker; one without has to be replaced here."""
        if worker.agent is agent and worker.job is None and not self._closed:
            worker.agent = None
            self._deaths += 1
            self._spawn(self._start(worker))

    def _break(self, message: str) -> None:
        self._broken = message
        self._tell(message)
        self._dispatch()

    def describe(self) -> list[str]:
        """A line for each agent, for whoever looks for what is wrong."""
        lines: list[str] = []
        for worker in self._workers:
            agent, job = worker.agent, worker.job
            what = "being started" if agent is None else f"process {agent.pid}, {'alive' if agent.alive else 'ended'}"
            doing = "" if job is None else f", works on {job.file}"
            lines.append(f"agent of {self.environment.interpreter} for {self.environment.target}: {what}{doing}")
        return lines

    def _tell(self, message: str) -> None:
        self.trouble = message
        if message not in self._told:
            self._told.add(message)
            self._tell_user(message)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error  # to the event loop's handler: a bug of ours must not vanish with its task
