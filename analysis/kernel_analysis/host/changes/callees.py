"""What a callee may do with its arguments: keep them, or change them. A function of the user's is looked at; what is
not known may do anything.

Resolves names; evaluates no call.
"""

from __future__ import annotations

import ast
import os
from typing import TYPE_CHECKING

from kernel_analysis.host.changes.uses import DICTS, READS, Beside, Judge, Kept, occurrences, use
from kernel_analysis.host.evaluate.values import External, Scope, TritonObject, UserFunction
from kernel_analysis.host.names.named_once import named_once
from kernel_analysis.host.names.naming import Bound, meaning
from kernel_analysis.source.tree.forms import chain, last_name

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_ANY = 1 << 16
KEPT: dict[str, tuple[Kept, int]] = {
    **dict.fromkeys(
        ("builtins.len", "builtins.str", "builtins.repr", "builtins.bool", "builtins.int", "builtins.float",
         "builtins.isinstance", "builtins.issubclass", "builtins.hash", "builtins.id", "builtins.print",
         "builtins.format", "builtins.callable", "builtins.range", "builtins.abs", "builtins.round", "builtins.divmod",
         "builtins.pow", "builtins.hasattr", "builtins.ascii", "builtins.super", "json.dumps", "pprint.pprint",
         "pkgutil.iter_modules", "pkgutil.walk_packages", "dataclasses.asdict", "dataclasses.astuple",
         "dataclasses.fields", "dataclasses.is_dataclass"),
        ("nothing", _ANY)),
    **dict.fromkeys(("builtins.type", "copy.deepcopy"), ("nothing", 1)),
    **dict.fromkeys(
        ("builtins.list", "builtins.tuple", "builtins.set", "builtins.dict", "builtins.frozenset", "builtins.sorted",
         "builtins.sum", "builtins.any", "builtins.all", "builtins.min", "builtins.max", "builtins.enumerate",
         "builtins.reversed", "copy.copy", "itertools.chain.from_iterable", "itertools.combinations",
         "itertools.permutations", "itertools.islice", "itertools.cycle", "math.prod", "collections.OrderedDict",
         "dataclasses.replace",
         "collections.Counter"), ("parts", 1)),
    **dict.fromkeys(
        ("builtins.zip", "builtins.filter", "builtins.map", "itertools.product", "itertools.chain"), ("parts", _ANY)),
}  # fmt: skip
"""What a library's function keeps of its arguments, and of how many by position: another may come back as it is."""
_ASSERTS = frozenset(f"assert{what}" for what in (
    "Equal", "NotEqual", "Is", "IsNot", "In", "NotIn", "IsNone", "IsNotNone", "True", "False", "IsInstance",
    "NotIsInstance", "DictEqual", "ListEqual", "TupleEqual", "SetEqual", "SequenceEqual", "CountEqual", "Greater",
    "GreaterEqual", "Less", "LessEqual", "AlmostEqual", "NotAlmostEqual"))  # fmt: skip
"""Methods of tests that compare what they are given. (Others call it.)"""
_INSTALLED = frozenset({"site-packages", "dist-packages"})
_CALLED_ALONE = frozenset({("dataclasses.field", "default_factory")})
"""What a library's function does nothing with but have it called, with no argument."""
_ONE_OF = frozenset({"builtins.min", "builtins.max", "copy.deepcopy"})
"""Of several arguments, these give one back, or keep one in the other."""
_GIVEN_FUNCTIONS = frozenset(f"builtins.{name}" for name in ("map", "filter", "sum"))
"""What is given a function by position, or calls one that its arguments have."""
_HANDED_PARTS = ("key", "default", "cls", None)
"""Keywords, ``**any`` among them, by which a function is given to hand the parts on to."""
_MAKES_CONTAINER = frozenset(f"builtins.{name}" for name in ("list", "set", "dict", "sorted", "globals", "locals"))
_MAKES_PLAIN = _MAKES_CONTAINER | {"builtins.tuple", "builtins.str", "builtins.len"}
_ASKS_THE_TYPE = {"builtins.isinstance": "__instancecheck__", "builtins.issubclass": "__subclasscheck__"}
_KEPT_AS = {"triton.autotune": ("configs", "kwargs"), "triton.heuristics": ("values",), "triton.Config": ("kwargs",)}
"""What Triton's objects call what they are given."""
_LAUNCHES = ("warmup", "run")
_DEEPEST = 4
_PLAIN = (ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp, ast.JoinedStr)


