"""``record``: a dataclass whose values never change, which type checkers hold.

Not at run time: what would refuse an assignment there makes a class take half as long again to make, hundreds of which
are made before an agent answers, and each value two to three times as long. May import nothing of ours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, overload

_T = TypeVar("_T")

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform

    @overload
    def record(cls: type[_T], /) -> type[_T]: ...
    @overload
    def record(*, eq: bool = True) -> Callable[[type[_T]], type[_T]]: ...
    @dataclass_transform(frozen_default=True, field_specifiers=(field,))
    def record(cls: type[_T] | None = None, /, *, eq: bool = True) -> Any:
        """A dataclass, frozen and with slots."""

else:

    def record(cls=None, /, *, eq=True):
        def make(cls):
            return dataclass(slots=True, eq=eq, unsafe_hash=eq and "__hash__" not in vars(cls))(cls)

        return make if cls is None else make(cls)
