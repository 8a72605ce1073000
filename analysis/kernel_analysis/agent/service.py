"""The agent's requests and notifications (docs/agent.md), one at a time. Holds what lives as long as the process:
project, compiler, cache.

May not raise out of a request: every one is answered.
"""

from __future__ import annotations

import gc
import importlib.metadata
import importlib.util
import os
import platform
import sys
import traceback

from kernel_analysis.agent import demand
from kernel_analysis.agent.analysis import Budget, FileAnalysis, Request, Unavailable
from kernel_analysis.agent.cache import Cache
from kernel_analysis.agent.channel import Channel, Message
from kernel_analysis.agent.demand import BadRequest
from kernel_analysis.agent.history import History
from kernel_analysis.agent.inference import Inference
from kernel_analysis.agent.limits import limit_memory
from kernel_analysis.lowering import Compiler, TritonUnavailable
from kernel_analysis.source.project import Project

# Nothing to do for this long: import Triton and set up a context before the first kernel needs them.
_IDLE_SECONDS = 0.05
# Objects made since cycles were last looked for: to look when idle, and to look in any case.
_SOME_GARBAGE = 50_000
_MOST_GARBAGE = 2_000_000


def main(user_path: list[str]) -> None:
    """Serve until told to exit. ``user_path``: ``sys.path`` as the user's programs see it."""
    channel = Channel()
    service = Service(channel, user_path)
    # Cycles are looked for while nobody waits: among all the syntax trees that are held, that takes longer than a
    # compile.
    gc.disable()
    while True:
        try:
            message = channel.receive(None if service.settled else _IDLE_SECONDS)
        except ValueError as error:
            channel.send({"id": None, "error": {"code": -32700, "message": f"This is no JSON-RPC message: {error}"}})
            continue
        if message is None:
            service.idle()
        elif message.get("method") == "exit":
            service.close()
            # Not by unwinding: Triton's bindings report every object that the interpreter's end leaves behind.
            sys.stderr.flush()
            os._exit(0)
        else:
            service.handle(message)
            if gc.get_count()[0] > _MOST_GARBAGE:
                gc.collect()


