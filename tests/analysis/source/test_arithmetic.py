"""The one arithmetic, held against Python's operators and functions and Triton's own, over values of each kind."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from kernel_analysis.source import arithmetic, limits

triton = pytest.importorskip("triton")

VALUES: tuple[Any, ...] = (
    -5, -2, -1, 0, 1, 2, 3, 7, 64, True, False, 0.5, -1.5, 6.5, math.inf, -math.inf, math.nan, "", "a", "b%d",
    (), (1, 2), None,
)  # fmt: skip
NOTHING = object()


def of(function: Callable[..., Any], *values: Any) -> Any:
    """What it gives; NOTHING where it raises."""
    try:
        return function(*values)
    except arithmetic.FAILS:
        return NOTHING


def same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and (one == other or one != one and other != other)


def python(template: str, names: Sequence[str]) -> Callable[..., Any]:
    return eval(f"lambda {', '.join(names)}: {template}")


@pytest.mark.parametrize("text", ["+", "-", "*", "/", "//", "%", "<<", ">>", "&", "|", "^", "**"])
def test_an_operator_gives_what_python_gives(text: str) -> None:
    tree = ast.parse(f"a {text} b", mode="eval").body
    assert isinstance(tree, ast.BinOp)
    real = python(f"a {text} b", "ab")
    for a in VALUES:
        for b in VALUES:
            found, expected = of(arithmetic.binary, tree.op, a, b), of(real, a, b)
            assert same(found, expected) or found is NOTHING and isinstance(expected, complex), (a, text, b, found)


@pytest.mark.parametrize("text", ["<", "<=", ">", ">=", "==", "!="])
def test_a_comparison_gives_what_python_gives(text: str) -> None:
    tree = ast.parse(f"a {text} b", mode="eval").body
    assert isinstance(tree, ast.Compare)
    real = python(f"a {text} b", "ab")
    for a in VALUES:
        for b in VALUES:
            assert same(of(arithmetic.compare, tree.ops[0], a, b), of(real, a, b)), (a, text, b)


@pytest.mark.parametrize("text", ["-", "+", "not "])
def test_a_sign_gives_what_python_gives(text: str) -> None:
    tree = ast.parse(f"{text}a", mode="eval").body
    assert isinstance(tree, ast.UnaryOp)
    for a in VALUES:
        assert same(of(arithmetic.unary, tree.op, a), of(python(f"{text}a", "a"), a)), (text, a)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "triton.cdiv": triton.cdiv, "triton.next_power_of_2": triton.next_power_of_2, "builtins.min": min,
    "builtins.max": max, "builtins.abs": abs, "builtins.round": round, "builtins.int": int, "builtins.float": float,
    "builtins.bool": bool, "builtins.pow": pow, "math.sqrt": math.sqrt, "math.log2": math.log2, "math.ceil": math.ceil,
    "math.floor": math.floor, "math.gcd": math.gcd, "math.atan2": math.atan2, "math.isinf": math.isinf,
}  # fmt: skip


@pytest.mark.parametrize("path", FUNCTIONS)
@pytest.mark.parametrize("count", [1, 2])
def test_a_function_gives_what_the_real_one_gives_or_nothing(path: str, count: int) -> None:
    numbers = [v for v in VALUES if isinstance(v, (int, float))]
    given = [(a,) for a in numbers] if count == 1 else [(a, b) for a in numbers for b in numbers]
    known = 0
    for values in given:
        found, expected = of(arithmetic.called, path, values), of(FUNCTIONS[path], *values)
        assert found is NOTHING or same(found, expected), (path, values, found, expected)
        known += found is not NOTHING
    assert known or all(of(FUNCTIONS[path], *values) is NOTHING for values in given) or count == 2


@pytest.mark.parametrize(
    "text", ["9 ** 99999", "1 << 10 ** 9", "'a' * 10 ** 9", "(1,) * 10 ** 9", "7 ** 3000 * 7 ** 3000"]
)
def test_what_would_be_huge_is_refused(text: str) -> None:
    def value(node: ast.expr) -> Any:
        if isinstance(node, ast.BinOp):
            return arithmetic.binary(node.op, value(node.left), value(node.right))
        return ast.literal_eval(node)

    with pytest.raises(limits.TooMuch):
        value(ast.parse(text, mode="eval").body)
