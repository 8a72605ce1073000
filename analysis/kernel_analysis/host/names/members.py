"""What an attribute of a module, a class or another value stands for, and where that is defined."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.evaluate.machine.hardware import MachineAnswer
from kernel_analysis.host.evaluate.machine.machine_answers import guessed
from kernel_analysis.host.evaluate.properties import changeable
from kernel_analysis.host.evaluate.values import (
    Definition,
    External,
    GuessedText,
    ModuleValue,
    RecordClass,
    Unknown,
    UserClass,
    Value,
)
from kernel_analysis.host.names.imports import circles, made_when_asked, search_path
from kernel_analysis.host.names.imports.packages import (
    CONSTANTS,
    external_member,
    opaque,
    torch_version,
    triton_version,
)
from kernel_analysis.source.slice import TritonObject

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module


def member(resolver: ResolverView, owner: Value, name: str, module: Module, node: ast.AST) -> Definition:
    """``owner.name``, with the place that defines it where that is in a file."""
    if isinstance(owner, TritonObject):
        if owner.path == "triton" and name == "__version__":
            version = triton_version(resolver)
            resolver.rests("triton.__version__")
            value = version or Unknown("The version of the installed Triton is not known.")
            return Definition(value, module, node)
        resolver.libraries.taken(owner, name, module)
        return Definition(TritonObject(f"{owner.path}.{name}"), module, node)
    if isinstance(owner, External):
        path = f"{owner.path}.{name}"
        resolver.libraries.taken(owner, name, module)
        known = resolver.project.hardware.attribute(path)
        if path in ("torch.__version__", "torch.version.__version__") and (version := torch_version(resolver)):
            known = MachineAnswer(version, "torch.__version__")
        if known is not None:
            resolver.rests(known.row)
            why = guessed(known.row)
            value = GuessedText(known.value, why) if why and isinstance(known.value, str) else known.value
            return Definition(value, module, node)
        if resolver.project.hardware.lacks(path):
            resolver.rests("torch.<other device>")
            return Definition(Unknown(f"`{owner.path}` has no `{name}` for this target.", missing=True), module, node)
        if path in CONSTANTS:
            resolver.rests("<constant of a library>")
        return Definition(external_member(owner.path, name), module, node)
    if isinstance(owner, ModuleValue):
        return _of_module(resolver, owner, name, module, node)
    if isinstance(owner, RecordClass) and owner.written is not None and name not in owner.fields:
        owner = owner.written
    if isinstance(owner, UserClass):
        inner = resolver.inner(owner.scope, owner.node)
        found = resolver.in_scope(inner, name, resolver.moment(inner))
        if found is not None:
            value = resolver.evaluator.attribute(owner, name)
            return Definition(value, found.module, found.node)
    return Definition(resolver.evaluator.attribute(owner, name), module, node)


def _of_module(resolver: ResolverView, owner: ModuleValue, name: str, module: Module, node: ast.AST) -> Definition:
    found: Definition | None = None
    if owner.file is not None:
        target = resolver.project.load(owner.file)
        resolver.read((owner.file,))
        found = resolver.in_scope(resolver.scope(target), name)
        if found is not None and not (isinstance(found.value, Unknown) and found.value.missing):
            circles.bound_before(resolver, module, target, name, changeable(found.value))
            return found
    dotted = f"{owner.name}{'' if owner.name.endswith('.') else '.'}{name}"
    located = resolver.project.locate(dotted, owner.importer)
    resolver.read(resolver.project.looked_for(dotted, owner.importer))
    if located is not None and opaque(dotted):
        search_path.note_doubt(resolver, dotted, owner.importer, None)
        return Definition(External(dotted), module, node)
    if located is not None:
        if located.file is not None:
            search_path.note_doubt(resolver, dotted, owner.importer, located.file)
        return Definition(ModuleValue(dotted, located.file, owner.importer), module, node)
    if found is not None:
        return found
    if owner.file is not None and (note := resolver.project.load(owner.file).note) is not None:
        return Definition(Unknown(f"`{owner.name}` may have `{name}`. {note}"), module, node)
    if owner.file is not None and resolver.project.load(owner.file).is_broken_name(name):
        return Definition(
            Unknown(f"`{name}` stands in a part of `{owner.name}` that has a syntax error."), module, node
        )
    if owner.file is not None and "__getattr__" in resolver.project.load(owner.file).table.events:
        return Definition(made_when_asked.given(resolver, owner, name, node), module, node)
    return Definition(Unknown(f"`{owner.name}` has no `{name}`.", missing=True), module, node)
