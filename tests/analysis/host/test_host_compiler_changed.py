"""What host code sets in what Triton's front end is made of besides its language: Python's own modules, Triton's
objects however deep, parts of a jit function. Every such object with every way to have it and every way to set
something in it, in the kernel's file and in another: no kernel is proven then; where nothing is set that a compile
reads, all are.
"""

from __future__ import annotations

import ast
import itertools
import sys
from pathlib import Path

import pytest

from kernel_analysis.kernels.cut import NotCut, cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.source.text_search import compiler_stores
from products import part, product

SITE = next(path for path in sys.path if path.endswith("site-packages"))
WHAT = {
    "lines": ("inspect", "", "getsourcelines"),
    "source": ("inspect", "", "getsource"),
    "parse": ("ast", "", "parse"),
    "range": ("builtins", "", "range"),
    "isinstance": ("builtins", "", "isinstance"),
    "cached lines": ("linecache", "", "getlines"),
    "module type": ("types", "", "ModuleType"),
    "dedent": ("textwrap", "", "dedent"),
    "search": ("re", "", "search"),
    "decoding": ("tokenize", "", "open"),
    "names of tuples": ("collections", "", "namedtuple"),
    "a class's": ("inspect", "Signature", "bind"),
    "a parameter's": ("inspect", "Parameter", "default"),
    "what visits": ("ast", "NodeVisitor", "visit"),
    "special": ("enum", "Enum", "__eq__"),
    "of a function": ("inspect", "getsource", "__code__"),
    "what Python runs": ("triton", "next_power_of_2", "fn"),
    "what a helper runs": ("triton.language", "sum", "fn"),
    "a helper's text": ("triton.language.standard", "max", "_src"),
    "a function's code": ("triton.language", "load", "__code__"),
    "a type's name": ("triton.language", "float32", "name"),
    "of a class": ("triton.language.core", "dtype", "is_floating"),
    "of a class anew": ("triton.language", "tensor", "__rpow__"),
    "a helper of the front end": ("triton._utils", "", "set_iterable_path"),
    "the target": ("triton.language.target_info", "", "is_cuda"),
    "the binding": ("triton._C.libtriton.ir", "builder", "create_store"),
    "the compiler": ("triton.compiler.code_generator", "", "ast_to_ttir"),
    "a statement": ("triton.compiler.code_generator", "CodeGenerator", "visit_Assign"),
}
HAS = {
    "import": "import {M}\n\n",
    "import renamed": "import {M} as m\n\n",
    "looked up": "import importlib\n\nm = importlib.import_module('{M}')\n",
    "dunder": "m = __import__('{M}', fromlist=['x'])\n",
    "modules": "import sys\n\nm = sys.modules['{M}']\n",
    "another name": "import {M} as first\n\nm = first\n",
    "in a loop": "import {M} as first\n\nfor m in (first,):\n    pass\n",
    "from": "from {P} import {L} as m\n\n",
}
SETS = {
    "attribute": "{C}.{N} = mine",
    "annotated": "{C}.{N}: object = mine",
    "unpacked": "{C}.{N}, x = mine, 3",
    "loop": "for {C}.{N} in (mine,):\n    pass",
    "with": "with open('x') as {C}.{N}:\n    pass",
    "added": "{C}.{N} += mine",
    "deleted": "del {C}.{N}",
    "in a function": "def start():\n    {C}.{N} = mine\n\n\nstart()",
    "in a class": "class K:\n    def start(self):\n        {C}.{N} = mine",
    "of a parameter": "def start(c):\n    c.{N} = mine\n\n\nstart({C})",
    "renamed": "k = {C}\nk.{N} = mine",
    "of a name that is given": "def put(c, n, v):\n    setattr(c, n, v)\n\n\n"
    "put({C}, '__doc__', 3)\nput({C}, '{N}', mine)",
    "within what is given back": "def put(c, n):\n    def made(v):\n        setattr(c, n, v)\n        return v\n\n"
    "    return made\n\n\n@put({C}, '{N}')\ndef other(*x):\n    return x",
    "of a name that is another": "def put(c, n, v):\n    n = '{N}'\n    setattr(c, n, v)\n\n\n"
    "put({C}, '__doc__', mine)",
    "setattr": "setattr({C}, '{N}', mine)",
    "delattr": "delattr({C}, '{N}')",
    "dunder": "{C}.__setattr__('{N}', mine)",
    "of object": "object.__setattr__({C}, '{N}', mine)",
    "dict": "{C}.__dict__['{N}'] = mine",
    "dict update": "{C}.__dict__.update({N}=mine)",
    "vars": "vars({C})['{N}'] = mine",
    "vars update": "vars({C}).update({{'{N}': mine}})",
    "computed": "for name in ('{N}',):\n    setattr({C}, name, mine)",
    "patch": "from unittest import mock\n\nmock.patch.object({C}, '{N}', mine).start()",
    "patch decorator": "from unittest.mock import patch\n\n\n@patch.object({C}, '{N}', mine)\ndef f():\n    pass",
    "monkeypatch": "def test_it(monkeypatch):\n    monkeypatch.setattr({C}, '{N}', mine)",
    "wrapped": "import wrapt\n\nwrapt.wrap_function_wrapper({C}, '{N}', mine)",
    "run": "exec('{C}.{N} = mine')",
}
PATHS = {
    "patch": "from unittest import mock\n\nmock.patch('{F}', mine).start()",
    "monkeypatch": "def test_it(monkeypatch):\n    monkeypatch.setattr('{F}', mine)",
    "wrapped": "import wrapt\n\nwrapt.wrap_function_wrapper('{M}', '{R}', mine)",
    "wraps": "import wrapt\n\n\n@wrapt.patch_function_wrapper('{M}', '{R}')\ndef f(w, i, a, k):\n    return w(*a, **k)",
}
ITEMS = {
    "a dict of the compiler": "import triton.compiler.code_generator as g"
    "\n\ng.CodeGenerator.builtin_namespace['range'] = mine",
    "another of it": "from triton.compiler.code_generator import CodeGenerator as C"
    "\n\nC.statically_implemented_functions.clear()",
    "types": "import triton.language as tl\n\ntl.dtype.FP_TYPES.append('fp2')",
    "types renamed": "from triton.language.core import dtype\n\nd = dtype.SINT_TYPES\nd.reverse()",
    "lines of files": "import linecache\n\nlinecache.cache[__file__] = (1, None, ['x'], __file__)",
    "lines of a function's file": "import linecache\n\nname = mine.__code__.co_filename\n"
    "linecache.cache[name] = (1, None, ['x'], name)",
    "all lines": "import linecache\n\n\ndef lines(name, names=None):\n    return ['x']\n\n\nlinecache.getlines = lines",
    "lines updated": "import linecache\n\nlinecache.cache.update(found)",
    "a module": "import sys\n\nsys.modules['inspect'] = mine",
    "Python's names": "__builtins__['range'] = mine",
    "Python's names as a module": "__builtins__.range = mine",
    "by addresses": "import ctypes\n\nctypes.memmove(id(mine), id(triton), 8)",
    "an integer": "import ctypes\n\nctypes.c_long.from_address(id(16) + 24).value = 4",
    "what may not be set": "from forbiddenfruit import curse\n\ncurse(int, '__add__', mine)",
}
KEEPS = {
    "prints": "import builtins\n\nbuiltins.print = mine",
    "a name of its own": "import builtins\n\nbuiltins._ = mine",
    "streams": "import sys\n\nsys.stdout = mine\nsys.argv = []\nsys.path.append('x')",
    "warnings": "import warnings\n\nwarnings.showwarning = mine",
    "the environment": "import os\n\nos.environ['X'] = '3'",
    "an old name": "import inspect\n\ninspect.getargspec = mine",
    "a module that is not there": "import sys\nimport triton.language as tl\n\n"
    "tl.extra.mine = sys.modules['triton.language.extra.mine'] = mine",
    "a name that is given": "import inspect\n\n\ndef put(c, n):\n    def made(v):\n        setattr(c, n, v)\n"
    "        return v\n\n    return made\n\n\n@put(inspect, 'getargspec')\ndef old(*x):\n    return x",
    "copies": "import copy\n\ncopy._deepcopy_dispatch[dict] = mine\n\n\ndef test_it(monkeypatch):\n"
    "    monkeypatch.setattr(copy, 'deepcopy', mine)",
    "an import": "import importlib\n\n\ndef test_it(monkeypatch):"
    "\n    monkeypatch.setattr(importlib, 'import_module', mine)",
    "a path": "import pathlib\n\npathlib.Path.mine = mine",
    "JSON": "import json\n\njson.JSONEncoder.default = mine",
    "an object's": "class K:\n    def __init__(self, o):\n        self.parse = o"
    "\n        o.cache = o\n        o.params = 3",
    "launches": "import triton\n\ntriton.Config.mine = mine\ntriton.runtime.driver.active = mine\ntriton.knobs.x.y = 3",
    "another's": "import inspect\n\n\ndef f(x):\n    x.parse = inspect.getsource(x)"
    "\n    x.signature = inspect.signature(x)",
    "asks": "import inspect\n\nx = [inspect.getsource, inspect]\nprint(inspect, vars(inspect))",
    "derives": "import ast\n\n\nclass V(ast.NodeVisitor):\n    def visit_Name(self, node):\n        node.id = 'x'",
    "a tree": "import ast\n\nt = ast.parse('x')\nt.body[0].value = ast.Name('y')\nt.body.append(3)",
    "lines of its own": "import linecache\n\nname = f'<made {mine}>'\nlinecache.cache[name] = (1, None, ['x'], name)",
    "lines of a table": "import linecache\n\nfound, old = {}, None\n\n\ndef lines(name, names=None):\n"
    "    if name in found:\n        return found[name]\n    return old_getlines(name, names)\n\n\n"
    "old_getlines = linecache.getlines\nlinecache.getlines = lines\nlinecache.getlines = old_getlines",
    "a pattern": "import re\n\np = re.compile('x')\np.sub('', 'y')\nx = {}\nx[re.sub('a', '', 'b')] = 3",
    "a copy": "import copy\nimport functools\n\nx = copy.copy([])\nx.append(3)"
    "\ny = functools.partial(f)\ny.keywords['x'] = 3",
    "a class's method": "import collections\n\nx = collections.OrderedDict()\n"
    "collections.OrderedDict.__setitem__(x, 'y', 3)",
    "sorted": "import triton.language as tl\n\n\ndef f(x):\n    y = tl.sort(x)\n    return y",
    "lines forgotten": "import linecache\n\nlinecache.cache.pop('x', None)\nlinecache.cache.clear()",
    "calls": "import triton\n\ntriton.runtime.JITFunction.__call__ = mine",
    "a cache": "import functools\n\n\n@functools.lru_cache\ndef f():\n    pass\n\n\nf.mine = 3",
    "an enum's": "import enum\n\n\nclass E(enum.Enum):\n    A = 1\n\n\nE.A.mine = 3",
}
AGAIN = "import builtins\n\nold = builtins.isinstance\n\n\n"
SAME = {
    "put back": AGAIN + "builtins.isinstance = old",
    "handed on": AGAIN + "def put():\n    from vllm.layers import LinearBase\n\n    def asked(obj, cls):\n"
    '        """For layers."""\n        if cls is LinearBase:\n            return old(obj, put)\n'
    "        return old(obj, cls)\n\n    builtins.isinstance = asked\n\n\nput()",
    "handed on as it comes": AGAIN + "def asked(*args, **more):\n    return old(*args, **more)\n\n\n"
    "builtins.isinstance = asked",
}
"""What is the same function again."""
ANOTHER = {
    "of Python's": ("C = int", "if b is C:\n        return False", "old(a, b)"),
    "of Triton's": ("from triton.language import tensor as C", "if b is C:\n        return False", "old(a, b)"),
    "of its own": ("class C:\n    pass", "if b is C:\n        return False", "old(a, b)"),
    "or another": ("try:\n    from vllm import C\nexcept ImportError:\n    C = int", "if b is C:\n        return False",
                   "old(a, b)"),
    "not that": ("from vllm import C", "if b is not C:\n        return False", "old(a, b)"),
    "equal": ("from vllm import C", "if b == C:\n        return False", "old(a, b)"),
    "else": ("from vllm import C", "if b is C:\n        return 3\n    else:\n        return 4", "old(a, b)"),
    "what was made": ("from vllm import C", "b = C", "old(a, b)"),
    "in between": ("from vllm import C", "if b is C:\n        a = b", "old(a, b)"),
    "the other way round": ("C = 3", "pass", "old(b, a)"),
    "less": ("C = 3", "'x'", "old(a, a)"),
    "not": ("C = 3", "'x'", "not old(a, b)"),
    "another's": ("C = 3", "'x'", "builtins.issubclass(a, b)"),
    "bound again": ("C = 3\nold = issubclass", "'x'", "old(a, b)"),
    "a constant": ("C = 3", "'x'", "True"),
    "added to": ("from vllm import C\nC |= int", "if b is C:\n        return False", "old(a, b)"),
    "bound elsewhere": ("from vllm import C\n\n\ndef f():\n    global C\n    C = int", "if b is C:\n        return 0",
                        "old(a, b)"),
    "set by its name": ("from vllm import C\nglobals()['C'] = int", "if b is C:\n        return 0", "old(a, b)"),
    "another by its name": ("vars()['old'] = mine", "'x'", "old(a, b)"),
    "of a star": ("from vllm import *", "if b is C:\n        return 0", "old(a, b)"),
    "of a package that is here": ("from kernels import helper as C", "if b is C:\n        return 0", "old(a, b)"),
    "another's code": ("def f():\n    asked.__code__ = mine.__code__", "'x'", "old(a, b)"),
    "another's cell": ("def f():\n    asked.__closure__[0].cell_contents = mine", "'x'", "old(a, b)"),
}  # fmt: skip
PARTS = {
    "a parameter": "{K}.params[1]._param = {K}.params[0]._param",
    "a parameter renamed": "p = {K}.params[1]\np._param = 3",
    "each parameter": "for p in {K}.params:\n    p.is_constexpr = True",
    "the parameters": "{K}.params[0] = {K}.params[1]",
    "more parameters": "{K}.params.append(3)",
    "turned round": "ps = {K}.params\nps.reverse()",
    "by a text": "setattr({K}.params[1], '_param', 3)",
    "of object": "object.__setattr__({K}.params[1], '_param', 3)",
    "in the dict": "vars({K}.params[1])['_param'] = 3",
    "in the dict anew": "{K}.params[1].__dict__.update(_param=3)",
    "in a function": "def f(p):\n    p._param = 3\n\n\nf({K}.params[1])",
    "taken": "p = getattr({K}, 'params')[0]\np._param = 3",
    "a default": "{K}.signature.parameters['y']._default = 4",
    "names": "{K}.arg_names.reverse()",
    "a name": "{K}.arg_names[0] = 'y'",
    "all parameters": "{K}.params = []",
    "constants": "{K}.constexprs = [0]",
    "its function's": "{K}.fn.__annotations__['x'] = 3",
}
KEEPS_PARTS = {
    "reads": "print({K}.params[0].name, {K}.arg_names, {K}.signature)",
    "takes": "names = [p.name for p in {K}.params]\nnames.append('x')",
    "launches": "{K}.run = 3\n{K}.pre_run_hooks.append(3)\n{K}.device_caches.clear()",
    "another's": "class M:\n    pass\n\n\nm = M()\nm.params = [3]\nm.params[0] = 4\nm.params.append(3)",
}
MINE = "import triton\n\n\ndef mine(x, y=None, z=None):\n    return x\n\n\n"
KERNEL = """
import triton
import triton.language as tl


@triton.jit
def helper(x, y=0):
    return tl.load(x) + y


@triton.jit
def kernel(a_ptr, b_ptr, n, BLOCK: tl.constexpr = 16):
    for i in range(n):
        tl.store(b_ptr + i, helper(a_ptr + tl.arange(0, triton.next_power_of_2(BLOCK)), 2))
"""


