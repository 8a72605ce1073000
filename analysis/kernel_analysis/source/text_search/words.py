"""Where a text has a word. Thousands of words are looked for, each in many texts: a pattern for each would take ten
times as long. Knows nothing of Python's grammar."""

from __future__ import annotations

from collections.abc import Iterator


def places(text: str, word: str) -> Iterator[int]:
    """Where the word starts, each time that it stands there as a whole."""
    place = text.find(word)
    while place >= 0:
        end = place + len(word)
        after, before = text[end : end + 1], text[place - 1 : place]
        if not (after.isalnum() or after == "_" or before.isalnum() or before == "_"):
            yield place
        place = text.find(word, place + 1)


def has_word(text: str, word: str) -> bool:
    return next(places(text, word), None) is not None


def has_text(text: str, part: str) -> bool:
    """Whether it stands there at all; to be asked of a file, which knows the answer the next time."""
    return part in text


def spells(text: str, word: str) -> bool:
    """Whether a text has a word in quotes."""
    return f"'{word}'" in text or f'"{word}"' in text
