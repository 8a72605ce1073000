"""An MLIR module of Triton's -> ``Ir``.

The bindings give names, operands, results and nesting exactly; the printed text gives what they lack: a location for
every operation and the targets of a branch. Both list the operations in the same (post) order, which is how they are
matched.
"""

# pyright: basic
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from kernel_analysis.ir import NOWHERE, At, Block, Function, Ir, Op, Value
from kernel_analysis.lowering.places import Places
from kernel_analysis.signature.model import ParameterType, Signature


class Unreadable(Exception):
    """The printed module and the bindings disagree; the message says where."""


_ALIAS = re.compile(
    r'^#(loc\d*) = loc\("((?:[^"\\]|\\.)*)"(?::(\d+):(\d+)|\(#(loc\d*)\))\)$', re.MULTILINE
)  # "file":line:column or "name"(#loc)
_REFERENCE = re.compile(r"#(loc\d*)")
_PACKED = re.compile(r"packed_element = (\d+)")
_NUMBER = re.compile(r"arith\.constant (?:dense<)?(-?\d+)>? :")
_ARGUMENT = re.compile(r'%[^\s:]+: [^%]*? loc\((?:"([^"]*)"\()?')
_LABEL = re.compile(r"\^(bb\d+)")
_SUCCESSOR = re.compile(r"\^(bb\d+)(?:\(([^)]*)\))?")

_TEXT_ATTRIBUTES: dict[str, tuple[tuple[str, str], ...]] = {
    "tt.call": (("callee", "symbol"),),
    "tt.elementwise_inline_asm": (("asm_string", "string"), ("constraints", "string"), ("pure", "bool")),
    "ttg.inline_asm": (("asm_string", "string"), ("constraints", "string"), ("pure", "bool")),
    "tt.extern_elementwise": (("symbol", "string"), ("pure", "bool")),
}
"""What the facts need of an operation's attributes, and how the bindings give it (integers only since 3.7: those are
read from the text)."""


class _Locations:
    """Resolves ``loc(...)`` texts to places."""

    def __init__(self, text: str, places: Places) -> None:
        # Most are a place in a file or a name for another one: those are taken apart here, all at once.
        self._aliases = {
            alias: (quoted, line, column, other) for alias, quoted, line, column, other in _ALIAS.findall(text)
        }
        self._text = text
        self.places = places
        self._known: dict[str, At] = {"unknown": NOWHERE}

    def resolve(self, inner: str) -> At:
        """``inner`` is what stands between the parentheses."""
        found = self._known.get(inner)
        if found is None:
            found = self._known[inner] = self._resolve(inner)
        return found

    def _resolve(self, inner: str) -> At:
        simple = self._aliases.get(inner[1:]) if inner[0] == "#" else None
        if simple is not None:
            quoted, line, column, other = simple
            if other:
                return self.resolve(f"#{other}")
            if not quoted.startswith("<"):
                return NOWHERE
            return self.places.find(int(quoted[1:-1]), int(line), int(column))
        if inner[0] == "#":
            whole = re.search(rf"^{inner} = loc\((.*)\)$", self._text, re.MULTILINE)
            inner = whole[1] if whole else ""
        within = _REFERENCE.search(inner)  # fused[...] and callsite(...): the first place is the operation's own
        return self.resolve(within[0]) if within else NOWHERE


class _Printed:
    """One pass over the printed module: the location of each operation in post order, and the targets of branches."""

    def __init__(self, text: str) -> None:
        self.ends: list[str] = []  # what stands in the trailing loc(...)
        self.yields: set[int] = set()  # which of them end a `scf.yield`
        self.packed: dict[int, str] = {}
        self.constants: dict[int, str] = {}
        self.heads: list[list[str]] = []  # the parameter behind each argument of each function
        self.branches: dict[int, list[tuple[str, int, dict[str, int]]]] = {}
        numbers = "tt.ptr_to_int" in text  # only then does it matter which number is added to an address
        labels: list[dict[str, int]] = []
        fresh = False
        for line in text.split("\n"):
            if line.startswith("#") or not line:
                continue
            line = line.lstrip()
            first = line[0]
            if first == "^":
                inner = labels[-1]
                if fresh:
                    inner.clear()  # the entry block has a label of its own
                inner[_LABEL.match(line)[1]] = len(inner)  # pyright: ignore[reportOptionalSubscript]
                fresh = False
                continue
            if first == "}" and labels:
                labels.pop()
            fresh = line.endswith("{")
            if line.startswith("tt.func"):
                self.heads.append([_parameter(name) for name in _ARGUMENT.findall(line)])
            if fresh:
                # A region starts: an unlabelled entry block is number 0 in it.
                labels.append({"": 0})
                continue
            if not line.endswith(")"):
                continue
            cut = line.rfind(" loc(")
            if cut < 0:
                continue
            if line.startswith("cf."):
                self.branches[len(self.ends)] = [
                    (label, (args or "").split(":")[0].count("%"), labels[-1])
                    for label, args in _SUCCESSOR.findall(line[:cut])
                ]
            elif line.startswith("scf.yield"):
                self.yields.add(len(self.ends))
            elif numbers and "arith.constant " in line:
                value = _NUMBER.search(line)
                if value:
                    self.constants[len(self.ends)] = value[1]
            elif "inline_asm" in line:
                packed = _PACKED.findall(line)
                self.packed[len(self.ends)] = packed[-1] if packed else "1"
            self.ends.append(line[cut + 5 : -1])


