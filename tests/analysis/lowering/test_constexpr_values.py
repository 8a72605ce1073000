"""What an expression in a ``constexpr_function`` gives is what Python gives, or it is not evaluated."""

from __future__ import annotations

import ast
import itertools
from typing import Any

import pytest
from triton.language import constexpr

from kernel_analysis.lowering.front.constexpr import value_of
from kernel_analysis.lowering.gate.gate import OutOfReach
from kernel_analysis.lowering.gate.harmless import NotEvaluable

SCOPE = {"LIST": [1, 2], "TUPLE": (1, 2), "ONE": constexpr(1), "NO": constexpr(False), "PAIR": (constexpr(1), 2)}
VALUES = (
    *("[1, 2]", "(1, 2)", "{1: 2}", "{1, 2}", "range(1, 3)", "[i for i in (1, 2)]", "{i: i for i in (1, 2)}"),
    *("zip((1, 2), (3, 4))", "enumerate((1, 2))", "reversed([1, 2])", "(i for i in (1, 2))", "(i for i in ())"),
    *(
        "{1: 2}.keys()",
        "{1: 2}.values()",
        "{1: 2}.items()",
        "LIST",
        "TUPLE",
        "ONE",
        "NO",
        "PAIR",
        "PAIR[0]",
        "1",
        "'ab'",
    ),
    *("None", "True", "1.0", "[LIST, TUPLE]", "[ONE, 2]", "(ONE,)", "sorted((2, 1))", "LIST[:1]", "TUPLE[0]"),
)
USES = (
    *("{} == [1, 2]", "[1, 2] == {}", "{} == (1, 2)", "{} != [1]", "({}, 1) == ([1, 2], 1)", "{} == 1", "{} == {}"),
    *("bool({})", "not {}", "5 if {} else 6", "{} or 5", "{} and 5", "len({})", "list({})", "tuple({})", "set({})"),
    *("sum({})", "sorted({})", "max({})", "min({})", "any({})", "all({})", "[*{}, 3]", "({}, *{})", "[y for y in {}]"),
    *("1 in {}", "[1, 2] in [{}]", "{} in (1, 2)", "{} in {{1: 2}}", "{{1: 2}}[{}]", "{{1: 2}}.get({})", "{}[0]"),
    *("isinstance({}, list)", "isinstance({}, tuple)", "isinstance({}, int)", "isinstance({}, (str, bool))"),
    *("{} is None", "{} is True", "{} is not None", "str({})", "f'{{{}}}'", "{} + [3]", "{} + (3,)", "{} * 2"),
    *("{} + 1", "{} < 2", "{} < [3]", "-{}", "abs({})", "list(zip({}, {}))", "[z for y in [{}] for z in y]"),
    *(
        "dict({})",
        "list(enumerate({}))",
        "{}[:1] == [1]",
        "{}.count(1)",
        "{}.copy()",
    ),
)

_REFUSED = object()


def _in_python(text: str) -> Any:
    try:
        return eval(text, dict(SCOPE))
    except Exception:  # noqa: BLE001 - whatever Python refuses it with
        return _REFUSED


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("use", USES)
def test_as_python(use: str) -> None:
    evaluated = 0
    for value in VALUES:
        text = use.replace("{{", "\0").replace("}}", "\1").replace("{}", value).replace("\0", "{").replace("\1", "}")
        meant = _in_python(text)
        try:
            found = value_of(ast.parse(text, mode="eval").body, dict(SCOPE))
        except (NotEvaluable, OutOfReach):
            continue
        except Exception:  # noqa: BLE001 - which is no error of the user's unless Python raises one, too
            assert meant is _REFUSED, text
            continue
        evaluated += 1
        if meant is _REFUSED:
            continue  # no launch gets there
        assert _plain(found) == _plain(meant), text
        assert type(_plain(found)) is type(_plain(meant)), text
    assert evaluated, use


