"""The text of a custom op, and where it goes in the author's file."""

from __future__ import annotations

import ast
import io
import keyword
import re
import textwrap
import tokenize
from typing import TYPE_CHECKING

from kernel_analysis.custom_op.op_choice import choose
from kernel_analysis.custom_op.op_kernel import Kernel
from kernel_analysis.custom_op.op_model import CustomOp, OpInput, OpRefused
from kernel_analysis.facts import Facts
from kernel_analysis.host.decorators.layers import stack
from kernel_analysis.host.tensors.certain import assigned, library
from kernel_analysis.host.tensors.launches.named_kernels import WRAPS
from kernel_analysis.host.tensors.placing import Place, place
from kernel_analysis.host.tensors.traced import obstacles
from kernel_analysis.signature.signature_model import Signature
from kernel_analysis.source.kernel import JitFunction, Launch
from kernel_analysis.wire import Insertion

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_WIDTH = 100
_IMPORTS = {
    "torch": "import torch",
    "triton": "import triton",
    "custom_op": "from torch.library import custom_op",
    "triton_op": "from torch.library import triton_op",
    "wrap_triton": "from torch.library import wrap_triton",
}


def write(
    resolver: ResolverView,
    module: Module,
    function: JitFunction,
    signatures: list[Signature],
    facts: Facts,
    namespace: str,
) -> list[Insertion]:
    """The op that writes into the kernel's own tensors, and the functional one that returns new ones; and the imports
    they need. ``signatures``: those that the kernel compiled under, the likeliest first; ``facts`` are of all of them.
    Raises Refused."""
    if function.scope or function.qualname != function.name:
        raise OpRefused(f"`{function.qualname}` does not stand at the top of its file, where the op would be.")
    names = frozenset(module.table.events)
    placed = [
        (launch, place(resolver, module, launch.call)) for launch in function.launches if launch.file == module.file
    ]
    op = choose(
        Kernel(function, signatures, facts, names),
        [(one, at) for one, at in placed if at is not None and _itself(one, at)],
    )
    if not any(one.mutated for one in op.inputs):
        raise OpRefused("It writes no tensor.")
    inplace, functional = _names(function.name, names, all(one.made for one in op.inputs if one.mutated))
    ended = "" if module.text.endswith("\n") else "\n"
    opaque = _opaque(resolver, function, op)
    first = _inplace(op, inplace, namespace, opaque)
    text = f"{ended}\n\n{first}\n\n{_functional(op, functional, inplace, namespace, opaque is not None)}"
    ending = function.node.end_lineno or function.node.lineno
    insertions = [Insertion(ending + 1, text)]
    missing = [name for name in _IMPORTS if name not in names and re.search(rf"\b{name}[(.]", text)]
    if missing:
        insertions.insert(0, Insertion(_after_imports(module.tree, function.node.lineno), _imports(missing)))
    return insertions


def _opaque(resolver: ResolverView, function: JitFunction, op: CustomOp) -> str | None:
    """What of the kernel torch's ``wrap_triton`` does not take: only ``triton.jit`` and ``triton.autotune`` are taken,
    without hooks. None where it takes the kernel; what is not known is not said to be taken."""
    decorators = function.node.decorator_list
    first = decorators[0] if decorators else None
    called = first.func if isinstance(first, ast.Call) else first
    outermost = "" if called is None else ast.unparse(called)
    if function.heuristics or any(ast.unparse(d).partition("(")[0].endswith("heuristics") for d in decorators):
        return "under @triton.heuristics"
    if function.wrappers:
        return f"under @{outermost or function.wrappers[0].partition('(')[0]}"
    known = stack(resolver, function)
    what = next((what for what, _ in obstacles(known)), None) if known is not None else None
    if what is not None:
        return f"under @triton.autotune with {what}".replace("`", "")
    if known is not None and known.tuners:
        hidden = any(layer.arguments is None for layer in known.tuners) or known.configs() is None
        return "under @triton.autotune with configs that may have a hook" if hidden else None
    options = {argument.partition("=")[0] for argument in op.arguments}
    return "that is launched with num_ctas" if "num_ctas" in options else None


def _itself(launch: Launch, at: Place) -> bool:
    """Whether a launch is of the function as its decorators make it, not of what a call makes of that."""
    where = launch.call.func
    name = where.value if isinstance(where, (ast.Subscript, ast.Attribute)) else None
    found = assigned(at, name) if name is not None else None
    return found is None or not isinstance(found[0], ast.Call) or library(at, found[0].func) in WRAPS


def _names(kernel: str, taken: frozenset[str], made: bool) -> tuple[str, str]:
    """Of the op that writes and of the functional one."""
    base = kernel.strip("_").removesuffix("_kernel").removesuffix("_fn").strip("_") or kernel
    suffix = "out" if made else ""
    for name in (base, f"{base}_op", *(f"{base}_op{number}" for number in range(2, 100))):
        if not keyword.iskeyword(name) and not {name, f"{name}_{suffix}"} & taken:
            return f"{name}_{suffix}", name
    raise OpRefused("The names that it could have are all taken.")


