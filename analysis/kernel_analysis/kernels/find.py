"""Every jit function of a file, also while parts of it are broken. Decorators are understood by resolving names,
never by running them."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from keyword import iskeyword
from typing import TYPE_CHECKING, TypeAlias

from kernel_analysis.host.decorators import of_kernels
from kernel_analysis.host.evaluate.values import Decoration, Jit, ModuleValue, Partial, Scope, Unknown, UserFunction
from kernel_analysis.host.names.imports.packages import triton_has
from kernel_analysis.kernels.unmade import unmade
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.slice import TritonObject
from kernel_analysis.source.text_search.words import has_word
from kernel_analysis.source.tree import nodes
from kernel_analysis.source.tree.forms import last_name
from kernel_analysis.source.tree.syntax import descend
from kernel_analysis.span import Span

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_MOST_FUNCTIONS = 2000
_SAID = frozenset({"triton.jit", "gluon.jit"})
_OF_KERNELS = frozenset({"program_id", "constexpr"})
"""Whoever's language it is, what says ``jit`` and one of these looks like a kernel."""
_SAYS_JIT = re.compile(r"@(?:(?:[\w.]+\.)?jit\b|(?:triton|gluon)\b)")
_HEAD = re.compile(r"def\s+([^\W\d]\w*)\s*\(")
_NEXT = re.compile(r"@|def\s|class\s")
_RETURNS = re.compile(r"\s+return[ \t(]+(?!None\b)[^\s#]")
_GIVEN = re.compile(r"\b(\w+)\s*[,)]")
_Around: TypeAlias = "tuple[ast.AST, ...]"
_Body: TypeAlias = "tuple[list[ast.stmt], _Around]"


def functions(resolver: ResolverView, module: Module) -> list[JitFunction]:
    """The jit functions in the order of the text, and those that are broken now from the text before."""
    module.jit.clear()
    module.unclear.clear()
    module.too_many = None
    plain: set[str] = set()
    others: list[tuple[ast.stmt, _Around]] = []
    for node, around in nodes.statements(module):
        if isinstance(node, ast.FunctionDef):
            plain.add(node.name)
            if len(module.jit) >= _MOST_FUNCTIONS:
                module.too_many = min(module.too_many or node.lineno, node.lineno)
            elif node.decorator_list and module.is_whole(node):
                _take(resolver, module, node, around)
        elif not isinstance(node, (ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)):
            others.append((node, around))
    lines = sorted({module.line_of(m.start()) for m in _GIVEN.finditer(module.text) if m[1] in plain})
    for node, around in others if lines else ():
        first = bisect_left(lines, node.lineno)
        if first == len(lines) or lines[first] > (node.end_lineno or node.lineno):
            continue
        for calls in [calls for expression in nodes.own(node) for calls in _given(expression, plain)]:
            scope = resolver.scope(module, around)
            for call in calls:
                # The outermost says all: `autotune(...)(jit(fn))`. Where it can't be followed, the one inside may.
                if _called(resolver, scope, call, scope.table.orders.get(id(node))):
                    break
    of_kernels.take(resolver, module)
    module.unmade = list(unmade(resolver, module))
    found = sorted(module.jit.values(), key=lambda f: (f.node.lineno, f.node.col_offset))
    return found + _stale(module, {f.qualname for f in found})