def judge(resolver: ResolverView, scope: Scope, depth: int = 0) -> Judge:
    """What calls that stand in ``scope`` may keep of their arguments."""

    def kept(call: ast.Call | Beside, position: int | str | None) -> Kept:
        if isinstance(call, Beside):
            return operation(resolver, scope, call)
        return _kept(resolver, scope, call, position, depth)

    return kept


def operation(resolver: ResolverView, scope: Scope, made: Beside) -> Kept:
    """What an operator keeps of a container beside it: nothing, unless some class of the workspace says what it does,
    and what is on the other side may be of that class. (Those of libraries change nothing of what they are given.)"""
    if not any(_spelled(resolver, scope, method) for method in made.methods) or in_kernel(resolver, scope):
        return "nothing"
    return "nothing" if _plain(resolver, scope, made.other, 0) else "all"


def _plain(resolver: ResolverView, scope: Scope, node: ast.AST, depth: int) -> bool:
    """Whether an expression has something of Python's own types, or a kernel."""
    if isinstance(node, _PLAIN):
        return True
    if isinstance(node, ast.BinOp) and depth < _DEEPEST:
        return all(_plain(resolver, scope, side, depth + 1) for side in (node.left, node.right))
    if isinstance(node, ast.Call) and isinstance(made := meaning(resolver, scope, node.func), External):
        return made.path in _MAKES_PLAIN and not _may_be_another(resolver, scope, node.func, made)
    if not isinstance(node, (ast.Name, ast.Attribute)) or depth > _DEEPEST:
        return False
    found = meaning(resolver, scope, node)
    if isinstance(found, (External, TritonObject)):
        return True
    if not isinstance(found, Bound) or replaced(resolver, found.scope, found.name):
        return False
    if (value := found.event.value) is not None and found.event.how == "assign":
        return _plain(resolver, found.scope, value, depth + 1)
    return _is_kernel(resolver, found)


def _is_container(resolver: ResolverView, scope: Scope, node: ast.expr, depth: int) -> bool:
    """Whether an expression is one of Python's own containers, made there or where its name is bound."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "copy":
        return _is_container(resolver, scope, node.func.value, depth + 1)
    if isinstance(node, ast.Call):
        made = meaning(resolver, scope, node.func)
        if not isinstance(made, External) or made.path not in _MAKES_CONTAINER:
            return False
        return not _may_be_another(resolver, scope, node.func, made)
    if isinstance(node, ast.Name) and depth < _DEEPEST and "nonlocal" not in scope.module.text:
        found = meaning(resolver, scope, node)
        if not isinstance(found, Bound) or found.event.how != "assign" or found.event.value is None:
            return False
        kept = not replaced(resolver, found.scope, found.name)
        return kept and _is_container(resolver, found.scope, found.event.value, depth + 1)
    return isinstance(node, _PLAIN) and not isinstance(node, (ast.Constant, ast.Tuple, ast.JoinedStr))


def _is_kernel(resolver: ResolverView, found: Bound) -> bool:
    """Whether nothing but Triton stands on a function."""
    return _is_triton_s(resolver, found.scope, found.event.node)


def _is_triton_s(resolver: ResolverView, scope: Scope, node: ast.AST) -> bool:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    called = [d.func if isinstance(d, ast.Call) else d for d in decorators]
    return bool(called) and all(isinstance(meaning(resolver, scope, d), TritonObject) for d in called)


def in_kernel(resolver: ResolverView, scope: Scope) -> bool:
    """Whether it is a kernel's own text: the compiler's operators change nothing of the host's."""
    return scope.parent is not None and _is_triton_s(resolver, scope.parent, scope.node)


def replaced(resolver: ResolverView, scope: Scope, name: str) -> bool:
    """Whether a name of a file may be bound to something else than what its one statement says."""
    if not isinstance(scope.node, ast.Module):
        return False
    return name in scope.module.reassigned or resolver.touches.replaced(scope, name)


