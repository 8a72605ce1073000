"""Slice -> the objects that Triton's front end compiles: jit functions over given syntax trees, with given globals.

Nothing of the user's is imported, evaluated or executed: a jit function's Python body is an empty stub, its tree is
what compiles.
"""

# pyright: basic
from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import types
from collections import namedtuple
from typing import Any

from kernel_analysis.lowering import compat
from kernel_analysis.lowering.front.aggregate_classes import Aggregates, Unmade, module_name
from kernel_analysis.lowering.front.bare_definition import NO_TYPE_PARAMETERS, bare_definition
from kernel_analysis.lowering.front.constexpr import ConstexprCall
from kernel_analysis.lowering.front.default_values import evaluate_default
from kernel_analysis.lowering.front.kept_lists import KeptLists
from kernel_analysis.lowering.front.unresolved_names import Annotation, UnresolvedName
from kernel_analysis.lowering.gate import enum_members, gate
from kernel_analysis.lowering.gate.evaluation import evaluated
from kernel_analysis.lowering.gate.harmless import HarmlessFunction, NotEvaluable
from kernel_analysis.source import dtypes
from kernel_analysis.source.enum_constants import EnumNumber, EnumText
from kernel_analysis.source.slice import (
    JIT_OPTIONS,
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
    Slice,
    SliceFunction,
    TorchDtype,
    TritonObject,
    Unresolved,
)
from kernel_analysis.source.tree.syntax import is_constexpr


class OpaqueDtype(gate.Ours):
    """``torch.float16`` in a kernel: comparable, nothing more."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpaqueDtype) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"torch.{self.name}"


class DtypeInfo(gate.Ours):
    """``torch.finfo(torch.float32)`` in a kernel: its numbers."""

    def __init__(self, path: str, dtype: Any) -> None:
        self._path, self._dtype = path, dtype

    def says(self, name: str) -> bool:
        return self._known(name) is not None

    def _known(self, name: str) -> int | float | None:
        return dtypes.info(self._path, self._dtype.name, name) if isinstance(self._dtype, OpaqueDtype) else None

    def __getattr__(self, name: str) -> int | float:
        known = self._known(name)
        if known is None:
            raise AttributeError(f"{self._path}({self._dtype}) has no `{name}`")
        return known


class MadeConstexpr(gate.Ours, compat.ConstexprFunction):
    """What ``constexpr_function`` makes of one of Triton's functions."""


def _slice_function(base: type) -> type:
    class Compiled(gate.Ours, base):
        """A jit function of a slice: ``slice_index`` says which; ``source`` marks its errors; ``parse`` gives its
        tree."""

        slice_index: int
        tree: ast.Module

        def parse(self) -> ast.Module:
            return self.tree

        @property
        def cache_key(self) -> str:  # computing Triton's own would read every file again
            return f"slice-function-{self.slice_index}"

        def __hash__(self) -> int:
            return hash(self.slice_index)

        def __eq__(self, other: object) -> bool:
            return self is other

    # Triton's messages name the type.
    Compiled.__module__, Compiled.__qualname__ = base.__module__, base.__qualname__
    return Compiled


SliceJitFunction = _slice_function(compat.JITFunction)
SliceGluonFunction = _slice_function(compat.GluonJITFunction)


def file_name(index: int) -> str:
    """The file that locations of a slice function's operations carry."""
    return f"<{index}>"


