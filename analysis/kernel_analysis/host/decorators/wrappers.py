"""A project's own ways to make a jit function: a function, a class or an object's method that hands what it decorates
to ``triton.jit``. Followed by their text, as far as it goes; nothing of them runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from kernel_analysis.host.evaluate.found_once import found_once
from kernel_analysis.host.evaluate.values import (
    ConstexprFunction,
    Decoration,
    External,
    Jit,
    ModuleValue,
    Partial,
    Scope,
    Unknown,
    UserClass,
    UserFunction,
    Value,
)
from kernel_analysis.host.evaluate.wording import describe
from kernel_analysis.source.slice import TritonObject
from kernel_analysis.source.tree import decorator_text
from kernel_analysis.source.tree.forms import chain
from kernel_analysis.source.tree.nodes import inside as statements_in
from kernel_analysis.source.tree.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import EvaluatorView

TRANSPARENT = {
    "builtins.staticmethod", "functools.lru_cache", "functools.cache", "functools.wraps", "torch.no_grad",
    "torch.compiler.disable",
    "torch.inference_mode", "functools.lru_cache()", "torch.compiler.assume_constant_result",
}  # fmt: skip
_KEEPS = frozenset({"must_use_result"})
"""Decorators of Triton's that give back what they are put on."""
_LAUNCHERS = frozenset({"Autotuner", "Heuristics", "KernelInterface"})
_LAUNCHES = frozenset({"__getitem__", "__call__", "__getattribute__"})
_READ_BY_JIT = ("__annotations__", "__signature__", "__wrapped__", "__code__")
"""By these Triton reads what it is handed: a file that speaks of them may set them there."""
_SELF = Unknown("An object is made by running code.")
_DEEPEST = 3
Code: TypeAlias = "tuple[ast.AST, Scope]"
"""A function or a class of the project, and the scope of what stands in it."""


def keeps(evaluator: EvaluatorView, decorator: ast.expr, scope: Scope, before: int | None) -> bool:
    """Whether a decorator is one of Triton's that gives back what it is put on, called or not."""
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    meaning = evaluator.evaluate(function, scope, before)
    return isinstance(meaning, TritonObject) and meaning.path.rpartition(".")[2] in _KEEPS


def made(
    evaluator: EvaluatorView, value: UserFunction, decorator: ast.expr, scope: Scope, before: int | None
) -> Value | None:
    """The jit function that a decorator makes of a function, or a constexpr function, or the function itself where that
    is given back; None where nothing of the kind is seen."""
    jit = value.scope.module.jit
    for function, arguments in _calls(evaluator, value, decorator, scope, before):
        result = evaluator.called(function, arguments, {}, ast.Call(decorator, [], []))
        if isinstance(result, (UserFunction, Partial)) and not (
            isinstance(result, UserFunction) and result.node is value.node
        ):
            result = evaluator.called(result, [value], {}, ast.Call(decorator, [], []))
        if isinstance(result, (Jit, ConstexprFunction)):
            return result
        if id(value.node) in jit:  # what it makes of the jit function is its own business
            return Jit(jit[id(value.node)])
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    found = _held(evaluator, called, scope)
    for code in _named(evaluator, called, scope) if found is None else ():
        found = found or _hands_on(evaluator, code)
    if found is None:
        return value if _gives_back(evaluator, value, decorator, scope, before) else None
    return evaluator.decorate(found, value)


def _gives_back(
    evaluator: EvaluatorView, value: UserFunction, decorator: ast.expr, scope: Scope, before: int | None
) -> bool:
    """Whether a project's decorator gives back the very function that it is put on: it marks or registers it."""
    makers = list(_calls(evaluator, value, decorator, scope, before))
    for function, arguments in makers:
        given = next((number for number, argument in enumerate(arguments) if argument is value), None)
        result: Value = function
        if given is None:
            given, result = 0, evaluator.called(function, arguments, {}, ast.Call(decorator, [], []))
        if not isinstance(result, UserFunction) or not decorator_text.gives_back(result.node, given):
            return False
        if any(part in result.scope.module.named for part in _READ_BY_JIT):
            return False
    return bool(makers)


