"""Cuts the slice of a jit function: the function, every helper that it reaches, and the meaning of every outside name
they use."""

from __future__ import annotations

import ast
import copy
import hashlib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.functions.function_parts import cell_changed, defaults_changed
from kernel_analysis.host.changes.replaced import language_changed
from kernel_analysis.host.decorators import aggregates
from kernel_analysis.host.decorators.wrappers import another
from kernel_analysis.host.evaluate.properties import truth
from kernel_analysis.host.evaluate.values import (
    ConstexprFunction,
    External,
    Jit,
    Scope,
    Unknown,
    UserClass,
    UserFunction,
    Value,
)
from kernel_analysis.host.names.alternatives import same
from kernel_analysis.host.names.imports import while_imported
from kernel_analysis.kernels.bindings import Binder, Callee
from kernel_analysis.kernels.handed_functions import handed
from kernel_analysis.source.enum_constants import EnumNumber, EnumText
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.slice import (
    AggregateClass,
    AggregateField,
    AggregateRef,
    Binding,
    Constant,
    ConstantValue,
    DictValue,
    FunctionRef,
    ListValue,
    NamedTupleClass,
    NamedTupleValue,
    Namespace,
    Slice,
    SliceFunction,
    TritonObject,
    Unresolved,
)  # fmt: skip
from kernel_analysis.source.text_search.aggregate_operators import OPERATORS, marks
from kernel_analysis.source.tree import syntax
from kernel_analysis.span import Span

if TYPE_CHECKING:
    from kernel_analysis.kernels.project import Project

_MOST_FUNCTIONS = 250
_MOST_CLASSES = 100
_NOT_COMPILED = frozenset({"repr", "launch_metadata", "version"})


class NotCut(Exception):
    """There is more to it than is looked at, or something else than its text says; the message says what."""


def cut(project: Project, function: JitFunction) -> Slice:
    """The slice of ``function``, which ``Module.functions`` gave. Raises nothing but ``NotCut`` for what the user
    wrote."""
    known = project.slices.of(function)
    if known is not None:
        return known
    cutting = _Cut(project)
    try:
        with project.resolver.noting() as notes:
            made = cutting.run(function)
    finally:
        del cutting.binder  # a circle, which would hold the trees until somebody looks for circles
    nodes = [callee.function for callee, _ in cutting.todo if isinstance(callee, Jit)]
    project.slices.keep(function, made, tuple([(member.file, member.node) for member in nodes]), notes)
    return made


