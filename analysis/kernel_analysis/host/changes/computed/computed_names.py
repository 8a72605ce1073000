"""What may set any name of any module, where neither is in sight: ``setattr(module, name.upper(), 1)`` of a module that
is looked up, texts that are run, what a frame or the garbage collector gives.

Follows what is spelled; evaluates nothing. A place counts unless all of the names that it may set are spelled, or what
it sets them of can be no module.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

from kernel_analysis.host.changes import callees
from kernel_analysis.host.changes.computed import pickled, reaching_imports, runners
from kernel_analysis.host.changes.computed.computed_site import BY_PATH, ComputedSite
from kernel_analysis.host.changes.computed.fixtures import key_of_fixture, target
from kernel_analysis.host.changes.computed.named_sites import LOADED, of_path, set_in, site_of, takes_path
from kernel_analysis.host.changes.computed.version_texts import of_version
from kernel_analysis.host.changes.made import local_holders
from kernel_analysis.host.changes.module_names.loaded import may_be_imported, may_be_loaded
from kernel_analysis.host.changes.objects.stores_of_any import PARSES
from kernel_analysis.host.changes.replaced import triton_replaced
from kernel_analysis.host.changes.stands_for.language_values import given, may_give
from kernel_analysis.host.changes.text.text_patterns import keys
from kernel_analysis.host.changes.text.text_strings import code, quotes
from kernel_analysis.host.changes.uses import Occurrence, occurrences, use
from kernel_analysis.host.evaluate.properties import DEFINED, SET_BY_NAME
from kernel_analysis.host.evaluate.values import External, ModuleValue, Value
from kernel_analysis.host.names.imports.packages import is_of_triton
from kernel_analysis.host.names.naming import meaning
from kernel_analysis.source.slice import TritonObject
from kernel_analysis.source.text_search.mentions import (
    ANY_MODULE,
    ANY_NAME,
    REACHES,
    REACHING,
    RUNS,
    SET_OF,
    goes_through,
    runs,
    runs_within,
)
from kernel_analysis.source.text_search.words import has_word, spells

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_SETTERS = ("setattr", "delattr", "__setattr__", "__delattr__")
_RUNNERS = ("exec", "eval", "compile")
_READS = frozenset({"setdefault", "get", "items", "keys", "values", "copy", "__getitem__", "__contains__", "__len__"})
_FORGETS = frozenset({"pop", "popitem", "clear", "__delitem__"})
"""A module that is forgotten is imported anew when it is next asked for, and has then what its text says."""
_DEEPEST = 4
_LANGUAGES = ("triton.language.", "triton.experimental.gluon.language.")
_OF_OTHERS = (ModuleValue, External, TritonObject)
"""What is imported is set anew by its name, where at all."""
_NOWHERE = frozenset((ANY_MODULE,))
_ANY = (ComputedSite(0),)
"""What may be in a file that was not looked at yet."""


class ComputedNames:
    """Of the files of one project, as they are now. Holds no trees."""

    def __init__(self, resolver: ResolverView) -> None:
        self._resolver = resolver
        self._as_of = -1
        self._files: list[str] = []
        self._sites: dict[str, tuple[int, tuple[ComputedSite, ...]]] = {}

    def changed(self, module: Module, name: str, value: Value) -> str | None:
        """Why a global of the module may be another, in words."""
        if isinstance(value, _OF_OTHERS):
            return None
        project = self._resolver.project
        compiled = isinstance(value, SET_BY_NAME)
        near = set(project.elsewhere.having(module, module)) if isinstance(value, DEFINED) else None
        own = has_word(module.name, name)
        for file in self._computing():
            known = self._known(file)
            if all(ANY_MODULE not in site.owners for site in (_ANY if known is None else known)):
                continue
            any_name = not compiled and (near is None or file in near)
            # Every file has its own names as words.
            says = keys if compiled or file == module.file else has_word
            worded = own or project.says(file, says, name) or project.says(file, quotes, name, "[\"']")
            for site in self._of(file) if any_name or worded or project.says(file, takes_path) else ():
                if ANY_MODULE not in site.owners:
                    continue
                where = project.place(file, site.line)
                if (any_name or BY_PATH in site.owners) and not site.worded:
                    self._resolver.read((file,))
                    return f"`{name}` may be set by {where}, which sets names that are not in sight"
                if worded if site.names is None else name in site.names:
                    self._resolver.read((file,))
                    return f"`{name}` may be set by a text in {where}"
        return None

    def of_library(self, owner: str, name: str) -> str | None:
        """Where some file sets what may be a name of a library's module: of that, or of what is not in sight, where the
        module goes about as a value. A name that no text spells is set by who has the module, or is given it."""
        project = self._resolver.project
        for file in self._computing():
            sites = [site for site in self._of(file) if not site.owners.isdisjoint((ANY_MODULE, owner))]
            if not sites:
                continue
            module = project.load(file)
            handing, through = project.elsewhere.handing_library(owner), project.says(file, goes_through)
            near = through or file in handing or not handing.isdisjoint(project.elsewhere.having(module, module))
            worded = project.says(file, has_word, name)
            for site in sites:
                had = owner in site.owners
                spelled = name in site.names if site.names is not None else site.worded and worded
                if (
                    spelled
                    and (had or through or handing)
                    or not site.worded
                    and site.names is None
                    and (had or near or site.imports)
                ):
                    self._resolver.read((file,))
                    return project.place(file, site.line)
        return None

    def of_triton(self, owner: str, name: str) -> str | None:
        """The same of what makes kernels, which every program has: counted is what sets names of that very module, or
        of any, where a file that may have the module spells the name as a text."""
        project = self._resolver.project
        handing = [f for f in triton_replaced.handing(project, owner, name) if project.says(f, spells, name)]
        for file in self._computing():
            for site in self._of(file):
                had = may_give(site.owners, owner) and (not site.worded or project.says(file, has_word, name))
                if (site.names is None or name in site.names) and (had or handing and ANY_MODULE in site.owners):
                    self._resolver.read((file,))
                    return project.place(file, site.line)
        return None

    def of_owners(self, has: Callable[[str, str], bool], owners: Sequence[str], names: Sequence[str]) -> str | None:
        """Where some file sets what may be one of these names of what has them."""
        for file in self._computing():
            for site in self._of(file):
                if site.owners <= _NOWHERE:
                    continue
                words = names if site.names is None else site.names
                for owner, name in product((one for one in owners if may_give(site.owners, one)), words):
                    if has(owner, name) and (not site.worded or self._resolver.project.says(file, has_word, name)):
                        self._resolver.read((file,))
                        return self._resolver.project.place(file, site.line)
        return None

    def of_loaded(self, module: Module) -> str | None:
        """Where some file sets a module in ``sys.modules`` by one of its words, which may be the module's name."""
        project, own = self._resolver.project, module.name.rpartition(".")[2]
        for file in self._computing():
            for site in self._of(file) if project.says(file, quotes, own, "") else ():
                if LOADED[False] in site.owners or (
                    LOADED[True] in site.owners and project.says(file, quotes, own, "[\"']")
                ):
                    self._resolver.read((file,))
                    return project.place(file, site.line)
        return None

    def of(self, owner: str, *names: str) -> str | None:
        """Where some file sets what may be one of these names of a package, a function or a class."""
        project = self._resolver.project
        words = project.elsewhere.called(owner.rpartition(":")[2].rpartition(".")[2])
        self._computing()
        for file in sorted({f for word in words for f in project.elsewhere.storing(None, f"{SET_OF}{word}", False)}):
            for site in self._of(file):
                if owner not in site.owners:
                    continue
                if not site.worded or any(project.says(file, has_word, name) for name in names):
                    self._resolver.read((file,))
                    return project.place(file, site.line)
        return None

    def _computing(self) -> list[str]:
        """The files that may have such places. Each is looked at when it is asked for: one may be enough."""
        project = self._resolver.project
        if self._as_of != project.host_changes:
            self._as_of = project.host_changes
            self._sites.clear()
            found = {f for word in (ANY_NAME, RUNS, REACHES) for f in project.elsewhere.storing(None, word, False)}
            self._files = sorted(f for f in found if not is_of_triton(self._resolver, f))
        return self._files

    def _of(self, file: str) -> tuple[ComputedSite, ...]:
        sites = self._known(file)
        if sites is None:
            now = self._resolver.project.changes_of(file)
            self._sites[file] = now, ()  # while it is found out
            sites = tuple(_sites(self._resolver, self._resolver.project.load(file)))
            self._sites[file] = now, sites
        return sites

    def _known(self, file: str) -> tuple[ComputedSite, ...] | None:
        as_of, sites = self._sites.get(file, (None, None))
        return sites if as_of == self._resolver.project.changes_of(file) else None


