"""Random programs of a few small functions as files have them for ``constexpr_function``: containers under several
names, loops over what they change, generators, defaults, closures, text, numbers, constexprs.

``rare``: how often a statement or an expression is of a kind that our evaluation may refuse.
"""

from __future__ import annotations

import random

LISTS = ("u", "v", "w")
DICTS = ("d", "e")
NUMBERS = ("a", "b", "n", "t")
HEAD = """
NUM = 5
NEG = -3
HALF = 0.5
TEXT = "ab,c"
SIZES = [4, 1, 3]
PAIR = (2, 7)
TABLE = {"a": 1, "b": 2}
WRAPPED = constexpr(3)
FLAG = constexpr(True)
WORD = constexpr("ab")
WRAPS = (constexpr(1), 2, constexpr(4))
HELD = [constexpr(6), 5]
"""


class Programs:
    def __init__(self, seed: int, rare: float = 0.03) -> None:
        self.random, self.rare = random.Random(seed), rare
        self.lines: list[str] = []
        self.depth = 0

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def program(self) -> str:
        """Helpers ``keep``, ``given`` and ``more``, and ``main(a, b, u)``."""
        self.lines = [HEAD]
        for head in ("keep(n, w=[1, 2])", "given(v, d={'k': 1}, *, t=NUM)", "more(w, *v, **d)", "main(a, b, u)"):
            self.lines.append(f"def {head}:")
            self.depth = 0
            defined = {"v": "[a, 2, 1]" if "main" in head else "[n, 3]", "w": "[]", "d": "{'x': 1, 'y': 2}", "e": "{}"}
            defined.update(n="2", t="0", a="1", b="2", u="[5, 6, 7]")
            taken = head.replace("*", "")
            body = [f"{k} = {defined[k]}" for k in ("n", "t", "a", "b", "u", "v", "w", "d", "e") if not _has(taken, k)]
            self.lines += [f"    {line}" for line in body]
            if head.startswith("more"):
                self.lines.append("    v = [*v]")
            self.block(1, 3 if "main" not in head else 6)
            self.lines.append(f"    return {self.result()}")
        text = "\n".join(self.lines) + "\n"
        if self.random.random() < 0.75:
            for name, plain in (
                ("WRAPPED", "NUM"),
                ("FLAG", "NUM"),
                ("WORD", "TEXT"),
                ("WRAPS", "PAIR"),
                ("HELD", "SIZES"),
            ):
                text = text[: len(HEAD)] + text[len(HEAD) :].replace(name, plain)
        return text

    def result(self) -> str:
        return self.pick("(a, b, n, t, u, v, w, d, e)", "w", "d", "[u, v, w]", "v", self.number(2), self.text(1))

    def block(self, level: int, most: int) -> None:
        for _ in range(self.random.randint(1, most)):
            self.statement(level)

    def add(self, level: int, line: str) -> None:
        self.lines.append("    " * level + line)

    def statement(self, level: int) -> None:
        if self.random.random() < self.rare:
            return self.rare_statement(level)
        kind = self.random.randrange(16 if level < 3 else 10)
        one, other = self.pick(*LISTS), self.pick(*LISTS)
        held = self.pick(*DICTS)
        if kind == 0:
            self.add(level, f"{self.pick(*NUMBERS)} = {self.number(2)}")
        elif kind == 1:
            self.add(level, f"{one} = {self.pick(other, self.listed(2))}")
        elif kind == 2:
            op = self.pick("+", "-", "//", "%", "|", "&", "^", "/")
            self.add(level, f"{self.pick(*NUMBERS)} {op}= {self.number(1)}")
        elif kind == 3:
            self.add(
                level,
                f"if len({one}) < 20: {one} {self.pick('+=', '+=', '*=')} "
                + self.pick(other, self.listed(0), "2", "(7,)"),
            )
        elif kind == 4:
            self.add(
                level, f"{one}[{self.pick('0', '-1', 'n % 2', '1')}] {self.pick('=', '+=', '*=')} {self.number(1)}"
            )
        elif kind == 5:
            self.add(level, f"{held}[{self.key()}] {self.pick('=', '=', '+=')} {self.number(1)}")
        elif kind == 6:
            self.add(level, self.effect(one, other))
        elif kind == 7:
            self.add(level, f"{self.pick('a, b', '(a, n)', 'n, t', 't, (a, b)')} = {self.pair()}")
        elif kind == 8:
            self.add(level, f"{one} = {other} = {self.listed(1)}")
        elif kind == 9:
            call = self.pick(f"keep({self.number(1)}, {one})", f"keep({self.number(1)})", f"given({one})")
            call = self.pick(call, f"given({one}, {held}, t={self.number(0)})", f"more({one}, *{other}, t=1)")
            target = self.pick(one, "t", held)
            self.add(level, f"{target} = {call}")
        elif kind in (10, 11):
            self.add(level, f"if {self.test(2)}:")
            self.block(level + 1, 2)
            if self.random.random() < 0.4:
                self.add(level, f"elif {self.test(1)}:")
                self.block(level + 1, 2)
            if self.random.random() < 0.5:
                self.add(level, "else:")
                self.block(level + 1, 2)
        elif kind in (12, 13, 14):
            self.loop(level, one, held)
        else:
            name = self.pick("n", "t")
            self.add(level, f"{name} = {self.pick('0', '1', '-2')}")
            self.add(level, f"while {name} < {self.pick('3', 'len(u)', 'a')} and len({one}) < 30:")
            self.add(level + 1, f"{name} += 1")
            self.leaving(level)
        return None

    def loop(self, level: int, one: str, held: str) -> None:
        plain = (f"for t in {one}:", f"for t in {self.listed(1)}:", f"for n in range({self.bounds()}):")
        pairs = (
            f"for n, t in enumerate({one}):",
            f"for n, t in {held}.items():",
            f"for t in {held}:",
            f"for n in {held}.values():",
            f"for t in reversed({one}):",
            f"for n, t in zip({one}, {self.pick(*LISTS)}):",
            f"for t in (x + 1 for x in {one}):",
            f"for t in [x for x in {one} if {self.test(0)}]:",
            f"for n, t in zip({one}, range(4)):",
        )
        self.add(level, self.pick(*plain, *pairs))
        self.add(level + 1, f"if len({one}) > 12:")
        self.add(level + 2, "break")
        self.leaving(level)

    def leaving(self, level: int) -> None:
        self.block(level + 1, 2)
        if self.random.random() < 0.3:
            self.add(level + 1, f"if {self.test(1)}:")
            self.add(level + 2, self.pick("break", "continue", f"return {self.result()}"))
        self.block(level + 1, 1)
        if self.random.random() < 0.3:
            self.add(level, "else:")
            self.block(level + 1, 2)

    def effect(self, one: str, other: str) -> str:
        number = self.number(1)
        return self.pick(
            f"{one}.append({number})",
            f"{one}.append({other})",
            f"{one}.extend({other})",
            f"{one}.extend(len({one}) + x for x in range(3))",
            f"{one}.extend({self.listed(1)})",
            f"{one}.insert({self.pick('0', '-1', '1')}, {number})",
            f"{one}.reverse()",
            f"{one}.pop()",
            f"t = {one}.pop(0)",
            f"b = any({one}.append(x) or x > 1 for x in {self.pick('(1, 2, 3)', other)} if len({one}) < 9)",
            f"b = all(x > 1 and {one}.append(x) is None for x in {self.pick('(2, 3, 1, 4)', other)} if len({one}) < 9)",
            f"[{one}.append(x) for x in {self.pick('(1, 2)', other)} if len({one}) < 9]",
            f"assert {self.test(1)}",
        )

    def rare_statement(self, level: int) -> None:
        one = self.pick(*LISTS)
        kind = self.random.randrange(10)
        if kind == 0:
            self.add(level, f"{self.pick('a, *v', '*u, b', 'a, *w, b', '[a, *u]')} = {self.listed(1)}")
        elif kind == 1:
            self.add(level, "try:")
            self.block(level + 1, 2)
            self.add(
                level, self.pick("except IndexError:", "except (KeyError, ZeroDivisionError):", "except Exception:")
            )
            self.block(level + 1, 2)
            if self.random.random() < 0.5:
                self.add(level, "else:")
                self.block(level + 1, 1)
            if self.random.random() < 0.5:
                self.add(level, "finally:")
                self.block(level + 1, 1)
        elif kind == 2:
            self.add(level, f"if (n := {self.number(1)}) > {self.number(0)}:")
            self.block(level + 1, 2)
        elif kind == 3:
            self.add(level, f"match {self.pick('a', 'u', 'd', 'TEXT', '(a, b)')}:")
            for case in self.random.sample(
                ["1 | 2", "[a, *v]", "{'x': b}", "(n, t)", "str()", "int(n) if n > 1", "-3", "True"], 3
            ):
                self.add(level + 1, f"case {case}:")
                self.block(level + 2, 1)
            self.add(level + 1, "case _:")
            self.block(level + 2, 1)
        elif kind == 4:
            self.add(level, f"def inner(x, y={self.number(0)}):")
            if self.random.random() < 0.3:
                self.add(level + 1, "nonlocal n")
                self.add(level + 1, "n = x")
            self.add(level + 1, f"return {self.pick('x + y', 'x + n', '(x, t)', f'{one}.append(x)')}")
            self.add(level, f"t = inner({self.number(0)})")
        elif kind == 5:
            self.add(level, f"f = lambda x, y=n: {self.pick('x + y', 'x * t', f'{one} + [x]')}")
            self.add(level, "n = 9")
            self.add(level, "t = f(2)")
        elif kind == 6:
            self.add(level, f"del {self.pick(f'{one}[0]', f'{one}[1:]', 'd[' + self.key() + ']', 'n')}")
        elif kind == 7:
            self.add(level, f"{one}[{self.pick('1:', ':1', '::2', '::-1')}] = {self.listed(1)}")
        elif kind == 8:
            self.add(level, f"{self.pick(*DICTS)} = {{**d, **{self.pick('e', 'TABLE')}, 'a': 1}}")
        else:
            self.add(level, f"{one}.sort({self.pick('', 'reverse=True', 'key=lambda x: -x')})")

    def number(self, depth: int) -> str:
        plain = ("0", "1", "-2", "7", "2.5", "NUM", "NEG", "HALF", "True", "WRAPPED", *NUMBERS)
        if depth <= 0 or self.random.random() < 0.2:
            return self.pick(*plain)
        one, other = self.number(depth - 1), self.number(depth - 1)
        if self.random.random() < self.rare:
            return self.pick(
                f"max({self.pick(*LISTS)}, default={one})",
                f"sum({self.pick(*LISTS)}, start={one})",
                f"(n := {one})",
                f"(lambda x: x + {other})({one})",
                f"int(x={one})",
                f"round(number={one}, ndigits=1)",
                "int('11', base=2)",
                "min(u, key=lambda x: -x)",
                "sorted(v, key=abs)[0]",
                f"pow({one}, 2)",
                f"ord('a') + {one}",
                f"hash({one})",
                "next(iter(u))",
                f"math.isclose({one}, {other}, rel_tol=0.5)",
                "len([*map(abs, v)])",
                "len([*filter(None, v)])",
                f"len(str(object={one}))",
                f"TABLE[{self.key()}]",
                "len(TEXT.split(sep=','))",
                f"len(f'{{{one}!r:>5}}')",
                f"float({one}).is_integer()",
            )
        return self.pick(
            f"({one} {self.pick('+', '-', '% 9 *', '//', '%', '/', '|', '&', '^')} {other})",
            f"({one} {self.pick('>> 1', '<< 2', '% 7 ** 2', '** -1', '% 3', '// -2')})",
            f"({self.pick('-', '~', '+', 'not ')}{one})",
            f"({one} if {self.test(depth - 1)} else {other})",
            f"({one} {self.pick('and', 'or')} {other})",
            f"{self.pick('min', 'max')}({one}, {other})",
            f"{self.pick('abs', 'round', 'int', 'bool', 'float')}({one})",
            f"round({one}, {self.pick('1', '-1', '0', 'None')})",
            f"divmod({one}, {other})[{self.pick('0', '1')}]",
            f"{self.pick('sum', 'len', 'max', 'min', 'any', 'all')}({self.listed(depth - 1)})",
            f"{self.listed(0)}[{self.pick('0', '-1', '1', 'n', 'True')}]",
            f"{self.pick(*LISTS)}.{self.pick('count', 'index')}({one})",
            f"len({self.text(depth - 1)})",
            f"{self.pick(*DICTS)}.get({self.key()}, {one})",
            f"{self.pick(*DICTS)}[{self.key()}]",
            f"({self.test(depth - 1)})",
            f"{self.pick('sum', 'any', 'all', 'max')}({one} for x in {self.pick(*LISTS)})",
            f"{self.pick('any', 'all')}({one} % x == 0 for x in {self.pick('(1, 2, 0)', 'v', 'u')})",
            f"sum(x for x in {self.listed(0)} if isinstance(x, {self.pick('int', 'float', 'bool')}))",
            f"math.{self.pick('floor', 'ceil', 'sqrt', 'log2', 'trunc', 'isnan')}({one})",
        )

    def test(self, depth: int) -> str:
        one, other = self.number(depth - 1), self.number(depth - 1)
        return self.pick(
            f"{one} {self.pick('<', '<=', '==', '!=', '>')} {other}",
            f"{one} < {other} <= {self.number(0)}",
            f"{one} in {self.listed(0)}",
            f"{self.pick(*LISTS)} {self.pick('==', '!=', 'is', 'is not', '<')} {self.pick(*LISTS)}",
            f"isinstance({self.pick(*LISTS, *DICTS, *NUMBERS, 'WRAPS[0]', 'sum(WRAPS)', one)}, "
            + self.pick("int)", "list)", "float)", "(bool, str))", "tuple)", "dict)", "constexpr)"),
            f"{one} is {self.pick('None', 'True', other)}",
            f"not {self.listed(0)}",
            f"{self.text(0)} {self.pick('==', 'in', '<')} {self.text(depth - 1)}",
            f"{self.text(0)}.{self.pick('startswith', 'endswith')}({self.pick(repr('a'), repr('c'))})",
            f"{self.key()} in {self.pick(*DICTS, 'TABLE')}",
            "FLAG",
            self.listed(depth - 1),
        )

    def listed(self, depth: int) -> str:
        if depth <= 0 or self.random.random() < 0.25:
            return self.pick(*LISTS, "SIZES", "PAIR", "WRAPS", "HELD", "[1, 2]", "()", "(3, 1)", "[]")
        inner = self.listed(depth - 1)
        one = self.number(depth - 1)
        return self.pick(
            f"[{one}, {self.number(0)}]",
            f"({one}, *{inner})",
            f"[*{inner}, {one}]",
            f"[{self.element()} for x in {inner}]",
            f"[x for x in {inner} if {self.test(depth - 1)}]",
            f"[y for x in ({inner}, [{one}]) for y in x]",
            f"list({inner})",
            f"tuple({inner})",
            f"sorted({inner}{self.pick('', ', reverse=True')})",
            f"list(reversed({inner}))",
            f"{inner}[{self.pick('1:', ':-1', '::-1', '::2', '-2::-1', '5:', '3:0:-2')}]",
            f"[x for x, y in zip({inner}, {self.listed(0)})]",
            f"[i * x for i, x in enumerate({inner})]",
            f"list({self.pick(*DICTS)}{self.pick('', '.values()', '.keys()')})",
            f"[{one}] * {self.pick('2', '0', 'n')}",
            f"list({{x: 1 for x in {inner}}})",
            f"list(dict(zip({inner}, {self.listed(0)})).items())",
            f"{self.pick(*LISTS)}.copy()",
            f"[x + u for u in {inner} for x in (u, 1)]",
            f"({inner} or [{one}])",
            f"list(range({self.bounds()}))",
        )

    def element(self) -> str:
        return self.pick("x", "x", "-x", "x * 2", "(x, 1)", "[x]", "x if x else t", "len(w)", "isinstance(x, int)")

    def bounds(self) -> str:
        return self.pick("3", "1, 4", "4, 0, -2", "len(u)", "-1", "0, 5, 2")

    def pair(self) -> str:
        return self.pick("(b, a)", "divmod(7, 3)", "(n, (t, a))", "[t, 4]", "(1, (2, 3))", "PAIR", "u[:2]", "a, n")

    def key(self) -> str:
        return self.pick("'x'", "'y'", "'a'", "n", "a", "1", "(1, 2)", "WORD", "WRAPPED", "True")

    def text(self, depth: int) -> str:
        if depth <= 0:
            return self.pick("'ab'", "TEXT", "'c'", "WORD", "''")
        inner, number = self.text(depth - 1), self.number(0)
        if self.random.random() < self.rare:
            return self.pick(
                f"f'{{{number}:>4}}'", f"f'{{{number}!r}}'", f"'%s-%s' % ({number}, 1)", f"'{{}}'.format({number})",
                f"{inner}.zfill(4)", f"repr({number})", "str(max)", "f'{main}'", "f'{number=}'", "str(u.append)",
                "f'{constexpr}'", "str(WRAPS)", "f'{HELD}'",
            )  # fmt: skip
        return self.pick(
            f"{inner}.{self.pick('upper', 'strip', 'title', 'lower', 'capitalize')}()",
            f"{inner}.replace('a', 'bb')",
            f"({inner} + {self.text(0)})",
            f"({inner} * {self.pick('2', '0', '-1', 'n')})",
            f"{inner}[{self.pick('::-1', '1:', ':1', '-1:')}]",
            f"f'{{{number}}}-{{{self.pick(*LISTS, *DICTS, *NUMBERS)}}}'",
            f"str({self.pick(number, *LISTS, *DICTS, 'WRAPPED', 'None')})",
            f"{self.pick(repr('-'), repr(''))}.join([{inner}, {self.text(0)}])",
            f"','.join(str(x) for x in {self.pick(*LISTS)})",
            f"{inner}.split(','){self.pick('[0]', '[-1]')}",
            f"({inner} if {self.test(0)} else {self.text(0)})",
        )


def _has(head: str, name: str) -> bool:
    return name in head.replace("(", ",").replace(")", ",").replace("=", ",").replace(" ", "").split(",")
