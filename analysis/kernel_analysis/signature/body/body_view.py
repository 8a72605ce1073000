"""What those who read one kind of operation in a jit function's body need of the walk over it: to take notes, and to
have other expressions read. Reads nothing itself."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod

from kernel_analysis.signature.evident_values import EvidentValue
from kernel_analysis.signature.notes import Notes


class BodyView(Notes, ABC):
    """The walk, as far as it is one's business (``body.expressions``)."""

    @abstractmethod
    def expr(self, node: ast.expr) -> EvidentValue:
        """What an expression gives."""

    @abstractmethod
    def call(self, index: int, args: list[EvidentValue], keywords: dict[str, EvidentValue]) -> EvidentValue:
        """Call a helper of the slice."""

    @abstractmethod
    def element(self, value: EvidentValue, index: int) -> EvidentValue:
        """An element of a value that is unpacked or indexed: a parameter that may be a tuple, or a result."""
