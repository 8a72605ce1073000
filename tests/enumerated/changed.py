"""Writes what files do by hand to what their kernels see: names that functions set, containers, classes and other files
that hold a flag or a function, factories and what they close over, functions with a state of their own.

Knows nothing of the analysis. All of it hangs on ``SWITCH`` of the environment, or on how often something was compiled.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from enumerated.terms import Scope
from enumerated.varied import Varied

_IF = 'if os.environ.get("SWITCH"):'
_ON = 'bool(os.environ.get("SWITCH"))'

# ``NAME`` is first ``ONE``, and then ``OTHER`` where the variable is set.
_ANYTHING = (
    "NAME = ONE\n\n\ndef set_NAME():\n    global NAME\n    NAME = OTHER\n\n\nIF\n    set_NAME()\n",
    "NAME = ONE\n\n\ndef set_NAME():\n    global NAME\n    for NAME in (OTHER,):\n"
    "        pass\n\n\nIF\n    set_NAME()\n",
    "NAME = ONE\n\n\nclass Set_NAME:\n    global NAME\n    IF\n        NAME = OTHER\n",
    'NAME = ONE\nIF\n    globals()["NAME"] = OTHER\n',
    'NAME = ONE\nIF\n    vars(sys.modules[__name__]).update(NAME=OTHER)\n',
    'NAME = ONE\nIF\n    setattr(sys.modules[__name__], "NAME", OTHER)\n',
    'NAME = ONE\nset_NAME = functools.partial(setattr, sys.modules[__name__])\nIF\n    set_NAME("NAME", OTHER)\n',
    "held_NAME = [ONE]\nIF\n    held_NAME[0] = OTHER\nNAME = held_NAME[0]\n",
    "held_NAME = [ONE]\nadd_NAME = held_NAME.append\nIF\n    add_NAME(OTHER)\nNAME = held_NAME[-1]\n",
    'held_NAME = {"it": ONE}\nIF\n    held_NAME.update(it=OTHER)\nNAME = held_NAME["it"]\n',
    'held_NAME = {"1": OTHER}\nNAME = held_NAME.get(os.environ.get("SWITCH"), ONE)\n',
    "class Held_NAME:\n    it = ONE\n\n\nIF\n    Held_NAME.it = OTHER\nNAME = Held_NAME.it\n",
    "class Held_NAME:\n    it = ONE\n\n    def turn(self):\n        self.it = OTHER\n        return self\n\n\n"
    "held_NAME = Held_NAME()\nIF\n    held_NAME.turn()\nNAME = held_NAME.it\n",
    "class Held_NAME:\n    @property\n    def it(self):\n        return OTHER if ON else ONE\n\n\n"
    "NAME = Held_NAME().it\n",
    "class One_NAME:\n    it = ONE\n\n\nclass Other_NAME(One_NAME):\n    it = OTHER\n\n\n"
    "NAME = (One_NAME, Other_NAME)[ON].it\n",
    "@functools.lru_cache\ndef find_NAME():\n    return OTHER if ON else ONE\n\n\nNAME = find_NAME()\n",
    "NAME = (lambda first, *more: more[0] if more else first)(ONE, *([OTHER] if ON else []))\n",
    "NAME = functools.partial(lambda one, other: other if ON else one, ONE)(OTHER)\n",
    "NAME = functools.reduce(lambda one, other: other if ON else one, [ONE, OTHER])\n",
    "NAME = next(iter(x for x in (OTHER, ONE) if ON or x is not OTHER), ONE)\n",
    "NAME, *rest_NAME = [OTHER, ONE] if ON else [ONE]\n",
    "NAME = ONE\n[NAME := x for x in (OTHER,) if ON]\n",
    "for NAME in (ONE, OTHER)[: 2 if ON else 1]:\n    pass\n",
    'try:\n    os.environ["SWITCH"]\nexcept KeyError:\n    NAME = ONE\nelse:\n    NAME = OTHER\n',
    'NAME = ONE\ntry:\n    os.environ["SWITCH"]\n    NAME = OTHER\nexcept KeyError:\n    pass\nfinally:\n    pass\n',
    'match os.environ.get("SWITCH"):\n    case None:\n        NAME = ONE\n    case _:\n        NAME = OTHER\n',
    "def make_NAME(it=ONE):\n    return it\n\n\nIF\n    make_NAME.__defaults__ = (OTHER,)\nNAME = make_NAME()\n",
    "def make_NAME():\n    it = ONE\n\n    def turn():\n        nonlocal it\n        it = OTHER\n\n    def get():\n"
    "        return it\n\n    return get, turn\n\n\nget_NAME, turn_NAME = make_NAME()\nIF\n    turn_NAME()\n"
    "NAME = get_NAME()\n",
    "import some_state\n\nsome_state.it = ONE\nIF\n    some_state.it = OTHER\nNAME = some_state.it\n",
    "import some_state\n\nsome_state.held.append(ONE)\nIF\n    some_state.give(OTHER)\n"
    "NAME = some_state.held[-1]\n",
)  # fmt: skip
_STATE = """\
import os

