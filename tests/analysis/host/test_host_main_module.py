"""``__main__`` is whichever file is run: what is set in it is set in any file of the workspace, however it is had."""

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


helper = get
KEEP = tl.constexpr(1)


@triton.jit
def kernel(a_ptr):
    helper(a_ptr)
    if KEEP == 2:
        put(a_ptr)
"""
GOT = {
    "imported": "import __main__\nm = __main__",
    "named so": "import __main__ as m",
    "imported among others": "import os, __main__, sys\nm = __main__",
    "in sight": "import sys\nm = sys.modules['__main__']",
    "taken": "import sys\nm = sys.modules.get('__main__')",
    "by text": "import importlib\nm = importlib.import_module('__main__')",
    "by Python's own": "m = __import__('__main__')",
    "resolved": "import pkgutil\nm = pkgutil.resolve_name('__main__')",
    "in a function": "def of():\n    import __main__\n    return __main__\n\n\nm = of()",
    "of another": "from beside import __main__ as m",
}
SETS = {
    "plainly": "m.helper = m.put",
    "by a text": "setattr(m, 'helper', m.put)",
    "in its dict": "m.__dict__['helper'] = m.put",
    "in its vars": "vars(m)['helper'] = m.put",
    "at once": "vars(m).update(helper=m.put)",
    "in a function": "def on(x):\n    x.helper = x.put\n\n\non(m)",
    "for a while": "def test(monkeypatch):\n    monkeypatch.setattr(m, 'helper', m.put)",
    "run": "exec('helper = put', m.__dict__)",
}
PATHS = {
    "for a while": "def test(monkeypatch):\n    monkeypatch.setattr('__main__.helper', print)",
    "patched": "from unittest import mock\n\nmock.patch('__main__.helper', print).start()",
    "spelled": "import __main__\n__main__.helper = print",
    "spelled in sight": "import sys\nsys.modules['__main__'].helper = print",
    "in its vars": "import __main__\nvars(__main__)['helper'] = print",
    "by a text": "import __main__\nsetattr(__main__, 'helper', print)",
}


def _varies(folder: Path, other: str, name: str, own: bool = False) -> bool:
    """Whether the name may be another for the kernel."""
    (folder / "main.py").write_text(KERNEL + (other if own else ""), encoding="utf-8")
    (folder / "beside.py").write_text("import __main__\n", encoding="utf-8")
    if not own:
        (folder / "other.py").write_text(other, encoding="utf-8")
    project = Project([str(folder)], [], patient=True)
    return name in cut(project, find(project, folder / "main.py", "kernel")).functions[0].varies


@pytest.mark.parametrize(("got", "sets", "own"), product(GOT, SETS, (False, True)))
def test_what_is_set_in_the_main_module(got: str, sets: str, own: bool, tmp_path: Path) -> None:
    assert _varies(tmp_path, f"{GOT[got]}\n{SETS[sets]}\n", "helper", own)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("path", PATHS)
def test_what_is_set_by_its_path(path: str, own: bool, tmp_path: Path) -> None:
    assert _varies(tmp_path, f"{PATHS[path]}\n", "helper", own)


@pytest.mark.parametrize("got", GOT)
def test_what_is_set_beside(got: str, tmp_path: Path) -> None:
    assert not _varies(tmp_path, f"{GOT[got]}\nm.other = 1\nprint(m.helper)\n", "helper")


@pytest.mark.parametrize(
    "text",
    [
        "if __name__ == '__main__':\n    print('helper', 'KEEP')",
        "if '__main__' != __name__:\n    print(helper='KEEP')",
        "import runpy\n\nrunpy.run_module('other', run_name='__main__')\nprint('helper', 'KEEP')",
        "from beside.__main__ import go\n\ngo('helper', KEEP=1)",
    ],
)
def test_what_only_asks_whether_it_is_run(text: str, tmp_path: Path) -> None:
    assert not any(_varies(tmp_path, f"{text}\n", name) for name in ("helper", "KEEP"))
