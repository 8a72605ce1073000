"""A slice as the text of a module that needs torch and triton alone: what a run executes, and what "Copy as script"
writes. None of the user's modules is imported by it. Executes nothing itself."""

from __future__ import annotations

import ast
import builtins
import importlib.util
import math
import textwrap
from collections.abc import Mapping
from typing import Any

from kernel_analysis.kernels.project import Project
from kernel_analysis.source.parsing.parse import whole
from kernel_analysis.source.slice import (
    JIT_OPTIONS,
    AggregateField,
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


class Rendered:
    """``text``: the module; ``entry``: the kernel's name in it; ``expression`` writes a constant for use after it."""

    def __init__(self, project: Project, slice_: Slice) -> None:
        self._project, self._slice = project, slice_
        self._imports: dict[str, None] = {"import torch": None, "import triton": None}
        self._before: dict[str, str] = {}
        self._after: dict[str, str] = {}
        self._functions = _unique([function.name for function in slice_.functions])
        self._taken: dict[str, str] = dict.fromkeys(self._functions, "")
        self.entry = self._functions[0]
        self._verbatim: dict[int, bool] = {}
        self._aggregates: dict[int, str] = {}
        self._bodies = [self._function(index, function) for index, function in enumerate(slice_.functions)]

    @property
    def head(self) -> list[str]:
        """The imports, and what the functions need before them."""
        imports = sorted(self._imports, key=lambda line: (line.startswith("from"), line))
        return [*imports, *(["", *self._before.values()] if self._before else [])]

    @property
    def text(self) -> str:
        return "\n".join(["from __future__ import annotations", "", *self.head, *self.body]) + "\n"

    @property
    def body(self) -> list[str]:
        """The functions, helpers first, and what refers to them."""
        order = [*range(1, len(self._bodies)), 0]
        parts = [part for index in order for part in ("", "", *self._bodies[index].split("\n"))]
        return [*parts, *(["", "", *"\n".join(self._after.values()).split("\n")] if self._after else [])]

    def places(self, text: str) -> list[tuple[int, int, str, int]]:
        """Where in a module with this text a function's own lines stand: the first, how many, and whence they are."""
        lines = text.split("\n")
        out: list[tuple[int, int, str, int]] = []
        for index, function in enumerate(self._slice.functions):
            source = self._bodies[index].split("\n")[1:]
            if self._verbatim.get(index) and source[0] in lines:
                out.append((lines.index(source[0]) + 1, len(source), function.file, function.node.lineno))
        return out

    def expression(self, value: ConstantValue) -> str:
        """A constant as Python."""
        if isinstance(value, bool) or value is None or isinstance(value, str | int):
            return repr(value)
        if isinstance(value, float):
            return repr(value) if math.isfinite(value) else f'float("{value}")'
        if isinstance(value, TritonObject):
            return self._path(value.path)
        if isinstance(value, FunctionRef):
            return self._functions[value.index]
        if isinstance(value, AggregateRef):
            return self._aggregate(value.index)
        if isinstance(value, TorchDtype):
            return f"torch.{value.name}"
        if isinstance(value, MadeOfTriton):
            args = [*map(self._listed, value.args), *(f"{name}={self._listed(v)}" for name, v in value.keywords)]
            return f"{self._path(value.path)}({', '.join(args)})"
        if isinstance(value, NamedTupleValue):
            self._class(value.class_name, NamedTupleClass(value.class_name, value.fields, ()))
            return f"{value.class_name}({', '.join(map(self.expression, value.values))})"
        if isinstance(value, DictValue):
            return f"{{{', '.join(f'{self.expression(key)}: {self.expression(item)}' for key, item in value.pairs)}}}"
        items = "".join(f"{self.expression(item)}, " for item in value)
        return f"[{items}]" if isinstance(value, ListValue) else f"({items})"

    def _listed(self, value: ConstantValue) -> str:
        return f"[{', '.join(map(self._listed, value))}]" if isinstance(value, tuple) else self.expression(value)

    def _path(self, path: str) -> str:
        if path.startswith("builtins."):
            return path.partition(".")[2]
        self._imports[f"import {_module_of(path)}"] = None
        return path

    def _function(self, index: int, function: SliceFunction) -> str:
        names: dict[str, str] = {}
        for name, binding in function.bindings.items():
            given = self._bind(name, binding)
            if given != name:
                names[name] = given
        if self._functions[index] != function.name:
            names[function.name] = self._functions[index]
        head = self._decorator(function)
        source, verbatim = self._source(function, names, self._functions[index])
        self._verbatim[index] = verbatim
        return f"{head}\n{source}"

    def _decorator(self, function: SliceFunction) -> str:
        if function.kind == "function":
            return ""
        if function.kind == "constexpr_function":
            return "@triton.constexpr_function"
        given = {name: value for name, value in function.options.items() if name in JIT_OPTIONS}
        options = ", ".join(f"{name}={self.expression(value)}" for name, value in given.items())
        jit = "triton.jit"
        if function.gluon:
            self._imports["from triton.experimental import gluon"] = None
            jit = "gluon.jit"
        return f"@{jit}({options})" if options else f"@{jit}"

    def _source(self, function: SliceFunction, names: Mapping[str, str], name: str) -> tuple[str, bool]:
        """The function as the user wrote it; made anew from its tree where names have to change."""
        node = function.node
        fields: dict[str, Any] = {name: getattr(node, name, None) for name in node._fields} | {"decorator_list": []}
        bare = ast.FunctionDef(**fields)
        lost = self._lost_defaults(function)
        if not names and not lost:
            lines = self._project.load(function.file).lines[node.lineno - 1 : node.end_lineno]
            text = textwrap.dedent("\n".join(line.rstrip("\n") for line in lines))
            if _reads_as(text, bare):
                return text.rstrip(), True
        copy = ast.parse(ast.unparse(ast.fix_missing_locations(ast.copy_location(bare, node)))).body[0]
        assert isinstance(copy, ast.FunctionDef)
        copy.name = name
        for position in lost:
            copy.args.defaults[position] = ast.Constant(None)
        return ast.unparse(_Renamed(names).visit(copy)), False

    @staticmethod
    def _lost_defaults(function: SliceFunction) -> list[int]:
        """Defaults that can't be written, because something in them is not known without running code. A launch gives
        every parameter."""
        bound = {name for name, binding in function.bindings.items() if not isinstance(binding, Unresolved)}
        bound |= set(dir(builtins))
        return [
            position
            for position, default in enumerate(function.node.args.defaults)
            if any(isinstance(node, ast.Name) and node.id not in bound for node in ast.walk(default))
        ]

    def _bind(self, name: str, binding: Binding) -> str:
        """Writes what a global is; gives the name that it has in the module."""
        if isinstance(binding, Unresolved):
            return name  # only code that no launch reaches uses it, or an annotation
        if isinstance(binding, FunctionRef):
            target = self._functions[binding.index]
            return name if target == name else self._define(name, f"{name} = {target}", self._after)
        if isinstance(binding, AggregateRef):
            target = self._aggregate(binding.index)
            return name if target == name else self._define(name, f"{name} = {target}", self._after)
        if isinstance(binding, NamedTupleClass):
            return self._class(name, binding)
        if isinstance(binding, Namespace):
            lines = [f'{name} = types.ModuleType("{name}")']
            self._imports["import types"] = None
            for member, inner in binding.members.items():
                made = self._member(inner)
                if made is not None:
                    lines.append(f"{name}.{member} = {made}")
            return self._define(name, "\n".join(lines), self._after)
        if isinstance(binding, TritonObject):
            if binding.path == f"builtins.{name}":
                return name
            module = _module_of(binding.path)
            if module == binding.path:
                text = f"import {module}" if module == name else f"import {module} as {name}"
            else:
                parent, _, last = binding.path.rpartition(".")
                if parent != module:
                    return self._define(name, f"{name} = {self._path(binding.path)}", self._before)
                text = f"from {parent} import {last}" + (f" as {name}" if last != name else "")
            if self._taken.setdefault(name, text) == text:
                self._imports[text] = None
                return name
            return self._define(name, f"{name} = {self._path(binding.path)}", self._before)
        value = self.expression(binding.value)
        where = self._after if _has_function(binding.value) else self._before
        if binding.constexpr:
            value = f"{self._path('triton.language.constexpr')}({value})"
        return self._define(name, f"{name} = {value}", where)

    def _member(self, binding: Binding) -> str | None:
        if isinstance(binding, Constant):
            value = self.expression(binding.value)
            return f"{self._path('triton.language.constexpr')}({value})" if binding.constexpr else value
        if isinstance(binding, TritonObject | FunctionRef | AggregateRef):
            return self.expression(binding)
        if isinstance(binding, Namespace | NamedTupleClass):
            return self._bind(binding.name, binding)
        return None

    def _class(self, name: str, binding: NamedTupleClass) -> str:
        self._imports["import collections"] = None
        defaults = ", ".join(map(self.expression, binding.defaults))
        defaults = f"({defaults},)" if defaults else "()"
        made = f'collections.namedtuple("{binding.name}", {list(binding.fields)}, defaults={defaults})'
        lines = [f"{name} = {made}"]
        for member, inner in binding.members.items():
            text = self._member(inner)
            if text is not None:
                lines.append(f"{name}.{member} = {text}")
        return self._define(name, "\n".join(lines), self._after if len(lines) > 1 else self._before)

    def _aggregate(self, index: int) -> str:
        """An aggregate, made behind the functions that are its methods."""
        known = self._aggregates.get(index)
        if known is not None:
            return known
        wanted = self._slice.aggregates[index]
        name = wanted.qualname.rpartition(".")[2]
        self._aggregates[index] = name  # a default that leads back to the class has none
        bases = "".join(f"{self._aggregate(base.index)}, " for base in wanted.bases)
        kinds = ", ".join(f'"{field.name}": {self._kind(field)}' for field in wanted.fields)
        members = ['"__module__": __name__', f'"__annotations__": {{{kinds}}}']
        for field in wanted.fields:
            if field.optional and not isinstance(field.default, Unresolved):
                members.append(f'"{field.name}": {self.expression(field.default)}')
        for member, method in wanted.methods.items():
            if isinstance(method, FunctionRef):
                members.append(f'"{member}": {self.expression(method)}')
        decorator = self._path("triton.language.core._aggregate")
        made = f'{name} = {decorator}(type("{name}", ({bases}), {{{", ".join(members)}}}))'
        self._aggregates[index] = self._define(name, made, self._after)
        return self._aggregates[index]

    def _kind(self, field: AggregateField) -> str:
        kinds = [
            self._aggregate(k.index) if isinstance(k, AggregateRef) else self.expression(k) for k in field.kinds or ()
        ]
        return " | ".join(kinds) or "object"

    def _define(self, name: str, text: str, where: dict[str, str]) -> str:
        """Two functions may mean different things by one name: the second gets another."""
        given, number = name, 1
        while True:
            made = (
                text
                if given == name
                else text.replace(name, given, 1)
                if "\n" not in text
                else _renamed(text, name, given)
            )
            if self._taken.setdefault(given, made) == made:
                where[given] = made
                return given
            number += 1
            given = f"{name}_{number}"


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._names.get(node.id, node.id)
        return node


def _renamed(text: str, name: str, given: str) -> str:
    return "\n".join(given + line.removeprefix(name) for line in text.split("\n"))


def _unique(names: list[str]) -> list[str]:
    out: list[str] = []
    for name in names:
        given, number = name, 1
        while given in out:
            number += 1
            given = f"{name}_{number}"
        out.append(given)
    return out


def _has_function(value: ConstantValue) -> bool:
    return isinstance(value, FunctionRef | AggregateRef) or (
        isinstance(value, tuple) and any(map(_has_function, value))
    )


def _module_of(path: str) -> str:
    """The longest part of a path that is a module."""
    parts = path.split(".")
    if parts[0] == "torch":  # finding a part of it would import all of it
        return "torch"
    for length in range(len(parts), 1, -1):
        name = ".".join(parts[:length])
        try:
            if importlib.util.find_spec(name) is not None:
                return name
        except ModuleNotFoundError:
            continue
    return parts[0]


def _reads_as(text: str, node: ast.FunctionDef) -> bool:
    tree = whole(text)
    parsed = [] if tree is None else tree.body
    return len(parsed) == 1 and ast.dump(parsed[0]) == ast.dump(node)