it = None
held = []


def give(more):
    held.append(more)
"""

# What another file does to what the kernel's own file says: what stands in the latter, in the former, and how kernels
# ask (a flag); the names of the kernel's file are ``here``'s.
_ELSEWHERE = (
    ("NAME = ONE\n", "import program\n\nIF\n    program.NAME = OTHER\n"),
    ("NAME = ONE\n", "import program as here\n\nIF\n    setattr(here, \"NAME\", OTHER)\n"),
    ("NAME = ONE\n", "import program\n\nalso = [program]\nIF\n    also[0].NAME = OTHER\n"),
    ("NAME = ONE\n", "import program\n\nIF\n    vars(program)[\"NAME\"] = OTHER\n"),
    ("NAME = ONE\n", "import program\n\nIF\n    program.__dict__.update(NAME=OTHER)\n"),
    ("NAME = ONE\n", "import sys\n\nimport program\n\nIF\n    sys.modules[\"program\"].NAME = OTHER\n"),
    ("NAME = ONE\n", "import importlib\n\nIF\n    importlib.import_module(\"program\").NAME = OTHER\n"),
    ("NAME = ONE\n", "import program\n\n\ndef turn(module):\n    module.NAME = OTHER\n\n\nIF\n    turn(program)\n"),
    ("NAME = ONE\n", "import program\n\n\nclass Turn:\n    IF\n        program.NAME = OTHER\n"),
    ("NAME = ONE\n", "import program\n\nIF\n    for program.NAME in (OTHER,):\n        pass\n"),
    (
        "NAME = ONE\n\n\ndef set_NAME(it):\n    global NAME\n    NAME = it\n",
        "from program import set_NAME\n\nIF\n    set_NAME(OTHER)\n",
    ),
    (
        "NAME = ONE\n\n\ndef set_NAME(**more):\n    globals().update(more)\n",
        "import program\n\nIF\n    program.set_NAME(NAME=OTHER)\n",
    ),
)  # fmt: skip
_HELD_ELSEWHERE = (
    (
        'held_NAME = {"it": ONE}\n',
        'held_NAME["it"]',
        'import program\n\nIF\n    program.held_NAME["it"] = OTHER\n',
    ),
    (
        'held_NAME = {"it": ONE}\n',
        'held_NAME["it"]',
        "from program import held_NAME\n\nIF\n    held_NAME.update(it=OTHER)\n",
    ),
    (
        "held_NAME = [ONE]\n",
        "held_NAME[-1]",
        "from program import held_NAME as held\n\nIF\n    held.append(OTHER)\n",
    ),
    (
        "class Held_NAME:\n    it = ONE\n",
        "Held_NAME.it",
        "import program\n\nIF\n    program.Held_NAME.it = OTHER\n",
    ),
    (
        "class Held_NAME:\n    it = ONE\n",
        "Held_NAME.it",
        'from program import Held_NAME\n\nIF\n    setattr(Held_NAME, "it", OTHER)\n',
    ),
    (
        "class Held_NAME:\n    it = ONE\n\n\nheld_NAME = Held_NAME()\n",
        "held_NAME.it",
        "from program import held_NAME\n\nIF\n    held_NAME.it = OTHER\n",
    ),
)  # fmt: skip

# A ``constexpr`` that holds False first.
_VALUES = (
    "NAME = tl.constexpr(False)\nIF\n    NAME.value = True\n",
    "NAME = tl.constexpr(False)\nalso_NAME = NAME\nIF\n    also_NAME.value = True\n",
    "NAME = tl.constexpr(False)\nheld_NAME = [NAME]\nIF\n    held_NAME[0].value = True\n",
    "NAME = tl.constexpr(False)\n\n\ndef get_NAME():\n    return NAME\n\n\nIF\n    get_NAME().value = True\n",
    "NAME = tl.constexpr(False)\n\n\ndef turn_NAME(it):\n    it.value = True\n\n\nIF\n    turn_NAME(NAME)\n",
    'NAME = tl.constexpr(False)\n\n\ndef turn_NAME(it, what):\n    setattr(it, what, True)\n\n\nIF\n'
    '    turn_NAME(NAME, "value")\n',
    'NAME = tl.constexpr(False)\nIF\n    NAME.__dict__["value"] = True\n',
    "NAME = tl.constexpr(False)\nIF\n    vars(NAME).update(value=True)\n",
)  # fmt: skip

# ``NAME`` is a function that was made in another; what it does hangs on what it closes over, ``it``.
_FACTORIES = (
    "def make_NAME():\n    it = ONE\n\n    def turn():\n        nonlocal it\n        it = OTHER\n\nMADE\n"
    "    return NAME, turn\n\n\nNAME, turn_NAME = make_NAME()\nIF\n    turn_NAME()\n",
    "def make_NAME():\n    it = ONE\n\nMADE\n    def outer():\n        def turn():\n            nonlocal it\n"
    "            it = OTHER\n\n        return turn\n\n    return NAME, outer()\n\n\n"
    "NAME, turn_NAME = make_NAME()\nIF\n    turn_NAME()\n",
    "def make_NAME():\n    it = ONE\n\n    class Turn:\n        nonlocal it\n        IF\n"
    "            it = OTHER\n\nMADE\n"
    "    return NAME\n\n\nNAME = make_NAME()\n",
    "def make_NAME():\n    it = ONE\n\nMADE\n    IF\n        it = OTHER\n    return NAME\n\n\nNAME = make_NAME()\n",
    "def make_NAME(it):\nMADE\n    return NAME\n\n\nNAME = make_NAME(OTHER if ON else ONE)\n",
    "def make_NAME(it=ONE):\nMADE\n    return NAME\n\n\nIF\n"
    "    make_NAME.__defaults__ = (OTHER,)\nNAME = make_NAME()\n",
    "def make_NAME(it):\nMADE\n    return NAME\n\n\n"
    "made_NAME = {on: make_NAME(x) for on, x in ((False, ONE), (True, OTHER))}\n"
    "NAME = made_NAME[ON]\n",
    "def make_NAME(it):\nMADE\n    return NAME\n\n\nNAME = list(map(make_NAME, (ONE, OTHER)))[ON]\n",
    "def make_NAME(**more):\n    it = more.get(\"it\", ONE)\n\nMADE\n    return NAME\n\n\n"
    "NAME = make_NAME(**({\"it\": OTHER} if ON else {}))\n",
    "class Make_NAME:\n    it = ONE\n\n    @classmethod\n    def make(cls):\n"
    "        it = cls.it\n\nDEEPER\n        return NAME\n\n\n"
    "class Other_NAME(Make_NAME):\n    it = OTHER\n\n\nNAME = (Other_NAME if ON else Make_NAME).make()\n",
)  # fmt: skip

# A function that runs when a kernel is compiled, and says something else each time.
_COUNTERS = (
    "seen_NAME = []\n\n\n@triton.constexpr_function\ndef NAME():\n    seen_NAME.append(1)\n"
    "    return len(seen_NAME) % 2 == 0\n",
    "count_NAME = 0\n\n\n@triton.constexpr_function\ndef NAME():\n    global count_NAME\n    count_NAME += 1\n"
    "    return count_NAME % 2 == 0\n",
    "turns_NAME = itertools.cycle((False, True))\n\n\n@triton.constexpr_function\ndef NAME():\n"
    "    return next(turns_NAME)\n",
    "turns_NAME = itertools.cycle((False, True))\n\n\n@triton.constexpr_function\ndef NAME():\n"
    "    return [x for x, _ in zip(turns_NAME, (0,))][0]\n",
    "def make_NAME():\n    count = 0\n\n    @triton.constexpr_function\n    def NAME():\n        nonlocal count\n"
    "        count += 1\n        return count % 2 == 0\n\n    return NAME\n\n\nNAME = make_NAME()\n",
    "@triton.constexpr_function\ndef NAME(seen=[]):\n    also = seen\n    also += [1]\n"
    "    return len(also) % 2 == 0\n",
    "seen_NAME = ([0],)\n\n\n@triton.constexpr_function\ndef NAME():\n    seen_NAME[0][0] += 1\n"
    "    return seen_NAME[0][0] % 2 == 0\n",
    "seen_NAME = [1]\n\n\n@triton.constexpr_function\ndef NAME():\n    also = seen_NAME\n    also += also\n"
    "    return len(also) % 4 == 0 or also == (1, 1)\n",
    "seen_NAME = []\n\n\n@triton.constexpr_function\ndef NAME(seen=(seen_NAME, [0])):\n    seen[1][0] += 1\n"
    "    return seen[1][0] % 2 == 0 or seen[0] == ()\n",
    "class Seen_NAME:\n    count = 0\n\n    @property\n    def odd(self):\n        self.count += 1\n"
    "        return self.count % 2 == 1\n\n\nseen_NAME = Seen_NAME()\n\n\n@triton.constexpr_function\ndef NAME():\n"
    "    return not seen_NAME.odd\n",
)  # fmt: skip


class Around(NamedTuple):
    """``text`` stands before the kernel, and is the kernel's by ``name``; ``files`` beside it."""

    name: str
    text: str
    files: dict[str, str]


