"""What somebody writes that was not there: a helper, a parameter and what launches pass for it, a config, a condition
round a block; and what tools do meanwhile.

Each comes to rest where the text is whole, and then leaves it as it was. Knows nothing of what is shown.
"""

from __future__ import annotations

import asyncio
import re

from hand.edits import Hand
from hand.retyping import Kind, Retyping, statements
from hand.texts import decoded, functions, lines

_HELPER = """\
@triton.jit
def _half_of(value, factor: tl.constexpr = 2):
    # it's "half", most of the time
    doubled = value * 2.0
    if factor > 2:
        doubled = doubled / factor
    return doubled * 0.25


"""
_KERNEL = """\
@triton.autotune(
    configs=[triton.Config({"WIDE": 64}, num_warps=4), triton.Config({"WIDE": 128}, num_warps=8)],
    key=["count"],
)
@triton.jit
def _written_kernel(from_ptr, to_ptr, count, WIDE: tl.constexpr):
    \"\"\"Copies what's there: "count" of them.\"\"\"
    at = tl.program_id(0) * WIDE + tl.arange(0, WIDE)
    mask = at < count
    x = tl.load(from_ptr + at, mask=mask, other=0.0).to(tl.float32)
    for step in range(3):
        x = tl.where(x > step, x * 0.5, x)
    tl.store(to_ptr + at, x, mask=mask)


def _launch_it(a, b):
    grid = lambda meta: (triton.cdiv(a.numel(), meta["WIDE"]),)
    _written_kernel[grid](a, b, a.numel())
    return b


"""


async def _above(on: Retyping, at: int, said: str) -> None:
    """Typed in lines that are made first."""
    typed = said.rstrip("\n")
    await on.put(at, at, said[len(typed) :])
    await on.type(at, typed)


async def helper(on: Retyping) -> str:
    """A helper from nothing above the function, then a call of it in there."""
    before = on.text
    at = on.start_of(on.function.first)
    await _above(on, at, _HELPER)
    await on.rest()
    chosen = on.hand.chance.choice(statements(on.text, on.function))
    line = lines(on.text)[chosen[0]]
    indent = line[: len(line) - len(line.lstrip())]
    start = on.start_of(chosen[0]) - 1
    await on.type(start, f"\n{indent}halved = _half_of(tl.program_id(0) + 1.0, factor=4)")
    await on.rest()
    await on.hand.become(on.uri, before)
    return "a helper"


async def kernel(on: Retyping) -> str:
    """A kernel and its launch from nothing, above the function."""
    before = on.text
    at = on.start_of(on.function.first)
    await _above(on, at, _KERNEL)
    await on.rest()
    await on.hand.become(on.uri, before)
    return "a kernel"


async def new_parameter(on: Retyping) -> str:
    """A parameter behind the last one, what launches pass for it, then a use."""
    before, name = on.text, on.name
    head = on.start_of(on.function.head)
    closing = re.compile(r"\s*,?\s*\)\s*(?:->[^:\n]*)?:[ \t]*(?:#.*)?\n").search(before, head)
    if closing is None:
        return "nothing"
    comma = before[closing.start() :].lstrip().startswith(",")
    at = closing.start() + (1 + before[closing.start() :].index(",") if comma else 0)
    await on.type(at, f"{'' if comma else ','} EXTRA: tl.constexpr{',' if comma else ''}")
    for launch in re.finditer(rf"\b{name}\[[^\]\n]*\]\(", on.text):
        end = _closing(on.text, launch.end())
        inside = on.text[launch.end() : end].rstrip()
        place = launch.end() + len(inside)
        await on.type(place, " EXTRA=4," if inside.endswith(",") else ", EXTRA=4")
        break
    await on.rest()
    chosen = on.hand.chance.choice(statements(on.text, on.function))
    line = lines(on.text)[chosen[0]]
    indent = line[: len(line) - len(line.lstrip())]
    await on.type(on.start_of(chosen[0]) - 1, f'\n{indent}if EXTRA > 2:\n{indent}    tl.static_print("it\'s", EXTRA)')
    await on.rest()
    await on.hand.become(on.uri, before)
    return f"a parameter of {name}"


async def constexpr_renamed(on: Retyping) -> str:
    """At all its places in the function at once, letter by letter."""
    before = on.text
    head = on.text[on.start_of(on.function.head) : on.hand.end_of_line(on.uri, on.function.end - 1)]
    names = re.findall(r"(\w+)\s*:\s*tl\.constexpr", head)
    if not names:
        return "nothing"
    name = on.hand.chance.choice(names)
    for letter in "_OF":
        text = on.text
        start, end = on.start_of(on.function.head), on.hand.end_of_line(on.uri, on.function.end - 1)
        places = [m.end() for m in re.finditer(rf"\b{name}\b", text) if start <= m.start() < end]
        await on.hand.put_many(on.uri, [(at, at, letter) for at in places])
        name += letter
    await on.rest()
    await on.hand.become(on.uri, before)
    return f"{name} renamed"


