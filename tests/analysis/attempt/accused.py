"""Small kernels that work with one value alone, in files whose launches don't say that they pass another: whoever wrote
these is to be blamed for nothing. And with a launch that does say so.

A product of what wants the value, how it gets there, why it isn't known, and what else is launched.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Final, NamedTuple


class Want(NamedTuple):
    """``body`` compiles where ``V`` is ``good``, and not where it is ``bad``; ``constant``: of a ``tl.constexpr``."""

    body: str
    good: str
    bad: str = "3"
    constant: bool = True


WANTS: Final = {
    "item": Want("(ignored, ignored, ignored)[V - 297](x)", "298"),
    "arange": Want("tl.store(x, tl.sum(tl.arange(0, V - 300), 0))", "316"),
    "assertion": Want("tl.static_assert(V == 713)", "713"),
    "axis": Want("tl.store(x + tl.arange(0, 8), tl.sum(tl.zeros([8, 8], tl.float32), V - 500))", "501"),
    "reshape": Want("tl.store(x, tl.sum(tl.sum(tl.zeros([4096], tl.float32).reshape((V, 8)), 0), 0))", "512"),
    "unpacked": Want("a, b = (x,) * (V - 400)\ntl.store(a, 1)", "402"),
    "dot": Want(
        "y = tl.dot(tl.zeros([16, V], tl.float16), tl.zeros([2048, 16], tl.float16))\n"
        "tl.store(x, tl.sum(tl.sum(y, 0), 0))",
        "2048",
    ),
    "cast": Want("tl.store(x, tl.load(x).to(tl.float32 if V == 77 else None))", "77"),
    "called": Want("tl.store(x, (V == 91 and tl.sum)(tl.arange(0, 16), 0))", "91"),
    "attribute": Want("tl.store(x, tl.load(x).to(getattr(tl, 'float32' if V == 99 else 'float33')))", "99"),
    "sum": Want("tl.store(x + tl.arange(0, 512), tl.zeros([512], tl.float32) + tl.arange(0, V))", "512"),
    "text": Want("tl.store(x, tl.load(x, cache_modifier=V))", "'.cg'", "'.no'"),
    "name": Want("tl.store(x, tl.load(x).to(getattr(tl, V)))", "'float64'", "'float65'"),
    "pointer": Want("tl.store(x, tl.load(V))", "x", "None", False),
    "items": Want("a, b, c = V\ntl.store(x, a)", "(1, 2, 3)", "(1, 2)", False),
    "field": Want("tl.store(x, V.size)", "Pair(1, 2)"),
    "bits": Want("tl.store(x + tl.arange(0, 16), tl.arange(0, 16) << V)", "3", "1.5", False),
    "function": Want("tl.store(x, V(tl.load(x), 2, 3))", "of_three", "of_two"),
    "dtype": Want("tl.store(x + tl.arange(0, 16), tl.zeros([16], V) << 1)", "tl.int32", "tl.float32"),
    "long": Want("tl.store(x, V[7])", "(1, 2, 3, 4, 5, 6, 7, 8)", "(1, 2)", False),
    "pointers": Want("tl.store(V[2], tl.load(x))", "(x, x, x)", "(x, x)", False),
    "step": Want("for i in tl.static_range(0, 8, V - 90):\n    tl.store(x + i, 1)", "92", "90"),
    "turns": Want(
        "y = tl.zeros([8, 8, 8], tl.float32)\nfor i in tl.static_range(V - 600):\n    y = tl.sum(y, 0)\ntl.store(x, y)",
        "603",
    ),
    "power": Want("tl.store(x, tl.sum(tl.zeros([2 ** (V - 40)], tl.float32), 0))", "44"),
    "joined": Want(
        "y = tl.cat(tl.zeros([V], tl.float32), tl.zeros([512], tl.float32), can_reorder=True)\n"
        "tl.store(x + tl.arange(0, 1024), y)",
        "512",
    ),
    "order": Want(
        "y = tl.permute(tl.zeros([8, 4], tl.float32), (V - 70, 71 - V))\ntl.store(x, tl.sum(tl.sum(y, 0), 0))", "71"
    ),
    "mask": Want(
        "y = tl.where(tl.arange(0, V) < 4, tl.zeros([256], tl.float32), 1.0)\ntl.store(x + tl.arange(0, 256), y)", "256"
    ),
    "expanded": Want(
        "y = tl.expand_dims(tl.zeros([8], tl.float32), V - 900)\ntl.store(x, tl.sum(tl.sum(y, 0), 0))", "901"
    ),
    "elements": Want(
        "tl.store(x + tl.arange(0, 16), tl.load(V + tl.arange(0, 16)) << 1)", "x.to(torch.int32)", "x", False
    ),
    "element": Want(
        "tl.store(x + tl.arange(0, 16), tl.load(V[0] + tl.arange(0, 16)) << 1)", "(x.to(torch.int32),)", "(x,)", False
    ),
    "number": Want("tl.store(x + tl.arange(0, 16), tl.zeros([16], tl.int32) | V)", "3", "2.5", False),
}

WAYS: Final = {
    "bare": "{body}",
    "under a name": "W = V\n{body_of_w}",
    "if": "if FLAG:\n    {body}",
    "else": "if not FLAG:\n    pass\nelse:\n    {body}",
    "unrolled": "for j in tl.static_range(1):\n    {body}",
    "at run time": "if tl.load(x) > 3:\n    {body}",
    "early": "if not FLAG:\n    return\n{body}",
    "helper": "helper(x, V)",
    "helper's helper": "if FLAG:\n    caller(x, V=V)",
}
"""How it gets there. ``helper`` has the body in it."""
_UNDER_A_TEST: Final = ("if", "else", "helper's helper")

_RUN: Final = "kernel[(1,)](x, v, FLAG=True)"
UNKNOWN: Final = {
    "a parameter": f"def launch(x, v):\n    {_RUN}",
    "by name": "def launch(x, v):\n    kernel[(1,)](x, V=v, FLAG=True)",
    "outside": "def launch(x):\n    v = {{'a': {good}}}[os.environ['A']]\n    " + _RUN,
    "an attribute": "class Op:\n    def run(self, x):\n        kernel[(1,)](x, self.v, FLAG=self.flag)",
    "of an argument": "def launch(x, config):\n    kernel[(1,)](x, config.v, FLAG=True)",
    "keywords": "def launch(x, **more):\n    kernel[(1,)](x, FLAG=True, **more)",
    "starred": "def launch(x, *more):\n    kernel[(1,)](x, *more, FLAG=True)",
    "default": "def launch(x):\n    kernel[(1,)](x, FLAG=True)",
    "heuristics": "def launch(x):\n    kernel[(1,)](x, FLAG=True)",
    "configs": "def launch(x):\n    kernel[(1,)](x, FLAG=True)",
    "wrapped": (
        "def run(k, x, v, flag):\n    k[(1,)](x, v, FLAG=flag)\n\n\ndef launch(x, v):\n    run(kernel, x, v, True)"
    ),
    "one of two": "def launch(x, big):\n    v = {bad} if big else {good}\n    kernel[(1,)](x, v, FLAG=not big)",
    "in a loop": f"def launch(x, every):\n    for v in every:\n        {_RUN}",
    "imported": f"def launch(x):\n    v = setting\n    {_RUN}",
    "an op": (
        "@torch.library.custom_op('my::op', mutates_args=('x',))\n"
        f"def launch(x: torch.Tensor, v: int) -> None:\n    {_RUN}"
    ),
    "nobody": "",
    "nor the flag": "def launch(x, v, flag):\n    kernel[(1,)](x, v, FLAG=flag)",
    "run": "def launch(x, v):\n    kernel.run(x, v, FLAG=True, grid=(1,), warmup=False)",
    "backward": (
        "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x, v):\n        ctx.v = v\n"
        "        return x\n\n    @staticmethod\n    def backward(ctx, g):\n        kernel[(1,)](g, ctx.v, FLAG=True)\n"
        "        return g, None"
    ),
    "a dict": "def launch(x, v):\n    more = dict(V=v)\n    more['FLAG'] = True\n    kernel[(1,)](x, **more)",
    "or None": "def launch(x, v=None):\n    kernel[(1,)](x, v, FLAG=v is not None)",
}
"""Why it isn't known what is passed."""
_ABOVE: Final = {
    "heuristics": "@triton.heuristics({'V': lambda args: compute(args)})\n",
    "configs": "@triton.autotune([triton.Config({'V': v}) for v in values()], key=[])\n",
}