def _sites(resolver: ResolverView, other: Module) -> Iterator[ComputedSite]:
    for word in (*_SETTERS, "__dict__", "vars", "modules", "__import__", *_RUNNERS, *REACHING):
        if word not in other.named or word in _RUNNERS and not (runs(code(other.usual)) or runs_within(other.usual)):
            continue
        for at in occurrences(other, word):
            if isinstance(at.statement, (ast.Import, ast.ImportFrom)):
                continue
            found = _site(resolver, other, at, word)
            if found is not None:
                yield found
    yield from reaching_imports.sites(other)
    for word in PARSES if "parse_" in other.named else ():
        for at in occurrences(other, word):
            yield from _parsed(resolver, other, at)
    yield from runners.sites(resolver, other)
    yield from pickled.sites(resolver, other)


def _parsed(resolver: ResolverView, other: Module, at: Occurrence) -> Iterator[ComputedSite]:
    """What a parser of options sets: names that it makes of theirs, ``--block-size``, in what it is given for them."""
    method, call = (*at.chain, None, None)[:2]
    if not isinstance(call, ast.Call) or call.func is not method:
        return
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        yield ComputedSite(call.lineno)
    holders = [*call.args[1:], *(k.value for k in call.keywords if k.arg in ("namespace", "values", None))]
    for holder in holders:
        if (found := site_of(resolver, other, at, holder, None, call.lineno)) is not None:
            yield found


