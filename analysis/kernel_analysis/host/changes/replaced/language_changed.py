"""What host code puts in the place of what Triton's language has: ``tl.flip = mine``, which kernels have that take it
by that name, and ``tl.tensor.__add__ = mine``, which Triton itself goes through whatever a kernel names.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.changes.module_names.by_path import may_be_set
from kernel_analysis.host.changes.replaced import compiler_changed
from kernel_analysis.host.changes.replaced.shims import only_where_missing
from kernel_analysis.host.changes.stands_for.language_values import given, may_give
from kernel_analysis.host.changes.uses import Occurrence, occurrences, own_instance, sets_by_text
from kernel_analysis.host.evaluate.values import Scope, TritonObject
from kernel_analysis.host.names.imports.packages import is_of_triton
from kernel_analysis.host.names.naming import Bound, meanings
from kernel_analysis.record import record
from kernel_analysis.source.text_search.mentions import TEXT
from kernel_analysis.source.text_search.words import has_word
from kernel_analysis.source.tree.forms import last_name

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_LANGUAGES: Final = ("triton.language", "triton.experimental.gluon.language")
_MODULES: Final = (
    *(f"triton.language.{name}" for name in ("core", "standard", "math", "random", "semantic")),
    *(f"triton.experimental.gluon.language.{name}" for name in ("_core", "_standard", "_math", "_semantic")),
    "triton.compiler.code_generator",
)
"""What functions of the language are made of, and what compiles kernels."""
_FRONT: Final = {
    "triton.runtime.jit": ("JITFunction", "JITCallable", "ConstexprFunction", "BoundConstexprFunction", "KernelParam"),
    "triton.compiler.compiler": ("ASTSource",),
    "triton.experimental.gluon._runtime": ("GluonJITFunction", "GluonASTSource"),
}
"""The classes of what is handed to it: all that is set in one counts, but what launches alone."""
_DERIVED: Final = (
    ("JITFunction", "JITCallable"),
    ("GluonJITFunction", "JITFunction"),
    ("ConstexprFunction", "JITCallable"),
)
_FRONT_MODULES: Final = ("triton", "triton.runtime", "triton.compiler", "triton.experimental.gluon", *_FRONT)
_HAD_BY_ALL: Final = ("JITFunction", "ConstexprFunction")
_LAUNCHES: Final = frozenset((
    "run", "warmup", "__getitem__", "_call_hook", "add_pre_run_hook", "create_binder", "_pack_args", "preload",
    "_do_compile", "__repr__", "hash", "parse_options", "cache_hook", "compiled_hook", "__hash__", "__slots__",
    "_flatten_ir", "__class_getitem__",
))  # fmt: skip
_OF_ANY_CLASS: Final = ("__getattribute__", "__getattr__", "__setattr__", "__new__", "__class__", "__bases__")
_OF_JIT: Final = ("parse", "src", "get_capture_scope", "_unsafe_update_src", "_set_src", "_get_src", "__call__")
"""What is asked for by itself: who has a jit function has its class."""
_OF_TRITON: Final = ("cdiv", "next_power_of_2")
"""What kernels may call of Triton itself."""
_TAKEN: Final = re.compile(r"\blanguage\.(\w+)")
_ATTRIBUTE: Final = re.compile(r"\.(\w+)|[\"'](\w+)[\"']")
_MAKES_METHODS: Final = "_tensor_member_fn"
_NEAR: Final = ("triton", "language", "tl", "gl")


@record
class _Inside:
    """``names``: of modules and classes that Triton itself goes through, by the last word of the owner's name.
    ``front``: those that are looked for where the class is named; ``asked``: what it takes of whatever by its name."""

    names: dict[str, frozenset[str]]
    every: tuple[str, ...]
    owners: tuple[str, ...]
    front: dict[str, frozenset[str]]
    asked: frozenset[str]

    def has(self, path: str, name: str) -> bool:
        """Whether something of Triton's has such a name, which it goes through itself."""
        if path in _LANGUAGES:
            return name in self.names["language"]
        return f"{path}.".startswith("triton.") and name in self.names.get(path.rpartition(".")[2], ())

    def goes_through(self, path: str, name: str) -> bool | None:
        """Whether it goes through what is set there, or put there anew; None: it is neither such a module nor class."""
        owner = path.rpartition(".")[2]
        if owner not in self.names or owner in ("language", "triton"):
            return None
        if self.has(path, name):
            return True
        if owner.endswith("JITFunction") and name == "__call__":
            return False  # what a jit function does where host code calls it is no kernel's business
        special = name.startswith("__") or name in self.asked
        return special and not (owner in self.front and name in _LAUNCHES)


