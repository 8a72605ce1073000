"""The plain reader: against what Triton's interpreter saw random programs do, and against the corpus's claims."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus.expected import parse
from corpus.pages import Case, read_all
from corpus.truth import NoTruth, Worker, observed
from enumerated.generate import program
from enumerated.program import Knob, Program
from enumerated.truth import FACTS, Process, Truth, TruthWorker

RUNS = 30
BUFFERS = {
    "*fp32": "f32(2048)",
    "*fp16": "f16(2048)",
    "i32": "turn % 4",
    "None": "None",
    "(*fp32,)": "(f32(2048),)",
    "(*fp32, None)": "(f32(2048), None)",
    "(*fp32, *fp32)": "(f32(2048), f32(2048))",
    "(*fp32, *fp32, *fp32)": "(f32(2048), f32(2048), f32(2048))",
    "Pair(*fp32, *fp32)": "Pair(f32(2048), f32(2048))",
    "tensordesc<fp32[16, 16]>": "desc(f32(2048).view(32, 64), [16, 16])",
}
CASES = [case for case in read_all() if case.runs and case.target.startswith("cuda")]


@pytest.fixture(scope="module")
def interpreter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    try:
        worker = Worker(tmp_path_factory.mktemp("log") / "worker.log")
    except NoTruth as error:
        pytest.skip(f"kernels can't be run here: {error}")
    yield worker
    worker.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    process = Process("pages_worker.py", tmp_path_factory.mktemp("log") / "pages.log")
    yield process
    process.close()


def _runs(made: Program) -> bool:
    """Whether the interpreter can: it knows no Gluon, no assembly, no methods, no exchange of floats, no launch
    options, nothing that is imported by another name, its environment is its own, and a comprehension's condition means
    something to Triton from 3.9 on only."""
    words = ("gluon", "inline_asm", "atomic_xchg", "write(", ".put(", ".pick(")
    if re.search(r"\[.* for \w+ in .* if ", made.text) or any(word in made.text for word in words):
        return False
    return all(knob.kind in ("type", "value") for knob in made.knobs)


SEEDS = list(itertools.islice((seed for seed in itertools.count(1_000_000) if _runs(program(seed))), 16))


def _fixed(seed: int, truth: TruthWorker) -> tuple[Program, Truth]:
    """A random program under the first of its assignments, in random order, that is a launch."""
    whole = program(seed)
    assignments = whole.assignments()
    random.Random(seed).shuffle(assignments)
    for assignment in assignments:
        knobs = [Knob(knob.name, knob.kind, (assignment[knob.name],)) for knob in whole.knobs]
        one = Program(whole.text, whole.kernel, knobs, whole.files)
        told = truth.ask(one)
        if told.valid:
            return one, told
    pytest.skip("no assignment of this program is a launch")


@pytest.mark.parametrize("seed", SEEDS)
def test_interpreter(seed: int, truth: TruthWorker, interpreter: Worker, tmp_path: Path) -> None:
    one, told = _fixed(seed, truth)
    passed = {knob.name: knob for knob in one.knobs if knob.ways[0] != "default"}
    given = {n: knob.ways[0] if knob.kind == "value" else BUFFERS[knob.ways[0]] for n, knob in passed.items()}
    given["f"] = "f32([numbers.choice((-1.0, 1.0)) for _ in range(64)])"
    arguments = ", ".join(f"{name}={text}" for name, text in given.items())
    lines = [
        "import random",
        f"numbers = random.Random({seed})",
        f"for turn in range({RUNS}):",
        f"    run(kernel, 1, {arguments})",
    ]
    file = tmp_path / "program.py"
    for name, text in {**one.files, "program.py": one.text}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    ran = observed(interpreter.run(file, "\n".join(lines), "random", 1))
    seen = {(name, fact) for (_, name), facts in ran.items() for fact in facts if fact in FACTS}
    assert set(told.possible) <= seen, f"no run did {set(told.possible) - seen}\n{one.text}"
    assert seen <= told.conceivable, f"the reader missed {seen - told.conceivable}\n{one.text}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_page(case: Case, pages: Process, tmp_path: Path) -> None:
    for name, text in {**case.files, f"{case.name}.py": case.source}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    answer = pages.ask({"file": str(tmp_path / f"{case.name}.py"), "run": case.run})
    if "error" in answer:
        assert not case.holds_for(answer["triton"]), answer["error"]
        pytest.skip(f"the page says that this does not hold for Triton {answer['triton']}")
    claims = {function.name: function for function in parse(case.source).functions}
    for kernel, leaves in answer["possible"].items():
        denied = {
            (leaf, fact)
            for leaf, facts in leaves.items()
            for fact in facts
            if claims[kernel].verdict(leaf, fact) == "no"
        }
        assert not denied, f"{kernel}: the reader finds {denied}, and the page says no"
    for kernel, leaves in answer["conceivable"].items():
        claimed = {key for key, claim in claims[kernel].facts.items() if claim == "yes"}
        missed = claimed - {(leaf, fact) for leaf, facts in leaves.items() for fact in facts}
        assert not missed, f"{kernel}: the page claims {missed}, and the reader doesn't find it"
