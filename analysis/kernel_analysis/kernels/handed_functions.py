"""The jit functions and aggregates that the launches and autotune configs in sight hand to a kernel. Looks at syntax
only, and gathers more rather than less: which of them a launch passes for which parameter is not its business."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from kernel_analysis.host.decorators import aggregates
from kernel_analysis.host.evaluate.values import ConstexprFunction, External, Items, Jit, Scope, UserClass, plain
from kernel_analysis.source.kernel import JitFunction, Launch
from kernel_analysis.source.slice import TritonObject
from kernel_analysis.source.tree import nodes, parameters, parametrized
from kernel_analysis.source.tree.forms import chain
from kernel_analysis.source.tree.syntax import all_of, children, descend, kept_with_trees

if TYPE_CHECKING:
    from kernel_analysis.kernels.project import Project
    from kernel_analysis.source.module import Module

_MOST = 16
_MOST_CALLS = 8
_LEVELS = 3
"""Names that stand for names, and calls that hand on what they are given."""
_TAKING = frozenset(("reduce", "associative_scan", "map_elementwise", "warp_specialize"))
"""Functions of the languages that call what they are given."""
_CALLS_NOTHING = frozenset(
    f"builtins.{name}" for name in ("range", "min", "max", "abs", "int", "float", "bool", "len", "print", "isinstance")
)
Callee: TypeAlias = Jit | ConstexprFunction | UserClass


def handed(project: Project, function: JitFunction) -> list[Callee]:
    """Each once, in the order of the text."""
    gatherer = _Gatherer(project)
    for cls in objects_of(project, function).values():
        gatherer.found[aggregates.key(cls)] = cls
    if not _calls_a_parameter(project, function):
        return list(gatherer.found.values())
    if project.host_text.kept(function, "handed", lambda: _Gatherer(project).passed(function)):
        gatherer.passed(function)
    module = project.load(function.file)
    for taken in taken_of(function).values():
        gatherer.with_members(module, taken)
    return [callee for callee in gatherer.found.values() if not _is(callee, function)]


def objects_of(project: Project, function: JitFunction) -> dict[str, UserClass]:
    """The aggregates that a function's parameters are objects of: a method's own, and those that are annotated so. No
    launch can pass one."""
    if function.launches or function.decorated:
        return {}
    resolver = project.resolver
    around = function.scope[-1] if function.scope else None
    found: dict[str, UserClass] = {}
    spec = function.node.args
    for argument in parameters.single(spec):
        if not isinstance(argument.annotation, (ast.Name, ast.Attribute)):
            continue
        scope = resolver.scope(project.load(function.file), function.scope)
        cls = resolver.evaluator.evaluate(argument.annotation, scope)
        if isinstance(cls, UserClass) and cls.aggregate:
            found[argument.arg] = cls
    first = next(iter((*spec.posonlyargs, *spec.args)), None)
    if isinstance(around, ast.ClassDef) and first is not None and first.annotation is None:
        outer = resolver.scope(project.load(function.file), nodes.functions_of(function.scope[:-1]))
        cls = resolver.lookup(outer, around.name).value
        if (
            isinstance(cls, UserClass)
            and cls.aggregate
            and cls.node is around
            and _is_own(project, cls, function, first)
        ):
            found[first.arg] = cls
    return found


def _is_own(project: Project, cls: UserClass, function: JitFunction, first: ast.arg) -> bool:
    """Whether the class is an aggregate, and a member of it is taken of the first parameter, which a maker of objects
    does not do."""
    if not cls.aggregate:
        return False
    evaluator = project.resolver.evaluator
    members: set[str] = set()
    todo = [cls]
    while todo:
        found = aggregates.members(evaluator, todo.pop())
        members |= found.methods.keys() | {field.name for field in found.fields}
        todo += found.bases
    taken = (n for n in all_of(function.node, ast.Attribute) if n.attr in members)
    return any(isinstance(n.value, ast.Name) and n.value.id == first.arg for n in taken)


def _is(callee: Callee, function: JitFunction) -> bool:
    return isinstance(callee, Jit) and callee.function.node is function.node


def _calls_a_parameter(project: Project, function: JitFunction) -> bool:
    """Whether it may call what it is given, or hand it on to a function that may."""
    naming = _naming(function.node, {p.name for p in function.parameters if p.constexpr or p.annotation is None})
    for node in all_of(function.node, ast.Call):
        if _called(node.func) in naming:
            return True
        method = node.func.attr if isinstance(node.func, ast.Attribute) else None
        if method is None or method in _TAKING:
            if any(given in naming for given in (*node.args, *(k.value for k in node.keywords))):
                if isinstance(node.func, ast.Name) and _calls_nothing(project, function, node.func.id):
                    continue
                return True
    return False


def _naming(root: ast.AST, names: set[str]) -> set[ast.AST]:
    """The nodes at or below which one of the names stands. Told in one go: a call of a call of a call has each below
    it."""
    above: dict[ast.AST, ast.AST] = {}
    naming: set[ast.AST] = set()
    for node in descend(root):
        for child in children(node):
            above[child] = node
        inner: ast.AST | None = node if isinstance(node, ast.Name) and node.id in names else None
        while inner is not None and inner not in naming:
            naming.add(inner)
            inner = above.get(inner)
    return naming


def _calls_nothing(project: Project, function: JitFunction, name: str) -> bool:
    """Whether what goes by the name is a function of Python's or of the language that calls nothing of what it is
    given."""
    if any(n.id == name and isinstance(n.ctx, ast.Store) for n in all_of(function.node, ast.Name)):
        return False
    resolver = project.resolver
    with resolver.unheard():
        found = resolver.lookup(resolver.scope(project.load(function.file), function.scope), name)
    if found.others != ():
        return False
    if isinstance(found.value, External):
        return found.value.path in _CALLS_NOTHING
    return isinstance(found.value, TritonObject) and found.value.path.rpartition(".")[2] not in _TAKING


def taken_of(function: JitFunction) -> dict[str, set[str]]:
    """Of each constexpr parameter of which methods are called, what is taken of it and of what they give:
    ``scheduler = Scheduler.initialize(...)``, ``scheduler.tile``."""
    owners = {p.name: p.name for p in function.parameters if p.constexpr}
    found: dict[str, set[str]] = {}
    if not owners:
        return found
    made, taken = _attributes(function.node)
    for name, owner in made:
        if owner in owners:
            owners.setdefault(name, owners[owner])
            found.setdefault(owners[owner], set())
    for owner, attribute in taken if found else ():
        if owners.get(owner) in found:
            found[owners[owner]].add(attribute)
    return found


@kept_with_trees(512)
def _attributes(function: ast.FunctionDef) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """The names that are bound to what a method of a name gives, with that name, in the order of the text; and each
    attribute that is taken of a name."""
    attributes = all_of(function, ast.Attribute)
    taken = [(node.value.id, node.attr) for node in attributes if isinstance(node.value, ast.Name)]
    made: list[tuple[int, str, str]] = []
    for node in all_of(function, ast.Assign):
        if isinstance(node.value, ast.Call) and isinstance(node.targets[0], ast.Name):
            method = node.value.func
            if isinstance(method, ast.Attribute) and isinstance(method.value, ast.Name):
                made.append((node.lineno, node.targets[0].id, method.value.id))
    return [(name, owner) for _, name, owner in sorted(made, key=lambda one: one[0])], taken


def _called(node: ast.expr) -> ast.expr | None:
    """What of the expression that is called may be called: no operator gives a function, and of what a method is taken
    of, not what that was computed from."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
        if isinstance(node, ast.Call):
            node = node.func
    return None if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare)) else node