def in_place(resolver: ResolverView, module: Module, path: str, chains: Iterable[tuple[str, ...]]) -> str | None:
    """Why something that a function takes of Triton's language may be another than the installed one has there:
    ``tl.flip``, with the ``chains`` of attributes that are taken of what ``path`` names."""
    for chain in chains:
        names = (*path.split("."), *chain)
        for place in range(1, len(names)):
            owner = ".".join(names[:place])
            of_triton = owner == "triton" and names[place] in _OF_TRITON
            if not of_triton and not f"{owner}.".startswith(tuple(f"{one}." for one in _LANGUAGES)):
                continue
            if (why := resolver.libraries.replaced(owner, names[place], module)) is not None:
                return why
    return None


def anywhere(resolver: ResolverView, module: Module) -> str | None:
    """Why what any kernel is made of may be another than Triton has it."""
    if not resolver.triton_home:
        return None
    own = "" if resolver.project.elsewhere.has_read(module.file) else module.file
    where = resolver.touches.once(("language", own), lambda: _set_inside(resolver, module, own))
    return where and f"Triton itself is changed by {where}"


def _set_inside(resolver: ResolverView, module: Module, own: str) -> str | None:
    inside = _inside(resolver, resolver.triton_home)
    elsewhere, says = resolver.project.elsewhere, resolver.project.says
    asked: dict[str, set[str]] = {}
    for name in inside.every:
        for file in elsewhere.storing(None, name, False):
            asked.setdefault(file, set()).add(name)
    for owner in (path.rpartition(".")[2] for path in _MODULES):
        for file in elsewhere.storing(None, f"{TEXT}{owner}", False):
            asked.setdefault(file, set()).update(inside.names.get(owner, ()))
    for cls, names in inside.front.items():
        for file in elsewhere.wording(module, cls):
            asked.setdefault(file, set()).update({*names, cls})
    if own:
        every = {*inside.every, *inside.front, *(name for names in inside.front.values() for name in names)}
        asked[own] = {name for name in every if says(own, has_word, name)}
    for file, names in sorted(asked.items()):
        if is_of_triton(resolver, file) or not any(says(file, has_word, word) for word in _NEAR):
            continue
        other = resolver.project.load(file)
        for at in (at for name in sorted(names) for at in occurrences(other, name)):
            if _sets(resolver, other, at, inside):
                resolver.read((file,))
                return resolver.project.place(file, getattr(at.chain[0], "lineno", at.statement.lineno))
    computed = resolver.touches.computed_names.of_owners(inside.has, inside.owners, (*inside.every, *_OF_JIT))
    beside = compiler_changed.anywhere(resolver, own, inside.goes_through)
    return _by_decorator(resolver, module, inside) or computed or beside


def _by_decorator(resolver: ResolverView, module: Module, inside: _Inside) -> str | None:
    """Where a function is put among the methods of blocks by Triton's own decorator."""
    for file in sorted({*resolver.project.elsewhere.wording(module, _MAKES_METHODS), module.file}):
        if is_of_triton(resolver, file) or not resolver.project.says(file, has_word, _MAKES_METHODS):
            continue
        for at in occurrences(resolver.project.load(file), _MAKES_METHODS):
            given = getattr(at.statement, "name", None)
            if given is None or given in inside.names["tensor"]:
                if not isinstance(at.statement, (ast.Import, ast.ImportFrom)):
                    resolver.read((file,))
                    return resolver.project.place(file, at.statement.lineno)
    return None


def _sets(resolver: ResolverView, other: Module, at: Occurrence, inside: _Inside) -> bool:
    node = at.chain[0]
    found: ast.expr | str | None = None
    if isinstance(node, ast.Attribute):
        found, name = (node.value if not isinstance(node.ctx, ast.Load) else None), node.attr
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        owner, _, name = node.value.rpartition(".")
        if owner == "triton":  # the path of a module is told everywhere
            return sets_by_text(at) is not None and inside.has(owner, name)
        if owner:
            return inside.has(owner, name) and may_be_set(resolver, other, at)
        found = sets_by_text(at)
    else:
        return False
    if found is None or isinstance(found, str):
        return found is not None and inside.has(found, name)
    scope = resolver.scope(other, at.around)
    known = meanings(resolver, scope, found)
    paths = [one.path for one in known if isinstance(one, TritonObject)]
    if any(inside.has(path, name) for path in paths):
        return not all(only_where_missing(resolver, other, at, path, name) for path in paths)
    if own_instance(found, at):
        return False
    if any(name in inside.front.get(cls, ()) for cls in _HAD_BY_ALL) and _is_class_of_jit(resolver, scope, found):
        return True
    held = {*given(resolver, scope, found)}
    may_be = [owner for owner in inside.owners if may_give(held, owner) and inside.has(owner, name)]
    return bool(may_be) and not all(only_where_missing(resolver, other, at, owner, name) for owner in may_be)


