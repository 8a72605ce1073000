"""The compiler as the rest of the analysis sees it: ``Compiler.lower`` makes an Ir or a Problem of a slice and a
signature, and never raises."""

# pyright: basic
from __future__ import annotations

import contextlib
import io
import math
import os
import re
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from kernel_analysis import paths
from kernel_analysis.facts import Problem
from kernel_analysis.ir import Assigned, At, Ir
from kernel_analysis.lowering.gate.evaluation import evaluated
from kernel_analysis.lowering.triton_changed import TritonChanged
from kernel_analysis.record import record
from kernel_analysis.signature.signature_model import LaunchOptions, ParameterType, Signature
from kernel_analysis.source.slice import Slice

FRAMES = 12_000  # of Python's, at a time: as deep as texts are nested that are read and compiled
_MOST_ELEMENTS = 512
"""Of a tuple that is passed: what Triton takes for one grows with the square of its length."""
_MOST_LOWERINGS = 256
"""In one MLIR context: what it makes unique (types, constants, places) it keeps until its end."""


class TritonUnavailable(Exception):
    """No usable Triton in this Python; the message says what to do."""


@dataclass(slots=True)
class Lowered:
    """One lowering: an ``ir`` or a ``problem``. ``module`` is Triton's (None without one), known helpers only
    declared in it; times in milliseconds. ``assigned``: what was given names before the problem.

    ``compile_ms`` is the front end (``make_ir``) alone, without the context; ``read_ms`` making the Ir of its
    module."""

    slice: Slice
    ir: Ir | None
    problem: Problem | None
    module: Any
    compile_ms: float
    read_ms: float = 0.0
    assigned: list[Assigned] = field(default_factory=list[Assigned])


@record
class Stage:
    """A kernel as one stage of the compiler has it: ``text``, and the user's (file, line) for each of its lines, from
    0, that comes from one. ``options``: those of a launch that it was compiled with. ``resources``: what the finished
    kernel takes, where that was asked for."""

    text: str
    lines: dict[int, tuple[str, int]]
    options: dict[str, Any]
    resources: dict[str, Any]


