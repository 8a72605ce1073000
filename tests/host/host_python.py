"""What real Python says about a small module: the values of expressions after its import, after the import of the file
that comes after it, and after calls of the functions that change something.

Runs the code that the tests make themselves, and nothing else. Knows nothing of the analysis.
"""

from __future__ import annotations

import contextlib
import io
import sys
import types
from collections.abc import Generator, Mapping, Sequence
from typing import Any


class Raises(Exception):
    """The module itself can't be imported."""


@contextlib.contextmanager
def _modules(texts: Mapping[str, str]) -> Generator[dict[str, types.ModuleType]]:
    made = {name: types.ModuleType(name) for name in texts}
    before = {name: sys.modules.get(name) for name in texts}
    sys.modules.update(made)
    try:
        yield made
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def answers(
    texts: Mapping[str, str], main: str, questions: Sequence[str], called: str = "g"
) -> list[list[tuple[str, Any]]]:
    """For each question what is answered at each moment: ``("value", it)``, or ``("raises", its name)``. ``texts`` are
    run in their order; the functions of ``main`` whose names start with ``called`` are called after that."""
    with _modules(texts) as made, contextlib.redirect_stdout(io.StringIO()):
        seen: list[list[tuple[str, Any]]] = [[] for _ in questions]

        def look() -> None:
            for place, question in enumerate(questions):
                seen[place].append(_answer(question, made[main].__dict__))

        ready = False
        for name, text in texts.items():
            try:
                exec(compile(text, f"{name}.py", "exec"), made[name].__dict__)  # the tests' own text
            except Exception as error:
                raise Raises(f"{name}: {type(error).__name__}: {error}") from error
            ready |= name == main
            if ready:
                look()
        for name in [n for n in made[main].__dict__ if n.startswith(called)]:
            function = made[main].__dict__[name]
            if isinstance(function, types.FunctionType) and not function.__code__.co_argcount:
                with contextlib.suppress(Exception):
                    function()
                look()
        return seen


def _answer(question: str, names: dict[str, Any]) -> tuple[str, Any]:
    try:
        value = eval(question, dict(names))  # the tests' own text
    except Exception as error:  # noqa: BLE001 - whatever it raises is what Python says
        return ("raises", type(error).__name__)
    return ("value", tuple(value) if isinstance(value, list) else value)
