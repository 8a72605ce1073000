"""What somebody does to code that is there: takes a stretch away and types it again, as an editor helps with it.

Each leaves the text as it was. Draws from the hand's random source; knows nothing of what is shown.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from hand.edits import Hand
from hand.texts import Function, functions, lines

PAIRS = {"(": ")", "[": "]", "{": "}", '"': '"', "'": "'"}
_WORD = re.compile(r"[^\W\d]\w*")


async def _nothing() -> None:
    """For who does not compare there."""


@dataclass(frozen=True, slots=True)
class Retyping:
    """``name``: of the function. ``closes``: the editor closes brackets and quotes by itself; ``slips``: how often
    somebody mistypes; ``rest``: to come to it, where the text is whole."""

    hand: Hand
    uri: str
    name: str
    closes: bool
    slips: float = 0.04
    rest: Callable[[], Awaitable[None]] = _nothing

    @property
    def text(self) -> str:
        return self.hand.text(self.uri)

    @property
    def function(self) -> Function:
        return next(each for each in functions(self.text) if each.name == self.name)

    def start_of(self, line: int) -> int:
        text = self.text
        end = self.hand.end_of_line(self.uri, line - 1)
        return end + (2 if text.startswith("\r\n", end) else 1) if line else 0

    async def put(self, start: int, end: int, new: str) -> None:
        await self.hand.put(self.uri, start, end, new)

    async def type(self, at: int, wanted: str) -> int:
        """Key by key; where the cursor is then."""
        ends: list[str] = []
        keys = re.findall(r"\n[ \t]*|.", wanted, re.DOTALL)
        number = 0
        while number < len(keys):
            key = keys[number]
            if key[-1:].isalpha() and self.hand.chance.random() < self.slips:
                await self.put(at, at, self.hand.chance.choice("xzq.,"))
                await self.put(at, at + 1, "")
            if ends and key == ends[-1]:
                ends.pop()  # typed over what the editor had put there: no change
                at += 1
            elif self.closes and not ends and keys[number : number + 3] in ([*'"""'], [*"'''"]):
                await self.put(at, at, key * 2)  # the second is typed over
                await self.put(at + 2, at + 2, key * 4)
                ends += [key] * 3
                at, number = at + 3, number + 2
            elif self.closes and key in PAIRS and _closed_later(wanted, keys, number):
                await self.put(at, at, key + PAIRS[key])
                ends.append(PAIRS[key])
                at += 1
            elif key[0] == "\n" and len(key) > 1 and self.hand.chance.random() < 0.3:
                # The editor indents as above, which is wrong: it is put right key by key.
                other = key + "    " if self.hand.chance.random() < 0.5 else key[:-4] or "\n"
                await self.put(at, at, other)
                await self.put(at, at + len(other), key)
                at += len(key)
            else:
                await self.put(at, at, key)
                at += len(key)
            number += 1
        return at


def _closed_later(wanted: str, keys: list[str], number: int) -> bool:
    """Whether what would be put there is typed on later, nothing else of its kind being open."""
    rest = "".join(keys[number:])
    opener = rest[0]
    if opener in "\"'":
        return opener in rest[1:].split("\n")[0] and not rest.startswith(opener * 3)
    depth = 0
    for letter in rest:
        if letter in "\"'#":
            return False  # a bracket in a string is nobody's
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0:
            return letter == PAIRS[opener]
    return False


def statements(text: str, function: Function) -> list[tuple[int, int]]:
    """Stretches of lines of its body that are a line of code each, with all its brackets closed."""
    found: list[tuple[int, int]] = []
    depth, first, quoted = 0, None, False
    for number in range(function.first, function.end):
        line = lines(text)[number]
        bare = re.sub(r"'[^']*'|\"[^\"]*\"|#.*", "", line)
        if line.count('"""') % 2:
            quoted = not quoted
            continue
        if quoted or not bare.strip():
            continue
        first = number if first is None else first
        depth += sum(bare.count(c) for c in "([{") - sum(bare.count(c) for c in ")]}")
        if depth == 0:
            if first > function.head and not re.search(r":\s*\Z", bare):
                found.append((first, number + 1))
            first = None
    return found


async def statement(on: Retyping) -> str:
    """A statement goes at one blow and is typed again."""
    at = on.hand.chance.choice(statements(on.text, on.function))
    start, end = on.start_of(at[0]) - 1, on.hand.end_of_line(on.uri, at[1] - 1)
    gone = on.text[start:end]
    await on.put(start, end, "")
    await on.type(start, gone)
    return f"statement {gone.strip()[:50]!r}"


async def erased(on: Retyping) -> str:
    """The end of a line goes letter by letter and is typed again."""
    at = on.hand.chance.choice(statements(on.text, on.function))
    end = on.hand.end_of_line(on.uri, at[1] - 1)
    start = max(on.start_of(at[1] - 1), end - on.hand.chance.randrange(4, 40))
    gone = on.text[start:end]
    await on.hand.erase(on.uri, start, end)
    await on.type(start, gone)
    return f"erased {gone.strip()[:50]!r}"


async def decorator(on: Retyping) -> str:
    """A decorator's line."""
    line = on.function.first
    start, end = on.start_of(line), on.hand.end_of_line(on.uri, line)
    gone = on.text[start:end]
    if on.hand.chance.random() < 0.5:
        await on.put(start, end + 1, "")
        await on.put(start, start, "\n")
    else:
        await on.hand.erase(on.uri, start, end)
    await on.type(start, gone)
    return f"decorator of {on.name}"