class Compiler:
    """Triton's front end for one target. Imports triton when made; raises TritonUnavailable, or ValueError for a bad
    target."""

    def __init__(self, target: str) -> None:
        try:
            from kernel_analysis.lowering import compat
        except ImportError as error:
            raise TritonUnavailable(
                f"Triton can't be imported by {sys.executable} ({error}): install `triton` there, or choose another "
                "interpreter"
            ) from error
        except TritonChanged as error:
            raise TritonUnavailable(str(error)) from error
        from kernel_analysis.lowering import errors, missing, platforms, stages
        from kernel_analysis.lowering.front import build, canary, frontend, loops
        from kernel_analysis.lowering.printed import printed_places

        self._compat, self._build, self._errors, self._missing = compat, build, errors, missing
        self._frontend, self._loops, self._places, self._stages = frontend, loops, printed_places, stages
        self.target = target
        self.triton_version: str = compat.triton_version
        compat.parse_target(target)
        try:
            self._platforms = platforms.Platforms(target)
        except Exception as error:  # whatever a backend raises, of Triton's own or of somebody else's
            what = str(error) or type(error).__name__
            raise ValueError(
                f"the target `{target}` is not usable with Triton {self.triton_version}: {what}"
            ) from error
        usual = self._platforms.usual
        self._platforms.of(LaunchOptions())
        # A Gluon kernel may use any backend's operations, and one whose dialect is missing aborts the process.
        self._backends = [usual.backend, *map(compat.make_backend, compat.other_targets(usual.target))]
        self._output = _Output()
        self._contexts: dict[bool, Any] = {}  # for Gluon, and for all else
        self.lowerings = 0
        self._renewed = 0  # after so many of them
        self.seconds = math.inf  # for the front end, on one kernel
        self._stop: Callable[[], bool] = _never
        self._slice: Slice | None = None
        self._slice_places: Any = None
        self._built: Any = None
        sys.setrecursionlimit(max(sys.getrecursionlimit(), FRAMES))
        self._prove(canary)

    def _prove(self, canary: Any) -> None:
        """Before the first user's text: what tries to leave is refused, and what doesn't compiles."""
        sound = self.lower(canary.good(), canary.SIGNATURE)
        wrong = sound.problem and f"a plain kernel does not compile ({sound.problem.message})"
        for way, slice in canary.attempts():
            self._take(slice)
            self._built = self._build.Built(slice)
            escape = canary.plant(self._built)
            problem = self.lower(slice, canary.SIGNATURE).problem
            if escape.called or problem is None or "out-of-reach" not in problem.kind.topics:
                wrong = wrong or f"a kernel reaches out of it by {way}"
        if wrong:
            raise TritonUnavailable(
                f"triton-ls can't use Triton {self.triton_version} safely, and analyses nothing with it: {wrong}. "
                "Install a newer triton-ls, or choose an interpreter with another Triton"
            )

    def lower(self, slice: Slice, signature: Signature) -> Lowered:
        """Compile ``slice.functions[0]`` under ``signature`` to Triton IR. No exception is the caller's business: it
        becomes a Problem."""
        if (problem := _too_long(signature)) is not None:
            return Lowered(slice, None, problem, None, 0.0)
        context = self._context(slice.functions[0].gluon)
        self._take(slice)
        places = self._slice_places
        functions = self._platforms.of(signature.launch).functions
        known = functions.known(slice)
        until = time.process_time() + self.seconds
        self.lowerings += 1
        started = time.perf_counter()
        with self._output.caught() as stderr:
            # The short way first; whatever goes wrong on it, the long way says what it is.
            short = True
            while True:
                recording = self._frontend.start(known)
                recording.until, recording.stop = until, self._stop
                loops = self._loops.start(short)
                try:
                    module = self._make_ir(slice, signature, context)
                    if not recording.mistaken:
                        break
                except Exception as error:  # noqa: BLE001  whatever the compiler raises is the answer
                    if not recording.mistaken and not (short and loops.told and not self._errors.refuses(error)):
                        spent = (time.perf_counter() - started) * 1000
                        problem = self._errors.problem_of(error, recording, stderr(), slice, places)
                        return Lowered(slice, None, problem, None, spent, assigned=self._assigned(recording, places))
                    short = short and recording.mistaken
                if recording.mistaken:
                    known = {}  # which of the helpers that it knew are meant is not said by their names
        compiled = time.perf_counter()
        try:
            ir = functions.read(module, recording, known, signature, places)
        except Exception as error:  # noqa: BLE001  a new Triton may print what we do not expect
            traceback.print_exc()
            problem = Problem("not-analyzed", f"the compiled kernel could not be read: {error}", At(0, 0))
            return Lowered(slice, None, problem, None, (compiled - started) * 1000)
        read = time.perf_counter()
        return Lowered(slice, ir, None, module, (compiled - started) * 1000, (read - compiled) * 1000)

    @contextlib.contextmanager
    def hurried(self, seconds: float, stop: Callable[[], bool]) -> Iterator[None]:
        """What is compiled inside is given up after so many seconds of the processor, or once ``stop`` says so."""
        before = self.seconds
        self.seconds, self._stop = seconds, stop
        try:
            yield
        finally:
            self.seconds, self._stop = before, _never

    def refuses(self, options: Mapping[str, int]) -> str | None:
        """What the backend says against the options of a launch (``num_warps``); None where it takes them."""
        backend: Any = self._platforms.usual.backend
        try:
            backend.parse_options({"sanitize_overflow": False, **options})
        except AssertionError as error:
            return str(error) or "the backend refuses these options"
        return None

    def _assigned(self, recording: Any, places: Any) -> list[Assigned]:
        """Of what was being compiled: it was given its names, whatever came then."""
        compiled = [what for what in recording.functions.values() if what.index >= 0]
        return self._places.merged([one for what in compiled for one in places.assigned(what.index, what.assigned)])

    def front_end(self, slice: Slice, signature: Signature, options: Mapping[str, int], aligned: bool) -> str | Problem:
        """The module that the front end makes, with the values' names in it, for a launch with ``options``
        (``num_warps``) whose pointers are ``aligned``."""
        self._take(slice)
        self._frontend.start({}, named=True)
        self._loops.start(False)
        with self._output.caught() as stderr, contextlib.redirect_stdout(io.StringIO()) as stdout:
            try:
                chosen = self._platforms.of(signature.launch).backend.parse_options(
                    {"sanitize_overflow": False, **options}
                )
                context = self._new_context(slice.functions[0].gluon)
                return str(self._make_ir(slice, signature, context, chosen, aligned))
            except Exception as error:  # noqa: BLE001  whatever the compiler raises is the answer
                return Problem("not-analyzed", self._stages.explained(error, stderr() + stdout.getvalue()), At(0, 0))

    def stage(self, module: str, stage: str, gluon: bool, options: Mapping[str, int], files: list[str]) -> Stage:
        """The module that ``front_end`` gave as ``stage`` has it; ``resources``: the finished kernel's. ``files``: of
        the slice's functions. Starts Triton's tools. Raises ValueError with a sentence for the user."""
        stages, platform = self._stages, self._platforms.usual
        with self._output.caught() as stderr, contextlib.redirect_stdout(io.StringIO()) as stdout:
            try:
                chosen = platform.backend.parse_options({"sanitize_overflow": False, **options})
                if stage == "ttir":
                    made = stages.front_end(module)
                else:
                    final = {"cuda": stages.BINARY, "hip": "amdgcn"}.get(platform.target.backend, "")
                    wanted = final if stage == "resources" else stage
                    parsed = stages.parsed(module, self._new_context(gluon))
                    made = stages.make(
                        wanted, parsed, platform.backend, chosen, platform.target, gluon, _short(files), stdout.getvalue
                    )
                resources = stages.resources(made, platform.target.backend) if stage == "resources" else {}
            except Exception as error:
                raise ValueError(stages.explained(error, stderr() + stdout.getvalue())) from error
        place = {number: (files[index], line) for number, (index, line) in made.lines.items()}
        used = {name: getattr(chosen, name, None) for name in ("num_warps", "num_ctas", "num_stages", "maxnreg")}
        return Stage(_with_files(made.text, files), place, used, resources)

    def _take(self, slice: Slice) -> None:
        """One slice is lowered under several signatures: what depends on it alone is made once."""
        if self._slice is not slice:
            self._slice, self._built = slice, None
            self._slice_places = self._places.Places(slice, self._compat.COLUMN_BASE)

    def missing(self, slice: Slice) -> list[At]:
        """Where the slice names what this Triton's language does not have."""
        return self._missing.places(slice)

    def tools(self) -> list[str]:
        """The programs that ``stage`` starts."""
        return self._compat.tools()

    @property
    def prepared(self) -> bool:
        """Whether ``prepare`` has nothing to do."""
        return False in self._contexts and self.lowerings - self._renewed < _MOST_LOWERINGS

    def forget(self) -> None:
        """Compile everything anew, helpers too."""
        self._platforms.forget()

    def prepare(self) -> None:
        """Make the MLIR context that the next lowerings need: for idle times, it takes as long as a small compile."""
        self._context(gluon=False)

    def _context(self, gluon: bool) -> Any:
        """Many lowerings share one: what a compile leaves in it changes no other."""
        if self.lowerings - self._renewed >= _MOST_LOWERINGS:
            self._contexts.clear()
            self._renewed = self.lowerings
        if gluon not in self._contexts:
            self._contexts[gluon] = self._new_context(gluon)
        return self._contexts[gluon]

    def _new_context(self, gluon: bool) -> Any:
        context = self._compat.mlir.context()
        self._compat.mlir.load_dialects(context)
        for backend in self._backends if gluon else self._backends[:1]:
            backend.load_dialects(context)
        return context

    def _make_ir(
        self, slice: Slice, signature: Signature, context: Any, options: Any = None, aligned: bool = False
    ) -> Any:
        """``aligned``: as Triton compiles for tensors that torch allocated, whose pointers are aligned."""
        compat = self._compat
        if self._built is None:
            self._built = self._build.Built(slice)
        built = self._built
        made = signature.made.items()
        self._frontend.recording.made = {path: (built.value(cls), signature.names[path]) for path, cls in made}
        platform = self._platforms.of(signature.launch)
        gluon = slice.functions[0].gluon
        source = (compat.GluonASTSource if gluon else compat.ASTSource)(
            built.functions[0],
            {name: self._type(built, signature, name, kind, gluon) for name, kind in signature.types.items()},
            {_path(name, signature): built.value(value) for name, value in signature.constants.items()},
            {path: platform.backend.parse_attr("D") for path in _pointers(signature)} if aligned else {},
        )
        codegen = platform.codegen if options is None else platform.backend.get_codegen_implementation(options)
        return evaluated(
            source.make_ir, platform.target, options or platform.options, codegen, platform.modules, context
        )

    def _type(self, built: Any, signature: Signature, path: str, kind: ParameterType, gluon: bool) -> Any:
        """A type as Triton takes it; of a Gluon kernel's descriptors with a layout."""
        if isinstance(kind, str):
            blocks, split = signature.launch.given.get("num_ctas", 1), signature.splits.get(path)
            return self._compat.default_layout(kind, blocks, split) if gluon else kind
        parts = [self._type(built, signature, paths.element(path, i), part, gluon) for i, part in enumerate(kind)]
        names = None if path in signature.made else signature.names.get(path)
        return built.named(names)(*parts) if names else tuple(parts)


