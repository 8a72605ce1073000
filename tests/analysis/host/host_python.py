"""What real Python says about a small module: the values of expressions after its import, after the import of the file
that comes after it, and after calls of the functions that change something.

Runs the code that the tests make themselves, and nothing else. Knows nothing of the analysis.
"""

from __future__ import annotations

import contextlib
import enum
import io
import linecache
import re
import sys
import types
from collections.abc import Generator, Mapping, Sequence
from typing import Any

_MOST_LINES = 400_000
"""That the tests' own text may run."""


class Raises(Exception):
    """The module itself can't be imported, or does not come to an end."""


class _Endless(BaseException):
    """No handler of the text's takes it."""


@contextlib.contextmanager
def _bounded(texts: Mapping[str, str]) -> Generator[None]:
    """A module may hide ``len``, and what counts on it then goes on and on."""
    files, left = {f"{name}.py" for name in texts}, _MOST_LINES

    def line(frame: types.FrameType, event: str, arg: object) -> Any:
        nonlocal left
        left -= event == "line"
        if left < 0:
            raise _Endless
        return line

    before = sys.gettrace()
    sys.settrace(lambda frame, event, arg: line if frame.f_code.co_filename in files else None)
    try:
        yield
    except _Endless:
        raise Raises(f"more than {_MOST_LINES} lines") from None
    finally:
        sys.settrace(before)


@contextlib.contextmanager
def _modules(texts: Mapping[str, str]) -> Generator[dict[str, types.ModuleType]]:
    made = {name: types.ModuleType(name) for name in texts}
    before = {name: sys.modules.get(name) for name in texts}
    words = {word for text in texts.values() for word in re.findall(r"\w+", text)} - {"sys", *texts}
    libraries = {word: dict(vars(sys.modules[word])) for word in (*words, "builtins") if word in sys.modules}
    sys.modules.update(made)
    try:
        yield made
    finally:
        for name, names in libraries.items():  # a text may have put another `ceil` into `math`
            vars(sys.modules[name]).update(names)
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module


def show_sources(texts: Mapping[str, str]) -> None:
    """Puts the texts where ``inspect`` finds the source of a jit function."""
    for name, text in texts.items():
        linecache.cache[f"{name}.py"] = len(text), None, text.splitlines(keepends=True), f"{name}.py"


def answers(
    texts: Mapping[str, str], main: str, questions: Sequence[str], called: str = "g"
) -> list[list[tuple[str, Any]]]:
    """For each question what is answered at each moment: ``("value", it)``, or ``("raises", its name)``. ``texts`` are
    run in their order; the functions whose names start with ``called`` are called after that."""
    with _modules(texts) as made, contextlib.redirect_stdout(io.StringIO()), _bounded(texts):
        seen: list[list[tuple[str, Any]]] = [[] for _ in questions]

        def look() -> None:
            for place, question in enumerate(questions):
                seen[place].append(_answer(question, made[main].__dict__))

        ready = False
        for name, text in texts.items():
            try:
                exec(compile(text, f"{name}.py", "exec", dont_inherit=True), made[name].__dict__)  # the tests' own text
            except Exception as error:
                raise Raises(f"{name}: {type(error).__name__}: {error}") from error
            ready |= name == main
            if ready:
                look()
        for function in [m.__dict__[n] for m in made.values() for n in list(m.__dict__) if n.startswith(called)]:
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
    return ("value", _kept(value))


def _kept(value: Any) -> Any:
    """A copy that no later change reaches. A member of an enumeration of numbers or texts is its value."""
    if isinstance(value, enum.Enum) and isinstance(value, (int, str)):
        return _kept(value.value)
    found: Any = value
    if type(found) in (list, tuple):
        return type(found)(_kept(v) for v in found)
    return {_kept(k): _kept(v) for k, v in found.items()} if type(found) is dict else found