def _site(resolver: ResolverView, other: Module, at: Occurrence, word: str) -> ComputedSite | None:
    """What a place that has one of the words sets whose name is not in sight."""
    node = at.chain[0]
    call = at.chain[1] if len(at.chain) > 1 else None
    called = call if isinstance(call, ast.Call) and call.func is node else None
    line = getattr(node, "lineno", at.statement.lineno)
    if isinstance(node, ast.Constant):
        # `getattr(owner, "__dict__")`
        asked = isinstance(call, ast.Call) and getattr(call.func, "id", "") == "getattr" and call.args[1:2] == [node]
        if not asked or not isinstance(call, ast.Call):
            return None
        return _of_dict(resolver, other, at, 1, call.args[0], line) if word == "__dict__" else ComputedSite(line)
    if word in REACHING:
        own = isinstance(node, ast.Name) and not may_be_imported(resolver.scope(other, at.around), node)
        return None if own else ComputedSite(line)
    if word == "modules":
        return _of_dict(resolver, other, at, 0, None, line) if may_be_loaded(resolver, other, at) else None
    if word == "__import__":
        stored = isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
        return ComputedSite(line) if stored else None
    if word == "__dict__":
        return _of_dict(resolver, other, at, 0, node.value, line) if isinstance(node, ast.Attribute) else None
    if called is not None and word in _SETTERS[:2] and isinstance(node, ast.Attribute):
        owner, text = target(called)
        if owner is None:
            return of_path(resolver, resolver.scope(other, at.around), text, line)
        return site_of(resolver, other, at, owner, text, line)
    if word in _RUNNERS or word in ("vars", *_SETTERS[:2]):
        scope = resolver.scope(other, at.around)
        known = meaning(resolver, scope, node) if isinstance(node, ast.expr) else None
        if not isinstance(known, External) and not (known is None and isinstance(node, ast.Name)):
            return None  # `model.eval()`
        if word == "compile" and isinstance(known, External) and "builtins" not in known.path.split("."):
            return None  # a library's own, which runs no text: `from library import compile`
    if word in _RUNNERS:
        text = called.args[0] if called is not None and called.args else None
        if text is None or not of_version(resolver, resolver.scope(other, at.around), text):
            return None if isinstance(text, ast.Constant) else ComputedSite(line)
        return None
    if word == "vars":
        owner = called.args[0] if called is not None and called.args else None
        return _of_dict(resolver, other, at, 1, owner, line) if owner is not None else None
    if called is None:  # `map(setattr, ...)`
        scope = resolver.scope(other)
        had = (one for name in other.table.events for one in given(resolver, scope, ast.Name(name, ast.Load())))
        return ComputedSite(line, owners=frozenset((ANY_MODULE, *(one for one in had if _is_language(one)))))
    args = list(called.args)
    if word in _SETTERS[2:] and isinstance(node, ast.Attribute):
        of_class = len(args) == (3 if word == "__setattr__" else 2)  # `object.__setattr__(owner, name, value)`
        if isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == "super":
            return None
        args = args if of_class else [node.value, *args]
    if len(args) < 2 or any(isinstance(a, ast.Starred) for a in args):
        return ComputedSite(line)
    return site_of(resolver, other, at, args[0], args[1], line)


