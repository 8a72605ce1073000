"""Writes the terms of a random function: conditions, pointers in all their spellings, calls and what they are given.

Knows nothing of the analysis. What a number decides is decided within 0..3, so that values beyond do nothing new.
"""

from __future__ import annotations

import random
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace

POINTER = "tl.pointer_type(tl.float32)"


@dataclass(slots=True)
class Helper:
    """``kind``: ``effect`` (p, q, v), ``select`` (p, q) -> pointer, ``turns`` (p, q, v, N) over a number, ``find``
    (p, q, N) -> pointer, ``apply`` (fn, p, q, v), ``items`` (held, v) over a tuple of three, ``parts`` (held) -> tuple
    of three out of one, ``fields`` (held, v) over a ``Box``. ``flags``: its own constexpr parameters beyond those, with
    the kind of value that each takes, of which the last ``defaults`` need not be given."""

    name: str
    kind: str
    flags: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    defaults: int = 0

    @property
    def plain(self) -> bool:
        """Whether no flag must be given."""
        return len(self.flags) == self.defaults


GIVING = ("select", "find", "parts")
"""Helpers that do nothing, and give something back."""
_NAMES = ("pointers", "flags", "functors", "tuples", "gathered", "records", "descriptors")


@dataclass(slots=True)
class Scope:
    """What one function can name: pointers; flags, functions and tuples with their kinds. ``gathered``: its own tuples
    of pointers, with their length; ``records``: values with fields, with their class; ``descriptors``: of tensors."""

    pointers: list[str]
    flags: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    functors: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    tuples: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    gathered: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    records: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    descriptors: list[str] = field(default_factory=list[str])
    returns: bool = False
    kernel: bool = False
    turn: str | None = None

    def inner(self) -> Scope:
        """The same, for what a block binds."""
        copies = {name: list(getattr(self, name)) for name in _NAMES}
        return replace(self, **copies)

    def of(self, kind: str) -> list[str]:
        """The flags of a kind."""
        return [name for name, found in self.flags if found == kind]


class Terms(ABC):
    """Writes lines; ``helpers`` are those that may be called. ``gluon``: only what Gluon has, too; ``functions``: there
    are ``both`` and ``neither``, which run when a kernel is compiled."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.helpers: list[Helper] = []
        self.gluon = False
        self.functions = False
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
            "int": lambda: self._of_number(name),
            "text": lambda: self._of_text(name),
            "optional": lambda: f"{name} is {self.one('', 'not ')}None",
            "dtype": lambda: f"{name} {self.one('==', '!=')} tl.float16",
            "element": lambda: f"{name}.dtype.element_ty {self.one('==', '!=')} tl.float16",
            "raw": lambda: name,
        }[kind]()

    def _of_number(self, name: str) -> str:
        if self.chance(0.75):
            return f"{name} {self.one('== 0', '== 1', '== 2', '!= 0', '!= 1', '> 0', '> 1', '< 1', '< 2')}"
        digits = f"{name} % 2", f"({name} & 1)", f"max({name}, 1)", f"min({name}, 1)", f"({name} ^ 1)"
        if self.chance(0.1):
            return f"{name} // 2 == {self.one('0', '1')}"
        number = self.one(
            *digits, f"-{name} + 2", f"~{name} + 3", f"({name} << 1)", f"({name} or 2)", f"({name} and 1)"
        )
        return self.one(
            f"{number} == {self.one('0', '1', '2')}", f'f"{{{name}}}" == "{self.one("1", "2")}"', f"not {name}"
        )

    def _of_text(self, name: str) -> str:
        if self.chance(0.75):
            return f'{name} {self.one("==", "!=")} "{self.one("a", "b")}"'
        return self.one(
            f'{name} + "x" == "{self.one("a", "b")}x"', f"f\"{{{name}}}1\" != 'a1'", f'"y" + {name} == "yb"'
        )

    def condition(self, scope: Scope) -> str:
        """Of constants."""
        first = self.atom(scope)
        if self.chance(0.6):
            return first
        second = self.atom(scope, first)
        if self.functions and self.chance(0.1):
            return f"{self.one('both', 'neither')}({first}, {second})"
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
            kinds += ["conditional", "element", "repeated", "sliced", "listed", "held"]
            kinds += [] if self.gluon else ["where", "integer"]
            kinds += ["select"] * 2 if any(helper.kind in ("select", "find") for helper in self.helpers) else []
            kinds += ["functor"] if any(kind == "select" for _, kind in scope.functors) else []
            kinds += ["field"] if scope.tuples else []
        kind = self.random.choice(kinds)
        numbers = scope.of("int")
        a, b, c = self.name(scope), self.name(scope), self.name(scope)
        if kind == "moved":
            return f"{a} + {self.random.randrange(1, 4) * 4}"
        if kind == "held":
            return self.held(scope)
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

    @abstractmethod
    def gathered(self, scope: Scope, length: int, depth: int = 1) -> str:
        """A tuple of so many pointers."""

    @abstractmethod
    def held(self, scope: Scope) -> str:
        """A pointer out of something that holds several."""

    # Calls.

    def flag(self, kind: str, scope: Scope) -> str:
        own = scope.of(kind)
        if kind == "bool":
            return self.condition(scope) if self.chance(0.5) else self.one("True", "False", *own)
        if kind == "int":
            return self.one("0", "1", "2", *own, *([scope.turn] if scope.turn else []))
        if kind == "dtype":
            return self.one("tl.float16", "tl.float32", *own)
        if kind == "optional":
            return self.one("None", "None", self.name(scope), *own, *own)
        return self.one('"a"', '"b"', *own)

    def call(self, helper: Helper, scope: Scope, held: str = "") -> str:
        given = [("p", self.name(scope)), ("q", self.name(scope))]
        if helper.kind in ("items", "parts"):
            given = [("held", held or self.gathered(scope, 3, 1 if helper.kind == "items" else 0))]
        elif helper.kind == "fields":
            boxes = [name for name, kind in scope.records if kind == "Box"]
            given = [("held", self.one(*boxes, f"Box({given[0][1]}, {given[1][1]}, {self.condition(scope)})"))]
        if helper.kind not in GIVING:
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
