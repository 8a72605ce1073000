"""A number that was loaded and cast to a pointer as it was is a pointer, as an item of a table of pointers is where
Triton has those: all that is added to it is an offset. A number that something was done to before is none.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from dataflow_helpers import facts_of, verdicts

OFFSETS = {
    "number": "n",
    "wide number": "m",
    "product": "n * m",
    "place of the program": "tl.program_id(0) * m",
    "block": "tl.arange(0, 16) * n",
    "minimum": "tl.minimum(n, m)",
    "chosen": "tl.where(n > 0, m, 4)",
}
WAYS = {
    "here": "p = {base}\n            tl.store(p + {offset}, 1.0)",
    "moved twice": "p = {base} + n\n            p = p + {offset}\n            tl.store(p, 1.0)",
    "given to a helper": "put({base}, {offset})",
    "made by a helper": "p = item(table)\n            tl.store(p + {offset}, 1.0)",
    "with another type": "q = ({base} + {offset}).to(a.dtype)\n            tl.store(q, 1.0)",
    "round a loop": "for i in range(n):\n                tl.store({base} + {offset}, 1.0)",
    "where no compile came by": "if FLAG:\n                tl.store({base} + {offset}, 1.0)",
}
BASE = "tl.load(table).to(tl.pointer_type(tl.float32))"


@pytest.mark.parametrize(("way", "kind"), list(itertools.product(WAYS, OFFSETS)))
def test_what_is_added_is_an_offset(tmp_path: Path, way: str, kind: str) -> None:
    body = WAYS[way].format(base=BASE, offset=OFFSETS[kind])
    text = f"""
        @triton.jit
        def item(table):
            return {BASE}

        @triton.jit
        def put(p, offset):
            tl.store(p + offset, 1.0)

        @triton.jit
        def kernel(table, a, n, m, FLAG: tl.constexpr):
            tl.store(a, 1.0)
            {body}
        """
    found = verdicts(facts_of(tmp_path, text, {"FLAG": False}, table="*i64", a="*fp32", n="i32", m="i64"))
    assert (found["a"], found["n"], found["m"]) == ("w", "", "")


COMPUTED = {
    "sum": "(tl.load(table) + m)",
    "difference": "(tl.load(table) - m)",
    "turned round": "(m - tl.load(table))",
    "bits": "(tl.load(table) | m)",
    "chosen": "tl.where(n > 0, tl.load(table), m)",
    "least": "tl.minimum(tl.load(table), m)",
    "where the mask is off": "tl.load(table, mask=n > 0, other=m)",
    "product": "(tl.load(table) * m)",
}


@pytest.mark.parametrize("kind", COMPUTED)
@pytest.mark.parametrize("compiled", [True, False])
def test_what_was_computed_with_is_no_pointer_for_certain(tmp_path: Path, kind: str, compiled: bool) -> None:
    text = f"""
        @triton.jit
        def kernel(table, n, m, k, FLAG: tl.constexpr):
            if FLAG:
                tl.store({COMPUTED[kind]}.to(tl.pointer_type(tl.int8)) + k, 1)
        """
    facts = facts_of(tmp_path, text, {"FLAG": compiled}, table="*i64", n="i32", m="i64", k="i64")
    found = verdicts(facts)
    assert "w" in found["m"], found
    assert kind in ("sum", "difference") or "w" in found["k"], found


ADDED = {
    "its address": "a.to(tl.int64)",
    "away from another": "a.to(tl.int64) - tl.load(table + 1)",
    "an element of it": "(a + n).to(tl.int64) - tl.load(table + 1)",
}


@pytest.mark.parametrize("kind", ADDED)
@pytest.mark.parametrize("helped", [True, False])
def test_an_address_that_is_added_byte_by_byte_is_a_base_too(tmp_path: Path, kind: str, helped: bool) -> None:
    """A symmetric heap: what is at this place of mine is at the same place of theirs, which may be mine."""
    made = f"tl.cast(tl.load(table), tl.pointer_type(tl.int8)) + ({ADDED[kind]})"
    text = f"""
        @triton.jit
        def moved(table, a, n):
            return ({made}).to(a.dtype)

        @triton.jit
        def kernel(table, a, n):
            tl.store({"moved(table, a, n)" if helped else f"({made}).to(a.dtype)"}, 1.0)
        """
    found = verdicts(facts_of(tmp_path, text, table="*i64", a="*fp32", n="i32"))
    assert found["a"] == "w"
    assert found["n"] == ""


def test_an_address_that_is_multiplied_on_the_way_is_not_known(tmp_path: Path) -> None:
    text = """
        @triton.jit
        def kernel(table, a):
            p = tl.cast(tl.load(table), tl.pointer_type(tl.float32)) + a.to(tl.int64)
            tl.store(p, 1.0)
        """
    assert verdicts(facts_of(tmp_path, text, table="*i64", a="*fp32"))["a"] == "?w"


AWAY = {
    "what was loaded": "{p}.to(tl.int64) - tl.load(table)",
    "a wide number": "{p}.to(tl.int64) - k",
    "its opposite": "{p}.to(tl.int64) + (0 - tl.load(table))",
    "the other way round": "tl.load(table) - {p}.to(tl.int64)",
    "bit by bit": "{p}.to(tl.int64) ^ tl.load(table)",
    "some of its bits": "{p}.to(tl.int64) & 0xFFFF",
}
"""Where the address that was loaded is taken away, what was added to it is what is left."""


@pytest.mark.parametrize(("kind", "helped"), list(itertools.product(AWAY, ["no", "taken", "both"])))
@pytest.mark.parametrize("compiled", [True, False])
def test_what_was_added_comes_back_where_the_address_is_taken_away(
    tmp_path: Path, kind: str, helped: str, compiled: bool
) -> None:
    base = "tl.load(table).to(tl.pointer_type(tl.int8))"
    sum = f"({'base(table)' if helped == 'both' else base} + m)"
    left = AWAY[kind].format(p=sum) if helped == "no" else f"taken({sum}, table, k)"
    text = f"""
        @triton.jit
        def base(table):
            return {base}

        @triton.jit
        def taken(p, table, k):
            return {AWAY[kind].format(p="p")}

        @triton.jit
        def kernel(table, m, k, FLAG: tl.constexpr):
            if FLAG:
                tl.store(({left}).to(tl.pointer_type(tl.int8)), 1)
        """
    facts = facts_of(tmp_path, text, {"FLAG": compiled}, table="*i64", m="i64", k="i64")
    assert "w" in verdicts(facts)["m"]
