"""Every row of the table of instructions: each source reaches what the instruction sets, and each address is accessed,
unless the row says otherwise. For integer arithmetic, what a source changes is computed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest
from asm_helpers import LONG, POINTER, bases, behind, unclear

from kernel_analysis.dataflow.asm import Value, effects
from kernel_analysis.dataflow.asm.asm_model import behind as through
from kernel_analysis.dataflow.asm.asm_model import operands
from kernel_analysis.dataflow.asm.instructions import TABLE, InstructionRow

SOURCES = 4
NOTHING_OF_THEM = {"none", "own", "load"}


def reaching(value: Value) -> set[int]:
    return {*operands(value), *through(value)}


def instruction(mnemonic: str, row: InstructionRow, sources: int) -> str:
    """One of an instruction, each operand of the operation once: the addresses first, then the values."""
    results = [f"$${'abcd'[n]}" for n in range(row.defines)]
    touches = [*row.touches, *([row.more] if row.more is not None and not row.touches else [])]
    addresses = [f"[${n + 1}]" for n in range(len(touches))]
    values = [f"${len(addresses) + n + 1}" for n in range(sources)]
    shown = ".tensor" if row.tensor and ".tensor" not in mnemonic else ""
    keep = "mov.b64 $0, $$a;" if row.defines else "mov.b64 $0, 0;"
    line = ", ".join([*results, *addresses, *values])
    return f"{{ .reg .b64 $$a, $$b, $$c, $$d; {mnemonic}{shown} {line}; {keep} }}"


def count(row: InstructionRow) -> int:
    return len(row.touches) or (1 if row.more is not None else 0)


@pytest.mark.parametrize("sources", range(1, SOURCES + 1))
@pytest.mark.parametrize("mnemonic", TABLE)
def test_each_source_reaches_the_result(mnemonic: str, sources: int) -> None:
    row, addresses = TABLE[mnemonic], count(TABLE[mnemonic])
    asm = instruction(mnemonic, row, sources)
    types = (LONG,) * (addresses + sources)
    found = effects(asm, "=l" + ",l" * len(types), len(types), 1, 1, types, (LONG,))
    assert not [item for item in found.unknown if "known" in item.reason or "read as PTX" in item.reason], asm
    got, given = reaching(found.results[0]), set(range(addresses, addresses + sources))
    if not row.defines or row.flow in NOTHING_OF_THEM:
        assert not got & given or row.flow == "load"
    elif row.flow == "selected" and sources > 1:
        assert got == given - {max(given)}
    elif row.flow in ("copy", "first"):
        assert got == {min(given)}
    else:
        assert got == given


@pytest.mark.parametrize("mnemonic", [name for name, row in TABLE.items() if row.touches])
def test_each_address_is_accessed(mnemonic: str) -> None:
    row = TABLE[mnemonic]
    found = effects(instruction(mnemonic, row, 1), "=l" + ",l" * (len(row.touches) + 1), len(row.touches) + 1, 1)
    for position, touch in enumerate(row.touches):
        if touch in ("own", "hint"):
            continue
        mine = [a for a in found.accesses if position in (*bases(a.address), *behind(a.address))]
        assert any(a.read for a in mine) or "read" not in touch
        assert any(a.write for a in mine) or "write" not in touch
    if row.flow == "load" and any("read" in touch for touch in row.touches):
        assert 0 in through(found.results[0])


MASK = (1 << 64) - 1


def signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def _prmt(a: int, b: int, selector: int) -> int:
    data = [(a >> 8 * n) & 255 for n in range(4)] + [(b >> 8 * n) & 255 for n in range(4)]
    return sum(data[(selector >> 4 * n) & 7] << 8 * n for n in range(4))


MEANING: dict[str, tuple[int, Callable[..., int]]] = {
    "mov.b64": (1, lambda a: a),
    "cvta.to.global.u64": (1, lambda a: a),
    "cvt.u64.u64": (1, lambda a: a),
    "not.b64": (1, lambda a: ~a),
    "neg.s64": (1, lambda a: -a),
    "abs.s64": (1, lambda a: abs(signed(a))),
    "popc.b64": (1, lambda a: a.bit_count()),
    "clz.b64": (1, lambda a: 64 - a.bit_length()),
    "brev.b64": (1, lambda a: int(f"{a:064b}"[::-1], 2)),
    "add.u64": (2, lambda a, b: a + b),
    "sub.u64": (2, lambda a, b: a - b),
    "and.b64": (2, lambda a, b: a & b),
    "or.b64": (2, lambda a, b: a | b),
    "xor.b64": (2, lambda a, b: a ^ b),
    "mul.lo.u64": (2, lambda a, b: a * b),
    "mul.hi.u64": (2, lambda a, b: a * b >> 64),
    "mul24.lo.u32": (2, lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF) & 0xFFFFFFFF),
    "div.u64": (2, lambda a, b: a // (b or 1)),
    "rem.u64": (2, lambda a, b: a % (b or 1)),
    "min.u64": (2, min),
    "max.u64": (2, max),
    "min.s64": (2, lambda a, b: min(signed(a), signed(b))),
    "shl.b64": (2, lambda a, b: a << (b & 63)),
    "shr.u64": (2, lambda a, b: a >> (b & 63)),
    "mad.lo.u64": (3, lambda a, b, c: a * b + c),
    "mad.hi.u64": (3, lambda a, b, c: (a * b >> 64) + c),
    "sad.u64": (3, lambda a, b, c: abs(a - b) + c),
    "bfe.u64": (3, lambda a, b, c: a >> (b & 63) & (1 << (c & 63)) - 1),
    "prmt.b32": (3, _prmt),
    "lop3.b32": (3, lambda a, b, c: (a & b) ^ c),
    "shf.l.wrap.b32": (3, lambda a, b, c: ((b & 0xFFFFFFFF) << 32 | a & 0xFFFFFFFF) << (c & 31) >> 32),
    "bfi.b64": (4, lambda a, b, c, d: b & ~((1 << (d & 31)) - 1 << (c & 31)) | (a & (1 << (d & 31)) - 1) << (c & 31)),
}
"""How many sources, and what they make: of what has no meaning here, nothing is computed."""


@pytest.mark.parametrize("mnemonic", MEANING)
def test_what_a_source_changes_is_in_the_result(mnemonic: str) -> None:
    """Run with other values of one source: where the result changes, the source is among those of the result."""
    sources, meaning = MEANING[mnemonic]
    chance = random.Random(mnemonic)
    changing: set[int] = set()
    for _ in range(200):
        given = [chance.getrandbits(64) if chance.random() < 0.7 else chance.getrandbits(6) for _ in range(sources)]
        for position in range(sources):
            other = [*given[:position], chance.getrandbits(64), *given[position + 1 :]]
            if (meaning(*given) ^ meaning(*other)) & MASK:
                changing.add(position)
    asm = f"{mnemonic} {', '.join(f'${n}' for n in range(sources + 1))};"
    (result,) = effects(asm, "=l" + ",l" * sources, sources, 1).results
    assert changing == set(range(sources)) <= {*bases(result), *unclear(result)}


@pytest.mark.parametrize("seed", range(150))
def test_what_a_source_changes_is_in_the_address(seed: int) -> None:
    """Random programs over four registers, run: each operand whose value changes the address is in it."""
    chance = random.Random(seed)
    lines: list[tuple[str, int, Sequence[int]]] = []
    for _ in range(chance.randint(1, 8)):
        name = chance.choice(list(MEANING))
        sources, _ = MEANING[name]
        lines.append((name, chance.randrange(4), [chance.randrange(-4, 4) for _ in range(sources)]))

    def run(given: list[int]) -> int:
        held = [0] * 4
        for name, target, sources in lines:
            held[target] = MEANING[name][1](*[held[s] if s >= 0 else given[s] for s in sources]) & MASK
        return held[lines[-1][1]]

    changing: set[int] = set()
    for _ in range(60):
        given = [chance.getrandbits(64) if chance.random() < 0.7 else chance.getrandbits(5) for _ in range(4)]
        for position in range(4):
            other = [*given[:position], chance.getrandbits(64), *given[position + 1 :]]
            if run(given) != run(other):
                changing.add(position)
    places = {-n: f"${5 - n}" for n in range(1, 5)}
    text = " ".join(f"{name} r{t}, {', '.join(places.get(s, f'r{s}') for s in sources)};" for name, t, sources in lines)
    asm = f"{{ .reg .b64 r<4>; mov.b64 r0, 0; mov.b64 r1, 0; mov.b64 r2, 0; mov.b64 r3, 0; {text} "
    asm += f"st.global.b64 [r{lines[-1][1]}], 0; mov.b64 $0, 0; }}"
    types = tuple(chance.choice((LONG, POINTER)) for _ in range(4))
    found = effects(asm, "=l,l,l,l,l", 4, 1, 1, types, (LONG,))
    assert changing <= {i for access in found.accesses for i in operands(access.address)}, asm
