"""What host code says of a launch's arguments beyond the function that launches: its callers, what it calls, what
``forward`` saved for ``backward``; and by what it does with a name."""

from __future__ import annotations

import pytest

COPY = """
@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(y + offs, tl.load(x + offs, mask=mask), mask=mask)
"""
LABELS = """
@triton.jit
def kernel(x, y, n, IGNORE: tl.constexpr):
    label = tl.load(y)
    if label == IGNORE:
        return
    tl.store(x + label, 0.0)
"""


def test_the_callers_of_a_host_function_say_what_it_is_given(case):
    got = case(
        COPY
        + """
def launch(x, y, n):
    kernel[(1,)](x, y, n, BLOCK=64)

def run(device):
    launch(torch.empty(8, dtype=torch.float16, device=device), torch.zeros(8, dtype=torch.int64), 8)
"""
    )
    assert got.first.types == {"x": "*fp16", "y": "*i64", "n": "i32", "BLOCK": "constexpr"}
    assert got.compiles()


def test_callers_that_disagree_say_no_dtype(case):
    got = case(
        COPY
        + """
def launch(x, y, n):
    kernel[(1,)](x, y, n, BLOCK=64)

def run():
    launch(torch.empty(8, dtype=torch.float16), torch.zeros(8, dtype=torch.int64), 8)
    launch(torch.empty(8, dtype=torch.bfloat16), torch.zeros(8, dtype=torch.int64), 8)
"""
    )
    assert got.first.types["x"] == "*fp32"
    assert not got.first.evidence["x"].certain
    assert got.first.types["y"] == "*i64"


def test_defaults_of_host_functions_are_likely_values(case):
    got = case(
        LABELS
        + """
def launch(x, y, n, ignore):
    kernel[(1,)](x, y, n, IGNORE=ignore)

def run(x, y, ignore: int = -100):
    launch(x, y, 3, ignore)
"""
    )
    assert got.first.constants["IGNORE"] == -100
    assert "-100 by default" in got.first.evidence["IGNORE"].detail
    assert not got.first.evidence["IGNORE"].certain


def test_extents_of_blocks_go_together_and_defaults_may_be_sentinels(case):
    got = case(
        """
@triton.jit
def kernel(x, BLOCK: tl.constexpr, SPLITS: tl.constexpr):
    for i in tl.static_range(SPLITS):
        tl.store(x + i * BLOCK + tl.arange(0, BLOCK), 0.0)

def run(x, block: int = 512, splits: int = 0):
    kernel[(1,)](x, BLOCK=block, SPLITS=splits)
"""
    )
    assert got.first.constants["BLOCK"] == 64
    assert got.first.constants["SPLITS"] > 0
    assert got.compiles()


def test_extents_of_which_a_launch_says_only_some_are_guessed_together(case):
    got = case(
        """
@triton.jit
def kernel(x, M: tl.constexpr, N: tl.constexpr):
    tl.store(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], 0.0)

def run(x, m: int = 512, *rest):
    kernel[(1,)](x, M=m, N=rest[0])
"""
    )
    assert (got.first.constants["M"], got.first.constants["N"]) == (64, 64)
    assert got.compiles()


def test_text_that_some_launch_passes(case):
    got = case(
        """
@triton.jit
def kernel(x, PRECISION: tl.constexpr):
    i = tl.arange(0, 16)
    at = x + i[:, None] * 16 + i[None, :]
    tl.store(at, tl.dot(tl.load(at), tl.load(at), input_precision=PRECISION))

def run(x, exact):
    kernel[(1,)](x, PRECISION="tf32" if exact else "tf32x3")
"""
    )
    assert got.first.constants["PRECISION"] == "tf32"
    assert got.compiles()


def test_what_a_host_function_returns(case):
    got = case(
        COPY
        + """
def make(n):
    if n > 3:
        return torch.empty(n, dtype=torch.int32), torch.empty(n, dtype=torch.float16), 32
    return torch.zeros(n, dtype=torch.int32), torch.zeros(n, dtype=torch.bfloat16), 32

def run(n):
    x, y, block = make(n)
    kernel[(1,)](x, y, n, BLOCK=block)
"""
    )
    assert got.first.types["x"] == "*i32"
    assert got.first.types["y"] == "*fp32"
    assert got.first.constants["BLOCK"] == 32