class _Gatherer:
    def __init__(self, project: Project) -> None:
        self._project = project
        self._resolver = project.resolver
        self.found: dict[object, Callee] = {}
        self._seen: set[tuple[int, str]] = set()

    def passed(self, function: JitFunction) -> bool:
        """Whether the launches and configs of a function pass anything of the kind, which is gathered."""
        before = len(self.found)
        for launch in self._project.launches_of(function):
            self._launch(launch)
        scope = self._resolver.scope(self._project.load(function.file), function.scope)
        for config in function.configs:
            for value in config.values():
                self.expression(value, scope, _LEVELS)
        return len(self.found) > before

    def _launch(self, launch: Launch) -> None:
        scope = self._resolver.scope(self._project.load(launch.file), launch.scope)
        for value in _given(launch.call):
            self.expression(value, scope, _LEVELS)
        if launch.via is not None:
            self._launch(launch.via)

    def with_members(self, module: Module, members: set[str]) -> None:
        """The aggregates of a file that have these methods and fields, where nothing that was found has them."""
        known = [cls for cls in self.found.values() if isinstance(cls, UserClass)]
        if any(self._has(cls, members) for cls in known):
            return
        scope = self._resolver.scope(module)
        for name, events in module.table.events.items():
            if events[-1].how == "class":
                value = self._resolver.lookup(scope, name).value
                if isinstance(value, UserClass) and value.aggregate and self._has(value, members):
                    self._keep(value)

    def _has(self, cls: UserClass, members: set[str]) -> bool:
        found = aggregates.members(self._resolver.evaluator, cls)
        return members <= found.methods.keys() | {field.name for field in found.fields}

    def expression(self, node: ast.expr, scope: Scope, levels: int) -> None:
        """The functions that an expression names."""
        inner: set[ast.expr] = set()  # what an attribute is taken of comes after it
        for part in descend(node):
            if isinstance(part, ast.Name) and part not in inner:
                self._name(part.id, scope, levels)
            elif isinstance(part, ast.Attribute):
                inner.add(part.value)
                if part not in inner and _is_dotted(part):
                    self._keep(self._resolver.evaluator.evaluate(part, scope))
            elif isinstance(part, ast.Call) and (call := _by_default(part, scope)) is not None:
                self._keep(self._resolver.evaluator.evaluate(call, scope))  # a function that picks or makes one

    def _keep(self, value: object) -> None:
        if len(self.found) >= _MOST:
            return
        for item in value.values if isinstance(value, Items) else ():
            self._keep(plain(item))
        if isinstance(value, (Jit, ConstexprFunction)):
            self.found.setdefault(id(value.function), value)
        elif isinstance(value, UserClass) and value.aggregate:
            self.found.setdefault(aggregates.key(value), value)

    def _name(self, name: str, scope: Scope, levels: int) -> None:
        current: Scope | None = scope
        while current is not None and name not in current.table.events:
            current = current.parent
        if current is None or (id(current.node), name) in self._seen:
            return
        self._seen.add((id(current.node), name))
        for event in current.table.events[name]:
            if event.how == "parameter" and isinstance(current.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for value, around in self._callers(current, name) if levels else ():
                    self.expression(value, around, levels - 1)
            elif event.how in ("assign", "element") and event.value is not None:
                if levels:
                    self.expression(event.value, current, levels - 1)
            elif event.how in ("define", "class", "import", "from"):
                self._keep(self._resolver.meaning(current, name, event).value)

    def _callers(self, inside: Scope, name: str) -> Iterator[tuple[ast.expr, Scope]]:
        """What the calls in its file give a host function, and its default."""
        node = inside.node
        assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        module = inside.module
        for call, around in nodes.calls_of(module, node.name)[:_MOST_CALLS]:
            scope = self._resolver.scope(module, nodes.functions_of(around))
            for value in _given(call):
                yield value, scope
        if inside.parent is not None:
            yield from ((value, inside.parent) for value in parametrized.sources(node, name))
        for default in (*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)):
            if inside.parent is not None:
                yield default, inside.parent


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _by_default(call: ast.Call, scope: Scope) -> ast.Call | None:
    """The call with the defaults of the function around in the place of its parameters; None where it is given more
    than constants."""
    node = scope.node
    defaults = parameters.defaults(node.args) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else {}

    def plain(given: ast.expr) -> ast.expr | None:
        found = defaults.get(given.id) if isinstance(given, ast.Name) else given
        return found if isinstance(found, ast.Constant) else None

    args = [plain(given) for given in call.args]
    named = [ast.keyword(k.arg, value) for k in call.keywords if (value := plain(k.value)) is not None]
    known = [value for value in args if value is not None]
    whole = len(known) == len(args) and len(named) == len(call.keywords)
    return ast.copy_location(ast.Call(call.func, known, named), call) if whole else None


def _is_dotted(node: ast.expr) -> bool:
    return isinstance(chain(node)[0], ast.Name)