def _may_be_another(resolver: ResolverView, scope: Scope, function: ast.expr, found: Bound | External) -> bool:
    """Whether what is called by that name may be something else by then."""
    root, _ = chain(function)
    current: Scope | None = scope
    while current is not None and isinstance(root, ast.Name):
        if root.id in current.table.events or isinstance(current.node, ast.Module):
            if replaced(resolver, current, root.id):
                return True
            break
        current = current.parent
    return isinstance(found, Bound) and replaced(resolver, found.scope, found.name)


def _kept(resolver: ResolverView, scope: Scope, call: ast.Call, position: int | str | None, depth: int) -> Kept:
    function = call.func
    if isinstance(function, ast.Attribute) and function.attr == "update":
        owner = function.value
        owner = owner.func if isinstance(owner, ast.Call) and last_name(owner.func) in DICTS else owner
        of_names = isinstance(owner, ast.Attribute) and owner.attr in ("__dict__", *DICTS)
        if of_names or _is_container(resolver, scope, owner, 0):
            return "inside"  # a dict takes what is in another
    if isinstance(function, ast.Subscript) or isinstance(function, ast.Attribute) and function.attr in _LAUNCHES:
        launched = meaning(resolver, scope, function.value)
        if isinstance(launched, Bound) and _is_kernel(resolver, launched):
            return "nothing"
        if isinstance(function, ast.Subscript):
            return "all"
    if isinstance(function, ast.Attribute) and function.attr in _ASSERTS and _is_test_s(resolver, scope, function):
        return "nothing"
    found = meaning(resolver, scope, function)
    if isinstance(found, TritonObject):
        return _of_triton(resolver, scope, found, call)
    if not isinstance(found, (Bound, External)):
        return "all"
    kept = _by_callee(resolver, scope, found, call, position, depth)
    return "all" if kept == "all" or _may_be_another(resolver, scope, function, found) else kept


def _is_test_s(resolver: ResolverView, scope: Scope, function: ast.Attribute) -> bool:
    """Whether it is a method of the object of the class around, which has it of a class that is not in sight."""
    node, around = scope.node, scope.parent
    if not isinstance(node, ast.FunctionDef) or not node.args.args or around is None:
        return False
    own = isinstance(function.value, ast.Name) and function.value.id == node.args.args[0].arg
    bound = sum(event.how != "parameter" for event in scope.table.events.get(node.args.args[0].arg, ()))
    if not own or bound or not isinstance(around.node, ast.ClassDef):
        return False
    return _has_of_others(resolver, around, around.node, function.attr, 0)


def _has_of_others(resolver: ResolverView, inner: Scope, cls: ast.ClassDef, name: str, depth: int) -> bool:
    if name in inner.table.events or inner.parent is None or depth > _DEEPEST or not cls.bases or cls.keywords:
        return False
    for base in cls.bases:
        found = meaning(resolver, inner.parent, base)
        if isinstance(found, Bound) and isinstance(found.event.node, ast.ClassDef):
            above = found.event.node
            if not _INSTALLED.isdisjoint(found.scope.module.file.split(os.sep)):
                continue
            if not _has_of_others(resolver, resolver.inner(found.scope, above), above, name, depth + 1):
                return False
        elif not isinstance(found, External) and not (
            isinstance(found, Bound) and found.event.how in ("import", "from")
        ):
            return False
    return not resolver.project.elsewhere.storing(None, name, False)


