"""What other code sets in a module that it is handed: ``configure(consts)`` where ``def configure(m): m.SAVE = True``.

A module that goes where nothing in sight says what is done with it may have any of its names set. Follows what is
spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from kernel_analysis.host.changes import callees
from kernel_analysis.host.changes.made.gone_through import each, each_held
from kernel_analysis.host.changes.module_names.handed_set import HandedSet
from kernel_analysis.host.changes.module_names.loaded import may_be_loaded
from kernel_analysis.host.changes.stands_for import class_relations
from kernel_analysis.host.changes.text.text_patterns import BY_NAME
from kernel_analysis.host.changes.uses import (
    CHANGES,
    Beside,
    Judge,
    Kept,
    Occurrence,
    imports,
    occurrences,
    set_by,
    use,
)
from kernel_analysis.host.evaluate.values import (
    External,
    ModuleValue,
    Scope,
    TritonObject,
)
from kernel_analysis.host.names.naming import Bound, meaning, meanings
from kernel_analysis.host.names.spelled_texts import texts

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOKS = frozenset(
    f"builtins.{name}" for name in ("getattr", "hasattr", "isinstance", "dir", "id", "print", "repr", "str", "type",
                                    "bool", "callable", "help", "hash")
) | {"importlib.reload", "imp.reload", "warnings.warn"}  # fmt: skip
_LOOKING = (
    *(f"inspect.{name}" for name in ("is", "getdoc", "getfile", "getsource", "getabsfile", "getcomments", "signature")),
    *("pkgutil.", "typing.get_type_hints", "logging."),
)
"""Of the library's functions, the beginnings of those that give back neither a module nor what is in one."""
_Sets: TypeAlias = "dict[str | None, list[HandedSet]]"


class _Ways:
    """Where else what is looked at goes: names of it and parameters, each once however often it goes there, and round
    in a circle."""

    def __init__(self) -> None:
        self._seen: set[object] = set()
        self._todo: list[tuple[Module, Occurrence]] = []

    def follow(self, key: object, module: Module, places: Iterable[Occurrence]) -> None:
        """``places``: all of one name or parameter, which ``key`` is."""
        if key not in self._seen:
            self._seen.add(key)
            self._todo += [(module, place) for place in places]

    def through(self) -> Iterator[tuple[Module, Occurrence]]:
        """All that is there to follow, and what comes meanwhile."""
        while self._todo:
            yield self._todo.pop()


