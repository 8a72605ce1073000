"""What safe evaluation can make of an expression. Plain data; ``bindings`` turns it into what a slice carries."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Literal, TypeAlias

from kernel_analysis.host.evaluate.argument import HostArgument
from kernel_analysis.record import record
from kernel_analysis.source.enum_constants import without_member
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.limits import HEAVIEST, TooMuch
from kernel_analysis.source.slice import MadeOfTriton, TorchDtype, TritonObject
from kernel_analysis.source.tree.scopes import ScopeNode, Table, kept_table

if TYPE_CHECKING:
    from kernel_analysis.source.module import Module

_Names: TypeAlias = "frozenset[str]"


@dataclass(eq=False)
class Scope:
    """A module, class or function whose names can be looked up. ``locals`` holds them instead while a call is
    followed. ``memo``: what its names are; ``decided``: which way its ``if``s and ``try``s go; ``kept``: what else was
    found out (``found_once``); all as of an ``epoch`` of the project."""

    module: Module
    node: ScopeNode
    parent: Scope | None
    locals: dict[str, Value] | None = None
    memo: dict[tuple[str, int, int | None], tuple[Definition, _Names, _Names] | None] = field(
        default_factory=dict["tuple[str, int, int | None]", "tuple[Definition, _Names, _Names] | None"]
    )
    decided: dict[tuple[int, int | None], tuple[tuple[bool | None, str], _Names, _Names]] = field(
        default_factory=dict["tuple[int, int | None]", "tuple[tuple[bool | None, str], _Names, _Names]"]
    )
    kept: dict[Hashable, tuple[object, _Names, _Names, int]] = field(
        default_factory=dict[Hashable, "tuple[object, _Names, _Names, int]"]
    )
    epoch: int = -1
    _table: Table | None = None

    def renew(self, epoch: int) -> None:
        """Forget what was found out in another epoch."""
        if self.epoch != epoch:
            self.forget()
            self.epoch = epoch

    def forget(self) -> None:
        """Hold no answers."""
        for answers in (self.memo, self.decided, self.kept):
            answers.clear()

    def share(self, other: Scope) -> None:
        """Read the bindings of a scope of the same node once."""
        self._table = other.table

    @property
    def table(self) -> Table:
        if self._table is None:
            whole = self.node is self.module.tree
            self._table = self.module.table if whole else kept_table(self.node, self.module.text)
        return self._table


@record
class Unknown:
    """Not to be known without running code; ``reason``: a sentence. ``missing``: there is no such module or name, which
    is ``undefined``; ``ruled_out``: it is if a condition holds; ``broken``: it does not parse. ``true``: if known."""

    reason: str
    missing: bool = False
    ruled_out: bool = False
    true: bool | None = None
    undefined: str | None = None
    wrapped: bool = False
    broken: bool = False


@record
class Wrapped:
    """``tl.constexpr(value)``."""

    value: Value


@record
class Items:
    """A tuple, list, set, range, view of a dict, or what can be gone through once. ``weight``: how many values are in
    it and in those; ``once``: something in it, or it itself, can be gone through once."""

    kind: Literal["tuple", "list", "set", "range", "view", "iterator"]
    values: tuple[Value, ...]
    weight: int = field(init=False, compare=False, repr=False)
    once: bool = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.kind == "set":
            object.__setattr__(self, "values", tuple({key(v): v for v in reversed(self.values)}.values())[::-1])
        object.__setattr__(self, "weight", _weighed(self.values))
        object.__setattr__(self, "once", self.kind == "iterator" or any(map(used_up, self.values)))


@record
class Dict:
    """A dict, as pairs in order, each key once: a later one replaces the value of the earlier."""

    pairs: tuple[tuple[Value, Value], ...]
    weight: int = field(init=False, compare=False, repr=False)
    once: bool = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        made: dict[object, tuple[Value, Value]] = {}
        for name, value in self.pairs:
            same = key(name)
            made[same] = (made[same][0] if same in made else name, value)
        object.__setattr__(self, "pairs", tuple(made.values()))
        object.__setattr__(self, "weight", _weighed(part for pair in self.pairs for part in pair))
        object.__setattr__(self, "once", any(used_up(part) for pair in self.pairs for part in pair))

    def at(self, name: Value) -> tuple[Value, ...]:
        """The value of a key, alone in a tuple; nothing where there is none."""
        unknown = next((k for k in (name, *(k for k, _ in self.pairs)) if isinstance(k, UNTOLD)), None)
        if unknown is not None:
            return (unknown if isinstance(unknown, Unknown) else Unknown("What one of its keys is, is not known."),)
        same = key(name)
        return tuple(v for k, v in self.pairs if key(k) == same)


@record
class Tensor:
    """A tensor of which the shape is known, laid out one row after the other unless ``strides`` says otherwise.
    ``guessed``: nothing says how many dimensions it has."""

    shape: tuple[int, ...]
    strides: tuple[int, ...] = ()
    guessed: bool = False

    def stride(self) -> tuple[int, ...]:
        return self.strides or contiguous(self.shape)

    @property
    def numel(self) -> int:
        return prod(self.shape)


def contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a tensor that lies one row after the other."""
    return tuple(prod(max(1, extent) for extent in shape[axis + 1 :]) for axis in range(len(shape)))