def _never() -> bool:
    return False


def _pointers(signature: Signature) -> list[tuple[int, ...]]:
    """Where pointers stand in the parameter list, those in tuples with their place in the tuple."""

    def inside(kind: ParameterType, path: tuple[int, ...]) -> list[tuple[int, ...]]:
        if isinstance(kind, tuple):
            return [found for number, inner in enumerate(kind) for found in inside(inner, (*path, number))]
        return [path] if kind.startswith("*") and not kind.endswith("]") else []

    return [path for number, kind in enumerate(signature.types.values()) for path in inside(kind, (number,))]


def _with_files(text: str, files: list[str]) -> str:
    """The names of the user's files in place of ours."""

    def named(match: re.Match[str]) -> str:
        index = int(match[1] or match[2])
        if index >= len(files):
            return match[0]
        return f'"{files[index]}"' if match[1] else os.path.basename(files[index])

    return re.sub(r'"<(\d+)>"|(?<=\s)<(\d+)>(?=:\d+:\d+)', named, text)


def _short(files: list[str]) -> Callable[[int], str]:
    def name(index: int) -> str:
        return os.path.basename(files[index]) if index < len(files) else "?"

    return name


def _path(name: str, signature: Signature) -> tuple[int, ...]:
    """``BLOCK`` -> (3,), ``pair[1]`` -> (2, 1): where a constant stands in the parameter list."""
    return (list(signature.types).index(paths.owner(name)), *paths.indices(name))


