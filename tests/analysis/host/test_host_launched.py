"""What a launch passes whose arguments are set in loops, by functions inside, by modes around, or made others: every
host function here is run with torch, its launches written down. What is certain must be so each time.
"""

from __future__ import annotations

import itertools
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from host_launches import held, indented, run, told, wrong

torch = pytest.importorskip("torch")

LOOPS = {
    "for": "for i in range(2):\n{body}",
    "while": "i = 0\nwhile i < 2:\n    i += 1\n{body}",
    "deep": "for i in range(2):\n    with torch.no_grad():\n        if i < 2:\n{deep}",
    "inner": "for i in range(2):\n    for j in range(1):\n        k[(1,)](x, n)\n{set}",
    "try": "for i in range(2):\n    try:\n{deep}\n    finally:\n        pass",
    "test": "i = 0\nwhile k[(1,)](x, n) or i < 2:\n    i += 1\n{set}",
    "test inside": "for i in range(2):\n    j, n = 0, 2\n    while k[(1,)](x, n) or j < 2:\n        j += 1\n{further}",
    "match": "for i in range(2):\n    match i:\n        case _:\n{deep}",
}
CHANGES = {
    "cast": "x = x.half()",
    "swap": "x, y = y, x",
    "either": "x = y if i else x.half()",
    "number": "n = n * 1.5",
    "more": "n += 1",
    "divided": "n /= 2",
    "loop": "for x in [y]:\n    pass",
    "under a condition": "if i < 2:\n    x = y",
}
START = "x, y, n = torch.zeros(2), torch.zeros(2, dtype=torch.int8), 2\n"


def loops() -> Iterator[Any]:
    for (loop, shape), (change, text) in itertools.product(LOOPS.items(), CHANGES.items()):
        body = f"k[(1,)](x, n)\n{text}"
        filled = shape.format(
            body=indented(body, 4), deep=indented(body, 12), set=indented(text, 4), further=indented(text, 8)
        )
        yield pytest.param(f"def run():\n{indented(START + filled, 4)}\n\n\n", id=f"{loop}-{change}")


@pytest.mark.parametrize("body", [*loops()])
def test_what_a_turn_before_has_set(body: str, tmp_path: Path) -> None:
    held(tmp_path, body, run(body))


INSIDE = {
    "function": "def f():\n    k[(1,)](x, n)\n",
    "lambda": "f = lambda: k[(1,)](x, n)\n",
    "deeper": "def f():\n    def g():\n        k[(1,)](x, n)\n    g()\n",
}


@pytest.mark.parametrize(
    ("inside", "change"), [*itertools.product(INSIDE, ("cast", "swap", "number", "divided", "loop"))]
)
def test_what_is_set_after_a_function_is_made(inside: str, change: str, tmp_path: Path) -> None:
    text = f"{START}{INSIDE[inside]}f()\n{CHANGES[change]}\nf()\n"
    body = f"def run():\n{indented(text, 4)}\n\n\n"
    held(tmp_path, body, run(body))


@pytest.mark.parametrize(
    "text",
    [
        "x = torch.zeros(2)\nx = x.half()\nfor i in range(2):\n    k[(1,)](x, 1)\nx = 3",
    ],
)
def test_what_is_bound_anew_each_turn_is_certain(text: str, tmp_path: Path) -> None:
    said = told(tmp_path, f"def run():\n{indented(text, 4)}\n", {})[0]
    assert (said.kind, said.dtype, said.sure, said.varies) == ("tensor", "fp16", True, False)


