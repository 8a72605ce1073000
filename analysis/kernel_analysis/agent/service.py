"""The agent's requests and notifications (docs/agent.md), one at a time. Holds what lives as long as the process:
project, compiler, cache.

May not raise out of a request: every one is answered.
"""

from __future__ import annotations

import gc
import sys

from kernel_analysis import wire
from kernel_analysis.agent import on_demand
from kernel_analysis.agent.choices.config_sets import Sets
from kernel_analysis.agent.choices.shape_choices import shapes
from kernel_analysis.agent.file.aliased_launches import Aliased
from kernel_analysis.agent.file.analyze_request import Request, TimeBudget
from kernel_analysis.agent.file.file_analysis import FileAnalysis
from kernel_analysis.agent.file.inference import Inference
from kernel_analysis.agent.file.kept_reports import KeptReports
from kernel_analysis.agent.kept.cache import Cache
from kernel_analysis.agent.kept.last_compiled import History
from kernel_analysis.agent.kept.presented import Presented
from kernel_analysis.agent.memory_limit import limit_memory
from kernel_analysis.agent.protocol.channel import Channel
from kernel_analysis.agent.protocol.identity import identity, with_triton
from kernel_analysis.agent.protocol.requests import BadRequest, NoCompiler, Requests
from kernel_analysis.agent.sandbox import seal
from kernel_analysis.agent.sandbox.confined import Confined
from kernel_analysis.agent.sandbox.python_start import keep_out
from kernel_analysis.files import confine
from kernel_analysis.kernels.project import Project
from kernel_analysis.lowering import FRAMES, Compiler, TritonUnavailable
from kernel_analysis.rules.kept_launches import KeptLaunches
from kernel_analysis.source.tree import syntax

# Nothing to do for this long: import Triton and set up a context before the first kernel needs them.
_IDLE_SECONDS = 0.05
# Characters of text that there are trees of, which take some forty times as much memory: one file after another is
# asked about where nobody edits, and most of what was read for one is of no use to the next. What is read again and
# again keeps half.
_MOST_HELD = 10_000_000
# Compiles since cycles were last looked for, where nobody edits: each leaves some 50 KB in them, what else is made is
# mostly syntax trees, which are in none and far more to look through.
_MOST_COMPILES = 1000
# What outlived a look for cycles outlives the next ones, too, as a rule, and takes a second to look through: of so many
# looks one is at all of it.
_LOOKS = 6
# Objects that are left of all that was made since then when trees were let go: to look for cycles among them.
_SOME_LEFT = 1_000_000
# Objects made since cycles were last looked for: to look when idle.
_SOME_GARBAGE = 50_000
# Texts after which what is kept with trees goes when nobody waits: most is of trees that nobody asks about any more.
_MANY_EDITS = 32


def main(user_path: list[str]) -> None:
    """Serve until told to exit. ``user_path``: ``sys.path`` as the user's programs see it."""
    sys.setrecursionlimit(FRAMES)  # from the first text on: what is read of one is the same before a kernel is compiled
    Service(Channel(), user_path).serve()


