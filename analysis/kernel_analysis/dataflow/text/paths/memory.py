"""What paths do to memory: where one ends in an access, what is put there and may come back, and which of a value's
paths are addresses at all.

What gates mean is in ``path_tests``.
"""

from __future__ import annotations

import ast

from kernel_analysis.dataflow.text.language_calls import Access
from kernel_analysis.dataflow.text.may_summary import ASIDE, CAST, LOADED, RAW, TABLE
from kernel_analysis.dataflow.text.paths.path_tests import Gates, Open, Trail, together
from kernel_analysis.dataflow.text.value import TextValue, TooInvolved, whole
from kernel_analysis.ir import At

_OPEN = 48
"""Paths to one access that are kept apart."""
_KEPT = 1024
"""Paths into memory, each with other compiles, of all parameters."""


class Memory(Gates):
    """``tables``: there are pointers to pointers. ``keeps``: some of an address may be put into memory as a number.
    ``of_numbers``: an address that is accessed may have been made of numbers."""

    tables = False
    keeps = False
    of_numbers = False

    def may_be_pointer(self, value: TextValue) -> bool:
        if value.pointer:
            return True
        for code, _, _ in self.ways_of(whole(value)):
            plane, number = divmod(code, self.width) if code >= 0 else (TABLE, 0)
            if plane in (CAST, TABLE) or plane == RAW and number < len(self.labels) and self.labels[number].pointer:
                return True
        return False

    def loaded(self, value: TextValue) -> int:
        made = 0
        for code, worlds, trail in self.ways_of(whole(value)):
            if code >= 0 and code // self.width != ASIDE:
                number = code % self.width
                made |= self.path(LOADED * self.width + number, worlds, trail)
        memory = LOADED * self.width + self.width - 1
        return made | self.path(memory, self.control.worlds, self.control.trail)

    def cast(self, flow: int, dep: int) -> int:
        made = 0
        for code, worlds, trail in self.ways_of(flow):
            if code < 0:
                continue
            plane, number = divmod(code, self.width)
            if plane == LOADED:
                made |= self.path(TABLE * self.width + number, worlds, trail)
            elif plane in (RAW, ASIDE) and number < len(self.labels) and not self.labels[number].sure:
                made |= self.path(CAST * self.width + number, worlds, trail)
        if dep and made:
            made = self.gate(made, 0, self.note(self.here, None, None, dep))
        return flow | made

    def made(self) -> int:
        return self.path(CAST * self.width + self.width - 1, -1, ())

    def behind(self, value: TextValue) -> int:
        found = 0
        for code, worlds, trail in self.ways_of(whole(value)):
            if code >= 0 and code // self.width != ASIDE and code % self.width < len(self.labels):
                found |= self.path(TABLE * self.width + code % self.width, worlds, trail)
        return found | self.anywhere() if whole(value) else 0

    def anywhere(self) -> int:
        return self.path(ASIDE * self.width + self.width - 1, self.control.worlds, self.control.trail)

    def kernels(self) -> int:
        found = 0
        for number, label in enumerate(self.labels):
            if label.pointer:
                for plane in (RAW, TABLE):
                    found |= self.path(plane * self.width + number, self.control.worlds, self.control.trail)
        return found

    def of_loaded(self) -> None:
        self.of_numbers = True

    def is_made(self, flow: int) -> bool:
        return bool(flow & self._made)

    def aside(self, flow: int) -> int:
        return self._sort(flow, (RAW, CAST, ASIDE), ASIDE)

    def offsets(self, flow: int) -> int:
        return self._sort(flow, (ASIDE,), RAW)

    def of_memory(self, flow: int) -> int:
        found = 0
        for code, worlds, trail in self.ways_of(flow):
            if code >= 0 and code // self.width in (LOADED, TABLE):
                found |= self.path(code, worlds, trail)
        return found

    def counted(self, flow: int) -> None:
        for code, _, _ in self.ways_of(flow):
            if code >= 0 and code // self.width == RAW and code < len(self.labels) and self.labels[code].sure:
                self._counted.add(code)

    def telling(self, flow: int) -> int:
        found = 0
        for code, worlds, trail in self.ways_of(flow):
            plane, number = divmod(code, self.width)
            if plane in (RAW, ASIDE) and number in self._counted:  # (what it tells was cast before)
                found |= self.path(code, worlds, trail)
            elif self.keeps and plane in (LOADED, TABLE):
                # Whatever it was loaded through, it may be a number that was put into memory.
                found |= self.path(LOADED * self.width + self.width - 1, worlds, trail)
        return found

    def numbers(self, flow: int) -> int:
        found = 0
        for code, worlds, trail in self.ways_of(flow):
            if code >= self.width or 0 <= code < len(self.labels) and not self.labels[code].sure:
                found |= self.path(code, worlds, trail)
        return found | self.telling(flow)

    def _sort(self, flow: int, planes: tuple[int, ...], to: int) -> int:
        """What is on these planes, on another."""
        if not flow:
            return 0
        key = flow, to
        found = self._sorted.get(key)
        if found is None:
            found = 0
            for code, worlds, trail in self.ways_of(flow):
                if code >= 0 and code // self.width in planes and code % self.width < len(self.labels):
                    found |= self.path(to * self.width + code % self.width, worlds, trail)
            self._sorted[key] = found
        return found

    # What reaches memory.

    def access(self, kind: Access, value: TextValue, node: ast.AST) -> None:
        control, given = self.control, whole(value)
        of_numbers = self.is_made(given)
        self.of_numbers |= of_numbers
        # Made of a number, which may be 0: then it is all that was added.
        flow = self.cast(given, 0) if of_numbers else given
        # Beside an address that was loaded, another may stand in its place.
        beside = any(code >= 0 and code // self.width == TABLE for code, _, _ in self.ways_of(flow))
        for code, worlds, trail in self.ways_of(flow):
            if code < 0:
                continue
            plane, number = divmod(code, self.width)
            left = worlds & control.worlds
            through = plane in (LOADED, TABLE)
            if plane == LOADED and not self._holds_addresses(number):
                continue
            if through:
                self._through[kind].setdefault(left, self._opened(trail, node))
            elif plane == ASIDE and number == len(self.labels):
                self._anywhere[kind].setdefault(left, self._opened(trail, node))
            if left or number >= len(self.labels):
                continue
            label = self.labels[number]
            if plane == RAW and not label.pointer or plane == ASIDE and not (label.pointer and (label.sure or beside)):
                continue
            found = self.open.setdefault((label.name, kind, through), [])
            made = self._opened(trail, node)
            if made in found or len(found) > _OPEN:
                continue
            found.append(made if len(found) < _OPEN else Open((), made.at, made.calls))

    def _holds_addresses(self, number: int) -> bool:
        """Whether what is loaded through a parameter may be an address as it is."""
        return self.labels[number].table if number < len(self.labels) else self.tables

    def _opened(self, trail: Trail, node: ast.AST) -> Open:
        at = At(self.place.index, self.place.ordinals.get(node, 0))
        return Open(together(self.control.trail, trail), at, self.calls())

    def escape(self, value: TextValue, node: ast.AST) -> None:
        for code, worlds, trail in self.ways_of(whole(value)):
            if code < 0 or code % self.width >= len(self.labels) or code // self.width == LOADED:
                continue
            plane, number = divmod(code, self.width)
            if plane != ASIDE or self.labels[number].sure:
                left = worlds & self.control.worlds
                self._escapes.setdefault((number, plane == TABLE, left), self._opened(trail, node))
                if len(self._escapes) > _KEPT:
                    raise TooInvolved

    def come_back(self) -> None:
        """What was put into memory may be what is read from there and accessed."""
        for (number, through, worlds), kept in self._escapes.items():
            label = self.labels[number]
            for kind, accesses in self._through.items():
                # Of what nobody knows, only addresses: else any number that is stored were one.
                anywhere = self._anywhere[kind] if label.sure else {}
                for other, opened in (*accesses.items(), *anywhere.items()):
                    if not worlds & other:
                        made = Open(together(kept.trail, opened.trail), kept.at, kept.calls)
                        self.open.setdefault((label.name, kind, through), []).append(made)
