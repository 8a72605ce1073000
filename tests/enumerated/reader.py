"""A plain reader of one compiled kernel: which parameters it reads and writes, followed through the printed module.

Shares nothing with the analysis. Two ways to read: ``possible`` says only what some run of this very module does (a
decision at run time goes both ways, a loop of known turns has those turns), ``conceivable`` all that no reader could
rule out. What lies between them the enumeration does not decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from enumerated.effects import BOTH, COMPARE, ENDS, FIRST, FOLD, NOTHING, READS, SAME, WRITES
from enumerated.ttir import Block, Function, Op, Region, Unreadable

# Roots: ("p", i): argument i of the kernel; ("t", i): an address loaded through it; ("m", n): shared memory made there;
# ("0", 0): no address at all, so that adding one to it makes one.
Root = tuple[str, int]
Facts = dict[int, set[str]]
_NUMBER: Root = ("0", 0)
_TURNS = 32
_ROUNDS = 64

_CONSTANT = re.compile(r"^\s*(?:dense<)?(true|false|-?\d+)(?:>| :|$)")
_ASM_STORE = re.compile(r"\b(st|red|atom)\.[\w.:]*\s+(?:\$\d+\s*,\s*)?\[\s*\$(\d+)")
_ASM_LOAD = re.compile(r"\b(ld|atom)\.[\w.:]*\s+\{?[^\[;]*\[\s*\$(\d+)")


@dataclass(frozen=True, slots=True)
class Value:
    """Where an address may come from, and the number that it is, if it always is that."""

    roots: frozenset[Root] = frozenset()
    number: int | None = None

    def __or__(self, other: Value) -> Value:
        return Value(self.roots | other.roots, self.number if self.number == other.number else None)


_EMPTY = Value()
_END = Op("scf.yield", [], [], "", "")  # of a block that yields nothing, the end is not printed
Values = dict[str, Value]
_Call = tuple[str, tuple[Value, ...]]


def possible(functions: dict[str, Function], arguments: list[bool], name: str | None = None) -> Facts:
    """What some run does. ``arguments``: for each of the function's, whether an address may come in with it; the
    function is the kernel if there is no name."""
    return _Reader(functions, strict=True).read(name or _kernel(functions), arguments)


def conceivable(functions: dict[str, Function], arguments: list[bool]) -> Facts:
    """What can't be ruled out."""
    return _Reader(functions, strict=False).read(_kernel(functions), arguments)


def _kernel(functions: dict[str, Function]) -> str:
    (kernel,) = [function.name for function in functions.values() if function.public]
    return kernel


def _join(ways: Iterable[list[Value]]) -> list[Value]:
    found: list[Value] = []
    for way in ways:
        found = [a | b for a, b in zip(found, way, strict=True)] if found else list(way)
    return found


