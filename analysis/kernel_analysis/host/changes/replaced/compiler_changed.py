"""What host code sets in what Triton's front end is made of besides its language: in Python's own modules that it goes
through (``inspect.getsourcelines = mine``, ``builtins.range = mine``), and in Triton's objects, however deep
(``triton.next_power_of_2.fn = mine``, ``CodeGenerator.builtin_namespace["range"] = mine``).

A store counts unless it is known that no compile reads what it goes to. Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import _collections_abc
import abc
import ast
import builtins
import codecs
import collections
import contextlib
import dataclasses
import dis
import enum
import functools
import hashlib
import inspect
import itertools
import keyword
import linecache
import math
import numbers
import opcode
import operator
import re
import reprlib
import string
import textwrap
import token
import tokenize
import types
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, TypeAlias

from kernel_analysis.host.changes import callees
from kernel_analysis.host.changes.module_names import by_path
from kernel_analysis.host.changes.objects.deep_stores import ANY, Stored, stores
from kernel_analysis.host.changes.objects.handed_objects import annotates
from kernel_analysis.host.changes.replaced.same_again import is_same
from kernel_analysis.host.changes.replaced.shims import only_where_missing
from kernel_analysis.host.changes.uses import Occurrence, occurrences
from kernel_analysis.host.evaluate.values import External, Scope, TritonObject
from kernel_analysis.host.names.imports.packages import is_of_triton, is_triton_module, triton_has
from kernel_analysis.host.names.naming import Bound, binding, meanings
from kernel_analysis.source.text_search import compiler_stores
from kernel_analysis.source.tree.forms import last_name

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_Handled: TypeAlias = "Callable[[str, str], bool | None]"
_Steps: TypeAlias = "list[str]"
_LANGUAGES: Final = ("triton", "triton.language", "triton.experimental.gluon.language")
"""Whose own names kernels take: one that is set there counts for those that do."""
_LAUNCHES: Final = (
    "triton.Config", "triton.autotune", "triton.backends", "triton.compile", "triton.compiler.CompiledKernel",
    "triton.compiler.compile", "triton.compiler.make_backend", "triton.compiler.compiler.CompiledKernel",
    "triton.compiler.compiler.LazyDict", "triton.compiler.compiler.compile", "triton.compiler.make_launcher",
    "triton.heuristics", "triton.knobs", "triton.profiler", "triton.runtime.Autotuner", "triton.runtime.Config",
    "triton.runtime.Heuristics", "triton.runtime.autotuner", "triton.runtime.build", "triton.runtime.cache",
    "triton.runtime.driver", "triton.runtime.errors", "triton.runtime.interpreter", "triton.set_allocator",
    "triton.runtime._allocation", "triton.runtime._async_compile", "triton.testing", "triton.tools",
    "triton.runtime.JITFunction.cache", "triton.OutOfResources", "triton.runtime.OutOfResources",
    "triton.KernelInterface", "triton.runtime.KernelInterface", "triton.runtime.jit.KernelInterface",
    "triton.runtime.jit.TensorWrapper", "triton.TensorWrapper", "triton.runtime.jit.MockTensor", "triton.MockTensor",
)  # fmt: skip
"""What launches, times and chooses kernels: no compile reads it."""
_FILES: Final = ("__file__", "co_filename", "getfile", "getsourcefile", "getabsfile", "file_name", "origin")
"""What says the file of something."""
_MOST_LINES: Final = 6
_GIVE_MODULES: Final = ("import_module", "__import__", "resolve_name", "locate")
_SAYS_ONLY: Final = frozenset({"__doc__", "__name__", "__qualname__", "__module__", "__repr__", "__str__"})
_OF_LAUNCHES: Final = frozenset({
    "run", "warmup", "__getitem__", "pre_run_hooks", "device_caches", "cache", "cache_hook", "compiled_hook",
    "add_pre_run_hook", "_call_hook", "create_binder", "_pack_args", "preload", "_do_compile", "hash", "parse_options",
    "__hash__", "__slots__", "_flatten_ir", "__class_getitem__", "__call__", "kernel", "debug", "configs",
    "launch_metadata", "version",
})  # fmt: skip
_SAYING: Final = frozenset({
    "print", "input", "breakpoint", "exit", "quit", "copyright", "credits", "license", "help", "open", "__import__",
})  # fmt: skip
_KEPT_OF_PYTHON: Final = {
    "builtins": _SAYING,
    "linecache": frozenset({"clearcache", "checkcache"}),
    "re": frozenset({"purge"}),
}
"""What these have that no compile goes through."""
_OF_PYTHON = (
    _collections_abc, abc, ast, builtins, codecs, collections, contextlib, dataclasses, dis, enum,
    functools, hashlib, inspect, itertools, keyword, linecache, math, numbers, opcode, operator, re,
    reprlib, string, textwrap, token, tokenize, types, weakref,
)  # fmt: skip
_HAS: Final = {module.__name__: frozenset(dir(module)) for module in _OF_PYTHON}
"""What Python's own modules have: nothing of Python's asks for what is put there anew."""


def anywhere(resolver: ResolverView, own: str, handled: _Handled) -> str | None:
    """Where some file of the workspace, or that one, does so. ``handled``: of a class or module of Triton's and a name,
    whether the front end goes through that; None: it is not known there."""
    files = resolver.project.elsewhere.storing(None, compiler_stores.IN_COMPILER, False)
    if own and resolver.project.says(own, compiler_stores.sets_in_compiler):
        files = [*files, own]
    for file in dict.fromkeys(files):
        if is_of_triton(resolver, file):
            continue
        if line := resolver.project.says(file, compiler_stores.goes_past):
            resolver.read((file,))
            return resolver.project.place(file, line)
        for where, line in _sets(resolver, resolver.project.load(file), handled):
            resolver.read((file, where))
            return resolver.project.place(where, line)
    return None


def _sets(resolver: ResolverView, other: Module, handled: _Handled) -> Iterator[tuple[str, int]]:
    for word in compiler_stores.words(other.usual):
        for at in occurrences(other, word):
            if callees.in_kernel(resolver, resolver.scope(other, at.around)) or annotates(at):
                continue
            for path, taken in _had(resolver, other, at):
                for made in stores(resolver, other, taken, path.split(".")):
                    if _matters(resolver, other, at, made, handled):
                        yield made.file or other.file, made.line
    for path, at in _texts(other):
        for had, taken in _looked_up(path, at):
            for made in stores(resolver, other, taken, had.split(".")):
                if _matters(resolver, other, at, made, handled):
                    yield made.file or other.file, made.line
        yield from ((other.file, line) for line in _of_text(resolver, other, at, path, handled))


def _matters(resolver: ResolverView, other: Module, at: Occurrence, made: Stored, handled: _Handled) -> bool:
    if not _counts(made, handled) or _shim(resolver, other, at, made.steps) or _is_new(resolver, made):
        return False
    if made.deeper and is_triton_module(resolver, ".".join(made.steps)):
        return False  # a function of it is called
    inner = other if made.file in ("", other.file) else resolver.project.load(made.file)
    return not _of_other_lines(resolver, inner, made) and not _is_same(resolver, inner, made)


def _is_same(resolver: ResolverView, other: Module, made: Stored) -> bool:
    """Whether a statement puts a function of Python's where it is, or one that does the same (``same_again``)."""
    at, path = made.at, ".".join(made.steps)
    if at is None or made.deeper or len(made.steps) != 2 or made.steps[0] not in _HAS:
        return False
    statement = at.statement
    if not isinstance(statement, ast.Assign) or all(one is not at.chain[0] for one in statement.targets):
        return False
    return is_same(resolver, resolver.scope(other, at.around), statement.value, path)


