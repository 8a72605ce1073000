"""Writes the statements of a random function: accesses in all their spellings, branches, loops, calls, bindings.

Knows nothing of the analysis.
"""

from __future__ import annotations

from enumerated.gathered import Gatherer
from enumerated.terms import GIVING, Scope

ASSEMBLY = '"st.global.f32 [$1], 0f3F800000; mov.u32 $0, 0;", "=r,l"'
_STORES = (
    *("tl.store({p}, v)",) * 6,
    "tl.store(value=v, pointer={p})",
    "write({p}, v)",
    "lang.store({p}, v)",
    'getattr(tl, "store")({p}, v)',
    "({p}).store(v)",
    "tl.atomic_add({p}, v)",
    "tl.atomic_xchg({p}, v)",
    "({p}).atomic_add(v)",
    "tl.store(({p}) + tl.arange(0, 4), v)",
    "tl.store({p}, v, mask=tl.load({q}) > 0)",
    "tl.make_tensor_descriptor({p}, [16], [1], [16]).store([0], tl.zeros((16,), tl.float32) + v)",
    f"tl.inline_asm_elementwise({ASSEMBLY}, [{{p}}], dtype=tl.int32, is_pure=False, pack=1)",
)
_LOADS = (
    *("tl.load({p})",) * 3,
    "tl.load({p}, mask=tl.load({q}) > 0, other=0.0)",
    "tl.sum(tl.load(({p}) + tl.arange(0, 4)), axis=0)",
)


_GLUON_STORES = (
    *("tl.store({p}, v)",) * 4,
    "tl.atomic_add({p}, v)",
    "tl.store(({p}) + tl.arange(0, 128, layout=tl.BlockedLayout([1], [32], [4], [0])), v)",
    f"tl.inline_asm_elementwise({ASSEMBLY}, [{{p}}], dtype=tl.int32, is_pure=False, pack=1)",
)
_DESCRIBED = (
    *("{d}.store([0, 0], tl.zeros([16, 16], tl.float32))",) * 2,
    "tl.store_tensor_descriptor({d}, [0, 0], tl.zeros([16, 16], tl.float32))",
    "{d}.atomic_add([0, 0], tl.zeros([16, 16], tl.float32))",
    "{d}.store([0, 0], {e}.load([0, 0]))",
    "v += tl.sum(tl.sum({d}.load([0, 0]), axis=1), axis=0)",
    "{d}, {e} = {e}, {d}",
    "{d} = {e} if {test} else {d}",
    "{d} = ({e}, {d})[{index}]",
)


