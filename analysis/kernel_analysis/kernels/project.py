"""The files as the analysis sees them: the editor's text over the disk's, modules found by name. Reads files, never
imports or runs them."""

from __future__ import annotations

import ast
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from kernel_analysis.files import FileStamp, file_stamp
from kernel_analysis.host.evaluate.machine.hardware import Hardware
from kernel_analysis.host.evaluate.values import Decoration
from kernel_analysis.host.names.resolve import Resolver
from kernel_analysis.kernels import find
from kernel_analysis.kernels.files.file_texts import Decoded, Stamp, Texts, decode
from kernel_analysis.kernels.files.launches_elsewhere import Elsewhere
from kernel_analysis.kernels.files.module_places import ModulePlaces
from kernel_analysis.kernels.files.text_index import TextIndex, TextStore
from kernel_analysis.kernels.found_functions import FoundFunctions
from kernel_analysis.kernels.kept.host_code_cache import HostText
from kernel_analysis.kernels.kept.kept_slices import KeptSlices
from kernel_analysis.source.kernel import JitFunction, Launch
from kernel_analysis.source.module import Module, from_text
from kernel_analysis.source.module_search import Located, Rivals
from kernel_analysis.source.parsing.parse import Parsed, parse
from kernel_analysis.source.parsing.reparse import Whole
from kernel_analysis.source.tree import syntax
from kernel_analysis.source.tree.body_edits import within_a_body

_T = TypeVar("_T")


