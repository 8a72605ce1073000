"""Every regular expression that we ship, against text made to hold it up: none goes through all the ways to split a
text."""

from __future__ import annotations

import ast
import re
import signal
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
if sys.version_info >= (3, 11):
    from re import _constants as constants
    from re import _parser as parser
else:
    import sre_constants as constants
    import sre_parse as parser

LENGTH = 400
SECONDS = 0.3
FUNCTIONS = ("compile", "match", "fullmatch", "search", "findall", "finditer", "sub", "split")


def patterns() -> Iterator[tuple[str, int, str]]:
    """Where it stands, and the pattern: each literal that `re` is given; what is put in from elsewhere is a word."""
    for source in (REPOSITORY / "analysis", REPOSITORY / "server"):
        for file in sorted(source.rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            if not re.search(r"\bre\b", text):
                continue  # most: to parse all takes each process of a test run seconds
            tree = ast.parse(text)
            texts = {
                target.id: node.value
                for node in tree.body
                if isinstance(node, ast.Assign)
                for target in node.targets
                if isinstance(target, ast.Name)
            }
            for node in ast.walk(tree):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                    if ast.unparse(node.func.value) == "re" and node.func.attr in FUNCTIONS:
                        found = literal(node.args[0], texts)
                        if found is not None:
                            yield str(file.relative_to(source)), node.lineno, found


def literal(node: ast.expr, texts: dict[str, ast.expr]) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
        return node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value
    if isinstance(node, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.FormattedValue) else part for part in node.values)
        return "".join(literal(part, texts) or "word" for part in parts)
    if isinstance(node, ast.BinOp):
        left, right = literal(node.left, texts), literal(node.right, texts)
        return None if left is None or right is None else left + right
    return literal(texts[node.id], texts) if isinstance(node, ast.Name) and node.id in texts else None


FOUND = sorted({(where, pattern) for where, _, pattern in patterns()})


def test_there_are_patterns() -> None:
    assert len(FOUND) > 100


@pytest.mark.parametrize(("where", "pattern"), FOUND)
@pytest.mark.slow("hundreds of texts for each pattern")
def test_a_pattern_is_not_held_up(where: str, pattern: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = re.compile(pattern, re.MULTILINE)

    def late(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, late)
    try:
        for text in dict.fromkeys(attacks(pattern)):
            signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
            try:
                compiled.search(text)
            except TimeoutError:
                pytest.fail(f"{where}: {pattern!r} on {text[:60]!r}...{text[-20:]!r}")
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    finally:
        signal.signal(signal.SIGVTALRM, before)


def attacks(pattern: str) -> Iterator[str]:
    """Texts in which one of the pattern's repetitions goes on and on, and what comes behind it does not fit."""
    tree = parser.parse(pattern, re.MULTILINE)
    for prefix, body in repeated(list(tree.data), ""):
        for pump in {body, body[:1], body[-1:], body + " ", body + "\n", body + "a", body + "#a"}:
            if pump:
                times = LENGTH // len(pump)
                for end in ("", "\x01", "\n\x01", "!("):
                    yield prefix + pump * times + end
                yield (prefix + pump) * (LENGTH // len(prefix + pump)) + "\x01"


def repeated(items: list[tuple[object, object]], prefix: str) -> Iterator[tuple[str, str]]:
    for kind, value in items:
        if kind in (constants.MAX_REPEAT, constants.MIN_REPEAT):
            _, most, body = value  # type: ignore[misc]
            inner = list(body)
            if most > 100:
                for choice in range(3):
                    yield prefix, sample(inner, choice)
                for any_number in (0, 1):
                    for one_or_none in (0, 1):
                        yield prefix, alike(inner, any_number, one_or_none)
            yield from repeated(inner, prefix)
        elif kind is constants.SUBPATTERN:
            yield from repeated(list(value[3]), prefix)  # type: ignore[index]
        elif kind is constants.BRANCH:
            for branch in value[1]:  # type: ignore[index]
                yield from repeated(list(branch), prefix)
        prefix += sample([(kind, value)], 0)


def sample(items: list[tuple[object, object]], choice: int) -> str:
    """A text that matches; ``choice``: which of several ways."""
    out = ""
    for kind, value in items:
        if kind is constants.LITERAL:
            out += chr(value)  # type: ignore[arg-type]
        elif kind is constants.NOT_LITERAL:
            out += "a" if value != ord("a") else "b"
        elif kind is constants.ANY:
            out += "a #"[choice % 3]
        elif kind is constants.IN:
            out += member(list(value), choice)  # type: ignore[call-overload]
        elif kind in (constants.MAX_REPEAT, constants.MIN_REPEAT):
            least, most, body = value  # type: ignore[misc]
            out += sample(list(body), choice) * max(least, min(1, most))
        elif kind is constants.SUBPATTERN:
            out += sample(list(value[3]), choice)  # type: ignore[index]
        elif kind is constants.BRANCH:
            branches = value[1]  # type: ignore[index]
            out += sample(list(branches[choice % len(branches)]), choice)
    return out


def alike(items: list[tuple[object, object]], any_number: int, one_or_none: int) -> str:
    """A text of signs that as many parts of the pattern take as can be: what one part leaves is for the next. How often
    what may be missing is there."""
    out = ""
    for kind, value in items:
        if kind in (constants.MAX_REPEAT, constants.MIN_REPEAT):
            least, most, body = value  # type: ignore[misc]
            times = least or (one_or_none if most == 1 else any_number)
            out += alike(list(body), any_number, one_or_none) * times
        elif kind is constants.SUBPATTERN:
            out += alike(list(value[3]), any_number, one_or_none)  # type: ignore[index]
        elif kind is constants.BRANCH:
            out += alike(list(value[1][-1]), any_number, one_or_none)  # type: ignore[index]
        else:
            out += sample([(kind, value)], 0).replace("a", "1" if kind is constants.IN else "a")
    return out


def member(items: list[tuple[object, object]], choice: int) -> str:
    classes = {
        constants.CATEGORY_WORD: "a1_",
        constants.CATEGORY_DIGIT: "129",
        constants.CATEGORY_SPACE: " \t\n",
        constants.CATEGORY_NOT_SPACE: "a(.",
        constants.CATEGORY_NOT_WORD: " (.",
        constants.CATEGORY_NOT_DIGIT: "a (",
    }
    if items[0][0] is constants.NEGATE:
        excluded = {chr(v) for k, v in items if k is constants.LITERAL}  # type: ignore[arg-type]
        allowed = [letter for letter in "a #.1(" if letter not in excluded]
        return allowed[choice % len(allowed)]
    kind, value = items[choice % len(items)]
    if kind is constants.LITERAL:
        return chr(value)  # type: ignore[arg-type]
    if kind is constants.RANGE:
        return chr(value[0])  # type: ignore[index]
    return classes.get(value, "a")[choice % 3]  # type: ignore[call-overload]