class Writer(Gatherer):
    """Writes lines."""

    def more(self, indent: int, scope: Scope) -> list[str]:
        """Further kinds of statements."""
        return []

    # Statements.

    def block(self, indent: int, scope: Scope, depth: int, least: int = 1, most: int = 3) -> None:
        inner = scope if indent == 1 else scope.inner()
        for _ in range(self.random.randint(least, most)):
            self.statement(indent, inner, depth)

    def statement(self, indent: int, scope: Scope, depth: int) -> None:
        kinds = ["bind", "bind", "swap", "store", "store", "store", "load", "tuple", "move"]
        kinds += ["several", "spread", "item", "chosen", "walrus"] + ["record"] * (not self.gluon)
        kinds += self.more(indent, scope)
        if depth:
            kinds += ["if"] * 5 + ["decide", "unroll", "unroll", "loop", "loop_while"]
        if any(helper.kind not in GIVING for helper in self.helpers):
            kinds += ["call"] * 4 + ["twice"]
        if scope.of("optional"):
            kinds += ["present"] * 2
        if scope.descriptors:
            kinds += ["described"] * 4
        if any("len(" in name for name in scope.of("raw")):
            kinds += ["each"]
        if any(kind == "effect" for _, kind in scope.functors):
            kinds += ["functor"] * 2
        if indent == 1:
            kinds += ["begin", "constant", "function", "assert", "comprehension"]
            kinds += ["return"] if scope.returns else []
        getattr(self, f"_{self.random.choice(kinds)}")(indent, scope, depth)

    def _bind(self, indent: int, scope: Scope, depth: int) -> None:
        self.add(indent, f"{self.name(scope)} = {self.pointer(scope)}")

    def _begin(self, indent: int, scope: Scope, depth: int) -> None:
        name = self.new("x")
        self.add(indent, f"{name} = {self.pointer(scope)}")
        if self.chance(0.4):
            self.add(indent, f"if {self.condition(scope)}:")
            self.add(indent + 1, f"{name} = {self.pointer(scope)}")
        scope.pointers.append(name)

    def _move(self, indent: int, scope: Scope, depth: int) -> None:
        self.add(indent, f"{self.name(scope)} += 4")

    def _swap(self, indent: int, scope: Scope, depth: int) -> None:
        names = self.random.sample(scope.pointers, min(len(scope.pointers), self.random.randint(2, 3)))
        left, right = ", ".join(names), ", ".join(names[1:] + names[:1])
        self.add(indent, f"({left}) = ({right})" if self.chance(0.2) else f"{left} = {right}")

    def _store(self, indent: int, scope: Scope, depth: int) -> None:
        spelling = self.one(*(_GLUON_STORES if self.gluon else _STORES))
        self.add(indent, spelling.format(p=self.pointer(scope), q=self.name(scope)))

    def _described(self, indent: int, scope: Scope, depth: int) -> None:
        d, e = self.random.sample(scope.descriptors, 2)
        index = self.one("0", "1", *scope.of("bool"))
        self.add(indent, self.one(*_DESCRIBED).format(d=d, e=e, test=self.condition(scope), index=index))

    def _load(self, indent: int, scope: Scope, depth: int) -> None:
        spelling = "tl.load({p})" if self.gluon else self.one(*_LOADS)
        self.add(indent, "v += " + spelling.format(p=self.pointer(scope), q=self.name(scope)))

    def _tuple(self, indent: int, scope: Scope, depth: int) -> None:
        name = self.new("t")
        self.add(indent, f"{name} = ({self.name(scope)}, {self.name(scope)})")
        if self.chance(0.5):
            self.add(indent, f"if {self.condition(scope)}:")
            self.add(indent + 1, f"{name} = ({self.name(scope)}, {self.name(scope)})")
        use = self.one("call", "element", "element", "unpacked", "nested")
        if use == "call":
            self.add(indent, f"{self.effect(scope)}(*{name}, v)")
        elif use == "unpacked" and len(scope.pointers) > 1:
            self.add(indent, f"{', '.join(self.random.sample(scope.pointers, 2))} = {name}")
        elif use == "nested":
            self.add(indent, f"{self.name(scope)} = ({name}, ({self.name(scope)},))[{self.one('0', '1')}][0]")
        else:
            self.add(indent, f"{self.name(scope)} = {name}[{self.one('0', '1', '-1')}]")

    def _if(self, indent: int, scope: Scope, depth: int) -> None:
        self.add(indent, f"if {self.condition(scope)}:")
        self.block(indent + 1, scope, depth - 1, most=2)
        if self.chance(0.1):
            self.add(indent, f"elif {self.condition(scope)}:")
            self.block(indent + 1, scope, depth - 1, most=2)
        if self.chance(0.25):
            self.add(indent, "else:")
            self.block(indent + 1, scope, depth - 1, most=2)

    def _decide(self, indent: int, scope: Scope, depth: int) -> None:
        self.add(indent, f"if {self.decision(scope)}:")
        self.block(indent + 1, scope, depth - 1, most=2)

    def _unroll(self, indent: int, scope: Scope, depth: int) -> None:
        numbers = scope.of("int")
        turn = self.new("i")
        counts = (text for name in numbers for text in (name, name, f"1, 1 + {name}", f"{name}, 2", f"0, {name}, 2"))
        count = self.one(*counts, "2", "3", "0")
        self.add(indent, f"for {turn} in tl.static_range({count}):")
        before, scope.turn = scope.turn, turn
        self.block(indent + 1, scope, depth - 1)
        scope.turn = before

    def _carry(self, indent: int, scope: Scope) -> None:
        """Two names of one value: Triton carries the wrong ones of them."""
        self.add(indent, f"{', '.join(scope.pointers)} = {', '.join(f'{name} + 0' for name in scope.pointers)}")
        for name, _ in scope.gathered:
            self.add(indent, f"{name} = [e + 0 for e in {name}]")

    def _loop(self, indent: int, scope: Scope, depth: int) -> None:
        self._carry(indent, scope)
        count = self.one(
            "n" if scope.kernel else "2", "0", *scope.of("int"), *(f"2, {name}" for name in scope.of("int"))
        )
        loop = "range" if self.gluon else self.one("range", "range", "tl.range")
        self.add(indent, f"for {self.new('i')} in {loop}({count}):")
        before, scope.turn = scope.turn, None
        self.block(indent + 1, scope, depth - 1)
        scope.turn = before

    def _loop_while(self, indent: int, scope: Scope, depth: int) -> None:
        self._carry(indent, scope)
        turn = self.new("i")
        self.add(indent, f"{turn} = 0")
        self.add(indent, f"while {turn} < {'n' if scope.kernel else '2'}:")
        before, scope.turn = scope.turn, None
        self.block(indent + 1, scope, depth - 1)
        scope.turn = before
        self.add(indent + 1, f"{turn} += 1")

    def _call(self, indent: int, scope: Scope, depth: int) -> None:
        acting = [helper for helper in self.helpers if helper.kind not in GIVING]
        self.add(indent, self.call(self.random.choice(acting), scope))

    def _twice(self, indent: int, scope: Scope, depth: int) -> None:
        """One helper after itself, given something else."""
        acting = [helper for helper in self.helpers if helper.kind not in GIVING]
        helper = self.random.choice(acting)
        for _ in range(self.random.randint(2, 3)):
            self.add(indent, self.call(helper, scope))

    def _present(self, indent: int, scope: Scope, depth: int) -> None:
        """What may be None is used where it is not."""
        name = self.one(*scope.of("optional"))
        self.add(indent, f"if {name} is not None{self.one('', '', f' and {self.atom(scope, name)}')}:")
        use = self.one("bind", "store", "load", "helper")
        effects = [helper.name for helper in self.helpers if helper.kind == "effect" and helper.plain]
        if use == "bind":
            self.add(indent + 1, f"{self.name(scope)} = {name}")
        elif use == "load":
            self.add(indent + 1, f"v += tl.load({name})")
        elif use == "helper" and effects:
            self.add(indent + 1, f"{self.one(*effects)}({name}, {self.name(scope)}, v)")
        else:
            self.add(indent + 1, f"tl.store({name}, v)")

    def _each(self, indent: int, scope: Scope, depth: int) -> None:
        """All elements of a tuple whose length varies."""
        turn = self.new("i")
        self.add(indent, f"for {turn} in tl.static_range(len(pair)):")
        self.add(indent + 1, self.one(f"tl.store(pair[{turn}], v)", f"{self.name(scope)} = pair[{turn}]"))

    def functor(self, indent: int, scope: Scope, depth: int) -> None:
        """Calls a function that was handed in."""
        name = self.random.choice([name for name, kind in scope.functors if kind == "effect"])
        if self.chance(0.2):
            name = f"({name}, {self.effect(scope)})[{self.one(*scope.of('bool'), '0', '1')}]"
        self.add(indent, f"{name}({self.name(scope)}, {self.name(scope)}, v)")

    _functor = functor

    def _constant(self, indent: int, scope: Scope, depth: int) -> None:
        name = self.new("K")
        kind = self.one("bool", "bool", "int", "int", "text", "dtype", "index")
        if kind == "bool":
            self.add(indent, f"{name}: tl.constexpr = {self.condition(scope)}")
            scope.flags.append((name, "bool"))
            return
        if kind in ("text", "dtype"):
            one, other = ('"a"', '"b"') if kind == "text" else ("tl.float16", "tl.float32")
            index = self.one(*scope.of("bool"), "0")
            value = self.one(f"{one} if {self.condition(scope)} else {other}", f"({one}, {other})[{index}]")
            self.add(indent, f"{name}: tl.constexpr = {value}")
            scope.flags.append((name, kind))
            return
        if kind == "index":
            self.add(indent, f"{name}: tl.constexpr = (2, 0, 1, 0)[{self.one(*scope.of('int'), '0')}]")
            scope.flags.append((name, "int"))
            return
        self._either(indent, scope, name, self.flag("int", scope), self.flag("int", scope))
        scope.flags.append((name, "int"))

    def _either(self, indent: int, scope: Scope, name: str, one: str, other: str) -> None:
        self.add(indent, f"if {self.condition(scope)}:")
        self.add(indent + 1, f"{name}: tl.constexpr = {one}")
        self.add(indent, "else:")
        self.add(indent + 1, f"{name}: tl.constexpr = {other}")

    def _function(self, indent: int, scope: Scope, depth: int) -> None:
        name = self.new("g")
        if self.chance(0.5):
            self.add(indent, f"{name}: tl.constexpr = {self.effect(scope)}")
        else:
            self._either(indent, scope, name, self.effect(scope), self.effect(scope))
        scope.functors.append((name, "effect"))

    def _assert(self, indent: int, scope: Scope, depth: int) -> None:
        # One of the kernel's own flags: what else holds is not to be found out by guessing.
        names = [name for name in scope.of("bool") if scope.kernel and name.startswith("W")]
        self.add(indent, f"tl.static_assert({self.one('', 'not ')}{self.one(*names)})" if names else "pass")

    def _comprehension(self, indent: int, scope: Scope, depth: int) -> None:
        a, b = self.name(scope), self.name(scope)
        test = f" if {self.condition(scope)}" if self.chance(0.3) else ""
        self.add(indent, f"[{self.effect(scope)}(e, {a}, v) for e in ({a}, {b}){test}]")

    def _return(self, indent: int, scope: Scope, depth: int) -> None:
        self.add(indent, f"if {self.condition(scope) if self.chance(0.7) else self.decision(scope)}:")
        self.add(indent + 1, "return")