class _Cut:
    def __init__(self, project: Project) -> None:
        self.project = project
        self.resolver = project.resolver
        self.functions: list[SliceFunction] = []
        self.spans: list[Callable[[ast.AST], Span]] = []
        self.indexes: dict[tuple[object, ...], int] = {}
        self.classes: list[AggregateClass] = []
        self.class_indexes: dict[tuple[object, ...], int] = {}
        self.todo: list[tuple[Callee, Scope]] = []
        self.filled = 0
        self.binder = Binder(self.resolver, self.refer, self.aggregate)

    def run(self, function: JitFunction) -> Slice:
        with self.resolver.reading() as files:
            self.refer(Jit(function))
            self.fill_all()
            for callee in handed(self.project, function):
                self.binder.constant(callee)
            self.fill_all()
            changed = language_changed.anywhere(self.resolver, self.project.load(function.file))
            files.update(f.file for f in self.functions)
        if not function.launches and not function.decorated and any(map(_is_gluon, self.functions)):
            # Only Gluon kernels can call it, whatever its decorator says: it is compiled as part of them.
            self.functions[0].gluon = True
        first, *helpers = (_identity(item).encode("utf-8", "surrogatepass") for item in self.functions)
        helpers += [_class_identity(made).encode("utf-8", "surrogatepass") for made in self.classes]
        helpers_hash = hashlib.sha256(b"".join(helpers)).hexdigest()
        others = self.has_operators()
        said = (b"autotuned" if function.autotuned else b"") + (b"operators" if others else b"")
        said += (changed or "").encode("utf-8", "surrogatepass")
        whole = hashlib.sha256(first + helpers_hash.encode() + said).hexdigest()
        made = Slice(self.functions, whole, helpers_hash, frozenset(files), self.spans, self.classes)
        made.autotuned, made.other_operators, made.language_changed = function.autotuned, others, changed
        return made

    def has_operators(self) -> bool:
        """Whether a class in sight has operators in kernels."""
        files = dict.fromkeys(item.file for item in self.functions)
        return self.project.elsewhere.stored(OPERATORS) or any(self.project.says(file, marks) for file in files)

    def fill_all(self) -> None:
        """Fill the functions that are not yet, and those that they lead to."""
        while self.filled < len(self.todo):
            self.filled += 1
            self.fill(self.functions[self.filled - 1], *self.todo[self.filled - 1])

    def aggregate(self, cls: UserClass) -> int:
        """The index of an aggregate class in the slice, which it joins with all its methods if it is new."""
        key = aggregates.key(cls)
        if key in self.class_indexes:
            return self.doubted(self.class_indexes[key])
        if len(self.classes) == _MOST_CLASSES:
            raise NotCut(f"it uses more than {_MOST_CLASSES} aggregates, directly or through others")
        index = self.class_indexes[key] = len(self.classes)
        module, around = cls.scope.module, [cls.node.name]
        scope: Scope | None = cls.scope
        while scope is not None:
            if not isinstance(scope.node, (ast.Module, ast.Lambda)):
                local = [] if isinstance(scope.node, ast.ClassDef) else ["<locals>"]
                around = [scope.node.name, *local, *around]
            scope = scope.parent
        made = AggregateClass(module.name, ".".join(around), key)
        self.classes.append(made)
        found = aggregates.members(self.resolver.evaluator, cls, self.functions)
        made.problem = found.problem
        made.bases = tuple(AggregateRef(self.aggregate(base)) for base in found.bases)
        made.fields = tuple(self._field(field, found.scope) for field in found.fields)
        made.methods.update({n: self._method(n, value, found.scope) for n, value in found.methods.items()})
        made.varies.update(found.varies)
        return self.doubted(index)

    def doubted(self, index: int) -> int:
        for why in self.classes[index].varies.values():
            self.resolver.note(why)
        return index

    def _field(self, field: aggregates.Field, scope: Scope) -> AggregateField:
        every = field.kinds or ()
        kinds = [AggregateRef(self.aggregate(kind)) if isinstance(kind, UserClass) else kind for kind in every]
        known = None if field.kinds is None else tuple(kinds)
        if field.default is None:
            return AggregateField(field.name, known)
        default = self.binder.constant(self.resolver.evaluator.evaluate(field.default, scope))
        return AggregateField(field.name, known, default, optional=True)

    def _method(self, name: str, value: Value, scope: Scope) -> FunctionRef | Unresolved:
        if isinstance(value, UserFunction) and name == "__init__":
            index = self.refer(ConstexprFunction(value), scope)
            self.functions[index].kind = "function"
            return FunctionRef(index)
        if isinstance(value, (Jit, ConstexprFunction)):
            return FunctionRef(self.refer(value, scope))
        why = value.reason if isinstance(value, Unknown) else "It is none of Triton's functions."
        return Unresolved(f"`{name}` can't be called in a kernel: {why}")

    def refer(self, callee: Callee, within: Scope | None = None) -> int:
        """The index of a function in the slice, which it joins if it is new. ``within``: the scope that it stands in,
        where a followed call has made that."""
        if isinstance(callee, Jit):
            function = callee.function
            module = self.project.load(function.file)
            node, scope = function.node, within or self.resolver.scope(module, function.scope)
            if self.functions and function.wrappers and (why := another(self.resolver.evaluator, callee, scope)):
                self.resolver.note(why)
            if (why := self.resolver.touches.compiled(module, function)) is not None:
                if not self.functions:
                    raise NotCut(why)
                self.resolver.note(why)
            if self.functions and (why := defaults_changed(self.resolver, module, function)) is not None:
                self.resolver.note(why)
            name, qualname, gluon, kind = function.name, function.qualname, function.gluon, "jit"
        else:
            inner = callee.function
            assert isinstance(inner.node, ast.FunctionDef)
            module, node, scope = inner.scope.module, inner.node, inner.scope
            if (why := self.resolver.touches.run_by_python(inner)) is not None:
                self.resolver.note(why)
            name = qualname = node.name
            gluon, kind = False, "constexpr_function"
        key = (id(node), *aggregates.around(scope))
        if key in self.indexes:
            return self.indexes[key]
        if len(self.functions) == _MOST_FUNCTIONS:
            raise NotCut(f"it calls more than {_MOST_FUNCTIONS} jit functions, directly or through others")
        index = self.indexes[key] = len(self.functions)
        source = module.text_of(node)
        digest, _ = syntax.remembered(node, source)
        decided = self.decided(node, scope)
        if decided is not node:
            digest = syntax.digest(decided)
        nodes = module.nodes.get(id(node)) if decided is node else syntax.nodes(decided)
        if nodes is None:
            nodes = module.nodes[id(node)] = syntax.nodes(node)
        made = SliceFunction(
            "jit" if kind == "jit" else "constexpr_function",
            module.file,
            module.name,
            name,
            qualname,
            decided,
            nodes,
            digest,
            gluon,
        )
        self.functions.append(made)
        self.spans.append(partial(_span, self.project, module.file))
        self.todo.append((callee, scope))
        return index

    def decided(self, node: ast.FunctionDef, scope: Scope) -> ast.FunctionDef:
        """The function with the annotations that a condition chooses, ``tl.constexpr if OLD else None``; itself where
        there is none."""
        args = node.args
        parameters = (args.posonlyargs, args.args, args.kwonlyargs)
        if not any(isinstance(a.annotation, ast.IfExp) for group in parameters for a in group):
            return node
        groups = [[self._annotated(a, scope) for a in group] for group in parameters]
        made = copy.copy(node)
        made.args = copy.copy(args)
        made.args.posonlyargs, made.args.args, made.args.kwonlyargs = groups
        return made

    def _annotated(self, argument: ast.arg, scope: Scope) -> ast.arg:
        annotation = argument.annotation
        while isinstance(annotation, ast.IfExp):
            holds = truth(self.resolver.evaluator.evaluate(annotation.test, scope))
            if holds is None:
                return argument
            annotation = annotation.body if holds else annotation.orelse
        if isinstance(annotation, ast.Constant) and annotation.value is None:
            annotation = None
        made = copy.copy(argument)
        made.annotation = annotation
        return made

    def fill(self, made: SliceFunction, callee: Callee, scope: Scope) -> None:
        """The options and bindings of one function."""
        if isinstance(callee, Jit):
            for name, expression in callee.function.options.items():
                if name in _NOT_COMPILED:
                    continue
                value = self.binder.constant(self.resolver.evaluator.evaluate(expression, scope))
                if not isinstance(value, Unresolved):
                    made.options[name] = value
        made.digest = hashlib.sha256(f"{made.digest}{_spelled(made.options)}".encode()).hexdigest()
        _, usage = syntax.remembered(made.node, scope.module.text_of(made.node))
        made.annotation_names = usage.annotations
        body: Scope = scope
        while isinstance(body.node, ast.ClassDef) and body.parent is not None:
            body = body.parent
        # Defaults and annotations are computed where the function is made, its body is compiled after the import.
        made_at = scope.table.orders.get(id(callee.function.node))
        apart = isinstance(callee, ConstexprFunction) and callee.apart
        self.binder.by_python = isinstance(callee, ConstexprFunction)
        for name, chains in usage.names:
            with self.resolver.noting() as notes:
                # A class's names are seen by the heads of its methods, not by their bodies.
                head = name in usage.head
                found = self.resolver.lookup(scope if head else body, name, made_at if head else None)
                if isinstance(found.value, Unknown) and not found.value.missing:
                    supposed = self.resolver.supposed(scope if head else body, name, made_at if head else None)
                    found = found if isinstance(supposed.value, Unknown) else supposed
                if isinstance(found.value, Unknown) and found.value.ruled_out:
                    found = self.resolver.assumed(body, name) or found
                if isinstance(found.value, External) and found.value.path == f"builtins.{name}":
                    continue
                if not head:
                    inside = self.resolver.inner(scope, callee.function.node)
                    while_imported.called_early(self.resolver, body, name, found.value, inside)
                if name in usage.early and isinstance(found.value, Unknown):
                    continue
                plain = found.value
                if isinstance(plain, TritonObject):
                    if (why := language_changed.in_place(self.resolver, scope.module, plain.path, chains)) is not None:
                        self.resolver.note(why)
                        found = replace(found, others=None)
                if apart and isinstance(plain, UserFunction) and isinstance(plain.node, ast.FunctionDef):
                    found = replace(found, value=ConstexprFunction(plain, apart=True))
                self.binder.changed = False
                made.bindings[name] = self.binder.bind(name, chains, found)
                others = None if self.binder.changed else found.others
                if name not in usage.head and (why := cell_changed(self.resolver, body, name)) is not None:
                    self.resolver.note(why)
                    others = None
                if name in usage.twice and made_at is not None:
                    before = self.resolver.lookup(scope, name, made_at)
                    if not same(before.value, found.value):
                        self.resolver.note(f"`{name}` is bound again after `{made.name}` is made with it")
                        others = None if others is None or before.others is None else (*others, before, *before.others)
            if others and name not in usage.head and not any(chains):
                # Triton lets no kernel name a plain function: where the name is one, there is no launch.
                others = tuple([other for other in others if not isinstance(other.value, UserFunction)])
                if not others:
                    continue
            if notes:
                made.varies[name] = min(notes)
                made.bindings[name] = _doubted(made.bindings[name], made.varies[name])
                # What is taken of a module of Triton's has its place in the path alone.
                modules = others and all(isinstance(other.value, TritonObject) for other in others)
                if others and (modules or not any(chains)):
                    made.others[name] = tuple([self.binder.bind(name, chains, other) for other in others])


