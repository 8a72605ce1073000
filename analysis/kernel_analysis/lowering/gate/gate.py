"""The one gate between a kernel's text and the live objects that Triton's front end evaluates it over: what passes is
in a set made from the installed language, and is told by identity.

Every way to an object (name, attribute, item, result, argument, default) asks here. May not import or call anything
that is not Triton's language, and knows no exceptions by name of what a kernel wrote.
"""

# pyright: basic
from __future__ import annotations

import copy
import math
import types
import weakref
from importlib.machinery import PathFinder
from typing import Any

from kernel_analysis.lowering import compat
from kernel_analysis.lowering.gate import allowlist, copies, enum_members, harmless, known_aggregates
from kernel_analysis.lowering.gate.allowlist import kinds, known
from kernel_analysis.lowering.gate.harmless import NotEvaluable
from kernel_analysis.lowering.gate.stand_ins import Ours, SliceModule, refuse_kind, refuse_more, refuse_unknown
from kernel_analysis.source.text_search.aggregate_operators import OPERATOR_NAMES

tl: Any = compat.tl

_MOST_ITEMS = 1 << 16
_DEEPEST = 1000  # of containers in each other: one that holds itself has no end


class OutOfReach(NotEvaluable):
    """The kernel's text reaches for something that is not on the list; the message is for the user. It may lack what
    was written: "is the function `os.system`, ..."."""

    def about(self, spelled: str) -> OutOfReach:
        """The same, with the text that reached for it."""
        said = str(self)
        return OutOfReach(said if said.startswith("`") else f"`{spelled}` {said}")


class RefusedGlobal:
    """Stands for a global that is not to be had: it does not pass, whatever is done with it. ``reason``: a sentence."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


class _OfPython(SliceModule):
    """Stands for one of Python's: it has what is listed, and no private names."""

    def __init__(self, module: types.ModuleType, has: dict[str, Any]) -> None:
        super().__init__(module.__name__)
        self.__dict__.update(has, _names={name for name in dir(module) if not name.startswith("_")})

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__["_names"]:
            raise OutOfReach(f"`{self.__name__}.{name}` is Python's own and out of a kernel's reach")
        raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")


_classes: weakref.WeakSet[type] = weakref.WeakSet()


def passes(value: Any) -> Any:
    """The value, or our version of it. Raises OutOfReach: "is the function `os.system`, ..."."""
    if type(value) in kinds:
        return value
    found = known.get(id(value))
    return _passes(value, [_MOST_ITEMS], _DEEPEST) if found is None else found


def _passes(value: Any, left: list[int], deeper: int) -> Any:
    kind = type(value)
    if kind is RefusedGlobal:
        raise OutOfReach(value.reason)
    left[0] -= 1
    if left[0] < 0:
        raise OutOfReach("is too large to be looked at")
    if deeper < 0:
        raise OutOfReach("is nested too deeply to be looked at")
    if kind in kinds:
        return value
    if kind is tl.constexpr:
        inner = _passes(value.value, left, deeper - 1)
        return value if inner is value.value else inner
    if kind is tl.tuple:
        for item in value.values:
            _passes(item, left, deeper - 1)
        return value
    if kind in (tuple, list, set, frozenset) or kind in _classes:
        for item in value:
            _passes(item, left, deeper - 1)
        return value
    if kind in known_aggregates.known:
        for part in vars(value).values():
            _passes(part, left, deeper - 1)
        return value
    if kind is dict:
        for pair in value.items():
            _passes(pair, left, deeper - 1)
        return value
    if id(value) in known:
        return known[id(value)]
    if kind is types.ModuleType and allowlist.is_language(value.__name__) and allowlist.fresh():
        return _passes(value, left, deeper)
    if isinstance(value, Ours | SliceModule):
        return value
    if isinstance(value, type) and (value in _classes or value in known_aggregates.known):
        return value
    if kind is types.MethodType or kind in compat.BOUND_METHODS:
        if id(value.__func__) in allowlist.methods or isinstance(value.__func__, Ours):
            _passes(value.__self__, left, deeper - 1)
            return value
    elif kind in (types.BuiltinFunctionType, types.MethodWrapperType) and type(value.__self__) in harmless.METHODS:
        return _of_plain(value.__self__, value.__name__)
    raise OutOfReach(refusal(value))


