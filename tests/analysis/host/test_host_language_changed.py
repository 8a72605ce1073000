"""What host code sets in Triton's language: every way to have the module with every way to set a name of it, in the
kernel's file and in another. Whatever stands there then may write through what it is given."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from products import product

HAS = {
    "import": "import triton.language as c\n",
    "from": "from triton import language as c\n",
    "of triton": "import triton\n\nc = triton.language\n",
    "of triton renamed": "import triton as t\n\nc = t.language\n",
    "looked up": "import importlib\n\nc = importlib.import_module('triton.language')\n",
    "half a text": "import importlib\n\nc = importlib.import_module('triton.' + 'language')\n",
    "dunder": "c = __import__('triton.language').language\n",
    "modules": "import sys\n\nc = sys.modules['triton.language']\n",
    "modules named": "import sys\n\nname = 'triton.language'\nc = sys.modules[name]\n",
    "getattr": "import triton\n\nc = getattr(triton, 'language')\n",
    "dict": "import triton\n\nc = vars(triton)['language']\n",
    "dunder dict": "import triton\n\nc = triton.__dict__['language']\n",
    "of another file": "from other import tl as c\n",
    "of a star": "from other import *\n\nc = tl\n",
    "of another file's": "import other\n\nc = other.tl\n",
    "in a list": "import triton.language as tl\n\nc = [tl][0]\n",
    "in a tuple": "import triton.language as tl\n\n(c, *_) = (tl,)\n",
    "in a class": "import triton.language as tl\n\n\nclass K:\n    lang = tl\n\n\nc = K.lang\n",
    "in an object": "import types\nimport triton.language as tl\n\nk = types.SimpleNamespace(lang=tl)\nc = k.lang\n",
    "loop": "import triton.language as tl\n\nfor c in (tl,):\n    pass\n",
    "given back": "import triton.language as tl\n\n\ndef give():\n    return tl\n\n\nc = give()\n",
    "chosen": "import os\nimport triton.language as tl\n\nc = tl if os.environ.get('X') else tl\n",
    "globals": "import triton.language as tl\n\nc = globals()['tl']\n",
    "a function's module": "import sys\nimport triton.language as tl\n\nc = sys.modules[tl.__name__]\n",
    "through many functions": "import triton.language as tl\n\n\ndef f0():\n    return tl\n\n\n"
    + "".join(f"def f{n + 1}():\n    return f{n}()\n\n\n" for n in range(90))
    + "c = f90()\n",
    "by a library's function": "import operator\nimport triton.language as tl\n\nc = operator.itemgetter(0)([tl])\n",
    "by a library's function of a text": "import pydoc\n\nc = pydoc.locate('triton.language')\n",
    "again": "import importlib\nimport triton.language as tl\n\nc = importlib.reload(tl)\n",
    "held": "import triton.language as tl\n\nlangs = {}\nlangs['tl'] = tl\nc = langs['tl']\n",
}
"""Each gives the module as ``c``."""
PUT = (
    "import importlib\n\n\ndef put(path, value):\n    owner, _, name = path.rpartition('.')\n"
    "    setattr(importlib.import_module(owner), name, value)\n\n\n"
)
SITE = next(path for path in sys.path if path.endswith("site-packages"))
SETS = {
    "attribute": "c.max_contiguous = mine",
    "annotated": "c.max_contiguous: object = mine",
    "unpacked": "c.max_contiguous, x = mine, 3",
    "loop": "for c.max_contiguous in (mine,):\n    pass",
    "in a function": "def start():\n    c.max_contiguous = mine\n\n\nstart()",
    "of a parameter": "def start(lang):\n    lang.max_contiguous = mine\n\n\nstart(c)",
    "of a parameter by a text": "def start(lang, name):\n    setattr(lang, name, mine)\n\n\nstart(c, 'max_contiguous')",
    "renamed": "k = c\nk.max_contiguous = mine",
    "setattr": "setattr(c, 'max_contiguous', mine)",
    "setattr renamed": "put = setattr\nput(c, 'max_contiguous', mine)",
    "dunder": "c.__setattr__('max_contiguous', mine)",
    "of object": "object.__setattr__(c, 'max_contiguous', mine)",
    "computed": "for name in ('max_contiguous',):\n    setattr(c, name, mine)",
    "put together": "setattr(c, 'max' + '_contiguous', mine)",
    "from elsewhere": "import os\n\nsetattr(c, os.environ['WHAT'], mine)",
    "dict": "c.__dict__['max_contiguous'] = mine",
    "dict update": "c.__dict__.update(max_contiguous=mine)",
    "vars": "vars(c)['max_contiguous'] = mine",
    "vars update": "vars(c).update({'max_contiguous': mine})",
    "all of a dict": "ours = {'max_contiguous': mine}\nvars(c).update(ours)",
    "patch": "from unittest import mock\n\nmock.patch.object(c, 'max_contiguous', mine).start()",
    "patch path": "from unittest import mock\n\nmock.patch('triton.language.max_contiguous', mine).start()",
    "monkeypatch": "def test_it(monkeypatch):\n    monkeypatch.setattr(c, 'max_contiguous', mine)",
    "monkeypatch path": "def test_it(monkeypatch):\n    monkeypatch.setattr('triton.language.max_contiguous', mine)",
    "path": f"{PUT}put('triton.language.max_contiguous', mine)",
    "path handed on": f"{PUT}def first(path):\n    put(path, mine)\n\n\nfirst('triton.language.max_contiguous')",
    "path to elsewhere": "from patches import put\n\nput('triton.language.max_contiguous', mine)",
    "path handed to elsewhere": "import patches\n\n\ndef put(path):\n    patches.put(path, mine)\n\n\n"
    "put('triton.language.max_contiguous')",
    "path of a method": "import importlib\n\n\nclass K:\n    def put(self, path):\n        owner = path[:15]\n"
    "        importlib.import_module(owner).max_contiguous = mine\n\n    def go(self):\n"
    "        self.put('triton.language.max_contiguous')\n\n\nK().go()",
    "run": "exec('c.max_contiguous = mine')",
    "where it is there": "if hasattr(c, 'max_contiguous'):\n    c.max_contiguous = mine",
}
INDIRECT = (
    "half a text", "dunder", "modules named", "getattr", "dict", "dunder dict", "in a class", "in an object", "globals",
    "a function's module", "by a library's function", "by a library's function of a text", "again",
)  # fmt: skip
"""Of these it is not told whether they give the module, or something in it."""
COMPUTED = (
    "path", "path handed on", "path of a method",
    "of a parameter by a text", "setattr renamed", "computed", "put together", "from elsewhere", "all of a dict"
)  # fmt: skip
"""Of these it is not told which name they set."""
INSIDE = {
    "operator": "c.tensor.__add__ = mine",
    "operator renamed": "T = c.tensor\nT.__add__ = mine",
    "operator by a text": "setattr(c.tensor, '__add__', mine)",
    "operators": "for name in ('add', 'radd'):\n    setattr(c.tensor, f'__{name}__', mine)",
    "method": "c.tensor.to = mine",
    "core": "c.core.load = mine",
    "core imported": "from triton.language import core\n\ncore.reduce = mine",
    "core by a text": "import importlib\n\nimportlib.import_module('triton.language.core').load = mine",
    "core of modules": "import sys\n\nsys.modules['triton.language.core'].load = mine",
    "standard": "import triton.language.standard as s\n\ns._sum_combine = mine",
    "semantic": "from triton.language.semantic import TritonSemantic\n\nTritonSemantic.add = mine",
    "semantic's module": "import triton.language.semantic as s\n\ns.TritonSemantic = mine",
    "compiler": "from triton.compiler.code_generator import CodeGenerator\n\nCodeGenerator.visit_BinOp = mine",
    "tensor itself": "c.tensor = mine",
    "range": "c.range = mine",
    "core's dict": "vars(c.core).update(load=mine)",
    "patched": "from unittest import mock\n\nmock.patch('triton.language.core.load', mine).start()",
    "patched operator": "from unittest import mock\n\nmock.patch.object(c.tensor, '__add__', mine).start()",
    "given": "@c.core._tensor_member_fn\n@triton.jit\ndef to(self, dtype):\n    return mine(self)",
}
"""What any kernel may go through, whatever it names."""
FRONT = {
    "parse": "triton.JITFunction.parse = mine",
    "source": "triton.runtime.JITFunction.src = property(mine)",
    "source of the base": "from triton.runtime.jit import JITCallable\n\nJITCallable.src = property(mine)",
    "parse by a text": "setattr(triton.runtime.jit.JITFunction, 'parse', mine)",
    "parse by any": "import os\n\nsetattr(triton.JITFunction, os.environ['WHAT'], mine)",
    "parse renamed": "from triton import JITFunction as J\n\nK = J\nK.parse = mine",
    "parse patched": "from unittest import mock\n\nmock.patch.object(triton.JITFunction, 'parse', mine).start()",
    "parse by a path": "from unittest import mock\n\nmock.patch('triton.runtime.jit.JITFunction.parse', mine).start()",
    "of its class": "type(mine).parse = lambda function: None",
    "of what Python runs": "@triton.constexpr_function\ndef f():\n    return 0\n\n\ntype(f).__call__ = lambda g: 1",
    "of its dunder class": "mine.__class__.parse = lambda function: None",
    "what it asks for": "triton.JITFunction.__getattribute__ = lambda function, name: None",
    "its names": "triton.runtime.jit.JITCallable.get_capture_scope = lambda function: {}",
    "what a parameter has": "from triton.runtime.jit import KernelParam\n\nKernelParam.default = 3",
    "what Python runs": "from triton.runtime.jit import ConstexprFunction\n\nConstexprFunction.__call__ = mine",
    "source of a compile": "from triton.compiler import ASTSource\n\nASTSource.make_ir = mine",
    "another for it": "import triton.compiler.compiler as c\n\nc.ASTSource = mine",
    "another class": "import triton.runtime.jit as j\n\nj.JITFunction = mine",
}
"""What a kernel's text is in and handed on by."""
LAUNCHES = {
    "run": "triton.JITFunction.run = mine",
    "what runs": "from triton.runtime.jit import JITFunction\n\nJITFunction.__getitem__ = mine",
    "calls": "triton.JITFunction.__call__ = mine",
    "compiles one": "triton.JITFunction._do_compile = mine",
    "hooks": "triton.runtime.jit.JITFunction.add_pre_run_hook = mine",
    "a hook": "triton.JITFunction.cache_hook = mine",
    "compiles": "import triton.compiler.compiler as c\n\nc.compile = mine",
    "an object's": "class K:\n    def __init__(self):\n        self.src = 3\n        self.parse = mine",
    "something's": "import json\n\n\ndef put(x):\n    x.src = json\n    x.parse = json",
    "a parser's": "import argparse\n\np = argparse.ArgumentParser()\np.parse = p.parse_args\np.src = 3",
    "asks": "print(triton.JITFunction.parse)",
}
ALL = {
    "language": "import triton\n\ntriton.language = mine",
    "language by a text": "import triton\n\nsetattr(triton, 'language', mine)",
}
KEEPS = {
    "reads": "x = c.max_contiguous",
    "asks": "hasattr(c, 'max_contiguous')",
    "another": "c.debug_barrier = mine",
    "new": "c.mine = mine",
    "new method": "c.tensor.mine_alone = mine",
    "where it is missing": "if not hasattr(c, 'max_contiguous'):\n    c.max_contiguous = mine",
    "where it is missing by a text": "if not hasattr(c, 'max_contiguous'):\n    setattr(c, 'max_contiguous', mine)",
    "where it can't be had": "try:\n    c.max_contiguous\nexcept AttributeError:\n    c.max_contiguous = mine",
    "where asked for": "if getattr(c, 'max_contiguous', None) is None:\n    c.max_contiguous = mine",
    "otherwise": "if hasattr(c, 'max_contiguous'):\n    pass\nelse:\n    c.max_contiguous = mine",
    "an object's": "class K:\n    def __init__(self):\n        self.max_contiguous = mine",
    "a path that is told": "class K:\n    def note(self, path):\n        self.seen[path] = f'{path}()'\n"
    "        return path\n\n    def go(self):\n        return self.note('triton.language.max_contiguous')",
    "a tuner's": "import triton\n\ntriton.autotune = mine",
}
MINE = "import triton\n\n\n@triton.jit\ndef mine(x, y=None, z=None):\n    return x\n\n\n"
KERNEL = """
import triton
import triton.language as tl


@triton.jit
def kernel(a_ptr, b_ptr):
    v = tl.load({ADDRESS})
    tl.store(b_ptr + tl.arange(0, 16), v)
"""
ADDRESS = "tl.max_contiguous(a_ptr + tl.arange(0, 16), 16)"
PLAIN = "a_ptr + tl.arange(0, 16)"