_MADE: Final = "\n\n\ndef other():\n    x = torch.empty(4096, device='cuda')\n    "
BESIDE: Final = {
    "nothing": "",
    "without it": _MADE + "kernel[(1,)](x, {bad}, FLAG=False)",
    "the right": _MADE + "kernel[(1,)](x, {good}, FLAG=True)",
    "unknown": _MADE.replace("other()", "other(v)") + "kernel[(1,)](x, v, FLAG=False)",
    "to fail": _MADE + "with pytest.raises(Exception):\n        kernel[(1,)](x, {bad}, FLAG=True)",
    "caught": _MADE + "try:\n        kernel[(1,)](x, {bad}, FLAG=True)\n    except Exception:\n        print('no')",
    "skipped": _MADE.replace("def", "@pytest.mark.xfail\ndef") + "kernel[(1,)](x, {bad}, FLAG=True)",
    "never": _MADE + "if triton.__version__ < '2':\n        kernel[(1,)](x, {bad}, FLAG=True)",
}
"""What else is launched."""

_HEAD: Final = """\
import os
from typing import NamedTuple

import pytest
import torch
import triton
import triton.language as tl
from elsewhere import compute, setting, values

{default}
class Pair(NamedTuple):
    size: int
    more: int


@triton.jit
def ignored(p):
    pass


@triton.jit
def of_two(a, b):
    return a


@triton.jit
def of_three(a, b, c):
    return a


"""


