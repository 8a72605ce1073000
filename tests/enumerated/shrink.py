"""Makes a program smaller while something stays wrong with what is said of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from itertools import islice

from enumerated.program import Knob, Program

Wrong = Callable[[Program], bool]
_STEPS = 1200  # attempts at most


def shrink(program: Program, wrong: Wrong, ways: bool = True) -> Program:
    """The smallest program found by leaving things out, one after the other; ``ways``: also ways of what varies."""
    left = _STEPS
    before = None
    while program != before and left > 0:
        before = program
        position = 0
        # What follows the thing left out takes its place: the next is tried there, and not from the start.
        while left > 0 and (smaller := next(islice(_smaller(program, ways), position, None), None)) is not None:
            if _legal(smaller):
                left -= 1
                if wrong(smaller):
                    program = smaller
                    continue
            position += 1
    return program


def _legal(program: Program) -> bool:
    try:
        compile(program.text, "program", "exec")
        return bool(program.parameters)
    except (SyntaxError, ValueError):
        return False


def _smaller(program: Program, ways: bool) -> Iterator[Program]:
    for index, knob in enumerate(program.knobs):
        for way in knob.ways if ways and len(knob.ways) > 1 else ():
            fewer = Knob(knob.name, knob.kind, tuple(other for other in knob.ways if other != way))
            yield Program(
                program.text,
                program.kernel,
                [*program.knobs[:index], fewer, *program.knobs[index + 1 :]],
                program.files,
            )
        if len(knob.ways) == 1 and knob.kind in ("option", "env", "module"):
            yield Program(
                program.text, program.kernel, program.knobs[:index] + program.knobs[index + 1 :], program.files
            )
    lines = program.text.splitlines()
    for start, end in _statements(lines):
        yield _with(program, lines[:start] + lines[end:])
    for start, end in _statements(lines):
        head = lines[start]
        depth = len(head) - len(head.lstrip())
        if end - start < 2 or head.startswith(("@", "def ")):
            continue
        yield _with(program, lines[:start] + [line[4:] for line in lines[start + 1 : end]] + lines[end:])
        if lines[start + 1 : end] != [" " * (depth + 4) + "pass"]:
            yield _with(program, lines[: start + 1] + [" " * (depth + 4) + "pass"] + lines[end:])
    for number, line in enumerate(lines):
        for shorter in _expressions(line):
            yield _with(program, [*lines[:number], shorter, *lines[number + 1 :]])
    yield from _parameters(program)


def _with(program: Program, lines: list[str]) -> Program:
    return Program("\n".join(lines) + "\n", program.kernel, program.knobs, program.files)


def _statements(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Each line with what is indented under it; a decorator with its function."""
    for start, line in enumerate(lines):
        if not line.strip():
            continue
        depth = len(line) - len(line.lstrip())
        end = start + 1
        if line.startswith("@"):
            end += 1
        while end < len(lines) and lines[end].strip() and len(lines[end]) - len(lines[end].lstrip()) > depth:
            end += 1
        yield start, end


def _expressions(line: str) -> Iterator[str]:
    """The line with one expression of it replaced by a part of it."""
    head = re.match(r"\s*", line)
    assert head is not None
    body = line.strip()
    opens = body.endswith(":") and body.startswith(("if ", "for ", "elif "))
    try:
        tree = ast.parse(body + (" pass" if opens else ""))
    except SyntaxError:
        return
    for node in ast.walk(tree):
        parts: list[ast.expr] = []
        if isinstance(node, ast.BoolOp):
            parts = node.values
        elif isinstance(node, ast.BinOp):
            parts = [node.left]
        elif isinstance(node, ast.IfExp):
            parts = [node.body, node.orelse]
        elif isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.UnaryOp):
            parts = [node.operand]
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Tuple):
            parts = node.value.elts
        elif isinstance(node, ast.Call):
            parts = node.args
        else:
            continue
        whole = ast.get_source_segment(body, node)
        for part in parts:
            piece = ast.get_source_segment(body, part)
            if whole and piece and body.count(whole) == 1:
                yield head[0] + body.replace(whole, piece)


def _parameters(program: Program) -> Iterator[Program]:
    """Without a parameter of the kernel that nothing names."""
    for index, knob in enumerate(program.knobs):
        if knob.kind not in ("type", "value") or len(re.findall(rf"\b{knob.name}\b", program.text)) != 1:
            continue
        text = re.sub(rf"(?:, )?\b{knob.name}\b(?:: (?:tl\.constexpr|\"[^\"]*\"))?", "", program.text).replace(
            "(, ", "("
        )
        yield Program(text, program.kernel, program.knobs[:index] + program.knobs[index + 1 :], program.files)
