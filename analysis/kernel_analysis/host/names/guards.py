"""Which branch of an ``if`` or ``try`` around a binding happens, as far as safe evaluation and a look at files can
tell. Runs nothing."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.evaluate.expressions.raising import is_there
from kernel_analysis.host.evaluate.properties import truth
from kernel_analysis.host.evaluate.values import External, ModuleValue, Scope, Unknown
from kernel_analysis.host.evaluate.wording import describe
from kernel_analysis.host.names import set_later
from kernel_analysis.host.names.imports import circles
from kernel_analysis.host.names.imports.packages import triton_has
from kernel_analysis.source.slice import TritonObject
from kernel_analysis.source.tree import parameters, scopes
from kernel_analysis.source.tree.forms import chain
from kernel_analysis.source.tree.scopes import Event, Guard
from kernel_analysis.source.tree.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.kernel import JitFunction
    from kernel_analysis.source.module import Module

LETS_THROUGH: Final = frozenset({
    "builtins.open", "contextlib.closing", "contextlib.nullcontext", "contextlib.redirect_stderr",
    "contextlib.redirect_stdout", "tempfile.NamedTemporaryFile", "tempfile.TemporaryDirectory", "threading.Lock",
    "threading.RLock", "torch.autocast", "torch.autograd.profiler.record_function", "torch.cuda.device",
    "torch.cuda.device_of", "torch.cuda.stream", "torch.device", "torch.enable_grad", "torch.inference_mode",
    "torch.no_grad", "torch.profiler.record_function", "torch.random.fork_rng", "torch.set_grad_enabled",
    "warnings.catch_warnings",
})  # fmt: skip
"""What gives context managers that swallow no exception."""


def happens(resolver: ResolverView, scope: Scope, event: Event) -> tuple[bool | None, str]:
    """Whether the binding takes place; None, and the condition as text, if that can't be decided."""
    undecided = ""
    for guard in event.guards:
        if isinstance(guard.node, ast.Try) and guard.node in resolver.trying:
            # What stands in the same body, further down, is reached only if nothing above has failed.
            resolver.circles.add(guard.node)
            known, why = False, ""
        else:
            known, why = _decided(resolver, scope, guard.node)
        if isinstance(guard.node, ast.Try):
            if known is None:
                undecided = why if guard.part == "handler" else undecided
            elif known and guard.part == "body" and not _failed_by(resolver, scope, guard.node, event):
                # What stands above the statement that fails has taken place.
                undecided = f"how far the `try` on {scope.module.at(guard.node.lineno)} gets"
            elif known != (guard.part == "handler"):
                return False, ""
        elif known is None:
            undecided = why
        elif known != (guard.part == "body"):
            return False, ""
    return (None, undecided) if undecided else (True, "")


def likely(resolver: ResolverView, scope: Scope, event: Event) -> bool:
    """Whether a binding is what happens where nothing decides the conditions around it: a ``try`` goes well, a
    condition holds; one that asks for one value of many does not."""
    return all(_decided(resolver, scope, g.node)[0] is not None or _usual(g) for g in event.guards)


def _usual(guard: Guard) -> bool:
    if isinstance(guard.node, ast.Try):
        return guard.part != "handler"
    test, held = guard.node.test, True
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, held = test.operand, not held
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Eq, ast.In, ast.Is)):
        held = not held
    return held == (guard.part == "body")


def _decided(resolver: ResolverView, scope: Scope, node: ast.If | ast.Try) -> tuple[bool | None, str]:
    """Whether the test holds, or the body fails; and if that can't be decided, what it depends on. It is the same for
    everything that is bound there, so it is found out once."""
    scope.renew(resolver.project.epoch)
    key = (id(node), resolver.outer_moment(scope))
    known = None if resolver.supposing else scope.decided.get(key)
    if known is not None:
        answer, files, notes = known
        resolver.read(files)
        resolver.note(*notes)
        return answer
    with resolver.circling() as circles, resolver.reading() as read, resolver.noting() as noted:
        answer = _held(resolver, scope, node) if isinstance(node, ast.If) else _failed(resolver, scope, node)
    if not circles and not resolver.supposing:
        scope.decided[key] = answer, frozenset(read), frozenset(noted)
    return answer


def _held(resolver: ResolverView, scope: Scope, node: ast.If) -> tuple[bool | None, str]:
    if (name := set_later.asks_whether_set(scope.module, node.test)) is not None:
        return None, f"whether `{name}` is set by then ({scope.module.at(node.lineno)})"
    test = resolver.evaluator.evaluate(node.test, scope, scope.table.orders.get(id(node)))
    known = truth(test)
    if known is not None:
        return known, ""
    cause = f": {test.reason.rstrip('.')}" if isinstance(test, Unknown) and len(test.reason) < 200 else ""
    return None, f"`{describe(node.test)}` ({scope.module.at(node.lineno)}{cause})"


def _failed(resolver: ResolverView, scope: Scope, node: ast.Try) -> tuple[bool | None, str]:
    failed = fails(resolver, scope, node, scope.table.ends.get(node))
    return failed, "" if failed is not None else f"whether the `try` on {scope.module.at(node.lineno)} succeeds"


