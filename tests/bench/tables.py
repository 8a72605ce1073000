"""Markdown tables and the lines under them that say whether a goal is met."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Floats get one decimal, or three where they are small; all columns but the first are right-aligned."""
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    lines += ["| " + " | ".join(map(_cell, row)) + " |" for row in rows]
    return "\n".join(lines)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1f}" if abs(value) >= 1 else f"{value:.3f}"
    return str(value)


def goal(text: str, met: bool) -> str:
    return f"- {'met' if met else 'MISSED'}: {text}"
