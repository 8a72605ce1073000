"""``# triton-run: grid = (cdiv(n, BLOCK),), n = 1_000_000, x_ptr = randn(n, fp16)``: what a comment above a kernel says
of its launch. A small grammar of its own (docs/running.md), read by ``ast`` and evaluated here; no Python is run."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from kernel_analysis.record import record
from kernel_analysis.source import arithmetic
from kernel_analysis.source.comments.comments_above import lines_above, room_above
from kernel_analysis.source.dtypes import TORCH
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.limits import LONG_COMMENT, LONGEST_COMMENT
from kernel_analysis.source.module import Module
from kernel_analysis.source.parsing.parse import expression
from kernel_analysis.span import Span

MARK = "triton-run"
OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")
_COMMENT = re.compile(r"(?P<head>\s*#\s*triton-run\s*(?:\[(?P<label>[^\]]*)\])?\s*:)(?P<items>.*)$")
_NAME = re.compile(r"(?<!\w)(?P<name>[A-Za-z_]\w*)\s*=(?!=)")
MAKERS: Final = {
    "randn": 0, "rand": 0, "zeros": 0, "ones": 0, "empty": 0, "randint": 2, "full": 1, "arange": 0,
}  # fmt: skip
"""Functions that make a tensor, and how many numbers come before its shape."""


_FUNCTIONS: Final = ("cdiv", "next_power_of_2", "min", "max")
_OPERATORS: Final = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_MOST = 1 << 62
_LONGEST_SHOWN = 200
_WIDTH = 100


class Mistake(Exception):
    """The comment says something that can't be; ``span`` is where."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.message, self.span = message, span


@record
class MadeTensor:
    """A tensor that a maker makes."""

    fill: str
    shape: tuple[int, ...]
    type: str | None
    low: float = 0
    high: float = 0

    @property
    def numel(self) -> int:
        return math.prod(self.shape)


@record
class Assignment:
    """``name = expression``."""

    name: str
    node: ast.expr
    span: Span


@dataclass(slots=True)
class Pinned:
    """One launch: ``label`` is empty for one without a name."""

    label: str
    span: Span
    items: dict[str, Assignment] = field(default_factory=dict[str, Assignment])

    def values(self, constants: Mapping[str, Any]) -> dict[str, Any]:
        """Every item's value; ``constants`` has those of parameters that the comment leaves out. Raises Mistake."""
        return {name: value for name, value in _Values(self, constants).all() if name != "grid"}

    def grid(self, constants: Mapping[str, Any]) -> tuple[int, int, int] | None:
        """The grid, where it is given."""
        item = self.items.get("grid")
        if item is None:
            return None
        value = _Values(self, constants).of(item)
        sizes = _tuple(value) or (value,)
        if not 1 <= len(sizes) <= 3 or not all(type(size) is int and size > 0 for size in sizes):
            raise Mistake("the grid is one to three numbers, each at least 1", item.span)
        one, two, three = (*sizes, 1, 1, 1)[:3]
        return one, two, three


def read(module: Module, function: JitFunction) -> tuple[list[Pinned], list[Mistake]]:
    """The launches that the comments above a kernel pin, in order, and what is wrong with them. Lines with the same
    label belong together."""
    found: dict[str, Pinned] = {}
    mistakes: list[Mistake] = []
    if not module.has(MARK):
        return [], []
    names = {parameter.name for parameter in function.parameters}
    constexprs = {parameter.name for parameter in function.parameters if parameter.constexpr}
    for number in lines_above(module, function.node):
        match = _COMMENT.match(module.lines[number - 1])
        if match is None:
            continue
        label = (match["label"] or "").strip()
        column = match.end("head") + 1
        whole = Span(module.file, number, column, number, column + len(match["items"]))
        pinned = found.setdefault(label, Pinned(label, whole))
        for item in _items(module.file, number, match, mistakes):
            if item.name != "grid" and item.name not in names and item.name not in OPTIONS:
                mistakes.append(Mistake(f"`{function.name}` has no parameter `{item.name}`", item.span))
            elif item.name in pinned.items:
                mistakes.append(Mistake(f"`{item.name}` is given twice", item.span))
            else:
                pinned.items[item.name] = item
    for pinned in found.values():
        _check(pinned, names, constexprs, mistakes)
    return list(found.values()), mistakes


