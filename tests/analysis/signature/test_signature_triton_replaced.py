"""What takes the place of Triton's decorators, of ``triton.Config`` or of a method of their classes: every way to set
it with everything that is set, above the kernel and in a file that is imported before. Each text is run by real torch
and Triton; what reaches the kernel otherwise than it is written is not certain.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from analysis.signature.test_signature_launched_otherwise import HEAD, KERNEL, TUNED, launches, told
from kernel_analysis.host.decorators.layers import stack
from kernel_analysis.kernels.project import Project

torch = pytest.importorskip("torch")
triton: Any = pytest.importorskip("triton")

BEFORE = (
    "import importlib\nimport sys\nfrom unittest import mock\n\n"
    "import triton.runtime.autotuner\nimport triton.runtime.jit\n\n\n"
    "class Other:\n    def __init__(self, f): self.f = f\n"
    "    def __getitem__(self, grid):\n"
    "        return lambda x, n, **more: self.f[grid](x.half(), n * 1.5, **more)\n\n\n"
    "class Tuner(triton.runtime.Autotuner):\n    def run(self, x, n, **more):\n"
    "        return super().run(x.half(), n * 1.5, **more)\n\n\n"
    "class Launched(triton.runtime.JITFunction):\n    def run(self, x, n, **more):\n"
    "        return super().run(x.half(), n * 1.5, **more)\n\n\n"
    "def settings(self, kwargs, **more):\n    made(self, {'B': 32})\n\n\n"
    "made = triton.Config.__init__\nold = {module}.{name}\n"
)
GIVES = "lambda self, x, n, **more: old(self, x.half(), n * 1.5, **more)"
WHAT = {
    ("triton", "jit"): "lambda f: Other(old(f))",
    ("triton.runtime.jit", "JITFunction"): "Launched",
    ("triton", "autotune"): "lambda configs, key: old([triton.Config({'B': 32})], key)",
    ("triton.runtime.autotuner", "Autotuner"): "Tuner",
    ("triton", "Config"): "lambda kwargs: old({'B': 32})",
    ("triton.runtime.jit.JITFunction", "run"): GIVES,
    ("triton.runtime.autotuner.Autotuner", "run"): GIVES,
    ("triton.runtime.jit.JITFunction", "__getitem__"): (
        "lambda self, grid: lambda x, n, **more: self.run(x.half(), n * 1.5, grid=grid, warmup=False, **more)"
    ),
    ("triton.runtime.autotuner.Config", "__init__"): "settings",
    ("triton.runtime.autotuner.Config", "all_kwargs"): "lambda self: {'B': 32}",
}
HOW = {
    "set": "{module}.{name} = {value}",
    "by text": "setattr({module}, '{name}', {value})",
    "in its dict": "{module}.__dict__['{name}'] = {value}",
    "computed": "for attribute in ('{name}',):\n    setattr({module}, attribute, {value})",
    "patched": "mock.patch('{module}.{name}', {value}).start()",
    "patched in it": "mock.patch.object({module}, '{name}', {value}).start()",
    "alias": "owner = {module}\nowner.{name} = {value}",
    "parameter": "def change(owner):\n    owner.{name} = {value}\n\n\nchange({module})",
    "parameter by text": "def change(owner, name):\n    setattr(owner, name, {value})\n\n\nchange({module}, '{name}')",
    "in a function": "def change():\n    {module}.{name} = {value}\n\n\nchange()",
    "where there is no GPU": "if not torch.cuda.is_available():\n    {module}.{name} = {value}",
    "imported by text": "importlib.import_module('{file}'){rest}.{name} = {value}",
    "looked up": "sys.modules['{file}']{rest}.{name} = {value}",
}


def text(what: tuple[str, str], how: str) -> str | None:
    module, name = what
    parts = module.split(".")
    file = next(".".join(parts[:n]) for n in range(len(parts), 0, -1) if not parts[n - 1][0].isupper())
    if how == "in its dict" and file != module:
        return None  # a class's can't be set so
    value, before = WHAT[what], BEFORE.replace("{module}", module).replace("{name}", name)
    return before + "\n\n" + HOW[how].format(module=module, name=name, value=value, file=file, rest=module[len(file) :])


@pytest.mark.parametrize(
    ("what", "how", "here"),
    [(what, how, here) for what, how, here in itertools.product(WHAT, HOW, (True, False)) if text(what, how)],
    ids=str,
)
def test_what_takes_its_place(
    what: tuple[str, str], how: str, here: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(monkeypatch)
    kernel = KERNEL if "J" in "".join(what) or what[1] == "jit" else TUNED
    change = text(what, how) or ""
    (tmp_path / "main.py").write_text(HEAD + (change + "\n\n\n" if here else "") + kernel, encoding="utf-8")
    if not here:
        more = "\n\n\ndef run():\n    import main\n    main.run()\n"
        (tmp_path / "other.py").write_text(HEAD + change + more, encoding="utf-8")
    (real,) = launches(tmp_path, ["main"] if here else ["other", "main"], monkeypatch)
    assert (real["x"].dtype, real["n"], real["B"]) != (torch.float32, 3, 16)
    for signature in told(tmp_path):
        if real["B"] != 16:
            assert signature.constants["B"] == real["B"] or not signature.evidence["B"].certain
        else:
            assert not any(signature.evidence[name].certain for name in ("x", "n")), signature


READS = {
    "tested": "import triton\n\n\ndef test():\n    assert triton.jit is not None and isinstance(triton.Config, type)\n",
    "other": "import other_jit\n\nother_jit.jit = other_jit.autotune = lambda f: f\n",
    "own": (
        "import triton\n\n\nclass Runner:\n    def __init__(self, jit):\n"
        "        self.jit = jit\n        self.run = triton.jit\n        self.Config = triton.Config\n"
    ),
    "derived": (
        "from triton.runtime import JITFunction\n\n\nclass Mine(JITFunction):\n"
        "    def run(self, *args, **more):\n        return super().run(*args, **more)\n"
    ),
    "patched otherwise": "from unittest import mock\n\nmock.patch('other.jit', None).start()\n",
}


@pytest.mark.parametrize("reads", READS)
def test_what_does_nothing_to_it(reads: str, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(HEAD + TUNED, encoding="utf-8")
    (tmp_path / "other.py").write_text(READS[reads], encoding="utf-8")
    evidence = told(tmp_path)[0].evidence
    assert all(evidence[name].certain for name in ("x", "n", "B"))
    project = Project([str(tmp_path)], [], patient=True)
    (function,) = [f for f in project.module(str(tmp_path / "main.py")).functions if f.name == "kernel"]
    assert stack(project.resolver, function) is not None


def keep(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the texts set is as it was behind the test."""
    for owner, name in [(triton, "jit"), (triton, "autotune"), (triton, "Config")]:
        monkeypatch.setattr(owner, name, getattr(owner, name))
    jit, tuner = triton.runtime.jit, triton.runtime.autotuner
    for owner, name in [(jit, "JITFunction"), (tuner, "Autotuner"), (tuner, "Config")]:
        monkeypatch.setattr(owner, name, getattr(owner, name))
    for cls, name in [
        (jit.JITFunction, "run"),
        (jit.JITFunction, "__getitem__"),
        (tuner.Autotuner, "run"),
        (tuner.Config, "__init__"),
        (tuner.Config, "all_kwargs"),
    ]:
        monkeypatch.setattr(cls, name, getattr(cls, name))