class Service(Requests):
    def __init__(self, channel: Channel, user_path: list[str]) -> None:
        super().__init__(channel)
        self.answers = {
            "initialize": self._initialize,
            "document": self._document,
            "changed": self._changed,
            "analyze": self._analyze,
            "ir": self._ir,
            "configs": self._configs,
            "lower": self._lower,
            "customOp": self._custom_op,
            "shapes": self._shapes,
        }
        self._given: object = None
        self._workspace: list[str] = []
        self._sealed = False
        self._user_path = user_path
        self._project = Project([], user_path)
        self._inference = Inference(self._project)
        self._cache = Cache(None)
        self._sets = Sets(self._project, self._cache, self._get_compiler, "", patient=False)
        self._aliased = Aliased(self._get_compiler)
        self._presented = Presented()
        self._launched = KeptLaunches()
        self._reports = KeptReports()
        self._history: History | None = None
        self._target: str | None = None
        self._options = ""
        self._compiler: Compiler | None = None
        self._collected = 0  # after so many compiles
        self._looks_at_new = self._edits = 0
        self._unavailable: str | None = None

    @property
    def warm(self) -> bool:
        """Whether there is nothing to prepare (yet)."""
        if self._target is None or self._unavailable is not None:
            return True
        if self._compiler is None or not self._compiler.prepared:
            return False
        # Who asks about files as they are asks no more when there is nothing to do, and does not wait for this.
        return self._history is None or gc.get_count()[0] < _SOME_GARBAGE and not self.looks

    @property
    def patience(self) -> float | None:
        busy = self._project.elsewhere.busy or self._sets.busy
        return None if self.warm and not busy else _IDLE_SECONDS

    def idle(self) -> None:
        """Nobody waits: do a little of what may be asked for later."""
        if not self.warm:
            self.warm_up()
            return
        if self._project.elsewhere.busy:
            outdated = self._project.elsewhere.work()
        else:
            outdated = self._sets.work(lambda: self._channel.waiting)
            self._cache.flush()
        if outdated:
            self._channel.notify(wire.Outdated(sorted(outdated)))

    def warm_up(self) -> None:
        try:
            self._get_compiler().prepare()
            if self._edits >= _MANY_EDITS:
                self._edits = 0
                syntax.let_go()
            self.collect_all()
        except NoCompiler as error:
            # Every report will say so; here it is for the log.
            print(f"triton-ls: {error}", file=sys.stderr)

    def close(self) -> None:
        self._cache.flush()

    def _initialize(self, params: wire.Initialize) -> wire.Identity:
        settings = params.get("settings") or {}
        roots = params.get("roots") or []
        workspace = [*roots, *(settings.get("readable") or ())]
        memory = settings.get("memory_limit_mb", 4096)
        target = settings.get("target", "cuda:90")
        given = (workspace, memory, target)
        if not self._sealed:
            self._given, self._workspace, self._compiler, self._unavailable = given, workspace, None, None
            keep_out(roots)
            limit_memory(memory)
        elif given != self._given:
            raise BadRequest("The agent has given up all but what it was first told of: start another one.")
        self._cache = Cache(self._channel if settings.get("cache") else None)
        patient, store = settings.get("patient", False), self._cache if settings.get("cache") else None
        self._project = Project(roots, with_triton(self._user_path), target, patient, store)
        installed = tuple(self._project.installed)  # before: to find it out is to read what the import path names
        confine(Confined(workspace, installed))
        self._inference = Inference(self._project)
        self._target = target
        # A compile that ran out of memory may come out under another limit.
        self._options = f"{self._target}, {memory} MB"
        # A check of files as they are knows of no edits.
        self._sets = Sets(self._project, self._cache, self._get_compiler, self._options, patient)
        self._aliased = Aliased(self._get_compiler)
        known = identity(self._project.search_path)
        self._history = None if patient else History(self._cache, f"{known.triton}, {self._target}")
        return known

    def _document(self, params: wire.Document) -> None:
        self._edits += 1
        self._touched(params["file"])
        self._project.set_text(params["file"], params["text"])

    def _changed(self, params: wire.Changed) -> None:
        for file in params["files"]:
            self._touched(file)
        self._project.changed(params["files"])

    def _touched(self, file: str) -> None:
        self._sets.forget(file)
        self._project.elsewhere.touched(file)

    def _notify_and_collect(self, said: wire.Said) -> None:
        """Nobody waits, and there is much to come."""
        self._channel.notify(said)
        if self.much_is_new():
            gc.collect(0)

    def much_is_new(self) -> bool:
        if self._history is not None:
            return super().much_is_new()
        done = 0 if self._compiler is None else self._compiler.lowerings
        much = done - self._collected > _MOST_COMPILES
        if much:
            self._collected = done
        return much

    def _collect_what_is_new(self) -> None:
        self._looks_at_new += 1
        if self._looks_at_new % _LOOKS == 0:
            gc.unfreeze()
        self.collect_all()
        gc.freeze()

    def _analyze(self, params: wire.Analyze) -> wire.Reply:
        self._project.look_again()
        self._project.elsewhere.freshen()
        self._project.elsewhere.catch_up(params["file"])
        if self._history is None and self._project.held > _MOST_HELD:
            self._project.let_go(_MOST_HELD // 2)
            # There is least to look through now, and most of what was let go is gone already.
            if gc.get_count()[0] > _SOME_LEFT or self.much_is_new():
                self._collect_what_is_new()
        request = Request(
            file=params["file"],
            generation=params["generation"],
            first_line=params.get("first_line"),
            skip=params.get("skip") or {},
            levels=params.get("severity") or {},
            budget=TimeBudget(**budget) if (budget := params.get("budget")) else None,
        )
        return FileAnalysis(
            self._project,
            self._inference,
            self._cache,
            self._sets,
            self._aliased,
            self._presented,
            self._launched if self._history is not None else KeptLaunches(),
            self._reports,
            self._history,
            self._get_compiler,
            self._options,
            self._channel.notify if self._history is not None else self._notify_and_collect,
            lambda: request.generation <= self._channel.cancelled,
            request,
        ).run()

    def _ir(self, params: wire.FunctionAsked) -> wire.Printed:
        return on_demand.ir(self._project, self._get_compiler(), params["file"], params["qualname"])

    def _configs(self, params: wire.FunctionAsked) -> wire.ConfigList:
        return on_demand.configs(self._project, params["file"], params["qualname"])

    def _lower(self, params: wire.Lower) -> wire.FrontEnd:
        which = params.get("config")
        return on_demand.lower(self._project, self._get_compiler(), params["file"], params["qualname"], config=which)

    def _custom_op(self, params: wire.FunctionAsked) -> wire.Insertions:
        return on_demand.custom_op(self._project, self._get_compiler(), params["file"], params["qualname"])

    def _shapes(self, params: wire.Shapes) -> wire.ShapeChoices:
        file, qualname, choice = params["file"], params["qualname"], params["choice"]
        return shapes(self._project, self._get_compiler(), file, qualname, choice)

    def _get_compiler(self) -> Compiler:
        if self._compiler is None:
            if self._target is None:
                raise BadRequest("The agent was not initialized.")
            if self._unavailable is None:
                try:
                    self._compiler = Compiler(self._target)
                except (TritonUnavailable, ValueError) as error:
                    self._unavailable = str(error)
            self._seal()
        if self._compiler is None:
            raise NoCompiler(self._unavailable)
        return self._compiler

    def _seal(self) -> None:
        """Once: nothing of the user's is evaluated before, and nothing that Triton's import needs after."""
        if not self._sealed:
            self._sealed = True
            protection = seal.seal(self._workspace, self._project.installed, self._channel.start_reader)
            self._channel.notify(protection)