class Service:
    def __init__(self, channel: Channel, user_path: list[str]) -> None:
        self._channel = channel
        self._user_path = user_path
        self._project = Project([], user_path)
        self._inference = Inference(self._project)
        self._cache = Cache(None, 0)
        self._history: History | None = None
        self._target: str | None = None
        self._options = ""
        self._compiler: Compiler | None = None
        self._unavailable: str | None = None

    @property
    def warm(self) -> bool:
        """Whether there is nothing to prepare (yet)."""
        if self._target is None or self._unavailable is not None:
            return True
        return self._compiler is not None and self._compiler.prepared and gc.get_count()[0] < _SOME_GARBAGE

    @property
    def settled(self) -> bool:
        """Whether there is nothing to do until somebody asks."""
        return self.warm and not self._project.elsewhere.busy

    def idle(self) -> None:
        """Nobody waits: do a little of what may be asked for later."""
        if not self.warm:
            self.warm_up()
            return
        outdated = self._project.elsewhere.work()
        if outdated:
            self._channel.notify("outdated", {"files": sorted(outdated)})

    def warm_up(self) -> None:
        try:
            self._get_compiler().prepare()
            gc.collect()
        except Unavailable as error:
            # Every report will say so; here it is for the log.
            print(f"triton-ls: {error}", file=sys.stderr)

    def close(self) -> None:
        self._cache.close()

    def handle(self, message: Message) -> None:
        method, identity = message.get("method"), message.get("id")
        try:
            handler = getattr(self, f"_on_{method}", None) if isinstance(method, str) else None
            if handler is None:
                raise BadRequest(f"The agent has no method `{method}`.")
            result = handler(message.get("params") or {})
        except (BadRequest, Unavailable) as error:
            self._refuse(identity, -32602, str(error))
        except (KeyError, TypeError) as error:
            traceback.print_exc(file=sys.stderr)
            self._refuse(identity, -32602, f"`{method}` was called with parameters that it doesn't take ({error!r}).")
        except Exception as error:  # noqa: BLE001 - every request is answered, whatever went wrong
            traceback.print_exc(file=sys.stderr)
            self._refuse(identity, -32603, f"`{method}` failed: {type(error).__name__}: {error}")
        else:
            if identity is not None:
                self._channel.send({"id": identity, "result": result})

    def _refuse(self, identity: object, code: int, message: str) -> None:
        if identity is None:
            print(f"triton-ls: {message}", file=sys.stderr)
        else:
            self._channel.send({"id": identity, "error": {"code": code, "message": message}})

    def _on_initialize(self, params: Message) -> Message:
        settings: Message = params.get("settings") or {}
        roots: list[str] = params.get("roots") or []
        _take_off_path(roots)
        memory: int = settings.get("memory_limit_mb", 4096)
        limit_memory(memory)
        target: str = settings.get("target", "cuda:90")
        self._project = Project(roots, self._user_path, target, patient=settings.get("patient", False))
        self._inference = Inference(self._project)
        self._cache.close()
        self._cache = Cache(settings.get("cache"), settings.get("cache_size_mb", 256))
        self._target, self._compiler, self._unavailable = target, None, None
        # A compile that ran out of memory may come out under another limit.
        self._options = f"{self._target}, {memory} MB"
        version, error = _installed_triton()
        # A check of files as they are knows of no edits.
        patient = settings.get("patient", False)
        self._history = None if patient else History(self._cache, f"{version}, {self._target}")
        return {
            "python": platform.python_version(),
            "executable": sys.executable,
            "triton": version,
            "triton_error": error,
            "packages": _packages(self._project),
        }

    def _on_document(self, params: Message) -> None:
        self._touched(params["file"])
        self._project.set_text(params["file"], params["text"])

    def _on_changed(self, params: Message) -> None:
        for file in params["files"]:
            self._touched(file)
        self._project.changed(params["files"])

    def _touched(self, file: str) -> None:
        self._inference.touched(file)
        self._project.elsewhere.touched(file)

    def _on_analyze(self, params: Message) -> Message:
        self._project.elsewhere.freshen()
        request = Request(
            file=params["file"],
            generation=params["generation"],
            first_line=params.get("first_line"),
            skip=params.get("skip") or {},
            levels=params.get("severity") or {},
            budget=Budget(**budget) if (budget := params.get("budget")) else None,
        )
        return FileAnalysis(
            self._project,
            self._inference,
            self._cache,
            self._history,
            self._get_compiler,
            self._options,
            self._channel.notify,
            lambda: request.generation <= self._channel.cancelled,
            request,
        ).run()

    def _on_ir(self, params: Message) -> Message:
        return demand.ir(self._project, self._get_compiler(), params["file"], params["qualname"], params["stage"])

    def _on_resources(self, params: Message) -> Message:
        return demand.resources(self._project, self._get_compiler(), params["file"], params["qualname"])

    def _on_customOp(self, params: Message) -> Message:
        return demand.custom_op(self._project, self._get_compiler(), params["file"], params["qualname"])

    def _get_compiler(self) -> Compiler:
        if self._compiler is None:
            if self._target is None:
                raise BadRequest("The agent was not initialized.")
            if self._unavailable is None:
                try:
                    self._compiler = Compiler(self._target)
                except (TritonUnavailable, ValueError) as error:
                    self._unavailable = str(error)
        if self._compiler is None:
            raise Unavailable(self._unavailable)
        return self._compiler


def _packages(project: Project) -> list[str]:
    """The directories of what can be imported, Triton's own first."""
    triton = importlib.util.find_spec("triton")
    own = list(triton.submodule_search_locations or ()) if triton is not None else []
    return [*own, *project.search_path]


def _take_off_path(roots: list[str]) -> None:
    """What the user's workspace offers for import is never imported by us, unless the workspace is Triton's own
    checkout."""
    taken = {os.path.realpath(root) for root in roots}
    sys.path[:] = [
        entry
        for entry in sys.path
        if os.path.realpath(entry) not in taken or os.path.isdir(os.path.join(entry, "triton", "_C"))
    ]


def _installed_triton() -> tuple[str | None, str | None]:
    """The version of the Triton that would be imported, or why there is none. Does not import it: that takes longer
    than a reply may."""
    if importlib.util.find_spec("triton") is None:
        return None, f"Triton is not installed in {sys.executable}."
    try:
        return importlib.metadata.version("triton"), None
    except importlib.metadata.PackageNotFoundError:
        # PyTorch's and AMD's builds of it have other names; a source checkout may have none.
        providers = importlib.metadata.packages_distributions().get("triton")
        return (importlib.metadata.version(providers[0]) if providers else "of unknown version"), None