def _span(project: Project, file: str, node: ast.AST) -> Span:
    """Where a node of a file stands in its present text: a slice may be kept while another function is edited."""
    return project.load(file).span(node)


def _doubted(binding: Binding, why: str) -> Binding:
    """What a name is likely to be, where it may be something else: nobody is to blame for that."""
    if isinstance(binding, Namespace):
        members = {name: _doubted(member, why) for name, member in binding.members.items()}
        return replace(binding, members=members)
    if not isinstance(binding, Unresolved):
        return binding
    undefined = binding.wrong and binding.reason.endswith(" is not defined.")
    reason = f"{why}, and no statement of the file binds it." if undefined else binding.reason
    return replace(binding, reason=reason, wrong=False)


def _is_gluon(item: SliceFunction) -> bool:
    """Whether a function is written in Gluon."""
    return item.gluon or any(path.startswith("triton.experimental.gluon.") for path in item.used())


def _identity(item: SliceFunction) -> str:
    """All that a function compiles to, and all that may be said of it: an answer that is remembered holds both."""
    bindings = ";".join(f"{name}={_binding(b)}" for name, b in sorted(item.bindings.items()))
    varies = ";".join(f"{name}={why}" for name, why in sorted(item.varies.items()))
    varies += ";".join(f"{name}={','.join(map(_binding, others))}" for name, others in sorted(item.others.items()))
    # What is said of a function may name it and its module: the compiler does.
    return f"{item.kind}|{item.module}|{item.qualname}|{item.gluon}|{item.digest}|{bindings}|{varies}\n"


