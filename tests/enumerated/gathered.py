"""Writes what holds several pointers or functions: tuples of any length, named ones, values of classes with fields.

Knows nothing of the analysis.
"""

from __future__ import annotations

from enumerated.terms import Scope, Terms

PAIR = "class Pair(NamedTuple):\n    x: tl.tensor\n    y: tl.tensor\n\n\n"
CONFIG = "class Config(NamedTuple):\n    on: bool\n    turns: int\n\n\n"
BOX = """\
@aggregate
class Box:
    x: tl.tensor
    y: tl.tensor
    K: tl.constexpr

    @triton.constexpr_function
    def __init__(self, x, y, K):
        self.x = x
        self.y = y
        self.K = tl.constexpr(K)

    @triton.jit
    def put(self, v):
        if self.K:
            tl.store(self.x, v)
        else:
            tl.atomic_add(self.y, v)

    @triton.jit
    def pick(self, W: tl.constexpr):
        if W:
            return self.x
        else:
            return self.y


"""


class Gatherer(Terms):
    """Writes lines."""

    # Terms.

    def gathered(self, scope: Scope, length: int, depth: int = 1) -> str:
        """A tuple of so many pointers."""
        kinds = ["shown"] * 3
        named = [name for name, found in scope.gathered if found == length]
        kinds += ["named"] * (4 * bool(named))
        if depth:
            kinds += ["joined", "joined", "sliced", "sliced", "turned", "repeated", "listed", "conditional"]
            kinds += ["pair"] * (length == 2 and not self.gluon)
            kinds += ["parts"] * (3 * (length == 3 and any(helper.kind == "parts" for helper in self.helpers)))
        kind = self.random.choice(kinds)
        if kind == "named":
            return self.random.choice(named)
        if kind == "joined" and length > 1:
            first = self.random.randrange(1, length)
            return f"({self.gathered(scope, first, depth - 1)} + {self.gathered(scope, length - first, depth - 1)})"
        if kind == "sliced":
            more = self.gathered(scope, length + 1, depth - 1)
            return f"{more}[{self.one('1:', ':-1', f':{length}')}]"
        if kind == "turned":
            return f"{self.gathered(scope, length, depth - 1)}[::-1]"
        if kind == "repeated" and length % 2 == 0:
            return f"({self.gathered(scope, length // 2, depth - 1)} * 2)"
        if kind == "listed":
            return f"[e + 4 for e in {self.gathered(scope, length, depth - 1)}]"
        if kind == "conditional":
            one, other = (self.gathered(scope, length, depth - 1) for _ in range(2))
            return f"({one} if {self.condition(scope)} else {other})"
        if kind == "parts":
            return self.call(self.random.choice([helper for helper in self.helpers if helper.kind == "parts"]), scope)
        if kind == "pair":
            return f"Pair({self.name(scope)}, {self.name(scope)})"
        return f"({', '.join(self.name(scope) for _ in range(length))},)"

    def index(self, scope: Scope, length: int) -> str:
        """Of an item, mostly one that is there."""
        own = scope.of("int") if length > 2 else scope.of("bool")
        return self.one(*own, *own, str(self.random.randrange(length)), f"-{self.random.randrange(length) + 1}")

    def held(self, scope: Scope) -> str:
        """A pointer out of something that holds several."""
        if scope.records and self.chance(0.6):
            name, kind = self.random.choice(scope.records)
            if kind == "Pair":
                return self.one(f"{name}.x", f"{name}.y", f"{name}[{self.index(scope, 2)}]")
            return self.one(f"{name}.x", f"{name}.y", f"{name}.pick({self.condition(scope)})")
        length = self.random.randint(2, 4)
        start = self.one(*scope.of("int"), "")
        if start and self.chance(0.3):
            return f"{self.gathered(scope, length)}[{self.one(f'{start}:', f'-{start}:')}][0]"
        return f"{self.gathered(scope, length)}[{self.index(scope, length)}]"

    # Statements.

    def _several(self, indent: int, scope: Scope, depth: int) -> None:
        """Binds or rebinds a tuple."""
        length = self.random.randint(2, 4)
        old = [name for name, found in scope.gathered if found == length]
        name = self.random.choice(old) if old and self.chance(0.5) else self.new("t")
        self.add(indent, f"{name} = {self.gathered(scope, length)}")
        if self.chance(0.4):
            self.add(indent, f"if {self.condition(scope)}:")
            self.add(indent + 1, f"{name} = {self.gathered(scope, length)}")
        if name not in old:
            scope.gathered.append((name, length))
        parts = [helper for helper in self.helpers if helper.kind == "parts"]
        if length == 3 and parts:
            count = self.one(*scope.of("int"), "2")
            self.add(indent, self.one(f"if {self.condition(scope)}:", f"for _ in tl.static_range({count}):"))
            self.add(indent + 1, f"{name} = {self.call(self.random.choice(parts), scope, name)}")
            self.add(indent, f"tl.store({name}[{self.random.randrange(3)}], v)")

    def _spread(self, indent: int, scope: Scope, depth: int) -> None:
        """Binds the items."""
        names = self.random.sample(scope.pointers, self.random.randint(2, min(3, len(scope.pointers))))
        self.add(indent, f"{', '.join(names)} = {self.gathered(scope, len(names))}")

    def _item(self, indent: int, scope: Scope, depth: int) -> None:
        """Uses an item."""
        text = self.held(scope)
        self.add(indent, self.one(f"tl.store({text}, v)", f"v += tl.load({text})", f"{self.name(scope)} = {text}"))

    def _record(self, indent: int, scope: Scope, depth: int) -> None:
        """A value with fields."""
        kind = self.one("Pair", "Box")
        name = self.new("r")
        for turn in range(self.random.randint(1, 2)):
            if turn:
                self.add(indent, f"if {self.condition(scope)}:")
            flag = f", {self.condition(scope)}" * (kind == "Box")
            self.add(indent + turn, f"{name} = {kind}({self.name(scope)}, {self.name(scope)}{flag})")
        scope.records.append((name, kind))
        if kind == "Box":
            if indent == 1:
                scope.flags.append((f"{name}.K", "bool"))
            if self.chance(0.5):
                self.add(indent, f"{name}.put(v)")

    def _chosen(self, indent: int, scope: Scope, depth: int) -> None:
        """Functions in a tuple: one of them is called, or each."""
        functions = [self.effect(scope), self.effect(scope), "noop"][: self.random.randint(2, 3)]
        self.random.shuffle(functions)
        held = f"({', '.join(functions)})"
        form = self.one("one", "one", "named", "each", "zipped")
        a, b = self.name(scope), self.name(scope)
        if form == "named" and indent == 1:
            name = self.new("h")
            self.add(indent, f"{name}: tl.constexpr = {held}")
            scope.functors.append((f"{name}[{self.index(scope, len(functions))}]", "effect"))
        elif form == "each":
            self.add(indent, f"[h({a}, {b}, v) for h in {held}]")
        elif form == "zipped":
            pairs = ", ".join(f"({function}, {self.name(scope)})" for function in functions)
            self.add(indent, f"[h(e, {b}, v) for h, e in ({pairs})]")
        else:
            self.add(indent, f"{held}[{self.index(scope, len(functions))}]({a}, {b}, v)")

    def _walrus(self, indent: int, scope: Scope, depth: int) -> None:
        """Names that are bound in an expression."""
        name, pointer = self.name(scope), self.pointer(scope, 0)
        form = self.one("test", "test", "number", "arm", "address")
        if form == "test":
            first = f"({name} := {pointer}) is not None"
            both = self.one(first, f"{self.condition(scope)} and {first}", f"{first} and {self.condition(scope)}")
            self.add(indent, f"if {both}:")
            self.add(indent + 1, f"tl.store({name}, v)")
        elif form == "number":
            number = self.one("0", "1", *scope.of("int"))
            self.add(indent, f"if (K := {number}) == {self.one('0', '1')} {self.one('and', 'or')} {self.atom(scope)}:")
            self.add(indent + 1, f"tl.store(({pointer}, {name})[K % 2], v)")
        elif form == "arm":
            arm = f"({name} := {pointer}) if {self.condition(scope)} else {self.name(scope)}"
            self.add(indent, f"{self.name(scope)} = {arm}")
        else:
            self.add(indent, f"tl.store(({name} := {pointer}), v)")
