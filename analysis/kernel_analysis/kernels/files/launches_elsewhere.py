"""The launches of a kernel in other files of the workspace than its own.

An edit never waits for them: what is not known yet is looked for by ``work``, while nobody waits. Whoever can wait is
``patient``. Reads files, never imports or runs them.
"""

from __future__ import annotations

import ast
import os
import sys
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from kernel_analysis.kernels.files.workspace import Workspace
from kernel_analysis.source.kernel import JitFunction, Launch

if TYPE_CHECKING:
    from kernel_analysis.kernels.files.text_index import TextIndex
    from kernel_analysis.kernels.project_view import FilesView
    from kernel_analysis.source.module import Module

_MOST_FILES = 32
"""Files to look into for one kernel, the nearest first."""
_MOST_LAUNCHES = 8
_MOST_ANSWERS = 4096
_STEP_SECONDS = 0.01
_SIGN_SECONDS = 1.0

_Key: TypeAlias = "tuple[str, str]"


@dataclass(slots=True)
class _Answer:
    """``files``: where was looked; ``modules``: what was found there, and what was read for that. The kernel's own file
    is one of these only where the kernel was not to be seen in it: else its changes make no difference."""

    files: tuple[str, ...] = ()
    modules: tuple[Module, ...] = ()
    launches: list[Launch] = field(default_factory=list[Launch])
    places: int | None = None

    def same(self, other: _Answer) -> bool:
        return _content(self.launches) == _content(other.launches)


