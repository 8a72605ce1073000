"""What one pass over a function's syntax gives: its nodes, a digest that no formatting changes, and the outside names
that it uses."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import ParamSpec, TypeAlias, TypeVar, cast

from kernel_analysis.record import record
from kernel_analysis.source.tree.forms import chain

Chain: TypeAlias = "tuple[str, ...]"
_WORDS = frozenset({"id", "attr", "arg", "name", "asname", "kind", "type_comment"})
"""Fields that hold a word or nothing."""
_SKIPPED = frozenset({"ctx", "type_comment", "kind"})
"""Fields that change nothing."""


@record
class Usage:
    """``names``: each outside name with the attribute chains that are taken from it (``()``: used bare).

    ``annotations``: those used in annotations only; ``head``: in annotations and defaults only; ``twice``: there and in
    the body. ``early``: names assigned inside, but read above the first assignment."""

    names: tuple[tuple[str, tuple[Chain, ...]], ...]
    annotations: frozenset[str]
    head: frozenset[str]
    twice: frozenset[str]
    early: frozenset[str]


class _Fields(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each class of nodes that may hold nodes, but those left out."""

    def __init__(self, left_out: frozenset[str]) -> None:
        self._left_out = left_out | _WORDS

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        # The name of `type X = ...` is a node.
        words = self._left_out - {"name"} if kind.__name__ == "TypeAlias" else self._left_out
        fields = () if kind is ast.Constant else tuple(name for name in kind._fields if name not in words)
        self[kind] = fields
        return fields


_WITHOUT_CONTEXT = _Fields(frozenset({"ctx"}))
_WITHOUT_OPERATORS = _Fields(frozenset({"ctx", "op", "ops"}))
_WITHOUT_DECORATORS = _Fields(frozenset({"ctx", "decorator_list"}))


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes right below, in the order of the text; not whether a name is read or written, which its node says."""
    return inside(node, _WITHOUT_CONTEXT)


def descend(node: ast.AST) -> Iterator[ast.AST]:
    """``ast.walk`` in a third of the time: the node and all below, breadth first."""
    todo = [node]
    for each in todo:
        yield each
        names = _WITHOUT_CONTEXT[each.__class__]
        if names:
            todo += _held(each, names)


def inside(node: ast.AST, fields: _Fields = _WITHOUT_OPERATORS) -> list[ast.AST]:
    """The nodes directly inside, but contexts and operators: ``ast.iter_child_nodes`` takes several times as long."""
    names = fields[node.__class__]
    return _held(node, names) if names else []


def _held(node: ast.AST, names: tuple[str, ...]) -> list[ast.AST]:
    found: list[ast.AST] = []
    for name in names:
        value = getattr(node, name, None)
        if isinstance(value, list):
            items: list[object] = value  # pyright: ignore[reportUnknownVariableType]
            found += [child for child in items if isinstance(child, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def digest(function: ast.FunctionDef) -> str:
    """A hash of the syntax tree without positions and decorators: each node's class and fields, breadth first,
    determine the tree."""
    parts: list[str] = []
    todo: list[ast.AST] = [function]
    for node in todo:
        parts.append(node.__class__.__name__)
        for name in node._fields:
            if name in _SKIPPED or name == "decorator_list" and node is function:
                continue
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                parts.append(".")
                todo.append(value)
            elif isinstance(value, list):
                items: list[object] = value  # pyright: ignore[reportUnknownVariableType]
                parts.append(str(len(items)))
                for item in items:
                    if isinstance(item, ast.AST):
                        todo.append(item)
                        parts.append(".")
                    else:
                        parts.append(spelled(item))
            else:
                parts.append(spelled(value))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def spelled(value: object) -> str:
    """``repr`` that also takes integers that Python refuses to print."""
    if isinstance(value, int) and value.bit_length() > 1000:
        return hex(value)
    return repr(value)


def usage(function: ast.FunctionDef) -> Usage:
    """The names that a function's body, defaults and annotations take from outside."""
    stored: dict[str, tuple[int, int]] = {}
    loaded: dict[str, set[Chain]] = {}
    first: dict[str, tuple[int, int]] = {}
    outer: dict[str, set[Chain]] = {}
    noted: dict[str, set[Chain]] = {}
    arguments = function.args
    everyone = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    everyone += [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    for argument in everyone:
        stored[argument.arg] = (0, 0)
        _collect([argument.annotation] if argument.annotation else [], {}, noted, {}, {})
    _collect([function.returns] if function.returns else [], {}, noted, {}, {})
    _collect([*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)], {}, outer, {}, noted)
    _collect(function.body, stored, loaded, first, noted)
    # What is first bound under a condition, or later, may be the outside one where it is used.
    depth = function.body[0].col_offset
    early = frozenset(
        n
        for n in loaded
        if n in stored and stored[n] != (0, 0) and (first[n][0] < stored[n][0] or stored[n][1] > depth)
    )
    names: dict[str, set[Chain]] = {n: set(c) for n, c in loaded.items() if n not in stored or n in early}
    for found in (outer, noted):
        for name, chains in found.items():
            names.setdefault(name, set()).update(chains)
    only = frozenset(n for n in noted if n not in outer and (n not in loaded or (n in stored and n not in early)))
    head = frozenset(n for n in names if n not in loaded or (n in stored and n not in early))
    twice = frozenset(outer.keys() | noted.keys()) - head
    return Usage(tuple((n, tuple(sorted(c))) for n, c in sorted(names.items())), only, head, twice, early)