@record
class Version:
    """A parsed version number, release part only."""

    release: tuple[int, ...]


@record
class ModuleValue:
    """A module that is read from its ``file``; a namespace package or compiled module has none."""

    name: str
    file: str | None
    importer: str


@record
class External:
    """Something of Python's library, torch, or another package that is not read: ``math.log2``, ``builtins.len``."""

    path: str


@record
class GuessedText:
    """A text of which no more is certain than that there is one, and something in it: the version of a package that is
    not stated. ``why`` it may be another than ``text``: to be noted by whoever asks more of it."""

    text: str
    why: str


UNTOLD = (Unknown, HostArgument, External, GuessedText)
"""What may be equal to anything, by all that is known."""


@record
class UserFunction:
    """A plain function; compared by identity of the tree. ``before``: the place in the scope where it is made, which is
    when its defaults are computed; ``given``: those, where the scope is a call that is followed. ``remembered``: it
    gives the same object again for the same arguments."""

    scope: Scope
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    before: int | None = field(default=None, compare=False)
    given: Mapping[str, Value] | None = field(default=None, compare=False, repr=False)
    remembered: bool = field(default=False, compare=False)


@record
class ConstexprFunction:
    """A ``@triton.constexpr_function``. ``apart``: made by ``tl.constexpr``, so that Triton does not look into it: it
    may call plain functions."""

    function: UserFunction
    apart: bool = False


@record
class Jit:
    """A jit function."""

    function: JitFunction

    def __hash__(self) -> int:
        return id(self.function)


@record
class UserClass:
    """A class. ``aggregate``: decorated with Triton's aggregate."""

    scope: Scope
    node: ast.ClassDef
    aggregate: bool = False


@record
class EnumMember:
    """A member of an Enum, ``cls``. ``plain``: it is its value (IntEnum, StrEnum, IntFlag). ``flag``: operators on bits
    make members of it, and no numbers. ``home``: the module of the class, and where in it."""

    class_name: str
    name: str
    value: Value
    plain: bool
    flag: bool = False
    home: str = ""
    cls: UserClass | None = field(default=None, compare=False, repr=False)


@record
class RecordClass:
    """A NamedTuple class; ``defaults`` belong to the last fields. ``written``: the class statement, if there is one;
    ``file``: where it is made, if that is in a file."""

    name: str
    fields: tuple[str, ...]
    defaults: tuple[Value, ...]
    written: UserClass | None = None
    file: str = ""


@record
class Record:
    """An instance of one."""

    cls: RecordClass
    values: tuple[Value, ...]
    weight: int = field(init=False, compare=False, repr=False)
    once: bool = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "weight", _weighed(self.values))
        object.__setattr__(self, "once", any(map(used_up, self.values)))


@record
class Object:
    """An object that keeps what it is given as attributes. ``cls`` may be a library's: ``SimpleNamespace``."""

    cls: UserClass | External
    names: tuple[str, ...]
    values: tuple[Value, ...]
    weight: int = field(init=False, compare=False, repr=False)
    once: bool = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "weight", _weighed(self.values))
        object.__setattr__(self, "once", any(map(used_up, self.values)))