class _Reader:
    def __init__(self, functions: dict[str, Function], strict: bool) -> None:
        self._functions = functions
        self._strict = strict
        self._facts: Facts = {}
        self._memory: dict[Root, frozenset[Root]] = {}
        self._made: dict[int, int] = {}
        self._results: dict[_Call, list[Value]] = {}
        self._done: set[_Call] = set()
        self._open: list[_Call] = []
        self._recursive: set[_Call] = set()
        self._grown = True

    def read(self, name: str, arguments: list[bool]) -> Facts:
        function = self._functions[name]
        if len(function.arguments) != len(arguments):
            raise Unreadable(f"{len(function.arguments)} arguments, not {len(arguments)}: {function.types}")
        given = [Value(frozenset({("p", index)})) if known else _EMPTY for index, known in enumerate(arguments)]
        while self._grown:  # what is in memory, and what recursion gives back
            self._grown = False
            self._done.clear()
            self._call(name, given)
        return self._facts

    # Calls and regions.

    def _call(self, name: str, given: list[Value]) -> list[Value]:
        function = self._functions.get(name)
        if function is None:
            raise Unreadable(f"no function {name}")
        if any(name == opened for opened, _ in self._open):
            given = [Value(value.roots) for value in given]
        key = (name, tuple(given))
        if key in self._done:
            return self._results[key]
        if key in self._open:
            self._recursive.add(key)
            return self._results.get(key, [])
        self._open.append(key)
        result = self._function(function, given)
        self._open.pop()
        if key in self._recursive and self._results.get(key) != result:
            self._grown = True
        self._results[key] = result
        self._done.add(key)
        return result

    def _function(self, function: Function, given: list[Value]) -> list[Value]:
        return self._blocks(function.body, given, {})

    def _blocks(self, region: Region, given: list[Value], values: Values) -> list[Value]:
        """A region of blocks that branch to each other: what its returns give."""
        incoming: dict[str, list[Value]] = {region.entry.name: given}
        blocks = {block.name: block for block in region.blocks}
        returned: list[list[Value]] = []
        work = [region.entry.name]
        for _ in range(_ROUNDS * len(blocks)):
            if not work:
                return _join(returned)
            block = blocks[work.pop(0)]
            self._bind(block, incoming[block.name], values)
            end = self._run(block, values)
            if not end.targets:
                returned.append([values[name] for name in end.operands])
                continue
            targets = end.targets
            if self._strict and end.name == "cf.cond_br" and values[end.operands[0]].number is not None:
                targets = [targets[0 if values[end.operands[0]].number else 1]]
            for name, handed in targets:
                new = [values[value] for value in handed]
                old = incoming.get(name)
                joined = new if old is None else _join([old, new])
                if joined != old or old is None:
                    incoming[name] = joined
                    work.append(name)
        raise Unreadable("blocks that never come to rest")

    def _bind(self, block: Block, given: list[Value], values: Values) -> None:
        values.update(zip(block.arguments, given, strict=True))

    def _run(self, block: Block, values: Values) -> Op:
        """Goes through a block; its last operation."""
        for op in block.ops:
            if op.name in ENDS:
                return op
            results = self._operation(op, values)
            if len(results) < len(op.results):
                results = results + [_EMPTY] * (len(op.results) - len(results))
            values.update(zip(op.results, results, strict=False))
        return _END

    def _through(self, region: Region, given: list[Value], values: Values) -> list[Value]:
        """A region of one block: what it yields."""
        if len(region.blocks) != 1:
            return self._blocks(region, given, values)
        self._bind(region.entry, given, values)
        end = self._run(region.entry, values)
        return [values[name] for name in end.operands]

    # Operations.

    def _operation(self, op: Op, values: Values) -> list[Value]:
        given = [values[name] for name in op.operands]
        name = op.name
        if name in READS:
            return [self._load(op, given[READS[name]], given, name)]
        if name in WRITES:
            address, stored = WRITES[name]
            if name != "tt.store" or not self._off(given[2:]):
                self._access(given[address], "written")
                self._keep(given[address], given[stored] if stored is not None else _EMPTY)
            return []
        if name in BOTH:
            address, stored = BOTH[name]
            self._access(given[address], "written")
            self._keep(given[address], given[stored] if stored is not None else _EMPTY)
            return [self._load(op, given[address], [], name)]
        control = getattr(self, "_" + name.replace(".", "_"), None)
        if control is not None:
            return control(op, given, values)
        if name in NOTHING:
            number = _CONSTANT.match(op.text) if name == "arith.constant" else None
            if number is None:
                return [_EMPTY] * len(op.results)
            return [Value(number=int(number[1]) if number[1] not in ("true", "false") else int(number[1] == "true"))]
        if name in SAME:
            joined = _join([[value] for value in given])[0] if given else _EMPTY
            if self._strict and name == "tt.split" and len(joined.roots) > 1:
                joined = _EMPTY  # one goes this way and one that
            return [joined] * len(op.results)
        if name in FIRST:
            return [given[0]]
        if name.startswith(("arith.", "math.")):
            return [self._number(op, given)] * len(op.results)
        if any(value.roots - {_NUMBER} for value in given) or op.regions:
            raise Unreadable(f"an address reaches {name}, which this reader doesn't know")
        return [_EMPTY] * len(op.results)

    def _off(self, masks: list[Value]) -> bool:
        """Whether a mask is never true."""
        return self._strict and any(mask.number == 0 for mask in masks)

    def _access(self, address: Value, fact: str) -> None:
        for kind, index in address.roots:
            if kind in "pt":
                facts = self._facts.setdefault(index, set())
                facts.add(f"table_{fact}" if kind == "t" else fact)

    def _keep(self, address: Value, stored: Value) -> None:
        kept = stored.roots - {_NUMBER}
        for root in address.roots:
            if kept and not kept <= self._memory.get(root, frozenset()) and (root[0] == "m" or not self._strict):
                self._memory[root] = self._memory.get(root, frozenset()) | kept
                self._grown = True

    def _load(self, op: Op, address: Value, given: list[Value], name: str) -> Value:
        if name == "tt.load" and len(given) > 1 and self._off(given[1:2]):
            return given[2] if len(given) > 2 else _EMPTY
        self._access(address, "read")
        kind = op.text.rpartition(":")[2]
        wide = re.search(r"\bi64\b|xi64\b|ptr<i64>|ptr<!tt\.ptr|ptr<ui64>", kind) is not None
        roots = frozenset(root for at in address.roots for root in self._memory.get(at, ()))
        if wide or not self._strict and re.search(r"\bi\d+\b|xi\d+\b|ptr<i", kind):
            roots |= {("t", index) for root, index in address.roots if root in "pt"}
        if len(given) > 2:
            roots |= given[2].roots  # what a mask lets through instead
        return Value(roots)

    def _number(self, op: Op, given: list[Value]) -> Value:
        """Arithmetic: an address plus a number is that address; of two addresses no one knows what it is."""
        if op.name == "arith.select":
            choice = given[0].number
            if self._strict and choice is not None:
                return given[1 if choice else 2]
            return given[1] | given[2]
        numbers = [value.number for value in given]
        number = None
        if len(numbers) == 2 and None not in numbers:
            if op.name in FOLD:
                number = FOLD[op.name](*numbers)
            elif op.name == "arith.cmpi":
                number = int(COMPARE[op.text.strip().split(",")[0]](*numbers))
        elif op.name.startswith("arith.trunci") and numbers[0] in (0, 1):
            number = numbers[0]
        if op.name.startswith("arith.cmp"):
            return Value(number=number)
        rooted = [value.roots for value in given if value.roots - {_NUMBER}]
        roots: frozenset[Root] = frozenset().union(*rooted)
        if op.name == "arith.muli" and (0 in numbers or 1 in numbers):  # not at all, or once
            return Value(frozenset() if 0 in numbers else roots, number)
        if self._strict and (len(rooted) > 1 or op.name not in ("arith.addi", "arith.subi", "arith.andi", "arith.ori")):
            roots = frozenset()
        if self._strict and op.name == "arith.subi" and rooted and not given[0].roots:
            roots = frozenset()
        return Value(roots, number)

    def _tt_addptr(self, op: Op, given: list[Value], values: Values) -> list[Value]:
        base, offset = given
        if not base.roots or _NUMBER in base.roots:
            return [Value(base.roots | offset.roots)]
        return [Value(base.roots)]

    def _tt_int_to_ptr(self, op: Op, given: list[Value], values: Values) -> list[Value]:
        return [Value(given[0].roots or frozenset({_NUMBER}))]

    def _tt_call(self, op: Op, given: list[Value], values: Values) -> list[Value]:
        name = re.match(r"\s*@(\"[^\"]*\"|[\w.$-]+)", op.raw)
        if name is None:
            raise Unreadable(f"calls nothing: {op.raw}")
        return self._call(name[1].strip('"'), given)

    def _scf_if(self, op: Op, given: list[Value], values: Values) -> list[Value]:
        arms = op.regions
        if self._strict and given[0].number is not None:
            arms = [arms[0]] if given[0].number else arms[1:]
        return _join(self._through(arm, [], values) for arm in arms)

    def _scf_for(self, op: Op, given: list[Value], values: Values) -> list[Value]:
        low, high, step = (value.number for value in given[:3])
        carried = given[3:]
        body = op.regions[0]
        turns = None
        if low is not None and high is not None and step:
            turns = range(low, high, step)
        if self._strict and turns is not None and len(turns) <= _TURNS:
            for turn in turns:
                carried = self._through(body, [Value(number=turn), *carried], values)
            return carried
        for _ in range(_ROUNDS):
            after = _join([carried, self._through(body, [_EMPTY, *carried], values)])
            if after == carried:
                return carried
            carried = after
        raise Unreadable("a loop that never comes to rest")

    def _scf_while(self, op: Op, given: list[Value], values: Values) -> list[Value]:
        before, body = op.regions
        carried = given
        for _ in range(_ROUNDS):
            decision, *handed = self._through(before, carried, values)
            if self._strict and decision.number == 0:
                return handed
            after = _join([carried, self._through(body, handed, values)])
            if after == carried:
                return handed
            carried = after
        raise Unreadable("a loop that never comes to rest")

    def _tt_reduce(self, op: Op, given: list[Value], values: Values) -> list[Value]:
        carried = given
        for _ in range(_ROUNDS):
            after = _join([carried, self._through(op.regions[0], [*carried, *carried], values)])
            if after == carried:
                return carried
            carried = after
        raise Unreadable("a reduction that never comes to rest")

    _tt_scan = _tt_reduce

    def _tt_map_elementwise(self, op: Op, given: list[Value], values: Values) -> list[Value]:
        arguments = op.regions[0].entry.arguments
        copies = len(arguments) // max(1, len(given))
        repeated = [value for value in given for _ in range(copies)]
        returned = self._through(op.regions[0], repeated, values)
        packed = max(1, len(returned) // max(1, len(op.results)))
        return [_join([[v] for v in returned[i * packed : (i + 1) * packed]])[0] for i in range(len(op.results))]

    def _ttg_warp_specialize(self, op: Op, given: list[Value], values: Values) -> list[Value]:
        yielded = self._through(op.regions[0], [], values)
        for partition in op.regions[1:]:
            self._through(partition, given, dict(values))
        return yielded

    # Shared memory.

    def _ttg_local_alloc(self, op: Op, given: list[Value], values: Values) -> list[Value]:
        root: Root = ("m", self._made.setdefault(id(op), len(self._made)))
        for value in given:
            self._keep(Value(frozenset({root})), value)
        return [Value(frozenset({root}))]

    _ttng_tmem_alloc = _ttg_local_alloc

    def _ttg_local_store(self, op: Op, given: list[Value], values: Values) -> list[Value]:
        self._keep(given[1], given[0])
        return []

    def _ttg_local_load(self, op: Op, given: list[Value], values: Values) -> list[Value]:
        return [Value(frozenset(root for at in given[0].roots for root in self._memory.get(at, ())))]

    _ttg_local_gather = _ttg_local_load

    def _ttg_local_scatter(self, op: Op, given: list[Value], values: Values) -> list[Value]:
        for value in given[1:]:  # where, and what
            self._keep(given[0], value)
        return []

    def _ttg_local_atomic_scatter_rmw(self, op: Op, given: list[Value], values: Values) -> list[Value]:
        found = self._ttg_local_load(op, given, values)
        self._ttg_local_scatter(op, given, values)
        return found

    # Code of another language.

    def _tt_elementwise_inline_asm(self, op: Op, given: list[Value], values: Values) -> list[Value]:
        text = op.raw.partition("{")[0]
        outputs = len(op.results)
        if self._strict:
            for pattern, fact in ((_ASM_STORE, "written"), (_ASM_LOAD, "read")):
                for found in pattern.finditer(text):
                    index = int(found[2]) - outputs
                    if 0 <= index < len(given):
                        self._access(given[index], fact)
            return [_EMPTY] * outputs
        for value in given:
            for fact in ("read", "written"):
                self._access(value, fact)
        return [Value(frozenset().union(*(value.roots for value in given)))] * outputs

    def _tt_extern_elementwise(self, op: Op, given: list[Value], values: Values) -> list[Value]:
        if self._strict:
            return [_EMPTY] * len(op.results)
        if "pure = true" not in op.text:
            for value in given:
                self._access(value, "read")
                self._access(value, "written")
        return [Value(frozenset().union(*(value.roots for value in given)))] * len(op.results)
