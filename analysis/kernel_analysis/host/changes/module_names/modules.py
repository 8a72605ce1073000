"""What takes the place of a module, or of a name of a package: ``sys.modules["config"] = other``, and a file of the
package that is called so, once something imports it.

Looks at files and syntax only; evaluates nothing.
"""

from __future__ import annotations

import ast
import os
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.stands_for.module_values import from_many, looked_up
from kernel_analysis.host.changes.text.text_patterns import may_set
from kernel_analysis.host.changes.uses import occurrences, sets_by_text
from kernel_analysis.host.evaluate.properties import SET_BY_NAME
from kernel_analysis.host.evaluate.values import ModuleValue, Scope, Value
from kernel_analysis.host.names.naming import Bound, meanings
from kernel_analysis.source.text_search.mentions import MODULE

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module


def instead(resolver: ResolverView, scope: Scope, name: str, value: Value) -> str | None:
    """Why a global of a module may be another's, in words."""
    if (part := _part(resolver, scope, name, value)) is not None:
        return f"`{name}` is `{resolver.project.relative(part)}` once that is imported"
    return _replaced(resolver, scope.module, value)


def _part(resolver: ResolverView, scope: Scope, name: str, value: Value) -> str | None:
    """The file of a package that importing binds the same name to. What the package imports before it binds the name is
    bound by then, once and for all."""
    module = scope.module
    folder, own = os.path.split(module.file)
    if own != "__init__.py" or isinstance(value, ModuleValue):
        return None
    files = (os.path.join(folder, f"{name}.py"), os.path.join(folder, name, "__init__.py"))
    part = next((file for file in files if resolver.project.exists(file)), None)
    lines = [event.node.lineno for event in scope.table.events.get(name, ()) if isinstance(event.node, ast.stmt)]
    if part is None or not lines or _imported_before(module, f"{module.name}.{name}", max(lines)):
        return None
    resolver.read((part,))
    return part


def _imported_before(module: Module, dotted: str, line: int) -> bool:
    """Whether a statement of the package's file that always runs imports that module of it."""
    for statement in module.tree.body:
        if statement.lineno > line:
            return False
        if isinstance(statement, ast.ImportFrom) and statement.level < 2 and statement.module:
            sources = [f"{module.name}." * statement.level + statement.module]
        else:
            sources = [alias.name for alias in statement.names] if isinstance(statement, ast.Import) else []
        if any(f"{source}.".startswith(f"{dotted}.") for source in sources):
            return True
    return False


def _replaced(resolver: ResolverView, module: Module, value: Value) -> str | None:
    """Where some file sets what ``import`` gives for a module, by a text that names it or the end of its path."""
    elsewhere, parts = resolver.project.elsewhere, module.name.split(".")
    own = module.file if "modules" in module.named else None
    if own in elsewhere.storing(None, f"{MODULE}__name__", False):
        return f"`{module.name}` puts another module in its place"
    if not isinstance(value, SET_BY_NAME) and (where := _of_another_class(resolver, module)) is not None:
        return f"`{module.name}` may look its names up otherwise, by {where}"
    for name in (".".join(parts[at:]) for at in range(len(parts))):
        for file in elsewhere.storing(None, f"{MODULE}{name}", False):
            resolver.read((file,))
            return f"`{module.name}` may be another module, by {resolver.project.relative(file)}"
    if (where := resolver.touches.computed_names.of_loaded(module)) is not None:
        return f"`{module.name}` may be another module, by {where}"
    return None


def _of_another_class(resolver: ResolverView, module: Module) -> str | None:
    """Where some file makes the module an object of another class."""
    project = resolver.project
    for file in project.elsewhere.storing(None, "__class__", False):
        if not project.says(file, may_set, "__class__"):
            continue
        other = project.load(file)
        for at in occurrences(other, "__class__"):
            node = at.chain[0]
            owner = node.value if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) else None
            owner = owner or sets_by_text(at)
            if not isinstance(owner, ast.expr):
                continue
            known = meanings(resolver, resolver.scope(other, at.around), owner)
            own = any(isinstance(one, ModuleValue) and one.file == module.file for one in known)
            if own or looked_up(owner) or any(isinstance(one, Bound) and from_many(one) for one in known):
                resolver.read((file,))
                return project.place(file, at.statement.lineno)
    return None
