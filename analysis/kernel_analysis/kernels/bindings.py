"""Values of safe evaluation -> the bindings that a slice carries."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

from kernel_analysis.host.evaluate.properties import enum_constant
from kernel_analysis.host.evaluate.values import (
    ConstexprFunction,
    Definition,
    Dict,
    EnumMember,
    External,
    GuessedText,
    Items,
    Jit,
    ModuleValue,
    Record,
    RecordClass,
    Unknown,
    UserClass,
    UserFunction,
    Value,
    Wrapped,
)
from kernel_analysis.host.names.naming import meaning
from kernel_analysis.source.slice import (
    AggregateRef,
    Binding,
    Constant,
    ConstantValue,
    DictValue,
    FunctionRef,
    ListValue,
    MadeOfTriton,
    NamedTupleClass,
    NamedTupleValue,
    Namespace,
    TorchDtype,
    TritonObject,
    Unresolved,
    contents,
)  # fmt: skip
from kernel_analysis.source.tree.syntax import Chain, descend

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_MOST_PARTS = 10_000
_MARK = "__triton_builtin__"
"""By this attribute Triton knows the functions that it runs as they are while it compiles."""
_OF_TENSORS = re.compile(r"(?:torch|numpy|torch\.nn\.functional)\.[a-z_]+")
_NUMBERS = frozenset({"pi", "e", "inf", "nan", "euler_gamma", "newaxis", "little_endian"})
"""What these packages have and a kernel can compute with."""
_PLAIN_BASES = frozenset({"builtins.object", "enum.Enum", "enum.IntEnum", "enum.Flag", "enum.IntFlag", "enum.StrEnum"})
_MAKES_TUPLES = ("__new__", "__defaults__", "_fields", "__getitem__", "__iter__")
"""What makes a named tuple, and what Triton makes a tuple of its own of."""
_ASKS_TUPLES = ("__getattribute__", "__getitem__", "__iter__", "__len__", "__eq__")
Callee: TypeAlias = Jit | ConstexprFunction


class Binder:
    """``refer`` gives a function its index in the slice, ``aggregate`` a class."""

    def __init__(
        self, resolver: ResolverView, refer: Callable[[Callee], int], aggregate: Callable[[UserClass], int]
    ) -> None:
        self.resolver = resolver
        self.refer = refer
        self.aggregate = aggregate
        self.parts = 0
        self.by_python = False
        """Whether what is bound is for a function that Python runs, which may use dicts."""
        self._named: tuple[Module, str] | None = None
        self.changed = False
        """Whether what was bound last has a ``constexpr`` in it that may hold another value."""

    def bind(self, name: str, chains: Iterable[Chain], found: Definition) -> Binding:
        """What the name is to the kernel; ``chains``: the attributes that the kernel takes from it."""
        before, self._named = self._named, (found.module, name)
        try:
            return self._bind(name, chains, found)
        finally:
            self._named = before

    def _bind(self, name: str, chains: Iterable[Chain], found: Definition) -> Binding:
        value = found.value
        if isinstance(value, TritonObject):
            return value
        if isinstance(value, (Jit, ConstexprFunction)):
            return FunctionRef(self.refer(value))
        if isinstance(value, UserClass) and value.aggregate:
            return AggregateRef(self.aggregate(value))
        if isinstance(value, Unknown):
            some = value.wrapped and not (value.missing or value.ruled_out or value.undefined)
            return Unresolved(
                value.reason if f"`{name}" in value.reason else f"`{name}` can't be resolved: {value.reason}",
                wrong=value.undefined == name,
                constexpr=found.module.span(found.node) if some else None,
                broken=value.broken,
            )
        if isinstance(value, ModuleValue) or (isinstance(value, UserClass) and any(chains)):
            return self._namespace(name, chains, found)
        if isinstance(value, External):
            return self._external(name, chains, found)
        if isinstance(value, EnumMember) and not value.plain and any(chains):
            return self._namespace(name, chains, found)
        if isinstance(value, RecordClass):
            self.resolver.touches.field(value, *_MAKES_TUPLES)
            defaults = [self.constant(d) for d in value.defaults]
            known = tuple(d for d in defaults if not isinstance(d, Unresolved))
            if len(known) == len(defaults):
                return NamedTupleClass(value.name, value.fields, known, self._namespace(name, chains, found).members)
        constexpr = isinstance(value, Wrapped)
        self.parts = 0
        made = self.constant(value)
        if isinstance(made, Unresolved):
            if not isinstance(value, UserFunction):
                return Unresolved(f"`{name}` {made.reason}")
            marks = (mark in value.scope.module.text for mark in (_MARK, "__module__"))
            if any(marks) or self.resolver.project.elsewhere.stored(_MARK):
                return Unresolved(
                    f"`{name}` may be marked as one of Triton's own: what it does is known when it is run."
                )
            # It looks at no name that a builtin has, too.
            return Unresolved(f"`{name}` {made.reason}", wrong=not hasattr(builtins, name.rpartition(".")[2]))
        return Constant(made, constexpr, found.module.span(found.node))

    def _namespace(self, name: str, chains: Iterable[Chain], found: Definition) -> Namespace:
        by_member: dict[str, list[Chain]] = {}
        for chain in chains:
            if chain:
                by_member.setdefault(chain[0], []).append(chain[1:])
        members = {
            member: self.bind(
                f"{name}.{member}", rest, self.resolver.member(found.value, member, found.module, found.node)
            )
            for member, rest in sorted(by_member.items())
        }
        refused = isinstance(found.value, UserClass) and self._is_plain(found.value)
        return Namespace(name, members, found.module.span(found.node) if refused else None)

    def _is_plain(self, cls: UserClass) -> bool:
        """Whether a class is one for Python alone: no decorator, metaclass or base of which more is not known."""
        node = cls.node
        if node.decorator_list or node.keywords or any(_may_mark(statement) for statement in node.body):
            return False
        bases = [meaning(self.resolver, cls.scope, base) for base in node.bases]
        return all(isinstance(base, External) and base.path in _PLAIN_BASES for base in bases)

    def _external(self, name: str, chains: Iterable[Chain], found: Definition) -> Binding:
        """Something of a package that is not read. Triton lets kernels use ``math`` and ``copy``."""
        assert isinstance(found.value, External)
        path = found.value.path
        if path.split(".")[0] in ("math", "copy"):
            return TritonObject(path)
        if path.startswith("builtins.") or path in ("torch.finfo", "torch.iinfo"):
            return TritonObject(path)
        if any(chains) and () not in chains:
            return self._namespace(name, chains, found)
        wrong = _OF_TENSORS.fullmatch(path) is not None and path.rpartition(".")[2] not in _NUMBERS
        return Unresolved(f"`{name}` is `{path}`, which is not Triton's, so a kernel can't use it.", wrong)

    def constant(self, value: Value) -> ConstantValue | Unresolved:
        """A value as a constant; Unresolved with the second half of a sentence. One that shares its parts may be
        huge."""
        self.parts += 1
        if self.parts > _MOST_PARTS:
            return Unresolved("has too many parts for a kernel's constant.")
        if isinstance(value, Wrapped):
            if self._named is not None and (why := self.resolver.touches.held(*self._named)) is not None:
                self.resolver.note(why)
                self.changed = True
            return self.constant(value.value)
        if isinstance(value, GuessedText):
            self.resolver.note(value.why)
            return value.text
        if isinstance(value, (bool, int, float, str, TritonObject, TorchDtype, MadeOfTriton)) or value is None:
            return value
        if isinstance(value, (Jit, ConstexprFunction)):
            return FunctionRef(self.refer(value))
        if isinstance(value, UserClass) and value.aggregate:
            return AggregateRef(self.aggregate(value))
        if isinstance(value, EnumMember):
            if (member := enum_constant(value)) is not None:
                return member
            return Unresolved(
                f"is the Enum member `{value.class_name}.{value.name}`; a kernel can only use its `.value`."
            )
        if isinstance(value, Record):
            self.resolver.touches.field(value.cls, *value.cls.fields, *_ASKS_TUPLES)
        if isinstance(value, Record) or isinstance(value, Items) and value.kind in ("list", "tuple"):
            parts: list[ConstantValue] = []
            for item in value.values:
                part = self.constant(item)
                if isinstance(part, Unresolved):
                    return part
                if isinstance(item, Wrapped):
                    if isinstance(part, tuple):
                        return Unresolved("has a `constexpr` of a tuple in it, which is not followed.")
                    part = MadeOfTriton("triton.language.constexpr", (part,))
                parts.append(part)
            if isinstance(value, Record):
                return NamedTupleValue(value.cls.name, value.cls.fields, tuple(parts))
            return ListValue(parts) if value.kind == "list" else tuple(parts)
        if isinstance(value, Dict) and self.by_python:
            return self._dict(value)
        return Unresolved(_why_not(value))

    def _dict(self, value: Dict) -> ConstantValue | Unresolved:
        pairs: list[tuple[ConstantValue, ConstantValue]] = []
        for key, item in value.pairs:
            name, held = self.constant(key), self.constant(item)
            if isinstance(name, Unresolved) or isinstance(held, Unresolved):
                return held if isinstance(held, Unresolved) else Unresolved("has a key that can't be known.")
            if isinstance(key, Wrapped) or _has_functions(name) or _has_functions(held):
                return Unresolved("is a dict with more in it than numbers and texts, which is not followed.")
            if isinstance(item, Wrapped):
                held = MadeOfTriton("triton.language.constexpr", (held,))
            pairs.append((name, held))
        return DictValue(tuple(pairs))


def _has_functions(value: ConstantValue) -> bool:
    return any(isinstance(part, FunctionRef | AggregateRef) for part in contents(value))


def _why_not(value: Value) -> str:
    if isinstance(value, Unknown):
        return f"can't be known: {value.reason}"
    if isinstance(value, UserFunction):
        name = "a lambda" if isinstance(value.node, ast.Lambda) else "a plain Python function"
        return (
            f"is {name}; a kernel can only call functions decorated with `@triton.jit` or `@triton.constexpr_function`."
        )
    if isinstance(value, UserClass):
        return "is a class, which a kernel can't use."
    if isinstance(value, Dict):
        return "is a dict, which a kernel can't use."
    if isinstance(value, External):
        return f"is `{value.path}`, which is not Triton's, so a kernel can't use it."
    return "is made by running code, and is nothing that a kernel can use."


def _may_mark(statement: ast.stmt) -> bool:
    """Whether what stands in a class may give it one of the names that Triton knows its own by."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    named = {node.id for node in descend(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    plain = isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Pass, ast.Expr))
    return not plain or any(name.startswith("__") for name in named)