@pytest.mark.parametrize(
    "other",
    [
        "    try:\n        return x.half()\n    except RuntimeError:\n        return x.double()\n",
        "    match x.dim():\n        case 1:\n            return x.half()\n"
        "        case _:\n            return x.double()\n",
        "    with torch.no_grad():\n        return x.half()\n    return x.double()\n",
        "    for _ in range(x.dim()):\n        return x.half()\n    else:\n        return x.double()\n",
        "    try:\n        x.dim()\n    finally:\n        return x.double()\n    return x.half()\n",
    ],
)
def test_wherever_a_host_function_returns(case, other):
    got = case(f"{COPY}\ndef of(x):\n{other}\ndef run(y):\n    kernel[(1,)](of(torch.empty(8)), y, 8, BLOCK=64)\n")
    assert got.first.types["x"] == "*fp32"
    assert not got.first.evidence["x"].certain


def test_what_forward_saved_is_what_backward_has(case):
    got = case(
        COPY
        + """
class Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        index = torch.empty(8, dtype=torch.int32)
        scale = torch.empty(8, dtype=torch.bfloat16)
        ctx.save_for_backward(x, index, scale)
        return scale

    @staticmethod
    def backward(ctx, grad):
        x, index, scale = ctx.saved_tensors
        kernel[(1,)](index, scale, x.numel(), BLOCK=64)
"""
    )
    assert got.first.types == {"x": "*i32", "y": "*bf16", "n": "i32", "BLOCK": "constexpr"}


def test_what_forward_keeps_in_its_context_is_what_backward_has(case):
    got = case(
        COPY
        + """
class Function(torch.autograd.Function):
    @staticmethod
    def forward(context, x, n):
        context.made = torch.empty(8, dtype=torch.int32)
        context.sizes = x.numel(), 32
        context.other = torch.empty(8, dtype=torch.bfloat16)
        return x

    @staticmethod
    def backward(ctx, grad):
        size, block = ctx.sizes
        kernel[(1,)](ctx.made, ctx.other, size, BLOCK=block)
"""
    )
    assert got.first.types == {"x": "*i32", "y": "*bf16", "n": "i32", "BLOCK": "constexpr"}
    assert got.first.constants["BLOCK"] == 32


@pytest.mark.parametrize(
    "other",
    [
        "",
        "    def grow(self):\n        self.made = self.made.double()\n",
        "    def __getattr__(self, name):\n        return 1\n",
    ],
)
def test_what_an_object_is_given_by_its_methods_is_a_guess(case, other):
    got = case(
        COPY
        + f"""
class Model:
    def __init__(self, n=4):
        self.made = torch.empty(8, dtype=torch.int32)
        self.block = 32

    def run(self, x):
        kernel[(1,)](self.made, x, 8, BLOCK=self.block)

{other}
"""
    )
    assert "grow" in other or got.first.types["x"] == "*i32"
    assert got.first.constants["BLOCK"] == 32
    assert not got.first.evidence["x"].certain


def test_a_function_that_calls_itself_ends(case):
    got = case(
        COPY
        + """
def make(n):
    return make(n - 1)

def launch(x, n):
    y = make(n)
    kernel[(1,)](x, y, n, BLOCK=64)
    launch(y, n)
"""
    )
    assert got.first.types["x"] == got.first.types["y"] == "*fp32"


def test_what_only_tensors_have_makes_a_tensor(case):
    got = case(
        """
@triton.jit
def kernel(x, y, unused):
    tl.store(y, tl.load(x))

def run(x, y, log):
    assert log.is_contiguous()
    kernel[(1,)](x, y, log)
"""
    )
    assert got.first.types["unused"] == "*fp32"
    assert got.first.evidence["unused"].kind == "launch"


def test_what_is_tested_for_a_tensor_may_be_none(case):
    got = case(
        """
@triton.jit
def kernel(x, value):
    tl.store(x, value)

def run(x, value):
    if torch.is_tensor(value) and value.ndim == 0:
        value = value.item()
    kernel[(1,)](x, value)
"""
    )
    assert got.first.types["value"] == "i32"
    assert got.compiles()


def test_torch_gathers_by_int64(case):
    got = case(
        LABELS
        + """
def run(x, y, weight):
    weight.gather(dim=0, index=y.masked_select(y != 3))
    kernel[(1,)](x, y, 3, IGNORE=5)
"""
    )
    assert got.first.types["y"] == "*i64"
    assert got.first.evidence["y"].said


