"""Small workspaces, each file in several texts (None: there is no such file), whose files say something of the kernels
of others."""

from __future__ import annotations

from typing import Final

_HEAD: Final = "import triton\nimport triton.language as tl\n"
Workspace = dict[str, tuple[str | None, ...]]

CONSTANTS: Final[Workspace] = {
    "pkg/__init__.py": (
        "",
        ("from pkg.helpers import act\n"),
        ("import pkg.consts\n"),
        ("from pkg.kern import *\n"),
    ),
    "pkg/consts.py": (
        ("BLOCK = 64\nSIZES = [16, 32]\nFLAG = False\nWIDTH = 8\n"),
        ("BLOCK = 128\nSIZES = [64]\nFLAG = True\nWIDTH = 4\n"),
        ("BLOCK = 64\nSIZES = []\nFLAG = False\nWIDTH = 8\nFLAG = not FLAG\n"),
        (
            "import os\n"
            "BLOCK = int(os.environ.get('B', '64'))\n"
            "SIZES = [16]\n"
            "FLAG = os.environ.get('F') == '1'\n"
            "WIDTH = 8\n"
        ),
        ("BLOCK = 64\nSIZES = [16, 32]\nFLAG = (\n"),
    ),
    "pkg/helpers.py": (
        (_HEAD + "@triton.jit\ndef act(x, p, F: tl.constexpr):\n    if F:\n        tl.store(p, x)\n    return x\n"),
        (_HEAD + "@triton.jit\ndef act(x, p, F: tl.constexpr):\n    return x * 2\n"),
        (_HEAD + "@triton.jit\ndef act(x, p, F: tl.constexpr, more=None):\n    tl.store(p, x)\n    return x\n"),
        (_HEAD + "@triton.jit\ndef other(x, p, F: tl.constexpr):\n    return x\nact = other\n"),
        (_HEAD + "@triton.jit\ndef act(x, p, F: tl.constexpr):\n    return nothing(x)\n"),
        (
            _HEAD + "from pkg.consts import FLAG\n"
            "@triton.jit\n"
            "def on(x, p, F: tl.constexpr):\n"
            "    tl.store(p, x)\n"
            "    return x\n"
            "@triton.jit\n"
            "def off(x, p, F: tl.constexpr):\n"
            "    return x\n"
            "act = on if FLAG else off\n"
        ),
        (_HEAD + "@triton.jit\ndef act(x, p, F: tl.constexpr)\n    return x\n"),
    ),
    "pkg/deco.py": (
        (_HEAD + "def mine(f):\n    return triton.jit(f)\n"),
        (_HEAD + "def mine(f):\n    return f\n"),
        (_HEAD + "import functools\nmine = functools.partial(triton.jit, noinline=True)\n"),
        (_HEAD + "def mine(f):\n    k = triton.jit(f)\n    k.name = 1\n    return k\n"),
    ),
    "pkg/kern.py": (
        (
            _HEAD + "from pkg.consts import BLOCK, FLAG\n"
            "from pkg.helpers import act\n"
            "from pkg.deco import mine\n"
            "W = tl.constexpr(BLOCK)\n"
            "@triton.jit\n"
            "def k(x, y, n, B: tl.constexpr, F: tl.constexpr):\n"
            "    o = tl.arange(0, B)\n"
            "    v = tl.load(x + o)\n"
            "    v = act(v, y + o, F)\n"
            "    tl.store(x + o + W, v)\n"
            "@mine\n"
            "def m(x, y, B: tl.constexpr):\n"
            "    tl.store(x + tl.arange(0, B), 1)\n"
        ),
        (
            _HEAD + "import pkg.consts as c\n"
            "import pkg.helpers as h\n"
            "from pkg import deco\n"
            "F0: tl.constexpr = c.FLAG\n"
            "F0 = tl.constexpr(c.FLAG)\n"
            "@triton.jit\n"
            "def k(x, y, n, B: tl.constexpr, F: tl.constexpr):\n"
            "    o = tl.arange(0, B)\n"
            "    if F0:\n"
            "        tl.store(y + o, 1)\n"
            "    h.act(tl.load(x + o), y + o, F0)\n"
            "@deco.mine\n"
            "def m(x, y, B: tl.constexpr):\n"
            "    tl.store(y + tl.arange(0, B), 1)\n"
        ),
        (
            _HEAD + "from pkg.consts import *\n"
            "from pkg.helpers import *\n"
            "@triton.autotune(configs=[triton.Config({'B': s}) for s in SIZES], key=[])\n"
            "@triton.jit\n"
            "def k(x, y, n, B: tl.constexpr, F: tl.constexpr):\n"
            "    o = tl.arange(0, B)\n"
            "    act(tl.load(x + o), y + o, F)\n"
        ),
    ),
    "run.py": (
        (
            _HEAD + "import torch\n"
            "from pkg.kern import k, m\n"
            "from pkg.consts import BLOCK, FLAG\n"
            "def run(x: torch.Tensor):\n"
            "    y = torch.empty_like(x, dtype=torch.float16)\n"
            "    k[(1,)](x, y, 3, B=BLOCK, F=FLAG)\n"
            "    m[(1,)](x, y, BLOCK)\n"
        ),
        (
            _HEAD + "import torch\n"
            "import pkg.kern as kk\n"
            "def run(x):\n"
            "    x = torch.zeros(4, dtype=torch.int32)\n"
            "    kk.k[(1,)](x, x, 1, B=32, F=True)\n"
        ),
        "",
        (
            _HEAD + "from pkg.kern import k\n"
            "from pkg.consts import SIZES\n"
            "tuned = triton.autotune(configs=[triton.Config({'B': s}) for s in SIZES], key=[])(k)\n"
            "def run(x, y):\n"
            "    tuned[(1,)](x, y, 1, F=False)\n"
        ),
        (_HEAD + "import pkg.kern\ndef run(x, y, kern=pkg.kern.k):\n    kern[(1,)](x, y, x.stride(0), B=16, F='a')\n"),
    ),
    "tests/test_a.py": (
        "",
        (_HEAD + "import pkg.consts\ndef test(monkeypatch):\n    monkeypatch.setattr(pkg.consts, 'FLAG', True)\n"),
        (_HEAD + "import pkg.helpers\npkg.helpers.act = None\n"),
        (_HEAD + "import pkg.kern\ndef f(g): return g\npkg.kern.act = f\n"),
        (_HEAD + "import pkg\nsetattr(pkg.consts, 'BL' + 'OCK', 3)\n"),
        (_HEAD + "import triton\ntriton.jit = lambda f: f\n"),
        (_HEAD + "from pkg.kern import k\nk.fn.__code__ = None\n"),
        ("exec('import pkg.consts; pkg.consts.FLAG = True')\n"),
    ),
    "tests/conftest.py": (
        "",
        ("import sys\nsys.path.insert(0, 'src')\n"),
        ("import os\nos.environ['F'] = '1'\n"),
        ("from pkg.consts import SIZES\nSIZES.append(256)\n"),
    ),
    "src/pkg/__init__.py": (
        None,
        "",
    ),
}
"""Helpers, constants, decorators, launches, tests that set something, a second package of the same name."""
OBJECTS: Final[Workspace] = {
    "lib/__init__.py": (
        "",
        None,
        ("from .agg import *\n"),
    ),
    "lib/agg.py": (
        (
            _HEAD + "from triton.language.core import _aggregate as aggregate\n"
            "@aggregate\n"
            "class S:\n"
            "    p: tl.tensor\n"
            "    n: tl.constexpr\n"
            "    @triton.constexpr_function\n"
            "    def __init__(self, p, n):\n"
            "        self.p = p\n"
            "        self.n = tl.constexpr(n)\n"
            "    @triton.jit\n"
            "    def put(self, v):\n"
            "        tl.store(self.p + tl.arange(0, self.n), v)\n"
        ),
        (
            _HEAD + "from triton.language.core import _aggregate as aggregate\n"
            "@aggregate\n"
            "class S:\n"
            "    p: tl.tensor\n"
            "    n: tl.constexpr\n"
            "    @triton.constexpr_function\n"
            "    def __init__(self, p, n):\n"
            "        self.p = p\n"
            "        self.n = tl.constexpr(n)\n"
            "    @triton.jit\n"
            "    def put(self, v):\n"
            "        return tl.load(self.p + tl.arange(0, self.n))\n"
        ),
        (_HEAD + "class S: pass\n"),
        (_HEAD + "def S(p, n):\n    return p\n"),
    ),
    "lib/cf.py": (
        (
            _HEAD + "@triton.constexpr_function\n"
            "def size(n):\n"
            "    return n * 2\n"
            "@triton.constexpr_function\n"
            "def on(s):\n"
            "    return s == 'relu'\n"
        ),
        (
            _HEAD + "@triton.constexpr_function\n"
            "def size(n):\n"
            "    return n\n"
            "@triton.constexpr_function\n"
            "def on(s):\n"
            "    return s != 'relu'\n"
        ),
        (
            _HEAD + "from .conf import WIDE\n"
            "@triton.constexpr_function\n"
            "def size(n):\n"
            "    return n * (2 if WIDE else 1)\n"
            "@triton.constexpr_function\n"
            "def on(s):\n"
            "    return False\n"
        ),
        (_HEAD + "@triton.constexpr_function\ndef size(n, m):\n    return n\n"),
    ),
    "lib/conf.py": (
        (
            "from enum import Enum\n"
            "from typing import NamedTuple\n"
            "WIDE = True\n"
            "class M(Enum):\n"
            "    A = 1\n"
            "    B = 2\n"
            "class P(NamedTuple):\n"
            "    x: int = 1\n"
            "    y: int = 2\n"
            "CFG = {'act': 'relu', 'n': 16}\n"
        ),
        (
            "from enum import Enum\n"
            "from typing import NamedTuple\n"
            "WIDE = False\n"
            "class M(Enum):\n"
            "    A = 2\n"
            "    B = 1\n"
            "class P(NamedTuple):\n"
            "    y: int = 1\n"
            "    x: int = 2\n"
            "CFG = {'act': 'gelu', 'n': 32}\n"
        ),
        (
            "from enum import Enum\n"
            "from typing import NamedTuple\n"
            "WIDE = True\n"
            "class M(Enum):\n"
            "    A = 1\n"
            "    B = 2\n"
            "class P(NamedTuple):\n"
            "    x: int = 1\n"
            "    y: int = 2\n"
            "CFG = {'act': 'relu', 'n': 16}\n"
            "CFG['act'] = 'gelu'\n"
        ),
        ("WIDE = \n"),
        None,
    ),
    "kern.py": (
        (
            _HEAD + "import torch\n"
            "from lib.agg import S\n"
            "from lib.cf import size, on\n"
            "from lib.conf import CFG, M, P, WIDE\n"
            "ACT = tl.constexpr(CFG['act'])\n"
            "MODE = tl.constexpr(M.A.value)\n"
            "@triton.jit\n"
            "def k(x, y, z, N: tl.constexpr, A: tl.constexpr):\n"
            "    s = S(y, N)\n"
            "    v = tl.load(x + tl.arange(0, N))\n"
            "    if on(A):\n"
            "        s.put(v)\n"
            "    if MODE == 1:\n"
            "        tl.store(z + tl.arange(0, size(N)), 1)\n"
            "    if ACT == 'gelu':\n"
            "        tl.store(x, 0)\n"
            "def run(x: torch.Tensor):\n"
            "    k[(1,)](x, x.to(torch.float16), torch.empty(3), N=CFG['n'], A=CFG['act'])\n"
        ),
        (
            _HEAD + "import torch\n"
            "import lib.conf\n"
            "import lib.cf\n"
            "class C:\n"
            "    n = lib.conf.CFG['n']\n"
            "    act = 'relu'\n"
            "    def __init__(self):\n"
            "        self.a = lib.conf.P(1).x\n"
            "    def go(self, x):\n"
            "        k[(1,)](x, x, x, N=self.n, A=self.act)\n"
            "@triton.jit\n"
            "def k(x, y, z, N: tl.constexpr, A: tl.constexpr):\n"
            "    if lib.cf.on(A):\n"
            "        tl.store(y, 1)\n"
            "    tl.load(x + tl.arange(0, N))\n"
        ),
        (
            _HEAD + "from lib import *\n"
            "from lib.conf import *\n"
            "@triton.heuristics({'W': lambda a: WIDE})\n"
            "@triton.jit\n"
            "def k(x, y, z, W: tl.constexpr):\n"
            "    if W:\n"
            "        tl.store(y, 1)\n"
            "    else:\n"
            "        tl.store(z, 1)\n"
        ),
    ),
    "other.py": (
        "",
        (
            "import kern\n"
            "import lib.conf\n"
            "def go(x):\n"
            "    import torch\n"
            "    kern.k[(1,)](torch.empty(4, dtype=torch.int8), x, x, N=lib.conf.CFG['n'] * 2, A='gelu')\n"
        ),
        ("import kern\nkern.C.n = 64\n"),
        ("from lib.conf import CFG\nCFG.update(act='none')\n"),
        ("from kern import C\nc = C()\nc.act = 'x'\n"),
        ("import lib.cf\nlib.cf.size = lambda n: 4\n"),
        ("import triton.language as tl\ntl.store = tl.load\n"),
        ("from triton.language import core\ncore._aggregate = None\n"),
    ),
    "ops.py": (
        "",
        (
            _HEAD + "import torch\n"
            "import kern\n"
            "@torch.library.triton_op('a::b', mutates_args={'y'})\n"
            "def op(x: torch.Tensor, y: torch.Tensor) -> None:\n"
            "    torch.library.wrap_triton(kern.k)[(1,)](x, y, y, 16, 'relu')\n"
        ),
        (
            _HEAD + "import torch\n"
            "import kern\n"
            "@torch.library.triton_op('a::b', mutates_args=())\n"
            "def op(x: torch.Tensor, y: torch.Tensor) -> None:\n"
            "    torch.library.wrap_triton(kern.k)[(1,)](x, y, y, 16, 'relu')\n"
        ),
    ),
    "lib/late.py": (
        None,
        ("from . import conf\nconf.WIDE = False\n"),
        ("def f(m):\n    m.WIDE = 3\n"),
        ("import lib.conf\nfor n in ['WIDE']:\n    setattr(lib.conf, n, 0)\n"),
    ),
    "kern/__init__.py": (
        None,
        None,
        None,
        (_HEAD + "@triton.jit\ndef k(x, y, z, N: tl.constexpr, A: tl.constexpr):\n    tl.store(z, 1)\n"),
    ),
}
"""Aggregates, constexpr functions, members of Enums and named tuples, classes, ops, a package in a module's place."""
