"""What ``@triton.heuristics`` fills in, where its lambda is simple enough to be read: ``lambda args: args["BIAS"]
is not None``."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any, Final

from kernel_analysis.signature import spelling
from kernel_analysis.signature.body import coverage
from kernel_analysis.signature.body.walk import Walk
from kernel_analysis.signature.evident_values import UNKNOWN, EvidentValue, constant
from kernel_analysis.signature.notes import Branch
from kernel_analysis.signature.parameter_evidence import Choice, same
from kernel_analysis.signature.signature_model import Evidence
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.slice import Slice
from kernel_analysis.source.tree.syntax import descend

_OTHER_SIZES: Final = (16, 8, 4, 2, 1, 128, 256, 1024)


def fill(slice: Slice, function: JitFunction, choices: dict[str, Choice]) -> None:
    """Give the parameters that heuristics set the value that follows from the others' choices."""
    for name, expression in function.heuristics.items():
        choice = choices.get(name)
        if choice is None or not isinstance(expression, ast.Lambda) or not expression.args.args:
            continue
        if choice.evidence.kind == "pragma":
            continue
        value = _evaluate(slice, expression, choices)
        if type(value) is int and value <= 0:
            value = _more_than_nothing(slice, expression, choices)
        detail = f"a heuristic gives {value!r}"
        before = choice.constants.get(name, UNKNOWN)
        if value is UNKNOWN and _is_flag(expression.body):
            value, before, detail = True, False, "a heuristic gives True or False"
        if value is UNKNOWN or not (value is None or isinstance(value, (bool, int, float, str))):
            continue
        choice.type, choice.constants = "constexpr", {name: value}
        choice.evidence = Evidence("heuristics", detail, False, getattr(expression, "lineno", None))
        if isinstance(value, bool):
            choice.others = [other for other in choice.others if isinstance(other, bool)]
        if not same(before, value) and before is not UNKNOWN:
            choice.others.insert(0, before)


def demanded(slice: Slice, function: JitFunction, choices: dict[str, Choice], demand: dict[str, Any]) -> dict[str, Any]:
    """The demand with what heuristics make of it: who wants a flag that says "there is a bias" wants the bias."""
    found = dict(demand)
    for name, expression in function.heuristics.items():
        value = demand.get(name)
        if isinstance(value, bool) and isinstance(expression, ast.Lambda) and expression.args.args:
            arguments = EvidentValue(
                items=[spelling.value_of(c.type, n, c.constants, c.names, c.made) for n, c in choices.items()],
                names=tuple(choices),
            )
            test = Branch(0, expression.body, None, {expression.args.args[0].arg: arguments})
            for path, wanted in coverage.demands(slice, test, value).items():
                choice = choices.get(path)
                if choice is None or (wanted == coverage.PRESENT and choice.present is None):
                    continue
                if wanted is not None or choice.optional:
                    found.setdefault(path, wanted)
    return found


def _evaluate(slice: Slice, expression: ast.Lambda, choices: dict[str, Choice]) -> Any:
    items = [
        constant(c.constants[n]) if n in c.constants and c.type == "constexpr" else EvidentValue(levels=0, shape=())
        for n, c in choices.items()
    ]
    arguments = EvidentValue(items=items, names=tuple(choices))
    return (
        Walk(slice)
        .evaluate(0, {expression.args.args[0].arg: arguments, "triton": constant_module()}, expression.body)
        .const
    )


def _more_than_nothing(slice: Slice, expression: ast.Lambda, choices: dict[str, Choice]) -> Any:
    """What a heuristic gives with another guess for what it is computed from, where it gave nothing: ``16 // groups``
    is how often, or how large."""
    read = {n.value for n in descend(expression.body) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    for name in sorted(read & choices.keys()):
        choice = choices[name]
        if choice.type != "constexpr" or choice.evidence.fixed or type(choice.constants.get(name)) is not int:
            continue
        for guess in _OTHER_SIZES:
            other = replace(choice, constants={**choice.constants, name: guess})
            value = _evaluate(slice, expression, {**choices, name: other})
            if type(value) is int and value > 0:
                choice.constants[name] = guess
                choice.evidence = Evidence("use", "what a heuristic makes of it", False, choice.evidence.line)
                return value
    return _evaluate(slice, expression, choices)


def _is_flag(node: ast.expr) -> bool:
    """Whether it is true or false whatever it is computed from, as `args["n"] % args["BLOCK"] == 0`."""
    if isinstance(node, ast.BoolOp):
        return all(map(_is_flag, node.values))
    return isinstance(node, ast.Compare) or isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def constant_module() -> EvidentValue:
    """The module ``triton`` itself."""
    return EvidentValue(static=True, callee="triton")