def _is_new(resolver: ResolverView, made: Stored) -> bool:
    """Whether something is put into a module of Triton's, or a module among its, that the installed one has not:
    nothing of its own takes that. (A kernel that does takes a name that somebody sets.)"""
    path = [step for step in made.steps if step != ANY]
    if path[:1] != ["triton"] or made.deeper or len(path) < 3:
        return False
    owner = ".".join(path[:-1])
    return not triton_has(resolver, ".".join(path)) and is_triton_module(resolver, owner)


def _looked_up(path: str, at: Occurrence) -> Iterator[tuple[str, Occurrence]]:
    """What a module is looked up by its name for: ``importlib.import_module("inspect").getsource = mine``."""
    node, call = (*at.chain, None)[:2]
    if isinstance(call, ast.Call) and node in call.args[:1] and last_name(call.func) in _GIVE_MODULES:
        yield path, Occurrence(at.chain[1:], at.statement, at.around)
    elif isinstance(call, ast.Subscript) and call.slice is node and last_name(call.value) == "modules":
        if isinstance(call.ctx, ast.Load):
            yield path, Occurrence(at.chain[1:], at.statement, at.around)
        else:  # `sys.modules["inspect"] = mine`
            yield (
                f"{path}.{ANY}",
                Occurrence((ast.Attribute(call, ANY, call.ctx), *at.chain[2:]), at.statement, at.around),
            )


