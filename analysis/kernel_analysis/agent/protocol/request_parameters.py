"""What is wrong with the parameters of a method, held against what ``wire`` says that it takes. May not answer."""

from __future__ import annotations

from typing import Any

from kernel_analysis import wire
from kernel_analysis.typed import wrong


def check(method: str, params: Any) -> str | None:
    """What is wrong with the parameters of a method, for a sentence; None if they are as it takes them."""
    shape = wire.REQUESTS.get(method) or wire.NOTIFICATIONS.get(method)
    return None if shape is None else wrong(shape, params, "parameters")