def _by_callee(
    resolver: ResolverView,
    scope: Scope,
    found: Bound | External,
    call: ast.Call,
    position: int | str | None,
    depth: int,
) -> Kept:
    if isinstance(found, External):
        asked = _ASKS_THE_TYPE.get(found.path)
        return (
            "all" if asked is not None and _spelled(resolver, scope, asked) else _by_library(found.path, call, position)
        )
    if isinstance(found.event.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        node = found.event.node
        if not node.decorator_list and depth < _DEEPEST:
            return of_parameter(resolver, UserFunction(found.scope, node), position, depth)
    return "all"


def _by_library(path: str, call: ast.Call, position: int | str | None) -> Kept:
    if (path, position) in _CALLED_ALONE:
        return "nothing"
    kept, count = KEPT.get(path) or (("nothing" if path.startswith("math.") else "all"), _ANY)
    if isinstance(position, str):
        return "inside" if kept != "all" and position == "key" else "all"
    several = path in _ONE_OF and (len(call.args) > 1 or any(k.arg in ("memo", None) for k in call.keywords))
    spread = any(isinstance(argument, ast.Starred) for argument in call.args)
    if several or (spread and (count < _ANY or path in _ONE_OF) if position is None else position >= count):
        return "all"
    # A function that it is given has the parts in its hands while it works.
    given = path in _GIVEN_FUNCTIONS and (len(call.args) > 1 or spread)
    return "inside" if kept != "all" and (given or any(k.arg in _HANDED_PARTS for k in call.keywords)) else kept


def _of_triton(resolver: ResolverView, scope: Scope, found: TritonObject, call: ast.Call) -> Kept:
    """What Triton keeps comes back as an attribute, and an autotuner's configs where it asks which of them to try."""
    if found.path.startswith("triton.language.") and not found.path.endswith(".constexpr"):
        return "nothing"  # of a kernel's own
    attributes = _KEPT_AS.get(found.path)
    if attributes is None or any(k.arg is None for k in call.keywords):
        return "all"
    for prune in (k.value for k in call.keywords if k.arg == "prune_configs_by"):
        functions = prune.values if isinstance(prune, ast.Dict) else [prune]
        if not all(isinstance(f, ast.Constant) or _only_reads(resolver, scope, f) for f in functions):
            return "all"
    return "all" if any(_changed_as(resolver, scope.module, name) for name in attributes) else "nothing"


def _changed_as(resolver: ResolverView, module: Module, attribute: str) -> bool:
    """Whether some file, or that one, changes what something has as an attribute of that name, or hands it on."""
    known = resolver.touches.changed_as
    if attribute not in known:
        known[attribute] = False, frozenset()
        with resolver.reading() as files:
            spelling = resolver.project.elsewhere.storing(None, f".{attribute}", False)
            found = any(_changes_as(resolver, file, attribute) for file in spelling)
        known[attribute] = found, frozenset(files)
    found, files = known[attribute]
    resolver.read(files)
    return found or f".{attribute}" in module.named and _changes_as(resolver, module.file, attribute)


def _changes_as(resolver: ResolverView, file: str, attribute: str) -> bool:
    module = resolver.project.load(file)
    for at in occurrences(module, attribute):
        node = at.chain[0]
        if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
            continue
        made = use(at, judge(resolver, resolver.scope(module, at.around)))
        if made is not None and made.kind != "part" and (made.kind != "method" or made.word not in READS):
            resolver.read((file,))
            return True
    return False


def _only_reads(resolver: ResolverView, scope: Scope, function: ast.expr) -> bool:
    """Whether a function leaves its first argument as it is, but for what is in it."""
    found = meaning(resolver, scope, function)
    node = found.event.node if isinstance(found, Bound) else None
    if not isinstance(found, Bound) or not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return isinstance(function, ast.Lambda)
    return not node.decorator_list and of_parameter(resolver, UserFunction(found.scope, node), 0, 0) != "all"


def _spelled(resolver: ResolverView, scope: Scope, method: str) -> bool:
    return method in scope.module.named or bool(resolver.project.elsewhere.storing(None, method, False))


def of_parameter(resolver: ResolverView, function: UserFunction, position: int | str | None, depth: int) -> Kept:
    """What a function of the user's does with one of its parameters."""
    node, args = function.node, function.node.args
    positional = [*args.posonlyargs, *args.args]
    name = position if isinstance(position, str) else None
    if isinstance(position, int) and position < len(positional):
        name = positional[position].arg
    if name is None or name not in {a.arg for a in (*positional, *args.kwonlyargs)} or isinstance(node, ast.Lambda):
        return "all"
    module = function.scope.module
    inner = resolver.inner(function.scope, node)
    if any(event.how != "parameter" for event in inner.table.events.get(name, ())):
        return "all"

    def find() -> Kept:
        kept: Kept = "nothing"
        for at in occurrences(module, name):
            if not isinstance(at.chain[0], ast.Name) or node not in at.around:
                continue
            made = use(at, judge(resolver, resolver.scope(module, at.around), depth + 1))
            if made is not None and made.kind != "part":
                return "all"
            kept = "inside" if made is not None else kept
        return kept

    # (The function is of the key, so that no other has its place in memory.)
    return named_once(resolver, resolver.scope(module), (node, name, depth), find)