def _had(resolver: ResolverView, other: Module, at: Occurrence) -> Iterator[tuple[str, Occurrence]]:
    """What stands there of those modules, by its path."""
    node = at.chain[0]
    if isinstance(at.statement, (ast.Import, ast.ImportFrom)):
        return
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return
    if isinstance(node, ast.Name) and node.id == "__builtins__":
        # (It is the module in one file, and the dict of its names in all others.)
        above = at.chain[1] if len(at.chain) > 1 else None
        yield ("builtins.__dict__" if isinstance(above, ast.Subscript) else "builtins"), at
        return
    for found in meanings(resolver, resolver.scope(other, at.around), node):
        if isinstance(found, (External, TritonObject)) and _of_compiler(found.path):
            yield found.path, at


def _shim(resolver: ResolverView, other: Module, at: Occurrence, steps: list[str]) -> bool:
    owner, name = ".".join(steps[:-1]), steps[-1]
    return owner.partition(".")[0] == "triton" and bool(owner) and only_where_missing(resolver, other, at, owner, name)


def _texts(other: Module) -> Iterator[tuple[str, Occurrence]]:
    """Paths that texts are: ``mock.patch("inspect.getsource", ...)``."""
    for text in sorted({text for text in _paths_in(other.usual) if _of_compiler(text)}):
        for at in occurrences(other, text.rpartition(".")[2]):
            node = at.chain[0]
            if isinstance(node, ast.Constant) and node.value == text:
                yield text, at


def _paths_in(text: str) -> Iterator[str]:
    for pattern in compiler_stores.TEXTS:
        for match in pattern.finditer(text):
            yield match[0][1:-1]


def _of_text(resolver: ResolverView, other: Module, at: Occurrence, path: str, handled: _Handled) -> Iterator[int]:
    call = by_path.given_to(at)
    if call is None or by_path.looks(resolver, other, at):
        return
    name = last_name(call.func) or ""
    if not any(word in name for word in ("patch", "attr", "wrap")) and name != "object":
        return
    node = at.chain[0]
    after = call.args[call.args.index(node) + 1 :] if isinstance(node, ast.expr) and node in call.args else []
    more = after[0].value if after and isinstance(after[0], ast.Constant) and isinstance(after[0].value, str) else None
    whole = f"{path}.{more}" if more is not None and more.replace(".", "").isidentifier() else path
    made = Stored(call.lineno, whole.split("."), False)
    if "." in whole and _counts(made, handled) and not _shim(resolver, other, at, made.steps):
        yield call.lineno


def _of_compiler(path: str) -> bool:
    return path.partition(".")[0] in (*compiler_stores.OF_PYTHON, "triton")


