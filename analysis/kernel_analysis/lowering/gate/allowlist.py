"""The set of what a kernel's text may see, by identity, made from the installed language: what ``gate`` lets pass.

May not import or call anything that is not Triton's language. It grows only by modules of the languages that are loaded
later.
"""

# pyright: basic
from __future__ import annotations

import importlib
import importlib.util
import math
import sys
import types
from typing import Any

from kernel_analysis.lowering import compat
from kernel_analysis.lowering.gate import enum_members, harmless
from kernel_analysis.source.text_search.aggregate_operators import OPERATOR_NAMES

tl: Any = compat.tl

_ROOTS = ("triton.language", "triton.experimental.gluon.language", "triton.tools.tensor_descriptor")
_BELOW = tuple(f"{root}." for root in _ROOTS)
_INSIDE = ("semantic", "_semantic")  # the modules of the languages that build operations, for no kernel to see
_BESIDE = ("triton", "triton.experimental", "triton.experimental.gluon", "triton.tools")
"""On the way to the languages. What else is in them does not pass by that."""

_LISTED = (
    "triton.cdiv", "triton.next_power_of_2", "triton.language.PropagateNan", "triton.language.core.get_int_dtype",
    "triton.language.core.get_primitive_bitwidth", "triton.language.core.is_negative_zero",
    "triton.language.core._unwrap_if_constexpr", "triton.language.core.aggregate_replace",
)  # fmt: skip
"""What no rule of ``_of_language`` lets pass, and kernels use."""

_STUBS = "triton.language.extra.libdevice"
"""Its functions are empty: the target's own take their place."""

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented), slice, range)

known: dict[int, Any] = {}
"""What passes, by identity: itself, or our version of it."""
kinds: set[type] = {*_PLAIN, *enum_members.KINDS, harmless.HarmlessFunction, harmless.HarmlessMethod}
"""Of these an instance passes, whatever is in it."""
methods: set[int] = set()
"""Functions of the languages' classes that an instance may be asked for, by identity."""
builtin_methods: set[int] = set()
"""Those of them whose names begin with ``_``, and that are for kernels all the same: Triton marks its builtins."""
_kept: list[Any] = []  # so that no identity is anybody else's
_modules: set[int] = set()
own_functions: set[int] = set()
"""The languages' own jit and constexpr functions, by identity, and what is listed by name."""
context_managers: set[int] = set()
"""What may stand behind ``with``, by identity."""


def load(package: types.ModuleType, name: str) -> None:
    """A module of the languages that nobody has imported yet."""
    if is_language(name) and hasattr(package, "__path__") and importlib.util.find_spec(name) is not None:
        importlib.import_module(name)
        _learn()


def fresh() -> bool:
    """Whether there are modules of the languages that were imported since; they are known now."""
    before = len(_modules)
    _learn()
    return len(_modules) > before


def is_language(name: str) -> bool:
    """Whether a module of this name is one of the languages'."""
    inside = name in _ROOTS or name.startswith(_BELOW)
    return inside and not name.rpartition(".")[2].endswith(_INSIDE)


def _languages() -> list[types.ModuleType]:
    """The languages' modules that are loaded: those that were imported, and those that one of them holds (Triton loads
    some of ``extra`` by itself)."""
    waiting: list[Any] = [module for name, module in list(sys.modules.items()) if is_language(name)]
    found: dict[int, types.ModuleType] = {}
    while waiting:
        module = waiting.pop()
        if isinstance(module, types.ModuleType) and id(module) not in found and is_language(module.__name__):
            found[id(module)] = module
            waiting += [member for member in vars(module).values() if type(member) is types.ModuleType]
    return list(found.values())


def _learn() -> None:
    """Everything of the languages' modules that are loaded now."""
    modules = _languages()
    fresh = [module for module in modules if id(module) not in _modules]
    for module in fresh:
        for member in vars(module).values():
            if isinstance(member, type) and is_language(member.__module__ or ""):
                if not issubclass(member, BaseException):
                    _learn_kind(member)
            elif isinstance(member, compat.JITCallable):
                _know_own(member)
    for module in modules:
        if not module.__name__.rpartition(".")[2].startswith("_"):
            know(module)
            _modules.add(id(module))
    for module in fresh:
        if id(module) in known:
            for name, member in vars(module).items():
                if not name.startswith("_") and _of_language(module, member):
                    know(member)


def _of_language(module: types.ModuleType, member: Any) -> bool:
    """Whether a public member of a language's module is the language's."""
    if isinstance(member, type):
        return member in kinds or getattr(member, "__triton_aggregate__", False)
    if isinstance(member, types.FunctionType):
        return compat.tl.core.is_builtin(member) or module.__name__ == _STUBS and member.__module__ == _STUBS
    if isinstance(member, compat.JITCallable):
        return True
    if type(member) is tl.constexpr:
        return type(member.value) in kinds
    return False  # a value passes by its type


def know(value: Any, version: Any = None) -> None:
    """From now on it passes; ``version``: our version of it does in its place."""
    if id(value) not in known:
        known[id(value)] = value if version is None else version
        _kept.append(value)


def _know_own(function: Any) -> None:
    own_functions.add(id(function))
    know(function)


def _learn_kind(kind: type) -> None:
    """Instances of the class pass, and what they are asked to do."""
    if id(kind) in known:
        return
    know(kind)
    if kind not in (tl.constexpr, tl.tuple):  # of these it matters what is in them
        kinds.add(kind)
    if "__enter__" in vars(kind):
        context_managers.add(id(kind))
    for base in kind.__mro__[:-1]:
        for name, member in vars(base).items():
            member = getattr(member, "__func__", member)  # static and class methods
            if isinstance(member, compat.JITCallable):
                _know_own(member)
            elif not isinstance(member, types.FunctionType):
                continue
            if not name.startswith("_") or name in OPERATOR_NAMES:
                methods.add(id(member))
                know(member)
            elif not name.startswith("__") and compat.tl.core.is_builtin(member):
                methods.add(id(member))
                builtin_methods.add(id(member))
                know(member)


def _listed() -> None:
    for name in _BESIDE:
        if name in sys.modules:
            know(sys.modules[name])
    for name in harmless.MATH:
        if callable(getattr(math, name)):
            know(getattr(math, name), harmless.MATH[name])
    for builtin in harmless.CALLED:
        know(builtin)
    for path in _LISTED:
        owner, _, name = path.rpartition(".")
        found = getattr(sys.modules.get(owner), name, None)
        if found is None:
            continue
        know(found)
        own_functions.add(id(found))
        if isinstance(found, type):  # an enumeration
            kinds.add(found)


_learn()
_listed()