def _of_plain(owner: Any, name: str, changes: bool = False) -> Any:
    if name in OPERATOR_NAMES:
        return harmless.HarmlessMethod(owner, name, getattr(type(owner), name))
    return harmless.method(owner, name, changes)


def declares(owner: Any, name: str) -> bool:
    """Whether the owner stands for a module or an aggregate of the user's, whose own text names this."""
    if type(owner) is SliceModule:
        return name in vars(owner) and not name.startswith("__")
    return known_aggregates.declares(owner, name)


def is_known(value: Any) -> bool:
    """Whether it passes as it is, at a glance."""
    return type(value) in kinds or known.get(id(value)) is value or isinstance(value, Ours)


def attribute(owner: Any, name: str, changes: bool = False) -> Any:
    """``owner.name`` as a kernel's text may have it. ``changes``: a container may be changed by its methods. Raises
    OutOfReach, or AttributeError as Python does."""
    passes(owner)
    refuse_asking(owner, name)
    private = name.startswith("_") and not declares(owner, name)
    if private and hasattr(owner, name) and not is_shared(getattr(owner, name)):
        raise OutOfReach("is private, and out of a kernel's reach")
    if type(owner) in harmless.METHODS or isinstance(owner, tuple) and name in harmless.METHODS[tuple]:
        return _of_plain(owner, name, changes)
    found = passes(getattr(owner, name))
    return found if type(owner) is SliceModule or copies.is_copy(owner) else of_triton(found)


def refuse_asking(owner: Any, name: str) -> None:
    """Raise where something else knows what the attribute is: what a stand-in stands for, the class of a member of an
    Enum."""
    refuse_more(owner, name)
    made = owner if isinstance(owner, type) else type(owner)
    if made in _classes and not name.startswith("_") and not hasattr(owner, name):
        raise OutOfReach(f"is not among the fields of `{made.__name__}`; what else that class has is not looked at")
    if enum_members.is_member(owner) and name not in ("value", *OPERATOR_NAMES):
        raise OutOfReach("is what the class of an Enum says, which is not evaluated")


def of_triton(value: Any) -> Any:
    """An attribute of one of Triton's objects: what it keeps in lists is copied all the way in, for the text not to
    change it. It has passed, so that this comes to an end."""
    if isinstance(value, dict | set):
        raise OutOfReach(f"is a `{type(value).__name__}` of Triton's own, which is out of a kernel's reach")
    if type(value) in (list, tuple):
        return type(value)(map(of_triton, value))
    return [*value] if isinstance(value, list) else value


def called(function: Any) -> Any:
    """What is called where ``function`` is: our version of one of Python's. The function has passed."""
    return _versions.get(id(function), function)


def may_call(function: Any) -> bool:
    """Whether it passes, or is an operator of something that does."""
    if id(function) in known or isinstance(function, Ours):
        return True
    owner = getattr(function, "__self__", None)
    operator = getattr(function, "__name__", "") in OPERATOR_NAMES
    if operator and type(owner) in kinds:
        return True
    try:
        passes(owner if operator and type(owner) in (tl.constexpr, tl.tuple) else function)
    except OutOfReach:
        return False
    return True


def refusal(function: Any) -> str:
    """Why it may not be called."""
    return f"is {harmless.described(function)}, which is out of a kernel's reach"


