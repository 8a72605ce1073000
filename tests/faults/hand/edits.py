"""A hand at a desk: what it does to the documents and files, key by key. Knows nothing of what is shown.

Everything is drawn from one random source, so a seed is a session.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from hand.client import Client
from hand.texts import Function, decoded, encoded, functions, lines, position

Key = Callable[[str], Awaitable[None]]
"""Called after each key, with the document's URI."""

GOOD = (
    "extra = tl.arange(0, 16)",
    "extra = tl.zeros([16, 16], dtype=tl.float32)",
    "extra = tl.program_id(0) * 2  # \U0001f600",
    "for step in range(4): pass",
    "tl.static_assert(True, 'so it is')",
    "tl.store({pointer}, 1)",
    "extra = tl.load({pointer})",
    "if tl.program_id(0) == 3: tl.store({pointer}, 2)",
)
BAD = (
    "extra = undefined_name + 1",
    "extra = tl.arange(0, 100)",
    "tl.store({pointer} + tl.arange(0, 16), tl.arange(0, 32))",
    "return in_the_middle(",
    "extra = = 1",
    "extra = 'never closed",
)
OPENERS = ("(", "[", '"""', "def ", "@", "class X", "\0", "\t", "\\", "if ", "import ", "\U0001f600", ")")
SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"severity": {"mutated-parameter": "warning"}},
    {"severity": {"compile-error": "warning", "recursion": "off"}},
    {"inlayHints": {"types": False}},
    {"inlayHints": {"written": False}},
    {"debounce": 150},
    {"target": "cuda:80"},
    {"target": "hip:gfx942"},
)


