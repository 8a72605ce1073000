"""Makes random programs whose effects hang on what is only known when they are compiled: flags, numbers, texts, None,
dtypes, functions handed in, lengths, launch options, the environment, modules that may be missing, partitions,
descriptors.

What is decided at run time is decided by numbers of its own (``f``), so both ways are possible. Knows nothing of the
analysis; the domain of each number is wide enough that values beyond it do nothing that those in it don't.
"""

from __future__ import annotations

import re

from enumerated.changed import Changer
from enumerated.gathered import BOX, CONFIG, PAIR
from enumerated.program import Knob, Program
from enumerated.terms import GIVING, Helper, Scope
from enumerated.varied import VARIED

MOST = 24  # assignments of one program
_HEAD = (
    "import functools\nimport itertools\nimport os\nimport sys\nimport triton\nimport triton.language as tl\n"
    "import triton.language as lang\n"
    "from triton.language import store as write\nfrom triton.language.core import _aggregate as aggregate\n"
    "from triton.language.extra import cuda\nfrom typing import NamedTuple\n"
)
_GLUON = "from triton.experimental import gluon\nfrom triton.experimental.gluon import language as gl\n"
_OUTSIDE = """\
import triton
import triton.language as tl


@triton.jit
def outside(p, q, v, W: tl.constexpr = False):
    if W:
        tl.store(q, v)
    else:
        tl.atomic_add(p, v)
"""
_BOTH = "@triton.constexpr_function\ndef both(x, y):\n    return x and y\n\n\n"
_NEITHER = "@triton.constexpr_function\ndef neither(x, y):\n    return not (x or y)\n\n\n"
_NOOP = "@triton.jit\ndef noop(p, q, v):\n    pass\n\n\n"
_FIRST = "@triton.jit\ndef first(p, q):\n    return p\n\n\n"


