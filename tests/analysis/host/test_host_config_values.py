"""What a config of an autotuner gives a parameter: every value with every way to make the config of it, where a name of
the file says something else. Held against the configs that Triton's own autotuner has.
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

pytest.importorskip("torch")

HEAD = "import triton\nimport triton.language as tl\nfrom torch import __version__ as TEXT\n"
KERNEL = "@triton.jit\ndef k(x, B: tl.constexpr):\n    pass\n\n\n"
TUNED = f"@triton.autotune({{configs}}, key=[])\n{KERNEL}"
VALUES = {"a number": "4", "computed": "len(TEXT)"}
MADE = {
    "here": ("b = {value}\n", "[triton.Config({{'B': b}})]"),
    "spread": ("b = {value}\n", "[triton.Config({{**{{'B': b}}}})]"),
    "of a dict": ("b = {value}\nD = {{'B': b}}\nb = 3\n", "[triton.Config(D)]"),
    "of a dict that is spread": ("b = {value}\nD = {{'B': b}}\nb = 3\n", "[triton.Config({{**D}})]"),
    "of a dict that is changed": ("b = {value}\nD = {{'B': 3}}\nD['B'] = b\nb = 3\n", "[triton.Config(D)]"),
    "in a list": ("b = {value}\nL = [triton.Config({{'B': b}})]\nb = 3\n", "L"),
    "comprehension": ("b = 3\n", "[triton.Config({{'B': b}}) for b in ({value},)]"),
    "of dicts of a comprehension": ("b = 3\nL = [{{'B': b}} for b in ({value},)]\n", "[triton.Config(d) for d in L]"),
    "local": ("b = 3\n\n\ndef made():\n    b = {value}\n    return [triton.Config({{'B': b}})]\n\n\n", "made()"),
    "parameter": ("b = 3\n\n\ndef made(b):\n    return [triton.Config({{'B': b}})]\n\n\n", "made({value})"),
    "local dict": (
        "b = 3\n\n\ndef made(b):\n    D = {{'B': b}}\n    return [triton.Config(D)]\n\n\n", "made({value})",
    ),
    "dict of the file": (
        "b = {value}\nD = {{'B': b}}\nb = 3\n\n\ndef made():\n    b = 2\n    return [triton.Config(D)]\n\n\n", "made()",
    ),
    "another file's list": ("from other import L\n\nb = 3\n", "L"),
    "another file's dict": ("from other import D\n\nb = 3\n", "[triton.Config(D)]"),
    "another file's function": ("from other import made\n\nb = 3\n", "made()"),
    "another file's number": ("from other import b\n", "[triton.Config({{'B': b}})]"),
    "option": ("b = {value}\n", "[triton.Config({{'B': 2}}, num_warps=b)]"),
}  # fmt: skip
OTHER = "b = {value}\nD = {{'B': b}}\nL = [triton.Config({{'B': b}})]\n\n\ndef made():\n    return [triton.Config(D)]\n"
LATER = {"nothing": "", "bound": "b = 2\n"}


def text(name: str, value: str, later: str) -> tuple[str, str]:
    before, configs = MADE[name]
    main = before.format(value=value) + TUNED.format(configs=configs.format(value=value)) + LATER[later]
    return HEAD + main, HEAD + OTHER.format(value=value)


def tried(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What Triton has them for."""
    monkeypatch.syspath_prepend(str(folder))
    for name in ("main", "other"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    try:
        found = importlib.import_module("main").k.configs  # the tests' own text
        return [{**config.kwargs, "num_warps": config.num_warps} for config in found]
    finally:
        for name in ("main", "other"):
            sys.modules.pop(name, None)


@pytest.mark.parametrize(("made", "value", "later"), [*itertools.product(MADE, VALUES, LATER)])
def test_a_config_has_what_its_value_is_where_it_is_made(
    made: str, value: str, later: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, code in zip(("main", "other"), text(made, VALUES[value], later), strict=True):
        (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
    real = tried(tmp_path, monkeypatch)
    project = Project([str(tmp_path)], [], patient=True)
    (function,) = project.module(str(tmp_path / "main.py")).functions
    for signature in infer(project, function, cut(project, function)):
        said = signature.constants["B"], signature.evidence["B"].certain
        assert not said[1] or said[0] in [config["B"] for config in real]
        assert said[1] or value != "a number" or made == "of dicts of a comprehension"
        warps = signature.launch.given.get("num_warps")
        assert warps is None or not signature.launch.settled or warps in [config["num_warps"] for config in real]


TWO = {
    "one function": "k = triton.autotune([triton.Config({'B': 8})], key=[])(f)\n",
    "a function that tunes": (
        "def tuned(b):\n    return triton.autotune([triton.Config({'B': b})], key=[])(f)\n\n\n"
        "k, m = tuned(8), tuned(16)\n"
    ),
    "a loop": "for b in (8, 16):\n    k = triton.autotune([triton.Config({'B': b})], key=[])(f)\n",
}


@pytest.mark.parametrize("two", TWO)
def test_what_several_autotuners_have_is_not_certain(two: str, tmp_path: Path) -> None:
    first = "t = triton.autotune([triton.Config({'B': 32})], key=[])(f)\n" if two == "one function" else ""
    made = HEAD + KERNEL.replace("def k", "def f") + first + TWO[two]
    (tmp_path / "main.py").write_text(made, encoding="utf-8")
    project = Project([str(tmp_path)], [], patient=True)
    (function,) = project.module(str(tmp_path / "main.py")).functions
    for signature in infer(project, function, cut(project, function)):
        assert not signature.evidence["B"].certain, signature.constants


def test_a_launch_of_the_function_itself_has_what_it_passes(tmp_path: Path) -> None:
    made = HEAD + KERNEL.replace("def k", "def f") + "k = triton.autotune([triton.Config({'B': 8})], key=[])(f)\n"
    run = "\n\ndef run(x):\n    k[(1,)](x)\n    f[(1,)](x, B=4)\n"
    (tmp_path / "main.py").write_text(made + run, encoding="utf-8")
    project = Project([str(tmp_path)], [], patient=True)
    (function,) = project.module(str(tmp_path / "main.py")).functions
    found = infer(project, function, cut(project, function))
    assert {signature.constants["B"] for signature in found if signature.evidence["B"].certain} == {4, 8}


NUMBERS = {"2.5": "fp32", "16": "i32", "True": "i1", "1": "constexpr", "1 << 40": "i64"}


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_that_a_config_gives_what_is_no_constexpr_has_a_type(number: str, tmp_path: Path) -> None:
    made = HEAD + f"@triton.autotune([triton.Config({{'n': {number}}})], key=[])\n"
    (tmp_path / "main.py").write_text(made + "@triton.jit\ndef k(x, n):\n    tl.store(x, n)\n", encoding="utf-8")
    project = Project([str(tmp_path)], [], patient=True)
    (function,) = project.module(str(tmp_path / "main.py")).functions
    first = infer(project, function, cut(project, function))[0]
    assert (first.types["n"], first.evidence["n"].certain) == (NUMBERS[number], True)


CHOOSING = {
    "prune": "k.early_config_prune = lambda configs, *more, **others: configs[1:]\n",
    "perf_model": "k.perf_model, k.configs_top_k = (lambda **all: -all['B']), 1\n",
    "method": "setattr(k, 'prune_configs', lambda given: [])\n",
}


@pytest.mark.parametrize("choosing", CHOOSING)
def test_an_autotuner_that_is_told_later_which_to_try(choosing: str, tmp_path: Path) -> None:
    made = HEAD + TUNED.format(configs="[triton.Config({'B': 8}), triton.Config({'B': 16})]")
    for text, certain in ((made, True), (made + CHOOSING[choosing], False)):
        (tmp_path / "main.py").write_text(text, encoding="utf-8")
        project = Project([str(tmp_path)], [], patient=True)
        (function,) = project.module(str(tmp_path / "main.py")).functions
        found = infer(project, function, cut(project, function))
        assert [signature.evidence["B"].certain for signature in found] == [certain, certain]


@pytest.mark.parametrize(("change", "certain"), [("f.__defaults__ = (8,)\n", False), ("", True)])
def test_defaults_that_a_function_has_by_the_time_that_a_kernel_is_made_of_it(
    change: str, certain: bool, tmp_path: Path
) -> None:
    text = f"{HEAD}def f(x, B: tl.constexpr = 4):\n    pass\n\n\n{change}k = triton.jit(f)\n"
    (tmp_path / "main.py").write_text(text + "\n\ndef run(x):\n    k[(1,)](x)\n", encoding="utf-8")
    project = Project([str(tmp_path)], [], patient=True)
    (function,) = project.module(str(tmp_path / "main.py")).functions
    assert infer(project, function, cut(project, function))[0].evidence["B"].certain == certain