def _is_language(path: str) -> bool:
    """Or what may have it: ``triton.`` is anything in that."""
    return path == "triton." or f"{path.rstrip('.')}.".startswith(_LANGUAGES)


def _of_dict(
    resolver: ResolverView,
    other: Module,
    at: Occurrence,
    depth: int,
    owner: ast.expr | None,
    line: int,
    held_by: int = 0,
) -> ComputedSite | None:
    """What is set in a dict of names that stands so far up; ``owner``: whose they are, None: ``sys.modules``.
    ``held_by``: how many names it went through."""
    asked = at.chain[depth + 1] if depth + 1 < len(at.chain) else None
    if isinstance(asked, ast.Call) and asked.args[2:] == [at.chain[depth]]:
        depth += getattr(asked.func, "id", "") == "getattr"  # what it gives where there is nothing else
    held, above, method = (at.chain[place] if place < len(at.chain) else None for place in range(depth, depth + 3))
    if isinstance(above, ast.Subscript) and above.value is held:
        stored = not isinstance(above.ctx, ast.Load if owner is not None else (ast.Load, ast.Del))
        return site_of(resolver, other, at, owner, above.slice, line) if stored else None
    if isinstance(above, ast.Attribute) and isinstance(method, ast.Call) and method.func is above:
        if above.attr in _READS or owner is None and above.attr in _FORGETS:
            return None
        if above.attr in ("update", "__ior__"):
            return site_of(resolver, other, at, owner, set_in(method.args, method.keywords), line)
        return site_of(resolver, other, at, owner, method.args[0] if method.args else None, line)
    if isinstance(above, ast.Call) and (key := key_of_fixture(resolver.scope(other, at.around), above, held)):
        forgotten = owner is None and isinstance(above.func, ast.Attribute) and above.func.attr == "delitem"
        return None if forgotten else site_of(resolver, other, at, owner, key, line)
    if isinstance(above, ast.Assign) and above.value is held and held_by < _DEEPEST:
        if _is_only_read(resolver, other, at, above, owner, line, held_by + 1):
            return None
    scope = resolver.scope(other, at.around)
    made = use(Occurrence(at.chain[depth:], at.statement, at.around), callees.judge(resolver, scope))
    if made is None or made.kind == "part":
        return None
    called = meaning(resolver, scope, above.func) if isinstance(above, ast.Call) else None
    if isinstance(above, ast.Call) and isinstance(called, External):
        if called.path == "unittest.mock.patch.dict" and above.args[:1] == [held] and len(above.args) < 3:
            return site_of(resolver, other, at, owner, set_in(above.args[1:], above.keywords), line)
        run = getattr(above.func, "id", "") in _RUNNERS and isinstance(above.args[0], ast.Constant)
        if run:
            return site_of(resolver, other, at, owner, ast.Tuple([above.args[0]], ast.Load()), line)
    return site_of(resolver, other, at, owner, None, line)


def _is_only_read(
    resolver: ResolverView,
    other: Module,
    at: Occurrence,
    bound: ast.Assign,
    owner: ast.expr | None,
    line: int,
    held_by: int,
) -> bool:
    """Whether a dict of names that is bound to a variable of a function, which is nothing else, has nothing set in
    it there."""
    target, function = bound.targets[0], at.around[-1] if at.around else None
    if not isinstance(target, ast.Name) or len(bound.targets) > 1:
        return False
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    if not local_holders.is_own(function, target.id):
        return False
    for one in occurrences(other, target.id):
        if function not in one.around or one.chain[0] is target:
            continue
        read = isinstance(one.chain[0], ast.Name) and isinstance(one.chain[0].ctx, ast.Load)
        if not read or _of_dict(resolver, other, one, 0, owner, line, held_by):
            return False
    return True
