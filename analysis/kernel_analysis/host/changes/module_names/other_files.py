"""Stores into a file's names by other files of the workspace: ``config.SAVE = True``, ``from config import TABLE`` and
a change of it, a test that patches.

Which files may do that the workspace's index says; they are read, never imported.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.changes import callees
from kernel_analysis.host.changes.made import local_holders
from kernel_analysis.host.changes.made.new_objects import is_another, is_new_module, is_object
from kernel_analysis.host.changes.module_names import reflection
from kernel_analysis.host.changes.stands_for.module_values import from_many, held_in, looked_up
from kernel_analysis.host.changes.text.text_patterns import (
    keys,
    may_hold,
    may_rename,
    may_set,
    may_set_by_text,
    set_in_strings,
)
from kernel_analysis.host.changes.uses import (
    DICTS,
    Occurrence,
    imports,
    occurrences,
    own_instance,
    relevant,
    sets_by_text,
    use,
)
from kernel_analysis.host.evaluate.properties import DEFINED, SET_BY_NAME, changeable
from kernel_analysis.host.evaluate.values import External, ModuleValue, Scope, TritonObject, Value
from kernel_analysis.host.names.imports.packages import opaque
from kernel_analysis.host.names.naming import Bound, binding, imported_as, meaning, meanings, not_followed
from kernel_analysis.source.text_search.looked_up import MAIN, looks_up_modules
from kernel_analysis.source.text_search.mentions import ANY_MODULE, ANY_NAME, GIVEN, goes_through
from kernel_analysis.source.text_search.words import has_text, has_word, places

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ProjectView, ResolverView
    from kernel_analysis.source.module import Module


_FRAMES: Final = "f_locals"
"""By which a frame has what a function's names stand for."""
_GAP = 200
_BUILTINS = ("builtins", "__self__")
"""Words of what gives the module of Python's own names: ``print.__self__``, too."""
"""Between a dot and the attribute, at most."""


def changed(
    resolver: ResolverView,
    module: Module,
    name: str,
    value: Value,
    attribute: str | None = None,
    is_apart: Callable[[Scope, ast.expr, object], bool] = lambda _scope, _node, _found: False,
    by_name: bool = False,
) -> str | None:
    """Why a global of the module may be another than ``value``, in words; ``attribute``: that of the class that it
    is, ``is_apart``: whether what an expression means is another class, which this has nothing of; ``by_name``: every
    module has one of its own, and who sets it spells it. Its own file counts where it comes back to itself by another's
    names."""
    project = resolver.project
    contents = changeable(value) or attribute is not None
    files = project.elsewhere.storing(module, attribute or name, contents)
    builtin = isinstance(value, External) and value.path == f"builtins.{name}"
    anywhere = project.elsewhere.storing(None, name if builtin else f"{GIVEN}{name}", False)
    more = set(anywhere).difference(files) if attribute is None else set[str]()
    if more:
        # What a function gives may be any module.
        files = sorted({*files, *(f for f in more if not builtin or project.says(f, _names_builtins))})
    if attribute is None and module.file not in files and _spelled(module.usual, name):
        files = [*files, module.file]  # by what it imports that has it
    computing: set[str] = set()
    if attribute is not None:
        files = [file for file in files if file != module.file]
        # A class may come from any file that has it, under any name, and be set by a text that is not in sight.
        computing.update(project.elsewhere.storing(None, ANY_NAME, False))
        wider = computing.union(project.elsewhere.storing(None, attribute, False)).difference(files, (module.file,))
        called = project.elsewhere.called(name)
        files = [*files, *(f for f in sorted(wider) if any(project.says(f, has_word, word) for word in called))]
    for file in files:
        if isinstance(value, External) and not _spells(project, file, module, name):
            continue
        closer = changeable(value) and file not in more or file in computing
        if not closer and not _at_a_glance(project, file, name, attribute):
            continue
        other = project.load(file)
        names = _called(resolver, other, name) if attribute is None else (attribute,)
        if contents and attribute is None and other is not module and not by_name:
            why = next((why for word in names if (why := _has_as(resolver, module, other, word))), None)
            if why is not None:
                resolver.read((file,))
                return f"`{name}` may be changed by {project.relative(file)}, where {why}"
        for at in (at for word in names for at in occurrences(other, word)):
            line = getattr(at.chain[0], "lineno", 0)
            if other is module and isinstance(at.chain[0], ast.Name):
                continue  # its own names, which ``touches`` looks at
            if by_name and _leaves_path(resolver, other, at):
                continue
            if _stores(resolver, module, other, at, name, value, attribute, is_apart):
                resolver.read((file,))
                return f"`{name}` may be changed by {project.place(file, line)}"
        called = _called(resolver, other, name) if attribute is not None else ()
        for at in (at for word in called for at in occurrences(other, word)):
            if _hands_on(resolver, module, other, at):
                resolver.read((file,))
                return f"`{name}` may be changed by {project.relative(file)}"
    near = set(project.elsewhere.having(module, module)) if isinstance(value, DEFINED) else set[str]()
    for word in DICTS if attribute is None else ():
        for file in project.elsewhere.storing(None, word, False):
            kept = by_name or isinstance(value, SET_BY_NAME) or isinstance(value, DEFINED) and file not in near
            if kept and not project.says(file, keys, name):
                continue
            line = None if file == module.file else _line_by_dict(resolver, file, word, name, contents)
            if line is not None:
                resolver.read((file,))
                return f"`{name}` may be set by `{word}` in {project.place(file, line)}"
    # A file that nobody reads sets constants, as any may: for functions and a library's names it is not asked, or in a
    # workspace of that size no kernel could be told anything of.
    left_out = project.elsewhere.left_out()
    if left_out is None or attribute is not None or isinstance(value, (External, ModuleValue, TritonObject, *DEFINED)):
        return None
    return f"`{name}` may be changed by {project.relative(left_out)}, which is not read: too large, or too many"


