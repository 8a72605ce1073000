"""A jit function's name that a text names, set in a module that no name stands for: each way to have the module with
each way to set the name. What only has the text, or such a module, sets nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_projects import find

from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from products import product

KERNEL = """
import triton
import triton.language as tl


@triton.jit
def get(p):
    tl.load(p)


@triton.jit
def put(p):
    tl.store(p, 1.0)


@triton.constexpr_function
def size(n):
    return n


helper = get
again = size


@triton.jit
def kernel(a_ptr):
    helper(a_ptr)
    if again(2) == 3:
        put(a_ptr)
"""
GOT = {
    "of a function": "import sys\nfrom main import kernel\nm = sys.modules[kernel.__module__]",
    "of Python's function": "import sys\nfrom main import kernel\nm = sys.modules[kernel.fn.__module__]",
    "by a parameter": "import sys\n\n\ndef of(x):\n    return sys.modules[x]\n\n\nm = of('main')",
    "imported": "import importlib\nfrom main import kernel\nm = importlib.import_module(kernel.__module__)",
    "by Python's own": "from main import kernel\nm = __import__(kernel.__module__)",
    "inspected": "import inspect\nfrom main import kernel\nm = inspect.getmodule(kernel)",
    "resolved": "import pkgutil\nfrom main import kernel\nm = pkgutil.resolve_name(kernel.__module__)",
    "located": "import pydoc\nfrom main import kernel\nm = pydoc.locate(kernel.__module__)",
    "one of all": "import sys\nm = [*sys.modules.values()][-1]",
    "each": "import sys\n\nfor m in list(sys.modules.values()):\n    pass",
    "collected": "import gc\nm = next(o for o in gc.get_objects() if getattr(o, '__name__', '') == 'main')",
    "what refers": "import gc\nfrom main import kernel\nm = gc.get_referrers(kernel)[0]",
}
SETS = {
    "plainly": "m.{name} = m.put",
    "by a text": "setattr(m, '{name}', m.put)",
    "in its dict": "m.__dict__['{name}'] = m.put",
    "in its vars": "vars(m)['{name}'] = m.put",
    "at once": "vars(m).update({name}=m.put)",
    "run": "exec('{name} = put', m.__dict__)",
    "by a method": "m.__dict__.__setitem__('{name}', m.put)",
    "by a dict": "m.__dict__.update({{'{name}': m.put}})",
    "held": "d = m.__dict__\nd['{name}'] = m.put",
    "taken": "getattr(m, '__dict__')['{name}'] = m.put",
    "by an operator": "import operator\n\noperator.setitem(vars(m), '{name}', m.put)",
    "by each": "for n in ['{name}']:\n    setattr(m, n, m.put)",
    "bound": "(d := m.__dict__).update({name}=m.put)",
}
KEEPS = {
    "its own": "class C:\n    def __init__(self, **given):\n        for name, value in given.items():\n"
    "            setattr(self, name, value)\n\n\nC({name}=1)",
    "a dict's": "d = {{}}\nd.update({name}=1)\nprint(vars(m))",
    "asked": "print(getattr(m, '{name}', None), hasattr(m, '{name}'), vars(m)['{name}'])",
}


def _varies(folder: Path, other: str, name: str) -> bool:
    (folder / "main.py").write_text(KERNEL, encoding="utf-8")
    (folder / "other.py").write_text(other, encoding="utf-8")
    project = Project([str(folder)], [], patient=True)
    return name in cut(project, find(project, folder / "main.py", "kernel")).functions[0].varies


@pytest.mark.parametrize(("got", "sets", "name"), product(GOT, SETS, ("helper", "again")))
def test_what_is_set(got: str, sets: str, name: str, tmp_path: Path) -> None:
    assert _varies(tmp_path, f"{GOT[got]}\n{SETS[sets].format(name=name)}\n", name)


@pytest.mark.parametrize("keeps", KEEPS)
@pytest.mark.parametrize("got", ["of a function", "inspected", "each"])
def test_what_is_not(got: str, keeps: str, tmp_path: Path) -> None:
    assert not _varies(tmp_path, f"{GOT[got]}\n{KEEPS[keeps].format(name='helper')}\n", "helper")
