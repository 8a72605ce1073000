"""What other code sets in a class that it is handed: ``patch(Out)`` where ``def patch(C): C.put = other``, in whichever
file. Code of which nothing in sight says what it does with the class may set what some file sets of whatever.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kernel_analysis.host.changes import callees
from kernel_analysis.host.changes.handed_modules import alias_of
from kernel_analysis.host.changes.text_patterns import may_hold, may_set, may_set_unspelled
from kernel_analysis.host.changes.uses import Occurrence, occurrences
from kernel_analysis.host.evaluate.properties import changeable
from kernel_analysis.host.evaluate.values import External, UserClass, Value
from kernel_analysis.host.names.naming import Bound, meaning, meanings
from kernel_analysis.source.mentions import ANY_NAME
from kernel_analysis.source.words import has_text

if TYPE_CHECKING:
    from kernel_analysis.host.changes.touches import Touches
    from kernel_analysis.source.module import Module

_TYPE_OF = "__class__"


def changed(touches: Touches, cls: UserClass, name: str, value: Value) -> str | None:
    """Why ``Class.name`` may be another than the class says."""
    resolver, project = touches.resolver, touches.resolver.project
    elsewhere, shown = project.elsewhere, f"`{cls.node.name}.{name}`"
    setting = [file for file in elsewhere.storing(None, name, False) if project.says(file, may_set, name)]
    for file in (file for file in setting if file != cls.scope.module.file):
        if (line := _of_any_object(touches, project.load(file), name)) is not None:
            resolver.read((file,))
            return f"{shown} may be changed by {project.relative(file)}:{line}"
    computing = elsewhere.storing(None, ANY_NAME, False)
    if not setting and not any(project.says(file, may_set_unspelled) for file in computing):
        return None
    for other, at in _uses(touches, cls):
        for made in touches.handed.sets(other, at):
            if made.name in (None, name) and (not made.contents or changeable(value)):
                resolver.read((made.file,))
                return f"{shown} may be changed by what {project.relative(made.file)}:{made.line} does with the class"
    return touches.handed.changed(cls.scope.module, cls.node.name, True)


def _uses(touches: Touches, cls: UserClass) -> Iterator[tuple[Module, Occurrence]]:
    """Where files have the class, but for kernels, whose text sets nothing in it. (What its own file does with it is
    looked at with it, but that an aggregate goes anywhere.)"""
    resolver, module, name = touches.resolver, cls.scope.module, cls.node.name
    project, words = resolver.project, resolver.project.elsewhere.called(name)
    others = [file for file in project.elsewhere.wording(module, name) if file != module.file]
    for file in [module.file, *others] if cls.aggregate else others:
        if not any(project.says(file, may_hold, word) or project.says(file, has_text, f".{word}") for word in words):
            continue
        resolver.read((file,))
        other = module if file == module.file else project.load(file)
        for at in (_taken(at) for word in words for at in occurrences(other, word)):
            if not at.around and alias_of(at) in words:
                continue  # what is done with it under that name is looked at wherever it is
            if not callees.in_kernel(resolver, resolver.scope(other, at.around)) and _is(touches, cls, other, at):
                yield other, at


def _taken(at: Occurrence) -> Occurrence:
    """What is taken out of a dict by the class's name."""
    word, *above = at.chain
    taken = above and isinstance(above[0], ast.Subscript) and above[0].slice is word
    return Occurrence((*above,), at.statement, at.around) if taken else at


def _is(touches: Touches, cls: UserClass, other: Module, at: Occurrence) -> bool:
    """Whether it may be the class that stands there."""
    node = at.chain[0]
    if isinstance(node, ast.Subscript):
        return True
    if not isinstance(node, (ast.Name, ast.Attribute)) or isinstance(at.statement, (ast.Import, ast.ImportFrom)):
        return False
    if any(isinstance(above, ast.arg) for above in at.chain[1:2]):
        return False  # it says what a parameter is
    if other is cls.scope.module and isinstance(node, ast.Name):
        return touches.refers(at, cls.node.name, cls.scope)
    found = meanings(touches.resolver, touches.resolver.scope(other, at.around), node)
    return any(one is None or isinstance(one, Bound) and one.event.node is cls.node for one in found)


def _of_any_object(touches: Touches, other: Module, name: str) -> int | None:
    """Where a file sets an attribute of that name of the class of some object: ``type(x).put = other``."""
    for at in occurrences(other, name):
        node = at.chain[0]
        if not isinstance(node, ast.Attribute) or isinstance(node.ctx, ast.Load):
            continue
        owner = node.value
        if isinstance(owner, ast.Call):
            made = meaning(touches.resolver, touches.resolver.scope(other, at.around), owner.func)
            if isinstance(made, External) and made.path == "builtins.type":
                return node.lineno
        elif isinstance(owner, ast.Attribute) and owner.attr == _TYPE_OF:
            return node.lineno
    return None