def _has_as(resolver: ResolverView, module: Module, other: Module, word: str) -> str | None:
    """Why what the file has of ``module`` under a name may be changed where that is not spelled as a name."""
    scope = resolver.scope(other)
    by_text = reflection.stores(resolver.touches, scope, word, True)
    if by_text and _means(resolver, scope, ast.Name(word, ast.Load()), module):
        return by_text[0][2]
    for statement, around in imports(other, word):
        if not around:
            continue
        inner = around[-1]
        held = isinstance(inner, ast.ClassDef) or any(at.around[-1:] == (inner,) for at in _own_names(other))
        if held and _means(resolver, resolver.scope(other, around), ast.Name(word, ast.Load()), module):
            return f"`{getattr(inner, 'name', '')}` has it ({other.at(statement.lineno)})"
    return None


def _leaves_path(resolver: ResolverView, other: Module, at: Occurrence) -> bool:
    """Whether what every module has is there that of the file itself, or is set to nothing: an import fails for it, and
    finds no other module."""
    node, above = (*at.chain, None)[:2]
    if isinstance(node, ast.Name):
        return binding(resolver.scope(other, at.around), node.id) is None
    if not isinstance(above, ast.Assign) or above.targets != [node]:
        return False
    return isinstance(above.value, (ast.List, ast.Tuple)) and not above.value.elts


def _own_names(module: Module) -> Iterator[Occurrence]:
    """Where a function has all that its names stand for."""
    for word in local_holders.ALL_NAMES:
        yield from occurrences(module, word)


def in_frames(resolver: ResolverView, module: Module, name: str) -> str | None:
    """Where another file changes what may be a name of a function, in a frame that it has."""
    for file in resolver.project.elsewhere.storing(None, _FRAMES, False):
        line = None if file == module.file else _line_by_dict(resolver, file, _FRAMES, name, contents=True)
        if line is not None:
            resolver.read((file,))
            return resolver.project.place(file, line)
    return None


