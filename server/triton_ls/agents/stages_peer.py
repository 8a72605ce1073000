"""The process that takes kernels further than the front end, started when somebody asks for that: a module as text in,
a stage out.

Has a directory of its own for what Triton's tools write, and removes it. May not ask an agent.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import tempfile

from kernel_analysis.wire import FrontEnd, LateStage, StageAsked
from triton_ls.agents.agent_process import Agent, AgentEnded, AgentError
from triton_ls.agents.launch import CannotStart, Environment, describe_end
from triton_ls.reports import answer

logger = logging.getLogger(__name__)


class StageProcess:
    """One question at a time; the process stays for the next."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._turn = asyncio.Lock()
        self._agent: Agent | None = None
        self._directory: str | None = None

    async def ask(self, made: FrontEnd, qualname: str, stage: str, timeout: float) -> LateStage:
        """What was made of a function, taken further (docs/agent.md), or ``AgentError``."""
        params: StageAsked = {
            "module": made.module,
            "gluon": made.gluon,
            "options": made.options,
            "files": made.files,
            "head": made.head,
            "qualname": qualname,
            "stage": stage,
        }
        async with self._turn:
            try:
                agent = await self._started()
                return answer(LateStage, await asyncio.wait_for(agent.request("stage", params), timeout))
            except CannotStart as error:
                raise AgentError(str(error)) from error
            except AgentEnded as ended:
                await self.close()
                reason = f"the compiler {describe_end(ended.returncode)}"
                raise AgentError(f"Nothing to show: {reason}.") from ended
            except asyncio.TimeoutError as error:
                await self.close()
                raise AgentError(f"Nothing to show: the compiler needed more than {timeout:g} s.") from error
            except asyncio.CancelledError:
                self._end()
                raise

    async def close(self) -> None:
        agent = self._agent
        self._end()
        if agent is not None:
            await agent.close()
        self._clean()

    async def _started(self) -> Agent:
        if self._agent is None or not self._agent.alive:
            await self.close()
            self._directory = tempfile.mkdtemp(prefix="triton-ls-stages-")
            try:
                self._agent = await Agent.start(self._environment, stages_in=self._directory)
            except BaseException:
                self._clean()
                raise
        return self._agent

    def _end(self) -> None:
        if self._agent is not None:
            self._agent.kill()
            self._agent = None

    def _clean(self) -> None:
        if self._directory is not None:
            shutil.rmtree(self._directory, ignore_errors=True)
            self._directory = None
