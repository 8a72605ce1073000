"""What launches, autotune configs, heuristics and defaults say."""

from __future__ import annotations

from kernel_analysis.attempt.repairs.repair import repaired
from kernel_analysis.facts import Problem
from kernel_analysis.source.slice import TritonObject

COPY = """
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr, FLAG: tl.constexpr = False):
    offs = tl.arange(0, BLOCK)
    v = tl.load(x + offs, mask=offs < n)
    if FLAG:
        v += 1
    tl.store(out + offs, v, mask=offs < n)
"""


def test_launch_gives_dtypes_values_and_kinds(case):
    got = case(
        COPY
        + """
def run(x: torch.Tensor):
    n = x.numel()
    out = torch.empty_like(x, dtype=torch.float16)
    BLOCK = triton.next_power_of_2(100)
    kernel[(1,)](x, out, n, BLOCK=BLOCK, FLAG=n > 3)
"""
    )
    assert got.first.types == {"x": "*fp32", "out": "*fp16", "n": "i32", "BLOCK": "constexpr", "FLAG": "constexpr"}
    assert got.first.constants["BLOCK"] == 128
    certain = {name for name, e in got.first.evidence.items() if e.certain}
    assert certain == {"out", "n", "BLOCK"}
    assert {s.constants["FLAG"] for s in got.signatures} == {True, False}
    assert got.compiles()


def test_an_argument_that_takes_too_long_to_find_out_costs_no_other(case):
    got = case(
        COPY
        + """
def rows(n):
    return [i * j % n for i in range(300) for j in range(300)]

def run(x: torch.Tensor, out):
    kernel[(1,)](torch.empty(len(rows(7))), torch.empty(8, dtype=torch.int8), len(rows(9)), BLOCK=32, FLAG=True)
"""
    )
    assert got.first.types["out"] == "*i8"
    assert got.first.constants == {"BLOCK": 32, "FLAG": True}


def test_default_holds_when_no_launch_passes_it(case):
    got = case(
        COPY
        + """
def run(x, out):
    kernel[(1,)](x, out, 7, 64)
"""
    )
    assert got.first.constants["FLAG"] is False
    assert got.first.evidence["FLAG"].kind == "default"
    assert got.first.evidence["FLAG"].certain


def test_two_launches_that_disagree_are_both_compiled(case):
    got = case(
        COPY
        + """
def run(x, out):
    kernel[(1,)](x, out, 7, 64, FLAG=True)
    kernel[(1,)](x, out, 7, 64, FLAG=False)
"""
    )
    assert [s.constants["FLAG"] for s in got.signatures] == [True, False]


def test_none_argument_is_a_compile_time_none(case):
    got = case("""
@triton.jit
def kernel(out, bias, extra=None):
    v = 1.0
    if bias is not None:
        v += tl.load(bias)
    if extra is not None:
        v += tl.load(extra)
    tl.store(out, v)

def run(out):
    kernel[(1,)](out, None)
""")
    for name in ("bias", "extra"):
        assert got.first.types[name] == "constexpr"
        assert got.first.constants[name] is None
        assert got.first.evidence[name].certain
    # Other launches may pass them.
    (other,) = got.signatures[1:]
    assert (other.types["bias"], other.types["extra"]) == ("*fp32", "*fp32")
    assert not other.evidence["bias"].certain
    assert got.compiles()
    assert got.compiles()


def test_optional_tensor_is_compiled_with_and_without(case):
    got = case("""
@triton.jit
def kernel(out, bias, HAS_BIAS: tl.constexpr):
    v = 1.0
    if HAS_BIAS:
        v += tl.load(bias)
    tl.store(out, v)

def run(out: torch.Tensor, bias: torch.Tensor | None = None):
    kernel[(1,)](out, bias, HAS_BIAS=bias is not None)
""")
    assert got.first.types["bias"] == "*fp32"
    assert {s.constants["HAS_BIAS"] for s in got.signatures} == {True, False}
    assert got.compiles()


def test_autotune_and_heuristics(case):
    got = case("""
@triton.autotune(configs=[triton.Config({"BLOCK": 32}, num_warps=4), triton.Config({"BLOCK": 256})], key=["n"])
@triton.heuristics({"HAS": lambda args: args["bias"] is not None})
@triton.jit
def kernel(out, bias, n, BLOCK: tl.constexpr, HAS: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    v = offs.to(tl.float32)
    if HAS:
        v += tl.load(bias + offs)
    tl.store(out + offs, v, mask=offs < n)
""")
    assert got.first.constants["BLOCK"] == 32
    assert got.first.evidence["BLOCK"].kind == "autotune"
    assert got.first.evidence["BLOCK"].certain
    assert got.first.constants["HAS"] is True
    assert got.first.evidence["HAS"].kind == "heuristics"
    assert got.compiles()