def another(evaluator: EvaluatorView, made: Jit, scope: Scope) -> str | None:
    """Why a project's decorator may give another function than the jit function below it; None where its text gives
    that one back."""
    decorator = next(_replacing(evaluator, made, scope), None)
    return decorator and f"`@{describe(decorator)}` may make another function of `{made.function.name}`"


def passes_otherwise(evaluator: EvaluatorView, made: Jit, scope: Scope) -> bool:
    """Whether a jit function may be launched with something else than what is made of it by a project's decorator."""
    makers = (d.func if isinstance(d, ast.Call) else d for d in _replacing(evaluator, made, scope))
    return not all(launches_as_given(evaluator, maker, scope) for maker in makers)


def _replacing(evaluator: EvaluatorView, made: Jit, scope: Scope) -> Iterator[ast.expr]:
    """The decorators that may give another function than the jit function below them."""
    for decorator in made.function.node.decorator_list:
        if describe(decorator) not in made.function.wrappers:
            continue
        function = decorator.func if isinstance(decorator, ast.Call) else decorator
        known = evaluator.evaluate(function, scope, None)
        if isinstance(known, External) and known.path in TRANSPARENT or keeps(evaluator, decorator, scope, None):
            continue
        meaning = evaluator.evaluate(decorator, scope, None)
        result: Value = _SELF
        if isinstance(meaning, UserFunction):
            result = evaluator.called(meaning, [made], {}, ast.Call(decorator, [], []))
        if not isinstance(result, Jit) or result.function is not made.function:
            yield decorator


def launches_as_given(evaluator: EvaluatorView, maker: ast.expr, scope: Scope) -> bool:
    """Whether all that a function or class can give is an object of a class that launches with what it is launched
    with."""
    code = list(_named(evaluator, maker, scope))
    return bool(code) and all(_gives_launcher(evaluator, node, inner) for node, inner in code)


def _gives_launcher(evaluator: EvaluatorView, node: ast.AST, scope: Scope) -> bool:
    if isinstance(node, ast.ClassDef):
        return _is_launcher(evaluator, node, scope)
    if not isinstance(node, ast.FunctionDef) or node.decorator_list:
        return False
    inside = {inner.name: inner for inner in node.body if isinstance(inner, ast.FunctionDef)}
    returns = [s.value for s, around in statements_in(node.body, ()) if isinstance(s, ast.Return) and not around]
    for given in returns:
        if isinstance(given, ast.Name) and given.id in inside:
            own = inside[given.id]
            if not _gives_launcher(evaluator, own, evaluator.resolver.inner(scope, own)):
                return False
            continue
        meaning = evaluator.evaluate(given.func, scope) if isinstance(given, ast.Call) else None
        if not isinstance(meaning, UserClass):
            return False
        if not _is_launcher(evaluator, meaning.node, evaluator.resolver.inner(meaning.scope, meaning.node)):
            return False
    return bool(returns)


def _is_launcher(evaluator: EvaluatorView, node: ast.ClassDef, scope: Scope) -> bool:
    """Whether a class is one of Triton's launchers but for a ``run`` that hands on all that it is given."""
    bases = [evaluator.evaluate(base, scope) for base in node.bases]
    if not bases or not all(isinstance(b, TritonObject) and b.path.rpartition(".")[2] in _LAUNCHERS for b in bases):
        return False
    methods = {inner.name: inner for inner in node.body if isinstance(inner, ast.FunctionDef)}
    run = methods.get("run")
    return not _LAUNCHES & methods.keys() and (run is None or _hands_on_all(run))


def _hands_on_all(run: ast.FunctionDef) -> bool:
    """Whether a method only ever gives its ``*args`` and ``**kwargs`` to calls, and launches with both."""
    args, keywords = run.args.vararg, run.args.kwarg
    if args is None or keywords is None or len(run.args.args) != 1 or run.args.kwonlyargs or run.args.posonlyargs:
        return False
    calls = [inner for inner in descend(run) if isinstance(inner, ast.Call)]
    names = [inner for inner in descend(run) if isinstance(inner, ast.Name) and inner.id in (args.arg, keywords.arg)]
    given = {id(value) for call in calls for value in (*call.args, *(keyword.value for keyword in call.keywords))}
    given |= {id(a.value) for call in calls for a in call.args if isinstance(a, ast.Starred)}
    launches = [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "run"]
    whole = [ast.unparse(call).endswith(f"run(*{args.arg}, **{keywords.arg})") for call in launches]
    return bool(whole) and all(whole) and all(id(name) in given for name in names)


