"""Why an import may find another module than the one that is read: several of that name stand in the workspace, and
which comes first is up to ``sys.path``; or a package says itself where its modules are.

Reads texts and folders only.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.module_names import other_files
from kernel_analysis.host.evaluate.values import Items
from kernel_analysis.source.text_search.mentions import SEARCH_PATH

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView

_PATH = "__path__"
_FOLDERS = Items("list", ("",))
_HARMLESS = re.compile(
    r"[^\n;]*extend_path\(\s*__path__\s*,\s*__name__\s*\)|"
    r"(?:iter_modules|walk_packages)\([\w.\s=]*\b__path__|"
    r"__path__\s*\[\s*0\s*\](?!\s*=(?!=))"
)
"""What goes through a package's folders, takes the first, or adds those that others have of the same package: the
package's own stays in front."""
_OWN = re.compile(rf"(?<![.\w]){_PATH}\b")


def note_doubt(resolver: ResolverView, dotted: str, importer: str, file: str | None) -> None:
    """Notes why ``import dotted`` in the file ``importer`` may mean another module than the one in ``file``. (None:
    that one is not read.)"""
    if not resolver.value_alone and (why := _doubt(resolver, dotted, importer, file)) is not None:
        resolver.note(why)


def _doubt(resolver: ResolverView, dotted: str, importer: str, file: str | None) -> str | None:
    if not dotted.startswith("."):
        rivals = resolver.project.rivals(dotted.partition(".")[0], importer, file)
        if rivals.others and (rivals.of_importer or _set(resolver)):
            return f"`{dotted}` may be {resolver.project.relative(rivals.others[0])}, as the search path has it"
    return _elsewhere(resolver, dotted, file) if file is not None else None


def _set(resolver: ResolverView) -> bool:
    return bool(resolver.project.elsewhere.storing(None, SEARCH_PATH, False))


def _elsewhere(resolver: ResolverView, dotted: str, file: str) -> str | None:
    """Where a package that the module is in sets the folders of its modules."""
    if not resolver.project.elsewhere.storing(None, _PATH, False):
        return None
    inside = os.path.dirname(file)
    if os.path.basename(file) == "__init__.py":
        inside = os.path.dirname(inside)
    while resolver.project.exists(package := os.path.join(inside, "__init__.py")):
        resolver.read((package,))
        if resolver.project.says(package, _sets_own):
            return f"`{dotted}` may be in another folder, by {resolver.project.relative(package)}"
        module = resolver.project.load(package)
        why = resolver.touches.once(
            (package, _PATH), lambda module=module: other_files.changed(resolver, module, _PATH, _FOLDERS, by_name=True)
        )
        if why is not None:
            return why
        inside = os.path.dirname(inside)
    return None


def _sets_own(text: str) -> bool:
    return _PATH in text and _OWN.search(_HARMLESS.sub("", text)) is not None
