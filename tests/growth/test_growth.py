"""No answer takes a time that grows with a power of the text: what each further word costs stays the same, or nearly.

A part of all shapes; ``make nightly`` tries all, and ``many.py`` says by hand what grows where.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from growth.measure import calls, growth, size
from growth.shapes import SHAPES
from products import EVERY

_MOST = 1.25
"""With twice as many words, each of the further ones may cost so many times as much."""
_MOST_KNOWN = 2.1
"""The same of shapes that are known to grow with the square, in small steps. A cube makes it four."""
_SQUARE = frozenset({
    "assigned_back_and_forth", "attribute_chain", "call_chain", "elifs", "heuristics", "heuristics_stacked",
    "items_set", "kernel_arms_at_run_time", "kernel_doubled_constants", "kernel_doubled_values",
    "kernel_helpers_given_helpers", "kernel_helpers_in_a_chain", "kernel_loops_in_loops",
    "kernel_pointers_of_pointers", "kernel_unrolled", "launches_in_a_chain", "loops_nested", "setattrs_in_functions",
    "tests_of_one_another",
})  # fmt: skip
_NOT_YET = frozenset({"files_stars_of_all", "kernel_helpers_called_twice"})
"""Files that have all names of one another, which are asked anew in each order; and 2 ** n calls, which Triton compiles
one by one."""
_ALWAYS = frozenset({
    "module_to_all", "module_by_names_to_all", "language_to_all", "doubled_tuples", "assigned_back_and_forth",
    "files_imports_of_all",
})  # fmt: skip
"""What took minutes once."""
_SHAPES = [name for place, name in enumerate(SHAPES) if EVERY or name in _ALWAYS or place % 8 == 0]


@pytest.fixture(scope="module", autouse=True)
def _first(tmp_path_factory: pytest.TempPathFactory) -> None:
    calls(tmp_path_factory.mktemp("first") / "first", SHAPES["aliases"][0](2))


@pytest.mark.parametrize("name", [name for name in _SHAPES if name not in _NOT_YET])
def test_a_further_word_costs_no_more(tmp_path: Path, name: str) -> None:
    shape, smallest = SHAPES[name]
    texts = [shape(smallest * times) for times in (1, 2, 4)]
    counts = [sum(calls(tmp_path / str(i), files).values()) for i, files in enumerate(texts)]
    assert growth(counts, [size(files) for files in texts]) <= (_MOST_KNOWN if name in _SQUARE else _MOST)
