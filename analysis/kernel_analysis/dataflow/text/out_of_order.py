"""What Triton goes through otherwise than it stands: expressions that bind names, the ``else`` of a loop."""

from __future__ import annotations

import ast

from kernel_analysis.dataflow.text.call_effects import Calls
from kernel_analysis.dataflow.text.given_arguments import GivenArguments
from kernel_analysis.dataflow.text.inner_names import own_expressions
from kernel_analysis.dataflow.text.value import TextValue, TooInvolved, join, same

ROUNDS = 16

Env = dict[str, TextValue]


class OutOfOrder(Calls):
    """Follows it."""

    def in_any_order(self, statement: ast.stmt) -> None:
        """The expressions of a statement that bind names (``inner_names``)."""
        for _ in range(ROUNDS):
            before = self.env
            self.env = dict(before)
            for part in own_expressions(statement):
                self.expr(part)
            after, self.env = self.env, before
            changed = self.joined(before, after)
            if not changed:
                return
            self.env = {**before, **changed}
        raise TooInvolved

    def else_of(self, node: ast.For) -> None:
        """What Triton makes of the ``else`` of a loop is no statement of it: after each turn it goes through all that
        stands there, through both arms, and assigns nothing. Whatever is named there, anything may happen to it."""
        if not node.orelse:
            return
        inner_names = [n for part in node.orelse for n in ast.walk(part) if isinstance(n, ast.Name)]
        held = [self.held(name) for name in sorted({inner.id for inner in inner_names})]
        given = GivenArguments([value for value in held if value is not None])
        dep = self.option("what the `else` of a loop does") | given.depends()
        made = self.sometimes(dep, lambda: self.nobody_knows(given, dep, node))
        for name in {inner.id for inner in inner_names if isinstance(inner.ctx, ast.Store)}:
            before = self.held(name)
            self.env[name] = self.uncertain(made if before is None else join(before, made), dep)

    def before(self, name: str) -> TextValue | None:
        """What a name is outside of the function, which it stays where nothing binds it; None if it is nothing."""
        return self.outside(name) if name in self.bindings else None

    def joined(self, before: Env, after: Env) -> Env:
        """The names that something may have changed: what they were, or are now."""
        changed: Env = {}
        for name, value in after.items():
            old = before.get(name)
            if old is value:
                continue
            if old is None:
                outside = self.before(name)
                changed[name] = value if outside is None else join(value, outside)
            else:
                made = join(old, value)
                if not same(made, old):
                    changed[name] = made
        return changed
