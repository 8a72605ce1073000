"""What names and attributes stand for in a function: what it gave them, or what the slice binds them to.

The methods that subclasses fill in say what that means for whom: a summary in terms of the function's own parameters,
or the paths of one kernel.
"""

from __future__ import annotations

import ast
import builtins
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from kernel_analysis.dataflow.text import aggregate_fields
from kernel_analysis.dataflow.text.language import ABOUT, DTYPES
from kernel_analysis.dataflow.text.value import (
    ANY_TYPE,
    BLOCK,
    CONSTANT,
    DESCRIPTOR,
    NOTHING,
    PLAIN_TYPE,
    SCALAR_TYPE,
    UNSEEN,
    TextValue,
    depends,
    join,
    sort_of,
    tuple_of,
    whole,
    with_dep,
)
from kernel_analysis.source.slice import (
    AggregateRef,
    Binding,
    Constant,
    ConstantValue,
    DictValue,
    FunctionRef,
    MadeOfTriton,
    NamedTupleClass,
    NamedTupleValue,
    Namespace,
    Slice,
    SliceFunction,
    TorchDtype,
    TritonObject,
    Unresolved,
)
from kernel_analysis.source.tree.forms import chain

Callee = FunctionRef | TritonObject | NamedTupleClass | AggregateRef
"""What a call may lead to, where that is known."""

_PYTHON = frozenset(dir(builtins))


