"""What editors and other programs do to documents and files beside typing: many places or many files at once, requests
that nobody waits for, documents that are no files. Knows nothing of what is shown.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from hand.client import Refused
from hand.edits import Hand
from hand.texts import decoded, encoded, functions, lines

_CANCELLED = -32800
_QUESTIONS = ("hover", "inlayHint", "documentSymbol", "codeLens", "codeAction", "diagnostic")
SETS = ("sizes.SCALE = tl.constexpr(5)", "sizes.ROWS = 7", "helpers.SCALE = tl.constexpr(9)", "sizes = helpers")
OUTSIDE = """\
import triton
import triton.language as tl
from beside import doubled


@triton.jit
def outside_kernel(x_ptr, out_ptr, n):
    at = tl.arange(0, 64)
    tl.store(out_ptr + at, doubled(tl.load(x_ptr + at, mask=at < n)), mask=at < n)
"""
BESIDE = """\
import triton


@triton.jit
def doubled(x):
    return x * 2
"""


async def many_cursors(hand: Hand, uri: str) -> None:
    """The same letters at several places, key by key."""
    function = hand.some_function(uri)
    if function is None:
        return
    chosen = hand.chance.sample(range(function.head, function.end), min(3, function.end - function.head))
    said = hand.chance.choice(("  # \U0001f600", "  # so", " + 1", "\U0001d544"))
    hand.log.append(f"type {said!r} behind lines {[line + 1 for line in chosen]} of {hand.path(uri).name}")
    before = hand.text(uri)
    for letter in said:
        await hand.put_many(uri, [(at, at, letter) for at in (hand.end_of_line(uri, line) for line in chosen)])
    if hand.chance.random() < 0.7:
        await hand.become(uri, before)


async def comment(hand: Hand, uri: str) -> None:
    """Some lines become comments, and most of the time become lines again."""
    function = hand.some_function(uri)
    if function is None:
        return
    first = hand.chance.randrange(function.first, function.end)
    chosen = range(first, min(function.end, first + hand.chance.randrange(1, 6)))
    hand.log.append(f"comment out lines {first + 1} to {chosen[-1] + 1} of {hand.path(uri).name}")
    starts = [hand.end_of_line(uri, line) - len(lines(hand.text(uri))[line]) for line in chosen]
    before = hand.text(uri)
    await hand.put_many(uri, [(at, at, "# ") for at in starts])
    await asyncio.sleep(hand.chance.choice((0.0, 0.1, 0.6)))
    if hand.chance.random() < 0.8:
        found = [m for m in re.finditer(r"^# ", hand.text(uri), re.MULTILINE) if m.start() >= starts[0]]
        await hand.put_many(uri, [(m.start(), m.end(), "") for m in found[: len(starts)]])
        if hand.text(uri) != before:
            await hand.become(uri, before)


async def format_and_save(hand: Hand, uri: str) -> None:
    """What a formatter does before a file is saved: an edit at each of its places, all in one message."""
    text = hand.text(uri)
    found = [(m.start(), m.end(), "") for m in re.finditer(r"[ \t]+(?=\r|\n|\Z)", text)]
    found += [(m.start(), m.end(), f"{m[1]}{m[1]}{m[1]}") for m in re.finditer(r"(?<!\n)(\r\n|\n){4,}", text)]
    found += [(m.start(1), m.end(1), " ") for m in re.finditer(r",(  +)\w", text)]
    found += [(m.start(1), m.end(1), "  ") for m in list(re.finditer(r"\w( )= ", text))[:2]]
    places = [each for n, each in enumerate(sorted(found)) if n == 0 or each[0] >= sorted(found)[n - 1][1]]
    hand.log.append(f"format {len(places)} places of {hand.path(uri).name} and save it")
    await hand.put_many(uri, places)
    hand.save(uri)


async def line_ends(hand: Hand, uri: str) -> None:
    """Some lines end otherwise than the rest."""
    text = hand.text(uri)
    found = list(re.finditer(r"\r\n|\r|\n", text))
    chosen = hand.chance.sample(found, min(3, len(found)))
    new = hand.chance.choice(("\n", "\r\n", "\r"))
    hand.log.append(f"{new!r} for the ends of some lines of {hand.path(uri).name}")
    # A CR before an LF would be one end with it.
    places = [m for m in chosen if not (new == "\r" and text[m.end() : m.end() + 1] == "\n")]
    await hand.put_many(uri, [(*m.span(), new) for m in places])


async def long_line(hand: Hand, uri: str) -> None:
    function = hand.some_function(uri)
    if function is None:
        return
    at = hand.end_of_line(uri, function.head)
    what = hand.chance.choice(("# " + "long " * 8000, "'" + "\U0001f600" * 9000 + "'", "_ = " + "1 + " * 300 + "1"))
    hand.log.append(f"a line of {len(what)} letters in {function.name} of {hand.path(uri).name}")
    indent = "\t" if "\n\t" in hand.text(uri) else "    "
    await hand.put(uri, at, at, hand.line_end(uri) + indent + what)
    await hand.put(uri, at + 20, at + 20, "x")
    if hand.chance.random() < 0.8:
        await hand.undo(uri, 2)


async def undo_and_redo(hand: Hand, uri: str) -> None:
    """As fast as keys repeat."""
    hand.log.append(f"undo and redo in {hand.path(uri).name}")
    for steps in (3, 12):
        after = hand.text(uri)
        await hand.undo(uri, steps)
        await hand.become(uri, after)


async def open_again(hand: Hand, uri: str) -> None:
    """By a client that has not said that it closed it."""
    text = hand.text(uri)
    if hand.chance.random() < 0.5:
        text = re.sub(r"\b(16|32|64)\b", hand.chance.choice(("16", "128")), text, count=1)
    hand.log.append(f"open {hand.path(uri).name} once more{'' if text == hand.text(uri) else ', with another text'}")
    hand.client.open(uri, text)


async def checkout(hand: Hand, uri: str) -> None:
    """Another branch: several files are others, come or go, and most of the time come back."""
    before = {path: path.read_bytes() for path in sorted(hand.root.rglob("*.py"))}
    clean = {
        each for each in hand.open_files
        if hand.path(each) in before and decoded(before[hand.path(each)]).removeprefix("\ufeff")
        == hand.text(each).removeprefix("\ufeff")
    }  # fmt: skip
    said: list[str] = []
    for path in hand.chance.sample(list(before), min(len(before), hand.chance.randrange(1, 4))):
        text, what = decoded(before[path]), hand.chance.choice(("number", "delete", "rename", "launch", "set", "cut"))
        numbers = list(re.finditer(r"\b\d+\b", text))
        found = functions(text)
        if what == "delete":
            path.unlink()
        elif what == "rename":
            path.rename(path.with_name(f"{path.stem}_moved.py"))
        elif what == "launch" and found:
            name = hand.chance.choice(found).name
            new = path.with_name(f"uses_{name}.py")
            call = f"{name}[(1,)]({', '.join(['torch.empty(8, dtype=torch.int32)'] * hand.chance.randrange(1, 4))})"
            hand.write(new, f"import torch\nfrom {path.stem} import {name}\n\n{call}\n")
        elif what == "set":
            hand.write(path.with_name("sets.py"), f"import sizes, helpers\nimport triton.language as tl\n\n{SETS[0]}\n")
        elif what == "cut" and found:
            gone = hand.chance.choice(found)
            hand.write(path, "\n".join(lines(text)[: gone.first] + lines(text)[gone.end :]))
        elif numbers:
            match = hand.chance.choice(numbers)
            hand.write(path, text[: match.start()] + hand.chance.choice(("16", "64", "7")) + text[match.end() :])
        said.append(f"{what} {path.name}")
    hand.log.append(f"check out another branch: {', '.join(said)}")
    await _reload(hand, before, clean)
    if hand.chance.random() < 0.6:
        await asyncio.sleep(hand.chance.choice((0.0, 0.3, 1.5)))
        now = {path: path.read_bytes() for path in sorted(hand.root.rglob("*.py"))}
        for path in now.keys() - before.keys():
            path.unlink()
        for path, raw in before.items():
            if now.get(path) != raw:
                path.write_bytes(raw)
        hand.log.append("and the first one again")
        await _reload(hand, now, clean)


async def _reload(hand: Hand, before: dict[Path, bytes], clean: set[str]) -> None:
    """An editor shows what is on disk where nothing is unsaved, and tells the server what has changed."""
    hand.changed_disk += 1
    now = {path: path.read_bytes() for path in sorted(hand.root.rglob("*.py"))}
    changed = sorted(path for path in {*before, *now} if before.get(path) != now.get(path))
    first = hand.chance.random() < 0.5
    if first:
        hand.client.changed_on_disk(*(path.as_uri() for path in changed))
    for path in changed:
        if path in now and path.as_uri() in clean and path.as_uri() in hand.client.documents:
            await hand.become(path.as_uri(), decoded(now[path]).removeprefix("\ufeff"))
    if not first:
        hand.client.changed_on_disk(*(path.as_uri() for path in changed))


async def rename_everywhere(hand: Hand, uri: str) -> None:
    """A function by another name, in all files: in documents that are open, and on disk."""
    function = hand.some_function(uri)
    if function is None:
        return
    word, new = rf"\b{re.escape(function.name)}\b", f"{function.name}_{hand.chance.randrange(9)}"
    hand.log.append(f"rename {function.name} to {new} in all files")
    for each in hand.open_files:
        await hand.put_many(each, [(*m.span(), new) for m in re.finditer(word, hand.text(each))])
    for path in sorted(hand.root.rglob("*.py")):
        text = decoded(path.read_bytes())
        if path.as_uri() not in hand.client.documents and re.search(word, text):
            hand.write(path, re.sub(word, new, text))
            hand.client.changed_on_disk(path.as_uri())


async def move_elsewhere(hand: Hand, uri: str) -> None:
    """A function from one file to another."""
    function, others = hand.some_function(uri), [each for each in hand.open_files if each != uri]
    if function is None or function.first == 0 or not others:
        return
    other = hand.chance.choice(others)
    start, end = hand.end_of_line(uri, function.first - 1), hand.end_of_line(uri, function.end - 1)
    cut = hand.text(uri)[start:end]
    hand.log.append(f"move {function.name} from {hand.path(uri).name} to {hand.path(other).name}")
    await hand.put(uri, start, end, "")
    at = len(hand.text(other))
    await hand.put(other, at, at, hand.line_end(other) + cut.lstrip("\r\n") + hand.line_end(other))


async def set_elsewhere(hand: Hand, uri: str) -> None:
    """A line that sets a name of another module; it goes again most of the time."""
    said = hand.chance.choice(SETS)
    hand.log.append(f"type {said!r} at the end of {hand.path(uri).name}")
    end = len(hand.text(uri))
    top = f"import helpers, sizes{hand.line_end(uri)}"
    await hand.put(uri, end, end, hand.line_end(uri) + top)
    at = len(hand.text(uri))
    behind = await hand.type(uri, at, said)
    if hand.chance.random() < 0.7:
        await asyncio.sleep(hand.chance.choice((0.0, 0.5)))
        await hand.erase(uri, at, behind)
        await hand.put(uri, end, at, "")


async def settings_while_typing(hand: Hand, uri: str) -> None:
    function = hand.some_function(uri)
    if function is not None:
        typing = asyncio.create_task(hand.type_statement(uri, function, True))
        for _ in range(hand.chance.randrange(1, 4)):
            await hand.change_settings()
            await asyncio.sleep(hand.chance.choice((0.0, 0.1)))
        await typing


async def folders(hand: Hand, uri: str) -> None:
    """A folder of the workspace goes, and comes back."""
    folder = hand.chance.choice(hand.folders)
    about = {"uri": folder.as_uri(), "name": folder.name}
    hand.log.append(f"the folder {folder.name} goes and comes")
    for change in ({"removed": [about], "added": []}, {"added": [about], "removed": []}):
        hand.client.notify("workspace/didChangeWorkspaceFolders", {"event": change})
        await asyncio.sleep(hand.chance.choice((0.0, 0.2)))


async def outside(hand: Hand, uri: str) -> None:
    """A file that is in no folder of the workspace."""
    folder = hand.root.parent / "outside"
    folder.mkdir(exist_ok=True)
    path = folder / "outside_kernels.py"
    if not path.exists():
        path.write_bytes(encoded(OUTSIDE))
        (folder / "beside.py").write_bytes(encoded(BESIDE))
    hand.log.append("a file outside")
    if path.as_uri() not in hand.client.documents:
        hand.open_path(path)
    await hand.change_number(path.as_uri())


async def untitled(hand: Hand, uri: str) -> None:
    """A document that is no file yet."""
    name = "untitled:Untitled-1"
    hand.log.append("an untitled document")
    if name not in hand.client.documents:
        hand.client.open(name, OUTSIDE)
    await hand.put(name, 0, 0, "# new\n")
    await ask(hand, name)
    if hand.chance.random() < 0.5:
        hand.client.close(name)


async def nobody_waits(hand: Hand, uri: str) -> None:
    """Questions that are taken back, about what is closed or was never open, about places that are not there."""
    hand.log.append("questions that nobody waits for")
    never = hand.uri("never_opened.py")
    await asyncio.gather(
        *(ask(hand, each, cancelled) for each in (uri, never, "untitled:None") for cancelled in (True, False))
    )


async def ask(hand: Hand, uri: str, cancelled: bool = False) -> None:
    """Everything, far beyond the end, too. Each is answered, and nothing is wrong but that it was taken back."""
    far = {"line": hand.chance.choice((0, 3, 10**6)), "character": hand.chance.choice((0, 10**6))}
    more: dict[str, Any] = {
        "position": far, "range": {"start": {"line": 0, "character": 0}, "end": far}, "context": {"diagnostics": []}
    }  # fmt: skip
    for question in _QUESTIONS:
        if question == "diagnostic" and not hand.client.pulls:
            continue
        try:
            await hand.client.ask(f"textDocument/{question}", {"textDocument": {"uri": uri}, **more}, cancelled)
        except Refused as error:
            if not cancelled or str(_CANCELLED) not in str(error):
                hand.client.wrong.append(f"an error for an answer about {uri}: {question}: {error}")


Tool = Callable[[Hand, str], Awaitable[None]]
TOOLS: dict[Tool, float] = {
    many_cursors: 2, comment: 2, format_and_save: 1, line_ends: 0.5, long_line: 0.5, undo_and_redo: 1, open_again: 0.7,
    checkout: 3, rename_everywhere: 1.5, move_elsewhere: 1.5, set_elsewhere: 2, settings_while_typing: 0.6,
    folders: 0.3, outside: 0.7, untitled: 0.4, nobody_waits: 0.7,
}  # fmt: skip
"""Each with its weight among the things that a hand does."""