def test_the_sum_of_a_comparison_is_an_integer(case):
    got = case(
        """
@triton.jit
def kernel(x, count):
    tl.store(x, tl.load(x) * 2.0 / count)

def run(x, target: torch.Tensor):
    count = (target != 3).sum().item()
    kernel[(1,)](x, count)
"""
    )
    assert got.first.types["count"] == "i32"


def test_the_else_of_a_loop_may_not_happen(case):
    got = case(
        COPY
        + """
def run(x, y, n):
    for block in (128, 64):
        if n > block:
            chosen = block
            break
    else:
        chosen = 4
    kernel[(1,)](x, y, n, BLOCK=chosen)
"""
    )
    assert got.first.constants["BLOCK"] == 64
    assert not got.first.evidence["BLOCK"].certain


def test_labels_are_of_int64_by_their_name_where_they_are_launched(case):
    got = case(
        LABELS
        + """
def run(x, target: torch.Tensor):
    kernel[(1,)](x, target.contiguous(), 3, IGNORE=5)
"""
    )
    assert got.first.types["y"] == "*i64"
    assert not got.first.evidence["y"].certain
    assert got.compiles()


def test_a_mask_that_is_compared_with_a_number_has_integers(case):
    got = case(
        """
@triton.jit
def kernel(x, mask_ptr):
    if tl.load(mask_ptr) == 0:
        return
    tl.store(x, 0.0)
"""
    )
    assert got.first.types["mask_ptr"] == "*i64"


def test_a_function_is_torchs_only_if_its_name_means_that(case):
    got = case(
        """
class Pool:
    def zeros(self, n):
        return n

pool = Pool()
"""
        + COPY
        + """
def run(x: torch.Tensor, y: torch.Tensor):
    n = pool.zeros(8)
    kernel[(1,)](x, y, n, BLOCK=64)
"""
    )
    assert got.first.types["n"] == "i32"
    assert got.compiles()


def test_torch_under_another_name(case):
    got = case(
        "import torch as th\nimport torch\nimport torch.nn\nfrom torch import zeros as nulls\n"
        + COPY
        + """
def run():
    kernel[(1,)](th.empty(8, dtype=torch.float16), nulls(8, dtype=th.bfloat16), torch.empty(8), BLOCK=64)
"""
    )
    assert got.first.types["x"] == "*fp16"
    assert got.first.types["y"] == "*bf16"
    assert got.first.types["n"] == "*fp32"


def test_a_rounded_number_is_an_integer(case):
    got = case(
        COPY
        + """
def run(x: torch.Tensor, y: torch.Tensor):
    kernel[(1,)](x, y, round(x.numel() * 0.5), BLOCK=~5 + 70)
"""
    )
    assert got.first.types["n"] == "i32"
    assert got.first.constants["BLOCK"] == 64


def test_a_table_that_is_changed_is_no_certain_value(case):
    got = case(
        "TABLE = {'BLOCK': 64}\ndef later():\n    TABLE['BLOCK'] = 128\n"
        + COPY
        + """
def run(x: torch.Tensor, y: torch.Tensor):
    kernel[(1,)](x, y, 8, BLOCK=TABLE["BLOCK"])
"""
    )
    assert not got.first.evidence["BLOCK"].certain


def test_torch_that_a_function_imports_itself(case):
    got = case(
        COPY
        + """
def run():
    import torch as th
    x = th.empty(8, dtype=th.uint8)
    kernel[(1,)](x, th.zeros(8, dtype=th.float16), 8, BLOCK=64)
"""
    )
    assert got.first.types["x"] == "*u8"
    assert got.first.types["y"] == "*fp16"


def test_a_name_that_a_launch_passes_for_a_parameter_and_as_an_option_is_one_value(case):
    got = case(
        """
@triton.jit
def kernel(x, BLOCK: tl.constexpr, WARPS: tl.constexpr):
    tl.static_assert(WARPS <= BLOCK)
    tl.store(x + tl.arange(0, BLOCK), 0.0)

def run(x, warps, block):
    kernel[(1,)](x, block, warps, num_warps=warps)
"""
    )
    assert got.first.launch.given == {"num_warps": got.first.constants["WARPS"]}
    assert not got.first.launch.settled