class Hand:
    """``folders``: of the workspace, below ``root``. ``changed_disk``: how often a file changed without an editor.
    ``log``: what was done, in words."""

    def __init__(
        self, client: Client, root: Path, folders: list[Path], chance: random.Random, key: Key, pace: float,
        thinks: float = 0.0, longest: float = 1.0,
    ) -> None:  # fmt: skip
        self.client, self.root, self.folders, self.chance = client, root, folders, chance
        self._key, self._pace, self._thinks, self._longest = key, pace, thinks, longest
        self._before: dict[str, list[str]] = {}
        self.changed_disk = 0
        self.edits = 0
        self.log: list[str] = []

    # Documents -------------------------------------------------------------------------------------------------------

    def uri(self, name: str) -> str:
        return (self.root / name).as_uri()

    def path(self, uri: str) -> Path:
        return Path(url2pathname(urlsplit(uri).path))

    @property
    def open_files(self) -> list[str]:
        return [uri for uri in self.client.documents if uri.startswith("file:")]

    def text(self, uri: str) -> str:
        return self.client.documents[uri].text

    def open(self, name: str) -> str:
        return self.open_path(self.root / name)

    def open_path(self, path: Path) -> str:
        """Some editors leave the BOM in the text."""
        text = decoded(path.read_bytes())
        self.client.open(path.as_uri(), text.removeprefix("\ufeff") if self.chance.random() < 0.7 else text)
        return path.as_uri()

    def write(self, path: Path, text: str) -> None:
        """As another program does it, or an editor: in place, or a new file in the old one's."""
        self.changed_disk += 1
        if self.chance.random() < 0.5:
            path.write_bytes(encoded(text))
            return
        new = path.with_name(f".{path.name}.new")
        new.write_bytes(encoded(text))
        new.replace(path)

    async def put_many(self, uri: str, edits: list[tuple[int, int, str]]) -> None:
        """Several places in one message, from the last to the first, or each where those before it have moved it to."""
        text, now, changes = self.text(uri), self.text(uri), list[dict[str, Any]]()
        shift, forwards = 0, self.chance.random() < 0.5
        for start, end, new in sorted(edits, reverse=not forwards):
            first, last = start + shift, end + shift
            changes.append({"range": {"start": position(now, first), "end": position(now, last)}, "text": new})
            now = now[:first] + new + now[last:]
            shift += len(new) - (end - start) if forwards else 0
        if now == text:
            return
        self._before.setdefault(uri, []).append(text)
        last_range = changes[-1]["range"]["start"]["line"] + len(lines(changes[-1]["text"])) - 1
        self.client.change(uri, now, changes, last_range)
        self.edits += 1
        await self._key(uri)
        await self._pause(uri, (0.0, self._pace))

    async def put(self, uri: str, start: int, end: int, new: str) -> None:
        """One change, one key."""
        text = self.text(uri)
        changed = text[:start] + new + text[end:]
        if changed == text:
            return
        edit = {"range": {"start": position(text, start), "end": position(text, end)}, "text": new}
        self._before.setdefault(uri, []).append(text)
        self.client.change(uri, changed, [edit], position(changed, start + len(new))["line"])
        self.edits += 1
        await self._key(uri)
        await self._pause(uri, (0.0, 0.0, self._pace, self._pace, 3 * self._pace))

    async def _pause(self, uri: str, paces: tuple[float, ...]) -> None:
        """Until the next key: ``thinks`` is how often that is longer than new errors wait."""
        if self._thinks and self.chance.random() < self._thinks:
            await asyncio.sleep(self.chance.uniform(min(0.45, self._longest), self._longest))
            await self._key(uri)
        else:
            await asyncio.sleep(self.chance.choice(paces))

    async def type(self, uri: str, at: int, text: str) -> int:
        """Letter by letter; where the cursor is then."""
        for letter in re.findall(r"\r\n[ \t]*|\n[ \t]*|.", text, re.DOTALL):
            await self.put(uri, at, at, letter)
            at += len(letter)
        return at

    async def erase(self, uri: str, start: int, end: int) -> None:
        """Letter by letter, from behind."""
        while end > start:
            text = self.text(uri)
            step = 2 if text[end - 2 : end] == "\r\n" else 1
            await self.put(uri, end - step, end, "")
            end -= step

    async def undo(self, uri: str, steps: int = 1) -> None:
        """As an editor does it: one change for each step."""
        for _ in range(min(steps, len(self._before.get(uri, [])))):
            wanted = self._before[uri].pop()
            if wanted != self.text(uri):
                await self.become(uri, wanted)
                self._before[uri].pop()  # what was undone is not undone again

    async def become(self, uri: str, wanted: str) -> None:
        """The one stretch that differs is replaced."""
        text = self.text(uri)
        shorter = min(len(text), len(wanted))
        first = next((n for n in range(shorter) if text[n] != wanted[n]), shorter)
        last = next((n for n in range(shorter - first) if text[-1 - n] != wanted[-1 - n]), shorter - first)
        # Half a line end is no place for an edit.
        first = re.sub(r"\r\Z", "", text[:first]).__len__()
        while last and text[len(text) - last] == "\n":
            last -= 1
        await self.put(uri, first, len(text) - last, wanted[first : len(wanted) - last])

    def end_of_line(self, uri: str, line: int) -> int:
        text = self.text(uri)
        at = 0
        for match in re.finditer(r"\r\n|\r|\n", text):
            if line == 0:
                return match.start()
            line, at = line - 1, match.end()
        return len(text) if line == 0 else at

    def line_end(self, uri: str) -> str:
        return "\r\n" if "\r\n" in self.text(uri) else "\n"

    # What a hand does ------------------------------------------------------------------------------------------------

    def some_function(self, uri: str) -> Function | None:
        found = functions(self.text(uri))
        return self.chance.choice(found) if found else None

    def body_line(self, uri: str, function: Function) -> int:
        """A line of its body behind which a statement may stand, most of the time."""
        all_lines = lines(self.text(uri))
        depth, places = 0, []
        for number in range(function.head, function.end):
            bare = re.sub(r"'[^']*'|\"[^\"]*\"|#.*", "", all_lines[number])
            depth += sum(bare.count(c) for c in "([{") - sum(bare.count(c) for c in ")]}")
            if depth <= 0 and bare.strip():
                places.append(number)
        return self.chance.choice(places or [function.end - 1])

    def statement(self, uri: str, function: Function, good: bool) -> str:
        names = re.findall(r"\b(\w*ptr\w*|\w*_ptr)\b", function.text(self.text(uri))) or ["x_ptr"]
        return self.chance.choice(GOOD if good else BAD).format(pointer=self.chance.choice(names))

    async def type_statement(self, uri: str, function: Function, good: bool) -> tuple[int, int]:
        """A new line in a function; which stretch of the text it is."""
        line = self.body_line(uri, function)
        here = lines(self.text(uri))[line]
        indent = re.match(r"[ \t]*", here)
        inner = (indent[0] if indent else "") + ("    " if here.rstrip().endswith(":") else "")
        if line == function.head:
            inner = "\t" if "\t" in self.text(uri) else "    "
        at = self.end_of_line(uri, line)
        said = self.statement(uri, function, good)
        self.log.append(f"type {said!r} behind line {line + 1} of {self.path(uri).name} ({function.name})")
        return at, await self.type(uri, at, self.line_end(uri) + inner + said)

    async def delete_line(self, uri: str) -> None:
        function = self.some_function(uri)
        if function is None:
            return
        line = self.chance.randrange(function.first, function.end)
        self.log.append(f"delete line {line + 1} of {self.path(uri).name}")
        start, end = self.end_of_line(uri, line - 1) if line else 0, self.end_of_line(uri, line)
        await self.put(uri, start, end, "")

    async def paste_function(self, uri: str) -> None:
        """A copy further down, under another name most of the time."""
        function = self.some_function(uri)
        if function is None:
            return
        text = self.text(uri)
        start = self.end_of_line(uri, function.first - 1) if function.first else 0
        end = self.end_of_line(uri, function.end - 1)
        copied = text[start:end]
        if self.chance.random() < 0.8:
            copied = re.sub(rf"\b{function.name}\b", f"{function.name}_{self.chance.randrange(9)}", copied)
        to = self.chance.choice([other.end for other in functions(text)])
        self.log.append(f"paste {function.name} behind line {to} of {self.path(uri).name}")
        at = self.end_of_line(uri, to - 1)
        await self.put(uri, at, at, self.line_end(uri) * 2 + copied)

    async def move_function(self, uri: str) -> None:
        """Cut, and pasted at another place a moment later."""
        function = self.some_function(uri)
        if function is None or function.first == 0:
            return
        start, end = self.end_of_line(uri, function.first - 1), self.end_of_line(uri, function.end - 1)
        cut = self.text(uri)[start:end]
        self.log.append(f"move {function.name} of {self.path(uri).name}")
        await self.put(uri, start, end, "")
        rest = functions(self.text(uri))
        at = self.end_of_line(uri, self.chance.choice(rest).end - 1) if rest else len(self.text(uri))
        await self.put(uri, at, at, self.line_end(uri) + cut)

    async def rename(self, uri: str) -> None:
        """A word of a function, wherever it stands in the file: place by place, or all in one message."""
        function = self.some_function(uri)
        if function is None:
            return
        words = set(re.findall(r"\b[a-zA-Z_]\w{3,}\b", function.text(self.text(uri)))) - {
            "triton",
            "constexpr",
            "return",
        }
        word = self.chance.choice(sorted(words))
        new = self.chance.choice((f"{word}_", f"{word}2", "\U0001d544" + word, word[:-1]))
        self.log.append(f"rename {word} to {new!r} in {self.path(uri).name}")
        text = self.text(uri)
        places = [match.start() for match in re.finditer(rf"\b{re.escape(word)}\b", text)]
        if self.chance.random() < 0.5:
            for at in reversed(places):
                await self.put(uri, at, at + len(word), new)
            return
        await self.put_many(uri, [(at, at + len(word), new) for at in places])

    async def break_something(self, uri: str) -> None:
        """A few letters that leave the text broken, in the middle of it; they go again most of the time."""
        function = self.some_function(uri)
        if function is None:
            return
        line = self.chance.randrange(function.first, function.end)
        end = self.end_of_line(uri, line)
        at = end - self.chance.randrange(len(lines(self.text(uri))[line]) + 1)
        opener = self.chance.choice(OPENERS)
        self.log.append(f"type {opener!r} into line {line + 1} of {self.path(uri).name}")
        behind = await self.type(uri, at, opener)
        if self.chance.random() < 0.85:
            await asyncio.sleep(self.chance.choice((0.0, 0.3)))
            await self.erase(uri, at, behind)

    async def change_number(self, uri: str) -> None:
        text = self.text(uri)
        found = list(re.finditer(r"\b\d+\b", text))
        if found:
            match = self.chance.choice(found)
            new = self.chance.choice(("16", "32", "64", "128", "100", "0", "3"))
            self.log.append(f"{match[0]} becomes {new} in {self.path(uri).name}: {position(text, match.start())}")
            await self.put(uri, *match.span(), new)

    async def replace_all(self, uri: str) -> None:
        """As a formatter does it, or an editor that sends the whole text: other line ends."""
        text = self.text(uri)
        new = text.replace("\r\n", "\n") if "\r\n" in text else text.replace("\n", "\r\n")
        self.log.append(f"other line ends in {self.path(uri).name}")
        self._before.setdefault(uri, []).append(text)
        self.client.change(uri, new, [{"text": new}], None)
        self.edits += 1
        await self._key(uri)

    # Files -----------------------------------------------------------------------------------------------------------

    def save(self, uri: str) -> None:
        self.write(self.path(uri), self.text(uri))
        self.client.save(uri)
        self.log.append(f"save {self.path(uri).name}")

    async def reopen(self, uri: str) -> None:
        """Closed, saved or not, and opened again as it is on disk."""
        if self.chance.random() < 0.5:
            self.save(uri)
        self.log.append(f"close and open {self.path(uri).name}")
        self.client.close(uri)
        self._before.pop(uri, None)
        await asyncio.sleep(self.chance.choice((0.0, 0.1, 0.5)))
        if self.path(uri).exists():
            self.open_path(self.path(uri))
        self.changed_disk += 1

    async def save_as(self, uri: str) -> None:
        """Under another name; the old file stays, or goes as with a rename."""
        text, old = self.text(uri), self.path(uri)
        new = old.with_name(f"{old.stem}_{self.chance.randrange(9)}.py")
        stays = self.chance.random() < 0.5
        self.log.append(f"{'save' if stays else 'rename'} {old.name} as {new.name}")
        if not stays and old.exists():
            old.rename(new)
        new.write_bytes(encoded(text))
        self.client.close(uri)
        if new.as_uri() not in self.client.documents:
            self.client.open(new.as_uri(), text)
        self.changed_disk += 1
        self.client.changed_on_disk(new.as_uri(), uri)

    async def delete_file(self, uri: str) -> None:
        """Under the open document."""
        self.log.append(f"delete {self.path(uri).name}")
        self.path(uri).unlink(missing_ok=True)
        self.changed_disk += 1

    async def change_on_disk(self) -> None:
        """A file that is not open, or one that is: by another program."""
        files = [path for path in sorted(self.root.rglob("*.py")) if path.stat().st_size]
        path = self.chance.choice(files)
        text = decoded(path.read_bytes())
        numbers = list(re.finditer(r"\b\d+\b", text))
        if not numbers:
            return
        match = self.chance.choice(numbers)
        new = text[: match.start()] + self.chance.choice(("16", "32", "64", "5")) + text[match.end() :]
        self.log.append(f"on disk, {path.name}: {match[0]} at line {text[: match.start()].count(chr(10)) + 1}")
        self.write(path, new)

    async def change_settings(self) -> None:
        new = dict(self.chance.choice(SETTINGS))
        self.client.settings = {"interpreter": self.client.settings["interpreter"], **new}
        self.log.append(f"settings {new}")
        self.client.notify("workspace/didChangeConfiguration", {"settings": None})

    async def notebook(self) -> None:
        """Cells come, change, move and go, as the documents that they are to an editor."""
        self.log.append("cells of a notebook")
        names = [f"vscode-notebook-cell:{self.root}/book.ipynb#W{n}" for n in range(3)]
        for name in names[:2]:
            if name not in self.client.documents:
                self.client.open(name, "import triton\n\n\n@triton.jit\ndef in_cell(x_ptr):\n    pass\n")
        for name in [name for name in names if name in self.client.documents]:
            await self.put(name, 0, 0, self.chance.choice(("%time\n", "x = 1\n", "!ls\n")))
        gone = self.chance.choice(names[:2])
        text, kind = self.text(gone), self.chance.choice(("python", "markdown"))
        self.client.close(gone)
        self.client.open(gone, text, kind)
        self.client.close(gone)
