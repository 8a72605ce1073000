"""Small host modules at random, as people write them around kernels: constants, containers, classes, helpers that
change what they are given, decorators that register, a second file that stores into the first.

Makes text; knows nothing of the analysis. ``questions`` are expressions to ask about the main module.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

KEYS = ("W", "S", "B")


@dataclass
class Files:
    """``main`` and ``config`` import each other's names only in that direction; ``plugin`` comes after both."""

    main: str
    config: str
    plugin: str
    questions: list[str]


@dataclass
class _Writer:
    random: Random
    lines: list[str] = field(default_factory=list[str])
    numbers: list[str] = field(default_factory=list[str])
    dicts: list[str] = field(default_factory=list[str])
    lists: list[str] = field(default_factory=list[str])
    classes: list[str] = field(default_factory=list[str])
    readers: list[str] = field(default_factory=list[str])
    changers: list[str] = field(default_factory=list[str])
    asked: list[str] = field(default_factory=list[str])
    made: int = 0

    def name(self, stem: str) -> str:
        self.made += 1
        return f"{stem}{self.made}"

    def pick(self, names: list[str]) -> str:
        return self.random.choice(names)

    def key(self) -> str:
        return self.random.choice(KEYS)

    def number(self) -> str:
        """An expression that is a number."""
        choice = self.random.randrange(12)
        if choice < 3 or not self.numbers:
            return str(self.random.choice((0, 1, 2, 3, 8, 16, 64, True, False, -1, 2.5)))
        if choice == 3:
            return f"({self.pick(self.numbers)} {self.random.choice('+-*')} {self.random.randrange(5)})"
        if choice == 4 and self.dicts:
            return f"{self.pick(self.dicts)}.get('{self.key()}', {self.random.randrange(9)})"
        if choice == 5 and self.dicts:
            return f"len({self.pick(self.dicts)})"
        if choice == 6 and self.lists:
            return f"sum({self.pick(self.lists)})"
        if choice == 7 and self.classes:
            return f"{self.pick(self.classes)}.W"
        if choice == 8 and self.readers:
            return f"{self.pick(self.readers)}()"
        if choice == 9:
            a = self.pick(self.numbers)
            return self.random.choice(
                (f"(~int({a}))", f"round({a})", f"({a} or 7)", f"({a} and 5)", f"(3 if {a} else 4)", f"max({a}, 2)",
                 f"(not {a})", f"int({a} == 1)", f"abs({a})", f"({a} is None)", f"({a} in (1, 2))", "divmod(9, 4)[0]",
                 f"sum([1, 2], {a})", f"[*enumerate((1, 2), {a} > 0)][0][0]", f"len({{{a}, 1, True}})")
            )  # fmt: skip
        return self.pick(self.numbers)

    def indented(self, head: str, body: Callable[[], None], depth: int = 1) -> None:
        self.lines.append(head)
        inner = self.lines
        self.lines = []
        body()
        inner += ["    " + line for line in self.lines or ["pass"]]
        self.lines = inner


def _make(w: _Writer) -> None:
    kind = w.random.randrange(11)
    if kind < 3:
        name = w.name("n")
        w.lines.append(f"{name} = {w.number()}")
        w.numbers.append(name)
    elif kind < 5:
        name = w.name("d")
        pairs = ", ".join(f"'{k}': {w.number()}" for k in w.random.sample(KEYS, w.random.randrange(1, 4)))
        text = w.random.choice((f"{{{pairs}}}", f"dict({{{pairs}}})", f"{{**{{{pairs}}}}}"))
        if w.dicts and w.random.random() < 0.25:
            other = w.pick(w.dicts)
            text = w.random.choice(
                (other, f"dict({other})", f"{other}.copy()", f"{{**{other}, 'W': 5}}", f"{other} | {{'S': 1}}")
            )
        w.lines.append(f"{name} = {text}")
        w.dicts.append(name)
    elif kind < 7:
        name = w.name("l")
        text = f"[{', '.join(w.number() for _ in range(w.random.randrange(1, 4)))}]"
        if w.lists and w.random.random() < 0.3:
            other = w.pick(w.lists)
            text = w.random.choice(
                (other, f"list({other})", f"{other}[:]", f"[i * 2 for i in {other}]", f"{other} + [1]")
            )
        w.lines.append(f"{name} = {text}")
        w.lists.append(name)
    elif kind == 7:
        name = w.name("C")
        base = f"({w.pick(w.classes)})" if w.classes and w.random.random() < 0.2 else ""
        extra = w.random.choice(
            ("", "", "\n    @classmethod\n    def change(cls):\n        cls.W = 77",
             "\n    def set(self):\n        self.W = 5\n        type(self).S = 6", "\n    S = W", "\n    T = {'W': 1}")
        )  # fmt: skip
        w.lines += f"class {name}{base}:\n    W = {w.number()}{extra}".split("\n")
        w.classes.append(name)
        if "change" in extra and w.random.random() < 0.5:
            w.lines.append(f"{name}.change()")
        if "T = " in extra:
            if w.random.random() < 0.5:
                w.lines.append(
                    w.random.choice((f"{name}.T['W'] = 2", f"{name}.T.update(W=3)", f"x = {name}.T; x['W'] = 4"))
                )
            w.asked.append(f"{name}.T['W']")
        if "self" in extra and w.random.random() < 0.5:
            w.lines.append(f"{name}().set()")
    elif kind == 8:
        name = w.name("f")
        w.indented(f"def {name}():", lambda: _reader(w))
        w.readers.append(name)
    elif kind == 9:
        name = w.name("n")
        w.indented(f"if {w.number()}:", lambda: w.lines.append(f"{name} = {w.number()}"))
        w.indented("else:", lambda: w.lines.append(f"{name} = {w.number()}"))
        w.numbers.append(name)
    else:
        name = w.name("n")
        w.lines.append(
            w.random.choice(
                (f"for {name} in range(3): pass",
                 f"try:\n    {name} = [1][{w.random.randrange(3)}]\nexcept IndexError:\n    {name} = 9",
                 f"{name}, _ = (1, {w.number()})", f"{name} = (lambda k={w.number()}: k)()")
            )
        )  # fmt: skip
        w.lines[-1:] = w.lines[-1].split("\n")
        w.numbers.append(name)