READ_BEFORE = {
    "argument": "v = same(n)",
    "lambda": "v = (lambda: n)()",
    "named": "f = lambda: n\nv = f()",
    "in a tuple": "f = (lambda: n,)\nv = f[0]()",
    "in a dict": "f = {'n': lambda: n}\nv = f['n']()",
    "handed on": "v = call(lambda: n)",
    "handed on by name": "f = lambda: n\nv = call(f)",
    "partial": "v = functools.partial(lambda: n)()",
    "of a partial": "v = functools.partial(call, lambda: n)()",
    "by map": "v = list(map(lambda _: n, [0]))[0]",
    "as a key": "v = max([n, 0], key=lambda m: m * n)",
    "default": "v = (lambda m=n: m)()",
    "in a lambda": "v = (lambda: (lambda: n)())()",
    "twice": "w = (lambda: n)()\nv = (lambda: w)()",
    "in two turns": "f = lambda: n\nw = f()\nn += 1\nv = f() - w",
    "function": "def f():\n    return n\n\nv = f()",
    "function in a function": "def f():\n    return (lambda: n)()\n\nv = f()",
    "comprehension": "v = [n for _ in range(1)][0]",
    "generator": "v = next(n for _ in range(1))",
    "class": "class C:\n    m = n\n\nv = C.m",
    "under a condition": "f = lambda: n > 1\nif f():\n    v = 1\nelse:\n    v = 0.5\nn = 0",
    "choice": "v = (lambda: n)() if n else 0",
}
USED = "import functools\n\n\ndef same(v):\n    return v\n\n\ndef call(f):\n    return f()\n\n\n"


@pytest.mark.parametrize(("read", "change"), [*itertools.product(READ_BEFORE, ("number", "more", "divided"))])
def test_what_is_read_before_it_is_set_again(read: str, change: str, tmp_path: Path) -> None:
    text = f"{START}{READ_BEFORE[read]}\n{CHANGES[change]}\nk[(1,)](x, v)\n"
    body = f"{USED}def run():\n{indented(text, 4)}\n\n\n"
    held(tmp_path, body, run(body), {})


def test_what_a_lambda_reads_is_as_of_its_call(tmp_path: Path) -> None:
    text = "f = lambda: n\nn = 2\nv = f()\nn = 3\nk[(1,)](1, v)"
    said = told(tmp_path, f"def run():\n{indented(text, 4)}\n", {})
    assert said[1].value == 2


HOLDERS = {
    "list": ("c = [2]", "c[0]", "c[0] = 2.5", "c.insert(0, 2.5)"),
    "dict": ("c = {'n': 2}", "c['n']", "c['n'] = 2.5", "c.update(n=2.5)"),
    "namespace": ("c = SimpleNamespace(n=2)", "c.n", "c.n = 2.5", "setattr(c, 'n', 2.5)"),
    "dataclass": ("c = C(2)", "c.n", "c.n = 2.5", "c.put(2.5)"),
    "object": ("c = D(2)", "c.n", "c.n += 0.5", "c.put(2.5)"),
}
HOLDING = """from dataclasses import dataclass
from types import SimpleNamespace


@dataclass
class C:
    n: int

    def put(self, n):
        self.n = n


class D(C):
    def __init__(self, n):
        self.n = n


"""
PLACES = {
    "for": "for i in range(2):\n    k[(1,)](x, {read})\n    {change}",
    "inner": "for i in range(2):\n    for j in range(1):\n        k[(1,)](x, {read})\n    {change}",
    "under a condition": "for i in range(2):\n    k[(1,)](x, {read})\n    if x is not None:\n        {change}",
    "while": "i = 0\nwhile k[(1,)](x, {read}) or i < 1:\n    i += 1\n    {change}",
    "function": "def f():\n    k[(1,)](x, {read})\n\n\nf()\n{change}\nf()",
    "lambda": "f = lambda: k[(1,)](x, {read})\nf()\n{change}\nf()",
    "by a function": "def f():\n    {change}\n\n\nfor i in range(2):\n    k[(1,)](x, {read})\n    f()",
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("holder", "change"), [*itertools.product(HOLDERS, (2, 3))])
def test_what_is_changed_further_down(holder: str, change: int, place: str, tmp_path: Path) -> None:
    made = HOLDERS[holder]
    text = f"x = torch.zeros(2)\n{made[0]}\n{PLACES[place].format(read=made[1], change=made[change])}\n"
    body = f"{HOLDING}def run():\n{indented(text, 4)}\n\n\n"
    held(tmp_path, body, run(body))