def _calls(
    evaluator: EvaluatorView, value: UserFunction, decorator: ast.expr, scope: Scope, before: int | None
) -> Iterator[tuple[UserFunction, list[Value]]]:
    """The functions of the project that the decorator calls, each with what it is given."""
    meaning = evaluator.evaluate(decorator, scope, before)
    if isinstance(meaning, UserFunction):
        yield meaning, [value]
    elif isinstance(meaning, UserClass):
        yield from _method(evaluator, meaning, ("__init__", "__new__"), [_SELF, value])
    elif isinstance(decorator, ast.Call):
        maker = evaluator.evaluate(decorator.func, scope, before)
        given = [evaluator.evaluate(a, scope, before) for a in decorator.args if not isinstance(a, ast.Starred)]
        if isinstance(maker, UserFunction):
            yield maker, given
        elif isinstance(maker, UserClass):
            yield from _method(evaluator, maker, ("__call__",), [_SELF, value])
        else:
            yield from _of_object(evaluator, decorator.func, scope, given)
    else:
        yield from _of_object(evaluator, decorator, scope, [value])


def _of_object(
    evaluator: EvaluatorView, node: ast.expr, scope: Scope, given: list[Value]
) -> Iterator[tuple[UserFunction, list[Value]]]:
    """``registry.register`` or ``registry``, of ``registry = Registry()``."""
    if isinstance(node, ast.Attribute):
        cls = _class_of(evaluator, node.value, scope)
        if cls is not None:
            yield from _method(evaluator, cls, (node.attr,), [_SELF, *given])
    cls = _class_of(evaluator, node, scope)
    if cls is not None:
        yield from _method(evaluator, cls, ("__call__",), [_SELF, *given])


def _class_of(evaluator: EvaluatorView, node: ast.expr, scope: Scope) -> UserClass | None:
    """The class that an object of the project was made of."""
    resolver = evaluator.resolver
    if isinstance(node, ast.Name):
        found = resolver.lookup(scope, node.id)
    elif isinstance(node, ast.Attribute):
        owner = evaluator.evaluate(node.value, scope)
        if not isinstance(owner, ModuleValue):
            return None
        found = resolver.member(owner, node.attr, scope.module, node)
    else:
        return None
    if not isinstance(found.node, ast.Assign) or not isinstance(found.node.value, ast.Call):
        return None
    cls = evaluator.evaluate(found.node.value.func, resolver.scope(found.module))
    return cls if isinstance(cls, UserClass) else None


def _method(
    evaluator: EvaluatorView, cls: UserClass, names: tuple[str, ...], arguments: list[Value]
) -> Iterator[tuple[UserFunction, list[Value]]]:
    for name in names:
        method = evaluator.attribute(cls, name)
        if isinstance(method, UserFunction):
            yield method, arguments


def _hands_on(evaluator: EvaluatorView, code: Code) -> Decoration | None:
    """Where code can't be followed to its end: the decorator of Triton's that it hands a name to, or that a class of
    it is made of. Found out once for all that it stands above."""
    return found_once(evaluator, code[1], "hands on", lambda: _handed_to(evaluator, code, 0))


def _handed_to(evaluator: EvaluatorView, code: Code, depth: int) -> Decoration | None:
    node, scope = code
    if depth > _DEEPEST:
        return None
    parts = list(descend(node))
    handed = [part.func for part in parts if isinstance(part, ast.Call) and any(map(_is_name, _given(part)))]
    bases = [_bare(base) for part in parts if isinstance(part, ast.ClassDef) for base in part.bases]
    for function in [*handed, *bases]:
        found = _decoration(evaluator, function, scope)
        if found is not None:
            return found
    for function in handed:
        for inner in _named(evaluator, function, scope):
            found = _handed_to(evaluator, inner, depth + 1) if inner[0] is not node else None
            if found is not None:
                return found
    return None