def changed(folder: Path, has: str, sets: str, place: str, address: str = ADDRESS) -> bool:
    """Whether the kernel is not taken to be written with the installed language."""
    text = f"{has}{MINE}{sets}\n"
    kernel = KERNEL.replace("{ADDRESS}", address)
    (folder / "other.py").write_text("import triton.language as tl\n", encoding="utf-8")
    (folder / "kernels.py").write_text(f"{text}\n{kernel}" if place == "own" else kernel, encoding="utf-8")
    if place != "own":
        (folder / "sets.py").write_text(text, encoding="utf-8")
    project = Project([str(folder)], [SITE], patient=True)
    function = next(f for f in project.module(str(folder / "kernels.py")).functions if f.name == "kernel")
    made = cut(project, function)
    return made.language_changed is not None or bool({"tl", "triton"} & {*made.functions[0].varies})


@pytest.mark.parametrize(("has", "sets", "place"), product(HAS, SETS, ("own", "other")))
def test_a_name_that_is_set_is_seen(has: str, sets: str, place: str, tmp_path: Path) -> None:
    assert changed(tmp_path, HAS[has], SETS[sets], place), (has, sets)


@pytest.mark.parametrize(("sets", "place"), product(INSIDE, ("own", "other")))
def test_what_triton_goes_through_is_seen_by_every_kernel(sets: str, place: str, tmp_path: Path) -> None:
    assert changed(tmp_path, HAS["import"], INSIDE[sets], place, PLAIN), sets


