"""Printed locations (``#loc12``, ``"<0>":3:4``) -> ``At``: which node of which function of the slice."""

from __future__ import annotations

import re

from kernel_analysis.ir import NOWHERE, At
from kernel_analysis.lowering.printed.printed_places import Places

_ALIASES = re.compile(r"^#(loc\d*) = loc\((.*)\)$", re.MULTILINE)
_POSITION = re.compile(r'"<(\d+)>":(\d+):(\d+)')
_REFERENCE = re.compile(r"#(loc\d*)")


class Locations:
    """Resolves what stands between the parentheses of a ``loc(...)``; each is looked up once. ``text`` is what stands
    around the functions of a module: the places that have a name. ``places`` None: those of functions of no slice."""

    def __init__(self, text: str, places: Places | None) -> None:
        self._aliases: dict[str, str] = dict(_ALIASES.findall(text)) if text else {}
        self._places = places
        self._known: tuple[dict[str, At], dict[str, At]] = {}, {}

    def resolve(self, inner: str, called: bool) -> At:
        """The place; NOWHERE for what is not in the slice. ``called``: of the call that starts there."""
        known = self._known[called]
        found = known.get(inner)
        if found is None:
            position = _POSITION.search(inner) or self._named(inner)
            if position is None or self._places is None:
                found = NOWHERE
            else:
                find = self._places.call if called else self._places.find
                function, line, column = position.groups()
                found = find(int(function), int(line), int(column))
            known[inner] = found
        return found

    def _named(self, text: str) -> re.Match[str] | None:
        """A name for a place, or several places, of which the first is the operation's own."""
        position = None
        while position is None:
            reference = _REFERENCE.search(text)
            if reference is None or reference[1] not in self._aliases:
                return None
            text = self._aliases[reference[1]]
            position = _POSITION.search(text)
        return position
