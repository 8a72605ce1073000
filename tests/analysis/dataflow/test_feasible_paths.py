"""Tests that can't go the ways that a path needs, all at once: only what is plain of one constant is ruled out."""

from __future__ import annotations

import ast

import pytest

from kernel_analysis.dataflow.proven.feasible_paths import Constancy, possible

_FIXED = Constancy(
    constants=frozenset({"A", "B", "N", "M", "O"}), locals=frozenset({"C"}), passed=frozenset({"n", "o", "p", "x"}),
    pointers=frozenset({"x"}), tuples=frozenset({"p"}), globals=frozenset({"tl"}),
)  # fmt: skip


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
        ("A == B; not (A == B)", False),
        ("not (A and B); A; B", False),
        ("not (A and B); A", True),
        ("not (not A and not B); not A and not B and N != 1", False),
        ("not (not A and not B); not (A or N != 1)", True),
        ("(N > 1) != (O is None); N > 1; O is None", False),
        ("(N > 1) != (O is None); N > 1; O is not None", True),
        ("A != (N > 1); A == 0; N < 1", False),
        ("A != (N > 1); A == 2; N < 1", True),
        ("(K := 0) == 1 and A", True),  # a number of run time
        ("(K := N) == 1; N == 2", True),
        ("(n > 0) == 2 and A", True),  # is told when the kernel runs: both ways are compiled
        ("(n > 0) != A; A == 2", True),
        ("not ((n > 0) != A); A == 2", True),
        ("(A == B) == 2", True),
        ("(n is None) == A; A; n is not None", False),
        ("n is None; n is not None", False),
        ("n is None; not n", True),
        ("n > 0; not (n > 0)", True),  # both ways are compiled
        ("p[0] is None; not (p[0] is None)", False),
        ("p[0] is None; p[1] is not None", True),
        ("o[0] is None; o[0] is not None", True),  # an object may answer otherwise each time
        ("p[i] is None; p[i] is not None", True),
        ("C; not C", False),
        ("C == 1; C == 2", True),
        ("x.dtype.element_ty == tl.float16; x.dtype.element_ty != tl.float16", False),
        ("x.dtype.element_ty == tl.float16; x.dtype.element_ty != tl.float32", True),
        ("x.dtype.element_ty == other.float16; x.dtype.element_ty != other.float16", True),
        ("n.dtype == tl.float16; n.dtype != tl.float16", True),  # whatever that is
        ("x.shape == tl.float16; x.shape != tl.float16", True),
        ("(f(A) or B) and not B; not f(A)", True),
        ("(f(A) or B) == 0; (f(A) or B) == 1", True),
    ],
)
def test_possible(tests: str, can: bool) -> None:
    wanted = [(ast.parse(text.strip(), mode="eval").body, True) for text in tests.split(";")]
    assert possible(wanted, _FIXED) is can


def test_ways() -> None:
    test = ast.parse("N > 2", mode="eval").body
    assert not possible([(test, True), (test, False)], _FIXED)
    assert possible([(test, False)], _FIXED)
    asked = ast.parse("f(N) > 2", mode="eval").body
    assert possible([(asked, True), (asked, False)], _FIXED)
