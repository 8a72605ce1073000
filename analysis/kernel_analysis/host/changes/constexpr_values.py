"""Why a ``constexpr`` may hold another value than it is made with: something sets its ``value``, by whatever name, in a
file that has its module, or where it is handed to.

Evaluates nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernel_analysis.host.changes import handed_objects, stores_of_any
from kernel_analysis.host.changes.handed_objects import Shared
from kernel_analysis.source.mentions import ANY_NAME
from kernel_analysis.source.words import has_text, has_word

if TYPE_CHECKING:
    from kernel_analysis.host.changes.touches import Touches
    from kernel_analysis.source.module import Module

_VALUE = "value"


def changed(touches: Touches, module: Module, name: str) -> str | None:
    """Why one that the module makes, and that has this name there, may hold another."""
    resolver, project = touches.resolver, touches.resolver.project
    setting = {module.file, *project.elsewhere.storing(module, _VALUE, False)}
    computing = {module.file, *project.elsewhere.storing(module, ANY_NAME, False)}
    first, _, last = name.rpartition(".")
    for file in sorted({*setting, *computing, *project.elsewhere.having(module, module)}):
        if not (project.says(file, has_text, _VALUE) or project.says(file, stores_of_any.may_set_unspelled)):
            continue
        other = module if file == module.file else project.load(file)
        found = [*stores_of_any.by_name(resolver, other, (_VALUE,)), *stores_of_any.by_dict(resolver, other)]
        if file in computing and project.says(file, has_word, last):
            found += stores_of_any.unspelled(resolver, other)
        if found:
            resolver.read((file,))
            line = getattr(found[0].chain[0], "lineno", found[0].statement.lineno)
            return f"`{name}` may hold another value by what {project.relative(file)}:{line} sets"
    scope = resolver.scope(module)
    owner = first.partition(".")[0]
    return handed_objects.changed(touches, Shared(scope, last), (_VALUE,)) or (
        handed_objects.changed(touches, Shared(scope, owner), (last,)) if owner else None
    )