@record(eq=False)
class Decoration:
    """A decorator of Triton's, called with its keywords: what it will do to the function given next. ``varies``: why
    its configs may be others; ``pruned``: code of the author's leaves some out."""

    kind: Literal["jit", "autotune", "heuristics", "constexpr"]
    gluon: bool = False
    options: Mapping[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    configs: tuple[Config, ...] = ()
    varies: str | None = None
    pruned: bool = False


@record(eq=False)
class WrittenConfig:
    """A ``triton.Config`` as it is spelled: all that it sets, each with its value as written there. ``options``: what
    stands beside the dict (``num_warps``); ``hook``: its ``pre_hook``. ``file``: where ``node`` stands."""

    file: str
    node: ast.Call
    values: Mapping[str, ast.expr]
    options: Mapping[str, ast.expr]
    hook: ast.expr | None


@record(eq=False)
class Config:
    """A ``triton.Config``: values and options (``num_warps``), expressions of ``file``; ``written``: all, if known."""

    values: Mapping[str, ast.expr]
    options: Mapping[str, ast.expr]
    written: WrittenConfig | None = None
    file: str = ""


@record(eq=False)
class Partial:
    """``functools.partial`` of something. ``values``: its keywords as they were when it was made; ``keywords``: as they
    are written, for Triton's decorators, whose options are compiled."""

    function: Value
    args: tuple[Value, ...]
    values: Mapping[str, Value]
    keywords: Mapping[str, ast.expr]


@record
class Method:
    """A method of a value, not yet called."""

    receiver: Value
    name: str


Value: TypeAlias = (
    int | float | bool | str | None | Unknown | HostArgument | Wrapped | Items | Dict | Tensor | Version
    | GuessedText | ModuleValue | External | UserFunction | ConstexprFunction | Jit | UserClass | EnumMember
    | RecordClass | Record | Object | Decoration | Config | Partial | Method | TritonObject | TorchDtype | MadeOfTriton
)  # fmt: skip


@record
class Definition:
    """What a name means, and the statement that says so. ``others``: all else that it may mean where the file runs;
    None where that is not in sight."""

    value: Value
    module: Module
    node: ast.AST
    others: tuple[Definition, ...] | None = ()


def _weighed(values: Iterable[Value]) -> int:
    """Of values that share parts each counts them all, as do those who go through them. Raises TooMuch."""
    weight = sum(1 + value.weight if isinstance(value, (Items, Dict, Record, Object)) else 1 for value in values)
    if weight > HEAVIEST:
        raise TooMuch
    return weight


def used_up(value: Value) -> bool:
    """Whether going through it, or through something in it, leaves another than there was."""
    if isinstance(value, (Items, Dict, Record, Object)):
        return value.once
    if isinstance(value, Partial):
        return any(map(used_up, (*value.args, *value.values.values())))
    return isinstance(value, (Wrapped, EnumMember)) and used_up(value.value)


def key(value: Value) -> object:
    """What is the same for keys that Python takes for one, ``1`` and ``True``, and for no others. Raises TypeError for
    what is no key."""
    if isinstance(value, Wrapped):
        return ("constexpr", key(value.value))
    value = plain(value)
    if isinstance(value, (Dict, Object)) or isinstance(value, Items) and value.kind in ("list", "set", "view"):
        raise TypeError("unhashable")  # or by what its class says
    if isinstance(value, (Record, Items)):
        return (value.kind if isinstance(value, Items) else "tuple", tuple(map(key, value.values)))
    if isinstance(value, (bool, int, float)):
        return ("number", value)
    if isinstance(value, (str, TorchDtype, TritonObject, Version)) or value is None:
        return (type(value), value)
    if isinstance(value, EnumMember):
        return (type(value), repr(value))
    return id(value)


def plain(value: Value) -> Value:
    """The value inside ``tl.constexpr(...)`` and int-like enum members, for arithmetic."""
    while isinstance(value, Wrapped):
        value = value.value
    return value.value if isinstance(value, EnumMember) and value.plain else without_member(value)
