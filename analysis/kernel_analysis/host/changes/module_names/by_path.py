"""What may set a module's names by a text: ``patch("config.SAVE", True)``, ``put("config", "SAVE", True)`` with a
function that is not in sight.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.text.text_patterns import keys
from kernel_analysis.host.changes.uses import Occurrence, occurrences, own_instance, sets_by_text
from kernel_analysis.host.evaluate.values import External, TritonObject, Value
from kernel_analysis.host.names.naming import Bound, meaning, meanings
from kernel_analysis.source.text_search.layout import around
from kernel_analysis.source.text_search.mentions import TEXT
from kernel_analysis.source.tree.forms import last_name

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_LOOK = frozenset({"import_module", "__import__", "resolve_name", "find_spec", "importorskip", "getLogger",
                   "get_logger", "attrgetter", "getattr", "hasattr", "print", "join", "startswith", "endswith",
                   "replace", "split", "format", "warn"})  # fmt: skip
"""What a function is called that looks something up by a text, or makes another of it."""
_DEEPEST = 4
_MODULES_THAT_LOOK = (
    "os.",
    "re.",
    "logging.",
    "warnings.",
    "inspect.",
    "importlib.",
    "pkgutil.",
    "typing.",
    "pathlib.",
)


def changed(resolver: ResolverView, module: Module, name: str, value: Value) -> str | None:
    """Why a global of the module may be another, in words."""
    project, own = resolver.project, module.name.rpartition(".")[2]
    for file in project.elsewhere.storing(None, f"{TEXT}{own}.{name}", False):
        for at in occurrences(project.load(file), name):
            if _says(at, module, name) and not looks(resolver, project.load(file), at):
                return _told(resolver, name, file, at)
    for file in project.elsewhere.storing(None, f"{TEXT}{own}.__dict__", False):
        for at in occurrences(project.load(file), "__dict__"):
            if _says(at, module, "__dict__") and not looks(resolver, project.load(file), at) and _may_name(at, name):
                return _told(resolver, name, file, at)
    for file in project.elsewhere.storing(None, f"{TEXT}{own}", False):
        if not project.says(file, _spells, ".".join(module.name.split(".")[-2:]), name):
            continue
        for at in occurrences(project.load(file), own):
            if _says(at, module, None) and not looks(resolver, project.load(file), at) and _may_name(at, name):
                return _told(resolver, name, file, at)
    return None


def _spells(text: str, path: str, name: str) -> bool:
    """Whether the end of a module's path stands in it as a string, and what may name that in it."""
    if path not in text:
        return False
    known = keys(text, name)
    for match in re.finditer(rf"""["'.]{re.escape(path)}["']""", text):
        near = text[match.end() : around(text, match.end())]
        if known or "**" in near or "." in path and near.lstrip()[:1] == ",":
            return True
    return False


def _says(at: Occurrence, module: Module, name: str | None) -> bool:
    """Whether a text is the path of the module, or of that name in it."""
    node = at.chain[0]
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    path, _, last = node.value.rpartition(".") if name is not None else (node.value, "", None)
    if last != name or not path:
        return False
    known, said = f".{module.name}", f".{path}"
    return (
        said == known or known.count(".") > 1 and said.count(".") > 1 and (known.endswith(said) or said.endswith(known))
    )


def given_to(at: Occurrence) -> ast.Call | None:
    """The call that has it among its arguments."""
    above = zip(at.chain, at.chain[1:], strict=False)
    return next((node for below, node in above if isinstance(node, ast.Call) and node.func is not below), None)


def looks(resolver: ResolverView, other: Module, at: Occurrence) -> bool:
    """Whether what is given the text is known to do no more than look something up."""
    call = given_to(at)
    if call is None:
        return isinstance(at.statement, ast.Expr) or "__all__" in {
            target.id for target in getattr(at.statement, "targets", ()) if isinstance(target, ast.Name)
        }
    last = last_name(call.func)
    if last in _LOOK:
        return True
    found = meaning(resolver, resolver.scope(other, at.around), call.func)
    return isinstance(found, TritonObject) or isinstance(found, External) and found.path.startswith(_MODULES_THAT_LOOK)


def may_be_set(resolver: ResolverView, other: Module, at: Occurrence, depth: int = 0) -> bool:
    """Whether a text goes to code that is not in sight and may set what it names. (What functions of the file set by
    what they are given is told where they do.)"""
    call = given_to(at)
    if call is None or looks(resolver, other, at):
        return False
    function = _in_sight(resolver, other, at, call.func)
    if sets_by_text(at) is not None or function is None or depth > _DEEPEST:
        return True
    names = [one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)]
    inner = (one for name in names for one in occurrences(other, name) if function in one.around)
    return any(isinstance(one.chain[0], ast.Name) and may_be_set(resolver, other, one, depth + 1) for one in inner)


def _in_sight(resolver: ResolverView, other: Module, at: Occurrence, called: ast.expr) -> ast.FunctionDef | None:
    """The function of that file that a call calls: by its name, or as a method of the object itself."""
    if isinstance(called, ast.Attribute) and own_instance(called.value, at):
        body = getattr(at.around[-2], "body", ())
        found = [one for one in body if isinstance(one, ast.FunctionDef) and one.name == called.attr]
    else:
        known = meanings(resolver, resolver.scope(other, at.around), called)
        here = all(isinstance(one, Bound) and one.scope.module is other for one in known)
        made = [one.event.node for one in known if isinstance(one, Bound)]
        found = [one for one in made if here and isinstance(one, ast.FunctionDef)]
        if len(found) != len(known):
            return None
    return found[0] if len(found) == 1 else None


def _may_name(at: Occurrence, name: str) -> bool:
    """Whether what has the path of a module may have that name with it, as a keyword or a text, or any: ``**names``."""
    call = given_to(at)
    for node in ast.walk(call or at.statement):
        if isinstance(node, ast.keyword) and node.arg in (name, None):
            return True
        if isinstance(node, ast.Constant) and node.value == name:
            return True
    dotted = "." in str(getattr(at.chain[0], "value", ""))
    rest = [] if call is None or not dotted else [*call.args, *(k.value for k in call.keywords)]
    return any(not isinstance(node, ast.Constant) for node in rest)


def _told(resolver: ResolverView, name: str, file: str, at: Occurrence) -> str:
    resolver.read((file,))
    line = getattr(at.chain[0], "lineno", at.statement.lineno)
    return f"`{name}` may be set by a text in {resolver.project.place(file, line)}"
