"""The one gate between a kernel's text and the live objects that Triton's front end evaluates it over: what passes is
in a set made from the installed language, and is told by identity.

Every way to an object (name, attribute, item, result, argument, default) asks here. May not import or call anything
that is not Triton's language, and knows no exceptions by name of what a kernel wrote.
"""

# pyright: basic
from __future__ import annotations

import importlib
import importlib.util
import math
import sys
import types
import weakref
from typing import Any

from kernel_analysis.lowering import aggregates, compat, harmless
from kernel_analysis.lowering.harmless import OPERATOR_NAMES, NotEvaluable

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

_MOST_ITEMS = 1 << 16

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), slice, range)


class OutOfReach(NotEvaluable):
    """The kernel's text reaches for something that is not on the list; the message is for the user. It may lack what
    was written: "is the function `os.system`, ..."."""

    def about(self, spelled: str) -> OutOfReach:
        """The same, with the text that reached for it."""
        said = str(self)
        return OutOfReach(said if said.startswith("`") else f"`{spelled}` {said}")


class Refused:
    """Stands for a global that is not to be had: it does not pass, whatever is done with it. ``reason``: a sentence."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


class SliceModule(types.ModuleType):
    """Stands for a module or class of the user's: it has only the members that the slice uses, each let through."""


class Ours:
    """What the slice is made of here (functions, stand-ins, unresolved names) derives from this, and passes."""


_known: dict[int, Any] = {}
kinds: set[type] = {*_PLAIN, harmless.Function, harmless.Method}
"""Of these an instance passes, whatever is in it."""
_methods: set[int] = set()
_kept: list[Any] = []  # so that no identity is anybody else's
_modules: set[int] = set()
_own_functions: set[int] = set()
_classes: weakref.WeakSet[type] = weakref.WeakSet()
context_managers: set[int] = set()
"""What may stand behind ``with``, by identity."""


def passes(value: Any) -> Any:
    """The value, or our version of it. Raises OutOfReach: "is the function `os.system`, ..."."""
    if type(value) in kinds:
        return value
    known = _known.get(id(value))
    return _passes(value, [_MOST_ITEMS]) if known is None else known


def _passes(value: Any, left: list[int]) -> Any:
    kind = type(value)
    if kind is Refused:
        raise OutOfReach(value.reason)
    left[0] -= 1
    if left[0] < 0:
        raise OutOfReach("is too large to be looked at")
    if kind in kinds:
        return value
    if kind is tl.constexpr:
        inner = _passes(value.value, left)
        return value if inner is value.value else inner
    if kind is tl.tuple:
        for item in value.values:
            _passes(item, left)
        return value
    if kind in (tuple, list, set, frozenset) or kind in _classes:
        for item in value:
            _passes(item, left)
        return value
    if kind in aggregates.known:
        for part in vars(value).values():
            _passes(part, left)
        return value
    if kind is dict:
        for pair in value.items():
            _passes(pair, left)
        return value
    if id(value) in _known:
        return _known[id(value)]
    if kind is types.ModuleType and _is_language(value.__name__) and _fresh():
        return _passes(value, left)
    if isinstance(value, Ours | SliceModule):
        return value
    if isinstance(value, type) and (value in _classes or value in aggregates.known):
        return value
    if kind is types.MethodType or kind in compat.BOUND_METHODS:
        if id(value.__func__) in _methods or isinstance(value.__func__, Ours):
            _passes(value.__self__, left)
            return value
    elif kind in (types.BuiltinFunctionType, types.MethodWrapperType) and type(value.__self__) in harmless.METHODS:
        return _of_plain(value.__self__, value.__name__)
    raise OutOfReach(refusal(value))


def _of_plain(owner: Any, name: str, changes: bool = False) -> Any:
    if name in OPERATOR_NAMES:
        return harmless.Method(owner, name, getattr(type(owner), name))
    return harmless.method(owner, name, changes)


def is_known(value: Any) -> bool:
    """Whether it passes as it is, at a glance."""
    return type(value) in kinds or _known.get(id(value)) is value or isinstance(value, Ours)