class Handed:
    """Of the modules of one project, as they are now. Holds no trees: what is known stays known when those are let
    go."""

    def __init__(self, resolver: ResolverView) -> None:
        self._resolver = resolver
        self._as_of = -1
        self._known: dict[tuple[str, bool], _Sets] = {}
        self._any: _Sets | None = None
        self._related: dict[tuple[str, ...], _Sets] = {}

    def changed(self, module: Module, name: str, contents: bool) -> str | None:
        """Why a global of the module may be another, in words; ``contents``: or what it holds."""
        self._renew()
        elsewhere = self._resolver.project.elsewhere
        spelled = elsewhere.stored(name)
        spelled = spelled or contents
        own = self._sets(module, spelled)
        self._resolver.read(elsewhere.handing(module, spelled))
        by_others = self._of_any().get(name, ()) if spelled else ()
        for made in (*own.get(None, ()), *own.get(name, ()), *by_others):
            if not made.contents or contents:
                self._resolver.read((made.file,))
                where = self._resolver.project.place(made.file, made.line)
                return f"`{name}` may be changed by {where}, which hands the module on"
        return None

    def sets(self, other: Module, at: Occurrence) -> Iterator[HandedSet]:
        """What code sets in a class that a file has there."""
        return self._of(other, at, _Ways())

    def related(self, module: Module, name: str, contents: bool, words: tuple[str, ...]) -> list[HandedSet]:
        """What sets an attribute of that name in a class that some file, or that of the module, has by what it is to
        another: by one of these words."""
        self._renew()
        if words not in self._related:
            self._related[words] = {}
            files = {file for word in words for file in self._resolver.project.elsewhere.wording(module, word)}
            self._related[words] = _by_name(made for file in sorted(files) for made in self._of_relations(file, words))
        known = self._related[words]
        found = (*known.get(None, ()), *known.get(name, ()))
        return [made for made in found if made.name is None or contents or not made.contents]

    def _of_relations(self, file: str, words: tuple[str, ...]) -> Iterator[HandedSet]:
        other = self._resolver.project.load(file)
        for at in class_relations.relations(other, words):
            scope = self._resolver.scope(other, at.around)
            heir = class_relations.heir(self._resolver, scope, at.chain[0])
            if words == class_relations.HEIRS and not class_relations.of_objects(self._resolver, other, at):
                continue
            if callees.in_kernel(self._resolver, scope):
                continue
            for made in self._of(other, at, _Ways()):
                yield made if heir is None else replace(made, heir=(heir.scope.module.file, heir.name))

    def _renew(self) -> None:
        if self._as_of != self._resolver.project.host_changes:
            self._known.clear()
            self._related.clear()
            self._any = None
            self._as_of = self._resolver.project.host_changes

    def _sets(self, module: Module, spelled: bool) -> _Sets:
        """``spelled``: some file sets an attribute of the name that is asked for."""
        key = module.file, spelled
        found = self._known.get(key)
        if found is None:
            self._known[key] = {}
            found = self._known[key] = _by_name(self._all(module, spelled))
        return found

    def _of_any(self) -> _Sets:
        """What is set in a module whose name is not in sight. That one is looked up so says of none by itself that any
        of its names may be set."""
        if self._any is None:
            self._any = {}
            self._any = _by_name(self._untold())
            self._any.pop(None, None)
        return self._any

    def _all(self, module: Module, spelled: bool) -> Iterator[HandedSet]:
        project, ways = self._resolver.project, _Ways()
        for file in project.elsewhere.handing(module, spelled):
            other = project.load(file)
            for at in self._spelled(module, other):
                yield from self._of(other, at, ways)
            for statement, _ in imports(other, "__dict__"):
                if self._is_from(module, other, statement):
                    yield HandedSet(file, statement.lineno, None)
            for at, name in _by_text(self._resolver, other):
                if name is not None and (_may_name(name, module) or name == "__name__" and other is module):
                    yield from self._of(other, at, ways)

    def _untold(self) -> Iterator[HandedSet]:
        project, ways = self._resolver.project, _Ways()
        for file in project.elsewhere.handing(None, True):
            other = project.load(file)
            for at, name in _by_text(self._resolver, other):
                if name is None:
                    yield from self._of(other, at, ways)

    def _spelled(self, module: Module, other: Module) -> Iterator[Occurrence]:
        """Where a file has the module by its imports, or by those of another: `other.main` in `main` itself."""
        own = module.name.rpartition(".")[2]
        words = {own}
        for name, events in other.table.events.items():
            aliases = [event.alias for event in events if event.how in ("import", "from") and event.alias]
            words.update(name for alias in aliases if alias.asname and alias.name.rpartition(".")[2] == own)
        for word in sorted(words):
            for at in occurrences(other, word):
                node = at.chain[0]
                if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                    continue  # `except ImportError: module = None` does nothing with the module
                if isinstance(node, (ast.Name, ast.Attribute)) and self._means(other, at, node, module):
                    yield at

    def _is_from(self, module: Module, other: Module, statement: ast.Import | ast.ImportFrom) -> bool:
        """Whether an import is of something in the module: ``from config import __dict__``."""
        if not isinstance(statement, ast.ImportFrom):
            return False
        found = self._resolver.import_module("." * statement.level + (statement.module or ""), other)
        return isinstance(found, ModuleValue) and found.file == module.file

    def _means(self, other: Module, at: Occurrence, node: ast.expr, module: Module) -> bool:
        found = meanings(self._resolver, self._resolver.scope(other, at.around), node)
        return any(isinstance(one, ModuleValue) and one.file == module.file for one in found)

    def _of(self, other: Module, at: Occurrence, ways: _Ways) -> Iterator[HandedSet]:
        """What one use of the module may set, and whatever it is handed to."""
        yield from self._here(other, at, ways)
        for module, place in ways.through():
            yield from self._here(module, place, ways)

    def _here(self, other: Module, at: Occurrence, ways: _Ways) -> Iterator[HandedSet]:
        node = at.chain[0]
        line = getattr(node, "lineno", at.statement.lineno)
        above = at.chain[1] if len(at.chain) > 1 else None
        called = at.chain[2] if len(at.chain) > 2 else None
        if isinstance(above, ast.Attribute) and isinstance(called, ast.Call) and called.func is above:
            if not above.attr.startswith("__"):
                return  # a function of the module is called
        if isinstance(above, ast.Call) and _takes(above, node):
            yield from self._taken(other, at, above)
            return
        if isinstance(above, ast.Call) and (words := self._words(other, at, above)):
            for word in words:
                yield HandedSet(other.file, line, word)
            return
        is_dict = isinstance(above, ast.Attribute) and above.attr == "__dict__" and isinstance(above.ctx, ast.Load)
        if is_dict or isinstance(above, ast.Call) and self._has_names(other, at, above):
            yield from self._in_names(other, at, line)
            return
        alias = alias_of(at) or each(at)
        if aliases := [alias] if alias is not None else each_held(other, at):
            if any(self._shared(other, at, alias) for alias in aliases):
                yield HandedSet(other.file, line, None)
                return
            for alias in aliases:
                self._follow(other, at, alias, ways)
            return
        made = use(at, self._judge(other, at, ways))
        if made is None:
            return
        if made.first == "__dict__" or made.first is None:
            if made.kind == "method" and made.word not in CHANGES and not made.word.startswith("__"):
                return
            yield HandedSet(other.file, line, None, made.kind == "part" and made.first is None)
        else:
            yield HandedSet(other.file, line, made.first, made.kind != "store")

    def _taken(self, other: Module, at: Occurrence, call: ast.Call) -> Iterator[HandedSet]:
        """What is done with what ``getattr`` takes of the module: one of its names, or the dict of them."""
        text, scope = call.args[1] if len(call.args) > 1 else None, self._resolver.scope(other, at.around)
        names = texts(self._resolver, scope, text) if text is not None else frozenset[str]()
        taken = Occurrence(at.chain[1:], at.statement, at.around)
        if "__dict__" not in names and use(taken, callees.judge(self._resolver, scope)) is None:
            return
        for name in names or (None,):
            yield HandedSet(other.file, call.lineno, None if name == "__dict__" else name, name != "__dict__")

    def _words(self, other: Module, at: Occurrence, call: ast.Call) -> frozenset[str]:
        """The names that a call may set of its first argument, by a text: ``setattr(m, "NAME", 1)``."""
        text = call.args[1] if len(call.args) > 1 and call.args[0] is at.chain[0] else None
        if text is None or set_by(call, text) is not at.chain[0]:
            return frozenset()
        return texts(self._resolver, self._resolver.scope(other, at.around), text)

    def _has_names(self, other: Module, at: Occurrence, call: ast.Call) -> bool:
        """Whether a call is ``vars(module)``."""
        found = meaning(self._resolver, self._resolver.scope(other, at.around), call.func)
        return isinstance(found, External) and found.path == "builtins.vars" and call.args == [at.chain[0]]

    def _in_names(self, other: Module, at: Occurrence, line: int) -> Iterator[HandedSet]:
        """What is set in the dict of the module's names that stands above."""
        taken = Occurrence(at.chain[1:], at.statement, at.around)
        made = use(taken, callees.judge(self._resolver, self._resolver.scope(other, at.around)))
        if made is not None:
            yield HandedSet(other.file, line, None, made.kind == "part" and made.first is None)

    def _shared(self, other: Module, at: Occurrence, alias: str) -> bool:
        """Whether a further name of the module may be used where its own file doesn't spell it."""
        node = self._resolver.scope(other, at.around).node
        at_top = isinstance(node, ast.Module) or f"global {alias}" in other.named
        return isinstance(node, ast.ClassDef) or at_top and self._resolver.project.elsewhere.imported(alias)

    def _follow(self, other: Module, at: Occurrence, name: str, ways: _Ways) -> None:
        """What is done with a further name of the module in the same function or file counts, too."""
        within = at.around

        def places() -> Iterator[Occurrence]:
            for place in occurrences(other, name):
                node, inner = place.chain[0], place.around[: len(within)] == within
                if inner and isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                    yield place

        ways.follow((other.file, name, within), other, places())

    def _judge(self, other: Module, at: Occurrence, ways: _Ways) -> Judge:
        """What callees keep of the module, but for functions of the user's in sight, which are followed."""
        scope = self._resolver.scope(other, at.around)

        known = callees.judge(self._resolver, scope)

        def kept(call: ast.Call | Beside, position: int | str | None) -> Kept:
            if isinstance(call, Beside):
                return callees.operation(self._resolver, scope, call)
            found = meaning(self._resolver, scope, call.func)
            if isinstance(found, TritonObject):
                return "nothing"
            if _looks(found) or known(call, position) == "nothing":
                return "nothing"
            if isinstance(found, External):
                return "parts" if found.path == "inspect.getmembers" else "all"  # `__dict__` is no member of a module
            named = isinstance(found, Bound) and found.event.how == "assign"
            alternatives = meanings(self._resolver, scope, call.func) if found is None or named else []
            if alternatives and all(map(_looks, alternatives)):
                return "nothing"  # whichever it is: `imp` is `importlib` where there is none
            if isinstance(found, Bound) and isinstance(found.event.node, _FUNCTIONS):
                if self._follows(found.scope, found.event.node, position, ways):
                    return "nothing"
            return "all"

        return kept

    def _follows(
        self, scope: Scope, node: ast.FunctionDef | ast.AsyncFunctionDef, position: int | str | None, ways: _Ways
    ) -> bool:
        """Whether what a function does with a module that it is given is in sight, and counts from now on."""
        positional = [*node.args.posonlyargs, *node.args.args]
        name = position if isinstance(position, str) else None
        if isinstance(position, int) and position < len(positional):
            name = positional[position].arg
        if name is None or node.decorator_list:
            return False
        if name not in {a.arg for a in (*positional, *node.args.kwonlyargs)}:
            return False
        inner = self._resolver.inner(scope, node)
        if any(event.how != "parameter" for event in inner.table.events.get(name, ())):
            return False
        places = (at for at in occurrences(scope.module, name) if isinstance(at.chain[0], ast.Name))
        ways.follow((node, name), scope.module, (at for at in places if node in at.around))
        return True


