"""What the gate knows of the classes that stand for a user's aggregates: their fields, and what the text names in them.

The classes are made in ``front.aggregate_classes``. May not look at a value: whether one passes, the gate says.
"""

# pyright: basic
from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import Any

from kernel_analysis.lowering import compat
from kernel_analysis.source.text_search.aggregate_operators import OPERATOR_NAMES, is_special

tl: Any = compat.tl

known: weakref.WeakKeyDictionary[type, tuple[Mapping[str, Any], frozenset[str]]] = weakref.WeakKeyDictionary()
"""Of each class its fields, with what Triton holds their values against, and all that the user's text names in it."""

_OWN = frozenset() if compat.aggregate is None else compat.members_of_aggregates()


def admit(made: type, fields: Mapping[str, Any], names: frozenset[str]) -> type:
    """A class that stands for one of the slice's aggregates; its instances are looked at field by field. ``names``:
    all that the user's text names in it."""
    known[made] = fields, names
    return made


def may_have(name: str) -> bool:
    """Whether an aggregate of a user's may have a field or method of this name: none that Triton's classes or
    Python's have, but the operators."""
    return name in OPERATOR_NAMES or name == "__init__" or not (name in _OWN or is_special(name))


def declares(owner: Any, name: str) -> bool:
    """Whether the owner is an aggregate of the user's, or one's instance, whose own text names this."""
    found = known.get(owner if isinstance(owner, type) else type(owner))
    return found is not None and name in found[1] and not name.startswith("__")


def set_field(owner: Any, name: str, value: Any, wrap: bool) -> bool:
    """``self.name = value`` in an aggregate's own ``__init__``, which Triton checks; False if the owner is none.
    ``wrap``: a plain value may be a constexpr's."""
    found = known.get(type(owner))
    if found is None or name not in found[0]:
        return False
    if wrap and not isinstance(value, tl.core.base_value) and isinstance(tl.constexpr(value), found[0][name]):
        value = tl.constexpr(value)
    setattr(owner, name, value)
    return True
