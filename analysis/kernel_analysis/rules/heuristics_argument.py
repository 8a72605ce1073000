"""``heuristics-argument``: a heuristic reads an argument that does not exist, or fills in what is no parameter. Triton
fails at the launch. Only heuristics whose code is in sight are looked at."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kernel_analysis.host.decorators.layers import Layer, Stack
from kernel_analysis.host.evaluate.values import Dict, UserFunction, Value, plain
from kernel_analysis.host.evaluate.wording import meant
from kernel_analysis.host.tensors.come_to import reached
from kernel_analysis.host.tensors.placing import place
from kernel_analysis.kernels.backend_options import COMMON, options
from kernel_analysis.report import Edit, Finding, Fix, Related
from kernel_analysis.rules.subject import FileSubject
from kernel_analysis.source.module import Module
from kernel_analysis.source.tree import parameters
from kernel_analysis.source.tree.asked_always import keys
from kernel_analysis.source.tree.syntax import descend

CODE = "heuristics-argument"


def check_file(subject: FileSubject) -> list[Finding]:
    """Of each kernel in the file."""
    return [
        finding
        for known in subject.stacks
        for place, layer in enumerate(known.layers)
        if layer.kind == "heuristics"
        for finding in _layer(subject.module, known, place, layer)
    ]


def _layer(module: Module, known: Stack, place: int, layer: Layer) -> Iterator[Finding]:
    source = layer.arguments.get("values") if layer.arguments is not None else None
    filled = known.pairs(source) if source is not None else None
    if source is None or filled is None:
        return
    names = [p.name for p in known.function.parameters]
    kernel = f"kernel `{known.function.name}`"
    related = (Related(known.function.name_span, f"{kernel} is defined here"),)
    configs = known.configs() if any(inner.kind == "autotune" for inner in known.layers[:place]) else []
    later = set[str].intersection(*(set(c.values) for c in configs)) if configs else set[str]()
    taken: frozenset[str] | None = None
    for name, node in filled.items():
        if name not in names and name not in COMMON:
            taken = taken or options(known.resolver)
            if taken is not None and name not in taken:
                key = _key(source, name) or node
                close = meant(name, [n for n in names if n not in filled])
                hint = f"; did you mean `{close}`?" if close else ""
                message = f"heuristics fill in `{name}`, which is no parameter of {kernel}{hint}"
                fixes = (Fix(f"Write `{close}`", (Edit(module.span(key), f'"{close}"'),)),)
                written = isinstance(key, ast.Constant) and close is not None
                yield Finding(CODE, "warning", message, module.span(key), related, fixes if written else ())
        value = known.value(node) if node is not source else _held(known, source, name)
        if not isinstance(value, UserFunction) or value.scope.module is not module:
            continue
        for read, key in _reads(value):
            if read in names and read not in later or not _is_reached(known, module, key):
                continue
            if read in names:
                message = f"the heuristic of `{name}` reads `{read}`, which only the configs below it set: "
                message += "`@triton.heuristics` must stand below `@triton.autotune`"
                yield Finding(CODE, "warning", message, module.span(key), related)
                continue
            taken = taken or options(known.resolver)
            if read in COMMON or taken is None or read in taken or read in filled:
                continue
            close = meant(read, names)
            hint = f"; did you mean `{close}`?" if close else ""
            message = f"the heuristic of `{name}` reads `{read}`, which is no parameter of {kernel}{hint}"
            fixes = (Fix(f"Read `{close}`", (Edit(module.span(key), f'"{close}"'),)),) if close else ()
            yield Finding(CODE, "warning", message, module.span(key), related, fixes)


def _held(known: Stack, source: ast.expr, name: str) -> Value | None:
    """What a dict that is written elsewhere has under the name."""
    whole = known.value(source)
    pairs = whole.pairs if isinstance(whole, Dict) else ()
    return next((value for key, value in pairs if plain(key) == name), None)


def _key(source: ast.expr, name: str) -> ast.expr | None:
    """Where a dict has the name."""
    keys = source.keys if isinstance(source, ast.Dict) else []
    return next((k for k in keys if isinstance(k, ast.Constant) and k.value == name), None)


def _is_reached(known: Stack, module: Module, node: ast.expr) -> bool:
    at = place(known.resolver, module, node)
    return at is None or reached.undecided(at) is not None


def _reads(function: UserFunction) -> Iterator[tuple[str, ast.Constant]]:
    """The arguments that a heuristic takes by name whenever it is called, but those that it first looks for."""
    positional = parameters.positional(function.node.args)
    if len(positional) != 1:
        return
    nodes = list(descend(function.node))
    asked = {n.left.value for n in nodes if isinstance(n, ast.Compare) and isinstance(n.left, ast.Constant)}
    for key in keys(function.node, positional[0]):
        if key.value not in asked:
            yield str(key.value), key