def _failed_by(resolver: ResolverView, scope: Scope, node: ast.Try, event: Event) -> bool:
    """Whether the body of a ``try`` that fails does so by the time of the event, or as part of it."""
    if node in resolver.trying:
        return True
    body = [statement for statement in node.body if scope.table.orders.get(id(statement), 0) <= event.order]
    resolver.trying.append(node)
    try:
        return bool(_fails(resolver, scope, body, scope.table.ends.get(node)))
    finally:
        resolver.trying.pop()


def elsewhere(resolver: ResolverView, scope: Scope, event: Event) -> list[str]:
    """Why the binding may take place where the file runs and not here, or the other way round: what a ``try`` imports
    may be there or not. Triton is the one that is installed."""
    failing = [
        f"it depends on whether the `try` on {scope.module.at(guard.node.lineno)} succeeds"
        for guard in event.guards
        if isinstance(guard.node, ast.Try) and not _succeeds(resolver, scope, guard.node)
    ]
    return failing + swallowed(resolver, scope, event)


def _succeeds(resolver: ResolverView, scope: Scope, node: ast.Try) -> bool:
    only_imports = _of_imports(scope, node)
    return all(comes_to_an_end(resolver, scope, statement, only_imports) for statement in node.body)


def swallowed(resolver: ResolverView, scope: Scope, event: Event) -> list[str]:
    """Why the binding may not take place though nothing is raised where it is asked about: a ``with`` around it may
    have swallowed an exception, a loop or a ``match`` may not come to it."""
    found: list[str] = []
    for node in event.within:
        at, place = scope.module.at(node.lineno), scope.table.orders.get(id(node))
        if not isinstance(node, (ast.With, ast.AsyncWith)):
            found.append(f"it depends on what is carried out of the statement on {at}")
        elif not all(lets_through(resolver, scope, item.context_expr, place) for item in node.items):
            found.append(f"it depends on whether anything is raised in the `with` on {at}")
    return found


def lets_through(resolver: ResolverView, scope: Scope, manager: ast.expr, before: int | None = None) -> bool:
    """Whether a ``with`` statement's object is known to let exceptions through. ``before``: what stands in it may bring
    in any name, but is carried out later."""
    function = manager.func if isinstance(manager, ast.Call) else manager
    found = resolver.evaluator.evaluate(function, scope, before)
    return isinstance(found, External) and found.path in LETS_THROUGH


def comes_to_an_end(resolver: ResolverView, scope: Scope, statement: ast.stmt, only_imports: bool = False) -> bool:
    """Whether a statement of a ``try`` raises nothing wherever this Triton is installed: what does is more than can be
    listed, so that this is a list of what does not. ``only_imports``: whether it matters but for what an import
    raises."""

    def harmless(node: ast.expr | None) -> bool:
        """Not evaluated: what is being asked may be part of it."""
        if node is None or isinstance(node, ast.Constant):
            return True
        first, _ = chain(node)
        if not isinstance(first, ast.Name):
            return False
        events = scope.table.events.get(first.id, ())
        if not events:
            return first is node and first.id in _TYPES and not scope.table.stars
        if not all(e.alias is not None and _of_triton(e) for e in events):
            return False
        found = resolver.evaluator.evaluate(node, scope)
        return isinstance(found, TritonObject) and is_there(resolver, found.path)

    def decorates(node: ast.expr) -> bool:
        # What Triton's decorators are given may be wrong in many ways, but imports nothing.
        return harmless(node.func if only_imports and isinstance(node, ast.Call) else node)

    if isinstance(statement, ast.Import):
        return all(_is_tritons(resolver, scope, alias.name) for alias in statement.names)
    if isinstance(statement, ast.ImportFrom):
        base = "." * statement.level + (statement.module or "")
        names = [alias.name for alias in statement.names if alias.name != "*"]
        return _is_tritons(resolver, scope, base) and all(_is_tritons(resolver, scope, base, name) for name in names)
    if isinstance(statement, ast.Assign):
        return all(isinstance(t, ast.Name) for t in statement.targets) and harmless(statement.value)
    if isinstance(statement, ast.AnnAssign):
        return isinstance(statement.target, ast.Name) and harmless(statement.annotation) and harmless(statement.value)
    if isinstance(statement, ast.Expr):
        return harmless(statement.value)
    if isinstance(statement, ast.FunctionDef):
        spec = statement.args
        written = [
            *spec.defaults,
            *spec.kw_defaults,
            statement.returns,
            *(a.annotation for a in parameters.every(spec)),
        ]
        return all(map(decorates, statement.decorator_list)) and all(map(harmless, written))
    if isinstance(statement, ast.Try):
        parts = [*statement.body, *statement.orelse, *statement.finalbody]
        return all(comes_to_an_end(resolver, scope, part, only_imports) for part in parts)
    if isinstance(statement, ast.ClassDef):
        plain = not (statement.decorator_list or statement.keywords or statement.bases)
        return plain and all(comes_to_an_end(resolver, scope, s, only_imports) for s in statement.body)
    return isinstance(statement, ast.Pass)


