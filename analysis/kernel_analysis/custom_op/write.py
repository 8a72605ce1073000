"""The text of a custom op, and where it goes in the author's file."""

from __future__ import annotations

import ast
import io
import keyword
import re
import textwrap
import tokenize
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernel_analysis.custom_op.choose import choose
from kernel_analysis.custom_op.kernel import Kernel
from kernel_analysis.custom_op.model import Input, Op, Refused
from kernel_analysis.facts import Facts
from kernel_analysis.signature.model import Signature
from kernel_analysis.source.kernel import JitFunction

if TYPE_CHECKING:
    from kernel_analysis.source.module import Module

_WIDTH = 100
_IMPORTS = {
    "torch": "import torch",
    "triton": "import triton",
    "triton_op": "from torch.library import triton_op",
    "wrap_triton": "from torch.library import wrap_triton",
}


@dataclass(frozen=True, slots=True)
class Insertion:
    """Whole lines that go before a line of the file, counted from 1."""

    line: int
    text: str


def write(
    module: Module, function: JitFunction, signatures: list[Signature], facts: Facts, namespace: str
) -> list[Insertion]:
    """The op that writes into the kernel's own tensors, and the functional one that returns new ones; and the imports
    they need. ``signatures``: those that the kernel compiled under, the likeliest first; ``facts`` are of all of them.
    Raises Refused."""
    _check(function)
    names = frozenset(module.table.events)
    launches = function.launches
    op = choose(Kernel(function, signatures, facts, names), launches)
    if not any(one.mutated for one in op.inputs):
        raise Refused("It writes no tensor.")
    inplace, functional = _names(function.name, names, all(one.made for one in op.inputs if one.mutated))
    ended = "" if module.text.endswith("\n") else "\n"
    text = f"{ended}\n\n{_inplace(op, inplace, namespace)}\n\n{_functional(op, functional, inplace, namespace)}"
    ending = function.node.end_lineno or function.node.lineno
    insertions = [Insertion(ending + 1, text)]
    missing = [name for name in _IMPORTS if name not in names and re.search(rf"\b{name}\b", text)]
    if missing:
        insertions.insert(0, Insertion(_after_imports(module.tree, function.node.lineno), _imports(missing)))
    return insertions


def _check(function: JitFunction) -> None:
    if function.scope or function.qualname != function.name:
        raise Refused(f"`{function.qualname}` does not stand at the top of its file, where the op would be.")
    if function.wrappers:
        names = ", ".join(f"@{name}" for name in function.wrappers)
        raise Refused(
            f"It is decorated with {names}; torch's wrap_triton takes what triton.jit and triton.autotune make."
        )
    first = function.node.decorator_list[0]
    called = first.func if isinstance(first, ast.Call) else first
    if ast.unparse(called).rpartition(".")[2] == "heuristics":
        raise Refused(
            "Its outermost decorator is @triton.heuristics; torch's wrap_triton takes triton.jit's and "
            "triton.autotune's. Below @triton.autotune it would do."
        )


def _names(kernel: str, taken: frozenset[str], made: bool) -> tuple[str, str]:
    """Of the op that writes and of the functional one."""
    base = kernel.strip("_").removesuffix("_kernel").removesuffix("_fn").strip("_") or kernel
    suffix = "out" if made else ""
    for name in (base, f"{base}_op", *(f"{base}_op{number}" for number in range(2, 100))):
        if not keyword.iskeyword(name) and not {name, f"{name}_{suffix}"} & taken:
            return f"{name}_{suffix}", name
    raise Refused("The names that it could have are all taken.")


def _inplace(op: Op, name: str, namespace: str) -> str:
    written = [one.name for one in op.inputs if one.mutated]
    body = [f'"""Launches `{op.kernel}`, which writes {_listed(written)}."""']
    if op.unsure:
        body.append(f"# Whether it writes {_listed(op.unsure)} is not known: it counts as written.")
    body += op.statements
    body.append(_call(f"wrap_triton({op.kernel})[{op.grid}]", op.arguments))
    return _function(name, namespace, "{" + ", ".join(f'"{one}"' for one in written) + "}", op.inputs, "None", body)


def _functional(op: Op, name: str, inplace: str, namespace: str) -> str:
    outputs = [one for one in op.inputs if one.mutated]
    copied = [one.name for one in outputs if not one.made]
    new = [one.name for one in outputs if one.made]
    what = " and ".join(text for text in (_counted("new", new), _counted("copies of", copied)) if text)
    inputs = [
        Input(one.name, one.type.removesuffix(" | None"), None) if one.mutated else one
        for one in op.inputs
        if not one.made
    ]
    inputs = [one for one in inputs if one.default is None] + [one for one in inputs if one.default is not None]
    result = ", ".join(["torch.Tensor"] * len(outputs))
    body = [f'"""`{inplace}` with {what}, which it returns."""']
    body += [f"{one} = {one}.clone()" for one in copied]
    body += op.preparing
    body.append(_call(inplace, [f"{one.name}={one.name}" for one in op.inputs]))
    body.append("return " + ", ".join(one.name for one in outputs))
    return _function(name, namespace, "()", inputs, result if len(outputs) == 1 else f"tuple[{result}]", body)


def _function(name: str, namespace: str, mutates: str, inputs: list[Input], result: str, body: list[str]) -> str:
    parameters = [f"{one.name}: {one.type}" + (f" = {one.default}" if one.default else "") for one in inputs]
    head = f"def {name}({', '.join(parameters)}) -> {result}:"
    if len(head) > _WIDTH:
        head = f"def {name}(\n" + "".join(f"    {one},\n" for one in parameters) + f") -> {result}:"
    body = [f"\n{one}\n" if one.startswith("def ") else one for one in body]
    text = textwrap.indent("\n".join(body), "    ", lambda line: not line.isspace())
    return _quoted(f'@triton_op("{namespace}::{name}", mutates_args={mutates})\n{head}\n{text}\n')


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
    library = [name for name in missing if name in ("triton_op", "wrap_triton")]
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
