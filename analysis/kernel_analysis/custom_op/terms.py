"""Whether an expression of the code around a launch can be said with what the op is given, and how.

Only what may happen again without harm is said again: arithmetic, sizes, and functions that are given no tensor. No
evaluator: an expression is copied or not, whatever its value; of torch it knows what ``host/tensors`` says.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Literal

from kernel_analysis.custom_op.steps import PARAMETER, SHAPE, Steps
from kernel_analysis.host.tensors.certain import library
from kernel_analysis.host.tensors.library import LIKE, NEW, NEW_LIKE, OF_LAYOUT, OF_SHAPE
from kernel_analysis.host.tensors.placing import Place
from kernel_analysis.source.tree.forms import chain

Version = tuple[str, int]
Tensor = Literal["no", "shape", "any"]
"""Which of a tensor an expression may be: none, one that is asked for its shape, or any."""


@dataclass(slots=True)
class Terms:
    """``module``: the names that the file itself has and nothing in the op hides. ``place``: where the launch stands.
    ``given``: the op's name for a version of a name around the launch; those in ``tensors`` are tensors. ``alike``: the
    same for earlier versions that are known to have that shape. ``taken``: names of the op's own that a copied
    statement must not bind."""

    steps: Steps
    module: frozenset[str]
    place: Place
    given: dict[Version, str] = field(default_factory=dict[Version, str])
    tensors: set[str] = field(default_factory=set[str])
    alike: dict[Version, str] = field(default_factory=dict[Version, str])
    taken: frozenset[str] = frozenset()

    def is_tensor(self, name: str, version: int, word: str) -> None:
        """The op's input ``word`` is this tensor."""
        self.given[name, version] = word
        self.tensors.add(word)
        while version != PARAMETER and self.steps.steps[version].whole:
            value = getattr(self.steps.steps[version].node, "value", None)
            if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)):
                return
            holder = value.func.value
            if value.func.attr != "contiguous" or not isinstance(holder, ast.Name):
                return
            earlier = self.steps.version(holder.id, version)
            if earlier is None:
                return
            version = earlier
            self.alike[holder.id, version] = word

    def says(self, node: ast.expr | None, before: int, tensor: Tensor = "no") -> set[int] | None:
        """The steps that have to be copied for an expression that stands before step ``before``; None where it can't be
        said. ``tensor``: which tensors will do; with ``any`` also a new one."""
        if node is None:
            return set()
        if isinstance(node, ast.Name):
            return self._name(node.id, before, tensor)
        if isinstance(node, ast.Attribute):
            return self.says(node.value, before, "shape" if node.attr in SHAPE else "no")
        if isinstance(node, ast.Call):
            return self._call(node, before, tensor)
        if isinstance(node, ast.Compare) and all(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
            return self._all([node.left, *node.comparators], before, "shape")
        if isinstance(node, ast.Lambda):
            return self._function(node, [node.body])
        if isinstance(
            node,
            ast.Constant | ast.BinOp | ast.UnaryOp | ast.BoolOp | ast.Compare | ast.IfExp | ast.Tuple
            | ast.List | ast.Dict | ast.Subscript | ast.Slice | ast.Starred,
        ):  # fmt: skip
            return self._all([n for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr)], before)
        return None

    def makes(self, node: ast.expr, before: int) -> set[int] | None:
        """As ``says``, for the making of a new tensor: ``torch.empty_like(x)``, ``x.new_zeros(n)``."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return None
        rest = [*node.args, *(keyword.value for keyword in node.keywords)]
        if node.func.attr in NEW_LIKE:
            rest = [node.func.value, *rest]
        else:
            module, _, name = (library(self.place, node.func) or "").rpartition(".")
            if module != "torch" or name not in LIKE | NEW:
                return None
        like = [] if node.func.attr in NEW else rest[:1]
        needed, first = self._all(rest[len(like) :], before), self._all(like, before, "any")
        return None if needed is None or first is None else needed | first

    def unsaid_numbers(self, grid: ast.expr, before: int) -> list[tuple[str, int]]:
        """The names that keep a grid from being said, where they stand for numbers, with their versions."""
        version = self.steps.version(grid.id, before) if isinstance(grid, ast.Name) else None
        node: ast.AST = grid
        if version is not None and version != PARAMETER and self.steps.steps[version].whole:
            node = self.steps.steps[version].node
            if not isinstance(node, ast.FunctionDef) and not isinstance(getattr(node, "value", None), ast.Lambda):
                before = version
        own = {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
        own |= {n.value.id for n in ast.walk(node) if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)}
        own |= {n.func.id for n in ast.walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
        found = [(name, self.steps.version(name, before)) for name in dict.fromkeys(names) if name not in own]
        out = [(n, v) for n, v in found if v is not None and self._name(n, before) is None]
        return [] if {name for name, _ in out} & set(self.given.values()) else out

    def copied(self, needed: set[int]) -> list[str]:
        """The steps, in the op's words."""
        return [ast.unparse(self._spoken(self.steps.steps[place].node, place)) for place in sorted(needed)]

    def spoken(self, node: ast.expr, before: int) -> str:
        """An expression that can be said, in the op's words."""
        return ast.unparse(self._spoken(node, before))

    def _spoken(self, node: ast.AST, before: int) -> ast.AST:
        return ast.fix_missing_locations(_Renamed(self, before).visit(deepcopy(node)))

    def word(self, name: str, before: int) -> str:
        """The op's word for a name as a step sees it."""
        version = self.steps.version(name, before)
        if version is None:
            return name
        return self.given.get((name, version)) or self.alike.get((name, version)) or self.local(name)

    def local(self, name: str) -> str:
        """The op's word for a name that a copied step binds."""
        return f"{name}_" if name in self.taken else name

    def _name(self, name: str, before: int, tensor: Tensor = "no") -> set[int] | None:
        version = self.steps.version(name, before)
        if version is None:
            return set() if name in self.module or hasattr(builtins, name) else None
        if (name, version) in self.given:
            return set() if tensor != "no" or self.given[name, version] not in self.tensors else None
        if (name, version) in self.alike and tensor == "shape":
            return set()
        if version == PARAMETER or not self.steps.steps[version].whole:
            return None
        return self._step(version)

    def _step(self, place: int) -> set[int] | None:
        node = self.steps.steps[place].node
        needed: set[int] | None = None
        if isinstance(node, ast.FunctionDef):
            if node.decorator_list or any(isinstance(n, ast.Nonlocal | ast.Global | ast.Yield) for n in ast.walk(node)):
                return None
            inner = [n for statement in node.body for n in _values(statement)]
            simple = all(isinstance(s, ast.Return | ast.Assign | ast.If | ast.AnnAssign) for s in node.body)
            needed = self._function(node, inner) if simple else None
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            plain = (isinstance(n, ast.Name | ast.Tuple | ast.List | ast.Store) for t in targets for n in ast.walk(t))
            if not all(plain) or node.value is None:
                return None
            needed = self.says(node.value, place)
        return None if needed is None else needed | {place}

    def _call(self, node: ast.Call, before: int, tensor: Tensor) -> set[int] | None:
        inner = [*node.args, *(keyword.value for keyword in node.keywords)]
        if isinstance(node.func, ast.Attribute) and node.func.attr in OF_LAYOUT | OF_SHAPE:
            holder = self.says(node.func.value, before, "shape" if node.func.attr in OF_SHAPE else "any")
            rest = self._all(inner, before)
            return None if holder is None or rest is None else holder | rest
        if tensor == "any":
            return self.makes(node, before)
        root, _ = chain(node.func)
        if not isinstance(root, ast.Name) or self.steps.version(root.id, before) is not None:
            return None  # a method of who knows what, or a function that is made here
        return self._all([root, *inner], before)

    def _function(self, node: ast.Lambda | ast.FunctionDef, inner: list[ast.expr]) -> set[int] | None:
        """What a function made here needs of the names around it, as they are when it is called: at the launch."""
        own = {argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)}
        if isinstance(node, ast.FunctionDef):
            own |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        hidden = replace(self, given=dict(self.given))
        at = len(self.steps)
        for name in own:
            # Its own names hide those around it; they are numbers, or tables of them.
            version = self.steps.version(name, at)
            hidden.given[name, PARAMETER if version is None else version] = name
        hidden.module = hidden.module | own
        return hidden._all(inner, at)

    def _all(self, nodes: list[ast.expr], before: int, tensor: Tensor = "no") -> set[int] | None:
        out: set[int] = set()
        for node in nodes:
            needed = self.says(node, before, tensor)
            if needed is None:
                return None
            out |= needed
        return out


class _Renamed(ast.NodeTransformer):
    def __init__(self, terms: Terms, before: int) -> None:
        self.terms, self.before = terms, before
        self.hidden: set[str] = set()

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self.hidden:
            made = isinstance(node.ctx, ast.Store)
            node.id = self.terms.local(node.id) if made else self.terms.word(node.id, self.before)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return self._inside(node, set())

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        node.name = self.terms.local(node.name)
        return self._inside(node, stored)

    def _inside(self, node: ast.Lambda | ast.FunctionDef, own: set[str]) -> ast.AST:
        outer, before = self.hidden, self.before
        self.hidden = outer | own | {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
        self.before = len(self.terms.steps)
        try:
            return self.generic_visit(node)
        finally:
            self.hidden, self.before = outer, before


def _values(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of a statement that are computed."""
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.stmt):
            yield from _values(child)
        elif isinstance(child, ast.expr) and not isinstance(getattr(child, "ctx", None), ast.Store):
            yield child
