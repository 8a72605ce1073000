"""What is shown while a hand types: whatever disturbs, or is not of the text that it is shown on.

Looks after each key; what a server may take its time for is judged at rest (``rest``).
"""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from hand.client import Client, Published, Refused
from hand.rest import Shown, diagnostic, hint, hints, hover, whole
from hand.texts import Function, around, first_units, functions, lines, of_range, position

DELAY = 0.4
"""Seconds that a new error on the line of the cursor has to wait."""
_Identity = tuple[str, str, str]
_NUMBER = re.compile(r"\blines? \d+(?: and \d+|, \d+)*|:\d+")


@dataclass(slots=True)
class Guard:
    """While somebody types in one function, what was shown in others stays. ``expected``: by code, words and the text
    of the line."""

    uri: str
    function: Function
    expected: Counter[tuple[str, str, str]]
    since: int


@dataclass(slots=True)
class Snapshot:
    """What was shown of one document between two keys, and all texts of that moment."""

    uri: str
    texts: dict[str, str]
    shown: Shown


@dataclass(slots=True)
class Watch:
    """``faults``: what was wrong, in words."""

    client: Client
    chance: random.Random
    faults: list[str] = field(default_factory=list[str])
    snapshots: list[Snapshot] = field(default_factory=list[Snapshot])
    guard: Guard | None = None
    asked: int = 0
    _seen: int = 0
    _last: dict[str, set[tuple[str, str]]] = field(default_factory=dict[str, "set[tuple[str, str]]"])
    _between: bool = False
    """Something else than a document has changed since the last rest: a server may take its time to see that."""
    _gone: dict[str, tuple[dict[str, int], set[_Identity], set[_Identity]]] = field(
        default_factory=dict[str, "tuple[dict[str, int], set[_Identity], set[_Identity]]"]
    )
    """By document: versions of all, and what was shown of those last, and was shown and is no more."""

    def begin(self, uri: str, function: Function) -> None:
        """The server is at rest, and somebody begins to type in a function."""
        self.look()
        self._between = False
        text = self.client.documents[uri].text
        expected: Counter[tuple[str, str, str]] = Counter()
        for item in self.client.shown(uri):
            other = around(text, item["range"]["start"]["line"])
            mentioned = function.name in item["message"] + str(item.get("relatedInformation"))
            if other is not None and other.name != function.name and not mentioned:
                expected[identity(item, text)] += 1
        named = Counter(each.name for each in functions(text))
        if expected and max(named.values()) == 1 and not re.search(rf"(?<!def )\b{function.name}\(", text):
            self.guard = Guard(uri, function, expected, self.client.documents[uri].version)

    def end(self) -> None:
        self.look()
        self.guard = None

    def look(self) -> None:
        """At what was published since the last look."""
        new, self._seen = self.client.published[self._seen :], len(self.client.published)
        for each in new:
            document, version = self.client.documents.get(each.uri), each.version or 0
            if document is None or version < min(document.texts):
                continue  # said before the server heard that it was closed; whether it takes it back is seen at rest
            if version not in document.texts:
                self.faults.append(f"of a version that never was: {each.version}")
                continue
            self._places(each, document.texts[version])
            self._delay(each, version)
            self._flickers(each, document.texts[version], version)
            self._guarded(each, version)

    def changed(self) -> None:
        """Something else than a document is another now: what goes may come again."""
        self.look()
        self.snapshots.clear()
        self._gone.clear()
        self._between = True

    def _flickers(self, each: Published, text: str, version: int) -> None:
        """What is said of one and the same text goes for good, while all others are what they were."""
        now = {identity(item, text) for item in each.found}
        texts = {**{uri: document.version for uri, document in self.client.documents.items()}, each.uri: version}
        known, shown, gone = self._gone.get(each.uri, (texts, set[_Identity](), set[_Identity]()))
        if known != texts:
            shown, gone = set[_Identity](), set[_Identity]()
        if back := gone & now:
            self.faults.append(f"comes and goes on the same text: {sorted(back)}")
        self._gone[each.uri] = texts, now, gone | (shown - now)

    def _places(self, each: Published, text: str) -> None:
        for item in each.found:
            try:
                of_range(text, item["range"])
            except (AssertionError, IndexError) as error:
                self.faults.append(f"a place that the text has not: {item['code']} {item['range']} ({error})")

    def _delay(self, each: Published, version: int) -> None:
        document = self.client.documents[each.uri]
        known = self._last.get(each.uri, set())
        errors = [item for item in each.found if item["severity"] == 1]
        if each.sent == version and version > 1 and each.at - document.times[version] < DELAY - 0.01:
            early = [
                item["message"]
                for item in errors
                if _unplaced(item) not in known and item["range"]["start"]["line"] == document.cursors[version]
            ]
            if early:
                waited = each.at - document.times[version]
                self.faults.append(f"an error under the cursor after {waited:.2f} s: {early}")
        self._last[each.uri] = {_unplaced(item) for item in errors}

    def _guarded(self, each: Published, version: int) -> None:
        guard = self.guard
        if guard is None or guard.uri != each.uri or version < guard.since:
            return
        text = self.client.documents[each.uri].texts[version]
        found = Counter(identity(item, text) for item in each.found)
        gone = guard.expected - found
        if gone:
            self.faults.append(f"gone while {guard.function.name} was typed in: {list(gone)}; there: {list(found)}")

    async def ask(self, uri: str) -> None:
        """What an editor asks for between two keys: never an error, and of names that are there."""
        document = self.client.documents[uri]
        text, version = document.text, document.version
        about = {"uri": uri}
        number = self.chance.randrange(len(lines(text)))
        line = lines(text)[number]
        if (cursor := document.cursors[version]) is not None and self.chance.random() < 0.5:
            number = min(cursor, len(lines(text)) - 1)
            line = lines(text)[number]
        at = position(line, self.chance.randrange(len(line) + 1))["character"]
        place = {"line": number, "character": at}
        self.asked += 1
        try:
            said, range_ = await hover(self.client, uri, number, at)
            for method, more in (
                ("textDocument/documentSymbol", {}),
                ("textDocument/codeLens", {}),
                ("textDocument/codeAction", {"range": {"start": place, "end": place}, "context": {"diagnostics": []}}),
            ):
                await self.client.ask(method, {"textDocument": about, **more})
            found = await self.client.ask("textDocument/inlayHint", {"textDocument": about, "range": whole(text)})
        except Refused as error:
            self.faults.append(f"an error for an answer: {error}")
            return
        if self.client.documents.get(uri) is not document or document.version != version:
            return
        if said and range_ and not re.fullmatch(r"\w+", of_range(text, range_)):
            self.faults.append(f"a hover on what is no name: {of_range(text, range_)!r}")
        for item in found or []:
            here = item["position"]
            if not re.search(r"\w\Z", first_units(lines(text)[here["line"]], here["character"])):
                self.faults.append(f"a hint behind no name: {hint(item)} in {lines(text)[here['line']]!r}")

    async def remember(self, uri: str) -> None:
        """What is shown right now, to be compared later with what a fresh server shows of the same texts."""
        if self._between:
            return
        texts = {each: document.text for each, document in self.client.documents.items() if each.startswith("file:")}
        text, version = texts[uri], self.client.documents[uri].version
        found = await hints(self.client, uri, text)
        last = next((each for each in reversed(self.client.published) if each.uri == uri), None)
        now = {each: d.text for each, d in self.client.documents.items() if each.startswith("file:")}
        if texts == now:
            of_it = last.found if last is not None and last.version == version else []
            self.snapshots.append(Snapshot(uri, texts, Shown(text, sorted(map(diagnostic, of_it), key=str), found)))


def _words(item: dict[str, Any]) -> tuple[str, str]:
    """Without advice, which the first finding of a file has that is there."""
    return str(item["code"]), item["message"].partition("\n")[0]


def _unplaced(item: dict[str, Any]) -> tuple[str, str]:
    """What it says, wherever the lines are now that it names."""
    code, message = _words(item)
    return code, _NUMBER.sub("line", message)


def identity(item: dict[str, Any], text: str) -> _Identity:
    return *_unplaced(item), lines(text)[item["range"]["start"]["line"]]