@pytest.mark.parametrize(
    "made", ["zip([1], [2])", "map(str, [1])", "(n for n in [1])", "iter([1])", "reversed([1])", "enumerate([1])"]
)
def test_what_is_used_up_by_the_launch_before(made: str, tmp_path: Path) -> None:
    body = f"def run():\n    it = {made}\n" + "    k[(1,)](None, len(list(it)))\n" * 2 + "\n\n"
    held(tmp_path, body, run(body))


ROWS = [
    "torch.linspace(0, 1j, 2)", "torch.linspace(0, 1, 2)", "torch.bincount(torch.zeros(2, dtype=torch.int32))",
    "torch.bincount(torch.zeros(2, dtype=torch.int32), torch.ones(2))",
    "torch.bincount(torch.zeros(2, dtype=torch.int32), weights=torch.ones(2))",
    "torch.zeros(2, dtype=torch.int32).bincount(torch.ones(2))", "torch.where(torch.zeros(2) > 0)",
    "torch.where(torch.zeros(2) > 0, torch.zeros(2), 1.5)", "torch.zeros(4).view(dtype=torch.int8)",
    "torch.zeros(4).view(torch.int8)", "torch.zeros(4).cumsum(0, dtype=torch.int8)", "torch.arange(3.0)",
    "torch.arange(3)", "torch.tensor([True])", "torch.full((2,), True)", "torch.zeros(2).abs().sum()",
]  # fmt: skip


@pytest.mark.parametrize("made", ROWS)
def test_what_a_function_gives_for_these_arguments(made: str, tmp_path: Path) -> None:
    body = f"def run():\n    k[(1,)]({made}, 1)\n\n\n"
    held(tmp_path, body, run(body), {})


MAKES = "def run():\n    x = torch.zeros(2)\n{text}    k[(1,)](x.contiguous(), x.stride(0))\n\n\n"
ALTERED = {
    "swapped": "    torch.utils.swap_tensors(x, torch.zeros(2, dtype=torch.int8))\n",
    "swapped, imported": "    from torch.utils import swap_tensors as s\n    s(x, torch.zeros(2, dtype=torch.int8))\n",
    "set": "    setattr(x, 'da' + 'ta', torch.zeros(2, dtype=torch.int8))\n",
    "by its descriptor": "    torch.Tensor.data.__set__(x, torch.zeros(2, dtype=torch.int8))\n",
    "a method of one": "    x.stride = lambda d: 2.5\n",
    "in a module": "    m = torch.nn.Linear(2, 2)\n    m._parameters['weight'] = x\n    m.half()\n",
    "in a module, updated": "    m = torch.nn.Linear(2, 2)\n    m._parameters.update(w=x)\n    m.double()\n",
    "in a module by a text": "    m = torch.nn.Linear(2, 2)\n    getattr(m, '_parameters')['w'] = x\n    m.half()\n",
    "in a module's names": "    m = torch.nn.Linear(2, 2)\n    vars(m)['_parameters']['w'] = x\n    m.half()\n",
    "of a vector": "    torch.nn.utils.vector_to_parameters(torch.zeros(2).double(), [x])\n",
}


@pytest.mark.parametrize("how", ALTERED)
def test_a_tensor_that_is_made_another(how: str, tmp_path: Path) -> None:
    body = MAKES.format(text=ALTERED[how])
    launches = run(body)
    assert launches != [(torch.float32, 1)]
    held(tmp_path, body, launches, {})


OF_THE_FILE = {
    "before it is set": "    global N\n    k[(1,)](N, 1)\n    N = 2.5\n    k[(1,)](N, 1)\n",
    "under a condition": "    global N\n    k[(1,)](N, 1)\n    if N:\n        N = 2.5\n    k[(1,)](N, 1)\n",
    "by another": "    global N\n    k[(1,)](N, 1)\n    N = 1\n    other()\n    k[(1,)](N, 1)\n",
    "read inside": "    global N\n    f = lambda: k[(1,)](N, 1)\n    f()\n    N = 2.5\n    f()\n",
    "in a loop": "    global N\n    for N in (1, 2):\n        k[(1,)](N, 1)\n        other()\n        k[(1,)](N, 1)\n",
}