class _Maker(Changer):
    """``early`` and ``late``: what stands before the helpers, and between them and the kernel; ``share``: how much of
    what varies is what files do by hand."""

    def __init__(self, seed: int, share: int) -> None:
        super().__init__(seed)
        self.share = share
        self.early = ""
        self.late = ""
        self.files: dict[str, str] = {}
        self.defaults: dict[str, str] = {}
        self.gluon = self.chance(0.1)

    def function(self, index: int) -> str:
        """A helper, which may use those before it."""
        others = ("items", "parts") if self.gluon else ("items", "parts", "fields")
        kind = self.one("effect", "effect", "effect", "select", "select", "turns", "find", "apply", *others)
        helper = Helper(f"{kind}{index}", kind)
        several = ("bool", "bool", "bool", "bool", "int", "text", "dtype", "optional")
        kinds = [self.one(*several) for _ in range(self.random.randint(0, 2))]
        head = self.one("F", "F", "W")  # as the kernel's own are called
        helper.flags = [(f"{head}{number}", flag) for number, flag in enumerate(kinds)]
        helper.defaults = len(kinds) if self.chance(0.25) else 0
        scope = Scope(["p", "q"], list(helper.flags), returns=kind == "effect")
        heads = ["p", "q"] if kind in GIVING else ["p", "q", "v"]
        if kind in ("items", "fields", "parts"):
            heads[:2] = ["held"]
        if kind == "apply":
            heads.insert(0, "fn: tl.constexpr")
            scope.functors.append(("fn", "effect"))
        if kind in ("turns", "find"):
            heads.append("N: tl.constexpr")
            scope.flags.append(("N", "int"))
        for number, (name, flag) in enumerate(helper.flags):
            default = {"bool": "False", "int": "0", "text": '"a"', "dtype": "tl.float32", "optional": "None"}[flag]
            head = name if flag == "optional" else f"{name}: tl.constexpr"
            heads.append(head + (f" = {default}" if number >= len(kinds) - helper.defaults else ""))
        self.lines = []
        getattr(self, f"_{kind}_body")(helper, scope)
        self.helpers.append(helper)
        noinline = "(noinline=True)" if kind == "effect" and self.chance(0.1) else ""
        return f"@triton.jit{noinline}\ndef {helper.name}({', '.join(heads)}):\n" + "\n".join(self.lines) + "\n\n\n"

    def _effect_body(self, helper: Helper, scope: Scope) -> None:
        self.block(1, scope, 1, most=3)

    def _apply_body(self, helper: Helper, scope: Scope) -> None:
        self.functor(1, scope, 1)
        self.block(1, scope, 1, most=2)

    def _items_body(self, helper: Helper, scope: Scope) -> None:
        scope.gathered.append(("held", 3))
        self.add(1, f"p, q = {self.one('held[1:]', 'held[:2]')}")
        self._item(1, scope, 1)
        self.block(1, scope, 1, most=2)

    def _parts_body(self, helper: Helper, scope: Scope) -> None:
        forms = ("held", "held[1:] + held[:1]", "held[::-1]", "(held[1], held[0], held[2])", "(held[2],) + held[:2]")
        if helper.flags and self.chance(0.5):
            self.add(1, f"if {self.condition(scope)}:")
            self.add(2, f"return {self.one(*forms)}")
        self.add(1, f"return {self.one(*forms)}")

    def _fields_body(self, helper: Helper, scope: Scope) -> None:
        scope.records.append(("held", "Box"))
        scope.flags.append(("held.K", "bool"))
        self.add(1, f"p, q = {self.one('held.x, held.y', 'held.y, held.x')}")
        self.block(1, scope, 1, most=3)

    def _turns_body(self, helper: Helper, scope: Scope) -> None:
        flags = "".join(f", {name}" for name, _ in helper.flags)
        if self.chance(0.5):
            self._unroll(1, scope, 1)
            return
        self.add(1, "if N > 0:")
        self.block(2, scope, 1, most=2)
        self.add(2, f"{helper.name}({self.one('p, q', 'q, p')}, v, N - 1{flags})")
        if self.chance(0.7):
            self.add(1, "else:")
            self.block(2, scope, 0, most=2)

    def _find_body(self, helper: Helper, scope: Scope) -> None:
        flags = "".join(f", {name}" for name, _ in helper.flags)
        self.add(1, "if N <= 0:")
        self.add(2, f"return {self.one('p', 'q')}")
        self.add(1, "else:")
        self.add(2, f"return {helper.name}({self.one('p, q', 'q, p', 'q, q')}, N - 1{flags})")

    def _select_body(self, helper: Helper, scope: Scope) -> None:
        form = self.one("return", "bind", "conditional")
        if form == "return":
            self.add(1, f"if {self.condition(scope)}:")
            self.add(2, "return p")
            self.add(1, "return q")
        elif form == "bind":
            self.add(1, f"r = {self.one('p', 'q')}")
            self.add(1, f"if {self.condition(scope)}:")
            self.add(2, f"r = {self.one('p', 'q', 'p + 4')}")
            self.add(1, "return r")
        else:
            self.add(1, f"return p if {self.condition(scope)} else q")

    def program(self) -> Program:
        """A file whose last function is ``kernel``."""
        if not self.gluon and self.chance(0.15):
            self.files["some_helpers.py"] = _OUTSIDE
            self.helpers.append(Helper("some_helpers.outside", "effect", [("W", "bool")], 1))
            self.early += "import some_helpers\n"
        self.functions = not self.gluon and self.chance(0.2)
        parts = [PAIR, CONFIG, BOX, *VARIED, _BOTH, _NEITHER, _NOOP, _FIRST]
        parts += (self.function(index) for index in range(self.random.randint(1, 4)))
        knobs, scope = self._knobs()
        self.lines = []
        self.add(1, "v = tl.load(f)")
        for name, length in scope.gathered:
            self.add(1, f"{', '.join('abc'[:length])} = {name}")  # it has so many elements and no others
        self.block(1, scope, 2, least=2, most=6)
        if self.gluon:
            self._partitions(scope)
        self.add(1, "tl.store(out, v)")
        text = self._kernel(knobs) + "\n".join(self.lines) + "\n"
        if switch := re.search(r"^ *(SWITCH|SOME_EXTRA) = tl.constexpr", self.early, re.MULTILINE):
            # What the environment says is a helper's default.
            instead = f"tl.constexpr = {switch[1]}" if self.chance(0.5) else "tl.constexpr = False"
            parts = [part.replace("tl.constexpr = False", instead) for part in parts]
        named = " ".join([self.late, *(way for knob in knobs for way in knob.ways)])
        for part in reversed(parts):
            name = re.search(r"(?:def|class) (\w+)", part)
            if name is not None and re.search(rf"\b{name[1]}\b", text + named):
                text = part + text
        text = text.replace("@triton.jit\ndef kernel", f"{self.late}@triton.jit\ndef kernel")
        if self.gluon:
            text = f"import os\n{_GLUON}{self.early}\n\n{text}".replace("@triton.jit", "@gluon.jit")
            text = re.sub(r"\btl\.", "gl.", text.replace("cuda.num_", "tl.num_"))
            knobs = [Knob(k.name, k.kind, tuple(way.replace("tl.", "gl.") for way in k.ways)) for k in knobs]
            return Program(text, "kernel", knobs)
        return Program(_HEAD + self.early + "\n\n" + text, "kernel", knobs, self.files)

    def _kernel(self, knobs: list[Knob]) -> str:
        heads: list[str] = []
        for knob in knobs:
            if knob.kind == "value":
                default = f" = {self.defaults[knob.name]}" if knob.name in self.defaults else ""
                heads.append(f"{knob.name}: tl.constexpr{default}")
            elif knob.kind == "type":
                said = len(knob.ways) == 1 and not knob.ways[0].endswith(")")
                heads.append(f'{knob.name}: "{knob.ways[0]}"' if said else knob.name)
        return f"@triton.jit\ndef kernel({', '.join(heads)}):\n"

    def _partitions(self, scope: Scope) -> None:
        """Functions that run side by side."""
        effects = [helper for helper in self.helpers if helper.kind == "effect"]
        parts: list[str] = []
        for _ in range(self.random.randint(2, 3)):
            helper = self.random.choice([*effects, Helper("noop", "effect")])
            given = [self.name(scope), self.name(scope), "v", *(self.flag(kind, scope) for _, kind in helper.flags)]
            parts.append(f"({helper.name}, ({', '.join(given)}))")
        more = len(parts) - 1
        self.add(1, f"gl.warp_specialize([{', '.join(parts)}], {[4] * more}, {[24] * more})")

    # What varies.

    def _knobs(self) -> tuple[list[Knob], Scope]:
        scope = Scope(["a", "b", "c"], returns=True, kernel=True)
        types = [Knob(name, "type", ("*fp32",)) for name in ("a", "b", "c", "out", "f")] + [Knob("n", "type", ("i32",))]
        values: list[Knob] = []
        around: list[Knob] = []
        if self.chance(0.2):
            types.append(self._pair(scope))
        count = len(types[-1].ways)
        if not self.gluon and self.chance(0.15):
            scope.descriptors = ["d", "e"]
            types += [Knob(name, "type", ("tensordesc<fp32[16, 16]>",)) for name in scope.descriptors]
        kinds = ["bool"] * 6 + ["int", "int", "text", "dtype", "optional", "element", "option", "env", "module"]
        effects = [helper.name for helper in self.helpers if helper.kind == "effect" and helper.plain]
        selects = [helper.name for helper in self.helpers if helper.kind == "select" and helper.plain]
        kinds += ["config", *["changed"] * self.share] * (not self.gluon)
        kinds += ["effect", "effect", "effects"] * bool(effects) + ["select"] * (2 * bool(selects))
        for index in range(self.random.randint(2, 4)):
            kind = self.random.choice(kinds)
            knob = self._knob(kind, f"W{index}", effects, selects)
            taken = any(knob.name == old.name for old in (*types, *values, *around))
            if taken or count * len(knob.ways) > MOST:
                continue
            count *= len(knob.ways)
            self._take(kind, knob, scope, effects)
            (types if knob.kind == "type" else values if knob.kind == "value" else around).append(knob)
        if not scope.flags and not values:
            values.append(Knob("W", "value", ("True", "False")))
            scope.flags.append(("W", "bool"))
        if self.chance(0.15):
            # A launch need not pass them.
            self.defaults = {knob.name: knob.ways[0] for knob in values}
            values = [Knob(knob.name, knob.kind, ("default", *knob.ways[1:])) for knob in values]
        return types + values + around, scope

    def _pair(self, scope: Scope) -> Knob:
        """A tuple: of two, named ones, of three, of two or one, of one that may be None and one that is not."""
        form = self.one("two", "named", "three", "length", "optional")
        if form in ("two", "named"):
            scope.tuples.append(("pair", 2))
            scope.gathered.append(("pair", 2))
            if form == "named" and not self.gluon:
                scope.records.append(("pair", "Pair"))
                return Knob("pair", "type", ("Pair(*fp32, *fp32)",))
            return Knob("pair", "type", ("(*fp32, *fp32)",))
        if form == "three":
            scope.tuples.append(("pair", 3))
            scope.gathered.append(("pair", 3))
            return Knob("pair", "type", ("(*fp32, *fp32, *fp32)",))
        scope.tuples.append(("pair", 1))
        if form == "length":
            scope.flags.append(("len(pair) > 1", "raw"))
            return Knob("pair", "type", ("(*fp32,)", "(*fp32, *fp32)"))
        scope.flags.append(("pair[1]", "optional"))
        return Knob("pair", "type", ("(*fp32, *fp32)", "(*fp32, None)"))

    def _knob(self, kind: str, name: str, effects: list[str], selects: list[str]) -> Knob:
        warps = Knob("num_warps", "option", ("4", "8"))
        others = {
            "optional": Knob("o_ptr", "type", ("*fp32", "None")),
            "element": Knob("e_ptr", "type", ("*fp32", "*fp16")),
            "option": Knob("num_ctas", "option", ("1", "2")) if self.gluon and self.chance(0.5) else warps,
            "env": Knob("SWITCH", "env", ("unset", '"1"')),
            "changed": Knob("SWITCH", "env", ("unset", '"1"')),
            "module": Knob("some_extra", "module", ("no", "yes")),
        }
        if kind in others:
            return others[kind]
        ways = {
            "bool": ("True", "False"),
            "int": ("0", "1", "2", "3"),
            "text": ('"a"', '"b"', '"c"'),
            "dtype": ("tl.float16", "tl.float32"),
            "config": tuple(f"Config({on}, {turns})" for on in (True, False) for turns in range(4)),
            "effect": ("noop", *self.random.sample(effects, min(2, len(effects)))),
            "effects": (f"(noop, {effects[0]})", f"({effects[-1]}, noop)") if effects else (),
            "select": ("first", *self.random.sample(selects, min(2, len(selects)))),
        }
        return Knob(name, "value", ways[kind])

    def _take(self, kind: str, knob: Knob, scope: Scope, effects: list[str]) -> None:
        """Lets the kernel use a knob."""
        if kind in ("effect", "select"):
            scope.functors.append((knob.name, kind))
        elif kind == "effects":
            index = self.one("0", "1", *scope.of("bool"))
            scope.functors.append((f"{knob.name}[{index}]", "effect"))
        elif kind == "config":
            scope.flags += [(f"{knob.name}.on", "bool"), (f"{knob.name}.turns", "int")]
        elif kind == "option":
            scope.flags.append((f"cuda.{knob.name}() == {knob.ways[1]}", "raw"))
        elif kind == "changed":
            for _ in range(self.random.randint(1, 2)):
                around = self.changed(scope, effects)
                self.late += around.text
                self.files |= around.files
        elif kind in ("env", "module"):
            test, binds = 'os.environ.get("SWITCH") == "1"', "{}if os.environ.get('SWITCH'):\n{}else:\n{}"
            if kind == "module":
                test, binds = "", "{}try:\n    import some_extra\n\n{}except ImportError:\n{}"
            form = self.one("value", "arms", "function" if effects else "arms")
            if form == "function":
                one, other = self.one(*effects), self.one("noop", *effects)
                self.late += binds.format("", f"    chosen = {one}\n", f"    chosen = {other}\n") + "\n\n"
                scope.functors.append(("chosen", "effect"))
                return
            if form == "value" and test:
                self.early += f"\nSWITCH = tl.constexpr({test})\n"
            else:
                arms = (f"    {knob.name.upper()} = tl.constexpr({way})\n" for way in ("True", "False"))
                self.early += binds.format("\n", *arms)
            scope.flags.append((knob.name.upper(), "bool"))
        else:
            scope.flags.append((knob.name, kind))


def program(seed: int, share: int = 0) -> Program:
    """The program of this number. ``share``: how much of what varies is what files do by hand to what kernels see."""
    return _Maker(seed, share).program()
