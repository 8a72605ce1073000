"""Every operator, method, function and format of Python's own on every two kinds of value: what is told for certain is
what Python gives, its type included, and where Python raises nothing is told.
"""

from __future__ import annotations

import ast
import enum
import itertools
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from host_told import UNTOLD, plain, same

from kernel_analysis.kernels.project import Project

HEAD = """import enum, math, operator
from typing import NamedTuple
class P(NamedTuple):
    a: int = 1
    b: int = 2
class E(enum.IntEnum):
    A = 1
class S(enum.Enum):
    A = 1
D = {'a': 1, 'b': [1, 2], 3: (4,)}
"""
VALUES = [
    "True", "None", "0", "-3", "2**63", "-0.0", "1.5", "1e22", "float('nan')", "float('inf')", "''", "'Ab c'", "'12'",
    "'\\u00df\\u0663'", "()", "(1, 2)", "[3, 1, 2]", "[[1], 'a']", "{}", "{1: 'x'}", "D", "{1, 2}", "set()", "range(3)",
    "P()", "E.A", "S.A", "b'ab'", "1j", "{'a': 1}.keys()", "{'a': 1}.values()", "iter([1])", "len", "int", "P",
]  # fmt: skip
OPERATORS = [
    "+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "@", "==", "!=", "<", "<=", ">", ">=", "is",
    "in", "and",
    "or", "is not", "not in",
]  # fmt: skip
OF_TWO = [
    "min", "max", "divmod", "pow", "isinstance", "round", "sum", "range", "zip", "enumerate", "getattr", "hasattr",
    "int",
    "sorted", "map", "filter", "math.gcd", "math.pow", "math.log", "math.copysign", "math.fmod", "operator.add",
    "operator.mod", "operator.lt", "operator.getitem", "operator.contains",
]  # fmt: skip
OF_ONE = [
    "abs", "bool", "int", "float", "str", "repr", "len", "list", "tuple", "set", "dict", "sorted", "reversed",
    "sum", "min",
    "max", "any", "all", "round", "hash", "ord", "chr", "hex", "iter", "enumerate", "range", "type", "math.floor",
    "math.ceil", "math.sqrt", "math.log2", "math.isnan", "math.isqrt", "math.prod", "math.factorial",
]  # fmt: skip
SHAPES = [
    "({a}, {b})", "[{a}, {b}][1]", "{{{a}: 1, {b}: 2}}", "{{{a}, {b}}}", "({a})[{b}]", "[*({a}), {b}]",
    "({a}) if ({b}) else 3", "dict([({a}, {b})])", "{{**({a}), **({b})}}", "({a}) < ({b}) < 5", "D.get({a}, {b})",
    "len({{{a}, {b}}})", "list(zip({a}, {b}, strict=True))", "sum({a}, {b}, start=1)",
    "({a}, {b}) in {{({b}, {a})}}", "{{({a}, 1): {b}}}[({b}, 1)]",
]  # fmt: skip
SLICES = ["0", "1", "-1", "7", ":2", "1:", "::-1", "::2", "-2:", "5:1:-1", "::0", "None", "1.0", "'a'", "True", "2**70"]
MEMBERS = [
    "real", "imag", "name", "value", "a", "_fields", "copy()", "keys()", "values()", "items()", "get('a')",
    "get('z', 5)",
    "count(1)", "count('a')", "index(1)", "index('a')", "find('b')", "upper()", "lower()", "title()", "strip()",
    "split()",
    "split('b')", "rsplit(None, 1)", "join(['a'])", "replace('A', '-')", "zfill(5)", "startswith('A')", "endswith('')",
    "startswith(('x', 'A'))", "isdigit()", "isalpha()", "bit_length()", "is_integer()", "partition('b')", "sort()",
    "reverse()", "pop()", "removeprefix('A')", "format(1)", "center(9)", "splitlines()", "isdisjoint({9})",
    "union({5})",
    "issubset({1, 2, 3})", "_replace(a=9)", "__len__()", "__add__(1)", "frob", "frob()", "encode()", "swapcase()",
    "isidentifier()", "expandtabs()", "copy(1)", "lower(1)", "get()", "get(1, 2, 3)", "keys(1)", "values(1)",
    "items(1)",
    "bit_length(1)", "join()", "join('a', 'b')", "join([1])", "startswith(1)", "startswith((1,))", "split('')",
    "lower(x=1)",
]  # fmt: skip
FORMATS = [
    "",
    "d",
    "5",
    "<5",
    "05d",
    ".2f",
    ".0f",
    "e",
    "g",
    "x",
    "#b",
    "%",
    ",",
    "+",
    "s",
    ".1s",
    "*^9",
    "n",
    "_",
    "r",
]


def of_one() -> Iterable[str]:
    for a in VALUES:
        yield from (f"-({a})", f"+({a})", f"~({a})", f"not ({a})")
        for name in OF_ONE:
            yield from (f"{name}({a})", f"{name}({a}, 1)", f"{name}({a}, 1, 2)", f"{name}()", f"{name}({a}, x=1)")
        yield from (f"({a})[{cut}]" for cut in SLICES)
        yield from (f"({a}).{member}" for member in MEMBERS)
        yield from (f"format({a}, '{spec}')" for spec in FORMATS)
        yield from (f"'{{:{spec}}}'.format({a})" for spec in FORMATS)
        yield from (f"'%{spec or 's'}' % ({a},)" for spec in FORMATS)
        yield from (f'f"{{{a}:{spec}}}"' for spec in FORMATS if "\\" not in a and "{" not in a)


def of_two() -> Iterable[str]:
    for a, b in itertools.product(VALUES, VALUES):
        yield from (f"({a}) {operator} ({b})" for operator in OPERATORS)
        yield from (f"{name}({a}, {b})" for name in OF_TWO)
        yield from (shape.format(a=a, b=b) for shape in SHAPES)


def real(value: Any) -> Any:
    """As ``plain`` has it: a member of an enumeration of numbers is its value."""
    if isinstance(value, enum.Enum) and isinstance(value, int):
        return int(value)
    found: Any = value
    if type(found) in (list, tuple):
        return type(found)(map(real, found))
    return {real(k): real(v) for k, v in found.items()} if type(found) is dict else found


@pytest.mark.slow("all operators with all kinds of values")
@pytest.mark.parametrize("texts", [of_one, of_two])
def test_what_is_told_of_it_python_has(texts: Any, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(HEAD, encoding="utf-8")
    project = Project([str(tmp_path)], [], patient=True)
    scope = project.resolver.scope(project.module(str(tmp_path / "main.py")))
    names: dict[str, Any] = {"__name__": "main"}
    exec(HEAD, names)  # the tests' own text
    certain, wrong = 0, list[str]()
    for text in texts():
        with project.resolver.noting() as notes:
            value = project.resolver.evaluator.evaluate(_parsed(text), scope)
        said = plain(value)
        if said is UNTOLD or notes:
            continue
        certain += 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                there = real(eval(text, dict(names)))  # the tests' own text
        except Exception as error:  # noqa: BLE001 - whatever it raises is what Python says
            there = error
        if not same(said, there):
            wrong.append(f"`{text}` is called certain to be {said!r}, and Python has {there!r}")
    assert not wrong, "\n".join(wrong[:10])
    assert certain > 500


def _parsed(text: str) -> ast.expr:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, mode="eval").body