def _inplace(op: CustomOp, name: str, namespace: str, opaque: str | None) -> str:
    """``opaque``: what around the kernel keeps torch from tracing it."""
    written = [one.name for one in op.inputs if one.mutated]
    body = [f'"""Launches `{op.kernel}`, which writes {_listed(written)}."""']
    if op.unsure:
        body.append(f"# Whether it writes {_listed(op.unsure)} is not known: it counts as written.")
    body += op.statements
    kernel = f"wrap_triton({op.kernel})"
    if opaque is not None:
        body.insert(1, f"# No triton_op, because wrap_triton takes no kernel {opaque}.")
        kernel = op.kernel
    body.append(_call(f"{kernel}[{op.grid}]", op.arguments))
    maker = "custom_op" if opaque is not None else "triton_op"
    mutates = "{" + ", ".join(f'"{one}"' for one in written) + "}"
    decorator = f'@{maker}("{namespace}::{name}", mutates_args={mutates})'
    return _function(decorator, name, op.inputs, "None", body)


def _functional(op: CustomOp, name: str, inplace: str, namespace: str, opaque: bool) -> str:
    outputs = [one for one in op.inputs if one.mutated]
    copied = [one.name for one in outputs if not one.made]
    new = [one.name for one in outputs if one.made]
    what = " and ".join(text for text in (_counted("new", new), _counted("copies of", copied)) if text)
    inputs = [
        OpInput(one.name, one.type.removesuffix(" | None"), None) if one.mutated else one
        for one in op.inputs
        if not one.made
    ]
    inputs = [one for one in inputs if one.default is None] + [one for one in inputs if one.default is not None]
    result = ", ".join(["torch.Tensor"] * len(outputs))
    result = result if len(outputs) == 1 else f"tuple[{result}]"
    made = [f"{one} = {one}.clone()" for one in copied] + op.preparing
    launched = _call(inplace, [f"{one.name}={one.name}" for one in op.inputs])
    returned = "return " + ", ".join(one.name for one in outputs)
    body = [f'"""`{inplace}` with {what}, which it returns."""', *made, launched, returned]
    maker = "custom_op" if opaque else "triton_op"
    text = _function(f'@{maker}("{namespace}::{name}", mutates_args=())', name, inputs, result, body)
    if opaque:
        text += "\n\n" + _function(f"@{name}.register_fake", "_", inputs, result, [*made, returned])
    return text


def _function(decorator: str, name: str, inputs: list[OpInput], result: str, body: list[str]) -> str:
    parameters = [f"{one.name}: {one.type}" + (f" = {one.default}" if one.default else "") for one in inputs]
    head = f"def {name}({', '.join(parameters)}) -> {result}:"
    if len(head) > _WIDTH:
        head = f"def {name}(\n" + "".join(f"    {one},\n" for one in parameters) + f") -> {result}:"
    body = [f"\n{one}\n" if one.startswith("def ") else one for one in body]
    text = textwrap.indent("\n".join(body), "    ", lambda line: not line.isspace())
    return _quoted(f"{decorator}\n{head}\n{text}\n")


def _call(head: str, arguments: list[str]) -> str:
    line = f"{head}({', '.join(arguments)})"
    return line if len(line) <= _WIDTH - 4 else f"{head}(\n" + "".join(f"    {one},\n" for one in arguments) + ")"


def _quoted(text: str) -> str:
    """With the quotes that formatters prefer."""
    lines = text.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING and token.string[0] == "'" and not set(token.string) & {'"', "\\"}:
            (row, start), (_, end) = token.start, token.end
            lines[row - 1] = f'{lines[row - 1][:start]}"{token.string[1:-1]}"{lines[row - 1][end:]}'
    return "\n".join(lines)


def _counted(kind: str, names: list[str]) -> str:
    one = {"new": "a new", "copies of": "a copy of"}[kind]
    return f"{one if len(names) == 1 else kind} {_listed(names)}" if names else ""


def _listed(names: list[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _imports(missing: list[str]) -> str:
    library = [name for name in missing if name in ("custom_op", "triton_op", "wrap_triton")]
    lines = [_IMPORTS[name] for name in missing if name not in library]
    if library:
        lines.append(f"from torch.library import {', '.join(library)}")
    return "\n".join(lines) + "\n"


def _after_imports(tree: ast.Module, before: int) -> int:
    """The line that follows the imports at the top of a file, or what must stand before them."""
    line = 1
    for position, statement in enumerate(tree.body):
        if statement.lineno >= before:
            break
        first = position == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if first or isinstance(statement, ast.Import | ast.ImportFrom):
            line = (statement.end_lineno or statement.lineno) + 1
    return line
