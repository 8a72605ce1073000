"""Compiles a program under every assignment and reads each module plainly: a process of its own, with Triton alone.

A job is a line of JSON, ``{"text", "files", "kernel", "parameters", "knobs", "assignments", "helpers"}``; so is its
answer: ``{"possible": {leaf: {fact: assignment}}, "helped": the same for helpers (``helper.p``), "conceivable": {leaf:
[fact]}, "always": [[leaf, fact]], "refused": {assignment: why}, "triton"}``, where an assignment is its number and a
leaf a parameter or an element of one (``pair[1]``). ``helpers``: the parameters of each that are no constexpr.
``always``: what is possible under each assignment.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import triton
from triton._C.libtriton import ir, passes
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import ASTSource, make_backend
from triton.experimental.gluon._runtime import GluonASTSource

from enumerated import reader, ttir
from enumerated.program import elements

warnings.simplefilter("ignore")
_Path = tuple[int, ...]
TARGET = GPUTarget("cuda", 90, 32)
BACKEND: Any = make_backend(TARGET)


class _Driver:
    """What asks for the device gets the target."""

    def get_current_target(self) -> GPUTarget:
        return TARGET

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


_runtime: Any = triton.runtime
_runtime.driver.set_active(_Driver())


@contextlib.contextmanager
def _surroundings(job: dict[str, Any], assignment: dict[str, str]) -> Generator[None]:
    """The environment and the modules of an assignment."""
    kinds: dict[str, str] = job["kinds"]
    before, modules, path = dict(os.environ), dict(sys.modules), list(sys.path)
    for name, way in assignment.items():
        if kinds[name] == "env" and way == "unset":
            os.environ.pop(name, None)
        elif kinds[name] == "env":
            os.environ[name] = way.strip("\"'")
        elif kinds[name] == "module":
            sys.modules.pop(name, None)
            if way == "no":
                sys.modules[name] = None  # type: ignore[assignment] # Python's own way to say that there is none
            elif f"{name}.py" not in job["files"]:
                sys.modules[name] = ModuleType(name)
    sys.path.insert(0, job["folder"])
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        for name in [name for name in sys.modules if name not in modules]:
            del sys.modules[name]
        sys.modules.update(modules)
        sys.path[:] = path


def _module(job: dict[str, Any]) -> ModuleType:
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location("program", os.path.join(job["folder"], "program.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["program"] = module
    spec.loader.exec_module(module)
    for name in job["files"]:
        if name.startswith("set_"):  # another file of the project that changes this one
            __import__(name.removesuffix(".py"))
    return module


class _Signature:
    """What ``ASTSource`` wants of an assignment, and which leaves its module's arguments are."""

    def __init__(self, job: dict[str, Any], assignment: dict[str, str], scope: dict[str, Any]) -> None:
        self._scope = scope
        self.types: dict[str, Any] = {}
        self.constants: dict[tuple[int, ...], Any] = {}
        self.leaves: list[str | None] = []
        for index, name in enumerate(job["parameters"]):
            way = assignment.get(name, "default")
            if job["kinds"].get(name) == "type":
                self.types[name] = self._type(way, name, (index,))
                continue
            self.types[name] = "constexpr"
            if way != "default":
                self.constants[(index,)] = eval(way, scope)

    def _type(self, kind: str, leaf: str, path: tuple[int, ...]) -> Any:
        inner = elements(kind)
        if inner is not None:
            parts = tuple(self._type(part, f"{leaf}[{i}]", (*path, i)) for i, part in enumerate(inner))
            return parts if kind.startswith("(") else self._scope[kind.partition("(")[0]](*parts)
        if kind == "None" or kind.startswith("="):
            self.constants[path] = eval(kind.removeprefix("="), self._scope)
            return "constexpr"
        self.leaves.append(leaf if kind[0] in "*t" or kind in ("i64", "u64") else None)
        if kind.startswith("tensordesc"):
            rank = kind[kind.index("[") : kind.index("]")].count(",") + 1
            self.leaves += [None] * (2 * rank)
        return kind


def compiled(
    kernel: Any, types: dict[str, Any], constants: dict[_Path, Any], options: dict[str, Any]
) -> tuple[str, str]:
    """The module as the front end made it, and with its calls inlined."""
    gluon = getattr(kernel, "is_gluon", lambda: False)()
    source = (GluonASTSource if gluon else ASTSource)(kernel, types, constants, {})
    for index, parameter in enumerate(kernel.params):
        if types[parameter.name] == "constexpr" and (index,) not in source.constants:
            source.constants[(index,)] = parameter.default
    parsed = BACKEND.parse_options(options)
    context = ir.context()
    ir.load_dialects(context)
    BACKEND.load_dialects(context)
    implementations, modules = BACKEND.get_codegen_implementation(parsed), BACKEND.get_module_map()
    module = source.make_ir(TARGET, parsed, implementations, modules, context)
    before = module.str_nodebug()
    manager = ir.pass_manager(context)
    passes.common.add_inliner(manager)
    manager.run(module, "inlined")
    return before, module.str_nodebug()