def _kernel(want: Want, way: str, unknown: str) -> str:
    annotation = ": tl.constexpr" if want.constant else ""

    def block(text: str, by: str) -> str:
        return textwrap.indent(text, by)[len(by) :]

    helpers = f"@triton.jit\ndef helper(x, V{annotation}):\n    {block(want.body, ' ' * 4)}\n\n\n"
    helpers += f"@triton.jit\ndef caller(x, V{annotation}):\n    helper(x, V)\n\n\n"
    form = WAYS[way].replace("W = V", f"W{annotation} = V")
    deeper = " " * (4 if "    {body}" in form else 0)
    body = form.format(body=block(want.body, deeper), body_of_w=want.body.replace("V", "W"))
    default = " = DEFAULT" if unknown == "default" else ""
    head = f"{_ABOVE.get(unknown, '')}@triton.jit\ndef kernel(x, V{annotation}{default}, FLAG: tl.constexpr = False):\n"
    return (helpers if "helper" in way else "") + head + textwrap.indent(body, " " * 4) + "\n\n\n"


def innocent(want: Want, way: str, unknown: str, beside: str) -> str | None:
    """A file that nobody is to be accused in; None where there is none of the kind."""
    if unknown in _ABOVE and beside in ("the right", "unknown"):
        return None
    if beside == "without it" and way not in _UNDER_A_TEST:
        return None
    values = {"good": want.good, "bad": want.bad}
    known = "None" if "x" in want.good else want.good
    default = f"DEFAULT = {{'a': {known}}}[os.environ['A']]\n\n" if unknown == "default" else ""
    more = BESIDE[beside].format(**values)
    if unknown in _ABOVE:
        more = more.replace(f", {want.bad}, FLAG", ", FLAG")
    launch = UNKNOWN[unknown].format(**values)
    return _HEAD.format(default=default) + _kernel(want, way, unknown) + launch + more + "\n"


def guilty(want: Want, way: str) -> str:
    """A file whose one launch passes what doesn't do, for everybody to see."""
    launch = _MADE.lstrip("\n") + "kernel[(1,)](x, {bad}, FLAG=True)\n"
    return _HEAD.format(default="") + _kernel(want, way, "") + launch.format(bad=want.bad)


def rows(every: bool) -> Iterator[tuple[str, str]]:
    """Files by name: each thing wanted for every other reason why it isn't known, the rest in turns; or all."""
    ways, besides = list(WAYS), list(BESIDE)
    for one, (name, want) in enumerate(WANTS.items()):
        for other, unknown in enumerate(UNKNOWN):
            if (one + other) % 2 and not every:
                continue
            chosen = [(ways[(one + other // 2) % len(ways)], besides[(one + other // 2) % len(besides)])]
            for way, beside in ((w, b) for w in ways for b in besides) if every else chosen:
                text = innocent(want, way, unknown, beside)
                if text is not None:
                    yield "__".join((name, way, unknown, beside)).replace(" ", "_").replace("'", ""), text
