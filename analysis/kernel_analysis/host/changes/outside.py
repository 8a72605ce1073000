"""Stores into a file's names by other files of the workspace: ``config.SAVE = True``, ``from config import TABLE`` and
a change of it, a test that patches.

Which files may do that the workspace's index says; they are read, never imported.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.changes import callees
from kernel_analysis.host.changes.glance import may_hold, may_rename, may_set
from kernel_analysis.host.changes.uses import Occurrence, occurrences, own_instance, relevant, sets_by_text, use
from kernel_analysis.host.evaluate.properties import changeable
from kernel_analysis.host.evaluate.values import External, ModuleValue, Scope, TritonObject, Value
from kernel_analysis.host.names.naming import Bound, meaning
from kernel_analysis.source.nodes import statements

if TYPE_CHECKING:
    from kernel_analysis.host.names.resolve import Resolver
    from kernel_analysis.source.module import Module


def changed(resolver: Resolver, module: Module, name: str, value: Value, attribute: str | None = None) -> str | None:
    """Why a global of the module may be another than ``value``, in words; ``attribute``: that of the class that it
    is."""
    project = resolver.project
    contents = changeable(value) or attribute is not None
    for file in project.elsewhere.storing(module, attribute or name, contents):
        if not changeable(value) and not _at_a_glance(project.text(file), name, attribute):
            continue
        other = project.load(file)
        names = _called(other, name) if attribute is None else (attribute,)
        for at in (at for word in names for at in occurrences(other, word)):
            line = getattr(at.chain[0], "lineno", 0)
            if _stores(resolver, module, other, at, name, value, attribute):
                resolver.read((file,))
                return f"`{name}` may be changed by {project.relative(file)}:{line}"
        for at in occurrences(other, name) if attribute is not None else ():
            if _hands_on(resolver, module, other, at, name):
                resolver.read((file,))
                return f"`{name}` may be changed by {project.relative(file)}"
    return None


def _at_a_glance(text: str, name: str, attribute: str | None) -> bool:
    """Whether the text of a file needs a closer look for what it does with a value that has nothing to change in it."""
    if attribute is not None:
        return may_set(text, attribute) or may_hold(text, name)
    return may_rename(text, name) or may_set(text, name)


def _called(other: Module, name: str) -> tuple[str, ...]:
    """The names by which a file has what another calls ``name``."""
    if f"{name} as" not in other.text:
        return (name,)
    imports = (statement for statement, _ in statements(other) if isinstance(statement, ast.ImportFrom))
    aliases = (alias.asname for node in imports for alias in node.names if alias.name == name and alias.asname)
    return (name, *dict.fromkeys(aliases))


def _stores(
    resolver: Resolver, module: Module, other: Module, at: Occurrence, name: str, value: Value, attribute: str | None
) -> bool:
    contents = changeable(value)
    node, scope = at.chain[0], resolver.scope(other, at.around)
    owner: ast.expr | str | None = None
    if isinstance(node, ast.Attribute):
        made = use(at, callees.judge(resolver, scope))
        if made is not None and (not isinstance(node.ctx, ast.Load) or contents and relevant(made, value)):
            owner = node.value
    elif isinstance(node, ast.Name):
        if contents and attribute is None and not isinstance(at.statement, (ast.Import, ast.ImportFrom)):
            made = use(at, callees.judge(resolver, scope))
            return made is not None and relevant(made, value) and _means(resolver, scope, node, module)
        return False
    else:
        owner = sets_by_text(at)
    if owner is None:
        return False
    if isinstance(owner, str):
        return owner.rpartition(".")[2] in (module.name.rpartition(".")[2], name)
    found = meaning(resolver, scope, owner)
    if isinstance(found, ModuleValue):
        return found.file == module.file and attribute is None
    if isinstance(found, (External, TritonObject)):
        return False
    if isinstance(found, Bound) and isinstance(found.event.node, ast.ClassDef):
        return attribute is not None
    if attribute is not None:
        return not own_instance(owner, at)
    # An object that is not known here: the module, if it is looked up by a text, or part of a package that is.
    by_text = "sys.modules" in other.text or "import_module" in other.text
    return by_text or isinstance(owner, ast.Attribute) and owner.attr == module.name.rpartition(".")[2]


def _means(resolver: Resolver, scope: Scope, node: ast.Name, module: Module) -> bool:
    """Whether a name is, or may be, one that the module has."""
    found = meaning(resolver, scope, node)
    return found is None or isinstance(found, Bound) and found.scope.module is module


def _hands_on(resolver: Resolver, module: Module, other: Module, at: Occurrence, name: str) -> bool:
    """Whether a class is given to code that may change it."""
    if not isinstance(at.chain[0], ast.Name):
        return False
    scope = resolver.scope(other, at.around)
    made = use(at, callees.judge(resolver, scope))
    if made is None or made.kind not in ("held", "store") or made.first is not None:
        return False
    return _means(resolver, scope, at.chain[0], module)
