"""The process that takes a kernel further than the front end: it is given a module as text, and starts Triton's own
tools (docs/agent.md).

Never sees the user's Python. Writes into a directory that is its own, and starts nothing but those tools.
"""

from __future__ import annotations

from kernel_analysis import wire
from kernel_analysis.agent.memory_limit import limit_memory
from kernel_analysis.agent.on_demand import stage_text
from kernel_analysis.agent.protocol.channel import Channel
from kernel_analysis.agent.protocol.identity import identity
from kernel_analysis.agent.protocol.requests import BadRequest, NoCompiler, Requests
from kernel_analysis.agent.sandbox import seal
from kernel_analysis.agent.sandbox.python_start import keep_out
from kernel_analysis.lowering import Compiler, TritonUnavailable


def main(user_path: list[str]) -> None:
    """Serve until told to exit. ``user_path``: ``sys.path`` as the user's programs see it."""
    channel = Channel()
    StageRequests(channel, user_path).serve()


class StageRequests(Requests):
    def __init__(self, channel: Channel, user_path: list[str]) -> None:
        super().__init__(channel)
        self.answers = {"initialize": self._initialize, "stage": self._stage}
        self._user_path = user_path
        self._compiler: Compiler | None = None

    def _initialize(self, params: wire.Initialize) -> wire.Identity:
        settings, directory = params.get("settings") or {}, (params.get("settings") or {}).get("directory")
        if directory is None or "target" not in settings:
            raise BadRequest("`initialize` needs a target and a directory here.")
        keep_out(params.get("roots") or [])
        limit_memory(settings.get("memory_limit_mb", 4096))
        try:
            self._compiler = Compiler(settings["target"])
        except (TritonUnavailable, ValueError) as error:
            raise NoCompiler(str(error)) from error
        tools = self._compiler.tools()
        protection = seal.seal_for_tools(self._user_path, directory, tools, self._channel.start_reader)
        self._channel.notify(protection)
        return identity(self._user_path)

    def _stage(self, params: wire.StageAsked) -> wire.LateStage:
        if self._compiler is None:
            raise BadRequest("The process was not initialized.")
        stage = params["stage"]
        try:
            made = self._compiler.stage(params["module"], stage, params["gluon"], params["options"], params["files"])
        except ValueError as error:
            raise BadRequest(f"`{params['qualname']}`: {error}") from error
        options = {name: value for name, value in made.options.items() if value is not None}
        shown = stage_text(stage, params["head"], made)
        return wire.LateStage(shown.text, shown.map, options, made.resources)