class Names(ABC):
    """``env``: what the names hold here."""

    slice: Slice

    def __init__(self, function: SliceFunction) -> None:
        self.function = function
        self.bindings = function.bindings
        self.env: dict[str, TextValue] = {}

    # What subclasses say.

    @abstractmethod
    def callable(self, callee: Callee) -> int:
        """The bit of a function."""

    @abstractmethod
    def anything(self) -> int:
        """The bit of what nobody knows: it may be a function that does anything."""

    @abstractmethod
    def varies(self, name: str) -> int:
        """Why what a global name stands for may be another, as ``dep``."""

    @abstractmethod
    def option(self, what: str) -> int:
        """``dep`` of something that is no parameter: the launch's options."""

    @abstractmethod
    def gated(self, value: TextValue, gate: Any) -> TextValue:
        """The value where it comes through a gate."""

    @abstractmethod
    def uncertain(self, value: TextValue, dep: int) -> TextValue:
        """The value where it depends on ``dep`` in a way that nothing records, whether it comes here."""

    @abstractmethod
    def ways(self, node: ast.AST, test: TextValue) -> tuple[Any, Any] | None:
        """The gates of the two ways that a test may go; None where nothing varies."""

    @abstractmethod
    def chosen(self, node: ast.AST, index: TextValue, count: int) -> list[Any] | None:
        """The gates of each item that an index may choose; None where nothing varies."""

    @abstractmethod
    def under(self, gate: Any, work: Callable[[], TextValue]) -> TextValue:
        """Evaluate what only happens behind a gate."""

    @abstractmethod
    def sometimes(self, dep: int, work: Callable[[], TextValue]) -> TextValue:
        """Evaluate what happens or not, which nothing records, depending on ``dep``."""

    @abstractmethod
    def expr(self, node: ast.expr) -> TextValue:
        """What an expression may hold."""

    @abstractmethod
    def call(self, node: ast.Call) -> TextValue:
        """What a call gives."""

    @abstractmethod
    def bind(self, target: ast.expr, value: TextValue) -> None:
        """Give a name a value."""

    def of_constants(self, flow: int) -> int:
        """What of it may be in a constant that is held with it: Python puts addresses into one, too."""
        return flow

    @abstractmethod
    def offsets(self, flow: int) -> int:
        """What was added to the addresses in it."""

    @abstractmethod
    def of_memory(self, flow: int) -> int:
        """What of it was loaded."""

    # What names are.

    def name(self, node: ast.Name) -> TextValue:
        found = self.env.get(node.id)
        return self.outside(node.id) if found is None else found

    def outside(self, name: str) -> TextValue:
        """A name that no statement has bound."""
        binding = self.bindings.get(name)
        if binding is None:
            if name in _PYTHON:
                return TextValue(self.callable(TritonObject(f"builtins.{name}")), sort=CONSTANT)
            return TextValue(self.anything())
        return self.alternative(self.bound(binding), self.varies(name), self.function.others.get(name))

    def alternative(self, value: TextValue, varies: int, others: tuple[Binding, ...] | None) -> TextValue:
        """What a name from outside holds that may stand for something else. ``others``: for what; None: anything."""
        if not varies:
            return value
        value = with_dep(value, varies)
        if others is None:
            return join(value, TextValue(self.anything(), varies))
        for other in others:
            # It was never compiled with these.
            value = join(value, self.uncertain(with_dep(self.bound(other), varies), varies))
        return value

    def bound(self, binding: Binding) -> TextValue:
        """What a binding of the slice holds."""
        if isinstance(binding, TritonObject):
            if _is_dtype(binding):
                return TextValue(const=binding, sort=BLOCK)
            return TextValue(self.callable(binding), const=binding, sort=CONSTANT)
        if isinstance(binding, (FunctionRef, NamedTupleClass)):
            return TextValue(self.callable(binding), sort=CONSTANT)
        if isinstance(binding, AggregateRef):
            return TextValue(self.callable(binding), const=binding, sort=CONSTANT)
        if isinstance(binding, Constant):
            return self.constant(binding.value)
        if isinstance(binding, Namespace):
            return TextValue(const=binding, sort=CONSTANT)
        return TextValue(self.anything())

    def constant(self, value: ConstantValue) -> TextValue:
        if isinstance(value, tuple):
            return tuple_of(map(self.constant, value))
        if isinstance(value, NamedTupleValue):
            return tuple_of(map(self.constant, value.values), fields=value.fields)
        if isinstance(value, (TritonObject, AggregateRef)):
            return self.bound(value)
        if isinstance(value, FunctionRef):
            return TextValue(self.callable(value), sort=CONSTANT)
        if isinstance(value, TorchDtype):
            return TextValue(const=PLAIN_TYPE, sort=BLOCK)
        if isinstance(value, DictValue):
            return NOTHING  # nothing in it is an address or a function
        if isinstance(value, MadeOfTriton):
            if value.path.endswith(".constexpr"):
                return self.constant(value.args[0])
            # A layout: two that are written in two ways may be one.
            return NOTHING
        return TextValue(const=value, pointer=value is None, sort=BLOCK)

    def static(self, node: ast.expr) -> Binding | None:
        """What a name or chain of attributes stands for outside of the function; None for anything else."""
        if isinstance(node, ast.Name):
            if node.id in self.env:
                return None
            found = self.bindings.get(node.id)
            if found is None and node.id in _PYTHON:
                return TritonObject(f"builtins.{node.id}")
            return found
        if isinstance(node, ast.Attribute):
            owner = self.static(node.value)
            return owner if isinstance(owner, Unresolved) else self._part(owner, node.attr)
        return None

    def _part(self, owner: Any, name: str) -> Binding | None:
        """What an attribute of a module, class or object of Triton's is; None of anything else."""
        if isinstance(owner, TritonObject):
            return _part_of(owner.path, name)
        if isinstance(owner, (Namespace, NamedTupleClass)):
            return owner.members.get(name, Unresolved("not in the slice"))
        if isinstance(owner, AggregateRef):
            return aggregate_fields.method(self.slice, owner, name) or Unresolved("not in the class")
        return None

    def root_varies(self, node: ast.expr) -> int:
        """Why what a chain of attributes stands for may be another."""
        root, _ = chain(node)
        return self.varies(root.id) if isinstance(root, ast.Name) else 0

    def others(self, node: ast.expr) -> tuple[Binding, ...] | None:
        """What else a name, or something in a module of that name, may stand for; None: anything."""
        root, path = chain(node)
        known = self.function.others.get(root.id) if isinstance(root, ast.Name) else None
        if known is None or not path:
            return known
        inner = [TritonObject(".".join((other.path, *path))) for other in known if isinstance(other, TritonObject)]
        return tuple(inner) if len(inner) == len(known) else None

    def attribute(self, node: ast.Attribute) -> TextValue:
        found = self.static(node)
        if found is not None:
            return self.alternative(self.bound(found), self.root_varies(node), self.others(node))
        owner = self.expr(node.value)
        return self.member(owner, node.attr)

    def member(self, owner: TextValue, name: str) -> TextValue:
        """An attribute of a value."""
        if owner.made is not None:
            # A constant may be a function, or have some in it.
            functions = self.anything()
            held = functions | self.of_constants(whole(owner))
            found = aggregate_fields.field(self.slice, owner, name, functions, held)
            if found is not None:
                return found
            method = aggregate_fields.method(self.slice, owner.made, name)
            if method is not None:
                return TextValue(whole(owner) | self.anything(), depends(owner))
        part = self._part(owner.const, name)
        if part is not None:
            return with_dep(self.bound(part), owner.dep)
        if owner.items is not None and name in owner.fields:
            item = owner.items[owner.fields.index(name)]
            return with_dep(item, owner.dep) if owner.dep else item
        if name in ABOUT and self.is_block(owner):
            # (The shape of a descriptor is of numbers that it was made with.)
            flow = self.offsets(whole(owner)) | self.of_memory(whole(owner)) if name == "shape" else 0
            return TextValue(flow, depends(owner), const=self._type(owner, name), sort=BLOCK)
        if name == "value" and owner.items is None:
            return owner
        dep = depends(owner)
        found = TextValue(whole(owner), dep, sort=max(CONSTANT, sort_of(owner)))
        if owner.items is None:
            return found
        # Which of the items it is, a launch decides that has the function compiled for a tuple with other names.
        dep |= self.option(f"which item `{name}` is")
        return self.uncertain(with_dep(found, dep), dep)

    def _type(self, owner: TextValue, name: str) -> Any:
        """How much is known of a value's type, or of a type's own."""
        of = owner.const
        if name == "element_ty":
            return PLAIN_TYPE if of is PLAIN_TYPE or of is SCALAR_TYPE else UNSEEN
        if name not in ("dtype", "type", "scalar"):
            return UNSEEN
        if of is DESCRIPTOR and name == "dtype":
            return PLAIN_TYPE
        if of is PLAIN_TYPE or of is not ANY_TYPE and of is not SCALAR_TYPE and not self.may_be_pointer(owner):
            return PLAIN_TYPE
        return ANY_TYPE if name == "type" else SCALAR_TYPE

    def is_block(self, value: TextValue) -> bool:
        """Whether it is certainly no tuple with names that might be those of a block's attributes."""
        return value.sort == BLOCK and value.items is None

    def may_be_called(self, value: TextValue) -> bool:
        """Whether an attribute of it may be a function, or a method of the user's."""
        return not self.is_block(value)

    @abstractmethod
    def may_be_pointer(self, value: TextValue) -> bool:
        """Whether the type of a value may be a pointer's."""


@lru_cache(maxsize=4096)
def _part_of(path: str, name: str) -> TritonObject:
    return TritonObject(f"{path}.{name}")


def _is_dtype(found: TritonObject) -> bool:
    return found.path.rpartition(".")[2] in DTYPES