def resolve(path: str) -> Any:
    """What a dotted path means: ``triton.language.load``, ``math.log2``, ``builtins.len``. Raises OutOfReach for what
    is not a kernel's, AttributeError for what this Triton has not."""
    head, *names = path.split(".")
    if head == "builtins":
        found = BUILTINS.get(".".join(names))
        if found is None:
            raise OutOfReach(f"`{path}` is Python's own and out of a kernel's reach")
        return found
    value: Any = {"copy": _COPY, "math": _MATH, "triton": compat.triton}.get(head)
    if value is None:
        raise OutOfReach(f"`{path}` is out of a kernel's reach")
    done = head
    for name in names:
        done = f"{done}.{name}"
        if isinstance(value, types.ModuleType) and not hasattr(value, name):
            allowlist.load(value, done)
            if not hasattr(value, name):
                if PathFinder.find_spec(done, getattr(value, "__path__", ())) is not None:
                    raise OutOfReach(f"`{done}` is no part of Triton's language, and out of a kernel's reach")
                raise AttributeError(f"Triton {compat.triton_version} has no `{done}`")
        try:
            value = attribute(value, name)
        except OutOfReach as refused:
            raise refused.about(done) from None
    return value


def is_shared(value: Any) -> bool:
    """Whether it may be had by a name that begins with ``_``, too: Triton's own jit and constexpr functions, some of
    which kernels use (``tl.standard._log2``), its values' builtins (``buffer._keep_alive``), and what is listed."""
    method = value.__func__ if type(value) is types.MethodType else None
    return id(value) in allowlist.own_functions or id(method) in allowlist.builtin_methods


def take_place(method: Any, quicker: Any) -> None:
    """A short cut of ours stands where a method was, and passes where that did."""
    if id(method) in allowlist.methods:
        allowlist.methods.add(id(quicker))
        allowlist.know(quicker)


def admit_class(made: type) -> type:
    """A class that stands for one of the slice's; its instances are looked at item by item."""
    _classes.add(made)
    return made


def is_own_function(function: Any) -> bool:
    """Whether it is one of Triton's own jit functions, whose text reaches what Triton's authors meant it to."""
    return id(function) in allowlist.own_functions


def _getattr(owner: Any, name: Any, *default: Any) -> Any:
    if not isinstance(name, str):
        raise TypeError("the name of an attribute is a text")
    if default and not _hasattr(owner, name):
        return default[0]
    try:
        return attribute(owner, name)
    except OutOfReach as refused:
        raise refused.about(name) from None


def _hasattr(owner: Any, name: Any) -> bool:
    if not isinstance(name, str) or name.startswith("_"):
        raise OutOfReach(f"`{name}` is private, and out of a kernel's reach")
    try:
        refuse_asking(owner, name)
    except OutOfReach as refused:
        raise refused.about(name) from None
    found = hasattr(owner, name)
    refuse_unknown(getattr(owner, name) if found else None)
    return found


def _isinstance(value: Any, kinds: Any) -> bool:
    refuse_kind(value)
    return isinstance(value, kinds)


def _type(value: Any) -> type:
    """Of an aggregate, for ``type(self)(...)``, which makes another of them; of nothing else."""
    kind = type(value)
    if kind not in known_aggregates.known:
        raise NotEvaluable(f"the type of {harmless.described(value)} is not evaluated")
    return kind


_ISINSTANCE = harmless.HarmlessFunction("isinstance", _isinstance)
_versions = {**{id(builtin): version for builtin, version in harmless.CALLED.items()}, id(isinstance): _ISINSTANCE}

BUILTINS: dict[str, Any] = {
    **{builtin.__name__: builtin for builtin in harmless.CALLED},
    "getattr": harmless.HarmlessFunction("getattr", _getattr),
    "hasattr": harmless.HarmlessFunction("hasattr", _hasattr),
    "type": harmless.HarmlessFunction("type", _type),
}
"""Python's builtins that kernels and constexpr functions may name, in our versions."""

_MATH = _OfPython(math, dict(harmless.MATH))
_COPY = _OfPython(copy, {"deepcopy": copies.deepcopy(passes)})
allowlist.know(getattr, BUILTINS["getattr"])
allowlist.know(hasattr, BUILTINS["hasattr"])
allowlist.know(type, BUILTINS["type"])