def test_dtype_and_float_arguments(case):
    got = case("""
@triton.jit
def kernel(out, eps, DTYPE: tl.constexpr):
    tl.store(out, eps.to(DTYPE))

def run(out, eps: float = 1e-5):
    kernel[(1,)](out, eps, DTYPE=tl.bfloat16)
""")
    assert got.first.types["eps"] == "fp32"
    assert got.first.constants["DTYPE"] == TritonObject("triton.language.bfloat16")
    assert got.compiles()


def test_descriptor_with_its_block_from_the_launch(case):
    got = case("""
@triton.jit
def kernel(desc, out, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(out + offs[:, None] * BLOCK + offs[None, :], desc.load([0, 0]))

def run(x, out):
    y = x.to(torch.float16)
    desc = TensorDescriptor.from_tensor(y, [32, 32])
    kernel[(1,)](desc, out, 32)
""")
    assert got.first.types["desc"] == "tensordesc<fp16[32, 32]>"
    assert got.compiles()


def test_descriptor_with_its_block_from_the_autotuners_hook(case):
    got = case("""
def hook(nargs):
    nargs["desc"].block_shape = [nargs["BLOCK"], 16]

@triton.autotune(configs=[triton.Config({"BLOCK": 128}, pre_hook=hook)], key=[])
@triton.jit
def kernel(desc, out, BLOCK: tl.constexpr):
    tl.store(out + tl.arange(0, BLOCK), tl.sum(desc.load([0, 0]), 1))

def run(x, out):
    kernel[(1,)](TensorDescriptor.from_tensor(x, [1, 1]), out)
""")
    assert got.first.types["desc"] == "tensordesc<fp32[128, 16]>"
    assert got.compiles()


def test_descriptor_with_its_block_from_the_locals_of_a_hook(case):
    got = case("""
def hook(nargs):
    half = nargs.get("HALF", False)
    rows = nargs["BLOCK_SIZE_M"]
    desc = nargs["desc"]
    if half:
        desc.block_shape = [rows, 8]
    else:
        desc.block_shape = [rows, 16]

@triton.autotune(configs=[triton.Config({"BLOCK_SIZE_M": 128}, pre_hook=hook)], key=[])
@triton.jit
def kernel(desc, out, BLOCK_SIZE_M: tl.constexpr):
    tl.store(out + tl.arange(0, BLOCK_SIZE_M), tl.sum(desc.load([0, 0]), 1))

def run(x, out):
    kernel[(1,)](TensorDescriptor.from_tensor(x, [1, 1]), out)
""")
    assert got.first.types["desc"] == "tensordesc<fp32[128, 16]>"
    assert got.compiles()


def test_launch_text_is_never_run(case, tmp_path):
    marker = tmp_path / "ran"
    got = case(
        COPY
        + f"""
def run(x, out):
    kernel[(1,)](x, out, open({str(marker)!r}, "w").write("x"), BLOCK=__import__("os").getpid())
"""
    )
    assert not marker.exists()
    assert got.first.types["x"] == "*fp32"


def test_a_dtype_given_to_warmup_is_a_tensor(case):
    got = case("""
@triton.jit
def kernel(x, out, DTYPE: tl.constexpr):
    tl.store(out, tl.load(x).to(DTYPE))

def prepare():
    kernel.warmup(torch.float16, torch.float32, DTYPE=tl.float32, grid=(1,))
""")
    assert (got.first.types["x"], got.first.types["out"]) == ("*fp16", "*fp32")
    assert got.first.types["DTYPE"] == "constexpr"
    assert got.compiles()


LOADED = """
import triton
import triton.language as tl

@triton.jit
def first(x, out):
    tl.store(out, tl.load(x))

@triton.jit
def second(x, out):
    tl.store(x, tl.load(out))
"""


def test_a_kernel_in_a_string_is_launched_by_the_name_that_it_was_loaded_to(case):
    host = "def run():\n    k[(1,)](torch.empty(2, dtype=torch.int8), torch.empty(2, dtype=torch.float64))\n"
    for name in ("first", "second"):
        got = case(f"k = load('{name}', '''{LOADED}''')\n" + host, name)
        assert got.first.types == {"x": "*i8", "out": "*fp64"}
    got = case(f"k = load('''{LOADED}''')\n" + host, "first")
    assert not got.function.launches, "which of the two was loaded is not known"