def named(facts: reader.Facts, leaves: list[str | None]) -> Iterator[tuple[str, set[str]]]:
    """Facts by leaf."""
    for index, found in facts.items():
        leaf = leaves[index]
        assert leaf is not None
        yield leaf, found


def _helpers(parameters: dict[str, list[str]], functions: dict[str, ttir.Function]) -> set[tuple[str, str]]:
    """What the helpers do that a module has, each under the constants of its calls there."""
    found: set[tuple[str, str]] = set()
    for name, function in functions.items():
        helper = name.removeprefix("program.").rpartition("<locals>.")[2].partition("__")[0]
        names = parameters.get(helper, [])
        if len(names) == len(function.arguments):  # fewer where a constant was passed for one
            addresses = [kind.startswith("!tt.ptr") for kind in function.types]
            for index, facts in reader.possible(functions, addresses, name).items():
                found |= {(f"{helper}.{names[index]}", fact) for fact in facts}
    return found


def _answer(job: dict[str, Any]) -> dict[str, Any]:
    possible: dict[str, dict[str, int]] = {}
    helped: dict[str, dict[str, int]] = {}
    conceivable: dict[str, set[str]] = {}
    refused: dict[int, str] = {}
    always: set[tuple[str, str]] | None = None
    seen: dict[tuple[str, str], Any] = {}
    around: dict[tuple[tuple[str, str], ...], ModuleType] = {}
    for number, assignment in enumerate(job["assignments"]):
        outside = tuple(pair for pair in assignment.items() if job["kinds"][pair[0]] in ("env", "module"))
        with _surroundings(job, assignment):
            try:
                module = around.get(outside) or around.setdefault(outside, _module(job))
                kernel = getattr(module, job["kernel"])
                while not hasattr(kernel, "arg_names") or hasattr(kernel, "configs"):
                    kernel = kernel.fn
                # What a launch asks for first: it refuses functions of Python's that are named. (Up to Triton 3.7 it
                # fails for a tuple that is unpacked in another, which can be compiled.)
                with contextlib.suppress(TypeError):
                    assert kernel.cache_key
                signature = _Signature(job, assignment, dict(vars(module)))
                options = {n: eval(way) for n, way in assignment.items() if job["kinds"][n] == "option"}
                before, after = compiled(kernel, signature.types, signature.constants, options)
            except Exception as error:  # noqa: BLE001 - whatever refuses it: this is no launch
                inner = error
                while inner.__cause__ is not None:
                    inner = inner.__cause__
                refused[number] = f"{type(inner).__name__}: {inner}"
                continue
        if (before, after) not in seen:
            known = [leaf is not None for leaf in signature.leaves]
            whole = ttir.read(before)
            lower = reader.possible(ttir.read(after), known)
            seen[before, after] = lower, reader.conceivable(whole, known), _helpers(job["helpers"], whole)
        lower, upper, helpers = seen[before, after]
        here = {(leaf, fact) for leaf, facts in named(lower, signature.leaves) for fact in facts}
        always = here if always is None else always & here
        for leaf, fact in helpers:
            helped.setdefault(leaf, {}).setdefault(fact, number)
        for leaf, fact in here:
            possible.setdefault(leaf, {}).setdefault(fact, number)
        for leaf, facts in named(upper, signature.leaves):
            conceivable.setdefault(leaf, set()).update(facts)
    return {
        "possible": possible,
        "helped": helped,
        "conceivable": {leaf: sorted(facts) for leaf, facts in conceivable.items()},
        "always": sorted(always or ()),
        "refused": refused,
        "triton": triton.__version__,
    }


def _do(job: dict[str, Any]) -> dict[str, Any]:
    job["folder"] = tempfile.mkdtemp()
    try:
        for name, text in {**job["files"], "program.py": job["text"]}.items():
            path = Path(job["folder"], name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return _answer(job)
    except ttir.Unreadable as error:
        return {"error": str(error)}
    finally:
        shutil.rmtree(job["folder"])


def serve(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Answers jobs until the input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a compiler prints is not an answer
    for line in sys.stdin:
        answers.write(json.dumps(answer(json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve(_do)
