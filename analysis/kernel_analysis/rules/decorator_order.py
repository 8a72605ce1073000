"""``decorator-order``: ``@triton.jit`` stands above ``@triton.autotune`` or ``@triton.heuristics``, or not at all.
Triton fails when the file is imported."""

from __future__ import annotations

import ast

from kernel_analysis.host.decorators.layers import Layer, decorators
from kernel_analysis.host.tensors.come_to import reached
from kernel_analysis.host.tensors.placing import place
from kernel_analysis.report import Edit, Finding, Fix
from kernel_analysis.rules.subject import FileSubject
from kernel_analysis.source.module import Module
from kernel_analysis.span import Span

CODE = "decorator-order"


def check_file(subject: FileSubject) -> list[Finding]:
    """Of the functions of the file that no kernel could be made of."""
    module, resolver = subject.module, subject.project.resolver
    found: list[Finding] = []
    for node, around in subject.unclear:
        scope = resolver.scope(module, around)
        layers = decorators(resolver, scope, scope.table.orders.get(id(node)), node)
        if layers is None or layers[0].kind == "jit":
            continue
        inner = layers[0]
        subject.explained.add(id(node))
        at = place(resolver, module, inner.node)
        if at is not None and not reached.counts(at):
            continue
        jit = next((layer for layer in layers if layer.kind == "jit"), None)
        if jit is not None:
            message = f"`@{_said(jit)}` must stand below `@{_said(inner)}`: importing this fails"
            found.append(Finding(CODE, "warning", message, module.span(jit.node), (), _move(module, jit, inner)))
        else:
            message = f"`@{_said(inner)}` needs `@triton.jit` below it: importing this fails"
            found.append(Finding(CODE, "warning", message, module.span(inner.node)))
    return found


def _said(layer: Layer) -> str:
    return ast.unparse(layer.node.func if isinstance(layer.node, ast.Call) else layer.node)


def _move(module: Module, jit: Layer, inner: Layer) -> tuple[Fix, ...]:
    """Its lines behind those of the innermost decorator."""
    first, last = jit.node.lineno, jit.node.end_lineno or jit.node.lineno
    after = (inner.node.end_lineno or inner.node.lineno) + 1
    if after > len(module.lines):
        return ()
    end = "\r\n" if "\r\n" in module.text else "\n"
    text = "".join(line + end for line in module.lines[first - 1 : last])
    edits = (
        Edit(Span(module.file, first, 1, last + 1, 1), ""),
        Edit(Span(module.file, after, 1, after, 1), text),
    )
    return (Fix(f"Move `@{_said(jit)}` down to the function", edits),)