def _reader(w: _Writer) -> None:
    if w.random.random() < 0.4:
        made = w.random.choice(
            ("x = {'W': 1}; y = x; y['W'] = 2; return y['W'] + x['W']", "x = [1]; y = x; y.append(4); return sum(x)",
             "x = [3, 1]; x.sort(); return x[0]", "x = {}; x.setdefault('W', 3); return x['W']", "yield 4",
             "n = 1\ndef g():\n    nonlocal n\n    n = 2\ng()\nreturn n",
             "x = [1]\ndef g(): x.append(2)\ng()\nreturn len(x)",
             "t = 0\nfor i in range(4): t += i\nreturn t", "x = [[1]]\nfor e in x: e.append(2)\nreturn len(x[0])",
             "x = [1, 2]\ndel x[0]\nreturn x[0]", "x = {'W': 1}\nx['W'] += 1\nreturn x['W']",
             "x = y = []\nx.append(1)\nreturn len(y)",
             "try:\n    x = 1\n    [][0]\n    x = 2\nexcept IndexError:\n    pass\nreturn x",
             "x, *y = 1, 2, 3\nreturn len(y)",
             "x = 1\nwhile x < 5: x += 1\nreturn x", "x = [1]\nx += [2]\nreturn len(x)", "x = {1, 2, 2}\nreturn len(x)")
        ).split("\n")  # fmt: skip
        w.lines += made
        return
    w.lines.append(f"return {w.number()}")


def _change(w: _Writer) -> None:
    """A change of something that is there."""
    number, key = w.number(), w.key()
    options: list[str] = []
    if w.dicts:
        d, e = w.pick(w.dicts), w.pick(w.dicts)
        options += [
            f"{d}['{key}'] = {number}", f"{d}.update({key}={number})", f"{d}.update({{'{key}': {number}}})",
            f"{d}.setdefault('{key}', {number})", f"{d}.pop('{key}', None)", f"for k in ('W', 'S'): {d}[k] = {number}",
            f"{d} |= {{'{key}': {number}}}", f"a = {d}; a['{key}'] = {number}",
            f"(lambda x: x.update({key}={number}))({d})",
            f"globals()['{d}']['{key}'] = {number}", f"{d}.__setitem__('{key}', {number})",
            f"u = {d}.update; u({key}=4)",
            f"for x in ({d}, {e}): x['{key}'] = {number}", f"[x.update({key}=1) for x in [{d}]]", f"{d}.clear()",
            f"if {number}: {d}['{key}'] = 3", f"h = [{d}]; h[0]['{key}'] = {number}",
        ]  # fmt: skip
    if w.lists:
        lst = w.pick(w.lists)
        options += [
            f"{lst}.append({number})", f"{lst}.extend([{number}, 2])", f"{lst}[0] = {number}", f"{lst} += [{number}]",
            f"for i in range(2): {lst}.append(i)", f"{lst}.sort()", f"{lst}.insert(0, {number})",
            f"b = {lst}; b.append(3)",
            f"{lst}[:] = [1]", f"list.append({lst}, 4)", f"{lst}.reverse()",
            f"_ = {lst}.pop() if len({lst}) > 1 else 0",
        ]  # fmt: skip
    if w.classes:
        c = w.pick(w.classes)
        options += [f"{c}.W = {number}", f"setattr({c}, 'W', {number})", f"k = {c}; k.W = {number}"]
    if w.numbers:
        n = w.pick(w.numbers)
        options += [f"{n} = {number}", f"{n} += 1", f"globals()['{n}'] = {number}", f"globals().update({n}=3)"]
        options += [f"exec('{n} = 12')"]
    if options:
        w.lines.append(w.random.choice(options))


