"""What host code says of compile-time values and may say otherwise where the file runs: used, and never certain."""

from __future__ import annotations

import pytest

DEFAULT = """
N = 1
@triton.jit
def kernel(x, SIZE: tl.constexpr = N):
    {body}
"""
CONFIGS = """
{before}
@triton.autotune(configs={configs}, key=[])
@triton.jit
def kernel(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1.0)
{after}
"""
CONFIG = "triton.Config({'B': 32})"


@pytest.mark.parametrize("again", ["N = 2", "if torch.cuda.is_available():\n    N = 2", "for N in (2, 3):\n    pass"])
@pytest.mark.parametrize("body", ["tl.store(x, N + SIZE)", "tl.store(x + N, 1.0)"])
def test_a_name_in_default_and_body_that_is_bound_again_has_two_values(case, body: str, again: str):
    got = case(DEFAULT.format(body=body) + again + "\n")
    assert "N" in got.slice.functions[0].varies
    assert not got.first.evidence["SIZE"].certain


@pytest.mark.parametrize("body", ["tl.store(x, N + SIZE)", "tl.store(x, SIZE)"])
def test_a_name_that_is_bound_once_is_certain_in_default_and_body(case, body: str):
    got = case(DEFAULT.format(body=body))
    assert not got.slice.functions[0].varies
    assert got.first.constants["SIZE"] == 1
    assert got.first.evidence["SIZE"].certain


def test_a_default_sees_what_is_bound_before_it(case):
    got = case(DEFAULT.format(body="tl.store(x, SIZE)") + "N = 2\n")
    assert got.first.constants["SIZE"] == 1
    assert got.first.evidence["SIZE"].certain


@pytest.mark.parametrize(
    ("before", "configs", "after"),
    [
        (f"ALL = [{CONFIG}]", "ALL", "ALL.append(triton.Config({'B': 64}))\ndef f():\n    ALL.clear()"),
        ("TABLE = [32]\ndef f(t):\n    t.append(16)\nf(TABLE)", "[triton.Config({'B': b}) for b in TABLE]", ""),
        (f"ALL = [{CONFIG}]\nglobals()['ALL'] = []", "ALL", ""),
        (f"ALL = [{CONFIG}]\nexec(open('more.py').read())", "ALL", ""),
        (f"ONE = {CONFIG}\nONE.kwargs['B'] = 64", "[ONE]", ""),
        ("import os\nB0 = int(os.environ.get('B0', '32'))", "[triton.Config({'B': B0})]", ""),
        (f"ALL = [{CONFIG}] if torch.cuda.get_device_name() else []", "ALL", ""),
    ],
)
def test_a_config_of_what_may_be_changed_is_a_guess(case, before: str, configs: str, after: str):
    got = case(CONFIGS.format(before=before, configs=configs, after=after))
    evidence = got.first.evidence["B"]
    assert not (evidence.kind == "autotune" and evidence.certain)


@pytest.mark.parametrize(
    ("before", "configs"),
    [
        ("", f"[{CONFIG}]"),
        ("TABLE = [32]", "[triton.Config({'B': b}) for b in TABLE]"),
        ("TABLE = []\nTABLE.append(32)", "[triton.Config({'B': b}) for b in TABLE]"),
        (f"def all():\n    return [{CONFIG}]", "all()"),
    ],
)
def test_a_config_that_is_what_it_is_is_certain(case, before: str, configs: str):
    got = case(CONFIGS.format(before=before, configs=configs, after=""))
    assert got.first.constants["B"] == 32
    assert got.first.evidence["B"].kind == "autotune"
    assert got.first.evidence["B"].certain


LAUNCH = """
{before}
@triton.jit
def kernel(x, n):
    tl.store(x, n)


def launch():
    x = torch.empty(4, dtype=torch.float32)
    {inside}
    kernel[(1,)](x, 3)
    plain[(1,)](torch.empty(4))


@triton.jit
def plain(y):
    tl.store(y, 1.0)
"""


def test_a_tensor_that_is_made_beside_the_launch_is_certain(case):
    got = case(LAUNCH.format(before="", inside=""))
    assert got.first.types["x"] == "*fp32"
    assert got.first.evidence["x"].certain


