"""Makes random programs whose effects hang on what is only known when they are compiled: flags, numbers, texts, None,
dtypes, functions handed in, lengths, launch options, the environment, modules that may be missing.

What is decided at run time is decided by numbers of its own (``f``), so both ways are possible. Knows nothing of the
analysis; the domain of each number is wide enough that values beyond it do nothing that those in it don't.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from enumerated.program import Knob, Program

MOST = 24  # assignments of one program
_POINTER = "tl.pointer_type(tl.float32)"
_HEAD = "import os\nimport triton\nimport triton.language as tl\nfrom triton.language.extra import cuda\n\n"


@dataclass(slots=True)
class _Helper:
    """``kind``: ``effect`` (p, q, v), ``select`` (p, q) -> pointer, ``turns`` (p, q, v, N) over a number, ``apply``
    (fn, p, q, v). ``flags``: its own constexpr parameters beyond those, with the kind of value that each takes."""

    name: str
    kind: str
    flags: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    defaults: int = 0


@dataclass(slots=True)
class _Scope:
    """What one function can name."""

    pointers: list[str]
    flags: list[tuple[str, str]]  # name, kind
    functors: list[tuple[str, str]]  # name, kind of helper
    tuples: list[tuple[str, int]]
    returns: bool
    kernel: bool
    turn: str | None = None


class _Maker:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.helpers: list[_Helper] = []
        self.lines: list[str] = []
        self.fresh = 0
        self.decisions = 0

    # Small choices.

    def one(self, *options: str) -> str:
        return self.random.choice(options)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def new(self, head: str) -> str:
        self.fresh += 1
        return f"{head}{self.fresh}"

    def add(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    # Conditions.

    def atom(self, scope: _Scope) -> str:
        options = [self._atom(name, kind) for name, kind in scope.flags]
        if scope.turn:
            options.append(f"{scope.turn} == {self.random.randrange(3)}")
            numbers = [name for name, kind in scope.flags if kind == "int"]
            options += [f"{scope.turn} {self.one('==', '<')} {name}" for name in numbers]
        return self.random.choice(options) if options else self.one("True", "False")

    def _atom(self, name: str, kind: str) -> str:
        if kind == "bool":
            return self.one(name, f"not {name}")
        if kind == "int":
            return f"{name} {self.one('==', '>', '!=', '<')} {self.random.randrange(3)}"
        if kind == "text":
            return f'{name} {self.one("==", "!=")} "{self.one("a", "b")}"'
        if kind == "optional":
            return f"{name} is {self.one('', 'not ')}None"
        if kind == "dtype":
            return f"{name} {self.one('==', '!=')} tl.float16"
        if kind == "element":
            return f"{name}.dtype.element_ty {self.one('==', '!=')} tl.float16"
        return f"{name}"

    def condition(self, scope: _Scope) -> str:
        """Of constants."""
        first = self.atom(scope)
        if self.chance(0.6):
            return first
        second = self.atom(scope)
        joined = f"({first}) {self.one('and', 'and', 'or', '!=')} ({second})"
        return f"{joined} and ({self.atom(scope)})" if self.chance(0.2) else joined

    def decision(self, scope: _Scope) -> str:
        """At run time."""
        self.decisions += 1
        return f"tl.load(f + {self.decisions}) > 0" if scope.kernel else "v > 0.5"

    # Pointers.

    def name(self, scope: _Scope) -> str:
        return self.random.choice(scope.pointers)

    def pointer(self, scope: _Scope, depth: int = 1) -> str:
        kinds = ["name", "name", "moved"]
        if depth:
            kinds += ["where", "conditional", "element", "repeated", "integer", "sliced"]
            kinds += ["select"] * 2 if any(helper.kind == "select" for helper in self.helpers) else []
            kinds += ["functor"] if any(kind == "select" for _, kind in scope.functors) else []
            kinds += ["field"] if scope.tuples else []
        kind = self.random.choice(kinds)
        numbers = [name for name, kind_ in scope.flags if kind_ == "int"]
        a, b, c = self.name(scope), self.name(scope), self.name(scope)
        if kind == "moved":
            return f"{a} + {self.random.randrange(1, 4) * 4}"
        if kind == "where":
            return f"tl.where({self.decision(scope)}, {a}, {b})"
        if kind == "conditional":
            return f"{a} if {self.condition(scope)} else {b}"
        if kind == "element":
            index = self.one(*numbers, "0", "1") if numbers else self.one("0", "1", "2", "-1")
            return f"({a}, {b}, {c})[{index}]"
        if kind == "repeated":
            count = self.one(*numbers, "2") if numbers else "2"
            return f"(({a},) * {count} + ({b}, {c}))[{self.random.randrange(3)}]"
        if kind == "sliced":
            start = self.one(*numbers, "1") if numbers else "1"
            return f"({a}, {b}, {c}, {a})[{start}:][0]"
        if kind == "integer":
            return f"({a}.to(tl.int64) + 16).to({_POINTER})"
        if kind == "select":
            return self.call(self.random.choice([helper for helper in self.helpers if helper.kind == "select"]), scope)
        if kind == "functor":
            functor = self.random.choice([name for name, kind_ in scope.functors if kind_ == "select"])
            return f"{functor}({a}, {b})"
        if kind == "field":
            name, length = self.random.choice(scope.tuples)
            return f"{name}[{self.random.randrange(length)}]"
        return a

    # Calls.

    def flag(self, kind: str, scope: _Scope) -> str:
        own = [name for name, kind_ in scope.flags if kind_ == kind]
        if kind == "bool":
            return self.condition(scope) if self.chance(0.5) else self.one("True", "False", *own)
        if kind == "int":
            return self.one("0", "1", "2", *own, *([scope.turn] if scope.turn else []))
        return self.one('"a"', '"b"', *own)

    def call(self, helper: _Helper, scope: _Scope) -> str:
        given = [self.name(scope), self.name(scope)]
        if helper.kind != "select":
            given.append("v")
        if helper.kind == "turns":
            given.append(self.flag("int", scope))
        if helper.kind == "apply":
            given.insert(0, self.effect(scope))
        flags = helper.flags
        if helper.defaults and self.chance(0.6):
            flags = flags[: len(flags) - helper.defaults]
        given += [self.flag(kind, scope) for _, kind in flags]
        return f"{helper.name}({', '.join(given)})"

    def effect(self, scope: _Scope) -> str:
        """A function with an effect and no flags that must be passed."""
        plain = [h.name for h in self.helpers if h.kind == "effect" and len(h.flags) == h.defaults]
        own = [name for name, kind in scope.functors if kind == "effect"]
        return self.one(*plain, *own, "noop")

    # Statements.

    def block(self, indent: int, scope: _Scope, depth: int, least: int = 1, most: int = 3) -> None:
        inner = _Scope(
            list(scope.pointers),
            list(scope.flags),
            list(scope.functors),
            list(scope.tuples),
            scope.returns,
            scope.kernel,
            scope.turn,
        )
        for _ in range(self.random.randint(least, most)):
            self.statement(indent, inner if indent > 1 else scope, depth)

    def statement(self, indent: int, scope: _Scope, depth: int) -> None:
        kinds = ["bind", "bind", "swap", "store", "store", "load", "atomic", "tuple"]
        if depth:
            kinds += ["if"] * 5 + ["run-time if", "static loop", "static loop", "loop"]
        if any(helper.kind != "select" for helper in self.helpers):
            kinds += ["call"] * 4
        if any(kind == "effect" for _, kind in scope.functors):
            kinds += ["functor"] * 2
        if indent == 1:
            kinds += ["new", "constant", "function", "assert", "comprehension"]
            kinds += ["return"] if scope.returns else []
        kind = self.random.choice(kinds).replace(" ", "_").replace("-", "_")
        getattr(self, f"_{kind}")(indent, scope, depth)

    def _bind(self, indent: int, scope: _Scope, depth: int) -> None:
        self.add(indent, f"{self.name(scope)} = {self.pointer(scope)}")

    def _new(self, indent: int, scope: _Scope, depth: int) -> None:
        name = self.new("x")
        self.add(indent, f"{name} = {self.pointer(scope)}")
        if self.chance(0.4):
            self.add(indent, f"if {self.condition(scope)}:")
            self.add(indent + 1, f"{name} = {self.pointer(scope)}")
        scope.pointers.append(name)

    def _swap(self, indent: int, scope: _Scope, depth: int) -> None:
        names = self.random.sample(scope.pointers, min(len(scope.pointers), self.random.randint(2, 3)))
        if len(names) > 1:
            self.add(indent, f"{', '.join(names)} = {', '.join(names[1:] + names[:1])}")
        else:
            self.add(indent, f"{names[0]} += 4")

    def _store(self, indent: int, scope: _Scope, depth: int) -> None:
        self.add(indent, f"tl.store({self.pointer(scope)}, v)")

    def _load(self, indent: int, scope: _Scope, depth: int) -> None:
        self.add(indent, f"v += tl.load({self.pointer(scope)})")

    def _atomic(self, indent: int, scope: _Scope, depth: int) -> None:
        self.add(indent, f"tl.atomic_add({self.pointer(scope)}, v)")

    def _tuple(self, indent: int, scope: _Scope, depth: int) -> None:
        name = self.new("t")
        self.add(indent, f"{name} = ({self.name(scope)}, {self.name(scope)})")
        if self.chance(0.5):
            self.add(indent, f"if {self.condition(scope)}:")
            self.add(indent + 1, f"{name} = ({self.name(scope)}, {self.name(scope)})")
        if self.chance(0.3) and self.effect(scope):
            self.add(indent, f"{self.effect(scope)}(*{name}, v)")
        else:
            self.add(indent, f"{self.name(scope)} = {name}[{self.one('0', '1', '-1')}]")

    def _if(self, indent: int, scope: _Scope, depth: int) -> None:
        self.add(indent, f"if {self.condition(scope)}:")
        self.block(indent + 1, scope, depth - 1, most=2)
        if self.chance(0.25):
            self.add(indent, "else:")
            self.block(indent + 1, scope, depth - 1, most=2)

    def _run_time_if(self, indent: int, scope: _Scope, depth: int) -> None:
        self.add(indent, f"if {self.decision(scope)}:")
        self.block(indent + 1, scope, depth - 1, most=2)

    def _static_loop(self, indent: int, scope: _Scope, depth: int) -> None:
        numbers = [name for name, kind in scope.flags if kind == "int"]
        count = self.one(*numbers, *numbers, "2", "3")
        turn = self.new("i")
        self.add(indent, f"for {turn} in tl.static_range({count}):")
        before, scope.turn = scope.turn, turn
        self.block(indent + 1, scope, depth - 1)
        scope.turn = before

    def _loop(self, indent: int, scope: _Scope, depth: int) -> None:
        # Two names of one value: Triton carries the wrong ones of them.
        names = scope.pointers
        self.add(indent, f"{', '.join(names)} = {', '.join(f'{name} + 0' for name in names)}")
        numbers = [name for name, kind in scope.flags if kind == "int"]
        count = self.one("n", *numbers) if scope.kernel else self.one("2", *numbers)
        turn = self.new("i")
        self.add(indent, f"for {turn} in range({count}):")
        before, scope.turn = scope.turn, None
        self.block(indent + 1, scope, depth - 1)
        scope.turn = before

    def _call(self, indent: int, scope: _Scope, depth: int) -> None:
        self.add(indent, self.call(self.random.choice([h for h in self.helpers if h.kind != "select"]), scope))

    def _functor(self, indent: int, scope: _Scope, depth: int) -> None:
        name = self.random.choice([name for name, kind in scope.functors if kind == "effect"])
        self.add(indent, f"{name}({self.name(scope)}, {self.name(scope)}, v)")

    def _constant(self, indent: int, scope: _Scope, depth: int) -> None:
        name = self.new("K")
        if self.chance(0.5):
            self.add(indent, f"{name}: tl.constexpr = {self.condition(scope)}")
            scope.flags.append((name, "bool"))
            return
        self.add(indent, f"if {self.condition(scope)}:")
        self.add(indent + 1, f"{name}: tl.constexpr = {self.flag('int', scope)}")
        self.add(indent, "else:")
        self.add(indent + 1, f"{name}: tl.constexpr = {self.flag('int', scope)}")
        scope.flags.append((name, "int"))

    def _function(self, indent: int, scope: _Scope, depth: int) -> None:
        name = self.new("g")
        if self.chance(0.5):
            self.add(indent, f"{name}: tl.constexpr = {self.effect(scope)}")
        else:
            self.add(indent, f"if {self.condition(scope)}:")
            self.add(indent + 1, f"{name}: tl.constexpr = {self.effect(scope)}")
            self.add(indent, "else:")
            self.add(indent + 1, f"{name}: tl.constexpr = {self.effect(scope)}")
        scope.functors.append((name, "effect"))

    def _assert(self, indent: int, scope: _Scope, depth: int) -> None:
        # One flag: what else holds is not to be found out by guessing.
        names = [name for name, kind_ in scope.flags if kind_ == "bool"]
        if names:
            self.add(indent, f"tl.static_assert({self.one('', 'not ')}{self.one(*names)})")

    def _comprehension(self, indent: int, scope: _Scope, depth: int) -> None:
        a, b = self.name(scope), self.name(scope)
        test = f" if {self.condition(scope)}" if self.chance(0.3) else ""
        self.add(indent, f"[{self.effect(scope)}(e, {a}, v) for e in ({a}, {b}){test}]")

    def _return(self, indent: int, scope: _Scope, depth: int) -> None:
        self.add(indent, f"if {self.condition(scope) if self.chance(0.7) else self.decision(scope)}:")
        self.add(indent + 1, "return")

    # Functions.

    def function(self, index: int) -> str:
        """A helper, which may use those before it."""
        kind = self.one("effect", "effect", "effect", "select", "select", "turns", "apply")
        helper = _Helper(f"{kind}{index}", kind)
        kinds = [self.one("bool", "bool", "bool", "int", "text") for _ in range(self.random.randint(0, 2))]
        helper.flags = [(f"F{number}", flag) for number, flag in enumerate(kinds)]
        helper.defaults = len(kinds) if self.chance(0.25) else 0
        scope = _Scope(["p", "q"], list(helper.flags), [], [], kind == "effect", kernel=False)
        heads = ["p", "q"] if kind == "select" else ["p", "q", "v"]
        if kind == "apply":
            heads.insert(0, "fn: tl.constexpr")
            scope.functors.append(("fn", "effect"))
        if kind == "turns":
            heads.append("N: tl.constexpr")
            scope.flags.append(("N", "int"))
        for number, (name, flag) in enumerate(helper.flags):
            default = {"bool": "False", "int": "0", "text": '"a"'}[flag]
            heads.append(f"{name}: tl.constexpr" + (f" = {default}" if number >= len(kinds) - helper.defaults else ""))
        self.lines = []
        if kind == "select":
            self._selecting(scope)
        elif kind == "turns" and self.chance(0.5):
            flags = "".join(f", {name}" for name, _ in helper.flags)
            self.add(1, "if N > 0:")
            self.block(2, scope, 1, most=2)
            self.add(2, f"{helper.name}({self.one('p, q', 'q, p')}, v, N - 1{flags})")
            if self.chance(0.7):
                self.add(1, "else:")
                self.block(2, scope, 0, most=2)
        else:
            if kind == "turns":
                self._static_loop(1, scope, 1)
            if kind == "apply":
                self._functor(1, scope, 1)
            self.block(1, scope, 1, most=3)
        self.helpers.append(helper)
        return f"@triton.jit\ndef {helper.name}({', '.join(heads)}):\n" + "\n".join(self.lines) + "\n\n\n"

    def _selecting(self, scope: _Scope) -> None:
        form = self.one("return", "bind", "conditional")
        if form == "return":
            self.add(1, f"if {self.condition(scope)}:")
            self.add(2, "return p")
            self.add(1, "return q")
        elif form == "bind":
            self.add(1, f"r = {self.one('p', 'q')}")
            self.add(1, f"if {self.condition(scope)}:")
            self.add(2, f"r = {self.one('p', 'q', 'p + 4')}")
            self.add(1, "return r")
        else:
            self.add(1, f"return p if {self.condition(scope)} else q")

    def program(self) -> Program:
        """A file whose last function is ``kernel``."""
        parts = ["@triton.jit\ndef noop(p, q, v):\n    pass\n\n\n"]
        parts += [self.function(index) for index in range(self.random.randint(1, 4))]
        effects = [h.name for h in self.helpers if h.kind == "effect" and len(h.flags) == h.defaults]
        selects = [h.name for h in self.helpers if h.kind == "select" and len(h.flags) == h.defaults]
        knobs, scope, setup = self._knobs(effects, selects)
        self.lines = []
        self.add(1, "v = tl.load(f)")
        self.block(1, scope, 2, least=2, most=6)
        self.add(1, "tl.store(out, v)")
        heads = [
            knob.name if knob.kind == "type" else f"{knob.name}: tl.constexpr"
            for knob in knobs
            if knob.kind in ("type", "value")
        ]
        types = {knob.name: knob.ways[0] for knob in knobs if knob.kind == "type" and len(knob.ways) == 1}
        heads = [
            f'{head}: "{types[head]}"' if head in types and not types[head].startswith("(") else head for head in heads
        ]
        text = f"@triton.jit\ndef kernel({', '.join(heads)}):\n" + "\n".join(self.lines) + "\n"
        for part in reversed(parts):
            name = part.split("def ")[1].split("(")[0]
            if name in text or any(name in way for knob in knobs for way in knob.ways):
                text = part + text
        return Program(_HEAD + setup + "\n\n" + text, "kernel", knobs)

    def _knobs(self, effects: list[str], selects: list[str]) -> tuple[list[Knob], _Scope, str]:
        scope = _Scope(["a", "b", "c"], [], [], [], returns=True, kernel=True)
        types = [Knob(name, "type", ("*fp32",)) for name in ("a", "b", "c", "out", "f")] + [Knob("n", "type", ("i32",))]
        values: list[Knob] = []
        around: list[Knob] = []
        setup = ""
        if self.chance(0.2):
            types.append(Knob("pair", "type", ("(*fp32, *fp32)",)))
            scope.tuples.append(("pair", 2))
        count = 1
        for index in range(self.random.randint(2, 4)):
            kinds = ["bool"] * 6 + ["int", "int", "text", "dtype", "optional", "element", "option", "env", "module"]
            kinds += ["effect"] * 2 if effects else []
            kinds += ["select"] * 2 if selects else []
            kind = self.random.choice(kinds)
            name = f"W{index}"
            if kind == "optional":
                knob = Knob("o_ptr", "type", ("*fp32", "None"))
            elif kind == "element":
                knob = Knob("e_ptr", "type", ("*fp32", "*fp16"))
            elif kind == "option":
                knob = Knob("num_warps", "option", ("4", "8"))
            elif kind == "env":
                knob = Knob("SWITCH", "env", ("unset", '"1"'))
            elif kind == "module":
                knob = Knob("some_extra", "module", ("no", "yes"))
            else:
                ways = {
                    "bool": ("True", "False"),
                    "int": ("0", "1", "2", "3"),
                    "text": ('"a"', '"b"', '"c"'),
                    "dtype": ("tl.float16", "tl.float32"),
                    "effect": ("noop", *self.random.sample(effects, min(2, len(effects)))),
                    "select": ("first", *self.random.sample(selects, min(2, len(selects)))),
                }[kind]
                knob = Knob(name, "value", ways)
            if count * len(knob.ways) > MOST or any(knob.name == old.name for old in (*types, *values, *around)):
                continue
            count *= len(knob.ways)
            setup += self._take(kind, knob, scope)
            (types if knob.kind == "type" else values if knob.kind == "value" else around).append(knob)
        if not scope.flags and not values:
            values.append(Knob("W", "value", ("True", "False")))
            scope.flags.append(("W", "bool"))
        return types + values + around, scope, setup

    @staticmethod
    def _take(kind: str, knob: Knob, scope: _Scope) -> str:
        """Lets a kernel use a knob; what must stand before it in the file."""
        if kind in ("effect", "select"):
            scope.functors.append((knob.name, kind))
            return "@triton.jit\ndef first(p, q):\n    return p\n\n\n" if kind == "select" else ""
        if kind == "option":
            scope.flags.append(("cuda.num_warps() == 8", "raw"))
        elif kind == "env":
            scope.flags.append(("SWITCH", "bool"))
            return 'SWITCH = tl.constexpr(os.environ.get("SWITCH") == "1")\n'
        elif kind == "module":
            scope.flags.append(("HAS_EXTRA", "bool"))
            return (
                "try:\n    import some_extra\n\n    HAS_EXTRA = tl.constexpr(True)\n"
                "except ImportError:\n    HAS_EXTRA = tl.constexpr(False)\n"
            )
        else:
            scope.flags.append((knob.name, kind))
        return ""


def program(seed: int) -> Program:
    """The program of this number."""
    return _Maker(seed).program()