_TYPES: Final = frozenset({"bool", "bytes", "dict", "float", "int", "list", "object", "set", "str", "tuple", "type"})
_OF_IMPORTS: Final = frozenset({"ImportError", "ModuleNotFoundError"})


def _is_tritons(resolver: ResolverView, scope: Scope, dotted: str, name: str | None = None) -> bool:
    """Whether this is a module of the installed Triton, or something that one has."""
    found = resolver.import_module(dotted, scope.module)
    path = "" if not isinstance(found, TritonObject) else found.path if name is None else f"{found.path}.{name}"
    return bool(path) and triton_has(resolver, path)


def _of_imports(scope: Scope, node: ast.Try) -> bool:
    """Whether all that is caught is what imports raise: with anything else there is no such module."""
    caught: list[ast.expr | None] = []
    for handler in node.handlers:
        caught += handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {c.id if isinstance(c, ast.Name) else "" for c in caught}
    return names <= _OF_IMPORTS and not names & scope.module.table.events.keys() and not scope.module.table.stars


def _of_triton(event: Event) -> bool:
    node = event.node
    if isinstance(node, ast.ImportFrom):
        return not node.level and (node.module or "").split(".")[0] == "triton"
    return event.alias is not None and event.alias.name.split(".")[0] == "triton"


def untaken(resolver: ResolverView, module: Module, function: JitFunction) -> str | None:
    """How likely it is that the function stands in a branch for another target, version or setting: "is not taken", or
    "may not be taken" where that can't be decided and the name is bound elsewhere, too. None: it is taken."""
    scope = resolver.scope(module, function.scope)
    events = scope.table.events.get(function.name, ())
    for event in events:
        if event.node is function.node:
            verdict, _ = happens(resolver, scope, event)
            if verdict is False:
                return "is not taken"
            if verdict is None and len(events) > 1:
                return "may not be taken"
    return None


def fails(resolver: ResolverView, scope: Scope, node: ast.Try, order: int | None) -> bool | None:
    """Whether the body of a ``try`` raises: it does if it imports what is not installed. None: it might, for another
    reason."""
    resolver.trying.append(node)
    try:
        return _fails(resolver, scope, node.body, order)
    finally:
        resolver.trying.pop()
        if node not in resolver.trying:
            resolver.circles.discard(node)


def _fails(resolver: ResolverView, scope: Scope, body: list[ast.stmt], order: int | None) -> bool | None:
    certain = True
    # In a call that is followed nothing of the body is bound yet.
    unbound = _bound_in(body) if scope.locals is not None else ()
    for statement in body:
        if isinstance(statement, ast.Import):
            if any(_missing(resolver, scope, alias.name) for alias in statement.names):
                return True
        elif isinstance(statement, ast.ImportFrom):
            base = "." * statement.level + (statement.module or "")
            if _missing(resolver, scope, base):
                return True
            if any(_missing_member(resolver, scope, base, alias.name) for alias in statement.names):
                return True
        elif isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr)) and statement.value is not None:
            # As of the statement: by the end of the body its own name is what it binds.
            before = scope.table.orders.get(id(statement), order)
            value = resolver.evaluator.evaluate(statement.value, scope, before)
            if isinstance(value, TritonObject) and not triton_has(resolver, value.path):
                return True
            if isinstance(value, Unknown):
                if value.missing and not any(n.id in unbound for n in descend(statement) if isinstance(n, ast.Name)):
                    return True
                certain = False
        elif isinstance(statement, ast.Raise):
            return True
        elif isinstance(statement, ast.Try):
            # What fails in it may be taken care of there.
            parts = [*statement.body, *statement.orelse, *statement.finalbody]
            certain = certain and _fails(resolver, scope, parts, order) is False
        elif not isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.Pass)):
            certain = False
    return False if certain else None


def _bound_in(body: list[ast.stmt]) -> Collection[str]:
    table = scopes.Table()
    scopes.scan_into(table, body)
    return table.events.keys()


def _missing(resolver: ResolverView, scope: Scope, dotted: str) -> bool:
    """Whether importing the module fails because it is not there."""
    value = resolver.import_module(dotted, scope.module)
    if isinstance(value, TritonObject):
        return not triton_has(resolver, value.path)
    if isinstance(value, (ModuleValue, Unknown)):
        return isinstance(value, Unknown)
    top = dotted.split(".")[0]
    return not resolver.is_installed(top, scope.module)


def _missing_member(resolver: ResolverView, scope: Scope, base: str, name: str) -> bool:
    if name == "*":
        return False
    source = resolver.import_module(base, scope.module)
    if isinstance(source, TritonObject):
        return not triton_has(resolver, f"{source.path}.{name}")
    if isinstance(source, ModuleValue) and source.file is not None:
        value = resolver.member(source, name, scope.module, scope.node).value
        circles.in_itself(resolver, source.file, name)
        return isinstance(value, Unknown) and value.missing
    return False