def _bare(base: ast.expr) -> ast.expr:
    """A generic class without what it is one of: ``JITFunction`` of ``JITFunction[T]``."""
    return base.value if isinstance(base, ast.Subscript) else base


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, (ast.Name, ast.Attribute))


def _given(call: ast.Call) -> list[ast.expr]:
    positional = (a.value if isinstance(a, ast.Starred) else a for a in call.args)
    return [*positional, *(keyword.value for keyword in call.keywords if keyword.arg == "fn")]


def _decoration(evaluator: EvaluatorView, node: ast.expr, scope: Scope) -> Decoration | None:
    """Triton's ``jit``, where an expression stands for it."""
    meaning = evaluator.evaluate(node, scope)
    if isinstance(meaning, TritonObject):
        meaning = evaluator.decoration(meaning.path)
    return Decoration("jit", meaning.gluon) if isinstance(meaning, Decoration) and meaning.kind == "jit" else None


def _named(evaluator: EvaluatorView, node: ast.expr, scope: Scope) -> Iterator[Code]:
    """The code of the project that a name stands for: a function, a class, a method of either of a class or of an
    object."""
    resolver = evaluator.resolver
    meaning = evaluator.evaluate(node, scope)
    meaning = meaning.function if isinstance(meaning, Partial) else meaning
    if isinstance(meaning, (UserFunction, UserClass)):
        yield meaning.node, resolver.inner(meaning.scope, meaning.node)
    elif isinstance(node, ast.Attribute):
        owner = evaluator.evaluate(node.value, scope)
        cls = owner if isinstance(owner, UserClass) else _class_of(evaluator, node.value, scope)
        inner = resolver.inner(cls.scope, cls.node) if cls is not None else None
        for event in inner.table.events.get(node.attr, ()) if inner is not None else ():
            if inner is not None and isinstance(event.node, ast.FunctionDef):
                yield event.node, resolver.inner(inner, event.node)
    elif (cls := _class_of(evaluator, node, scope)) is not None:
        yield cls.node, resolver.inner(cls.scope, cls.node)


def _held(evaluator: EvaluatorView, node: ast.expr, scope: Scope) -> Decoration | None:
    """Triton's ``jit``, where an object holds it, or the function around is given it by those who call it."""
    found = _decoration(evaluator, node, scope)
    if found is not None or _is_imported(evaluator, node, scope):
        return found
    with evaluator.resolver.suppose():
        found = _decoration(evaluator, node, scope)
        if found is not None or not isinstance(node, ast.Attribute):
            return found
        cls = _class_of(evaluator, node.value, scope)
        if cls is not None:
            stands = ast.copy_location(ast.Name(node.attr, ast.Load()), node)
            return _decoration(evaluator, stands, evaluator.resolver.inner(cls.scope, cls.node))
        return _set_on(evaluator, node, scope)


def _is_imported(evaluator: EvaluatorView, node: ast.expr, scope: Scope) -> bool:
    """Whether a dotted name is a module's, or begins with what a library has: no object of the project's holds it, and
    no caller gives it."""
    if isinstance(node, ast.Attribute) and isinstance(evaluator.evaluate(node.value, scope), ModuleValue):
        return True
    root, _ = chain(node)
    meaning = evaluator.evaluate(root, scope) if isinstance(root, ast.Name) else None
    return isinstance(meaning, External) or isinstance(meaning, Unknown) and meaning.missing


def _set_on(evaluator: EvaluatorView, node: ast.Attribute, scope: Scope) -> Decoration | None:
    """Triton's ``jit``, where a method of the class around sets the attribute to it: ``self.jit = jit``."""
    around: Scope | None = scope
    while around is not None and not isinstance(around.node, ast.ClassDef):
        around = around.parent
    if around is None or not isinstance(around.node, ast.ClassDef):
        return None
    written = ast.unparse(node)
    for method in around.node.body:
        if not isinstance(method, ast.FunctionDef):
            continue
        inner = evaluator.resolver.inner(around, method)
        for statement in descend(method):
            if isinstance(statement, ast.Assign) and written in map(ast.unparse, statement.targets):
                found = _decoration(evaluator, statement.value, inner)
                if found is not None:
                    return found
    return None
