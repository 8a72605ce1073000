"""Arithmetic on what registers hold (``asm_model.Value``): sums are kept as sums of what they are made of, everything
else as parts. It knows no instruction, and drops nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from kernel_analysis.dataflow.asm.asm_model import CONSTANT, How, Sum, Term, Value, terms

_MOST_SUMS = 8
_MOST_TERMS = 8
_DEEPEST = 3
"""Loads through loaded addresses that are told apart."""

_MIXED = Term("mixed", "part")


def only(term: Term) -> Value:
    """The term by itself."""
    return frozenset({frozenset({term})})


def joined(values: Iterable[Value]) -> Value:
    """One of several values."""
    return _limited(frozenset[Sum]().union(*values))


def changed(values: Iterable[Value], how: How) -> Value:
    """A value made of all of these at once: of their ``bits``, or as a ``part``."""
    every = {_changed(term, how) for value in values for term in terms(value)}
    return _limited(frozenset({frozenset(every)}))


def total(one: Value, other: Value) -> Value:
    """The sum of two values."""
    if len(one) * len(other) > _MOST_SUMS:
        return mixed((one, other))
    return _limited(frozenset({a | b for a in one or CONSTANT for b in other or CONSTANT}))


def difference(one: Value, other: Value) -> Value:
    """The first less the second."""
    return total(one, frozenset({frozenset({_changed(term, "minus") for term in each}) for each in other}))


def loaded(address: Value) -> Value:
    """What is read from memory."""
    return _limited(frozenset({frozenset({Term("loaded", address=_shallow(each))}) for each in address}))


def mixed(values: Iterable[Value]) -> Value:
    """More than can be told apart: all of it, as parts."""
    return frozenset({frozenset({_changed(term, "part") for value in values for term in terms(value)} | {_MIXED})})


def _limited(value: Value) -> Value:
    if len(value) > 1 and any(_MIXED in each for each in value):
        return mixed((value,))
    if len(value) > _MOST_SUMS or any(len(each) > _MOST_TERMS for each in value if _MIXED not in each):
        return mixed((value,))
    return value


def _changed(term: Term, how: How) -> Term:
    if how == "bits" and term.how in ("part", "minus") or how == "minus" and term.how != "whole":
        how = "part"
    return term._replace(how=how)


def _depth(address: Sum) -> int:
    return max((1 + _depth(term.address) for term in address if term.kind == "loaded"), default=0)


def _shallow(address: Sum) -> Sum:
    """An address that leads through few loads: deeper ones are parts of what they were loaded through."""
    if _depth(address) < _DEEPEST:
        return address
    leaves: set[Term] = set()
    todo = list(address)
    while todo:
        term = todo.pop()
        if term.kind == "loaded":
            todo += term.address
        else:
            leaves.add(_changed(term, "part"))
    return frozenset({Term("loaded", "part", address=frozenset(leaves))})
