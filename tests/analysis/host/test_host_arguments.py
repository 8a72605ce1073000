"""Every function and method of Python's own that is pure, with arguments by position and by every keyword that one of
them takes: what is told for certain of the call is what Python says."""

from __future__ import annotations

import builtins
import itertools
import math
import operator
from pathlib import Path
from typing import Any

import pytest
from host_told import UNTOLD, same, told

from kernel_analysis.kernels.project import Project

VALUES = ("2", "-2.5", "'a,b'", "'10'", "(3, 1, 2)", "['b', 'a']", "{'a': 1}", "None")
KEYWORDS = {
    "abs_tol": ("9.0",), "base": ("2", "16"), "count": ("1",), "default": ("7",), "encoding": ("'utf-8'",),
    "exp": ("3",), "initial": ("5",), "iterable": ("(1, 2)",), "key": ("lambda v: 0", "None"), "maxsplit": ("1",),
    "mod": ("5",), "ndigits": ("1", "None"), "number": ("2.5",), "object": ("3",), "r": ("2",), "rel_tol": ("0.9",),
    "repeat": ("2", "0"), "reverse": ("True",), "sep": ("','", "None"), "start": ("4",), "strict": ("True",),
    "string": ("'1'",), "tabsize": ("2",), "width": ("4",), "x": ("1",),
}  # fmt: skip
"""The keywords that these functions know, of all Pythons, each with values that most take."""
SHOWN = {"breakpoint", "copyright", "credits", "dir", "exit", "help", "id", "input", "license", "open", "print", "quit"}
"""What is not called here: it waits, ends the process or is another in each run."""
RUNS = {"compile", "delattr", "eval", "exec", "globals", "locals", "setattr", "vars"}
CALLED = [
    *(n for n, f in vars(builtins).items() if callable(f) and n[0].islower() and n not in SHOWN | RUNS),
    *(f"math.{n}" for n in vars(math) if not n.startswith("_")),
    *(f"operator.{n}" for n in vars(operator) if not n.startswith("_")),
    *(f"itertools.{n}" for n in vars(itertools) if not n.startswith("_") and n not in ("count", "cycle", "repeat")),
]
METHODS = sorted({n for kind in (str, list, dict, tuple, int, float) for n in dir(kind) if not n.startswith("_")})
NAMES: dict[str, Any] = {"itertools": itertools, "math": math, "operator": operator}


def keyworded() -> list[str]:
    return ["", *(f"{name}={value}" for name, values in KEYWORDS.items() for value in values)]


def python(question: str) -> tuple[bool, Any]:
    """Whether Python answers, and what."""
    try:
        return True, eval(question, dict(NAMES))  # the text that is made here, of the names above
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError):
        return False, None


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Any:
    file = tmp_path_factory.mktemp("arguments") / "main.py"
    file.write_text("import itertools\nimport math\nimport operator\n", encoding="utf-8")
    project = Project([str(file.parent)], [], patient=True)
    return lambda questions: told(project, Path(file), questions)


def held(asked: Any, questions: list[str]) -> tuple[int, int]:
    """What is said of the calls against what Python says: how many it answers, and how many are told for certain."""
    answered = [(question, value) for question in questions for known, value in [python(question)] if known]
    certain = 0
    for (question, real), (value, why) in zip(answered, asked([q for q, _ in answered]), strict=True):
        if value is not UNTOLD and not why:
            certain += 1
            assert same(value, real), f"{question} is {real!r}, not {value!r}"
    return len(answered), certain


@pytest.mark.slow("some 20,000 calls, each asked of Python")
def test_functions(asked: Any) -> None:
    positional = [", ".join(values) for n in range(3) for values in itertools.product(VALUES, repeat=n)]
    questions = [
        f"list({name}({arguments}))" if name.startswith("itertools.") or name in ("enumerate", "filter", "map", "zip")
        else f"{name}({arguments})"
        for name in CALLED
        for keyword in keyworded()
        for values in positional
        for arguments in [", ".join(filter(None, (values, keyword)))]
    ]  # fmt: skip
    answered, certain = held(asked, questions)
    assert answered > 2_000
    assert certain > 400


@pytest.mark.slow("some 20,000 calls, each asked of Python")
def test_methods(asked: Any) -> None:
    positional = ["", *VALUES, "',', 1", "'a', 'b'", "'a', 7"]
    questions = [
        f"({owner}).{name}({', '.join(filter(None, (values, keyword)))})"
        for name in METHODS
        for owner in VALUES
        for keyword in keyworded()
        for values in positional
    ]
    answered, certain = held(asked, questions)
    assert answered > 1_000
    assert certain > 200
