"""What safe evaluation can make of an expression. Plain data inside ``source``; ``bindings`` turns it into what a
slice carries."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Literal, TypeAlias

from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.limits import HEAVIEST, TooMuch
from kernel_analysis.source.scopes import ScopeNode, Table, table
from kernel_analysis.source.slice import TorchDtype, TritonObject

if TYPE_CHECKING:
    from kernel_analysis.source.module import Module


@dataclass(eq=False)
class Scope:
    """A module, class or function whose names can be looked up. ``locals`` holds them instead while a call is
    followed."""

    module: Module
    node: ScopeNode
    parent: Scope | None
    locals: dict[str, Value] | None = None
    memo: dict[tuple[str, int], tuple[Definition, frozenset[str], frozenset[str]] | None] = field(
        default_factory=dict[tuple[str, int], "tuple[Definition, frozenset[str], frozenset[str]] | None"]
    )
    epoch: int = -1
    _table: Table | None = None

    @property
    def table(self) -> Table:
        if self._table is None:
            self._table = self.module.table if self.node is self.module.tree else table(self.node)
        return self._table


@dataclass(frozen=True, slots=True)
class Unknown:
    """Not to be known without running code; ``reason`` is a sentence. ``missing``: a module or a name that is not
    there;
    ``ruled_out``: it would be, if a condition held."""

    reason: str
    missing: bool = False
    ruled_out: bool = False


@dataclass(frozen=True, slots=True)
class Wrapped:
    """``tl.constexpr(value)``."""

    value: Value


@dataclass(frozen=True, slots=True)
class Items:
    """A tuple, list or set. ``weight``: how many values are in it and in those."""

    kind: Literal["tuple", "list", "set"]
    values: tuple[Value, ...]
    weight: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "weight", _weighed(self.values))


@dataclass(frozen=True, slots=True)
class Dict:
    """A dict, as pairs in order."""

    pairs: tuple[tuple[Value, Value], ...]
    weight: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "weight", _weighed(chain.from_iterable(self.pairs)))

    def get(self, key: Value) -> Value | None:
        return next((v for k, v in reversed(self.pairs) if type(k) is type(key) and k == key), None)


@dataclass(frozen=True, slots=True)
class Version:
    """A parsed version number, release part only."""

    release: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ModuleValue:
    """A module that is read from its ``file``; a namespace package or compiled module has none."""

    name: str
    file: str | None
    importer: str


@dataclass(frozen=True, slots=True)
class External:
    """Something of Python's library, torch, or another package that is not read: ``math.log2``, ``builtins.len``."""

    path: str


@dataclass(frozen=True, slots=True)
class UserFunction:
    """A plain function. ``node`` None stands for nothing; compared by identity of the tree."""

    scope: Scope
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class ConstexprFunction:
    """A ``@triton.constexpr_function``."""

    function: UserFunction


@dataclass(frozen=True, slots=True)
class Jit:
    """A jit function."""

    function: JitFunction

    def __hash__(self) -> int:
        return id(self.function)


@dataclass(frozen=True, slots=True)
class UserClass:
    """A class. ``aggregate``: decorated with Triton's aggregate."""

    scope: Scope
    node: ast.ClassDef
    aggregate: bool = False


@dataclass(frozen=True, slots=True)
class EnumMember:
    """A member of an Enum. ``plain``: it is its value (IntEnum, StrEnum, Flag with int)."""

    class_name: str
    name: str
    value: Value
    plain: bool


@dataclass(frozen=True, slots=True)
class RecordClass:
    """A NamedTuple class; ``defaults`` belong to the last fields."""

    name: str
    fields: tuple[str, ...]
    defaults: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """An instance of one."""

    cls: RecordClass
    values: tuple[Value, ...]
    weight: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "weight", _weighed(self.values))


@dataclass(frozen=True, slots=True, eq=False)
class Decoration:
    """A decorator of Triton's, called with its keywords: what it will do to the function given next."""

    kind: Literal["jit", "autotune", "heuristics", "constexpr"]
    gluon: bool = False
    options: Mapping[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    configs: tuple[Config, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Config:
    """A ``triton.Config``: its constexpr values and its options (``num_warps``), as expressions."""

    values: Mapping[str, ast.expr]
    options: Mapping[str, ast.expr]


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """``functools.partial`` of something."""

    function: Value
    args: tuple[Value, ...]
    keywords: Mapping[str, ast.expr]
    scope: Scope


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a value, not yet called."""

    receiver: Value
    name: str


Value: TypeAlias = (
    int
    | float
    | bool
    | str
    | None
    | Unknown
    | Wrapped
    | Items
    | Dict
    | Version
    | ModuleValue
    | External
    | UserFunction
    | ConstexprFunction
    | Jit
    | UserClass
    | EnumMember
    | RecordClass
    | Record
    | Decoration
    | Config
    | Partial
    | Method
    | TritonObject
    | TorchDtype
)


@dataclass(frozen=True, slots=True)
class Definition:
    """What a name means, and the statement that says so. ``others``: all else that it may mean where the file runs;
    None where that is not in sight."""

    value: Value
    module: Module
    node: ast.AST
    others: tuple[Definition, ...] | None = ()


def _weighed(values: Iterable[Value]) -> int:
    """Of values that share parts each counts them all, as do those who go through them. Raises TooMuch."""
    weight = sum(value.weight if isinstance(value, (Items, Dict, Record)) else 1 for value in values)
    if weight > HEAVIEST:
        raise TooMuch
    return weight


def plain(value: Value) -> Value:
    """The value inside ``tl.constexpr(...)`` and int-like enum members, for arithmetic."""
    while isinstance(value, Wrapped):
        value = value.value
    if isinstance(value, EnumMember) and value.plain:
        return value.value
    return value


def truth(value: Value) -> bool | None:
    """Whether the value is true; None if that is not known."""
    value = plain(value)
    if isinstance(value, (bool, int, float, str)) or value is None:
        return bool(value)
    if isinstance(value, Items):
        return bool(value.values)
    if isinstance(value, Dict):
        return bool(value.pairs)
    if isinstance(value, (Unknown, External)):
        return None
    return True
