"""How calm it is in front of somebody who retypes what was whole: what is said of functions that are not typed in
stays, what is typed in has one syntax error at most, and after the last key everything is what it was before the first.

Looks after each key at all that is shown. May not type.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from hand.client import Client, Published, Refused
from hand.rest import Shown, hint, whole
from hand.texts import around, functions, lines, parses
from hand.watch import Watch, identity

_Said = tuple[str, str, str]
THINKS = 1.2
"""Seconds without a key at most, in the middle of something."""
_WORD = re.compile(r"\w+")


@dataclass(slots=True)
class Base:
    """What was shown before the first key, by function: ``said``, diagnostics; ``hints``, with the text of their line;
    ``symbols``. ``related``: the functions that the one that is typed in calls, or that call it, through others,
    too; ``beside``: the errors of other documents; ``gone``: the functions that were not there for a moment."""

    name: str
    since: int
    related: set[str]
    said: dict[str, Counter[_Said]]
    errors: set[tuple[str, str]]
    hints: dict[str, Counter[tuple[str, str]]]
    symbols: dict[str, str]
    lenses: set[str]
    decorated: set[str]
    beside: dict[str, set[tuple[str, str]]]
    gone: set[str] = field(default_factory=set[str])

    def typed_in(self, text: str, cursor: int | None) -> None:
        """Whatever the cursor is in is typed in, under whatever name; what it decorates is, too, and stays so until
        that was looked at again."""
        here = None if cursor is None else around(text, cursor)
        for name in {here.name} if here is not None else set[str]():
            self.related |= _related(text, name)
        for name in _decorated_from_afar(text) - self.related:
            self.related |= _related(text, name)


@dataclass(slots=True)
class Calm:
    """``keys`` and ``publishes`` so far; ``early``: errors that came while keys followed each other; ``far``: syntax
    errors that were not at the cursor, with what was typed; ``passing``: all others that came while somebody typed."""

    client: Client
    uri: str
    watch: Watch
    faults: list[str] = field(default_factory=list[str])
    keys: int = 0
    publishes: int = 0
    early: int = 0
    far: list[str] = field(default_factory=list[str])
    passing: list[str] = field(default_factory=list[str])
    base: Base | None = None
    what: str = ""
    _seen: int = 0
    _elsewheres: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    _errors: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    async def begin(self, name: str) -> None:
        """At rest, before the first key."""
        document = self.client.documents[self.uri]
        text = document.text
        symbols, lenses, found = await self._asked()
        said = _by_function(self.client.shown(self.uri), text)
        errors = {*map(_error, filter(_is_error, self.client.shown(self.uri)))}
        related = _related(text, name)
        self.base = Base(
            name,
            document.version,
            related,
            said,
            errors,
            _hints(found, text),
            symbols,
            lenses,
            {*symbols},
            {
                uri: {_error(item) for item in self.client.shown(uri) if _is_error(item)}
                for uri in self.client.documents
            },
        )
        self._seen = len(self.client.published)
        document.typed.clear()

    async def key(self) -> None:
        """After one."""
        self.keys += 1
        self._look()
        base = self.base
        if base is None:
            return
        document = self.client.documents[self.uri]
        version, text = document.version, document.text
        try:
            symbols, lenses, found = await self._asked()
        except Refused as error:
            self._fault(f"an error for an answer: {error}", text)
            return
        if document.version != version:
            return
        base.typed_in(text, document.cursors[version])
        there = {each.name for each in functions(text)}
        base.gone |= base.symbols.keys() - there
        others = (there - base.related) & base.symbols.keys()
        now = _hints(found, text)
        for name in others:
            if (before := base.hints.get(name, Counter())) != now.get(name, Counter()):
                gone, new = before - now.get(name, Counter()), now.get(name, Counter()) - before
                self._fault(f"hints of {name}: gone {list(gone)[:2]}, new {list(new)[:2]}", text)
            if symbols.get(name) != base.symbols[name]:
                self._fault(f"symbol {name}: {symbols.get(name)!r} for {base.symbols[name]!r}", text)
            if (name in lenses) != (name in base.lenses):
                self._fault(f"lens of {name}", text)
        decorated = {name for name in base.symbols if re.search(rf"^@.*\ndef {name}\(", text, re.MULTILINE)}
        base.decorated &= decorated  # once its decorator was gone, nobody remembers it
        # One that comes anew is listed once its head is whole.
        there -= {each for each in base.gone if not re.search(rf"\bdef {each}\(.*\):", text)}
        there |= base.decorated
        if lost := (there & base.symbols.keys()) - symbols.keys():
            self._fault(f"no symbol of {lost}", text)
        if lost := (there & base.lenses) - lenses:
            self._fault(f"no lens of {lost}", text)

    def end(self, before: Shown, after: Shown) -> None:
        """At rest, after the last key, which left the text as it was."""
        self._look()
        for what, one, other in (
            ("diagnostic", before.diagnostics, after.diagnostics),
            ("hint", before.hints, after.hints),
            ("hover", [*before.hovers.items(), *before.names.items()], [*after.hovers.items(), *after.names.items()]),
        ):
            self.faults += [f"{self.what}: {what} lost at rest: {each}" for each in one if each not in other]
            self.faults += [f"{self.what}: {what} new at rest: {each}" for each in other if each not in one]
        self.base = None

    def settled(self) -> float:
        """Seconds from the last key until the last word."""
        document = self.client.documents[self.uri]
        last = next((each.at for each in reversed(self.client.published) if each.uri == self.uri), 0.0)
        return max(0.0, last - document.times[document.version])

    def _look(self) -> None:
        base, new = self.base, self.client.published[self._seen :]
        self._seen = len(self.client.published)
        for each in new:
            if base is not None and each.uri != self.uri:
                self._beside(each, base)
            if base is None or each.uri != self.uri or (each.version or 0) <= base.since:
                continue
            self.publishes += 1
            document, version = self.client.documents[self.uri], each.version or 0
            text = document.texts[version]
            now = _by_function(each.found, text)
            base.typed_in(text, document.cursors[version])
            for name in {function.name for function in functions(text)} - base.related:
                had, has = base.said.get(name, Counter()), now.get(name, Counter())
                if had != has:
                    self._fault(f"{name} was not typed in: gone {list(had - has)[:2]}, new {list(has - had)[:2]}", text)
            errors = [item for item in each.found if _is_error(item) and _error(item) not in base.errors]
            whose = {self._whose(item, text, base) for item in errors}
            syntax = [item for item in errors if item["code"] == "syntax-error"]
            cursor = document.cursors[version] or 0
            self.far += [
                f"{self.what}: line {item['range']['start']['line'] + 1} for {cursor + 1}: {item['message']} "
                f"[{lines(text)[cursor].strip()!r}]"
                for item in syntax
                if abs(item["range"]["start"]["line"] - cursor) > 1
            ]
            # One that was there before the key stays until the text is read.
            more = [item for item in errors if item not in syntax and (syntax or _error(item) not in self._errors)]
            self._errors = {_error(item) for item in each.found if _is_error(item)}
            if not parses(text) and (len(syntax) > 1 or more):
                said = [
                    (item["code"], item["message"][:60], item["message"][-24:], item["range"]["start"]["line"] + 1)
                    for item in errors
                ]
                self._fault(f"{len(errors)} errors of a text that does not parse, {self._quiet(each):.2f} s, cursor at "
                            f"{(document.cursors[version] or 0) + 1}: {said}", text)  # fmt: skip
            if "other" in whose:
                said = [(item["code"], item["message"][:80], item["range"]["start"]["line"] + 1) for item in errors]
                self._fault(f"an error elsewhere, cursor at {(document.cursors[version] or 0) + 1}: {said}", text)
            self._elsewhere(each, errors, text)
            self.passing += [
                f"PASSING {self.what}: after {self._quiet(each):.2f} s, line {item['range']['start']['line'] + 1} for "
                f"{cursor + 1}: {item['code']}: {item['message'][:150]!r} [{lines(text)[cursor].strip()!r}]"
                for item in more
            ]
            if errors and each.at - document.times[document.version] < 0.35 and each.sent == document.version:
                self.early += 1

    def _beside(self, each: Published, base: Base) -> None:
        """What is said of another document."""
        new = {_error(item) for item in each.found if _is_error(item)} - base.beside.get(each.uri, set())
        if new and self._quiet(each) < THINKS:
            said = f"in {each.uri.rpartition('/')[2]}, after {self._quiet(each):.2f} s: {sorted(new)}"
            self._fault(said, self.client.documents[self.uri].text)

    def _quiet(self, each: Published) -> float:
        """Seconds from the last key before it."""
        times = self.client.documents[self.uri].times.values()
        return each.at - max((time for time in times if time <= each.at), default=0.0)

    def _elsewhere(self, each: Published, errors: list[dict[str, Any]], text: str) -> None:
        """What stands where nobody typed waits for longer than somebody thinks in the middle of a line."""
        document, since = self.client.documents[self.uri], self._elsewheres
        new = [item for item in errors if _error(item) not in since and item["code"] != "syntax-error"]
        self._elsewheres = {_error(item) for item in errors}
        if self._quiet(each) > THINKS:
            return
        places = [(item, lines(text)[item["range"]["start"]["line"]].strip()) for item in new]
        if away := [(item["code"], item["message"][:80], at) for item, at in places if at not in document.typed]:
            self._fault(f"where nobody typed, after {self._quiet(each):.2f} s: {away}", text)

    def _whose(self, item: dict[str, Any], text: str, base: Base) -> str:
        function = around(text, item["range"]["start"]["line"])
        return "mine" if function is None or function.name in base.related or base.name not in text else "other"

    def where(self, when: str) -> str:
        """For what is said of this moment."""
        document = self.client.documents[self.uri]
        at = lines(document.text)[document.cursors[document.version] or 0].strip()
        return f"{when}, {self.what} [typed: {at!r}]"

    def _fault(self, said: str, text: str) -> None:
        document = self.client.documents[self.uri]
        cursor = document.cursors[document.version] or 0
        at = lines(text)[cursor] if cursor < len(lines(text)) else ""
        self.faults.append(f"{self.what}: {said} [typed: {at.strip()!r}]")

    async def _asked(self) -> tuple[dict[str, str], set[str], list[dict[str, Any]]]:
        about = {"textDocument": {"uri": self.uri}}
        text = self.client.documents[self.uri].text
        symbols = await self.client.ask("textDocument/documentSymbol", about) or []
        lenses = await self.client.ask("textDocument/codeLens", about) or []
        found = await self.client.ask("textDocument/inlayHint", {**about, "range": whole(text)}) or []
        return (
            {each["name"]: each.get("detail") or "" for each in symbols},
            {each["command"]["arguments"][1] for each in lenses if each.get("command")},
            found,
        )


def _is_error(item: dict[str, Any]) -> bool:
    return item["severity"] == 1 or item["code"] == "not-analyzed"


def _error(item: dict[str, Any]) -> tuple[str, str]:
    return item["code"], re.sub(r"\d+", "0", item["message"].partition("\n")[0])


def _by_function(found: list[dict[str, Any]], text: str) -> dict[str, Counter[_Said]]:
    said: dict[str, Counter[_Said]] = {}
    for item in found:
        function = around(text, item["range"]["start"]["line"])
        if function is not None:
            said.setdefault(function.name, Counter())[identity(item, text)] += 1
    return said


def _hints(found: list[dict[str, Any]], text: str) -> dict[str, Counter[tuple[str, str]]]:
    by_function: dict[str, Counter[tuple[str, str]]] = {}
    owners = {line: each.name for each in functions(text) for line in range(each.first, each.end)}
    for item in found:
        line, _, label = hint(item)
        if (name := owners.get(line)) is not None:
            by_function.setdefault(name, Counter())[lines(text)[line], str(label)] += 1
    return by_function


def _decorated_from_afar(text: str) -> set[str]:
    """The functions that an ``@`` somewhere above makes others of, blank lines between or not."""
    found: set[str] = set()
    for each in functions(text):
        above = [line for line in lines(text)[: each.first] if line.strip() and not line.startswith("#")][-1:]
        if above and above[0].startswith("@"):
            found.add(each.name)
    return found


def _related(text: str, name: str) -> set[str]:
    words = {each.name: set(_WORD.findall(each.text(text))) for each in functions(text)}
    related = {name}
    while more := {
        other for other in words
        if words[other] & related or any(other in words[each] for each in related)
    } - related:  # fmt: skip
        related |= more
    return related
