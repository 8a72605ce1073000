"""Writes the statements of a random function: accesses in all their spellings, branches, loops, calls, bindings.

Knows nothing of the analysis. What a number decides is decided within 0..3, so that values beyond do nothing new.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field, replace

POINTER = "tl.pointer_type(tl.float32)"
ASSEMBLY = '"st.global.f32 [$1], 0f3F800000; mov.u32 $0, 0;", "=r,l"'
_STORES = (
    *("tl.store({p}, v)",) * 6,
    "tl.store(value=v, pointer={p})",
    "write({p}, v)",
    "lang.store({p}, v)",
    'getattr(tl, "store")({p}, v)',
    "({p}).store(v)",
    "tl.atomic_add({p}, v)",
    "tl.atomic_xchg({p}, v)",
    "({p}).atomic_add(v)",
    "tl.store(({p}) + tl.arange(0, 4), v)",
    "tl.store({p}, v, mask=tl.load({q}) > 0)",
    "tl.make_tensor_descriptor({p}, [16], [1], [16]).store([0], tl.zeros((16,), tl.float32) + v)",
    f"tl.inline_asm_elementwise({ASSEMBLY}, [{{p}}], dtype=tl.int32, is_pure=False, pack=1)",
)
_LOADS = (
    *("tl.load({p})",) * 3,
    "tl.load({p}, mask=tl.load({q}) > 0, other=0.0)",
    "tl.sum(tl.load(({p}) + tl.arange(0, 4)), axis=0)",
)


@dataclass(slots=True)
class Helper:
    """``kind``: ``effect`` (p, q, v), ``select`` (p, q) -> pointer, ``turns`` (p, q, v, N) over a number, ``find``
    (p, q, N) -> pointer, ``apply`` (fn, p, q, v). ``flags``: its own constexpr parameters beyond those, with the kind
    of value that each takes, of which the last ``defaults`` need not be given."""

    name: str
    kind: str
    flags: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    defaults: int = 0

    @property
    def plain(self) -> bool:
        """Whether no flag must be given."""
        return len(self.flags) == self.defaults


@dataclass(slots=True)
class Scope:
    """What one function can name: pointers; flags, functions and tuples with their kinds."""

    pointers: list[str]
    flags: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    functors: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    tuples: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    returns: bool = False
    kernel: bool = False
    turn: str | None = None

    def inner(self) -> Scope:
        """The same, for what a block binds."""
        copies = [list(names) for names in (self.pointers, self.flags, self.functors, self.tuples)]
        return replace(self, pointers=copies[0], flags=copies[1], functors=copies[2], tuples=copies[3])

    def of(self, kind: str) -> list[str]:
        """The flags of a kind."""
        return [name for name, found in self.flags if found == kind]


class Writer:
    """Writes lines; ``helpers`` are those that may be called. ``gluon``: only what Gluon has, too."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.helpers: list[Helper] = []
        self.gluon = False
        self.lines: list[str] = []
        self._fresh = 0
        self._decisions = 0

    # Small choices.

    def one(self, *options: str) -> str:
        return self.random.choice(options)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def new(self, head: str) -> str:
        self._fresh += 1
        return f"{head}{self._fresh}"

    def add(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    # Conditions.

    def atom(self, scope: Scope, but: str = "") -> str:
        """A condition on one constant, of another than ``but`` names if there is another."""
        options = [self._atom(name, kind) for name, kind in scope.flags]
        if scope.turn:
            options.append(f"{scope.turn} == {self.random.randrange(3)}")
            options += [f"{scope.turn} {self.one('== ', '< ', '== -1 + ')}{name}" for name in scope.of("int")]
        named = set(re.findall(r"[A-Za-z_]\w*", but)) - {"not", "is", "tl", "None", "and"}
        others = [text for text in options if not named & set(re.findall(r"[A-Za-z_]\w*", text))]
        return self.random.choice(others or options) if options else self.one("True", "False")

    def _atom(self, name: str, kind: str) -> str:
        return {
            "bool": lambda: self.one(name, f"not {name}"),
            "int": lambda: f"{name} {self.one('== 0', '== 1', '== 2', '!= 0', '!= 1', '> 0', '> 1', '< 1', '< 2')}",
            "text": lambda: f'{name} {self.one("==", "!=")} "{self.one("a", "b")}"',
            "optional": lambda: f"{name} is {self.one('', 'not ')}None",
            "dtype": lambda: f"{name} {self.one('==', '!=')} tl.float16",
            "element": lambda: f"{name}.dtype.element_ty {self.one('==', '!=')} tl.float16",
            "raw": lambda: name,
        }[kind]()

    def condition(self, scope: Scope) -> str:
        """Of constants."""
        first = self.atom(scope)
        if self.chance(0.6):
            return first
        second = self.atom(scope, first)
        joined = f"({first}) {self.one('and', 'and', 'or', '!=')} ({second})"
        return f"{joined} and ({self.atom(scope, joined)})" if self.chance(0.2) else joined

    def decision(self, scope: Scope) -> str:
        """At run time."""
        self._decisions += 1
        return f"tl.load(f + {self._decisions}) > 0" if scope.kernel else "v > 0.5"

    # Pointers.

    def name(self, scope: Scope) -> str:
        return self.random.choice(scope.pointers)

    def pointer(self, scope: Scope, depth: int = 1) -> str:
        kinds = ["name", "name", "moved"]
        if depth:
            kinds += ["conditional", "element", "repeated", "sliced", "listed"]
            kinds += [] if self.gluon else ["where", "integer"]
            kinds += ["select"] * 2 if any(helper.kind in ("select", "find") for helper in self.helpers) else []
            kinds += ["functor"] if any(kind == "select" for _, kind in scope.functors) else []
            kinds += ["field"] if scope.tuples else []
        kind = self.random.choice(kinds)
        numbers = scope.of("int")
        a, b, c = self.name(scope), self.name(scope), self.name(scope)
        if kind == "moved":
            return f"{a} + {self.random.randrange(1, 4) * 4}"
        if kind == "where":
            return f"tl.where({self.decision(scope)}, {a}, {b})"
        if kind == "conditional":
            return f"{a} if {self.condition(scope)} else {b}"
        if kind == "element":
            return f"({a}, {b}, {c})[{self.one(*numbers, '0', '1', '-1')}]"
        if kind == "repeated":
            return f"(({a},) * {self.one(*numbers, '2')} + ({b}, {c}))[{self.random.randrange(3)}]"
        if kind == "sliced":
            return f"({a}, {b}, {c}, {a})[{self.one(*numbers, '1')}:][0]"
        if kind == "listed":
            test = f" if {self.condition(scope)}" if self.chance(0.2) else ""
            return f"[e + 4 for e in ({a}, {b}){test}][{self.one('0', '1')}]"
        if kind == "integer":
            return f"({a}.to(tl.int64) + 16).to({POINTER})"
        if kind == "select":
            selecting = [helper for helper in self.helpers if helper.kind in ("select", "find")]
            return self.call(self.random.choice(selecting), scope)
        if kind == "functor":
            functor = self.random.choice([name for name, found in scope.functors if found == "select"])
            return f"{functor}({a}, {b})"
        if kind == "field":
            name, length = self.random.choice(scope.tuples)
            return f"{name}[{self.random.randrange(length)}]"
        return a

    # Calls.

    def flag(self, kind: str, scope: Scope) -> str:
        own = scope.of(kind)
        if kind == "bool":
            return self.condition(scope) if self.chance(0.5) else self.one("True", "False", *own)
        if kind == "int":
            return self.one("0", "1", "2", *own, *([scope.turn] if scope.turn else []))
        return self.one('"a"', '"b"', *own)

    def call(self, helper: Helper, scope: Scope) -> str:
        given = [("p", self.name(scope)), ("q", self.name(scope))]
        if helper.kind not in ("select", "find"):
            given.append(("v", "v"))
        if helper.kind in ("turns", "find"):
            given.append(("N", self.flag("int", scope)))
        if helper.kind == "apply":
            given.insert(0, ("fn", self.effect(scope)))
        flags = helper.flags
        if helper.defaults and self.chance(0.6):
            flags = flags[: len(flags) - helper.defaults]
        given += [(name, self.flag(kind, scope)) for name, kind in flags]
        if self.chance(0.15):
            self.random.shuffle(given)
            return f"{helper.name}({', '.join(f'{name}={text}' for name, text in given)})"
        return f"{helper.name}({', '.join(text for _, text in given)})"

    def effect(self, scope: Scope) -> str:
        """A function with an effect and no flags that must be passed."""
        plain = [helper.name for helper in self.helpers if helper.kind == "effect" and helper.plain]
        own = [name for name, kind in scope.functors if kind == "effect"]
        return self.one(*plain, *own, "noop")

    # Statements.

    def block(self, indent: int, scope: Scope, depth: int, least: int = 1, most: int = 3) -> None:
        inner = scope if indent == 1 else scope.inner()
        for _ in range(self.random.randint(least, most)):
            self.statement(indent, inner, depth)

    def statement(self, indent: int, scope: Scope, depth: int) -> None:
        kinds = ["bind", "bind", "swap", "store", "store", "store", "load", "tuple", "move"]
        if depth:
            kinds += ["if"] * 5 + ["decide", "unroll", "unroll", "loop", "loop_while"]
        if any(helper.kind not in ("select", "find") for helper in self.helpers):
            kinds += ["call"] * 4
        if any(kind == "effect" for _, kind in scope.functors):
            kinds += ["functor"] * 2
        if indent == 1:
            kinds += ["begin", "constant", "function", "assert", "comprehension"]
            kinds += ["return"] if scope.returns else []
        getattr(self, f"_{self.random.choice(kinds)}")(indent, scope, depth)

    def _bind(self, indent: int, scope: Scope, depth: int) -> None:
        self.add(indent, f"{self.name(scope)} = {self.pointer(scope)}")

    def _begin(self, indent: int, scope: Scope, depth: int) -> None:
        name = self.new("x")
        self.add(indent, f"{name} = {self.pointer(scope)}")
        if self.chance(0.4):
            self.add(indent, f"if {self.condition(scope)}:")
            self.add(indent + 1, f"{name} = {self.pointer(scope)}")
        scope.pointers.append(name)

    def _move(self, indent: int, scope: Scope, depth: int) -> None:
        self.add(indent, f"{self.name(scope)} += 4")

    def _swap(self, indent: int, scope: Scope, depth: int) -> None:
        names = self.random.sample(scope.pointers, min(len(scope.pointers), self.random.randint(2, 3)))
        left, right = ", ".join(names), ", ".join(names[1:] + names[:1])
        self.add(indent, f"({left}) = ({right})" if self.chance(0.2) else f"{left} = {right}")

    def _store(self, indent: int, scope: Scope, depth: int) -> None:
        spelling = "tl.store({p}, v)" if self.gluon else self.one(*_STORES)
        self.add(indent, spelling.format(p=self.pointer(scope), q=self.name(scope)))

    def _load(self, indent: int, scope: Scope, depth: int) -> None:
        spelling = "tl.load({p})" if self.gluon else self.one(*_LOADS)
        self.add(indent, "v += " + spelling.format(p=self.pointer(scope), q=self.name(scope)))

    def _tuple(self, indent: int, scope: Scope, depth: int) -> None:
        name = self.new("t")
        self.add(indent, f"{name} = ({self.name(scope)}, {self.name(scope)})")
        if self.chance(0.5):
            self.add(indent, f"if {self.condition(scope)}:")
            self.add(indent + 1, f"{name} = ({self.name(scope)}, {self.name(scope)})")
        use = self.one("call", "element", "element", "unpacked", "nested")
        if use == "call":
            self.add(indent, f"{self.effect(scope)}(*{name}, v)")
        elif use == "unpacked" and len(scope.pointers) > 1:
            self.add(indent, f"{', '.join(self.random.sample(scope.pointers, 2))} = {name}")
        elif use == "nested":
            self.add(indent, f"{self.name(scope)} = ({name}, ({self.name(scope)},))[{self.one('0', '1')}][0]")
        else:
            self.add(indent, f"{self.name(scope)} = {name}[{self.one('0', '1', '-1')}]")

    def _if(self, indent: int, scope: Scope, depth: int) -> None:
        self.add(indent, f"if {self.condition(scope)}:")
        self.block(indent + 1, scope, depth - 1, most=2)
        if self.chance(0.1):
            self.add(indent, f"elif {self.condition(scope)}:")
            self.block(indent + 1, scope, depth - 1, most=2)
        if self.chance(0.25):
            self.add(indent, "else:")
            self.block(indent + 1, scope, depth - 1, most=2)

    def _decide(self, indent: int, scope: Scope, depth: int) -> None:
        self.add(indent, f"if {self.decision(scope)}:")
        self.block(indent + 1, scope, depth - 1, most=2)

    def _unroll(self, indent: int, scope: Scope, depth: int) -> None:
        numbers = scope.of("int")
        turn = self.new("i")
        count = self.one(*numbers, *numbers, *(f"1, 1 + {name}" for name in numbers), "2", "3")
        self.add(indent, f"for {turn} in tl.static_range({count}):")
        before, scope.turn = scope.turn, turn
        self.block(indent + 1, scope, depth - 1)
        scope.turn = before

    def _carry(self, indent: int, scope: Scope) -> None:
        """Two names of one value: Triton carries the wrong ones of them."""
        self.add(indent, f"{', '.join(scope.pointers)} = {', '.join(f'{name} + 0' for name in scope.pointers)}")

    def _loop(self, indent: int, scope: Scope, depth: int) -> None:
        self._carry(indent, scope)
        count = self.one("n" if scope.kernel else "2", *scope.of("int"))
        loop = "range" if self.gluon else self.one("range", "range", "tl.range")
        self.add(indent, f"for {self.new('i')} in {loop}({count}):")
        before, scope.turn = scope.turn, None
        self.block(indent + 1, scope, depth - 1)
        scope.turn = before

    def _loop_while(self, indent: int, scope: Scope, depth: int) -> None:
        self._carry(indent, scope)
        turn = self.new("i")
        self.add(indent, f"{turn} = 0")
        self.add(indent, f"while {turn} < {'n' if scope.kernel else '2'}:")
        before, scope.turn = scope.turn, None
        self.block(indent + 1, scope, depth - 1)
        scope.turn = before
        self.add(indent + 1, f"{turn} += 1")

    def _call(self, indent: int, scope: Scope, depth: int) -> None:
        acting = [helper for helper in self.helpers if helper.kind not in ("select", "find")]
        self.add(indent, self.call(self.random.choice(acting), scope))

    def functor(self, indent: int, scope: Scope, depth: int) -> None:
        """Calls a function that was handed in."""
        name = self.random.choice([name for name, kind in scope.functors if kind == "effect"])
        if self.chance(0.2):
            name = f"({name}, {self.effect(scope)})[{self.one(*scope.of('bool'), '0', '1')}]"
        self.add(indent, f"{name}({self.name(scope)}, {self.name(scope)}, v)")

    _functor = functor

    def _constant(self, indent: int, scope: Scope, depth: int) -> None:
        name = self.new("K")
        if self.chance(0.5):
            self.add(indent, f"{name}: tl.constexpr = {self.condition(scope)}")
            scope.flags.append((name, "bool"))
            return
        self._either(indent, scope, name, self.flag("int", scope), self.flag("int", scope))
        scope.flags.append((name, "int"))

    def _either(self, indent: int, scope: Scope, name: str, one: str, other: str) -> None:
        self.add(indent, f"if {self.condition(scope)}:")
        self.add(indent + 1, f"{name}: tl.constexpr = {one}")
        self.add(indent, "else:")
        self.add(indent + 1, f"{name}: tl.constexpr = {other}")

    def _function(self, indent: int, scope: Scope, depth: int) -> None:
        name = self.new("g")
        if self.chance(0.5):
            self.add(indent, f"{name}: tl.constexpr = {self.effect(scope)}")
        else:
            self._either(indent, scope, name, self.effect(scope), self.effect(scope))
        scope.functors.append((name, "effect"))

    def _assert(self, indent: int, scope: Scope, depth: int) -> None:
        # One of the kernel's own flags: what else holds is not to be found out by guessing.
        names = [name for name in scope.of("bool") if scope.kernel and name.startswith("W")]
        self.add(indent, f"tl.static_assert({self.one('', 'not ')}{self.one(*names)})" if names else "pass")

    def _comprehension(self, indent: int, scope: Scope, depth: int) -> None:
        a, b = self.name(scope), self.name(scope)
        test = f" if {self.condition(scope)}" if self.chance(0.3) else ""
        self.add(indent, f"[{self.effect(scope)}(e, {a}, v) for e in ({a}, {b}){test}]")

    def _return(self, indent: int, scope: Scope, depth: int) -> None:
        self.add(indent, f"if {self.condition(scope) if self.chance(0.7) else self.decision(scope)}:")
        self.add(indent + 1, "return")
