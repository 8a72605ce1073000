"""A program and what of it varies: ``#:`` lines of a file, the assignments, and the host code that makes one visible.

Knows nothing of the analysis, and of Triton only how a launch is written.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_LINE = re.compile(r"^#: (?P<names>import [\w.]+|\$?\w+(?:, \w+)*) ?(?P<kind>[:=]) (?P<ways>.*)$")
_DTYPES = {
    "fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64", "i1": "bool", "i8": "int8",
    "u8": "uint8", "i16": "int16", "i32": "int32", "i64": "int64", "u64": "uint64",
}  # fmt: skip
Assignment = dict[str, str]


@dataclass(frozen=True, slots=True)
class Knob:
    """Something that takes one of several ways. ``kind``: ``type`` and ``value`` of a parameter (``default``: it is not
    passed), ``option`` of a launch, ``env``: a variable of the environment, ``module``: one that may be missing."""

    name: str
    kind: str
    ways: tuple[str, ...]

    @property
    def line(self) -> str:
        """How a file says it."""
        head = {"env": f"${self.name}", "module": f"import {self.name}"}.get(self.kind, self.name)
        return f"#: {head}{':' if self.kind == 'type' else ' ='} {' | '.join(self.ways)}"


@dataclass(slots=True)
class Program:
    """``text``: the file without ``#:`` lines and launches; its kernel is the function named ``kernel``."""

    text: str
    kernel: str
    knobs: list[Knob]
    files: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def parameters(self) -> list[str]:
        """The kernel's, in order."""
        for node in ast.parse(self.text).body:
            if isinstance(node, ast.FunctionDef) and node.name == self.kernel:
                return [argument.arg for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        raise ValueError(f"no function {self.kernel} in\n{self.text}")

    @property
    def helpers(self) -> dict[str, list[str]]:
        """The other functions with a decorator, and their parameters that are no constexpr; of two by one name none,
        and none of one with a parameter ``held``, which is several arguments of a module."""
        nodes = [node for node in ast.walk(ast.parse(self.text)) if isinstance(node, ast.FunctionDef)]
        names = [node.name for node in nodes]
        return {
            node.name: [argument.arg for argument in node.args.args if argument.annotation is None]
            for node in nodes
            if node.decorator_list and node.name != self.kernel and names.count(node.name) == 1
            if all(argument.arg != "held" for argument in node.args.args)
        }

    @property
    def positions(self) -> dict[str, str]:
        """``pair[0]`` of ``pair.x``, where a parameter is a tuple with names."""
        fields = {
            node.name: [
                line.target.id
                for line in node.body
                if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
            ]
            for node in ast.walk(ast.parse(self.text))
            if isinstance(node, ast.ClassDef)
        }
        return {
            f"{knob.name}.{name}": f"{knob.name}[{index}]"
            for knob in self.knobs
            for index, name in enumerate(fields.get(knob.ways[0].partition("(")[0], ()))
        }

    def assignments(self) -> list[Assignment]:
        """All of them."""
        ways = itertools.product(*(knob.ways for knob in self.knobs))
        return [dict(zip((knob.name for knob in self.knobs), way, strict=True)) for way in ways]

    @property
    def header(self) -> str:
        """The ``#:`` lines."""
        return "".join(f"{knob.line}\n" for knob in self.knobs)

    def call(self, assignment: Assignment) -> str:
        """The launch that passes this."""
        kinds = {knob.name: knob.kind for knob in self.knobs}
        given: list[str] = []
        named = False
        for name in self.parameters:
            way = assignment.get(name, "default")
            if way == "default":
                named = True
                continue
            named = named or kinds[name] == "value"
            text = _host(way) if kinds[name] == "type" else way
            given.append(f"{name}={text}" if named else text)
        given += [f"{name}={way}" for name, way in assignment.items() if kinds[name] == "option"]
        return f"{self.kernel}[(1,)]({', '.join(given)})"

    def shown(self, launched: list[Assignment]) -> str:
        """The file with these launches in it."""
        if not launched:
            return self.text
        calls = "".join(f"    {self.call(assignment)}\n" for assignment in launched)
        package = "triton.experimental.gluon.nvidia.hopper" if "Layout(" in calls else "triton.tools.tensor_descriptor"
        desc = f"from {package} import TensorDescriptor\n" if "TensorDescriptor" in calls else ""
        return f"import torch\n{desc}{self.text}\n\ndef launch():\n{calls}"

    def with_defaults(self, assignment: Assignment) -> str | None:
        """The file with an assignment's values as the defaults of the kernel's parameters, and no launch."""
        values = {knob.name for knob in self.knobs if knob.kind == "value"} - {
            name for name, way in assignment.items() if way == "default"
        }
        if not values:
            return None
        tree = ast.parse(self.text)
        (node,) = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == self.kernel]
        arguments = node.args
        rest = [argument.arg for argument in arguments.args]
        if arguments.defaults or any(
            name not in values for name in rest[rest.index(next(n for n in rest if n in values)) :]
        ):
            return None
        arguments.defaults = [ast.parse(assignment[name], mode="eval").body for name in rest if name in values]
        before, _, after = self.text.partition(f"def {self.kernel}(")
        body = after.splitlines(keepends=True)
        first = node.body[0].lineno - node.lineno
        return f"{before}def {self.kernel}({ast.unparse(arguments)}):\n{''.join(body[first:])}"