def _parameter(name: str) -> str:
    """``pair.0.1`` -> ``pair[0][1]``; ``d.shape.0`` -> ``d``: how the front end names the arguments that a parameter
    becomes."""
    head, *rest = name.split(".")
    return head if rest[:1] in (["shape"], ["stride"]) else head + "".join(f"[{part}]" for part in rest)


def _number_elements(function: Function) -> None:
    """Before 3.8 all elements of a tuple carry its bare name: number them (a descriptor's arguments share theirs for
    good)."""
    names = function.parameters
    for name in {name for name in names if names.count(name) > 1}:
        positions = [position for position, other in enumerate(names) if other == name]
        if "tensordesc" not in function.blocks[0].arguments[positions[0]].type:
            for number, position in enumerate(positions):
                names[position] = f"{name}[{number}]"


def read_module(module: Any, text: str, signature: Signature, places: Places) -> Ir:
    """The Ir of a verified module. ``text`` is the module printed with locations. Raises Unreadable."""
    printed, locations = _Printed(text), _Locations(text, places)
    reader = _Reader(printed, locations)
    module.walk(reader.visit)
    if reader.cursor != len(printed.ends):
        raise Unreadable(f"the printed module has {len(printed.ends)} operations, the walk found {reader.cursor}")
    entry = reader.functions[0]
    entry.parameters = flatten_parameters(signature)
    for function in reader.functions:
        _number_elements(function)
        count = len(function.blocks[0].arguments) if function.blocks else 0
        if count != len(function.parameters):
            raise Unreadable(f"`{function.name}` has {count} arguments and {len(function.parameters)} names for them")
    return Ir(entry.name, {function.name: function for function in reader.functions}, reader.names)


def flatten_parameters(signature: Signature) -> list[str]:
    """The Python parameter (or element) behind each argument of the entry function."""
    out: list[str] = []

    def add(name: str, kind: ParameterType) -> None:
        if isinstance(kind, tuple):
            for position, inner in enumerate(kind):
                add(f"{name}[{position}]", inner)
        elif kind.startswith("tensordesc"):
            rank = re.search(r"input_rank=(\d+)", kind)
            dimensions = int(rank[1]) if rank else kind[kind.index("[") : kind.index("]")].count(",") + 1
            out.extend([name] * (1 + 2 * dimensions))
        elif not kind.startswith("constexpr"):
            out.append(name)

    for name, kind in signature.types.items():
        add(name, kind)
    return out


_VARYING = (
    "tt.call",
    "tt.reduce",
    "tt.scan",
    "tt.map_elementwise",
    "tt.elementwise_inline_asm",
    "tt.func",
    "builtin.module",
)
"""Operations (besides those of ``scf`` and Gluon) that don't always have the same number of results and regions."""

_CALLED = {
    "tt.call", "tt.load", "tt.store", "tt.atomic_rmw", "tt.atomic_cas", "tt.atomic_load", "tt.atomic_store",
    "tt.descriptor_load", "tt.descriptor_gather", "tt.descriptor_reduce", "tt.elementwise_inline_asm",
    "tt.extern_elementwise",
}  # fmt: skip
"""Made by a call in the user's text, never by an operator."""

_COMBINING = ("tt.reduce", "tt.scan", "tt.map_elementwise", "ttg.warp_specialize")
"""Their regions call a function of the user's from code that has no place of its own."""

_FLOATS = {
    "arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.remf", "arith.negf", "arith.maximumf",
    "arith.minimumf", "arith.maxnumf", "arith.minnumf", "arith.truncf", "arith.extf", "arith.sitofp", "arith.uitofp",
    "math.exp", "math.exp2", "math.log", "math.log2", "math.sqrt", "math.rsqrt", "math.sin", "math.cos", "math.fma",
    "math.absf", "math.erf", "math.floor", "math.ceil", "math.tanh", "arith.cmpi", "arith.cmpf",
}  # fmt: skip
"""Their results are floats or truth values, whatever their operands: no address comes out of them."""