def with_another_body(
    resolver: ResolverView,
    module: Module,
    before: Module,
    known: list[JitFunction],
    old: ast.FunctionDef,
    new: ast.FunctionDef,
) -> list[JitFunction] | None:
    """The functions of a text that differs from the one ``before``, where ``known`` were found, in the body of one of
    them alone: the others are the same objects. None where more than that has to be looked at."""
    was = before.jit.get(id(old))
    if was is None or before.statements is None or before.too_many is not None or module.broken or before.broken:
        return None
    mine = [(now, then) for now, then in zip(module.tree.body, before.tree.body, strict=False) if now is not then]
    if mine != [(new, old)] or len(module.tree.body) != len(before.tree.body):
        return None
    if before.embedded or before.unread or module.embedded or module.unread:
        return None
    inner, gone = list(nodes.inside(new.body, (new,))), list(nodes.inside(old.body, (old,)))
    if any(isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) for node, _ in (*inner, *gone)):
        return None
    module.jit.clear()
    module.jit.update((at, function) for at, function in before.jit.items() if at != id(old))
    _take(resolver, module, new, ())
    now = module.jit.get(id(new))
    defined = {node.name for node, _ in before.statements if isinstance(node, ast.FunctionDef)}
    for one, body in ((before, gone), (module, inner)):
        if any(_called(resolver, scope, call, at) for scope, call, at in _handing_on(resolver, one, body, defined)):
            return None
    if now is None or _made_as(now) != _made_as(was) or len(module.jit) != len(before.jit):
        return None
    now.launches = was.launches
    others = [(n, around) for n, around in before.statements if n is not old and (not around or around[0] is not old)]
    module.statements = [*others, (new, ()), *inner]
    module.unclear, module.too_many = [*before.unclear], None
    module.unmade = list(unmade(resolver, module))
    return [now if function is was else function for function in known]


def _handing_on(
    resolver: ResolverView, module: Module, body: list[tuple[ast.stmt, _Around]], names: set[str]
) -> Iterator[tuple[Scope, ast.Call, int | None]]:
    """The calls in a body that are given one of these functions."""
    for node, around in body:
        for expression in nodes.own(node):
            for calls in _given(expression, names):
                scope = resolver.scope(module, around)
                yield from ((scope, call, scope.table.orders.get(id(node))) for call in calls)


def _made_as(function: JitFunction) -> tuple[object, ...]:
    """What its decorators made of it, and what code elsewhere in its file put on it."""
    keys = [sorted(part) for part in (function.options, function.heuristics)]
    sets = len(function.configs), len(function.config_options), function.configs_vary, function.pruned
    return function.qualname, function.gluon, function.autotuned, keys, sets, function.wrappers, function.stale


def _take(resolver: ResolverView, module: Module, node: ast.FunctionDef, around: _Around) -> None:
    """Notes the jit function that its decorators make of a function."""
    scope = resolver.scope(module, around)
    made = resolver.evaluator.decorated(scope, node, scope.table.orders.get(id(node)))
    if isinstance(made, Unknown):
        _note_unclear(resolver, scope, node, _why(made))


def _why(value: Unknown) -> str | None:
    return None if value.broken else value.reason


def _note_unclear(resolver: ResolverView, scope: Scope, node: ast.FunctionDef, why: str | None) -> None:
    """A function that says that it is a jit function, or does what only one can, where what its decorators make of it
    can't be known."""
    for decorator in node.decorator_list:
        said = decorator.func if isinstance(decorator, ast.Call) else decorator
        if ast.unparse(said) in _SAID:
            value = resolver.evaluator.evaluate(said, scope)
            # Where that is Triton's, it is handed something unknown by the decorators below it.
            scope.module.unclear.append((node, _why(value) if isinstance(value, Unknown) else why))
            return
    every = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
    meant = [resolver.evaluator.evaluate(said, scope) for said in every]
    gone = [v.path for v in meant if isinstance(v, TritonObject) and not triton_has(resolver, v.path)]
    jits = [said for said in every if last_name(said) == "jit"]
    looks = jits and any(last_name(part) in _OF_KERNELS for part in descend(node))
    if looks or any(_is_from_triton(resolver, scope, said) for said in jits):
        scope.module.unclear.append((node, why))
    elif of_kernels.language(resolver, resolver.inner(scope, node), node) is not None:
        if not of_kernels.is_of_language(node):
            scope.module.unclear.append((node, why))
    elif gone:
        scope.module.unclear.append((node, f"the installed Triton has no `{gone[0]}`."))
    elif any(function.name == node.name for function in scope.module.previous):
        scope.module.unclear.append((node, None))  # it was one until somebody typed in its decorators


