"""Why an attribute of a class, or a field of a named tuple, may be another than the class says: what sets it by the
class or by something that may be the class, in its body by ``vars()``, and what makes or derives from it.

Resolves names; evaluates nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from kernel_analysis.host.changes import callees
from kernel_analysis.host.changes.made.new_objects import is_object, leaves
from kernel_analysis.host.changes.module_names import other_files
from kernel_analysis.host.changes.module_names.reflection import sets_in_body
from kernel_analysis.host.changes.objects import handed_classes, kernel_classes
from kernel_analysis.host.changes.stands_for import class_relations
from kernel_analysis.host.changes.text.text_patterns import may_set
from kernel_analysis.host.changes.uses import Occurrence, occurrences, own_instance, relevant, sets_by_text, told, use
from kernel_analysis.host.evaluate.properties import changeable
from kernel_analysis.host.evaluate.values import (
    External,
    ModuleValue,
    RecordClass,
    Scope,
    TritonObject,
    UserClass,
    Value,
)
from kernel_analysis.host.names.naming import Bound, meaning

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView, TouchesView

_CHANGED = "may be changed"
_MODULES = (ModuleValue, External, TritonObject)
_DECIDE = ("__bases__",)
"""Attributes of a class that decide what the others are."""
_PLAIN_BASES = frozenset({
    "abc.ABC", "collections.OrderedDict", "collections.UserDict", "collections.defaultdict", "enum.Enum", "enum.Flag",
    "enum.IntEnum", "enum.IntFlag", "enum.StrEnum", "threading.Thread", "torch.autograd.Function",
    "torch.autograd.function.Function", "torch.nn.Module", "types.SimpleNamespace", "typing.Generic",
    "typing.NamedTuple", "typing.Protocol", "typing_extensions.NamedTuple", "typing_extensions.Protocol",
})  # fmt: skip
"""What a class may derive from, beside Python's own types, and keep the attributes that its body gives it: the
``Structure`` of ``ctypes`` and the models of many libraries put others in their place."""


def changed(touches: TouchesView, cls: UserClass, name: str, value: Value, made: bool = False) -> str | None:
    """Why ``Class.name`` may be another than the class says. ``made``: what makes the class, and objects of it, is
    known."""
    names = (name, *_DECIDE)
    apart = partial(_means_another, touches, cls)
    whys = (
        other_files.changed(touches.resolver, cls.scope.module, cls.node.name, value, attribute, apart)
        for attribute in names
    )
    here = _in_its_file(touches, cls, names, value, made) or next(filter(None, whys), None)
    no_base = partial(_is_no_base, touches.resolver, cls)
    handed = here or handed_classes.changed(touches, cls, name, value, no_base)
    return handed or touches.handed.changed(cls.scope.module, cls.node.name, False)


def _means_another(touches: TouchesView, cls: UserClass, scope: Scope, node: ast.expr, found: object) -> bool:
    """Whether an expression, which means that, if it is plain to see, has another class, and what is set on that is
    nothing of this one."""
    if isinstance(found, Bound) and isinstance(found.event.node, ast.ClassDef):
        return _is_apart(touches.resolver, cls, found)
    word, heir = class_relations.word_of(node), class_relations.heir(touches.resolver, scope, node)
    if word is None or heir is not None and _is_no_base(touches.resolver, cls, heir):
        return word is not None
    return word not in class_relations.HEIRS and kernel_classes.is_one(touches, cls)


def _is_apart(resolver: ResolverView, cls: UserClass, other: Bound) -> bool:
    """Whether a class statement makes another class, and what is set on that is nothing of this one."""
    node, module = other.event.node, other.scope.module
    itself = module.file == cls.scope.module.file and other.name == cls.node.name
    if itself or cls.node.bases or cls.node.keywords or not isinstance(node, ast.ClassDef):
        return False
    project = resolver.project
    storing = project.elsewhere.storing(None, other.name, False)
    again = other.name in module.reassigned or any(project.says(file, may_set, other.name) for file in storing)
    return not again and all(leaves(resolver, other.scope, decorator) for decorator in node.decorator_list)


def _is_no_base(resolver: ResolverView, cls: UserClass, other: Bound, within: frozenset[ast.AST] = frozenset()) -> bool:
    """Whether a class statement makes another class, which derives from this one in no way."""
    node, project = other.event.node, resolver.project
    if not isinstance(node, ast.ClassDef) or node in within or not _is_apart(resolver, cls, other) or node.keywords:
        return False
    if any(project.says(file, may_set, "__bases__") for file in project.elsewhere.storing(None, "__bases__", False)):
        return False
    for base in node.bases:
        found = meaning(resolver, other.scope, base.value if isinstance(base, ast.Subscript) else base)
        if isinstance(found, Bound):
            if not _is_no_base(resolver, cls, found, within | {node}):
                return False
        elif not isinstance(found, External):
            return False
    return True


def record_changed(resolver: ResolverView, cls: RecordClass, names: Sequence[str]) -> str | None:
    """Why one of these attributes of a named tuple, or of its class, may be another: some file sets one of that name,
    of whatever."""
    project = resolver.project
    for name in names:
        for file in sorted({*project.elsewhere.storing(None, name, False), *([cls.file] if cls.file else ())}):
            if project.says(file, may_set, name):
                resolver.read((file,))
                return f"`{cls.name}.{name}` {_CHANGED} by {project.relative(file)}"
    return None


def _in_its_file(touches: TouchesView, cls: UserClass, names: tuple[str, ...], value: Value, known: bool) -> str | None:
    """``names``: the attribute, and those that decide what it is."""
    resolver, module, shown = touches.resolver, cls.scope.module, f"`{cls.node.name}.{names[0]}`"
    moment = resolver.moment(cls.scope)

    def before(at: Occurrence) -> bool:
        return moment is None or touches.place(at, cls.scope)[0] < moment

    for at in occurrences(module, cls.node.name):
        if not isinstance(at.chain[0], ast.Name) or not touches.refers(at, cls.node.name, cls.scope):
            continue
        made = use(at, callees.judge(resolver, resolver.scope(module, at.around)))
        if made is None or not before(at) or cls.aggregate and _marks_init(at):
            continue
        # An aggregate is handed to launches and given back by what makes it: a store there has the attribute's name.
        itself = made.first is None and (made.kind == "store" or made.kind == "held" and not cls.aggregate)
        itself |= known and made.kind == "store"
        if itself or made.first in names and (made.kind == "store" or changeable(value) and relevant(made, value)):
            return f"{shown} {_CHANGED} by {told(module, made)}"
    for at in (at for name in names for at in occurrences(module, name)):
        if _sets_attribute(resolver, cls, at, value) and before(at):
            return f"{shown} {_CHANGED} on {module.at(getattr(at.chain[0], 'lineno', 0))}"
    for at in occurrences(module, "setattr"):
        call = at.chain[1] if len(at.chain) > 1 else None
        if isinstance(call, ast.Call) and len(call.args) > 1 and not isinstance(call.args[1], ast.Constant):
            if not own_instance(call.args[0], at) and before(at):
                return f"{shown} {_CHANGED} by `setattr` on {module.at(call.lineno)}"
    if (line := sets_in_body(resolver, cls, names[0], changeable(value))) is not None:
        return f"{shown} {_CHANGED} on {module.at(line)}"
    # What Triton makes of an aggregate is known.
    return None if cls.aggregate or known else _made_by_others(resolver, cls, shown)


def _marks_init(at: Occurrence) -> bool:
    """``Class.__init__.__triton_builtin__ = True``, which older versions of Triton ask of an aggregate: it is called as
    it is written."""
    taken = [node.attr for node in at.chain[1:3] if isinstance(node, ast.Attribute)]
    return taken == ["__init__", "__triton_builtin__"]


def _made_by_others(resolver: ResolverView, cls: UserClass, shown: str) -> str | None:
    """Why the class may be another than it is written."""
    if any(keyword.arg == "metaclass" for keyword in cls.node.keywords):
        return f"{shown} {_CHANGED} by the class's metaclass"
    for decorator in cls.node.decorator_list:
        if not leaves(resolver, cls.scope, decorator):
            return f"{shown} {_CHANGED} by the class's decorator on {cls.scope.module.at(decorator.lineno)}"
    for base in cls.node.bases:
        found = meaning(resolver, cls.scope, base.value if isinstance(base, ast.Subscript) else base)
        node = found.event.node if isinstance(found, Bound) else None
        if isinstance(node, ast.ClassDef) and isinstance(found, Bound):
            if node is cls.node:
                continue
            if why := _made_by_others(resolver, UserClass(found.scope, node), shown):
                return why
            if "__init_subclass__" in resolver.inner(found.scope, node).table.events:
                return f"{shown} {_CHANGED} by `{node.name}.__init_subclass__`"
        elif not isinstance(found, External) or not (found.path in _PLAIN_BASES or found.path.startswith("builtins.")):
            return f"{shown} {_CHANGED} by a base of the class on {cls.scope.module.at(base.lineno)}"
    return None


def _sets_attribute(resolver: ResolverView, cls: UserClass, at: Occurrence, value: Value) -> bool:
    """Whether an attribute of that name is set, or changed, on what may be the class."""
    node = at.chain[0]
    scope = resolver.scope(cls.scope.module, at.around)
    if isinstance(node, ast.Attribute):
        made = use(at, callees.judge(resolver, scope))
        if made is None or isinstance(node.value, ast.Name) and node.value.id == cls.node.name:
            return False
        if not isinstance(node.ctx, ast.Load):
            found = meaning(resolver, scope, node.value)
            apart = isinstance(found, Bound) and is_object(resolver, found, node.attr)
            return not apart and not own_instance(node.value, at) and not isinstance(found, _MODULES)
        return made.first is None and changeable(value) and relevant(made, value)
    owner = sets_by_text(at)
    return owner is not None and (isinstance(owner, str) or not own_instance(owner, at))
