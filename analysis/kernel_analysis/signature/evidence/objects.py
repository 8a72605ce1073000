"""Parameters that are objects of Triton's aggregates, as a method's own: of which class they are, and what each of its
fields is compiled with, by its annotation and by what the body does with it.

Chooses nothing of which a value can't be handed to a function that is compiled alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kernel_analysis import paths
from kernel_analysis.host.decorators import aggregates
from kernel_analysis.kernels.handed_functions import objects_of
from kernel_analysis.signature.choose import choose, descriptor
from kernel_analysis.signature.compile_time import static
from kernel_analysis.signature.evident_values import Clue, EvidentValue, Origin
from kernel_analysis.signature.parameter_evidence import Choice, Known
from kernel_analysis.signature.signature_model import Evidence, ParameterType
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.slice import AggregateField, AggregateRef, Slice, TritonObject, Unresolved

if TYPE_CHECKING:
    from kernel_analysis.kernels.project import Project


def classes(project: Project, function: JitFunction, slice: Slice) -> dict[str, AggregateRef]:
    """Of each parameter that is an object, its class."""
    found: dict[str, AggregateRef] = {}
    for name, cls in objects_of(project, function).items():
        key = aggregates.key(cls)
        index = next((i for i, made in enumerate(slice.aggregates) if made.key == key), None)
        if index is not None and _makeable(slice, AggregateRef(index)):
            found[name] = AggregateRef(index)
    return found


def value(slice: Slice, path: str, made: AggregateRef) -> EvidentValue:
    """An object of which only the fields' annotations are known."""
    fields = slice.members(made.index)[0]
    items: list[EvidentValue] = []
    for number, field in enumerate(fields.values()):
        part = paths.element(path, number)
        inner = _class(field)
        if inner is not None:
            items.append(value(slice, part, inner))
        else:
            items.append(EvidentValue(static=_allows(field) == {"constexpr"}, origins=(Origin(part, 0, True),)))
    return EvidentValue(items=items, names=tuple(fields), made=made)


def chosen(slice: Slice, known: Known, path: str, made: AggregateRef) -> Choice:
    """The likeliest type or value of each field."""
    fields = slice.members(made.index)[0]
    name = slice.aggregates[made.index].qualname.rpartition(".")[2]
    whole = Choice((), Evidence("annotation", f"the fields of `{name}`", False, known.line))
    kinds: list[ParameterType] = []
    for number, field in enumerate(fields.values()):
        part = paths.element(path, number)
        inner = _class(field)
        choice = _field(known, field, part) if inner is None else chosen(slice, known, part, inner)
        kinds.append(choice.type)
        whole.parts[part] = choice
        whole.constants.update(choice.constants)
        whole.names.update(choice.names)
        whole.made.update(choice.made)
    whole.type = tuple(kinds)
    whole.names[path] = tuple(fields)
    whole.made[path] = made
    return whole


def _makeable(slice: Slice, made: AggregateRef) -> bool:
    """Whether nothing is in it that only code in a kernel makes, as memory that is shared."""
    if slice.aggregates[made.index].problem:
        return False
    return all(
        _makeable(slice, inner) if (inner := _class(field)) is not None else bool(_allows(field))
        for field in slice.members(made.index)[0].values()
    )


_MADE_OF = frozenset({"tensor", "constexpr", "tensor_descriptor", "tensor_descriptor_base", "tuple"})


def _allows(field: AggregateField) -> set[str]:
    """What its annotation allows of what a function can be handed; all where that is not known."""
    if field.kinds is None:
        return {*_MADE_OF}
    names = (kind.path.rpartition(".")[2] for kind in field.kinds if isinstance(kind, TritonObject))
    return set(names) & _MADE_OF


def _class(field: AggregateField) -> AggregateRef | None:
    """The class of a field that is an object itself."""
    return next((kind for kind in field.kinds or () if isinstance(kind, AggregateRef)), None)


def _field(known: Known, field: AggregateField, path: str) -> Choice:
    """A field by its own name, which says what it is as a parameter's does."""
    allowed = _allows(field)
    clue = known.elements.get(path, Clue())
    inner = {field.name + p[len(path) :]: c for p, c in known.elements.items() if paths.is_inside(p, path)}
    alone = Known(field.name, None, known.line, clue=clue, elements=inner, helper=True)
    if field.optional and not isinstance(field.default, Unresolved):
        alone = replace(alone, default=field.default, has_default=True)
    if allowed == {"constexpr"}:
        choice = static(alone, None)
    elif not allowed & {"tensor", "constexpr", "tuple"}:
        choice = Choice(descriptor(alone, None), Evidence("annotation", "it is a descriptor", False, known.line))
    else:
        choice = choose(alone)
        kind = _kind(choice)
        if kind not in allowed:
            choice = static(alone, None) if "tensor" not in allowed else Choice("i32", choice.evidence)
    return _moved(choice, field.name, path)


def _kind(choice: Choice) -> str:
    if isinstance(choice.type, tuple):
        return "tuple"
    if choice.type.startswith("tensordesc"):
        return "tensor_descriptor"
    return "constexpr" if choice.type == "constexpr" else "tensor"


def _moved(choice: Choice, name: str, path: str) -> Choice:
    """The choice for a name as one for a path."""

    def moved(found: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        return ((path + old[len(name) :], new) for old, new in found.items())

    parts = {new: _moved(part, old, new) for old, (new, part) in zip(choice.parts, moved(choice.parts), strict=True)}
    return replace(choice, constants=dict(moved(choice.constants)), names=dict(moved(choice.names)), parts=parts)