class Elsewhere:
    """``patient``: an answer takes as long as it takes, and is final. ``heard`` is called while files are read for
    one."""

    def __init__(self, project: FilesView, index: TextIndex, patient: bool = False) -> None:
        self._project = project
        self._patient = patient
        self._workspace = Workspace(project, index)
        self._answers: OrderedDict[_Key, _Answer] = OrderedDict()
        self._open: dict[_Key, None] = {}
        self._stores: OrderedDict[tuple[str | None, str, bool], list[str]] = OrderedDict()
        self._handing: OrderedDict[tuple[str | None, bool], tuple[str, ...]] = OrderedDict()
        self._libraries: dict[str, frozenset[str]] = {}
        self._calls: OrderedDict[tuple[str, str], list[str]] = OrderedDict()
        self._wording: OrderedDict[tuple[str, str | None], tuple[str, ...]] = OrderedDict()
        self._prepared: dict[str, Module] = {}
        self._checked = self._meant = self._caught_up = 0
        self._late: set[str] = set()
        self._heard = 0.0
        self.heard: Callable[[], None] = lambda: None

    def launches(self, function: JitFunction) -> list[Launch]:
        """What is known by now, and from now on ``work`` looks for more."""
        key = (function.file, function.qualname)
        answer = self._answers.get(key)
        if answer is None:
            if self._patient:
                self._read_all()
                answer = self._find(key, self._where(key))
            else:
                answer = _Answer()
                self._open[key] = None
        elif self._is_of_before(answer):
            # One of the few files that it was found in is another now. The kernel's own changes cost nothing here.
            answer = self._find(key, answer.files)
        self._answers[key] = answer
        if len(self._answers) > _MOST_ANSWERS:
            self._answers.popitem(last=False)
        return answer.launches

    def storing(self, module: Module | None, name: str, contents: bool) -> list[str]:
        """The files, as far as they are known by now, that may set a global of the module, or an attribute of that
        name; ``contents``: or change what it holds. None: those that may set it of whatever."""
        if self._patient:
            self._read_all()
        found = sorted(self._workspace.storing(module, name, contents))
        self._stores[module and module.file, name, contents] = found
        if len(self._stores) > _MOST_ANSWERS:
            self._stores.popitem(last=False)
        return found

    def calling(self, module: Module, name: str) -> list[str]:
        """The other files, as far as they are known by now, that may call a function of the module, the nearest
        first."""
        if self._patient:
            self._read_all()
        found = self._calls[module.file, name] = self._called_in(module, name)
        if len(self._calls) > _MOST_ANSWERS:
            self._calls.popitem(last=False)
        return found

    def _called_in(self, module: Module, name: str) -> list[str]:
        files = self._workspace.calling(module, name)
        return sorted(files, key=lambda file: (-_shared(file, module.file), file))

    def let_go(self) -> None:
        """Hold no trees: what was found in them is looked for again."""
        self._answers.clear()
        self._prepared.clear()

    def handing(self, module: Module | None, spelled: bool) -> tuple[str, ...]:
        """The files, as far as they are known by now, that may hand the module on as a value; None: any module, which
        a text names that is not in sight. Without ``spelled`` to code alone that sets what it doesn't spell."""
        if self._patient:
            self._read_all()
        key = module and module.file, spelled
        known = self._handing.get(key)
        if known is None:
            known = self._handing[key] = self._workspace.handing(module, spelled)
        if len(self._handing) > _MOST_ANSWERS:
            self._handing.popitem(last=False)
        return known

    def handing_library(self, path: str) -> frozenset[str]:
        """The files, as far as they are known by now, that may use the module of a library as a value."""
        if self._patient:
            self._read_all()
        if path not in self._libraries:
            self._libraries[path] = self._workspace.handing_library(path)
        return self._libraries[path]

    def wording(self, module: Module, name: str) -> tuple[str, ...]:
        """The files, as far as they are known by now, that have the module's name as a word, or what some file calls
        it."""
        return self._worded(module, name)

    def reaching(self, module: Module) -> tuple[str, ...]:
        """The files, as far as they are known by now, that may use what is in the module by no name that they
        spell."""
        return self._worded(module, None)

    def _worded(self, module: Module, name: str | None) -> tuple[str, ...]:
        if self._patient:
            self._read_all()
        key = module.file, name
        if key not in self._wording:
            self._wording[key] = self._look_for(key)
        if len(self._wording) > _MOST_ANSWERS:
            self._wording.popitem(last=False)
        return self._wording[key]

    def _look_for(self, key: tuple[str, str | None]) -> tuple[str, ...]:
        file, name = key
        found = self._workspace.reaching(self._project.load(file)) if name is None else self._workspace.wording(name)
        return tuple(sorted(found))

    def looking_near(self, module: Module) -> bool:
        """Whether a file, or one that it imports or that imports it, may have any module, by a text."""
        return self._workspace.looking_near(module)

    def having(self, one: Module, other: Module) -> list[str]:
        """The files that have two modules, but the first's own."""
        return sorted(self._workspace.having(one, other))

    def called(self, name: str) -> list[str]:
        """What some file may call what is called ``name`` where it is defined."""
        return sorted(self._workspace.called(name))

    def stored(self, name: str) -> bool:
        """Whether some file sets an attribute of that name."""
        return self._workspace.stored(name)

    def left_out(self) -> str | None:
        """A file of the workspace, as far as is known by now, of which nothing is: it is too large, or one too many."""
        if self._patient:
            self._read_all()
        return self._workspace.left_out

    def has_read(self, file: str) -> bool:
        """Whether a file is among those that are known by now."""
        return self._workspace.has_read(file)

    def imported(self, name: str) -> bool:
        """Whether some file imports something of that name."""
        return self._workspace.imported(name)

    def _read_all(self) -> None:
        """Whoever waits hears from time to time that it goes on: in a large workspace this takes longer than any one
        file may."""
        while self._workspace.busy:
            self._workspace.advance(_SIGN_SECONDS)
            if self._workspace.busy:
                self.heard()

    def loaded(self, file: str) -> None:
        """A file is read for somebody: what it does to others counts from now on, however much there is left to look
        through. Whoever waits hears of it from time to time: there may be as many as there are."""
        if not self._patient:
            self._workspace.read_now(file)
        now = time.monotonic()
        if self._patient and now - self._heard > _SIGN_SECONDS:
            self._heard = now
            self.heard()

    def touched(self, file: str) -> None:
        """The file has changed, on disk or in the editor."""
        self._workspace.touched(file)

    @property
    def busy(self) -> bool:
        """Whether ``work`` has something to do."""
        if self._patient:
            return False
        return self._workspace.busy or bool(self._open or self._late) or self._checked != self._workspace.revision

    def catch_up(self, file: str) -> None:
        """Somebody waits for an answer about a file: what the texts that have changed do to others counts in it."""
        if self._patient:
            return
        before = self._workspace.meaning
        self._workspace.catch_up()
        if self._workspace.meaning != before:
            self._late |= self._anew()
        if self._caught_up != self._workspace.meaning:
            self._caught_up = self._workspace.meaning
            self._project.host_changed()
        self._late.discard(file)

    def freshen(self) -> None:
        """Somebody works: files may have come and gone."""
        if not self._patient:
            self._workspace.freshen()

    def work(self) -> set[str]:
        """A little of what is to be done. The files for whose kernels there is another answer now."""
        if self._workspace.busy:
            self._workspace.advance(_STEP_SECONDS)
            return set()
        if self._checked != self._workspace.revision:
            self._checked = self._workspace.revision
            self._open.update(dict.fromkeys(self._answers))
            if self._meant != self._workspace.meaning:
                self._late |= self._anew()
        if self._late:
            outdated, self._late = self._late, set()
            return outdated
        outdated: set[str] = set()
        while self._open:
            key = next(iter(self._open))
            answer = self._answers.get(key, _Answer())
            files = self._where(key)
            stale = files != answer.files or self._is_of_before(answer)
            if stale and self._prepare(files):
                # Reading one file is enough for now.
                return outdated
            del self._open[key]
            if stale:
                found = self._find(key, files)
                if not found.same(answer):
                    outdated.add(key[0])
                self._answers[key] = found
        return outdated

    def _anew(self) -> set[str]:
        self._meant = self._workspace.meaning
        return self._stored_anew() | self._called_anew()

    def _stored_anew(self) -> set[str]:
        """The files of which another file may set a name now that was thought to be left alone, or the other way round,
        with those that kernels were found in after reading them."""
        files: set[str] = set()
        for key, before in list(self._stores.items()):
            file, name, contents = key
            now = sorted(self._workspace.storing(None if file is None else self._project.load(file), name, contents))
            if now != before:
                self._stores[key] = now
                files.update([file] if file is not None else [f for f, _, _ in self._stores if f is not None])
        for key, before in list(self._handing.items()):
            file, spelled = key
            now = self._workspace.handing(None if file is None else self._project.load(file), spelled)
            self._handing[key] = now
            if now != before:
                files.update([file] if file is not None else [f for f, _ in self._handing if f is not None])
        for path, before in list(self._libraries.items()):
            self._libraries[path] = self._workspace.handing_library(path)
            if self._libraries[path] != before:
                files.update(f for f, _, _ in self._stores if f is not None)
        for key, before in list(self._wording.items()):
            self._wording[key] = self._look_for(key)
            files.update([key[0]] if self._wording[key] != before else [])
        return self._project.stored_anew(files) if files else files

    def _called_anew(self) -> set[str]:
        """The files of which other files may call a function now that did not seem to, or the other way round."""
        files: set[str] = set()
        for (file, name), before in list(self._calls.items()):
            now = self._calls[file, name] = self._called_in(self._project.load(file), name)
            if now != before:
                files.add(file)
        return files

    def _prepare(self, files: tuple[str, ...]) -> bool:
        """Look at the next file that was not looked at yet, if there is one."""
        for file in files:
            module = self._project.load(file)
            if self._prepared.get(file) is not module:
                self._launches_in(module)
                return True
        return False

    def _launches_in(self, module: Module) -> list[tuple[JitFunction, Launch]]:
        self._prepared[module.file] = module
        try:
            return self._project.launches_in(module)
        except Exception:  # noqa: BLE001 - what is wrong with another file must not cost this one its facts
            traceback.print_exc(file=sys.stderr)
            return []

    def _where(self, key: _Key) -> tuple[str, ...]:
        """The other files that could launch the function, those in the folders next to it first."""
        own = key[0]
        *owners, name = key[1].split(".")
        files = self._workspace.launching(name) - {own}
        # What is in a class or a function is reached through that.
        for owner in owners[:1]:
            files &= self._workspace.launching(owner)
        return tuple(sorted(files, key=lambda file: (-_shared(file, own), file))[:_MOST_FILES])

    def _find(self, key: _Key, files: tuple[str, ...]) -> _Answer:
        modules = tuple(self._project.load(file) for file in files)
        found: list[Launch] = []
        for module in modules:
            for target, launch in self._launches_in(module):
                if (target.file, target.qualname) == key and not any(launch.call is f.call for f in found):
                    found.append(launch)
        found = found[:_MOST_LAUNCHES]
        # What is handed to a function of yet another file is launched there.
        inside = {launch.file for launch in found} - set(files) - {key[0]}
        own = self._project.load(key[0])
        seen = any(function.qualname == key[1] and not function.stale for function in self._project.functions(own))
        behind = dict.fromkeys(read for module in modules for read in self._project.read_for(module))
        if seen:
            behind.pop(own, None)
        every = (*modules, *(self._project.load(file) for file in sorted(inside)), *behind)
        return _Answer(files, every, found, self._project.places)

    def _is_of_before(self, answer: _Answer) -> bool:
        """Whether a file that it was found in is another now, or any came or went since."""
        changed = any(self._project.load(module.file) is not module for module in answer.modules)
        return changed or answer.places not in (None, self._project.places)


def _shared(file: str, other: str) -> int:
    """The number of folders that two files have in common."""
    return len(os.path.commonpath((file, other)).split(os.sep)) if file[:1] == other[:1] else 0


def _content(launches: list[Launch]) -> list[tuple[str, int, str]]:
    return [(launch.file, launch.call.lineno, ast.dump(launch.call)) for launch in launches]