def changed(folder: Path, text: str, place: str) -> bool:
    """Whether the kernel is not taken to be compiled from its text by the installed Triton."""
    whole = f"{MINE}{text}\n"
    (folder / "kernels.py").write_text(f"{KERNEL}\n\n{whole}" if place == "own" else KERNEL, encoding="utf-8")
    if place != "own":
        (folder / "sets.py").write_text(whole, encoding="utf-8")
    project = Project([str(folder)], [SITE], patient=True)
    function = next(f for f in project.module(str(folder / "kernels.py")).functions if f.name == "kernel")
    try:
        made = cut(project, function)
    except NotCut:
        return True
    return made.language_changed is not None or any(f.varies for f in made.functions)


def _text(has: str, what: str, sets: str) -> str:
    module, inner, name = WHAT[what]
    parent, _, last = module.rpartition(".")
    c = ".".join(filter(None, (module if has == "import" else "m", inner)))
    return HAS[has].format(M=module, P=parent, L=last) + SETS[sets].format(C=c, N=name)


def _is_said(has: str, what: str, sets: str) -> bool:
    """Whether a text can say that: what is in no package is not imported from one, and of a text that is run only what
    its imports name counts."""
    in_package = has != "from" or "." in WHAT[what][0]
    return in_package and (sets != "run" or has not in ("in a loop", "another name", "looked up", "dunder", "modules"))