def attribute(owner: Any, name: str, changes: bool = False) -> Any:
    """``owner.name`` as a kernel's text may have it. ``changes``: a container may be changed by its methods. Raises
    OutOfReach, or AttributeError as Python does."""
    passes(owner)
    private = name.startswith("_") and not aggregates.declares(owner, name)
    if private and hasattr(owner, name) and not is_shared(getattr(owner, name)):
        raise OutOfReach("is private, and out of a kernel's reach")
    if type(owner) in harmless.METHODS or isinstance(owner, tuple) and name in harmless.METHODS[tuple]:
        return _of_plain(owner, name, changes)
    return of_triton(passes(getattr(owner, name)))


def of_triton(value: Any) -> Any:
    """An attribute of one of Triton's objects: what it keeps in a list is copied, for the text not to change it."""
    if isinstance(value, dict | set):
        raise OutOfReach(f"is a `{type(value).__name__}` of Triton's own, which is out of a kernel's reach")
    return [*value] if isinstance(value, list) else value


def called(function: Any) -> Any:
    """What is called where ``function`` is: our version of one of Python's. The function has passed."""
    return _versions.get(id(function), function)


def may_call(function: Any) -> bool:
    """Whether it passes, or is an operator of something that does."""
    if id(function) in _known or isinstance(function, Ours):
        return True
    try:
        return passes(function) is not None
    except OutOfReach:
        owner = getattr(function, "__self__", None)
        return getattr(function, "__name__", "") in OPERATOR_NAMES and type(owner) in kinds


def refusal(function: Any) -> str:
    """Why it may not be called."""
    return f"is {_described(function)}, which is out of a kernel's reach"


def resolve(path: str) -> Any:
    """What a dotted path means: ``triton.language.load``, ``math.log2``, ``builtins.len``. Raises OutOfReach for what
    is not a kernel's, AttributeError for what this Triton has not."""
    head, *names = path.split(".")
    if head == "builtins":
        found = BUILTINS.get(".".join(names))
        if found is None:
            raise OutOfReach(f"`{path}` is Python's own and out of a kernel's reach")
        return found
    value: Any = {"math": _MATH, "triton": compat.triton}.get(head)
    if value is None:
        raise OutOfReach(f"`{path}` is out of a kernel's reach")
    done = head
    for name in names:
        done = f"{done}.{name}"
        if isinstance(value, types.ModuleType) and not hasattr(value, name):
            _load(value, done)
            if not hasattr(value, name):
                raise AttributeError(f"Triton {compat.triton_version} has no `{done}`")
        try:
            value = attribute(value, name)
        except OutOfReach as refused:
            raise refused.about(done) from None
    return value


def is_shared(value: Any) -> bool:
    """Whether it may be had by a name that begins with ``_``, too: Triton's own jit and constexpr functions, some of
    which kernels use (``tl.standard._log2``), and what is listed."""
    return id(value) in _own_functions


def admit_class(made: type) -> type:
    """A class that stands for one of the slice's; its instances are looked at item by item."""
    _classes.add(made)
    return made


def is_own_function(function: Any) -> bool:
    """Whether it is one of Triton's own jit functions, whose text reaches what Triton's authors meant it to."""
    return id(function) in _own_functions


def _getattr(owner: Any, name: Any, *default: Any) -> Any:
    if not isinstance(name, str):
        raise TypeError("the name of an attribute is a text")
    if default and not name.startswith("_") and not hasattr(owner, name):
        return default[0]
    try:
        return attribute(owner, name)
    except OutOfReach as refused:
        raise refused.about(name) from None


def _hasattr(owner: Any, name: Any) -> bool:
    if not isinstance(name, str) or name.startswith("_"):
        raise OutOfReach(f"`{name}` is private, and out of a kernel's reach")
    return hasattr(owner, name)


_versions = {id(builtin): version for builtin, version in harmless.CALLED.items()}

