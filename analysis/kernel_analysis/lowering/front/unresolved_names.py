"""What stands for a name whose meaning could not be found, or that only annotations use. Says so where it is used; an
unused one harms nobody."""

# pyright: basic
from __future__ import annotations

from typing import NoReturn

from kernel_analysis.lowering.gate.stand_ins import Ours, UnknownStandIn


class UnresolvedUse(Exception):
    """A kernel used a name whose meaning could not be found. Carries the reason, a sentence for the user, and whether
    that is the user's error."""

    def __init__(self, reason: str, wrong: bool) -> None:
        super().__init__(reason)
        self.wrong = wrong


class _UnresolvedMember(UnresolvedUse, AttributeError):
    """The same for what is taken of it."""


class UnresolvedName(UnknownStandIn):
    """Stands for such a name. Any use of it in a compiled branch fails with the reason; an unused one harms nobody."""

    __triton_builtin__ = True

    def __init__(self, name: str, reason: str, wrong: bool = False) -> None:
        # (Its own names are none that the text may ask for.)
        self._name, self._reason, self._wrong = name, reason, wrong

    def refuse(self, *_: object) -> NoReturn:
        raise UnresolvedUse(self._reason, self._wrong)

    __call__ = refuse

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)
        raise _UnresolvedMember(self._reason, self._wrong)

    def __repr__(self) -> str:
        return f"<unresolved {self._name}>"


class Annotation(Ours):
    """Stands for a name that only annotations use and that could not be resolved; so do its attributes and items."""

    def says(self, name: str) -> bool:
        return True

    def __getattr__(self, name: str) -> Annotation:
        if name.startswith("_"):
            raise AttributeError(name)
        return self

    def __getitem__(self, _: object) -> Annotation:
        return self