def _is_from_triton(resolver: ResolverView, scope: Scope, said: ast.expr) -> bool:
    """Whether what is called ``jit`` comes from a module that speaks of Triton, whatever that makes of it: the file's
    own, or ``package.jit``."""
    owner = resolver.evaluator.evaluate(said.value, scope) if isinstance(said, ast.Attribute) else None
    file = owner.file if isinstance(owner, ModuleValue) else None
    return file is not None and resolver.project.says(file, has_word, "triton")


def _given(expression: ast.AST, names: set[str]) -> Iterator[list[ast.Call]]:
    """The calls in an expression that are given one of these functions, each behind the calls that it is given to."""
    todo: list[tuple[ast.AST, list[ast.Call]]] = [(expression, [])]
    while todo:
        node, outer = todo.pop()
        calls = [*outer, node] if isinstance(node, ast.Call) else []
        if isinstance(node, ast.Call) and any(isinstance(a, ast.Name) and a.id in names for a in _values(node)):
            yield calls
        inner = {id(value) for value in _values(node)} if isinstance(node, ast.Call) else set[int]()
        todo += [(child, calls if id(child) in inner else []) for child in ast.iter_child_nodes(node)]


def _values(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "fn")]


def _called(resolver: ResolverView, scope: Scope, call: ast.Call, before: int | None) -> bool:
    """``kernel = triton.jit(fn)``: evaluating it notes the jit function in its module. Whether it made one."""
    function = resolver.evaluator.evaluate(call.func, scope, before)
    if not isinstance(function, (TritonObject, Decoration, Partial, UserFunction)):
        return False
    return isinstance(resolver.evaluator.evaluate(call, scope, before), Jit)


def _stale(module: Module, present: set[str]) -> list[JitFunction]:
    """The jit functions of the text before that stand in a part that does not parse now, or of which nobody knows what
    their decorators make of them now (one of them is being typed), moved to where they stand."""
    found: list[JitFunction] = []
    for function in module.previous:
        if function.qualname in present:
            continue
        head = re.compile(rf"\s*def\s+{re.escape(function.name)}\b")
        unclear = [(node.lineno, node.lineno) for node, _ in module.unclear]
        broken = [*module.broken, *(string.lines for string in module.unread), *unclear]
        lines = [n for a, b in broken for n in range(a, b + 1) if head.match(module.lines[n - 1])]
        if lines:
            present.add(function.qualname)
            shift = min((n - function.name_span.line for n in lines), key=abs)
            moved = replace(function, stale=True, launches=[], span=_moved(function.span, shift))
            found.append(replace(moved, name_span=_moved(function.name_span, shift)))
    return found + [new for new in _never_whole(module) if new.qualname not in present]


def _never_whole(module: Module) -> Iterator[JitFunction]:
    """The functions at the top of the file that say that they are jit functions and never parsed: somebody types
    them. Of their text only the name is known, and whether something is returned."""
    for first, last in module.broken:
        says: int | None = None
        for number in range(first, last + 1):
            line = module.lines[number - 1]
            if _SAYS_JIT.match(line):
                says = number
            elif says is not None and (head := _HEAD.match(line)) is not None and not iskeyword(head[1]):
                rest = range(number + 1, last + 1)
                end = next((n - 1 for n in rest if _NEXT.match(module.lines[n - 1])), last)
                returns = any(_RETURNS.match(module.lines[n - 1]) for n in range(number, end + 1))
                node = ast.parse(f"def {head[1]}(): {'return 0' if returns else 'pass'}").body[0]
                assert isinstance(node, ast.FunctionDef)
                span = Span(module.file, says, 1, end, len(module.lines[end - 1]) + 1)
                name = Span(module.file, number, head.start(1) + 1, number, head.end(1) + 1)
                yield JitFunction(module.file, module.name, head[1], head[1], node, span, name, [], stale=True)
                says = None
            elif line[:1] not in ("@", "", " ", "\t", ")"):
                says = None


def _moved(span: Span, lines: int) -> Span:
    return replace(span, line=span.line + lines, end_line=span.end_line + lines)