class Changer(Varied):
    """Writes what stands around kernels, and files that the kernel's own does not load."""

    def changed(self, scope: Scope, effects: list[str]) -> Around:
        """Something that another launch has otherwise, and lets the kernel use it."""
        forms: list[Callable[[Scope, list[str]], Around]] = [self._flag_changed, self._value_set, self._counts]
        forms += [self._function_changed, self._made] * bool(effects) + [self._made_with_flag]
        forms += [self._flag_changed_elsewhere, self._held_changed_elsewhere]
        forms += [self._function_changed_elsewhere] * bool(effects)
        return self.random.choice(forms)(scope, effects)

    def _written(self, form: str, name: str, one: str, other: str) -> Around:
        text = form.replace("NAME", name).replace("IF", _IF).replace("ON", "\0")
        text = text.replace("\0E", one).replace("OTHER", other).replace("\0", _ON)
        return Around(name, f"{text}\n\n", {"some_state.py": _STATE} if "some_state" in text else {})

    def _flag_changed(self, scope: Scope, effects: list[str]) -> Around:
        made = self._written(self.one(*_ANYTHING), self.new("k_"), "tl.constexpr(False)", "tl.constexpr(True)")
        scope.flags.append((made.name, "bool"))
        return made

    def _elsewhere(self, forms: tuple[str, str], name: str, one: str, other: str) -> Around:
        here, there = (self._written(form, name, one, other).text for form in forms)
        effect = re.sub(r"\b(noop|effect\d+)\b", r"program.\1", there)
        head = "import os\n\nimport program\n" if effect != there else "import os\n"
        return Around(name, here, {f"set_{name}.py": f"{head}import triton.language as tl\n{effect.rstrip()}\n"})

    def _flag_changed_elsewhere(self, scope: Scope, effects: list[str]) -> Around:
        forms = self.random.choice(_ELSEWHERE)
        made = self._elsewhere(forms, self.new("k_"), "tl.constexpr(False)", "tl.constexpr(True)")
        scope.flags.append((made.name, "bool"))
        return made

    def _held_changed_elsewhere(self, scope: Scope, effects: list[str]) -> Around:
        here, found, there = self.random.choice(_HELD_ELSEWHERE)
        asked = f"{here}\n\n@triton.constexpr_function\ndef NAME():\n    return {found}\n"
        made = self._elsewhere((asked, there), self.new("ask_"), "False", "True")
        scope.flags.append((f"{made.name}()", "raw"))
        return made

    def _function_changed_elsewhere(self, scope: Scope, effects: list[str]) -> Around:
        one, other = self.one("noop", *effects), self.one(*effects)
        made = self._elsewhere(self.random.choice(_ELSEWHERE), self.new("put_"), one, other)
        scope.functors.append((made.name, "effect"))
        return made

    def _value_set(self, scope: Scope, effects: list[str]) -> Around:
        made = self._written(self.one(*_VALUES), self.new("k_"), "", "")
        scope.flags.append((made.name, "bool"))
        return made

    def _counts(self, scope: Scope, effects: list[str]) -> Around:
        made = self._written(self.one(*_COUNTERS), self.new("turn_"), "", "")
        scope.flags.append((f"{made.name}()", "raw"))
        return made

    def _function_changed(self, scope: Scope, effects: list[str]) -> Around:
        made = self._written(self.one(*_ANYTHING), self.new("put_"), self.one("noop", *effects), self.one(*effects))
        scope.functors.append((made.name, "effect"))
        return made

    def _made(self, scope: Scope, effects: list[str]) -> Around:
        body = self.one("it(p, q, v)", "it(q, p, v)")
        return self._in_a_factory(scope, self.one("noop", *effects), self.one(*effects), [body])

    def _made_with_flag(self, scope: Scope, effects: list[str]) -> Around:
        store = self.one("tl.store(q, v)", "tl.store(p, v)", "tl.atomic_add(q, v)")
        body = [f"if {self.one('it', 'not it')}:", f"    {store}"]
        return self._in_a_factory(scope, "tl.constexpr(False)", "tl.constexpr(True)", body)

    def _in_a_factory(self, scope: Scope, one: str, other: str, body: list[str]) -> Around:
        name = self.new("made_")
        lines = ["@triton.jit", f"def {name}(p, q, v):", *(f"    {line}" for line in body)]
        made = self._written(self.one(*_FACTORIES), name, one, other)
        for head, indent in (("MADE\n", 4), ("DEEPER\n", 8)):
            made = made._replace(
                text=made.text.replace(head, "".join(f"{' ' * indent}{line}\n" for line in lines) + "\n")
            )
        scope.functors.append((name, "effect"))
        return made
