"""What a function of the language does with what it is given, by its row in the table.

Knows no names: which function it is, ``call_effects`` says.
"""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, Literal

from kernel_analysis.dataflow.text.expression_flow import TextExpressions
from kernel_analysis.dataflow.text.given_arguments import GivenArguments
from kernel_analysis.dataflow.text.language import NUMBER, LanguageRow, Operand
from kernel_analysis.dataflow.text.name_flow import Callee
from kernel_analysis.dataflow.text.text_assembly import Assembled, assembled, may_be_foreign
from kernel_analysis.dataflow.text.value import (
    AS_LOADED,
    BLOCK,
    NOTHING,
    OBJECT,
    POINTER_TYPE,
    UNSEEN,
    TextValue,
    depends,
    heap,
    parts_of,
    plain_type,
    sort_of,
    whole,
)
from kernel_analysis.source.slice import FunctionRef
from kernel_analysis.source.tree import parameters

Access = Literal["read", "write"]
_ACCESSES: tuple[Access, ...] = ("read", "write")


class Rows(TextExpressions):
    """Applies them. ``told``: what may be in the tests that decide whether what follows runs, and how often."""

    told: int = 0
    puts: bool = False
    """Whether anything is put into memory."""

    # What subclasses say.

    @abstractmethod
    def access(self, kind: Access, value: TextValue, node: ast.AST) -> None:
        """Memory is accessed through this address."""

    @abstractmethod
    def escape(self, value: TextValue, node: ast.AST) -> None:
        """The value is put into memory."""

    def counted(self, flow: int) -> None:
        """Addresses that may become numbers here, whose digits something may tell from now on."""

    def tell(self, flow: int, node: ast.AST) -> None:
        """Something is put into memory, or is not, as these say: what comes back may be digits of them."""
        self.puts = True
        if flow:
            self.escape(TextValue(flow), node)

    @abstractmethod
    def loaded(self, value: TextValue) -> int:
        """What may be in what is read through this address, as flow."""

    @abstractmethod
    def cast(self, flow: int, dep: int) -> int:
        """The same where numbers may have become pointers, which depends on ``dep``."""

    @abstractmethod
    def made(self) -> int:
        """The bit of an address that was made of a number, which may be 0."""

    @abstractmethod
    def of_loaded(self) -> None:
        """What was loaded becomes an address."""

    @abstractmethod
    def behind(self, value: TextValue) -> int:
        """The addresses that a function that nobody knows may find behind those that it is given."""

    @abstractmethod
    def anywhere(self) -> int:
        """Those that it may find in memory."""

    @abstractmethod
    def kernels(self) -> int:
        """Every address that the kernel was given."""

    @abstractmethod
    def is_made(self, flow: int) -> bool:
        """Whether that is in it."""

    @abstractmethod
    def functions(self, value: TextValue) -> Iterable[tuple[Callee | None, Any]]:
        """The functions that a value may be, each with the gate behind which it is; None: one that nobody knows."""

    @abstractmethod
    def one(self, callee: Any, given: GivenArguments, node: ast.Call) -> TextValue:
        """Call one function."""

    @abstractmethod
    def any_of(self, value: TextValue, given: GivenArguments, node: ast.Call) -> TextValue:
        """Call whichever function the value is."""

    # What rows say.

    def apply(self, row: LanguageRow, given: GivenArguments, node: ast.Call) -> TextValue:
        """What a function with this row does and gives."""
        dep = given.depends()
        if row is NUMBER:
            return TextValue(0, dep, sort=BLOCK) if dep else NOTHING
        if row.anything:
            if (known := assembled(row, given)) is not None:
                return self._assembled(known, dep, node)
            if row.decided is not None and given.loose is None:
                dep = 0
                for value in given.operands(row.decided):
                    dep |= depends(value)
            if may_be_foreign(row, given):
                for kind in _ACCESSES:
                    self.access(kind, self.uncertain(TextValue(self.kernels()), dep), node)
            made = row.decided is not None and any(map(_of_numbers, given.all()))
            return self.nobody_knows(given, dep, node, made)
        made = 0
        if row.touches:
            for value in given.accessed(row.reads):
                self.access("read", self._indexed(value, given, row), node)
                if row.keeps:
                    self.escape(TextValue(self.cast(self.loaded(value), 0)), node)
            for value in given.accessed(row.writes):
                self.access("write", self._indexed(value, given, row), node)
            for value in given.operands(row.stores):
                self.escape(TextValue(self.cast(whole(value), 0)) if row.keeps else value, node)
            place = self._place(row, given)
            if row.writes != () or row.stores != () or row.keeps or row.changes:
                self.tell(self.told | self.telling(place), node)
            if row.calls != ():
                result = self._called(given.operands(row.calls), given, node, BLOCK if row.blocks else OBJECT)
                made, dep = result.flow, dep | result.dep
            if row.loads != ():
                made |= self.telling(place)
            for value in given.accessed(row.loads):
                made |= self.loaded(value)
            for value in given.operands(row.held):
                made |= 0 if value.pointer else whole(value)
        passed = given.operands(row.passes)
        pointer = not row.holder and len(passed) == 1 and passed[0].pointer and passed[0].const is UNSEEN
        for value in passed:
            made |= whole(value)
        if row.describes:
            for value in given.all():
                if not any(value is base for base in passed):
                    made |= self.aside(whole(value)) | self.of_memory(whole(value))
        if row.chosen and all(value.pointer for value in passed):
            for value in given.operands(row.chosen):
                made |= self.which(self.digits(value))
        elif row.chosen:
            # Of numbers, which it is says what chooses: they may be its digits, whatever else is in them (then only of
            # addresses, as what a launch passes is mostly how much there is).
            held = made
            for value in given.operands(row.chosen):
                made |= self.telling(self.digits(value)) if held else self.digits(value)
        if self.is_made(made) and len(row.passes or ()) == 1:
            # Where the base is nothing, what is added to it is the address: strides, offsets.
            for value in given.all():
                made |= whole(value)
        if row.casts is not None:
            self.counted(made)
            kind = self._kind_of_cast(row.casts, row.like, given)
            pointer_type = kind is not None and kind.const is POINTER_TYPE
            if kind is None or not plain_type(kind):
                # (Of what is an address already, no number becomes one here.)
                as_loaded = pointer_type and len(passed) == 1 and passed[0].const is AS_LOADED
                if not pointer:
                    made = self.cast(made, dep if kind is None else depends(kind))
                if as_loaded:
                    self.of_loaded()
                elif not pointer:
                    made |= self.made()
                pointer = (pointer or as_loaded) and pointer_type
            else:
                pointer = False
        elif len(passed) > 1 and made and not row.holder:
            # Of several blocks beside each other, all of which are pointers or none.
            pointer = any(value.pointer and value.const is UNSEEN for value in passed) and all(
                value.pointer or not value.flow for value in passed
            )
        sort = BLOCK if row.blocks else max(map(sort_of, passed), default=BLOCK)
        if not made and not dep and sort == BLOCK:
            return NOTHING
        if row.loads and not row.writes and not row.held and not any(map(whole, passed)):
            return TextValue(made, dep, const=AS_LOADED, sort=sort)
        return TextValue(made, dep, pointer=pointer, sort=sort)

    def _indexed(self, address: TextValue, given: GivenArguments, row: LanguageRow) -> TextValue:
        """What is accessed: with what says where in it, where the address may be nothing."""
        if row.indices == () or not self.is_made(whole(address)):
            return address
        stored = () if row.stores is None else given.operands(row.stores)
        others = [value for value in given.operands(row.indices) if not any(value is kept for kept in stored)]
        return heap([address, *others])

    def _kind_of_cast(self, operand: Operand, like: Operand | None, given: GivenArguments) -> TextValue | None:
        if given.loose is not None:
            return None
        kind = next(iter(given.operands((operand,))), None)
        if like is not None and (kind is None or kind.const is None):
            return next((self.member(value, "dtype") for value in given.operands((like,))), None)
        return kind

    def _called(self, functions: list[TextValue], given: GivenArguments, node: ast.Call, sort: int) -> TextValue:
        """These of the operands are called with values of the others."""
        everything = list(given.all())
        flow = dep = 0
        for value in everything:
            flow, dep = flow | whole(value), dep | depends(value)
        made: list[TextValue] = []
        for value in functions:
            for callee, gate in self.functions(value):
                if isinstance(callee, FunctionRef):
                    function = self.slice.functions[callee.index]
                    count = len(parameters.positional(function.node.args))
                    inner = GivenArguments([TextValue(flow, dep, sort=sort)] * count)
                    if function.node.args.vararg is not None:
                        inner.loose = TextValue(flow, dep, sort=sort)
                else:
                    inner = GivenArguments([TextValue(flow, dep, sort=sort)])
                result = self.under(gate, lambda callee=callee, inner=inner: self.one(callee, inner, node))
                made.append(self.gated(result, gate))
        return heap(made)

    def _partitions(self, given: GivenArguments, node: ast.Call) -> TextValue:
        """Gluon's ``warp_specialize``: pairs of a function and its arguments, one for each partition."""
        first = given.positional[0] if given.positional else given.keywords.get("functions_and_args", NOTHING)
        pairs = first.items
        if given.loose is not None or first.open or pairs is None or not all(_is_pair(pair) for pair in pairs):
            made = self._called(list(given.all()), given, node, OBJECT)
            for value in given.all():
                self.access("read", self.uncertain(value, depends(value)), node)
                self.access("write", self.uncertain(value, depends(value)), node)
            return made
        made = NOTHING
        for number, pair in enumerate(parts_of(first)):
            function, arguments = parts_of(pair)
            result = self.any_of(function, GivenArguments(parts_of(arguments)), node)
            made = result if not number else made
        return made

    def _place(self, row: LanguageRow, given: GivenArguments) -> int:
        """What says where an access goes, and whether: what is added to the address, indices, masks."""
        found, values = 0, given.operands(row.stores)
        addresses = [*given.accessed(row.reads), *given.accessed(row.writes)]
        for value in given.all():
            if any(value is address for address in addresses):
                found |= self.offsets(whole(value)) | self.of_memory(whole(value))
            elif not value.pointer and not any(value is stored for stored in values):
                found |= whole(value)
        return found

    def _assembled(self, known: Assembled, dep: int, node: ast.AST) -> TextValue:
        """Assembly makes addresses of whatever it is given: of numbers, too."""

        def flow(reaching: tuple[frozenset[int], frozenset[int]]) -> int:
            made = 0
            for number in reaching[0]:
                made |= self.cast(whole(known.arguments[number]), 0)
            for number in reaching[1]:
                address = TextValue(self.cast(whole(known.arguments[number]), 0))
                made |= self.behind(address) | self.cast(self.loaded(address), 0)
            return made | self.made() if any(reaching) else 0

        for argument in known.arguments:
            self.counted(whole(argument))
        self.access("read", TextValue(flow(known.read)), node)
        self.access("write", TextValue(flow(known.written)), node)
        self.escape(TextValue(flow(known.stored)), node)
        if any(known.written):
            self.tell(self.told, node)
        return TextValue(flow(known.result) | (self.kernels() if known.foreign else 0), dep, sort=BLOCK)

    def nobody_knows(self, given: GivenArguments, dep: int, node: ast.AST, made: bool = False) -> TextValue:
        """What a function does that nobody knows. ``made``: it makes addresses of numbers, as assembly does."""
        flow = 0
        for value in given.all():
            self.counted(whole(value))
        self.tell(self.told, node)
        for kind in _ACCESSES:
            self.access(kind, TextValue(self.anywhere(), dep), node)
        for value in given.all():
            held = self.cast(whole(value), 0)
            everything = self.uncertain(TextValue(held | (self.made() if made else 0), depends(value)), dep)
            address = TextValue(everything.flow | self.behind(everything), everything.dep)
            self.access("read", address, node)
            self.access("write", address, node)
            self.escape(everything, node)
            flow |= everything.flow | self.cast(self.loaded(everything), 0)
        return TextValue(flow | self.anything(), dep)


def _of_numbers(value: TextValue) -> bool:
    """Whether something may be in it that is no address as it is."""
    if value.items is not None:
        return any(map(_of_numbers, value.items))
    return bool(value.flow) and not value.pointer and value.sort == BLOCK


def _is_pair(value: TextValue) -> bool:
    if value.items is None or value.open or len(value.items) != 2:
        return False
    arguments = value.items[1]
    return arguments.items is not None and not arguments.open
