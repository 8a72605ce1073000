"""What runs a text that is not in sight, or sets what such a text names: ``timeit.timeit(text)``, ``patch(path)``.
(Code that stands in a string is found by ``quoted``.)

Follows what is spelled; evaluates nothing. What is not followed counts.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.computed.computed_site import ComputedSite
from kernel_analysis.host.changes.computed.named_sites import ANYWHERE, of_names, of_path, set_in
from kernel_analysis.host.changes.uses import Occurrence, occurrences
from kernel_analysis.host.evaluate.values import External, ModuleValue
from kernel_analysis.host.names.naming import Bound, binding, meaning
from kernel_analysis.host.names.spelled_texts import spelled
from kernel_analysis.source.slice import TritonObject
from kernel_analysis.source.text_search.mentions import ANY_MODULE, RUNNERS
from kernel_analysis.source.tree import nodes
from kernel_analysis.source.tree.forms import chain, last_name
from kernel_analysis.source.tree.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.host.evaluate.values import Scope
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_GIVES_FUNCTIONS = (ast.Lambda, ast.Constant)
_TEXTS: dict[str, tuple[int | str, ...]] = {
    "torch.utils.benchmark.Timer": (0, 1, 2, "stmt", "setup", "global_setup"),
    **dict.fromkeys(("timeit.Timer", "timeit.timeit", "timeit.repeat"), (0, 1, "stmt", "setup")),
    "unittest.mock.patch": (0, "target"),
    "unittest.mock.patch.object": (1, "attribute"),
    "unittest.mock.patch.dict": (0, 1, "in_dict", "values"),
    **{f"unittest.mock.{name}": () for name in ("Mock", "MagicMock", "AsyncMock", "PropertyMock", "NonCallableMock",
                                               "NonCallableMagicMock", "create_autospec", "mock_open", "call")},
}  # fmt: skip
"""Which arguments, by position or keyword, are texts that are run or that name what is set; the others are what it is
set to, how often, and what a table says. What these make has no more texts to be run: its methods are told how often,
and what to give back. (A module of the workspace that goes by such a path does what its own text says.)"""
_OF_FIXTURE = {"patch": "unittest.mock.patch"}
"""What a method does of an object that is no module in sight."""
_NO_NAMES = ("target", "spec", "create", "spec_set", "autospec", "new_callable")
_CODE_PARTS = ("co_code", "co_consts", "co_names")
_ASKS = frozenset(
    f"unittest.{part}{name}"
    for part in ("", "case.")
    for name in ("skip", "skipIf", "skipUnless", "expectedFailure", "SkipTest")
)
"""What is given a condition and a reason, and gives back what it is put on."""


def sites(resolver: ResolverView, other: Module) -> Iterator[ComputedSite]:
    """Where a file does that by what it imports of the standard library's, or of torch's."""
    names = _names(other)
    for name in sorted(names):
        for at in occurrences(other, name):
            if isinstance(at.chain[0], ast.Name) and isinstance(at.chain[0].ctx, ast.Load):
                scope = resolver.scope(other, at.around)
                if (patched := _patched(resolver, other, at, names)) is not None:
                    yield from patched
                elif (worded := _given(resolver, scope, at.chain, names)) is not None:
                    yield ComputedSite(at.statement.lineno, worded)
                yield from _by_object(resolver, other, at, names)
    yield from _by_fixtures(resolver, other, names)
    yield from _code_changed(other)


def _by_fixtures(resolver: ResolverView, other: Module, names: Mapping[str, str]) -> Iterator[ComputedSite]:
    """The same by ``patch`` of an object that is handed in, as ``mocker`` of pytest's is."""
    for at in occurrences(other, "patch") if ".patch" in other.named else ():
        method = at.chain[0]
        if not isinstance(method, ast.Attribute) or not _path(method, names).startswith("unittest.mock"):
            continue
        scope = resolver.scope(other, at.around)
        if _path(method.value, names) or _is_imported(scope, method):
            continue
        if (patched := _patched(resolver, other, at, names)) is not None:
            yield from patched
        elif (worded := _given(resolver, scope, at.chain, names)) is not None:
            yield ComputedSite(at.statement.lineno, worded)


def _is_imported(scope: Scope, node: ast.expr) -> bool:
    """Whether it is taken of what imports bind: whose text says itself what it sets."""
    root, _ = chain(node)
    found = binding(scope, root.id) if isinstance(root, ast.Name) else None
    return found is not None and bool(found[1]) and all(event.how in ("import", "from") for event in found[1])


def _code_changed(other: Module) -> Iterator[ComputedSite]:
    """What a function does whose code is made anew."""
    for node in descend(other.tree) if any(part in other.named for part in _CODE_PARTS) else ():
        if isinstance(node, ast.keyword) and node.arg in _CODE_PARTS:
            yield ComputedSite(node.lineno, imports=True)


def _by_object(
    resolver: ResolverView, other: Module, at: Occurrence, names: Mapping[str, str]
) -> Iterator[ComputedSite]:
    """The same by what it makes, where that gets a name."""
    if _is_given_its_texts(at.chain, names):
        return
    targets = at.statement.targets if isinstance(at.statement, ast.Assign) else []
    bound = [at.statement.target] if isinstance(at.statement, ast.AnnAssign) else targets
    with_ = at.statement.items if isinstance(at.statement, (ast.With, ast.AsyncWith)) else []
    for target in (*bound, *(item.optional_vars for item in with_ if item.optional_vars is not None)):
        name = last_name(target)
        for one in occurrences(other, name) if name else ():
            worded = _given(resolver, resolver.scope(other, one.around), one.chain, names)
            if worded is not None and one.statement is not at.statement:
                yield ComputedSite(one.statement.lineno, worded)


