"""What a server shows when it has come to rest, and what a fresh one shows of the same texts: the same.

What is marked as of before the last edits is the only thing that a server may have which a fresh one has not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hand.client import Client, connected
from hand.texts import Function, around, functions, lines, parses, position

REMARK = "before the last edits"
_BROKEN = "It compiled before the last edits"
"""Of an error that is the last edits' and not a guess's: a fresh server can't know."""
Item = tuple[Any, ...]


@dataclass(slots=True)
class Shown:
    """Of one document. ``hovers`` by place."""

    text: str
    diagnostics: list[Item] = field(default_factory=list[Item])
    hints: list[Item] = field(default_factory=list[Item])
    hovers: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])
    names: dict[str, str] = field(default_factory=dict[str, str])


def diagnostic(item: Mapping[str, Any]) -> Item:
    related = [
        (note["location"]["uri"], str(note["location"]["range"]), note["message"])
        for note in item.get("relatedInformation") or []
    ]
    start, end = item["range"]["start"], item["range"]["end"]
    where = (start["line"], start["character"], end["line"], end["character"])
    return (*where, item["severity"], item["code"], item["message"], *related)


def hint(item: Mapping[str, Any]) -> Item:
    return item["position"]["line"], item["position"]["character"], item["label"]


def whole(text: str) -> dict[str, Any]:
    return {"start": {"line": 0, "character": 0}, "end": position(text, len(text))}


async def hints(client: Client, uri: str, text: str) -> list[Item]:
    params = {"textDocument": {"uri": uri}, "range": whole(text)}
    return sorted(hint(item) for item in await client.ask("textDocument/inlayHint", params) or [])


async def hover(client: Client, uri: str, line: int, character: int) -> tuple[str, Any]:
    place = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
    answer = await client.ask("textDocument/hover", place)
    return ("", None) if answer is None else (answer["contents"]["value"], answer.get("range"))


async def shown(client: Client, uri: str) -> Shown:
    """Everything that a server at rest shows of a document."""
    text = client.documents[uri].text
    found = Shown(text, sorted(map(diagnostic, client.shown(uri)), key=str), await hints(client, uri, text))
    for function in functions(text):
        for number in range(function.head, min(function.head + 12, function.end)):
            line = lines(text)[number]
            for name in re.finditer(r"\w+", line):
                place = position(line, name.start())["character"]
                said, _ = await hover(client, uri, number, place)
                if number == function.head and name[0] == function.name:
                    found.names[function.name] = said
                elif said:
                    found.hovers[number, place] = said
            if line.rstrip().endswith(":"):
                break
    return found


async def fresh(
    folders: Sequence[Path], texts: Mapping[str, str], settings: Mapping[str, Any], cache: Path
) -> dict[str, Shown]:
    """What a server shows that was shown these documents and nothing else, at rest."""
    async with connected(folders, {**settings, "cache": False}, cache) as client:
        for uri, text in texts.items():
            client.open(uri, text)
        await client.rest()
        found = {uri: await shown(client, uri) for uri in texts}
    assert not client.wrong, client.wrong
    return found


def _is_marked(item: Item) -> bool:
    return any(isinstance(part, str) and (part.startswith("~") or f"({REMARK})" in part) for part in item)


def _in(function: Function | None, remembered: set[str]) -> bool:
    return function is not None and function.name in remembered


def _stands_for(item: Item, error: Item, text: str) -> bool:
    """Whether what a fresh server says of a function in place of an error that the last edits brought."""
    one, other = around(text, item[0]), around(text, error[0])
    return "not-analyzed" in item and one is not None and other is not None and one.name == other.name


def _without(item: Item, advice: set[str]) -> Item:
    """What is shown without some of its lines."""
    lines_of = (part.split("\n") if isinstance(part, str) else None for part in item)
    return tuple(
        part if said is None else "\n".join([said[0], *(line for line in said[1:] if line not in advice)])
        for part, said in zip(item, lines_of, strict=True)
    )


def differences(live: Shown, new: Shown, *, settled: bool) -> list[str]:
    """What is shown though it is not so, and, ``settled``, what is so and not shown."""
    text = live.text
    remembered = {name for name, said in live.names.items() if REMARK in said.lower()}
    remembered |= {f.name for item in live.hints if _is_marked(item) and (f := around(text, item[0])) is not None}
    found: list[str] = []
    blamed = [item for item in live.diagnostics if any(_BROKEN in str(part) for part in item)]
    if blamed:  # who is to blame is said once a file, like all advice
        errors = [item for item in live.diagnostics if "compile-error" in item and item not in blamed]
        blamed += [item for item in errors if any(_stands_for(other, item, text) for other in new.diagnostics)]
    # Advice is given once a file: what such an error gives, or one that is marked, no other does.
    of_before = [*blamed, *filter(_is_marked, live.diagnostics)]
    given = {line for item in of_before for part in item for line in str(part).split("\n")[1:]}
    for what, ours, theirs in (
        ("diagnostic", [_without(item, given) for item in live.diagnostics if item not in of_before],
         [_without(item, given) for item in new.diagnostics]),
        ("hint", live.hints, new.hints),
        ("hover", [(*place, said) for place, said in live.hovers.items()],
         [(*place, said) for place, said in new.hovers.items()]),
    ):  # fmt: skip
        kept = [item for item in ours if not _is_marked(item)]
        if what == "hover":
            if not parses(text):
                break  # what is guessed of a helper is read off its callers as they were
            kept = [item for item in kept if not _in(around(text, item[0]), remembered)]
        found += [f"{what} that is not so: {item}" for item in kept if item not in theirs]
        if not settled or not parses(text):
            continue
        missing = [item for item in theirs if item not in kept]
        missing = [item for item in missing if not (what != "diagnostic" and _in(around(text, item[0]), remembered))]
        missing = [item for item in missing if not any(_stands_for(item, error, text) for error in blamed)]
        found += [f"{what} that is not shown: {item}" for item in missing]
    return found
