"""Writes what one function seldom does and many do: constants that are made in one arm alone, addresses chosen by
arithmetic, the language's functions by other names, effects in messages and assertions, objects in objects and tuples.

Knows nothing of the analysis. The compiler decides which of it is a program: what it refuses is no launch.
"""

from __future__ import annotations

from enumerated.terms import POINTER, Scope
from enumerated.writing import Writer

PUT_OFF = "@triton.jit\ndef put_off(p, v):\n    pass\n\n\n"
MADE = """\
@triton.jit
def made(p, q, W: tl.constexpr):
    if W:
        return Box(p, q, W)
    return Box(q, p, not W)


"""
LENT = "@triton.jit\ndef lent(p, q, W: tl.constexpr):\n    return (p, q) if W else (q, p)\n\n\n"
VARIED = (PUT_OFF, MADE, LENT)
_BLOCK = "(({}) + tl.arange(0, 4))"
_P, _Q = _BLOCK.format("{p}"), _BLOCK.format("{q}")
_OF_BLOCKS = (
    f"tl.store(tl.cat({_P}, {_Q}, can_reorder=True), v)",
    f"tl.store(tl.join({_P}, {_Q}), v)",
    f"tl.store(tl.where(tl.arange(0, 4) > 1, {_P}, {_Q}), v)",
    f"tl.store({_P}[:, None] + tl.arange(0, 4)[None, :], v)",
    f"tl.store(tl.trans({_P}[:, None] + tl.arange(0, 2)[None, :]), v)",
    f"tl.store(tl.reshape({_P}, (2, 2)), v)",
    "tl.store(({p}) + tl.zeros((4,), tl.int32), v)",
)
_ASIDE = (
    'tl.device_print("it", tl.atomic_add({p}, v))',
    'tl.device_assert(tl.atomic_add({p}, v) > 0, "it")',
    "tl.assume(tl.atomic_add({p}, v) > 0)",
    "assert tl.atomic_xchg({p}, v) > 0",
    "tl.static_print(tl.load({p}))",
    "v = tl.atomic_add({p}, v) if {test} else v",
    "v += tl.load({p}) if {test} else tl.atomic_xchg({q}, v)",
    "tl.store({p}, tl.atomic_add({q}, v))",
)


