"""Whether a jit function may have bound a name when it reads it: by syntax alone, and as Triton compiles statements, in
which what a loop that goes round on the device binds first is gone after the loop.

Errs towards yes: any arm, any turn of a loop that is unrolled, anything within the same statement.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from kernel_analysis.source.tree.syntax import children, descend


def may_be_bound(body: Sequence[ast.stmt], read: ast.Name, on_device: Callable[[ast.For], bool]) -> bool:
    """Whether ``read`` may find a value that these statements gave its name, in whichever way they are compiled.
    ``on_device``: whether a loop goes round when the kernel runs."""
    search = _Search(read, on_device)
    search.block(body, bound=False, earlier=False)
    return search.found is not False


class _Search:
    """``found``: whether the name may be bound at the place in question, None until one gets there.

    ``earlier``: an earlier turn of a loop around may have bound it, which helps only what need not happen in the first.
    """

    def __init__(self, read: ast.Name, on_device: Callable[[ast.For], bool]) -> None:
        self._read, self._on_device = read, on_device
        self.found: bool | None = None

    def block(self, body: Sequence[ast.stmt], bound: bool, earlier: bool) -> bool:
        """Whether the name may be bound at the end of the statements."""
        for statement in body:
            bound = self._statement(statement, bound, earlier)
        return bound

    def _statement(self, node: ast.stmt, bound: bool, earlier: bool) -> bool:
        if isinstance(node, ast.If):
            bound = self._expressions([node.test], bound, earlier)
            inside = bound or earlier
            arms = [self.block(arm, inside, earlier) for arm in (node.body, node.orelse)]
            return bound or self._binds([*node.body, *node.orelse]) and any(arms)
        if isinstance(node, ast.For | ast.While):
            return self._loop(node, bound, earlier)
        if isinstance(node, ast.With):
            bound = self._expressions(node.items, bound, earlier)
            return self.block(node.body, bound, earlier)
        return self._expressions([node], bound, earlier)

    def _loop(self, node: ast.For | ast.While, bound: bool, earlier: bool) -> bool:
        # A loop within a loop may have no turn in the first one around it.
        head: list[ast.AST] = [node.iter] if isinstance(node, ast.For) else [node.test]
        within = self._expressions(head, bound, earlier) or earlier
        if isinstance(node, ast.For):
            within = self._expressions([node.target], within, earlier)
        fleeting = isinstance(node, ast.While) or self._on_device(node)
        inside = self.block(node.body, within, not fleeting and self._binds(node.body))
        after = bound or inside and not fleeting and self._binds([node])
        return self.block(node.orelse, after or inside, earlier) if node.orelse else after

    def _expressions(self, nodes: Sequence[ast.AST], bound: bool, earlier: bool) -> bool:
        """Of what is one step: all that it binds counts for all that it reads, but for plain targets."""
        binds = self._binds(nodes)
        if self.found is None:
            for inner in nodes:
                if any(part is self._read for part in descend(inner)):
                    self.found = bound or self._within(inner) or earlier and self._is_optional(inner)
        return bound or binds

    def _within(self, node: ast.AST) -> bool:
        """Whether an expression of the step itself may bind the name."""
        named = (ast.NamedExpr, ast.comprehension)
        targets = [inner.target for inner in descend(node) if isinstance(inner, named)]
        return any(self._stores(target) for target in targets)

    def _is_optional(self, node: ast.AST) -> bool:
        """Whether the place need not be evaluated where the step is."""
        choosing = (ast.IfExp, ast.BoolOp, ast.Compare, ast.comprehension)
        todo: list[tuple[ast.AST, bool]] = [(node, False)]
        while todo:
            inner, optional = todo.pop()
            if inner is self._read:
                return optional
            optional = optional or isinstance(inner, choosing)
            todo += [(child, optional) for child in children(inner)]
        return True

    def _binds(self, nodes: Sequence[ast.AST]) -> bool:
        return any(self._stores(node) for node in nodes)

    def _stores(self, node: ast.AST) -> bool:
        name = self._read.id
        return any(isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id == name for n in descend(node))