@pytest.mark.parametrize(("sets", "place"), product(FRONT, ("own", "other")))
def test_what_hands_kernels_to_the_compiler_is_seen_by_all(sets: str, place: str, tmp_path: Path) -> None:
    assert changed(tmp_path, "import triton\n", FRONT[sets], place, PLAIN), sets


@pytest.mark.parametrize(("sets", "place"), product(LAUNCHES, ("own", "other")))
def test_what_launches_them_costs_nothing(sets: str, place: str, tmp_path: Path) -> None:
    assert not changed(tmp_path, "import triton\n", LAUNCHES[sets], place, PLAIN), sets


@pytest.mark.parametrize("sets", ["triton.cdiv = mine", "setattr(triton, 'next_power_of_2', mine)"])
@pytest.mark.parametrize("place", ["own", "other"])
def test_what_kernels_take_of_triton_itself(sets: str, place: str, tmp_path: Path) -> None:
    address = "a_ptr + tl.arange(0, triton.next_power_of_2(triton.cdiv(16, 1)))"
    (tmp_path / "here").mkdir()
    assert changed(tmp_path / "here", "import triton\n", sets, place, address)
    (tmp_path / "not").mkdir()
    assert not changed(tmp_path / "not", "import triton\n", "x = triton.cdiv", place, address)