BUILTINS: dict[str, Any] = {
    **{builtin.__name__: builtin for builtin in harmless.CALLED},
    "getattr": harmless.Function("getattr", _getattr),
    "hasattr": harmless.Function("hasattr", _hasattr),
}
"""Python's builtins that kernels and constexpr functions may name, in our versions."""


# The set -------------------------------------------------------------------------------------------------------------


def _load(package: types.ModuleType, name: str) -> None:
    """A module of the languages that nobody has imported yet."""
    if _is_language(name) and hasattr(package, "__path__") and importlib.util.find_spec(name) is not None:
        importlib.import_module(name)
        _learn()


def _fresh() -> bool:
    """Whether there are modules of the languages that were imported since; they are known now."""
    before = len(_modules)
    _learn()
    return len(_modules) > before


def _is_language(name: str) -> bool:
    inside = name in _ROOTS or name.startswith(_BELOW)
    return inside and not name.rpartition(".")[2].endswith(_INSIDE)


def _languages() -> list[types.ModuleType]:
    """The languages' modules that are loaded: those that were imported, and those that one of them holds (Triton loads
    some of ``extra`` by itself)."""
    waiting: list[Any] = [module for name, module in list(sys.modules.items()) if _is_language(name)]
    found: dict[int, types.ModuleType] = {}
    while waiting:
        module = waiting.pop()
        if isinstance(module, types.ModuleType) and id(module) not in found and _is_language(module.__name__):
            found[id(module)] = module
            waiting += [member for member in vars(module).values() if type(member) is types.ModuleType]
    return list(found.values())


def _learn() -> None:
    """Everything of the languages' modules that are loaded now."""
    modules = _languages()
    fresh = [module for module in modules if id(module) not in _modules]
    for module in fresh:
        for member in vars(module).values():
            if isinstance(member, type) and _is_language(member.__module__ or "") and not _is_error(member):
                _learn_kind(member)
            elif isinstance(member, compat.JITCallable):
                _know_own(member)
    for module in modules:
        if not module.__name__.rpartition(".")[2].startswith("_"):
            _know(module)
            _modules.add(id(module))
    for module in fresh:
        if id(module) in _known:
            for name, member in vars(module).items():
                if not name.startswith("_") and _of_language(module, member):
                    _know(member)


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


def _know(value: Any, version: Any = None) -> None:
    if id(value) not in _known:
        _known[id(value)] = value if version is None else version
        _kept.append(value)


def _know_own(function: Any) -> None:
    _own_functions.add(id(function))
    _know(function)


def _is_error(kind: type) -> bool:
    return issubclass(kind, BaseException)


def _learn_kind(kind: type) -> None:
    """Instances of the class pass, and what they are asked to do."""
    if id(kind) in _known:
        return
    _know(kind)
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
                _methods.add(id(member))
                _know(member)


_MATH = SliceModule("math")
vars(_MATH).update(harmless.MATH)


def _listed() -> None:
    for name in _BESIDE:
        if name in sys.modules:
            _know(sys.modules[name])
    for name in harmless.MATH:
        if callable(getattr(math, name)):
            _know(getattr(math, name), harmless.MATH[name])
    for builtin in harmless.CALLED:
        _know(builtin)
    _know(getattr, BUILTINS["getattr"])
    _know(hasattr, BUILTINS["hasattr"])
    for path in _LISTED:
        owner, _, name = path.rpartition(".")
        found = getattr(sys.modules.get(owner), name, None)
        if found is None:
            continue
        _know(found)
        _own_functions.add(id(found))
        if isinstance(found, type):  # an enumeration
            kinds.add(found)


def _described(value: Any) -> str:
    if isinstance(value, types.ModuleType):
        return f"the module `{value.__name__}`"
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if isinstance(value, type):
        return f"the class `{value.__module__}.{name}`"
    if callable(value) and isinstance(name, str):
        return f"the function `{getattr(value, '__module__', None) or 'builtins'}.{name}`"
    return f"a `{type(value).__name__}`"


_learn()
_listed()
