"""What a call passes, by position and by name, as far as that is known. Plain data."""

from __future__ import annotations

from dataclasses import dataclass, field

from kernel_analysis.host.evaluate.argument import NOT_KNOWN, HostArgument


@dataclass(slots=True)
class PassedArguments:
    """``more``: positional arguments may follow that are not known; ``open``: so may keywords. ``last``: those by
    position that come last for sure, behind what is not known; ``between``: what each of those not known is."""

    positional: list[HostArgument] = field(default_factory=list[HostArgument])
    last: list[HostArgument] = field(default_factory=list[HostArgument])
    between: HostArgument = NOT_KNOWN
    keywords: dict[str, HostArgument] = field(default_factory=dict[str, HostArgument])
    more: bool = False
    open: bool = False
