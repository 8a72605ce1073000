"""Triton's aggregates in the text: what their fields are, which function a method is. How they are made is in
``instances``."""

from __future__ import annotations

from kernel_analysis.dataflow.text.value import (
    BLOCK,
    CONSTANT,
    NOTHING,
    OBJECT,
    OWN,
    TextValue,
    depends,
    heap,
    whole,
    with_dep,
)
from kernel_analysis.source.slice import AggregateField, AggregateRef, FunctionRef, Slice, TritonObject, Unresolved


def method(slice_: Slice, kind: AggregateRef, name: str) -> FunctionRef | Unresolved | None:
    """The method of this name; None where the class has none."""
    return slice_.certain_members(kind.index)[1].get(name)


def operators(slice_: Slice) -> frozenset[str]:
    """The operators that may be calls of the user's, by their methods."""
    methods = (name for made in slice_.aggregates for name in made.methods)
    return frozenset([name for name in methods if is_operator(name)])


def is_operator(name: str) -> bool:
    """Whether a method is called without its name: `and`, `or` and chains of comparisons do so, too."""
    return name.startswith("__") and name != "__init__" or name in ("logical_and", "logical_or")


def constant(field: AggregateField) -> bool:
    """Whether a field is a constant in every object: Triton holds what it is given against the annotation."""
    return _all_are(field, ".constexpr")


def _sort(field: AggregateField) -> int:
    """What a field is at most, by its annotation."""
    return BLOCK if _all_are(field, ".tensor") else OBJECT


def _all_are(field: AggregateField, name: str) -> bool:
    kinds = field.kinds or ()
    return bool(kinds) and all(isinstance(kind, TritonObject) and kind.path.endswith(name) for kind in kinds)


def field(slice_: Slice, owner: TextValue, name: str, functions: int, held: int) -> TextValue | None:
    """A field of a value that is an aggregate for certain; None where that has none of the name. ``functions``: what
    may be in a constant that a function is given, ``held``: and in any other."""
    assert owner.made is not None
    known = slice_.certain_members(owner.made.index)[0].get(name)
    if known is None:
        return None
    # What a function is given has in sight all that is no constant.
    given = owner.items is not None and name not in owner.fields
    if owner.items is not None and not given:
        item = owner.items[owner.fields.index(name)]
        found = with_dep(item, owner.dep) if owner.dep else item
    elif constant(known):
        found = TextValue(functions if given else held, depends(owner), sort=CONSTANT)
    else:
        found = TextValue(whole(owner), depends(owner), sort=_sort(known))
    made = found.made or _only(slice_, known.kinds)
    if made is found.made:
        return found
    items = () if given else found.items
    return TextValue(
        found.flow, found.dep, items, found.const, found.pointer, found.fields, found.open, found.sort, made
    )


def _only(slice_: Slice, kinds: tuple[TritonObject | AggregateRef, ...] | None) -> AggregateRef | None:
    """The one class that a field of these kinds may be of: Triton holds what it is given against its annotation."""
    if kinds is None or len(kinds) != 1 or not isinstance(kinds[0], AggregateRef):
        return None
    derived = any(kinds[0] in made.bases for made in slice_.aggregates)
    return None if derived else kinds[0]


def replaced(value: TextValue, name: str, item: TextValue) -> TextValue:
    """The aggregate with another value in one field."""
    assert value.items is not None
    index = value.fields.index(name)
    items = (*value.items[:index], item, *value.items[index + 1 :])
    return TextValue(value.flow, value.dep, items, fields=value.fields, sort=value.sort, made=value.made)


def empty(slice_: Slice, kind: AggregateRef) -> TextValue:
    """An instance before its fields have values."""
    names = tuple(slice_.certain_members(kind.index)[0])
    return TextValue(items=(NOTHING,) * len(names), fields=names, sort=OWN, made=kind)


def anything_of(slice_: Slice, kind: AggregateRef, given: list[TextValue], dep: int) -> TextValue:
    """An instance each of whose fields may be made of all that it is given."""
    names = tuple(slice_.certain_members(kind.index)[0])
    made = heap(given, dep)
    return TextValue(0, dep, (made,) * len(names), fields=names, sort=OWN, made=kind)
