"""Names of the host's code that may be several things, as another of these: a kernel that does not compile where
`import fast` succeeds may be there for where it does not.

Knows what is in sight only, and compiles nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from kernel_analysis.signature.signature_model import Signature
from kernel_analysis.source.slice import Binding, Slice, SliceFunction, Unresolved

_MOST: Final = 4
"""Each costs a compile, or several."""


def bound(slice_: Slice, signature: Signature) -> Slice:
    """The slice as a signature wants it compiled."""
    if not signature.bound:
        return slice_
    names = dict(signature.bound)
    functions = [replace(made, bindings={**made.bindings, **_others(made, names)}) for made in slice_.functions]
    spelled = f" {signature.bound!r}"
    return replace(
        slice_, functions=functions, hash=slice_.hash + spelled, helpers_hash=slice_.helpers_hash + spelled,
        _alike=None, _mistaken=None, _confused=None, _orders=None,
    )  # fmt: skip


def _others(made: SliceFunction, names: Mapping[str, int]) -> dict[str, Binding]:
    """What they may stand for in one function, as far as that is in sight."""
    known = {name: made.others.get(name, ()) for name in names}
    return {name: others[names[name]] for name, others in known.items() if names[name] < len(others)}


def otherwise(slice_: Slice, signature: Signature, names: Iterable[str]) -> Iterator[Signature]:
    """The signature with one of the names as something else that it may be; none where that is done already."""
    if signature.bound:
        return
    left = _MOST
    for name in names:
        known = next((f.others[name] for f in slice_.functions if name in f.others), ())
        for number, other in enumerate(known):
            if left and not isinstance(other, Unresolved):
                left -= 1
                yield replace(signature, bound=((name, number),))
