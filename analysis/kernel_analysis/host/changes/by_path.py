"""What may set a module's names by a text: ``patch("config.SAVE", True)``, ``put("config", "SAVE", True)`` with a
function that is not in sight, ``exec(text)`` in a file that has the module. A file that looks modules up and sets names
of them, neither of which is in sight, may set what it has the word of.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.glance import code, keys
from kernel_analysis.host.changes.handed_modules import DEFINED
from kernel_analysis.host.changes.uses import Occurrence, occurrences, places
from kernel_analysis.host.evaluate.properties import changeable
from kernel_analysis.host.evaluate.values import ConstexprFunction, External, Jit, TritonObject, Value
from kernel_analysis.host.names.naming import meaning
from kernel_analysis.source.forms import last_name
from kernel_analysis.source.mentions import ANY_OF_ANY, RUNS, TEXT, runs
from kernel_analysis.source.nodes import statements
from kernel_analysis.source.syntax import kept_with_trees

if TYPE_CHECKING:
    from kernel_analysis.host.names.resolve import Resolver
    from kernel_analysis.source.module import Module

_LOOK = frozenset({"import_module", "__import__", "resolve_name", "find_spec", "importorskip", "getLogger",
                   "get_logger", "attrgetter", "getattr", "hasattr", "print", "join", "startswith", "endswith",
                   "replace", "split", "format", "warn"})  # fmt: skip
"""What a function is called that looks something up by a text, or makes another of it."""
_NEAR = 600
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


def changed(resolver: Resolver, module: Module, name: str, value: Value) -> str | None:
    """Why a global of the module may be another, in words."""
    project, own = resolver.project, module.name.rpartition(".")[2]
    for file in project.elsewhere.storing(None, f"{TEXT}{own}.{name}", False):
        for at in occurrences(project.load(file), name):
            if _says(at, module, name) and not looks(resolver, project.load(file), at):
                return _told(resolver, name, file, at)
    for file in project.elsewhere.storing(None, f"{TEXT}{own}", False):
        text = project.text(file)
        if not _spells(text, module, name):
            continue
        for at in occurrences(project.load(file), own):
            if _says(at, module, None) and not looks(resolver, project.load(file), at) and _may_name(at, name):
                return _told(resolver, name, file, at)
    if isinstance(value, (*DEFINED, Jit, ConstexprFunction)):
        return None  # what is defined is set anew by its name, where at all
    for file in project.elsewhere.storing(None, ANY_OF_ANY, False):
        text = project.text(file)
        if file != module.file and (place := next(places(text, name), None)) is not None:
            resolver.read((file,))
            line = text.count("\n", 0, place) + 1
            return f"`{name}` may be set by a text in {project.relative(file)}:{line}"
    for file in project.elsewhere.storing(module, RUNS, False):
        if file == module.file or not _may_run(resolver, file) or (at := _run(project.load(file))) is None:
            continue
        modules, names = _brought(project.load(file))
        if (
            module.file in modules
            or changeable(value)
            and not names.isdisjoint([(module.file, name), (module.file, "*")])
        ):
            return _told(resolver, name, file, at)
    return None


def _spells(text: str, module: Module, name: str) -> bool:
    """Whether the end of the module's path stands in it as a string, and what may name that in it."""
    path = ".".join(module.name.split(".")[-2:])
    if path not in text:
        return False
    known = keys(text, name)
    for match in re.finditer(rf"""["'.]{re.escape(path)}["']""", text):
        near = text[match.end() : match.end() + _NEAR]
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


def looks(resolver: Resolver, other: Module, at: Occurrence) -> bool:
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


def _may_run(resolver: Resolver, file: str) -> bool:
    known = resolver.touches.running
    if file not in known:
        known[file] = runs(code(resolver.project.text(file)))
    return known[file]


@kept_with_trees(64)
def _run(other: Module) -> Occurrence | None:
    """Where a file runs a text that is not in sight, with its own names around it."""
    for word in ("exec", "eval"):
        for at in occurrences(other, word):
            node = at.chain[0]
            call = at.chain[1] if len(at.chain) > 1 else None
            if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") != "builtins":
                continue
            if not isinstance(node, (ast.Name, ast.Attribute)):
                continue
            if isinstance(call, ast.Call) and call.func is node and call.args:
                own_names = len(call.args) == 1 or isinstance(call.args[1], ast.Call)
                if isinstance(call.args[0], ast.Constant) or not own_names:
                    continue
            return at
    return None


@kept_with_trees(64)
def _brought(other: Module) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    """The files of the modules that a file's imports bind names to, and what they take of others by name."""
    project = other.project
    modules: set[str | None] = set()
    names: set[tuple[str, str]] = set()
    for node, _ in statements(other):
        if isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                ends = range(1, len(parts) + 1) if not alias.asname else (len(parts),)
                modules.update(project.find_module(".".join(parts[:end]), other.file) for end in ends)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            source = project.find_module(base, other.file)
            for alias in node.names:
                modules.add(project.find_module(f"{base}{'' if base.endswith('.') else '.'}{alias.name}", other.file))
                names.update([(source, alias.name)] if source is not None else ())
    return frozenset(file for file in modules if file is not None), frozenset(names)


def _told(resolver: Resolver, name: str, file: str, at: Occurrence) -> str:
    resolver.read((file,))
    line = getattr(at.chain[0], "lineno", at.statement.lineno)
    return f"`{name}` may be set by a text in {resolver.project.relative(file)}:{line}"