@pytest.mark.parametrize("how", OF_THE_FILE)
def test_a_name_of_the_file_that_the_function_sets(how: str, tmp_path: Path) -> None:
    body = f"N = 1\n\n\ndef other():\n    global N\n    N = 2.5\n\n\ndef run():\n{OF_THE_FILE[how]}\n\n"
    launches = run(body)
    assert len({*launches}) > 1
    for one in told(tmp_path, body, {})[::2]:
        assert not all(wrong(one, launch[0]) for launch in launches)
        assert not one.sure or one.varies


TRIED = {
    "number": "try:\n    x = [1 // 0, 2][1]\nexcept ZeroDivisionError:\n    x = 2.5\n",
    "tensor": "try:\n    x = torch.zeros(2)\n    [][0]\nexcept IndexError:\n    x = 1\n",
    "before": "x = 1\ntry:\n    [].frob\n    x = torch.zeros(2)\nexcept AttributeError:\n    pass\n",
    "in a call": "x = tries()\n",
}


@pytest.mark.parametrize("how", TRIED)
def test_what_a_try_that_fails_leaves(how: str, tmp_path: Path) -> None:
    tries = "def tries():\n    try:\n        return len({[1], 2})\n    except TypeError:\n        return 2.5\n\n\n"
    body = f"{tries}def run():\n{indented(TRIED[how] + 'k[(1,)](x, 1)', 4)}\n\n\n"
    held(tmp_path, body, run(body), {})


GIVEN = "def run():\n    x = torch.zeros(2)\n{gives}    y = {made}\n    k[(1,)](y, 1)\n\n\n"
CLASS = (
    "import torch\n\n\nclass T(torch.Tensor):\n    def half(self):\n        return self.double()\n\n"
    "    def __add__(self, other):\n        return self.double()\n\n\n"
)
TOUCHES = {
    "a method": "def touch(t):\n    t.half = t.double\n",
    "a method by a text": "def touch(t):\n    setattr(t, 'half', t.double)\n",
    "a method by its class": "def touch(t):\n    object.__setattr__(t, 'half', t.double)\n",
    "methods": "def touch(t):\n    for name in ('half', 'float'):\n        setattr(t, name, t.double)\n",
    "its names": "def touch(t):\n    t.__dict__['half'] = t.double\n",
    "class": f"{CLASS}def touch(t):\n    t.__class__ = T\n",
    "class by a text": f"{CLASS}def touch(t):\n    setattr(t, '__class__', T)\n",
    "data": "import torch\n\n\ndef touch(t):\n    t.data = torch.zeros(2, dtype=torch.float64)\n",
}
GIVES = {
    "itself": "touch(x)",
    "by another name": "z = x\n    touch(z)",
    "keyword": "touch(t=x)",
    "starred": "touch(*[x])",
    "in a list": "xs = [x]\n    touch(xs[0])",
}
MADE = {"method": "x.half()", "method of a view": "x.view(2).half()", "operator": "x + 1", "itself": "x"}


@pytest.mark.parametrize(("touch", "gives", "made", "here"), [*itertools.product(TOUCHES, GIVES, MADE, (True, False))])
def test_what_a_function_that_is_given_a_tensor_does_to_it(
    touch: str, gives: str, made: str, here: bool, tmp_path: Path
) -> None:
    body = GIVEN.format(gives=f"    {GIVES[gives]}\n", made=MADE[made])
    launches = run(body, f"{TOUCHES[touch]}\n\nrun()\n")
    defines, others = (
        (f"{TOUCHES[touch]}\n\n", {}) if here else ("from other import touch\n\n\n", {"other": TOUCHES[touch]})
    )
    held(tmp_path, defines + body, launches, others)