def _line_by_dict(resolver: ResolverView, file: str, word: str, name: str, contents: bool) -> int | None:
    key = file, word, name if resolver.project.says(file, keys, name) else None, contents
    known = resolver.touches.by_dict
    if key not in known:
        known[key] = None  # while it is found out
        at = reflection.by_dict(resolver, resolver.project.load(file), word, name, contents)
        known[key] = getattr(at.chain[0], "lineno", at.statement.lineno) if at is not None else None
    return known[key]


def _spelled(text: str, name: str) -> bool:
    """Whether a text has the name as an attribute, or as a text that names one."""
    return any(
        text[max(0, place - _GAP) : place].rstrip()[-1:] in (".", '"', "'", "\\") for place in places(text, name)
    )


def _names_builtins(text: str) -> bool:
    return any(word in text for word in _BUILTINS)


def _spells(project: ProjectView, file: str, module: Module, name: str) -> bool:
    """Whether a file may have ``module.name``, by what some file calls the module, or Python's own of the name."""
    if project.says(file, _names_builtins):
        return True
    if any(project.says(file, ask, name) for ask in (may_set, may_set_by_text)):
        return True
    if name in project.says(file, set_in_strings):
        return True
    if project.says(file, _stores_looked_up, name):
        return True
    owners = project.elsewhere.called(module.name.rpartition(".")[2])
    return any(project.says(file, has_text, f"{owner}.{name}") for owner in owners)


def _stores_looked_up(text: str, name: str) -> bool:
    """Whether a text looks modules up by their names, and sets something by that name."""
    return looks_up_modules(text) and bool(re.search(rf"\.{re.escape(name)}[ \t]*=[^=]", text))


def _at_a_glance(project: ProjectView, file: str, name: str, attribute: str | None) -> bool:
    """Whether the text of a file needs a closer look for what it does with a value that has nothing to change in it."""
    set_here = attribute or name
    if set_here in project.says(file, set_in_strings) or project.says(file, may_set, set_here):
        return True
    return project.says(file, may_rename if attribute is None else may_hold, name)


def _called(resolver: ResolverView, other: Module, name: str) -> list[str]:
    """The names by which a file may have what another calls ``name``."""
    return [called for called in resolver.project.elsewhere.called(name) if called in other.named]


def _stores(
    resolver: ResolverView,
    module: Module,
    other: Module,
    at: Occurrence,
    name: str,
    value: Value,
    attribute: str | None,
    is_apart: Callable[[Scope, ast.expr, object], bool],
) -> bool:
    contents = changeable(value)
    node, scope = at.chain[0], resolver.scope(other, at.around)
    owner: ast.expr | str | None = None
    if isinstance(node, ast.Attribute):
        made = use(at, callees.judge(resolver, scope))
        if made is not None and (not isinstance(node.ctx, ast.Load) or contents and relevant(made, value)):
            owner = None if attribute is None and local_holders.only_read(resolver, other, at, value) else node.value
    elif isinstance(node, ast.Name):
        if contents and attribute is None and isinstance(at.statement, ast.AugAssign) and node is at.statement.target:
            return _means(resolver, scope, node, module)  # `TABLE += [1]` changes the list that others have, too
        if contents and attribute is None and not isinstance(at.statement, (ast.Import, ast.ImportFrom)):
            made = use(at, callees.judge(resolver, scope))
            if made is None or not relevant(made, value) or local_holders.only_read(resolver, other, at, value):
                return False
            return _means(resolver, scope, node, module)
        return False
    elif contents and attribute is None and (inner := _by_getattr(at)) is not None:
        made = use(Occurrence(at.chain[1:], at.statement, at.around), callees.judge(resolver, scope))
        owner = inner.args[0] if made is not None and relevant(made, value) else None
    else:
        owner = sets_by_text(at)
    if owner is None:
        return False
    if isinstance(owner, str):
        return owner.rpartition(".")[2] in (module.name.rpartition(".")[2], name)
    found = meaning(resolver, scope, owner)
    if attribute is None and (found is None or isinstance(found, Bound)):
        known = meanings(resolver, scope, owner)
        if any(isinstance(one, ModuleValue) and one.file == module.file for one in known):
            return True
        if all(isinstance(one, ModuleValue) for one in known):
            return False
    if isinstance(found, ModuleValue):
        return found.file == module.file and attribute is None
    if isinstance(found, (External, TritonObject)):
        return isinstance(found, External) and isinstance(value, External) and value.path == f"{found.path}.{name}"
    if isinstance(found, Bound) and isinstance(found.event.node, ast.ClassDef):
        return attribute is not None and not is_apart(scope, owner, found)
    if attribute is not None:
        an_object = own_instance(owner, at) or isinstance(found, Bound) and is_object(resolver, found, attribute)
        return not an_object and not is_apart(scope, owner, found)
    if own_instance(owner, at):
        return False
    if isinstance(found, Bound) and found.event.how == "assign" and _from_elsewhere(resolver, scope, found.event.value):
        return True
    if isinstance(owner, ast.Name) and is_new_module(resolver, scope, owner.id, module):
        return False
    if found is None and isinstance(owner, ast.Name) and not_followed(resolver, scope, owner.id):
        return True
    imported = imported_as(scope, owner.id) if isinstance(owner, ast.Name) else []
    if MAIN in imported:
        return True
    if imported:
        # One that is not installed, but where something puts this one in its place.
        alike = [dotted for dotted in imported if not is_another(module, dotted)]
        if not alike or any("." in dotted for dotted in alike):
            return bool(alike)
    # An object that is not known here: the module, if it is looked up by a text, what some call gives, or part of a
    # package that is.
    if from_many(found) if isinstance(found, Bound) else isinstance(owner, ast.Name) and not binding(scope, owner.id):
        return True  # out of what has modules in it, or of a text's own imports
    if looked_up(owner) or ANY_MODULE in held_in(resolver, scope, owner):
        return True
    by_text = looks_up_modules(other.usual) or goes_through(other.usual) or isinstance(owner, ast.Call)
    last = owner.attr if isinstance(owner, ast.Attribute) else None
    return by_text or last == module.name.rpartition(".")[2] or last in DICTS or last in _BUILTINS


