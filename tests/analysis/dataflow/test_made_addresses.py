"""Random arithmetic that makes an address: what changes the address when it changes is never said not to be written.

The truth is computed from the expression alone, in 64 bits, and shares nothing with provenance.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest
from dataflow_helpers import facts_of

MASK = (1 << 64) - 1
SOURCES = {
    "a": "a.to(tl.int64)",
    "b": "b.to(tl.int64)",
    "addr": "addr",
    "n": "n.to(tl.int64)",
    "table": "tl.load(table)",
    "small": "tl.load(small).to(tl.int64)",
}
POINTERS = {"a", "b"}
WIDE = {*POINTERS, "addr", "table"}
BINARY = {"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^"}
UNARY = {
    "left": "({} << {})", "right": "({} >> {})", "divided": "({} // {})", "narrow": "{}.to(tl.int32).to(tl.int64)",
    "high": "({} >> 32).to(tl.int32).to(tl.int64)", "not": "(~{})", "negative": "(-{})",
}  # fmt: skip
Values: TypeAlias = Mapping[str, int]


@dataclass(frozen=True)
class Made:
    """``number``: of a constant, by how much is shifted, by what is divided."""

    kind: str
    parts: tuple[Made, ...] = ()
    number: int = 0

    def sources(self) -> set[str]:
        inner = set[str]().union(*(part.sources() for part in self.parts))
        return inner | {self.kind} if self.kind in SOURCES else inner

    def text(self) -> str:
        parts = [part.text() for part in self.parts]
        if self.kind == "constant":
            return f"tl.full([], {self.number}, tl.int64)"
        if self.kind in SOURCES:
            return SOURCES[self.kind]
        if self.kind in BINARY:
            return f"({parts[0]} {BINARY[self.kind]} {parts[1]})"
        if self.kind == "where":
            return f"tl.where(n > 0, {parts[0]}, {parts[1]})"
        if self.kind == "least":
            return f"tl.minimum({parts[0]}, {parts[1]})"
        return UNARY[self.kind].format(parts[0], self.number)

    def value(self, given: Values) -> int:
        """Of 64 bits, signed."""
        parts = [part.value(given) for part in self.parts]
        return signed(self._made(parts, given), 64)

    def _made(self, parts: list[int], given: Values) -> int:
        kind, number = self.kind, self.number
        if kind == "constant":
            return number
        if kind in SOURCES:
            return given[kind]
        if kind == "where":
            return parts[0] if given["n"] > 0 else parts[1]
        first, last = parts[0], parts[-1]
        return {
            "add": lambda: first + last, "sub": lambda: first - last, "mul": lambda: first * last,
            "and": lambda: first & last, "or": lambda: first | last, "xor": lambda: first ^ last,
            "least": lambda: min(first, last), "left": lambda: first << number, "right": lambda: first >> number,
            "divided": lambda: abs(first) // number * (1 if first >= 0 else -1), "narrow": lambda: signed(first, 32),
            "high": lambda: signed(first >> 32, 32), "not": lambda: ~first, "negative": lambda: -first,
        }[kind]()  # fmt: skip


def signed(number: int, width: int) -> int:
    number &= (1 << width) - 1
    return number - (1 << width) if number >> width - 1 else number


def made(chance: random.Random, depth: int) -> Made:
    if not depth or chance.random() < 0.15:
        kind = chance.choice([*SOURCES, "a", "constant"])
        return Made(kind, number=chance.choice([0, 1, 4, -1, 255]) if kind == "constant" else 0)
    kind = chance.choice([*BINARY, "add", "or", *UNARY, "where", "least"])
    count = 1 if kind in UNARY else 2
    return Made(kind, tuple(made(chance, depth - 1) for _ in range(count)), chance.choice([2, 4, 8, 16, 32]))


def given(chance: random.Random) -> dict[str, int]:
    values = {name: chance.getrandbits(47 if name in WIDE else 31) for name in SOURCES}
    if chance.random() < 0.5:
        values["n"] = -values["n"]
    if chance.random() < 0.3:
        values["addr"] = chance.getrandbits(5)
    return values


def changing(address: Made, chance: random.Random) -> set[str]:
    """What changes the address, alone."""
    found: set[str] = set()
    for _ in range(50):
        before = given(chance)
        for name in SOURCES:
            other = {**before, name: given(chance)[name]}
            if address.value(before) != address.value(other):
                found.add(name)
    return found


def must_be_known(name: str, sources: set[str]) -> bool:
    """What is added to a pointer is an offset, unless another pointer is in it; so is what is added to a whole number
    with room for an address, unless it has room for one."""
    if name in POINTERS or not sources & WIDE:
        return True
    return name in WIDE and not sources & ((POINTERS | {"table"}) - {name})


@pytest.mark.parametrize("seed", range(8))
def test_what_changes_an_address_is_not_ruled_out(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(12):
        address = made(chance, chance.randint(1, 5))
        offset = chance.choice(["", " + n", " + addr"])
        types = {"a": "*i8", "b": "*i8", "addr": "i64", "n": "i32", "table": "*i64", "small": "*i32"}
        text = f"""
        @triton.jit
        def kernel({", ".join(types)}):
            tl.store(({address.text()}).to(tl.pointer_type(tl.int8)){offset}, 1)
        """
        facts = {fact.name: fact for fact in facts_of(tmp_path, text, **types).parameters}
        for name in changing(address, chance):
            if must_be_known(name, address.sources()):
                fact = facts[name]
                assert {fact.write.verdict, fact.table_write.verdict} != {"no"}, (name, address.text())