_UNPRINTED = "ttg.warp_specialize.partitions"
"""Holds the partitions' regions; printed as part of the operation around it."""

_shapes: dict[str, tuple[int, int]] = {}
"""Operation -> numbers of its results and regions, where those never vary: asking the bindings each time is what
costs."""


class _Reader:
    def __init__(self, printed: _Printed, locations: _Locations) -> None:
        self._printed, self._locations = printed, locations
        self._blocks: dict[int, Block] = {}  # by MLIR's identity
        self._regions: dict[int, list[Block]] = {}
        self.cursor = 0
        self.functions: list[Function] = []
        self.names: set[str] = set()
        # Assembly packs its operands by their types: then all of them count.
        self._untyped = set[str]() if printed.packed else _FLOATS

    def visit(self, operation: Any) -> None:
        """Called for every operation, inner ones first."""
        name: str = operation.get_name()
        operands = [operation.get_operand(i).id() for i in range(operation.get_num_operands())]
        printed, cursor = self._printed, self.cursor
        branch = packed = number = None
        if name == _UNPRINTED or name == "scf.yield" and not operands and cursor not in printed.yields:
            at = NOWHERE
        else:
            if cursor >= len(printed.ends):
                raise Unreadable(f"no printed location is left for `{name}`")
            at = self._locations.resolve(printed.ends[cursor])
            if name in _CALLED:
                at = self._locations.places.call(at)
            branch, packed = printed.branches.get(cursor), printed.packed.get(cursor)
            number = printed.constants.get(cursor)
            self.cursor += 1
        self.names.add(name)
        shape = _shapes.get(name)
        if shape is None:
            shape = operation.get_num_results(), operation.get_num_regions()
            if name not in _VARYING and name.startswith(("tt.", "arith.", "math.", "cf.", "ub.")):
                _shapes[name] = shape
        count, regions = shape
        if regions:
            inner = [self._regions.pop(operation.get_region(i).id(), []) for i in range(regions)]
            if name == "builtin.module":
                return
            if name == "tt.func":
                self.functions.append(
                    Function(operation.get_str_attr("sym_name"), at, inner[0], printed.heads[len(self.functions)])
                )
                return
            op = Op(name, operands, (), at, inner)
            if name in _COMBINING:
                _place_inner(op)
        else:
            op = Op(name, operands, (), at)
        if count == 1:
            result = operation.get_result(0)
            op.results = (Value(result.id(), "" if name in self._untyped else str(result.get_type())),)
        elif count:
            results = [operation.get_result(i) for i in range(count)]
            op.results = [Value(result.id(), str(result.get_type())) for result in results]
        if branch is not None:
            op.successors = self._successors(op, branch)
        wanted = _TEXT_ATTRIBUTES.get(name)
        if wanted:
            op.attributes = {key: _attribute(operation, key, kind) for key, kind in wanted}
        if number is not None:
            op.attributes = {"value": number}
        if packed is not None:
            op.attributes = {**op.attributes, "packed_element": packed}
        block = operation.get_block()
        found = self._blocks.get(block.id())
        if found is None:
            found = self._block(block)
        found.ops.append(op)

    def _block(self, block: Any) -> Block:
        arguments = [block.get_argument(i) for i in range(block.get_num_arguments())]
        made = Block([Value(argument.id(), str(argument.get_type())) for argument in arguments])
        self._blocks[block.id()] = made
        self._regions.setdefault(block.get_parent().id(), []).append(made)
        return made

    @staticmethod
    def _successors(op: Op, branch: list[tuple[str, int, dict[str, int]]]) -> list[tuple[int, list[int]]]:
        passed = sum(count for _, count, _ in branch)
        arguments = op.operands[len(op.operands) - passed :]
        out: list[tuple[int, list[int]]] = []
        for label, count, labels in branch:
            out.append((labels[label], arguments[:count]))
            arguments = arguments[count:]
        return out


def _place_inner(op: Op) -> None:
    for block in (block for region in op.regions for block in region):
        for inner in block.ops:
            if inner.at.node == 0:
                inner.at = op.at
            _place_inner(inner)


def _attribute(operation: Any, key: str, kind: str) -> str:
    getters: dict[str, Callable[[str], Any]] = {
        "symbol": operation.get_flat_symbol_ref_attr,
        "string": operation.get_str_attr,
        "bool": operation.get_bool_attr,
    }
    return str(getters[kind](key))