def _class_identity(made: AggregateClass) -> str:
    fields = ";".join(f"{f.name}:{f.kinds}={_default(f)}" for f in made.fields)
    methods = ";".join(f"{name}={_binding(m)}" for name, m in sorted(made.methods.items()))
    varies = ";".join(f"{name}={why}" for name, why in sorted(made.varies.items()))
    return f"class|{made.module}|{made.qualname}|{made.bases}|{fields}|{methods}|{made.problem}|{varies}\n"


def _default(field: AggregateField) -> str:
    if not field.optional:
        return ""
    return _binding(field.default) if isinstance(field.default, Unresolved) else _constant(field.default)


def _binding(binding: Binding) -> str:
    """A binding as text, without the places."""
    if isinstance(binding, Constant):
        return f"Constant({_constant(binding.value)},{binding.constexpr})"
    if isinstance(binding, (Namespace, NamedTupleClass)):
        members = f"{{{','.join(f'{n}:{_binding(b)}' for n, b in sorted(binding.members.items()))}}}"
        of = "" if isinstance(binding, Namespace) else f"{binding.name},{binding.fields},{_constant(binding.defaults)}"
        return f"{of}{members}"
    # Of what could not be resolved the reason is what is said.
    return repr(binding)


def _constant(value: ConstantValue) -> str:
    if isinstance(value, tuple):
        items = ",".join(map(_constant, value))
        return f"[{items}]" if isinstance(value, ListValue) else f"({items})"
    if isinstance(value, NamedTupleValue):
        return f"{value.class_name}{value.fields}{_constant(value.values)}"
    if isinstance(value, DictValue):
        return f"{{{','.join(f'{_constant(key)}:{_constant(item)}' for key, item in value.pairs)}}}"
    if isinstance(value, EnumText | EnumNumber):
        return f"{value.of}:{syntax.spelled(value)}"
    return syntax.spelled(value)


def _spelled(options: dict[str, ConstantValue]) -> str:
    return ";".join(f"{name}={_constant(value)}" for name, value in sorted(options.items()))