async def whole(on: Retyping) -> str:
    """All of it goes and is typed again; the longest only to their 25th line, the rest is pasted."""
    function = on.function
    start, end = on.start_of(function.first), on.hand.end_of_line(on.uri, function.end - 1)
    gone = on.text[start:end]
    await on.put(start, end, "")
    typed = "\n".join(gone.split("\n")[:25])
    at = await on.type(start, typed)
    await on.put(at, at, gone[len(typed) :])
    return f"whole of {on.name}"


async def commented(on: Retyping) -> str:
    """Some lines become comments in one go, and code again."""
    chosen = on.hand.chance.choice(statements(on.text, on.function))
    places = [on.start_of(line) + _indent(lines(on.text)[line]) for line in range(*chosen)]
    await on.hand.put_many(on.uri, [(at, at, "# ") for at in places])
    await on.hand.undo(on.uri)
    return f"comment, lines {chosen}"


async def parameter(on: Retyping) -> str:
    """A parameter is renamed letter by letter where it stands, then everywhere at once, and back."""
    head = on.text[on.start_of(on.function.head) : on.hand.end_of_line(on.uri, on.function.end - 1)]
    signature = head[head.index("(") : head.index("):")]
    name = on.hand.chance.choice([n[0] for n in _WORD.finditer(signature) if n[0] not in ("tl", "constexpr")])
    before = on.text
    offset = on.start_of(on.function.head)
    places = [offset + m.start() for m in re.finditer(rf"\b{name}\b", head)]
    first = places[0] + len(name)
    for number, letter in enumerate("_new"):
        await on.put(first + number, first + number, letter)
    await on.hand.put_many(on.uri, [(at + 4, at + 4 + len(name), f"{name}_new") for at in places[1:]])
    await on.hand.become(on.uri, before)
    return f"parameter {name} of {on.name}"


async def function_name(on: Retyping) -> str:
    """The function is renamed at its ``def``, letter by letter, then where it is used; all undone."""
    before, name = on.text, on.name
    at = on.start_of(on.function.head) + lines(on.text)[on.function.head].index(name) + len(name)
    for number, letter in enumerate("_ab"):
        await on.put(at + number, at + number, letter)
    places = [m.start() for m in re.finditer(rf"\b{name}\b", on.text)]
    await on.hand.put_many(on.uri, [(at, at + len(name), f"{name}_ab") for at in places])
    await on.hand.become(on.uri, before)
    return f"name of {name}"


async def moved(on: Retyping) -> str:
    """A line goes up by one line a key, and down again."""
    before = on.text
    line = on.hand.chance.choice(statements(on.text, on.function))[0]
    steps = min(3, line - on.function.head - 1)
    for number in range(steps):
        here, above = lines(on.text)[line - number], lines(on.text)[line - number - 1]
        start, end = on.start_of(line - number - 1), on.hand.end_of_line(on.uri, line - number)
        await on.put(start, end, f"{here}\n{above}")
    for _ in range(steps):
        await on.hand.undo(on.uri)
    if on.text != before:
        await on.hand.become(on.uri, before)
    return f"line {line + 1} up by {steps}"


async def cut_and_pasted(on: Retyping) -> str:
    """The function is cut, pasted at the end of the file, and all is undone."""
    before, function = on.text, on.function
    start, end = on.start_of(function.first), on.hand.end_of_line(on.uri, function.end - 1)
    cut = on.text[start:end]
    await on.put(start, end, "")
    await on.put(len(on.text), len(on.text), f"\n\n{cut}\n")
    await on.hand.undo(on.uri)
    await on.hand.undo(on.uri)
    assert on.text == before
    return f"{function.name} cut and pasted"


async def pasted(on: Retyping) -> str:
    """A second function of the name stands there for a moment."""
    before, function = on.text, on.function
    start, end = on.start_of(function.first), on.hand.end_of_line(on.uri, function.end - 1)
    await on.put(end, end, f"\n\n\n{on.text[start:end]}")
    await on.hand.undo(on.uri)
    assert on.text == before
    return f"{function.name} pasted"


async def split(on: Retyping) -> str:
    """A line is split at a place between two tokens, and joined again."""
    chosen = on.hand.chance.choice(statements(on.text, on.function))[0]
    line = lines(on.text)[chosen]
    places = [m.start() for m in re.finditer(r"(?<=[\w)\],]) (?=\S)|(?<=[(,])", line) if m.start() > _indent(line)]
    if not places:
        return "nothing"
    at = on.start_of(chosen) + on.hand.chance.choice(places)
    new = "\n" + " " * (_indent(line) + on.hand.chance.choice((0, 4, 8)))
    await on.put(at, at, new)
    await on.put(at, at + len(new), "")
    return f"line {chosen + 1} split"


async def between(on: Retyping) -> str:
    """Two lines more above the function, a comment typed there, and all of it goes again."""
    at = on.start_of(on.function.first)
    said = "# what follows is quick\n\n"
    await on.type(at, said)
    await on.hand.erase(on.uri, at, at + len(said))
    return f"a comment above {on.name}"


async def docstring(on: Retyping) -> str:
    """A text in three quotes is typed at the top of the body, and goes at once."""
    function = on.function
    heads = [n for n in range(function.head, function.end) if lines(on.text)[n].rstrip().endswith("):")]
    if not heads:
        return "nothing"
    at, before = on.hand.end_of_line(on.uri, heads[0]), on.text
    await on.type(at, '\n    """Adds (what [it\n\n    is given.\n    """')
    await on.hand.become(on.uri, before)
    return f"a docstring in {on.name}"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


Kind = Callable[[Retyping], Awaitable[str]]
KINDS: dict[Kind, float] = {
    statement: 4, erased: 4, decorator: 1, whole: 0.7, commented: 1, parameter: 1, function_name: 1, moved: 1,
    cut_and_pasted: 0.7, pasted: 0.7, split: 1.5, between: 0.7, docstring: 1,
}  # fmt: skip
"""What somebody does, and how often."""
