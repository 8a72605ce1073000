"""What a ``constexpr_function`` computes with a member of an Enum is what Python computes with it, or it is not
evaluated."""

from __future__ import annotations

import ast
import enum
import itertools
import sys
from typing import Any

import pytest

from kernel_analysis.lowering.front.constexpr import value_of
from kernel_analysis.lowering.gate.enum_members import member
from kernel_analysis.lowering.gate.gate import OutOfReach
from kernel_analysis.lowering.gate.harmless import NotEvaluable
from kernel_analysis.source.enum_constants import EnumBits, EnumNumber, EnumText, constant_of


class TextMode(str, enum.Enum):
    A = "a"
    B = "2"
    NONE = ""


class NumberMode(int, enum.Enum):
    A = 1
    B = 2
    NONE = 0


class WholeMode(enum.IntEnum):
    A = 1
    B = 2
    NONE = 0


class BitMode(enum.IntFlag):
    A = 1
    B = 2
    NONE = 0


MODES: list[Any] = [TextMode, NumberMode, WholeMode, BitMode]
if sys.version_info >= (3, 11):

    class WrittenMode(enum.StrEnum):
        A = "a"
        B = "2"
        NONE = ""

    MODES.append(WrittenMode)

USES = (
    *(
        "f'{%s}'",
        "f'{%s}' == 'a'",
        "f'{%s}' == '1'",
        "f'{%s!r}'",
        "f'{%s:>3}'",
        "f'{%s + %s}'",
        "f'x{%s * 2}'",
        "str(%s)",
    ),
    *(
        "str([%s])",
        "f'{(%s,)}'",
        "f'{[%s, %s]}'",
        "str({1: %s})",
        "str({%s: 1})",
        "str(%s | %s)",
        "f'{%s & %s}'",
        "f'{%s ^ 1}'",
    ),
    *("f'{1 | %s}'", "f'{~%s}'", "~%s", "-%s", "+%s", "f'{+%s}'", "f'{-%s}'", "f'{abs(%s)}'", "f'{max(%s, %s)}'"),
    *(
        "f'{int(%s)}'",
        "int(%s)",
        "float(%s)",
        "bool(%s)",
        "not %s",
        "%s or 7",
        "%s and 7",
        "f'{%s or %s}'",
        "5 if %s else 6",
    ),
    *("%s == 'a'", "%s == 1", "%s == %s", "%s != %s", "%s < %s", "1 <= %s", "%s in (1, 'a')", "%s in {1: 2, 'a': 3}"),
    *(
        "{1: 2, 'a': 3}[%s]",
        "{%s: 5}.get('a')",
        "{%s: 5}.get(1)",
        "{%s, 'a', 1, '2', 2} == {'a', 1, '2', 2}",
        "len({%s, 'a', 1})",
    ),
    *("%s is %s", "%s is not %s", "%s is 'a'", "%s is 1", "%s is None", "[%s][0] is %s", "(lambda: 1) is %s"),
    *(
        "isinstance(%s, str)",
        "isinstance(%s, int)",
        "isinstance(%s, bool)",
        "isinstance(%s, (str, float))",
        "isinstance(%s | %s, int)",
    ),
    *(
        "%s.value",
        "%s.value == 'a'",
        "f'{%s.value}'",
        "%s.name",
        "%s.name == 'A'",
        "%s._value_",
        "%s.value.name",
        "hasattr(%s, 'name')",
    ),
    *(
        "hasattr(%s, 'upper')",
        "getattr(%s, 'value')",
        "getattr(%s, 'name', 'a')",
        "%s.upper()",
        "%s.bit_length()",
        "%s.startswith('a')",
    ),
    *(
        "%s + 1",
        "%s + 'b'",
        "%s * 3",
        "%s[0]",
        "%s[:1]",
        "[c for c in %s]",
        "list(%s)",
        "tuple(%s)",
        "len(%s)",
        "1 in %s",
        "'a' in %s",
    ),
    *(
        "%s in %s",
        "','.join([%s, %s])",
        "','.join(%s)",
        "f'{\"\".join([%s])}'",
        "sorted([%s, %s])",
        "f'{sorted([%s, %s])}'",
        "sum([%s, %s])",
    ),
    *(
        "range(%s)",
        "[1, 2, 3][%s]",
        "1 << %s",
        "2 ** %s",
        "round(%s)",
        "f'{round(%s)}'",
        "divmod(%s, 2)",
        "min(%s, 1)",
        "any([%s])",
    ),
    *(
        "%s.A",
        "%s.count('a')",
        "zip([%s], [1])",
        "list(zip([%s], [%s]))",
        "dict([(%s, 1)])",
        "dict([(%s, 1)]) == {'a': 1}",
        "%s(1)",
    ),
)
_REFUSED = object()


def _constant(real: Any) -> Any:
    made = constant_of(real.value, f"m.{type(real).__name__}.{real.name}", isinstance(real, enum.IntFlag))
    assert made is not None
    return member(made)


def _same(found: Any, meant: Any) -> bool:
    if isinstance(meant, enum.Enum):
        # of an Enum it is a member here, too
        return type(found) is type(_constant(meant)) and found.value == meant.value
    if type(meant) in (list, tuple):
        return type(found) is type(meant) and len(found) == len(meant) and all(map(_same, found, meant))
    return type(found) is type(meant) and found == meant


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("mode", MODES)
def test_as_python(mode: Any) -> None:
    evaluated = 0
    for use, pair in itertools.product(USES, itertools.product("ABN", repeat=2)):
        text = use
        for name in pair:
            text = text.replace("%s", name, 1)
        text = text.replace("%s", pair[1])
        real = {"A": mode.A, "B": mode.B, "N": mode.NONE}
        try:
            meant = eval(text, dict(real))
        except Exception:  # noqa: BLE001 - whatever Python refuses it with
            meant = _REFUSED
        try:
            found = value_of(ast.parse(text, mode="eval").body, {name: _constant(one) for name, one in real.items()})
        except (NotEvaluable, OutOfReach):
            continue
        except Exception:  # noqa: BLE001 - which is no error of the user's unless Python raises one, too
            assert meant is _REFUSED, text
            continue
        evaluated += 1
        assert meant is _REFUSED or _same(found, meant), (text, found, meant)
    assert evaluated > 200


def test_a_member_is_one_object() -> None:
    for kind, value in ((EnumText, "a"), (EnumNumber, 1), (EnumBits, 1)):
        one, same, other = (kind(value) for _ in range(3))
        one.of = same.of = "m.M.A"
        other.of = "m.N.A"
        assert member(one) is member(same)
        assert member(one) is not member(other)
        assert member(one) == member(other)
        assert repr(member(one)) != repr(member(other)) != repr(value)  # Triton compiles by what it writes