def _may_name(path: str, module: Module) -> bool:
    """Whether a path may be that of the module, from wherever each of them begins."""
    said, known = f".{path.lstrip('.')}", f".{module.name}"
    return known.endswith(said) or said.endswith(known)


def _looks(found: object) -> bool:
    """Whether a function is a library's that sets nothing in a module that it is given, or what its text sets."""
    return isinstance(found, External) and (found.path in _LOOKS or found.path.startswith(_LOOKING))


def _by_name(sets: Iterable[HandedSet]) -> _Sets:
    found: _Sets = {}
    for made in dict.fromkeys(sets):
        found.setdefault(made.name, []).append(made)
    return found


def _by_text(resolver: ResolverView, other: Module) -> Iterator[tuple[Occurrence, str | None]]:
    """Where a file has a module by a text, and which: ``sys.modules["main"]``; ``__name__``: itself."""
    for word in ("modules", *BY_NAME[1:]):
        for at in occurrences(other, word):
            if word == "modules" and isinstance(at.chain[0], ast.Attribute) and not may_be_loaded(resolver, other, at):
                continue
            place = 2 if len(at.chain) > 2 and isinstance(at.chain[1], ast.Attribute) else 1
            above = at.chain[place] if len(at.chain) > place else None
            if isinstance(above, ast.Subscript) and above.value is at.chain[place - 1]:
                which = above.slice
            elif isinstance(above, ast.Call) and above.func is at.chain[place - 1]:
                which = above.args[0] if above.args else None
            else:
                continue
            inner = Occurrence(at.chain[place:], at.statement, at.around)
            if isinstance(which, ast.Constant) and isinstance(which.value, str):
                yield inner, which.value
            else:
                yield inner, "__name__" if isinstance(which, ast.Name) and which.id == "__name__" else None


def _takes(call: ast.Call, node: ast.AST) -> bool:
    """Whether a call is ``getattr(node, ...)``."""
    return isinstance(call.func, ast.Name) and call.func.id == "getattr" and call.args[:1] == [node]


def alias_of(at: Occurrence) -> str | None:
    """The name that a statement gives to what stands there, if it does nothing else with it."""
    if not isinstance(at.statement, ast.Assign) or len(at.statement.targets) != 1:
        return None
    target = at.statement.targets[0]
    between = at.chain[1:]
    if between and between[-1] is at.statement:
        between = between[:-1]
    plain = all(isinstance(node, (ast.IfExp, ast.BoolOp)) for node in between)
    tested = any(isinstance(n, ast.IfExp) and n.test in at.chain for n in between)
    return target.id if plain and not tested and isinstance(target, ast.Name) else None
