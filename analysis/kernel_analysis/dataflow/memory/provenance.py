"""Pointer provenance: from which arguments of its function the address in a value comes. Asked for on demand, so that
only address arithmetic is walked; a worklist over a finite lattice, so that the cost is linear in what is walked.

An operation that is not known to drop what it is made of carries all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kernel_analysis.dataflow.memory.control_flow import Graph, deciders_of
from kernel_analysis.dataflow.memory.operations import ROWS
from kernel_analysis.dataflow.memory.origin import NOTHING, Fields, Origin, bits
from kernel_analysis.dataflow.memory.provenance_rules import argument_sources, region_sources, split_sources
from kernel_analysis.ir import Argument, Function, Op, is_address

_ONE_BASE = frozenset({"tt.addptr", "tt.splat", "tt.broadcast", "tt.expand_dims", "tt.reshape", "tt.trans"})
"""Their results are based on their first operand."""


class Provenance:
    """``returned(op, index)``: the origin of a call's result in the callee's own terms. ``assembly(op, index,
    origins)``: that of a result of inline assembly, given those of its operands.

    ``reason(text, op)`` numbers a reason. ``offsets``: whether offsets must be looked at too: somewhere numbers become
    pointers or pointers numbers, so that a pointer may be none, and a number one. ``handed``: the function is called by
    another."""

    def __init__(
        self,
        graph: Graph[Function],
        fields: Fields,
        returned: Callable[[Op, int], Origin],
        assembly: Callable[[Op, int, Sequence[Origin]], Origin],
        reason: Callable[[str, Op], int],
        offsets: bool,
        handed: bool,
    ) -> None:
        self._graph, self._fields = graph, fields
        self._returned, self._assembly, self._reason = returned, assembly, reason
        self._offsets, self._handed = offsets, handed
        self._known: dict[str, Origin] = {}
        self._function = graph.function
        self._arguments = {argument: index for index, argument in enumerate(graph.function.arguments)}
        self._one_base = _ONE_BASE - {"tt.addptr"} if offsets else _ONE_BASE

    def of(self, value: str) -> Origin:
        """The origin of a value."""
        known = self._known
        if value in known:
            return known[value]
        # Most of an address is a base with offsets added to it, made wider step by step.
        chain = self._function.follow(value, self._one_base)
        base = chain[-1]
        if base not in known:
            index = self._arguments.get(base)
            if index is None:
                self._solve(base)
            else:
                known[base] = self._argument(index)
        origin = known[base]
        for value in chain:
            known[value] = origin
        return origin

    def _argument(self, index: int) -> Origin:
        kind = self._function.argument_types[index]
        if is_address(kind):
            return self._fields.base(index)
        return self._fields.integer(index) if "i64" in kind and "memdesc" not in kind else self._fields.part(index)

    def _solve(self, root: str) -> None:
        known = self._known
        made: dict[str, Origin] = {}
        sources = {root: self._sources(root)}
        stack = [(root, iter(sources[root]))]
        early: list[str] = []  # looked at before all that they come from, as the first of a loop always is
        while stack:
            value, rest = stack[-1]
            for source in rest:
                if source in known or source in made:
                    continue
                if source in sources:
                    early.append(value)
                    continue
                inner = sources[source] = self._sources(source)
                stack.append((source, iter(inner)))
                break
            else:
                stack.pop()
                made[value] = self._transfer(value, [known.get(s) or made.get(s, NOTHING) for s in sources[value]])
        known.update(made)
        if early:
            self._settle(early, sources)

    def _settle(self, changed: list[str], sources: dict[str, Sequence[str]]) -> None:
        """Go round the loops until nothing changes; ``sources`` are those of all values in question."""
        known = self._known
        users: dict[str, list[str]] = {}
        for value, inner in sources.items():
            for source in inner:
                users.setdefault(source, []).append(value)
        queue = dict.fromkeys(changed)
        while queue:
            value = next(iter(queue))
            del queue[value]
            made = known[value] | self._transfer(value, [known[source] for source in sources[value]])
            if made != known[value]:
                known[value] = made
                queue.update(dict.fromkeys(users.get(value, ())))

    def _sources(self, value: str) -> Sequence[str]:
        sources = self._carried(value)
        deciders = self._deciders(value)
        return [*sources, *deciders] if deciders else sources

    def _deciders(self, value: str) -> Sequence[str]:
        """The values that say which of its sources a value is, or how often it was made anew."""
        if not self._offsets:
            return ()
        definition = self._function.definitions[value]
        if not isinstance(definition, Argument):
            op, _ = definition
            row = ROWS[op.name]
            if row is None or row.result != "load":
                return deciders_of(op)
            read = (*row.reads, *self._instead(op, row.passes))
            return [operand for position, operand in enumerate(op.operands) if position not in read]
        owner = definition.owner
        if definition.block:
            return self._graph.branches.get((id(owner), definition.region), ())
        return () if owner is None else deciders_of(owner)

    def _carried(self, value: str) -> Sequence[str]:
        definition = self._function.definitions[value]
        if isinstance(definition, Argument):
            return argument_sources(self._graph, definition)
        op, index = definition
        row = ROWS[op.name]
        kind = "unknown" if row is None else row.result
        if row is None or kind == "unknown":
            return op.operands
        if kind in ("none", "kept"):
            return ()
        if kind == "advance":
            return op.operands if self._offsets else op.operands[:1]
        if kind == "pass" and op.name == "tt.split":
            return split_sources(self._graph, op, index)
        if kind == "load":
            return [op.operands[address] for address in (*row.reads, *self._instead(op, row.passes))]
        if kind == "call":
            return [op.operands[i] for i in bits(self._fields.anything(self._returned(op, index)))]
        if kind == "region":
            return region_sources(self._graph, op, index)
        if row.passes and not self._offsets:
            return [op.operands[i] for i in row.passes if i < len(op.operands)]
        return op.operands

    def _transfer(self, value: str, origins: list[Origin]) -> Origin:
        """The origin of a value; ``NOTHING`` as long as those that it needs are not known. What has no sources is
        never that: it is at least ``loose``."""
        fields = self._fields
        definition = self._function.definitions[value]
        count = len(self._deciders(value))
        decider = NOTHING
        if count:
            origins, decider = origins[:-count], _union(origins[-count:])
        union = _union(origins)
        if isinstance(definition, Argument):
            if definition.owner is None and definition.block == 0:
                return self._argument(definition.index)
            return self.told(union, decider, turns=definition.block == 0)
        op, index = definition
        row = ROWS[op.name]
        kind = "unknown" if row is None else row.result
        if row is None or kind in ("unknown", "kept"):
            known = (
                "is kept in shared memory"
                if row is not None
                else f"comes out of the operation `{op.name}`, which triton-ls does not know"
            )
            return fields.as_number(union) | fields.reason(self._reason(f"the address {known}", op))
        if kind == "none":
            return fields.loose
        if NOTHING in origins and kind not in ("pass", "region", "call"):
            return NOTHING
        if kind == "region":
            return self.told(union, decider, turns=op.name in ("scf.for", "scf.while"))
        if kind == "pass":
            return self._chosen(row.passes, origins, union)
        if kind == "bits":
            return fields.loosened(union)
        if kind == "advance":
            offset = NOTHING
            for origin in origins[1:]:
                offset |= origin
            bytewise = "!tt.ptr<i8>" in self._function.types[op.operands[0]]
            return fields.advanced(origins[0], offset, bytewise)
        if kind == "sum":
            return fields.total(origins[0], origins[1], subtract=op.name == "arith.subi")
        if kind == "load":
            text = self._function.types[value]
            count, through, instead = len(row.reads), NOTHING, NOTHING
            for origin in origins[:count]:
                through |= origin
            for origin in origins[count:]:
                instead |= origin
            made = fields.loaded(through, "!tt.ptr" in text, "i64" in text)
            if self._offsets:
                # Which place of a table was read.
                made |= fields.digits(through, True, self._handed) | fields.digits(decider, False, self._handed)
            return made if fields.is_empty(instead) else made | instead
        if kind == "from_integer":
            return fields.address_of_integer(union)
        if kind == "call":
            return self._of_call(op, index, origins)
        if kind == "asm":
            return self._assembly(op, index, origins)
        return fields.as_number(union)

    def _instead(self, op: Op, passes: Sequence[int]) -> Sequence[int]:
        """The operands that a load gives where its mask is off, if it has any."""
        types, count = self._function.types, len(op.operands)
        return [i for i in passes if -count <= i < count and types[op.operands[i]] == op.types[0]]

    def _chosen(self, passes: Sequence[int], origins: list[Origin], union: Origin) -> Origin:
        """One of several values."""
        if not self._offsets or not passes or len(origins) <= len(passes):
            return union
        chooser = _union([origin for position, origin in enumerate(origins) if position not in passes])
        return self.told(_union([origins[i] for i in passes]), chooser)

    def told(self, made: Origin, decider: Origin, turns: bool = False) -> Origin:
        """What a value is, where another decides: it may be a digit of that one. ``turns``: it decides how often.

        Of how often, and where an address is in the value already, only addresses count: numbers that a launch passes
        are mostly how much there is to do."""
        if not made:
            return made
        fields = self._fields
        only_digits = turns or fields.escaping(made)
        return made | (fields.digits(decider, False, self._handed) if only_digits else fields.as_number(decider))

    def _of_call(self, op: Op, index: int, origins: list[Origin]) -> Origin:
        origin = self._returned(op, index)
        arguments = dict(zip(bits(self._fields.anything(origin)), origins, strict=True))
        return self._fields.substitute(origin, arguments)


def _union(origins: Sequence[Origin]) -> Origin:
    made = NOTHING
    for origin in origins:
        made |= origin
    return made