def test_arguments_and_keywords_that_are_spread(case):
    got = case(
        COPY
        + """
def run(x):
    args = (torch.empty(3, dtype=torch.bfloat16), torch.empty(3, dtype=torch.float16))
    meta = {"BLOCK": 32, **dict(FLAG=True)}
    kernel[(1,)](*args, 5, **meta)
"""
    )
    assert got.first.types["x"] == "*bf16"
    assert got.first.types["out"] == "*fp16"
    assert got.first.constants == {"BLOCK": 32, "FLAG": True}
    assert got.first.evidence["FLAG"].certain
    assert got.first.evidence["out"].place == "line 17"


def test_keywords_that_are_set_one_by_one(case):
    got = case(
        COPY
        + """
def run(x, other, fast):
    meta = dict(BLOCK=32) if fast else {"BLOCK": 32}
    meta["FLAG"] = True
    meta.update(n=7)
    kernel[(1,)](x, torch.empty(3, dtype=torch.float16), **meta)
    meta["BLOCK"] = 99
"""
    )
    assert got.first.types["n"] == "i32"
    assert got.first.constants["BLOCK"] == 32
    assert got.first.constants["FLAG"] is True


def test_what_is_not_known_of_spread_arguments_stays_open(case):
    got = case(
        COPY
        + """
def run(x, args, **meta):
    kernel[(1,)](x, *args, **meta)
"""
    )
    assert got.first.types["out"] == "*fp32"
    assert not got.first.evidence["out"].certain
    assert got.first.evidence["FLAG"].kind != "launch"
    assert {s.constants["FLAG"] for s in got.signatures} == {False, True}


def test_a_function_that_launches_what_it_is_given(case):
    got = case(
        COPY
        + """
def launch(fn, grid, args, FLAG=True, **meta):
    wrap_triton(fn)[grid](*args, FLAG=FLAG, **meta)


def run(x):
    launch(kernel, (1,), (x.half(), torch.empty(3, dtype=torch.int32), x.numel()), BLOCK=256)
"""
    )
    assert got.first.types == {"x": "*fp16", "out": "*i32", "n": "i32", "BLOCK": "constexpr", "FLAG": "constexpr"}
    assert got.first.constants == {"BLOCK": 256, "FLAG": True}
    assert got.first.evidence["out"].place == "line 19"
    assert got.compiles()


def test_a_pointer_that_every_launch_leaves_out_is_also_tried(case):
    got = case(
        """
@triton.jit
def kernel(x, out, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    v = tl.zeros([BLOCK], tl.float32)
    if x:
        v += tl.load(x + offs)
    tl.store(out + offs, v)


def run(out):
    kernel[(1,)](None, out, 64)
"""
    )
    assert [s.types["x"] for s in got.signatures] == ["constexpr", "*fp32"]
    assert got.compiles()


def test_a_heuristic_that_compares_gives_true_or_false(case):
    got = case("""
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def kernel(x, out, n, EVEN: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    if EVEN & (n > 0):
        tl.store(out + offs, tl.load(x + offs))
    if EVEN & EVEN:
        tl.store(out + offs, 1.0)
    else:
        tl.store(out + offs, 2.0)
""")
    assert {s.constants["EVEN"] for s in got.signatures} == {True, False}
    assert got.first.evidence["EVEN"].detail == "a heuristic gives True or False"
    assert got.compiles()


def test_several_numbers_are_no_integer(case):
    got = case("""
@triton.jit
def kernel(x, out, strides):
    row, column = strides
    tl.store(out, tl.load(x + row + column))

def run(x: torch.Tensor, out: torch.Tensor):
    kernel[(1,)](x, out, x.stride())
""")
    assert got.first.types["strides"] == ("i32", "i32")
    assert got.compiles()


def test_addresses_are_not_made_of_floats(case):
    """Another call of the host function passes its tensors in another order."""
    got = case("""
@triton.jit
def kernel(x, index, out):
    tl.store(out, tl.load(x + tl.load(index)))

def run(x, index, out):
    kernel[(1,)](x, index, out)

def test():
    run(torch.empty(8), torch.empty(8, dtype=torch.float16), torch.empty(1))
""")
    assert got.first.types["index"] == "*fp16"
    assert not got.first.evidence["index"].certain
    problem = got.lower(got.first)
    assert isinstance(problem, Problem)
    found = repaired(got.slice, got.first, problem, got.attempt)
    assert found is not None
    assert found[0].types["index"] in ("*i32", "*i64")


def test_a_dtype_that_only_another_targets_gpus_have(case):
    got = case("""
@triton.jit
def kernel(x, out):
    tl.store(out, tl.load(x).to(tl.float32))

def launch(out):
    x = torch.empty(4, dtype=torch.float8_e4m3fnuz)
    kernel[(1,)](x, out)
""")
    assert got.first.types["x"] == "*fp8e4nv"
    assert got.first.evidence["x"].detail == "a launch passes a tensor of fp8e4b8 on AMD's GPUs"
    assert not got.first.evidence["x"].certain
    assert got.compiles()