async def wrapped(on: Retyping) -> str:
    """A condition is typed above a statement, which is then indented."""
    before = on.text
    chosen = on.hand.chance.choice(statements(on.text, on.function))
    line = lines(on.text)[chosen[0]]
    indent = line[: len(line) - len(line.lstrip())]
    await on.type(on.start_of(chosen[0]) - 1, f"\n{indent}if tl.program_id(0) >= 0:")
    moved = range(chosen[0] + 1, chosen[1] + 1)
    await on.hand.put_many(on.uri, [(on.start_of(n), on.start_of(n), "    ") for n in moved])
    await on.rest()
    await on.hand.become(on.uri, before)
    return f"a condition at line {chosen[0] + 1}"


async def autotuned(on: Retyping) -> str:
    """Configs are typed above the decorator."""
    before = on.text
    names = re.findall(r"(\w+)\s*:\s*tl\.constexpr", on.function.text(on.text)) or ["BLOCK"]
    said = (
        "@triton.autotune(\n"
        f'    configs=[triton.Config({{"{names[0]}": 64}}, num_warps=w) for w in [4, 8]],\n'
        "    key=[],\n"
        ")\n"
    )
    at = on.start_of(on.function.first)
    await _above(on, at, said)
    await on.rest()
    await on.hand.become(on.uri, before)
    return f"configs of {on.name}"


async def whole_file(on: Retyping) -> str:
    """All of it goes and is typed again from the top, to the end of the first function; the rest is pasted."""
    before = on.text
    last = functions(before)[0].end
    typed = "\n".join(lines(before)[: min(last, 60)])
    await on.put(0, len(before), "")
    at = await on.type(0, typed)
    await on.rest()
    await on.put(at, at, before[len(typed) :])
    return "the file"


async def quotes(on: Retyping) -> str:
    """Comments and strings with quotes in them."""
    before = on.text
    chosen = on.hand.chance.choice(statements(on.text, on.function))
    line = lines(on.text)[chosen[0]]
    indent = line[: len(line) - len(line.lstrip())]
    at = on.start_of(chosen[0]) - 1
    said = on.hand.chance.choice(
        (
            f"\n{indent}# it's \"so\" '''here",
            f'\n{indent}tl.static_assert(True, "it\'s so")',
            f'\n{indent}"""It\'s "quoted".\n\n{indent}And [more]"""',
            f"\n{indent}tl.device_print('a \\'b\\'', tl.program_id(0))",
            f'\n{indent}tl.static_print(f"{{1}} it\'s")',
        )
    )
    await on.type(at, said)
    await on.rest()
    await on.hand.become(on.uri, before)
    return f"quotes at line {chosen[0] + 1}"


async def pasted_kernel(on: Retyping) -> str:
    before = on.text
    at = on.start_of(on.function.first)
    await on.put(at, at, _KERNEL)
    await on.rest()
    await on.hand.undo(on.uri)
    assert on.text == before
    return "a kernel, pasted"


async def undo_and_redo(on: Retyping) -> str:
    """A statement is typed, undone and redone in bursts, and undone."""
    before = on.text
    chosen = on.hand.chance.choice(statements(on.text, on.function))
    line = lines(on.text)[chosen[0]]
    indent = line[: len(line) - len(line.lstrip())]
    await on.type(on.start_of(chosen[0]) - 1, f"\n{indent}more = tl.program_id(0) * 4 + 1")
    after = on.text
    for steps in (4, 11, 19):
        states = [after]
        for _ in range(steps):
            await on.hand.undo(on.uri)
            states.append(on.text)
        await asyncio.sleep(on.hand.chance.choice((0.0, 0.5)))
        for state in reversed(states[:-1]):
            await on.hand.become(on.uri, state)
    await on.rest()
    await on.hand.become(on.uri, before)
    return f"undo and redo at line {chosen[0] + 2}"


async def by_word(on: Retyping) -> str:
    """A line goes word by word from its end, and is typed again."""
    chosen = on.hand.chance.choice(statements(on.text, on.function))
    start, end = on.start_of(chosen[1] - 1), on.hand.end_of_line(on.uri, chosen[1] - 1)
    gone = on.text[start:end]
    words = [m.start() for m in re.finditer(r"\w+\W*|\W+", gone.lstrip())][-7:]
    base = start + len(gone) - len(gone.lstrip())
    for at in reversed(words):
        await on.put(base + at, end, "")
        end = base + at
    await on.type(end, gone[end - start :])
    return f"words of {gone.strip()[:40]!r}"


async def imported(on: Retyping) -> str:
    """Something more is imported at the top."""
    before = on.text
    first = re.search(r"^(?:import|from) ", before, re.MULTILINE)
    if first is None:
        return "nothing"
    await _above(on, first.start(), "import math\nfrom functools import lru_cache, partial\n")
    await on.rest()
    await on.hand.become(on.uri, before)
    return "an import"


