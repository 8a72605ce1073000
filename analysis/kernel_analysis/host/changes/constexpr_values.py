"""Why a ``constexpr`` may hold another value than it is made with: something sets its ``value``, by whatever name.

Syntax, and what the owner of an attribute is; evaluates nothing. A store counts unless what it goes to can be no
``constexpr``.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernel_analysis.host.changes import callees
from kernel_analysis.host.changes.uses import Occurrence, occurrences, own_instance, sets_by_text, use
from kernel_analysis.host.evaluate.values import External, ModuleValue, TritonObject
from kernel_analysis.host.names.naming import binding, meaning
from kernel_analysis.source.mentions import ANY_NAME
from kernel_analysis.source.words import has_text, has_word

if TYPE_CHECKING:
    from kernel_analysis.host.evaluate.values import Scope
    from kernel_analysis.host.names.resolve import Resolver
    from kernel_analysis.source.module import Module

_VALUE = "value"
_GIVE_MODULES = frozenset({"importlib.import_module", "importlib.util.module_from_spec", "types.ModuleType"})
"""What gives a module, whichever."""
_DEEPEST = 4
_DICTS = ("vars", "__dict__")
"""By these the attributes of something are a dict, where they have other names or none that is spelled."""


def changed(resolver: Resolver, module: Module, name: str) -> str | None:
    """Why one that the module makes, and that has this name there, may hold another."""
    project = resolver.project
    setting = {module.file, *project.elsewhere.storing(module, _VALUE, False)}
    computing = {module.file, *project.elsewhere.storing(module, ANY_NAME, False)}
    last = name.rpartition(".")[2]
    for file in sorted({*setting, *computing, *project.elsewhere.having(module, module)}):
        words = [word for word in _DICTS if project.says(file, has_text, word)]
        sets_any = file in computing and project.says(file, has_text, "setattr")
        if not (words or sets_any or project.says(file, has_text, _VALUE)):
            continue
        other = module if file == module.file else project.load(file)
        found = [at for at in occurrences(other, _VALUE) if _sets(resolver, other, at)]
        if file in computing and project.says(file, has_word, last):
            found += [at for at in occurrences(other, "setattr") if _sets_any(at)]
        found += [at for word in words for at in occurrences(other, word) if _changes_dict(resolver, other, at)]
        if found:
            resolver.read((file,))
            line = getattr(found[0].chain[0], "lineno", found[0].statement.lineno)
            return f"`{name}` may hold another value by what {project.relative(file)}:{line} sets"
    return None


def _sets(resolver: Resolver, module: Module, at: Occurrence) -> bool:
    node = at.chain[0]
    if isinstance(node, ast.Attribute):
        if isinstance(node.ctx, ast.Load) or own_instance(node.value, at):
            return False
        owner = meaning(resolver, resolver.scope(module, at.around), node.value)
        return not isinstance(owner, ModuleValue | External | TritonObject)
    owner = sets_by_text(at)
    return owner is not None and (isinstance(owner, str) or not own_instance(owner, at))


def _sets_any(at: Occurrence) -> bool:
    """Whether ``setattr`` stands there with a name that is not in sight, or is handed on."""
    if isinstance(at.statement, ast.Import | ast.ImportFrom) or len(at.chain) < 2:
        return False
    called, call = at.chain[:2]
    if not isinstance(call, ast.Call) or call.func is not called or len(call.args) < 2:
        return True
    return not isinstance(call.args[1], ast.Constant) and not own_instance(call.args[0], at)


def _changes_dict(resolver: Resolver, module: Module, at: Occurrence) -> bool:
    """Whether the dict of what may be one is changed, or handed on as it is."""
    node, *above = at.chain
    if isinstance(node, ast.Attribute):
        owner, whole = node.value, at
    elif isinstance(node, ast.Name) and above and isinstance(above[0], ast.Call) and above[0].args:
        owner, whole = above[0].args[0], Occurrence(at.chain[1:], at.statement, at.around)
    else:
        return False
    scope = resolver.scope(module, at.around)
    if own_instance(owner, at) or _is_module(resolver, scope, owner):
        return False
    made = use(whole, callees.judge(resolver, scope))
    return made is not None and made.kind != "part"


def _is_module(resolver: Resolver, scope: Scope, node: ast.expr | None, depth: int = 0) -> bool:
    """Whether all that an expression may be is a module or of a library, so no ``constexpr`` of the project's."""
    if node is None or depth > _DEEPEST:
        return False
    if isinstance(node, ast.IfExp):
        return all(_is_module(resolver, scope, part, depth + 1) for part in (node.body, node.orelse))
    if isinstance(node, ast.Call):
        made = meaning(resolver, scope, node.func)
        return isinstance(made, External) and made.path in _GIVE_MODULES
    if isinstance(node, ast.Subscript):
        table = meaning(resolver, scope, node.value)
        return isinstance(table, External) and table.path == "sys.modules"
    if isinstance(meaning(resolver, scope, node), ModuleValue | External | TritonObject):
        return True
    if not isinstance(node, ast.Name) or node.id in scope.module.reassigned:
        return False
    where, events = binding(scope, node.id) or (scope, [])
    kept = [event for event in events if event.how != "delete"]
    return bool(kept) and all(
        event.how == "import"
        or isinstance(event.node, ast.Assign | ast.AnnAssign)
        and event.how in ("assign", "opaque")
        and not event.path
        and _is_module(resolver, where, event.value, depth + 1)
        for event in kept
    )
