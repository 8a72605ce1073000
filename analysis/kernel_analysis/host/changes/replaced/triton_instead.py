"""What a workspace puts in the place of Triton itself: ``sys.modules["triton"] = fork``, an import hook that finds
another. Then every kernel that imports it may be compiled by that.

Looks at files and syntax only; evaluates nothing.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from kernel_analysis.source.text_search.mentions import MODULE, REACHES, TEXT
from kernel_analysis.source.text_search.words import has_word
from kernel_analysis.source.tree.syntax import descend

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_TRITON: Final = "triton"
_HOOKS: Final = ("meta_path", "path_hooks")
_MODULES: Final = "modules"
_STUBS: Final = ("Mock", "ModuleType", "SimpleNamespace", "object")
"""What these make has no compiler: who has it in Triton's place compiles no kernel."""
_PUTS: Final = ("update", "setdefault", "__setitem__", "setitem", "dict")
_DEEPEST: Final = 6


def instead(resolver: ResolverView, module: Module) -> str | None:
    """Where some file of the workspace does so."""
    elsewhere, says = resolver.project.elsewhere, resolver.project.says
    words = {REACHES, f"{TEXT}sys.modules", *(f"{MODULE}{path}" for path in _imported(module))}
    files = {file for word in words for file in elsewhere.storing(None, word, False)}
    if not elsewhere.has_read(module.file):
        files.add(module.file)
    for file in sorted(files):
        if says(file, has_word, _TRITON) and any(says(file, has_word, word) for word in (*_HOOKS, _MODULES)):
            if file.startswith(resolver.triton_home or "\0"):
                continue
            resolver.read((file,))
            line = _line(resolver.project.load(file), any(says(file, has_word, word) for word in _HOOKS))
            if line is not None:
                return resolver.project.place(file, line)
    return None


def _imported(module: Module) -> set[str]:
    """What the file imports of Triton, and what that is in."""
    found = {_TRITON, "triton.language"}
    for events in module.table.events.values():
        for node in (event.node for event in events):
            if isinstance(node, ast.Import):
                paths = [alias.name for alias in node.names]
            else:
                paths = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found.update(path for path in paths if path.partition(".")[0] == _TRITON)
    return {".".join(path.split(".")[:most]) for path in found for most in range(1, path.count(".") + 2)}


def _line(module: Module, hooks: bool) -> int | None:
    """Where a file does; ``hooks``: it may change how modules are found."""
    found = _Names(module)
    for node in descend(module.tree):
        if hooks and (isinstance(node, ast.Constant) and _names_triton(node)):
            return node.lineno
        for key, value in _put(node):
            if found.may_be_triton(key) and not (value is not None and found.is_stub(value)):
                return getattr(node, "lineno", 1)
    return None


def _names_triton(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.split(".")[0] == _TRITON


def _put(node: ast.AST) -> list[tuple[ast.AST, ast.expr | None]]:
    """What a node puts among the modules: under which names, and what; None where that is not by itself."""
    if isinstance(node, ast.Assign):
        stored = [t for t in node.targets if isinstance(t, ast.Subscript) and _is_modules(t.value)]
        return [(target.slice, node.value) for target in stored]
    if isinstance(node, ast.AugAssign) and _is_modules(node.target):
        return [(node.value, None)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _PUTS:
        if not (_is_modules(node.func.value) or any(map(_is_modules, node.args))):
            return []
        given = [arg for arg in node.args if not _is_modules(arg)]
        if node.func.attr in ("setdefault", "__setitem__", "setitem") and len(given) == 2:
            return [(given[0], given[1])]
        named = [(ast.Constant(k.arg, lineno=node.lineno), k.value) for k in node.keywords if k.arg is not None]
        in_dicts = [
            pair for one in given if isinstance(one, ast.Dict) for pair in zip(one.keys, one.values, strict=True)
        ]
        others = [(one, None) for one in given if not isinstance(one, ast.Dict)]
        return [*named, *((key, value) for key, value in in_dicts if key is not None), *others]
    return []


def _is_modules(node: ast.AST) -> bool:
    """Whether it may be Python's own table of modules, by its name or the text of its path."""
    if isinstance(node, ast.Constant):
        return node.value == "sys.modules"
    return (
        isinstance(node, ast.Attribute)
        and node.attr == _MODULES
        or isinstance(node, ast.Name)
        and (node.id in (_MODULES, "sys_modules"))
    )


class _Names:
    """What the names of one file are made of, whatever has them."""

    def __init__(self, module: Module) -> None:
        self._made: dict[str, list[ast.AST]] = {}
        self._classes: set[str] = set()
        functions: dict[str, ast.arguments] = {}
        calls: list[ast.Call] = []
        for node in descend(module.tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._bind(target, node.value)
            elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)) and node.value is not None:
                self._bind(node.target, node.value)
            elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
                self._bind(node.target, node.iter)
            elif isinstance(node, ast.ClassDef):
                self._classes.add(node.name)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                functions[node.name] = node.args
            elif isinstance(node, ast.Call):
                calls.append(node)
        for call in calls:
            name = getattr(call.func, "id", getattr(call.func, "attr", None))
            if (taken := functions.get(name or "")) is not None:
                for one in (*taken.posonlyargs, *taken.args, *taken.kwonlyargs):
                    self._made.setdefault(one.arg, []).extend((*call.args, *(k.value for k in call.keywords)))

    def _bind(self, target: ast.AST, value: ast.AST) -> None:
        for node in descend(target):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self._made.setdefault(node.id, []).append(value)

    def may_be_triton(self, key: ast.AST) -> bool:
        """Whether a text that names Triton has a part in it."""
        seen, todo = set[str](), [key]
        while todo:
            for node in descend(todo.pop()):
                if _names_triton(node):
                    return True
                if isinstance(node, ast.Name) and node.id not in seen:
                    seen.add(node.id)
                    todo.extend(self._made.get(node.id, ()))
        return False

    def is_stub(self, value: ast.expr, deep: int = 0) -> bool:
        """Whether what is put there was made on the spot, and has no compiler."""
        if isinstance(value, ast.Constant):
            return True
        if isinstance(value, ast.Name):
            made = self._made.get(value.id, ())
            whole = [one for one in made if isinstance(one, ast.expr)]
            return bool(made) and deep < _DEEPEST and all(self.is_stub(one, deep + 1) for one in whole)
        if not isinstance(value, ast.Call):
            return False
        name = getattr(value.func, "id", getattr(value.func, "attr", ""))
        return name in self._classes or name.endswith(_STUBS)