def _names(other: Module) -> dict[str, str]:
    """The names of a file that stand for one of these modules, or for something of it, with what is imported so."""
    found: dict[str, str] = {}
    for node, _ in nodes.statements(other):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if _runs(alias.name):
                    top = alias.name.partition(".")[0]
                    found[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module is not None:
            for alias in node.names:
                if _runs(node.module) or _runs(f"{node.module}.{alias.name}"):
                    found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return found


def _runs(path: str) -> bool:
    return any(path == known or path.startswith(f"{known}.") for known in RUNNERS)


def _path(node: ast.expr, names: Mapping[str, str]) -> str:
    """What is spelled there by the file's imports, dotted; empty for anything else."""
    if isinstance(node, ast.Attribute):
        owner = _path(node.value, names)
        return f"{owner}.{node.attr}" if owner else _OF_FIXTURE.get(node.attr, "")
    return names.get(node.id, "") if isinstance(node, ast.Name) else ""


def _is_given_its_texts(chain: tuple[ast.AST, ...], names: Mapping[str, str]) -> bool:
    """Whether what stands there is called at once, and what that makes was given all texts that it is about."""
    for node, above in itertools.pairwise(chain):
        if isinstance(above, ast.Call) and above.func is node:
            return _path(above.func, names) in _TEXTS
        if not isinstance(above, ast.Attribute):
            return False
    return False


def _texts_of(call: ast.Call, names: Mapping[str, str]) -> Iterator[ast.expr]:
    """The arguments of a call that may be texts which are run, or name what is set."""
    known = _TEXTS.get(_path(call.func, names))
    for place, argument in enumerate(call.args):
        spread = any(isinstance(one, ast.Starred) for one in call.args[: place + 1])
        if known is None or place in known or known and spread:
            yield argument
    for keyword in call.keywords:
        if keyword.arg is None and known != ():
            yield from keyword.value.values if isinstance(keyword.value, ast.Dict) else (keyword.value,)
        elif known is None or keyword.arg in known:
            yield keyword.value


def _given(resolver: ResolverView, scope: Scope, chain: tuple[ast.AST, ...], names: Mapping[str, str]) -> bool | None:
    """Whether all texts that are given to what stands there, and to what that gives, are made of words of the file;
    None: it is given none but what stands there as such."""
    worded = None
    for node, above in itertools.pairwise(chain):
        if not isinstance(above, ast.Call) or above.func is not node:
            continue
        if isinstance(made := getattr(node, "value", None), ast.Call) and _path(made.func, names) in _TEXTS:
            continue
        called = meaning(resolver, scope, above.func)
        if isinstance(called, External) and called.path in _ASKS:
            return None
        if _path(above.func, names) == "unittest.mock.patch.dict" and _has_no_names(resolver, scope, above.args[:1]):
            continue
        for argument in _texts_of(above, names):
            if isinstance(argument, _GIVES_FUNCTIONS) or _is_no_text(resolver, scope, argument):
                continue
            worded = worded is not False and spelled(resolver, scope, argument)
    return worded


def _patched(
    resolver: ResolverView, other: Module, at: Occurrence, names: Mapping[str, str]
) -> list[ComputedSite] | None:
    """What ``mock.patch`` and its like set there, where they are given at once whose names and which."""
    call = next((node for node in at.chain if isinstance(node, ast.Call)), None)
    if call is None or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    path, line = _path(call.func, names), at.statement.lineno
    targets = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "target")]
    scope = resolver.scope(other, at.around)
    if path == "unittest.mock.patch" and targets:
        site = of_path(resolver, scope, targets[0], line)
        return [site] if site is not None else []
    if path == "unittest.mock.patch.object" and len(call.args) > 1:
        found = meaning(resolver, scope, call.args[0])
        defined = isinstance(found, Bound) and isinstance(found.event.node, (ast.ClassDef, ast.FunctionDef))
        any_module = (
            frozenset[str]() if defined or isinstance(found, (External, TritonObject)) else frozenset((ANY_MODULE,))
        )
        return [of_names(resolver, scope, call.args[0], call.args[1], line, any_module)]
    if path == "unittest.mock.patch.multiple" and targets:
        texts = set_in([], [k for k in call.keywords if k.arg not in _NO_NAMES])
        return [of_names(resolver, scope, targets[0], texts, line, ANYWHERE)]
    return None


def _has_no_names(resolver: ResolverView, scope: Scope, patched: list[ast.expr]) -> bool:
    """Whether a dict that is patched is a library's own, as ``os.environ`` is, and has neither modules nor the names of
    one in it."""
    found = meaning(resolver, scope, patched[0]) if patched else None
    return isinstance(found, External) and found.path != "sys.modules" and not found.path.endswith("__")


def _is_no_text(resolver: ResolverView, scope: Scope, argument: ast.expr) -> bool:
    """Whether it is a function, a class, a module, something of a library's, or a display of values."""
    if isinstance(argument, ast.Call):
        return getattr(argument.func, "id", "") in ("globals", "locals", "vars", "dict", "list", "int", "float", "len")
    if isinstance(argument, (ast.Dict, ast.List, ast.Tuple, ast.Compare)):
        return True
    found = meaning(resolver, scope, argument)
    made = isinstance(found, Bound) and isinstance(found.event.node, (ast.FunctionDef, ast.ClassDef))
    return made or isinstance(found, (ModuleValue, External))
