"""What a launch passes where another file replaces something on the way: a method or an operator of tensors, Triton for
host code, a function's parts, torch by a mode that is entered. Each file is run with torch in a process of its own;
what is certain must be so before and after. Torch is in sight to the analysis, too, as where it is installed.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from host_launches import KERNEL, Kernel, wrong

from kernel_analysis.kernels.project import Project
from kernel_analysis.signature.launches import launched

torch = pytest.importorskip("torch")

INSTALLED = [path for path in sys.path if path.endswith("site-packages")]
HEAD = "import torch\nimport triton\n\n"


def passed(main: str, other: str) -> list[tuple[str, Any]]:
    """What ``x`` and ``n`` are at each launch: before ``other`` is run and after."""
    read, write = os.pipe()
    if not (child := os.fork()):  # what is replaced stays so
        seen: list[tuple[str, Any]] = []
        try:
            kernel, module = Kernel(), types.ModuleType("main")
            sys.modules["main"], module.__dict__["k"] = module, kernel
            exec(compile(HEAD + main, "main.py", "exec", dont_inherit=True), module.__dict__)  # the tests' own text
            module.__dict__["run"]()
            exec(compile(other, "other.py", "exec", dont_inherit=True), {"__name__": "other"})
            module.__dict__["run"]()
            seen = [(str(kind if isinstance(kind, torch.dtype) else kind.__name__), n) for kind, n in kernel.launches]
        finally:
            os.write(write, json.dumps(seen).encode())
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    found = [(kind, n) for kind, n in json.loads(text)]
    assert len(found) == 2, found
    return found


def held(folder: Path, main: str, other: str) -> None:
    launches = passed(main, other)
    assert launches[0] != launches[1], "nothing is replaced"
    for name, value in (("main", KERNEL.replace("import torch\n", HEAD.strip() + "\n") + main), ("other", other)):
        (folder / f"{name}.py").write_text(value, encoding="utf-8")
    project = Project([str(folder)], INSTALLED, patient=True)
    function = project.module(str(folder / "main.py")).functions[0]
    ((said),) = launched.arguments(project, function, project.launches_of(function))
    for kind, n in launches:
        real = getattr(torch, kind[6:]) if kind.startswith("torch.") else None
        assert not wrong(said["n"], n), (said["n"], launches)
        if real is not None:
            assert not wrong(said["x"], real), (said["x"], launches)
        else:
            assert not said["x"].sure or said["x"].varies or said["x"].kind != "tensor", (said["x"], launches)


RUN = "def run():\n    x = torch.zeros(2, 3)\n    k[(1,)]({x}, {n})\n"
ASKED = {
    "half": "x.half(), 1", "stride": "x, x.stride(0)", "numel": "x, x.numel()", "size": "x, x.size(1)",
    "dim": "x, x.dim()", "element_size": "x, x.element_size()", "__neg__": "-x, 1", "__add__": "x + 1, 1",
    "__rsub__": "1 - x, 1", "__eq__": "x == x, 1", "__getitem__": "x[0], 1", "__matmul__": "x @ x.t(), 1",
    "contiguous": "x.contiguous(), 1", "stride of another": "x, x.t().stride(0)",
}  # fmt: skip
STORES = {
    "plain": "import torch\n\ntorch.Tensor.{m} = new\n",
    "imported": "from torch import Tensor as T\n\nT.{m} = new\n",
    "setattr": "import torch\n\nsetattr(torch.Tensor, '{m}', new)\n",
    "in a loop": "import torch\n\nfor name in ('{m}',):\n    setattr(torch.Tensor, name, new)\n",
    "of an object": "import torch\n\ntype(torch.zeros(1)).{m} = new\n",
    "of a base": "import torch\n\n\nclass M(torch.Tensor):\n    pass\n\n\nM.__base__.{m} = new\n",
    "with others": "import torch\n\ntorch.Tensor.{m} = torch.Tensor.frob = new\n",
}


@pytest.mark.parametrize(("asked", "store"), [*itertools.product(ASKED, STORES)])
def test_a_method_or_an_operator_of_tensors(asked: str, store: str, tmp_path: Path) -> None:
    x, n = ASKED[asked].rsplit(", ", 1)
    other = f"def new(*args):\n    return 2.5\n\n\n{STORES[store].format(m=asked.partition(' ')[0])}"
    held(tmp_path, RUN.format(x=x, n=n), other)


STATED = (
    "import types\n\nimport main\n\nnew = types.SimpleNamespace(cdiv=lambda *a: 2.5, next_power_of_2=lambda n: 7)\n"
)
IN_PLACE = {
    "plain": "main.triton = new\n",
    "setattr": "setattr(main, 'triton', new)\n",
    "dict": "vars(main).update(triton=new)\n",
}
COMPUTED = ["triton.cdiv(5, 2)", "triton.next_power_of_2(6)", "min(1024, triton.next_power_of_2(6))"]


@pytest.mark.parametrize(("place", "computed"), [*itertools.product(IN_PLACE, COMPUTED)])
def test_triton_as_host_code_computes_with_it(place: str, computed: str, tmp_path: Path) -> None:
    held(tmp_path, RUN.format(x="x", n=computed), STATED + IN_PLACE[place])


FUNCTION = "def f(t, n=3):\n    return t.half(), n\n\n\ndef run():\n    x, n = f(torch.zeros(2))\n    k[(1,)](x, n)\n"
PARTS = {
    "defaults": "import main\n\nmain.f.__defaults__ = (2.5,)\n",
    "code": "import main\n\nmain.f.__code__ = (lambda t, n=3: (t.int(), 2.5)).__code__\n",
    "code, imported": "from main import f\n\nf.__code__ = (lambda t, n=3: (t.int(), 2.5)).__code__\n",
    "itself": "import main\n\nmain.f = lambda t, n=3: (t.int(), 2.5)\n",
}


@pytest.mark.parametrize("part", PARTS)
def test_parts_of_a_function_that_is_called(part: str, tmp_path: Path) -> None:
    held(tmp_path, FUNCTION, PARTS[part])


MODE = """import torch
{imports}


