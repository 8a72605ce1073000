"""Further signatures for the classes that may be passed for a constexpr: each has methods of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from kernel_analysis.signature.parameter_evidence import Choice
from kernel_analysis.signature.signature_model import Evidence, Signature
from kernel_analysis.source.slice import AggregateRef

_MOST: Final = 3


def variants(choices: dict[str, Choice], known: list[Signature]) -> Iterator[Signature]:
    """The likeliest signature with another class, one at a time; ``known``: those that there are, the likeliest
    first."""
    yield from islice(_variants(choices, known), _MOST)


def _variants(choices: dict[str, Choice], known: list[Signature]) -> Iterator[Signature]:
    for name, choice in choices.items():
        for made in choice.others if choice.type == "constexpr" else ():
            if not isinstance(made, AggregateRef) or any(found.constants.get(name) == made for found in known):
                continue
            evidence = Evidence("use", "another class may be passed", False, choice.evidence.line)
            constants = {**known[0].constants, name: made}
            yield replace(known[0], constants=constants, evidence={**known[0].evidence, name: evidence})