def _of_other_lines(resolver: ResolverView, other: Module, made: Stored) -> bool:
    """Whether lines are set of a file that is none, by which Python shows the source of code that is made up. A key
    counts that says the file of something, and what takes the place of ``getlines`` unless it asks that for all files
    but those in a table. (Taken for granted: no other text is put in the place of a file that is there.)"""
    at = made.at
    if made.steps[:1] != ["linecache"] or at is None:
        return False
    scope, top = resolver.scope(other, at.around), at.chain[0]
    if isinstance(top, ast.Attribute) and isinstance(top.ctx, ast.Load):
        return top.attr in ("pop", "popitem", "clear")
    if made.steps[1:] == ["cache"] and made.deeper:
        key = top.slice if isinstance(top, ast.Subscript) else None
        found = [key, *(_bound_to(resolver, scope, key) if isinstance(key, ast.Name) else ())]
        return key is not None and not any(_says_a_file(one) for one in found if one is not None)
    value = getattr(at.statement, "value", None)
    if made.steps[1:] != ["getlines"] or not isinstance(value, ast.expr):
        return False
    return all(_is_getlines(resolver, one, value) for one in meanings(resolver, scope, value))


def _says_a_file(key: ast.expr) -> bool:
    for node in ast.walk(key):
        if isinstance(node, ast.Name | ast.Attribute) and last_name(node) in _FILES:
            return True
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.endswith((".py", ".pyc")):
            return not ("<" in node.value or isinstance(key, ast.JoinedStr))
    return False


def _bound_to(resolver: ResolverView, scope: Scope, name: ast.Name) -> list[ast.expr]:
    found = binding(scope, name.id)
    return [event.value for event in (found[1] if found is not None else ()) if event.value is not None]


def _is_getlines(resolver: ResolverView, found: object, value: ast.expr) -> bool:
    """Whether it is the installed function, or one that asks it for all but what is in a table."""
    if isinstance(found, External):
        return found.path == "linecache.getlines"
    node = found.event.node if isinstance(found, Bound) else None
    if not isinstance(found, Bound):
        return False
    if isinstance(node, ast.Assign):
        return isinstance(node.value, ast.Attribute) and node.value.attr == "getlines"
    if not isinstance(node, ast.FunctionDef) or len(node.body) > _MOST_LINES:
        return False
    tests = [(one, one.test) for one in ast.walk(node) if isinstance(one, ast.If)]
    tables = [one for one, test in tests if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.In)]
    inside = {id(statement) for one in tables for statement in one.body}
    returns = [one for one in ast.walk(node) if isinstance(one, ast.Return) and id(one) not in inside]
    return bool(returns) and all(
        isinstance(one.value, ast.Call) and "getlines" in (last_name(one.value.func) or "") for one in returns
    )


def _counts(made: Stored, handled: _Handled) -> bool:
    """Whether a compile may read what is set."""
    steps, deeper = made.steps, made.deeper
    if steps[0] != "triton":
        return _counts_of_python(steps, deeper)
    whole = ".".join(steps)
    if any(f"{whole}.".startswith(f"{one}.") for one in _LAUNCHES):
        return False
    owner, name = ".".join(steps[:-1]), steps[-1]
    if len(steps) == 1 or owner in _LANGUAGES and not deeper:
        return False  # asked of those that take the name
    if not deeper and name != ANY and (known := handled(owner, name)) is not None:
        return known
    return deeper and owner in _LANGUAGES and name not in _SAYS_ONLY or name not in _SAYS_ONLY | _OF_LAUNCHES


def _counts_of_python(steps: _Steps, deeper: bool) -> bool:
    if len(steps) == 1:
        return False
    head, name = steps[0], steps[1]
    if name in _KEPT_OF_PYTHON.get(head, ()) or steps[-1] in _SAYS_ONLY and len(steps) > 2:
        return False
    return name == ANY or name.startswith("__") or name in _HAS.get(head, ())
