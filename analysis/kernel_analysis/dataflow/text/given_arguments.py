"""What a call in the text is given. Plain data."""

from __future__ import annotations

from collections.abc import Iterator

from kernel_analysis.dataflow.text.language import Operand
from kernel_analysis.dataflow.text.value import TextValue, depends


class GivenArguments:
    """What a call is given. ``loose``: what may be for any parameter, as how many come before it is not in sight;
    ``dep``: why."""

    __slots__ = ("dep", "keywords", "loose", "positional")

    def __init__(self, positional: list[TextValue]) -> None:
        self.positional = positional
        self.keywords: dict[str, TextValue] = {}
        self.loose: TextValue | None = None
        self.dep = 0

    def all(self) -> Iterator[TextValue]:
        """Everything, once."""
        yield from self.positional
        yield from self.keywords.values()
        if self.loose is not None:
            yield self.loose

    def depends(self) -> int:
        """Why any of it may be another."""
        dep = self.dep
        for value in self.positional:
            dep |= value.dep if value.items is None else depends(value)
        for value in self.keywords.values():
            dep |= depends(value)
        return dep if self.loose is None else dep | depends(self.loose)

    def behind(self, first: TextValue) -> GivenArguments:
        """The same behind a further one."""
        made = GivenArguments([first, *self.positional])
        made.keywords, made.loose, made.dep = self.keywords, self.loose, self.dep
        return made

    def of_method(self) -> GivenArguments:
        """The same for a method that is taken from its class: what it is called on comes first, by name or not."""
        first = self.keywords.get("self")
        if first is None:
            return self
        made = self.behind(first)
        made.keywords = {name: value for name, value in self.keywords.items() if name != "self"}
        return made

    def operand(self, operand: Operand) -> list[TextValue]:
        """What is given for one parameter."""
        position, name = operand
        found = [self.loose] if self.loose is not None else []
        if position < len(self.positional):
            found.append(self.positional[position])
        elif name in self.keywords:
            found.append(self.keywords[name])
        return found

    def operands(self, wanted: tuple[Operand, ...] | None) -> list[TextValue]:
        """What is given for these parameters; for all of them."""
        if wanted == ():
            return []
        if wanted is None:
            return list(self.all())
        return [value for operand in wanted for value in self.operand(operand)]

    def accessed(self, wanted: tuple[Operand, ...] | None) -> list[TextValue]:
        """What is given for these, through which memory is accessed: where it is given by no name in sight, any."""
        return self.operands(wanted) or self.operands(None if wanted else ())
