"""What other code sets in an object that it is handed, in whichever file: ``patch(Out)`` where
``def patch(C): C.put = other``. Code of which nothing in sight says what it does with the object may set what some file
sets of whatever.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kernel_analysis.host.changes import callees
from kernel_analysis.host.changes.module_names.handed_modules import alias_of
from kernel_analysis.host.changes.module_names.handed_set import HandedSet
from kernel_analysis.host.changes.objects import deep_stores, stores_of_any
from kernel_analysis.host.changes.text.text_holds import may_give
from kernel_analysis.host.changes.uses import Occurrence, occurrences
from kernel_analysis.host.names.naming import Bound, meanings
from kernel_analysis.record import record
from kernel_analysis.source.text_search import compiler_stores
from kernel_analysis.source.text_search.compiler_stores import IN_JIT
from kernel_analysis.source.text_search.compiler_stores import PARTS_OF_JIT as PARTS
from kernel_analysis.source.tree.forms import last_name

if TYPE_CHECKING:
    from kernel_analysis.host.evaluate.values import Scope
    from kernel_analysis.host.interpreter_views import TouchesView
    from kernel_analysis.source.module import Module

PARTS_OF_JIT = ("_src", "parse", "_unsafe_update_src")
"""Of these Triton compiles a jit function; what Python's function has was read when it was made."""
ATTRIBUTES_OF_JIT = (
    *PARTS_OF_JIT, "fn", "__globals__", "get_capture_scope", "signature", "params", "arg_names", "_fn_name", "hash",
    "cache_key", "__class__", "__dict__",
)  # fmt: skip
"""Who has the function can set these, by which Triton finds what it compiles."""
_ASKED_BY_ITSELF = ("__defaults__", "__kwdefaults__", "__signature__")
"""Of what a call leaves out Triton asks Python's function itself (``function_parts.defaults_changed``)."""
ATTRIBUTES_OF_PYTHON = ("fn", "__class__", "__dict__")
"""And these of one that Python runs."""


@record
class Shared:
    """An object that code may have by a name. ``node``: the statement that alone makes it, if one does. ``its_own``:
    what its own file does with it is asked, too. ``dicts``: it has a dict of its attributes."""

    scope: Scope
    name: str
    node: ast.AST | None = None
    its_own: bool = True
    dicts: bool = True


def changed(
    touches: TouchesView, shared: Shared, attributes: Sequence[str], contents: bool = False, inner: Sequence[str] = ()
) -> str | None:
    """What may set one of these attributes of it, in words. ``contents``: or change what is in it; ``inner``: by
    setting one of these of that."""
    if not may_be_set(touches, (*attributes, *inner), shared.dicts or bool(inner)):
        return None
    why = _set(touches, shared, (None, *attributes), contents)
    return why or touches.handed.changed(shared.scope.module, shared.name, True)


def parts_set(touches: TouchesView, shared: Shared) -> str | None:
    """What sets something in a part of what is a jit function, in words, or a part that nothing but compiles reads."""
    elsewhere, own = touches.resolver.project.elsewhere, shared.scope.module
    marked = elsewhere.stored(IN_JIT)
    if not marked and not (not elsewhere.has_read(own.file) and IN_JIT in compiler_stores.marks(own.text)):
        return None
    for other, at in _uses(touches, shared, PARTS):
        for made in deep_stores.stores(touches.resolver, other, at, [shared.name]):
            steps = made.steps[1:]
            if steps[:1] == ["fn"] and steps[-1] in _ASKED_BY_ITSELF:
                continue
            if steps and steps[0] in PARTS and (len(steps) > 1 or made.deeper or steps[0] not in ATTRIBUTES_OF_JIT):
                file = made.file or other.file
                touches.resolver.read((file,))
                where = touches.resolver.project.place(file, made.line)
                return f"`{steps[0]}` of `{shared.name}` may be changed by {where}"
    return None


def spelled(touches: TouchesView, shared: Shared, attributes: Sequence[str]) -> str | None:
    """What sets one of these attributes of it by its name, in words."""
    return _set(touches, shared, attributes, False) if may_be_set(touches, attributes, False) else None


def _set(touches: TouchesView, shared: Shared, attributes: Sequence[str | None], contents: bool) -> str | None:
    for other, at in _uses(touches, shared, [attribute for attribute in attributes if attribute is not None]):
        for made in touches.handed.sets(other, at):
            if made.name in attributes and (contents or not made.contents):
                return told(touches, shared.name, made)
    return None


def may_be_set(touches: TouchesView, attributes: Sequence[str], dicts: bool) -> bool:
    """Whether some file sets one of these of whatever."""
    key = (stores_of_any.anywhere, *attributes, dicts)
    return touches.once(key, lambda: stores_of_any.anywhere(touches.resolver, attributes, dicts)) is not None


def told(touches: TouchesView, name: str, made: HandedSet) -> str:
    touches.resolver.read((made.file,))
    return f"`{name}` may be changed by {touches.resolver.project.place(made.file, made.line)}"


def _uses(touches: TouchesView, shared: Shared, attributes: Sequence[str]) -> Iterator[tuple[Module, Occurrence]]:
    """Where files have it, but for kernels, whose text sets nothing in it."""
    resolver, module, name = touches.resolver, shared.scope.module, shared.name
    project, words = resolver.project, resolver.project.elsewhere.called(name)
    others = [file for file in project.elsewhere.wording(module, name) if file != module.file]
    for file in [module.file, *others] if shared.its_own else others:
        if not any(project.says(file, may_give, word, *attributes) for word in words):
            continue
        resolver.read((file,))
        other = module if file == module.file else project.load(file)
        for at in (taken(at) for word in words for at in occurrences(other, word)):
            if not at.around and alias_of(at) in words:
                continue  # what is done with it under that name is looked at wherever it is
            if not callees.in_kernel(resolver, resolver.scope(other, at.around)) and may_be(touches, shared, other, at):
                yield other, at


def taken(at: Occurrence) -> Occurrence:
    """What is taken out of a dict, or of something, by its name."""
    word, *above = at.chain
    if not above or not isinstance(word, ast.expr):
        return at
    taken = isinstance(above[0], ast.Subscript) and above[0].slice is word
    asked = isinstance(above[0], ast.Call) and above[0].args[1:2] == [word] and last_name(above[0].func) == "getattr"
    return Occurrence((*above,), at.statement, at.around) if taken or asked else at


def may_be(touches: TouchesView, shared: Shared, other: Module, at: Occurrence) -> bool:
    """Whether it may be the object that stands there."""
    node, scope = at.chain[0], shared.scope
    if isinstance(node, (ast.Subscript, ast.Call)):
        return True
    if not isinstance(node, (ast.Name, ast.Attribute)) or isinstance(at.statement, (ast.Import, ast.ImportFrom)):
        return False
    if annotates(at):
        return False
    if other is scope.module and isinstance(node, ast.Name):
        return touches.refers(at, shared.name, scope)
    found = meanings(touches.resolver, touches.resolver.scope(other, at.around), node)
    return any(one is None or isinstance(one, Bound) and _is_bound(shared, one) for one in found)


def annotates(at: Occurrence) -> bool:
    """Whether it alone says what a parameter, a variable or a result is: more than a name is evaluated there."""
    node, above = (*at.chain, None)[:2]
    if isinstance(above, (ast.arg, ast.AnnAssign)):
        return above.annotation is node
    return isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)) and above.returns is node


def _is_bound(shared: Shared, found: Bound) -> bool:
    if shared.node is not None:
        return found.event.node is shared.node
    return found.scope.module is shared.scope.module and found.name == shared.name