_OF_SETS = (
    *(
        "list({})",
        "tuple({})",
        "[*{}]",
        "[x for x in {}]",
        "{{x: 1 for x in {}}}",
        "list({{x: 1 for x in {}}})",
        "str({})",
    ),
    *("f'{{{}}}'", "str([{}])", "str({{1: {}}})", "list(zip({}, (1, 2)))", "list(enumerate({}))", "list(reversed({}))"),
    *(
        "dict([{}])",
        "list(dict([{}]))",
        "','.join({})",
        "(lambda: 0) in {}",
        "[(y, x) for y in (1,) for x in {}]",
        "{}.pop()",
    ),
    *(
        "list({} | {{16}})",
        "list({} - {{16}})",
        "list({}.union({{24}}))",
        "[x for x in {} if x]",
        "next(iter({}))",
        "[*{}, 1]",
    ),
    *(
        "sorted({})",
        "max({})",
        "min({})",
        "len({})",
        "sum({})",
        "any({})",
        "all({})",
        "8 in {}",
        "{} == {{0, 8}}",
        "{} | {{1}}",
    ),
    *(
        "{{x for x in {}}}",
        "set({})",
        "list(set({}))",
        "sorted({}, reverse=True)",
        "bool({})",
        "{} <= {{0, 8, 1}}",
        "{}.copy()",
    ),
    *(
        "sum({{x + 0.1 for x in {}}})",
        "list({{(x, 1): 2 for x in {}}})",
        "[{}][0] == {{0, 8}}",
        "max([{}, {{0}}])",
        "math({})",
    ),
)


def test_no_order_of_a_set() -> None:
    """In two sets that are equal things stand in another order."""
    # Both have one place in the table.
    one, other = {"SET": {0, 8}}, {"SET": {8, 0}}
    assert [*one["SET"]] != [*other["SET"]]
    evaluated = 0
    for use in _OF_SETS:
        found: list[Any] = []
        for scope in (one, other):
            try:
                found.append(value_of(ast.parse(use.format("SET"), mode="eval").body, dict(scope)))
            except Exception as error:  # noqa: BLE001
                found.append(type(error))
        if not isinstance(found[0], type):
            evaluated += 1
            found = [[*map(repr, v)] if isinstance(v, dict) else v for v in found]
        assert found[0] == found[1], use
    assert evaluated > 12


def _plain(value: Any) -> Any:
    """Without the ``constexpr`` around, which Triton takes away."""
    value = value.value if isinstance(value, constexpr) else value
    return type(value)(map(_plain, value)) if type(value) in (list, tuple, set) else value


_OBJECTS = (
    *("None", "True", "False", "1", "7", "256", "257", "1000", "999 + 1", "-5", "-6", "1.5", "0.5 + 1", "'a'", "'ab'"),
    *(
        "'a' + 'b'",
        "'ab'[0]",
        "()",
        "(1, 2)",
        "(1,) + (2,)",
        "[]",
        "[1]",
        "{}",
        "{1: 2}",
        "BIG",
        "SAME",
        "LISTED",
        "AGAIN",
    ),
    *(
        "NAN",
        "(NAN,)",
        "'two words'",
        "TEXT",
        "PAIR",
        "PAIR[0]",
        "LISTED[0]",
        "len('ab')",
        "BIG + 0",
        "abs(-1)",
        "1 == 1",
    ),
)
_FILE = """
BIG = 1000
SAME = 1000
LISTED = [1000, 2]
AGAIN = LISTED
NAN = float("nan")
TEXT = "two words"
PAIR = (1, 2)
"""


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_identity_as_python() -> None:
    """Objects of the file are made once for each name here, and texts and numbers whenever they are written."""
    decided = 0
    for one, other, form in itertools.product(
        _OBJECTS, _OBJECTS, ("{} is {}", "{} is not {}", "{} in ({},)", "({},) == ({},)")
    ):
        text = form.format(one, other)
        names: dict[str, Any] = {}
        exec(f"{_FILE}\ndef found():\n    return {text}", names)
        here = {
            "BIG": int("1000"),
            "SAME": int("1000"),
            "LISTED": [int("1000"), 2],
            "AGAIN": [int("1000"), 2],
            "NAN": float("nan"),
            "TEXT": "".join(["two ", "words"]),
            "PAIR": (int("1"), 2),
        }
        try:
            found = value_of(ast.parse(text, mode="eval").body, here)
        except (NotEvaluable, OutOfReach):
            continue
        decided += 1
        assert found == names["found"](), text
    assert decided > len(_OBJECTS) ** 2 * 2