@pytest.mark.parametrize(("sets", "place"), product(ALL, ("own", "other")))
def test_a_language_that_is_another_is_seen(sets: str, place: str, tmp_path: Path) -> None:
    assert changed(tmp_path, HAS["import"], ALL[sets], place, PLAIN), sets


@pytest.mark.parametrize(("has", "keeps", "place"), product(sorted({*HAS} - {*INDIRECT}), KEEPS, ("own", "other")))
def test_what_sets_nothing_costs_nothing(has: str, keeps: str, place: str, tmp_path: Path) -> None:
    assert not changed(tmp_path, HAS[has], KEEPS[keeps], place), (has, keeps)


@pytest.mark.parametrize(("sets", "place"), product(sorted({*SETS} - {*COMPUTED}), ("own", "other")))
def test_a_kernel_that_takes_another_name_is_proven(sets: str, place: str, tmp_path: Path) -> None:
    assert not changed(tmp_path, HAS["import"], SETS[sets], place, PLAIN), sets


@pytest.mark.parametrize(("has", "place"), product(("import", "from", "of another file"), ("own", "other")))
def test_what_functions_are_given_is_no_language_where_that_goes_nowhere(has: str, place: str, tmp_path: Path) -> None:
    assert not changed(tmp_path, HAS[has], "def forward(ctx, x):\n    ctx.max_contiguous = x", place)


MANY = "".join(f"def f{n + 1}(owner, name):\n    f{n}(owner, name)\n\n\n" for n in range(90))


@pytest.mark.parametrize(
    "given",
    ["[1, 2]", "dist.get_world_size()", "dist.new_group()", "os.environ.get('X', '').lower()", "logging.getLogger('')"],
)
@pytest.mark.parametrize("place", ["own", "other"])
def test_what_goes_far_and_is_no_language_costs_nothing(given: str, place: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    has = "import logging\nimport os\n\nimport torch.distributed as dist\nimport triton.language as tl\n\n\n"
    sets = f"def f0(owner, name):\n    setattr(owner, name, mine)\n\n\n{MANY}f90({given}, 'max_' + 'contiguous')"
    assert not changed(tmp_path, has, sets, place)
    assert changed(tmp_path, has, sets.replace(given, "tl"), place)
