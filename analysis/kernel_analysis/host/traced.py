"""What keeps torch from compiling a kernel that it is handed: read from torch 2.13's sources. Of what is known whole;
imports no torch."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kernel_analysis.source.layers import Stack

_HOOKS = ("pre_hook", "post_hook")


def obstacles(known: Stack) -> Iterator[tuple[str, ast.AST]]:
    """Each in words, with where it stands in the kernel's file."""
    if known.layers[-1].kind == "heuristics":
        yield "`@triton.heuristics` on top", known.layers[-1].node
    if len(known.tuners) > 1:
        yield "more than one `@triton.autotune`", known.tuners[-1].node
    for layer in known.tuners:
        arguments = layer.arguments or {}
        for name in _HOOKS:
            node = arguments.get(name)
            if node is not None and not _none(node):
                yield f"a `{name}`", node
        graph = arguments.get("use_cuda_graph")
        if isinstance(graph, ast.Constant) and graph.value:
            yield "`use_cuda_graph`", graph
    for config in known.configs() or ():
        if config.hook is not None and not _none(config.hook):
            yield (
                "a `pre_hook` in a config",
                config.hook if config.file == known.function.file else known.tuners[0].node,
            )
            return


def _none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