@pytest.mark.parametrize(
    ("before", "inside"),
    [
        ("", "def change():\n        nonlocal x\n        x = x.double()\n    change()"),
        ("", "x.data = x.double()"),
        ("", "setattr(x, 'data', x.double())"),
        ("def change(t):\n    t.data = t.data.double()\n", "change(x)"),
        ("torch.empty = torch.zeros", ""),
        ("def patch(m):\n    m.empty = None\n\n\npatch(torch)\n", ""),
        ("for m in (torch,):\n    m.empty = None\n", ""),
        ("import sys\n\nsys.modules['torch'].empty = None\n", ""),
        ("import sys\n\nm = sys.modules['torch']\nsetattr(m, 'empty', m.zeros)\n", ""),
    ],
)
def test_what_gives_it_another_dtype_makes_that_a_guess(case, before: str, inside: str):
    assert not case(LAUNCH.format(before=before, inside=inside)).first.evidence["x"].certain


@pytest.mark.parametrize(("passed", "certain"), [("3", True), ("k", False), ("2.5", False), ("True", False)])
def test_an_annotation_is_none_of_those_who_pass_something_else(case, passed: str, certain: bool):
    text = "def launch(n: int):\n    kernel[(1,)](torch.empty(4), n)\n\n\ndef all_of_it(k):\n    launch({})\n"
    text = "@triton.jit\ndef kernel(x, n):\n    tl.store(x, n)\n\n\n" + text.format(passed)
    assert case(text).first.evidence["n"].certain == certain


METHOD = """
{before}
@triton.jit
def kernel(x):
    tl.store(x, 1)


def launch():
    kernel[(1,)](torch.empty(4).double())
"""


@pytest.mark.parametrize(
    ("before", "certain"),
    [("", True), ("torch.Tensor.double = torch.Tensor.half", False), ("torch.Tensor.half = None", True)],
)
def test_a_method_that_is_another_gives_no_dtype_for_certain(case, before: str, certain: bool):
    assert case(METHOD.format(before=before)).first.evidence["x"].certain == certain


@pytest.mark.parametrize(("call", "certain"), [("other.change(x)", False), ("torch.sum(x)", True)])
def test_another_file_that_puts_other_data_into_what_it_is_given(case, call: str, certain: bool):
    kernel = "import other\n@triton.jit\ndef kernel(x):\n    tl.store(x, 1)\n"
    launch = f"def launch():\n    x = torch.empty(4)\n    {call}\n    kernel[(1,)](x)\n"
    got = case(kernel + launch, other="def change(t):\n    t.data = t.data.double()\n")
    assert got.first.evidence["x"].certain == certain


MADE = """
def made():
    out = []
    {before}
    for b in (32, 64):
        {turn}
    {after}
    return out
"""
OUT = "out.append(triton.Config(d))"


@pytest.mark.parametrize(
    ("before", "configs", "certain"),
    [
        ("D = {'B': 32}", "[triton.Config(D)]", True),
        ("D = {'B': 32}\nC = [triton.Config(D)]", "C", True),
        ("D = {'B': 64}\nD['B'] = 32\nC = [triton.Config(D)]", "C", True),
        ("D = {'B': 32}\nC = [triton.Config(D)]\nD['B'] = 64", "C", False),
        ("D = {'B': 32}\nC = [triton.Config(D)]\nD.update(B=64)", "C", False),
        ("D = {'B': 32}\nC = [triton.Config(kwargs=D)]\nif D:\n    D['B'] = 64", "C", False),
        (MADE.format(before="pass", turn=f"d = {{'B': b}}; {OUT}", after="pass"), "made()", True),
        (MADE.format(before="pass", turn=f"d = {{}}; d['B'] = b; {OUT}", after="pass"), "made()", True),
        (MADE.format(before="d = {}", turn=f"d['B'] = b; {OUT}", after="pass"), "made()", False),
        (MADE.format(before="d = {'B': 1}", turn=f"{OUT}; d.update(B=b)", after="pass"), "made()", False),
        (MADE.format(before="pass", turn=f"d = {{'B': b}}; {OUT}", after="d['B'] = 16"), "made()", False),
        (MADE.format(before="pass", turn=f"d = {{'B': b}}; {OUT}; d['B'] = 16", after="pass"), "made()", False),
    ],
)
def test_a_config_has_the_very_dict_that_it_is_made_of(case, before: str, configs: str, certain: bool):
    got = case(CONFIGS.format(before=before, configs=configs, after=""))
    assert got.first.evidence["B"].kind == "autotune"
    assert got.first.evidence["B"].certain is certain
