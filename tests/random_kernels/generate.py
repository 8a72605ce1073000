"""Makes random kernels that move pointers about: through loops, branches, helpers, early returns, tuples, descriptors,
selects, tables, numbers.

Every decision at run time is taken by a number of its own, loaded from the program's row of ``f_ptr`` (a call of a
helper gets a part of the row of its own), so that no two branches depend on each other, and running many programs with
random rows reaches what can be reached. Knows nothing of the analysis.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

POINTERS = 4
ROW = 1024  # numbers that one program decides by
SIZE = 8192  # elements of each buffer: more than any kernel here can walk
_POINTER = "tl.pointer_type(tl.float32)"
_OWN = 64  # of a row, for the kernel's own decisions; then as many for each call, a quarter of them each turn
_HEAD = "import triton\nimport triton.language as tl\n\n\n"


@dataclass(slots=True)
class _Helper:
    name: str
    results: int


@dataclass(slots=True)
class _Writer:
    """Writes the body of one function; ``names`` are the pointer variables in it."""

    draw: DrawFn
    names: list[str]
    helpers: list[_Helper]
    table: bool
    inner: bool
    columns: int = 0
    calls: int = 0
    lines: list[str] = field(default_factory=list[str])
    loops: int = 0
    fresh: int = 0

    def pick(self, *options: str) -> str:
        return self.draw(st.sampled_from(options))

    def name(self) -> str:
        return self.draw(st.sampled_from(self.names))

    def new(self) -> str:
        self.fresh += 1
        return f"x{self.fresh}"

    def column(self) -> str:
        self.columns += 1
        return f"tl.load(row + {(self.columns - 1) % _OWN})"

    def condition(self) -> str:
        """A decision; inside a loop another one each turn."""
        turn = f"i{self.loops} & 3" if self.loops else "0"
        return f"(({self.column()} >> ({turn})) & 1) > 0"

    def call(self, helper: _Helper) -> str:
        """A call, with a part of the row that no other call has."""
        self.calls += 1
        part = str(self.calls * (5 if self.inner else _OWN) % (ROW - _OWN))
        turn = f" + (i{self.loops} & 3) * {3 if self.inner else _OWN // 4}" if self.loops else ""
        return f"{helper.name}(row + {part}{turn}, {self.name()}, {self.name()}, acc)"

    def pointer(self, depth: int = 2) -> str:
        """An expression that is an address."""
        kinds = ["name", "name", "moved", "loaded offset", "number"]
        if depth:
            kinds += ["select", "conditional", "element"]
            kinds += ["entry"] if self.table else []
            kinds += ["helper"] if any(helper.results == 1 for helper in self.helpers) else []
        kind = self.pick(*kinds)
        if kind == "moved":
            return f"({self.name()} + {self.draw(st.integers(0, 3)) * 4})"
        if kind == "loaded offset":
            return f"({self.name()} + ({self.column()} & 3) * 4)"
        if kind == "number":
            return f"({self.name()}.to(tl.int64) + 16).to({_POINTER})"
        if kind == "select":
            return f"tl.where({self.condition()}, {self.pointer(depth - 1)}, {self.pointer(depth - 1)})"
        if kind == "conditional":
            return f"({self.name()} if {self.condition()} else {self.name()})"
        if kind == "element":
            return f"({self.name()}, {self.name()})[{self.draw(st.integers(0, 1))}]"
        if kind == "entry":
            return f"tl.load(tab + {self.draw(st.integers(0, 1))}).to({_POINTER})"
        if kind == "helper":
            helper = self.draw(st.sampled_from([helper for helper in self.helpers if helper.results == 1]))
            return self.call(helper)
        return self.name()

    def block(self, indent: int, depth: int, least: int = 1) -> None:
        for _ in range(self.draw(st.integers(least, 3))):
            self.statement(indent, depth)

    def add(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def statement(self, indent: int, depth: int) -> None:
        kinds = [
            "assign",
            "assign",
            "swap",
            "rotate",
            "tuple",
            "load",
            "store",
            "masked",
            "atomic",
            "descriptor",
            "compare",
        ]
        if depth:
            kinds += ["if", "if", "for", "for", "while"]
        if self.helpers:
            kinds += ["call", "call"]
        kind = self.pick(*kinds)
        if kind == "assign":
            self.add(indent, f"{self.name()} = {self.pointer()}")
        elif kind == "swap":
            a, b = self.name(), self.name()
            self.add(indent, f"{a}, {b} = {b}, {a}" if a != b else f"{a} += 4")
        elif kind == "rotate":
            self.add(indent, f"{', '.join(self.names)} = {', '.join(self.names[1:] + self.names[:1])}")
        elif kind == "tuple":
            pair = self.new()
            self.add(indent, f"{pair} = ({self.pointer()}, ({self.name()}, {self.name()}))")
            self.add(indent, f"{self.name()} = {pair}{self.pick('[0]', '[1][0]', '[1][1]')}")
        elif kind == "load":
            self.add(indent, f"acc += tl.load({self.pointer()})")
        elif kind == "store":
            self.add(indent, f"tl.store({self.pointer()}, acc)")
        elif kind == "masked":
            mask = f"tl.arange(0, 4) < ({self.column()} & 3)"
            self.add(indent, f"tl.store({self.pointer()} + tl.arange(0, 4), acc, mask={mask})")
        elif kind == "atomic":
            self.add(indent, f"tl.atomic_add({self.pointer()}, acc)")
        elif kind == "descriptor":
            self._descriptor(indent)
        elif kind == "compare":
            self.add(indent, f"acc += tl.where({self.name()}.to(tl.int64) == {self.name()}.to(tl.int64), 1.0, 2.0)")
        elif kind == "if":
            self._branch(indent, depth)
        elif kind in ("for", "while"):
            self._loop(indent, depth, kind)
        elif kind == "call":
            helper = self.draw(st.sampled_from(self.helpers))
            results = ", ".join([self.name(), self.name()][: helper.results])
            call = self.call(helper)
            self.add(indent, f"{results} = {call}" if results else call)

    def _descriptor(self, indent: int) -> None:
        desc = self.new()
        self.add(indent, f"{desc} = tl.make_tensor_descriptor({self.pointer()}, [16], [1], [16])")
        if self.draw(st.booleans()):
            self.add(indent, f"{desc}.store([0], tl.full((16,), 1.0, tl.float32) + acc)")
        if self.draw(st.booleans()):
            self.add(indent, f"acc += tl.sum({desc}.load([0]), axis=0)")

    def _branch(self, indent: int, depth: int) -> None:
        self.add(indent, f"if {self.condition()}:")
        self.block(indent + 1, depth - 1)
        if self.draw(st.booleans()):
            self.add(indent, "else:")
            self.block(indent + 1, depth - 1)

    def _loop(self, indent: int, depth: int, kind: str) -> None:
        # Two names of one value: Triton carries the wrong ones of them, and the interpreter the right ones.
        self.add(indent, f"{', '.join(self.names)} = {', '.join(f'{name} + 0' for name in self.names)}")
        count = f"{self.column()} % 6"
        self.loops += 1
        turn = f"i{self.loops}"
        if kind == "for":
            self.add(indent, f"for {turn} in range({count}):")
        else:
            self.add(indent, f"{turn} = 0")
            self.add(indent, f"while {turn} < {count}:")
        self.block(indent + 1, depth - 1)
        if kind == "while":
            self.add(indent + 1, f"{turn} += 1")
        self.loops -= 1


def _return(writer: _Writer, indent: int, forms: list[str]) -> None:
    writer.add(indent, f"return {writer.pick(*forms)}".rstrip())


def _helper(draw: DrawFn, index: int, helpers: list[_Helper]) -> str:
    """A helper, which may use those before it, and is added to them."""
    writer = _Writer(draw, ["p", "q"], list(helpers), table=False, inner=True)
    results = draw(st.integers(0, 2))
    forms = {0: [""], 1: ["p", "q"], 2: ["p, q", "q, p", "p, p"]}[results]
    writer.block(1, 1)
    if draw(st.booleans()):
        writer.add(1, f"if {writer.condition()}:")
        writer.block(2, 0)
        _return(writer, 2, forms)
        writer.block(1, 1)
    _return(writer, 1, forms)
    helpers.append(_Helper(f"h{index}", results))
    return f"@triton.jit\ndef h{index}(row, p, q, acc):\n" + "\n".join(writer.lines) + "\n\n\n"


@st.composite
def programs(draw: DrawFn) -> str:
    """The text of a file whose last function is ``kernel``."""
    helpers: list[_Helper] = []
    parts = [_helper(draw, index, helpers) for index in range(draw(st.integers(0, 2)))]
    names = [f"p{index}" for index in range(POINTERS)]
    writer = _Writer(draw, names, helpers, table=draw(st.booleans()), inner=False)
    writer.add(1, f"row = f_ptr + tl.program_id(0) * {ROW}")
    writer.add(1, "acc = 0.0")
    writer.block(1, 2)
    if draw(st.booleans()):
        writer.add(1, f"if {writer.condition()}:")
        writer.block(2, 1)
        writer.add(2, "return")
        writer.block(1, 2)
    heads = ['f_ptr: "*i32"', 'tab: "*i64"', *(f'{name}: "*fp32"' for name in names)]
    text = f"@triton.jit\ndef kernel({', '.join(heads)}):\n" + "\n".join(writer.lines) + "\n"
    for helper, part in reversed(list(zip(helpers, parts, strict=True))):
        if f"{helper.name}(" in text:  # what nobody calls has no types to be compiled with
            text = part + text
    return _HEAD + text


def launches(seed: int, programs_: int) -> str:
    """A run block: many programs, each with a random row."""
    pointers = ", ".join(f"p{index}=f32({SIZE})" for index in range(POINTERS))
    return (
        "import random\n"
        f"numbers = random.Random({seed})\n"
        f"rows = i32([numbers.randrange(240) for _ in range({programs_ * ROW})])\n"
        f"run(kernel, {programs_}, f_ptr=rows, tab=table(f32({SIZE}), f32({SIZE})), {pointers})\n"
    )
