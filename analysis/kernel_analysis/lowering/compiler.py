"""The compiler as the rest of the analysis sees it: ``Compiler.lower`` makes an Ir or a Problem of a slice and a
signature, and never raises."""

# pyright: basic
from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from kernel_analysis.facts import Problem
from kernel_analysis.ir import At, Ir
from kernel_analysis.signature.model import ParameterType, Signature
from kernel_analysis.source.slice import Slice

_SPARES = 3
"""Contexts made ahead: a kernel is seldom compiled under more signatures than that after an edit."""


class TritonUnavailable(Exception):
    """No usable Triton in this Python; the message says what to do."""


@dataclass(slots=True)
class Lowered:
    """One lowering: an ``ir`` or a ``problem``. ``module`` is Triton's (None without one), known helpers only
    declared in it; times in milliseconds.

    ``compile_ms`` is the front end (``make_ir``) alone, without the context; ``read_ms`` making the Ir of its
    module."""

    slice: Slice
    ir: Ir | None
    problem: Problem | None
    module: Any
    compile_ms: float
    read_ms: float = 0.0

    def ttir(self) -> str:
        """The printed module with the user's files and lines in its locations."""

        def place(match: re.Match[str]) -> str:
            function = self.slice.functions[int(match[1])]
            return f'"{function.file}"'

        return re.sub(r'"<(\d+)>"', place, str(self.module))


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
        from kernel_analysis.lowering import build, errors, frontend, module, places

        self._compat, self._build, self._errors = compat, build, errors
        self._frontend, self._places = frontend, places
        self._functions = module.Functions()
        self.target = target
        self.triton_version: str = compat.triton_version
        self._target = compat.parse_target(target)
        compat.set_target(self._target)
        try:
            self._backend: Any = compat.make_backend(self._target)
            # Overflow checks add compare and select operations to every integer operation and change no fact.
            self._options = self._backend.parse_options({"sanitize_overflow": False})
        except Exception as error:  # whatever a backend raises, of Triton's own or of somebody else's
            what = str(error) or type(error).__name__
            raise ValueError(
                f"the target `{target}` is not usable with Triton {self.triton_version}: {what}"
            ) from error
        self._codegen = self._backend.get_codegen_implementation(self._options)
        self._modules = self._backend.get_module_map()
        # A Gluon kernel may use any backend's operations, and one whose dialect is missing aborts the process.
        self._others = [compat.make_backend(target) for target in compat.other_targets(self._target)]
        self._output = _Output()
        self._spares: list[Any] = []
        self._slice: Slice | None = None
        self._slice_places: Any = None
        self._built: Any = None
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 12_000))

    def lower(self, slice: Slice, signature: Signature, whole: bool = False) -> Lowered:
        """Compile ``slice.functions[0]`` under ``signature`` to Triton IR. No exception is the caller's business: it
        becomes a Problem. ``whole``: compile the helpers too that are known, so that the module has all of it."""
        context = self._context()
        if self._slice is not slice:
            # One slice is lowered under several signatures: what depends on it alone is made once.
            self._slice, self._built = slice, None
            self._slice_places = self._places.Places(slice, self._compat.column_of)
        places = self._slice_places
        known = {} if whole else self._functions.known(slice)
        recording = self._frontend.start(known)
        started = time.perf_counter()
        with self._output.caught() as stderr:
            try:
                module = self._make_ir(slice, signature, context)
            except Exception as error:  # noqa: BLE001  whatever the compiler raises is the answer
                spent = (time.perf_counter() - started) * 1000
                problem = self._errors.problem_of(error, recording, stderr(), slice, places)
                return Lowered(slice, None, problem, None, spent)
        compiled = time.perf_counter()
        try:
            ir = self._functions.read(module, recording, known, signature, places)
        except Exception as error:  # noqa: BLE001  a new Triton may print what we do not expect
            traceback.print_exc()
            problem = Problem("not-analyzed", f"the compiled kernel could not be read: {error}", At(0, 0))
            return Lowered(slice, None, problem, None, (compiled - started) * 1000)
        read = time.perf_counter()
        return Lowered(slice, ir, None, module, (compiled - started) * 1000, (read - compiled) * 1000)

    @property
    def prepared(self) -> bool:
        """Whether ``prepare`` has nothing to do."""
        return len(self._spares) >= _SPARES

    def prepare(self) -> None:
        """Make the MLIR contexts that the next lowerings need, each of which takes as long as a small compile: for idle
        times."""
        while not self.prepared:
            self._spares.append(self._new_context())

    def _context(self) -> Any:
        return self._spares.pop() if self._spares else self._new_context()

    def _new_context(self) -> Any:
        context = self._compat.mlir.context()
        self._compat.mlir.load_dialects(context)
        self._backend.load_dialects(context)
        return context

    def _make_ir(self, slice: Slice, signature: Signature, context: Any) -> Any:
        compat = self._compat
        if self._built is None:
            self._built = self._build.Built(slice)
        built = self._built
        gluon = slice.functions[0].gluon
        if gluon:
            for backend in self._others:
                backend.load_dialects(context)
        source = (compat.GluonASTSource if gluon else compat.ASTSource)(
            built.functions[0],
            {name: _given(kind, compat) if gluon else kind for name, kind in signature.types.items()},
            {_path(name, signature): built.value(value) for name, value in signature.constants.items()},
            {},
        )
        return source.make_ir(self._target, self._options, self._codegen, self._modules, context)


def _given(kind: ParameterType, compat: Any) -> ParameterType:
    """The type for a Gluon kernel: its descriptors have a layout."""
    return tuple(_given(inner, compat) for inner in kind) if isinstance(kind, tuple) else compat.default_layout(kind)


def _path(name: str, signature: Signature) -> tuple[int, ...]:
    """``BLOCK`` -> (3,), ``pair[1]`` -> (2, 1): where a constant stands in the parameter list."""
    head, *elements = name.replace("]", "").split("[")
    return (list(signature.types).index(head), *map(int, elements))


class _Output:
    """Catches what is written to standard output and error: MLIR gives the reason of a failed verification nowhere
    else.

    One file for the life of the process: making one costs more than a small compile."""

    def __init__(self) -> None:
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