def stray(module: Module) -> list[Span]:
    """The comments of this form that stand above no jit function."""
    if not module.has(MARK):
        return []
    read_ = {number for function in module.functions for number in lines_above(module, function.node)}
    matches = ((n, _COMMENT.match(line)) for n, line in enumerate(module.lines, 1) if n not in read_)
    inside = {n for f in module.functions for n in range(f.node.lineno, (f.node.end_lineno or f.node.lineno) + 1)}
    return [
        Span(module.file, n, len(m["head"]) - len(m["head"].lstrip()) + 1, n, m.end() + 1)
        for n, m in matches
        if m is not None and n not in inside
    ]


def place(module: Module, function: JitFunction) -> tuple[int, str] | None:
    """The line above which to write one, with its indentation; None in a string."""
    found = room_above(module, function.node)
    return found if module.embedded_at(found[0]) is None else None


def _items(file: str, line: int, match: re.Match[str], mistakes: list[Mistake]) -> Iterator[Assignment]:
    """``name = expression`` after ``name = expression``, commas or only blanks between them."""
    text = match["items"]
    base = match.end("head")
    if len(text) > LONGEST_COMMENT:
        mistakes.append(Mistake(LONG_COMMENT, Span(file, line, base + 1, line, base + 1 + len(text))))
        return
    outside = _outside(text)
    starts = [found for found in _NAME.finditer(text) if outside[found.start()]]
    before = text[: starts[0].start()] if starts else text
    if before.strip(" ,"):
        span = Span(file, line, base + 1, line, base + 1 + len(text.rstrip()))
        mistakes.append(Mistake("write `name = value`, with commas between", span))
    for found, after in zip(starts, [*(s.start() for s in starts[1:]), len(text)], strict=False):
        written = text[found.end() : after].rstrip(" ,")
        column = base + found.start() + 1
        span = Span(file, line, column, line, base + found.end() + len(written) + 1)
        tree = expression(written.strip())
        if tree is not None:
            yield Assignment(found["name"], tree, span)
        else:
            shown = written.strip() if len(written) <= _LONGEST_SHOWN else f"{written.strip()[:_LONGEST_SHOWN]}..."
            mistakes.append(Mistake(f"`{shown}` can't be read as a value", span))


def _outside(text: str) -> list[bool]:
    """Of each place whether it is in no brackets and no string."""
    found: list[bool] = []
    depth, quote = 0, ""
    for letter in text:
        found.append(not depth and not quote)
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        else:
            depth += (letter in "([{") - (letter in ")]}")
    return found


def _check(pinned: Pinned, names: set[str], constexprs: set[str], mistakes: list[Mistake]) -> None:
    """What is wrong whatever the values are."""
    for item in pinned.items.values():
        for node in ast.walk(item.node):
            problem = _wrong(node, names)
            if problem is not None:
                mistakes.append(Mistake(problem, item.span))
                break
        else:
            maker = isinstance(item.node, ast.Call) and ast.unparse(item.node.func) in MAKERS
            if maker and (item.name in constexprs or item.name == "grid" or item.name in OPTIONS):
                mistakes.append(Mistake(f"`{item.name}` can't be a tensor", item.span))


def _wrong(node: ast.AST, names: Iterable[str]) -> str | None:
    if isinstance(node, ast.Call):
        called = ast.unparse(node.func)
        if called not in _FUNCTIONS and called not in MAKERS:
            return f"there is no function `{called}` here; there are {', '.join([*_FUNCTIONS, *MAKERS])}"
        if node.keywords:
            return "arguments have no names here"
        return None
    if isinstance(node, ast.Name):
        known = node.id in names or node.id in TORCH or node.id in _FUNCTIONS or node.id in MAKERS
        return None if known else f"`{node.id}` is neither a parameter of the kernel nor a type"
    if isinstance(node, ast.BinOp):
        return None if isinstance(node.op, _OPERATORS) else "of operators there are + - * / // %"
    if isinstance(node, ast.Constant):
        return (
            None
            if isinstance(node.value, int | float | str | None)
            else "a value is a number, a text, True, False or None"
        )
    allowed = (ast.UnaryOp, ast.USub, ast.Tuple, ast.List, ast.expr_context, ast.operator)
    return None if isinstance(node, allowed) else f"`{ast.unparse(node)}` is more than can be said here"