class Varied(Writer):
    """Writes lines."""

    def more(self, indent: int, scope: Scope) -> list[str]:
        if self.gluon:
            return ["renamed", "nested"]
        return [
            "blocks",
            "aside",
            "renamed",
            "objects",
            "nested",
            *["weighed"] * self.chance(0.4),
            *["one_way"] * (indent == 1 and scope.kernel),
        ]

    def _blocks(self, indent: int, scope: Scope, depth: int) -> None:
        """A block of pointers, of two."""
        self.add(indent, self.one(*_OF_BLOCKS).format(p=self.pointer(scope, 0), q=self.name(scope)))

    def _aside(self, indent: int, scope: Scope, depth: int) -> None:
        """An effect where one is not expected."""
        test = self.condition(scope)
        self.add(indent, self.one(*_ASIDE).format(p=self.pointer(scope), q=self.name(scope), test=test))

    def _weighed(self, indent: int, scope: Scope, depth: int) -> None:
        """An address out of two, each counted once or not at all."""
        test = self.condition(scope)
        a, b = (f"({self.pointer(scope, 0)}).to(tl.int64)" for _ in range(2))
        sign = self.one("+", "|", "^")
        made = f"({a} * (1 if {test} else 0) {sign} {b} * (0 if {test} else 1)).to({POINTER})"
        self.add(indent, self.one(f"tl.store({made}, v)", f"{self.name(scope)} = {made}"))

    def _renamed(self, indent: int, scope: Scope, depth: int) -> None:
        """The language's functions, otherwise than by their names."""
        p, test = self.pointer(scope), self.condition(scope)
        language = "gl" if self.gluon else "tl"
        form = self.one("constant", "attribute", "choice", "other")
        if form == "constant" and indent == 1:
            name = self.new("s")
            value = self.one("tl.store", "tl.atomic_add", f"tl.store if {test} else tl.atomic_add")
            self.add(indent, f"{name}: tl.constexpr = {value}")
            self.add(indent, f"{name}({p}, v)")
        elif form == "attribute":
            self.add(indent, f'getattr({language}, "store" if {test} else "atomic_xchg")({p}, v)')
        elif form == "choice":
            self.add(indent, f"(tl.atomic_add if {test} else tl.atomic_xchg)({p}, v)")
        else:
            self.add(indent, f"({self.one('tl.store', 'tl.atomic_add')} if {test} else put_off)({p}, v)")

    def _objects(self, indent: int, scope: Scope, depth: int) -> None:
        """Objects that are chosen, given back, made of others."""
        a, b, c = (self.name(scope) for _ in range(3))
        one, other = self.condition(scope), self.condition(scope)
        index = self.one("0", "1", *scope.of("bool"))
        forms = (
            f"made({a}, {b}, {one}).put(v)",
            f"Box(Box({a}, {b}, {one}).pick({other}), {c}, {one}).put(v)",
            f"(Box({a}, {b}, {one}), Box({b}, {c}, {other}))[{index}].put(v)",
            f"(Box({a}, {b}, {one}) if {other} else made({c}, {a}, {one})).put(v)",
            f"[e.put(v) for e in (Box({a}, {b}, {one}), made({b}, {c}, {other}))]",
            f"tl.store((Pair({a}, {b}), Pair({c}, {a}))[{index}].y, v)",
            f"{a} = lent({b}, {c}, {one})[{index}]",
            f"{a} = made({b}, {c}, {one}).x",
        )
        self.add(indent, self.one(*forms))

    def _nested(self, indent: int, scope: Scope, depth: int) -> None:
        """Tuples in tuples."""
        names = [self.name(scope) for _ in range(4)]
        held = "(({}, {}), ({}, {}))".format(*names)
        index, inner = (self.one("0", "1", *scope.of("bool")) for _ in range(2))
        form = self.one("item", "spread", "named")
        if form == "item":
            self.add(indent, f"tl.store({held}[{index}][{inner}], v)")
        elif form == "spread" and len(scope.pointers) > 1:
            self.add(indent, f"{', '.join(self.random.sample(scope.pointers, 2))} = {held}[{index}]")
        else:
            name = self.new("t")
            self.add(indent, f"{name} = {held}")
            if self.chance(0.5):
                self.add(indent, f"if {self.condition(scope)}:")
                self.add(indent + 1, f"{name} = ({name}[1], {name}[0])")
            self.add(indent, f"tl.store({name}[{index}][{inner}], v)")

    def _one_way(self, indent: int, scope: Scope, depth: int) -> None:
        """A name that is a constant, or another one, in one arm alone."""
        name = self.new("L")
        if self.chance(0.5):
            self.add(indent, f"{name}{self.one(': tl.constexpr', '')} = {self.flag('int', scope)}")
        self.add(indent, f"if {self.decision(scope) if self.chance(0.4) else self.condition(scope)}:")
        self.add(indent + 1, f"{name}{self.one(': tl.constexpr', '')} = {self.flag('int', scope)}")
        if self.chance(0.6):
            self.add(indent, "else:")
            self.add(indent + 1, f"{name}{self.one(': tl.constexpr', '')} = {self.flag('int', scope)}")
        use = self.one("if", "if", "index", "turns")
        if use == "if":
            self.add(indent, f"if {name} == {self.one('0', '1', '2')}:")
            self.add(indent + 1, f"tl.store({self.pointer(scope, 0)}, v)")
        elif use == "index":
            self.add(indent, f"tl.store(({self.name(scope)}, {self.name(scope)}, {self.name(scope)})[{name}], v)")
        else:
            self.add(indent, f"for {self.new('i')} in {self.one('range', 'tl.static_range')}({name}):")
            self.add(indent + 1, f"tl.store({self.name(scope)}, v)")
