"""What stands for a name whose meaning could not be found, or that only annotations use. Says so where it is used; an
unused one harms nobody."""

# pyright: basic
from __future__ import annotations

from kernel_analysis.lowering.gate import gate


class UnresolvedUse(Exception):
    """A kernel used a name whose meaning could not be found. Carries the reason, a sentence for the user, and whether
    that is the user's error."""

    def __init__(self, reason: str, wrong: bool) -> None:
        super().__init__(reason)
        self.wrong = wrong


class _UnresolvedMember(UnresolvedUse, AttributeError):
    """The same for what is taken of it."""


class UnresolvedName(gate.Ours):
    """Stands for such a name. Any use of it in a compiled branch fails with the reason; an unused one harms nobody."""

    __triton_builtin__ = True

    def __init__(self, name: str, reason: str, wrong: bool = False) -> None:
        self.name, self.reason, self.wrong = name, reason, wrong

    def __call__(self, *_: object, **__: object) -> object:
        raise UnresolvedUse(self.reason, self.wrong)

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)
        raise _UnresolvedMember(self.reason, self.wrong)

    def __bool__(self) -> bool:
        raise UnresolvedUse(self.reason, self.wrong)

    def __repr__(self) -> str:
        return f"<unresolved {self.name}>"

    __hash__ = object.__hash__


def _used(name: UnresolvedName, *_: object) -> object:
    """What an operator does with it."""
    return name()


for _operator in ("eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "invert", "index", "len", "iter", "getitem", "str"):
    setattr(UnresolvedName, f"__{_operator}__", _used)
for _operator in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift"):
    setattr(UnresolvedName, f"__{_operator}__", _used)
    setattr(UnresolvedName, f"__r{_operator}__", _used)


class Annotation(gate.Ours):
    """Stands for a name that only annotations use and that could not be resolved; so do its attributes and items."""

    def __getattr__(self, name: str) -> Annotation:
        if name.startswith("_"):
            raise AttributeError(name)
        return self

    def __getitem__(self, _: object) -> Annotation:
        return self
