"""PyTorch's analysis against ours: every difference on the corpus is in ``differences.md``, with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.truth import NoTruth
from differential.differences import collect, stored


@pytest.mark.slow("torch's own analysis of each page's kernels")
def test_every_difference_is_explained(tmp_path: Path) -> None:
    try:
        found = collect(tmp_path)
    except NoTruth as error:
        pytest.skip(f"PyTorch can't be asked here: {error}")
    table = stored()
    rows = [f"| {row.kernel} | {row.what} |" for row in found]
    missing = [row for row, difference in zip(rows, found, strict=True) if difference not in table]
    gone = [f"| {row.kernel} | {row.what} |" for row in table if row not in found]
    again = "`python tests/differential/differences.py` writes the table anew"
    assert not missing, f"not in differences.md ({again}):\n" + "\n".join(missing)
    assert not gone, f"in differences.md, but no difference any more ({again}):\n" + "\n".join(gone)
    unexplained = [row.kernel for row, reason in table.items() if not reason]
    assert not unexplained, f"without a reason: {', '.join(unexplained)}"
