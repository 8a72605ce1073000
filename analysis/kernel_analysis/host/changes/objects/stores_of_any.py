"""Where a file sets an attribute of what may be anything: by its name, or by one that is not in sight.

Syntax, and what the owner of an attribute is; evaluates nothing. A store counts unless what it goes to can be none of
the project's objects.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kernel_analysis.host.changes import callees
from kernel_analysis.host.changes.stands_for.module_values import MAKES_MODULES
from kernel_analysis.host.changes.text.text_patterns import may_set
from kernel_analysis.host.changes.text.text_strings import code
from kernel_analysis.host.changes.uses import Occurrence, occurrences, own_instance, sets_by_text, use
from kernel_analysis.host.evaluate.values import External, ModuleValue, TritonObject
from kernel_analysis.host.names.naming import binding, meaning
from kernel_analysis.source.text_search.mentions import ANY_NAME

if TYPE_CHECKING:
    from kernel_analysis.host.evaluate.values import Scope
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_GIVE_MODULES = frozenset({"importlib.import_module", *MAKES_MODULES})
"""What gives a module, whichever."""
_DEEPEST = 4
_DICTS = ("vars", "__dict__")
"""By these the attributes of something are a dict, where they have other names or none that is spelled."""
_SETTERS = ("setattr", "delattr", "__setattr__", "__delattr__", "multiple")
"""What sets an attribute whose name may not be in sight."""
PARSES = ("parse_args", "parse_known_args", "parse_intermixed_args", "parse_known_intermixed_args")
"""What sets the options that it parses, in what it is given for them."""
_MAKES_ANEW = ("__init__", "update_wrapper", "wraps")
"""What makes another of an object that is there."""
_UNSPELLED = tuple(
    re.compile(pattern)
    for pattern in (
        r"attr(?<=setattr|delattr)(?:__)?\b(?!\(\s*self\s*,)(?!\(\s*[\w.]+\s*,\s*[\"']\w+[\"']\s*[,)])",
        r"patch\.multiple\b",
        r"namespace(?<!\wnamespace)\b",
        r"_args\([^()]*,",
        r"update_wrapper\(",
        r"wraps\([^()\n]*\)\(",
        r"__dict__(?<!self\.__dict__)",
        r"vars\((?!\s*(?:self\b|\)))",
        r"\.__init__\((?<=\w\.__init__\()(?!\s*self\b)",
    )
)
"""Each begins with a literal, which is found in a tenth of the time."""


def by_name(resolver: ResolverView, module: Module, attributes: Sequence[str]) -> Iterator[Occurrence]:
    """Where a file sets one of these attributes by its name."""
    for attribute in attributes:
        yield from (at for at in occurrences(module, attribute) if _sets(resolver, module, at))


def unspelled(resolver: ResolverView, module: Module) -> Iterator[Occurrence]:
    """Where it sets one whose name is not in sight."""
    for word in _SETTERS:
        yield from (at for at in occurrences(module, word) if _sets_any(resolver, module, at))
    for word in PARSES if "parse_" in module.named else ():
        yield from (at for at in occurrences(module, word) if _is_given(at))


def by_dict(resolver: ResolverView, module: Module) -> Iterator[Occurrence]:
    """Where it changes the dict of an object's attributes, hands that on, or makes the object anew."""
    for word in _DICTS:
        yield from (at for at in occurrences(module, word) if _changes_dict(resolver, module, at))
    for word in _MAKES_ANEW:
        yield from (at for at in occurrences(module, word) if _makes_anew(resolver, module, at))


def anywhere(resolver: ResolverView, attributes: Sequence[str], dicts: bool) -> str | None:
    """Where some file of the workspace does one of these; ``dicts``: the objects have one."""
    project = resolver.project
    for attribute in attributes:
        for file in project.elsewhere.storing(None, attribute, False):
            found = (
                by_name(resolver, project.load(file), (attribute,)) if project.says(file, may_set, attribute) else ()
            )
            for at in found:
                return project.place(file, at.statement.lineno)
    words = (ANY_NAME, "__init__") if dicts else (ANY_NAME,)
    for file in sorted({file for word in words for file in project.elsewhere.storing(None, word, False)}):
        if not project.says(file, may_set_unspelled):
            continue
        module = project.load(file)
        for at in (*unspelled(resolver, module), *(by_dict(resolver, module) if dicts else ())):
            return project.place(file, at.statement.lineno)
    return None


def may_set_unspelled(text: str) -> bool:
    """Whether a text may have what ``unspelled`` and ``by_dict`` find."""
    return _is_unspelled(text) and _is_unspelled(code(text, names=True))


def _is_unspelled(text: str) -> bool:
    return any(pattern.search(text) for pattern in _UNSPELLED)


