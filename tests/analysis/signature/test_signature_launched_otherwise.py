"""What reaches a kernel that is not launched as it is written: another in its place, one of the author's decorators,
configs that are changed. Each text is run by real torch and Triton, its launches written down; what they have
otherwise than it is written is not certain, and what they have so stays certain.
"""

from __future__ import annotations

import importlib
import itertools
import sys
from pathlib import Path
from typing import Any

import pytest

from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.signature.infer import infer
from kernel_analysis.signature.signature_model import Signature

torch = pytest.importorskip("torch")
jit = pytest.importorskip("triton.runtime.jit")

HEAD = "import torch\nimport triton\nimport triton.language as tl\n"
RUN = "def run():\n    kernel[(1,)](torch.zeros(16), 3)\n"
KERNEL = "@triton.jit\ndef kernel(x, n, B: tl.constexpr = 16):\n    tl.store(x, n)\n\n\n" + RUN
TUNED = (
    "@triton.autotune([triton.Config({'B': 16})], key=[])\n"
    "@triton.jit\ndef kernel(x, n, B: tl.constexpr):\n    tl.store(x, n)\n\n\n" + RUN
)
OTHERWISE = (
    "class Other:\n    def __init__(self, f): self.f = f\n"
    "    def __getitem__(self, grid):\n"
    "        return lambda x, n, **more: self.f[grid](x.half(), n * 1.5, **more)\n"
)
INSTEAD = {
    "name": "{m}kernel = Other({m}kernel)",
    "name by text": "setattr({owner}, 'kernel', Other({m}kernel))",
    "run": "old = {m}kernel.run\n{m}kernel.run = lambda x, n, **more: old(x.half(), n * 1.5, **more)",
    "run by text": (
        "old = {m}kernel.run\nsetattr({m}kernel, 'run', lambda x, n, **more: old(x.half(), n + 0.5, **more))"
    ),
    "run of a parameter": (
        "def change(f):\n    old = f.run\n    f.run = lambda x, n, **more: old(x.half(), n * 1.5, **more)\n\n\n"
        "change({m}kernel)"
    ),
}
CONFIGS = {
    "set": "{m}kernel.configs = [triton.Config({{'B': 32}})]",
    "set by text": "setattr({m}kernel, 'configs', [triton.Config({{'B': 32}})])",
    "item": "{m}kernel.configs[0] = triton.Config({{'B': 32}})",
    "in one": "{m}kernel.configs[0].kwargs['B'] = 32",
    "all": "{m}kernel.configs[:] = [triton.Config({{'B': 32}})]",
    "filled": "{m}kernel.configs.clear()\n{m}kernel.configs.append(triton.Config({{'B': 32}}))",
    "loop": "for config in {m}kernel.configs:\n    config.kwargs['B'] *= 2",
    "alias": "tuner = {m}kernel\ntuner.configs[0].kwargs['B'] = 32",
    "parameter": "def change(f):\n    f.configs[0].kwargs.update(B=32)\n\n\nchange({m}kernel)",
}
WHERE = {"here": ("", "sys.modules[__name__]", "import sys\n"), "other file": ("main.", "main", "")}