def _is_class_of_jit(resolver: ResolverView, scope: Scope, found: ast.expr) -> bool:
    """Whether it may be the class of a jit function: ``type(f)``, ``f.__class__``."""
    if isinstance(found, ast.Call) and last_name(found.func) == "type" and len(found.args) == 1:
        made = found.args[0]
    elif isinstance(found, ast.Attribute) and found.attr == "__class__":
        made = found.value
    else:
        return False
    known = meanings(resolver, scope, made)
    return any(
        isinstance(one, Bound) and isinstance(one.event.node, ast.FunctionDef) and bool(one.event.node.decorator_list)
        for one in known
    )


@lru_cache(maxsize=1)
def _cached(home: str) -> dict[str, _Inside]:
    """(The installed Triton stays as it is for as long as the process lives.)"""
    return {}


def _inside(resolver: ResolverView, home: str) -> _Inside:
    known = _cached(home)
    if home not in known:
        found = {owner: frozenset(names) for owner, names in _found(resolver, home).items()}
        every = {name for names in found.values() for name in names}
        front = _front(resolver, home)
        known[home] = _Inside(
            {**found, **front, **_front_modules(found)},
            tuple(sorted({*every, *_OF_JIT})),
            (*_owners(found), *_FRONT_MODULES, *(f"{owner}.{cls}" for owner in _FRONT_MODULES for cls in front)),
            front,
            _asked(resolver, home),
        )
    return known[home]


def _asked(resolver: ResolverView, home: str) -> frozenset[str]:
    """What the front end takes of something by its name."""
    files = (resolver.project.find_module(path, home + "__init__.py") for path in (*_MODULES, *_FRONT))
    texts = [resolver.project.text(file) for file in files if file is not None]
    return frozenset(name for text in texts for one in _ATTRIBUTE.findall(text) for name in one)


def _front(resolver: ResolverView, home: str) -> dict[str, frozenset[str]]:
    """What may not be set in the classes that a kernel's text is in and handed on by."""
    found: dict[str, frozenset[str]] = {}
    for path, classes in _FRONT.items():
        file = resolver.project.find_module(path, home + "__init__.py")
        for statement in () if file is None else _top(resolver.project.load(file).tree):
            if isinstance(statement, ast.ClassDef) and statement.name in classes:
                bound = {name for inner in statement.body for name in _bound(inner)}
                found[statement.name] = frozenset({*bound, *_OF_ANY_CLASS} - _LAUNCHES)
    for heir, base in _DERIVED:
        if heir in found:
            found[heir] |= found.get(base, frozenset())
    # (What a jit function does where host code calls it is no kernel's business.)
    return {cls: names - {"__call__"} if cls.endswith("JITFunction") else names for cls, names in found.items()}


def _front_modules(found: dict[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Which classes are no others for being put in their places, by the modules that have them."""
    own = {path.rpartition(".")[2]: frozenset(classes) for path, classes in _FRONT.items()}
    return {name: classes | found.get(name, frozenset()) for name, classes in own.items()}


def _found(resolver: ResolverView, home: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {"tensor": set(), "language": set(), "triton": {"language"}}
    for path in _MODULES:
        file = resolver.project.find_module(path, home + "__init__.py")
        if file is None:
            continue
        own = found.setdefault(path.rpartition(".")[2], set())
        for statement in _top(resolver.project.load(file).tree):
            own |= _bound(statement)
            if isinstance(statement, ast.ClassDef):
                methods = found.setdefault(statement.name, set())
                for inner in statement.body:
                    methods |= _bound(inner)
            elif isinstance(statement, ast.FunctionDef):
                made = (d.func if isinstance(d, ast.Call) else d for d in statement.decorator_list)
                if any(_MAKES_METHODS in ast.unparse(d) for d in made):
                    found["tensor"].add(statement.name)
        if path == _MODULES[-1]:
            found["language"].update(_TAKEN.findall(resolver.project.text(file)))
    found["language"].update(("core", "semantic", "standard"))
    return found


def _owners(found: dict[str, frozenset[str]]) -> tuple[str, ...]:
    """The paths of modules and classes, those of classes as the languages and their modules have them."""
    modules = {path.rpartition(".")[2] for path in _MODULES}
    classes = [name for name in found if name not in (*modules, "language", "triton")]
    return (
        "triton",
        *_LANGUAGES,
        *_MODULES,
        *(f"{owner}.{name}" for owner in (*_LANGUAGES, *_MODULES) for name in classes),
    )


def _top(tree: ast.Module) -> Iterator[ast.stmt]:
    for statement in tree.body:
        yield statement
        if isinstance(statement, (ast.If, ast.Try)):
            yield from statement.body


def _bound(statement: ast.stmt) -> set[str]:
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {alias.asname or alias.name for alias in statement.names}
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return {one.id for one in targets if isinstance(one, ast.Name)}