def _collect(
    roots: Iterable[ast.AST],
    stored: dict[str, tuple[int, int]],
    loaded: dict[str, set[Chain]],
    first: dict[str, tuple[int, int]],
    noted: dict[str, set[Chain]],
) -> None:
    """Walks ``roots``; a nested function's parameters and a comprehension's targets count as stored."""
    todo: list[ast.AST] = list(roots)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Name):
            place = (node.lineno, node.col_offset)
            if isinstance(node.ctx, ast.Load):
                loaded.setdefault(node.id, set()).add(())
                first[node.id] = min(first.get(node.id, place), place)
            else:
                stored[node.id] = min(stored.get(node.id, place), place)
            continue
        if isinstance(node, ast.Attribute):
            inner, names = chain(node)
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
                place = (inner.lineno, inner.col_offset)
                loaded.setdefault(inner.id, set()).add(tuple(names))
                first[inner.id] = min(first.get(inner.id, place), place)
            else:
                todo.append(inner)
            continue
        if isinstance(node, ast.arg):
            stored.setdefault(node.arg, (node.lineno, node.col_offset))
            if node.annotation is not None:
                _collect([node.annotation], {}, noted, {}, {})
            continue
        if isinstance(node, ast.AnnAssign):
            _collect([node.annotation], {}, noted, {}, {})
            todo += [node.target, *([node.value] if node.value else [])]
            continue
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            stored.setdefault(node.name, (node.lineno, node.col_offset))
        todo += children(node)


@lru_cache(maxsize=4096)
def _known(text: str) -> dict[str, tuple[str, Usage]]:
    """A place to remember what a source text came to; ``lru_cache`` keeps it bounded."""
    return {}


def remembered(function: ast.FunctionDef, text: str) -> tuple[str, Usage]:
    """Digest and usage of a function whose source is ``text``, worked out once for each text."""
    entry = _known(text)
    if "" not in entry:
        entry[""] = (digest(function), usage(function))
    return entry[""]


_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")
_kept: list[Callable[[], None]] = []


OF_A_FILE = 1024
"""What is asked of each function of a file in turn: of more than are kept, none is found again."""


def kept_with_trees(most: int) -> Callable[[Callable[_Asked, _Answer]], Callable[_Asked, _Answer]]:
    """``lru_cache`` for what is asked of a node, or of a module: it holds their trees, until nobody needs them."""

    def keep(function: Callable[_Asked, _Answer]) -> Callable[_Asked, _Answer]:
        kept = lru_cache(maxsize=most)(function)
        _kept.append(kept.cache_clear)
        return cast("Callable[_Asked, _Answer]", kept)

    return keep


def let_go() -> None:
    """Hold no tree because somebody asked for something in it."""
    for clear in _kept:
        clear()


@kept_with_trees(OF_A_FILE)
def nodes(function: ast.FunctionDef) -> tuple[ast.AST, ...]:
    """Every node with a position, breadth first, the decorators left out."""
    todo = [function, *_held(function, _WITHOUT_DECORATORS[function.__class__])]
    for node in islice(todo, 1, None):
        names = _WITHOUT_OPERATORS[node.__class__]
        if names:
            todo += _held(node, names)
    return tuple([node for node in todo if hasattr(node, "lineno")])


_Node = TypeVar("_Node", bound=ast.AST)


def all_of(function: ast.FunctionDef, kind: type[_Node]) -> Sequence[_Node]:
    """The nodes of exactly this class in a function, decorators included, breadth first: one walk for all who ask."""
    found: Sequence[_Node] = _by_class(function).get(kind, ())  # pyright: ignore[reportAssignmentType]
    return found


@kept_with_trees(OF_A_FILE)
def _by_class(function: ast.FunctionDef) -> dict[type[ast.AST], list[ast.AST]]:
    found: dict[type[ast.AST], list[ast.AST]] = {}
    for node in descend(function):
        found.setdefault(node.__class__, []).append(node)
    return found


@kept_with_trees(OF_A_FILE)
def annotated_constants(function: ast.FunctionDef) -> frozenset[str]:
    """The parameters whose annotation has ``constexpr`` in it, as Triton tells them."""
    arguments = function.args
    annotated = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return frozenset([a.arg for a in annotated if a.annotation is not None and is_constexpr(a.annotation)])


def is_constexpr(annotation: ast.expr) -> bool:
    """Whether an annotation reads ``tl.constexpr``, ``constexpr`` or ``"tl.constexpr"``: by the word in it."""
    if isinstance(annotation, ast.Attribute) and isinstance(annotation.value, ast.Name):
        return "constexpr" in annotation.attr or "constexpr" in annotation.value.id
    if isinstance(annotation, ast.Name):
        return "constexpr" in annotation.id
    return "constexpr" in ast.unparse(annotation)