NUMBERS = {
    "numel": "x.numel()", "stride": "x.stride(0)", "size": "x.size(0)", "dim": "x.dim()", "length": "x.element_size()",
    "of a view": "x.view(2).numel()", "computed": "x.numel() + 1", "of another": "torch.zeros(2).numel()",
}  # fmt: skip
SETS = {
    "by its name": "def touch(t):\n    t.numel = t.size = t.stride = t.dim = t.element_size = lambda *d: 2.5\n",
    "by a text": (
        "def touch(t):\n    setattr(t, 'numel', lambda: 2.5)\n    setattr(t, 'size', lambda d: 2.5)\n"
        "    setattr(t, 'stride', lambda d: 2.5)\n    setattr(t, 'dim', lambda: 2.5)\n"
        "    setattr(t, 'element_size', lambda: 2.5)\n"
    ),
}


@pytest.mark.parametrize(("sets", "gives", "number", "here"), [*itertools.product(SETS, GIVES, NUMBERS, (True, False))])
def test_a_number_that_a_tensor_with_another_method_says(
    sets: str, gives: str, number: str, here: bool, tmp_path: Path
) -> None:
    body = f"def run():\n    x = torch.zeros(2)\n    {GIVES[gives]}\n    n = {NUMBERS[number]}\n    k[(1,)](x, n)\n\n\n"
    launches = run(body, f"{SETS[sets]}\n\nrun()\n")
    assert isinstance(launches[0][1], float) == (number not in ("of a view", "of another"))
    defines, others = (f"{SETS[sets]}\n\n", {}) if here else ("from other import touch\n\n\n", {"other": SETS[sets]})
    held(tmp_path, defines + body, launches, others)


@pytest.mark.parametrize("number", ["numel", "stride", "dim", "length", "of a view", "computed"])
def test_a_number_of_a_tensor_that_nobody_is_given_is_certain(number: str, tmp_path: Path) -> None:
    given = "    from other import touch\n    touch(torch.zeros(2))\n"
    body = f"def run():\n    x = torch.zeros(2)\n{given}    k[(1,)](x, {NUMBERS[number]})\n\n\n"
    said = told(tmp_path, body, {"other": SETS["by its name"]})[1]
    assert (said.kind, said.sure, said.varies) == ("int", True, False)


@pytest.mark.parametrize("other", ["def touch(t):\n    return t.sum()\n", f"{CLASS}def touch(t):\n    return T\n"])
def test_what_does_nothing_to_it(other: str, tmp_path: Path) -> None:
    body = f"from other import touch\n\n\n{GIVEN.format(gives='    touch(x)' + chr(10), made='x.half()')}"
    said = told(tmp_path, body, {"other": other})[0]
    assert (said.kind, said.dtype, said.sure, said.varies) == ("tensor", "fp16", True, False)


MODE = """import torch
{imports}


class M({base}):
    def __{hook}__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {{}}))
        return made.double() if isinstance(made, torch.Tensor) and made.dtype is torch.float32 else made


"""
BASES = {
    "function": ("", "torch.overrides.TorchFunctionMode", "torch_function"),
    "imported": ("from torch.overrides import BaseTorchFunctionMode as B", "B", "torch_function"),
    "of a device": ("from torch.utils._device import DeviceContext", "DeviceContext", "torch_function"),
}
AROUND = {
    "with": "with M({made}):\n    run()\n",
    "entered": "m = M({made})\nm.__enter__()\nrun()\nm.__exit__(None, None, None)\n",
}


@pytest.mark.parametrize(("base", "around"), [*itertools.product(BASES, AROUND)])
def test_a_mode_around_whoever_calls(base: str, around: str, tmp_path: Path) -> None:
    imports, name, hook = BASES[base]
    made = "torch.device('cpu')" if base == "of a device" else ""
    mode = MODE.format(imports=imports, base=name, hook=hook)
    body = MAKES.format(text="")
    launches = run(body, mode.replace("import torch\n", "", 1) + AROUND[around].format(made=made))
    assert launches[0][0] is torch.float64
    held(tmp_path, body, launches, {"other": f"from main import run\n{mode}{AROUND[around].format(made=made)}"})