class Project:
    """``roots``: the workspace's folders. ``search_path``: ``sys.path`` of the user's Python. ``target``: what
    kernels are compiled for,
    which answers host code that asks for the GPU at import time. ``patient``: launches in other files are looked for
    at once and not in the background. ``store``: for what texts say, for other processes.

    A file is looked at again when its ``module`` is asked for, when ``changed`` names it, or on ``refresh``.
    """

    def __init__(
        self,
        roots: Sequence[str],
        search_path: Sequence[str],
        target: str = "cuda:90",
        patient: bool = False,
        store: TextStore | None = None,
    ) -> None:
        self.roots = [os.path.abspath(r) for r in roots]
        self._where = ModulePlaces(self.roots, search_path, self.exists)
        self._overlay: dict[str, str] = {}
        self._stamps: dict[str, Stamp] | None = {} if patient else None
        """Of the files as they are, where nobody edits: thousands of questions are asked of each."""
        self._modules: dict[str, tuple[Stamp, Module]] = {}
        self._chunks: dict[str, dict[tuple[int, str], Parsed]] = {}
        self._whole: dict[str, Whole] = {}
        self._texts = Texts(self._text_changed, self._answers_forgotten)
        self.found = FoundFunctions(self)
        self.careful = False
        self.changes = 0
        """How often a file was found to be another, or elsewhere."""
        self.host_changes = 0
        """The same, but for what was another in the bodies of jit functions alone."""
        self._changes_of: Counter[str] = Counter()
        self._let_go = 0
        self._read_times: Counter[str] = Counter()
        self.places = 0
        self.hardware = Hardware(target)
        self.resolver = Resolver(self)
        self.elsewhere = Elsewhere(self, TextIndex(store), patient)
        self.host_text = HostText(self)
        self.slices = KeptSlices(self)

    @property
    def search_path(self) -> list[str]:
        """Where installed packages are, with what ``.pth`` files add."""
        return self._where.search_path

    @property
    def installed(self) -> list[str]:
        """Everything that an import of an installed package may lead to."""
        return self._where.installed

    def set_text(self, file: str, text: str | None) -> None:
        """The editor's text stands in for the file's; None: the file's own counts again."""
        file = os.path.abspath(file)
        if text is None:
            self._overlay.pop(file, None)
            self._whole.pop(file, None)
        else:
            self._overlay[file] = text
        self._reload(file)

    def changed(self, files: Iterable[str]) -> None:
        """These files appeared, changed or went away on disk."""
        self.look_again()
        for file in files:
            self._reload(os.path.abspath(file))

    def be_careful(self) -> None:
        """Something in the files is nested too deeply for those who walk through them: read them all again, and leave
        that out from now on."""
        self.careful = True
        self.let_go()
        self._forget_places()

    @property
    def held(self) -> int:
        """How much text there is a tree of, in characters."""
        return sum(len(module.text) for _, module in self._modules.values())

    def let_go(self, held: int = 0) -> None:
        """Hold no trees, but those of the files that were read most often, ``held`` characters at most: what else is
        asked for is read again."""
        for file in sorted(self._modules, key=self._read_times.__getitem__, reverse=True):
            module = self._modules[file][1]
            held -= len(module.text)
            module.forget()
            if held < 0:
                module.take_apart()
                del self._modules[file]
        self._chunks.clear()
        self._whole.clear()
        self.found.let_go()
        self.elsewhere.let_go()
        self.host_text.let_go()
        self.slices.let_go()
        self.resolver.touches.let_go()
        syntax.let_go()
        self._let_go += 1

    @property
    def epoch(self) -> int:
        """Another one for everything that refers to trees: after a change, and after they were let go."""
        return self.changes + self._let_go

    def refresh(self) -> None:
        """Look at every known file again, for a caller that nobody tells of changes."""
        self.look_again()
        self._forget_places()
        for file in list(self._modules):
            self._reload(file)

    def look_again(self) -> None:
        """Files may be others by now."""
        if self._stamps is not None:
            self._stamps.clear()

    def module(self, file: str) -> Module:
        """The file as it is now. A file that can't be read is an empty module with a problem."""
        self.look_again()
        file = os.path.abspath(file)
        self._reload(file)
        return self.load(file)

    def load(self, file: str) -> Module:
        """The file as it was last looked at."""
        known = self._modules.get(file)
        if known is not None:
            return known[1]
        stamp = self.stamp(file)
        module = self._read(file, None)
        self._modules[file] = (stamp, module)
        self._read_times[file] += 1
        self.elsewhere.loaded(file)
        return module

    def _reload(self, file: str) -> None:
        known = self._modules.get(file)
        stamp = self.stamp(file)
        if known is None:
            self._texts.look_again(file, stamp)
            where = self._where
            if self._renamed(file) or stamp is None or where.is_outdated(file) or where.is_start(file):
                self._forget_places()
            return
        if known[0] == stamp:
            return
        if known[0] is None or stamp is None or self._where.is_outdated(file):
            self._renamed(file)
            self._forget_places()
        if known[1].text == (stamp if isinstance(stamp, str) else None) and known[1].note is None:
            self._modules[file] = (stamp, known[1])
            return
        previous = known[1]
        module = self._read(file, previous)
        if module is previous:
            self._modules[file] = (stamp, module)
            return
        before = self.found.before(previous)
        if before is None and (module.broken or module.unread):
            before = find.functions(self.resolver, previous)
        module.previous = before or []
        within = self._within_a_body(previous, module)
        self._modules[file] = (stamp, module)
        self.changes += 1
        self._changes_of[file] += 1
        if within is not None and self._texts.says_the_same(file, known[0], stamp):
            self.found.follows(previous, module, *within)
        else:
            self.host_changes += 1

    def _within_a_body(self, before: Module, after: Module) -> tuple[ast.FunctionDef, ast.FunctionDef] | None:
        known = self.found.before(before)
        return None if known is None else within_a_body(before, after, [f.node for f in known if not f.stale])

    def changes_of(self, file: str) -> int:
        """How often it was found to be another."""
        return self._changes_of[file]

    def changes_beside(self, file: str) -> int:
        """How often any other file was found to be another, or any was found elsewhere."""
        return self.changes - self._changes_of[file]

    def _text_changed(self, file: str) -> None:
        """Of a file that a glance at its text was enough for, as a rule: it was not loaded."""
        self.changes += 1
        self._changes_of[file] += 1
        # What is loaded was looked at when it changed.
        known = self._modules.get(file)
        self.host_changes += known is None or known[0] != self.stamp(file)

    def _answers_forgotten(self) -> None:
        self.host_changes += 1

    def _renamed(self, file: str) -> bool:
        """Whether modules go by other names now, because their package came or went: they are read again with them."""
        folder, base = os.path.split(file)
        inside = [other for other in self._modules if base == "__init__.py" and other.startswith(folder + os.sep)]
        renamed = [other for other in inside if other != file and self._modules[other][1].name != self.dotted(other)]
        for other in renamed:
            del self._modules[other]
        return bool(renamed)

    def _forget_places(self) -> None:
        self._where.forget()
        self.places += 1
        self.changes += 1
        self.host_changes += 1

    def is_edited(self, file: str) -> bool:
        """Whether the editor's text stands in for the file's."""
        return file in self._overlay

    def stamp(self, file: str) -> Stamp:
        """What is another whenever the file is; None: there is no such file."""
        if file in self._overlay:
            return self._overlay[file]
        if self._stamps is None:
            return file_stamp(file)
        if file not in self._stamps:
            self._stamps[file] = file_stamp(file)
        return self._stamps[file]

    def read_at(self, file: str) -> FileStamp | None:
        """The stamp of the file on disk when it was last read; None if it was not, or the editor's text was."""
        known = self._modules.get(file)
        return None if known is None or isinstance(known[0], str) else known[0]

    def text(self, file: str) -> str:
        """The text of a file as it is now, its names as Python has them; empty if it can't be read."""
        return self._texts.text(file, self.stamp(file))

    def says(self, file: str, ask: Callable[..., _T], *words: str) -> _T:
        """What ``ask`` gives of the text of a file as it is now, and of words, asked once."""
        return self._texts.says(file, self.stamp(file), ask, *words)

    def said(self, file: str, answer: _T, ask: Callable[[str], _T]) -> None:
        """That this is what ``ask`` would give of it as it is now."""
        self._texts.said(file, self.stamp(file), answer, ask)

    def _read(self, file: str, previous: Module | None) -> Module:
        text = self._overlay.get(file)
        decoded = decode(file) if text is None else Decoded(text)
        text, note, notebook = decoded.text, decoded.note, decoded.notebook
        if previous is not None and (previous.text, previous.note, previous.notebook) == (text, note, notebook):
            return previous
        return from_text(self.functions, file, self.dotted(file), text, self._parsed(file, text), note, notebook)

    def _parsed(self, file: str, text: str) -> Parsed:
        edited = file in self._overlay and not self.careful
        before = self._whole.get(file) if edited else None
        tree = before.reparse(text) if before else None
        if tree is not None:
            parsed = Parsed(tree)
        else:
            chunks = self._chunks.setdefault(file, {})
            parsed = parse(text, chunks, self.careful)
        if not parsed.problems:
            self._chunks.pop(file, None)
            if edited:
                self._whole[file] = Whole(text, parsed.tree, before)
        return parsed

    def relative(self, file: str) -> str:
        """The file as people call it: by its path in the workspace."""
        inside = [os.path.relpath(file, root) for root in self.roots if file.startswith(root.rstrip(os.sep) + os.sep)]
        return min(inside, key=len, default=os.path.basename(file))

    def place(self, file: str, line: int) -> str:
        """A line of a file for people: ``use.py:12``, ``notes.ipynb:cell 3:4``."""
        notebook = self.load(file).notebook
        cell, line = (None, line) if notebook is None else notebook.place(line)
        return f"{self.relative(file)}:{'' if cell is None else f'cell {cell}:'}{line}"

    def exists(self, file: str) -> bool:
        """Whether there is such a file, on disk or in the editor."""
        return file in self._overlay or os.path.isfile(file)

    def dotted(self, file: str) -> str:
        """The module's dotted name, by the ``__init__.py`` files above it."""
        folder, base = os.path.split(file)
        parts = [] if base == "__init__.py" else [os.path.splitext(base)[0]]
        while self.exists(os.path.join(folder, "__init__.py")) and len(parts) < 40:
            folder, part = os.path.split(folder)
            parts.insert(0, part)
        return ".".join(parts) or os.path.basename(folder)

    def find_module(self, dotted_name: str, importer_file: str) -> str | None:
        """The file of a module, ``..utils`` relative to the importer included; None if it is not found or has no
        Python file."""
        located = self.locate(dotted_name, importer_file)
        return located.file if located else None

    def locate(self, dotted_name: str, importer_file: str) -> Located | None:
        """Where a module is; a namespace package has no file."""
        return self._where.locate(dotted_name, importer_file)

    def looked_for(self, dotted_name: str, importer_file: str) -> tuple[str, ...]:
        """The files whose appearance would change what ``locate`` answered."""
        return self._where.looked_for(dotted_name, importer_file)

    def rivals(self, name: str, importer_file: str, taken: str | None) -> Rivals:
        """The other modules of the workspace that have a top-level name."""
        return self._where.rivals(name, importer_file, taken)

    def locate_installed(self, parts: Sequence[str]) -> Located | None:
        """A module among the installed packages alone."""
        return self._where.locate_installed(parts)

    def functions(self, module: Module) -> list[JitFunction]:
        """The jit functions of a module; found again when a file that says what its decorators are has changed."""
        return self.found.of(module).functions

    def has_jit(self, file: str, node: ast.AST) -> bool:
        """Whether this is the tree of a jit function of a file as it is now."""
        return id(node) in self.found.of(self.load(file)).by_node

    def launches_in(self, module: Module) -> list[tuple[JitFunction, Launch]]:
        """Every launch in a module with the jit function that it launches, which may be another file's."""
        return self.found.of(module).launches

    def launched_by(self, module: Module, call: ast.Call) -> list[JitFunction]:
        """The functions that a call in it launches, or may."""
        return self.found.of(module).launched_by(call)

    def decorated(self, function: JitFunction, decoration: Decoration) -> None:
        """An autotuner, or heuristics, are put on it by what is being looked through."""
        self.found.decorated(function, decoration)

    def read_for(self, module: Module) -> list[Module]:
        """The other files that were read to find a module's functions and launches."""
        return [read for read in self.found.of(module).seen.values() if read is not None]

    def host_changed(self) -> None:
        """What the texts of other files do to what host code has is another."""
        self.host_changes += 1

    def stored_anew(self, files: set[str]) -> set[str]:
        """Other files set names of these in another way than was thought: what is known is found out again. These, and
        the files with kernels that name one of their modules."""
        self.changes += 1
        self.host_changes += 1
        self.places += 1
        words = {self.dotted(file).rpartition(".")[2] for file in files}
        naming = (f.module for f in self.found.in_files() if any(word in f.module.text for word in words))
        return files | {module.file for module in naming}

    def launches_of(self, function: JitFunction) -> list[Launch]:
        """The launches in the function's own file, or else those known in other files."""
        return function.launches or self._own_launches(function) or self.elsewhere.launches(function)

    def _own_launches(self, function: JitFunction) -> list[Launch]:
        """Who comes to a function through another file may have it as it was before its own file was looked through."""
        if self.found.is_finding(function.file):
            return []
        module = self.load(function.file)
        same = self.found.of_text(module).by_node.get(id(function.node))
        return [] if same is None else same.launches

    def loaded(self, file: str) -> Module | None:
        """The file as it was last looked at, if it was."""
        known = self._modules.get(file)
        return None if known is None else known[1]