def may_be_given(resolver: ResolverView, found: Bound) -> bool:
    """Whether a name may stand for a module that something else has."""
    if isinstance(found.event.node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    text = found.scope.module.usual
    by_text = looks_up_modules(text) or goes_through(text)
    return by_text or found.event.how != "assign" or _from_elsewhere(resolver, found.scope, found.event.value)


def _from_elsewhere(resolver: ResolverView, scope: Scope, value: ast.expr | None) -> bool:
    """Whether what a name is bound to may be a module that something else has: an item of it, or what a function of
    the workspace or of Python's library gives; no class makes one."""
    if isinstance(value, ast.Call):
        made = meaning(resolver, scope, value.func)
        if isinstance(made, External):
            first, _, last = made.path.rpartition(".")
            return not opaque(first) and not last[:1].isupper()
        return made is None or isinstance(made, Bound) and not isinstance(made.event.node, ast.ClassDef)
    return isinstance(value, ast.Subscript)


def _by_getattr(at: Occurrence) -> ast.Call | None:
    """The ``getattr`` that is asked for the name that a text is."""
    text, *above = at.chain
    call = above[0] if above else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != "getattr":
        return None
    return call if len(call.args) > 1 and call.args[1] is text else None


def _means(resolver: ResolverView, scope: Scope, node: ast.expr, module: Module) -> bool:
    """Whether a name is, or may be, one that the module has."""
    found = meanings(resolver, scope, node)
    return any(one is None or isinstance(one, Bound) and one.scope.module is module for one in found)


def _hands_on(resolver: ResolverView, module: Module, other: Module, at: Occurrence) -> bool:
    """Whether a class is given to code that may change it."""
    if not isinstance(at.chain[0], (ast.Name, ast.Attribute)) or isinstance(at.statement, (ast.Import, ast.ImportFrom)):
        return False
    scope = resolver.scope(other, at.around)
    made = use(at, callees.judge(resolver, scope))
    if made is None or made.kind not in ("held", "store") or made.first is not None:
        return False
    return _means(resolver, scope, at.chain[0], module)