class _Output:
    """Catches what is written to standard output and error: MLIR gives the reason of a failed verification nowhere
    else.

    One file for the life of the process: making one costs more than a small compile."""

    def __init__(self) -> None:
        # In memory where that can be had: the first temporary file of a process tries its folder with another one,
        # which stays when the process is ended just then.
        in_memory = getattr(os, "memfd_create", None)
        if in_memory:
            self._file = os.fdopen(in_memory("output"), "w+b")
        else:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115  as long as the process

    @contextlib.contextmanager
    def caught(self) -> Iterator[Callable[[], str]]:
        """Yields a function that returns what has been written to standard error so far."""
        sys.stderr.flush()
        saved = os.dup(2)
        os.dup2(self._file.fileno(), 2)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                yield self._content
        finally:
            sys.stderr.flush()
            os.dup2(saved, 2)
            os.close(saved)
            if self._file.seek(0, os.SEEK_END):
                self._file.truncate(0)

    def _content(self) -> str:
        sys.stderr.flush()
        self._file.seek(0)
        return self._file.read(1 << 20).decode("utf-8", "replace")


def _too_long(signature: Signature) -> Problem | None:
    for name, value in signature.constants.items():
        if isinstance(value, tuple) and (count := _leaves(value)) > _MOST_ELEMENTS:
            what = (
                f"`{name}` is a tuple of {count:,} elements, and Triton takes too long for more than {_MOST_ELEMENTS}"
            )
            return Problem("not-analyzed", what, At(0, 0))
    return None


def _leaves(value: Any) -> int:
    return sum(map(_leaves, value)) if isinstance(value, tuple) else 1
