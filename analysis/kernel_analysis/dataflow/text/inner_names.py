"""Names that expressions bind: ``(name := value)``, comprehensions.

When Triton evaluates which part of a statement, and whether at all, is its own business: keywords come before what
stands in front of them, what is annotated twice, both arms of a choice of run time one after the other, a message
never. So a name holds all that it may have been given, and what it was.
"""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable, Iterator

from kernel_analysis.dataflow.text.name_flow import Names
from kernel_analysis.dataflow.text.value import TextValue, anew, depends, heap, join, parts_of, tuple_of, with_dep
from kernel_analysis.source.tree.syntax import all_of, children, descend, kept_with_trees

_BINDING = (ast.NamedExpr, ast.ListComp, ast.SetComp, ast.GeneratorExp)
"""Expressions that bind names."""


class InnerNames(Names):
    """``rebound``: what the names held that the expression at hand has bound."""

    rebound: dict[str, TextValue | None] | None = None

    @abstractmethod
    def as_assigned(self, value: TextValue) -> TextValue:
        """What a name holds that is given this."""

    def held(self, name: str) -> TextValue | None:
        """What a name holds, as it is or from outside; None if nothing."""
        found = self.env.get(name)
        return self.outside(name) if found is None and name in self.bindings else found

    def perhaps(self, dep: int, work: Callable[[], TextValue]) -> TextValue:
        """What is evaluated or not, depending on ``dep``: names that it binds may be what they were."""
        outer, self.rebound = self.rebound, {}
        made = self.sometimes(dep, work)
        self.keep(outer, dep)
        return made

    def keep(self, outer: dict[str, TextValue | None] | None, dep: int) -> None:
        """The end of what may not be evaluated, in an expression that had bound ``outer`` before."""
        rebound, self.rebound = self.rebound, outer
        for name, before in (rebound or {}).items():
            made = self.env[name]
            old = self.outside(name) if before is None and name in self.bindings else before
            self.env[name] = with_dep(self.uncertain(made if old is None else join(old, made), dep), dep)
            if outer is not None:
                outer.setdefault(name, before)

    def named(self, node: ast.NamedExpr) -> TextValue:
        """``(name := value)``."""
        value = self.as_assigned(self.expr(node.value))
        before = self.held(node.target.id)
        # What is evaluated before and what behind it is Triton's business; it may also be undone, or left out.
        self.bind(node.target, value if before is None else join(before, value))
        return value

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> TextValue:
        """Triton makes a tuple of it, and binds its names like any others."""
        generator = node.generators[0]
        over = self.expr(generator.iter)
        before = {name: self.held(name) for name in bound_names(generator.target)}
        if len(node.generators) == 1 and over.items is not None and not over.open and len(over.items) <= 64:
            made = self._each(node, generator, over)
            self._leave(generator.target, before)
            return made
        dep = depends(over)

        def work() -> TextValue:
            for inner in node.generators:
                value = over if inner is generator else self.expr(inner.iter)
                self.bind(inner.target, heap((value,)))
                for test in inner.ifs:
                    self.expr(test)
            return self.expr(node.elt)

        made = self.uncertain(heap((self.perhaps(dep, work),), dep), dep)
        self._leave(generator.target, before)
        return made

    def _each(
        self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, part: ast.comprehension, over: TextValue
    ) -> TextValue:
        items: list[TextValue] = []
        filtered = 0
        for item in parts_of(over):
            self.bind(part.target, anew(item))
            dep = 0
            for test in part.ifs:
                dep |= depends(self.perhaps(dep, lambda test=test: self.expr(test)))
            filtered |= dep
            items.append(self.perhaps(dep, lambda: self.expr(node.elt)))
        if not part.ifs:
            return tuple_of(items, over.flow, over.dep)
        return self.uncertain(heap(items, filtered), filtered | over.dep)

    def _leave(self, target: ast.expr, before: dict[str, TextValue | None]) -> None:
        """The names that a comprehension binds, behind it: they keep what they were, as it may come later than it
        stands."""
        for name in bound_names(target):
            old, made = before[name], self.env.get(name)
            if old is not None and made is not None:
                self.bind(ast.Name(name, ast.Store()), join(old, made))


def bound_names(target: ast.AST) -> list[str]:
    """The names that a target gives something."""
    return [inner.id for inner in ast.walk(target) if isinstance(inner, ast.Name)]


@kept_with_trees(512)
def bound_within(loop: ast.For) -> frozenset[str]:
    """The names that expressions in a loop's body bind, however far in."""
    bound: list[str] = []
    for statement in loop.body:
        for inner in descend(statement):
            if isinstance(inner, ast.NamedExpr | ast.comprehension):
                bound += bound_names(inner.target)
    return frozenset(bound)


def own_expressions(statement: ast.stmt) -> Iterator[ast.expr]:
    """Those of a statement itself, and not of the statements in it."""
    for inner in ast.iter_child_nodes(statement):
        if isinstance(inner, ast.withitem):
            yield inner.context_expr
        elif isinstance(inner, ast.expr) and not isinstance(getattr(inner, "ctx", None), ast.Store):
            yield inner


@kept_with_trees(512)
def that_bind(function: ast.FunctionDef) -> frozenset[ast.stmt]:
    """The statements of a function whose own expressions bind names."""
    if not any(all_of(function, kind) for kind in _BINDING):
        return frozenset()
    found: set[ast.stmt] = set()
    within: list[tuple[ast.AST, ast.stmt]] = [(statement, statement) for statement in function.body]
    while within:
        node, statement = within.pop()
        if isinstance(node, _BINDING):
            found.add(statement)
        for inner in children(node):
            within.append((inner, inner if isinstance(inner, ast.stmt) else statement))
    return frozenset(found)