SUBCLASS = """import torch


class T(torch.Tensor):
    @classmethod
    def __torch_function__(cls, *a):
        return 1
"""


@pytest.mark.parametrize("other", ["", SUBCLASS, "import torch\n\nx = getattr(torch, 'float16')\n"])
def test_what_alters_nothing(other: str, tmp_path: Path) -> None:
    said = told(tmp_path, MAKES.format(text=""), {"other": other})[0]
    assert (said.kind, said.dtype, said.sure, said.varies) == ("tensor", "fp32", True, False)


DEFAULTS = [
    "torch.set_default_dtype(torch.float64)",
    "getattr(torch, 'set_default' + '_dtype')(torch.float64)",
    "torch._C._set_default_dtype(torch.float64)",
]


@pytest.mark.parametrize("setting", DEFAULTS)
def test_another_default_dtype(setting: str, tmp_path: Path) -> None:
    body = MAKES.format(text="")
    try:
        launches = run(body, f"{setting}\nrun()\n")
    finally:
        torch.set_default_dtype(torch.float32)
    assert launches[0][0] is torch.float64
    held(tmp_path, body, launches, {"other": f"import torch\n\n{setting}\n"})


GONE_THROUGH = ["range(0)", "range(len([]))", "x.shape[1:]", "x.stride()[5:]", "(*x.shape[1:],)", "()"]
BEHIND = {
    "in the function": "def run():\n    i = 2.5\n    x = torch.zeros(2)\n{loop}    k[(1,)](i, 1)\n\n\n",
    "in the file": "x = torch.zeros(2)\ni = 2.5\n{loop}\n\ndef run():\n    k[(1,)](i, 1)\n\n\n",
    "in a function of it": (
        "def run():\n    i = 2.5\n    x = torch.zeros(2)\n{loop}    def f():\n        k[(1,)](i, 1)\n\n    f()\n\n\n"
    ),
    "in a lambda": "def run():\n    i = 2.5\n    x = torch.zeros(2)\n{loop}    (lambda: k[(1,)](i, 1))()\n\n\n",
}


@pytest.mark.parametrize(("through", "behind"), [*itertools.product(GONE_THROUGH, BEHIND)])
def test_what_a_loop_leaves_that_makes_no_turn(through: str, behind: str, tmp_path: Path) -> None:
    loop = f"for i in {through}:\n    pass\n"
    body = BEHIND[behind].format(loop=loop if behind == "in the file" else indented(loop, 4) + "\n")
    launches = run(body)
    assert launches == [(float, 1)]
    held(tmp_path, body, launches, {})


def test_the_variable_of_a_loop_is_certain_inside_of_it(tmp_path: Path) -> None:
    said = told(tmp_path, "def run():\n    for i in range(3):\n        k[(1,)](None, i)\n", {})[1]
    assert (said.kind, said.sure, said.varies) == ("int", True, False)


BROUGHT = {
    "before": "{star}{own}",
    "behind": "{own}{star}",
    "in a try": "{own}try:\n    {star}except ImportError:\n    pass\n",
}


@pytest.mark.parametrize(("where", "listed"), [*itertools.product(BROUGHT, (True, False))])
def test_a_tensor_that_a_star_brings(where: str, listed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = "import torch\n\n__all__ = [{}]\nx = torch.zeros(2, dtype=torch.int8)\n".format("'x'" if listed else "")
    module = types.ModuleType("other")
    exec(compile(other, "other.py", "exec", dont_inherit=True), module.__dict__)  # the tests' own text
    monkeypatch.setitem(sys.modules, "other", module)
    named = BROUGHT[where].format(own="x = torch.zeros(2)\n", star="from other import *\n")
    body = f"{named}\n\ndef run():\n    k[(1,)](x, 1)\n\n\n"
    launches = run(body)
    assert launches == [(torch.float32 if where == "before" or not listed else torch.int8, 1)]
    held(tmp_path, body, launches, {"other": other})
    if not listed:
        assert told(tmp_path, body, {"other": other})[0].dtype == "fp32"
