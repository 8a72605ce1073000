"""``torch-compile``: what torch refuses of a kernel that it is to compile: under ``wrap_triton``, and where a function
under ``@torch.compile`` launches it. Asked only there; of what is known whole."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from kernel_analysis.host.certain import library, only
from kernel_analysis.host.launching import WRAPS, Certain
from kernel_analysis.report import Finding, Related
from kernel_analysis.rules.subject import FileSubject
from kernel_analysis.source.layers import Stack

CODE = "torch-compile"

_COMPILES: Final = frozenset({"torch.compile", "torch._dynamo.optimize"})
_HOOKS: Final = ("pre_hook", "post_hook")


def check_file(subject: FileSubject) -> list[Finding]:
    """Of each launch in the file that torch is to compile."""
    found: list[Finding] = []
    for launch in subject.launches:
        if not _traced(launch):
            continue
        where = launch.launch.call.func
        node = where.value if isinstance(where, (ast.Subscript, ast.Attribute)) else where
        for message, place in _wrong(launch.stack):
            owner = launch.at.resolver.project.load(launch.function.file)
            related = (Related(owner.span(place), "this"),)
            found.append(Finding(CODE, "warning", message, subject.module.span(node), related))
        if "num_ctas" in launch.named and not launch.stack.tuners:
            message = "torch.compile takes no `num_ctas` at a launch: it goes into a `triton.Config`"
            found.append(Finding(CODE, "warning", message, subject.module.span(launch.named["num_ctas"])))
    return found


def _traced(launch: Certain) -> bool:
    where = launch.launch.call.func
    target = where.value if isinstance(where, (ast.Subscript, ast.Attribute)) else None
    if isinstance(target, ast.Name):
        found = only(launch.at, target)
        target = found[0].value if found is not None and found[0].how == "assign" else target
    if isinstance(target, ast.Call) and library(launch.at, target.func) in WRAPS:
        return True
    for function in launch.at.functions:
        for decorator in function.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if library(launch.at, called) in _COMPILES:
                return True
    return False


def _wrong(known: Stack) -> Iterator[tuple[str, ast.AST]]:
    kernel = f"kernel `{known.function.name}`"
    if known.layers[-1].kind == "heuristics":
        message = f"torch.compile can't see through `@triton.heuristics` on top of {kernel}: it must stand below "
        yield f"{message}`@triton.autotune`, or its values be passed", known.layers[-1].node
    if len(known.tuners) > 1:
        yield f"torch.compile takes one `@triton.autotune`, and {kernel} has {len(known.tuners)}", known.tuners[-1].node
    for layer in known.tuners:
        arguments = layer.arguments or {}
        for name in _HOOKS:
            node = arguments.get(name)
            if node is not None and not (isinstance(node, ast.Constant) and node.value is None):
                yield f"torch.compile runs no `{name}`, which the autotuner of {kernel} has", node
        graph = arguments.get("use_cuda_graph")
        if isinstance(graph, ast.Constant) and graph.value:
            yield f"torch.compile takes no `use_cuda_graph` in `@triton.autotune`, which {kernel} has", graph
    for config in known.configs() or ():
        if config.hook is not None and not (isinstance(config.hook, ast.Constant) and config.hook.value is None):
            if config.file == known.function.file:
                yield f"torch.compile runs no `pre_hook`, which a config of {kernel} has", config.hook
            return
