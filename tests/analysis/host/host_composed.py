"""Host modules at random out of the pieces in ``constructs.txt``: three files that import each other in any spelling,
make things and change them.

Makes text; knows nothing of the analysis.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from host_modules import Files

_HEAD = """import asyncio, bisect, builtins, collections, contextlib, copy, dataclasses, enum, functools, heapq
import importlib, itertools, json, math, operator, os, random, sys, types, unittest.mock
from typing import NamedTuple, TYPE_CHECKING"""
_KINDS = {"d": "dict", "l": "list", "c": "cls", "f": "fun", "s": "str", "o": "obj", "N": "num"}
_TEXTS = ("", "a", "W", "a b", "3", "x=1")
_ASKED = 14
"""How many expressions are asked beside the names."""
_TRIES = 20


def _parts() -> dict[str, list[str]]:
    text = (Path(__file__).parent / "constructs.txt").read_text(encoding="utf-8")
    parts = {part.partition("\n")[0]: part.partition("\n")[2] for part in text.split("\n=== ")[1:]}
    return {
        name: [p for p in body.split("\n\n" if name == "things" else "\n") if p.strip()] for name, body in parts.items()
    }


PARTS = _parts()


class Lacks(Exception):
    """There is nothing yet of the kind that a piece is about."""


@dataclass
class Composer:
    """One file in the making. ``names``: by kind, how what is there is spelled in this file."""

    random: Random
    counter: list[int]
    names: dict[str, list[str]] = field(default_factory=lambda: {kind: [] for kind in _KINDS.values()})
    text: list[str] = field(default_factory=lambda: [_HEAD])
    asked: list[str] = field(default_factory=list[str])

    def new(self, stem: str) -> str:
        self.counter[0] += 1
        return f"{stem}{self.counter[0]}"

    def number(self, depth: int) -> str:
        choice = self.random.randrange(10)
        if choice < 4 or depth > 2:
            return str(self.random.choice((0, 1, 2, 3, 8, 16, 64, True, False, 2.5)))
        if choice < 7 and self.names["num"]:
            return self.random.choice(self.names["num"])
        return self.filled(self.random.choice(PARTS["numbers"]), {}, depth + 1)

    def filled(self, piece: str, new: dict[str, str], depth: int = 0) -> str:
        """The piece with its holes filled."""

        def hole(match: re.Match[str]) -> str:
            letter = match[1]
            if letter == "n":
                return self.number(depth)
            if letter in "itk":
                options = {"i": range(10), "t": _TEXTS, "k": "WSB"}[letter]
                return str(self.random.choice(options))
            if letter in _KINDS:
                there = self.names[_KINDS[letter]]
                if not there:
                    raise Lacks
                return new.setdefault(letter, self.random.choice(there))
            return new.setdefault(letter, self.new("g" if letter == "G" else "v"))

        chosen = re.sub(r"«([^»]*)»", lambda m: self.random.choice(m[1].split("|")), piece.replace("||", "§"))
        return re.sub(r"\$([a-zA-Z])", hole, chosen).replace("§", "\n")

    def expression(self) -> str:
        """One that can be asked."""
        while True:
            try:
                asked = self.filled(self.random.choice(PARTS["values"] + PARTS["numbers"]), {})
                compile(asked, "piece", "eval")
            except (Lacks, SyntaxError):
                continue
            return asked

    def step(self, depth: int = 0, changes: float = 0.4) -> None:
        """Adds one piece."""
        for _ in range(_TRIES):
            kind = "changes" if self.random.random() < changes else "things"
            code, *notes = re.split(r"\n?#: ", self.random.choice(PARTS[kind]))
            new: dict[str, str] = {}
            try:
                text = self.filled(code, new)
                told = [self.filled(note, new) for note in notes]
            except Lacks:
                continue
            if "@STEP" in text:
                inner = Composer(self.random, self.counter, self.names, [])
                inner.step(depth + 1, 1 if depth > 1 else 0.9)
                nested = "\n".join(inner.text) or "pass"
                text = re.sub(
                    r"^( *)@STEP$", lambda m, nested=nested: re.sub("^", m[1], nested, flags=re.M), text, flags=re.M
                )
            try:
                compile(text, "piece", "exec")
            except (SyntaxError, ValueError):
                continue
            self.text.append(text)
            for note in told if depth == 0 else ():
                what, _, name = note.partition(" ")
                if what in self.names:
                    self.names[what].append(name)
                elif what == "ask":
                    self.asked.append(name)
            return

    def borrow(self, module: str, names: dict[str, list[str]]) -> None:
        """Imports another file and what it has, in some spelling."""
        r = self.random
        short = self.new("m")
        way, spelled = r.choice(
            (
                (f"import {module}", module),
                (f"import {module} as {short}", short),
                (f"{short} = importlib.import_module('{module}')", short),
                (f"import {module}; {short} = sys.modules['{module}']", short),
                (f"try:\n    import {module} as {short}\nexcept ImportError:\n    {short} = None", short),
            )
        )
        self.text.append(way)
        if r.random() < 0.2:
            self.text.append(f"from {module} import *")
            for kind, there in names.items():
                self.names[kind] += [n for n in there if n not in self.names[kind]]
        for kind, there in names.items():
            for name in there:
                if name in self.names[kind] or not name.isidentifier():
                    continue
                how = r.randrange(7)
                if how == 0:
                    self.text.append(f"from {module} import {name}")
                elif how == 1:
                    self.text.append(f"from {module} import {name} as b{name}")
                    name = f"b{name}"
                elif how == 2:
                    self.text.append(f"try:\n    from {module} import {name}\nexcept ImportError:\n    {name} = None")
                elif how == 3:
                    self.text.append(f"b{name} = {spelled}.{name}")
                    name = f"b{name}"
                elif how == 4:
                    continue
                else:
                    name = f"{spelled}.{name}"
                self.names[kind].append(name)

    def ending(self, other: Composer, module: str) -> None:
        """A function that comes back to a file that imports this one."""
        inner = Composer(self.random, self.counter, text=[])
        inner.names = {kind: [f"{module}.{n}" for n in there] for kind, there in other.names.items()}
        inner.step(1, 1)
        lines = "\n".join(inner.text).replace("\n", "\n    ")
        text = f"def {self.new('g')}():\n    import {module}\n    {lines or 'pass'}"
        try:
            compile(text, "piece", "exec")
        except SyntaxError:
            return
        self.text.append(text)


def files(seed: int) -> Files:
    """The files of one case."""
    random, counter = Random(seed), [0]
    config, main, plugin = Composer(random, counter), Composer(random, counter), Composer(random, counter)
    for _ in range(random.randrange(1, 4)):
        config.step()
    if random.random() < 0.8:
        main.borrow("config", config.names)
    for _ in range(random.randrange(2, 8)):
        main.step()
    own = {kind: [n for n in there if n.isidentifier()] for kind, there in main.names.items()}
    if random.random() < 0.6:
        plugin.borrow("main", own)
        if random.random() < 0.5:
            plugin.borrow("config", config.names)
        for _ in range(random.randrange(1, 3)):
            plugin.step(1, 0.9)
    if random.random() < 0.15:
        config.ending(main, "main")
    names = main.names
    questions = [*main.asked, *names["num"], *names["str"], *(f"{c}.W" for c in (*names["cls"], *names["obj"]))]
    questions += [f"{f}()" for f in names["fun"]]
    questions += [q for d in names["dict"] for q in (f"{d}['W']", f"{d}.get('S')", f"len({d})", f"'B' in {d}")]
    questions += [q for x in names["list"] for q in (f"{x}[0]", f"len({x})", f"{x}[-1]")]
    questions += [main.expression() for _ in range(_ASKED)]
    texts = ["\n".join(composer.text) for composer in (main, config, plugin)]
    return Files(texts[0], texts[1], texts[2], list(dict.fromkeys(questions)))