class _Values:
    """Evaluates the items of a launch, each when another asks for it."""

    def __init__(self, pinned: Pinned, constants: Mapping[str, Any]) -> None:
        self._pinned, self._constants = pinned, constants
        self._known: dict[str, Any] = {}
        self._open: list[str] = []

    def all(self) -> Iterator[tuple[str, Any]]:
        for name, item in self._pinned.items.items():
            if name != "grid":
                yield name, self.of(item)

    def of(self, item: Assignment) -> Any:
        if item.name in self._known:
            return self._known[item.name]
        if item.name in self._open:
            raise Mistake(f"`{item.name}` follows from itself", item.span)
        self._open.append(item.name)
        try:
            value = self._value(item.node, item)
        except arithmetic.TooMuch:
            raise Mistake(f"`{ast.unparse(item.node)}` is too large", item.span) from None
        except arithmetic.FAILS as error:
            raise Mistake(f"`{ast.unparse(item.node)}` has no value: {error}", item.span) from error
        self._open.pop()
        self._known[item.name] = value
        return value

    def _value(self, node: ast.expr, item: Assignment) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            if node.id in self._pinned.items:
                return self.of(self._pinned.items[node.id])
            if node.id in self._constants:
                return self._constants[node.id]
            raise Mistake(f"`{node.id}` has no value: give it one here, too", item.span)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return arithmetic.unary(node.op, self._value(node.operand, item))
        if isinstance(node, ast.BinOp) and isinstance(node.op, _OPERATORS):
            left, right = self._value(node.left, item), self._value(node.right, item)
            if not all(isinstance(side, int | float) for side in (left, right)):
                raise ValueError("it is no number")
            value = arithmetic.number(node.op, left, right)
            if abs(value) > _MOST:
                raise ValueError("it is too large")
            return value
        if isinstance(node, ast.Tuple | ast.List):
            return tuple(self._value(element, item) for element in node.elts)
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name in MAKERS:
                return self._made(name, node, item)
            if name in _FUNCTIONS:
                return arithmetic.FUNCTIONS[name](*(self._value(argument, item) for argument in node.args))
        raise Mistake(f"`{ast.unparse(node)}` is more than can be said here", item.span)

    def _made(self, name: str, node: ast.Call, item: Assignment) -> MadeTensor:
        arguments, type_ = list(node.args), None
        last = arguments[-1] if arguments else None
        if isinstance(last, ast.Name) and last.id in TORCH:
            type_ = last.id
            arguments.pop()
        values = [self._value(argument, item) for argument in arguments]
        numbers, sizes = values[: MAKERS[name]], values[MAKERS[name] :]
        shape = (_tuple(sizes[0]) if len(sizes) == 1 else ()) or tuple(sizes)
        if len(numbers) < MAKERS[name] or not shape or not all(type(size) is int and size >= 0 for size in shape):
            form = {"randint": "randint(low, high, n, i32)", "full": "full(value, n, fp32)"}.get(
                name, f"{name}(n, fp32)"
            )
            raise Mistake(f"write `{form}`", item.span)
        fill = "poison" if name == "empty" else name
        low = numbers[0] if numbers else 0
        return MadeTensor(fill, shape, type_, low, numbers[1] - 1 if len(numbers) > 1 else 0)


def _tuple(value: Any) -> tuple[Any, ...]:
    """The items of a tuple; none of anything else."""
    return cast("tuple[Any, ...]", value) if isinstance(value, tuple) else ()


def written(grid: Iterable[int], arguments: Iterable[tuple[str, str]], label: str = "") -> str:
    """Such a comment, without its indentation; several lines where one would be long."""
    sizes = list(grid)
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes.pop()
    head = f"# {MARK}[{label}]:" if label else f"# {MARK}:"
    spelled = "(" + ", ".join(map(str, sizes)) + ("," if len(sizes) == 1 else "") + ")"
    lines = [f"{head} grid = {spelled}"]
    for name, value in arguments:
        item = f"{name} = {value}"
        if len(lines[-1]) + len(item) + 2 > _WIDTH:
            lines.append(f"{head} {item}")
        else:
            lines[-1] += f", {item}"
    return "\n".join(lines)