def _changing(w: _Writer) -> None:
    """A function that changes something, called or not."""
    name = w.name("g")
    kind = w.random.randrange(5)
    if kind == 0 and w.dicts:
        w.indented(f"def {name}(x, v={w.number()}):", lambda: w.lines.append(f"x['{w.key()}'] = v; return x"))
        w.lines.append(f"{name}({w.pick(w.dicts)})")
    elif kind == 1 and w.dicts:
        d = w.pick(w.dicts)
        w.indented(f"def {name}(f):", lambda: w.lines.append(f"{d}['{w.key()}'] = 3; return f"))
        w.lines += [f"@{name}", f"def {name}_(): return 1"]
    elif kind == 2:
        w.indented(f"def {name}(x={{'W': 1}}):", lambda: w.lines.append("x['W'] += 1; return x['W']"))
        w.asked.append(f"{name}()")
        w.lines.append(f"{name}()")
    elif kind == 3 and w.numbers:
        n = w.pick(w.numbers)
        w.indented(f"def {name}():", lambda: w.lines.append(f"global {n}; {n} = {w.random.randrange(30)}"))
        w.changers.append(name)
    else:

        def body() -> None:
            _change(w)
            w.lines[:] = [line for line in w.lines if "|=" not in line and "+=" not in line and "k = " not in line]
            w.lines[:] = [line for line in w.lines if not any(line.startswith(f"{n} = ") for n in w.numbers)]

        w.indented(f"def {name}():", body)
        w.changers.append(name)
        if w.random.random() < 0.5:
            w.lines.append(f"{name}()")


def files(seed: int) -> Files:
    """The files of one case."""
    random = Random(seed)
    config, main, plugin = _Writer(random), _Writer(random), _Writer(random)
    for _ in range(random.randrange(2, 5)):
        _make(config)
    if random.random() < 0.4:
        _change(config)
    main.lines.append("import config")
    borrowed = [*config.numbers, *config.dicts, *config.lists, *config.classes]
    main.made = config.made
    for group, mine in ((config.numbers, main.numbers), (config.dicts, main.dicts), (config.lists, main.lists)):
        for name in group:
            if random.random() < 0.4:
                main.lines.append(f"from config import {name}")
                mine.append(name)
            elif random.random() < 0.3:
                mine.append(f"config.{name}")
    main.numbers = [n for n in main.numbers if "." not in n]
    for _ in range(random.randrange(3, 9)):
        step = random.randrange(10)
        (_make if step < 6 else _change if step < 8 else _changing)(main)
    own = lambda names: [n for n in names if "." not in n]  # noqa: E731
    questions = [*own(main.numbers), *(f"{c}.W" for c in main.classes), *(f"{f}()" for f in main.readers), *main.asked]
    questions += [q for d in main.dicts for q in (f"{d}['W']", f"{d}.get('S')", f"len({d})", f"'B' in {d}")]
    questions += [q for x in main.lists for q in (f"{x}[0]", f"sum({x})", f"len({x})", f"max({x})")]
    questions += [f"config.{n}" for n in config.numbers] + [f"config.{c}.W" for c in config.classes]
    if random.random() < 0.5:
        plugin.lines += ["import main", "import config"]
        targets = [f"main.{n}" for n in own(main.numbers)] + [f"config.{n}" for n in borrowed if n in config.numbers]
        targets += [f"main.{c}.W" for c in main.classes]
        targets += [f"main.{d}['W']" for d in own(main.dicts)]
        for target in random.sample(targets, min(len(targets), random.randrange(1, 3))):
            head, _, last = target.rpartition(".")
            if "[" in target or random.random() < 0.7:
                plugin.lines.append(f"{target} = 41")
            else:
                plugin.lines.append(f"setattr({head}, '{last}', 42)")
        names = [n for n in own(main.dicts) if n not in config.dicts]
        if names and random.random() < 0.4:
            plugin.lines += [f"from main import {names[0]} as q", "q.update(W=43)"]
    return Files(
        "\n".join(main.lines), "\n".join(config.lines), "\n".join(plugin.lines), list(dict.fromkeys(questions))
    )
