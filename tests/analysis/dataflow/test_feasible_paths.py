"""Tests that can't go the ways that a path needs, all at once: only what is plain of one constant is ruled out."""

from __future__ import annotations

import ast

import pytest

from kernel_analysis.dataflow.feasible_paths import possible


@pytest.mark.parametrize(
    ("tests", "can"),
    [
        ("A; not A", False),
        ("A; A", True),
        ("A; not B", True),
        ("N == 2; N > 2", False),
        ("N == 2; N >= 2", True),
        ("N > 1; N < 2", True),  # 1.5
        ("N < 1; N > 3", False),
        ("N > 1e308; N != 1e999", True),
        (f"N > 1; N < {10**400}", True),
        ("not (N < 2); not (N >= 2)", True),  # a number that is none
        ("N != N", True),
        ("not (N < 2); not (N >= 2); N == 2", False),
        ('M > "a"', True),
        ('M > "a"; M < "b"', True),
        ('M > "a"; M < "a\\0"', False),
        ('M > "b"; M < "a"', False),
        ('not N; N is not None; N != 0; N != ""', True),  # an empty tuple
        ("N == 1; N == 2", False),
        ("N != 1; N == 1", False),
        ('M == "a"; M == "b"', False),
        ('M != "a"; M != "b"', True),
        ("O is None; O is not None", False),
        ("O is None; not (O is None)", False),
        ("A and B; not B", False),
        ("not (A or B); A", False),
        ("A or B; not A", True),
        ("n == 1; n == 2", True),  # no constant: a variable may be bound in between
        ("f(A); not f(A)", True),  # a call may give another answer
        ("A.x == 1; A.x == 2", True),
        ("A == B; A != B", True),  # of two constants nothing is ruled out
    ],
)
def test_possible(tests: str, can: bool) -> None:
    wanted = [(ast.parse(text.strip(), mode="eval").body, True) for text in tests.split(";")]
    constants = frozenset({"A", "B", "N", "M", "O"})
    assert possible(wanted, constants) is can


def test_ways() -> None:
    test = ast.parse("N > 2", mode="eval").body
    constants = frozenset({"N"})
    assert not possible([(test, True), (test, False)], constants)
    assert possible([(test, False)], constants)
