"""What compiling one jit function came to: the unit that the cache holds. Plain data with places as ``At``, so it
survives edits around it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kernel_analysis.facts import Facts
from kernel_analysis.report import SignatureReport


@dataclass(slots=True)
class Outcome:
    """``signatures``: those that compiled; none: the function was not lowered and ``facts.problems`` says why.
    ``tried``: the types of the first signature, compiled or not."""

    facts: Facts = field(default_factory=Facts)
    signatures: list[SignatureReport] = field(default_factory=list[SignatureReport])
    tried: dict[str, Any] = field(default_factory=dict[str, Any])
