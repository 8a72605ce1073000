"""What comes out of ``tl.split`` behind every short chain of changes of shape: never said not to be written where part
of it is, and exactly the joined half where the order is what it was.

The truth is computed from the positions alone.
"""

from __future__ import annotations

import itertools
from pathlib import Path

from dataflow_helpers import facts_of, verdicts

JOINED = [4, 2]
SHAPES = ([4, 2], [8], [2, 4], [1, 4, 2])
# A step: the shape that it makes, and how.
STEPS = [*[(shape, "reshape") for shape in SHAPES], ([8], "reorder"), ([4, 2], "reorder"), ([], "turn")]
KERNEL = """
    @triton.jit
    def kernel(a_ptr, b_ptr):
        x = tl.join(tl.broadcast_to(a_ptr.to(tl.int64), [4]), tl.broadcast_to(b_ptr.to(tl.int64), [4]))
{steps}
        first, second = tl.split(x)
        tl.store({half}.to(tl.pointer_type(tl.float32)), 1.0)
"""


def _write(chain: tuple[tuple[list[int], str], ...]) -> tuple[list[str], list[set[int]] | None]:
    """The chain's lines, and which parts are at each position in the end; None: no block that can be split."""
    shape, held, lines = JOINED, [{index % 2} for index in range(8)], list[str]()
    for wanted, step in chain:
        if step == "turn":
            if len(shape) != 2:
                return lines, None
            rows, columns = shape
            held = [held[row * columns + column] for column in range(columns) for row in range(rows)]
            shape = [columns, rows]
            lines.append("x = tl.trans(x)")
            continue
        if step == "reorder":
            held = [set().union(*held)] * 8
        shape = wanted
        lines.append(f"x = tl.reshape(x, {wanted}, can_reorder={step == 'reorder'})")
    return lines, held if shape[-1] == 2 else None


def test_which_half_it_is(tmp_path: Path) -> None:
    exact = 0
    for length in range(3):
        for chain in itertools.product(STEPS, repeat=length):
            lines, held = _write(chain)
            if held is None:
                continue
            half = len(lines) % 2
            may = set[int]().union(*held[half::2])
            text = KERNEL.format(steps="\n".join(f"        {line}" for line in lines), half=("first", "second")[half])
            said = verdicts(facts_of(tmp_path, text, a_ptr="*fp32", b_ptr="*fp32"))
            assert all(said[name] for part, name in enumerate(("a_ptr", "b_ptr")) if part in may), (text, said)
            if all(step == "reshape" for _, step in chain) and chain[-1:] != (([1, 4, 2], "reshape"),):
                exact += 1
                assert said == {"a_ptr": "w" * (half == 0), "b_ptr": "w" * (half == 1)}, (text, said)
    assert exact > 5