def _sets(resolver: ResolverView, module: Module, at: Occurrence) -> bool:
    node = at.chain[0]
    if isinstance(node, ast.Attribute):
        if isinstance(node.ctx, ast.Load) or own_instance(node.value, at):
            return False
        owner = meaning(resolver, resolver.scope(module, at.around), node.value)
        return not isinstance(owner, ModuleValue | External | TritonObject)
    owner = sets_by_text(at)
    return owner is not None and (isinstance(owner, str) or not own_instance(owner, at))


def _sets_any(resolver: ResolverView, module: Module, at: Occurrence) -> bool:
    """Whether something sets what is not named there, or is handed on."""
    if isinstance(at.statement, ast.Import | ast.ImportFrom) or isinstance(at.chain[0], ast.Constant):
        return False
    called, call = (*at.chain, None)[:2]
    if not isinstance(call, ast.Call) or call.func is not called or not call.args:
        return True
    owners = [call.args[0], *([called.value] if isinstance(called, ast.Attribute) else [])]
    if any(_is_own(owner, at) for owner in owners) or _is_module(
        resolver, resolver.scope(module, at.around), owners[0]
    ):
        return False
    return not any(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in call.args[:2])


def _is_own(node: ast.expr, at: Occurrence) -> bool:
    """``self``, or ``super()`` of it."""
    return own_instance(node, at) or isinstance(node, ast.Call) and getattr(node.func, "id", "") == "super"


def _is_given(at: Occurrence) -> bool:
    """Whether a parser of options is given what to put them in."""
    called, call = (*at.chain, None)[:2]
    if not isinstance(call, ast.Call) or call.func is not called:
        return False
    given = [*call.args[1:], *(k for k in call.keywords if k.arg in ("namespace", None))]
    return bool(given) or any(isinstance(argument, ast.Starred) for argument in call.args)


def _makes_anew(resolver: ResolverView, module: Module, at: Occurrence) -> bool:
    """Whether what may be anything is made another: ``x.__init__(1)``, ``wraps(f)(x)``."""
    called, call, again = (*at.chain, None, None)[:3]
    if isinstance(called, ast.Constant):
        return isinstance(call, ast.Call)  # `methodcaller("__init__", 1)`
    if not isinstance(call, ast.Call) or call.func is not called:
        return False
    if not isinstance(called, ast.Attribute) or called.attr != "__init__":
        by_hand = isinstance(again, ast.Call) and again.func is call
        return by_hand or (called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")) != "wraps"
    if _is_own(called.value, at) or any(own_instance(argument, at) for argument in call.args):
        return False
    return not isinstance(meaning(resolver, resolver.scope(module, at.around), called.value), ModuleValue | External)


def _changes_dict(resolver: ResolverView, module: Module, at: Occurrence) -> bool:
    """Whether the dict of what may be one is changed, or handed on as it is."""
    node, *above = at.chain
    if isinstance(node, ast.Constant):
        return bool(above) and isinstance(above[0], ast.Call)  # `getattr(x, "__dict__")`
    if isinstance(node, ast.Attribute):
        owner, whole = node.value, at
    elif isinstance(node, ast.Name) and above and isinstance(above[0], ast.Call) and above[0].args:
        owner, whole = above[0].args[0], Occurrence(at.chain[1:], at.statement, at.around)
    else:
        return False
    scope = resolver.scope(module, at.around)
    if own_instance(owner, at) or _is_module(resolver, scope, owner):
        return False
    made = use(whole, callees.judge(resolver, scope))
    return made is not None and made.kind != "part"


def _is_module(resolver: ResolverView, scope: Scope, node: ast.expr | None, depth: int = 0) -> bool:
    """Whether all that an expression may be is a module or of a library, so no object of the project's."""
    if node is None or depth > _DEEPEST:
        return False
    if isinstance(node, ast.IfExp):
        return all(_is_module(resolver, scope, part, depth + 1) for part in (node.body, node.orelse))
    if isinstance(node, ast.Call):
        made = meaning(resolver, scope, node.func)
        return isinstance(made, External) and made.path in _GIVE_MODULES
    if isinstance(node, ast.Subscript):
        table = meaning(resolver, scope, node.value)
        return isinstance(table, External) and table.path == "sys.modules"
    if isinstance(meaning(resolver, scope, node), ModuleValue | External | TritonObject):
        return True
    if not isinstance(node, ast.Name) or node.id in scope.module.reassigned:
        return False
    where, events = binding(scope, node.id) or (scope, [])
    kept = [event for event in events if event.how != "delete"]
    return bool(kept) and all(
        event.how == "import"
        or isinstance(event.node, ast.Assign | ast.AnnAssign)
        and event.how in ("assign", "opaque")
        and not event.path
        and _is_module(resolver, where, event.value, depth + 1)
        for event in kept
    )
