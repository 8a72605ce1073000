"""What pytest's ``monkeypatch`` does with what it is given, by the name that tests have for it.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast

from kernel_analysis.host.evaluate.values import Scope
from kernel_analysis.host.names.naming import binding


def key_of_fixture(scope: Scope, call: ast.Call, held: ast.AST | None) -> ast.expr | None:
    """The key that it, or what its ``context()`` gives in a ``with``, sets in a dict or takes out of it:
    ``monkeypatch.setitem(sys.modules, "a", b)``."""
    method = call.func
    if not isinstance(method, ast.Attribute) or not isinstance(method.value, ast.Name) or len(call.args) < 2:
        return None
    if method.attr not in ("setitem", "delitem") or call.args[0] is not held or isinstance(call.args[1], ast.Starred):
        return None
    name = method.value.id
    if name != "monkeypatch":
        found = binding(scope, name)
        if found is None or not found[1] or not all(_of_context(event.node, name) for event in found[1]):
            return None
    return call.args[1]


def _of_context(statement: ast.AST, name: str) -> bool:
    items = statement.items if isinstance(statement, ast.With) else []
    made = (item.context_expr for item in items if getattr(item.optional_vars, "id", "") == name)
    return [getattr(getattr(one, "func", None), "attr", "") for one in made] == ["context"]


def target(call: ast.Call) -> tuple[ast.expr | None, ast.expr | None]:
    """Whose attribute a method like ``monkeypatch.setattr`` sets or deletes, and its name; or nobody's, and the path of
    what it sets. Either is None where it is not in sight."""
    args = call.args
    if any(isinstance(a, ast.Starred) for a in args) or any(k.arg not in ("raising", "value") for k in call.keywords):
        return None, None
    sets = getattr(call.func, "attr", "") == "setattr"
    given = len(args) + any(k.arg == "value" for k in call.keywords)
    if given > (2 if sets else 1) and len(args) > 1:
        return args[0], args[1]
    return None, args[0] if args else None