def parse(text: str, files: dict[str, str] | None = None) -> Program:
    """A program from a file with ``#:`` lines. Raises ValueError."""
    lines = text.splitlines()
    knobs = [knob for line in lines if line.startswith("#:") for knob in _knobs(line)]
    rest = "\n".join(line for line in lines if not line.startswith("#:")).strip("\n") + "\n"
    functions = [
        node.name for node in ast.parse(rest).body if isinstance(node, ast.FunctionDef) and node.decorator_list
    ]
    if not functions:
        raise ValueError("there is no decorated function")
    program = Program(rest, functions[-1], [], files or {})
    names = set(program.parameters)
    for knob in knobs:
        kind = "option" if knob.kind == "value" and knob.name not in names else knob.kind
        if kind == "type" and knob.name not in names:
            raise ValueError(f"{program.kernel} has no parameter {knob.name}")
        program.knobs.append(Knob(knob.name, kind, knob.ways))
    return program


def _knobs(line: str) -> Iterator[Knob]:
    found = _LINE.match(line)
    if found is None:
        raise ValueError(f"not understood: {line}")
    ways = tuple(way.strip() for way in found["ways"].split(" | "))
    for name in found["names"].split(", "):
        if name.startswith("import "):
            yield Knob(name.removeprefix("import "), "module", ways)
        elif name.startswith("$"):
            yield Knob(name[1:], "env", ways)
        else:
            yield Knob(name, "type" if found["kind"] == ":" else "value", ways)


def elements(text: str) -> list[str] | None:
    """The types in a tuple's, which may begin with its class; None for another type."""
    name, _, inner = text.partition("(")
    if not text.endswith(")") or not (name.isidentifier() or not name):
        return None
    parts: list[str] = [""]
    depth = 0
    for sign in inner[:-1]:
        depth += (sign in "(<[") - (sign in ")>]")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]


def _host(kind: str) -> str:
    """An argument of this type."""
    inner = elements(kind)
    if inner is not None:
        return f"{kind.partition('(')[0]}({''.join(_host(part) + ', ' for part in inner).rstrip()})"
    if kind == "None" or kind.startswith("="):
        return kind.removeprefix("=")
    if kind.startswith("*"):
        return f'torch.empty(4096, dtype=torch.{_DTYPES[kind[1:]]}, device="cuda")'
    if kind.startswith("tensordesc<"):
        element, _, rest = kind.removeprefix("tensordesc<").removesuffix(">").partition("[")
        shape, _, layout = rest.partition("]")  # Gluon's has a layout
        sizes = ", ".join("64" for _ in shape.split(","))
        base = f'torch.empty({sizes}, dtype=torch.{_DTYPES[element]}, device="cuda")'
        held = f", gl.{layout.removeprefix(',')}" if layout else ""
        return f"TensorDescriptor.from_tensor({base}, [{shape}]{held})"
    return "0.5" if kind.startswith(("fp", "bf")) else "6"
