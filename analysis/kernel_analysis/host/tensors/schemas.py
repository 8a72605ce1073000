"""The torch ops that a file defines by a schema in words, `Library.define` and `torch.library.define`, with the
functions that are registered for them. Reads what is written out; defines nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.tensors.called import called
from kernel_analysis.host.tensors.placing import place
from kernel_analysis.record import record
from kernel_analysis.source.tree import nodes, parameters
from kernel_analysis.source.tree.scopes import FunctionNode

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_SAYS: Final = nodes.words("define", "impl", "register_kernel", "schema")
_SCHEMA: Final = re.compile(r"(?P<name>[\w.:]*)\s*\((?P<arguments>.*)\)\s*->.*", re.DOTALL)
_ARGUMENT: Final = re.compile(r"Tensor(?P<alias>\(\w+!?\))?(?:\[\d*\])?\??\s+(?P<name>\w+)")
_REGISTERS: Final = frozenset({"impl", "register_kernel"})


@record
class SchemaOp:
    """``function`` stands in ``module``, ``node``, the schema, in the file that was asked for. ``tensors``: its
    parameters that are one, ``mutates``: those that it says are written."""

    function: FunctionNode
    module: Module
    node: ast.Constant
    name: str
    tensors: list[str]
    mutates: frozenset[str]


def schema_ops(resolver: ResolverView, module: Module) -> Iterator[SchemaOp]:
    """Each function that a schema of the file speaks of, also one of another file, its parameters called as the schema
    calls them."""
    places = nodes.lines_with(module, _SAYS) if "Tensor" in module.text else []
    if not places:
        return
    calls = [call for call, _ in nodes.calls(module, places)]
    schemas: dict[str, ast.Constant] = {}
    several: set[str] = set()
    for call in calls:
        if _named(call) == "define":
            texts = [n for n in call.args[:2] if isinstance(n, ast.Constant) and isinstance(n.value, str)]
            if not texts or not _SCHEMA.fullmatch(str(texts[-1].value)):
                continue
            name = _short(str(texts[0].value).partition("(")[0])
            several |= {name} & schemas.keys()
            schemas[name] = texts[-1]
    for owner, function, name in _registered(resolver, module, calls, places):
        node = schemas.get(name)
        made = _op(owner, function, node, name) if node is not None and name not in several else None
        if made is not None:
            yield made
    for node, _ in nodes.statements_on(module, places):
        for decorator in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
            if (
                isinstance(decorator, ast.Call)
                and isinstance(node, ast.FunctionDef)
                and _named(decorator) == "custom_op"
            ):
                given = next((k.value for k in decorator.keywords if k.arg == "schema"), None)
                made = _op(module, node, given, node.name) if isinstance(given, ast.Constant) else None
                if made is not None:
                    yield made


def _registered(
    resolver: ResolverView, module: Module, calls: list[ast.Call], places: list[int]
) -> Iterator[tuple[Module, FunctionNode, str]]:
    """The functions that are registered for an op, with their file and its name."""
    for call in calls:
        name = _of(call)
        at = place(resolver, module, call) if name is not None else None
        for node in call.args[1:] if at is not None else ():
            found = called(at, node) if at is not None and isinstance(node, (ast.Name, ast.Attribute)) else None
            if found is not None and name is not None:
                yield *found, name
    for node, _ in nodes.statements_on(module, places):
        if isinstance(node, ast.FunctionDef) and len(node.decorator_list) == 1:
            decorator = node.decorator_list[0]
            name = _of(decorator) if isinstance(decorator, ast.Call) else None
            if name is not None:
                yield module, node, name


def _of(call: ast.Call) -> str | None:
    """The op that a registration is for: ``lib.impl("op", ...)``, ``torch.library.impl(lib, "op", ...)``."""
    given = call.args if _named(call) in _REGISTERS else []
    named = given[1] if len(given) > 1 and isinstance(given[0], ast.Name) else given[0] if given else None
    known = named.value if isinstance(named, ast.Constant) else None
    return _short(known) if isinstance(known, str) else None


def _named(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _short(name: str) -> str:
    return name.rpartition("::")[2].strip()


def _op(module: Module, function: FunctionNode, node: ast.Constant, name: str) -> SchemaOp | None:
    match = _SCHEMA.fullmatch(node.value) if isinstance(node.value, str) else None
    args = function.args
    if match is None or args.vararg or args.kwarg:
        return None
    own = [argument.arg for argument in parameters.single(args)]
    declared = [
        part.strip() for part in re.split(r",(?![^(\[]*[)\]])", match["arguments"]) if part.strip() not in ("", "*")
    ]
    if len(own) != len(declared):
        return None
    tensors: list[str] = []
    mutates: set[str] = set()
    for name_there, part in zip(own, declared, strict=True):
        tensor = _ARGUMENT.match(part)
        if tensor is not None and "[" not in part:
            tensors.append(name_there)
            mutates |= {name_there} if "!" in (tensor["alias"] or "") else set[str]()
    return SchemaOp(function, module, node, name, tensors, frozenset(mutates))