class Built:
    """The Python objects of a slice. ``functions[i]`` belongs to ``slice.functions[i]``."""

    def __init__(self, slice: Slice) -> None:
        self.slice = slice
        self._globals: list[dict[str, Any]] = [{} for _ in slice.functions]
        self._tuples: dict[tuple[str, tuple[str, ...], int], type] = {}
        self.lists = KeptLists()
        self._aggregates = Aggregates(slice, self.value, UnresolvedName)
        names: set[str] = set()
        self.functions: list[Any] = []
        for index, function in enumerate(slice.functions):
            qualname, module = function.qualname, module_name(function.module)
            if f"{module}.{qualname}" in names:
                qualname = f"{qualname}_{index}"  # two definitions of one name must not share a compiled function
            names.add(f"{module}.{qualname}")
            self.functions.append(
                self._jit(index, function, qualname)
                if function.kind == "jit"
                else ConstexprCall(function, self._globals[index], self.lists)
            )
        for index, function in enumerate(slice.functions):
            for name, binding in function.bindings.items():
                made = self._bind(name, binding)
                if isinstance(made, UnresolvedName) and name in function.annotation_names:
                    made = Annotation()  # `x: torch.Tensor = ...`: what an annotation means is of no matter
                self._globals[index][name] = made
        for index, function in enumerate(slice.functions):
            self._set_defaults(index, function)

    def scope(self, index: int) -> dict[str, Any]:
        """The globals of a function."""
        return self._globals[index]

    def value(self, value: ConstantValue) -> Any:
        """A constant as Triton's front end takes it."""
        if isinstance(value, TritonObject):
            if value.path in ("torch.finfo", "torch.iinfo"):
                return HarmlessFunction(value.path, functools.partial(DtypeInfo, value.path))
            found = gate.resolve(value.path)
            return MadeConstexpr(found) if value.constexpr and isinstance(found, types.FunctionType) else found
        if isinstance(value, FunctionRef):
            return self.functions[value.index]
        if isinstance(value, AggregateRef):
            return self._aggregates.of(value.index)
        if isinstance(value, EnumText | EnumNumber):
            return enum_members.member(value)
        if isinstance(value, TorchDtype):
            return OpaqueDtype(value.name)
        if isinstance(value, MadeOfTriton):
            return self._made(value)
        if isinstance(value, NamedTupleValue):
            return self._tuple_class(value.class_name, value.fields, ())(*map(self.value, value.values))
        if isinstance(value, ListValue):
            return self.lists.made(map(self.value, value))
        if isinstance(value, DictValue):
            return self.lists.made_dict((self.value(key), self.value(item)) for key, item in value.pairs)
        if isinstance(value, tuple):
            return tuple(map(self.value, value))
        return value

    def _made(self, value: MadeOfTriton) -> Any:
        """Raises NotEvaluable where Triton refuses what its class is given."""
        made = gate.resolve(value.path)
        args = [self._listed(part) for part in value.args]
        try:
            return evaluated(made, *args, **{name: self._listed(part) for name, part in value.keywords})
        except (AssertionError, TypeError, ValueError, IndexError) as error:
            raise NotEvaluable(f"Triton makes no `{value!r}`: {error}") from None

    def _listed(self, value: ConstantValue) -> Any:
        return [*map(self._listed, value)] if isinstance(value, tuple) else self.value(value)

    def _bind(self, name: str, binding: Binding) -> Any:
        try:
            if isinstance(binding, Constant):
                value = self.value(binding.value)
                return compat.tl.constexpr(value) if binding.constexpr else value
            if isinstance(binding, TritonObject | FunctionRef | AggregateRef):
                return self.value(binding)
            if isinstance(binding, Namespace):
                module = gate.SliceModule(binding.name)
                for member, inner in binding.members.items():
                    setattr(module, member, self._bind(member, inner))
                return module
            if isinstance(binding, NamedTupleClass):
                defaults = tuple(map(self.value, binding.defaults))
                made = self._tuple_class(binding.name, binding.fields, defaults)
                return self._with_members(made, binding.members) if binding.members else made
        except AttributeError as error:
            return UnresolvedName(name, str(error))
        except Unmade as error:
            return UnresolvedName(name, f"`{name}` {error.why}.")
        except NotEvaluable as error:
            return gate.RefusedGlobal(str(error))
        assert isinstance(binding, Unresolved)
        return UnresolvedName(name, binding.reason, binding.wrong)

    def named(self, names: tuple[str, ...]) -> type:
        """A class of named tuples for a parameter."""
        return self._tuple_class("Fields", names, ())

    def _tuple_class(self, name: str, fields: tuple[str, ...], defaults: tuple[Any, ...]) -> type:
        key = (name, fields, len(defaults))
        if key not in self._tuples:
            self._tuples[key] = gate.admit_class(namedtuple(name, fields, defaults=defaults))
        return self._tuples[key]

    def _with_members(self, base: type, members: dict[str, Binding]) -> type:
        """A class of named tuples with what its statement holds besides the fields."""
        made = gate.admit_class(type(base.__name__, (base,), {"__slots__": ()}))
        for member, inner in members.items():
            if not member.startswith("__") and not hasattr(base, member):
                setattr(made, member, self._bind(member, inner))
        return made

    def _jit(self, index: int, function: SliceFunction, qualname: str) -> Any:
        options = {name: self.value(value) for name, value in function.options.items() if name in JIT_OPTIONS}
        stub = _stub(function.node, file_name(index), self._globals[index])
        stub.__module__, stub.__qualname__ = module_name(function.module), qualname
        base = SliceGluonFunction if function.gluon else SliceJitFunction
        with _given_source(stub.__name__):
            jit = base(stub, **options)
        jit.slice_index = index
        jit.tree = ast.Module(body=[bare_definition(function)], type_ignores=[])
        jit._src = file_name(index)  # errors carry the source text: ours says whose it is
        jit.file_name, jit.def_file_line_number, jit.def_file_col_number = file_name(index), 1, 1
        return jit

    def _set_defaults(self, index: int, function: SliceFunction) -> None:
        """Give calls of a helper its defaults. Evaluated safely, as nothing else of the user's may be."""
        if function.kind != "jit":
            return
        arguments = function.node.args
        positional = arguments.posonlyargs + arguments.args
        pairs = list(zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True))
        pairs += [(a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None]
        jit = self.functions[index]
        values = {a.arg: evaluate_default(default, self._globals[index], a.arg) for a, default in pairs}
        stub = jit.fn
        stub.__defaults__ = tuple(values[a.arg] for a in positional if a.arg in values) or None
        stub.__kwdefaults__ = {a.arg: values[a.arg] for a in arguments.kwonlyargs if a.arg in values} or None
        jit.signature = inspect.signature(stub)


@contextlib.contextmanager
def _given_source(name: str):
    """While a ``JITFunction`` is made, which gets its tree later, ``inspect`` finds this; Triton keeps none of ours."""
    original, count = inspect.getsourcelines, len(compat.made_functions)
    inspect.getsourcelines = lambda _: ([f"def {name}():\n"], 1)
    try:
        yield
    finally:
        inspect.getsourcelines = original
        while len(compat.made_functions) > count:
            compat.made_functions.popitem()


def _stub(node: ast.FunctionDef, file: str, scope: dict[str, Any]) -> Any:
    """An empty Python function with the parameters of ``node``, closed over ``scope``; defaults are placeholders."""
    arguments = node.args
    made = _empty(
        node.name,
        tuple(a.arg for a in arguments.posonlyargs + arguments.args),
        len(arguments.defaults),
        arguments.vararg.arg if arguments.vararg else None,
        tuple((a.arg, d is not None) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)),
        arguments.kwarg.arg if arguments.kwarg else None,
        file,
    )
    stub = types.FunctionType(made.__code__, scope, node.name, made.__defaults__)
    stub.__kwdefaults__ = made.__kwdefaults__
    stub.__annotations__ = {
        a.arg: "constexpr"
        for a in arguments.posonlyargs + arguments.args + arguments.kwonlyargs
        if a.annotation is not None and is_constexpr(a.annotation)
    }
    return stub


@functools.lru_cache(maxsize=1024)
def _empty(
    name: str,
    positional: tuple[str, ...],
    defaults: int,
    vararg: str | None,
    keywords: tuple[tuple[str, bool], ...],
    kwarg: str | None,
    file: str,
) -> Any:
    """The stub's code: the names of the user's parameters, and no expression of theirs. Made once for all edits of a
    body."""
    clean = ast.arguments(
        posonlyargs=[],
        args=[ast.arg(parameter) for parameter in positional],
        vararg=ast.arg(vararg) if vararg else None,
        kwonlyargs=[ast.arg(keyword) for keyword, _ in keywords],
        kw_defaults=[ast.Constant(None) if has_default else None for _, has_default in keywords],
        kwarg=ast.arg(kwarg) if kwarg else None,
        defaults=[ast.Constant(None) for _ in range(defaults)],
    )
    definition = ast.FunctionDef(name=name, args=clean, body=[ast.Pass()], decorator_list=[], **NO_TYPE_PARAMETERS)
    module = ast.fix_missing_locations(ast.Module(body=[definition], type_ignores=[]))
    holder: dict[str, Any] = {}
    exec(compile(module, file, "exec"), holder)
    return holder[name]