def launches(folder: Path, names: list[str], monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What reaches the jit functions when the files are imported, and ``run`` is called."""
    found: list[dict[str, Any]] = []

    def record(self: Any, *args: Any, grid: object, warmup: bool, **more: Any) -> None:
        bound = self.signature.bind(*args, **{n: v for n, v in more.items() if n in self.signature.parameters})
        bound.apply_defaults()
        found.append(dict(bound.arguments))

    monkeypatch.setattr(jit.JITFunction, "run", record)
    monkeypatch.syspath_prepend(str(folder))
    for name in names:
        monkeypatch.delitem(sys.modules, name, raising=False)
    try:
        modules = [importlib.import_module(name) for name in names]  # the tests' own text
        modules[0].run()
    finally:
        for name in names:
            sys.modules.pop(name, None)
    return found


def told(folder: Path) -> list[Signature]:
    project = Project([str(folder)], [], patient=True)
    (function,) = [f for f in project.module(str(folder / "main.py")).functions if f.name == "kernel"]
    return infer(project, function, cut(project, function))


def written(folder: Path, main: str, other: str = "") -> list[str]:
    (folder / "main.py").write_text(HEAD + main, encoding="utf-8")
    if other:
        (folder / "other.py").write_text(f"{HEAD}import main\n{other}", encoding="utf-8")
    return ["main", "other"] if other else ["main"]


@pytest.mark.parametrize(("instead", "where"), [*itertools.product(INSTEAD, WHERE)])
def test_something_else_that_is_launched_in_its_place(
    instead: str, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, owner, before = WHERE[where]
    change = f"\n\n{before}{OTHERWISE}\n\n{INSTEAD[instead].format(m=name, owner=owner)}\n"
    names = written(tmp_path, KERNEL + ("" if name else change), change if name else "")
    (real,) = launches(tmp_path, names, monkeypatch)
    assert (real["x"].dtype, type(real["n"])) == (torch.float16, float)
    for signature in told(tmp_path):
        assert not any(signature.evidence[name].certain for name in ("x", "n")), signature


@pytest.mark.parametrize(("change", "where"), [*itertools.product(CONFIGS, WHERE)])
def test_configs_that_are_changed_by_the_kernel(
    change: str, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, _, _ = WHERE[where]
    text = f"\n\n{CONFIGS[change].format(m=name)}\n"
    names = written(tmp_path, TUNED + ("" if name else text), text if name else "")
    (real,) = launches(tmp_path, names, monkeypatch)
    assert real["B"] == 32
    for signature in told(tmp_path):
        assert signature.constants["B"] == 32 or not signature.evidence["B"].certain


READS = {
    "other class": "class Holder:\n    pass\n\n\nholder = Holder()\nholder.configs = [1]\nholder.run = print\n",
    "own": "class Holder:\n    def __init__(self):\n        self.configs = []\n        self.run = 1\n",
    "length": "assert len(main.kernel.configs) == 1\n",
}


@pytest.mark.parametrize("reads", READS)
def test_what_does_nothing_to_it(reads: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = written(tmp_path, TUNED, READS[reads])
    (real,) = launches(tmp_path, names, monkeypatch)
    assert (real["x"].dtype, real["n"], real["B"]) == (torch.float32, 3, 16)
    evidence = told(tmp_path)[0].evidence
    assert all(evidence[name].certain for name in ("x", "n", "B"))


TUNER = (
    "from triton.runtime.autotuner import Autotuner\n\n\n"
    "class Mine(Autotuner):\n    def run(self, {head}):\n{body}\n\n\n"
)
PUT_ON = "def mine(f):\n    return Mine(f, f.arg_names, [triton.Config({'B': 16})], [], None, None)\n\n\n@mine\n"
WRAPPED = {
    "passes on": (TUNER.format(head="*args, **more", body="        return super().run(*args, **more)"), True),
    "looks": (TUNER.format(head="*a, **k", body="        print(a, k)\n        return super().run(*a, **k)"), True),
    "others": (
        TUNER.format(head="x, n, **more", body="        return super().run(x.half(), n * 1.5, **more)"),
        False,
    ),
    "more": (
        TUNER.format(head="*args, **more", body="        return super().run(args[0].half(), 2.5, **more)"),
        False,
    ),
    "again": (
        TUNER.format(
            head="*args, **more",
            body="        args = args[0].half(), 2.5\n        return super().run(*args, **more)",
        ),
        False,
    ),
    "changed": (
        TUNER.format(
            head="*args, **more",
            body="        more.update(n=2.5, x=args[0].half())\n        return super().run(**more)",
        ),
        False,
    ),
    "in a function": (OTHERWISE.replace("Other", "Mine"), False),
}  # fmt: skip


@pytest.mark.parametrize("how", WRAPPED)
def test_what_one_of_the_authors_decorators_passes_on(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, certain = WRAPPED[how]
    put_on = PUT_ON if "Autotuner" in text else "@Mine\n"
    body = KERNEL.replace(" = 16", "") if "Autotuner" in text else KERNEL
    (real,) = launches(tmp_path, written(tmp_path, f"{text}{put_on}{body}"), monkeypatch)
    assert ((real["x"].dtype, type(real["n"])) == (torch.float32, int)) == certain
    evidence = told(tmp_path)[0].evidence
    assert (evidence["x"].certain, evidence["n"].certain) == (certain, certain)


OPTIONS = {
    "literal": ("num_warps=8", "", True),
    "of the file": ("num_warps=W", "W = 8\n", True),
    "set by a function": ("num_warps=W", "W = 8\n\n\ndef later():\n    global W\n    W = 1\n\n\n", False),
    "by what there is": ("num_warps=4 if torch.cuda.is_available() else 8", "", False),
    "none": ("", "", True),
}


@pytest.mark.parametrize("how", OPTIONS)
def test_options_that_may_be_others_are_not_settled(how: str, tmp_path: Path) -> None:
    passed, before, settled = OPTIONS[how]
    written(tmp_path, before + KERNEL.replace(", 3)", f", 3, {passed})"))
    assert told(tmp_path)[0].launch.settled == settled


SPREAD = {
    "of the file": ("**OF", "OF = {'num_warps': 8}\n", {"num_warps": 8}, True),
    "changed": ("**OF", "OF = {'num_warps': 8}\n\n\ndef later():\n    OF.clear()\n\n\n", {"num_warps": 8}, False),
    "not known": ("**made()", "def made():\n    return dict(input())\n\n\n", {}, False),
}  # fmt: skip


@pytest.mark.parametrize("how", SPREAD)
def test_what_is_spread_into_a_config(how: str, tmp_path: Path) -> None:
    passed, before, options, known = SPREAD[how]
    written(tmp_path, before + TUNED.replace("{'B': 16}", f"{{'B': 16}}, {passed}"))
    project = Project([str(tmp_path)], [], patient=True)
    (function,) = project.module(str(tmp_path / "main.py")).functions
    assert (function.configs_vary is None) == known
    assert {name: getattr(value, "value", None) for name, value in function.config_options[0].items()} == options


def test_what_heuristics_fill_in_is_not_what_a_launch_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "@triton.heuristics({'B': lambda args: 64})\n" + KERNEL.replace(", 3)", ", 3, B=8)")
    (real,) = launches(tmp_path, written(tmp_path, text), monkeypatch)
    assert real["B"] == 64
    assert all(8 not in signature.constants.values() for signature in told(tmp_path))


@pytest.mark.parametrize("order", ["above", "below"])
def test_what_heuristics_fill_in_is_not_what_a_config_says(order: str, tmp_path: Path) -> None:
    heuristics = "@triton.heuristics({'B': lambda args: 64})\n"
    text = heuristics + TUNED if order == "above" else TUNED.replace("@triton.jit", f"{heuristics}@triton.jit")
    written(tmp_path, text)
    assert all(16 not in signature.constants.values() for signature in told(tmp_path))


@pytest.mark.parametrize(("change", "certain"), [("Ops.kernel = Other(Ops.kernel)", False), ("Ops.other = 1", True)])
def test_another_kernel_in_a_class(change: str, certain: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = "    @staticmethod\n    @triton.jit\n    def kernel(x, n):\n        tl.store(x, n)\n\n\n"
    text = f"class Ops:\n{kernel}{OTHERWISE}\n\n{change}\n\n\n{RUN.replace('kernel', 'Ops.kernel')}"
    (real,) = launches(tmp_path, written(tmp_path, text), monkeypatch)
    assert ((real["x"].dtype, type(real["n"])) == (torch.float32, int)) == certain
    evidence = told(tmp_path)[0].evidence
    assert (evidence["x"].certain, evidence["n"].certain) == (certain, certain)


def test_what_stands_in_no_function_is_passed_what_is_bound_by_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = KERNEL.replace(RUN, "n = 3\nkernel[(1,)](torch.zeros(16), n)\nn = 2.5\n\n\ndef run():\n    pass\n")
    (real,) = launches(tmp_path, written(tmp_path, text), monkeypatch)
    first = told(tmp_path)[0]
    assert (real["n"], first.types["n"], first.evidence["n"].certain) == (3, "i32", True)


RUNNER = (
    "class Runner:\n    def __init__(self, f, *more):\n        self.f, self.more = f, more\n\n"
    "    def __getitem__(self, grid):\n        return lambda *given: self.f[grid](*given, *self.more)\n\n"
    "    def __call__(self, *given):\n        self[(1,)](*given)\n\n    run = go = __call__\n\n\n"
)
HELD = {
    "made and run": "    Runner({k}, 32).run(*given)\n",
    "made and called": "    Runner({k}, 32)(*given)\n",
    "made and launched": "    Runner({k}, 32)[(1,)](*given)\n",
    "made before": "    runner = Runner({k}, 32)\n    runner[(1,)](*given)\n",
    "one of two": "    runner = Runner({k}, 32) if given else {k}\n    runner[(1,)](*given)\n",
    "in a table": "    runners = {{'one': Runner({k}, 32)}}\n    runners['one'][(1,)](*given)\n",
    "made of a table": "    Runner([{k}][0], 32)[(1,)](*given)\n",
    "in a loop": "    for runner in (Runner({k}, 32),):\n        runner[(1,)](*given)\n",
    "by a function": "    made = lambda f: Runner(f, 32)\n    made({k})[(1,)](*given)\n",
    "by a function that is given it": "    start({k}, given)\n",
    "an attribute": "    Runner.kept = Runner({k}, 32)\n    Runner.kept.go(*given)\n",
    "by its name": "    Runner(getattr(sys.modules['main'], 'kernel'), 32)(*given)\n",
    "a part of it": "    functools.partial({k}.run, grid=(1,), warmup=False, B=32)(*given)\n",
}
START = "def start(f, given):\n    Runner(f, 32)[(1,)](*given)\n\n\n"


@pytest.mark.parametrize(("held", "where"), [*itertools.product(HELD, WHERE)])
def test_what_has_a_kernel_may_pass_what_it_has_a_default_for(
    held: str, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = WHERE[where][0]
    run = f"\n\nimport functools\nimport sys\n\n\n{RUNNER}{START}def run(given=(torch.zeros(16), 3)):\n"
    run += HELD[held].format(k=f"{name}kernel")
    kernel = KERNEL.replace(RUN, "")
    if name:
        names = written(tmp_path, kernel + "def run():\n    import other\n    other.run()\n", run)
    else:
        names = written(tmp_path, kernel + run)
    (real,) = launches(tmp_path, names, monkeypatch)
    assert real["B"] == 32
    for signature in told(tmp_path):
        assert signature.constants["B"] == 32 or not signature.evidence["B"].certain


@pytest.mark.parametrize("how", ["kept", "changed", "replaced"])
def test_a_decorator_that_has_a_kernel_may_pass_what_it_has_a_default_for(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {
        "kept": ("", "return f", "KEPT[0][(1,)](torch.zeros(16), 3, *[32])"),
        "changed": ("", "f.go = lambda *a: f[(1,)](*a, 32)\n    return f", "kernel.go(torch.zeros(16), 3)"),
        "replaced": (RUNNER, "return Runner(f, 32)", "kernel[(1,)](torch.zeros(16), 3)"),
    }  # fmt: skip
    before, body, call = given[how]
    keep = f"KEPT = []\n\n\ndef keep(f):\n    KEPT.append(f)\n    {body}\n\n\n@keep\n"
    text = f"{before}{keep}{KERNEL.replace(RUN, '')}def run():\n    {call}\n"
    (real,) = launches(tmp_path, written(tmp_path, text), monkeypatch)
    assert real["B"] == 32
    for signature in told(tmp_path):
        assert signature.constants["B"] == 32 or not signature.evidence["B"].certain


@pytest.mark.parametrize("use", ["", "__all__ = ['kernel']", "print(kernel.__name__)", "'kernel'", "kernels = 1"])
def test_a_default_stays_where_nobody_has_the_kernel(use: str, tmp_path: Path) -> None:
    written(tmp_path, f"{KERNEL.replace(RUN, '')}{use}\n")
    assert told(tmp_path)[0].evidence["B"].certain


@pytest.mark.parametrize("wrap", ["torch.library.wrap_triton", "torch._library.capture_triton"])
def test_what_torch_wraps_is_launched_as_it_is(wrap: str, tmp_path: Path) -> None:
    written(tmp_path, KERNEL.replace("    kernel[", f"    {wrap}(kernel)["))
    evidence = told(tmp_path)[0].evidence
    assert all(evidence[name].certain for name in ("x", "n", "B"))