class M({base}):
    def __{hook}__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {{}}))
        return made.double() if isinstance(made, torch.Tensor) and made.dtype is torch.float32 else made


M().__enter__()
"""
BASES = {
    "function": ("from torch.overrides import TorchFunctionMode as B", "B", "torch_function"),
    "function, whole": ("import torch.overrides", "torch.overrides.TorchFunctionMode", "torch_function"),
    "dispatch": ("from torch.utils._python_dispatch import TorchDispatchMode", "TorchDispatchMode", "torch_dispatch"),
    "own": ("from torch.overrides import TorchFunctionMode as T\n\n\nclass B(T):\n    pass", "B", "torch_function"),
}  # fmt: skip


@pytest.mark.parametrize("base", BASES)
def test_a_mode_that_is_entered(base: str, tmp_path: Path) -> None:
    imports, name, hook = BASES[base]
    held(tmp_path, RUN.format(x="x", n="1"), MODE.format(imports=imports, base=name, hook=hook))


def test_what_replaces_nothing_costs_nothing(tmp_path: Path) -> None:
    main = RUN.format(x="x.half()", n="x.stride(0)")
    others = "class A:\n    pass\n\n\nA.half = 3\n\n\nclass B:\n    def __init__(self, n):\n        self.stride = n\n"
    for name, value in (("main", KERNEL + main), ("other", others)):
        (tmp_path / f"{name}.py").write_text(value, encoding="utf-8")
    project = Project([str(tmp_path)], INSTALLED, patient=True)
    function = project.module(str(tmp_path / "main.py")).functions[0]
    ((said),) = launched.arguments(project, function, project.launches_of(function))
    assert (said["n"].kind, said["n"].sure, said["n"].varies) == ("int", True, False)