@pytest.mark.parametrize(
    ("has", "what", "sets", "place"),
    part(ways for ways in itertools.product(HAS, WHAT, SETS, ("own", "other")) if _is_said(*ways[:3])),
)
def test_what_is_set(has: str, what: str, sets: str, place: str, tmp_path: Path) -> None:
    assert changed(tmp_path, _text(has, what, sets), place)


@pytest.mark.parametrize(("what", "path", "place"), product(WHAT, PATHS, ("own", "other")))
def test_what_a_path_says(what: str, path: str, place: str, tmp_path: Path) -> None:
    module, inner, name = WHAT[what]
    rest = ".".join(filter(None, (inner, name)))
    assert changed(tmp_path, PATHS[path].format(F=f"{module}.{rest}", M=module, R=rest), place)


@pytest.mark.parametrize(("items", "place"), product(ITEMS, ("own", "other")))
def test_what_is_in_it(items: str, place: str, tmp_path: Path) -> None:
    assert changed(tmp_path, ITEMS[items], place)


@pytest.mark.parametrize(("keeps", "place"), product(KEEPS, ("own", "other")))
def test_what_no_compile_reads(keeps: str, place: str, tmp_path: Path) -> None:
    assert not changed(tmp_path, KEEPS[keeps], place)


@pytest.mark.parametrize(("same", "place"), product(SAME, ("own", "other")))
def test_what_is_the_same_again(same: str, place: str, tmp_path: Path) -> None:
    assert not changed(tmp_path, SAME[same], place)


