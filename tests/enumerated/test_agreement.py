"""What is said of programs with some of their launches in sight agrees with what all assignments together do."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from enumerated.agreement import Product, Tally, differences, every_view
from enumerated.many import lanes, report, run
from enumerated.pages import Case, read_all
from enumerated.truth import TruthWorker

PROGRAMS = int(os.environ.get("TRITON_LS_RANDOM_KERNELS", "300"))
CHANGED = PROGRAMS // 3  # of these: in which what kernels see is changed by hand
VIEWS = 1 if PROGRAMS == 300 else 4  # of each program: one launch in sight, several, defaults only, nothing
NEEDLESS = 0.03
NEEDLESS_CHANGED = 0.08
LAUNCHES = 2 if PROGRAMS == 300 else 8  # of a case, each alone and each with the next
SHOWN = 3

pytestmark = pytest.mark.generated


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    product = Product(tmp_path_factory.mktemp("cases"), tmp_path_factory.mktemp("log"))
    yield product
    product.close()


@pytest.mark.parametrize("case", read_all(), ids=lambda case: case.id)
@pytest.mark.slow("the first imports Triton thrice; some have hundreds of assignments")
def test_case(case: Case, truth: TruthWorker, product: Product) -> None:
    told = truth.ask(case.program)
    if not case.holds_for(told.triton):
        pytest.skip(f"the page says that this does not hold for Triton {told.triton}")
    views = list(every_view(case.program, told, LAUNCHES))
    found = [difference for view in views for difference in differences(case.program, told, view, product, Tally())]
    wrong = [difference for difference in found if difference.kind != "unknown"]
    assert not wrong, f"{wrong[0]}\n{case.program.header}{wrong[0].view.text}"


@pytest.mark.slow("hundreds of random programs, each compiled under all assignments of what varies")
@pytest.mark.parametrize(
    ("share", "count", "needless"),
    [(0, PROGRAMS - CHANGED, NEEDLESS), (2, CHANGED, NEEDLESS_CHANGED)],
    ids=["what launches pass", "what files do by hand"],
)
def test_random(share: int, count: int, needless: float, tmp_path: Path) -> None:
    working = lanes(tmp_path, share=share)
    outcome = run(working, 0, count, VIEWS)
    wrong = {found.seed: found for found in outcome.found if found.difference.kind != "unknown"}
    texts = [report(found, *working[0].smallest(found)) for found in list(wrong.values())[:SHOWN]]
    for lane in working:
        lane.close()
    print(f"{outcome.programs} programs, {outcome.tally.decided} verdicts decided, {outcome.tally.share:.2%} unknown")
    assert not outcome.broken, "\n".join(outcome.broken[:SHOWN])
    assert not wrong, f"wrong of {len(wrong)} programs:\n" + "\n\n".join(texts)
    assert outcome.tally.share <= needless, f"{outcome.tally.share:.2%} of what is decided is called unknown"