async def saved_half(on: Retyping) -> str:
    """Saved in the middle of a statement, and once more when it is whole."""
    chosen = on.hand.chance.choice(statements(on.text, on.function))
    start, end = on.start_of(chosen[0]) - 1, on.hand.end_of_line(on.uri, chosen[1] - 1)
    gone = on.text[start:end]
    await on.put(start, end, "")
    half = on.hand.chance.randrange(1, len(gone))
    at = await on.type(start, gone[:half])
    on.hand.save(on.uri)
    await on.rest()
    await on.type(at, gone[half:])
    on.hand.save(on.uri)
    await on.rest()
    return f"saved in {gone.strip()[:40]!r}"


async def changed_on_disk(on: Retyping) -> str:
    """Another program writes the file; the editor shows that, and what there was a moment later."""
    before, path = on.text, on.hand.path(on.uri)
    raw = path.read_bytes()
    text = decoded(raw)
    numbers = list(re.finditer(r"(?<![\w.])\d+(?![\w.])", text))
    if not numbers:
        return "nothing"
    match = on.hand.chance.choice(numbers)
    on.hand.write(path, text[: match.start()] + "16" + text[match.end() :])
    on.hand.client.changed_on_disk(on.uri)
    await on.rest()
    await on.hand.become(on.uri, decoded(path.read_bytes()))
    await on.rest()
    path.write_bytes(raw)
    on.hand.client.changed_on_disk(on.uri)
    await on.hand.become(on.uri, before)
    return "changed on disk"


async def checked_out(on: Retyping) -> str:
    """Another branch, and back: many files at once are others, those that are open are shown anew."""
    before = on.text
    open_files = list(on.hand.open_files)
    texts = {uri: on.hand.text(uri) for uri in open_files}
    folder = on.hand.path(on.uri).parent
    files = {path: path.read_bytes() for path in sorted(folder.glob("*.py"))}
    for path, raw in files.items():
        path.write_bytes(re.sub(rb"\b(16|32|64)\b", b"128", raw))
    await _shown_again(on.hand, [*files])
    await on.rest()
    for path, raw in files.items():
        path.write_bytes(raw)
    await _shown_again(on.hand, [*files])
    for uri, text in texts.items():
        await on.hand.become(uri, text)
    assert on.text == before
    return "another branch"


async def _shown_again(hand: Hand, paths: list) -> None:
    hand.client.changed_on_disk(*(path.as_uri() for path in paths))
    for path in paths:
        if path.as_uri() in hand.client.documents:
            await hand.become(path.as_uri(), decoded(path.read_bytes()).removeprefix("\ufeff"))


async def formatted(on: Retyping) -> str:
    """By a formatter, with the whole text as the one change, and saved."""
    before = on.text
    new = re.sub(r"\n{3,}", "\n\n\n\n", before)
    new = re.sub(r"(?<=[\w)]) \* (?=\w)", "*", new)
    await on.put(0, len(before), new)
    on.hand.save(on.uri)
    await on.rest()
    await on.hand.undo(on.uri)
    on.hand.save(on.uri)
    return "formatted"


async def helper_elsewhere(on: Retyping) -> str:
    """In another open file, a jit function's statement goes and is typed again."""
    others = [uri for uri in on.hand.open_files if uri != on.uri and functions(on.hand.text(uri))]
    if not others:
        return "nothing"
    uri = on.hand.chance.choice(others)
    name = on.hand.chance.choice(functions(on.hand.text(uri))).name
    there = Retyping(on.hand, uri, name, on.closes, rest=on.rest)
    before = there.text
    chosen = on.hand.chance.choice(statements(there.text, there.function))
    start, end = there.start_of(chosen[0]) - 1, on.hand.end_of_line(uri, chosen[1] - 1)
    gone = there.text[start:end]
    await there.put(start, end, "")
    await there.type(start, gone)
    indent = gone[: len(gone) - len(gone.lstrip())]
    await there.type(end, f"{indent}scaled_by = 3 * tl.program_id(0)")
    await on.rest()
    await on.hand.become(uri, before)
    return f"{name} of another file"


def _closing(text: str, at: int) -> int:
    depth = 1
    while depth and at < len(text):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        at += 1
    return at - 1


WRITTEN: dict[Kind, float] = {
    helper: 1, kernel: 1, new_parameter: 1, constexpr_renamed: 1, wrapped: 1, autotuned: 1, whole_file: 0.6,
    quotes: 1, pasted_kernel: 0.6, undo_and_redo: 1, by_word: 1, imported: 0.7, saved_half: 1, changed_on_disk: 0.7,
    checked_out: 0.5, formatted: 0.7, helper_elsewhere: 1,
}  # fmt: skip
"""What somebody writes, and how often."""
BY_TOOLS = (changed_on_disk, checked_out, formatted)
"""No hand types there: all may be another."""