@pytest.mark.parametrize(("another", "place"), product(ANOTHER, ("own", "other")))
def test_what_hands_on_something_else(another: str, place: str, tmp_path: Path) -> None:
    first, test, gives = ANOTHER[another]
    text = f"{AGAIN}{first}\n\n\ndef asked(a, b):\n    {test}\n    return {gives}\n\n\nbuiltins.isinstance = asked"
    assert changed(tmp_path, text, place)


GOT = {
    "imported": "from kernels import {0}\n\n",
    "renamed": "from kernels import {0} as k\n\n",
    "of the module": "import kernels\n\nk = kernels.{0}\n",
}


@pytest.mark.parametrize(("part", "got", "which"), product(PARTS, GOT, ("kernel", "helper")))
def test_parts_of_a_jit_function(part: str, got: str, which: str, tmp_path: Path) -> None:
    name = which if got == "imported" else "k"
    assert changed(tmp_path, GOT[got].format(which) + PARTS[part].format(K=name), "other")
    assert changed(tmp_path, PARTS[part].format(K=which), "own")


@pytest.mark.parametrize(("part", "got", "which"), product(KEEPS_PARTS, GOT, ("kernel", "helper")))
def test_what_leaves_them(part: str, got: str, which: str, tmp_path: Path) -> None:
    name = which if got == "imported" else "k"
    assert not changed(tmp_path, GOT[got].format(which) + KEEPS_PARTS[part].format(K=name), "other")
    assert not changed(tmp_path, KEEPS_PARTS[part].format(K=which), "own")


def test_what_the_front_end_imports_is_on_a_list() -> None:
    """What a new Triton imports of Python's own is gone through, or reviewed."""
    home = Path(SITE) / "triton"
    files = ["_utils.py", "runtime/jit.py", "experimental/gluon/_runtime.py"]
    folders = ["language", "compiler", "experimental/gluon/language"]
    texts = [home / file for file in files] + [f for folder in folders for f in (home / folder).glob("*.py")]
    found: set[str] = set()
    for text in texts:
        for node in ast.walk(ast.parse(text.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add((node.module or "").partition(".")[0])
    assert found & sys.stdlib_module_names <= {*compiler_stores.OF_PYTHON, *compiler_stores.NOT_GONE_THROUGH}
